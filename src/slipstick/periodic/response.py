"""The front door of curves: over frequency, of a model or of a family of models, and over any other parameter."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slipstick.errors import InvalidInput, NotConverged, SlipstickError, shown
from slipstick.model.parameter import parameter_of
from slipstick.model.parameter_unit import unit_of
from slipstick.model.system import System
from slipstick.periodic.balance.stability import doubts_of
from slipstick.periodic.branching import follow_through as follow
from slipstick.periodic.curves import Traced, visit
from slipstick.periodic.families import Maker, Models, balance_at, checked_start, difference, index_of, other_numbers
from slipstick.periodic.growth import growth_told
from slipstick.periodic.methods import choose, hands_over, without_harmonics
from slipstick.periodic.origin import traced_curve
from slipstick.periodic.periodic import positive
from slipstick.periodic.refusals import refuse
from slipstick.periodic.remarks import long_use
from slipstick.periodic.shooting.adaptive_family import AdaptiveShooting
from slipstick.periodic.sweep import POINTS, state_at_begin, sweep
from slipstick.periodic.truncation import Truncation
from slipstick.periodic.values import values_of
from slipstick.results.curve import Curve, CurveStats, Findings
from slipstick.results.run import Names

if TYPE_CHECKING:
    from slipstick.results.orbit import Orbit

Array = NDArray[np.float64]
Progress = Callable[[int, float], Any]

UNNAMED = "parameter"  # what a function makes models over


def frequency_response(
    system: System | Callable[[float], System],
    between: Any = None,
    at: Any = None,
    method: str = "auto",
    harmonics: int | None = None,
    subharmonic: int | None = None,
    start: Any = None,
    progress: Progress | None = None,
) -> Curve:
    """See `slipstick.api.Model.frequency_response` and `slipstick.frequency_response`."""
    asked = _over_frequency(system, between, at, method, harmonics, subharmonic, start)
    return _answer(asked, progress)


def check(system: System | Callable[[float], System], **asked: Any) -> None:
    """Refuse what `frequency_response` would refuse before it starts."""
    _ready(_over_frequency(system, **asked))


def over_parameter(
    system: System,
    parameter: str | Callable[[float], System],
    between: Any,
    start: Any = None,
    frequency: float | None = None,
    method: str = "auto",
    harmonics: int | None = None,
    subharmonic: int | None = None,
    progress: Progress | None = None,
) -> Curve:
    """See `slipstick.api.Model.follow`."""
    asked = _over_parameter(system, parameter, between, start, frequency, method, harmonics, subharmonic)
    return _answer(asked, progress)


def check_over_parameter(system: System, **asked: Any) -> None:
    """Refuse what `over_parameter` would refuse before it starts."""
    _ready(_over_parameter(system, **asked))


def _ready(asked: _Asked) -> None:
    if asked.maker.method != "integration":
        asked.maker.family(asked.subharmonic)


class _Asked(NamedTuple):
    """A curve that may be traced: begin : the value of the parameter that the start belongs to.

    hands_over : harmonic balance goes on where shooting fails.
    """

    maker: Maker
    values: Array
    follows: bool
    subharmonic: int | None
    start: Orbit | None
    begin: float
    stats: CurveStats
    hands_over: bool


def _over_frequency(
    system: System | Callable[[float], System],
    between: Any = None,
    at: Any = None,
    method: str = "auto",
    harmonics: int | None = None,
    subharmonic: int | None = None,
    start: Any = None,
) -> _Asked:
    if (between is None) == (at is None):
        raise InvalidInput("give either between=(low, high) to follow a curve, or at=[...] for just these frequencies")
    name, given = ("between", between) if at is None else ("at", at)
    values = values_of(name, given, "frequencies", " in rad/s", positive=True, single="at")
    models = _models(system, float(values[0]))
    problem = models.problem(float(values[0]))
    chosen, reason = choose(problem, method, harmonics)
    refuse(problem, chosen, harmonics, subharmonic, moves=models.same)
    begin = float(values[0])
    if start is not None:
        start = checked_start(start, problem.system)
        begin = start.frequency
        if at is None and chosen != "integration" and not values.min() <= begin <= values.max():
            low, high, own = (models.scale.words(float(p)) for p in (values.min(), values.max(), begin))
            raise InvalidInput(f"start must lie between {low} and {high}, got an orbit at {own}; widen between=").about(
                "start"
            )
        subharmonic = index_of(start, problem) if subharmonic is None else subharmonic
    stats = CurveStats(chosen, reason, begin=float(values[0]), end=float(values[-1]), joined=at is None)
    stats.other = without_harmonics(problem)
    maker = Maker(models, chosen, harmonics, problem)
    return _Asked(maker, values, at is None, subharmonic, start, begin, stats, hands_over(problem, chosen, reason))


def _models(system: System | Callable[[float], System], begin: float) -> Models:
    if isinstance(system, System):
        snapshot = system.snapshot()
        return Models(lambda _: snapshot, begin, same=True)
    if not callable(system):
        raise InvalidInput(f"build must be a function from a frequency [rad/s] to a model, got {shown(system)}").about(
            "build"
        )
    return Models(_checked(system, "frequency"), begin)


def _checked(build: Callable[[float], System], what: str) -> Callable[[float], System]:
    """The same, but every model must have the coordinates and connections of the first that was asked for."""
    first: list[tuple[float, Names]] = []

    def at(p: float) -> System:
        found = _built(build, p)
        if not isinstance(found, System):
            raise InvalidInput(f"build({p:g}) must return a model for this {what}, got {shown(found)}").about("build")
        names = Names.of(found)
        if not first:
            first.append((p, names))
        begin, wanted = first[0]
        apart = difference(names, wanted, f"those at {begin:g} are")
        if apart:
            raise InvalidInput(f"build({p:g}) must have the parts that build({begin:g}) has: {apart}").about("build")
        return found

    return at


def _built(build: Callable[[float], System], p: float) -> System:
    """What a user's function gives; what it raises is a refusal, so that a curve up to there is kept."""
    try:
        return build(p)
    except SlipstickError:
        raise
    except Exception as problem:
        words = " ".join(f"{type(problem).__name__}: {problem}".split()).rstrip(": ")
        raise InvalidInput(f"build({p:g}) failed with {words}; it must return a model there").about(
            "build"
        ) from problem


