"""The motion of all coordinates and connections, from the unknowns of harmonic balance."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from slipstick.arrays import Array, Complex
from slipstick.laws.regularisation import SqrtFriction
from slipstick.periodic.balance.extremes import range_of_samples, range_of_series
from slipstick.periodic.balance.fourier_series import as_pairs, as_series
from slipstick.periodic.balance.load_harmonics import harmonic_of, harmonic_pairs_of

if TYPE_CHECKING:
    from slipstick.periodic.balance.harmonic_balance import HarmonicBalance
    from slipstick.periodic.balance.nonlinear_connections import NonlinearConnections


def free_pairs(family: HarmonicBalance, x: Array, p: float) -> Complex:
    """(n, H+1) pairs of the free coordinates at a solution; the laws have been followed there."""
    y = as_pairs(family.deflections_of(x))
    rest = family.follower.harmonics_of_forces().view(complex) - family.equations.shift * y
    right = family.loads.at(p) - (family.lines.along @ rest).T
    found = family.compliance.values(family.s_at(p), right[:, :, None])
    found[-1] = found[-1].real
    return np.ascontiguousarray(found[:, :, 0].T)


def sticking_terms(lines: NonlinearConnections) -> dict[int, list[int]]:
    """Connections that can stick, and which of their leaves do."""
    found: dict[int, list[int]] = {}
    for number, member in enumerate(lines.members):
        if member.rounds or member.law.elastic_slider is not None:
            found.setdefault(lines.connections[member.line], []).append(number)
    return found


def sticking_samples(family: HarmonicBalance, connection: int) -> tuple[NDArray[np.bool_], bool]:
    """(N,) where every slider of a connection sticks, and whether one of them never slips.

    The laws have been followed with their derivatives.
    """
    follower = family.follower
    stuck, rests = np.ones(family.waves.samples, dtype=bool), False
    for number in family.sticking_terms[connection]:
        member = family.lines.members[number]
        if member.rounds:
            assert isinstance(member.law, SqrtFriction)
            own = np.abs(member.scale * follower.turn[member.line]) < member.law.width
        else:
            own = follower.local[number][:, 0, 0] != 0.0
        stuck &= own
        rests |= own.size - int(np.count_nonzero(own)) <= 1  # led to its limit, it touches it at one sample
    return stuck, rests


def all_pairs(family: HarmonicBalance, free: Complex) -> Complex:
    """(..., coordinates, H+1) of free ones (..., n, H+1), with prescribed motions in their places."""
    assembly, system = family.problem.assembly, family.problem.system
    out = np.zeros((*free.shape[:-2], len(assembly.names), family.index + 1), dtype=complex)
    out[..., assembly.free, :] = free
    for i in assembly.prescribed:
        motion = system.coordinates[i].motion
        assert motion is not None
        out[..., i, -1] += motion.parts().constant
        for omega, c, s in motion.harmonics_at(family.base):
            out[..., i, harmonic_of(omega, family.base / family.order, family.index) - 1] += c + 1j * s
    return out


class ConnectionForces:
    """What the connections do over a period.

    force, rate, sticks : (c, N) at the samples.
    """

    def __init__(self, family: HarmonicBalance, free: Complex, p: float) -> None:
        problem, follower, waves = family.problem, family.follower, family.waves
        count = len(problem.system.connections)
        first = p / family.order
        self.family = family
        self.force, self.rate = np.zeros((count, waves.samples)), np.zeros((count, waves.samples))
        offsets = harmonic_pairs_of(problem.offsets, family.base / family.order, family.index).T
        series = as_series(problem.deflections @ free + offsets) if problem.elements else np.zeros((0, waves.width))
        u, v = waves.values_of(series), first * waves.slopes_of(series)
        for e, element in enumerate(problem.elements):
            v[e] += element.deflection @ family.drift
            self.rate[element.connection] = v[e] / element.scale
            if not problem.system.connections[element.connection].is_conjugate:
                along = as_series((element.along @ free)[None])
                self.rate[element.connection] = first * waves.slopes_of(along)[0] + element.along @ family.drift
            if e in family.folded:
                own = element.law.linear_force
                assert own is not None
                self.force[element.connection] += element.force * (
                    own.stiffness * u[e] + own.damping * v[e] + own.preload
                )
        for line, connection in enumerate(family.lines.connections):
            self.force[connection] += follower.force[line]
        self._find_sticking()

    def summed_range(self, own: tuple[int, ...]) -> float:
        """Largest less smallest sum of the forces of some connections."""
        force = self.force[list(own)].sum(axis=0, keepdims=True)
        if set(own) & set(self.family.lines.connections):
            return float(range_of_samples(force, is_smooth=not self.family.lines.has_corners)[0])
        return float(range_of_series(as_pairs(self.family.waves.coefficients(force)), self.family.fine_grid)[0])

    @property
    def force_range(self) -> Array:
        """(c,) largest less smallest force."""
        ranges = range_of_samples(self.force, is_smooth=not self.family.lines.has_corners)
        linear = [c for c in range(ranges.size) if c not in self.family.lines.connections]
        if linear:
            pairs = as_pairs(self.family.waves.coefficients(self.force[linear]))
            ranges[linear] = range_of_series(pairs, self.family.fine_grid)
        return ranges

    def _find_sticking(self) -> None:
        """1 where every slider of a connection sticks, 0 where one slips; not a number where there is none."""
        self.sticks = np.full(self.force.shape, np.nan)
        for connection in self.family.sticking_terms:
            self.sticks[connection], _ = sticking_samples(self.family, connection)

    def lags(self) -> Array:
        """(c,) [rad] of the base frequency at which the first stick begins; not a number where none does."""
        found = np.full(self.force.shape[0], np.nan)
        for c, row in enumerate(self.sticks):
            begins = np.flatnonzero((row == 1.0) & (np.roll(row, 1) == 0.0))
            if begins.size:
                found[c] = 2.0 * np.pi * self.family.order * begins[0] / row.size
        return found
