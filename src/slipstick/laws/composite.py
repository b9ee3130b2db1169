"""Laws made of laws: sums, scaled laws, and laws modulated in time.

Every composite is a sum of leaves, each force * q(t) * law(deflection * u). Scaling and modulation
distribute over sums, so any nesting flattens to one list.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from slipstick.errors import InvalidInput, MissingFace, short_repr
from slipstick.laws.base import Law, Leaf
from slipstick.laws.diagram_symbols import DiagramSymbol
from slipstick.laws.faces import Face, Linearised, Piece, Term
from slipstick.periodicity import common_period
from slipstick.results.connection_states import split_states
from slipstick.signals import NUMBER_TYPES, TimeFunction, share_below_zero

MEAN_SAMPLES = 20_000  # of a period, for the mean of a product


class Composite(Law):
    """A law that is a sum of others, its `parts`. Its memory is the tuple of its leaves' memories."""

    compiled = ""  # only its leaves have kernels

    def parts(self) -> tuple[Leaf, ...]:
        """The terms of the sum; they may be sums themselves."""
        raise InvalidInput(f"{type(self).__name__} must define parts")

    def leaves(self) -> tuple[Leaf, ...]:
        return tuple(_nested_leaf(part, leaf) for part in self.parts() for leaf in part.law.leaves())

    @property
    def needs_rate(self) -> bool:  # type: ignore[override]
        return any(leaf.law.needs_rate for leaf in self.leaves())

    @property
    def state_names(self) -> tuple[str, ...]:  # type: ignore[override]
        return tuple(dict.fromkeys(name for leaf in self.leaves() for name in leaf.law.state_names))

    @property
    def is_odd(self) -> bool:  # type: ignore[override]
        return all(leaf.law.is_odd for leaf in self.leaves())

    @property
    def diagram_symbol(self) -> DiagramSymbol:
        leaves = self.leaves()
        return leaves[0].law.diagram_symbol if len(leaves) == 1 else super().diagram_symbol

    @property
    def faces(self) -> frozenset[Face]:
        common = frozenset(Face)
        for leaf in self.leaves():
            common &= leaf.law.faces
            if leaf.modulation:  # with a varying coefficient, pieces and terms are not constant
                common &= {Face.VALUE, Face.RATE} | ({Face.PIECES, Face.RESOLVENT} if is_varying_limit(leaf) else set())
        # pieces of a sum are those of its leaves; the other two faces make no sense for a sum
        return common - {Face.RATE, Face.RESOLVENT} if len(self.leaves()) > 1 else common

    def start(self, u: float = 0.0) -> Any:
        each = (split_memory(part.law, part.law.start(part.deflection * u)) for part in self.parts())
        return tuple(memory for part in each for memory in part)

    def update(
        self, u: float, v: float, memory: Any, t: float = 0.0, frequency: float | None = None
    ) -> tuple[float, Any]:
        total, new = 0.0, []
        for leaf, m in zip(self.leaves(), memory, strict=True):
            f, m = leaf.law.update(leaf.deflection * u, leaf.deflection * v, m)
            total += leaf.force * modulation_factor(leaf, t, frequency) * f
            new.append(m)
        return total, tuple(new)

    def at_time(self, memory: Any, t: float) -> Any:
        if not any(leaf.law.keeps_time for leaf in self.leaves()):
            return memory
        return tuple(leaf.law.at_time(m, t) for leaf, m in zip(self.leaves(), memory, strict=True))

    def stored(self, u: float, memory: Any) -> float | None:
        total = 0.0
        for leaf, m in zip(self.leaves(), split_memory(self, memory), strict=True):
            own = leaf.law.stored(leaf.deflection * u, m)
            if own is None or leaf.modulation:  # a varying factor does work on the stored energy
                return None
            total += leaf.force / leaf.deflection * own
        return total

    def pieces(self) -> tuple[Piece, ...]:
        """The pieces of a single leaf; a sum of several refuses, since methods take those of each leaf."""
        leaves = self.leaves()
        if leaves == (Leaf(leaves[0].law),):
            return leaves[0].law.pieces()
        raise MissingFace(f"{type(self).__name__} is a sum: its pieces are those of each of its leaves()")

    def luz_tar_terms(self) -> tuple[Term, ...]:
        found = []
        for leaf in self.leaves():
            d = leaf.deflection
            for term in leaf.law.luz_tar_terms():
                if term.kind == "spring":  # F k luz(d u, a) = F k d luz(u, a/|d|)
                    found.append(Term("spring", leaf.force * d * term.factor, term.width / abs(d)))
                else:
                    found.append(
                        Term("friction", leaf.force * d * term.factor, leaf.force * math.copysign(1.0, d) * term.width)
                    )
        return tuple(found)

    def linearised(self, state: str | None = None, u: float = 0.0) -> Linearised:
        """Sum over the leaves. ``state`` may name one state for each part that has states: "contact slip".

        A single word applies to all parts that have this state; other parts keep their state at rest.
        """
        stiffness = damping = 0.0
        sticks = False
        for leaf, own in zip(self.leaves(), self._states_of_parts(state), strict=True):
            part = leaf.law.linearised(own, leaf.deflection * u)
            share = leaf.force * leaf.deflection * mean_modulation_factor(leaf)
            stiffness += share * part.stiffness
            damping += share * part.damping
            sticks = sticks or part.sticks
        return Linearised(stiffness, damping, sticks)

    def _states_of_parts(self, state: str | None) -> list[str | None]:
        """The state of each leaf, from the names for the whole law."""
        words, leaves = split_states(state or ""), self.leaves()
        taken = [[w for w in dict.fromkeys(words) if w in leaf.law.state_names] for leaf in leaves]
        ours = [i for i, known in enumerate(taken) if known]
        for word in words:
            if not any(word in known for known in taken):
                raise InvalidInput(f"no part of it has the state {short_repr(word)}", owner=repr(self))
        found: list[str | None] = [known[0] if known else None for known in taken]
        if len(words) == len(ours) and all(word in taken[i] for word, i in zip(words, ours, strict=True)):
            for word, i in zip(words, ours, strict=True):
                found[i] = word
        elif any(len(known) > 1 for known in taken):
            raise InvalidInput(
                f"state {short_repr(state)} names {len(words)} states for {len(ours)} parts; name one for each",
                owner=repr(self),
            )
        return found


