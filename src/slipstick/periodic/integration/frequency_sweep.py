"""A frequency response by integration: up, and down again, each frequency from where the last one ended.

It shows what a slow sweep on a test rig would show: stable responses only, with their jumps. It takes every model
that can be simulated, and it is there to be compared with.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import InvalidInput, Message, NotConverged
from slipstick.model.system import System
from slipstick.periodic.common_period import Period, period_of
from slipstick.periodic.integration.final_period import PeriodMeasures, measure_next_period
from slipstick.periodic.measures.orbit_measures import measure_connections, measure_motion
from slipstick.results.curve import CurveFindings
from slipstick.results.orbit import Orbit, OrbitPoint
from slipstick.results.run import Run
from slipstick.results.trajectory import RecordedTrajectory, Samples, Stats
from slipstick.transient.problem import Problem
from slipstick.transient.simulate import cached_problem, simulate
from slipstick.units.scales import Scale, frequency_scale

Progress = Callable[[int, float], Any]

SETTLED_REL = 1e-6  # part of the motion by which a response may still be away from its end
MAX_PERIODS = 2000
FIRST_PERIODS = 32  # that are integrated before anybody looks
MAX_REPEAT_PERIODS = 4  # after so many periods at most a response has to repeat itself
CHANGE_WINDOW = 3  # changes from one period to the next that are taken together: on a spiral single ones may be small
DISTINCT_PERIODS_REL = 1e-3  # part of the motion by which periods have to differ for a response with several of them
SAMPLES_PER_PERIOD = 400  # in each of the last periods
DEFAULT_POINT_COUNT = 101  # between two frequencies, where none are given
# the slowest approach that is believed: the rest of it is ten thousand of the last changes
SLOWEST_DECAY_FACTOR = 0.9999


@dataclass(frozen=True, kw_only=True)
class SettlingOptions:
    """How a response is waited for.

    settled : part of the motion by which it may still be away from its end.
    most_periods : at one frequency; what has not settled by then is told so.
    run : options of `simulate`, such as method and tolerance.
    """

    settled: float = SETTLED_REL
    most_periods: int = MAX_PERIODS
    run: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not 0.0 < self.settled < 1.0:
            raise InvalidInput(f"settled must lie between 0 and 1, got {self.settled:g}")
        if self.most_periods < FIRST_PERIODS:
            raise InvalidInput(f"most_periods must be at least {FIRST_PERIODS}, got {self.most_periods}")


class SettledState(NamedTuple):
    """What is left after a transient.

    repeats : periods of the loads in one of the response; 0 if it was not seen to repeat.
    gap : estimated distance to the response it approaches [m or rad].   periods : that were integrated.
    """

    repeats: int
    gap: float
    periods: int


def sweep_frequencies(
    build: Callable[[float], System],
    at: Sequence[float],
    *,
    both: bool = True,
    subharmonic: int | None = None,
    state: tuple[Array, Array] | None = None,
    how: SettlingOptions | None = None,
    progress: Progress | None = None,
) -> CurveFindings:
    """The response at frequencies [rad/s] in the order given, and (``both``) back again.

    build : the model at a frequency.   subharmonic : of the period that a response is measured over.
    state : displacements and velocities of all coordinates to begin from; default those of the first model.
    how : it is waited for.   progress : called with the number of points so far and the frequency of the last.

    Raises `NotConverged` with the findings so far as ``partial``.
    """
    omegas = [float(omega) for omega in at]
    if not omegas or not all(np.isfinite(omega) and omega > 0.0 for omega in omegas):
        raise InvalidInput("at must have at least one frequency, all of them > 0 rad/s").about("at")
    how, way = how or SettlingOptions(), omegas + (omegas[-2::-1] if both else [])
    points, told, scale = list[OrbitPoint](), list[tuple[str, float]](), frequency_scale("")
    for omega in way:
        try:
            model = build(omega)
            scale = frequency_scale(model.stated_units.frequency)
            there = _settle(model, omega, state, subharmonic, how)
            point, state = there.point, there.end
            points.append(point)
            told += [(note, omega) for note in point.notes]
            if progress is not None:
                progress(len(points), omega)
        except (NotConverged, KeyboardInterrupt) as failure:
            words = Message("interrupted") if isinstance(failure, KeyboardInterrupt) else failure.message
            ended = words.wrapped(f"the sweep ended at {scale.words(omega)}: ")
            stopped = getattr(failure, "interrupted", True)
            partial = CurveFindings(tuple(points), [], _summarised(told, scale))
            raise NotConverged(ended, partial, interrupted=stopped) from failure
    return CurveFindings(tuple(points), [], _summarised(told, scale))


def _summarised(told: list[tuple[str, float]], scale: Scale) -> tuple[str, ...]:
    """How it is done, and a note for each thing that is told of points: where, and of how many."""
    places: dict[str, list[float]] = {}
    for note, omega in told:
        places.setdefault(note, []).append(omega)
    notes = [METHOD_NOTE]
    for note, at in places.items():
        where = f"at {scale.words(at[0])}"
        if len(at) > 1:
            where = f"at {len(at)} points between {scale.words(min(at))} and {scale.words(max(at))}"
        notes.append(f"{where}: {note}")
    return tuple(notes)


METHOD_NOTE = (
    "by integration: each frequency starts from the last displacements and velocities, laws with "
    "memory start anew; the error is the estimated distance to the settled response, with the "
    "integration error where the method is exact or adaptive"
)


class SettledResponse(NamedTuple):
    """Where a run has settled: what a curve stores of it, its last period, and the run."""

    point: OrbitPoint
    last: Samples
    run: Run

    @property
    def end(self) -> tuple[Array, Array]:
        """Displacements and velocities of all coordinates at the end of the run."""
        return self.run.samples.displacement[-1], self.run.samples.velocity[-1]


def settled_response(
    problem: Problem, subharmonic: int | None, start: Orbit | None
) -> tuple[OrbitPoint, RecordedTrajectory]:
    """The response that a long run approaches, from the model's own state or from that of an orbit."""
    state = None if start is None else state_at_begin(start)
    base = period_of(problem, subharmonic).base
    found = _settle(problem.system, base, state, subharmonic, SettlingOptions())
    stats = Stats("integration", steps=found.run.stats.steps, events=None)
    certificate = found.run.certificate
    gap = found.point.error
    names = [problem.assembly.names[i] for i in problem.assembly.free]
    errors = certificate.errors | {name: certificate.errors[name] + gap for name in names}
    words = f"error: that of the run and {gap:.1e}, the estimated distance from the settled response"
    own = replace(
        certificate,
        error=max(errors.values(), default=0.0),
        errors=errors,
        notes=(*certificate.notes, *found.point.notes, words, f"energies: of all {found.point.iterations} periods"),
    )
    return found.point, RecordedTrajectory(stats, found.last, [], own)


