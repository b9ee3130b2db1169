"""Points where a plane cuts a curve of orbits over frequency, each found in one compiled call.

The same equations and rules as in `slipstick.periodic.continuation.corrector.correct` with those of
`Shooting.linearise`; where a
step would have to be halved, an orbit is one of a band or anything else is out of the ordinary, nothing is found.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from slipstick.laws.law_kernels import pointer
from slipstick.periodic.common_period import Period
from slipstick.periodic.continuation.corrector import (
    MAX_NEWTON_STEPS,
    MAX_RESIDUAL_GROWTH,
    SCALED_STEP_ROUNDING,
    STALLED_TOLERANCES,
    CurvePoint,
    Plane,
    determinant_sign,
    normalised_tangent,
)
from slipstick.periodic.shooting.exact_map import ExactMap
from slipstick.periodic.shooting.newton import MAX_NEAR_STEPS, MAX_SCALED_STEP
from slipstick.periodic.shooting.period_map import IMPACT_CHANGE_LIMIT, REST_SIZE
from slipstick.transient.exact import bordered_newton as to
from slipstick.transient.exact import records as at
from slipstick.transient.exact.compiled import kernel
from slipstick.transient.exact.periodic_newton import Y_LEAST
from slipstick.transient.exact.workspace import WorkspaceRun
from slipstick.transient.problem import Problem

Array = NDArray[np.float64]

# of what a state misses itself by: no more may be left after a step, where one is known to be near
MAX_RESIDUAL_RATIO = 0.5
MIN_FREQUENCY_FACTOR = 1.0 + 1e-9  # times the lowest frequency: nearer to it the general way decides


class NearbyOrbit(NamedTuple):
    """The run of an orbit (the first half of it, where the second mirrors that), and the least size there."""

    walked: WorkspaceRun
    least: float

    @property
    def nbytes(self) -> int:
        """[bytes] by which it is decided whether it is kept."""
        walked = self.walked
        return 8 * (walked.state.block.size + walked.columns.size + walked.recording.block.size)


class CorrectedOrbit(NamedTuple):
    """A point on a plane, and its orbit."""

    located: CurvePoint
    near: NearbyOrbit


def supports_compiled(period_map: ExactMap) -> bool:
    """True if points of the map's orbits can be looked for here."""
    problem, engine = period_map.problem, period_map.engine
    plain = problem.scales_with_frequency and not problem.massless and not period_map.loose.size
    return bool(period_map.size) and plain and engine.sticks_where_stretch_moves


