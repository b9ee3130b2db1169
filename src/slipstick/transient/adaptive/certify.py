"""How wrong a run is: the same with a tighter tolerance, the same from a nearby start, and where the work went."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from slipstick.results.certificate import LARGEST_ENERGY_RESIDUAL, Certificate
from slipstick.transient.adaptive import places
from slipstick.transient.adaptive.journey import Journey
from slipstick.transient.energy import balance
from slipstick.transient.sensitivity import WORDS, is_sensitive

Array = NDArray[np.float64]

GRID = 1000  # samples on which runs are compared
TIGHTER = 30.0  # the tolerance of the other run
TIGHTEST = 1e-13  # below, rounding rules: the other run is looser then, and the difference is divided
FOR_GROWTH = 1e-10  # the tolerance at which a small change of the start can be followed
ENERGY = 1e3  # residual of the energy balance over the tolerance, at most


def certify(journey: Journey) -> Certificate:
    """The certificate of a run, or of the part of it that was reached."""
    problem = journey.ready.problem
    tolerance, until = float(journey.plan[places.TOLERANCE]), float(journey.plan[places.TIME])
    fixed = float(journey.plan[places.LARGEST]) if journey.plan[places.FIXED] else None
    times = np.linspace(problem.start, until, GRID)
    own = Journey(journey.ready, until, times, tolerance, fixed=fixed)
    own.go()
    booked = Journey(journey.ready, until, times[-1:], tolerance, fixed=fixed, energy=True)  # energies within it too
    booked.go()
    tight = min(tolerance / TIGHTER, FOR_GROWTH)
    if tight >= TIGHTEST:
        share, words = 1.0, f"error: the difference to a run with tolerance {tight:.1g}"
    else:
        tight, share = TIGHTER * tolerance, 3.0 / TIGHTER
        words = f"error: from the difference to a run with tolerance {tight:.1g}"
    other = Journey(journey.ready, until, times, tight)
    other.go()
    errors = share * np.abs(_motion(own)[:, : problem.n] - _motion(other)[:, : problem.n]).max(axis=0, initial=0.0)
    rounding = 1e-16 * np.sqrt(own.steps + 1.0) * np.abs(_motion(own)[:, : problem.n]).max(axis=0, initial=0.0)
    errors, notes = np.maximum(errors, rounding), [words]

    def nearby(nudge: Array) -> Array:
        near = Journey(journey.ready, until, times, min(tight, FOR_GROWTH), nudge=nudge)
        near.go()
        return _motion(near)

    if is_sensitive(problem, _motion(other), nearby):
        errors = np.full(problem.n, np.inf)
        notes.append(WORDS)
    work_in, absorbed, matrices = booked.works()
    allowed = LARGEST_ENERGY_RESIDUAL if fixed else min(LARGEST_ENERGY_RESIDUAL, max(1e-8, ENERGY * tolerance))
    return balance(
        problem, work_in, absorbed, booked.first, booked.last(), errors, allowed, tuple(notes), matrices=matrices
    )


def _motion(journey: Journey) -> Array:
    """(k, 2n) displacement and velocity."""
    return journey.samples()[1][:, : 2 * journey.ready.problem.n]