def state_at_begin(start: Orbit) -> tuple[Array, Array]:
    """Displacements and velocities of all coordinates at the start of the period."""
    return start.samples.displacement[0], start.samples.velocity[0]


def _settle(
    system: System,
    omega: float,
    state: tuple[Array, Array] | None,
    subharmonic: int | None,
    how: SettlingOptions,
) -> SettledResponse:
    """The response at one frequency; the run is made anew with twice the periods until it repeats itself, for a run
    cannot be gone on with where laws have memory."""
    begun = _started_from(system, state)
    period = period_of(cached_problem(begun, 0.0, omega).problem, subharmonic)
    count = FIRST_PERIODS
    while True:
        times = _times(period.time, count)
        run = simulate(begun, times[-1], frequency=omega, samples=times, **how.run)
        found = _repetition_of(run.samples, count, how.settled)
        if found.repeats or count >= how.most_periods:
            break
        count = min(2 * count, how.most_periods)
    last = run.samples.part(slice(-(SAMPLES_PER_PERIOD * (found.repeats or 1) + 1), None))
    # phases count from the start of a period of the loads, which time zero is
    last = last._replace(time=last.time - round(last.time[0] / period.time) * period.time)
    whole = Period(period.base, period.turns * (found.repeats or 1))
    names = [connection.name for connection in system.connections]
    return SettledResponse(_point(_measures_of_run(run, last, whole), last, whole, found, omega, names), last, run)


def _measures_of_run(run: Run, last: Samples, period: Period) -> PeriodMeasures:
    """The figures of a settled run: of the period that would follow, else of the samples of the last one."""
    found = measure_next_period(run, period)
    if found is not None:
        return found
    own, rough = measure_motion(last, period.turns), measure_motion(last.part(slice(None, None, 2)), period.turns)
    reading = float(np.abs(own.amplitude - rough.amplitude).max(initial=0.0))  # what half of the samples would change
    return PeriodMeasures(own, measure_connections(last, period.base), reading)


