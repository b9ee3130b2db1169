"""`identify`: a law from measured loops, by least squares over all of them at once.

ready      each loop: smoothed if it must be, the right way round, how it begins (`preparing`)
tasks      one for each start, from the loops' geometry, or the law that was given (`tasks`); the best few are followed
           on thinned loops
search     the best of them on all samples (`search`), then with other beginnings, and with spikes held back
estimates  intervals, correlations, warnings (`intervals`, `judging`)
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

from slipstick.errors import SlipstickError, arguments_in_words
from slipstick.identification.cleaning import TAKEN
from slipstick.identification.criterion import best_of
from slipstick.identification.drive import looks_at_rate
from slipstick.identification.earlier import reversal_before
from slipstick.identification.envelope_starts import with_each_envelope
from slipstick.identification.faults import outliers
from slipstick.identification.intervals import estimates_of
from slipstick.identification.known_laws import beside
from slipstick.identification.loop import Loop
from slipstick.identification.offsets import lacks_a_constant
from slipstick.identification.preparing import Ready, ready
from slipstick.identification.search import FAR, ROUGH, Found, Task, search
from slipstick.identification.shaking import with_noise
from slipstick.identification.tasks import tasks_of, told
from slipstick.identification.turning import deviation_of
from slipstick.identification.weights import noise_in, tells_its_noise
from slipstick.laws.base import Law
from slipstick.laws.generalised_dahl import WithEnvelope
from slipstick.results.fit import WITHIN, Fit
from slipstick.results.notes import Note
from slipstick.results.units import LoopUnits

Array = NDArray[np.float64]
Progress = Callable[[str, float], None]  # what is being done, and which share of all is done

TRIED = 4  # starts that are followed to their end on thinned loops
TRIED_AGAIN = 8  # ... with other beginnings
POOR = 3.0  # times the noise: a fit that other beginnings may make better
FEW = 25  # evaluations of such a search
VAGUE = 1e-6  # of the sum of squares: the tolerance for a law that does not fit
FAR_OFF = 10.0  # times the noise: a law that does not fit
AS_GOOD_AS_CAN_BE = 1.02  # times the noise: no other start is better
ALIKE = 1.03  # rms that differ by less are of the same minimum: no need to try more
BETTER = 0.98  # of the sum of squares: another beginning must bring it down so far
LESS = 0.98  # of the rms: so must loops that all begin alike
MUCH_LESS = 0.5  # of the rms: an earlier reversal must bring it down so far, where it still does not fit
WORSE = 1.1  # times the rms on a part of the samples: another beginning is not followed on all of them
SAME = 1e-3  # of a value: what differs by less need not be told apart
HOPELESS = 20.0  # times worse before a search: another beginning is not tried
STEADY = 0.5  # of the variance of what is left: so much of it on a line over time is a drift
OFFSET = 3.0  # times the swing: a loop is far from zero
ROUNDS = 3  # of looking for spikes
KNEE = 3.0  # robust deviations: beyond, a sample pulls on the numbers with constant strength
MOST_SPIKES = 0.3  # of the samples of a loop; more are no spikes


@arguments_in_words
def identify(
    loops: Any,
    law: type[Law] | Law | WithEnvelope | str,
    fixed: Mapping[str, float] | None = None,
    bounds: Mapping[str, Sequence[float]] | None = None,
    priors: Mapping[str, Sequence[float]] | None = None,
    *,
    deflection_noise: float | Sequence[float] | None = None,
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
    progress : called with what is being done, in words, and the share of all that is done.
    """
    began = time.perf_counter()
    say = progress or silent
    if several := with_each_envelope(law):
        wishes = (fixed, bounds, priors)
        return _of_several(
            [partial(identify, loops, own, *wishes, deflection_noise=deflection_noise) for own in several], say
        )
    say("reading loops", 0.0)
    readied = with_noise(ready(loops), deflection_noise)
    tasks = tasks_of(readied, law, fixed or {}, bounds or {}, priors or {})
    readied = [told(r, tasks[0], fixed or {}) for r in readied]
    task, answer, readied = _best(tasks, readied, say)
    for words, share, improve in (
        ("beginnings", 0.8, _other_beginnings),
        ("unknown beginnings", 0.85, partial(_unknown_beginnings, tasks)),
        ("spikes", 0.9, _bounded_spikes),
    ):
        say(words, share)
        task, answer, readied = improve(task, answer, readied)
    off, why = _misfit(task, answer.residuals), ""
    if off > POOR:
        why = lacks_a_constant(
            task.law(answer.x), readied, off, lambda loops: _roughly(loops, law, fixed, bounds, priors)
        )
        readied = _far_from_zero(readied)
    readied = [_drifting(_floating(r, task.law(answer.x)), task.law(answer.x)) for r in readied]
    fit = estimates_of(task, answer, readied, time.perf_counter() - began)
    fit = replace(fit, rules=beside(fit.law, readied), warnings=(why, *fit.warnings) if why else fit.warnings)
    say("done", 1.0)
    return fit


