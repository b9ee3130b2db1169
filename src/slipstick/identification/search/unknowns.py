"""The parameters of a law as a vector, with names, bounds and units.

Parameters have the names used everywhere in the package: "limit", "upper.0" for the first of a list, and in a sum
"1.limit", or plain "limit" where only one term has it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slipstick.errors import InvalidInput, did_you_mean, short_repr
from slipstick.laws.base import Law, Leaf
from slipstick.laws.composite import Combination
from slipstick.laws.envelopes import Envelope
from slipstick.laws.generalised_dahl import GeneralisedDahl
from slipstick.laws.parameters import Dimension, Spec, spec_of, unit_name

Array = NDArray[np.float64]

SAME_NUMBER_REL = 1e-9  # of a number: an envelope has that of its law
# times that of the start: beyond, a bend is a corner or none, and a law that is integrated goes on for ever
RATE_RANGE = 1e3
EXPONENT_RANGE = (0.05, 20.0)  # beyond, a law is a straight line or a corner, and no data tell which


@dataclass(frozen=True)
class Unknown:
    """One number of a law.

    term : of a sum it belongs to; 0 for a single law.   field, index : its parameter, and its place in a list or None.
    name : as users call it.   low, high : its bounds in a search.   positive : not zero, so its logarithm is fitted.
    own : the bounds that its law has for it, which are all that a number has to keep to that is not sought.
    """

    term: int
    field: str
    index: int | None
    name: str
    value: float
    unit: str
    dimension: Dimension
    low: float = -math.inf
    high: float = math.inf
    positive: bool = False
    own: tuple[float, float] = (-math.inf, math.inf)

    @property
    def is_exponent(self) -> bool:
        """True if units of other numbers may depend on it."""
        return self.field == "exponent"

    @property
    def plain_name(self) -> str:
        """Without the number of its term."""
        return self.name.removeprefix(f"{self.term}.")

    def held(self, value: float) -> float:
        """The value nearest to one that is allowed."""
        return min(max(value, self.low), self.high)


@dataclass(frozen=True)
class Unknowns:
    """All numbers of a law, in order; `law(values)` makes the law of others."""

    template: Law
    each: tuple[Unknown, ...]
    system: str = "translation"

    @classmethod
    def of(cls, template: Law, system: str = "translation") -> Unknowns:
        """Of a law whose values are the start of a search."""
        terms = terms_of(template)
        found = [u for k, term in enumerate(terms) for u in _unknowns_of_term(term, k, system)]
        if not found:
            raise InvalidInput(f"identify: {short_repr(template)} has no numbers to find").about("law")
        if len(terms) > 1:
            count = {u.name: sum(v.name == u.name for v in found) for u in found}
            found = [u if count[u.name] == 1 else replace(u, name=f"{u.term}.{u.name}") for u in found]
        return cls(template, tuple(found), system)

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(u.name for u in self.each)

    @property
    def values(self) -> Array:
        return np.array([u.value for u in self.each])

    def place(self, name: str, argument: str) -> int:
        """Where a number is; a refusal for one that is not there."""
        if name in self.names:
            return self.names.index(name)
        among = [i for i, u in enumerate(self.each) if f"{u.term}.{u.name}" == name]
        if among:
            return among[0]
        law = " + ".join(type(term.law).__name__ for term in terms_of(self.template))
        which = f"which {law} does not have{did_you_mean(name, self.names)}"
        raise constraint_error(argument, f'names "{name}", {which}')

    def law(self, values: Sequence[float] | Array) -> Law:
        """The template with other values."""
        terms = list(terms_of(self.template))
        for k, term in enumerate(terms):
            new: dict[str, Any] = {}
            for unknown, value in zip(self.each, values, strict=True):
                if unknown.term != k:
                    continue
                if unknown.index is None:
                    new[unknown.field] = float(value)
                else:
                    held = new.get(unknown.field, getattr(term.law, unknown.field))
                    new[unknown.field] = _replace_number(held, unknown.index, float(value))
            terms[k] = term._replace(law=_tie_envelope_to_law(replace(term.law, **new), term.law)) if new else term
        if isinstance(self.template, Combination):
            return Combination(terms=tuple(terms))
        return terms[0].law

    def bounded(self, bounds: Mapping[str, Sequence[float]]) -> Unknowns:
        """With narrower bounds; a start outside is led to the nearest one."""
        each = list(self.each)
        for name, pair in bounds.items():
            i = self.place(name, "bounds")
            low, high = _checked_pair(name, pair)
            low, high = max(low, each[i].low), min(high, each[i].high)
            if not low < high:
                within = f"[{each[i].low:g}, {each[i].high:g}]"
                words = f'of "{name}" must be (low, high) with low < high within {within}, got {short_repr(pair)}'
                raise constraint_error("bounds", words)
            each[i] = replace(each[i], low=low, high=high, value=min(max(each[i].value, low), high))
        return replace(self, each=tuple(each))

    def holding(self, held: Mapping[int, float]) -> Unknowns:
        """With some numbers that stay as they are, by their places; a refusal for one that the law cannot have."""
        each = list(self.each)
        for i, value in held.items():
            low, high = each[i].own
            if not low <= value <= high or (each[i].positive and value <= 0.0):
                bound = "> 0" if each[i].positive and value <= 0.0 else f">= {low:g}" if value < low else f"<= {high:g}"
                raise constraint_error("fixed", f'of "{each[i].name}" must be {bound}, got {value:g}')
            each[i] = replace(each[i], value=value, low=value, high=value)
        return replace(self, each=tuple(each))

    def ordered(self, values: Array) -> Array:
        """With numbers raised that must not be smaller than another of their law, such as a static friction."""
        for own, least in self._pairs:
            values[own] = max(values[own], values[least])
        return values

    @cached_property
    def _pairs(self) -> list[tuple[int, int]]:
        """Places of such numbers, and of the ones they must not be below."""
        from slipstick.identification.law_traits import traits_of

        terms = terms_of(self.template)
        place = {(u.term, u.field): i for i, u in enumerate(self.each)}
        pairs = []
        for (term, name), i in place.items():
            least = traits_of(type(terms[term].law)).not_below.get(name)
            if least is not None and self.each[i].low < self.each[i].high:  # what is held stays
                pairs.append((i, place[term, least]))
        return pairs

    def at(self, values: Sequence[float] | Array) -> Unknowns:
        """With other start values, each held within its bounds."""
        each = tuple(replace(u, value=u.held(float(v))) for u, v in zip(self.each, values, strict=True))
        return replace(self, each=each)


def constraint_error(argument: str, words: str) -> InvalidInput:
    """The error of a constraint that cannot be met; words : what follows its name."""
    return InvalidInput(words, owner="identify", subject=argument)


def terms_of(law: Law) -> tuple[Leaf, ...]:
    """What a law is a sum of: itself, where it is none."""
    return law.terms if isinstance(law, Combination) else (Leaf(law),)


def _unknowns_of_term(term: Leaf, k: int, system: str) -> list[Unknown]:
    """The numbers of one term; choices, flags, functions and periodic limits stay as they are."""
    found = []
    for f in fields(term.law):
        spec, value = spec_of(f), getattr(term.law, f.name)
        if spec.kind in ("numbers", "pair") and value:
            found += [
                _make_unknown(term, k, spec, f.name, i, f"{f.name}.{i}", number, system)
                for i, number in enumerate(value)
            ]
        elif spec.kind in ("number", "number-or-periodic") and isinstance(value, float):
            found.append(_make_unknown(term, k, spec, f.name, None, f.name, value, system))
        elif isinstance(value, Envelope):
            for i, (name, number) in enumerate(zip(value.names, value.values, strict=True)):
                own, place = value.shape.spec(i)
                if name not in parameter_names_of(term.law):
                    found.append(_make_unknown(term, k, own, f.name, i, name, number, system, place))
    return found


def parameter_names_of(law: Law | type[Law]) -> set[str]:
    """Of the parameters of a law; an envelope with a number of such a name has that of the law."""
    return {f.name for f in fields(law)}


def _replace_number(held: Any, index: int, value: float) -> Any:
    """A list or an envelope with another number at a place."""
    if isinstance(held, Envelope):
        return held.with_values({index: value})
    return (*held[:index], value, *held[index + 1 :])


def _tie_envelope_to_law(law: Law, template: Law) -> Law:
    """With numbers of an envelope that are the law's own, such as its rate, as the law has them.

    Where a template has two different ones they stay as they are: that is another law.
    """
    for f in fields(law):
        envelope = getattr(law, f.name)
        if not isinstance(envelope, Envelope):
            continue
        both = [(i, name) for i, name in enumerate(envelope.names) if name in parameter_names_of(law)]
        own = {
            i: float(getattr(law, name))
            for i, name in both
            if _nearly_equal(envelope.values[i], getattr(template, name))
        }
        if own:
            law = replace(law, **{f.name: envelope.with_values(own)})
    return law


def _nearly_equal(a: float, b: float) -> bool:
    return abs(a - b) <= SAME_NUMBER_REL * abs(b)


def _make_unknown(
    term: Leaf, k: int, spec: Spec, field: str, index: int | None, name: str, value: float, system: str,
    place: int | None = None,
) -> Unknown:  # fmt: skip
    """place : in the list that its unit depends on; its index by default."""
    dimension = spec.dimension_of(term.law, (index or 0) if place is None else place)
    unit = unit_name(dimension, system)
    low, high = bounds_of_spec(spec)
    found = Unknown(k, field, index, name, value, unit, dimension, low, high, spec.above == 0.0, (low, high))
    if isinstance(term.law, GeneralisedDahl) and name == "rate":
        found = replace(found, low=value / RATE_RANGE, high=value * RATE_RANGE)
    return (
        replace(found, low=max(low, EXPONENT_RANGE[0]), high=min(high, EXPONENT_RANGE[1]))
        if found.is_exponent
        else found
    )


def bounds_of_spec(spec: Spec) -> tuple[float, float]:
    """The bounds of a number, infinite where it has none."""
    low = spec.low if spec.low is not None else (spec.above if spec.above is not None else -math.inf)
    high = spec.high if spec.high is not None else (spec.below if spec.below is not None else math.inf)
    return low, high


def _checked_pair(name: str, pair: Any) -> tuple[float, float]:
    try:
        low, high = (math.inf * s if x is None else float(x) for x, s in zip(pair, (-1.0, 1.0), strict=True))
    except (TypeError, ValueError):
        words = f'of "{name}" must be a pair (low, high), None for no bound, got {short_repr(pair)}'
        raise constraint_error("bounds", words) from None
    return low, high
