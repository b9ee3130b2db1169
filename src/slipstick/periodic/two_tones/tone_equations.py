"""Harmonic balance of motions with two frequencies, in the deflections of the nonlinear connections.

    u + G (f(u) - k u) = G' F        one equation a line and order

G is the response of the linear part to forces of the lines, at the frequency of the order; k is a stiffness that is
moved from the laws into the linear part, so that it is held.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from slipstick.arrays import Array, Complex
from slipstick.errors import Advice, InvalidInput
from slipstick.forcing import Forcing, sum_functions
from slipstick.periodic.balance.linear_split import plain_part
from slipstick.periodic.balance.nonlinear_connections import (
    NonlinearConnections,
    folded_of,
    nonlinear_connections_of,
    stiffest_estimates,
)
from slipstick.periodic.two_tones.torus_grid import TorusGrid, as_complex, as_real
from slipstick.periodic.two_tones.torus_laws import evaluate, refuse_unknown_law
from slipstick.transient.problem import Problem

SAME_FREQUENCY_REL = 1e-9  # of a load and of an order
SINGULAR = 1e12  # condition number beyond which nothing holds the linear part
RESONANT = 1e15  # stiffness and inertia times compliance: rounding alone bounds the motion of an undamped mode
SMOOTH_SAMPLES = 4  # a harmonic: cubic terms are exact
CORNER_SAMPLES = 8  # a harmonic, for laws with corners
MIN_CORNER_SAMPLES = 48
MEMORY_SAMPLES = 2  # times as many along the lines, for laws with memory


class ToneForces(NamedTuple):
    """series : (m, L + 1) of the forces.   by_series : (m, width, width), or empty.
    memory_change : the largest of `LeafForce.memory_change`."""

    series: Complex
    by_series: Array
    memory_change: float


@dataclass(frozen=True, eq=False)
class ToneEquations:
    """The equations of a problem on one grid.

    lines : its nonlinear connections.   load : factor of all that varies in time, for a homotopy.
    """

    problem: Problem
    lines: NonlinearConnections
    grid: TorusGrid
    load: float = 1.0

    @property
    def size(self) -> int:
        return self.lines.count * self.grid.width

    def on(self, grid: TorusGrid) -> ToneEquations:
        """The same on another grid."""
        return replace(self, grid=grid)

    @cached_property
    def moved_stiffness(self) -> Array:
        """(m,) stiffness that is moved from the laws into the linear part."""
        k, _ = stiffest_estimates(self.lines)
        part = plain_part(self.problem)
        inertia = part.inertia_along(self.lines.rows, self.lines.along)
        return np.where(k > 0.0, k, inertia * self.grid.slow**2)

    @cached_property
    def flexibility(self) -> Complex:
        """(L + 1, n, n) displacements by forces at the frequency of each order."""
        part = plain_part(self.problem)
        stiffness = part.stiffness + (self.lines.along * self.moved_stiffness) @ self.lines.rows
        omega = self.grid.frequencies[:, None, None]
        dynamic = stiffness + 1j * omega * part.damping - omega**2 * part.mass
        if self.problem.n and np.linalg.cond(dynamic[0]) > SINGULAR:
            raise InvalidInput(
                f'model "{self.problem.system.name}" can move freely, so its mean place is open',
                advice=["hold it by a spring, or simulate"],
            )
        size = np.abs(part.stiffness).max(initial=0.0) + self.grid.frequencies**2 * np.abs(part.mass).max(initial=0.0)
        try:
            found = np.asarray(np.linalg.inv(dynamic))
        except np.linalg.LinAlgError:
            raise self._resonance() from None
        if (np.abs(found).max(axis=(1, 2), initial=0.0) * size > RESONANT).any():
            raise self._resonance()
        return found

    def _resonance(self) -> InvalidInput:
        return InvalidInput(
            f'an undamped mode of model "{self.problem.system.name}" has the frequency of an order, so its motion is '
            "unbounded",
            advice=[Advice("add damping, or give other {frequencies}")],
        )

    def loads(self, forcing: Forcing) -> Complex:
        """(rows, L + 1) series of functions of time."""
        found = np.zeros((forcing.rows, self.grid.orders.shape[0]), dtype=complex)
        found[:, 0] = forcing.constant
        for k, omega in enumerate(forcing.omega.tolist()):
            at, turned = self._order_of(omega)
            wave = self.load * (forcing.cos[:, k] - 1j * forcing.sin[:, k])
            found[:, at] += wave.conj() if turned else wave
        return found

    def _order_of(self, omega: float) -> tuple[int, bool]:
        """The number of the order with a frequency, and whether it is that of the opposite order."""
        own = self.grid.frequencies
        near = np.flatnonzero(np.abs(np.abs(own) - omega) <= SAME_FREQUENCY_REL * omega)
        if not near.size:
            a, b = self.grid.harmonics
            raise InvalidInput(
                f"a load, motion or factor of {omega:.6g} rad/s is no sum of multiples of {self.grid.slow:.6g} and "
                f"{self.grid.fast:.6g} rad/s up to orders {a} and {b}",
                advice=[Advice("give other {frequencies}, or raise {harmonics}")],
            )
        at = int(near[np.argmin(np.abs(self.grid.orders[near]).sum(axis=1))])
        return at, bool(own[at] < 0.0)

    @cached_property
    def forcing(self) -> Complex:
        """(n, L + 1) forces on the free coordinates."""
        return self.loads(folded_of(self.problem).forcing)

    @cached_property
    def offsets(self) -> Complex:
        """(m, L + 1) what prescribed motions add to the deflections of the lines."""
        every = self.loads(self.problem.offsets)
        return np.asarray(every[list(self.lines.firsts)] / self.lines.scales[:, None])

    @cached_property
    def response(self) -> Complex:
        """(L + 1, n, m) displacements by forces of the lines."""
        return np.asarray(self.flexibility @ self.lines.along)

    @cached_property
    def linear(self) -> Complex:
        """(n, L + 1) displacements by the loads and the moved stiffness of prescribed motions alone."""
        return np.asarray(np.einsum("lij,jl->il", self.flexibility, self.forcing))

    def displacements(self, u: Complex, force: Complex) -> Complex:
        """(n, L + 1) from deflections and forces of the lines (m, L + 1)."""
        acting = force - self.moved_stiffness[:, None] * (u - self.offsets)
        return np.asarray(self.linear - np.einsum("lij,jl->il", self.response, acting))

    def forces(self, u: Complex, with_derivatives: bool = True) -> ToneForces:
        """Forces of the lines along deflections (m, L + 1)."""
        grid, m = self.grid, self.lines.count
        values, rates = grid.values(u), grid.values(grid.rates(u))
        force = np.zeros_like(values)
        slopes = np.zeros((m, grid.width, grid.width)) if with_derivatives else np.zeros(0)
        memory_change = 0.0
        for term in self.lines.members:
            own = evaluate(term, grid, values[term.line], rates[term.line], with_derivatives)
            factor = self._factor(term.strength, term.modulation)
            force[term.line] += factor * own.force
            memory_change = max(memory_change, own.memory_change)
            if with_derivatives:
                rows = (factor[..., None] * own.by_series).reshape(-1, grid.width)
                slopes[term.line] += grid.projection @ rows
        return ToneForces(grid.series(force), slopes, memory_change)

    def _factor(self, strength: float, modulation: Sequence[tuple[object, bool]]) -> Array:
        """(lines, samples) strength and modulation on the grid."""
        found = np.full((self.grid.lines, self.grid.samples), strength)
        for function, cut in modulation:
            own = self.grid.values(self.loads(sum_functions(1, [(function, np.ones(1))], self.problem.base)))[0]  # type: ignore[list-item]
            found = found * (np.maximum(own, 0.0) if cut else own)
        return found

    def residual(self, x: Array, with_derivatives: bool = True) -> tuple[Array, Array, ToneForces]:
        """(size,) the equations at numbers (size,), their derivatives (size, size) or nothing, and the forces."""
        m, width = self.lines.count, self.grid.width
        u = as_complex(x.reshape(m, width))
        forces = self.forces(u, with_derivatives)
        seen = np.einsum("ij,jl->il", self.lines.rows, self.displacements(u, forces.series)) + self.offsets
        rest = as_real(u - seen).ravel()
        if not with_derivatives:
            return rest, np.zeros(0), forces
        by_force = np.einsum("ij,hjk->hik", self.lines.rows, self.response)  # (L + 1, m, m)
        slopes = forces.by_series - self.moved_stiffness[:, None, None] * np.eye(width)
        columns = as_complex(np.moveaxis(slopes, 1, 2))  # (m, width, L + 1)
        matrix = as_real(np.einsum("lij,jcl->ijcl", by_force, columns))  # (m, m, width, width)
        matrix = np.moveaxis(matrix, (0, 1, 2, 3), (0, 2, 3, 1)).reshape(m * width, m * width)
        return rest, np.eye(m * width) + matrix, forces


def equations_of(problem: Problem, slow: float, fast: float, harmonics: tuple[int, int]) -> ToneEquations:
    """The equations of a problem; refuses laws that they do not take."""
    lines = nonlinear_connections_of(problem, 1.0)
    for term in lines.members:
        refuse_unknown_law(term)
    return ToneEquations(problem, lines, grid_for(lines, slow, fast, harmonics))


def grid_for(lines: NonlinearConnections, slow: float, fast: float, harmonics: tuple[int, int]) -> TorusGrid:
    """A grid that is fine enough for the laws of some lines."""
    counts = [SMOOTH_SAMPLES * h + 4 for h in harmonics]
    if lines.has_corners:
        counts = [max(CORNER_SAMPLES * h, MIN_CORNER_SAMPLES) for h in harmonics]
    if any(term.law.remembers for term in lines.members):
        counts[1] *= MEMORY_SAMPLES
    return TorusGrid(slow, fast, harmonics, counts[0], counts[1])
