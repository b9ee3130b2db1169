"""Laws by their names, "masing", "linear+dahl" or "series(freeplay, masing)", with start values for each.

A sum is a spring and one parallel law. The spring starts from a line through the loops; the other law starts from the
branches less this line. A series starts by `slipstick.laws.series_start`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import Field, fields
from typing import Any

from slipstick.errors import InvalidInput, did_you_mean
from slipstick.identification import tolerances as tol
from slipstick.identification.preparing.loop_geometry import LoopGeometry
from slipstick.identification.preparing.prepared_loop import PreparedLoop
from slipstick.identification.preparing.value_groups import groups_within_factor
from slipstick.identification.search.start_values import loop_view, start_laws_of
from slipstick.laws import LAWS, law_class
from slipstick.laws.base import Law
from slipstick.laws.parameters import spec_of
from slipstick.laws.series_start import series_part_names, series_start_values
from slipstick.units.dimensions import Dimension

# default laws of `rank`: a corner, a corner with a parallel spring, and smooth bends of four kinds
DEFAULT_LAWS = ("jenkins", "masing", "linear+dahl", "linear+dynamic-hysteresis", "modified-dahl", "bouc-wen")
MULTI_ELEMENT_LAW = "iwan"  # two parameters an element: added if there are enough samples
MULTI_ELEMENT_MIN_SAMPLES = 180  # of all loops, twenty a parameter
AMPLITUDE_DEPENDENT_LAW = "fibre-shear"  # added for stresses, or for several amplitudes
AMPLITUDE_DEPENDENT_MIN_AMPLITUDES = 3
MAX_ELEMENTS = 30
ELEMENT_COUNT_SIGN = ":"  # iwan:7 has seven elements


def default_laws_for(loops: Sequence[PreparedLoop]) -> tuple[str, ...]:
    """Default laws of `rank`, and others that these loops can determine."""
    amplitudes = groups_within_factor([r.geometry.amplitude for r in loops], 1.0 + tol.SAME_AMPLITUDE_REL)
    several = loops[0].loop.system == "stress" or len(amplitudes) >= AMPLITUDE_DEPENDENT_MIN_AMPLITUDES
    enough = sum(len(r.loop) for r in loops) >= MULTI_ELEMENT_MIN_SAMPLES
    return DEFAULT_LAWS + (MULTI_ELEMENT_LAW,) * enough + (AMPLITUDE_DEPENDENT_LAW,) * several


def start_laws_by_name(name: str, loops: Sequence[LoopGeometry]) -> list[Law]:
    """Start laws of a name; loops : by ascending amplitude."""
    kinds = law_classes_of(name)
    if series_part_names(name):
        return list(series_start_values(kinds, loop_view(loops)))
    if ELEMENT_COUNT_SIGN in name and len(kinds) == 1:
        return start_laws_of(kinds[0], loops, _element_count(name))
    return start_laws_of(kinds[0], loops) if len(kinds) == 1 else list(_sum_starts(kinds[0], kinds[1], loops))


def law_classes_of(name: str) -> tuple[type[Law], ...]:
    """The law class of a name, the spring and the other law of a sum, or the parts of a series."""
    if parts := series_part_names(name):
        return tuple(_law_class(part) for part in parts)
    kinds = [_law_class(part.strip()) for part in name.split("+")]
    if len(kinds) == 1:
        return tuple(kinds)
    springs = [kind for kind in kinds if kind.identification.is_spring]
    others = [kind for kind in kinds if not kind.identification.is_spring]
    if len(springs) != 1 or len(others) != 1:
        raise InvalidInput(
            f"{name}: only the sum of a spring (linear or polynomial) and one other law has values to begin with; "
            "in Python any sum of laws with values is its own start"
        ).about("law")
    return springs[0], others[0]


def has_parameter(kinds: Sequence[type[Law]], name: str) -> bool:
    """True if a law, or exactly one term of a sum, has a parameter of this name."""
    return len(_matching_parameters(kinds, name)) == 1


def parameter_dimension(law: str, name: str) -> Dimension | None:
    """Dimension of a parameter; None if the law has no such parameter, or it depends on other values."""
    matching = _matching_parameters(law_classes_of(law), name)
    if not matching or callable(spec_of(matching[0]).dimension):
        return None
    place = name.rpartition(".")[2]
    return spec_of(matching[0]).dimension_of(None, int(place) if place.isdigit() else 0)


def _matching_parameters(kinds: Sequence[type[Law]], name: str) -> list[Field[Any]]:
    """Parameters that a name may mean: "limit", "upper.0", "1.limit" of the second term of a sum."""
    first, _, rest = name.partition(".")
    if first.isdigit():
        return _matching_parameters(kinds[int(first) : int(first) + 1], rest)
    return [item for kind in kinds for item in fields(kind) if item.name == first]


def _element_count(name: str) -> int:
    """Number of elements in a name such as iwan:7."""
    _, _, count = name.partition(ELEMENT_COUNT_SIGN)
    if not count.strip().isdigit() or not 1 <= int(count) <= MAX_ELEMENTS:
        raise InvalidInput(f"{name}: elements are counted from 1 to {MAX_ELEMENTS}, such as iwan:7").about("law")
    return int(count)


def _law_class(name: str) -> type[Law]:
    if ELEMENT_COUNT_SIGN in name:
        first = name.partition(ELEMENT_COUNT_SIGN)[0].strip()
        counting = [own for own in LAWS if law_class(own).identification.counts_elements]
        if first.lower() not in counting:
            only, example = " or ".join(counting), f"{counting[0]}:7"
            raise InvalidInput(f"{name}: only {only} has elements to count, such as {example}").about("law")
        _element_count(name)
        name = first
    try:
        kind = law_class(name)
    except InvalidInput:
        raise InvalidInput(f'unknown law "{name}"{did_you_mean(name, identified_law_names())}').about("law") from None
    if kind.identification.not_by_name:
        raise InvalidInput(f"{name} {kind.identification.not_by_name}").about("law")
    if not kind.has_start_values():
        raise InvalidInput(
            f"{name} has no values to begin with; in Python a law with values is its own start "
            f"(known here: {', '.join(sorted(identified_law_names()))})"
        ).about("law")
    return kind


def identified_law_names() -> list[str]:
    """The names in files of all laws that have start values."""
    return [name for name in LAWS if law_class(name).has_start_values()]


def _sum_starts(spring: type[Law], other: type[Law], loops: Sequence[LoopGeometry]) -> Iterator[Law]:
    """Each spring start with each start of the other law for the remaining force."""
    for elastic in spring.spring_start_values(loop_view(loops[-1:])):
        for beside in start_laws_of(other, [_subtract_spring(elastic, own) for own in loops]):
            yield elastic + beside


def _subtract_spring(elastic: Law, own: LoopGeometry) -> LoopGeometry:
    return own.without(elastic.trace)
