"""`identify`: a law from measured loops, by least squares over all of them at once.

The steps, with their modules:

    preparing         prepares each loop: smoothing, sign, initial state
    problem_setup     sets up one problem for each start, from the loops' geometry or from a given law
    start_selection   follows the best few starts on thinned loops, and the best of them on all samples
    initial_states    tries other initial states, and a reversal before the first sample
    identify          refits without the pull of spikes, and adds notes
    intervals         adds intervals, correlations and warnings
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slipstick.arrays import Array
from slipstick.errors import Advice, InvalidInput, Message, arguments_in_words
from slipstick.identification import tolerances as tol
from slipstick.identification.constraints import Constraints
from slipstick.identification.intervals.deflection_noise import with_deflection_noise
from slipstick.identification.intervals.estimates import fit_from_search
from slipstick.identification.loop import Loop
from slipstick.identification.preparing.imposed_path import ImposedPath
from slipstick.identification.preparing.loop_geometry import LoopGeometry
from slipstick.identification.preparing.prepared_loop import PreparedLoop, prepare_loops
from slipstick.identification.preparing.reversals import robust_deviation
from slipstick.identification.preparing.sensor_faults import find_outliers
from slipstick.identification.preparing.signal_conditioning import DRIFT_REMOVED_NOTE, estimate_drift
from slipstick.identification.ranking.information_criterion import best_by_criterion
from slipstick.identification.rules.rule_report import rule_values_of
from slipstick.identification.search.envelope_start_values import provided_envelope_laws
from slipstick.identification.search.initial_states import try_other_initial_states, try_previous_reversal
from slipstick.identification.search.least_squares import FitProblem, minimise
from slipstick.identification.search.loop_weights import loop_noise
from slipstick.identification.search.problem_setup import fit_problems_of, natural_sizes, note_held_dampers
from slipstick.identification.search.start_selection import (
    STARTS_FOLLOWED,
    Progress,
    SearchState,
    follow_starts,
    refine_on_all_samples,
    rms_over_noise,
    search_from_best_start,
)
from slipstick.laws.base import Law
from slipstick.laws.generalised_dahl import WithEnvelope
from slipstick.results.fit import NO_CONSTANT_FORCE, REMOVE_OFFSET_ADVICE, Fit
from slipstick.results.tolerances import WITHIN_NOISE_RATIO
from slipstick.units.number_format import format_percent

SPIKE_ROUNDS = 3  # of detecting spikes and refitting


@arguments_in_words
def identify(
    loops: Any,
    law: type[Law] | Law | WithEnvelope | str,
    fixed: Mapping[str, float] | None = None,
    bounds: Mapping[str, Sequence[float]] | None = None,
    priors: Mapping[str, Sequence[float]] | None = None,
    *,
    deflection_noise: float | Sequence[float] | None = None,
    evaluations: int | None = None,
    progress: Progress | None = None,
) -> Fit:
    """Fit a law to one or more measured loops.

    loops : a `Loop` or a list of them; all are fitted at once.
    law : a class of laws, or its name in files ("masing", "linear+dahl"), with start values from the loops; or a law as
        template and start, also a sum. `GeneralisedDahl.with_envelope` selects an envelope.
    fixed : values of held parameters, by name.   bounds : (low, high) by name, None for no bound.
    priors : (mean, standard deviation) by name: prior knowledge.
    deflection_noise : [m] standard deviation of the noise of the deflection, one for all loops or one each; estimated
        from the loops by default. It widens the intervals.
    evaluations : budget of the last search, 200 by default (25 for lines), with 60 s of processor time for each 200.
        A search that reaches it keeps the best point, and a warning says so.
    progress : called with the current step, in words, and the share of all work that is done.
    """
    report = progress or no_progress
    report("reading loops", 0.0)
    prepared = with_deflection_noise(prepare_loops(loops), deflection_noise)
    constraints = Constraints(dict(fixed or {}), dict(bounds or {}), dict(priors or {}))
    return identify_prepared(prepared, law, constraints, evaluations, report)


def identify_prepared(
    prepared: list[PreparedLoop],
    law: type[Law] | Law | WithEnvelope | str,
    constraints: Constraints,
    evaluations: int | None,
    report: Progress,
) -> Fit:
    """The fit of a law to loops that are prepared, with their deflection noise."""
    began = time.perf_counter()
    if envelope_laws := provided_envelope_laws(law):
        calls = [partial(identify_prepared, prepared, each, constraints, evaluations) for each in envelope_laws]
        return _best_of_several(calls, report)
    problems = fit_problems_of(prepared, law, constraints.fixed, constraints.bounds, constraints.priors, evaluations)
    prepared = [note_held_dampers(r, problems[0], constraints.fixed) for r in prepared]
    state = search_from_best_start(problems, prepared, report, isinstance(law, Law) or len(problems) == 1)
    for step, share, improve in (
        ("initial states", 0.8, try_other_initial_states),
        ("reversals before the first sample", 0.85, partial(try_previous_reversal, problems)),
        ("spikes", 0.9, _refit_with_huber_loss),
        ("parameters at bounds", 0.93, _hold_at_bounds),
    ):
        report(step, share)
        state = improve(state)
    problem, result, prepared = state
    fitted_law = problem.law(result.x)
    noise_ratio, offset_warning = rms_over_noise(problem, result.residuals), ""
    if noise_ratio > tol.POOR_FIT_NOISE_RATIO:
        offset_warning = _missing_offset_warning(
            fitted_law, prepared, noise_ratio, lambda loops: _rough_noise_ratio(loops, law, constraints)
        )
        prepared = [_note_far_from_zero(r) for r in prepared]
    prepared = [_note_normal(_note_drift(_note_free_force(r, fitted_law), fitted_law), fitted_law) for r in prepared]
    fit = fit_from_search(problem, result, prepared, time.perf_counter() - began)
    warnings = (offset_warning, *fit.warnings) if offset_warning else fit.warnings
    fit = replace(fit, rules=rule_values_of(fit.law, prepared), warnings=warnings)
    report("done", 1.0)
    return fit


def no_progress(step: str, share: float) -> None:
    """Ignore progress."""
    del step, share


def _rough_noise_ratio(loops: list[Loop], law: Any, constraints: Constraints) -> float:
    """The rms over noise of a rough fit to other loops."""
    prepared = prepare_loops(loops)
    problems = fit_problems_of(prepared, law, constraints.fixed, constraints.bounds, constraints.priors)
    return follow_starts(problems, prepared, None, STARTS_FOLLOWED).noise_ratio


def _best_of_several(fit_calls: Sequence[Callable[..., Fit]], report: Progress) -> Fit:
    """The best of several fits of one class of laws, with a note on the others."""
    fits = []
    for k, fit_law in enumerate(fit_calls):

        def report_part(step: str, share: float, k: int = k) -> None:
            report(f"envelope {k + 1} of {len(fit_calls)}: {step}", (k + share) / len(fit_calls))

        fits.append(fit_law(report_part))
    best = best_by_criterion(fits)
    residuals = ", ".join(f"{fit.law.envelope.shape.name} {fit.residual:.4g}" for fit in fits)
    name = best.law.envelope.shape.name
    note = Message(f"the envelope {name} was chosen by the Bayesian information criterion; rms residuals: {residuals}")
    return replace(best, notes=(note, *best.notes), seconds=sum(fit.seconds for fit in fits))


# ---- spikes


def _refit_with_huber_loss(state: SearchState) -> SearchState:
    """Refit with Huber's loss in loops with spikes, so that a spike pulls no more than `HUBER_KNEE_DEVIATIONS`.

    All samples stay in the residual. The fit is repeated, as the first one was pulled by the spikes.
    """
    problem, result, prepared = state
    for _ in range(SPIKE_ROUNDS):
        law = problem.law(result.x)
        spikes = [_spike_samples(r, law) for r in prepared]
        has_spikes = [0.0 < mask.mean() <= tol.MAX_SPIKE_SHARE for mask in spikes]
        if not any(has_spikes):
            return SearchState(problem, result, prepared)
        huber_knees = tuple(
            tol.HUBER_KNEE_DEVIATIONS * float(weight) * _residual_deviation(r, law) if spiky else np.inf
            for r, spiky, weight in zip(prepared, has_spikes, problem.weights, strict=True)
        )
        problem = replace(problem, huber_knees=huber_knees)
        result = minimise(problem, result.x)
    return SearchState(problem, result, [replace(r, spikes=mask) for r, mask in zip(prepared, spikes, strict=True)])


def _hold_at_bounds(state: SearchState) -> SearchState:
    """Hold parameters that the search drove to a bound of the law, and refit the others: no interval describes them.

    Bounds that the user gave stay bounds.
    """
    problem, result, prepared = state
    held = _values_at_bounds(problem, result.x, max((r.geometry for r in prepared), key=lambda g: g.amplitude))
    if not held or len(held) == len(problem.free):
        return state
    kept = [i for i, place in enumerate(problem.free) if place not in held]
    smaller = replace(
        problem,
        unknowns=problem.unknowns.holding(held),
        free=tuple(problem.free[i] for i in kept),
        size=problem.size[kept],
        held=tuple(problem.unknowns.names[place] for place in held),
    )
    refit = refine_on_all_samples(smaller, result.x[kept], rms_over_noise(problem, result.residuals))
    return SearchState(smaller, refit, prepared) if refit.cost <= tol.HELD_COST_RATIO * result.cost else state


def _values_at_bounds(problem: FitProblem, x: Array, large: LoopGeometry) -> dict[int, float]:
    """Values to hold, by place: those at a bound, and positive ones that are next to nothing."""
    sizes, values, (low, high) = natural_sizes(problem.unknowns, large), problem.values(x), problem.bounds()
    held = {}
    for i, place in enumerate(problem.free):
        own, least = problem.unknowns.each[place], tol.VANISHED_SIZE_REL * float(sizes[place])
        margin = tol.AT_BOUND_REL * max(abs(x[i]), 1.0)
        if own.bounded_by_user:
            continue
        if own.low == 0.0 and values[place] < least:
            held[place] = least if own.positive else 0.0
        elif x[i] - low[i] <= margin or high[i] - x[i] <= margin:
            held[place] = own.low if x[i] - low[i] <= margin else own.high
    return held


def _spike_samples(r: PreparedLoop, law: Law) -> NDArray[np.bool_]:
    """Mask of samples whose residual is far from that of their neighbours, in deviations of all residuals."""
    residuals = r.path.force(law) - r.path.f
    return find_outliers(residuals, r.path.f, _residual_deviation(r, law)) & r.path.counts


def _residual_deviation(r: PreparedLoop, law: Law) -> float:
    """Robust standard deviation of the residuals."""
    residuals = r.path.force(law) - r.path.f
    return max(robust_deviation(residuals), tol.NOISE_FLOOR_REL * float(np.ptp(r.path.f)))


# ---- notes on loops


def _note_far_from_zero(r: PreparedLoop) -> PreparedLoop:
    """Add a note if deflection or force is far from zero, where a law may not be able to follow."""
    low, high = r.geometry.tips
    for quantity, middle, swing, scale in (
        ("deflection", r.geometry.middle, r.geometry.amplitude, r.loop.units.deflection),
        ("force", 0.5 * (low + high), 0.5 * float(np.ptp(r.loop.f)), r.loop.units.force),
    ):
        if abs(middle) > tol.FAR_FROM_ZERO_SWINGS * swing:
            text = (
                f"the {quantity} is about {scale.words(middle, 4)} and swings by {scale.words(swing, 4)}; "
                "a virgin law starts from zero"
            )
            r = r.with_note(text, Advice("if this is an offset of the sensor, {remove_offset}"))
    return r


def _note_free_force(r: PreparedLoop, law: Law) -> PreparedLoop:
    """Add a note if a law leaves its mean force free, so that the data set it."""
    if not r.path.free_force_offset(law):
        return r
    middle = r.loop.units.force.words(r.geometry.level, 4)
    return r.with_note(f"the mean force of this law is free; it was set to that of the loop, {middle}")


def _note_normal(r: PreparedLoop, law: Law) -> PreparedLoop:
    """Add a note on the normal load that friction is proportional to, with the friction coefficients."""
    if r.loop.normal is None or r.path.normal is None:
        return r
    mean = float(r.loop.normal.mean() / r.path.normal.mean())  # of all loops
    numbers = [(leaf.force, getattr(leaf.law, "limit", None)) for leaf in law.leaves()]
    limits = [factor * limit for factor, limit in numbers if isinstance(limit, float)]
    friction = f"; limit over load: {', '.join(f'{limit / mean:.4g}' for limit in limits)}" if limits else ""
    low, high = (r.loop.units.force.words(x, 3) for x in (r.loop.normal.min(), r.loop.normal.max()))
    size = r.loop.units.force.words(mean, 4)
    return r.with_note(
        f"the force of all terms but springs is proportional to the normal load, {low} to {high}; the parameters hold "
        f"at the mean of all loops, {size}{friction}"
    )


def _note_drift(r: PreparedLoop, law: Law) -> PreparedLoop:
    """Add a note if a law does not fit and most of its residual is linear in time."""
    counts = r.path.counts if r.spikes is None else r.path.counts & ~r.spikes
    residuals = r.path.f - r.path.force(law)
    is_removed = any(DRIFT_REMOVED_NOTE in note for note in r.loop.notes)
    rms = float(np.sqrt(np.mean(residuals[counts] ** 2)))
    if is_removed or r.loop.t is None or rms <= WITHIN_NOISE_RATIO * loop_noise(r):
        return r
    t = r.loop.t[counts]
    slope, middle = np.polyfit(t - t.mean(), residuals[counts], 1)
    trend = middle + slope * (t - t.mean())
    if np.var(trend) < tol.DRIFT_VARIANCE_SHARE * np.var(residuals[counts]):
        return r
    rate = r.loop.units.force.words(slope, 3)
    text = f"most of the residual is linear in time, {rate} per second"
    try:
        estimate_drift(r.loop)
    except InvalidInput:  # nothing separates a drift from the amplitude
        return r.with_note(text)
    return r.with_note(text, Advice("if this is a drift of the sensor, {remove_drift}"))


# ---- misfit by an offset


def _missing_offset_warning(
    law: Law, prepared: Sequence[PreparedLoop], noise_ratio: float, trial: Callable[[list[Loop]], float]
) -> str:
    """Warning of a misfit by an offset that the law cannot follow; empty if it has a constant force, the loops are
    centred, or the offset is not the reason: a trial fit to centred loops shows it.

    noise_ratio : rms over noise of the fit.   trial : the same for a rough fit of the law to other loops.
    """
    away = next((r for r in prepared if _describe_offsets(r)), None)
    if away is None or not _is_odd_law(law, away.path):
        return ""
    share = trial([r.loop.without_offset() for r in prepared]) / noise_ratio
    if share > tol.CENTRED_RESIDUAL_RATIO:
        return ""
    return Message(
        f"the law {NO_CONSTANT_FORCE}, and the middle of {away.loop.name} is at "
        f"{' and '.join(_describe_offsets(away))}: centred at zero, "
        f"the residual is {format_percent(share)} of this one",
        advice=[REMOVE_OFFSET_ADVICE],
    )


def _describe_offsets(r: PreparedLoop) -> list[str]:
    """Offsets of deflection and force that are not zero, in words."""
    g, units = r.geometry, r.loop.units
    swing = 0.5 * float(np.ptp(np.concatenate((g.up, g.down))))
    each = (
        (g.middle, tol.OFFSET_AMPLITUDE_SHARE * g.amplitude, units.deflection),
        (g.level, max(tol.OFFSET_AMPLITUDE_SHARE * swing, tol.OFFSET_NOISE_RATIO * r.loop.noise), units.force),
    )
    return [scale.words(middle, 3) for middle, least, scale in each if abs(middle) > least]


def _is_odd_law(law: Law, path: ImposedPath) -> bool:
    """True if the force along the mirrored path is the mirrored force."""
    if path.free_force_offset(law):
        return False
    mirrored = replace(path, u=-path.u, rate=-path.rate, lead_corners=-path.lead_corners)
    force = path.force(law)
    return bool(np.all(np.abs(force + mirrored.force(law)) <= tol.ODD_SYMMETRY_REL * np.ptp(force)))
