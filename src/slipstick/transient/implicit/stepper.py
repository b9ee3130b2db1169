"""A run in steps of Newmark's family: from break to break of the loads, in equal steps.

A step that cannot be solved is repeated with careful options, then in halves. Where loads jump, a short step lets
coordinates without inertia settle.
"""

from __future__ import annotations

import math
from typing import Any, Protocol, cast

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import Advice, NotConverged
from slipstick.native import Native
from slipstick.transient.energy import Snapshot
from slipstick.transient.implicit.layout import Layout
from slipstick.transient.implicit.newmark_scheme import NewmarkScheme
from slipstick.transient.implicit.records import FULL, Counts, Step, WorkDone
from slipstick.transient.implicit.step_matrix import undetermined_coordinates
from slipstick.transient.problem import Problem
from slipstick.transient.run_request import Progress

PROGRESS_REPORTS = 100  # how often progress is reported in a run
MAX_STEPS_PER_CALL = 20_000  # at a time: then Python handles interrupts
MAX_STEP_HALVINGS = 12  # of a step that cannot be solved
SETTLING_STEP_REL = 1e-6  # of a step: time in which coordinates without inertia settle
MAX_CACHED_STEPS = 64  # of different lengths, with their matrices
EQUAL_STEPS_REL = 1e-6  # of a step: by how much breaks may be off the steps of an interval that holds them
NO_JUMP_REL = 1e-9  # of the largest load or motion at breaks: a smaller difference is no jump
STEP_KEY_FORMAT = ".11g"  # intervals between breaks whose steps agree to so many digits share matrices
WHOLE_STEPS_TOLERANCE = 1e-9  # an excess over a whole number of steps that is neglected


class StepSolver(Protocol):
    """A solver of the equation of a step.   method : its name.   tried : its attempts before it fails, in words."""

    method: str
    tried: str

    def kernel(self) -> Native:
        """`march` with this solver, compiled."""

    def step(self, layout: Layout, scheme: NewmarkScheme, careful: bool) -> Step:
        """A step with the solver's own fields filled in. ``careful``: for one that failed before."""


