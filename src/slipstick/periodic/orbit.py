"""Finds one periodic orbit: the entry point of periodic responses."""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING, Any

from slipstick.arrays import Array
from slipstick.errors import Advice, InvalidInput, Message, NotConverged, finite_float
from slipstick.periodic.balance.balance_orbit import balance_orbit_of
from slipstick.periodic.balance.harmonic_balance import HarmonicBalance
from slipstick.periodic.common_period import period_of
from slipstick.periodic.curve_notes import long_use_notes
from slipstick.periodic.family_factory import base_periods, checked_start, start_difference_note, subharmonic_index
from slipstick.periodic.integration.frequency_sweep import settled_response
from slipstick.periodic.methods import choose, falls_back_to_balance, is_exact
from slipstick.periodic.request_checks import check_request
from slipstick.periodic.shooting.adaptive_map import AdaptiveMap
from slipstick.periodic.shooting.adaptive_orbits import describe_adaptive_orbit as describe_adaptive
from slipstick.periodic.shooting.exact_map import ExactMap
from slipstick.periodic.shooting.exact_orbits import describe_exact_orbit
from slipstick.periodic.shooting.initial_state import state_of_orbit
from slipstick.periodic.shooting.newton import PeriodicSolution, periodicity_residual, solve_period_map
from slipstick.periodic.shooting.period_map import refuse_long
from slipstick.periodic.shooting.stick_band import centred_orbit, orbit_off_band_edge
from slipstick.periodic.stability.linear_instability import explaining_growth, negative_damper_notes
from slipstick.periodic.truncation import Truncation
from slipstick.results.orbit import Orbit, OrbitPoint
from slipstick.results.trajectory import Trajectory
from slipstick.transient.problem import Problem, pose
from slipstick.transient.series_joints import fold_trajectory, with_joints
from slipstick.transient.truncation import with_added_error, with_truncation

if TYPE_CHECKING:
    from slipstick.model.system import System


def find_periodic_orbit(
    system: System,
    frequency: float | None,
    subharmonic: int | None = None,
    method: str = "auto",
    start: Any = None,
    harmonics: int | None = None,
) -> Orbit:
    """See `slipstick.api.Model.periodic`."""
    began = perf_counter()
    problem, chosen, reason, subharmonic = _checked_request(system, frequency, subharmonic, method, start, harmonics)
    settles = chosen == "integration"
    with explaining_growth(problem.system):
        try:
            found = (
                settled_response(problem, subharmonic, start)
                if settles
                else _near(problem, chosen, subharmonic, start, harmonics)
            )
        except NotConverged as failure:
            if failure.interrupted or not falls_back_to_balance(problem, chosen, reason):
                raise
            found = _balanced(problem, subharmonic, start, failure)
            reason = failure.message.wrapped("shooting found no orbit: ").statement
    point, trajectory = found
    point = replace(point, notes=(*point.notes, *start_difference_note(start, problem.system), *_unstable_note(point)))
    trajectory.stats.reason, trajectory.stats.seconds = reason, perf_counter() - began
    return _orbit(problem, point, trajectory)


def _balanced(
    problem: Problem, subharmonic: int | None, start: Orbit | None, failure: NotConverged
) -> tuple[OrbitPoint, Trajectory]:
    """By harmonic balance where shooting has failed; raises that failure where it fails as well."""
    try:
        point, trajectory = _near(problem, "harmonic-balance", subharmonic, start, None)
    except NotConverged:
        raise failure from None
    note = failure.message.wrapped("by harmonic-balance: shooting found no orbit: ").statement
    return replace(point, notes=(note, *point.notes)), trajectory


def _unstable_note(point: OrbitPoint) -> list[str]:
    """A note on an orbit that no machine stays on."""
    if point.stable is not False:
        return []
    way = Advice(
        "try {start}, or another {displacement} and {velocity} of the coordinates; {method} finds the "
        "motion that the model settles to",
        method="integration",
    )
    words = "unstable: any disturbance leads away from this orbit, usually to another"
    return [Message(words, advice=[way])]


def orbit_near(problem: Problem, method: str, subharmonic: int | None, x: Array, harmonics: int | None) -> Orbit:
    """The orbit of a problem near the unknowns x of the same method."""
    return _orbit(problem, *_near(problem, method, subharmonic, x, harmonics))


