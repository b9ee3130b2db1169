"""The front door of frequency responses: which method, between which frequencies or at which, and the curve."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from slipstick.errors import InvalidInput, NotConverged, shown
from slipstick.periodic.balance.balance import HARMONICS, Balance
from slipstick.periodic.branching import switch
from slipstick.periodic.continuation import Bounds
from slipstick.periodic.curves import Traced, follow, visit
from slipstick.periodic.family import Family
from slipstick.periodic.methods import choose
from slipstick.periodic.refusals import refuse
from slipstick.periodic.shooting.family import Shooting
from slipstick.periodic.special import findings
from slipstick.results.curve import Curve, CurveStats
from slipstick.results.orbit import Orbit
from slipstick.transient.problem import Problem, pose

if TYPE_CHECKING:
    from slipstick.model.system import System

Array = NDArray[np.float64]


def frequency_response(
    system: System,
    between: Any = None,
    at: Any = None,
    method: str = "auto",
    harmonics: int | None = None,
    subharmonic: int | None = None,
    start: Any = None,
    progress: Callable[[int, float], Any] | None = None,
) -> Curve:
    """See `slipstick.api.Model.frequency_response`."""
    frequencies = _frequencies(between, at)
    snapshot = system.snapshot()
    chosen, reason = _chosen(snapshot, float(frequencies[0]), method, harmonics, subharmonic)
    make = _maker(snapshot, chosen, harmonics, float(frequencies[0]))
    family = make(subharmonic)
    stats = CurveStats(chosen, reason, begin=float(frequencies[0]), end=float(frequencies[-1]), joined=at is None)
    begun = None if start is None else _begun(family, start)
    count = [0]

    def watch(point: Any) -> None:
        count[0] += 1
        if progress is not None:
            progress(count[0], point.p)

    def trace() -> Traced:
        if at is None:
            return follow(family, (float(frequencies[0]), float(frequencies[1])), start=begun, watch=watch)
        return visit(family, frequencies.tolist(), start=begun, watch=watch)

    return _curve(snapshot, make, subharmonic, stats, trace)


def check(
    system: System,
    between: Any = None,
    at: Any = None,
    method: str = "auto",
    harmonics: int | None = None,
    subharmonic: int | None = None,
    start: Any = None,
) -> None:
    """Refuse what `frequency_response` would refuse before it starts."""
    frequencies = _frequencies(between, at)
    chosen, _ = _chosen(system, float(frequencies[0]), method, harmonics, subharmonic)
    family = _maker(system.snapshot(), chosen, harmonics, float(frequencies[0]))(subharmonic)
    if start is not None:
        _begun(family, start)


def _chosen(
    system: System, frequency: float, method: str, harmonics: int | None, subharmonic: int | None
) -> tuple[str, str]:
    """The method, and why; refuses what no method can do."""
    problem = pose(system, 0.0, frequency)
    chosen = choose(problem, method)
    refuse(problem, harmonics, subharmonic)
    return chosen


def _curve(
    system: System,
    make: Callable[[int | None], Family],
    subharmonic: int | None,
    stats: CurveStats,
    trace: Callable[[], Traced],
) -> Curve:
    """Trace a curve and hand it over; what ends it early carries the part that was reached."""
    began = perf_counter()
    failure: NotConverged | None = None
    try:
        traced = trace()
    except NotConverged as stopped:
        if not isinstance(stopped.partial, Traced) or not stopped.partial.points:
            raise
        failure, traced = stopped, stopped.partial
        stats.ended = traced.ended or str(stopped)
    stats.seconds, stats.closed = perf_counter() - began, traced.closed

    def other_branch(special: Mapping[str, Any]) -> Curve:
        return _switched(system, make, subharmonic, stats, curve, special)

    curve = Curve(lambda: findings(traced), system, stats, other_branch=other_branch)
    if failure is not None:
        failure.partial = curve
        raise failure
    return curve


def _switched(
    system: System,
    make: Callable[[int | None], Family],
    subharmonic: int | None,
    stats: CurveStats,
    curve: Curve,
    special: Mapping[str, Any],
) -> Curve:
    point = curve.points[int(special["point"])]
    within = Bounds(stats.begin, stats.end)
    own = CurveStats(stats.method, f"the other branch at {point.p:.6g} rad/s", begin=stats.begin, end=stats.end)
    if special["kind"] != "period-doubling":
        return _curve(system, make, subharmonic, own, lambda: switch(make(subharmonic), point.x, point.p, within))
    twice = 2 * (subharmonic or 1)
    family = make(twice)
    if family.size != point.x.size:
        raise InvalidInput(
            'the branch with twice the period cannot be switched to by harmonic balance yet; use method="shooting"'
        )
    return _curve(system, make, twice, own, lambda: switch(family, point.x, point.p, within))


def _maker(system: System, method: str, harmonics: int | None, frequency: float) -> Callable[[int | None], Family]:
    """What makes the family of orbits for a sub-harmonic index."""
    if method == "harmonic-balance":
        count = HARMONICS if harmonics is None else harmonics
        return lambda index: Balance(system, frequency=frequency, harmonics=count, subharmonic=index)
    if harmonics is not None:
        raise InvalidInput(f'method "{method}" has no harmonics to choose; leave harmonics= out').about("harmonics")
    return lambda index: Shooting(partial(_posed, system), frequency, index)


def _posed(system: System, omega: float) -> Problem:
    if not omega > 0.0:
        raise NotConverged(f"the search led to a frequency of {omega:g} rad/s")
    return pose(system, 0.0, omega)


def _begun(family: Family, start: Any) -> tuple[Array, float]:
    if not isinstance(start, Orbit):
        raise InvalidInput(f"start must be an orbit, as m.periodic gives one, got {shown(start)}").about("start")
    if start.point.x.size != family.size:
        raise InvalidInput(
            f"start has {start.point.x.size} unknowns where this curve has {family.size}: it is an orbit of another "
            "model, or by another method"
        ).about("start")
    return start.point.x, start.point.frequency


def _frequencies(between: Any, at: Any) -> Array:
    if (between is None) == (at is None):
        raise InvalidInput("give either between=(low, high) to follow a curve, or at=[...] for just these frequencies")
    name, given = ("between", between) if at is None else ("at", at)
    try:
        values = np.atleast_1d(np.asarray(given, dtype=float)).ravel()
    except (TypeError, ValueError):
        raise InvalidInput(f"{name} must be frequencies in rad/s, got {shown(given)}").about(name) from None
    if not values.size or not np.isfinite(values).all() or values.min() <= 0.0:
        words = f"{name} must be finite frequencies > 0 in rad/s, got {shown(given)}; begin a little above zero"
        raise InvalidInput(words).about(name)
    if name == "between" and (values.size != 2 or values[0] == values[1]):
        words = f"between must be two different frequencies, got {shown(given)}; at= takes single ones"
        raise InvalidInput(words).about("between")
    return values