class Stepper:
    """The state of a run, advanced by the compiled loop.

    time : [s] of the state.   halved : the number of halved steps.
    first : the state at which the energy balance starts: after coordinates without inertia have settled.
    """

    def __init__(self, problem: Problem, solver: StepSolver, times: Array) -> None:
        self.problem, self.solver, self.times = problem, solver, times
        self.layout = Layout(problem, times)
        self.march = solver.kernel()
        self.steps: dict[tuple[Any, ...], Step] = {}
        self.time, self.last, self.halved = problem.start, math.inf, 0
        self.first = self.snapshot()

    def __getitem__(self, name: str) -> Array:
        return np.asarray(self.layout.shared[name])

    @property
    def counts(self) -> Counts:
        return cast(Counts, self.layout.shared["counts"])

    @property
    def work(self) -> WorkDone:
        return cast(WorkDone, self.layout.shared["work"])

    def snapshot(self) -> Snapshot:
        """The present state."""
        memories: list[Any] = [()] * len(self.problem.elements)
        for e, memory in zip(self.layout.lines.leaves, self.layout.memories(), strict=True):
            memories[e] = memory
        return Snapshot(self.time, self["q"][:-1].copy(), self["v"][:-1].copy(), memories)

    def run(self, until: float, step: float, progress: Progress | None = None, stop: float = math.inf) -> None:
        """Run to ``until``, or with the same steps only to the last one before ``stop``.

        Raises `NotConverged` or KeyboardInterrupt with the state at ``time``.
        """
        start = self.problem.start
        for begin, end, count in self._intervals(until, step):
            # a jump at the end belongs to the next interval
            self.last = float(np.nextafter(end, begin)) if end < until else end
            if self.problem.massless:
                begin = self._settle(SETTLING_STEP_REL * (end - begin) / count, begin)
                if self.time == start:
                    self.first = self.snapshot()
                    self["absorbed"][:] = self.work.block[:] = 0.0
            scheme = NewmarkScheme((end - begin) / count)
            self._accelerate(scheme, begin)
            done = 0
            while done < count:
                ahead = (
                    count - done
                    if stop >= end
                    else int((stop - begin) / scheme.h * (1.0 + WHOLE_STEPS_TOLERANCE)) - done
                )
                if ahead <= 0:
                    return
                share = min(ahead, MAX_STEPS_PER_CALL, max(1, count // PROGRESS_REPORTS))
                counted = self.counts.steps
                try:
                    done += self._steps(scheme, begin, done, share)
                except KeyboardInterrupt:  # it arrives after the steps are taken, and before they are counted
                    self.time = begin + (done + self.counts.steps - counted) * scheme.h
                    raise
                self.time = begin + done * scheme.h if done < count else end
                if progress is not None:
                    progress((self.time - start) / (until - start))

    def _intervals(self, until: float, step: float) -> list[tuple[float, float, int]]:
        """(begin, end, steps) between breaks. Where loads have corners alone and steps stay equal, they are one
        interval: a sampled load has thousands of corners."""
        breaks = self.problem.breaks(until)
        found: list[tuple[float, float, int]] = []
        for begin, end, smooth in zip(
            [self.problem.start, *breaks], [*breaks, until], [False, *self._is_smooth_at(np.array(breaks))], strict=True
        ):
            count = max(1, math.ceil((end - begin) / step * (1.0 - WHOLE_STEPS_TOLERANCE)))
            if smooth:
                first, last, steps = found[-1]
                h = (last - first) / steps
                if abs(end - first - (steps + count) * h) <= EQUAL_STEPS_REL * h:
                    found[-1] = first, end, steps + count
                    continue
            found.append((begin, end, count))
        return found

    def _is_smooth_at(self, times: Array) -> list[bool]:
        """Whether forces have a corner at most at each of the breaks, and no jump."""
        problem = self.problem
        if problem.massless or not times.size or any(element.modulation for element in problem.elements):
            return [False] * times.size
        before = np.nextafter(times, -np.inf)
        smooth = np.ones(times.size, dtype=bool)
        for function, derivative in ((problem.forcing, 0), (problem.offsets, 0), (problem.offsets, 1)):
            here = function.over(times, derivative)
            jump = np.abs(here - function.over(before, derivative)).max(axis=1, initial=0.0)
            smooth &= jump <= NO_JUMP_REL * np.abs(here).max(initial=0.0)
        return smooth.tolist()

    def _steps(self, scheme: NewmarkScheme, begin: float, first: int, count: int) -> int:
        """The number of steps taken, at least one."""
        taken = self._march(scheme, begin, first, count)
        if taken == count:
            return taken
        self.time = begin + (first + taken) * scheme.h
        self._rescue(scheme, self.time, 0)
        return taken + 1

    def _march(self, scheme: NewmarkScheme, begin: float, first: int, count: int, careful: bool = False) -> int:
        taken = 0
        while taken < count:
            step = self._step(scheme, careful)
            taken += int(self.march.call(step.pointer, begin, first + taken, count - taken))
            if self.counts.status != FULL:
                break
            self._grow()
        return taken

    def _rescue(self, scheme: NewmarkScheme, t: float, depth: int) -> None:
        """One step with careful options, or in halves."""
        self.time = t
        if self._march(scheme, t, 0, 1, careful=True) == 1:
            return
        if depth == MAX_STEP_HALVINGS:
            raise NotConverged(
                f"no solution of the step at t = {t:.9g} s; tried {self.solver.tried} and steps down to "
                f"{scheme.h:.2g} s",
                owner=self.solver.method,
                advice=[self._way_out(scheme)],
            )
        self.halved += 1
        half = NewmarkScheme(0.5 * scheme.h, scheme.beta, scheme.gamma)
        self._rescue(half, t, depth + 1)
        self._rescue(half, t + half.h, depth + 1)

    def _way_out(self, scheme: NewmarkScheme) -> Advice | str:
        lost = undetermined_coordinates(self.problem, scheme.h, with_laws=True) if self.problem.massless else ""
        if lost:
            return f"coordinate {lost} has no inertia, and no law is stiff at the start; give it a small inertia"
        return Advice("take a smaller {step}, or a smoother law")

    def _step(self, scheme: NewmarkScheme, careful: bool = False) -> Step:
        key = (f"{scheme.h:{STEP_KEY_FORMAT}}", scheme.beta, scheme.gamma, careful)
        if key not in self.steps:
            if len(self.steps) >= MAX_CACHED_STEPS:
                self.steps.pop(next(iter(self.steps)))
            self.steps[key] = self.solver.step(self.layout, scheme, careful)
            self.layout.fill(self.steps[key])
        step = self.steps[key]
        step.h, step.c1, step.c2, step.last_time = scheme.h, scheme.c1, scheme.c2, self.last
        return step

    def _grow(self) -> None:
        """Double the room for reversals."""
        self.layout.place_laws(self.layout.memories(), 2 * self.layout.spare)
        for step in self.steps.values():
            self.layout.fill(step)

    def _accelerate(self, scheme: NewmarkScheme, t: float) -> None:
        """Evaluate the forces at the start of an interval without breaks, and the acceleration; zero without
        inertia."""
        self.march.call(self._step(scheme).pointer, t, 0, 0)
        mass, right = self.problem.mass, self["right_hand_side"][:-1]
        if self.problem.massless:
            self["a"][:-1] = np.linalg.lstsq(mass, right, rcond=None)[0]
        else:
            self["a"][:-1] = np.linalg.solve(mass, right)

    def _settle(self, h: float, t: float) -> float:
        """Take two short steps of implicit Euler: coordinates without inertia get their displacement in the first,
        their velocity in the second; return the time after them."""
        scheme = NewmarkScheme(h, 1.0, 1.0)
        for _ in range(2):
            self._accelerate(scheme, t)
            self._steps(scheme, t, 0, 1)
            t += h
        return t