def silent(words: str, share: float) -> None:
    """Tell nobody."""
    del words, share


def _roughly(loops: list[Loop], law: Any, *wishes: Mapping[str, Any] | None) -> float:
    """What a law leaves of other loops, over the noise, by a search on a part of the samples."""
    readied = ready(loops)
    return _tried(tasks_of(readied, law, *(own or {} for own in wishes)), readied, silent, TRIED).off


def _of_several(tries: Sequence[Callable[..., Fit]], say: Progress) -> Fit:
    """The best of fits of one kind of law, with a note on the others."""
    fits = []
    for k, own in enumerate(tries):

        def within(words: str, share: float, k: int = k) -> None:
            say(f"envelope {k + 1} of {len(tries)}: {words}", (k + share) / len(tries))

        fits.append(own(progress=within))
    best = best_of(fits)
    left = ", ".join(f"{fit.law.envelope.shape.name} {fit.residual:.4g}" for fit in fits)
    note = Note(f"the envelope {best.law.envelope.shape.name} was taken, by Bayes' criterion; rms residuals: {left}")
    return replace(best, notes=(note, *best.notes), seconds=sum(fit.seconds for fit in fits))


# ---- the search


def _best(tasks: list[Task], readied: list[Ready], say: Progress) -> tuple[Task, Found, list[Ready]]:
    """The best of several starts: tried on a part of the samples first, then on all of them.

    Where none comes near the noise, loops that all begin alike are tried too: a start that ran off on a wrong
    beginning does not come back on the right one.
    """
    if len(tasks) == 1:  # a law that was given: with the beginnings that suit it, so that a fit begun anew is no worse
        readied = _as_begun(readied, tasks[0].unknowns.template)
    end = _tried(tasks, readied, say, TRIED)
    # the noise of a loop is known to some per cent only, which may hide a minimum of a law that has many
    unsure = not all(r.judged.sure for r in readied)
    poor = POOR if not unsure else 0.0 if looks_at_rate(tasks[0].unknowns.template) else AS_GOOD_AS_CAN_BE
    for beginning in ("virgin", "settled"):
        alike = [r if r.judged.beginning == beginning else r.turned for r in readied]
        if end.off > poor and any(r.judged.beginning != beginning for r in readied):
            again = _tried(tasks, alike, say, TRIED_AGAIN)
            end = again if again.off < LESS * end.off else end
    say("all samples", 0.6)
    task = replace(tasks[end.start], drives=[r.drive for r in end.readied])
    begin = task.scaled(task.unknowns.values)
    if _misfit(task, task.residuals(begin)) < _misfit(task, task.residuals(end.x)):
        end = end._replace(x=begin)  # what is best on a part of the samples may be worse on all of them
    if not any(r.encloses for r in readied):  # lines: what else a law has is not told, and the way to it is endless
        return task, search(task, end.x, ROUGH, FEW), end.readied
    return task, _searched(task, end.x, end.off), end.readied


def _as_begun(readied: list[Ready], law: Law) -> list[Ready]:
    """Each loop with the beginning with which a law comes nearer to it."""
    found = []
    for r in readied:
        with suppress(SlipstickError):  # a law that has no force along it
            r = r.turned if r.turned.drive.misses(law) < LESS * r.drive.misses(law) else r
        found.append(r)
    return found


class _End(NamedTuple):
    """Of a search on a part of the samples: which start it began from, where it ended, rms over noise, the loops."""

    start: int
    x: Array
    off: float
    readied: list[Ready]


