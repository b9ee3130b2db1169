"""The compiled equations of a family of harmonic balance: their records, and calls of them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from slipstick.arrays import Array
from slipstick.periodic.balance.blas_routines import routine_address
from slipstick.periodic.balance.compiled import compiled
from slipstick.periodic.balance.compliance import ModalCompliance
from slipstick.periodic.balance.nonlinear_connections import stiffest_estimates
from slipstick.periodic.balance.records import BalancePlan
from slipstick.periodic.continuation.corrector import CurvePoint, Plane

if TYPE_CHECKING:
    from slipstick.periodic.balance.harmonic_balance import HarmonicBalance


class CompiledEquations:
    """Residual and derivatives at an orbit, and steps along the curve.

    residual : (size + 1,)   matrix : (size + 1, size + 1) derivatives, the last column by the frequency; the last row
    of both is that of a plane across the curve, where one is cut.
    g, g_slope : (lines r + r, H+1) compliances and behind them the answer to the loads, and their slopes by frequency.
    shift : (lines, H+1) what was moved into the linear part, at each harmonic.
    steps : whether there are steps along the curve, which need modes and loads that go with the frequency.
    """

    def __init__(self, family: HarmonicBalance) -> None:
        m, r, width = family.lines.count, family.seen.shape[0], family.waves.width
        pairs, size = family.index + 1, family.size
        self.size = size
        self.g, self.g_slope = np.zeros((m * r + r, pairs), complex), np.zeros((m * r + r, pairs), complex)
        self.shift = np.zeros((m, pairs), complex)
        self.residual, self.matrix = np.zeros(size + 1), np.zeros((size + 1, size + 1), order="F")
        self._unknowns = np.zeros(size + 1)
        self._plane, self._room = np.zeros((3, size + 1)), np.zeros((5, size + 1))
        # rounded friction couples all harmonics
        stiffest = np.full((2, m), np.inf) if family.lines.rounds else stiffest_estimates(family.lines, family.length)
        self.plan = BalancePlan(
            line_count=m, series_count=r, width=width, order=family.order, unit=1.0 / family.length,
            laws=family.follower.plan, unknowns=self._unknowns, line_series=np.zeros((m, width)),
            moved_series=np.zeros((m, width)), offsets=family.offsets, lines_by_unknowns=family.into,
            force_harmonics=np.zeros((m, width + 1)), compliance=self.g.view(float),
            compliance_slope=self.g_slope.view(float),
            moved_stiffness=np.array([family.moved_stiffness, family.moved_mean]),
            moved_damping=family.moved_damping, shift=self.shift.view(float), law_stiffness=np.array(stiffest),
            residual=self.residual, matrix=self.matrix.T, matrix_width=width, plane=self._plane, room=self._room,
            pivots=np.zeros(size + 2), tolerance=family.tolerance, dgetrf=routine_address("dgetrf"),
            dgetrs=routine_address("dgetrs"),
        )  # fmt: skip
        if not family.waves.transforms:
            self.plan.waves = family.waves.across
        modal = isinstance(family.compliance, ModalCompliance)
        self.steps = modal and family.loads.fixed is None and size > 0
        rows = self._place_modes(family) if modal else 0
        family.follower.reserve_integers(2 * max(family.waves.samples, size + 1, (m + 1) * r, rows, width + 1))
        self._evaluate, self._correct_on = (
            compiled(entry).call for entry in ("evaluate_equations", "correct_on_plane")
        )

    def _place_modes(self, family: HarmonicBalance) -> int:
        """What the compiled compliance needs of the modes; how many rows stand for them."""
        own = family.compliance
        assert isinstance(own, ModalCompliance)
        seen, driven = family.seen @ own.shapes, own.left @ family.lines.along
        response = (driven.T[:, None, :] * seen).reshape(-1, own.a.size)
        tables = [response, seen]
        if np.iscomplexobj(response):
            tables = [np.concatenate([table.real, table.imag], axis=1) for table in tables]
        rows = int(tables[0].shape[1])
        plan, loads = self.plan, family.loads
        plan.mode_count, plan.mode_row_count, plan.mode_square, plan.loads_move = own.a.size, rows, own.c, loads.moves
        plan.mode_constant, plan.mode_linear = own.a.view(float), own.b.view(float)
        plan.loose_modes = own.free
        plan.mode_response, plan.mode_seen = (np.ascontiguousarray(table, dtype=float) for table in tables)
        self.place_loads(family)
        plan.mode_weights = np.zeros((4, rows, family.waves.width + 1))
        return rows

    def place_loads(self, family: HarmonicBalance) -> None:
        """What the compiled compliance needs of the loads."""
        own = family.compliance
        if isinstance(own, ModalCompliance):
            powers = family.loads.powers @ own.left.T.astype(complex)
            self.plan.mode_loads = np.asarray(powers, order="C").view(np.float64)

    @property
    def matrix_width(self) -> int:
        """Coefficients of each series that the last matrix had: all, or those of the lowest harmonics."""
        return self.plan.matrix_width

    def evaluate(self, x: Array, p: float, derived: bool) -> bool:
        """Fill ``residual``, and ``matrix`` if it is wanted; whether what is left is finite."""
        size = self.size
        self._unknowns[:size], self._unknowns[size] = x, p
        self._evaluate(self.plan.pointer, derived)
        left = self.residual[:size]
        return math.isfinite(left.dot(left))

    def correct(self, guess: Array, plane: Plane, rough: bool = False) -> CurvePoint | None:
        """The point on a plane near a guess; None where the general corrector has to find it.

        rough : the tangent may be that of the last Jacobian.
        """
        slots, rows = self.plan.slots, self._plane
        self._unknowns[:] = guess
        rows[0], rows[1], rows[2] = plane.origin, plane.normal, plane.scale
        slots.distance, slots.rough = plane.distance, rough
        if self._correct_on(self.plan.pointer) != 1.0:
            return None
        tangent = self._room[0].copy()
        return CurvePoint(self._unknowns.copy(), plane.scale, tangent, slots.jacobians, slots.largest, slots.turn)
