"""Selection of the best start: several starts on thinned samples, then the best of them on all samples."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from time import process_time
from typing import NamedTuple

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import SlipstickError
from slipstick.identification import tolerances as tol
from slipstick.identification.preparing.imposed_path import has_rate_dependent_memory
from slipstick.identification.preparing.prepared_loop import PreparedLoop
from slipstick.identification.search.least_squares import FitProblem, SearchResult, minimise, minimise_briefly
from slipstick.identification.search.loop_weights import has_reliable_noise
from slipstick.laws.base import Law

Progress = Callable[[str, float], None]  # the present task, and the finished share of all work

MAX_SEARCH_SECONDS = 10.0  # of processor time: limit for a search beyond its usual evaluations
STARTS_FOLLOWED = 4  # starts that are minimised on thinned loops
MAX_FAILED_PERTURBATIONS = 4  # random starts in a row without a better minimum
STARTS_FOLLOWED_OTHER_STATE = 8  # ... with other initial states
DECIMATED_SAMPLES = 20_000  # of a loop with many samples: a search converges on these before it takes all of them


class SearchState(NamedTuple):
    """problem, result : the best search so far.   prepared : its loops, with their initial states and notes."""

    problem: FitProblem
    result: SearchResult
    prepared: list[PreparedLoop]


class ThinnedResult(NamedTuple):
    """End of a search on thinned loops.   start : its index.   x : scaled unknowns.   noise_ratio : rms over noise."""

    start: int
    x: Array
    noise_ratio: float
    prepared: list[PreparedLoop]


def rms_over_noise(problem: FitProblem, residuals: Array) -> float:
    """The rms residual over the noise."""
    return float(np.sqrt(residuals @ residuals / problem.count))


def thinned_problem(problem: FitProblem, prepared: list[PreparedLoop]) -> FitProblem:
    """The problem on thinned loops."""
    rate_dependent = has_rate_dependent_memory(problem.unknowns.template)
    return replace(problem, paths=[r.path.thinned(r.loop.turning.turns, rate_dependent) for r in prepared])


def refine_on_decimated_samples(problem: FitProblem, x: Array, prepared: list[PreparedLoop]) -> Array:
    """Scaled unknowns of a search on decimated loops; x itself where no loop has many samples.

    A few evaluations on all samples are left from there, each of which takes its time.
    """
    paths = [
        path.thinned(r.loop.turning.turns, target=DECIMATED_SAMPLES)
        for path, r in zip(problem.paths, prepared, strict=True)
    ]
    if all(path.u.size == own.u.size for path, own in zip(paths, problem.paths, strict=True)):
        return x
    return minimise(replace(problem, paths=paths), x, tol.DECIMATED_COST_TOLERANCE_REL).x


def refine_on_all_samples(problem: FitProblem, x: Array, noise_ratio: float) -> SearchResult:
    """Minimise on all samples; a law that does not fit ends at a coarser tolerance.

    A search that reaches the usual budget continues if it was fast so far.
    """
    fine = _fine_tolerance(problem, noise_ratio)
    tolerance = tol.MISFIT_COST_TOLERANCE_REL if noise_ratio >= tol.MISFIT_NOISE_RATIO else fine
    began = process_time()
    result = minimise(problem, x, tolerance)
    while (
        problem.may_extend
        and not (result.converged or result.timed_out)
        and process_time() - began < MAX_SEARCH_SECONDS
    ):
        longer = minimise(problem, result.x, tolerance)
        result = longer._replace(evaluations=result.evaluations + longer.evaluations)
    fits = rms_over_noise(problem, result.residuals) < tol.MISFIT_NOISE_RATIO
    if fits and tolerance > fine:
        return minimise(problem, result.x, fine)
    return result


def _fine_tolerance(problem: FitProblem, noise_ratio: float) -> float:
    """Relative gain of the cost that ends the search of a law that fits.

    Of many samples with noise, a gain of the cost far below 1 moves no parameter by a noticeable part of its interval.
    """
    if problem.count <= DECIMATED_SAMPLES or noise_ratio < tol.NOISY_RATIO:
        return tol.FINE_COST_TOLERANCE_REL
    is_poor = noise_ratio > tol.POOR_FIT_NOISE_RATIO
    return tol.MISFIT_COST_TOLERANCE_REL if is_poor else tol.MANY_SAMPLES_COST_GAIN / problem.count


def search_from_best_start(
    problems: list[FitProblem], prepared: list[PreparedLoop], report: Progress, is_template: bool
) -> SearchState:
    """Search from the best of several starts, first on thinned samples, then on all of them.

    If none comes near the noise, all loops are also tried virgin and all settled: a start that diverged with a wrong
    initial state does not recover with the right one.
    is_template : the first start is a law given by the user. It competes with its best initial states, so that a refit
        is never worse than the template.
    """
    prepared = _with_nearest_initial_state(prepared, problems[0].unknowns.template) if is_template else prepared
    end = follow_starts(problems, prepared, report, STARTS_FOLLOWED)
    limit = _retry_noise_ratio(problems[0], prepared)
    for state in ("virgin", "settled"):
        alike = [r if r.initial_state.state == state else r.with_other_state for r in prepared]
        if end.noise_ratio > limit and any(r.initial_state.state != state for r in prepared):
            retry = follow_starts(problems, alike, report, STARTS_FOLLOWED_OTHER_STATE)
            end = retry if retry.noise_ratio < tol.UNIFORM_STATE_RMS_RATIO * end.noise_ratio else end
    if end.noise_ratio > tol.POOR_FIT_NOISE_RATIO:
        end = _try_perturbed_starts(problems[end.start], end)
    report("all samples", 0.6)
    # the best point on thinned samples may be worse on all samples than its start, or than the template
    starts = [(end.start, end.prepared), *([(0, prepared)] if is_template else [])]
    candidates = [
        end,
        *(end._replace(start=i, x=problems[i].scaled(problems[i].unknowns.values), prepared=r) for i, r in starts),
    ]
    full = [replace(problems[each.start], paths=[r.path for r in each.prepared]) for each in candidates]
    ratios = [rms_over_noise(p, p.residuals(each.x)) for p, each in zip(full, candidates, strict=True)]
    best = int(np.argmin(ratios))
    problem, end = full[best], candidates[best]
    if not any(r.encloses_area for r in prepared):  # lines leave most parameters undetermined, and searches endless
        rough = minimise(problem, end.x, tol.ROUGH_COST_TOLERANCE_REL)
        return SearchState(problem, rough._replace(converged=rough.converged or problem.may_extend), end.prepared)
    near = refine_on_decimated_samples(problem, end.x, end.prepared)
    return SearchState(problem, refine_on_all_samples(problem, near, end.noise_ratio), end.prepared)


def _try_perturbed_starts(problem: FitProblem, end: ThinnedResult) -> ThinnedResult:
    """The best of searches on thinned loops from random points about an end, for a law that does not fit.

    Ends after a few that find nothing better.
    """
    thinned, rng, failures = thinned_problem(problem, end.prepared), np.random.default_rng(0), 0
    low, high = thinned.bounds()
    while failures < MAX_FAILED_PERTURBATIONS:
        scale = np.array([thinned.perturbation_scale(i, x) for i, x in enumerate(end.x)])
        failures += 1
        try:
            result = minimise_briefly(thinned, np.clip(end.x + scale * rng.standard_normal(end.x.size), low, high))
        except SlipstickError:  # these parameters make no law
            continue
        ratio = rms_over_noise(thinned, result.residuals)
        if ratio < tol.BETTER_MINIMUM_RMS_RATIO * end.noise_ratio:
            end, failures = end._replace(x=result.x, noise_ratio=ratio), 0
    return end


def _retry_noise_ratio(problem: FitProblem, prepared: list[PreparedLoop]) -> float:
    """Ratio of rms to noise above which other initial states are tried.

    The noise is known to a few per cent only, which may hide a better minimum of a law that has many.
    """
    if all(r.initial_state.certain for r in prepared):
        return tol.POOR_FIT_NOISE_RATIO
    return 0.0 if has_rate_dependent_memory(problem.unknowns.template) else tol.NO_BETTER_START_NOISE_RATIO


def _with_nearest_initial_state(prepared: list[PreparedLoop], law: Law) -> list[PreparedLoop]:
    """Each loop with the initial state that gives a law the smaller residual."""
    nearest = []
    for r in prepared:
        other = r.with_other_state
        is_nearer = other.path.rms_residual(law) < tol.UNIFORM_STATE_RMS_RATIO * r.path.rms_residual(law)
        nearest.append(other if is_nearer else r)
    return nearest


def follow_starts(
    problems: list[FitProblem], prepared: list[PreparedLoop], report: Progress | None, max_starts: int
) -> ThinnedResult:
    """The best result of searches on thinned loops, from the starts with the smallest cost."""
    thinned = [thinned_problem(problem, prepared) for problem in problems]
    costs = [
        float(np.sum(np.minimum(p.residuals(p.scaled(p.unknowns.values)) ** 2, tol.NO_FORCE_RESIDUAL**2)))
        for p in thinned
    ]
    order = np.argsort(costs)[:max_starts]
    is_noise_reliable = has_reliable_noise(prepared)
    has_many_minima = has_rate_dependent_memory(problems[0].unknowns.template)
    ends: list[ThinnedResult] = []
    for k, i in enumerate(order):
        if report is not None:
            report(f"start {k + 1} of {order.size}", 0.1 + 0.5 * k / order.size)
        result = minimise_briefly(thinned[i], thinned[i].scaled(thinned[i].unknowns.values))
        ends.append(ThinnedResult(int(i), result.x, rms_over_noise(thinned[i], result.residuals), prepared))
        is_best = (is_noise_reliable and ends[-1].noise_ratio < tol.NO_BETTER_START_NOISE_RATIO) or (
            k > 0 and ends[-1].noise_ratio < tol.POOR_FIT_NOISE_RATIO and _share_minimum(ends)
        )
        if is_best and not has_many_minima:
            break
    return min(ends, key=lambda end: end.noise_ratio)


def _share_minimum(ends: list[ThinnedResult]) -> bool:
    ratios = [end.noise_ratio for end in ends]
    return max(ratios) < tol.SAME_MINIMUM_RMS_RATIO * min(ratios)
