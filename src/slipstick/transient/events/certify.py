"""Error of a run, from a tighter tolerance, a nearby start and the energy balance."""

from __future__ import annotations

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import Advice, Message, NotConverged
from slipstick.results.certificate import Certificate
from slipstick.results.tolerances import ENERGY_RESIDUAL_LIMIT_REL
from slipstick.transient.energy import RunSpan, energy_certificate
from slipstick.transient.events.run import AdaptiveRun, Stepping
from slipstick.transient.sensitivity import NOTHING_REACHED, ErrorEstimate, estimate, is_sensitive

COMPARISON_SAMPLES = 1000  # samples on which runs are compared
TIGHT_FACTOR = 30.0  # the tolerance of the other run
ERROR_EXPONENT = 0.8  # the error over a run grows with this power of the tolerance of a step: order 4 of 5
MIN_TOLERANCE = 1e-13  # below, rounding rules: the other run is looser then, and the difference is divided
GROWTH_TOLERANCE = 1e-10  # the tolerance at which a small change of the start can be followed
STEP_ROUNDING_REL = 1e-16  # of the motion: what a step leaves at least
MAX_ENERGY_RESIDUAL_TOLERANCES = 1e3  # residual of the energy balance over the tolerance, at most


def certify(run: AdaptiveRun) -> Certificate:
    """The certificate of a run, or of its finished part; if it cannot be made, the reason in words."""
    names = run.ready.problem.assembly.names
    if not run.reached > run.ready.problem.start:
        return Certificate.none(names, NOTHING_REACHED)
    try:
        with np.errstate(over="ignore", invalid="ignore"):  # a run that grows without bound has no balance
            return _certify(run)
    except NotConverged as failure:
        return Certificate.none(names, failure.message.wrapped("no certificate: "))


def _certify(run: AdaptiveRun) -> Certificate:
    problem, until, tolerance, fixed = run.ready.problem, run.reached, run.stepping.tolerance, run.stepping.fixed
    found = _estimate(run, np.linspace(problem.start, until, COMPARISON_SAMPLES))
    booked = AdaptiveRun(run.ready, until, np.array([until]), Stepping(tolerance, fixed), energy=True)
    booked.go()  # a run of its own: control of the energy error changes the steps
    allowed = min(ENERGY_RESIDUAL_LIMIT_REL, max(1e-8, MAX_ENERGY_RESIDUAL_TOLERANCES * tolerance))
    return energy_certificate(
        problem,
        booked.works(),
        RunSpan(booked.first, booked.last(), booked.path()),
        found,
        ENERGY_RESIDUAL_LIMIT_REL if fixed else allowed,
        advice=Message("", advice=[Advice("take a smaller {step}" if fixed else "take a smaller {tolerance}")]),
    )


def _estimate(run: AdaptiveRun, times: Array) -> ErrorEstimate:
    """The error from a run with a tighter tolerance, and whether a run from a nearby start diverges from it."""
    problem, until, tolerance = run.ready.problem, float(times[-1]), run.stepping.tolerance
    tight = min(tolerance / TIGHT_FACTOR, GROWTH_TOLERANCE)
    if tight >= MIN_TOLERANCE:
        share = 1.0 / (1.0 - (tight / tolerance) ** ERROR_EXPONENT)  # the other run has an error, too
        words = f"error: the difference to a run with tolerance {tight:.1g}"
    else:
        tight, share = TIGHT_FACTOR * tolerance, 3.0 / TIGHT_FACTOR
        words = f"error: from the difference to a run with tolerance {tight:.1g}"
    other = AdaptiveRun(run.ready, until, times, Stepping(tight))

    def compare() -> Array:
        own = AdaptiveRun(run.ready, until, times, Stepping(tolerance, run.stepping.fixed))
        own.go()
        other.go()
        q = _motion(own)[:, : problem.n]
        errors = share * np.abs(q - _motion(other)[:, : problem.n]).max(axis=0, initial=0.0)
        rounding = STEP_ROUNDING_REL * np.sqrt(own.steps + 1.0) * np.abs(q).max(axis=0, initial=0.0)
        return np.asarray(np.maximum(errors, rounding))

    def grows() -> bool:
        def nearby(nudge: Array) -> Array:
            near = AdaptiveRun(run.ready, until, times, Stepping(min(tight, GROWTH_TOLERANCE)), nudge=nudge)
            near.go()
            return _motion(near)

        return is_sensitive(problem, _motion(other), lambda nudge: nearby(_held(other, nudge)))

    return estimate(problem, compare, words, grows)


def _motion(run: AdaptiveRun) -> Array:
    """(k, 2n) displacement and velocity."""
    return run.samples()[1][:, : 2 * run.ready.problem.n]


def _held(run: AdaptiveRun, nudge: Array) -> Array:
    """(2n,) a change of the initial state that leaves contacts sticking which stick at first.

    Between its sliding limit and its static limit a contact holds only at rest: any rate would release it.
    """
    p, held = run.ready.problem, [e for e in run.ready.contacts.elements if run.first_state(e) == "stick"]
    rows = p.deflections[held]
    pushes = run.ready.inertia @ rows.T
    v = nudge[p.n :]
    return np.concatenate([nudge[: p.n], v - pushes @ np.linalg.pinv(rows @ pushes) @ (rows @ v)])