def orbit_at(problem: Problem, subharmonic: int | None, x: Array) -> Orbit:
    """The orbit of a problem by shooting on the adaptive flow, from a state that is known to be periodic."""
    period = period_of(problem, subharmonic)
    own = AdaptiveMap(problem, period.time)
    passed = own.go(x, derivative=True)
    closed = PeriodicSolution(x, passed, periodicity_residual(own, x, passed), 0, 1)
    return _orbit(problem, *describe_adaptive(own, period, closed, period.base))


def _orbit(problem: Problem, point: OrbitPoint, trajectory: Trajectory) -> Orbit:
    """An orbit as it is handed over: of a condensed model, with what was left out in its error."""
    if trajectory.stats.method != "integration":  # which follows laws as they are
        notes = (*long_use_notes(problem), *negative_damper_notes(problem.system))
        point = replace(point, notes=(*point.notes, *notes))
    told, figure = Truncation(lambda _: problem.system).of(point)
    if figure is not None and trajectory.stats.method != "integration":  # whose run has told it already
        added = told.notes[len(point.notes) :]
        trajectory = with_truncation(trajectory, lambda own: with_added_error(own, figure.by_name, *added))
    return Orbit(trajectory, problem.system.snapshot(), told)


def _near(
    problem: Problem, method: str, subharmonic: int | None, start: Orbit | Array | None, harmonics: int | None
) -> tuple[OrbitPoint, Trajectory]:
    by = _by_balance if method == "harmonic-balance" else _by_shooting
    return by(problem, subharmonic, start, harmonics)


def check(
    system: System,
    frequency: float | None = None,
    subharmonic: int | None = None,
    method: str = "auto",
    start: Any = None,
    harmonics: int | None = None,
) -> None:
    """Refuse what `find_periodic_orbit` would refuse before it starts."""
    _checked_request(system, frequency, subharmonic, method, start, harmonics)


def _checked_request(
    system: System, frequency: Any, subharmonic: int | None, method: str, start: Any, harmonics: int | None
) -> tuple[Problem, str, str, int | None]:
    """The problem, the method and why, the sub-harmonic index."""
    problem = pose(system, 0.0, None if frequency is None else positive_frequency(frequency))
    chosen, reason = choose(problem, method, harmonics)
    check_request(problem, chosen, harmonics, subharmonic, moves=False)
    if start is not None:
        checked_start(start, problem.system)
        subharmonic = subharmonic_index(start, problem) if subharmonic is None else subharmonic
    return problem, chosen, reason, subharmonic


def _by_shooting(
    problem: Problem, subharmonic: int | None, start: Orbit | Array | None, _: int | None
) -> tuple[OrbitPoint, Trajectory]:
    period = period_of(problem, subharmonic)
    if is_exact(problem):
        exact = ExactMap(with_joints(problem), period.time)
        refuse_long(exact.slowest, period, problem.system.units.frequency)
        closed = solve_period_map(exact, _guess(exact, start))
        if start is None:  # else it keeps its place in a band
            closed = centred_orbit(exact, closed, contacts=False)
        point, trajectory = describe_exact_orbit(exact, period, orbit_off_band_edge(exact, closed), period.base)
        return point, fold_trajectory(trajectory, exact.problem.system)[0]
    adaptive = AdaptiveMap(problem, period.time)
    return describe_adaptive(adaptive, period, solve_period_map(adaptive, _guess(adaptive, start)), period.base)


def _guess(period_map: ExactMap | AdaptiveMap, start: Orbit | Array | None) -> Array:
    """The state at the start of an orbit, or the initial state of the model."""
    if not isinstance(start, Orbit):
        return period_map.first() if start is None else start
    same = start.stats.method == "shooting" and start.point.x.size == period_map.size
    return start.point.x if same else state_of_orbit(period_map, start)


def _by_balance(
    problem: Problem, subharmonic: int | None, start: Orbit | Array | None, harmonics: int | None
) -> tuple[OrbitPoint, Trajectory]:
    base = period_of(problem, subharmonic).base
    if problem.frequency is None:  # loads with frequencies of their own give it
        problem = pose(problem.system, 0.0, base)
    order = None if subharmonic is None else base_periods(problem, subharmonic)
    family = HarmonicBalance(problem.system, frequency=base, harmonics=harmonics, subharmonic=order, problem=problem)
    return balance_orbit_of(family.solve(base, family.unknowns_of(start.point) if isinstance(start, Orbit) else start))


def positive_frequency(frequency: Any) -> float:
    """A base frequency [rad/s], checked."""
    value = finite_float("frequency", frequency)
    if value <= 0.0:
        raise InvalidInput("must be > 0", subject="frequency", value=value, got=f"{value:g} rad/s", bound="> 0")
    return value
