"""The front door of nonlinear modes: which mode, over which amplitudes, and the result."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slipstick.arrays import Array
from slipstick.errors import LOW_HIGH, Advice, InvalidInput, NotConverged, SlipstickError, short_repr
from slipstick.model.equilibrium import equilibrium
from slipstick.name_hints import did_you_mean
from slipstick.periodic.balance import HarmonicBalance
from slipstick.periodic.balance.fourier_series import sample_count_for
from slipstick.periodic.balance.harmonic_balance import DEFAULT_HARMONICS
from slipstick.periodic.balance.nonlinear_connections import nonlinear_connections_of
from slipstick.periodic.continuation.curve_trace import CurveTrace, trace_timed
from slipstick.periodic.curve_notes import long_use_notes
from slipstick.periodic.modes.amplitude_continuation import lead_to_amplitude, solve_at_amplitudes, trace_mode
from slipstick.periodic.modes.autonomous_system import autonomous_copy
from slipstick.periodic.modes.equivalent_linearisation import (
    MAX_DAMPING_RATIO,
    changing_amplitudes,
    equivalent_modes,
    equivalent_stiffness,
    linear_mode,
)
from slipstick.periodic.modes.mode_family import ModeFamily
from slipstick.periodic.modes.mode_motion import LinearMode
from slipstick.periodic.modes.mode_point import mode_point
from slipstick.periodic.modes.truncation import ModeTruncation
from slipstick.periodic.request_checks import check_harmonics, checked_values
from slipstick.results.mode_points import ModePoint
from slipstick.results.nonlinear_mode import ModeFindings, ModeStats, NonlinearMode
from slipstick.transient.problem import pose

if TYPE_CHECKING:
    from slipstick.model.system import System


MIN_SAMPLES = 256  # of a cycle with corners: damping is a small part of the forces
DEFAULT_POINT_COUNT = 50  # between the amplitudes that are chosen by themselves
TRIAL_AMPLITUDES = (1e-9, 1e9, 1e-6, 1e6, 1e-3, 1e3, 1.0)  # amplitudes at which a mode is looked for, if none is given
FARTHER_DECADES = tuple(
    s * k for k in range(1, 7) for s in (-1, 1)
)  # decades from the ends, where a mode is looked for then
MAX_EVALUATIONS, EVALUATIONS_PER_AMPLITUDE, MAX_CURVE_EVALUATIONS = (
    3000,
    100,
    8000,
)  # looks at the equations: in all, and more for each amplitude; of a curve
MIN_AMPLITUDE, MAX_AMPLITUDE = 1e-60, 1e60  # amplitudes whose squares are numbers still
MIN_SHAPE_REL = 1e-6  # of the largest displacement of a shape: a coordinate below this does not take part


class ModePlan(NamedTuple):
    """How a mode is followed.

    wanted : all amplitudes.   down : from the largest on.
    begin : the amplitude where it is known to swing, if that is none of them.
    max_damping_ratio : damping ratio beyond which amplitudes that were chosen here are left out.
    """

    family: ModeFamily
    wanted: AmplitudeRequest
    down: bool
    begin: float | None = None
    max_damping_ratio: float = math.inf


class ModeSolver(NamedTuple):
    """The equations of a mode that was followed.   places : unknowns and log10 of the amplitude, of all points."""

    family: ModeFamily
    places: tuple[tuple[Array, float], ...]


class AmplitudeRequest(NamedTuple):
    """Amplitudes as they were asked for; nothing: chosen here.   along : they are the two ends of a curve."""

    values: Array | None
    along: bool


class ModeRequest(NamedTuple):
    """What is to be done: system : a copy of the model."""

    system: System
    plan: ModePlan
    stats: ModeStats


def nonlinear_mode(
    system: System,
    mode: int = 1,
    amplitudes: Any = None,
    *,
    progress: Callable[[int, float], Any] | None = None,
    **asked: Any,
) -> NonlinearMode:
    """See `slipstick.api.Model.nonlinear_mode`."""
    snapshot, plan, stats = _checked_request(system, mode, amplitudes, **asked)
    family, wanted = plan.family, plan.wanted
    count = [0]

    def watch(found: Any) -> None:
        count[0] += 1
        if progress is not None:
            progress(count[0], family.amplitude(found.p))

    assert wanted.values is not None
    order = np.argsort(-wanted.values if plan.down else wanted.values, kind="stable")
    logs = np.log10(wanted.values)[order].tolist()
    trace = partial(_traced, plan, logs, watch)
    return _result(snapshot, family, stats, trace, wanted.values[order], None if wanted.along else order)


def check(system: System, **asked: Any) -> None:
    """Refuse what `nonlinear_mode` would refuse before it starts."""
    _checked_request(system, **asked)


def _checked_request(
    system: System,
    mode: int = 1,
    amplitudes: Any = None,
    between: Any = None,
    coordinate: Any = None,
    harmonics: int | None = None,
    sustain: str = "first",
    norm: str = "first",
) -> ModeRequest:
    """Everything that is checked before a mode is followed."""
    wanted = _amplitude_request(amplitudes, between)
    for name, given in (("sustain", sustain), ("norm", norm)):
        if given not in ("first", "all"):
            raise InvalidInput(f'{name} must be "first" or "all", got {short_repr(given)}').about(name)
    snapshot = system.snapshot()
    balance = _balance(autonomous_copy(snapshot), harmonics)
    mean = _rest(balance)
    number = _number(balance, mode)
    place = _coordinate(balance, coordinate)
    plan = _family(balance, number, wanted, mean, place, sustain, norm)
    along = plan.wanted.along
    stats = ModeStats(number + 1, _name(balance, place), balance.harmonics, sustain, joined=along, norm=norm)
    return ModeRequest(snapshot, plan, stats)


def _traced(plan: ModePlan, logs: list[float], watch: Callable[[Any], None]) -> CurveTrace:
    """Follow the mode, with a bound on the work: one that cannot be followed says so within seconds."""
    family, begin = plan.family, plan.begin
    family.effort.left = (
        MAX_CURVE_EVALUATIONS if plan.wanted.along else MAX_EVALUATIONS + EVALUATIONS_PER_AMPLITUDE * len(logs)
    )
    try:
        way = [] if begin is None else lead_to_amplitude(family, math.log10(begin), logs[0])
        if not plan.wanted.along:
            return solve_at_amplitudes(family, logs, watch, way[-1] if way else None, plan.max_damping_ratio)
        return trace_mode(family, (logs[0], logs[-1]), way, watch)
    finally:
        family.effort.left = math.inf  # motions and errors are computed later


def _result(
    system: System,
    family: ModeFamily,
    stats: ModeStats,
    trace: Callable[[], CurveTrace],
    amplitudes: Array,
    order: NDArray[np.int_] | None,
) -> NonlinearMode:
    """Trace the mode and hand it over; what ends it early carries the part that was reached."""
    traced, failure = trace_timed(trace, stats)
    ordered = traced.points
    if order is not None:
        ordered = [at for _, at in sorted(zip(order.tolist(), traced.points, strict=False), key=lambda pair: pair[0])]
    solver = ModeSolver(family, tuple((at.x, at.p) for at in ordered))
    mode = NonlinearMode(lambda: _findings(family, traced, amplitudes, order), system, stats, origin=solver)
    if failure is not None:
        failure.partial = mode
        raise failure
    return mode


def _findings(
    family: ModeFamily, traced: CurveTrace, amplitudes: Array, order: NDArray[np.int_] | None
) -> ModeFindings:
    """Motions and errors; visited points in the order, and with the amplitudes, that were asked for."""
    asked = [family.amplitude(at.p) for at in traced.points] if order is None else amplitudes.tolist()
    places = range(len(asked)) if order is None else order.tolist()
    points: dict[int, ModePoint] = {}
    left_out: list[str] = []
    truncation = ModeTruncation(family)

    def found() -> ModeFindings:
        own = [points[place] for place in sorted(points)]
        told = dict.fromkeys(note for each in own for note in each.notes)
        return ModeFindings(tuple(own), (*traced.notes, *left_out, *long_use_notes(family.balance.problem), *told))

    try:
        for place, at, amplitude in zip(places, traced.points, asked, strict=False):
            try:
                points[place] = truncation.told(mode_point(family, at, amplitude), at)
            except NotConverged as trouble:
                left_out.append(f"the motion at {family.format_parameter(at.p)} is left out: {trouble}")
    except KeyboardInterrupt as stop:
        words = "interrupted while motions and errors were computed"
        raise NotConverged(words, partial=found(), interrupted=True) from stop
    if left_out and not points:
        raise NotConverged(f"none of {len(left_out)} motions could be measured; the first: {left_out[0]}")
    return found()


# ---- what it begins with


def _balance(system: System, harmonics: int | None) -> HarmonicBalance:
    """Harmonic balance of a model that is left alone; the frequency is of no account there."""
    problem = pose(system, 0.0, 1.0)
    if not problem.n:
        raise InvalidInput("a mode needs a free coordinate; all coordinates of this model have a prescribed motion")
    count = DEFAULT_HARMONICS if harmonics is None else harmonics
    check_harmonics(count)
    samples = None
    if nonlinear_connections_of(problem, 1.0).has_corners:
        samples = max(sample_count_for(count, corners=True), MIN_SAMPLES)
    return HarmonicBalance(system, frequency=1.0, harmonics=count, subharmonic=1, samples=samples, problem=problem)


def _rest(balance: HarmonicBalance) -> Array:
    """(n,) where the model rests under constant loads and preloads, as a first guess of the mean."""
    balance.follow(np.zeros(balance.size), 1.0)
    loads = balance.loads.at(balance.base)[-1].real - balance.lines.along @ balance.follower.force[:, 0]
    if not np.abs(loads).max(initial=0.0) > 0.0:
        return np.zeros(balance.problem.n)
    try:
        found = equilibrium(balance.problem.system)
    except SlipstickError:  # nothing holds it, or it is not found: Newton's method starts from zero
        return np.zeros(balance.problem.n)
    return np.array(list(found.displacement.values()))[balance.problem.assembly.free]


def _first_linear_mode(
    balance: HarmonicBalance, number: int, amplitudes: Sequence[float], mean: Array, place: int | None
) -> tuple[LinearMode, float] | None:
    """The linear mode at the first amplitude at which it swings, and that amplitude."""
    for amplitude in amplitudes:
        try:
            found = linear_mode(balance, number, amplitude, mean, place)
        except NotConverged:  # forces beyond all bounds
            continue
        if found is not None and found.damping_ratio < MAX_DAMPING_RATIO:
            return found, amplitude
    return None


def _family(
    balance: HarmonicBalance,
    number: int,
    wanted: AmplitudeRequest,
    mean: Array,
    place: int | None,
    sustain: str,
    norm: str = "first",
) -> ModePlan:
    """The equations, the amplitudes, and where to begin."""
    values, max_damping_ratio = wanted.values, math.inf
    if values is None:
        somewhere = _first_linear_mode(balance, number, TRIAL_AMPLITUDES, mean, None)
        if somewhere is None:
            raise _no_mode_error(balance, number, mean)
        own = 1.0 if place is None else abs(complex(somewhere[0].shape[place]))
        values = own * np.geomspace(*changing_amplitudes(balance, somewhere[0]), DEFAULT_POINT_COUNT)
    if place is not None and not values.all():
        raise _unmoved(balance, number, place)
    ends = sorted((float(values.min()), float(values.max())), reverse=balance.lines.rounds)  # it damps least far out
    beyond = [(ends[0] if k < 0 else ends[1]) * 10.0 ** (k if ends[0] <= ends[1] else -k) for k in FARTHER_DECADES]
    found = _first_linear_mode(balance, number, [*ends, *beyond], mean, place)
    if found is None:
        raise _no_mode_error(balance, number, mean)
    linear, amplitude = found
    if place is not None and abs(linear.shape[place]) < MIN_SHAPE_REL * np.abs(linear.shape).max():
        raise _unmoved(balance, number, place)
    down = amplitude >= max(ends) > min(ends)
    if (
        wanted.values is None
        and _first_linear_mode(balance, number, [ends[1] if amplitude == ends[0] else ends[0]], mean, place) is None
    ):
        max_damping_ratio = MAX_DAMPING_RATIO  # nothing holds it at the other end
    family = ModeFamily(balance, linear, place, sustain, norm=norm)
    return ModePlan(
        family,
        AmplitudeRequest(values, wanted.along),
        down,
        None if amplitude in ends else amplitude,
        max_damping_ratio,
    )


# ---- what cannot be asked for


def _no_mode_error(balance: HarmonicBalance, number: int, mean: Array) -> InvalidInput:
    """Why there is no such mode, and which there are."""
    swinging = set[int]()
    for amplitude in TRIAL_AMPLITUDES:
        seen = balance.lines.rows @ mean
        stiffness = equivalent_stiffness(balance, np.full(balance.lines.count, amplitude), 1.0, seen)
        try:
            found = equivalent_modes(balance, stiffness, 1.0)
        except NotConverged:
            continue
        swinging |= {k + 1 for k in range(found.values.size) if found.oscillates(k)}
    known = ", ".join(str(k) for k in sorted(swinging)[:12]) or "none"
    return InvalidInput(
        f"mode {number + 1} does not oscillate at these amplitudes: it is a rigid motion or overdamped; "
        f"modes that oscillate: {known}"
    ).about("mode")


def _unmoved(balance: HarmonicBalance, number: int, place: int) -> InvalidInput:
    return InvalidInput(
        f'"{_name(balance, place)}" does not move in mode {number + 1}; take another coordinate, or leave it out'
    ).about("coordinate")


def _number(balance: HarmonicBalance, mode: Any) -> int:
    """The number of a mode, from 0."""
    most = balance.problem.n
    if isinstance(mode, bool) or not isinstance(mode, (int, np.integer)) or not 1 <= mode <= most:
        raise InvalidInput(f"mode must be a whole number from 1 to {most}, got {short_repr(mode)}").about("mode")
    return int(mode) - 1


def _coordinate(balance: HarmonicBalance, coordinate: Any) -> int | None:
    """The number among the free coordinates."""
    if coordinate is None:
        return None
    assembly = balance.problem.assembly
    free = [assembly.names[i] for i in assembly.free]
    name = getattr(coordinate, "name", coordinate)
    if not isinstance(name, str) or name not in free:
        hint = did_you_mean(name, free) if isinstance(name, str) else f" (known: {', '.join(free)})"
        raise InvalidInput(f"no free coordinate {short_repr(name)}{hint}").about("coordinate")
    return free.index(name)


def _name(balance: HarmonicBalance, place: int | None) -> str:
    assembly = balance.problem.assembly
    return "" if place is None else str(assembly.names[assembly.free[place]])


def _amplitude_request(amplitudes: Any, between: Any) -> AmplitudeRequest:
    if amplitudes is not None and between is not None:
        way = Advice(
            "give {amplitudes} for just these, or {between} to follow the mode", amplitudes=[...], between=LOW_HIGH
        )
        raise InvalidInput("amplitudes and between exclude each other", advice=[way])
    if amplitudes is None and between is None:
        return AmplitudeRequest(None, along=False)
    name, given = ("amplitudes", amplitudes) if between is None else ("between", between)
    values = checked_values(name, given, "amplitudes", positive=True, single="amplitudes")
    if values.min() < MIN_AMPLITUDE or values.max() > MAX_AMPLITUDE:
        raise InvalidInput(
            f"{name} must lie between {MIN_AMPLITUDE:g} and {MAX_AMPLITUDE:g}, got {values.min():.3g} to "
            f"{values.max():.3g}"
        ).about(name)
    return AmplitudeRequest(values, along=name == "between")