def _tried(tasks: list[Task], readied: list[Ready], say: Progress, most: int) -> _End:
    """The best of the starts that begin best, followed on a part of the samples."""
    thin = [_thin(task, readied) for task in tasks]
    costs = [float(np.sum(np.minimum(t.residuals(t.scaled(t.unknowns.values)) ** 2, FAR**2))) for t in thin]
    order = np.argsort(costs)[:most]
    tells, many = tells_its_noise(readied), looks_at_rate(tasks[0].unknowns.template)  # many : minima
    ends: list[_End] = []
    for k, i in enumerate(order):
        say(f"start {k + 1} of {order.size}", 0.1 + 0.5 * k / order.size)
        answer = search(thin[i], thin[i].scaled(thin[i].unknowns.values), ROUGH, FEW)
        ends.append(_End(int(i), answer.x, _misfit(thin[i], answer.residuals), readied))
        found = (tells and ends[-1].off < AS_GOOD_AS_CAN_BE) or (k > 0 and ends[-1].off < POOR and _alike(ends))
        if found and not many:
            break
    return min(ends, key=lambda end: end.off)


def _alike(ends: list[_End]) -> bool:
    return max(end.off for end in ends) < ALIKE * min(end.off for end in ends)


def _thin(task: Task, readied: list[Ready]) -> Task:
    """With a part of the samples."""
    rates = looks_at_rate(task.unknowns.template)
    return replace(task, drives=[r.drive.thinned(r.loop.turning.turns, rates) for r in readied])


def _misfit(task: Task, residuals: Array) -> float:
    """The rms residual over the noise."""
    return float(np.sqrt(residuals @ residuals / task.count))


def _searched(task: Task, x: Array, off: float) -> Found:
    """On all samples; a law that is far off is not worth its last digits."""
    if off >= FAR_OFF:
        answer = search(task, x, VAGUE)
        if _misfit(task, answer.residuals) >= FAR_OFF:
            return answer
        x = answer.x
    return search(task, x)


def _other_beginnings(task: Task, answer: Found, readied: list[Ready]) -> tuple[Task, Found, list[Ready]]:
    """Where the data do not tell how a loop begins, or it does not fit, the beginning that fits better."""
    for i, own in enumerate(readied if any(r.encloses for r in readied) else ()):  # a line begins anyhow
        law, other = task.law(answer.x), own.turned
        now, else_ = own.drive.misses(law), other.drive.misses(law)
        if (own.judged.sure and now <= WITHIN * noise_in(own)) or else_ > HOPELESS * max(now, noise_in(own)):
            continue
        changed = [other if j == i else each for j, each in enumerate(readied)]
        tried = replace(task, drives=[each.drive for each in changed])
        few, now_few = _thin(tried, changed), _thin(task, readied)
        again = search(few, answer.x, ROUGH, FEW)
        off = _misfit(few, again.residuals)
        if off > WORSE * _misfit(now_few, now_few.residuals(answer.x)):
            continue
        again = _searched(tried, again.x, off)
        if again.cost < BETTER * answer.cost:
            task, answer, readied = tried, again, changed
        elif again.cost < answer.cost / BETTER:
            if np.allclose(again.x, answer.x, rtol=0.0, atol=SAME):
                continue
            words = f"it cannot be told whether it begins {own.judged.beginning} or {other.judged.beginning}"
            as_well = _in_words(tried, again.x, own.loop.units)
            readied = [each.said(f"{words}; else {as_well}") if j == i else each for j, each in enumerate(readied)]
    return task, answer, readied


def _in_words(task: Task, x: Array, units: LoopUnits) -> str:
    """All numbers of a law, in the units of a file."""
    pairs = zip(task.unknowns.each, task.values(x), strict=True)
    each = [(own.name, units.of(own.dimension), float(value)) for own, value in pairs]
    return ", ".join(f"{name} {unit.words(value, 4).removesuffix(' 1')}" for name, unit, value in each)


def _unknown_beginnings(
    tasks: list[Task], task: Task, answer: Found, readied: list[Ready]
) -> tuple[Task, Found, list[Ready]]:
    """Where neither beginning fits: with a reversal before the first sample, if all samples then fit far better.

    A search begins with what samples tell whose force does not depend on it.
    """
    off, law = _misfit(task, answer.residuals), task.law(answer.x)
    poor = [r.drive.misses(law) > WITHIN * noise_in(r) for r in readied]
    if off <= WITHIN or not any(poor):
        return task, answer, readied
    late = [replace(r, drive=(bad and r.covered) or r.drive) for r, bad in zip(readied, poor, strict=True)]
    end = _tried(tasks, late, silent, TRIED)
    best = tasks[end.start]
    led = _turned_before(readied, poor, best.law(end.x))
    few = _thin(best, led)
    rough = search(few, end.x, ROUGH, FEW)
    if _misfit(few, rough.residuals) > max(WITHIN, WORSE * MUCH_LESS * off):
        return task, answer, readied
    led = _turned_before(readied, poor, best.law(rough.x))
    whole = replace(best, drives=[r.drive for r in led])
    again = _searched(whole, rough.x, _misfit(few, rough.residuals))
    if _misfit(whole, again.residuals) > max(WITHIN, MUCH_LESS * off):
        return task, answer, readied
    words = "it begins neither virgin nor settled: the law turned before the first sample, at {}, which was fitted"
    said = [
        r.said(words.format(r.loop.units.deflection.words(r.drive.before, 3))) if bad else r
        for r, bad in zip(led, poor, strict=True)
    ]
    return whole, again, said


