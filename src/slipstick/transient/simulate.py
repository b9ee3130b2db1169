"""Simulation of a model: checks the arguments, chooses the method and runs it."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import cache
from importlib import import_module
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slipstick.errors import Advice, InvalidInput, NotConverged, WrongArguments, finite_float, short_repr
from slipstick.model.system import dense
from slipstick.name_hints import did_you_mean
from slipstick.results.run import Run
from slipstick.results.run_end import RunEnd
from slipstick.results.tolerances import END_TIME_TOLERANCE_REL
from slipstick.signals import Base, Constant, TimeFunction
from slipstick.transient.methods import JOINT_METHODS, METHODS, choose, methods_with
from slipstick.transient.problem import Problem, pose, resume
from slipstick.transient.run_request import Progress, RunRequest
from slipstick.transient.run_up_angle import angle_of
from slipstick.transient.series_joints import fold_trajectory, with_joints, with_rate_joints
from slipstick.transient.truncation import TruncatedTrajectory, with_more_modes

if TYPE_CHECKING:
    from slipstick.model.system import System

MAX_SAMPLES = 10_000_000


@dataclass(frozen=True)
class RunArguments:
    """The arguments of `slipstick.api.Model.simulate`, but for the method's own options."""

    until: float
    start: float | RunEnd = 0.0
    frequency: float | None = None
    method: str = "auto"
    step: float | None = None
    tolerance: float | None = None
    samples: Any = 2000
    progress: Progress | None = None
    speed: TimeFunction | None = None


_COMMON_NAMES = tuple(field.name for field in fields(RunArguments))


def simulate(system: System, until: float, **arguments: Any) -> Run:
    """See `slipstick.api.Model.simulate`."""
    common, options = _split_arguments(until, arguments)
    return _run(_checked_run(system, common, options), options)


def check(system: System, until: float, **arguments: Any) -> None:
    """Raise what `simulate` would raise before it starts. Nothing runs."""
    common, options = _split_arguments(until, arguments)
    checked = _checked_run(system, common, options)
    check_options = getattr(checked.module, "check", None)  # methods whose options need no check have none
    if check_options is not None:
        check_options(checked.problem, checked.request, **options)


def _split_arguments(until: float, arguments: dict[str, Any]) -> tuple[RunArguments, dict[str, Any]]:
    """The arguments that all methods have, and options of the method."""
    common = {name: value for name, value in arguments.items() if name in _COMMON_NAMES}
    return RunArguments(until, **common), {name: v for name, v in arguments.items() if name not in common}


class CheckedRun(NamedTuple):
    """A run that may start: problem, request, module of the method, and the reason for that method."""

    problem: Problem
    request: RunRequest
    module: Any
    reason: str


def _checked_run(system: System, given: RunArguments, options: dict[str, Any]) -> CheckedRun:
    _check_argument_names(options)
    resumed = given.start if isinstance(given.start, RunEnd) else None
    begin = resumed.time if resumed else _start_time(given.start)
    end = finite_float("until", given.until)
    if end <= begin:
        raise InvalidInput(f"must be after start ({begin:g} s)", subject="until", value=end, got=f"{end:g} s")
    if given.progress is not None and not callable(given.progress):
        raise InvalidInput(
            f"progress must be a function of the fraction done, 0 to 1, got {short_repr(given.progress)}"
        )
    request = RunRequest(
        until=end,
        times=sample_times(given.samples, begin, end),
        with_events=_is_whole(given.samples) and int(given.samples) == 0,
        step=_positive("step", given.step),
        tolerance=_positive("tolerance", given.tolerance),
        progress=given.progress,
    )
    ready = cached_problem(system, begin, _base(given))
    chosen, reason = ready.choice(given.method)
    module = import_module(f"slipstick.transient.{chosen}")
    _check_options(chosen, given.method, request, module.run, options)
    problem = _with_joints_for(ready.problem, chosen)
    if resumed and system.condensation is not None:
        words = "a condensed model cannot continue from run.end: its truncated modes have no state"
        raise InvalidInput(words).about("start")
    return CheckedRun(resume(problem, resumed) if resumed else problem, request, module, reason)


def _start_time(start: Any) -> float:
    """The time at which a run begins; how to continue an earlier run where ``start`` is no number."""
    try:
        return finite_float("start", start)
    except InvalidInput as refusal:
        if isinstance(start, (bool, int, float)):
            raise
        words = f"start must be a time in seconds or run.end, got {short_repr(start)}"
        way = "to continue an earlier run: run = m.simulate(until=1), m.simulate(until=2, start=run.end)"
        raise InvalidInput(words, advice=[way]).about("start") from refusal


def _base(given: RunArguments) -> Base:
    """The base frequency of a run, or the angle that orders follow."""
    frequency = _positive("frequency", given.frequency)
    if given.speed is None:
        return frequency
    if frequency is not None:
        raise InvalidInput("give frequency or speed, not both").about("speed")
    return angle_of(given.speed)


