"""Parameters of a model with slider ranges and units, and models with changed values."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from slipstick.app.model_choice import ModelChoice
from slipstick.errors import InvalidInput, SlipstickError

if TYPE_CHECKING:
    from slipstick.app.model.system_fields import SystemField

MAX_PARAMETERS = 150  # of a model
RANGE_DECADES = 1.0  # on both sides of a number on a logarithmic range
LINEAR_RANGE_FACTOR = 3.0  # end of a linear range over the number
MAX_LIST_LENGTH = 8  # numbers of a list with a slider each
RANGE_BISECTIONS = 12  # to find the valid end of a range
OPEN_BOUND_MARGIN = 0.01  # distance from an open bound, of that to the number

# names of positive numbers that may vary by orders of magnitude
LOGARITHMIC_NAMES = (
    "stiffness",
    "inertia",
    "mass",
    "damping",
    "limit",
    "rate",
    "cubic",
    "linear",
    "thickness",
    "area",
    "force",
)
NONNEGATIVE_NAMES = (
    *LOGARITHMIC_NAMES,
    "half_gap",
    "gap",
    "amplitude",
    "ratio",
    "exponent",
    "overshoot",
    "radius",
    "coefficient",
)
INTEGER_NAMES = ("order", "cylinders")


@dataclass(frozen=True)
class ModelParameter:
    """name : a keyword of a system, "inertias.0" in a list of one, or a parameter of a model, "slider.limit".

    unit : of value, usual, low and high: as written in the file, else SI.
    value : None if it follows from others.   usual : of the paper or the file.
    low, high : of the slider.   log : logarithmic slider.   integer : no decimals.
    options, word : of a choice between words, and the chosen one.
    """

    name: str
    unit: str = ""
    value: float | None = None
    usual: float | None = None
    low: float = 0.0
    high: float = 1.0
    log: bool = False
    integer: bool = False
    options: tuple[str, ...] = ()
    word: str = ""
    written: bool = False  # the unit is that of the file

    def in_si(self, value: float) -> float:
        """A value of this parameter in SI."""
        from slipstick.units.parser import to_si

        return to_si(Fraction(repr(float(value))), self.unit) if self.written else value

    @property
    def words(self) -> str:
        """The name for display; numbers of a list are counted from one."""
        first, _, place = self.name.partition(".")
        return f"{first} {int(place) + 1}" if place.isdigit() else self.name.replace("_", " ")

    @property
    def label(self) -> str:
        return f"{self.words} [{self.unit}]" if self.unit else self.words

    def place(self, value: float) -> float:
        """Position of a value on the slider, 0 to 1."""
        low, high, own = (math.log(max(x, 1e-300)) if self.log else x for x in (self.low, self.high, value))
        return min(max((own - low) / (high - low), 0.0), 1.0)

    def value_at(self, place: float) -> float:
        """The value at a slider position, rounded to what a slider can set."""
        if self.log:
            value = self.low * (self.high / self.low) ** place
            return min(max(float(f"{value:.3g}"), self.low), self.high)
        value = self.low + (self.high - self.low) * place
        if self.integer:
            return float(round(value))
        step = 10.0 ** (math.floor(math.log10(self.high - self.low)) - 3)
        return min(max(float(f"{round(value / step) * step:.6g}"), self.low), self.high)


def parameters_of(choice: ModelChoice) -> list[ModelParameter]:
    """The parameters of a model except its base frequency, with slider ranges."""
    from slipstick.model.named_parameter import parameter_of

    parameters = unranged_parameters(choice)
    known, read = (
        {knob.name: knob for knob in parameters},
        None if choice.system else choice.build(),
    )  # a text is parsed once

    def build(name: str, value: float) -> Any:
        own = known[name].in_si(value)
        return with_parameter(choice, name, own).build() if read is None else parameter_of(read, name).at(own)

    return [_with_valid_range(_with_range(knob, parameters), build) for knob in parameters]


def unranged_parameters(choice: ModelChoice) -> list[ModelParameter]:
    """The parameters without slider ranges."""
    return (_system_parameters(choice) if choice.system else _file_parameters(choice))[:MAX_PARAMETERS]


def with_parameter(choice: ModelChoice, name: str, value: Any) -> ModelChoice:
    """The choice with another number (SI) or word; None for the usual one."""
    if not choice.system:
        numbers = {key: own for key, own in choice.numbers.items() if key != name}
        return replace(choice, numbers=numbers if value is None else {**numbers, name: value})
    from slipstick.app.model.system_fields import system_fields

    key, _, place = name.partition(".")
    values = {own: each for own, each in choice.values.items() if own != key}
    if place:
        known = next(field for field in system_fields(choice.system, choice.values) if field.name == key)
        several = list(choice.values.get(key, known.default))
        several[int(place)] = known.default[int(place)] if value is None else value
        values[key] = tuple(several)
    elif value is not None:
        values[key] = value
    left = {each.name for each in system_fields(choice.system, values)}  # another law has other numbers
    return replace(choice, values={own: each for own, each in values.items() if own in left})


# ---- systems


def _system_parameters(choice: ModelChoice) -> list[ModelParameter]:
    from slipstick.app.model.system_fields import system_fields

    fields = [each for each in system_fields(choice.system, choice.values) if each.name != "frequency"]
    return [knob for each in fields for knob in _field_parameter(each, choice.values.get(each.name, each.default))]


def _field_parameter(field: SystemField, value: Any) -> list[ModelParameter]:
    if field.options:
        return [ModelParameter(field.name, options=field.options, word=str(value))]
    if not field.many:
        return [ModelParameter(field.name, field.unit, _number(value), _number(field.default))]
    units = field.unit.split(", ")
    return [
        ModelParameter(f"{field.name}.{i}", units[min(i, len(units) - 1)], float(own), float(usual))
        for i, (own, usual) in enumerate(zip(value, field.default, strict=True))
    ]


def _number(value: Any) -> float | None:
    return None if value is None else float(value)


# ---- models in files


def _file_parameters(choice: ModelChoice) -> list[ModelParameter]:
    from slipstick.model.files.written_units import WrittenUnits
    from slipstick.model.named_parameter import parameter_names, parameter_of
    from slipstick.model.named_parameter_unit import parameter_unit
    from slipstick.units.parser import from_si

    usual, now = replace(choice, numbers={}).build(), choice.build()
    written, parameters = WrittenUnits(choice.text, choice.name, usual), list[ModelParameter]()
    for name in parameter_names(usual):
        place = name.rpartition(".")[2]
        if place.isdigit() and int(place) >= MAX_LIST_LENGTH:
            continue
        try:
            own, first = parameter_of(now, name).value, parameter_of(usual, name).value
        except InvalidInput:  # hidden by another part of the same name
            continue
        if name.endswith(".exponent") and _sets_units(usual, name, first):
            continue  # it would change the units of other numbers: only the text can
        unit = written.unit(name, first)
        own, first = from_si(own, unit), from_si(first, unit)
        parameters.append(ModelParameter(name, unit or parameter_unit(usual, name), own, first, written=bool(unit)))
    return parameters


def _sets_units(model: Any, name: str, value: float) -> bool:
    """True if an exponent changes the units of others: beta of the Bouc-Wen law is in 1/m^n."""
    from slipstick.model.named_parameter import parameter_names, parameter_of
    from slipstick.model.named_parameter_unit import parameter_unit

    part = name.rpartition(".")[0]
    own = [other for other in parameter_names(model) if other.startswith(f"{part}.")]
    turned: Any = parameter_of(model, name).at(value + 0.125)
    return [parameter_unit(model, other) for other in own] != [parameter_unit(turned, other) for other in own]


# ---- ranges


def _with_range(knob: ModelParameter, others: Sequence[ModelParameter]) -> ModelParameter:
    """A slider range about the usual value that includes the present one."""
    if knob.options or knob.usual is None:
        return knob
    name, usual = knob.name.partition(".")[0] if knob.name.rpartition(".")[2].isdigit() else knob.name, knob.usual
    word = name.rpartition(".")[2]
    size = abs(usual) or _typical_size(knob.unit, others)
    log = usual > 0.0 and any(one in word for one in LOGARITHMIC_NAMES)
    if log:
        low, high = usual * 10.0**-RANGE_DECADES, usual * 10.0**RANGE_DECADES
    elif word in INTEGER_NAMES:
        low, high = 0.0, max(2.0 * usual, 6.0)
    elif "phase" in word:
        low, high = (-180.0, 180.0) if knob.unit == "deg" else (-math.pi, math.pi)
    else:
        low, high = -LINEAR_RANGE_FACTOR * size, LINEAR_RANGE_FACTOR * size
        if usual > 0.0 or (usual == 0.0 and any(one in word for one in NONNEGATIVE_NAMES)):
            low = 0.0
    value = usual if knob.value is None else knob.value
    if value <= 0.0:
        log = False
    return replace(knob, low=min(low, value), high=max(high, value), log=log, integer=word in INTEGER_NAMES)


def _typical_size(unit: str, others: Sequence[ModelParameter]) -> float:
    """Size of a number whose usual value is zero: that of others with its unit."""
    return max(
        (abs(each.usual) / LINEAR_RANGE_FACTOR for each in others if each.unit == unit and each.usual), default=1.0
    )


def _with_valid_range(knob: ModelParameter, build: Callable[[str, float], Any]) -> ModelParameter:
    """The range limited to values that the model accepts.   build : the model with another value."""
    value = knob.value
    if knob.options or knob.usual is None or value is None:
        return knob

    def takes(one: float) -> bool:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                build(knob.name, one)
        except SlipstickError:
            return False
        return True

    if not takes(value):
        return knob
    low, high = (_range_end(value, end, takes) for end in (knob.low, knob.high))
    if knob.integer:
        low, high = float(math.ceil(low)), float(math.floor(high))
    return replace(knob, low=low, high=high) if low < high else knob


def _range_end(value: float, end: float, takes: Callable[[float], bool]) -> float:
    """The last valid value between ``value`` and ``end``: a closed bound, or close to an open one."""
    if takes(end):
        return end
    good, bad = value, end
    for _ in range(RANGE_BISECTIONS):
        middle = 0.5 * (good + bad)
        good, bad = (middle, bad) if takes(middle) else (good, middle)
    bound = float(f"{bad:.3g}")
    return bound if takes(bound) else bad + OPEN_BOUND_MARGIN * (value - bad)
