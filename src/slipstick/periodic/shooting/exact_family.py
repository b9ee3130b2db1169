"""Orbits by exact shooting as a family over frequency, or over any parameter that a problem can be posed at."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from slipstick.arrays import Array, Complex
from slipstick.errors import NotConverged
from slipstick.model.series_joints import connection_name
from slipstick.periodic.common_period import Period, period_of
from slipstick.periodic.continuation.corrector import CurvePoint, Plane, parameter_plane
from slipstick.periodic.continuation.family import Family, Linearisation, NearbySolution, OrbitEvent
from slipstick.periodic.multipliers import multipliers_beyond_one, multipliers_of
from slipstick.periodic.shooting.compiled_corrector import CompiledCorrector, CorrectedOrbit, supports_compiled
from slipstick.periodic.shooting.exact_map import ExactMap
from slipstick.periodic.shooting.exact_orbits import SolvedOrbit, exact_point_of, exact_points_of
from slipstick.periodic.shooting.gauge_condition import gauge_equations
from slipstick.periodic.shooting.newton import (
    MAX_NEAR_STEPS,
    PERIODICITY_TOLERANCE,
    PeriodicSolution,
    periodicity_residual,
    solve_period_map,
    solve_period_map_near,
)
from slipstick.periodic.shooting.period_map import (
    IMPACT_CHANGE_LIMIT,
    MAX_SWINGS_PER_PERIOD,
    PeriodMap,
    refuse_long,
)
from slipstick.periodic.shooting.stick_band import (
    REST_RATE_RESIDUALS,
    centred_orbit,
    stuck_units,
    with_contacts_stopped,
)
from slipstick.results.orbit import OrbitPoint
from slipstick.transient.problem import Problem

IMPACT_ENERGY_LIMIT = 20.0  # of a state, in units of energy: 1 to 2 in fine meshes, above 190 in impacts
OrbitKey = tuple[bytes, float]  # of a state and a value of the parameter
# from the compiled corrector; by `solve_near`; measured already
CachedOrbit = CorrectedOrbit | tuple[Any, Period, PeriodicSolution] | OrbitPoint

MAX_TOGETHER = 64  # orbits that are measured together
MAX_CACHED_MAPS = 6  # maps at the last values of the parameter
MAX_CACHED_BYTES = 32_000_000  # of orbits that were found and not measured yet
MAX_POINTS_WORK, MIN_CURVE_POINTS = (
    1e5,
    40,
)  # points between two values that were asked for: the first over the square of the state's size
MIN_LENGTH_FACTOR = 3e3  # of the least size that orbits are measured by: lengths along a curve are measured by that
MAX_RANGE_FACTOR = 10.0  # times a frequency: a range that is wider counts as so wide there
MAX_RIPPLES = 100.0  # ripples of the orbit by what still rings: likewise, but no less than the frequency itself
PARAMETER_STEP_REL = 1e-6  # of the parameter: the difference that gives the derivative by it


class Shooting(Family):
    """problem_at : the problem at a value of the parameter; all of them must have the same coordinates and sliders.

    over_frequency : the parameter is the base frequency, and nothing else changes with it.
    """

    halved = False  # only orbits whose second half mirrors the first
    finest = 1e-10  # just beyond a graze of a stiff contact a curve turns within 1e-8
    make: Callable[..., PeriodMap] = ExactMap  # of a problem and its period
    told: Callable[..., OrbitPoint] = staticmethod(exact_point_of)  # what a curve stores of an orbit

    def __init__(
        self,
        problem_at: Callable[[float], Problem],
        p: float,
        subharmonic: int | None = None,
        over_frequency: bool = False,
    ) -> None:
        self.problem_at, self.subharmonic, self.over_frequency = problem_at, subharmonic, over_frequency
        self._maps: OrderedDict[float, tuple[Any, Period]] = OrderedDict()
        self._slowest: float | None = None  # [rad/s] of the modes
        self._passed: tuple[OrbitKey, bool, Any] | None = None
        self._rounding = 0.0  # of the last period map
        self._corrected: tuple[OrbitKey, CorrectedOrbit] | None = None  # the last orbit of the compiled corrector
        self._found: OrderedDict[OrbitKey, CachedOrbit] = OrderedDict()  # not measured yet
        self._before: tuple[int, bool] | None = None  # of the last orbit found: multipliers beyond one, one of a band
        first = self.map_at(p)[0]
        self.size, self._free, self.unit = first.size, first.problem.n, abs(p) or 1.0
        self._start = first.problem.start
        self.patience = max(MIN_CURVE_POINTS, int(MAX_POINTS_WORK / max(self.size, 1) ** 2))
        self._same = np.eye(self.size)

    def map_at(self, p: float) -> tuple[Any, Period]:
        """The period map at a value of the parameter, and its period."""
        if p not in self._maps:
            made = self._new_map(self.problem_at(p))
            self._slowest = made[0].slowest if self._slowest is None else self._slowest
            refuse_long(self._slowest, made[1], made[0].problem.system.stated_units.frequency)
            self._put(p, made)
        else:
            self._maps.move_to_end(p)
        return self._maps[p]

    def _put(self, p: float, made: tuple[Any, Period]) -> None:
        self._maps[p], self._rounding = made, float(made[0].rounding)
        self._maps.move_to_end(p)
        while len(self._maps) > MAX_CACHED_MAPS:
            self._maps.popitem(last=False)

    def _new_map(self, problem: Problem) -> tuple[Any, Period]:
        """The period map of a problem; where only the frequency or numbers of laws have changed, the last one's is
        tuned to it, or what does not depend on them is taken from it."""
        last, period = next(reversed(self._maps.values())) if self._maps else (None, None)
        if last is None or period is None or not last.problem.is_renewed(problem):
            period = period_of(problem, self.subharmonic)
            return self.make(problem, period.time), period
        if problem.scales_with_frequency and problem.frequency is not None:
            period = Period(problem.frequency, period.turns)
        else:
            period = period_of(problem, self.subharmonic)
        make = last.retuned if last.problem.is_retuned(problem) else last.renewed
        return make(problem, period.time), period

    def start(self, p: float) -> Array:
        period_map, _ = self.map_at(p)
        return centred_orbit(period_map, solve_period_map(period_map, period_map.first())).state

    def is_banded(self, x: Array, p: float) -> bool:
        return bool(stuck_units(self._pass(x, p).flow))

    @property
    def tolerance(self) -> float:  # type: ignore[override]
        """Of the periodicity residual: rounding of the model's fast modes may be more than the usual one."""
        return max(PERIODICITY_TOLERANCE, self._rounding)

    def middle(self, x: Array, p: float) -> Array:
        if self._is_slipping(x, p):
            return x
        period_map = self.map_at(p)[0]
        if not self.is_banded(x, p):
            if not isinstance(period_map, ExactMap):
                return x
            rests = with_contacts_stopped(period_map, x, self._pass(x, p).flow)
            if rests is x or not self.is_banded(rests, p):
                return x
            x = rests
        passed = self._pass(x, p)
        found = centred_orbit(
            period_map, PeriodicSolution(x, passed, periodicity_residual(period_map, x, passed), 0, 0)
        )
        if found.state is not x:
            self._passed = ((found.state.tobytes(), p), False, found.passed)
        return found.state

    def _is_slipping(self, x: Array, p: float) -> bool:
        """True for the last orbit of the compiled corrector if no contact is at rest, or nearly, when it begins.

        There everything slides both ways, so that the orbit is not one of a band.
        """
        if self._corrected is None or self._corrected[0] != (x.tobytes(), p):
            return False
        n, quick = self._free, self._quick
        assert quick is not None
        rates = np.abs(quick.contacts @ x[n : 2 * n])
        at_rest = REST_RATE_RESIDUALS * PERIODICITY_TOLERANCE * self._corrected[1].walked.scales[n]
        return not bool(((rates > 0.0) & (rates <= at_rest)).any())

    def solve_near(self, x: Array, p: float) -> NearbySolution:
        quick = self._corrected_at(x, p)
        if quick is not None:
            point, beyond = quick.located, multipliers_beyond_one(quick.walked.columns[:-1].T)
            return self._compared(point.z[:-1], point.residual, point.iterations, beyond, False)
        period_map, period = self.map_at(p)
        found = centred_orbit(period_map, solve_period_map_near(period_map, x))
        key = (found.state.tobytes(), p)
        self._passed = (key, False, found.passed)
        self._found[key] = period_map, period, found
        while len(self._found) * period_map.engine.nbytes > MAX_CACHED_BYTES:
            self._found.popitem(last=False)
        beyond, banded = multipliers_beyond_one(found.passed.derivative), bool(found.passed.flow.never_slipping)
        return self._compared(found.state, found.residual, found.steps, beyond, banded)

    def _corrected_at(self, x: Array, p: float) -> CorrectedOrbit | None:
        """The orbit at p near a guess, by the compiled corrector on the plane of that value, in few steps."""
        if self._corrected is None or self.halved:
            return None
        z, scale = np.append(x, p), np.append(self._corrected[1].walked.scales, p)
        found = self.corrected(z, parameter_plane(z, p, scale))
        return None if found is None or found.iterations > MAX_NEAR_STEPS else self._corrected[1]

    def _compared(self, x: Array, residual: float, steps: int, beyond: int, banded: bool) -> NearbySolution:
        """An orbit that was found, compared with the one found before it."""
        before, self._before = self._before, (beyond, banded)
        return NearbySolution(
            x, residual, steps, before is not None and before[0] == beyond, before is not None and before[1]
        )

    def linearise(self, x: Array, p: float) -> Linearisation:
        period_map, _ = self.map_at(p)
        passed = self._pass(x, p, swept=self.over_frequency)
        assert passed.derivative is not None
        scales = period_map.scales(passed.flow)
        by_x = (passed.derivative - self._same) / scales[:, None]
        check_not_within_impact(period_map, passed.flow, by_x * scales)
        by_p = passed.by_frequency
        if by_p is None:
            by_p = self._by_parameter(x, p, passed)
        missed = period_map.missed(x, passed)
        found = Linearisation(missed, period_map.without_drift(by_x), period_map.without_drift(by_p / scales))
        return self._with_band_gauge(found, x, p, passed) if self.is_banded(x, p) else found

    def _by_parameter(self, x: Array, p: float, passed: Any) -> Array:
        """(size,) the derivative of the end of a period by the parameter, by differences: central ones, where there is
        a model on both sides. Where changes grow within a period the map bends too much for one-sided ones."""
        ends = [(distance, other.go(x).state) for other, distance in self._beside(p)]
        if len(ends) < 2:
            ends.append((0.0, passed.state))
        if len(ends) < 2:
            raise NotConverged(
                f"the model exists on neither side of {self.format_parameter(p)}, "
                "so there is no derivative by the parameter"
            )
        (a, above), (b, below) = ends
        return np.asarray((above - below) / (a - b))

    def corrected(self, guess: Array, plane: Plane, rough: bool = False) -> CurvePoint | None:
        found = self._quick.find(guess, plane, self.tolerance) if self._quick else None
        if found is None:
            return None
        z = found.located.z
        key = (z[:-1].tobytes(), float(z[-1]))
        self._corrected = key, found
        if not self.halved:
            self._found[key] = found
            while len(self._found) * found.nbytes > MAX_CACHED_BYTES:
                self._found.popitem(last=False)
        return found.located

    @cached_property
    def _quick(self) -> CompiledCorrector | None:
        """The compiled corrector; None where it does not serve."""
        last, period = next(reversed(self._maps.values()))
        if not self.over_frequency or not isinstance(last, ExactMap) or not supports_compiled(last):
            return None
        return CompiledCorrector(
            last, period, (self._slowest or 0.0) * period.turns / MAX_SWINGS_PER_PERIOD, self.halved
        )

    def _made(self, p: float) -> tuple[ExactMap, Period]:
        """The map at a frequency that the compiled corrector came to, with the tables of all states met there."""
        return self._made_together([p])[0]

    def _made_together(self, p: Sequence[float]) -> list[tuple[ExactMap, Period]]:
        """The same at several frequencies."""
        assert self._quick is not None
        like, engine = self._quick.like, self._quick.engine
        periods = [Period(value, self._quick.turns) for value in p]
        problems, times = [like.problem.retuned(value) for value in p], [period.time for period in periods]
        maps = [like.retuned(problem, time, engine) for problem, time in zip(problems, times, strict=True)]
        return list(zip(maps, periods, strict=True))

    def mirrored(self, x: Array, p: float) -> Family | None:
        from slipstick.periodic.shooting.symmetric_family import (  # which is a family like this one
            SymmetricShooting,
            is_symmetric_orbit,
        )

        if not self.over_frequency or self._is_asymmetric:
            return None
        return SymmetricShooting(self) if is_symmetric_orbit(self, x, p) else None

    @cached_property
    def _is_asymmetric(self) -> bool:
        """True if the model is not symmetric under its loads, at any frequency."""
        from slipstick.periodic.shooting.symmetric_family import is_symmetric_problem

        period_map, period = next(reversed(self._maps.values()))
        problem = period_map.problem
        return problem.scales_with_frequency and not is_symmetric_problem(problem, period)

    def half_period_later(self, x: Array, p: float) -> Array | None:
        if self.parent is None:
            return None
        period_map = self.parent.map_at(p)[0]
        passed = period_map.go(x)
        return np.asarray(x + period_map.missed(x, passed) * period_map.scales(passed.flow))

    @cached_property
    def parent(self) -> Shooting | None:
        if self.halved or self.subharmonic is None or self.subharmonic % 2:
            return None
        return type(self)(self.problem_at, next(reversed(self._maps)), self.subharmonic // 2, self.over_frequency)

    def _with_band_gauge(self, found: Linearisation, x: Array, p: float, passed: Any) -> Linearisation:
        """With the equations of the middle of a band, in the directions in which the period's are empty."""
        own = gauge_equations(self.map_at(p)[0], self._beside(p), x, passed)
        if own is None:
            return found
        return Linearisation(
            found.residual + own.left @ own.value,
            found.by_x + own.left @ own.by_x,
            found.by_p + own.left @ own.by_p,
        )

    def _beside(self, p: float) -> Iterator[tuple[Any, float]]:
        """Maps at values of the parameter for differences, and these: above, and below; only where there are models."""
        step = PARAMETER_STEP_REL * max(abs(p), 1e-3 * self.unit)
        for distance in (step, -step):
            try:
                yield self.map_at(p + distance)[0], distance
            except NotConverged:
                continue

    def scales(self, x: Array, p: float) -> Array:
        if self._corrected is not None and self._corrected[0] == (x.tobytes(), p):
            return self._measured(self._corrected[1].walked.scales, self._corrected[1].least)
        period_map = self.map_at(p)[0]
        return self._measured(period_map.scales(self._pass(x, p).flow), period_map.least)

    def _measured(self, scales: Array, least: float) -> Array:
        """(size,) units of length along a curve, from the scales of an orbit and the least size there."""
        found: Array = scales * math.sqrt(self.size)
        n = self._free
        if n and least:  # where friction begins to slip the orbit grows from nothing: the parameter counts
            found[: 2 * n] *= max(1.0, MIN_LENGTH_FACTOR * least / float(found[0]))
        # stretches move as displacements do; their limits may be anything, and the parameter itself
        found[2 * n :] = found[0] if found.size else 1.0
        return found

    def reach(self, p: float, span: float) -> float:
        """The range, or less at the low end of a wide one.

        After each slip or touch a mode of frequency w rings on. What is left of that at the end of a period changes
        its phase by one turn, so the orbit goes up and down once, within p^2 / w.
        """
        if not self.over_frequency:
            return span
        ring = MAX_RIPPLES * p * p / self._slowest if self._slowest else math.inf
        return min(span, MAX_RANGE_FACTOR * p, max(p, ring))

    def point(self, x: Array, p: float) -> OrbitPoint:
        known = self._found.pop((x.tobytes(), p), None)
        return known if isinstance(known, OrbitPoint) else self.told(*self._solved([x], [p], [known])[0])

    def points(self, x: Sequence[Array], p: Sequence[float]) -> Iterator[OrbitPoint | NotConverged] | None:
        return self._measured_together(x, p) if self.told is exact_point_of else None

    def _measured_together(self, x: Sequence[Array], p: Sequence[float]) -> Iterator[OrbitPoint | NotConverged]:
        """The points of a curve, some at a time; one by one from the first on that cannot be had."""
        last = next(reversed(self._maps.values()))[0]
        some = max(1, min(MAX_TOGETHER, MAX_CACHED_BYTES // last.engine.nbytes))
        for begin in range(0, len(p), some):
            own = slice(begin, begin + some)
            keys = [(state.tobytes(), value) for state, value in zip(x[own], p[own], strict=True)]
            yield from exact_points_of(self._solved(x[own], p[own], [self._found.get(key) for key in keys]))
            for key in keys:
                self._found.pop(key, None)

    def _solved(self, x: Sequence[Array], p: Sequence[float], known: Sequence[Any]) -> list[SolvedOrbit]:
        """Orbits, from what is known of them."""
        ready = [isinstance(each, CorrectedOrbit) for each in known]
        apart = [value for value, is_ready in zip(p, ready, strict=True) if is_ready and value not in self._maps]
        maps = self._maps | (dict(zip(apart, self._made_together(apart), strict=True)) if apart else {})
        found = list[SolvedOrbit]()
        for own, value, each, is_ready in zip(x, p, known, ready, strict=True):
            if is_ready:
                (period_map, period), located = maps[value], each.located
                steps, passed = located.iterations, period_map.passed(each.walked, 2)
                closed = PeriodicSolution(own, passed, located.residual, steps, steps + 1)
            elif each is not None:
                period_map, period, closed = each
            else:
                period_map, period = self.map_at(value)
                passed = self._pass(own, value)
                closed = PeriodicSolution(own, passed, periodicity_residual(period_map, own, passed), 0, 0)
            found.append(SolvedOrbit(period_map, period, closed, value))
        return found

    def multipliers_at(self, x: Array, p: float) -> Complex:
        known = self._found.get((x.tobytes(), p))
        if isinstance(known, CorrectedOrbit):
            return multipliers_of(known.walked.columns[:-1].T)
        return self.point(x, p).multipliers

    def events_along(self, x: Array, p: float) -> list[OrbitEvent] | None:
        known = self._found.get((x.tobytes(), p))
        if isinstance(known, CorrectedOrbit):
            events, time = known.walked.events, known.time
        else:
            events, time = self._pass(x, p).flow.events, self.map_at(p)[1].time
        names, start = self._connection_of_unit, self._start
        return [
            OrbitEvent((t - start) / time, names[int(j)], int(j), int(before), int(after))
            for t, j, before, after in events.tolist()
        ]

    @cached_property
    def _connection_of_unit(self) -> list[str]:
        """The names of the connections that the units of the model belong to."""
        period_map = next(reversed(self._maps.values()))[0]
        problem, units = period_map.problem, period_map.engine.packed.units
        return [connection_name(problem.system, problem.elements[unit.elements[0]].connection) for unit in units]

    def _pass(self, x: Array, p: float, swept: bool = False) -> Any:
        """One period from x, with its derivative (``swept``: both); the last one is kept."""
        key = (x.tobytes(), p)
        if self._passed is None or self._passed[0] != key or (swept and not self._passed[1]):
            known = self._found.get(key)
            if isinstance(known, CorrectedOrbit):
                self._put(p, self._made(p))
                self._passed = (key, True, self._maps[p][0].passed(known.walked, 2))
            else:
                period_map = self.map_at(p)[0]
                self._passed = (key, swept, period_map.go(x, derivative=True, swept=swept))
                self._rounding = float(period_map.rounding)
        return self._passed[2]


def check_not_within_impact(period_map: ExactMap, flow: Any, changes: Array) -> None:
    """Refuse a state whose scaled change within a period (size, size) by itself is beyond measure.

    Fast modes of a fine mesh turn small displacements into large velocities and hardly change energies. Impacts do.
    """
    moving = slice(2 * period_map.problem.n)  # what a slider remembers may be far larger than a small motion
    if np.abs(changes)[moving, moving].max(initial=0.0) <= IMPACT_CHANGE_LIMIT:
        return
    into, back = period_map.energy_coordinates(flow)
    if np.abs(into @ changes @ back)[moving, moving].max(initial=0.0) > IMPACT_ENERGY_LIMIT:
        raise NotConverged("the period begins during an impact, where a state does not determine the motion")
