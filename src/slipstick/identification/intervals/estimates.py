"""Intervals of identified numbers: from the curvature of the sum of squares, and by profiles on request."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from slipstick.identification.intervals.deflection_noise import perturbed_residuals
from slipstick.identification.intervals.derived_quantities import estimate_derived
from slipstick.identification.intervals.fit_warnings import warnings_of
from slipstick.identification.intervals.identifiability import Identifiability, assess_identifiability
from slipstick.identification.intervals.law_samples import model_of_law, sample_laws, spread_of_search
from slipstick.identification.intervals.profile_likelihood import ProfileLikelihood
from slipstick.identification.preparing.cycle_figures import cycle_energy, loop_frequency
from slipstick.identification.preparing.imposed_path import ImposedPath
from slipstick.identification.preparing.prepared_loop import PreparedLoop
from slipstick.identification.search.least_squares import (
    MAX_LOG_VALUE,
    ROUGH_COST_TOLERANCE_REL,
    FitProblem,
    SearchResult,
)
from slipstick.identification.search.unknowns import Unknowns
from slipstick.laws.base import Law
from slipstick.results.fit import Estimate, Estimates, Fit, LoopFit

Array = NDArray[np.float64]

PROFILED = 12  # evaluations of a search for an end that no curvature tells


def fit_from_search(task: FitProblem, answer: SearchResult, found: list[PreparedLoop], seconds: float) -> Fit:
    """The result of a fit from where its search ended."""
    law = task.law(answer.x)
    steps = [float(np.median(np.diff(r.loop.clock))) for r in found]
    told = assess_identifiability(task, answer, steps, perturbed_residuals(task, law, found))
    estimates = _parameter_estimates(task, answer, told)
    loops = tuple(_fit_of_loop(law, drive, r) for drive, r in zip(task.drives, found, strict=True))
    count = sum(loop.samples for loop in loops)
    free, spread = tuple(task.unknowns.names[p] for p in task.free), spread_of_search(task, answer.x, told)
    return Fit(
        law=law,
        parameters=estimates,
        derived=estimate_derived(task, answer.x, told),
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
        model=model_of_law(law),
        draw=partial(sample_laws, law, free, spread),
        profile_of=partial(_profiled_estimate, task, answer, told, estimates),
    )


def _parameter_estimates(task: FitProblem, answer: SearchResult, told: Identifiability) -> Estimates:
    values, spread = task.values(answer.x), told.student_factor
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
        if told.nothing[i]:
            (low, high), deviation = _beside_open(task, answer, told, i), np.inf
        elif unknown.positive:
            with np.errstate(over="ignore"):  # what is hardly told may reach beyond all numbers
                low, high, deviation = (
                    value * np.exp(-spread * s),
                    value * np.exp(min(spread * s, MAX_LOG_VALUE)),
                    value * s,
                )
        else:
            deviation = s * task.size[i]
            low, high = value - spread * deviation, value + spread * deviation
        found[unknown.name] = Estimate(
            value, float(low), float(high), unit, float(deviation), unknown.value, dimension=dimension
        )
    return found


def _allowed(told: Identifiability, i: int) -> float:
    """What the sum of squares may grow by within an interval; one that is not told is as wide as noise makes any."""
    wider = told.wider.max() if told.below[i] and told.above[i] else told.wider[i]
    return (told.student_factor * max(float(wider), 1.0)) ** 2 * told.variance


def _unscaled(task: FitProblem, i: int, x: float) -> float:
    """The value of a scaled unknown among those that are free; infinite beyond all that a search tries."""
    if not task.unknowns.each[task.free[i]].positive:
        return float(x * task.size[i])
    return float(np.exp(x)) if x < MAX_LOG_VALUE else np.inf


def _beside_open(task: FitProblem, answer: SearchResult, told: Identifiability, i: int) -> tuple[float, float]:
    """Ends of an interval that is open on a side: no curvature tells the other, so its profile does.

    A limit that is never reached has none above, and below it the largest force that was seen, less noise.
    """
    unknown = task.unknowns.each[task.free[i]]
    low, high = unknown.low, unknown.high
    if told.stands_in(i):  # others make up for any change of it
        return low, high
    profile = ProfileLikelihood(replace(task, budget=PROFILED), answer, i, _allowed(told, i), ROUGH_COST_TOLERANCE_REL)
    bounds = [own[i] for own in task.bounds()]
    if told.above[i] and (x := profile.edge(-1.0)) > bounds[0]:
        low = _unscaled(task, i, x)
    if told.below[i] and (x := profile.edge(1.0)) < bounds[1]:
        high = _unscaled(task, i, x)
    return low, high


def _fit_of_loop(law: Law, drive: ImposedPath, r: PreparedLoop) -> LoopFit:
    fitted = drive.force(law)
    own = cycle_energy(r.loop, drive.u, fitted)
    return LoopFit(
        r.loop.name, drive.u, r.loop.f, fitted, drive.counts, r.loop.noise, own, r.loop.energy, r.geometry.amplitude,
        r.judged.beginning, loop_frequency(r.loop), r.loop.file, r.loop.units, drive.before,
    )  # fmt: skip


def _profiled_estimate(
    task: FitProblem, answer: SearchResult, told: Identifiability, estimates: Estimates, name: str
) -> Estimate:
    """An estimate with the ends that its profile has."""
    place = task.unknowns.place(name, "profile")
    i = task.free.index(place)
    if told.nothing[i]:
        return estimates[task.unknowns.names[place]]
    half = told.student_factor * float(np.sqrt(told.covariance[i, i]))
    ends = ProfileLikelihood(task, answer, i, _allowed(told, i)).ends(half)
    low, high = (_unscaled(task, i, x) for x in ends)
    return estimates[task.unknowns.names[place]]._replace(low=low, high=high)
