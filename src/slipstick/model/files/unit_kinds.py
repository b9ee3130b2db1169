"""Translation, rotation or stress: the kind of a connection or coordinate, from the units in a file.

A law counts dimensions in (force, deflection, time); a file has newtons or newton metres. The units
written decide which it is. All that belong together must agree on one kind: a half gap in
degrees beside a stiffness in N/mm is refused. Plain numbers are SI and agree with everything.
"""

from __future__ import annotations

from collections.abc import Iterable

from slipstick.errors import InvalidInput
from slipstick.model.files.quantities import Quantity
from slipstick.units.common_units import Unit
from slipstick.units.dimensions import (
    ALL_KINDS,
    DEFLECTION_EXPONENTS,
    FORCE_EXPONENTS,
    NUMBER,
    STRESS,
    TRANSLATION,
    Dimension,
    Exponents,
    dimension_exponents,
    unit_name,
)
from slipstick.units.parser import parse_unit, to_si

_EXPONENT_TOLERANCE = 1e-9
# usual spelling, where the plain product of SI units reads oddly
_SPELT = {
    ((0, 1, 0), STRESS): "no unit (strain)",
    (NUMBER, TRANSLATION): "no unit",
}


class OpenKinds:
    """The kinds that the quantities seen so far leave open.

    required : by something else, such as the coordinates that a law acts on; why : in words.
    unitless : names of numbers other than 0 that have a dimension but no unit, and count in SI.
    """

    def __init__(self, left: Iterable[str] = ALL_KINDS, required: Iterable[str] = ALL_KINDS, why: str = "") -> None:
        self.left = self.first = frozenset(left)
        self.required, self.why = frozenset(required), why
        self.seen: list[tuple[str, Quantity, frozenset[str]]] = []
        self.unitless: list[str] = []

    def take(self, name: str, quantity: Quantity, dimension: Dimension) -> float:
        """The quantity in SI; refuses a unit of another dimension, or of another kind than those before."""
        if not quantity.unit:
            if quantity.number != 0 and dimension != NUMBER:
                self.unitless.append(name)
            return quantity.value
        unit = _checked_unit(name, quantity, dimension, self.left)
        fitting = frozenset(kind for kind in ALL_KINDS if unit_matches(unit, dimension, kind))
        if not fitting:
            raise InvalidInput(
                f"must be {_describe_units_in(dimension, self.left & self.required or self.left)}, got {quantity.text}"
            )
        if not fitting & self.left:
            raise InvalidInput(self._mix(quantity, fitting, dimension))
        self.left &= fitting
        self.seen.append((name, quantity, fitting & self.first))
        return to_si(quantity.number, quantity.unit)

    def _mix(self, quantity: Quantity, fitting: frozenset[str], dimension: Dimension) -> str:
        for name, other, kinds in self.seen:
            if not kinds & fitting and kinds & self.required:  # else the other is at fault itself
                return (
                    f"{quantity.text} is {kinds_text(fitting)}, but {name}: {other.text} is {kinds_text(kinds)}; "
                    f"use a unit like {describe_units(dimension, self.left)} here, or change the other"
                )
        if self.why:
            wanted = describe_units(dimension, self.required)
            return (
                f"{quantity.text} is {kinds_text(fitting)}, but {self.why}; "
                f"use a unit like {wanted}, a radius such as 0.05*phi, or correct the units of the coordinates"
            )
        return (
            f"must be {_describe_units_in(dimension, self.left)}, got {quantity.text}, which is {kinds_text(fitting)}"
        )


def unit_matches(unit: Unit, dimension: Dimension, kind: str) -> bool:
    """True if the unit has this dimension in this kind of motion; rad may be left out, as in N m for N m/rad."""
    if unit.per_cycle:
        return False
    return _same_exponents(unit.exponents, dimension_exponents(dimension, kind))