def _with_joints_for(problem: Problem, method: str) -> Problem:
    """The problem in the form in which a method takes laws in series."""
    if method == "exact":
        return with_joints(problem)
    return with_rate_joints(problem) if method in JOINT_METHODS else problem


class PreparedSystem:
    """The problem of a system, kept for further runs until the system changes."""

    def __init__(self, key: tuple[Any, ...], problem: Problem) -> None:
        self.key, self.problem = key, problem
        self._choices: dict[str, tuple[str, str]] = {}

    def choice(self, method: str) -> tuple[str, str]:
        """The method to use, and why."""
        if not isinstance(method, str) or method not in self._choices:
            self._choices[method] = choose(self.problem, method)
        return self._choices[method]


def cached_problem(system: System, start: float, frequency: Base) -> PreparedSystem:
    """The problem of a system; that of the last run if nothing has changed since."""
    key = (start, frequency, *_fingerprint(system))
    ready = system.ready
    if not isinstance(ready, PreparedSystem) or ready.key != key:
        ready = system.ready = PreparedSystem(key, _pose_checked(system, start, frequency))
    return ready


def _fingerprint(system: System) -> tuple[Any, ...]:
    """Everything that a run depends on. Frozen objects compare by identity first, so comparing takes microseconds."""
    given = system.matrices
    entries = () if given is None else tuple(_bytes(m) for m in (given.mass, given.damping, given.stiffness))
    coordinates = tuple(c.data for c in system.coordinates)
    return (system.name, system.frequency, coordinates, (*system.connections,), (*system.loads,), given, entries)


def _bytes(matrix: Any) -> bytes:
    """The entries of a matrix and their indices, which users may change in place."""
    if not hasattr(matrix, "toarray"):
        return dense(matrix).tobytes()
    rows = matrix.tocsr()
    return b"".join(part.tobytes() for part in (rows.data, rows.indices, rows.indptr))


def _pose_checked(system: System, start: float, frequency: Base) -> Problem:
    if not system.coordinates:
        raise InvalidInput(f'model "{system.name}" has no coordinates', advice=[Advice("add one with {coordinate}")])
    if all(c.motion is not None for c in system.coordinates):
        raise InvalidInput(
            f'model "{system.name}" has prescribed motions only, so there is nothing to integrate',
            advice=[Advice("{trace} gives forces along an imposed deflection")],
        )
    problem = pose(system, start, frequency)
    for element in problem.elements:
        for function, _ in element.modulation:
            function.harmonics_at(problem.base)  # refuses an order without a base frequency
    return problem


def _run(checked: CheckedRun, options: dict[str, Any]) -> Run:
    problem, request, reason = checked.problem, checked.request, checked.reason
    began = perf_counter()
    try:
        trajectory = checked.module.run(problem, request, **options)
    except NotConverged as failure:
        if failure.partial is not None and not isinstance(failure.partial, Run):
            failure.partial.stats.ended = failure.message
            failure.partial = _finished(failure.partial, problem, request, reason, began)
        raise
    finally:
        problem.tidy()
    if problem.system.condensation is not None:
        trajectory = _truncated(trajectory, checked, options)
    return _finished(trajectory, problem, request, reason, began)


def _truncated(trajectory: Any, checked: CheckedRun, options: dict[str, Any]) -> TruncatedTrajectory:
    """The trajectory of a condensed model; its error includes the change by further modes."""
    problem = checked.problem
    trajectory, system = fold_trajectory(trajectory, problem.system)

    def again(more: int, times: NDArray[np.float64]) -> tuple[Any, list[str]]:
        finer_system = system.condensation.finer(system, more)
        posed = cached_problem(finer_system, problem.start, problem.base).problem
        finer = _with_joints_for(posed, trajectory.stats.method)
        request = replace(checked.request, times=times, with_events=False, progress=None)
        found = checked.module.run(finer, request, **options)
        return fold_trajectory(found, finer.system)[0], [c.name for c in finer_system.coordinates]

    return with_more_modes(trajectory, system.condensation, (problem.start, checked.request.until), again)


def _finished(trajectory: Any, problem: Problem, request: RunRequest, reason: str, began: float) -> Run:
    stats = trajectory.stats
    stats.reason, stats.seconds = reason, stats.seconds or perf_counter() - began
    stats.start, stats.until = problem.start, request.until
    stats.reached = trajectory.reached if stats.ended else request.until
    if problem.system.condensation is None:  # else it is folded already
        trajectory, _ = fold_trajectory(trajectory, problem.system)
    system = problem.system if problem.system.joints is None else problem.system.joints.system
    base = problem.base
    angle = angle_of(Constant(base)) if isinstance(base, float) else base
    # a snapshot, since the problem keeps its system for the next run
    return Run(trajectory, system.snapshot(), angle=angle)


# ---- arguments