class Combination(Composite):
    """The result of ``law_a + law_b``, ``law.scaled`` and ``law.modulated``."""

    terms: tuple[Leaf, ...]

    def __post_init__(self) -> None:
        """No check: each term was checked when it was made."""

    def as_terms(self) -> tuple[Leaf, ...]:
        return self.terms

    def with_terms(self, terms: tuple[Leaf, ...]) -> Law:
        return Combination(terms=terms)

    def parts(self) -> tuple[Leaf, ...]:
        each = ((term, term.law.apart() if term.modulation else (term.law,)) for term in self.terms)
        return tuple(term._replace(law=law) for term, laws in each for law in laws)

    def regularised(self, method: str, **options: float) -> Law:
        """The sum with every law replaced that has a regularised form."""
        has = [type(term.law).regularised is not Law.regularised for term in self.terms]
        if not any(has):
            return super().regularised(method, **options)
        own = (
            term.law.regularised(method, **options) if x else term.law for x, term in zip(has, self.terms, strict=True)
        )
        return Combination(terms=tuple(_nested_leaf(t, Leaf(law)) for t, law in zip(self.terms, own, strict=True)))

    def equation(self) -> Any:
        from slipstick.laws.law_symbols import sum_equation

        return sum_equation(self.terms)

    def units(self, system: str = "translation") -> dict[str, str]:
        named = {}
        for i, term in enumerate(self.terms):
            named.update({f"{i}.{name}": unit for name, unit in term.law.units(system).items()})
        return named

    def __repr__(self) -> str:
        return " + ".join(_words(term) for term in self.terms)


def map_terms(law: Law, change: Callable[[Law], Law]) -> Law:
    """The law with ``change`` applied to the law of each term, in order."""
    return law.with_terms(tuple(term._replace(law=change(term.law)) for term in law.as_terms()))


def elementary_terms(law: Law) -> tuple[Leaf, ...]:
    """The terms of a sum as users wrote them; a series is replaced by the terms of its parts."""
    found: list[Leaf] = []
    for term in law.as_terms():
        parts = [own for part in term.law.series_parts for own in elementary_terms(part)]
        found += parts or [term]
    return tuple(found)


def terms_in_series(law: Law) -> frozenset[int]:
    """The indices of those `elementary_terms` that are in a series."""
    sizes = [(len(elementary_terms(term.law)), bool(term.law.series_parts)) for term in law.as_terms()]
    inside = [own for count, in_series in sizes for own in [in_series] * count]
    return frozenset(i for i, own in enumerate(inside) if own)


def with_elementary_terms(law: Law, terms: Iterator[Leaf]) -> Law:
    """The law with ``terms`` in place of its `elementary_terms`."""
    new = []
    for term in law.as_terms():
        if term.law.series_parts:
            parts = (with_elementary_terms(part, terms) for part in term.law.series_parts)
            new.append(term._replace(law=term.law.with_series_parts(tuple(parts))))
        else:
            new.append(next(terms))
    return law.with_terms(tuple(new))


