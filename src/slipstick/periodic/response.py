"""Computes curves over frequency or another parameter: the entry point of response curves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import (
    LOW_HIGH,
    Advice,
    InvalidInput,
    Message,
    NotConverged,
    SlipstickError,
    Spelling,
    short_repr,
)
from slipstick.model.named_parameter import parameter_of
from slipstick.model.named_parameter_unit import parameter_unit
from slipstick.model.system import System
from slipstick.periodic.balance.multipliers import multiplier_doubts
from slipstick.periodic.branches.switching import trace_through_branch_points as follow
from slipstick.periodic.continuation.curve_trace import CurveTrace, solve_at_values
from slipstick.periodic.curve_notes import long_use_notes
from slipstick.periodic.curve_solver import solve_curve
from slipstick.periodic.cycles.cycle_curve import follow_cycles, is_limit_cycle
from slipstick.periodic.cycles.self_excitation import is_self_excited
from slipstick.periodic.family_factory import (
    FamilyFactory,
    ParametricModel,
    balance_at,
    checked_start,
    name_difference,
    start_difference_note,
    subharmonic_index,
)
from slipstick.periodic.integration.frequency_sweep import DEFAULT_POINT_COUNT, state_at_begin, sweep_frequencies
from slipstick.periodic.methods import alternative_to_balance, choose, falls_back_to_balance, is_exact
from slipstick.periodic.orbit import positive_frequency
from slipstick.periodic.request_checks import check_request, checked_values
from slipstick.periodic.shooting.adaptive_family import AdaptiveShooting
from slipstick.periodic.stability.linear_instability import explaining_growth, negative_damper_notes
from slipstick.periodic.truncation import Truncation
from slipstick.results.curve import Curve, CurveFindings, CurveStats
from slipstick.results.run import Names

if TYPE_CHECKING:
    from slipstick.results.orbit import Orbit

Progress = Callable[[int, float], Any]

UNNAMED_PARAMETER = "parameter"  # what a function makes models over


def frequency_response(
    system: System | Callable[[float], System],
    between: Any = None,
    at: Any = None,
    method: str = "auto",
    *,
    progress: Progress | None = None,
    **asked: Any,
) -> Curve:
    """See `slipstick.api.Model.frequency_response` and `slipstick.frequency_response`."""
    return _answer(_over_frequency(system, between, at, method, **asked), progress)


def check(system: System | Callable[[float], System], **asked: Any) -> None:
    """Refuse what `frequency_response` would refuse before it starts."""
    _checked_request(_over_frequency(system, **asked))


def over_parameter(
    system: System,
    parameter: str | Callable[[float], System],
    between: Any,
    start: Any = None,
    *,
    progress: Progress | None = None,
    **asked: Any,
) -> Curve:
    """See `slipstick.api.Model.follow`."""
    if is_limit_cycle(start) and is_self_excited(system):
        for name in ("subharmonic", "frequency"):
            if asked.pop(name, None) is not None:
                raise InvalidInput("a limit cycle has a frequency of its own", argument=name, advice=["leave it out"])
        return follow_cycles(system, parameter, between, start, progress=progress, **asked)
    return _answer(_over_parameter(system, parameter, between, start, **asked), progress)


def check_over_parameter(system: System, **asked: Any) -> None:
    """Refuse what `over_parameter` would refuse before it starts."""
    _checked_request(_over_parameter(system, **asked))


def _checked_request(asked: _CurveRequest) -> None:
    if asked.maker.method != "integration":
        asked.maker.family(asked.subharmonic)


class _CurveRequest(NamedTuple):
    """A curve that may be traced: begin : the value of the parameter that the start belongs to.

    hands_over : harmonic balance goes on where shooting fails.
    """

    maker: FamilyFactory
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
) -> _CurveRequest:
    if (between is None) == (at is None):
        way = Advice(
            "give either {between} to follow a curve, or {at} for just these frequencies", between=LOW_HIGH, at=[...]
        )
        raise InvalidInput(
            "no frequencies are given" if at is None else "between and at exclude each other", advice=[way]
        )
    name, given = ("between", between) if at is None else ("at", at)
    values = checked_values(name, given, "frequencies", " in rad/s", positive=True, single="at")
    models = _models(system, float(values[0]))
    begin = float(values[0])
    problem = models.problem(begin)
    chosen, reason = choose(problem, method, harmonics, (begin, float(values[-1])) if at is None else None)
    check_request(problem, chosen, harmonics, subharmonic, moves=models.same)
    if start is not None:
        start = checked_start(start, problem.system)
        begin = start.frequency
        if at is None and chosen != "integration" and not values.min() <= begin <= values.max():
            low, high, own = (models.scale.words(float(p)) for p in (values.min(), values.max(), begin))
            raise InvalidInput(
                f"must lie between {low} and {high}",
                subject="start",
                value=begin,
                got=f"an orbit at {own}",
                advice=[Advice("widen {between}")],
            )
        subharmonic = subharmonic_index(start, problem) if subharmonic is None else subharmonic
    stats = CurveStats(chosen, reason, begin=float(values[0]), end=float(values[-1]), joined=at is None)
    stats.other = alternative_to_balance(problem)
    maker = FamilyFactory(models, chosen, harmonics, problem)
    return _CurveRequest(
        maker, values, at is None, subharmonic, start, begin, stats, falls_back_to_balance(problem, chosen, reason)
    )


def _models(system: System | Callable[[float], System], begin: float) -> ParametricModel:
    if isinstance(system, System):
        snapshot = system.snapshot()
        return ParametricModel(lambda _: snapshot, begin, same=True)
    if not callable(system):
        raise InvalidInput(
            f"build must be a function from a frequency [rad/s] to a model, got {short_repr(system)}"
        ).about("build")
    return ParametricModel(_checked(system, "frequency"), begin)


def _checked(build: Callable[[float], System], what: str) -> Callable[[float], System]:
    """The same, but every model must have the coordinates and connections of the first that was asked for."""
    first: list[tuple[float, Names]] = []

    def at(p: float) -> System:
        found = _built(build, p)
        if not isinstance(found, System):
            raise InvalidInput(f"build({p:g}) must return a model for this {what}, got {short_repr(found)}").about(
                "build"
            )
        names = Names.of(found)
        if not first:
            first.append((p, names))
        begin, wanted = first[0]
        apart = name_difference(names, wanted, f"those at {begin:g} are")
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
) -> _CurveRequest:
    values = checked_values("between", between)
    models, begin, name, unit = _models_over(system, parameter, values, start, frequency)
    for end in values.tolist():
        _refuse_no_model(models, end)
    problem = models.problem(float(values[0]))
    chosen, reason = choose(problem, method, harmonics)
    if chosen == "integration":
        raise InvalidInput('a parameter is followed by "shooting" or "harmonic-balance", not by "integration"').about(
            "method"
        )
    check_request(problem, chosen, harmonics, subharmonic, moves=False, vanishes=True)
    index = subharmonic if subharmonic is not None or start is None else subharmonic_index(start, problem)
    stats = CurveStats(chosen, reason, parameter=name, unit=unit, begin=float(values[0]), end=float(values[1]))
    stats.other = alternative_to_balance(problem)
    maker = FamilyFactory(models, chosen, harmonics)
    return _CurveRequest(
        maker, values, True, index, start, begin, stats, falls_back_to_balance(problem, chosen, reason)
    )


def _models_over(
    system: System, parameter: Any, values: Array, start: Any, frequency: Any
) -> tuple[ParametricModel, float, str, str]:
    """Models over a parameter, the value at which the start is, the parameter's name and its unit."""
    if start is not None:
        start = checked_start(start, system)
    if frequency is not None:
        omega: float | None = positive_frequency(frequency)
    else:
        omega = system.frequency if start is None else start.frequency
    if parameter == "frequency":
        raise InvalidInput(
            "the frequency is not a parameter of follow",
            argument="parameter",
            advice=[Advice("{frequency_response} follows it")],
        )
    if omega is None:
        raise InvalidInput(
            "a frequency is needed",
            argument="frequency",
            advice=[Advice("give {frequency}, or an orbit with {start}", frequency=Spelling("ss.hz(12)", "12 Hz"))],
        )
    if callable(parameter):
        return (
            ParametricModel(_checked(parameter, "value"), float(values[0]), omega),
            float(values[0]),
            UNNAMED_PARAMETER,
            "",
        )
    if isinstance(parameter, str) and parameter.split(".")[-1] in ("order", "frequency"):
        words = f"{parameter} cannot be followed: between two of its values the loads have no common period"
        raise InvalidInput(words).about("parameter")
    found = parameter_of(system.snapshot(), parameter)
    models, unit = (
        ParametricModel(found.at, float(values[0]), omega),
        parameter_unit(system, parameter),
    )
    if start is None:
        return models, float(values[0]), parameter, unit
    low, high = float(values.min()), float(values.max())
    if not low <= found.value <= high:
        own, least, most = (models.scale.words(p) for p in (found.value, low, high))
        raise InvalidInput(
            f"start has {parameter} = {own}, which must lie between {least} and {most}",
            argument="start",
            advice=[Advice("widen {between}")],
        )
    return models, found.value, parameter, unit


