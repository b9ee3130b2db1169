"""Error of a run, from runs with two smaller steps and from a nearby start, and its energy balance."""

from __future__ import annotations

import math

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import Advice, Message, NotConverged
from slipstick.results.certificate import Certificate
from slipstick.results.tolerances import ENERGY_RESIDUAL_LIMIT_REL
from slipstick.transient.energy import MotionSamples, RunSpan, WorkIntegrals, energy_certificate, powers
from slipstick.transient.inclusion.run import InclusionRun
from slipstick.transient.inclusion.setup import step_tables
from slipstick.transient.recorded_samples import modulation_factors
from slipstick.transient.sensitivity import NOTHING_REACHED, estimate, is_sensitive

MAX_ENERGY_SAMPLES = 100_000  # samples for the energy balance, at most
# of the step over those of the comparison runs, about: neither whole numbers nor multiples of each other, as runs with
# h and h / 2 may meet an event at the same place in a step, and agree where both are wrong
STEP_RATIOS = ((1.0 + math.sqrt(5.0)) / 2.0, math.sqrt(5.0))
ERROR_NOTE = "error: the larger of two by Richardson's rule, from runs with steps 1.6 and 2.2 times smaller"
MAX_GRID_NUMBERS = 5_000_000  # numbers in them, at most: 40 MB for each of three runs


def certify(march: InclusionRun) -> Certificate:
    """The certificate of a run, or of the part that it reached; or a message why there is none."""
    problem = march.tables.parts.problem
    if march.reached == 0:
        return Certificate.none(problem.assembly.names, NOTHING_REACHED)
    try:
        with np.errstate(over="ignore", invalid="ignore"):  # a run that grows without bound has no balance
            return _certify(march)
    except NotConverged as failure:
        return Certificate.none(problem.assembly.names, failure.message.wrapped("no certificate: "))


def _certify(march: InclusionRun) -> Certificate:
    tables, count = march.tables, march.reached
    problem = tables.parts.problem
    most = min(MAX_ENERGY_SAMPLES, max(1000, MAX_GRID_NUMBERS // march.line))
    every = max(1, -(-count // most))
    times = problem.start + tables.h * np.append(np.arange(0, count, every), count)
    again = _marched(march, count, tables.h, times)

    def compare() -> Array:
        return np.asarray(np.max([_distance(again, math.ceil(count * ratio)) for ratio in STEP_RATIOS], axis=0))

    def grows() -> bool:
        def nearby(nudge: Array) -> Array:
            return np.hstack(_marched(march, count, tables.h, times, nudge=nudge).motion())

        return is_sensitive(problem, np.hstack(again.motion()), nearby)

    found = estimate(problem, compare, ERROR_NOTE, grows)
    return energy_certificate(
        problem,
        trapezoidal_works(again),
        RunSpan(again.snapshot(0), again.snapshot(-1)),
        found,
        ENERGY_RESIDUAL_LIMIT_REL,
        advice=Message("", advice=[Advice("take a smaller {step}")]),
    )


def _distance(march: InclusionRun, count: int) -> Array:
    """(n,) the error, by the difference to a run that takes ``count`` steps to the same end: right for first order."""
    h = march.tables.h * march.count / count
    other = _marched(march, count, h, march.times)
    apart = np.abs(march.motion()[0] - other.motion()[0]).max(axis=0, initial=0.0)
    return np.asarray(apart / (1.0 - march.count / count))


def _marched(march: InclusionRun, count: int, h: float, times: Array, nudge: Array | None = None) -> InclusionRun:
    tables = march.tables
    theta = None if tables.theta == 0.0 else tables.theta
    own = tables if h == tables.h else step_tables(tables.parts, h, theta)
    new = InclusionRun(own, count, times, nudge=nudge)
    new.go()
    return new


def trapezoidal_works(march: InclusionRun) -> WorkIntegrals:
    """Works by the trapezoidal rule."""
    p, times = march.tables.parts.problem, march.times
    q, v = march.motion()
    forces = march.forces(times, q, v, march.out[: times.size, 2 * march.n :])
    full = np.zeros((times.size, len(p.elements)))
    for e, element in enumerate(p.elements):
        full[:, e] = element.force * modulation_factors(p, e, times) * forces[:, e]
    pairs = list(march.tables.parts.pairs)
    full[:, pairs] = 0.0  # impulses: the loop has added their works
    half = 0.5 * np.diff(times)
    steps = [(half * (power[1:] + power[:-1]).T).T for power in powers(p, MotionSamples(times, q, v), full)]
    works = WorkIntegrals.none(p).plus(*steps)
    if not pairs:
        return works
    own = march.state.pair_work[:-1].reshape(-1, 3)
    absorbed = np.zeros((1, len(p.elements)))
    absorbed[0, pairs] = own[:, :2].ravel()
    return works.plus(own[:, 2].sum(keepdims=True), absorbed, np.zeros(1))