def _started_from(system: System, state: tuple[Array, Array] | None) -> System:
    """A copy that begins in a state of all coordinates."""
    begun = system.snapshot()
    begun.ready = None
    if state is not None:
        for coordinate, q, v in zip(begun.coordinates, *state, strict=True):
            if coordinate.motion is None:
                coordinate.displacement, coordinate.velocity = float(q), float(v)
    return begun


def _times(period: float, count: int) -> Array:
    """The ends of all periods, and more within the last ones."""
    dense = period * (
        count - MAX_REPEAT_PERIODS + np.arange(MAX_REPEAT_PERIODS * SAMPLES_PER_PERIOD + 1) / SAMPLES_PER_PERIOD
    )
    return np.concatenate([period * np.arange(count - MAX_REPEAT_PERIODS), dense])


def _repetition_of(samples: Samples, count: int, settled: float) -> SettledState:
    """Whether the last periods repeat, and after how many; estimated from how fast they approach each other."""
    early = count - MAX_REPEAT_PERIODS
    rows = np.concatenate([np.arange(early), early + SAMPLES_PER_PERIOD * np.arange(MAX_REPEAT_PERIODS + 1)])
    q, v = samples.displacement[rows], samples.velocity[rows]
    tail = samples.displacement[early:], samples.velocity[early:]
    scale = [_sizes(np.ptp(x, axis=0), settled) for x in tail]
    ends = np.hstack([q / scale[0], v / scale[1]])
    size = float(np.max(scale[0]))
    for k in range(1, MAX_REPEAT_PERIODS + 1):
        steps = np.abs(ends[::-k][:-1] - ends[::-k][1:]).max(axis=1)  # the last first
        if k == 1:
            gap = float(steps[0])
        elif gap < DISTINCT_PERIODS_REL:  # it repeats after one period, and has not settled yet
            break
        new, old = float(steps[:CHANGE_WINDOW].max()), float(steps[CHANGE_WINDOW : 2 * CHANGE_WINDOW].max())
        rate = min((new / old) ** (1.0 / CHANGE_WINDOW), SLOWEST_DECAY_FACTOR) if old > 0.0 else 0.0
        away = max(new, new * rate / (1.0 - rate))
        if new <= old and away <= settled:
            return SettledState(k, away * size, count)
        spread = _noise(ends[::-k])
        if spread <= settled:
            return SettledState(k, spread * size, count)
    return SettledState(0, gap * size, count)


def _sizes(swings: Array, settled: float) -> Array:
    """What coordinates are measured by; those at rest, where only rounding moves, by a small part of the largest."""
    return np.asarray(np.maximum(swings, max(settled * float(swings.max(initial=0.0)), 1e-300)))


def _noise(ends: Array) -> float:
    """How far the last half of the ends of periods (the last first) lie apart, if their changes do not add up.

    At the accuracy of the integration they come and go and no rate can be told from them; those of a slow approach
    add up. Infinity where they do.
    """
    quarter = len(ends) // 4
    last, before = ends[:quarter], ends[quarter : 2 * quarter]
    single = np.abs(np.diff(ends[: 2 * quarter], axis=0)).max(initial=0.0)
    if not quarter or np.abs(last.mean(axis=0) - before.mean(axis=0)).max() > single:
        return float("inf")
    return float(np.ptp(ends[: 2 * quarter], axis=0).max())


def _point(
    told: PeriodMeasures, last: Samples, period: Period, found: SettledState, omega: float, connections: Sequence[str]
) -> OrbitPoint:
    held = [name for name, share in zip(connections, told.action.stick_share, strict=True) if share == 1.0]
    notes = [
        f'"{name}" never slips: where it rests depends on how the motion began, one of a band of responses'
        for name in held
    ]
    if not found.repeats:
        notes.append(f"not settled after {found.periods} periods, so neither error nor stability is known")
    elif found.repeats > 1:
        notes.append(f"repeats itself only after {found.repeats} periods of the loads")
    return OrbitPoint(
        p=omega,
        x=np.concatenate([last.displacement[-1], last.velocity[-1]]),
        frequency=period.base,
        period=period.time,
        multipliers=np.zeros(0, dtype=complex),
        stable=True if found.repeats else None,
        **told.motion._asdict(),
        **told.action._asdict(),
        error=found.gap + told.error if found.repeats else np.nan,
        iterations=found.periods,
        notes=tuple(notes),
    )
