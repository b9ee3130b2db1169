"""Finds one limit cycle: a periodic motion without forcing, whose period is an unknown."""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import Advice, InvalidInput, NotConverged, short_repr
from slipstick.native.blas_threads import one_blas_thread
from slipstick.periodic.balance.balance_orbit import balance_orbit_of
from slipstick.periodic.balance.fourier_series import as_series
from slipstick.periodic.balance.harmonic_balance import HarmonicBalance
from slipstick.periodic.balance.orbit_solver import BalanceSolution
from slipstick.periodic.common_period import Period
from slipstick.periodic.continuation.corrector import CurvePoint, solve_at
from slipstick.periodic.continuation.family import Family
from slipstick.periodic.cycles.balance_error import with_balance_error
from slipstick.periodic.cycles.cycle_family import CycleFamily, ExactCycles, cycle_point, single_cycle
from slipstick.periodic.cycles.cycle_guess import CycleGuess, guess_from_run
from slipstick.periodic.cycles.self_excitation import moving_coordinates, refuse_time_dependence, self_excited_problem
from slipstick.periodic.family_factory import checked_start, name_difference
from slipstick.periodic.methods import choose, is_exact
from slipstick.periodic.request_checks import check_harmonics
from slipstick.periodic.shooting.adaptive_family import TightShooting
from slipstick.periodic.shooting.adaptive_orbits import describe_adaptive_orbit
from slipstick.periodic.shooting.exact_family import Shooting
from slipstick.periodic.shooting.exact_orbits import describe_exact_orbit
from slipstick.periodic.shooting.initial_state import memories_after_motion
from slipstick.results.orbit import Orbit, OrbitPoint
from slipstick.results.run import Names, Run
from slipstick.results.trajectory import Samples, Trajectory
from slipstick.transient.problem import Problem
from slipstick.transient.series_joints import fold_trajectory, unfold_samples, with_joints

if TYPE_CHECKING:
    from slipstick.model.system import System


NO_MOTION_REL = 1e-7  # of the guess: an orbit that moves less is a state of rest
DEFAULT_HARMONICS = 15
GUESS_SAMPLES = 257
NO_EXCHANGE_REL = 1e-8  # of force range times amplitude: energy over a cycle that counts as none
FREE_MODULUS = 1e-3  # from 1: multipliers of free vibrations, which no energy damps or feeds
UNSTABLE_NOTE = (
    "it is unstable, so a run does not settle to it: a settled run is another cycle nearby, as beside a graze; "
    "begin from a run at a speed a little farther away, and follow"
)


def find_limit_cycle(system: System, start: Any, method: str = "auto", harmonics: int | None = None) -> Orbit:
    """See `slipstick.api.Model.limit_cycle`."""
    began = perf_counter()
    refuse_time_dependence(system)
    problem = self_excited_problem(system, 1.0)
    chosen, reason = chosen_method(problem, method, harmonics)
    guess = checked_guess(system, start)
    problem = problem.retuned(guess.frequency)
    with one_blas_thread():
        family, x = family_and_guess(problem, guess, chosen, harmonics)
        found = solve_cycle(family, x, 0.0, guess)
        point, trajectory = describe_cycle(family, found)
    if isinstance(start, Run) and point.stable is False:
        point = replace(point, notes=(*point.notes, UNSTABLE_NOTE))
    trajectory.stats.reason, trajectory.stats.seconds = reason, perf_counter() - began
    orbit = Orbit(trajectory, problem.system.snapshot(), point)
    refuse_conservative(orbit)
    return orbit


def refuse_conservative(orbit: Orbit) -> None:
    """Refuse a member of a family of free vibrations: no connection takes or gives energy over the cycle.

    A law that gives and takes gives none in all, but then its multipliers leave the unit circle.
    """
    moduli = np.abs(orbit.multipliers)
    if moduli.size > 1 and np.any(np.abs(moduli - 1.0) > FREE_MODULUS):
        return
    scale = float(np.max(orbit.point.force_range, initial=0.0)) * float(np.max(orbit.point.amplitude, initial=0.0))
    exchanged = max((abs(each) for each in orbit.certificate.dissipated.values()), default=0.0)
    if exchanged <= NO_EXCHANGE_REL * scale:
        raise NotConverged(
            "no connection takes or gives energy: the model has free vibrations of any amplitude, and no limit cycle",
            advice=["m.nonlinear_mode follows free vibrations"],
        )


