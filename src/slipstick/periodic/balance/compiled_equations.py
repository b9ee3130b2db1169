"""The compiled equations of a family of harmonic balance: their arrays, and calls of them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from slipstick.laws.law_kernels import pointer
from slipstick.periodic.balance import assembly_loop as loop
from slipstick.periodic.balance import corrector_loop as newton
from slipstick.periodic.balance.blas_routines import routine_address
from slipstick.periodic.balance.compiled import compiled
from slipstick.periodic.balance.compliance import ModalCompliance
from slipstick.periodic.balance.nonlinear_connections import stiffest_estimates
from slipstick.periodic.continuation.corrector import CurvePoint, Plane

if TYPE_CHECKING:
    from slipstick.periodic.balance.harmonic_balance import HarmonicBalance

Array = NDArray[np.float64]


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
        self._plan = np.zeros(newton.CORRECTOR_LENGTH)
        self._kept: list[NDArray[Any]] = []
        self._place_numbers({
            loop.ROWS: m, loop.SERIES: r, loop.COEFFICIENTS: width, loop.ORDER: family.order,
            loop.MATRIX_WIDTH: width, loop.UNIT: 1.0 / family.length, newton.TOLERANCE: family.tolerance,
            newton.DGETRF: routine_address("dgetrf"), newton.DGETRS: routine_address("dgetrs"),
        })  # fmt: skip
        self._place({
            loop.LAWS: family.follower.plan, loop.UNKNOWNS: self._unknowns, loop.LINE_SERIES: np.zeros((m, width)),
            loop.MOVED_SERIES: np.zeros((m, width)), loop.OFFSETS: family.offsets, loop.INTO: family.into,
            loop.FORCES: np.zeros((m, width + 1)), loop.COMPLIANCE: self.g,
            loop.COMPLIANCE_SLOPE: self.g_slope, loop.STIFFNESS: np.array([family.moved_stiffness, family.moved_mean]),
            loop.DAMPING: family.moved_damping, loop.SHIFT: self.shift, loop.RESIDUAL: self.residual,
            loop.MATRIX: self.matrix, newton.PLANE: self._plane, newton.ROOM: self._room,
            newton.PIVOTS: np.zeros(size + 2),
        })  # fmt: skip
        # rounded friction couples all harmonics
        stiffest = np.full((2, m), np.inf) if family.lines.rounds else stiffest_estimates(family.lines, family.length)
        self._place({loop.LAW_STIFFNESS: np.array(stiffest)})
        if not family.waves.transforms:
            self._place({loop.ACROSS: family.waves.across})
        modal = isinstance(family.compliance, ModalCompliance)
        self.steps = modal and family.loads.fixed is None and size > 0
        rows = self._place_modes(family) if modal else 0
        family.follower.reserve_integers(2 * max(family.waves.samples, size + 1, (m + 1) * r, rows, width + 1))
        self._evaluate, self._correct_on = (
            compiled(entry).call for entry in ("evaluate_equations", "correct_on_plane")
        )
        self._where = pointer(self._plan)

    def _place(self, arrays: dict[int, NDArray[Any]]) -> None:
        """Put addresses into the plan, and keep what lies behind them."""
        for place, array in arrays.items():
            assert array.flags.forc  # compiled code knows no strides
            self._kept.append(array)
            self._plan[place] = array.ctypes.data

    def _place_numbers(self, numbers: dict[int, float]) -> None:
        for place, number in numbers.items():
            self._plan[place] = number

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
        self._place_numbers({
            loop.MODES: own.a.size, loop.MODE_ROWS: rows, loop.SQUARE: own.c, loop.LOADS_MOVE: family.loads.moves,
        })  # fmt: skip
        self._place({
            loop.CONSTANT: own.a, loop.LINEAR_TERM: own.b, loop.LOOSE_MODES: own.free,
            loop.RESPONSE: np.ascontiguousarray(tables[0]), loop.SEEN: np.ascontiguousarray(tables[1]),
            loop.LOADED: np.ascontiguousarray(family.loads.powers @ own.left.T.astype(complex)),
            loop.WEIGHTS: np.zeros((4, rows, family.waves.width + 1)),
        })  # fmt: skip
        return rows

    @property
    def matrix_width(self) -> int:
        """Coefficients of each series that the last matrix had: all, or those of the lowest harmonics."""
        return int(self._plan[loop.MATRIX_WIDTH])

    def evaluate(self, x: Array, p: float, derived: bool) -> bool:
        """Fill ``residual``, and ``matrix`` if it is wanted; whether what is left is finite."""
        size = self.size
        self._unknowns[:size], self._unknowns[size] = x, p
        self._evaluate(self._where, derived)
        left = self.residual[:size]
        return math.isfinite(left.dot(left))

    def correct(self, guess: Array, plane: Plane, rough: bool = False) -> CurvePoint | None:
        """The point on a plane near a guess; None where the general corrector has to find it.

        rough : the tangent may be that of the last Jacobian.
        """
        plan, rows = self._plan, self._plane
        self._unknowns[:] = guess
        rows[0], rows[1], rows[2] = plane.origin, plane.normal, plane.scale
        plan[newton.DISTANCE], plan[newton.ROUGH] = plane.distance, rough
        if self._correct_on(self._where) != 1.0:
            return None
        jacobians, residual, turn = plan[newton.JACOBIANS : newton.TURNED + 1].tolist()
        return CurvePoint(self._unknowns.copy(), plane.scale, self._room[0].copy(), int(jacobians), residual, turn)