def _refuse_no_model(models: ParametricModel, value: float) -> None:
    """Both ends of a parameter must be models."""
    try:
        models.at(value)
    except InvalidInput as refusal:
        refusal.about("between")
        raise


# ---- tracing


def _answer(asked: _CurveRequest, progress: Progress | None) -> Curve:
    if progress is not None and not callable(progress):
        raise InvalidInput(
            f"progress must be a function of the number of points and the last value, got {short_repr(progress)}"
        ).about("progress")
    with explaining_growth(asked.maker.models.at(asked.begin)):
        if asked.maker.method == "integration":
            return _by_integration(asked, progress)
        return _with_balance_fallback(asked, progress) if asked.hands_over else _by_continuation(asked, progress)


def _with_balance_fallback(asked: _CurveRequest, progress: Progress | None) -> Curve:
    """By shooting; by harmonic balance where shooting does not get to the end and harmonic balance does."""
    failure, curve = None, None
    try:
        curve = _by_continuation(asked, progress)
        why = curve.stats.ended
    except NotConverged as stopped:
        if stopped.interrupted:
            raise
        failure, why = stopped, stopped.message
    if not why:
        assert curve is not None
        return curve
    reason = Message.of(why).wrapped("shooting ended early: ").statement
    stats = replace(asked.stats, method="harmonic-balance", reason=reason, ended="", closed=False)
    try:
        balanced = _by_continuation(
            asked._replace(maker=asked.maker._replace(method="harmonic-balance"), stats=stats), progress
        )
    except NotConverged as stopped:
        if stopped.interrupted:
            raise
        balanced = None
    if balanced is not None and not balanced.stats.ended:
        return balanced
    if failure is not None:
        failure.message = failure.message.wrapped("", "; harmonic balance ended early too")
        raise failure
    assert curve is not None
    return curve


