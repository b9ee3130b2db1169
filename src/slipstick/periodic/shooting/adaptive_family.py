"""Orbits by shooting on the adaptive flow as a family over frequency, or over any parameter.

From one value to the next the derivative of the map is that of the last orbit, set right by what each pass tells
(Broyden): a pass with its derivative costs as much as several without.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import NotConverged
from slipstick.periodic.common_period import Period
from slipstick.periodic.continuation.corrector import Plane, correct, scale_of, solve_scaled
from slipstick.periodic.continuation.family import NearbySolution, OrbitEvent
from slipstick.periodic.multipliers import multipliers_beyond_one
from slipstick.periodic.shooting.adaptive_map import AdaptiveMap
from slipstick.periodic.shooting.adaptive_orbits import adaptive_point_of
from slipstick.periodic.shooting.exact_family import Shooting
from slipstick.periodic.shooting.newton import (
    PERIODICITY_TOLERANCE,
    PeriodicSolution,
    solve_period_map,
    solve_period_map_near,
)
from slipstick.periodic.shooting.reversal_stack_orbits import notes_on
from slipstick.transient.events.records import CONTACT_CHANGE, PIECE_CODE, REVERSAL
from slipstick.transient.problem import Problem

CURVE_TOLERANCE = 3e-8  # of the integration: figures of curves to some six digits
MAX_PASSES = 20
MAP_JUMP_REL = 0.1  # of the tolerance of the integration: where a reversal comes or goes within a step, the map jumps
HELD_PLACE_CHANGE = 1e-3  # of the derivative of a slider's place: more, and the equations move what stays where it is
MAX_EXTRAPOLATION = 1.5  # times the distance between two orbits: so far their derivatives lead
LAST_PASS_RESIDUAL = 1e-6  # a residual after which the next pass may be the last
MAX_RESIDUAL_REDUCTION = 0.2  # a step that leaves more of the residual than this: the derivative is too old


class AdaptiveShooting(Shooting):
    """See `Shooting`."""

    make = staticmethod(partial(AdaptiveMap, tolerance=CURVE_TOLERANCE, by_springs=True))
    told = staticmethod(adaptive_point_of)
    finest = 1.0  # the map jumps by a little where reversals come or go
    jump = MAP_JUMP_REL * CURVE_TOLERANCE
    _known: tuple[tuple[float, Array], ...] = ()  # the last orbits that were found: parameter, derivative

    def __init__(self, problem_at: Callable[[float], Problem], p: float, *given: Any, **how: Any) -> None:
        super().__init__(problem_at, p, *given, **how)
        self.apart = bool(self.map_at(p)[0].settled)  # equations are those of settled cycles

    def _new_map(self, problem: Problem) -> tuple[Any, Period]:
        """With the steps of the last map, as long as they serve: differences by the parameter are those of one mesh."""
        last = next(reversed(self._maps.values()))[0] if self._maps else None
        made = super()._new_map(problem)
        if last is not None and made[0].mesh is None:
            made[0].mesh = last.mesh
        return made

    def doubts(self, p: float) -> list[str]:
        """What a reader should know of all orbits of the curve."""
        period_map = self.map_at(p)[0]
        return notes_on(period_map) if period_map.settled else []

    def start(self, p: float) -> Array:
        period_map, period = self.map_at(p)
        closed = solve_period_map(period_map, period_map.first())
        if period_map.settled:  # a cycle that is none of theirs is refused before anything is followed from it
            self.told(period_map, period, closed, p)
        return closed.state

    def is_banded(self, x: Array, p: float) -> bool:
        return False  # laws that are followed here forget

    def has_separate_multipliers(self, x: Array, p: float) -> bool:
        """True as well where the equations place a slider within its band by the motion.

        A change of the motion moves that place, while the multipliers are those of a slider that stays.
        """
        passed, rows = self._pass(x, p), [part.place for part in self.map_at(p)[0].sliders]
        moved = (passed.derivative[own].any() for own in rows)
        held = (np.abs((passed.derivative - passed.monodromy)[own]).max() > HELD_PLACE_CHANGE for own in rows)
        return self.apart or any(both for both in zip(moved, held, strict=True) if all(both))

    def scales(self, x: Array, p: float) -> Array:
        return np.asarray(self.map_at(p)[0].scales(self._pass(x, p).flow) * np.sqrt(self.size))

    def events_along(self, x: Array, p: float) -> list[OrbitEvent]:
        """States are the way of a law beyond a corner or an edge, 0 after a reversal; of a contact its piece."""
        period_map, period = self.map_at(p)
        events, problem = self._pass(x, p).flow.events, period_map.problem
        elements, after = events.element, np.where(events.kind == REVERSAL, 0, np.sign(events.way)).astype(int)
        after = np.where(events.kind == CONTACT_CHANGE, events.way // PIECE_CODE, after).astype(int)
        states = dict(zip(elements.tolist(), after.tolist(), strict=True))  # as at the end of a period
        found: list[OrbitEvent] = []
        times = (events.time - problem.start).tolist()
        for time, e, state in zip(times, elements.tolist(), after.tolist(), strict=True):
            name = problem.system.connections[problem.elements[e].connection].name
            found.append(OrbitEvent(time / period.time, name, e, states[e], state))
            states[e] = state
        return found

    def solve_near(self, x: Array, p: float) -> NearbySolution:
        period_map, period = self.map_at(p)
        known = self._guessed(p)
        closed = solve_period_map_near(period_map, x) if known is None else _solve_by_broyden(period_map, x, known)
        if closed.passed.derivative is None:
            closed = closed._replace(passed=period_map.with_derivative(closed.state, closed.passed))
        key = (closed.state.tobytes(), p)
        self._passed, self._found[key] = (key, False, closed.passed), self.told(period_map, period, closed, p)
        self._known = (*self._known[-1:], (p, closed.passed.derivative))
        return self._compared(
            closed.state, closed.residual, closed.steps, multipliers_beyond_one(closed.passed.monodromy), False
        )

    def _pass(self, x: Array, p: float, swept: bool = False) -> Any:
        """With the derivative along the map's own steps: next to a branch point it is nearly singular."""
        key = (x.tobytes(), p)
        if self._passed is None or self._passed[0] != key or (swept and not self._passed[1]):
            period_map = self.map_at(p)[0]
            passed = period_map.with_derivative(x, period_map.go(x), swept, alike=True)
            self._passed = (key, swept, passed)
        return self._passed[2]

    def across(self, x: Array, p: float) -> tuple[Array, float]:
        """The state and the parameter at which single orbits, integrated more tightly, meet the plane across the curve
        at one of its points: at a fold there may be none at the same parameter. Raises `NotConverged`."""
        fine = TightShooting(self.problem_at, p, self.subharmonic, self.over_frequency)
        z = np.append(x, p)
        scale, (_, by_x, by_p) = scale_of(fine, z, abs(p) or 1.0), fine.linearise(x, p)
        tangent = np.linalg.svd(np.column_stack([by_x, by_p]) * scale)[2][-1]
        found = correct(fine, z, Plane(tangent, z, scale, 0.0))
        return found.x, found.p

    def _guessed(self, p: float) -> Array | None:
        """The derivative of the map at p, from those at the last orbits; None if there is none yet."""
        if not self._known:
            return None
        (q, last), (o, before) = self._known[-1], self._known[0]
        ahead = (p - q) / (q - o) if q != o else 0.0
        return last + ahead * (last - before) if 0.0 < ahead <= MAX_EXTRAPOLATION else last


