"""The figures of an orbit from the steps that it was integrated by: what a curve stores of it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from slipstick.arrays import Array
from slipstick.laws.base import Law
from slipstick.periodic.common_period import Period
from slipstick.periodic.measures.orbit_measures import ConnectionMeasures, MotionMeasures, base_phase, harmonic_count
from slipstick.periodic.measures.stick_share import stick_shares
from slipstick.periodic.shooting.quintic_interpolation import ColumnMeasures, hermite_measures, interpolated_measures
from slipstick.transient.energy import MotionSamples, powers
from slipstick.transient.events.period_run import StepTape
from slipstick.transient.folded_matrices import is_plain
from slipstick.transient.problem import Problem

REST_REL = 1e-9  # of the largest rate of a contact: below it, it is at rest


def measure_adaptive_orbit(
    problem: Problem, tape: StepTape, period: Period
) -> tuple[MotionMeasures, ConnectionMeasures]:
    """Of the coordinates, and of the connections, over one period."""
    waves = _motion(problem, tape, harmonic_count(period.turns))
    harmonics = np.vstack([waves.mean[None, :].astype(complex), waves.harmonics])
    forces = element_forces(problem, tape, np.vstack([tape.begun[:1], tape.forces]))
    count, ended = len(problem.system.connections), _forces_and_powers(problem, tape, forces)
    begun = ended[:-1]
    if not np.array_equal(tape.begun[1:], tape.forces[:-1]):  # forces jump: a damped contact closes
        first = np.vstack([tape.begun, tape.forces[-1:]])
        begun = _forces_and_powers(problem, tape, element_forces(problem, tape, first))[:-1]
    cornered = _cornered(problem)
    columns = np.concatenate([cornered, cornered, np.full(waves.mean.size, cornered.any())])
    spread, integral = interpolated_measures(tape.time, tape.event, begun, ended[1:], columns)
    return (
        MotionMeasures(
            0.5 * waves.spread, np.sqrt(waves.square), waves.mean, harmonics, base_phase(harmonics, period.turns),
            0.5 * spread[2 * count :],
        ),
        ConnectionMeasures(spread[:count], integral[count : 2 * count], *_sticking(problem, tape, period)),
    )  # fmt: skip


def _cornered(problem: Problem) -> NDArray[np.bool_]:
    """(connections,) those with a law from elsewhere that does not say where its corners are, and may have some."""
    found = np.zeros(len(problem.system.connections), dtype=bool)
    for element in problem.elements:
        law = type(element.law)
        found[element.connection] |= law.corner is Law.corner and not law.__module__.startswith("slipstick.")
    return found


def _forces_and_powers(problem: Problem, tape: StepTape, forces: Array) -> Array:
    """(r + 1, 2 connections + coordinates) the force of each, the power that it takes, and accelerations."""
    motion = MotionSamples(tape.time, tape.y[:, : problem.n], tape.y[:, problem.n : 2 * problem.n])
    _, taken, _ = powers(problem, motion, forces)
    acting = _by_connection(problem, forces)
    return np.hstack([acting, _by_connection(problem, taken), problem.accelerations(*motion, acting)])


def element_forces(problem: Problem, tape: StepTape, forces: Array) -> Array:
    """(r + 1, elements) with all factors, of those without the ones that are part of the matrices."""
    n, forces = problem.n, forces.copy()
    u = problem.deflections_at(tape.time, tape.y[:, :n])
    rates = problem.rates_at(tape.time, tape.y[:, n : 2 * n])
    for e, element in enumerate(problem.elements):
        if is_plain(element):
            law = element.law.linear_force
            assert law is not None
            forces[:, e] = element.force * (law.stiffness * u[:, e] + law.damping * rates[:, e] + law.preload)
    return forces


def _motion(problem: Problem, tape: StepTape, harmonics: int) -> ColumnMeasures:
    """Of the displacements of all coordinates."""
    n, assembly = problem.n, problem.assembly
    moved, rates = problem.all_coordinates(tape.time, tape.y[:, :n], tape.y[:, n : 2 * n])
    ends = np.array([tape.leaving, tape.coming])
    slopes, bends = ends[:, :, :n], ends[:, :, n : 2 * n]
    if assembly.prescribed.size:
        own = bends
        slopes, bends = (np.empty((2, tape.time.size - 1, len(assembly.names))) for _ in range(2))
        slopes[0], slopes[1] = rates[:-1], rates[1:]
        bends[:, :, assembly.free] = own
        for i in assembly.prescribed:
            motion = problem.system.coordinates[i].motion
            assert motion is not None
            bend = motion.at(tape.time, problem.frequency, 2)
            bends[0, :, i], bends[1, :, i] = bend[:-1], bend[1:]
            ramp = motion.parts().ramp
            if ramp:  # a running belt: figures are those of the motion about it
                moved[:, i] -= ramp * tape.time
                slopes[:, :, i] -= ramp
    return hermite_measures(tape.time, moved, slopes, bends, harmonics)


def _by_connection(problem: Problem, values: Array) -> Array:
    """(k, connections) sums over the elements of each."""
    found = np.zeros((values.shape[0], len(problem.system.connections)))
    for e, element in enumerate(problem.elements):
        found[:, element.connection] += values[:, e]
    return found


def _sticking(problem: Problem, tape: StepTape, period: Period) -> tuple[Array, Array]:
    """(connections,) the part of the period each sticks, and where the first stick begins [rad]."""
    share, lag = np.full((2, len(problem.system.connections)), np.nan)
    members: dict[int, list[int]] = {}
    for e, element in enumerate(problem.elements):
        if element.law.elastic_slider is not None:
            members.setdefault(element.connection, []).append(e)
    n = problem.n
    u = problem.deflections_at(tape.time, tape.y[:, :n])
    rates = problem.rates_at(tape.time, tape.y[:, n : 2 * n])
    for connection, own in members.items():
        sliders = [problem.elements[e].law.elastic_slider for e in own]
        widths = np.array([slider.width for slider in sliders if slider is not None])
        (share[connection],), (begin,) = stick_shares(tape.time, widths, u[:, own].T[None], rates[:, own].T[None])
        lag[connection] = period.base * begin
    for connection, own in _rigid_members(problem).items():
        if connection not in members:
            share[connection], begin = _stick_of_contacts(tape.time, rates[:, own])
            lag[connection] = period.base * begin
    return share, lag


def _rigid_members(problem: Problem) -> dict[int, list[int]]:
    """The elements of set-valued friction, by connection."""
    found: dict[int, list[int]] = {}
    for e, element in enumerate(problem.elements):
        if element.law.rigid_friction is not None:
            found.setdefault(element.connection, []).append(e)
    return found


def _stick_of_contacts(time: Array, rates: Array) -> tuple[float, float]:
    """The part of the period for which contacts have no rate, and [s] where that begins first; NaN if it does not.

    rates : (r + 1, contacts) at the ends of steps, which end where stick begins and ends.
    """
    largest = np.abs(rates).max(axis=0, initial=0.0)
    rests = (np.abs(rates) <= REST_REL * largest).all(axis=1)
    sticks = rests[:-1] & rests[1:]
    begins = np.flatnonzero(sticks & ~np.roll(sticks, 1))
    begin = float(time[begins[0]] - time[0]) if begins.size else np.nan
    return float(np.diff(time) @ sticks / (time[-1] - time[0])), begin
