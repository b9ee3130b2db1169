"""Noise of the deflection: its size, and its effect on the force of a law along a loop.

The measured or smoothed deflection drives the law, so its remaining noise moves the force: at each sample by the slope
of the branch, and along a whole branch if a reversal moves. A Monte Carlo run covers both: fresh noise of the same size
is added a hundred times, smoothed in the same way, and the law follows each path.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import InvalidInput, short_repr
from slipstick.identification import tolerances as tol
from slipstick.identification.loop import Loop
from slipstick.identification.preparing.imposed_path import ImposedPath, forces_of
from slipstick.identification.preparing.prepared_loop import PreparedLoop
from slipstick.identification.preparing.smoothing import hold_monotone, scatter_about_series
from slipstick.identification.search.least_squares import FitProblem
from slipstick.laws.base import Law

NOISE_DRAWS = 100  # gives standard deviations to 7 %


def estimate_deflection_noise(loop: Loop) -> float:
    """[m] standard deviation of the noise of a deflection; 0 if the samples do not show it.

    Noise that adds reversals is visible directly. Otherwise it is the distance of a periodic motion from its Fourier
    series; any other motion is taken as measured.
    """
    noise = loop.turning.noise
    if not loop.turning.is_noisy:
        scatter = scatter_about_series(loop)
        noise = 0.0 if scatter is None else min(scatter, noise)
    return noise if noise > tol.NOISE_FLOOR_REL * float(np.ptp(loop.u)) else 0.0


def with_deflection_noise(
    prepared: Sequence[PreparedLoop], given: float | Sequence[float] | None
) -> list[PreparedLoop]:
    """Loops with the noise of their deflections: as given, one value for all or one each; else as estimated."""
    if given is None:
        return [replace(r, deflection_noise_level=estimate_deflection_noise(r.loop)) for r in prepared]
    try:
        levels = np.broadcast_to(np.asarray(given, dtype=float), len(prepared))
    except (TypeError, ValueError):
        levels = np.array([np.nan])
    if not np.all(np.isfinite(levels) & (levels >= 0.0)):
        words = f"must be a number >= 0, or one for each of the {len(prepared)} loops, got {short_repr(given)}"
        raise InvalidInput(f"identify: deflection_noise {words}").about("deflection_noise")
    return [
        _with_noise_note(replace(r, deflection_noise_level=float(level))) if level else r
        for r, level in zip(prepared, levels, strict=True)
    ]


def _with_noise_note(r: PreparedLoop) -> PreparedLoop:
    words = r.loop.units.deflection.words(r.deflection_noise_level, 3)
    return r.with_note(f"the intervals include the given noise of the deflection, {words}")


def perturbed_residuals(problem: FitProblem, law: Law, prepared: Sequence[PreparedLoop]) -> Array | None:
    """(draws, count) changes of the residuals due to fresh noise of the deflections; None without noise."""
    if not any(r.deflection_noise_level for r in prepared):
        return None
    rng = np.random.default_rng(0)  # reproducible intervals
    unperturbed = forces_of(law, problem.paths)
    draws = np.empty((NOISE_DRAWS, problem.count))
    for k in range(NOISE_DRAWS):
        perturbed = forces_of(law, [_perturbed_path(r, rng) for r in prepared])
        parts = zip(problem.weights, perturbed, unperturbed, problem.paths, strict=True)
        draws[k] = np.concatenate([weight * (new - old)[path.counts] for weight, new, old, path in parts])
    return draws


def _perturbed_path(r: PreparedLoop, rng: np.random.Generator) -> ImposedPath:
    """The path of a loop with fresh noise, smoothed in the same way."""
    if not r.deflection_noise_level:
        return r.path
    moved = r.path.u + r.filter(r.deflection_noise_level * rng.standard_normal(r.path.u.size))
    path = r.path_along(hold_monotone(moved, r.loop.turning.turns), r.initial_state.state)
    return replace(path, counts=r.path.counts)
