"""Branches that are not connected to a curve: found from runs and by branch switching, followed, without duplicates."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from slipstick.arrays import Array
from slipstick.basins.clusters import clusters_of, state_groups
from slipstick.basins.settling import ORBIT, IsKnown, Settled, settle
from slipstick.branch_search.known_motions import KnownBranch, has_shorter_period, is_known_curve, lies_on
from slipstick.branch_search.search_plan import (
    STARTS,
    STARTS_A_COORDINATE,
    largest_motion,
    points_beside,
    search_frequencies,
    spread_order,
    start_states,
)
from slipstick.errors import InvalidInput, MissingFace, NotConverged
from slipstick.native.blas_threads import one_blas_thread
from slipstick.periodic.continuation.corrector import solve_at
from slipstick.periodic.continuation.curve_segment import SOLVER_FAILURES
from slipstick.periodic.continuation.curve_trace import CurveTrace, trace_curve
from slipstick.periodic.continuation.family import Family
from slipstick.periodic.curve_solver import CurveSolver, solve_curve
from slipstick.periodic.orbit import orbit_near
from slipstick.periodic.shooting.start_flow import StartFlow
from slipstick.results.curve import Curve
from slipstick.transient.problem import Problem

LONGEST_PERIODS = 600  # of the loads, that a start is followed
CAPTURED_REL = 0.01  # of the motion: so near to a stable orbit a run settles to it

Progress = Callable[[int, float], Any]

INTERRUPTED = "interrupted while searching for other branches"
MAX_REASONS = 2  # that the note states
MAX_OTHERS = 30  # branches, besides the first
MORE_AT_ENDS = 4  # times as many starts there, where a branch may only just enter the range
MAX_REPEATS = 6  # periods of the loads in one of a motion that is followed
MAX_DOUBLED = 2  # the same, of branches from period doublings: cascades have no end
END_REL = 1e-4  # of the range and of the motion: a special point so near to the end of a branch is where that begins


def with_other_branches(curve: Curve, progress: Progress | None = None) -> Curve:
    """The curve with ``others``, and a note of what was searched.

    Ctrl-C raises `NotConverged` with what was found so far as ``partial``.
    """
    search = BranchSearch(curve, progress)
    try:
        with one_blas_thread():
            search.run()
    except (KeyboardInterrupt, NotConverged) as stopped:
        if isinstance(stopped, NotConverged) and not stopped.interrupted:
            raise
        part = search.result()
        part.stats = replace(curve.stats, ended=INTERRUPTED)
        raise NotConverged(INTERRUPTED, part, interrupted=True) from None
    return search.result()


class BranchSearch:
    """curve : the first branch, as `CurveSolver` made it."""

    def __init__(self, curve: Curve, progress: Progress | None = None) -> None:
        assert isinstance(curve.origin, CurveSolver)
        self.curve, self.progress = curve, progress
        self.maker, stats = curve.origin.maker, curve.stats
        self.span = abs(stats.end - stats.begin)
        self.family = curve.origin.family
        self.families: dict[int | None, Family] = {curve.origin.subharmonic: self.family}
        self.others = list[Curve]()
        self.known = [KnownBranch(self.family, curve.points, self.span)]
        self.switches = self.failures = self.searched = self.starts = 0
        self.refused: dict[float, str] = {}  # frequencies at which no run is possible, and why

    def run(self) -> None:
        """Search the whole range."""
        self._switch_all(self.curve, ("branch-point", "period-doubling"))
        stats = self.curve.stats
        problem = self.maker.models.problem(stats.begin)
        self.starts = STARTS + STARTS_A_COORDINATE * (problem.n - 1)
        wanted = search_frequencies(stats.begin, stats.end)
        for k in spread_order(len(wanted)):
            p, at_end = float(wanted[k]), k in (0, len(wanted) - 1)
            try:
                self._search_at(k, p, self.starts * (MORE_AT_ENDS if at_end else 1))
                self.searched += 1
            except (InvalidInput, MissingFace) as refusal:  # laws without a state of fixed size, or the like
                self.refused[p] = refusal.message
            if self.progress is not None:
                self.progress(sum(len(each) for each in (self.curve, *self.others)), p)
        for curve in tuple(self.others):
            self._switch_all(curve, ("period-doubling",))

    def result(self) -> Curve:
        """The curve with the branches found so far."""
        curve = self.curve
        found = curve.findings._replace(notes=(*curve.notes, self._note()))
        searched = Curve(found, curve.model, curve.stats, curve.names, curve.origin)
        searched.others = self.others
        return searched

    # ---- runs from many starts

    def _search_at(self, number: int, p: float, count: int) -> None:
        problem = self.maker.models.problem(p)
        curves, free = [own.points for own in self.known], problem.assembly.free
        local = largest_motion(points_beside(curves, p), free)
        largest = largest_motion([point for points in curves for point in points], free)
        starts = start_states(count, local, largest, number)
        starts[:, problem.n :] *= p
        starts[:, : problem.n] += problem.displacement
        for found in settled_orbits(problem, starts):
            if found.repeats <= MAX_REPEATS and len(self.others) < MAX_OTHERS:
                self._add_orbit(problem, p, found)

    def _add_orbit(self, problem: Any, p: float, found: SettledOrbit) -> None:
        index = found.repeats if found.repeats > 1 else None
        try:
            family = self._family(index)
            x = found.state
            if self.maker.method != "shooting" or x.size != family.size:
                x = self.maker.begun(family, orbit_near(problem, "shooting", index, x, None), p)
            corrected = solve_at(family, x, p, self.span)
            point = family.point(corrected.x, p)
        except (*SOLVER_FAILURES, InvalidInput):
            self.failures += 1
            return
        if point.band is None and not has_shorter_period(point, found.repeats) and not lies_on(self.known, point):
            self._add_curve(partial(self._trace, index, family, corrected.x, p))

    def _trace(self, index: int | None, family: Family, x: Array, p: float) -> Curve:
        stats = self.curve.stats
        words = f"another branch, found at {family.format_parameter(p)}"
        own = replace(stats, ended="", closed=False, joined=True, branch=words)

        def trace() -> CurveTrace:
            traced = trace_curve(family, (stats.begin, stats.end), start=(x, p))
            traced.missed = ""  # another branch need not reach the end of the range
            return traced

        return solve_curve(self.maker, index, own, trace)

    def _family(self, index: int | None) -> Family:
        if index not in self.families:
            self.families[index] = self.maker.family(index)
        return self.families[index]

    # ---- branch switching

    def _switch_all(self, curve: Curve, kinds: tuple[str, ...]) -> None:
        """Add the branches that leave a curve at special points of some kinds."""
        for special in curve.special:
            if special["kind"] not in kinds or len(self.others) >= MAX_OTHERS:
                continue
            if special["kind"] == "period-doubling" and curve.stats.subharmonic > MAX_DOUBLED // 2:
                continue
            number = curve.numbered(special["point"]) % len(curve)
            if self._is_switched(curve, number):
                continue
            self.switches += 1
            self._add_curve(partial(self._switched, curve, special))

    def _switched(self, curve: Curve, special: Mapping[str, Any]) -> Curve:
        """The other branch at a special point; at a branch point to both sides of it."""
        switched = curve.switch(special)
        if special["kind"] == "period-doubling" or len(switched) < 3:
            return switched
        assert isinstance(switched.origin, CurveSolver)
        inner, index = switched.points[len(switched) // 2], switched.origin.subharmonic
        whole = self._trace(index, switched.origin.family, inner.x, inner.p)
        whole.stats.branch = switched.stats.branch
        return whole

    def _is_switched(self, curve: Curve, number: int) -> bool:
        """True where a known branch begins, ends or crosses at a point of a curve."""
        point = curve.points[number]
        size = float(point.amplitude.max(initial=0.0))
        for own in (self.curve, *self.others):
            places = {0, len(own) - 1} | {s["point"] for s in own.special if s["kind"] == "branch-point"}
            for other in (own.points[k] for k in places) if own is not curve else ():
                near = abs(other.p - point.p) <= END_REL * self.span
                if near and np.abs(other.amplitude - point.amplitude).max(initial=0.0) <= 10.0 * END_REL * size:
                    return True
        return False

    # ---- branches

    def _add_curve(self, make: Callable[[], Curve]) -> None:
        """Add a branch unless it is known, and those that leave it."""
        try:
            try:
                curve = make()
            except NotConverged as failure:
                if failure.interrupted or not isinstance(failure.partial, Curve) or len(failure.partial) < 4:
                    raise
                curve = failure.partial
            points = curve.points
        except (*SOLVER_FAILURES, InvalidInput) as failure:
            if getattr(failure, "interrupted", False):
                raise
            self.failures += 1
            return
        middle = points[len(points) // 2]
        if has_shorter_period(middle, max(curve.stats.subharmonic, 1)) or is_known_curve(self.known, points):
            return
        assert isinstance(curve.origin, CurveSolver)
        self.others.append(curve)
        self.known.append(KnownBranch(curve.origin.family, points, self.span))
        self._switch_all(curve, ("branch-point",))

    def _note(self) -> str:
        """What was searched, in words."""
        count = len(self.others)
        found = f"{count} other branch{'' if count == 1 else 'es'}"
        words = (
            f"searched for other branches: {self._run_words()}, and {self.switches} branch points and period doublings"
        )
        words += f"; found {found}"
        if self.failures:
            words += f"; {self.failures} tries ended without an orbit"
        if count >= MAX_OTHERS:
            words += f"; the search ended at {MAX_OTHERS}"
        return f"{words}; that there are no more is not proved"

    def _run_words(self) -> str:
        """Where runs were made, and where and why not."""
        reasons = "; ".join([*dict.fromkeys(self.refused.values())][:MAX_REASONS])
        if self.refused and not self.searched:
            return f"no runs ({reasons})"
        words = f"runs from {self.starts} starts at each of {self.searched} frequencies"
        words += f" ({MORE_AT_ENDS} times as many at the ends)"
        if self.refused:
            low, high = (self.family.format_parameter(p) for p in (min(self.refused), max(self.refused)))
            words += f", not at {len(self.refused)} from {low} to {high} ({reasons})"
        return words


class SettledOrbit(NamedTuple):
    """state : (size,) at the beginning of a period of the loads.   repeats : of those in one of the orbit."""

    state: Array
    repeats: int


def settled_orbits(problem: Problem, starts: Array) -> Iterator[SettledOrbit]:
    """The different orbits that starts (k, 2n) of displacements and velocities settle to.

    A run that comes near an orbit of an earlier one ends there.
    """
    flow, n = StartFlow(problem), problem.n
    states = list[Array]()

    def is_known(state: Array, scales: Array) -> bool:
        return any(float(np.abs((state - own) / scales).max()) <= CAPTURED_REL for own in states)

    found = list[Settled]()
    for own in starts:
        end = _end(flow, own[:n], own[n:], is_known)
        if end is not None and end.kind == ORBIT:
            found.append(end)
            states += list(end.points)
    for cluster in clusters_of(found, state_groups(flow), has_bands=False) if found else ():
        yield SettledOrbit(found[cluster.members[0]].points[0], cluster.repeats)


def _end(flow: StartFlow, q: Array, v: Array, is_known: IsKnown) -> Settled | None:
    try:
        return settle(flow, flow.first(q, v), LONGEST_PERIODS * flow.time, is_known)
    except NotConverged as failure:
        if failure.interrupted:
            raise
        return None
