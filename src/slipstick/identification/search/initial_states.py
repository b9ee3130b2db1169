"""Initial states of loops: virgin or settled, whichever fits better, or a fitted reversal before the first sample.

The memory of a law at the first sample depends on where the motion reversed before. One reversal is fitted: the law
goes from zero deflection to it, and from there to the first sample. At zero this is the virgin curve; beyond the range
it is the branch of a settled loop; in between, every possible slider position is covered.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from slipstick.arrays import Array
from slipstick.identification import tolerances as tol
from slipstick.identification.preparing.imposed_path import ImposedPath
from slipstick.identification.preparing.prepared_loop import PreparedLoop
from slipstick.identification.search.least_squares import FitProblem, minimise_briefly
from slipstick.identification.search.loop_weights import loop_noise
from slipstick.identification.search.start_selection import (
    STARTS_FOLLOWED,
    SearchState,
    follow_starts,
    refine_on_all_samples,
    refine_on_decimated_samples,
    rms_over_noise,
    thinned_problem,
)
from slipstick.laws.base import Law
from slipstick.results.tolerances import WITHIN_NOISE_RATIO
from slipstick.units.scales import LoopUnits

SCANNED_REVERSALS = 41  # trial positions of the previous reversal; the best is refined


def try_other_initial_states(state: SearchState) -> SearchState:
    """Give each loop the initial state that fits better, if the data do not show it or the loop does not fit."""
    if not any(r.encloses_area for r in state.prepared):  # lines do not depend on it
        return state
    for i in range(len(state.prepared)):
        state = _try_other_state(state, i)
    return state


def _try_other_state(state: SearchState, i: int) -> SearchState:
    """Refit with the other initial state of loop i, and keep the better fit; a note if both fit equally well."""
    problem, result, prepared = state
    loop, law = prepared[i], problem.law(result.x)
    other = loop.with_other_state
    rms, other_rms = loop.path.rms_residual(law), other.path.rms_residual(law)
    is_decided = (
        loop.initial_state.certain
        and rms <= WITHIN_NOISE_RATIO * loop_noise(loop)
        and other_rms >= tol.UNIFORM_STATE_RMS_RATIO * rms
    )
    if is_decided or other_rms > tol.HOPELESS_START_RATIO * max(rms, loop_noise(loop)):
        return state
    changed = [other if j == i else each for j, each in enumerate(prepared)]
    changed_problem = replace(problem, paths=[each.path for each in changed])
    thinned, thinned_now = thinned_problem(changed_problem, changed), thinned_problem(problem, prepared)
    rough = minimise_briefly(thinned, result.x)
    ratio = rms_over_noise(thinned, rough.residuals)
    if ratio > tol.OTHER_STATE_THINNED_RMS_RATIO * rms_over_noise(thinned_now, thinned_now.residuals(result.x)):
        return state
    near = refine_on_decimated_samples(changed_problem, rough.x, changed)
    refit = refine_on_all_samples(changed_problem, near, ratio)
    if refit.cost < tol.OTHER_STATE_COST_RATIO * result.cost:
        return SearchState(changed_problem, refit, changed)
    is_undecided = refit.cost < result.cost / tol.OTHER_STATE_COST_RATIO
    if not is_undecided or np.allclose(refit.x, result.x, rtol=0.0, atol=tol.SAME_VALUE_REL):
        return state
    states = f"{loop.initial_state.state} or {other.initial_state.state}"
    values = _format_parameters(changed_problem, refit.x, loop.loop.units)
    noted = loop.with_note(f"the data do not show whether it begins {states}; the other state gives {values}")
    return state._replace(prepared=[noted if j == i else each for j, each in enumerate(prepared)])


def _format_parameters(problem: FitProblem, x: Array, units: LoopUnits) -> str:
    """All parameters of a law, in the units of a file."""
    pairs = zip(problem.unknowns.each, problem.values(x), strict=True)
    return ", ".join(
        f"{unknown.name} {units.of(unknown.dimension).words(float(value), 4).removesuffix(' 1')}"
        for unknown, value in pairs
    )


def try_previous_reversal(problems: list[FitProblem], state: SearchState) -> SearchState:
    """Fit a reversal before the first sample of loops that fit neither virgin nor settled, if that fits far better.

    The search starts from the samples whose force does not depend on the initial state.
    """
    problem, result, prepared = state
    noise_ratio, law = rms_over_noise(problem, result.residuals), problem.law(result.x)
    misfits = [r.path.rms_residual(law) > WITHIN_NOISE_RATIO * loop_noise(r) for r in prepared]
    if noise_ratio <= WITHIN_NOISE_RATIO or not any(misfits):
        return state
    state_free = [
        replace(r, path=(misfit and r.state_free_path) or r.path) for r, misfit in zip(prepared, misfits, strict=True)
    ]
    end = follow_starts(problems, state_free, None, STARTS_FOLLOWED)
    best = problems[end.start]
    reversed_before = _with_previous_reversal(prepared, misfits, best.law(end.x))
    thinned = thinned_problem(best, reversed_before)
    rough = minimise_briefly(thinned, end.x)
    rough_ratio = rms_over_noise(thinned, rough.residuals)
    required_ratio = tol.PREVIOUS_REVERSAL_RMS_RATIO * noise_ratio
    if rough_ratio > max(
        WITHIN_NOISE_RATIO, tol.OTHER_STATE_THINNED_RMS_RATIO * tol.PREVIOUS_REVERSAL_RMS_RATIO * noise_ratio
    ):
        return state
    reversed_before = _with_previous_reversal(prepared, misfits, best.law(rough.x))
    full = replace(best, paths=[r.path for r in reversed_before])
    near = refine_on_decimated_samples(full, rough.x, reversed_before)
    refit = refine_on_all_samples(full, near, rough_ratio)
    if rms_over_noise(full, refit.residuals) > max(WITHIN_NOISE_RATIO, required_ratio):
        return state
    noted = [_note_reversal(r) if misfit else r for r, misfit in zip(reversed_before, misfits, strict=True)]
    return SearchState(full, refit, noted)


def _note_reversal(r: PreparedLoop) -> PreparedLoop:
    position = r.loop.units.deflection.words(r.path.previous_reversal, 3)
    return r.with_note(
        f"it begins neither virgin nor settled: a reversal before the first sample was fitted, at {position}"
    )


def _with_previous_reversal(prepared: list[PreparedLoop], misfits: list[bool], law: Law) -> list[PreparedLoop]:
    """Loops with the previous reversal that suits a law best, where they misfit."""
    return [
        r.started_from_reversal(find_previous_reversal(r.path.thinned(r.loop.turning.turns), law)) if misfit else r
        for r, misfit in zip(prepared, misfits, strict=True)
    ]


def find_previous_reversal(path: ImposedPath, law: Law) -> float:
    """Deflection of the previous reversal with the smallest rms residual of a law over all samples.

    A loop far from zero is small beside its distance from zero, so its own range is scanned as well.
    """
    from scipy.optimize import minimize_scalar

    low, high = float(path.u.min()), float(path.u.max())
    near, wide = (_scan(a, b) for a, b in ((low, high), (min(0.0, low), max(0.0, high))))
    scanned = near if low <= 0.0 <= high else np.concatenate((near, wide))

    def rms(previous_reversal: float) -> float:
        return replace(path, previous_reversal=float(previous_reversal)).rms_residual(law)

    best = min(scanned.tolist(), key=rms)
    step = float(near[1] - near[0]) if best in near else float(wide[1] - wide[0])
    accuracy = tol.PREVIOUS_REVERSAL_TOLERANCE_REL * (high - low)
    refined = minimize_scalar(rms, bounds=(best - step, best + step), method="bounded", options={"xatol": accuracy})
    return float(refined.x) if refined.fun < rms(best) else best


def _scan(low: float, high: float) -> Array:
    """Trial positions of the previous reversal, within a range and beyond it."""
    margin = tol.PREVIOUS_REVERSAL_RANGE_SHARE * (high - low)
    return np.linspace(low - margin, high + margin, SCANNED_REVERSALS)
