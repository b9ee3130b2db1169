"""The front door of nonlinear modes: which mode, over which amplitudes, and the result."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slipstick.errors import InvalidInput, NotConverged, SlipstickError, did_you_mean, shown
from slipstick.model.equilibrium import equilibrium
from slipstick.periodic.balance import Balance
from slipstick.periodic.balance.balance import HARMONICS
from slipstick.periodic.balance.lines import lines_of
from slipstick.periodic.balance.waves import samples_for
from slipstick.periodic.curves import Traced
from slipstick.periodic.modes.equivalent import (
    LARGEST_DAMPING,
    equivalents,
    interesting,
    linear_mode,
    stiffness_of,
)
from slipstick.periodic.modes.family import Linear, ModeFamily
from slipstick.periodic.modes.point import point
from slipstick.periodic.modes.quiet import quiet
from slipstick.periodic.modes.stepping import along, lead, visit
from slipstick.periodic.modes.truncation import ModeTruncation
from slipstick.periodic.refusals import refuse_harmonics
from slipstick.periodic.remarks import long_use
from slipstick.periodic.tracing import traced_by
from slipstick.periodic.values import values_of
from slipstick.results.mode_points import ModePoint
from slipstick.results.nonlinear_mode import ModeFindings, ModeStats, NonlinearMode
from slipstick.transient.problem import pose

if TYPE_CHECKING:
    from slipstick.model.system import System

Array = NDArray[np.float64]

FEWEST_SAMPLES = 256  # of a cycle with corners: damping is a small part of the forces
POINTS = 50  # between the amplitudes that are chosen by themselves
TRIED = (1e-9, 1e9, 1e-6, 1e6, 1e-3, 1e3, 1.0)  # amplitudes at which a mode is looked for, if none is given
FARTHER = tuple(s * k for k in range(1, 7) for s in (-1, 1))  # decades from the ends, where a mode is looked for then
WORK, WORK_EACH, WORK_ALONG = 3000, 100, 8000  # looks at the equations: in all, and more for each amplitude; of a curve
SMALLEST, LARGEST = 1e-60, 1e60  # amplitudes whose squares are numbers still
UNMOVED = 1e-6  # of the largest displacement of a shape: a coordinate below this does not take part


class Plan(NamedTuple):
    """How a mode is followed.

    wanted : all amplitudes.   down : from the largest on.
    begin : the amplitude where it is known to swing, if that is none of them.
    most_damped : damping ratio beyond which amplitudes that were chosen here are left out.
    """

    family: ModeFamily
    wanted: Wanted
    down: bool
    begin: float | None = None
    most_damped: float = math.inf


class Wanted(NamedTuple):
    """Amplitudes as they were asked for; nothing: chosen here.   along : they are the two ends of a curve."""

    values: Array | None
    along: bool


class Ready(NamedTuple):
    """What is to be done: system : a copy of the model."""

    system: System
    plan: Plan
    stats: ModeStats


def nonlinear_mode(
    system: System,
    mode: int = 1,
    amplitudes: Any = None,
    between: Any = None,
    coordinate: Any = None,
    harmonics: int | None = None,
    sustain: str = "first",
    progress: Callable[[int, float], Any] | None = None,
    norm: str = "first",
) -> NonlinearMode:
    """See `slipstick.api.Model.nonlinear_mode`."""
    snapshot, plan, stats = _ready(system, mode, amplitudes, between, coordinate, harmonics, sustain, norm)
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
    _ready(system, **asked)


def _ready(
    system: System,
    mode: int = 1,
    amplitudes: Any = None,
    between: Any = None,
    coordinate: Any = None,
    harmonics: int | None = None,
    sustain: str = "first",
    norm: str = "first",
) -> Ready:
    """Everything that is checked before a mode is followed."""
    wanted = _wanted(amplitudes, between)
    for name, given in (("sustain", sustain), ("norm", norm)):
        if given not in ("first", "all"):
            raise InvalidInput(f'{name} must be "first" or "all", got {shown(given)}').about(name)
    snapshot = system.snapshot()
    balance = _balance(quiet(snapshot), harmonics)
    mean = _rest(balance)
    number = _number(balance, mode)
    place = _coordinate(balance, coordinate)
    plan = _family(balance, number, wanted, mean, place, sustain, norm)
    along = plan.wanted.along
    stats = ModeStats(number + 1, _name(balance, place), balance.harmonics, sustain, joined=along, norm=norm)
    return Ready(snapshot, plan, stats)


def _traced(plan: Plan, logs: list[float], watch: Callable[[Any], None]) -> Traced:
    """Follow the mode, with a bound on the work: one that cannot be followed says so within seconds."""
    family, begin = plan.family, plan.begin
    family.effort.left = WORK_ALONG if plan.wanted.along else WORK + WORK_EACH * len(logs)
    try:
        way = [] if begin is None else lead(family, math.log10(begin), logs[0])
        if not plan.wanted.along:
            return visit(family, logs, watch, way[-1] if way else None, plan.most_damped)
        return along(family, (logs[0], logs[-1]), way, watch)
    finally:
        family.effort.left = math.inf  # motions and errors are computed later


def _result(
    system: System,
    family: ModeFamily,
    stats: ModeStats,
    trace: Callable[[], Traced],
    amplitudes: Array,
    order: NDArray[np.int_] | None,
) -> NonlinearMode:
    """Trace the mode and hand it over; what ends it early carries the part that was reached."""
    traced, failure = traced_by(trace, stats)
    mode = NonlinearMode(lambda: _findings(family, traced, amplitudes, order), system, stats)
    if failure is not None:
        failure.partial = mode
        raise failure
    return mode


def _findings(family: ModeFamily, traced: Traced, amplitudes: Array, order: NDArray[np.int_] | None) -> ModeFindings:
    """Motions and errors; visited points in the order, and with the amplitudes, that were asked for."""
    asked = [family.amplitude(at.p) for at in traced.points] if order is None else amplitudes.tolist()
    places = range(len(asked)) if order is None else order.tolist()
    points: dict[int, ModePoint] = {}
    left_out: list[str] = []
    truncation = ModeTruncation(family)

    def found() -> ModeFindings:
        own = [points[place] for place in sorted(points)]
        told = dict.fromkeys(note for each in own for note in each.notes)
        return ModeFindings(tuple(own), (*traced.notes, *left_out, *long_use(family.balance.problem), *told))

    try:
        for place, at, amplitude in zip(places, traced.points, asked, strict=False):
            try:
                points[place] = truncation.told(point(family, at, amplitude), at)
            except NotConverged as trouble:
                left_out.append(f"the motion at {family.said(at.p)} is left out: {trouble}")
    except KeyboardInterrupt as stop:
        words = "interrupted while motions and errors were computed"
        raise NotConverged(words, partial=found(), interrupted=True) from stop
    if left_out and not points:
        raise NotConverged(f"none of {len(left_out)} motions could be measured; the first: {left_out[0]}")
    return found()


# ---- what it begins with


def _balance(system: System, harmonics: int | None) -> Balance:
    """Harmonic balance of a model that is left alone; the frequency is of no account there."""
    problem = pose(system, 0.0, 1.0)
    if not problem.n:
        raise InvalidInput("a mode needs a free coordinate; all coordinates of this model have a prescribed motion")
    count = HARMONICS if harmonics is None else harmonics
    refuse_harmonics(count)
    samples = None
    if lines_of(problem, 1.0).has_corners:
        samples = max(samples_for(count, corners=True), FEWEST_SAMPLES)
    return Balance(system, frequency=1.0, harmonics=count, subharmonic=1, samples=samples, problem=problem)


def _rest(balance: Balance) -> Array:
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


def _begin(
    balance: Balance, number: int, amplitudes: Sequence[float], mean: Array, place: int | None
) -> tuple[Linear, float] | None:
    """The linear mode at the first amplitude at which it swings, and that amplitude."""
    for amplitude in amplitudes:
        try:
            found = linear_mode(balance, number, amplitude, mean, place)
        except NotConverged:  # forces beyond all bounds
            continue
        if found is not None and found.damping_ratio < LARGEST_DAMPING:
            return found, amplitude
    return None


def _family(
    balance: Balance,
    number: int,
    wanted: Wanted,
    mean: Array,
    place: int | None,
    sustain: str,
    norm: str = "first",
) -> Plan:
    """The equations, the amplitudes, and where to begin."""
    values, most_damped = wanted.values, math.inf
    if values is None:
        somewhere = _begin(balance, number, TRIED, mean, None)
        if somewhere is None:
            raise _refused(balance, number, mean)
        own = 1.0 if place is None else abs(complex(somewhere[0].shape[place]))
        values = own * np.geomspace(*interesting(balance, somewhere[0]), POINTS)
    if place is not None and not values.all():
        raise _unmoved(balance, number, place)
    ends = sorted((float(values.min()), float(values.max())), reverse=balance.lines.rounds)  # it damps least far out
    beyond = [(ends[0] if k < 0 else ends[1]) * 10.0 ** (k if ends[0] <= ends[1] else -k) for k in FARTHER]
    found = _begin(balance, number, [*ends, *beyond], mean, place)
    if found is None:
        raise _refused(balance, number, mean)
    linear, amplitude = found
    if place is not None and abs(linear.shape[place]) < UNMOVED * np.abs(linear.shape).max():
        raise _unmoved(balance, number, place)
    down = amplitude >= max(ends) > min(ends)
    if (
        wanted.values is None
        and _begin(balance, number, [ends[1] if amplitude == ends[0] else ends[0]], mean, place) is None
    ):
        most_damped = LARGEST_DAMPING  # nothing holds it at the other end
    family = ModeFamily(balance, linear, place, sustain, norm=norm)
    return Plan(family, Wanted(values, wanted.along), down, None if amplitude in ends else amplitude, most_damped)


# ---- what cannot be asked for


def _refused(balance: Balance, number: int, mean: Array) -> InvalidInput:
    """Why there is no such mode, and which there are."""
    swinging = set[int]()
    for amplitude in TRIED:
        seen = balance.lines.rows @ mean
        stiffness = stiffness_of(balance, np.full(balance.lines.count, amplitude), 1.0, seen)
        try:
            found = equivalents(balance, stiffness, 1.0)
        except NotConverged:
            continue
        swinging |= {k + 1 for k in range(found.values.size) if found.oscillates(k)}
    known = ", ".join(str(k) for k in sorted(swinging)[:12]) or "none"
    return InvalidInput(
        f"mode {number + 1} does not swing to and fro at these amplitudes: it is rigid, or damped too much; "
        f"modes that swing at some amplitude: {known}"
    ).about("mode")


def _unmoved(balance: Balance, number: int, place: int) -> InvalidInput:
    return InvalidInput(
        f'"{_name(balance, place)}" does not move in mode {number + 1}; take another coordinate, or leave it out'
    ).about("coordinate")


def _number(balance: Balance, mode: Any) -> int:
    """The number of a mode, from 0."""
    most = balance.problem.n
    if isinstance(mode, bool) or not isinstance(mode, (int, np.integer)) or not 1 <= mode <= most:
        raise InvalidInput(f"mode must be a whole number from 1 to {most}, got {shown(mode)}").about("mode")
    return int(mode) - 1


def _coordinate(balance: Balance, coordinate: Any) -> int | None:
    """The number among the free coordinates."""
    if coordinate is None:
        return None
    assembly = balance.problem.assembly
    free = [assembly.names[i] for i in assembly.free]
    name = getattr(coordinate, "name", coordinate)
    if not isinstance(name, str) or name not in free:
        hint = did_you_mean(name, free) if isinstance(name, str) else f" (known: {', '.join(free)})"
        raise InvalidInput(f"no free coordinate {shown(name)}{hint}").about("coordinate")
    return free.index(name)


def _name(balance: Balance, place: int | None) -> str:
    assembly = balance.problem.assembly
    return "" if place is None else str(assembly.names[assembly.free[place]])


def _wanted(amplitudes: Any, between: Any) -> Wanted:
    if amplitudes is not None and between is not None:
        raise InvalidInput("give amplitudes=[...] for just these, or between=(low, high) to follow the mode, not both")
    if amplitudes is None and between is None:
        return Wanted(None, along=False)
    name, given = ("amplitudes", amplitudes) if between is None else ("between", between)
    values = values_of(name, given, "amplitudes", positive=True, single="amplitudes")
    if values.min() < SMALLEST or values.max() > LARGEST:
        raise InvalidInput(
            f"{name} must lie between {SMALLEST:g} and {LARGEST:g}, got {values.min():.3g} to {values.max():.3g}"
        ).about(name)
    return Wanted(values, along=name == "between")