def _by_continuation(asked: _CurveRequest, progress: Progress | None) -> Curve:
    """By shooting or harmonic balance: through two values, or at those given."""
    maker, values, start = asked.maker, asked.values, asked.start
    family = maker.family(asked.subharmonic)
    if maker.method == "harmonic-balance":
        asked.stats.harmonics = balance_at(family, asked.begin).harmonics
    asked.stats.remade = maker.models.same or asked.stats.parameter not in ("frequency", UNNAMED_PARAMETER)
    begun = None if start is None else (maker.begun(family, start, asked.begin), asked.begin)
    count, last = 0, asked.begin

    def watch(point: Any) -> None:
        nonlocal count, last
        count, last = count + 1, float(point.z[-1])
        tried()

    def tried() -> None:
        assert progress is not None
        progress(count, last)

    shown = None if progress is None else watch

    def trace() -> CurveTrace:
        if asked.follows:
            between = (float(values[0]), float(values[1]))
            found = follow(family, between, start=begun, watch=shown, tried=None if progress is None else tried)
        else:
            found = solve_at_values(family, values.tolist(), start=begun, watch=shown)
        if maker.method == "harmonic-balance":
            shoots = asked.hands_over or (maker.posed is not None and is_exact(maker.posed))
            if asked.stats.reason and (shoots or maker.harmonics is not None):  # nobody asked for this method by name
                found.notes.insert(0, f"by {maker.method}: {asked.stats.reason}")
            found.notes += multiplier_doubts(balance_at(family, asked.begin))
        if isinstance(family, AdaptiveShooting):
            found.notes += family.doubts(asked.begin)
        found.notes += long_use_notes(maker.models.problem(asked.begin) if maker.posed is None else maker.posed)
        found.notes += negative_damper_notes(maker.models.at(asked.begin))
        if maker.models.same:
            found.notes += start_difference_note(start, maker.models.at(asked.begin))
        return found

    return solve_curve(maker, asked.subharmonic, asked.stats, trace)


def _by_integration(asked: _CurveRequest, progress: Progress | None) -> Curve:
    """By integration: at the frequencies given, or at many between two, up and down."""
    values, stats, start = asked.values, asked.stats, asked.start
    at = np.linspace(values[0], values[1], DEFAULT_POINT_COUNT) if asked.follows else values
    began, models = perf_counter(), asked.maker.models
    state = None if start is None else state_at_begin(start)
    model = models.at(float(values[0]))
    stats.joined = asked.follows
    try:
        found = sweep_frequencies(
            models.model, at.tolist(), both=asked.follows, subharmonic=asked.subharmonic, state=state, progress=progress
        )
        found = Truncation(models.model).along(found)
    except NotConverged as stopped:
        if not isinstance(stopped.partial, CurveFindings) or not stopped.partial.points:
            raise
        stats.ended, stats.seconds = stopped.message, perf_counter() - began
        stopped.partial = Curve(stopped.partial, model, stats)
        raise
    stats.seconds = perf_counter() - began
    return Curve(found, model, stats)