class TightShooting(AdaptiveShooting):
    """Of orbits as `slipstick.periodic.orbit` finds them one by one."""

    make = AdaptiveMap


def _solve_by_broyden(period: AdaptiveMap, guess: Array, derivative: Array) -> PeriodicSolution:
    """The orbit near a guess, with the derivative at another orbit nearby; raises `NotConverged`."""
    chords = _BroydenIteration(period, guess, derivative)
    chords.go()
    return PeriodicSolution(chords.state, chords.passed, chords.size, chords.count, chords.count + 1)


class _BroydenIteration:
    """Broyden's method on a map, from a state and a derivative near it."""

    def __init__(self, period: AdaptiveMap, state: Array, derivative: Array) -> None:
        self.period, self.state = period, state
        self.passed = period.go(state)
        self.sizes = period.scales(self.passed.flow)
        self.matrix = _matrix(period, derivative, self.sizes)
        self.missed = period.missed(state, self.passed)
        self.size, self.count = float(np.abs(self.missed).max(initial=0.0)), 0

    def go(self) -> None:
        """Go on until the residual is within the tolerance.

        Where a step leaves much of the residual the derivative is found anew, and a step that leads away is halved.
        """
        is_fresh, part = False, 1.0
        for self.count in range(MAX_PASSES):
            if self.size <= PERIODICITY_TOLERANCE:
                return
            step = part * solve_scaled(self.matrix, self.missed, np.ones(self.period.size))
            before = self.size
            is_nearer = self._try(step, part)
            if not is_nearer and is_fresh:
                if self.size <= MAP_JUMP_REL * self.period.tolerance:  # the map itself does not come nearer
                    return
                part *= 0.5
                continue
            part, is_fresh = 1.0, not self.size < MAX_RESIDUAL_REDUCTION * before
            if is_fresh:
                self.passed = self.period.with_derivative(self.state, self.passed)
                assert self.passed.derivative is not None
                self.matrix = _matrix(self.period, self.passed.derivative, self.sizes)
        raise NotConverged(f"Broyden's method left a residual of {self.size:.1e} (at most {PERIODICITY_TOLERANCE:.1e})")

    def _try(self, step: Array, part: float) -> bool:
        """Take a step, which is a part of the full one, if it leads nearer; True if it did."""
        there = self.state + self.sizes * step
        ended = self.period.go(there, tape=self.size < LAST_PASS_RESIDUAL)
        left = self.period.without_drift((ended.state - there) / self.sizes)
        nearer = float(np.abs(left).max(initial=0.0))
        if not nearer < self.size:
            return False
        self.matrix -= np.outer(left - (1.0 - part) * self.missed, step / (step @ step))
        self.state, self.passed, self.missed, self.size = there, ended, left, nearer
        return True


def _matrix(period: AdaptiveMap, derivative: Array, sizes: Array) -> Array:
    """(size, size) of 1 - derivative, in the units of a scaled state."""
    return period.without_drift(np.eye(period.size) - derivative * (sizes / sizes[:, None]))
