"""Noise in a deflection: how large it is, and what it does to a law's force along a loop.

A law is led by the deflection as it was measured or smoothed, and what is left of the noise in it moves the force: by
the slope of a branch at each sample, and all along a branch where it is the reversal that moved. So each loop is shaken
with fresh noise of the same size a hundred times, smoothed as it was, and the law driven along it again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from slipstick.errors import InvalidInput, short_repr
from slipstick.identification.loop import Loop
from slipstick.identification.preparing.imposed_path import ImposedPath, forces_of, imposed_path_of
from slipstick.identification.preparing.prepared_loop import PreparedLoop
from slipstick.identification.preparing.smoothing import hold_monotone, scatter_about_series
from slipstick.identification.search.least_squares import FitProblem
from slipstick.laws.base import Law

Array = NDArray[np.float64]

NOISE_DRAWS = 100  # deviations that follow are known to 7 %
NOISE_FLOOR_REL = 1e-9  # of the range of deflection: less is rounding


def estimate_deflection_noise(loop: Loop) -> float:
    """[m] the noise in a deflection, as far as its samples tell it; 0 where they do not.

    Where it makes the samples turn it is plain. Where not, a periodic motion tells what lies off its Fourier series;
    any other motion may be as it was measured.
    """
    noise = loop.turning.noise
    if not loop.turning.is_noisy:
        scatter = scatter_about_series(loop)
        noise = 0.0 if scatter is None else min(scatter, noise)
    return noise if noise > NOISE_FLOOR_REL * float(np.ptp(loop.u)) else 0.0


def with_deflection_noise(found: Sequence[PreparedLoop], given: float | Sequence[float] | None) -> list[PreparedLoop]:
    """Loops with the noise in their deflections: as given, one for all or each its own; else as they tell it."""
    if given is None:
        return [replace(r, deflection_noise_level=estimate_deflection_noise(r.loop)) for r in found]
    try:
        each = np.broadcast_to(np.asarray(given, dtype=float), len(found))
    except (TypeError, ValueError):
        each = np.array([np.nan])
    if not np.all(np.isfinite(each) & (each >= 0.0)):
        words = f"must be a number >= 0, or one for each of the {len(found)} loops, got {short_repr(given)}"
        raise InvalidInput(f"identify: deflection_noise {words}").about("deflection_noise")
    return [
        _with_noise_note(replace(r, deflection_noise_level=float(own))) if own else r
        for r, own in zip(found, each, strict=True)
    ]


def _with_noise_note(r: PreparedLoop) -> PreparedLoop:
    words = r.loop.units.deflection.words(r.deflection_noise_level, 3)
    return r.said(f"noise of {words} in the deflection, as given, is in the intervals")


def perturbed_residuals(task: FitProblem, law: Law, found: Sequence[PreparedLoop]) -> Array | None:
    """(draws, count) what fresh noise in the deflections changes the residuals of a task by; None without any."""
    if not any(r.deflection_noise_level for r in found):
        return None
    rng = np.random.default_rng(0)  # the same fit has the same intervals
    still = forces_of(law, task.drives)
    draws = np.empty((NOISE_DRAWS, task.count))
    for k in range(NOISE_DRAWS):
        there = forces_of(law, [_perturbed_path(r, rng) for r in found])
        parts = zip(task.weights, there, still, task.drives, strict=True)
        draws[k] = np.concatenate([weight * (new - old)[drive.counts] for weight, new, old, drive in parts])
    return draws


def _perturbed_path(r: PreparedLoop, rng: np.random.Generator) -> ImposedPath:
    """The path of a loop with fresh noise, smoothed as its own was."""
    if not r.deflection_noise_level:
        return r.drive
    moved = r.drive.u + r.filter(r.deflection_noise_level * rng.standard_normal(r.drive.u.size))
    drive = imposed_path_of(r.loop, hold_monotone(moved, r.loop.turning.turns), r.judged.beginning)
    return replace(drive, counts=r.drive.counts)
