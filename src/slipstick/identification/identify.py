"""`identify`: a law from measured loops, by least squares over all of them at once.

The steps, with their modules:

    preparing       prepares each loop: smoothing, sign, initial state
    problem_setup   sets up one problem for each start, from the loops' geometry or the law given; the best few are
                    followed on thinned loops
    least_squares   minimises the best of them on all samples, then with other initial states, and without spikes
    intervals       adds intervals, correlations and warnings
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slipstick.errors import Advice, Message, SlipstickError, arguments_in_words
from slipstick.identification.intervals.deflection_noise import with_deflection_noise
from slipstick.identification.intervals.estimates import fit_from_search
from slipstick.identification.law_traits import rule_values_of
from slipstick.identification.loop import Loop
from slipstick.identification.preparing.imposed_path import has_rate_dependent_memory
from slipstick.identification.preparing.prepared_loop import PreparedLoop, prepare_loops
from slipstick.identification.preparing.reversals import robust_deviation
from slipstick.identification.preparing.sensor_faults import find_outliers
from slipstick.identification.preparing.signal_conditioning import DRIFT_REMOVED_NOTE
from slipstick.identification.ranking.information_criterion import best_by_criterion
from slipstick.identification.search.envelope_start_values import provided_envelope_laws
from slipstick.identification.search.least_squares import (
    FEW,
    NO_FORCE_RESIDUAL,
    ROUGH_COST_TOLERANCE_REL,
    FitProblem,
    SearchResult,
    minimise,
)
from slipstick.identification.search.loop_weights import has_reliable_noise, loop_noise
from slipstick.identification.search.offset_check import missing_offset_warning
from slipstick.identification.search.previous_reversal import find_previous_reversal
from slipstick.identification.search.problem_setup import fit_problems_of, note_held_dampers
from slipstick.laws.base import Law
from slipstick.laws.generalised_dahl import WithEnvelope
from slipstick.results.fit import WITHIN_NOISE_RATIO, Fit
from slipstick.units.scales import LoopUnits

Array = NDArray[np.float64]
Progress = Callable[[str, float], None]  # what is being done, and which share of all is done

STARTS_FOLLOWED = 4  # starts that are followed to their end on thinned loops
STARTS_FOLLOWED_OTHER_STATE = 8  # ... with other beginnings
POOR_FIT_NOISE_RATIO = 3.0  # times the noise: a fit that other beginnings may make better
MISFIT_COST_TOLERANCE_REL = 1e-6  # of the sum of squares: the tolerance for a law that does not fit
MISFIT_NOISE_RATIO = 10.0  # times the noise: a law that does not fit
NO_BETTER_START_NOISE_RATIO = 1.02  # times the noise: no other start is better
SAME_MINIMUM_RMS_RATIO = 1.03  # rms that differ by less are of the same minimum: no need to try more
OTHER_STATE_COST_RATIO = 0.98  # of the sum of squares: another beginning must bring it down so far
UNIFORM_STATE_RMS_RATIO = 0.98  # of the rms: so must loops that all begin alike
# of the rms: an earlier reversal must bring it down so far, where it still does not fit
PREVIOUS_REVERSAL_RMS_RATIO = 0.5
# times the rms on a part of the samples: another beginning is not followed on all of them
OTHER_STATE_THINNED_RMS_RATIO = 1.1
SAME_VALUE_REL = 1e-3  # of a value: what differs by less need not be told apart
HOPELESS_START_RATIO = 20.0  # times worse before a search: another beginning is not tried
DRIFT_VARIANCE_SHARE = 0.5  # of the variance of what is left: so much of it on a line over time is a drift
FAR_FROM_ZERO_SWINGS = 3.0  # times the swing: a loop is far from zero
SPIKE_ROUNDS = 3  # of looking for spikes
HUBER_KNEE_DEVIATIONS = 3.0  # robust deviations: beyond, a sample pulls on the numbers with constant strength
MAX_SPIKE_SHARE = 0.3  # of the samples of a loop; more are no spikes


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
    """A law from one measured loop or several.

    loops : a `Loop` or a list of them; all are fitted at once.
    law : a class of laws, whose start values are read from the loops, or its name in files ("masing", "linear+dahl");
        or a law as template and start; sums too. `GeneralisedDahl.with_envelope` says which envelope is meant.
    fixed : values by name that are held.   bounds : (low, high) by name, None for no bound.
    priors : (mean, standard deviation) by name: what is known beforehand.
    deflection_noise : [m] standard deviation of the noise in the deflection, one for all loops or each its own; what
        the loops tell of it by default. Intervals are wider for it.
    evaluations : budget of the last search, 200 by default (25 along lines). A search that ends with it keeps the best
        point, and a warning says so.
    progress : called with what is being done, in words, and the share of all that is done.
    """
    began = time.perf_counter()
    say = progress or no_progress
    if several := provided_envelope_laws(law):
        asked: dict[str, Any] = {"fixed": fixed, "bounds": bounds, "priors": priors, "evaluations": evaluations}
        asked["deflection_noise"] = deflection_noise
        return _best_of_several([partial(identify, loops, own, **asked) for own in several], say)
    say("reading loops", 0.0)
    prepared = with_deflection_noise(prepare_loops(loops), deflection_noise)
    tasks = fit_problems_of(prepared, law, fixed or {}, bounds or {}, priors or {}, evaluations)
    prepared = [note_held_dampers(r, tasks[0], fixed or {}) for r in prepared]
    task, answer, prepared = _best_start(tasks, prepared, say, isinstance(law, Law) or len(tasks) == 1)
    for words, share, improve in (
        ("beginnings", 0.8, _try_other_initial_states),
        ("unknown beginnings", 0.85, partial(_try_previous_reversal, tasks)),
        ("spikes", 0.9, _refit_with_huber_loss),
    ):
        say(words, share)
        task, answer, prepared = improve(task, answer, prepared)
    off, why = _rms_over_noise(task, answer.residuals), ""
    if off > POOR_FIT_NOISE_RATIO:
        why = missing_offset_warning(
            task.law(answer.x), prepared, off, lambda loops: _rough_misfit(loops, law, fixed, bounds, priors)
        )
        prepared = _note_far_from_zero(prepared)
    prepared = [_note_drift(_note_floating_force(r, task.law(answer.x)), task.law(answer.x)) for r in prepared]
    fit = fit_from_search(task, answer, prepared, time.perf_counter() - began)
    fit = replace(fit, rules=rule_values_of(fit.law, prepared), warnings=(why, *fit.warnings) if why else fit.warnings)
    say("done", 1.0)
    return fit


def no_progress(words: str, share: float) -> None:
    """Tell nobody."""
    del words, share


def _rough_misfit(loops: list[Loop], law: Any, *wishes: Mapping[str, Any] | None) -> float:
    """What a law leaves of other loops, over the noise, by a search on a part of the samples."""
    prepared, (fixed, bounds, priors) = prepare_loops(loops), [own or {} for own in wishes]
    return _follow_starts(
        fit_problems_of(prepared, law, fixed, bounds, priors), prepared, no_progress, STARTS_FOLLOWED
    ).off


def _best_of_several(tries: Sequence[Callable[..., Fit]], say: Progress) -> Fit:
    """The best of fits of one kind of law, with a note on the others."""
    fits = []
    for k, own in enumerate(tries):

        def within(words: str, share: float, k: int = k) -> None:
            say(f"envelope {k + 1} of {len(tries)}: {words}", (k + share) / len(tries))

        fits.append(own(progress=within))
    best = best_by_criterion(fits)
    left = ", ".join(f"{fit.law.envelope.shape.name} {fit.residual:.4g}" for fit in fits)
    note = Message(f"the envelope {best.law.envelope.shape.name} was taken, by Bayes' criterion; rms residuals: {left}")
    return replace(best, notes=(note, *best.notes), seconds=sum(fit.seconds for fit in fits))


# ---- the search


def _best_start(
    tasks: list[FitProblem], prepared: list[PreparedLoop], say: Progress, given: bool
) -> tuple[FitProblem, SearchResult, list[PreparedLoop]]:
    """The best of several starts: tried on a part of the samples first, then on all of them.

    Where none comes near the noise, loops that all begin alike are tried too: a start that ran off on a wrong
    beginning does not come back on the right one.
    given : the first start is a law that was given: with the beginnings that suit it, a fit begun anew is no worse.
    """
    prepared = _with_nearest_initial_state(prepared, tasks[0].unknowns.template) if given else prepared
    end = _follow_starts(tasks, prepared, say, STARTS_FOLLOWED)
    # the noise of a loop is known to some per cent only, which may hide a minimum of a law that has many
    unsure = not all(r.judged.sure for r in prepared)
    poor = (
        POOR_FIT_NOISE_RATIO
        if not unsure
        else 0.0
        if has_rate_dependent_memory(tasks[0].unknowns.template)
        else NO_BETTER_START_NOISE_RATIO
    )
    for beginning in ("virgin", "settled"):
        alike = [r if r.judged.beginning == beginning else r.turned for r in prepared]
        if end.off > poor and any(r.judged.beginning != beginning for r in prepared):
            again = _follow_starts(tasks, alike, say, STARTS_FOLLOWED_OTHER_STATE)
            end = again if again.off < UNIFORM_STATE_RMS_RATIO * end.off else end
    say("all samples", 0.6)
    # what is best on a part of the samples may be worse on all of them than where it began, or than what was given
    starts = [(end.start, end.prepared), *([(0, prepared)] if given else [])]
    ends = [end, *(end._replace(start=i, x=tasks[i].scaled(tasks[i].unknowns.values), prepared=r) for i, r in starts)]
    whole = [replace(tasks[own.start], drives=[r.drive for r in own.prepared]) for own in ends]
    least = int(
        np.argmin([_rms_over_noise(task, task.residuals(own.x)) for task, own in zip(whole, ends, strict=True)])
    )
    task, end = whole[least], ends[least]
    if not any(r.encloses for r in prepared):  # lines: what else a law has is not told, and the way to it is endless
        return task, minimise(task, end.x, ROUGH_COST_TOLERANCE_REL), end.prepared
    return task, _full_search(task, end.x, end.off), end.prepared


def _with_nearest_initial_state(prepared: list[PreparedLoop], law: Law) -> list[PreparedLoop]:
    """Each loop with the beginning with which a law comes nearer to it."""
    found = []
    for r in prepared:
        with suppress(SlipstickError):  # a law that has no force along it
            r = r.turned if r.turned.drive.misses(law) < UNIFORM_STATE_RMS_RATIO * r.drive.misses(law) else r
        found.append(r)
    return found


class _ThinnedResult(NamedTuple):
    """Of a search on a part of the samples: which start it began from, where it ended, rms over noise, the loops."""

    start: int
    x: Array
    off: float
    prepared: list[PreparedLoop]


def _follow_starts(tasks: list[FitProblem], prepared: list[PreparedLoop], say: Progress, most: int) -> _ThinnedResult:
    """The best of the starts that begin best, followed on a part of the samples."""
    thin = [_thinned_problem(task, prepared) for task in tasks]
    costs = [
        float(np.sum(np.minimum(t.residuals(t.scaled(t.unknowns.values)) ** 2, NO_FORCE_RESIDUAL**2))) for t in thin
    ]
    order = np.argsort(costs)[:most]
    tells, many = has_reliable_noise(prepared), has_rate_dependent_memory(tasks[0].unknowns.template)  # many : minima
    ends: list[_ThinnedResult] = []
    for k, i in enumerate(order):
        say(f"start {k + 1} of {order.size}", 0.1 + 0.5 * k / order.size)
        answer = minimise(thin[i], thin[i].scaled(thin[i].unknowns.values), ROUGH_COST_TOLERANCE_REL, FEW)
        ends.append(_ThinnedResult(int(i), answer.x, _rms_over_noise(thin[i], answer.residuals), prepared))
        found = (tells and ends[-1].off < NO_BETTER_START_NOISE_RATIO) or (
            k > 0 and ends[-1].off < POOR_FIT_NOISE_RATIO and _share_minimum(ends)
        )
        if found and not many:
            break
    return min(ends, key=lambda end: end.off)


def _share_minimum(ends: list[_ThinnedResult]) -> bool:
    return max(end.off for end in ends) < SAME_MINIMUM_RMS_RATIO * min(end.off for end in ends)


def _thinned_problem(task: FitProblem, prepared: list[PreparedLoop]) -> FitProblem:
    """With a part of the samples."""
    rates = has_rate_dependent_memory(task.unknowns.template)
    return replace(task, drives=[r.drive.thinned(r.loop.turning.turns, rates) for r in prepared])


def _rms_over_noise(task: FitProblem, residuals: Array) -> float:
    """The rms residual over the noise."""
    return float(np.sqrt(residuals @ residuals / task.count))


def _full_search(task: FitProblem, x: Array, off: float) -> SearchResult:
    """On all samples; a law that is far off is not worth its last digits."""
    if off >= MISFIT_NOISE_RATIO:
        answer = minimise(task, x, MISFIT_COST_TOLERANCE_REL)
        if _rms_over_noise(task, answer.residuals) >= MISFIT_NOISE_RATIO:
            return answer
        x = answer.x
    return minimise(task, x)


def _try_other_initial_states(
    task: FitProblem, answer: SearchResult, prepared: list[PreparedLoop]
) -> tuple[FitProblem, SearchResult, list[PreparedLoop]]:
    """Where the data do not tell how a loop begins, or it does not fit, the beginning that fits better."""
    for i, own in enumerate(prepared if any(r.encloses for r in prepared) else ()):  # a line begins anyhow
        law, other = task.law(answer.x), own.turned
        now, else_ = own.drive.misses(law), other.drive.misses(law)
        fits = (
            own.judged.sure and now <= WITHIN_NOISE_RATIO * loop_noise(own) and else_ >= UNIFORM_STATE_RMS_RATIO * now
        )
        if fits or else_ > HOPELESS_START_RATIO * max(now, loop_noise(own)):
            continue
        changed = [other if j == i else each for j, each in enumerate(prepared)]
        tried = replace(task, drives=[each.drive for each in changed])
        few, now_few = _thinned_problem(tried, changed), _thinned_problem(task, prepared)
        again = minimise(few, answer.x, ROUGH_COST_TOLERANCE_REL, FEW)
        off = _rms_over_noise(few, again.residuals)
        if off > OTHER_STATE_THINNED_RMS_RATIO * _rms_over_noise(now_few, now_few.residuals(answer.x)):
            continue
        again = _full_search(tried, again.x, off)
        if again.cost < OTHER_STATE_COST_RATIO * answer.cost:
            task, answer, prepared = tried, again, changed
        elif again.cost < answer.cost / OTHER_STATE_COST_RATIO:
            if np.allclose(again.x, answer.x, rtol=0.0, atol=SAME_VALUE_REL):
                continue
            words = f"it cannot be told whether it begins {own.judged.beginning} or {other.judged.beginning}"
            as_well = _format_parameters(tried, again.x, own.loop.units)
            prepared = [each.said(f"{words}; else {as_well}") if j == i else each for j, each in enumerate(prepared)]
    return task, answer, prepared


def _format_parameters(task: FitProblem, x: Array, units: LoopUnits) -> str:
    """All numbers of a law, in the units of a file."""
    pairs = zip(task.unknowns.each, task.values(x), strict=True)
    each = [(own.name, units.of(own.dimension), float(value)) for own, value in pairs]
    return ", ".join(f"{name} {unit.words(value, 4).removesuffix(' 1')}" for name, unit, value in each)


def _try_previous_reversal(
    tasks: list[FitProblem], task: FitProblem, answer: SearchResult, prepared: list[PreparedLoop]
) -> tuple[FitProblem, SearchResult, list[PreparedLoop]]:
    """Where neither beginning fits: with a reversal before the first sample, if all samples then fit far better.

    A search begins with what samples tell whose force does not depend on it.
    """
    off, law = _rms_over_noise(task, answer.residuals), task.law(answer.x)
    poor = [r.drive.misses(law) > WITHIN_NOISE_RATIO * loop_noise(r) for r in prepared]
    if off <= WITHIN_NOISE_RATIO or not any(poor):
        return task, answer, prepared
    late = [replace(r, drive=(bad and r.covered) or r.drive) for r, bad in zip(prepared, poor, strict=True)]
    end = _follow_starts(tasks, late, no_progress, STARTS_FOLLOWED)
    best = tasks[end.start]
    led = _with_previous_reversal(prepared, poor, best.law(end.x))
    few = _thinned_problem(best, led)
    rough = minimise(few, end.x, ROUGH_COST_TOLERANCE_REL, FEW)
    if _rms_over_noise(few, rough.residuals) > max(
        WITHIN_NOISE_RATIO, OTHER_STATE_THINNED_RMS_RATIO * PREVIOUS_REVERSAL_RMS_RATIO * off
    ):
        return task, answer, prepared
    led = _with_previous_reversal(prepared, poor, best.law(rough.x))
    whole = replace(best, drives=[r.drive for r in led])
    again = _full_search(whole, rough.x, _rms_over_noise(few, rough.residuals))
    if _rms_over_noise(whole, again.residuals) > max(WITHIN_NOISE_RATIO, PREVIOUS_REVERSAL_RMS_RATIO * off):
        return task, answer, prepared
    words = "it begins neither virgin nor settled: the law turned before the first sample, at {}, which was fitted"
    said = [
        r.said(words.format(r.loop.units.deflection.words(r.drive.before, 3))) if bad else r
        for r, bad in zip(led, poor, strict=True)
    ]
    return whole, again, said


def _with_previous_reversal(prepared: list[PreparedLoop], poor: list[bool], law: Law) -> list[PreparedLoop]:
    """With the earlier reversal that suits a law best, where its beginning does not fit."""
    return [
        r.started_from_reversal(find_previous_reversal(r.drive.thinned(r.loop.turning.turns), law)) if bad else r
        for r, bad in zip(prepared, poor, strict=True)
    ]


def _refit_with_huber_loss(
    task: FitProblem, answer: SearchResult, prepared: list[PreparedLoop]
) -> tuple[FitProblem, SearchResult, list[PreparedLoop]]:
    """Where samples of force stand far off their neighbours: no sample pulls more than one `HUBER_KNEE_DEVIATIONS`
    deviations away.

    All samples stay in the residual. Searched again, as the first fit was pulled by them.
    """
    for _ in range(SPIKE_ROUNDS):
        law = task.law(answer.x)
        far = [_spike_samples(each, law) for each in prepared]
        if not any(0.0 < mask.mean() <= MAX_SPIKE_SHARE for mask in far):
            return task, answer, prepared
        huber_knees = tuple(
            HUBER_KNEE_DEVIATIONS * float(weight) * _residual_deviation(each, law)
            if 0.0 < mask.mean() <= MAX_SPIKE_SHARE
            else np.inf
            for each, mask, weight in zip(prepared, far, task.weights, strict=True)
        )
        task = replace(task, huber_knees=huber_knees)
        answer = minimise(task, answer.x)
    return task, answer, [replace(each, spikes=mask) for each, mask in zip(prepared, far, strict=True)]


def _spike_samples(each: PreparedLoop, law: Law) -> NDArray[np.bool_]:
    """Samples whose residual is far from that of their neighbours, in spreads of all residuals."""
    left = each.drive.force(law) - each.drive.f
    return find_outliers(left, each.drive.f, _residual_deviation(each, law)) & each.drive.counts


def _residual_deviation(each: PreparedLoop, law: Law) -> float:
    """The standard deviation of residuals, robustly."""
    left = each.drive.force(law) - each.drive.f
    return max(robust_deviation(left), 1e-9 * float(np.ptp(each.drive.f)))


def _note_far_from_zero(prepared: list[PreparedLoop]) -> list[PreparedLoop]:
    """Where a law does not fit: loops whose deflection or force is far from zero, where it may not be able to go."""
    noted = []
    for r in prepared:
        low, high = r.geometry.tips
        for what, middle, size, scale in (
            ("deflection", r.geometry.middle, r.geometry.amplitude, r.loop.units.deflection),
            ("force", 0.5 * (low + high), 0.5 * float(np.ptp(r.loop.f)), r.loop.units.force),
        ):
            if abs(middle) > FAR_FROM_ZERO_SWINGS * size:
                words = (
                    f"the {what} is about {scale.words(middle, 4)} and swings by {scale.words(size, 4)}; "
                    "a virgin law comes from zero"
                )
                r = r.said(words, Advice("if that is a sensor's offset, {remove_offset}"))
        noted.append(r)
    return noted


def _note_floating_force(r: PreparedLoop, law: Law) -> PreparedLoop:
    """With a note where a law stays at any force that it begins with: the data say at which."""
    if not r.drive.free_force_offset(law):
        return r
    middle = r.loop.units.force.words(r.geometry.level, 4)
    return r.said(f"this law stays at any force that it begins with; the middle of the loop, {middle}, is of the data")


def _note_drift(r: PreparedLoop, law: Law) -> PreparedLoop:
    """A loop that a law does not fit, with a note where most of what is left goes steadily with time."""
    left, counts = r.drive.f - r.drive.force(law), r.drive.counts
    taken = any(DRIFT_REMOVED_NOTE in words for words in r.loop.notes)
    if taken or r.loop.t is None or float(np.sqrt(np.mean(left[counts] ** 2))) <= WITHIN_NOISE_RATIO * loop_noise(r):
        return r
    t = r.loop.t[counts]
    slope, begin = np.polyfit(t - t.mean(), left[counts], 1)
    steady = begin + slope * (t - t.mean())
    if np.var(steady) < DRIFT_VARIANCE_SHARE * np.var(left[counts]):
        return r
    rate = r.loop.units.force.words(slope, 3)
    words = f"most of what is left goes steadily with time, by {rate} a second"
    return r.said(words, Advice("if that is a sensor's drift, {remove_drift}"))
