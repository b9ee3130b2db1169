"""`CurveSolver`: orbits, branches and points between those of a traced curve, on demand."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from slipstick.errors import NotConverged
from slipstick.native.blas_threads import one_blas_thread
from slipstick.periodic.branches.period_halving import ends_on_parent
from slipstick.periodic.branches.switching import switch_branch
from slipstick.periodic.continuation.curve_segment import SOLVER_FAILURES, segment_between
from slipstick.periodic.continuation.curve_trace import CurveTrace, trace_curve, trace_timed
from slipstick.periodic.continuation.family import Family
from slipstick.periodic.continuation.step_control import ParameterRange
from slipstick.periodic.family_factory import FamilyFactory
from slipstick.periodic.measures.peaks import find_peak
from slipstick.periodic.orbit import orbit_at, orbit_near
from slipstick.periodic.second_parameter import CurveSource, SecondRange, track_over_second
from slipstick.periodic.shooting.adaptive_family import AdaptiveShooting
from slipstick.periodic.shooting.exact_family import Shooting
from slipstick.periodic.stability.special_points import special_points_of
from slipstick.periodic.truncation import Truncation
from slipstick.results.curve import Curve, CurveFindings, CurveStats
from slipstick.results.tolerances import ENERGY_RESIDUAL_LIMIT_REL
from slipstick.transient.law_validity import can_only_dissipate
from slipstick.transient.problem import Problem

if TYPE_CHECKING:
    from slipstick.results.orbit import Orbit, OrbitPoint
    from slipstick.results.special_curve import SpecialCurve

WORK_ROUNDING_REL = 1e-9  # of force times motion: work that is none


def solve_curve(
    maker: FamilyFactory, subharmonic: int | None, stats: CurveStats, trace: Callable[[], CurveTrace]
) -> Curve:
    """Trace a curve and hand it over; what ends it early carries the part that was reached."""
    with one_blas_thread():
        traced, failure = trace_timed(trace, stats)
    stats.closed, stats.subharmonic = traced.closed, subharmonic or 0
    origin = CurveSolver(maker, subharmonic, traced.family, stats)

    def found() -> CurveFindings:
        with one_blas_thread():
            found = origin.truncation.along(special_points_of(traced))
        return with_energy_gain_notes(found, maker.models.problem(stats.begin))

    curve = Curve(found, maker.models.at(stats.begin), stats, origin=origin)
    first = traced.points[0]
    try:
        traced.family.check_measurable(first.x, first.p)
    except SOLVER_FAILURES:
        len(curve)  # measures all orbits: raises where none can be measured
    if failure is not None:
        failure.partial = curve
        raise failure
    return curve


@dataclass(frozen=True)
class CurveSolver:
    """The `slipstick.results.curve.CurveOrigin` of a curve that was traced."""

    maker: FamilyFactory
    subharmonic: int | None
    family: Family
    stats: CurveStats

    def orbit(self, point: OrbitPoint) -> Orbit:
        """The orbit at a point of the curve."""
        maker = self.maker
        problem = maker.models.problem(point.p)
        try:
            return orbit_near(problem, maker.method, self.subharmonic, point.x, maker.harmonics)
        except NotConverged:
            if not isinstance(self.family, AdaptiveShooting):
                raise
            x, p = self.family.across(point.x, point.p)
            return orbit_at(maker.models.problem(p), self.subharmonic, x)

    def other_branch(self, special: Mapping[str, Any], points: tuple[OrbitPoint, ...], number: int) -> Curve:
        """The branch that starts at a special point."""
        stats, maker, point = self.stats, self.maker, points[number]
        words = f"the other branch at {self.family.format_parameter(point.p)}"
        own = replace(stats, ended="", closed=False, joined=True, branch=words)
        family, x, subharmonic = self.family, point.x, self.subharmonic
        beside = tuple(np.append(p.x, p.p) for p in (*points[max(number - 1, 0) : number], *points[number + 1 :][:1]))
        simple: Family | None = None
        if special["kind"] == "period-doubling":
            simple = family if isinstance(family, Shooting) else None  # by harmonic balance half orders tell them apart
            family, x, subharmonic = maker.doubled(family, point.x, point.p, self.subharmonic)
            beside = ()
        within = ParameterRange(stats.begin, stats.end)
        returns = ends_on_parent(family, points, number)
        if returns:
            assert subharmonic is not None
            family, x, subharmonic = maker.halved(family, x, point.p, subharmonic)

        def trace() -> CurveTrace:
            if returns:
                return trace_curve(family, (stats.begin, stats.end), start=(x, point.p))
            return switch_branch(family, x, point.p, within, beside=beside, error=point.error, simple=simple)

        return solve_curve(maker, subharmonic, own, trace)

    def between(self, points: tuple[OrbitPoint, ...], first: int) -> OrbitPoint:
        """The orbit in the middle between a point and the next one; raises `NotConverged`."""
        try:
            stretch = segment_between(self.family, points, first, self._span)
            if not stretch.length > 0.0:
                raise NotConverged("there is a sharp corner between them")
            return self.truncation.of(stretch.point(0.5 * stretch.length))[0]
        except SOLVER_FAILURES as trouble:
            raise _as_failure(trouble) from trouble

    def peak(self, points: tuple[OrbitPoint, ...], index: int, figure: Callable[[OrbitPoint], float]) -> OrbitPoint:
        """The orbit near a point at which a figure is largest; raises `NotConverged`."""
        try:
            return self.truncation.of(find_peak(self.family, points, index, self._span, figure, self.stats.joined))[0]
        except SOLVER_FAILURES as trouble:
            raise _as_failure(trouble) from trouble

    def track(self, special: Mapping[str, Any], point: OrbitPoint, parameter: Any, between: Any) -> SpecialCurve:
        """A special point at an orbit of the curve over a second parameter."""
        source = CurveSource(self.maker, self.subharmonic, self.stats)
        return track_over_second(source, special, point, SecondRange(parameter, between))

    @cached_property
    def truncation(self) -> Truncation:
        """Adds the effect of omitted modes of a condensation to errors."""
        return Truncation(self.maker.models.at)

    @property
    def _span(self) -> float:
        return abs(self.stats.end - self.stats.begin)


def _as_failure(trouble: Exception) -> NotConverged:
    return trouble if isinstance(trouble, NotConverged) else NotConverged(str(trouble))


def with_energy_gain_notes(found: CurveFindings, problem: Problem) -> CurveFindings:
    """What was found of a curve, with a note for each connection of friction that gains energy somewhere."""
    if not found.points or not any(can_only_dissipate(problem)):
        return found
    work = np.array([point.dissipated for point in found.points])
    moved = np.array([np.max(point.amplitude, initial=0.0) for point in found.points])
    forces = np.array([point.force_range for point in found.points])
    allowed = (
        ENERGY_RESIDUAL_LIMIT_REL * np.abs(work).sum(axis=1, keepdims=True)
        + WORK_ROUNDING_REL * forces * moved[:, None]
    )
    notes = []
    for j, takes in enumerate(can_only_dissipate(problem)):
        gained = work[:, j] < -allowed[:, j]
        if takes and gained.any():
            name = problem.system.connections[j].name
            notes.append(
                f'the friction in "{name}" gains energy at {int(gained.sum())} of {gained.size} points, up to '
                f"{-work[:, j].min():.2g} J in a period, which is impossible: the law was evaluated outside its "
                "valid range"
            )
    return found._replace(notes=(*found.notes, *notes))
