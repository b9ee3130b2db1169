"""The corrector of shooting over frequency in one compiled call a point.

The equations are those of `Shooting.linearise`, the limits those of `slipstick.periodic.continuation.corrector`. Where
a step would have to be halved, or an orbit is one of a band, the general corrector has to find the point.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from slipstick.arrays import Array
from slipstick.periodic.common_period import Period
from slipstick.periodic.continuation.corrector import (
    MAX_NEWTON_STEPS,
    MAX_RESIDUAL_GROWTH,
    SCALED_STEP_ROUNDING,
    STALLED_TOLERANCES,
    CurvePoint,
    Plane,
    PlaneSolution,
    point_from_compiled,
)
from slipstick.periodic.shooting.exact_map import ExactMap
from slipstick.periodic.shooting.period_map import IMPACT_CHANGE_LIMIT, REST_SIZE
from slipstick.transient.exact import records as at
from slipstick.transient.exact.bordered_newton import PlaneSearch
from slipstick.transient.exact.compiled import kernel
from slipstick.transient.exact.workspace import WorkspaceRun

MIN_FREQUENCY_FACTOR = 1.0 + 1e-9  # times the lowest frequency: nearer to it the general way decides


class CorrectedOrbit(NamedTuple):
    """A point on a plane, and the run of its orbit (of the first half, where the second mirrors that).

    least : the size that displacements were measured by at least.   time : [s] the period.   nbytes : of the run.
    """

    located: CurvePoint
    walked: WorkspaceRun
    least: float
    time: float
    nbytes: int


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
        self._search = PlaneSearch(
            {
                "orders": orders.size, "origin": count, "scale": count, "normal": count, "z": count,
                "residual": count, "matrix": count * count, "room": count * count, "solution": count,
                "tuning": 12 * n + 4,
            },
            turns=period.turns, sign=-1.0 if mirrored else 1.0, ways=1 if mirrored else 2,
            lowest=lowest * MIN_FREQUENCY_FACTOR, at_rest=REST_SIZE, impact=IMPACT_CHANGE_LIMIT,
            rounding=SCALED_STEP_ROUNDING, orders=orders, stalled=STALLED_TOLERANCES, growth=MAX_RESIDUAL_GROWTH,
            max_steps=MAX_NEWTON_STEPS,
        )  # fmt: skip
        self._call, self._slots, found = kernel("solve_bordered").call, self._search.slots, self._search
        self._origin, self._scale, self._normal, self._z = found.origin, found.scale, found.normal, found.z
        self._solution, self._matrix = found.solution, found.matrix.reshape(count, count)
        self._pointer = found.pointer

    def find(self, guess: Array, plane: Plane, tolerance: float) -> CorrectedOrbit | None:
        """The point on a plane near a guess z; None where the general corrector has to find it."""
        slots, engine, workspace, p = self._slots, self.engine, self.engine.workspace, float(guess[-1])
        if not p > 0.0:
            return None
        least, why = self.friction.least(p / self.turns) if self.friction.contacts else 0.0, at.NEED_TABLE
        with engine.lock:
            slots.tolerance, slots.distance, slots.held = tolerance, plane.distance, plane.normal[-1] == 1.0
            slots.steps, slots.moved, slots.bearable = 0, math.inf, math.inf
            self._origin[:], self._scale[:], self._z[:] = plane.origin, plane.scale, guess
            np.divide(plane.normal, plane.scale, out=self._normal)
            workspace.slots.least = least
            while why == at.NEED_TABLE:
                tangent, tables = engine.tangent.pointer, engine.tables.pointer
                why = int(self._call(engine.model, tangent, tables, workspace.pointer, self._pointer))
                if why == at.NEED_TABLE:
                    engine.add_table(workspace.state)
            if why != at.DONE:
                return None
            solution = PlaneSolution(self._solution, self._matrix, slots.steps, slots.largest)
            located = point_from_compiled(self._z.copy(), plane, solution)
            if located is None:
                return None
            run = workspace.kept()
            return CorrectedOrbit(located, run, least, 2.0 * math.pi * self.turns / float(located.z[-1]), run.nbytes)
