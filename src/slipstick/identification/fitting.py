"""`identify`: a law from measured loops, by least squares over all of them at once.

ready      each loop: smoothed if it must be, the right way round, how it begins (`preparing`)
starts     from the loops' geometry, or the law that was given (`starts`); the best few are followed on thinned loops
search     the best of them on all samples (`search`), then again without outliers, and with other beginnings
estimates  intervals, correlations, warnings (`intervals`, `judging`)
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slipstick.errors import InvalidInput, arguments_in_words, shown
from slipstick.identification.drive import Drive, looks_at_rate
from slipstick.identification.faults import outliers
from slipstick.identification.intervals import estimates_of
from slipstick.identification.naming import starts_by_name
from slipstick.identification.preparing import Ready, ready
from slipstick.identification.rules.beside import beside
from slipstick.identification.search import Found, Prior, Task, search
from slipstick.identification.starts import starts_of
from slipstick.identification.turning import deviation_of
from slipstick.identification.unknowns import Unknowns, refused
from slipstick.identification.weights import noise_in, noises_of, tells_its_noise
from slipstick.laws.base import Law
from slipstick.results.fit import WITHIN, Fit

Array = NDArray[np.float64]
Progress = Callable[[str, float], None]  # what is being done, and which share of all is done

THIN = 300  # samples of a loop while starts are tried
TRIED = 4  # starts that are followed to their end on thinned loops
TRIED_AGAIN = 8  # ... with other beginnings
POOR = 3.0  # times the noise: a fit that other beginnings may make better
ROUGH = 1e-4  # of the sum of squares: the tolerance of a search that only chooses
FEW = 25  # evaluations of such a search
VAGUE = 1e-6  # of the sum of squares: the tolerance for a law that does not fit
FAR_OFF = 10.0  # times the noise: a law that does not fit
AS_GOOD_AS_CAN_BE = 1.02  # times the noise: no other start is better
ALIKE = 1.03  # rms that differ by less are of the same minimum: no need to try more
BETTER = 0.98  # of the sum of squares: another beginning must bring it down so far
WORSE = 1.1  # times the rms on a part of the samples: another beginning is not followed on all of them
SAME = 1e-3  # of a value: what differs by less need not be told apart
HOPELESS = 20.0  # times worse before a search: another beginning is not tried
OFFSET = 3.0  # times the swing: a loop is far from zero
ROUNDS = 3  # of looking for outliers
MOST_OUTLIERS = 0.3  # of the samples of a loop; more are no outliers
DAMPERS = ("damping", "viscous")  # what no loop without times can tell
TWICE = {"BoucWen": {"A": 1.0}}  # numbers that others can stand for, held unless they are asked for


@arguments_in_words
def identify(
    loops: Any,
    law: type[Law] | Law | str,
    fixed: Mapping[str, float] | None = None,
    bounds: Mapping[str, Sequence[float]] | None = None,
    priors: Mapping[str, Sequence[float]] | None = None,
    *,
    progress: Progress | None = None,
) -> Fit:
    """A law from one measured loop or several.

    loops : a `Loop` or a list of them; all are fitted at once.
    law : a class of laws, whose start values are read from the loops, or its name in files ("masing", "linear+dahl");
        or a law as template and start; sums too.
    fixed : values by name that are held.   bounds : (low, high) by name, None for no bound.
    priors : (mean, standard deviation) by name: what is known beforehand.
    """
    began = time.perf_counter()
    say = progress or silent
    say("reading loops", 0.0)
    found = ready(loops)
    tasks = _tasks(found, law, fixed or {}, bounds or {}, priors or {})
    found = [_told(r, tasks[0], fixed or {}) for r in found]
    task, answer, found = _best(tasks, found, say)
    for words, share, improve in (
        ("beginnings", 0.8, _other_beginnings),
        ("outliers", 0.9, _without_outliers),
    ):
        say(words, share)
        task, answer, found = improve(task, answer, found)
    found = _far_from_zero(found) if _misfit(task, answer.residuals) > POOR else found
    fit = estimates_of(task, answer, found, time.perf_counter() - began)
    fit = replace(fit, rules=beside(fit.law, found))
    say("done", 1.0)
    return fit


def silent(words: str, share: float) -> None:
    """Tell nobody."""
    del words, share


# ---- what is sought


def _tasks(found: list[Ready], law: Any, fixed: Any, bounds: Any, priors: Any) -> list[Task]:
    """One for each start."""
    geometries = sorted((r.geometry for r in found), key=lambda g: g.amplitude)
    if isinstance(law, Law):
        starts = [law]
    elif isinstance(law, type) and issubclass(law, Law):
        starts = starts_of(law, geometries)
    elif isinstance(law, str):
        starts = starts_by_name(law, geometries)
    else:
        raise InvalidInput(f"identify needs a law or a class of laws such as ss.Masing, got {shown(law)}").about("law")
    weights = 1.0 / noises_of(found)
    large = geometries[-1]
    force = float(np.ptp(np.concatenate((large.up, large.down))))
    tasks = []
    _refuse_without_times(starts[0], found)
    for start in starts:
        unknowns = Unknowns.of(start, found[0].loop.system).bounded(bounds)
        held = {unknowns.place(name, "fixed"): _number("fixed", name, value) for name, value in fixed.items()}
        for name, value in _held_anyway(start, found).items():
            if name in unknowns.names and name not in bounds and name not in priors:
                held.setdefault(unknowns.place(name, "fixed"), value)
        unknowns = unknowns.at([held.get(i, u.value) for i, u in enumerate(unknowns.each)])
        free = tuple(i for i in range(len(unknowns.each)) if i not in held)
        given = tuple(_prior(unknowns, name, pair) for name, pair in priors.items())
        sizes = _sizes(unknowns, large.amplitude, force, large.period or 1.0)
        task = Task(unknowns, [r.drive for r in found], free, sizes[list(free)], weights, given)
        _enough(task)
        tasks.append(task)
    return tasks


def _enough(task: Task) -> None:
    if not task.free:
        raise InvalidInput("identify: every parameter is fixed; leave one free").about("fixed")
    if task.count < len(task.free):
        raise InvalidInput(
            f"identify: {len(task.free)} parameters need at least as many samples, got {task.count}; fix some of them"
        ).about("fixed")


def _number(argument: str, name: str, value: Any) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = float("nan")
    if not np.isfinite(number):
        raise refused(argument, f'of "{name}" must be a finite number, got {shown(value)}')
    return number


def _prior(unknowns: Unknowns, name: str, pair: Any) -> Prior:
    place = unknowns.place(name, "priors")
    try:
        mean, deviation = pair
    except (TypeError, ValueError):
        raise refused("priors", f'of "{name}" must be (mean, standard deviation), got {shown(pair)}') from None
    spread = _number("priors", name, deviation)
    if spread <= 0.0:
        raise refused("priors", f'of "{name}": the standard deviation must be > 0, got {spread:g}')
    return Prior(place, _number("priors", name, mean), spread)


def _held_anyway(law: Law, found: list[Ready]) -> dict[str, float]:
    """What the data cannot tell: dampers without times, and what a law has twice."""
    held = dict(TWICE.get(type(law).__name__, {}))
    if any(r.timeless for r in found):
        held |= dict.fromkeys(DAMPERS, 0.0)
    return held


def _told(r: Ready, task: Task, fixed: Mapping[str, float]) -> Ready:
    """A loop without times, with a note on what was held for that."""
    held = [name for i, name in enumerate(task.unknowns.names) if i not in task.free and name in DAMPERS]
    names = [name for name in held if name not in fixed]
    return r.said(f"it has no times, which {' and '.join(names)} would need: held at 0") if names and r.timeless else r


def _far_from_zero(found: list[Ready]) -> list[Ready]:
    """Where a law does not fit: loops whose deflection or force is far from zero, where it may not be able to go."""
    told = []
    for r in found:
        low, high = r.geometry.tips
        for what, middle, size in (
            ("deflection", r.geometry.middle, r.geometry.amplitude),
            ("force", 0.5 * (low + high), 0.5 * float(np.ptp(r.loop.f))),
        ):
            if abs(middle) > OFFSET * size:
                words = (
                    f"the {what} is about {middle:.4g} and swings by {size:.4g}; a virgin law comes from zero: "
                    "if that is a sensor's offset, use"
                )
                r = r.said(f"{words} loop.without_offset()", f"{words} --remove-offset")
        told.append(r)
    return told


def _refuse_without_times(law: Law, found: list[Ready]) -> None:
    """A law whose memory depends on the rate cannot be driven without times."""
    for r in found:
        if r.timeless and looks_at_rate(law):
            words = f"{shown(type(law).__name__)} depends on the rate, and {r.loop.name} has no times;"
            refusal = InvalidInput(f"identify: {words} give them: Loop(u, f, t)").about("loops")
            raise refusal.in_commands(f"{words} name their column with --time")


def _sizes(unknowns: Unknowns, amplitude: float, force: float, period: float) -> Array:
    """Of every number, from its unit: what force, deflection and time make of it."""
    sizes = []
    for unknown in unknowns.each:
        f, u, t = unknown.dimension
        own = force**f * amplitude**u * (period / (2.0 * np.pi)) ** t
        sizes.append(max(abs(unknown.value), 0.1 * own))
    return np.array(sizes)


# ---- the search


def _best(tasks: list[Task], found: list[Ready], say: Progress) -> tuple[Task, Found, list[Ready]]:
    """The best of several starts: tried on a part of the samples first, then on all of them.

    Where none comes near the noise, loops that all begin alike are tried too: a start that ran off on a wrong
    beginning does not come back on the right one.
    """
    end = _tried(tasks, found, say, TRIED)
    for beginning in ("virgin", "settled"):
        alike = [r if r.judged.beginning == beginning else r.turned for r in found]
        if end.off > POOR and any(r.judged.beginning != beginning for r in found):
            again = _tried(tasks, alike, say, TRIED_AGAIN)
            end = again if again.off < BETTER * end.off else end
    say("all samples", 0.6)
    task = replace(tasks[end.start], drives=[r.drive for r in end.found])
    return task, _searched(task, end.x, end.off), end.found


class _End(NamedTuple):
    """Of a search on a part of the samples: which start it began from, where it ended, rms over noise, the loops."""

    start: int
    x: Array
    off: float
    found: list[Ready]


def _tried(tasks: list[Task], found: list[Ready], say: Progress, most: int) -> _End:
    """The best of the starts that begin best, followed on a part of the samples."""
    thin = [_thin(task, found) for task in tasks]
    costs = [float(np.sum(np.minimum(t.residuals(t.scaled(t.unknowns.values)) ** 2, 1e16))) for t in thin]
    order, told = np.argsort(costs)[:most], tells_its_noise(found)
    ends: list[_End] = []
    for k, i in enumerate(order):
        say(f"start {k + 1} of {order.size}", 0.1 + 0.5 * k / order.size)
        answer = search(thin[i], thin[i].scaled(thin[i].unknowns.values), ROUGH, FEW)
        ends.append(_End(int(i), answer.x, _misfit(thin[i], answer.residuals), found))
        if (told and ends[-1].off < AS_GOOD_AS_CAN_BE) or (k > 0 and ends[-1].off < POOR and _alike(ends)):
            break
    return min(ends, key=lambda end: end.off)


def _alike(ends: list[_End]) -> bool:
    return max(end.off for end in ends) < ALIKE * min(end.off for end in ends)


def _thin(task: Task, found: list[Ready]) -> Task:
    """With a part of the samples."""
    return replace(task, drives=[thinned(r.drive, r) for r in found])


def _misfit(task: Task, residuals: Array) -> float:
    """The rms residual over the noise."""
    return float(np.sqrt(residuals @ residuals / task.count))


def _searched(task: Task, x: Array, off: float) -> Found:
    """On all samples; a law that is far off is not worth its last digits."""
    if off >= FAR_OFF:
        answer = search(task, x, VAGUE, FEW)
        if _misfit(task, answer.residuals) >= FAR_OFF:
            return answer
        x = answer.x
    return search(task, x)


def thinned(drive: Drive, r: Ready) -> Drive:
    """A drive with a part of its samples, all reversals included."""
    n = drive.u.size
    if n <= 2 * THIN:
        return drive
    keep = np.union1d(np.linspace(0, n - 1, THIN).astype(np.intp), r.loop.turning.turns)
    around = slice(0, int(np.searchsorted(keep, drive.around.stop)))
    return Drive(drive.u[keep], drive.rate[keep], drive.f[keep], drive.counts[keep], drive.corners, around)


def _other_beginnings(task: Task, answer: Found, found: list[Ready]) -> tuple[Task, Found, list[Ready]]:
    """Where the data do not tell how a loop begins, or it does not fit, the beginning that fits better."""
    for i, own in enumerate(found):
        law, other = task.law(answer.x), own.turned
        now, else_ = own.drive.misses(law), other.drive.misses(law)
        if (own.judged.sure and now <= WITHIN * noise_in(own)) or else_ > HOPELESS * max(now, noise_in(own)):
            continue
        changed = [other if j == i else each for j, each in enumerate(found)]
        tried = replace(task, drives=[each.drive for each in changed])
        few, now_few = _thin(tried, changed), _thin(task, found)
        again = search(few, answer.x, ROUGH, FEW)
        off = _misfit(few, again.residuals)
        if off > WORSE * _misfit(now_few, now_few.residuals(answer.x)):
            continue
        again = _searched(tried, again.x, off)
        if again.cost < BETTER * answer.cost:
            task, answer, found = tried, again, changed
        elif again.cost < answer.cost / BETTER:
            if np.allclose(again.x, answer.x, rtol=0.0, atol=SAME):
                continue
            words = f"it cannot be told whether it begins {own.judged.beginning} or {other.judged.beginning}"
            pairs = zip(task.unknowns.names, tried.values(again.x), strict=True)
            as_well = ", ".join(f"{name} {value:.4g}" for name, value in pairs)
            found = [each.said(f"{words}; else {as_well}") if j == i else each for j, each in enumerate(found)]
    return task, answer, found


def _without_outliers(task: Task, answer: Found, found: list[Ready]) -> tuple[Task, Found, list[Ready]]:
    """Without samples whose residual is far from its neighbours; again, as the first fit was pulled by them."""
    out = [np.zeros(each.drive.u.size, dtype=bool) for each in found]
    for _ in range(ROUNDS):
        law = task.law(answer.x)
        more = [_far(each, law) & ~own for each, own in zip(found, out, strict=True)]
        if not any(mask.any() for mask in more):
            break
        out = [own | mask for own, mask in zip(out, more, strict=True)]
        drives = [
            replace(each.drive, counts=each.drive.counts & ~own) if own.mean() <= MOST_OUTLIERS else each.drive
            for each, own in zip(found, out, strict=True)
        ]
        task = replace(task, drives=drives)
        answer = search(task, answer.x)
    told = [
        each.without(own, f"{int(own.sum())} of {own.size} samples are far from their neighbours; left out")
        if own.any() and own.mean() <= MOST_OUTLIERS else each
        for each, own in zip(found, out, strict=True)
    ]  # fmt: skip
    return task, answer, told


def _far(each: Ready, law: Law) -> NDArray[np.bool_]:
    """Samples whose residual is far from that of their neighbours, in spreads of all residuals."""
    left = each.drive.force(law) - each.drive.f
    return outliers(left, each.drive.f, max(deviation_of(left), 1e-9 * float(np.ptp(each.drive.f)))) & each.drive.counts
