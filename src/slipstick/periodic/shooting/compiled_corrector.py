"""The corrector of shooting over frequency in one compiled call a point.

The equations are those of `Shooting.linearise`, the limits those of `slipstick.periodic.continuation.corrector`. Where
a step would have to be halved, or an orbit is one of a band, the general corrector has to find the point.
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
from slipstick.periodic.shooting.period_map import IMPACT_CHANGE_LIMIT, REST_SIZE
from slipstick.transient.exact import bordered_newton as to
from slipstick.transient.exact import records as at
from slipstick.transient.exact.compiled import kernel
from slipstick.transient.exact.workspace import WorkspaceRun
from slipstick.transient.exact.workspace_loop import Y_LEAST

Array = NDArray[np.float64]

MIN_FREQUENCY_FACTOR = 1.0 + 1e-9  # times the lowest frequency: nearer to it the general way decides


class CorrectedOrbit(NamedTuple):
    """A point on a plane, and the run of its orbit (of the first half, where the second mirrors that).

    least : the size that displacements were measured by at least.   time : [s] the period.   bytes : of the run.
    """

    located: CurvePoint
    walked: WorkspaceRun
    least: float
    time: float
    bytes: int


def supports_compiled(period_map: ExactMap) -> bool:
    """True if the compiled corrector serves the orbits of a map."""
    problem, engine = period_map.problem, period_map.engine
    plain = problem.scales_with_frequency and not problem.massless and not period_map.loose.size
    return bool(period_map.size) and plain and engine.sticks_where_stretch_moves


class CompiledCorrector:
    """The corrector of the orbits of a map, at any frequency.

    like : that map.   engine : a copy of its engine, tuned to the frequency of each trial.
    turns : of the frequency in a period.
    contacts : (contacts, n) deflections of contacts of dry friction.   lowest : [rad/s] frequency that is allowed.
    mirrored : only orbits whose second half mirrors the first.
    """

    def __init__(self, period_map: ExactMap, period: Period, lowest: float, mirrored: bool = False) -> None:
        self.engine = period_map.engine.retuned(period_map.problem)
        self.friction, self.like, count = period_map.friction, period_map, period_map.size + 1
        self.turns = period.turns
        contacts = [unit.deflection for unit in self.engine.packed.units if unit.friction]
        self.contacts = np.array(contacts).reshape(-1, period_map.problem.n)
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
        self._at, self._call = pointer(numbers), kernel("solve_bordered").call

    def find(self, guess: Array, plane: Plane, tolerance: float) -> CorrectedOrbit | None:
        """The point on a plane near a guess z; None where the general corrector has to find it."""
        numbers, engine, desk, p = self._numbers, self.engine, self.engine.desk, float(guess[-1])
        if not p > 0.0:
            return None
        least, why = self.friction.least(p / self.turns) if self.friction.contacts else 0.0, at.NEED_TABLE
        with engine.lock:
            numbers[self._asked] = (
                tolerance, STALLED_TOLERANCES, MAX_RESIDUAL_GROWTH, MAX_NEWTON_STEPS, plane.distance,
                float(plane.normal[-1] == 1.0)
            )  # fmt: skip
            rows = self._plane
            rows[0], rows[1], rows[2], rows[3] = plane.origin, plane.scale, plane.normal / plane.scale, guess
            numbers[to.Z_STEPS], numbers[to.Z_MOVED], numbers[to.Z_BEARABLE] = 0.0, math.inf, math.inf
            desk.numbers[Y_LEAST] = least
            while why == at.NEED_TABLE:
                why = int(self._call(engine.model, engine.tangent.pointer, engine.tables.pointer, desk.at, self._at))
                if why == at.NEED_TABLE:
                    engine.add_table(desk.state)
            found = normalised_tangent(self._solution, plane) if why == at.DONE else None
            if found is None:
                return None
            located = CurvePoint(
                self._plane[3].copy(), plane.scale, found[0], int(numbers[to.Z_STEPS]),
                float(numbers[to.Z_LARGEST]), found[1], determinant_sign(self._matrix),
            )  # fmt: skip
            run = desk.kept()
            size = 8 * (run.state.block.size + run.columns.size + run.recording.block.size)
            return CorrectedOrbit(located, run, least, 2.0 * math.pi * self.turns / float(located.z[-1]), size)
