"""Orbits of laws with a stack of reversals: whether the cycle closes, and its multipliers.

The map follows twins of such laws, settled on cycles of two reversals. A cycle that turns round more often, or that
does not close, is none of theirs. Stability is that of changes within the largest reversals so far: each branch goes
on from where the force is, and a small loop is never closed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from slipstick.arrays import Array, Complex
from slipstick.errors import Advice, AnyOf, NotConverged
from slipstick.laws.base import Law
from slipstick.laws.closed_cycle import SettledTwin, is_shift_invariant
from slipstick.periodic.balance.balance_points import MAX_CLOSURE_GAP_REL, open_memory_note
from slipstick.periodic.balance.multipliers import no_multipliers_reason, offset_multiplier_note
from slipstick.periodic.curve_notes import STABILITY_UNKNOWN
from slipstick.periodic.multipliers import is_stable, multipliers_of
from slipstick.periodic.shooting.adaptive_map import AdaptiveMap
from slipstick.periodic.shooting.memory_state import SettledPart, with_twins
from slipstick.periodic.shooting.newton import PeriodicSolution
from slipstick.transient.events.period_run import StepTape

REST_RATE_REL = 1e-6  # of the largest rate: a rate that counts as none
VIRGIN_NOTE = (
    "the memory of {name} allows many orbits: this one starts from a virgin law, with the larger "
    "reversal first; a history with larger loops leads to others"
)


class PerturbationStability(NamedTuple):
    """Stability of an orbit.   multipliers : empty if they are not known; then stable is None."""

    multipliers: Complex
    stable: bool | None
    notes: tuple[str, ...]


def refuse_other_cycles(period_map: AdaptiveMap, closed: PeriodicSolution, tape: StepTape) -> None:
    """Raise `NotConverged` where the cycle of a law turns round more than twice, or does not close."""
    for part in period_map.settled:
        name = _connection(period_map, part)
        turns = _turns(period_map, part, tape)
        if turns > 2:
            raise NotConverged(
                f'"{name}" ({_name(period_map, part)}) has {turns} reversals in a period (limit 2)',
                owner="shooting",
                advice=[Advice("use {method}", method=AnyOf(("harmonic-balance", "integration")))],
            )
        gap = _gap(part, *closed.state[part.place].tolist())
        if gap > MAX_CLOSURE_GAP_REL:
            raise NotConverged(
                f"{open_memory_note(name, gap)}: {_name(period_map, part)} closes for symmetric cycles only, so "
                "there is no orbit under a mean load",
                owner="shooting",
                advice=[Advice("{method} shows how it drifts", method="integration")],
            )


def _turns(period_map: AdaptiveMap, part: SettledPart, tape: StepTape) -> int:
    """How often a deflection turns round in a period; steps end where it does."""
    p, n = period_map.problem, period_map.problem.n
    rates = p.rates_at(tape.time, tape.y[:, n : 2 * n])[:, part.element]
    ways = np.sign(rates[np.abs(rates) > REST_RATE_REL * np.abs(rates).max(initial=0.0)])
    return int(np.count_nonzero(ways != np.roll(ways, 1)))


def _gap(part: SettledPart, high: float, low: float) -> float:
    """The part of its force that a law misses itself by after a cycle."""
    law = part.law
    assert isinstance(law, SettledTwin)
    tips = [law.tip(a, b) + law.elastic(a) for a, b in ((high, low), (low, high))]
    largest = max(map(abs, tips))
    return law.gap(high, low) / largest if largest else 0.0


def notes_on(period_map: AdaptiveMap) -> list[str]:
    """What a reader should know of any orbit: which of a band it is, and what its stability means."""
    names = [_name(period_map, part) for part in period_map.settled]
    opens = _laws_with_open_loops(period_map)
    told = offset_multiplier_note(names[0])
    if opens:
        told = no_multipliers_reason(opens[0]).with_owner(STABILITY_UNKNOWN)
    return [VIRGIN_NOTE.format(name=names[0]), told]


def perturbation_stability(period_map: AdaptiveMap, closed: PeriodicSolution) -> PerturbationStability:
    """Stability of an orbit whose laws have stacks of reversals."""
    notes = tuple(notes_on(period_map))
    if _laws_with_open_loops(period_map):
        return PerturbationStability(np.zeros(0, dtype=complex), None, notes)
    given = with_twins(period_map.given, nested=True)
    nested = AdaptiveMap(given, period_map.time, period_map.tolerance, copies=False)
    state, slopes = _nested_state(period_map, closed.state)
    passed = nested.go(state, derivative=True)
    own = np.asarray(multipliers_of(_without_offsets(period_map, passed.derivative, slopes)))
    found = np.concatenate([np.ones(len(slopes), dtype=complex), own])
    found = found[np.argsort(-np.abs(found), kind="stable")]
    return PerturbationStability(found, is_stable(found), notes)


def _laws_with_open_loops(period_map: AdaptiveMap) -> list[str]:
    """The laws whose branches depend on where they begin."""
    return [_name(period_map, part) for part in period_map.settled if not is_shift_invariant(_law(period_map, part))]


def _nested_state(period_map: AdaptiveMap, state: Array) -> tuple[Array, list[float]]:
    """The same state, with the last reversal and the force there in the place of both reversals; and the slopes of
    the branches where they end."""
    found, slopes, start = state.copy(), list[float](), period_map.start_of(state)
    for part in period_map.settled:
        _, begin, other = start.memories[part.element].tolist()
        assert isinstance(part.law, SettledTwin)
        found[part.place] = begin, part.law.tip(begin, other)
        slopes.append(part.law.tangent(other, 0.0, (0.5 * (begin + other), begin, other))[1])
    return found, slopes


def _without_offsets(period_map: AdaptiveMap, derivative: Array | None, slopes: list[float]) -> Array:
    """The derivative of the nested map (k, k), without the offset of each law, which has a multiplier of one.

    A branch from (u, f) to the other reversal and back to u' ends at f + g(u_o - u) - g(u_o - u'): so f less g' times u
    is what it was. Left in, it would meet another multiplier of one at every fold, and both be off by the root of their
    error.
    """
    assert derivative is not None
    places = [part.place.start for part in period_map.settled]
    found = derivative.copy()
    for place, slope in zip(places, slopes, strict=True):
        found[:, place] += slope * found[:, place + 1]
    kept = np.setdiff1d(np.arange(found.shape[0]), [place + 1 for place in places])
    return np.asarray(found[np.ix_(kept, kept)])


def _law(period_map: AdaptiveMap, part: SettledPart) -> Law:
    return period_map.given.elements[part.element].law


def _connection(period_map: AdaptiveMap, part: SettledPart) -> str:
    return period_map.given.system.connections[period_map.given.elements[part.element].connection].name


def _name(period_map: AdaptiveMap, part: SettledPart) -> str:
    return type(_law(period_map, part)).__name__
