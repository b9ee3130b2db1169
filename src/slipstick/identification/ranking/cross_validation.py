"""Cross-validation: how well a law predicts amplitudes, or parts of the record, that are held out of its fit.

More parameters do not reduce this error by themselves. Loops of one amplitude (at other frequencies, or repeated) are
held out together, as each would predict the others. With fewer than three amplitudes, parts of equal duration are held
out; the law still follows the whole motion, so its memory is right.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from slipstick.arrays import Array
from slipstick.errors import SlipstickError
from slipstick.identification import tolerances as tol
from slipstick.identification.preparing.imposed_path import ImposedPath
from slipstick.identification.preparing.prepared_loop import PreparedLoop
from slipstick.identification.preparing.value_groups import groups_within_factor
from slipstick.identification.search.least_squares import FitProblem, minimise_briefly
from slipstick.identification.search.loop_weights import loop_noise
from slipstick.identification.search.unknowns import Unknowns
from slipstick.results.fit import Fit, LoopFit

MAX_HELD_OUT = 6  # amplitudes, one at a time
MIN_AMPLITUDES = 3  # fewer do not predict another one: parts of the record are held out instead
HELD_OUT_PARTS = 4  # of equal duration ...
MIN_REVERSALS = 6  # ... of a record with so many reversals


def held_out_error(
    prepared: Sequence[PreparedLoop], fit: Fit, bounds: Mapping[str, Sequence[float]] | None = None
) -> float:
    """The rms residual of held-out samples, starting from the values of the full fit.

    bounds : those of the fit.
    Loops are weighted by their noise, as in a fit. NaN for a record of few reversals; infinite without a force.
    """
    groups = groups_within_factor([r.geometry.amplitude for r in prepared], 1.0 + tol.SAME_AMPLITUDE_REL)
    full = [_fitted_path(r, loop) for r, loop in zip(prepared, fit.loops, strict=True)]
    if len(groups) >= MIN_AMPLITUDES:
        chosen = [groups[i] for i in np.unique(np.linspace(0, len(groups) - 1, MAX_HELD_OUT).astype(int))]
        held = [[np.full(path.u.size, i in group) for i, path in enumerate(full)] for group in chosen]
    elif sum(r.loop.turning.reversals for r in prepared) >= MIN_REVERSALS:
        held = [[_part_mask(path.u.size, k) for path in full] for k in range(HELD_OUT_PARTS)]
    else:
        return math.nan
    return _held_out_rms(prepared, fit, bounds or {}, full, held)


def _part_mask(size: int, k: int) -> NDArray[np.bool_]:
    """(size,) mask of the k-th of equal parts."""
    return np.asarray(np.arange(size) * HELD_OUT_PARTS // size == k)


def _held_out_rms(
    prepared: Sequence[PreparedLoop], fit: Fit, bounds: Mapping[str, Sequence[float]], full: Sequence[ImposedPath],
    held: Sequence[Sequence[NDArray[np.bool_]]],
) -> float:  # fmt: skip
    """The rms of held-out residuals.   full : paths.   held : for each refit, a mask of the held-out samples a path."""
    noise = np.array([loop_noise(r) for r in prepared])
    squares, counts = 0.0, 0.0
    for masks in held:
        rest = [replace(path, counts=path.counts & ~mask) for path, mask in zip(full, masks, strict=True)]
        kept = [i for i, path in enumerate(rest) if path.counts.any()]
        thin = [rest[i].thinned(prepared[i].loop.turning.turns) for i in kept]
        problem = _refit_problem(fit, bounds, thin, 1.0 / noise[kept])
        if problem.count < len(problem.free):
            return math.nan
        try:
            start = problem.scaled(problem.unknowns.values)
            law = problem.law(minimise_briefly(problem, start).x)
            for path, mask, own in zip(full, masks, noise.tolist(), strict=True):
                out = mask & path.counts
                if out.any():
                    squares += float(np.mean((path.force(law) - path.f)[out] ** 2)) / own**2
                    counts += 1.0
        except SlipstickError:
            return math.inf
    return float(np.sqrt(squares / counts) * np.sqrt(np.mean(noise**2))) if counts else math.nan


def _fitted_path(r: PreparedLoop, loop: LoopFit) -> ImposedPath:
    """The path of a loop with its fitted initial state."""
    if loop.beginning == "unknown":
        return r.started_from_reversal(loop.before).path
    return (r if r.initial_state.state == loop.beginning else r.with_other_state).path


def _refit_problem(
    fit: Fit, bounds: Mapping[str, Sequence[float]], paths: list[ImposedPath], weights: Array
) -> FitProblem:
    """The problem of fitting the same parameters to other loops, from the values of the fit."""
    unknowns = Unknowns.of(fit.law).bounded(bounds)
    free = tuple(i for i, name in enumerate(unknowns.names) if name in fit.free)
    estimates = [fit.parameters[unknowns.names[i]] for i in free]
    # the deviation of an undetermined parameter is infinite: its size is its value
    deviations = [own.deviation if math.isfinite(own.deviation) else 0.0 for own in estimates]
    size = np.array(
        [max(abs(own.value), s, tol.AVOID_ZERO_DIVISION) for own, s in zip(estimates, deviations, strict=True)]
    )
    return FitProblem(unknowns, paths, free, size, weights)
