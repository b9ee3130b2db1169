"""Laws along the samples of a period: records for the compiled loop, and calls of it."""

from __future__ import annotations

import numpy as np

from slipstick.arrays import Array
from slipstick.laws.law_kernels import tangent_kernel, value_kernel
from slipstick.native import Rows
from slipstick.periodic.balance import aft_forces_loop, direction_rows_loop
from slipstick.periodic.balance.blas_routines import BLAS_LETTERS, BLAS_ONE_ZERO, blas_integers, routine_address
from slipstick.periodic.balance.compiled import compiled
from slipstick.periodic.balance.corners_loop import CORNER_LENGTH
from slipstick.periodic.balance.fourier_series import FourierGrid
from slipstick.periodic.balance.law_corners import corners_of_law
from slipstick.periodic.balance.nonlinear_connections import ForceTerm, NonlinearConnections
from slipstick.periodic.balance.records import (
    BY_COEFFICIENTS,
    NO_RATE,
    ONLY_FORCES,
    ONLY_HARMONICS,
    RATE_BY_PHASE,
    RATE_BY_TIME,
    LawCorner,
    LawPlan,
    SampledLeaf,
)
from slipstick.transient.loop_kernels import parameters_of


class SampledLaws:
    """The laws of some lines on the samples of a period; curved : whether deflections are, between samples.

    motion : (lines, 2 samples) in: deflections, and their slopes by tau; ``deflection`` and ``turn`` are parts of it.
    force : (lines, samples) out.   by_x : (lines, samples, width + 1) out: its derivatives by the coefficients of its
    line and by the frequency of the first harmonic.
    harmonics : (lines, width + 1, width + 1) the harmonics of by_x, which `evaluate_laws` finds without by_x.
    corners : (lines, width + 1) out: what corners between samples add to the harmonics of the forces.
    breaks : deflections at which laws without memory have corners.
    pairs : lines of a force and of another deflection of its law.   pair_harmonics : the same of these.
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
        self.breaks, self.pairs = 0, list[tuple[int, int]]()
        leaves = Rows(SampledLeaf, max(len(lines.members), 1))
        for e, (member, factor) in enumerate(zip(lines.members, self.factors, strict=False)):
            self._place(leaves[e], member)
            leaves[e].factor = factor
        pairs = len(self.pairs)
        self.pair_harmonics = np.zeros((pairs, width + 1, width + 1))
        self.plan = LawPlan(
            sample_count=n, width=width, line_count=m, leaf_count=len(lines.members), omega=1.0,
            wanted=BY_COEFFICIENTS, any_rate=self.any_rate, transforms=waves.transforms,
            sixth=1.0 / 6.0 if curved else 0.0, tangent_width=width, leaves=leaves, circle=waves.circle,
            transform_room=np.zeros(3 * n + 2 * width + 8), force=self.force, by_coefficients=self.by_x,
            by_deflection=np.zeros((m, n)), by_slope=np.zeros((m, n)), by_frequency=np.zeros((m, n)),
            has_rows=np.zeros(m + 1), tangent_harmonics=self.harmonics, corner_harmonics=self.corners,
            pair_count=pairs, pair_lines=np.array([*self.pairs, (0, 0)], dtype=float),
            pair_rows=np.zeros((pairs, n, width + 1)), pair_harmonics=self.pair_harmonics,
            pair_has_rows=np.zeros(pairs + 1), pair_by_deflection=np.zeros((pairs, n)),
            pair_spectrum=np.zeros((pairs, 2 * width)),
            closure_gaps=self.open, deflection_spectrum=np.zeros((m, 2 * width)),
            slope_spectrum=np.zeros((m, 2 * width)), one_zero=BLAS_ONE_ZERO, letters=BLAS_LETTERS.view(float),
            dgemm=routine_address("dgemm"), dgemv=routine_address("dgemv"), deflection=self.motion,
            slope=self.motion.ravel()[n:],
        )  # fmt: skip
        if not waves.transforms:
            self.plan.projection, self.plan.double_waves = waves.projection, waves.double
        self._counted = 0
        self.reserve_integers(2 * max(n, max(m, pairs) * (width + 1)))
        self.loop = compiled("evaluate_laws").call

    def _place(self, leaf: SampledLeaf, member: ForceTerm) -> None:
        law, n = member.law.kernel_law, self.waves.samples
        several = len(law.directions)
        if several:
            self._place_directions(leaf, member)
            return
        leaf.directions = 1
        size = -1 if law.has_stack else len(law.remembers)
        virgin = law.pack_memory(law.start(0.0), n + 4 if law.has_stack else 0) if size else np.zeros(0)
        columns = self.waves.width + 1
        room = n if size < 0 else aft_forces_loop.scratch_size(size, n, self.waves.width) + 2 * n + columns
        found = corners_of_law(member)
        corners = Rows(LawCorner, len(found))
        corners.numbers[:] = found
        own = max(size, 0)
        leaf.local = local = np.zeros((n, 2 + own, 1 + own))
        self.local.append(local)
        leaf.line, leaf.memory_size, leaf.memory_length, leaf.scale = member.line, size, virgin.size, member.scale
        leaf.rate_kind = RATE_BY_PHASE if member.rounds else RATE_BY_TIME if law.needs_rate else NO_RATE
        leaf.value_function = value_kernel(type(law)).address
        leaf.tangent_function = tangent_kernel(type(law)).address
        leaf.corner_count, leaf.corners = len(found), corners
        self.breaks += len(found)
        leaf.parameters, leaf.virgin = parameters_of(law), np.append(virgin, 0.0)
        leaf.memory, leaf.trial, leaf.direction = (np.zeros(virgin.size + 1) for _ in range(3))
        leaf.room = np.zeros(room + columns + CORNER_LENGTH)

    def _place_directions(self, leaf: SampledLeaf, member: ForceTerm) -> None:
        """One direction of a law with several; the first has the memory and the room."""
        law, n, columns = member.law.kernel_law, self.waves.samples, self.waves.width + 1
        d, m = len(law.directions), len(law.remembers)
        rank = member.law.direction_rank
        leaf.directions = d if rank == 0 else 0
        leaf.line, leaf.memory_size, leaf.scale = member.line, m, member.scale
        leaf.rate_kind = RATE_BY_TIME if law.needs_rate else NO_RATE
        leaf.value_function = value_kernel(type(law)).address
        leaf.tangent_function = tangent_kernel(type(law)).address
        leaf.parameters = parameters_of(law)
        leaf.corner_count, leaf.corners = 0, Rows(LawCorner, 0)
        size = m + 3 * d + 1 if rank == 0 else 1
        leaf.memory_length, leaf.virgin = m, np.append(law.start(0.0), 0.0)
        leaf.memory, leaf.trial, leaf.direction, leaf.slope = (np.zeros(size) for _ in range(4))
        leaf.local = local = np.zeros((n, 2 * d + m, d + m) if rank == 0 else (1, 1, 1))
        self.local.append(local)
        leaf.room = np.zeros(direction_rows_loop.directions_room(m, d, n, columns) + 1 if rank == 0 else 1)
        if rank == 0:
            leaf.pair_begin = len(self.pairs)
            lines = range(member.line, member.line + d)
            self.pairs += [(a, b) for a in lines for b in lines if a != b]

    def reserve_integers(self, most: int) -> None:
        """Whole numbers for the routines that loops on this plan call: none may be larger."""
        if most > self._counted:
            self._counted, self.plan.integers = most, blas_integers(most).view(float)

    def tangents(self) -> tuple[Array, Array, Array]:
        """(lines, samples) derivatives of the forces, memory held: by deflections, by their slopes by tau, by rates.

        Of laws with several deflections those of each force by its own deflection.
        """
        by_u, by_slope, by_rate = (np.zeros_like(self.force) for _ in range(3))
        for e, (member, local, factor) in enumerate(zip(self.lines.members, self.local, self.factors, strict=True)):
            count, rank = len(member.law.kernel_law.directions), member.law.direction_rank
            if count:
                whole = self.local[e - rank]
                by_u[member.line] += factor * whole[:, rank, rank]
                by_rate[member.line] += factor * whole[:, count + rank, rank]
                continue
            by_u[member.line] += factor * local[:, 0, 0]
            (by_slope if member.rounds else by_rate)[member.line] += factor * local[:, 1, 0]
        return by_u, by_slope + self.plan.omega * by_rate, by_rate

    def run(self, omega: float) -> None:
        """Follow the laws at a frequency [rad/s] of the first harmonic; deflection and turn are in place."""
        self.plan.slots.omega, self.plan.slots.wanted = omega, BY_COEFFICIENTS
        self.plan.slots.tangent_width = self.waves.width
        self.loop(self.plan.pointer)

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
        """As `run`, without derivatives: ``by_x`` and ``local`` become invalid."""
        self.plan.slots.omega, self.plan.slots.wanted = omega, ONLY_FORCES
        self.loop(self.plan.pointer)

    def run_harmonics(self, omega: float) -> None:
        """As `run`, with ``harmonics`` instead of ``by_x``."""
        self.plan.slots.omega, self.plan.slots.wanted = omega, ONLY_HARMONICS
        self.plan.slots.tangent_width = self.waves.width
        self.loop(self.plan.pointer)
