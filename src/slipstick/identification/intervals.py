"""Intervals of identified numbers: from the curvature of the sum of squares, and by profiles on request."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from slipstick.identification.derived import derived_of
from slipstick.identification.drawing import draw, model_of, spread_in
from slipstick.identification.drive import Drive
from slipstick.identification.figures import energy_of, frequency_of
from slipstick.identification.judging import warnings_of
from slipstick.identification.preparing import Ready
from slipstick.identification.profiles import Profile
from slipstick.identification.search import Found, Task
from slipstick.identification.shaking import shaken
from slipstick.identification.told import Told, told_of
from slipstick.identification.unknowns import Unknowns
from slipstick.laws.base import Law
from slipstick.results.fit import Estimate, Estimates, Fit, LoopFit

Array = NDArray[np.float64]


def estimates_of(task: Task, answer: Found, found: list[Ready], seconds: float) -> Fit:
    """The result of a fit from where its search ended."""
    law = task.law(answer.x)
    steps = [float(np.median(np.diff(r.loop.clock))) for r in found]
    told = told_of(task, answer, steps, shaken(task, law, found))
    estimates = _estimates(task, answer, told)
    loops = tuple(_loop_fit(law, drive, r) for drive, r in zip(task.drives, found, strict=True))
    count = sum(loop.samples for loop in loops)
    free, spread = tuple(task.unknowns.names[p] for p in task.free), spread_in(task, answer.x, told)
    return Fit(
        law=law,
        parameters=estimates,
        derived=derived_of(task, answer.x, told),
        free=free,
        correlation=told.correlation,
        loops=loops,
        residual=float(np.sqrt(sum(loop.rms**2 * loop.samples for loop in loops) / count)),
        noise=float(np.median([loop.noise for loop in loops])),
        warnings=warnings_of(task, answer, estimates, told, loops, found),
        notes=tuple(words for r in found for words in r.notes),
        seconds=seconds,
        evaluations=answer.evaluations,
        converged=answer.converged,
        system=task.unknowns.system,
        spread=spread,
        model=model_of(law),
        draw=partial(draw, law, free, spread),
        profile_of=partial(_profile, task, answer, told),
    )


def _estimates(task: Task, answer: Found, told: Told) -> Estimates:
    values, spread = task.values(answer.x), told.student
    each = {u.name: u for u in Unknowns.of(task.law(answer.x), task.unknowns.system).each}  # values change some units
    places = {place: i for i, place in enumerate(task.free)}
    found = Estimates()
    for place, unknown in enumerate(task.unknowns.each):
        value, unit, dimension = float(values[place]), each[unknown.name].unit, each[unknown.name].dimension
        if place not in places:
            found[unknown.name] = Estimate(value, value, value, unit, fixed=True, dimension=dimension)
            continue
        i = places[place]
        s = float(np.sqrt(told.covariance[i, i]))
        if unknown.positive:
            with np.errstate(over="ignore"):  # what is hardly told may reach beyond all numbers
                low, high, deviation = value * np.exp(-spread * s), value * np.exp(min(spread * s, 700.0)), value * s
        else:
            deviation = s * task.size[i]
            low, high = value - spread * deviation, value + spread * deviation
        low, high = unknown.low if told.below[i] else low, unknown.high if told.above[i] else high
        deviation = np.inf if told.nothing[i] else deviation
        found[unknown.name] = Estimate(
            value, float(low), float(high), unit, float(deviation), unknown.value, dimension=dimension
        )
    return found


def _loop_fit(law: Law, drive: Drive, r: Ready) -> LoopFit:
    fitted = drive.force(law)
    own = energy_of(r.loop, drive.u, fitted)
    return LoopFit(
        r.loop.name, drive.u, r.loop.f, fitted, drive.counts, r.loop.noise, own, r.loop.energy, r.geometry.amplitude,
        r.judged.beginning, frequency_of(r.loop), r.loop.file, r.loop.units, drive.before,
    )  # fmt: skip


def _profile(task: Task, answer: Found, told: Told, name: str) -> Estimate:
    """An estimate with the ends that its profile has."""
    place = task.unknowns.place(name, "profile")
    i = task.free.index(place)
    half = told.student * float(np.sqrt(told.covariance[i, i])) or 1.0  # where nothing is told: from near to far
    ends = Profile(task, answer, i, (told.student * told.wider[i]) ** 2 * told.variance).ends(half)
    positive = task.unknowns.each[place].positive
    low, high = (float(np.exp(x)) if positive else float(x * task.size[i]) for x in ends)
    return _estimates(task, answer, told)[task.unknowns.names[place]]._replace(low=low, high=high)
