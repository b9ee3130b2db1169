"""A frequency response by integration: up, and down again, each frequency from where the last one ended.

It shows what a slow sweep on a test rig would show: stable responses only, with their jumps. It takes every model
that can be simulated, and it is there to be compared with.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slipstick.errors import InvalidInput, NotConverged
from slipstick.model.system import System
from slipstick.periodic.measures import action, motion
from slipstick.periodic.period import Period, period_of
from slipstick.results.curve import Findings
from slipstick.results.orbit import OrbitPoint
from slipstick.results.trajectory import Samples
from slipstick.transient.simulate import posed, simulate

Array = NDArray[np.float64]
Progress = Callable[[float], Any]

FIRST_PERIODS = 32  # that are integrated before anybody looks
MOST_REPEATS = 4  # after so many periods at most a response has to repeat itself
WINDOW = 3  # changes from one period to the next that are taken together: on a spiral single ones may be small
DISTINCT = 1e-3  # part of the motion by which periods have to differ for a response with several of them
SAMPLES = 400  # in each of the last periods
CAREFUL = 0.9999  # the slowest approach that is believed: the rest of it is ten thousand of the last changes


class Settled(NamedTuple):
    """What is left after a transient.

    repeats : periods of the loads in one of the response; 0 if it was not seen to repeat.
    gap : estimated distance to the response it approaches [m or rad].   periods : that were integrated.
    """

    repeats: int
    gap: float
    periods: int


def sweep(
    build: Callable[[float], System],
    at: Sequence[float],
    *,
    both: bool = True,
    subharmonic: int | None = None,
    settled: float = 1e-6,
    most_periods: int = 2000,
    progress: Progress | None = None,
    **options: Any,
) -> Findings:
    """The response at frequencies [rad/s] in the order given, and (``both``) back again.

    build : the model at a frequency.   subharmonic : of the period that a response is measured over.
    settled : part of the motion by which it may still be away from its end.
    most_periods : at one frequency; what has not settled by then is told so.
    options : of `simulate`, such as method= and tolerance=.

    Raises `NotConverged` with the findings so far as ``partial``.
    """
    omegas = [float(omega) for omega in at]
    if not omegas or not all(np.isfinite(omega) and omega > 0.0 for omega in omegas):
        raise InvalidInput("at must have at least one frequency, all of them > 0 rad/s").about("at")
    if not 0.0 < settled < 1.0:
        raise InvalidInput(f"settled must lie between 0 and 1, got {settled:g}").about("settled")
    if most_periods < FIRST_PERIODS:
        raise InvalidInput(f"most_periods must be at least {FIRST_PERIODS}, got {most_periods}").about("most_periods")
    way = omegas + (omegas[-2::-1] if both else [])
    points, notes, state = list[OrbitPoint](), [HOW], None
    for k, omega in enumerate(way):
        try:
            point, state = _settle(build(omega), omega, state, subharmonic, settled, most_periods, options)
            points.append(point)
            notes += [f"at {omega:g} rad/s: {note}" for note in point.notes]
            if progress is not None:
                progress((k + 1) / len(way))
        except (NotConverged, KeyboardInterrupt) as failure:
            words = "interrupted" if isinstance(failure, KeyboardInterrupt) else str(failure)
            told = f"the sweep ended at {omega:g} rad/s: {words}"
            stopped = getattr(failure, "interrupted", True)
            raise NotConverged(told, Findings(tuple(points), [], tuple(notes)), interrupted=stopped) from failure
    return Findings(tuple(points), [], tuple(notes))


HOW = (
    "by integration: each frequency begins with the displacements and velocities where the last one ended, "
    "laws with memory begin anew; the error is the estimated distance from the settled response, "
    "without that of the integration"
)


def _settle(
    system: System,
    omega: float,
    state: tuple[Array, Array] | None,
    subharmonic: int | None,
    settled: float,
    most: int,
    options: dict[str, Any],
) -> tuple[OrbitPoint, tuple[Array, Array]]:
    """The response at one frequency, and the state at its end; the run is made anew with twice the periods until
    it repeats itself, for a run cannot be gone on with where laws have memory."""
    begun = _begun(system, state)
    period = period_of(posed(begun, 0.0, omega).problem, subharmonic)
    count = FIRST_PERIODS
    while True:
        times = _times(period.time, count)
        run = simulate(begun, times[-1], frequency=omega, samples=times, **options)
        found = _judged(run.samples, count, settled)
        if found.repeats or count >= most:
            break
        count = min(2 * count, most)
    last = run.samples
    return _point(last, period, found, omega), (last.displacement[-1], last.velocity[-1])


def _begun(system: System, state: tuple[Array, Array] | None) -> System:
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
    dense = period * (count - MOST_REPEATS + np.arange(MOST_REPEATS * SAMPLES + 1) / SAMPLES)
    return np.concatenate([period * np.arange(count - MOST_REPEATS), dense])


def _judged(samples: Samples, count: int, settled: float) -> Settled:
    """Whether the last periods repeat, and after how many; estimated from how fast they approach each other."""
    early = count - MOST_REPEATS
    rows = np.concatenate([np.arange(early), early + SAMPLES * np.arange(MOST_REPEATS + 1)])
    q, v = samples.displacement[rows], samples.velocity[rows]
    tail = samples.displacement[early:], samples.velocity[early:]
    scale = [np.maximum(np.ptp(x, axis=0), 1e-300) for x in tail]
    ends = np.hstack([q / scale[0], v / scale[1]])
    size = float(np.max(scale[0]))
    for k in range(1, MOST_REPEATS + 1):
        steps = np.abs(ends[::-k][:-1] - ends[::-k][1:]).max(axis=1)  # the last first
        if k == 1:
            gap = float(steps[0])
        elif gap < DISTINCT:  # it repeats after one period, and has not settled yet
            break
        new, old = float(steps[:WINDOW].max()), float(steps[WINDOW : 2 * WINDOW].max())
        rate = min((new / old) ** (1.0 / WINDOW), CAREFUL) if old > 0.0 else 0.0
        away = max(new, new * rate / (1.0 - rate))
        if new <= old and away <= settled:
            return Settled(k, away * size, count)
    return Settled(0, gap * size, count)


def _point(samples: Samples, period: Period, found: Settled, omega: float) -> OrbitPoint:
    repeats = found.repeats or 1
    last = samples.part(slice(-(SAMPLES * repeats + 1), None))
    # phases count from the begin of a period of the loads, which time zero is
    last = last._replace(time=last.time - round(last.time[0] / period.time) * period.time)
    notes = []
    if not found.repeats:
        notes.append(f"not settled after {found.periods} periods; the last two differ by {found.gap:.2g}")
    elif repeats > 1:
        notes.append(f"repeats itself only after {repeats} periods of the loads")
    return OrbitPoint(
        p=omega,
        x=np.concatenate([last.displacement[-1], last.velocity[-1]]),
        frequency=period.base,
        period=repeats * period.time,
        multipliers=np.zeros(0, dtype=complex),
        stable=True if found.repeats else None,
        **motion(last, repeats * period.turns)._asdict(),
        **action(last, period.base)._asdict(),
        error=found.gap if found.repeats else np.nan,
        iterations=found.periods,
        notes=tuple(notes),
    )
