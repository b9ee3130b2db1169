"""Orbits by shooting on the exact flow: solved, measured, and handed over."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from scipy.linalg import lapack

from slipstick.arrays import Array, Complex
from slipstick.model.series_joints import connection_name
from slipstick.periodic.common_period import Period
from slipstick.periodic.measures.orbit_measures import ConnectionMeasures, MotionMeasures, base_phase, harmonic_count
from slipstick.periodic.multipliers import NEUTRAL_DISTANCE, is_stable, multipliers_of, neutral_count
from slipstick.periodic.shooting.exact_map import ExactMap
from slipstick.periodic.shooting.newton import PeriodicSolution
from slipstick.periodic.shooting.stick_band import band_extent
from slipstick.results.orbit import FREE_BODIES_NOTE, OrbitPoint
from slipstick.transient.exact.flow_run import Flow, SegmentIntervals
from slipstick.transient.exact.impact_losses import connection_losses, event_times
from slipstick.transient.exact.outputs import acceleration_amplitudes, measure_runs
from slipstick.transient.exact.trajectory import ExactTrajectory
from slipstick.transient.run_request import RunRequest
from slipstick.transient.series_joints import fold_point

ORBIT_SAMPLES = 513  # of a period, both ends included; events come on top
STORED_HARMONICS = 12  # harmonics of the base frequency: each costs time where orbits are many
NEUTRAL_DISTANCE_FIXED = 1e-13  # distance from one of a multiplier that is neutral, where nothing is free


class OrbitTrajectory(ExactTrajectory):
    """One period of an orbit.   left : (n,) the errors of the free coordinates that the periodicity residual tells."""

    def __init__(self, closed: PeriodicSolution, period: Period, residual: float, left: Array | float = 0.0) -> None:
        flow = closed.passed.flow
        even = flow.engine.packed.problem.start + np.linspace(0.0, period.time, ORBIT_SAMPLES)
        times = np.unique(np.concatenate([even[:-1], event_times(flow), [flow.time]]))
        super().__init__(flow, RunRequest(until=flow.until, times=times))
        self.closed, self.residual, self.left = closed, residual, left
        self.count(0.0, 0)
        self.stats.method = "shooting"
        self.stats.steps = closed.steps

    def accuracy(self) -> tuple[Array, tuple[str, ...]]:
        """That of the orbit: what is missed after a period, over what is forgotten of it in one; at least rounding."""
        rounding, notes = super().accuracy()
        words = f"error: the periodicity residual ({self.residual:.1e} of the motion), accumulated over periods"
        errors = np.maximum(rounding, self.left)
        return errors, (words,) if np.isfinite(rounding).all() else (*notes, words)


def contraction(closed: PeriodicSolution, found: Complex) -> float:
    """The least part of a change that is gone after a period; neutral directions left out.

    Where dry friction has only just begun to slip little is forgotten, but something is.
    """
    sizes = np.abs(1.0 - found)
    if not sizes.min(initial=1.0) > NEUTRAL_DISTANCE:
        flow = closed.passed.flow
        slips = any(len(ways) > 1 and flow.engine.packed.units[j].friction for j, ways in flow.ways.items())
        sizes = sizes[sizes > (NEUTRAL_DISTANCE_FIXED if slips and not flow.never_slipping else NEUTRAL_DISTANCE)]
    return float(min(sizes.min(initial=1.0), 1.0))


class SolvedOrbit(NamedTuple):
    """A closed orbit, the map that it was found by, and the parameter of the curve it is on."""

    period_map: ExactMap
    period: Period
    closed: PeriodicSolution
    p: float


class _OrbitResidual(NamedTuple):
    """What an orbit may miss yet, rigid motions left out.

    missed : (size,) after a period.   change : (relative, relative) what a period makes of changes.
    """

    missed: Array
    change: Array
    multipliers: Complex


def _orbit_residuals(orbits: Sequence[SolvedOrbit]) -> list[_OrbitResidual]:
    missed, changes = list[Array](), list[Array]()
    for orbit in orbits:
        closed, derivative = orbit.closed, orbit.closed.passed.derivative
        own = closed.passed.state - closed.state
        if orbit.period_map.loose.size:
            kept = orbit.period_map.relative
            derivative, own = kept.T @ derivative @ kept, kept @ (kept.T @ own)
        missed.append(own)
        changes.append(derivative)
    found = [multipliers_of(change) for change in changes]
    return [_OrbitResidual(*each) for each in zip(missed, changes, found, strict=True)]


def _next_step_size(period_map: ExactMap, left: _OrbitResidual, sizes: Array) -> float:
    """By how much of its sizes another step of Newton's method would move a state; 0 where a direction is neutral.

    Near a branch point a change may grow a good deal before it is forgotten, which multipliers alone do not tell.
    """
    if not left.multipliers.size or np.abs(left.multipliers - 1.0).min() <= NEUTRAL_DISTANCE:
        return 0.0
    kept = period_map.relative if period_map.loose.size else None
    missed = left.missed if kept is None else kept.T @ left.missed
    step, info = lapack.dgesv(np.eye(missed.size) - left.change, missed)[2:]
    return 0.0 if info else float(np.abs((step if kept is None else kept @ step) / sizes).max())


def describe_exact_orbit(
    period_map: ExactMap, period: Period, closed: PeriodicSolution, p: float
) -> tuple[OrbitPoint, OrbitTrajectory]:
    """Everything about a closed orbit; ``p`` is the parameter of the curve it is on."""
    left = _orbit_residuals([SolvedOrbit(period_map, period, closed, p)])[0]
    errors = np.abs(left.missed)[: period_map.problem.n] / contraction(closed, left.multipliers)
    return exact_point_of(period_map, period, closed, p), OrbitTrajectory(closed, period, closed.residual, errors)


def exact_point_of(period_map: ExactMap, period: Period, closed: PeriodicSolution, p: float) -> OrbitPoint:
    """What a curve stores about a closed orbit."""
    return exact_points_of([SolvedOrbit(period_map, period, closed, p)])[0]


def exact_points_of(orbits: Sequence[SolvedOrbit]) -> list[OrbitPoint]:
    """The same of several orbits of a curve: each measure of all of them at once."""
    left = _orbit_residuals(orbits)
    flows = [orbit.closed.passed.flow for orbit in orbits]
    found = [
        orbit.period_map.multipliers(orbit.closed.passed.derivative) if orbit.period_map.loose.size else own.multipliers
        for orbit, own in zip(orbits, left, strict=True)
    ]
    judged = [(is_stable(own), neutral_count(own)) for own in found]
    measures = _measure_orbits(flows, [orbit.period for orbit in orbits], STORED_HARMONICS)
    sizes = [orbit.period_map.scales(flow) for orbit, flow in zip(orbits, flows, strict=True)]
    events = [len(flow.events) for flow in flows]
    known = zip(left, found, judged, measures, sizes, events, strict=True)
    own = [
        _Measures(a, b, stable, neutral, motion, action, size, count)
        for a, b, (stable, neutral), (motion, action), size, count in known
    ]
    points = [_point(*pair) for pair in zip(orbits, own, strict=True)]
    if orbits[0].period_map.problem.system.joints is None:
        return points
    return [
        fold_point(point, o.period_map.problem.system, _summed_range(o))
        for point, o in zip(points, orbits, strict=True)
    ]


class _Measures(NamedTuple):
    """What is known of an orbit, see `OrbitPoint`.   sizes : (size,) of its state.   neutral : multipliers of one."""

    left: _OrbitResidual
    multipliers: Complex
    stable: bool
    neutral: int
    motion: MotionMeasures
    action: ConnectionMeasures
    sizes: Array
    events: int


def _point(orbit: SolvedOrbit, own: _Measures) -> OrbitPoint:
    period_map, period, closed, p = orbit
    size = float(own.sizes[: period_map.problem.n].max(initial=0.0))
    missed = closed.residual / contraction(closed, own.left.multipliers)
    return OrbitPoint(
        p=p,
        x=closed.state,
        frequency=period.base,
        period=period.time,
        multipliers=own.multipliers,
        stable=own.stable,
        error=size * max(missed, _next_step_size(period_map, own.left, own.sizes)),
        residual=closed.residual,
        iterations=closed.steps,
        events=own.events,
        notes=notes_on(period_map, closed, own.neutral),
        band=_band(period_map, closed, own.motion.mean),
        **own.motion._asdict(),
        **own.action._asdict(),
    )


def _summed_range(orbit: SolvedOrbit) -> Callable[[tuple[int, ...]], float]:
    def summed_range(own: tuple[int, ...]) -> float:
        force = OrbitTrajectory(orbit.closed, orbit.period, orbit.closed.residual).samples().force
        return float(np.ptp(force[:, list(own)].sum(axis=1)))

    return summed_range


def _band(period_map: ExactMap, closed: PeriodicSolution, mean: Array) -> Array | None:
    """(coordinates, 2) the lowest and the highest mean of the orbits that this is one of; None if it is alone."""
    shifts = None if closed.passed.flow.slid else band_extent(period_map, closed)
    if shifts is None:
        return None
    found = np.column_stack([mean, mean])
    found[period_map.problem.assembly.free] += shifts
    return found


def notes_on(period_map: ExactMap, closed: PeriodicSolution, neutral: int) -> tuple[str, ...]:
    """What a reader should know: neutral multipliers and where they come from, drift, stick throughout."""
    notes = []
    if neutral:
        notes.append(f"{neutral} multiplier{'s' if neutral > 1 else ''} of one: {_why_neutral(period_map, closed)}")
    if period_map.drift.size:
        moved = (closed.passed.state - closed.state)[: period_map.problem.n]
        drift = period_map.drift @ (period_map.drift.T @ moved)
        if np.abs(drift).max(initial=0.0) > 1e-9 * closed.passed.flow.sizes[: period_map.problem.n].max():
            notes.append("free bodies drift; the motion repeats apart from the drift")
    return tuple(notes)


def _why_neutral(period_map: ExactMap, closed: PeriodicSolution) -> str:
    reasons = []
    if period_map.loose.size:
        reasons.append(FREE_BODIES_NOTE)
    units, problem = period_map.engine.packed.units, period_map.problem
    elements = [units[j].elements[0] for j in closed.passed.flow.never_slipping]
    of = [connection_name(problem.system, problem.elements[e].connection) for e in elements]
    if of:
        reasons.append(
            f"{', '.join(dict.fromkeys(of))} never slip{'s' if len(of) == 1 else ''}: one of a band of orbits"
        )
    return "; ".join(reasons) or "a neutral direction, as at a fold"


def measure_exact_orbit(
    flow: Flow, period: Period, harmonics: int = STORED_HARMONICS
) -> tuple[MotionMeasures, ConnectionMeasures]:
    """Of the coordinates, and of the connections, over one period; so many harmonics of the base frequency."""
    return _measure_orbits([flow], [period], harmonics)[0]


def _measure_orbits(
    flows: Sequence[Flow], periods: Sequence[Period], harmonics: int
) -> list[tuple[MotionMeasures, ConnectionMeasures]]:
    """The same of several orbits of a model, whose periods have as many turns."""
    turns = periods[0].turns
    readings = measure_runs(flows, harmonic_count(turns, harmonics))
    n = len(flows[0].engine.packed.problem.assembly.names)
    phases = [base_phase(reading.harmonics[:, :n], turns) for reading in readings]
    accelerations = acceleration_amplitudes(flows)
    losses = [connection_losses(flow) for flow in flows]
    intervals = [flow.intervals for flow in flows]
    found = list[tuple[MotionMeasures, ConnectionMeasures]]()
    for k, (flow, reading) in enumerate(zip(flows, readings, strict=True)):
        spread = reading.high - reading.low
        motion = MotionMeasures(
            0.5 * spread[:n], np.sqrt(reading.square[:n]), reading.mean[:n], reading.harmonics[:, :n], phases[k],
            accelerations[k],
        )  # fmt: skip
        shares = exact_stick_shares(flow, intervals[k], periods[k])
        found.append((motion, ConnectionMeasures(spread[n:], reading.work[n:] + losses[k], *shares)))
    return found


def exact_stick_shares(flow: Flow, intervals: SegmentIntervals, period: Period) -> tuple[Array, Array]:
    """(m,) the part of the period in which all that can stick in a connection does, and the phase [rad] at which that
    begins first."""
    packed = flow.engine.packed
    problem, time = packed.problem, period.time
    begins, ends, pieces = intervals
    share, lag = np.full((2, len(problem.system.connections)), np.nan)
    for connection, units in flow.engine.sticking.items():
        sticks = [[name == "stick" for name in unit.pieces] for _, unit in units]
        held = [True] * len(pieces)
        for (j, _), stuck_in in zip(units, sticks, strict=True):
            held = [so_far and stuck_in[own[j]] for so_far, own in zip(held, pieces, strict=True)]
        stuck = [end - begin for begin, end, holds in zip(begins, ends, held, strict=True) if holds]
        share[connection] = math.fsum(stuck) / time
        first = [begin for k, begin in enumerate(begins) if held[k] and not held[k - 1]]
        if first:
            lag[connection] = period.base * (first[0] - problem.start)
    return share, lag
