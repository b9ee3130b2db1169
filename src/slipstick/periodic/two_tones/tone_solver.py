"""Newton's method for motions with two frequencies, with one of them unknown where no load sets it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from slipstick.arrays import Array, Complex
from slipstick.errors import Advice, InvalidInput, NotConverged
from slipstick.periodic.two_tones.tone_equations import ToneEquations, ToneForces
from slipstick.periodic.two_tones.torus_grid import TorusGrid, as_complex, as_real

MAX_ITERATIONS = 40
MAX_HALVINGS = 6
CONVERGED_REL = 1e-11  # change of the motion, of its size
STALLED_REL = 1e-8  # the residual at which sampled corners may keep the last digits from converging
FREQUENCY_STEP_REL = 1e-6  # of a difference
FIRST_LOAD, MIN_LOAD_STEP = 0.05, 1e-3
NOT_CONVERGED_ADVICE = ("begin with a run: start=m.simulate(until=...)", Advice("raise {harmonics}"))


class Solution(NamedTuple):
    """x : (size,) series of the lines.   derivatives : (size, size) at it."""

    equations: ToneEquations
    x: Array
    derivatives: Array
    forces: ToneForces
    iterations: int
    residual: float


@dataclass(frozen=True)
class FreeTone:
    """A frequency that is an unknown.   is_fast : which one.   held : number of the unknown that is zero instead."""

    is_fast: bool
    held: int

    def frequency(self, grid: TorusGrid) -> float:
        return grid.fast if self.is_fast else grid.slow

    def changed(self, grid: TorusGrid, omega: float) -> TorusGrid:
        return replace(grid, fast=omega) if self.is_fast else replace(grid, slow=omega)

    def within(self, grid: TorusGrid, fine: TorusGrid, places: Sequence[int]) -> FreeTone:
        """The same on a grid with more orders.   places : of the orders among those of the finer grid."""
        line, own = divmod(self.held, grid.width)
        half, more = grid.orders.shape[0] - 1, fine.orders.shape[0] - 1
        return replace(self, held=line * fine.width + more + places[own - half])


def free_tone(equations: ToneEquations, u: Complex, is_fast: bool) -> tuple[FreeTone, Complex]:
    """The unknown frequency, and the series (m, L + 1) shifted so that its strongest line has no sine part."""
    orders = equations.grid.orders[:, 1 if is_fast else 0]
    strength = np.abs(u) * (orders != 0.0)
    if not strength.max(initial=0.0) > 0.0:
        raise InvalidInput(
            "no nonlinear connection moves with the second frequency, so the equations do not determine it",
            advice=[Advice("give both {frequencies}")],
        )
    line, k = np.unravel_index(int(np.argmax(strength)), u.shape)
    shift = -np.angle(u[line, k]) / orders[k]
    half, width = equations.grid.orders.shape[0] - 1, equations.grid.width
    return FreeTone(is_fast, int(line) * width + half + int(k)), u * np.exp(1j * shift * orders)


def solve(equations: ToneEquations, u: Complex, free: FreeTone | None = None) -> Solution:
    """The motion near series (m, L + 1) of the deflections; raises `NotConverged`."""
    x = as_real(u).ravel()
    if free is not None:
        x[free.held] = 0.0
    rest, slopes, forces = equations.residual(x)
    size = max(float(np.abs(x).max(initial=0.0)), float(np.abs(rest).max(initial=0.0)), 1e-300)
    for iteration in range(1, MAX_ITERATIONS + 1):
        step = _newton_step(equations, x, rest, slopes, free)
        change = float(np.abs(step).max(initial=0.0))
        before = float(np.abs(rest).max(initial=0.0))
        for halving in range(MAX_HALVINGS):
            trial, y = _moved(equations, x, 0.5**halving * step, free)
            new_rest, new_slopes, new_forces = trial.residual(y)
            after = float(np.abs(new_rest).max(initial=0.0))
            if after <= before or after <= STALLED_REL * size:
                break
        equations, x, rest, slopes, forces = trial, y, new_rest, new_slopes, new_forces
        size = max(float(np.abs(x).max(initial=0.0)), 1e-300)
        if not np.isfinite(after):
            break
        if change <= CONVERGED_REL * size or (after <= STALLED_REL * size and after >= 0.5 * before):
            return Solution(equations, x, slopes, forces, iteration, after / size)
    left = f"residual {after / size:.2g} of the motion (limit {STALLED_REL:g})" if np.isfinite(after) else "it diverged"
    raise NotConverged(f"Newton's method for two tones did not converge: {left}", advice=NOT_CONVERGED_ADVICE)


def _newton_step(equations: ToneEquations, x: Array, rest: Array, slopes: Array, free: FreeTone | None) -> Array:
    """(size,) the step; the number at ``free.held`` is that of the frequency."""
    if free is None:
        return _solved(slopes, -rest)
    omega = free.frequency(equations.grid)
    other = equations.on(free.changed(equations.grid, omega * (1.0 + FREQUENCY_STEP_REL)))
    matrix = slopes.copy()
    change = other.residual(x, with_derivatives=False)[0] - rest
    matrix[:, free.held] = change / FREQUENCY_STEP_REL  # by the logarithm of the frequency
    return _solved(matrix, -rest)


def _solved(matrix: Array, right: Array) -> Array:
    try:
        return np.asarray(np.linalg.solve(matrix, right))
    except np.linalg.LinAlgError:
        words = "Newton's method for two tones met equations without a unique solution"
        raise NotConverged(words, advice=NOT_CONVERGED_ADVICE) from None


def _moved(equations: ToneEquations, x: Array, step: Array, free: FreeTone | None) -> tuple[ToneEquations, Array]:
    if free is None:
        return equations, x + step
    own = step.copy()
    own[free.held] = 0.0
    omega = free.frequency(equations.grid) * float(np.exp(np.clip(step[free.held], -0.1, 0.1)))
    return equations.on(free.changed(equations.grid, omega)), x + own


def solve_from_rest(equations: ToneEquations) -> Solution:
    """The motion that is reached from small loads."""
    linear = np.einsum("ij,jl->il", equations.lines.rows, equations.linear) + equations.offsets
    try:
        return solve(equations, linear)
    except NotConverged:
        pass
    load, step = 0.0, FIRST_LOAD
    u = FIRST_LOAD * linear
    while load < 1.0:
        trial = min(load + step, 1.0)
        guess = u if load == 0.0 else u * (trial / load)
        try:
            found = solve(replace(equations, load=trial), guess)
        except NotConverged:
            step *= 0.5
            if step < MIN_LOAD_STEP:
                raise
            continue
        load, step = trial, 2.0 * step
        u = as_complex(found.x.reshape(equations.lines.count, -1))
    return found
