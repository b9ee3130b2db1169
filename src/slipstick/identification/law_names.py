"""Laws by their names, "masing", "linear+dahl", "series(freeplay, masing)" or "asymmetric(masing)", with start values.

A sum has at most one spring. The spring starts from a line through the loops. The other terms start from shares of the
branches without this line, with each term in turn as the largest. `slipstick.laws.series_start` starts a series,
`slipstick.laws.asymmetric_start` a law with a different force in each direction.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import Field, fields, replace
from functools import reduce
from itertools import product
from operator import add
from typing import Any, NamedTuple

from slipstick.errors import InvalidInput
from slipstick.identification import tolerances as tol
from slipstick.identification.preparing.loop_geometry import LoopGeometry
from slipstick.identification.preparing.prepared_loop import PreparedLoop
from slipstick.identification.preparing.value_groups import groups_within_factor
from slipstick.identification.search.start_values import loop_view, start_laws_from, with_force_share
from slipstick.laws import LAWS, law_class
from slipstick.laws.asymmetric_start import asymmetric_law_name, asymmetric_start_values, refuse_without_senses
from slipstick.laws.base import Law
from slipstick.laws.identification_traits import LoopView
from slipstick.laws.parameters import spec_of
from slipstick.laws.series_start import series_part_names, series_start_values
from slipstick.name_hints import did_you_mean
from slipstick.units.dimensions import Dimension

# default laws of `rank`: a corner, a corner with a parallel spring, and smooth bends of four kinds
DEFAULT_LAWS = ("jenkins", "masing", "linear+dahl", "linear+dynamic-hysteresis", "modified-dahl", "bouc-wen")
MULTI_ELEMENT_LAW = "iwan"  # two parameters an element: added if there are enough samples
MULTI_ELEMENT_MIN_SAMPLES = 180  # of all loops, twenty a parameter
AMPLITUDE_DEPENDENT_LAW = "fibre-shear"  # added for stresses, or for several amplitudes
AMPLITUDE_DEPENDENT_MIN_AMPLITUDES = 3
MAX_ELEMENTS = 30
ELEMENT_COUNT_SIGN = ":"  # iwan:7 has seven elements
MAX_PARALLEL_TERMS = 3  # of a sum, beside its spring
LARGEST_TERM_SHARE = 0.75  # of the force, in start values of a sum of several laws
STARTS_PER_TERM = 3  # of each such law


def default_laws_for(loops: Sequence[PreparedLoop]) -> tuple[str, ...]:
    """Names of the default laws of `rank`, and of further laws that these loops can determine."""
    amplitudes = groups_within_factor([r.geometry.amplitude for r in loops], 1.0 + tol.SAME_AMPLITUDE_REL)
    several = loops[0].loop.system == "stress" or len(amplitudes) >= AMPLITUDE_DEPENDENT_MIN_AMPLITUDES
    enough = sum(len(r.loop) for r in loops) >= MULTI_ELEMENT_MIN_SAMPLES
    return DEFAULT_LAWS + (MULTI_ELEMENT_LAW,) * enough + (AMPLITUDE_DEPENDENT_LAW,) * several


def start_laws_by_name(name: str, loops: Sequence[LoopGeometry]) -> list[Law]:
    """Laws with start values for a name.   loops : by ascending amplitude."""
    terms = _sum_terms(name)
    if len(terms) == 1:
        return _term_starts(terms[0], loop_view(loops))
    elastic = terms[0].kinds[0]
    if not elastic.identification.is_spring:
        return list(_shared_starts(terms, loop_view(loops)))
    return [
        spring + others
        for spring in elastic.spring_start_values(loop_view(loops[-1:]))
        for others in _shared_starts(terms[1:], loop_view([own.without(spring.trace) for own in loops]))
    ]


def law_classes_of(name: str) -> tuple[type[Law], ...]:
    """The law classes of a name: one, those of all terms of a sum with the spring first, or the parts of a series."""
    return tuple(kind for term in _sum_terms(name) for kind in term.kinds)


class _Term(NamedTuple):
    """A term of a sum.   name : as written.   kinds : its class, or those of the parts of a series."""

    name: str
    kinds: tuple[type[Law], ...]


def _sum_terms(name: str) -> list[_Term]:
    """Terms of a sum, with the spring first."""
    terms = []
    for part in re.split(r"\+(?![^()]*\))", name):
        single = asymmetric_law_name(part)
        kinds = tuple(_law_class(each) for each in series_part_names(part) or (single or part.strip(),))
        if single:
            refuse_without_senses(kinds[0], single)
        terms.append(_Term(part.strip(), kinds))
    springs = [term for term in terms if len(term.kinds) == 1 and term.kinds[0].identification.is_spring]
    others = [term for term in terms if term not in springs]
    if len(terms) > 1 and (len(springs) > 1 or not others or len(others) > MAX_PARALLEL_TERMS):
        words = f"{name}: a sum has at most one spring (linear or polynomial) and 1 to {MAX_PARALLEL_TERMS} other laws"
        raise InvalidInput(f"{words}; in Python, any sum of laws with values can start a fit").about("law")
    return springs + others


def _term_starts(term: _Term, view: LoopView) -> list[Law]:
    """Laws with start values for one term."""
    if series_part_names(term.name):
        return list(series_start_values(term.kinds, view))
    if asymmetric_law_name(term.name):
        return list(asymmetric_start_values(term.kinds[0], view))
    return start_laws_from(term.kinds[0], replace(view, elements=_element_count(term.name)))


def _shared_starts(terms: Sequence[_Term], view: LoopView) -> Iterator[Law]:
    """Sums of laws with start values, with most of the force in each term in turn."""
    if len(terms) == 1:
        yield from _term_starts(terms[0], view)
        return
    small = (1.0 - LARGEST_TERM_SHARE) / (len(terms) - 1)
    for largest in range(len(terms)):
        shares = (LARGEST_TERM_SHARE if k == largest else small for k in range(len(terms)))
        starts = [_term_starts(term, with_force_share(view, share)) for term, share in zip(terms, shares, strict=True)]
        for chosen in product(*(own[:STARTS_PER_TERM] for own in starts)):
            yield reduce(add, chosen)


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
    """Parameters that match a name: "limit", "upper.0", "1.limit" of the second term of a sum."""
    first, _, rest = name.partition(".")
    if first.isdigit():
        return _matching_parameters(kinds[int(first) : int(first) + 1], rest)
    return [item for kind in kinds for item in fields(kind) if item.name == first]


def _element_count(name: str) -> int | None:
    """Number of elements in a name such as iwan:7; None without one."""
    _, sign, count = name.partition(ELEMENT_COUNT_SIGN)
    if not sign:
        return None
    if not count.strip().isdigit() or not 1 <= int(count) <= MAX_ELEMENTS:
        raise InvalidInput(f"{name}: elements are counted from 1 to {MAX_ELEMENTS}, such as iwan:7").about("law")
    return int(count)


def _law_class(name: str) -> type[Law]:
    if re.search(r"\.py\b", name):
        own = name.rpartition(ELEMENT_COUNT_SIGN)[2] if ELEMENT_COUNT_SIGN in name else "MyLaw"
        raise InvalidInput(
            f"{name}: a law of your own is fitted in Python, from values to start with: "
            f'ss.identify(ss.Loop.read("loop.csv"), {own}(stiffness=..., limit=...))'
        ).about("law")
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
            f"{name} has no start values; use one of {', '.join(sorted(identified_law_names()))}, or in Python a law "
            f"with values: ss.identify(loop, law)"
        ).about("law")
    return kind


def identified_law_names() -> list[str]:
    """Names, as in files, of all laws that have start values."""
    return [name for name in LAWS if law_class(name).has_start_values()]
