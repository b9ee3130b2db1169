"""How well a law predicts amplitudes that it was not fitted to: each is left out in turn and told from the others.

No number of parameters can flatter that. Loops of one amplitude (at other frequencies, or measured again) are left out
together, as each would tell the others.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from slipstick.errors import SlipstickError
from slipstick.identification.preparing.imposed_path import ImposedPath
from slipstick.identification.preparing.prepared_loop import PreparedLoop
from slipstick.identification.preparing.value_groups import groups_within_factor
from slipstick.identification.search.least_squares import ROUGH_COST_TOLERANCE_REL, FitProblem, minimise
from slipstick.identification.search.loop_weights import loop_noise
from slipstick.identification.search.unknowns import Unknowns
from slipstick.results.fit import Fit, LoopFit

Array = NDArray[np.float64]

MAX_LEFT_OUT = 6  # amplitudes that are left out in turn
MIN_AMPLITUDES = 3  # amplitudes: from fewer the others are not told
SAME_AMPLITUDE_FACTOR = 1.05  # amplitudes that differ by a smaller factor are the same


def held_out_error(
    found: Sequence[PreparedLoop], fit: Fit, bounds: Mapping[str, Sequence[float]] | None = None
) -> float:
    """The rms force by which loops are missed that were left out, from the values found with all.

    bounds : those of the fit.
    Loops count by their noise, as in a fit. Not a number with fewer than three amplitudes; infinite
    where a law has no force.
    """
    groups = groups_within_factor([r.geometry.amplitude for r in found], SAME_AMPLITUDE_FACTOR)
    if len(groups) < MIN_AMPLITUDES:
        return math.nan
    chosen = [groups[i] for i in np.unique(np.linspace(0, len(groups) - 1, MAX_LEFT_OUT).astype(int))]
    full = [_fitted_path(r, loop) for r, loop in zip(found, fit.loops, strict=True)]
    thin = [drive.thinned(r.loop.turning.turns) for drive, r in zip(full, found, strict=True)]
    noise = np.array([loop_noise(r) for r in found])
    missed: list[float] = []
    for group in chosen:
        rest = [i for i in range(len(found)) if i not in group]
        task = _refit_problem(fit, bounds or {}, [thin[i] for i in rest], 1.0 / noise[rest])
        try:
            law = task.law(minimise(task, task.scaled(task.unknowns.values), ROUGH_COST_TOLERANCE_REL).x)
            missed += [full[i].misses(law) / float(noise[i]) for i in group]
        except SlipstickError:
            return math.inf
    return float(np.sqrt(np.mean(np.square(missed))) * np.sqrt(np.mean(noise**2)))


def _fitted_path(r: PreparedLoop, loop: LoopFit) -> ImposedPath:
    """The path of a law along a loop, with the beginning that fitted."""
    if loop.beginning == "unknown":
        return r.started_from_reversal(loop.before).drive
    return (r if r.judged.beginning == loop.beginning else r.turned).drive


def _refit_problem(
    fit: Fit, bounds: Mapping[str, Sequence[float]], drives: list[ImposedPath], weights: Array
) -> FitProblem:
    """To find the numbers of a fit again from other loops, from where it ended."""
    unknowns = Unknowns.of(fit.law).bounded(bounds)
    free = tuple(i for i, name in enumerate(unknowns.names) if name in fit.free)
    each = [fit.parameters[unknowns.names[i]] for i in free]
    # what is not told has an infinite deviation, and no size but its value
    size = np.array(
        [max(abs(own.value), own.deviation if math.isfinite(own.deviation) else 0.0, 1e-300) for own in each]
    )
    return FitProblem(unknowns, drives, free, size, weights)