def _turned_before(readied: list[Ready], poor: list[bool], law: Law) -> list[Ready]:
    """With the earlier reversal that suits a law best, where its beginning does not fit."""
    return [
        r.coming_from(reversal_before(r.drive.thinned(r.loop.turning.turns), law)) if bad else r
        for r, bad in zip(readied, poor, strict=True)
    ]


def _bounded_spikes(task: Task, answer: Found, readied: list[Ready]) -> tuple[Task, Found, list[Ready]]:
    """Where samples of force stand far off their neighbours: no sample pulls more than one `KNEE` deviations away.

    All samples stay in the residual. Searched again, as the first fit was pulled by them.
    """
    for _ in range(ROUNDS):
        law = task.law(answer.x)
        far = [_far(each, law) for each in readied]
        if not any(0.0 < mask.mean() <= MOST_SPIKES for mask in far):
            return task, answer, readied
        knees = tuple(
            KNEE * float(weight) * _deviation(each, law) if 0.0 < mask.mean() <= MOST_SPIKES else np.inf
            for each, mask, weight in zip(readied, far, task.weights, strict=True)
        )
        task = replace(task, knees=knees)
        answer = search(task, answer.x)
    return task, answer, [replace(each, spikes=mask) for each, mask in zip(readied, far, strict=True)]


def _far(each: Ready, law: Law) -> NDArray[np.bool_]:
    """Samples whose residual is far from that of their neighbours, in spreads of all residuals."""
    left = each.drive.force(law) - each.drive.f
    return outliers(left, each.drive.f, _deviation(each, law)) & each.drive.counts


def _deviation(each: Ready, law: Law) -> float:
    """The standard deviation of residuals, robustly."""
    left = each.drive.force(law) - each.drive.f
    return max(deviation_of(left), 1e-9 * float(np.ptp(each.drive.f)))


def _far_from_zero(readied: list[Ready]) -> list[Ready]:
    """Where a law does not fit: loops whose deflection or force is far from zero, where it may not be able to go."""
    noted = []
    for r in readied:
        low, high = r.geometry.tips
        for what, middle, size, scale in (
            ("deflection", r.geometry.middle, r.geometry.amplitude, r.loop.units.deflection),
            ("force", 0.5 * (low + high), 0.5 * float(np.ptp(r.loop.f)), r.loop.units.force),
        ):
            if abs(middle) > OFFSET * size:
                words = (
                    f"the {what} is about {scale.words(middle, 4)} and swings by {scale.words(size, 4)}; "
                    "a virgin law comes from zero: if that is a sensor's offset, use"
                )
                r = r.said(f"{words} loop.without_offset()", f"{words} --remove-offset")
        noted.append(r)
    return noted


def _floating(r: Ready, law: Law) -> Ready:
    """With a note where a law stays at any force that it begins with: the data say at which."""
    if not r.drive.keeps_its_force(law):
        return r
    middle = r.loop.units.force.words(r.geometry.level, 4)
    return r.said(f"this law stays at any force that it begins with; the middle of the loop, {middle}, is of the data")


def _drifting(r: Ready, law: Law) -> Ready:
    """A loop that a law does not fit, with a note where most of what is left goes steadily with time."""
    left, counts = r.drive.f - r.drive.force(law), r.drive.counts
    taken = any(TAKEN in words for words in r.loop.notes)
    if taken or r.loop.t is None or float(np.sqrt(np.mean(left[counts] ** 2))) <= WITHIN * noise_in(r):
        return r
    t = r.loop.t[counts]
    slope, begin = np.polyfit(t - t.mean(), left[counts], 1)
    steady = begin + slope * (t - t.mean())
    if np.var(steady) < STEADY * np.var(left[counts]):
        return r
    rate = r.loop.units.force.words(slope, 3)
    words = f"most of what is left goes steadily with time, by {rate} a second: if that is a sensor's drift, use"
    return r.said(f"{words} loop.without_drift()", f"{words} --remove-drift")