def read_frequency(quantity: Quantity) -> float:
    """A frequency in rad/s, from rad/s, Hz or rpm; 1/s is refused, because it does not say which."""
    if not quantity.unit:
        return quantity.value
    length, mass, time, angle = parse_unit(quantity.unit).exponents
    if (length, mass, time) == (0.0, 0.0, -1.0) and angle == 0.0:
        raise InvalidInput(f"{quantity.text} may mean rad/s or cycles a second; write rad/s, Hz or rpm")
    if (length, mass, time, angle) != (0.0, 0.0, -1.0, 1.0):
        raise InvalidInput(f"must be a frequency in rad/s, Hz or rpm, got {quantity.text}")
    return to_si(quantity.number, quantity.unit)


def read_frequency_rate(quantity: Quantity) -> float:
    """How fast a frequency grows, in rad/s^2, from rad/s^2, Hz/s or rpm/s."""
    if quantity.unit and parse_unit(quantity.unit).exponents != (0.0, 0.0, -2.0, 1.0):
        raise InvalidInput(f"must be a frequency over time, in rad/s^2, Hz/s or rpm/s, got {quantity.text}")
    return to_si(quantity.number, quantity.unit)


def read_angle(quantity: Quantity) -> float:
    """A phase in rad, from rad or deg."""
    if quantity.unit and parse_unit(quantity.unit).exponents != (0.0, 0.0, 0.0, 1.0):
        raise InvalidInput(f"must be an angle in rad or deg, got {quantity.text}")
    return to_si(quantity.number, quantity.unit)


def allowed_scale_pairs(
    pairs: frozenset[tuple[str, str]], key: str, quantity: Quantity | None
) -> frozenset[tuple[str, str]]:
    """Of the pairs (kind of the law, kind of the connection) those that a factor of ``scaled:`` allows by its unit."""
    if quantity is None or not quantity.unit:
        return pairs
    unit = parse_unit(quantity.unit)
    if key == "deflection":  # the law's deflection over that of the connection
        ratios = {pair: _ratio(DEFLECTION_EXPONENTS[pair[0]], DEFLECTION_EXPONENTS[pair[1]]) for pair in pairs}
        wanted = "1/m for a law of stress and strain (1 over the thickness), or a plain number"
    else:
        ratios = {pair: _ratio(FORCE_EXPONENTS[pair[1]], FORCE_EXPONENTS[pair[0]]) for pair in pairs}
        wanted = "m^2 for a law of stress and strain (the area), or a plain number"
    left = frozenset(pair for pair, ratio in ratios.items() if _same_exponents(unit.exponents, ratio))
    if not left:
        raise InvalidInput(f"must be in {wanted}, got {quantity.text}")
    return left


def describe_units(dimension: Dimension, kinds: Iterable[str] = ALL_KINDS) -> str:
    """``N/m, N m/rad or Pa``."""
    names = []
    for kind in ALL_KINDS:
        if kind in kinds:
            name = _SPELT.get((dimension, kind)) or unit_name(dimension, kind)
            name = "no unit" if name == "1" else name
            if name not in names:
                names.append(name)
    return " or ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _checked_unit(name: str, quantity: Quantity, dimension: Dimension, left: Iterable[str]) -> Unit:
    try:
        return parse_unit(quantity.unit)
    except InvalidInput as error:
        raise InvalidInput(f"{error}; {name} is {_describe_units_in(dimension, left)}") from None


def _describe_units_in(dimension: Dimension, kinds: Iterable[str]) -> str:
    units = describe_units(dimension, kinds)
    return "a plain number without unit" if units == "no unit" else f"in units like {units}"


def kinds_text(kinds: frozenset[str]) -> str:
    """``translation or rotation``."""
    return " or ".join(kind for kind in ALL_KINDS if kind in kinds)


def _ratio(a: Exponents, b: Exponents) -> Exponents:
    return a[0] - b[0], a[1] - b[1], a[2] - b[2], a[3] - b[3]


def _same_exponents(unit: Exponents, wanted: Exponents) -> bool:
    """Equal in length, mass and time; the angle equal or left out."""
    plain = all(abs(a - b) < _EXPONENT_TOLERANCE for a, b in zip(unit[:3], wanted[:3], strict=True))
    return plain and (abs(unit[3] - wanted[3]) < _EXPONENT_TOLERANCE or abs(unit[3]) < _EXPONENT_TOLERANCE)