def sample_times(samples: Any, start: float, until: float) -> NDArray[np.float64]:
    """The times at which samples are wanted; for none, the end."""
    if _is_whole(samples):
        count = int(samples)
        if count == 0:
            return np.array([until])
        if not 2 <= count <= MAX_SAMPLES:
            raise InvalidInput(
                f"samples must be 0 (events and end only) or from 2 to {MAX_SAMPLES}, got {count}"
            ).about("samples")
        return np.linspace(start, until, count)
    if isinstance(samples, (bool, str, bytes)) or samples is None or np.ndim(samples) == 0:
        raise InvalidInput(f"samples must be a whole number, a list of times, or 0, got {short_repr(samples)}").about(
            "samples"
        )
    return _given_times(samples, start, until)


def _given_times(samples: Any, start: float, until: float) -> NDArray[np.float64]:
    try:
        times = np.array(samples, dtype=float)
    except (TypeError, ValueError):
        raise InvalidInput(f"samples must be times in seconds, got {short_repr(samples)}").about("samples") from None
    if times.ndim != 1 or times.size == 0:
        raise InvalidInput(f"samples must be a list of times, at least one, got shape {times.shape}").about("samples")
    if not np.isfinite(times).all():
        raise InvalidInput(f"samples must be finite times, got {times[~np.isfinite(times)][0]}").about("samples")
    edge = END_TIME_TOLERANCE_REL * (until - start)
    times[(times < start) & (times >= start - edge)] = start
    times[(times > until) & (times <= until + edge)] = until
    outside = times[(times < start) | (times > until)]
    if outside.size:
        raise InvalidInput(f"samples must lie within the run, {start:g} to {until:g} s, got {outside[0]:g} s").about(
            "samples"
        )
    falls = np.flatnonzero(np.diff(times) <= 0.0)
    if falls.size:
        i = int(falls[0])
        raise InvalidInput(f"samples must increase, got {times[i + 1]:g} s after {times[i]:g} s").about("samples")
    return times


def _is_whole(samples: Any) -> bool:
    return isinstance(samples, (int, np.integer)) and not isinstance(samples, bool)


def _positive(name: str, value: Any) -> float | None:
    if value is None:
        return None
    number = finite_float(name, value)
    if not number > 0.0:
        raise InvalidInput("must be > 0", subject=name, value=value, got=short_repr(value), bound="> 0")
    return number


def _check_options(
    chosen: str, asked: str, request: RunRequest, run: Callable[..., Any], options: dict[str, Any]
) -> None:
    """Refuse arguments and options that the method does not have."""
    own = METHODS[chosen]
    by = f'method "{chosen}"' + (' (picked by "auto")' if asked == "auto" else "")
    if request.step is not None and not own.step:
        raise InvalidInput(
            f"{by} chooses its steps itself",
            argument="step",
            advice=[Advice("leave {step} out"), f"methods with a step: {methods_with('step')}"],
        )
    if request.tolerance is not None and not own.tolerance:
        ways = methods_with("tolerance")
        raise InvalidInput(
            f"{by} has no error to control",
            argument="tolerance",
            advice=[Advice("leave {tolerance} out"), f"methods with a tolerance: {ways}"],
        )
    if not options:
        return
    known = option_names(run)
    for name in options:
        if known is not None and name not in known:
            words = f"its options: {', '.join(known)}" if known else "it has no options of its own"
            raise WrongArguments(f'{by} has no option "{name}"{_hint(name, known)}; {words}').about(name)


def _check_argument_names(options: dict[str, Any]) -> None:
    """Refuse names that no method has and that look like an argument of every method, before the model is read."""
    if not options:
        return
    own = [option_names(import_module(f"slipstick.transient.{name}").run) or () for name in METHODS]
    known = {name for names in own for name in names}
    for name in options:
        hint = _hint(name, ())
        if name not in known and hint and hint == _hint(name, tuple(known)):
            raise WrongArguments(f'simulate has no option "{name}"{hint}').about(name)


START_OPTIONS = (
    "initial",
    "initial_conditions",
    "initial_state",
    "ic",
    "x0",
    "y0",
    "q0",
    "v0",
    "state",
    "displacement",
    "velocity",
)


def _hint(name: str, known: tuple[str, ...]) -> str:
    meant = difflib.get_close_matches(name, ("initial", "initial_conditions", "initial_state"), n=1, cutoff=0.8)
    if name in START_OPTIONS or meant:
        return '; set the initial state in the model: m["x"].displacement = 0.1, m["x"].velocity = 0.0'
    every = (*known, *_COMMON_NAMES)
    words = did_you_mean(name, every)
    return words if "did you mean" in words else ""


@cache
def option_names(run: Callable[..., Any]) -> tuple[str, ...] | None:
    """The options that ``run`` of a method takes; None if it takes any and checks them itself."""
    parameters = list(inspect.signature(run).parameters.values())[2:]
    if any(p.kind is p.VAR_KEYWORD for p in parameters):
        return None
    return tuple(p.name for p in parameters)