def chosen_method(problem: Problem, method: str, harmonics: int | None) -> tuple[str, str]:
    """The method and why; refuses what limit cycles do not have."""
    if method == "integration":
        raise InvalidInput(
            'a limit cycle is found by "shooting" or "harmonic-balance"; a run shows where integration leads',
            argument="method",
        )
    chosen, reason = choose(problem, method, harmonics)
    if chosen == "integration":
        raise NotConverged(
            f"no method finds limit cycles of this model: {reason}", advice=["simulate shows the motion"]
        )
    if harmonics is not None and chosen != "harmonic-balance":
        raise InvalidInput(
            f'method "{chosen}" does not use harmonics', argument="harmonics", advice=[Advice("leave {harmonics} out")]
        )
    check_harmonics(harmonics)
    moving = moving_coordinates(problem.system)
    if chosen == "harmonic-balance" and moving:
        raise InvalidInput(
            f'harmonic balance of limit cycles needs all motions at rest, and "{moving[0]}" moves at a constant speed',
            argument="method",
            advice=[Advice("use {method}", method="shooting")],
        )
    return chosen, reason


def checked_guess(system: System, start: Any) -> CycleGuess:
    """A first period from a run or an orbit of this model."""
    if isinstance(start, Orbit):
        return guess_from_orbit(checked_start(start, system), system)
    if not isinstance(start, Run):
        raise InvalidInput(
            "must be a run, an orbit or a Hopf point",
            subject="start",
            value=start,
            got=short_repr(start),
            advice=[Advice("{simulate} gives a run", simulate="m.simulate(until=100)")],
        )
    apart = name_difference(start.names, Names.of(system), "those of this one")
    if apart:
        raise InvalidInput(f"start is a run of another model: {apart}").about("start")
    return guess_from_run(start, _free(system))


def _free(system: System) -> Array:
    return np.array([k for k, c in enumerate(system.coordinates) if c.motion is None], dtype=int)


def guess_from_orbit(start: Orbit, system: System) -> CycleGuess:
    """The period of an orbit, from where the velocity of one coordinate is zero."""
    from scipy.interpolate import CubicHermiteSpline

    samples, free = start.samples, _free(system)
    time, kept = np.unique(samples.time, return_index=True)
    q, v = samples.displacement[kept][:, free], samples.velocity[kept][:, free]
    pivot = int(np.argmax(np.ptp(q, axis=0) - 10.0 * np.ptp(q) * (np.abs(v) <= 1e-9 * np.abs(v).max()).mean(axis=0)))
    state = CubicHermiteSpline(time, q, v)
    begin = float(time[int(np.argmax(q[:, pivot]))])
    own = np.linspace(0.0, start.period, GUESS_SAMPLES)
    at = time[0] + np.mod(begin - time[0] + own, start.period)
    n, m = samples.displacement.shape[1], samples.deflection.shape[1]
    moved, rates = np.zeros((2, own.size, n))
    moved[:, free], rates[:, free] = state(at), state(at, 1)
    force = np.zeros((own.size, m))
    for j in range(m):
        force[:, j] = np.interp(at, samples.time, samples.force[:, j])
    found = Samples(own, moved, rates, np.zeros((own.size, m)), force, np.full((own.size, m), ""), np.zeros_like(moved))
    return CycleGuess(2.0 * np.pi / start.period, found, int(free[pivot]), 0.0)


def inner_family(problem: Problem, method: str, harmonics: int | None, shooting: Any = TightShooting) -> Family:
    """The family over frequency of a self-excited problem."""
    omega = problem.frequency
    assert omega is not None
    if method == "harmonic-balance":
        return HarmonicBalance(
            problem.system, frequency=omega, harmonics=harmonics or DEFAULT_HARMONICS, problem=problem
        )
    if is_exact(problem):
        joined = with_joints(problem)
        return ExactCycles(joined.retuned, omega, over_frequency=True)
    found: Family = shooting(problem.retuned, omega, over_frequency=True)
    return found


