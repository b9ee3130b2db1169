"""The parameters of a law as a vector, with names, bounds and units.

Parameters have the names used everywhere in the package: "limit", "upper.0" for the first of a list, and in a sum
"1.limit", or plain "limit" where only one term has it. The parts of a series count as terms.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import InvalidInput, short_repr
from slipstick.identification import tolerances as tol
from slipstick.laws.base import Law, Leaf
from slipstick.laws.composite import elementary_terms, with_elementary_terms
from slipstick.laws.envelopes import Envelope
from slipstick.laws.parameters import Spec, spec_of
from slipstick.name_hints import did_you_mean
from slipstick.units.dimensions import Dimension, unit_name


@dataclass(frozen=True)
class Unknown:
    """One scalar parameter of a law.

    term : index of its term in a sum; 0 for a single law.   field, index : its parameter, and its index in a list.
    name : as users write it.   low, high : bounds of the search.   positive : its logarithm is fitted.
    law_bounds : bounds of the law itself, which hold for fixed values too.
    bounded_by_user : the user gave low or high.
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
    law_bounds: tuple[float, float] = (-math.inf, math.inf)
    bounded_by_user: bool = False

    @property
    def is_exponent(self) -> bool:
        """True if units of other parameters may depend on it."""
        return self.field == "exponent"

    @property
    def plain_name(self) -> str:
        """The name without the index of its term."""
        return self.name.removeprefix(f"{self.term}.")

    def held(self, value: float) -> float:
        """A value clipped to the bounds."""
        return min(max(value, self.low), self.high)


@dataclass(frozen=True)
class Unknowns:
    """All scalar parameters of a law, in order; `law(values)` builds the law of other values."""

    template: Law
    each: tuple[Unknown, ...]
    system: str = "translation"

    @classmethod
    def of(cls, template: Law, system: str = "translation") -> Unknowns:
        """Unknowns of a law, whose values are the start of a search."""
        terms = terms_of(template)
        found = [u for k, term in enumerate(terms) for u in _unknowns_of_term(term, k, system)]
        if not found:
            raise InvalidInput(f"identify: {short_repr(template)} has no parameters to fit").about("law")
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
        """Index of a parameter; an error if the law does not have it."""
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
        return with_elementary_terms(self.template, iter(terms))

    def bounded(self, bounds: Mapping[str, Sequence[float]]) -> Unknowns:
        """A copy with narrower bounds; start values are clipped to them."""
        each = list(self.each)
        for name, pair in bounds.items():
            i = self.place(name, "bounds")
            low, high = _checked_pair(name, pair)
            low, high = max(low, each[i].low), min(high, each[i].high)
            if not low < high:
                within = f"[{each[i].low:g}, {each[i].high:g}]"
                words = f'of "{name}" must be (low, high) with low < high within {within}, got {short_repr(pair)}'
                raise constraint_error("bounds", words)
            value = min(max(each[i].value, low), high)
            each[i] = replace(each[i], low=low, high=high, value=value, bounded_by_user=True)
        return replace(self, each=tuple(each))

    def holding(self, held: Mapping[int, float]) -> Unknowns:
        """A copy with held values, by index; an error for a value that the law does not allow."""
        each = list(self.each)
        for i, value in held.items():
            low, high = each[i].law_bounds
            if not low <= value <= high or (each[i].positive and value <= 0.0):
                bound = "> 0" if each[i].positive and value <= 0.0 else f">= {low:g}" if value < low else f"<= {high:g}"
                raise constraint_error("fixed", f'of "{each[i].name}" must be {bound}, got {value:g}')
            each[i] = replace(each[i], value=value, low=value, high=value)
        return replace(self, each=tuple(each))

    def ordered(self, values: Array) -> Array:
        """Values raised to those that they must not be below, such as static to sliding friction."""
        for larger, smaller in self._pairs:
            values[larger] = max(values[larger], values[smaller])
        return values

    @cached_property
    def _pairs(self) -> list[tuple[int, int]]:
        """Indices of such parameters, and of those that they must not be below."""
        terms = terms_of(self.template)
        place = {(u.term, u.field): i for i, u in enumerate(self.each)}
        pairs = []
        for (term, name), i in place.items():
            least = terms[term].law.identification.not_below.get(name)
            if least is not None and self.each[i].low < self.each[i].high:  # held values stay
                pairs.append((i, place[term, least]))
        return pairs

    def at(self, values: Sequence[float] | Array) -> Unknowns:
        """A copy with other start values, clipped to their bounds."""
        each = tuple(replace(u, value=u.held(float(v))) for u, v in zip(self.each, values, strict=True))
        return replace(self, each=each)


def constraint_error(argument: str, words: str) -> InvalidInput:
    """The error of an argument that cannot be used; words : follow its name."""
    return InvalidInput(words, owner="identify", subject=argument)


def terms_of(law: Law) -> tuple[Leaf, ...]:
    """Terms of a sum and parts of a series, or the law itself as the only term."""
    return elementary_terms(law)


def _unknowns_of_term(term: Leaf, k: int, system: str) -> list[Unknown]:
    """Unknowns of one term, without choices, flags, functions and periodic limits."""
    found: list[Unknown] = []

    def add(spec: Spec, field: str, index: int | None, name: str, value: float, place: int) -> None:
        """place : the index that the unit may depend on."""
        dimension = spec.dimension_of(term.law, place)
        low, high = bounds_of_spec(spec)
        unknown = Unknown(
            k, field, index, name, value, unit_name(dimension, system), dimension, low, high, spec.above == 0.0,
            (low, high),
        )  # fmt: skip
        factor = term.law.identification.search_factor.get(name)
        if factor is not None:
            unknown = replace(unknown, low=value / factor, high=value * factor)
        if unknown.is_exponent:
            unknown = replace(unknown, low=max(low, tol.EXPONENT_RANGE[0]), high=min(high, tol.EXPONENT_RANGE[1]))
        found.append(unknown)

    for f in fields(term.law):
        spec, value = spec_of(f), getattr(term.law, f.name)
        if spec.kind in ("numbers", "pair") and value:
            for i, number in enumerate(value):
                add(spec, f.name, i, f"{f.name}.{i}", number, i)
        elif spec.kind in ("number", "number-or-periodic") and isinstance(value, float):
            add(spec, f.name, None, f.name, value, 0)
        elif isinstance(value, Envelope):
            for i, (name, number) in enumerate(zip(value.names, value.values, strict=True)):
                own_spec, place = value.shape.spec(i)
                if name not in parameter_names_of(term.law):
                    add(own_spec, f.name, i, name, number, place)
    return found


def parameter_names_of(law: Law | type[Law]) -> set[str]:
    """Names of the parameters of a law; an envelope parameter of such a name is that of the law."""
    return {f.name for f in fields(law)}


def _replace_number(held: Any, index: int, value: float) -> Any:
    """A list or an envelope with another value at an index."""
    if isinstance(held, Envelope):
        return held.with_values({index: value})
    return (*held[:index], value, *held[index + 1 :])


def _tie_envelope_to_law(law: Law, template: Law) -> Law:
    """The law with shared parameters of its envelope, such as the rate, set to its own values.

    If the template has two different values, both stay: that is another law.
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
    return abs(a - b) <= tol.ROUNDING_REL * abs(b)


def bounds_of_spec(spec: Spec) -> tuple[float, float]:
    """Bounds of a parameter, infinite if it has none."""
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
