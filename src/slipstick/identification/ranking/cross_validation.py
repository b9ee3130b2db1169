"""Cross-validation: how well a law predicts amplitudes that are held out of its fit.

More parameters do not reduce this error by themselves. Loops of one amplitude (at other frequencies, or repeated) are
held out together, as each would predict the others.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from slipstick.errors import SlipstickError
from slipstick.identification import tolerances as tol
from slipstick.identification.preparing.imposed_path import ImposedPath
from slipstick.identification.preparing.prepared_loop import PreparedLoop
from slipstick.identification.preparing.value_groups import groups_within_factor
from slipstick.identification.search.least_squares import FitProblem, minimise
from slipstick.identification.search.loop_weights import loop_noise
from slipstick.identification.search.unknowns import Unknowns
from slipstick.results.fit import Fit, LoopFit

Array = NDArray[np.float64]

MAX_HELD_OUT = 6  # amplitudes, one at a time
MIN_AMPLITUDES = 3  # fewer do not predict another one


def held_out_error(
    prepared: Sequence[PreparedLoop], fit: Fit, bounds: Mapping[str, Sequence[float]] | None = None
) -> float:
    """The rms residual of held-out loops, starting from the values of the full fit.

    bounds : those of the fit.
    Loops are weighted by their noise, as in a fit. NaN with fewer than three amplitudes; infinite without a force.
    """
    groups = groups_within_factor([r.geometry.amplitude for r in prepared], 1.0 + tol.SAME_AMPLITUDE_REL)
    if len(groups) < MIN_AMPLITUDES:
        return math.nan
    chosen = [groups[i] for i in np.unique(np.linspace(0, len(groups) - 1, MAX_HELD_OUT).astype(int))]
    full = [_fitted_path(r, loop) for r, loop in zip(prepared, fit.loops, strict=True)]
    thin = [path.thinned(r.loop.turning.turns) for path, r in zip(full, prepared, strict=True)]
    noise = np.array([loop_noise(r) for r in prepared])
    errors: list[float] = []
    for group in chosen:
        rest = [i for i in range(len(prepared)) if i not in group]
        problem = _refit_problem(fit, bounds or {}, [thin[i] for i in rest], 1.0 / noise[rest])
        try:
            law = problem.law(
                minimise(problem, problem.scaled(problem.unknowns.values), tol.ROUGH_COST_TOLERANCE_REL).x
            )
            errors += [full[i].rms_residual(law) / float(noise[i]) for i in group]
        except SlipstickError:
            return math.inf
    return float(np.sqrt(np.mean(np.square(errors))) * np.sqrt(np.mean(noise**2)))


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