def family_and_guess(
    problem: Problem, guess: CycleGuess, method: str, harmonics: int | None
) -> tuple[CycleFamily, Array]:
    """The limit cycles of one problem as a family, and a guess (size,) of its unknowns."""
    inner = inner_family(problem, method, harmonics)
    pivot, own = unknowns_of(inner, guess)
    family = single_cycle(inner, 0.0, guess.frequency, pivot)
    return family, np.append(own, guess.frequency)


def unknowns_of(inner: Family, guess: CycleGuess) -> tuple[int, Array]:
    """The number of the series or coordinate whose phase is held, and the unknowns of an inner family."""
    omega = guess.frequency
    if isinstance(inner, HarmonicBalance):
        free = inner.problem.assembly.free
        pairs = np.zeros((inner.problem.n, inner.index + 1), dtype=complex)
        harmonics = guess.harmonics(inner.index)[:, free].conj()
        pairs[:, : inner.index], pairs[:, -1] = harmonics[1:].T, harmonics[0].real
        series = inner.seen @ pairs
        pivot = int(np.argmax(np.abs(series[:, 0])))
        shift = np.angle(series[pivot, 0])
        orders = inner.waves.orders.copy()
        series = series * np.exp(-1j * shift * orders)
        return pivot, as_series(np.asarray(series, dtype=np.complex128)).ravel()
    assert isinstance(inner, Shooting)
    period_map = inner.map_at(omega)[0]
    problem = period_map.problem
    samples = unfold_samples(guess.samples, problem.system)
    free = problem.assembly.free
    state = period_map.state_of(
        samples.displacement[0, free], samples.velocity[0, free], memories_after_motion(problem, samples)
    )
    pivot = int(np.flatnonzero(free == guess.pivot)[0])
    state[problem.n + pivot] = 0.0
    return pivot, np.asarray(state)


def solve_cycle(family: CycleFamily, x: Array, p: float, guess: CycleGuess) -> CurvePoint:
    """The limit cycle near a guess; raises `NotConverged`, also where it is a state of rest."""
    try:
        found = solve_at(family, x, p, abs(p) or 1.0)
    except NotConverged as failure:
        advice = [] if guess.change < 1e-2 else ["simulate longer: the end of the run has not settled yet"]
        raise NotConverged(
            failure.message.wrapped("no limit cycle was found near the start: "), owner="limit_cycle", advice=advice
        ) from None
    inner, own, omega = family.inner(p), found.x[:-1], float(found.x[-1])
    size = np.ptp(guess.samples.displacement, axis=0).max()
    if isinstance(inner, HarmonicBalance):
        moved = float(np.abs(np.delete(own.reshape(-1, inner.waves.width), -1, axis=1)).max())
    else:
        assert isinstance(inner, Shooting)
        n = inner.map_at(omega)[0].problem.n
        rates = inner._pass(own, omega).flow.sizes[n : 2 * n]
        moved = float(np.abs(rates).max()) / omega
    if not moved > NO_MOTION_REL * size:
        raise NotConverged(
            "the search ended at a state of rest, not at a limit cycle",
            owner="limit_cycle",
            advice=["begin with a run that has settled to the motion"],
        )
    return found


def describe_cycle(family: CycleFamily, found: CurvePoint) -> tuple[OrbitPoint, Trajectory]:
    """Everything about a limit cycle, and one period of it."""
    x, p = found.x, found.p
    inner, own, omega = family.inner(p), np.ascontiguousarray(x[:-1]), float(x[-1])
    if isinstance(inner, HarmonicBalance):
        at = inner.changed(frequency=omega)
        point = replace(family.point(x, p), iterations=found.iterations)
        _, trajectory = balance_orbit_of(BalanceSolution(own, omega, found.iterations, found.residual, (), at))
        return point, with_balance_error(trajectory, point)
    assert isinstance(inner, Shooting)
    period_map, period, closed = inner.map_at(omega)[0], Period(omega, 1.0), family.closed(x, p, found.iterations)
    if is_exact(period_map.problem):
        point, exact = describe_exact_orbit(period_map, period, closed, omega)
        return cycle_point(point, x, p), fold_trajectory(exact, period_map.problem.system)[0]
    point, adaptive = describe_adaptive_orbit(period_map, period, closed, omega)
    return cycle_point(point, x, p), adaptive
