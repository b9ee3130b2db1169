"""How wrong a run is: the same with two smaller steps, the same from a nearby start, and where the work went."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from slipstick.errors import NotConverged
from slipstick.results.certificate import LARGEST_ENERGY_RESIDUAL, Certificate
from slipstick.transient.energy import Instants, Works, balance, powers
from slipstick.transient.inclusion.march import March
from slipstick.transient.inclusion.tables import tabulate
from slipstick.transient.recording import factors
from slipstick.transient.sensitivity import NOTHING, estimate, is_sensitive

Array = NDArray[np.float64]

GRID = 100_000  # samples for the energy balance, at most
# how many times smaller the steps of the runs to compare with are, about: no whole number, nor is one a multiple of the
# other, as runs with h and h / 2 may meet an event at the same place in a step, and agree where both are wrong
SMALLER = ((1.0 + math.sqrt(5.0)) / 2.0, math.sqrt(5.0))
WAY = "error: the larger of two by Richardson's rule, from runs with steps 1.6 and 2.2 times smaller"
LARGEST_GRID = 5_000_000  # numbers in them, at most: 40 MB for each of three runs


def certify(march: March) -> Certificate:
    """The certificate of a run, or of the part of it that was reached; with words for why there is none."""
    problem = march.tables.parts.problem
    if march.reached == 0:
        return Certificate.none(problem.assembly.names, NOTHING)
    try:
        with np.errstate(over="ignore", invalid="ignore"):  # a run that grows without bound has no balance
            return _certify(march)
    except NotConverged as failure:
        return Certificate.none(problem.assembly.names, f"no certificate: {failure}")


def _certify(march: March) -> Certificate:
    tables, count = march.tables, march.reached
    problem = tables.parts.problem
    most = min(GRID, max(1000, LARGEST_GRID // march.line))
    every = max(1, -(-count // most))
    times = problem.start + tables.h * np.append(np.arange(0, count, every), count)
    again = _marched(march, count, tables.h, times)

    def compare() -> Array:
        return np.asarray(np.max([_distance(again, math.ceil(count * ratio)) for ratio in SMALLER], axis=0))

    def grows() -> bool:
        def nearby(nudge: Array) -> Array:
            return np.hstack(_marched(march, count, tables.h, times, nudge=nudge).motion())

        return is_sensitive(problem, np.hstack(again.motion()), nearby)

    found = estimate(problem, compare, WAY, grows)
    done = works(again)
    return balance(
        problem,
        done.work_in,
        done.absorbed,
        again.snapshot(0),
        again.snapshot(-1),
        found.errors,
        LARGEST_ENERGY_RESIDUAL,
        found.notes,
        matrices=done.matrices,
        exchanged=done.exchanged,
        advice="take a smaller step",
    )


def _distance(march: March, count: int) -> Array:
    """(n,) the error, by the difference to a run that takes ``count`` steps to the same end: right for first order."""
    h = march.tables.h * march.count / count
    other = _marched(march, count, h, march.times)
    apart = np.abs(march.motion()[0] - other.motion()[0]).max(axis=0, initial=0.0)
    return np.asarray(apart / (1.0 - march.count / count))


def _marched(march: March, count: int, h: float, times: Array, nudge: Array | None = None) -> March:
    tables = march.tables
    theta = None if tables.theta == 0.0 else tables.theta
    own = tables if h == tables.h else tabulate(tables.parts, h, theta)
    new = March(own, count, times, nudge=nudge)
    new.go()
    return new


def works(march: March) -> Works:
    """Works by the trapezoidal rule."""
    p, times = march.tables.parts.problem, march.times
    q, v = march.motion()
    forces = march.forces(times, q, v, march.out[: times.size, 2 * march.n :])
    full = np.zeros((times.size, len(p.elements)))
    for e, element in enumerate(p.elements):
        full[:, e] = element.force * factors(p, e, times) * forces[:, e]
    half = 0.5 * np.diff(times)
    steps = [(half * (power[1:] + power[:-1]).T).T for power in powers(p, Instants(times, q, v), full)]
    return Works.none(p).plus(*steps)
