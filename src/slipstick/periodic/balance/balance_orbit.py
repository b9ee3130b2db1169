"""One orbit of harmonic balance with its motion over a period and a certificate."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from slipstick.arrays import Array, Complex
from slipstick.errors import Advice, Message
from slipstick.laws.base import Law
from slipstick.model.system import dense
from slipstick.periodic.balance.fourier_series import as_series
from slipstick.periodic.balance.motion_recovery import ConnectionForces, free_pairs
from slipstick.results.certificate import Certificate
from slipstick.results.orbit import OrbitPoint
from slipstick.results.tolerances import ENERGY_RESIDUAL_LIMIT_REL
from slipstick.results.trajectory import RecordedTrajectory, Samples, Stats, Trajectory
from slipstick.transient.energy import MATRICES_NAME, WorkIntegrals
from slipstick.transient.law_validity import energy_gain_warnings, validity_warnings
from slipstick.transient.limit_sides import SIDES
from slipstick.transient.recorded_samples import direction_states, join_states_by_connection, states_of
from slipstick.transient.series_joints import fold_trajectory

if TYPE_CHECKING:
    from slipstick.periodic.balance.harmonic_balance import HarmonicBalance
    from slipstick.periodic.balance.orbit_solver import BalanceSolution


CONSERVATIVE_REL = 1e-6  # of the energy exchanged: what an orbit that dissipates less is measured by


def balance_orbit_of(solution: BalanceSolution) -> tuple[OrbitPoint, Trajectory]:
    """The orbit at the frequency that its family was made for, and one period of it."""
    x, p, point = solution.x, solution.p, solution.point
    family, fine = solution.family, solution.family.stability_family
    family.linearise(x, p)
    free = free_pairs(family, x, p)  # forces on closer samples would leave the deflections that were balanced
    samples, acts = _followed(family, free, p)
    certificate = _certificate(family, point, samples, acts)  # of the forces that were balanced
    if fine is not family:
        fine.linearise(x, p)
        samples, _ = _followed(fine, free, p)
    stats = Stats("harmonic-balance", steps=point.iterations, events=None, until=point.period, reached=point.period)
    found = RecordedTrajectory(stats, samples, [], certificate)
    return point, fold_trajectory(found, family.problem.system)[0]


def _followed(family: HarmonicBalance, free: Complex, p: float) -> tuple[Samples, ConnectionForces]:
    """One period on the samples of a family, whose laws have been followed there."""
    acts = ConnectionForces(family, free, p)
    return _samples(family, as_series(free), acts), acts


def _samples(family: HarmonicBalance, series: Array, acts: ConnectionForces) -> Samples:
    """Both ends of the period included."""
    problem, waves, p = family.problem, family.waves, family.base
    time = 2.0 * np.pi * family.order / p * np.arange(waves.samples + 1) / waves.samples
    q, v = (_closed(rows) for rows in (waves.values_of(series), p / family.order * waves.slopes_of(series)))
    q += np.outer(time, family.drift)
    v += family.drift
    displacement, velocity = problem.all_coordinates(time, q, v)
    states: list[list[NDArray[np.str_]]] = [[] for _ in problem.system.connections]
    u, rates = problem.deflections_at(time, q), problem.rates_at(time, v)
    force = _closed(acts.force)
    for e, own in direction_states(problem, force[:, [each.connection for each in problem.elements]]).items():
        states[problem.elements[e].connection].append(own)
    for e, element in enumerate(problem.elements):
        names = _states(family, element.law, u[:, e], rates[:, e])
        if names is not None:
            states[element.connection].append(names)
    deflection = displacement @ dense(problem.assembly.deflections)
    names = join_states_by_connection(states, time.size)
    return Samples(time, displacement, velocity, deflection, force, names, problem.accelerations(time, q, v, force))


def _closed(rows: Array) -> Array:
    """(N + 1, k) of rows (k, N) over a period: the first sample is the last too."""
    return np.concatenate([rows, rows[:, :1]], axis=1).T.copy()


def _states(family: HarmonicBalance, law: Law, u: Array, v: Array) -> NDArray[np.str_] | None:
    """(k,) the names of the states of a law; None if it has none."""
    if law.rigid_friction is not None:
        slow = np.abs(v) < family.width * family.length * family.base / family.order
        return np.asarray(np.array(SIDES)[np.where(slow, 1, 1 + np.sign(v).astype(int))])
    force = np.zeros(u.size)
    if law.elastic_slider is not None:  # after a period it has met both extremes, and its memory is settled
        force = law.trace(np.concatenate([u, u[1:]]))[-u.size :]
    return states_of(law, u, v, force)


def _certificate(family: HarmonicBalance, point: OrbitPoint, samples: Samples, acts: ConnectionForces) -> Certificate:
    """Over a period all work of loads and motions is dissipated, by connections and by the matrices."""
    problem, free = family.problem, family.problem.assembly.free
    q, v = samples.displacement[:-1, free], samples.velocity[:-1, free]
    connections = problem.system.connections
    conjugate = np.array([c.is_conjugate for c in connections], dtype=bool)
    own = dense(problem.assembly.deflections)[free].T @ v.T
    moved = np.where(conjugate[:, None], acts.force * (acts.rate - own), 0.0)  # by prescribed motions
    power_in = np.einsum("ki,ki->k", v, problem.forcing.over(samples.time[:-1])) + moved.sum(axis=0)
    step = point.period / len(v)
    power = np.einsum("ki,ki->k", v, v @ problem.damping.T + q @ problem.stiffness.T)
    none = WorkIntegrals(0.0, np.zeros(len(connections)), 0.0, 0.0)
    works = none.plus(step * power_in, step * (acts.force * acts.rate).T, step * power)
    work_in, taken = works.work_in, works.absorbed
    dissipated = dict(zip((c.name for c in connections), taken.tolist(), strict=True))
    if problem.damping.any() or problem.stiffness.any():
        dissipated[MATRICES_NAME] = works.matrices
    gap = abs(work_in - sum(dissipated.values()))
    scale = max(abs(work_in), sum(map(abs, dissipated.values())), CONSERVATIVE_REL * works.exchanged)
    doubted = validity_warnings(problem, problem.deflections_at(samples.time[:-1], q))
    gained = energy_gain_warnings(problem, taken.tolist(), ENERGY_RESIDUAL_LIMIT_REL * scale)
    return Certificate(
        error=point.error,
        errors=_errors(family, point),
        energy_residual=gap / scale if scale > 0.0 else gap,
        work_in=work_in,
        dissipated=dissipated,
        stored={},
        kinetic=0.0,
        tolerance=ENERGY_RESIDUAL_LIMIT_REL,
        notes=(
            *point.notes,
            f"error: what {family.harmonics} harmonics leave of the equation of motion",
            *doubted.values(),
        ),
        failures=tuple(gained.values()),
        advice=Message("", advice=[Advice("raise {harmonics}")]),
    )


def _errors(family: HarmonicBalance, point: OrbitPoint) -> dict[str, float]:
    """The error by coordinate: one figure for all that move freely."""
    free = {family.problem.assembly.names[i] for i in family.problem.assembly.free}
    return {name: point.error if name in free else 0.0 for name in family.problem.assembly.names}
