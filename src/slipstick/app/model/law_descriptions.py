"""Numbers, functions of time and laws of a model file in words, with the units that stand in it.

What has no unit there is in SI, and is told so as far as it is known whether it slides or turns.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from slipstick.laws.base import Law
    from slipstick.units.dimensions import Dimension

_LAW_NAMES = {
    "bouc-wen": "Bouc-Wen",
    "bliman-sorine": "Bliman-Sorine",
    "lugre": "LuGre",
    "linear": "linear spring and damper",
    "contact": "contact on one side",
    "two-stage": "spring of two stages",
    "sqrt-stage": "spring of two stages, corners rounded by square roots",
    "tanh-stage": "spring of two stages, corners rounded by tanh",
    "sqrt-friction": "dry friction, rounded by square roots",
    "tanh-friction": "dry friction, rounded by tanh",
}
# what a law is called that lacks one of its numbers
_NAMES_WITHOUT_PARAMETER = {
    ("linear", "damping"): (" and damper", ""),
    ("linear", "stiffness"): ("linear spring and damper", "viscous damper"),
    ("sqrt-stage", "inner_ratio"): ("spring of two stages", "freeplay"),
    ("tanh-stage", "inner_ratio"): ("spring of two stages", "freeplay"),
}
_PROPER_NAMES = ("dahl", "duhem", "iwan", "jenkins", "masing")
_SUPERSCRIPTS = {"^2": "²", "^3": "³"}
STRESS_KIND = "stress"


class LawDescription(NamedTuple):
    """A law: its name, and its numbers, each with what it is called."""

    name: str
    numbers: tuple[tuple[str, str], ...]


def law_name_text(name: str, has: Collection[str]) -> str:
    """The name of a law, as files have it, in words: modified-dahl is "modified Dahl".   has : which of its numbers."""
    plain = _LAW_NAMES.get(name) or " ".join(w.capitalize() if w in _PROPER_NAMES else w for w in name.split("-"))
    for (law, lacking), (whole, less) in _NAMES_WITHOUT_PARAMETER.items():
        if law == name and lacking not in has:
            plain = plain.replace(whole, less)
    return f"{plain[0].upper()}{plain[1:]}"


def unit_text(unit: str) -> str:
    """kg m^2 as kg m²; a power that was fitted, 1/mm^1.4004411854457945, is shortened."""
    short = re.sub(r"\^(\d+\.\d+)", lambda found: f"^{float(found[1]):.4g}", unit)
    return re.sub(r"\^[23](?![\d.])", lambda found: _SUPERSCRIPTS[found[0]], short)


def quantity_text(value: Any, unit: str = "") -> str:
    """A number as the file has it, to six digits; what is no number as it stands.   unit : where it has none."""
    from slipstick.errors import InvalidInput
    from slipstick.model.files.quantities import read_quantity

    try:
        found = read_quantity(value)
    except InvalidInput:  # a word, such as that of a choice
        return {"true": "yes", "false": "no"}.get(str(value).lower(), str(value))
    return f"{float(found.number):.6g} {unit_text(found.unit or unit)}".rstrip()


def si_unit_of(dimension: Dimension, kind: str | None) -> str:
    """Of a number that has none in the file; nothing where the kind of motion is not known."""
    from slipstick.units.dimensions import INERTIA, unit_name

    if kind is None:
        return ""
    if dimension == INERTIA:
        return "kg m^2" if kind == "rotation" else "kg"
    name = unit_name(dimension, kind)
    return "" if name == "1" else name


def describe_law(
    term: Mapping[str, Any], law: Law | None, kind: str | None, around: Mapping[str, Any]
) -> LawDescription:
    """A law of a file.   term : its keys.   law : itself, for units with its own powers.   kind : of its deflection.

    around : how the sum that it stands in is scaled and modulated, beside its own.
    """
    from slipstick.laws import law_class, law_name
    from slipstick.laws.parameters import spec_of

    cls = law_class(term["law"])
    scaled, modulated = ([own[key] for own in (term, around) if key in own] for key in ("scaled", "modulated"))
    inner = _scaled_kind(scaled) if scaled else kind
    numbers = []
    for own in fields(cls):
        if own.name not in term:
            continue
        spec, value = spec_of(own), term[own.name]
        many = value if isinstance(value, list) else [value]
        known = law is not None or not callable(spec.dimension)
        units = [si_unit_of(spec.dimension_of(law, i), inner) if known else "" for i in range(len(many))]
        words = ", ".join(_value_text(one, unit) for one, unit in zip(many, units, strict=True))
        numbers.append((own.name.replace("_", " "), words))
    for key in ("deflection", "force"):
        if factors := [quantity_text(own[key]) for own in scaled if key in own]:
            numbers.append((f"{key} times", " times ".join(factors)))
    if functions := [each for own in modulated for each in (own if isinstance(own, list) else [own])]:
        numbers.append(("all times", " times ".join(map(describe_function, functions))))
    return LawDescription(law_name_text(law_name(cls) or cls.__name__, term), tuple(numbers))


def _scaled_kind(scaled: Sequence[Mapping[str, Any]]) -> str | None:
    """What a law is of within all these factors: of stress, where lengths become strains."""
    from slipstick.model.files.quantities import read_quantity
    from slipstick.units.parser import parse_unit

    units = [read_quantity(own["deflection"]).unit for own in scaled if "deflection" in own]
    return STRESS_KIND if sum(parse_unit(unit).exponents[0] for unit in units if unit) == -1.0 else None


def _value_text(value: Any, unit: str) -> str:
    return describe_function(value, unit) if isinstance(value, Mapping) else quantity_text(value, unit)


def describe_function(node: Mapping[str, Any], unit: str = "") -> str:
    """A function of time of a file.   unit : in SI, of its values."""
    found = []
    for key, value in node.items():
        if key == "constant":
            found.append(f"{quantity_text(value, unit)}, constant")
        elif key == "ramp":
            found.append(f"{quantity_text(value, f'{unit}/s' if unit else '')}, times the time")
        elif key in ("cosine", "sine"):
            found.append(_harmonic(key, value, unit))
        elif key == "fourier":
            found.append(_series(value, unit))
        elif key == "signal":
            count = f"of {len(value['times'])} samples" if "times" in value else f"in {value.get('file')}"
            found.append(f"signal {count}")
        elif key == "sum":
            found += [describe_function(each, unit) for each in _nonzero_terms(value)]
        elif key == "cut_at_zero" and str(value).lower() == "true":
            found[-1:] = [f"{found[-1]}, never below 0"] if found else []
    return "; ".join(found)


def _nonzero_terms(terms: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
    """Without constants that are zero, unless nothing else is there."""
    return [own for own in terms if "constant" not in own or float(quantity_text(own["constant"]).split()[0])] or terms[
        :1
    ]


def _harmonic(key: str, node: Mapping[str, Any], unit: str) -> str:
    phase = f", phase {quantity_text(node['phase'], 'rad')}" if "phase" in node else ""
    return f"{key} of {quantity_text(node['amplitude'], unit)} {_frequency_text(node)}{phase}"


def _series(node: Mapping[str, Any], unit: str) -> str:
    mean = [f"mean {quantity_text(node['mean'], unit)}"] if "mean" in node else []
    rows = [("cosines", node.get("cos")), ("sines", node.get("sin"))]
    each = [f"{word} of {_list_text(values, unit)}" for word, values in rows if values]
    return f"{', '.join([*mean, *each])}, at multiples 1, 2 ... of {_frequency_text(node).removeprefix('at ')}"


def _list_text(values: Sequence[Any], unit: str) -> str:
    return ", ".join(quantity_text(value, unit) for value in values)


def _frequency_text(node: Mapping[str, Any]) -> str:
    """At which frequency."""
    if "frequency" in node:
        return f"at {quantity_text(node['frequency'], 'rad/s')}"
    times = quantity_text(node.get("order", "1"))
    return "at the base frequency" if times == "1" else f"at {times} times the base frequency"
