"""Limit cycles followed over a parameter, with the period as an unknown."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import Advice, InvalidInput, Message, NotConverged
from slipstick.native.blas_threads import one_blas_thread
from slipstick.periodic.continuation.corrector import solve_at
from slipstick.periodic.continuation.curve_segment import SOLVER_FAILURES, segment_between
from slipstick.periodic.continuation.curve_trace import CurveTrace, trace_curve, trace_timed
from slipstick.periodic.continuation.family import Family
from slipstick.periodic.cycles.cycle_family import CycleFamily, single_cycle
from slipstick.periodic.cycles.cycle_guess import CycleGuess
from slipstick.periodic.cycles.limit_cycle import (
    DEFAULT_HARMONICS,
    chosen_method,
    describe_cycle,
    guess_from_orbit,
    inner_family,
    unknowns_of,
)
from slipstick.periodic.cycles.parametric_problem import ParametricProblem, parametric_problem
from slipstick.periodic.family_factory import checked_start
from slipstick.periodic.measures.peaks import find_peak
from slipstick.periodic.request_checks import checked_values
from slipstick.periodic.shooting.adaptive_family import AdaptiveShooting
from slipstick.periodic.stability.special_points import special_points_of
from slipstick.results.curve import Curve, CurveFindings, CurveStats
from slipstick.results.orbit import CYCLE_NOTE, Orbit, OrbitPoint

if TYPE_CHECKING:
    from slipstick.model.system import System
    from slipstick.results.special_curve import SpecialCurve

MAX_POINTS_BEYOND_GRAZE = 12  # points of the last short steps beyond a graze
MIN_POINTS_TO_CORNER = 2

Progress = Callable[[int, float], Any]


def is_limit_cycle(start: Any) -> bool:
    """True for an orbit whose period was an unknown."""
    return isinstance(start, Orbit) and CYCLE_NOTE in start.notes


@dataclass(frozen=True)
class CycleMaker:
    """Families of limit cycles over a parameter by a method."""

    problems: ParametricProblem
    method: str
    harmonics: int | None

    def inner_at(self, p: float, frequency: float) -> Family:
        """The family over frequency at a value of the parameter."""
        problem = self.problems.problem(p, frequency)
        return inner_family(problem, self.method, self.harmonics, AdaptiveShooting)

    def family(self, p: float, guess: CycleGuess) -> tuple[CycleFamily, Array]:
        """The limit cycles over the parameter, and a guess (size,) of the one at p."""
        pivot, own = unknowns_of(self.inner_at(p, guess.frequency), guess)
        return CycleFamily(self.inner_at, p, guess.frequency, pivot), np.append(own, guess.frequency)


def follow_cycles(
    system: System,
    parameter: Any,
    between: Any,
    start: Orbit,
    method: str = "auto",
    harmonics: int | None = None,
    progress: Progress | None = None,
) -> Curve:
    """Limit cycles over a parameter from one of the model as it is; see `slipstick.api.Model.follow`."""
    values = checked_values("between", between)
    checked_start(start, system)
    problems = parametric_problem(system, parameter, values)
    own = float(values[0]) if problems.own is None else problems.own
    if not values.min() <= own <= values.max():
        raise InvalidInput(
            f"start has {problems.name} = {own:.6g}, which must lie between {values.min():.6g} and {values.max():.6g}",
            argument="start",
            advice=[Advice("widen {between}")],
        )
    guess = guess_from_orbit(start, system)
    if method == "auto" and harmonics is None and start.stats.method == "harmonic-balance":
        method = "harmonic-balance"
    chosen, reason = chosen_method(problems.problem(own, guess.frequency), method, harmonics)
    maker = CycleMaker(problems, chosen, harmonics)
    stats = cycle_stats(maker, reason, values)
    with one_blas_thread():
        family, x = maker.family(own, guess)

    def trace() -> CurveTrace:
        return trace_curve(family, (float(values[0]), float(values[1])), start=(x, own), watch=watcher(progress))

    return cycle_curve(maker, family, stats, trace)


def cycle_stats(maker: CycleMaker, reason: str, values: Array) -> CurveStats:
    """How a curve of limit cycles is computed."""
    balanced = maker.method == "harmonic-balance"
    return CurveStats(
        maker.method,
        reason,
        parameter=maker.problems.name,
        unit=maker.problems.unit,
        begin=float(values[0]),
        end=float(values[-1]),
        harmonics=(maker.harmonics or DEFAULT_HARMONICS) if balanced else 0,
    )


def watcher(progress: Progress | None) -> Callable[[Any], object] | None:
    """Calls a user's function with the number of points and the last value."""
    if progress is None:
        return None
    count = 0

    def watch(point: Any) -> None:
        nonlocal count
        count += 1
        progress(count, float(point.z[-1]))

    return watch