def _over_parameter(
    system: System,
    parameter: Any,
    between: Any,
    start: Any = None,
    frequency: Any = None,
    method: str = "auto",
    harmonics: int | None = None,
    subharmonic: int | None = None,
) -> _Asked:
    values = values_of("between", between)
    models, begin, name, unit = _models_over(system, parameter, values, start, frequency)
    for end in values.tolist():
        _refuse_no_model(models, end)
    problem = models.problem(float(values[0]))
    chosen, reason = choose(problem, method, harmonics)
    if chosen == "integration":
        raise InvalidInput('a parameter is followed by "shooting" or "harmonic-balance", not by "integration"').about(
            "method"
        )
    refuse(problem, chosen, harmonics, subharmonic, moves=False, vanishes=True)
    index = subharmonic if subharmonic is not None or start is None else index_of(start, problem)
    stats = CurveStats(chosen, reason, parameter=name, unit=unit, begin=float(values[0]), end=float(values[1]))
    stats.other = without_harmonics(problem)
    maker = Maker(models, chosen, harmonics)
    return _Asked(maker, values, True, index, start, begin, stats, hands_over(problem, chosen, reason))


def _models_over(
    system: System, parameter: Any, values: Array, start: Any, frequency: Any
) -> tuple[Models, float, str, str]:
    """Models over a parameter, the value at which the start is, the parameter's name and its unit."""
    if start is not None:
        start = checked_start(start, system)
    if frequency is not None:
        omega: float | None = positive(frequency)
    else:
        omega = system.frequency if start is None else start.frequency
    if parameter == "frequency":
        raise InvalidInput("the frequency is followed by m.frequency_response(between=...)").about("parameter")
    if omega is None:
        raise (
            InvalidInput("at which frequency? give frequency= in rad/s, or start=, an orbit")
            .about("frequency")
            .in_files("at which frequency? give frequency:, such as 12 Hz, or start:, a file with an orbit")
        )
    if callable(parameter):
        return Models(_checked(parameter, "value"), float(values[0]), omega), float(values[0]), UNNAMED, ""
    if isinstance(parameter, str) and parameter.split(".")[-1] in ("order", "frequency"):
        words = f"{parameter} cannot be followed: between two of its values the loads have no common period"
        raise InvalidInput(words).about("parameter")
    found = parameter_of(system.snapshot(), parameter)
    models, unit = Models(found.at, float(values[0]), omega), unit_of(system, parameter, found.dimension)
    if start is None:
        return models, float(values[0]), parameter, unit
    low, high = float(values.min()), float(values.max())
    if not low <= found.value <= high:
        own, least, most = (models.scale.words(p) for p in (found.value, low, high))
        raise InvalidInput(
            f"start is an orbit with {parameter} {own}, as the model has it, which must lie between "
            f"{least} and {most}; widen between="
        ).about("start")
    return models, found.value, parameter, unit


