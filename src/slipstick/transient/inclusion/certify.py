"""How wrong a run is: the same with half the step, the same from a nearby start, and where the work went."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from slipstick.errors import NotConverged
from slipstick.results.certificate import LARGEST_ENERGY_RESIDUAL, Certificate
from slipstick.transient.energy import Instants, balance, powers
from slipstick.transient.inclusion.march import March
from slipstick.transient.inclusion.tables import tabulate
from slipstick.transient.recording import factors
from slipstick.transient.sensitivity import NOTHING, estimate, is_sensitive

Array = NDArray[np.float64]

GRID = 100_000  # samples for the energy balance, at most
FIRST_ORDER = 2.0  # times the difference to half the step is the error (Richardson)
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
    again = _marched(march, count, times)

    def compare() -> Array:
        half = _marched(march, 2 * count, times, halves=2)
        return np.asarray(FIRST_ORDER * np.abs(again.motion()[0] - half.motion()[0]).max(axis=0, initial=0.0))

    def grows() -> bool:
        def nearby(nudge: Array) -> Array:
            return np.hstack(_marched(march, count, times, nudge=nudge).motion())

        return is_sensitive(problem, np.hstack(again.motion()), nearby)

    found = estimate(problem, compare, "error: twice the difference to a run with half the step", grows)
    work_in, absorbed, matrices = works(again)
    return balance(
        problem,
        work_in,
        absorbed,
        again.snapshot(0),
        again.snapshot(-1),
        found.errors,
        LARGEST_ENERGY_RESIDUAL,
        found.notes,
        matrices=matrices,
        advice="take a smaller step",
    )


def _marched(march: March, count: int, times: Array, halves: int = 1, nudge: Array | None = None) -> March:
    tables = march.tables
    theta = None if tables.theta == 0.0 else tables.theta
    own = tables if halves == 1 else tabulate(tables.parts, tables.h / halves, theta)
    new = March(own, count, times, nudge=nudge)
    new.go()
    return new


def works(march: March) -> tuple[float, Array, float]:
    """(work of loads and motions, work absorbed by each element, by the matrices) [J], by the trapezoidal rule."""
    p, times = march.tables.parts.problem, march.times
    q, v = march.motion()
    forces = march.forces(times, q, v, march.out[: times.size, 2 * march.n :])
    full = np.zeros((times.size, len(p.elements)))
    for e, element in enumerate(p.elements):
        full[:, e] = element.force * factors(p, e, times) * forces[:, e]
    power_in, taken, matrices = powers(p, Instants(times, q, v), full)
    return (
        float(np.trapezoid(power_in, times)),
        np.asarray(np.trapezoid(taken, times, axis=0)),
        float(np.trapezoid(matrices, times)),
    )