def cycle_curve(maker: CycleMaker, family: CycleFamily, stats: CurveStats, trace: Callable[[], CurveTrace]) -> Curve:
    """Trace limit cycles and hand them over; what ends the curve early carries the part that was reached."""
    began = perf_counter()
    with one_blas_thread():
        traced, failure = trace_timed(trace, stats)
        stats.closed = traced.closed
        found: CurveFindings = special_points_of(traced)
    if failure is not None and not failure.interrupted:
        corner = _without_corner(found, stats)
        found, failure = (found, failure) if corner is None else (corner, None)
    stats.seconds = perf_counter() - began
    curve = Curve(found, maker.problems.at(stats.begin).snapshot(), stats, origin=CycleSolver(maker, family, stats))
    if failure is not None:
        failure.partial = curve
        raise failure
    return curve


def _without_corner(found: CurveFindings, stats: CurveStats) -> CurveFindings | None:
    """The curve up to a graze at which it could not be followed on; None where it ended elsewhere.

    Where an unstable cycle touches stick, it meets the cycle that sticks: both end there at a corner.
    """
    points, last = found.points, len(found.points) - 1
    near = range(max(1, last - MAX_POINTS_BEYOND_GRAZE), last + 1)
    changed = next((k for k in near if points[k].events != points[k - 1].events), None)
    grazes = [s for s in found.special if s["kind"] == "grazing" and s["point"] >= last - MAX_POINTS_BEYOND_GRAZE]
    if changed is None or not grazes or changed < MIN_POINTS_TO_CORNER:
        return None
    own = points[changed - 1]
    stats.ended = Message(
        f'the curve has a corner at {own.p:.6g}, where stick begins or ends (grazing of "{grazes[0]["connection"]}")',
        advice=[Advice("{limit_cycle} gives the cycle on its other side, from a run that sticks")],
    )
    width = abs(points[changed].p - own.p)
    corner = {"kind": "grazing", "frequency": own.frequency, "point": changed - 1, "parameter": own.p, "error": width}
    kept = [s for s in found.special if s["point"] < changed - 1]
    kept.append({**corner, "connection": grazes[0]["connection"], "located": False})
    return CurveFindings(points[:changed], kept, tuple(n for n in found.notes if not _is_about_corner(n, own.p)))


def _is_about_corner(note: str, p: float) -> bool:
    """True for a note on the search beyond a corner."""
    return f"{p:.6g}"[:5] in note


@dataclass(frozen=True)
class CycleSolver:
    """The `slipstick.results.curve.CurveOrigin` of a curve of limit cycles."""

    maker: CycleMaker
    family: CycleFamily
    stats: CurveStats

    def orbit(self, point: OrbitPoint) -> Orbit:
        """The limit cycle at a point of the curve."""
        maker = self.maker
        problem = maker.problems.problem(point.p, point.frequency)
        inner = inner_family(problem, maker.method, maker.harmonics)
        family = single_cycle(inner, point.p, point.frequency, self.family.pivot)
        with one_blas_thread():
            found = solve_at(family, point.x, point.p, abs(point.p) or 1.0)
            own, trajectory = describe_cycle(family, found)
        return Orbit(trajectory, problem.system.snapshot(), own)

    def other_branch(self, special: Mapping[str, Any], points: tuple[OrbitPoint, ...], number: int) -> Curve:
        """Refused: branches of limit cycles are found from a run."""
        raise InvalidInput(
            f"other branches of limit cycles, as at this {special['kind']}, are not followed",
            advice=["simulate beside it, and find the limit cycle from that run"],
        )

    def track(self, special: Mapping[str, Any], point: OrbitPoint, parameter: Any, between: Any) -> SpecialCurve:
        """Refused: special points of limit cycles are followed by curves at several values."""
        raise InvalidInput(
            f"a {special['kind']} of limit cycles is not followed over a second parameter",
            advice=["follow the limit cycles at several values of the second parameter"],
        )

    def between(self, points: tuple[OrbitPoint, ...], first: int) -> OrbitPoint:
        """The limit cycle in the middle between a point and the next one; raises `NotConverged`."""
        try:
            stretch = segment_between(self.family, points, first, self._span)
            if not stretch.length > 0.0:
                raise NotConverged("there is a sharp corner between them")
            return stretch.point(0.5 * stretch.length)
        except SOLVER_FAILURES as trouble:
            raise _as_failure(trouble) from trouble

    def peak(self, points: tuple[OrbitPoint, ...], index: int, figure: Callable[[OrbitPoint], float]) -> OrbitPoint:
        """The limit cycle near a point at which a figure is largest; raises `NotConverged`."""
        try:
            return find_peak(self.family, points, index, self._span, figure, self.stats.joined)
        except SOLVER_FAILURES as trouble:
            raise _as_failure(trouble) from trouble

    @property
    def _span(self) -> float:
        return abs(self.stats.end - self.stats.begin)


def _as_failure(trouble: Exception) -> NotConverged:
    return trouble if isinstance(trouble, NotConverged) else NotConverged(str(trouble))