def _refuse_no_model(models: Models, value: float) -> None:
    """Both ends of a parameter must be models."""
    try:
        models.at(value)
    except InvalidInput as refusal:
        refusal.about("between")
        raise


# ---- tracing


def _answer(asked: _Asked, progress: Progress | None) -> Curve:
    if progress is not None and not callable(progress):
        raise InvalidInput(
            f"progress must be a function of the number of points and the last value, got {shown(progress)}"
        ).about("progress")
    with growth_told(asked.maker.models.at(asked.begin)):
        if asked.maker.method == "integration":
            return _swept(asked, progress)
        return _or_balanced(asked, progress) if asked.hands_over else _followed(asked, progress)


def _or_balanced(asked: _Asked, progress: Progress | None) -> Curve:
    """By shooting; by harmonic balance where shooting does not get to the end and harmonic balance does."""
    failure, curve = None, None
    try:
        curve = _followed(asked, progress)
        why = curve.stats.ended
    except NotConverged as stopped:
        if stopped.interrupted:
            raise
        failure, why = stopped, str(stopped)
    if not why:
        assert curve is not None
        return curve
    reason = f"shooting did not get to the end: {why}"
    stats = replace(asked.stats, method="harmonic-balance", reason=reason, ended="", closed=False)
    try:
        balanced = _followed(
            asked._replace(maker=asked.maker._replace(method="harmonic-balance"), stats=stats), progress
        )
    except NotConverged as stopped:
        if stopped.interrupted:
            raise
        balanced = None
    if balanced is not None and not balanced.stats.ended:
        return balanced
    if failure is not None:
        failure.args = (f"{failure}; harmonic balance did not get to the end either",)
        raise failure
    assert curve is not None
    return curve


def _followed(asked: _Asked, progress: Progress | None) -> Curve:
    """By shooting or harmonic balance: through two values, or at those given."""
    maker, values, start = asked.maker, asked.values, asked.start
    family = maker.family(asked.subharmonic)
    if maker.method == "harmonic-balance":
        asked.stats.harmonics = balance_at(family, asked.begin).harmonics
    asked.stats.remade = maker.models.same or asked.stats.parameter not in ("frequency", UNNAMED)
    begun = None if start is None else (maker.begun(family, start, asked.begin), asked.begin)
    count, last = 0, asked.begin

    def watch(point: Any) -> None:
        nonlocal count, last
        count, last = count + 1, point.p
        tried()

    def tried() -> None:
        if progress is not None:
            progress(count, last)

    def trace() -> Traced:
        if asked.follows:
            found = follow(family, (float(values[0]), float(values[1])), start=begun, watch=watch, tried=tried)
        else:
            found = visit(family, values.tolist(), start=begun, watch=watch)
        chosen = maker.harmonics is not None or (asked.hands_over and maker.method == "harmonic-balance")
        if chosen and asked.stats.reason:  # by what else was given, or by what failed, not by its name
            found.notes.insert(0, f"by {maker.method}: {asked.stats.reason}")
        if maker.method == "harmonic-balance":
            found.notes += doubts_of(balance_at(family, asked.begin))
        if isinstance(family, AdaptiveShooting):
            found.notes += family.doubts(asked.begin)
        found.notes += long_use(maker.models.problem(asked.begin) if maker.posed is None else maker.posed)
        if maker.models.same:
            found.notes += other_numbers(start, maker.models.at(asked.begin))
        return found

    return traced_curve(maker, asked.subharmonic, asked.stats, trace)


def _swept(asked: _Asked, progress: Progress | None) -> Curve:
    """By integration: at the frequencies given, or at many between two, up and down."""
    values, stats, start = asked.values, asked.stats, asked.start
    at = np.linspace(values[0], values[1], POINTS) if asked.follows else values
    began, models = perf_counter(), asked.maker.models
    state = None if start is None else state_at_begin(start)
    model = models.at(float(values[0]))
    stats.joined = asked.follows
    try:
        found = sweep(
            models.model, at.tolist(), both=asked.follows, subharmonic=asked.subharmonic, state=state, progress=progress
        )
        found = Truncation(models.model).along(found)
    except NotConverged as stopped:
        if not isinstance(stopped.partial, Findings) or not stopped.partial.points:
            raise
        stats.ended, stats.seconds = str(stopped), perf_counter() - began
        stopped.partial = Curve(stopped.partial, model, stats)
        raise
    stats.seconds = perf_counter() - began
    return Curve(found, model, stats)
