"""Values in a study: a range of two; or one value, a list, {from: 10 Hz, to: 40 Hz, count: 61}."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from slipstick.errors import InvalidInput
from slipstick.model.files.file_problems import LocatedProblem, Path, describe_value
from slipstick.model.files.quantities import Quantity, read_quantity
from slipstick.study.study_kind import read_integer
from slipstick.units.parser import to_si
from slipstick.units.scales import Scale

MAX_VALUES = 100_000  # values of a list


class ValueSpec(NamedTuple):
    """A kind of value.

    one, many : in words.   examples : two texts.   read : one, in SI.
    ratio : values between two ends have equal ratios; else equal distances.
    """

    one: str
    many: str
    examples: tuple[str, str]
    read: Callable[[Quantity], float]
    ratio: bool = False


def read_between(value: Any, place: Path, of: ValueSpec) -> tuple[float, float]:
    """Two values in SI: [10 Hz, 40 Hz], or {from: 10 Hz, to: 40 Hz}; ``place`` is their path."""
    if isinstance(value, dict):
        given = _range(value, place, of, ("from", "to"))
        first, second = given["from"], given["to"]
    elif isinstance(value, list) and len(value) == 2:
        first, second = _read_each(value, place, of)
    else:
        example = ", ".join(of.examples)
        raise InvalidInput(f"must be two {of.many}, such as [{example}], got {describe_value(value)}")
    if first == second:
        raise InvalidInput(f"must be two different {of.many}")
    return first, second


def read_list(value: Any, place: Path, of: ValueSpec) -> list[float]:
    """Values in SI: one, a list, or {from, to, count} with both ends."""
    if isinstance(value, dict):
        given = _range(value, place, of, ("from", "to", "count"))
        spaced = np.geomspace if of.ratio else np.linspace
        return [float(x) for x in spaced(given["from"], given["to"], given["count"])]
    return _read_each(value, place, of) if isinstance(value, list) else [of.read(read_quantity(value))]


def _read_each(values: list[Any], place: Path, of: ValueSpec) -> list[float]:
    if not values:
        raise InvalidInput(f"is an empty list; give at least one {of.one}, such as [{of.examples[0]}]")
    if len(values) > MAX_VALUES:
        raise InvalidInput(f"has {len(values)} {of.many}; at most {MAX_VALUES} are taken")
    return [_read_value(value, (*place, i), of.read) for i, value in enumerate(values)]


def _read_value(value: Any, place: Path, read: Callable[[Quantity], Any]) -> Any:
    """One value; errors carry its path."""
    try:
        return read(read_quantity(value))
    except InvalidInput as error:
        raise LocatedProblem(place, error.message) from None


def _range(given: dict[Any, Any], place: Path, of: ValueSpec, keys: tuple[str, ...]) -> dict[str, Any]:
    example = "{" + ", ".join(f"{key}: {value}" for key, value in zip(keys, (*of.examples, "61"))) + "}"
    for key in given:
        if key not in keys:
            raise LocatedProblem((*place, key), f"unknown key; write {example}")
    for key in keys:
        if key not in given:
            raise InvalidInput(f"{key} is missing; write {example}")
    found: dict[str, Any] = {key: _read_value(given[key], (*place, key), of.read) for key in ("from", "to")}
    if "count" in keys:
        count = _read_value(given["count"], (*place, "count"), read_integer)
        if not 2 <= count <= MAX_VALUES:
            raise LocatedProblem((*place, "count"), f"must be a whole number from 2 to {MAX_VALUES}, got {count}")
        found["count"] = count
    return found


def written_scale(written: Any, otherwise: Scale) -> Scale:
    """How values that could be read are shown: in the unit that they are written in; without one, otherwise."""
    unit = next((quantity.unit for quantity in quantities(written) if quantity.unit), "")
    return Scale(unit, 1.0 / to_si(Fraction(1), unit)) if unit else otherwise


def quantities(written: Any) -> Iterator[Quantity]:
    """The quantities in a part of a document, as far as they can be read."""
    if isinstance(written, (dict, list)):
        for each in written.values() if isinstance(written, dict) else written:
            yield from quantities(each)
        return
    with suppress(InvalidInput):
        yield read_quantity(written)
