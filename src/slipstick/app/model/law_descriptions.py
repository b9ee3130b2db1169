"""Numbers, functions of time and laws of a model file as text, in the units of the file.

Numbers without a unit are in SI; their unit is shown if the kind of motion is known.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from slipstick.laws.base import Law
    from slipstick.units.dimensions import Dimension

_SUPERSCRIPTS = {"^2": "²", "^3": "³"}
STRESS_KIND = "stress"


class LawDescription(NamedTuple):
    """A law: its name, and names and values of its parameters."""

    name: str
    numbers: tuple[tuple[str, str], ...]


def law_name_text(name: str, given: Collection[str]) -> str:
    """The title of a law from its name in files: modified-dahl is "Modified Dahl".   given : its parameters."""
    from slipstick.laws import law_class

    words = law_class(name).words
    title = words.title_of(given) if words else name.replace("-", " ")
    return f"{title[0].upper()}{title[1:]}"


def unit_text(unit: str) -> str:
    """kg m^2 as kg m²; fitted powers such as 1/mm^1.4004411854457945 are shortened."""
    short = re.sub(r"\^(\d+\.\d+)", lambda found: f"^{float(found[1]):.4g}", unit)
    return re.sub(r"\^[23](?![\d.])", lambda found: _SUPERSCRIPTS[found[0]], short)


def quantity_text(value: Any, unit: str = "") -> str:
    """A number of a file to six digits; other values unchanged.   unit : if the file has none."""
    from slipstick.errors import InvalidInput
    from slipstick.model.files.quantities import read_quantity

    try:
        found = read_quantity(value)
    except InvalidInput:  # a word, such as that of a choice
        return {"true": "yes", "false": "no"}.get(str(value).lower(), str(value))
    return f"{float(found.number):.6g} {unit_text(found.unit or unit)}".rstrip()


def si_unit_of(dimension: Dimension, kind: str | None) -> str:
    """The SI unit of a number without one; empty for an unknown kind of motion."""
    from slipstick.units.dimensions import unit_name

    if kind is None:
        return ""
    name = unit_name(dimension, kind)
    return "" if name == "1" else name


def describe_law(
    term: Mapping[str, Any], law: Law | None, kind: str | None, around: Mapping[str, Any]
) -> LawDescription:
    """A law of a file.   term : its keys.   law : for units with its own exponents.   kind : of its deflection.

    around : scaling and modulation of the sum that contains it.
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
        if spec.kind == "laws":
            numbers += [_describe_part(i, part, kind) for i, part in enumerate(value, start=1)]
            continue
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


def _describe_part(number: int, part: Mapping[str, Any], kind: str | None) -> tuple[str, str]:
    """A part of a series, as a row: its law with all its numbers."""
    each = [describe_law(own, None, kind, part if "sum" in part else {}) for own in part.get("sum", [part])]
    words = (f"{own.name}: {', '.join(f'{name} {text}' for name, text in own.numbers)}" for own in each)
    return f"part {number}", " + ".join(words)


def _scaled_kind(scaled: Sequence[Mapping[str, Any]]) -> str | None:
    """The kind of a scaled law: stress if lengths become strains, else unknown."""
    from slipstick.model.files.quantities import read_quantity
    from slipstick.units.parser import parse_unit

    units = [read_quantity(own["deflection"]).unit for own in scaled if "deflection" in own]
    return STRESS_KIND if sum(parse_unit(unit).exponents[0] for unit in units if unit) == -1.0 else None


def _value_text(value: Any, unit: str) -> str:
    return describe_function(value, unit) if isinstance(value, Mapping) else quantity_text(value, unit)


def describe_function(node: Mapping[str, Any], unit: str = "") -> str:
    """A function of time as text.   unit : SI unit of its values."""
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
    """Terms without zero constants, at least one."""
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
    """The frequency of a function of time."""
    if "frequency" in node:
        return f"at {quantity_text(node['frequency'], 'rad/s')}"
    times = quantity_text(node.get("order", "1"))
    return "at the base frequency" if times == "1" else f"at {times} times the base frequency"
