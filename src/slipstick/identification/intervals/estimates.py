"""Estimates of parameters with confidence intervals, from curvature, and from profiles on request."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial

import numpy as np

from slipstick.arrays import Array
from slipstick.identification import tolerances as tol
from slipstick.identification.intervals.deflection_noise import perturbed_residuals
from slipstick.identification.intervals.derived_quantities import estimate_derived
from slipstick.identification.intervals.fit_warnings import warnings_of
from slipstick.identification.intervals.identifiability import Identifiability, assess_identifiability
from slipstick.identification.intervals.law_samples import model_of_law, sample_laws, spread_of_search
from slipstick.identification.intervals.posterior import FitPosterior
from slipstick.identification.intervals.profile_likelihood import ProfileLikelihood
from slipstick.identification.preparing.cycle_figures import cycle_energy, loop_frequency
from slipstick.identification.preparing.imposed_path import ImposedPath
from slipstick.identification.preparing.prepared_loop import PreparedLoop
from slipstick.identification.search.least_squares import FitProblem, SearchResult, decimated_at
from slipstick.identification.search.start_selection import DECIMATED_SAMPLES
from slipstick.identification.search.unknowns import Unknowns
from slipstick.laws.base import Law
from slipstick.results.fit import Estimate, Estimates, Fit, LoopFit

PROFILE_BUDGET = 12  # evaluations of a search for an end that curvature does not give


def fit_from_search(problem: FitProblem, result: SearchResult, prepared: list[PreparedLoop], seconds: float) -> Fit:
    """The fit at the end of a search."""
    law = problem.law(result.x)
    steps = [float(np.median(np.diff(r.loop.clock))) for r in prepared]
    identifiability = assess_identifiability(problem, result, steps, perturbed_residuals(problem, law, prepared))
    estimates = _parameter_estimates(problem, result, identifiability, prepared)
    loops = tuple(_fit_of_loop(law, path, r) for path, r in zip(problem.paths, prepared, strict=True))
    count = sum(loop.samples for loop in loops)
    free, spread = (
        tuple(problem.unknowns.names[p] for p in problem.free),
        spread_of_search(problem, result.x, identifiability),
    )
    return Fit(
        law=law,
        parameters=estimates,
        derived=estimate_derived(problem, result.x, identifiability),
        free=free,
        correlation=identifiability.correlation,
        loops=loops,
        residual=float(np.sqrt(sum(loop.rms**2 * loop.samples for loop in loops) / count)),
        noise=float(np.median([loop.noise for loop in loops])),
        warnings=warnings_of(problem, result, estimates, identifiability, loops, prepared),
        notes=tuple(note for r in prepared for note in r.notes),
        seconds=seconds,
        evaluations=result.evaluations,
        converged=result.converged,
        held=problem.held,
        system=problem.unknowns.system,
        spread=spread,
        model=model_of_law(law),
        draw=partial(sample_laws, law, free, spread),
        profile_of=partial(_profiled_estimate, replace(problem, deadline=np.inf), result, identifiability, estimates),
        posterior_of=FitPosterior(
            replace(problem, deadline=np.inf),
            result,
            [r.loop.turning.turns for r in prepared],
            identifiability,
            estimates,
        ),
    )


def _parameter_estimates(
    problem: FitProblem, result: SearchResult, identifiability: Identifiability, prepared: list[PreparedLoop]
) -> Estimates:
    values, spread = problem.values(result.x), identifiability.student_factor
    each = {
        u.name: u for u in Unknowns.of(problem.law(result.x), problem.unknowns.system).each
    }  # some units depend on values
    places = {place: i for i, place in enumerate(problem.free)}
    estimates = Estimates()
    for place, unknown in enumerate(problem.unknowns.each):
        value, unit, dimension = float(values[place]), each[unknown.name].unit, each[unknown.name].dimension
        if place not in places:
            estimates[unknown.name] = Estimate(value, value, value, unit, fixed=True, dimension=dimension)
            continue
        i = places[place]
        s = float(np.sqrt(identifiability.covariance[i, i]))
        if identifiability.undetermined[i]:
            (low, high), deviation = _open_interval(problem, result, identifiability, i, prepared), np.inf
        elif unknown.positive:
            with np.errstate(over="ignore"):  # a poorly determined value may overflow
                low, high, deviation = (
                    value * np.exp(-spread * s),
                    value * np.exp(min(spread * s, tol.MAX_LOG_VALUE)),
                    value * s,
                )
        else:
            deviation = s * problem.size[i]
            low, high = value - spread * deviation, value + spread * deviation
        estimates[unknown.name] = Estimate(
            value, float(low), float(high), unit, float(deviation), unknown.value, dimension=dimension
        )
    return estimates


def _allowed(identifiability: Identifiability, i: int) -> float:
    """Increase of the sum of squares at the ends of an interval; if undetermined, that of the widest one."""
    widening = (
        identifiability.widening.max()
        if identifiability.open_below[i] and identifiability.open_above[i]
        else identifiability.widening[i]
    )
    return (identifiability.student_factor * max(float(widening), 1.0)) ** 2 * identifiability.variance


def _unscaled(problem: FitProblem, i: int, x: float) -> float:
    """Value of a free scaled unknown; infinite beyond the range of a search."""
    if not problem.unknowns.each[problem.free[i]].positive:
        return float(x * problem.size[i])
    return float(np.exp(x)) if x < tol.MAX_LOG_VALUE else np.inf


def _open_interval(
    problem: FitProblem, result: SearchResult, identifiability: Identifiability, i: int, prepared: list[PreparedLoop]
) -> tuple[float, float]:
    """Ends of an interval that is open on one side; the profile gives the other end, as curvature cannot.

    Example: a limit that is never reached has no upper end, and its lower end is the largest measured force less noise.
    """
    unknown = problem.unknowns.each[problem.free[i]]
    low, high = unknown.low, unknown.high
    if identifiability.is_compensated(i):  # others compensate any change
        return low, high
    turns = [r.loop.turning.turns for r in prepared]
    fewer = decimated_at(problem, result, turns, DECIMATED_SAMPLES)  # a profile takes many searches
    allowed = fewer.share * _allowed(identifiability, i)
    profile = ProfileLikelihood(
        replace(fewer.problem, budget=PROFILE_BUDGET), fewer.result, i, allowed, tol.ROUGH_COST_TOLERANCE_REL
    )
    bounds = [bound[i] for bound in problem.bounds()]
    if identifiability.open_above[i] and (x := profile.edge(-1.0)) > bounds[0]:
        low = _unscaled(problem, i, x)
    if identifiability.open_below[i] and (x := profile.edge(1.0)) < bounds[1]:
        high = _unscaled(problem, i, x)
    return low, high


def _fit_of_loop(law: Law, path: ImposedPath, r: PreparedLoop) -> LoopFit:
    fitted = path.force(law)
    energy = cycle_energy(r.loop, path.u, fitted)
    return LoopFit(
        r.loop.name, path.u, r.loop.f, fitted, path.counts, r.loop.noise, energy, r.loop.energy, r.geometry.amplitude,
        r.initial_state.state, loop_frequency(r.loop), r.loop.file, r.loop.units, path.previous_reversal,
        *_outliers(r, fitted),
    )  # fmt: skip


def _outliers(r: PreparedLoop, fitted: Array) -> tuple[int, float]:
    """Number of outliers, and the rms residual of the other samples."""
    if r.spikes is None or not r.spikes.any():
        return 0, math.nan
    rest = (fitted - r.loop.f)[r.path.counts & ~r.spikes]
    return int(r.spikes.sum()), float(np.sqrt(np.mean(rest**2)))


def _profiled_estimate(
    problem: FitProblem, result: SearchResult, identifiability: Identifiability, estimates: Estimates, name: str
) -> Estimate:
    """An estimate with the interval of its profile."""
    place = problem.unknowns.place(name, "profile")
    i = problem.free.index(place)
    if identifiability.undetermined[i]:
        return estimates[problem.unknowns.names[place]]
    half = identifiability.student_factor * float(np.sqrt(identifiability.covariance[i, i]))
    ends = ProfileLikelihood(problem, result, i, _allowed(identifiability, i)).ends(half)
    low, high = (_unscaled(problem, i, x) for x in ends)
    return estimates[problem.unknowns.names[place]]._replace(low=low, high=high)
