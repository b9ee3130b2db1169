"""How wrong a run is: the same with a tighter tolerance, the same from a nearby start, and where the work went."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from slipstick.errors import NotConverged
from slipstick.results.certificate import LARGEST_ENERGY_RESIDUAL, Certificate
from slipstick.transient.adaptive.journey import Journey
from slipstick.transient.energy import balance
from slipstick.transient.sensitivity import NOTHING, Estimate, estimate, is_sensitive

Array = NDArray[np.float64]

GRID = 1000  # samples on which runs are compared
TIGHTER = 30.0  # the tolerance of the other run
TIGHTEST = 1e-13  # below, rounding rules: the other run is looser then, and the difference is divided
FOR_GROWTH = 1e-10  # the tolerance at which a small change of the start can be followed
ROUNDING = 1e-16  # of the motion: what a step leaves at least
ENERGY = 1e3  # residual of the energy balance over the tolerance, at most


def certify(journey: Journey) -> Certificate:
    """The certificate of a run, or of the part of it that was reached; with words for why there is none."""
    names = journey.ready.problem.assembly.names
    if not journey.reached > journey.ready.problem.start:
        return Certificate.none(names, NOTHING)
    try:
        with np.errstate(over="ignore", invalid="ignore"):  # a run that grows without bound has no balance
            return _certify(journey)
    except NotConverged as failure:
        return Certificate.none(names, f"no certificate: {failure}")


def _certify(journey: Journey) -> Certificate:
    problem, until, tolerance = journey.ready.problem, journey.reached, journey.tolerance
    found = _estimate(journey, np.linspace(problem.start, until, GRID))
    booked = Journey(journey.ready, until, np.array([until]), tolerance, fixed=journey.fixed, energy=True)
    booked.go()  # apart: energies are held within the tolerance too, which makes other steps
    works = booked.works()
    allowed = min(LARGEST_ENERGY_RESIDUAL, max(1e-8, ENERGY * tolerance))
    return balance(
        problem,
        works.work_in,
        works.absorbed,
        booked.first,
        booked.last(),
        found.errors,
        LARGEST_ENERGY_RESIDUAL if journey.fixed else allowed,
        found.notes,
        matrices=works.matrices,
        exchanged=works.exchanged,
        advice=f"take a smaller {'step' if journey.fixed else 'tolerance'}",
        path=booked.path(),
    )


def _estimate(journey: Journey, times: Array) -> Estimate:
    """The error by a tighter run, and whether one from a start a little beside goes astray."""
    problem, until, tolerance = journey.ready.problem, float(times[-1]), journey.tolerance
    tight = min(tolerance / TIGHTER, FOR_GROWTH)
    if tight >= TIGHTEST:
        share, words = 1.0, f"error: the difference to a run with tolerance {tight:.1g}"
    else:
        tight, share = TIGHTER * tolerance, 3.0 / TIGHTER
        words = f"error: from the difference to a run with tolerance {tight:.1g}"
    other = Journey(journey.ready, until, times, tight)

    def compare() -> Array:
        own = Journey(journey.ready, until, times, tolerance, fixed=journey.fixed)
        own.go()
        other.go()
        q = _motion(own)[:, : problem.n]
        errors = share * np.abs(q - _motion(other)[:, : problem.n]).max(axis=0, initial=0.0)
        rounding = ROUNDING * np.sqrt(own.steps + 1.0) * np.abs(q).max(axis=0, initial=0.0)
        return np.asarray(np.maximum(errors, rounding))

    def grows() -> bool:
        def nearby(nudge: Array) -> Array:
            near = Journey(journey.ready, until, times, min(tight, FOR_GROWTH), nudge=nudge)
            near.go()
            return _motion(near)

        return is_sensitive(problem, _motion(other), nearby)

    return estimate(problem, compare, words, grows)


def _motion(journey: Journey) -> Array:
    """(k, 2n) displacement and velocity."""
    return journey.samples()[1][:, : 2 * journey.ready.problem.n]
