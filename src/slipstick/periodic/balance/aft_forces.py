"""Laws along the samples of a period: arrays for the compiled loop, and calls of it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from slipstick.laws.law_kernels import pointer, tangent_kernel, value_kernel
from slipstick.periodic.balance import aft_forces_loop
from slipstick.periodic.balance import records as at
from slipstick.periodic.balance.blas_routines import BLAS_LETTERS, BLAS_ONE_ZERO, blas_integers, routine_address
from slipstick.periodic.balance.compiled import compiled
from slipstick.periodic.balance.corners_loop import CORNER_LENGTH
from slipstick.periodic.balance.fourier_series import FourierGrid
from slipstick.periodic.balance.law_corners import corners_of_law, force_jumps_at_contact
from slipstick.periodic.balance.nonlinear_connections import ForceTerm, NonlinearConnections
from slipstick.transient.law_kernels import parameters_of

Array = NDArray[np.float64]


class SampledLaws:
    """The laws of some lines on the samples of a period; curved : whether deflections are, between samples.

    motion : (lines, 2 samples) in: deflections, and their slopes by tau; ``deflection`` and ``turn`` are parts of it.
    force : (lines, samples) out.   by_x : (lines, samples, width + 1) out: its derivatives by the coefficients of its
    line and by the frequency of the first harmonic.
    harmonics : (lines, width + 1, width + 1) the harmonics of by_x, which `evaluate_laws` finds without by_x.
    corners : (lines, width + 1) out: what corners between samples add to the harmonics of the forces.
    breaks : deflections at which laws without memory have corners.
    open : (leaves,) out: what the memory of a leaf lacks from closing, relative to its force.
    local : of each leaf (samples, 2 + memory, 1 + memory) derivatives of force and memory at each sample.
    """

    def __init__(
        self, lines: NonlinearConnections, waves: FourierGrid, times: Array, base: float, curved: bool = True
    ) -> None:
        n, m, width = waves.samples, lines.count, waves.width
        self.lines, self.waves = lines, waves
        self.motion = np.zeros((m, 2 * n))
        self.deflection, self.turn = self.motion[:, :n], self.motion[:, n:]
        self.force, self.by_x = np.zeros((m, n)), np.zeros((m, n, width + 1))
        self.corners = np.zeros((m, width + 1))
        self.open = np.zeros(len(lines.members))
        self.local: list[Array] = []
        self.harmonics = np.zeros((m, width + 1, width + 1))
        self.any_rate = any(member.rounds or member.law.needs_rate for member in lines.members)
        # at the base frequency the problem was posed at: what has an order is the same at any other
        self.factors = [member.factors(times, base) for member in lines.members]
        self.kept: list[Any] = []
        self.breaks = 0
        table = np.zeros((max(len(lines.members), 1), at.LEAF))
        for row, member, factor in zip(table, lines.members, self.factors, strict=False):
            self._place(row, member, factor)
        self.plan = np.zeros(at.PLAN_LENGTH)
        for place, number in (
            (at.SAMPLES, n), (at.WIDTH, width), (at.LINES, m), (at.LEAVES, len(lines.members)), (at.OMEGA, 1.0),
            (at.WANTED, at.BY_COEFFICIENTS), (at.ANY_RATE, self.any_rate), (at.SIXTH, 1.0 / 6.0 if curved else 0.0),
            (at.DGEMM, routine_address("dgemm")), (at.DGEMV, routine_address("dgemv")),
            (at.TANGENT_WIDTH, width), (at.TRANSFORMS, waves.transforms),
        ):  # fmt: skip
            self.plan[place] = number
        for place, array in (
            (at.TABLE, table), (at.CIRCLE, waves.circle), (at.TRANSFORM_ROOM, np.zeros(3 * n + 2 * width + 8)),
            (at.DEFLECTION, self.deflection), (at.TURN, self.turn), (at.FORCE, self.force), (at.BY_X, self.by_x),
            (at.OPEN, self.open), (at.CORNERS, self.corners), (at.BY_U, np.zeros((m, n))),
            (at.BY_SLOPE, np.zeros((m, n))), (at.BY_FREQUENCY, np.zeros((m, n))),
            (at.SPECTRUM_U, np.zeros((m, 2 * width))), (at.SPECTRUM_SLOPE, np.zeros((m, 2 * width))),
            (at.HAS_ROWS, np.zeros(m + 1)), (at.HARMONICS_OF, self.harmonics),
            (at.ONE_ZERO, BLAS_ONE_ZERO), (at.LETTERS, BLAS_LETTERS),
        ):  # fmt: skip
            self.plan[place] = self._address(array)
        if not waves.transforms:
            self.plan[at.PROJECTION] = self._address(waves.projection)
            self.plan[at.DOUBLE_WAVES] = self._address(waves.double)
        self._counted = 0
        self.reserve_integers(2 * max(n, m * (width + 1)))
        self.loop = compiled("evaluate_laws").call
        self.where = pointer(self.plan)

    def _address(self, array: NDArray[Any]) -> float:
        self.kept.append(array)
        return float(array.ctypes.data)

    def _place(self, row: Array, member: ForceTerm, factor: Array) -> None:
        law, n = member.law, self.waves.samples
        size = -1 if law.has_stack else len(law.remembers)
        virgin = law.pack_memory(law.start(0.0), n + 4 if law.has_stack else 0) if size else np.zeros(0)
        columns = self.waves.width + 1
        room = n if size < 0 else aft_forces_loop.scratch_size(size, n, self.waves.width) + 2 * n + columns
        breaks = corners_of_law(member)
        own = max(size, 0)
        local = np.zeros((n, 2 + own, 1 + own))
        self.local.append(local)
        row[at.LINE], row[at.REMEMBERS], row[at.SCALE] = member.line, size, member.scale
        row[at.RATE] = 2.0 if member.rounds else float(law.needs_rate)
        row[at.VALUE], row[at.TANGENT] = value_kernel(type(law)).address, tangent_kernel(type(law)).address
        row[at.LENGTH] = virgin.size
        row[at.JUMPS] = float(force_jumps_at_contact(law))
        row[at.BREAKS] = len(breaks)
        self.breaks += len(breaks)
        row[at.PARAMETERS] = self._address(parameters_of(law))
        for place, array in (
            (at.FACTOR, factor), (at.VIRGIN, np.append(virgin, 0.0)), (at.MEMORY, np.zeros(virgin.size + 1)),
            (at.TRIAL, np.zeros(virgin.size + 1)), (at.DIRECTION, np.zeros(virgin.size + 1)),
            (at.ROOM, np.zeros(room + columns + CORNER_LENGTH)), (at.LOCAL, local), (at.BREAK_TABLE, breaks),
        ):  # fmt: skip
            row[place] = self._address(array)

    def reserve_integers(self, most: int) -> None:
        """Whole numbers for the routines that loops on this plan call: none may be larger."""
        if most > self._counted:
            self._counted, self.plan[at.COUNTS] = most, blas_integers(most).ctypes.data

    def tangents(self) -> tuple[Array, Array, Array]:
        """(lines, samples) derivatives of the forces, memory held: by deflections, by their slopes by tau, by rates."""
        by_u, by_slope, by_rate = (np.zeros_like(self.force) for _ in range(3))
        for member, local, factor in zip(self.lines.members, self.local, self.factors, strict=True):
            by_u[member.line] += factor * local[:, 0, 0]
            (by_slope if member.rounds else by_rate)[member.line] += factor * local[:, 1, 0]
        return by_u, by_slope + self.plan[at.OMEGA] * by_rate, by_rate

    def run(self, omega: float) -> None:
        """Follow the laws at a frequency [rad/s] of the first harmonic; deflection and turn are in place."""
        self.plan[at.OMEGA], self.plan[at.WANTED] = omega, at.BY_COEFFICIENTS
        self.plan[at.TANGENT_WIDTH] = self.waves.width
        self.loop(self.where)

    def harmonics_of_forces(self) -> Array:
        """(lines, width + 1) coefficients of the forces along the motion that was followed last, a zero behind them."""
        return np.append(self.waves.coefficients(self.force), np.zeros((self.lines.count, 1)), axis=1) + self.corners

    def forces_along(self, motion: Array, omega: Array) -> tuple[Array, Array]:
        """(P, lines, samples) the forces along motions (P, lines, 2 samples) at frequencies (P,) [rad/s], and their
        series (P, lines, width)."""
        found, corners = np.empty((omega.size, *self.force.shape)), np.empty((omega.size, *self.corners.shape))
        for own, out, more, frequency in zip(motion, found, corners, omega.tolist(), strict=True):
            self.motion[:] = own
            self.run_forces(frequency)
            out[:], more[:] = self.force, self.corners
        return found, self.waves.coefficients(found) + corners[..., :-1]

    def run_forces(self, omega: float) -> None:
        """The same without derivatives; ``by_x`` and ``local`` are left as they were, or not."""
        self.plan[at.OMEGA], self.plan[at.WANTED] = omega, at.ONLY_FORCES
        self.loop(self.where)

    def run_harmonics(self, omega: float) -> None:
        """The same with ``harmonics`` and without ``by_x``."""
        self.plan[at.OMEGA], self.plan[at.WANTED] = omega, at.ONLY_HARMONICS
        self.plan[at.TANGENT_WIDTH] = self.waves.width
        self.loop(self.where)