def split_memory(law: Law, memory: Any) -> tuple[Any, ...]:
    """The memories of the leaves; a sum keeps them as a tuple."""
    leaves = law.leaves()
    if len(leaves) == 1 and leaves[0].law is law:
        return (memory,)
    if not isinstance(memory, tuple) or len(memory) != len(leaves):
        raise InvalidInput(
            f"memory of {short_repr(law)} must be a tuple of {len(leaves)}, "
            f"as start() and update() give it, got {short_repr(memory)}"
        )
    return memory


def scaled(law: Law, deflection: float, force: float) -> Combination:
    """force * law(deflection * u)."""
    for name, value in (("deflection", deflection), ("force", force)):
        if isinstance(value, bool) or not isinstance(value, NUMBER_TYPES) or not math.isfinite(value) or value == 0.0:
            raise InvalidInput(f"{name} must be a finite number other than 0, got {short_repr(value)}", owner="scaled")
    outer = Leaf(law, float(deflection), float(force))
    return Combination(terms=tuple(_nested_leaf(outer, term) for term in law.as_terms()))


def modulated(law: Law, factor: TimeFunction) -> Combination:
    """law * factor(t)."""
    if not isinstance(factor, TimeFunction):
        raise InvalidInput(f"modulated needs a function of time (Fourier, Cosine, Signal), got {short_repr(factor)}")
    outer = Leaf(law, modulation=((factor, False),))
    return Combination(terms=tuple(_nested_leaf(outer, term) for term in law.as_terms()))


def modulation_factor(leaf: Leaf, t: float, frequency: float | None) -> float:
    """The product of the leaf's modulations at time t."""
    q = 1.0
    for function, cut in leaf.modulation:
        value = function.at(t, frequency)
        q *= max(value, 0.0) if cut else value
    return q


def mean_modulation_factor(leaf: Leaf) -> float:
    """The mean over time of the product of the leaf's modulations, for a linearised model."""
    for function, _ in leaf.modulation:
        if not function.is_periodic:
            raise InvalidInput(
                f"{function!r} has no mean over time, which a linearised model needs",
                advice=["replace it by its value at the instant of interest"],
            )
    if len(leaf.modulation) <= 1 and not any(cut for _, cut in leaf.modulation):
        return math.prod(function.parts().constant for function, _ in leaf.modulation)
    # any base frequency gives the same mean. Equidistant samples are exact for functions that are not cut off
    frequencies = [h[0] for function, _ in leaf.modulation for h in function.harmonics_at(1.0)]
    period = common_period(frequencies)
    times = np.linspace(0.0, period, MEAN_SAMPLES, endpoint=False)
    product = np.ones(MEAN_SAMPLES)
    for function, cut in leaf.modulation:
        values = function.at(times, 1.0)
        product *= np.maximum(values, 0.0) if cut else values
    return float(product.mean())


def is_varying_limit(leaf: Leaf) -> bool:
    """True for dry friction with a varying limit that is never negative: still piecewise linear."""
    is_set_valued = Face.VALUE not in leaf.law.faces
    return is_set_valued and all(cut or is_never_negative(function) for function, cut in leaf.modulation)


def is_never_negative(function: TimeFunction) -> bool:
    """True for a function that is >= 0 at all times, for any base frequency."""
    parts = function.parts()
    swing = math.fsum(math.hypot(h.cos, h.sin) for h in parts.harmonics)
    if parts.ramp == 0.0 and parts.constant + math.fsum(min(s.values) for s in parts.signals) >= swing:
        return True
    if not function.is_periodic:
        return False
    if len({h.is_order for h in parts.harmonics}) > 1:
        return False  # their phases drift, so that all combinations occur
    return share_below_zero(function, 1.0 if function.has_order else None) == 0.0


def _nested_leaf(outer: Leaf, inner: Leaf) -> Leaf:
    """``inner`` with the scaling and modulation of ``outer`` applied."""
    return Leaf(
        inner.law,
        outer.deflection * inner.deflection,
        outer.force * inner.force,
        outer.modulation + inner.modulation,
    )


def _words(term: Leaf) -> str:
    text = repr(term.law)
    if term.deflection != 1.0 or term.force != 1.0:
        text += f".scaled(deflection={term.deflection:.12g}, force={term.force:.12g})"
    for function, _ in term.modulation:
        text += f".modulated({function!r})"
    return text