class CompiledCorrector:
    """Of the orbits of a map and those at other frequencies.

    engine : of its own, tuned to whatever the search comes to.   turns : of the frequency in a period.
    lowest : [rad/s] frequency that is allowed.
    mirrored : only orbits whose second half mirrors the first.
    """

    def __init__(self, period_map: ExactMap, period: Period, lowest: float, mirrored: bool = False) -> None:
        self.engine = period_map.engine.retuned(period_map.problem)
        self.friction, self._like, count = period_map.friction, period_map, period_map.size + 1
        self.turns = period.turns
        packed, n = self.engine.packed, period_map.problem.n
        orders = packed.problem.orders_of(packed.omega)
        sections = {
            to.Z_ORDERS: orders.size, to.Z_ORIGIN: count, to.Z_SCALE: count, to.Z_NORMAL: count, to.Z_PLACE: count,
            to.Z_LEFT: count, to.Z_MATRIX: count * count, to.Z_ROOM: count * count, to.Z_SOLUTION: count,
            to.Z_TUNING: 12 * n + 4,
        }  # fmt: skip
        begins = np.cumsum([to.ACROSS_HEAD, *sections.values()]).tolist()
        self._numbers = numbers = np.zeros(begins[-1])
        numbers[list(sections)] = begins[:-1]
        numbers[to.Z_TURNS : to.Z_ROUNDING + 1] = (
            period.turns, -1.0 if mirrored else 1.0, 1.0 if mirrored else 2.0, lowest * MIN_FREQUENCY_FACTOR,
            REST_SIZE, IMPACT_CHANGE_LIMIT, SCALED_STEP_ROUNDING
        )  # fmt: skip
        begin = dict(zip(sections, begins, strict=False))
        numbers[begin[to.Z_ORDERS] :][: orders.size] = orders
        self._plane = numbers[begin[to.Z_ORIGIN] : begin[to.Z_LEFT]].reshape(4, count)
        self._matrix = numbers[begin[to.Z_MATRIX] :][: count * count].reshape(count, count)
        self._solution = numbers[begin[to.Z_SOLUTION] :][:count]
        self._asked = slice(to.Z_TOLERANCE, to.Z_HELD + 1)
        self._at = pointer(numbers)

    def find(self, guess: Array, plane: Plane, tolerance: float) -> CorrectedOrbit | None:
        """The point on a plane near a guess z; None if it has to be found another way."""
        numbers = self._numbers
        with self.engine.lock:
            numbers[self._asked] = (
                tolerance, STALLED_TOLERANCES, MAX_RESIDUAL_GROWTH, MAX_NEWTON_STEPS, math.inf, plane.distance,
                float(plane.normal[-1] == 1.0)
            )  # fmt: skip
            self._plane[:] = plane.origin, plane.scale, plane.normal / plane.scale, guess
            walked = self._solve()
            found = None if walked is None else normalised_tangent(self._solution, plane)
            if walked is None or found is None:
                return None
            z = self._plane[3].copy()
            located = CurvePoint(
                z, plane.scale, found[0], walked.steps, walked.missed, found[1], determinant_sign(self._matrix)
            )
            return CorrectedOrbit(located, NearbyOrbit(walked, float(self.engine.desk.numbers[Y_LEAST])))

    def near(self, guess: Array, p: float, tolerance: float) -> NearbyOrbit | None:
        """The orbit at a frequency near a guess x, as `newton.solve_period_map_near` finds it; None on failure."""
        if not p > 0.0:
            return None
        numbers, plane = self._numbers, self._plane
        with self.engine.lock:
            numbers[self._asked] = tolerance, 0.0, MAX_RESIDUAL_RATIO, MAX_NEAR_STEPS, MAX_SCALED_STEP, 0.0, 2.0
            plane[2], plane[3, :-1] = 0.0, guess
            plane[0, -1], plane[1, -1], plane[2, -1], plane[3, -1] = p, p, 1.0 / p, p
            walked = self._solve()
            return None if walked is None else NearbyOrbit(walked, float(self.engine.desk.numbers[Y_LEAST]))

    def _solve(self) -> WorkspaceRun | None:
        """The last run of what has been asked for."""
        engine, numbers, desk = self.engine, self._numbers, self.engine.desk
        numbers[to.Z_STEPS], numbers[to.Z_MOVED], numbers[to.Z_BEARABLE] = 0.0, math.inf, math.inf
        call, why = kernel("solve_bordered").call, at.NEED_TABLE
        while why == at.NEED_TABLE:
            tangent, tables = engine.tangent.pointer, engine.tables.pointer
            why = int(call(engine.model, tangent, tables, self.friction.at, desk.at, self._at))
            if why == at.NEED_TABLE:
                engine.add_table(desk.state)
        if why != at.DONE:
            return None
        return desk.kept()._replace(steps=int(numbers[to.Z_STEPS]), missed=float(numbers[to.Z_LARGEST]))

    def map_of(self, problem: Problem, time: float, least: float) -> ExactMap:
        """The map at a frequency, of a period [s], that knows all states met so far; ``least`` is known there."""
        new = ExactMap(problem, time, self.engine.retuned(problem))
        new.__dict__.update(drift=self._like.drift, friction=self.friction, least=least)
        return new
