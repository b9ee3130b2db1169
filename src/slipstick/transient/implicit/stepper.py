"""The way through a run in steps of Newmark's family: from break to break of the loads, in equal steps.

A step that cannot be solved is tried again with care, then in halves. Coordinates without inertia are given a
moment to find their place wherever loads jump.
"""

from __future__ import annotations

import math
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from slipstick.errors import NotConverged
from slipstick.laws.compile import pointer
from slipstick.native import Native
from slipstick.transient.energy import Snapshot
from slipstick.transient.implicit import places as at
from slipstick.transient.implicit.layout import Layout
from slipstick.transient.implicit.linear_part import open_coordinates
from slipstick.transient.implicit.scheme import Scheme
from slipstick.transient.options import Progress
from slipstick.transient.problem import Problem

Array = NDArray[np.float64]

REPORTS = 100  # how often progress is reported in a run
MOST_STEPS = 20_000  # at a time: then Python looks whether somebody wants it to stop
MOST_HALVINGS = 12  # of a step that cannot be solved
SETTLING = 1e-6  # of a step: how long coordinates without inertia are given to find their place
MOST_PLANS = 64  # kept at a time
ALIKE = ".11g"  # stretches between breaks whose steps agree to so many digits share their matrices
WHOLE = 1e-9  # a run of so little more than a whole number of steps has that number


class Solver(Protocol):
    """What solves the equation of a step. ``method``: whose; ``tried``: in words, what it does before it gives up."""

    method: str
    tried: str

    def kernel(self) -> Native:
        """`march` with this way of solving, compiled."""

    def entries(self, layout: Layout, scheme: Scheme, careful: bool) -> list[Any]:
        """Its part of the plan: numbers, and arrays for addresses. ``careful``: for a step that failed before."""


class Stepper:
    """The state of a run, moved on by the compiled loop.

    time : [s] where it is.   halved : how many steps were cut in halves.
    first : where the energy balance begins: at the start, once what has no inertia has found its place.
    """

    def __init__(self, problem: Problem, solver: Solver, times: Array) -> None:
        self.problem, self.solver, self.times = problem, solver, times
        self.layout = Layout(problem, times)
        self.march = solver.kernel()
        self.plans: dict[tuple[Any, ...], tuple[Array, list[Any]]] = {}
        self.time, self.last, self.halved = problem.start, math.inf, 0
        self.first = self.snapshot()

    def __getitem__(self, place: int) -> Array:
        return self.layout.arrays[place]

    def count(self, which: int) -> int:
        return int(self[at.COUNTS][which])

    def snapshot(self) -> Snapshot:
        """The state as it is."""
        memories: list[Any] = [()] * len(self.problem.elements)
        for e, memory in zip(self.layout.lines.leaves, self.layout.memories(), strict=True):
            memories[e] = memory
        return Snapshot(self.time, self[at.Q][:-1].copy(), self[at.V][:-1].copy(), memories)

    def run(self, until: float, step: float, progress: Progress | None = None, stop: float = math.inf) -> None:
        """Go to ``until``, or on the same way only to the last step before ``stop``.

        Raises `NotConverged` or KeyboardInterrupt with the state at ``time``.
        """
        start = self.problem.start
        breaks = self.problem.breaks(until)
        for begin, end in zip([start, *breaks], [*breaks, until], strict=True):
            count = max(1, math.ceil((end - begin) / step * (1.0 - WHOLE)))
            # a jump at the end belongs to what follows
            self.last = float(np.nextafter(end, begin)) if end < until else end
            if self.problem.massless:
                begin = self._settle(SETTLING * (end - begin) / count, begin)
                if self.time == start:
                    self.first = self.snapshot()
                    self[at.ABSORBED][:] = self[at.WORK][:] = 0.0
            scheme = Scheme((end - begin) / count)
            self._accelerate(scheme, begin)
            done = 0
            while done < count:
                ahead = count - done if stop >= end else int((stop - begin) / scheme.h * (1.0 + WHOLE)) - done
                if ahead <= 0:
                    return
                share = min(ahead, MOST_STEPS, max(1, count // REPORTS))
                counted = self.count(at.STEPS)
                try:
                    done += self._steps(scheme, begin, done, share)
                except KeyboardInterrupt:  # it comes when the steps are taken, and before anybody counted them
                    self.time = begin + (done + self.count(at.STEPS) - counted) * scheme.h
                    raise
                self.time = begin + done * scheme.h if done < count else end
                if progress is not None:
                    progress((self.time - start) / (until - start))

    def _steps(self, scheme: Scheme, begin: float, first: int, count: int) -> int:
        """How many steps were taken, at least one."""
        taken = self._march(scheme, begin, first, count)
        if taken == count:
            return taken
        self.time = begin + (first + taken) * scheme.h
        self._rescue(scheme, self.time, 0)
        return taken + 1

    def _march(self, scheme: Scheme, begin: float, first: int, count: int, careful: bool = False) -> int:
        taken = 0
        while taken < count:
            plan = self._plan(scheme, careful)
            taken += int(self.march.call(pointer(plan), begin, first + taken, count - taken))
            if self[at.COUNTS][at.ENDED] != at.FULL:
                break
            self._grow()
        return taken

    def _rescue(self, scheme: Scheme, t: float, depth: int) -> None:
        """One step with care, or in halves."""
        self.time = t
        if self._march(scheme, t, 0, 1, careful=True) == 1:
            return
        if depth == MOST_HALVINGS:
            raise NotConverged(
                f"{self.solver.method}: no solution of the step at t = {t:.9g} s; tried {self.solver.tried} and steps "
                f"down to {scheme.h:.2g} s; {self._way_out(scheme)}"
            )
        self.halved += 1
        half = Scheme(0.5 * scheme.h, scheme.beta, scheme.gamma)
        self._rescue(half, t, depth + 1)
        self._rescue(half, t + half.h, depth + 1)

    def _way_out(self, scheme: Scheme) -> str:
        lost = open_coordinates(self.problem, scheme.h, with_laws=True) if self.problem.massless else ""
        if lost:
            return f"coordinate {lost} has no inertia, and only laws that are slack at the start hold it: give it some"
        return "take a smaller step=, or a smoother law"

    def _plan(self, scheme: Scheme, careful: bool = False) -> Array:
        key = (f"{scheme.h:{ALIKE}}", scheme.beta, scheme.gamma, careful)
        if key not in self.plans:
            if len(self.plans) >= MOST_PLANS:
                self.plans.pop(next(iter(self.plans)))
            entries = self.solver.entries(self.layout, scheme, careful)
            self.plans[key] = (self.layout.plan(entries), entries)  # the entries live as long as their addresses
        plan = self.plans[key][0]
        plan[at.STEP], plan[at.C1], plan[at.C2] = scheme.h, scheme.c1, scheme.c2
        plan[at.LAST] = self.last
        return plan

    def _grow(self) -> None:
        """Twice the room for reversals."""
        self.layout.place_laws(self.layout.memories(), 2 * self.layout.spare)
        for plan, _ in self.plans.values():
            self.layout.address(plan)

    def _accelerate(self, scheme: Scheme, t: float) -> None:
        """What acts at the begin of a stretch without breaks, and the acceleration there; none without inertia."""
        self.march.call(pointer(self._plan(scheme)), t, 0, 0)
        mass, right = self.problem.mass, self[at.RIGHT][:-1]
        if self.problem.massless:
            self[at.A][:-1] = np.linalg.lstsq(mass, right, rcond=None)[0]
        else:
            self[at.A][:-1] = np.linalg.solve(mass, right)

    def _settle(self, h: float, t: float) -> float:
        """Two short steps of implicit Euler: what has no inertia finds its place in the first, its velocity in the
        second; the time after them."""
        scheme = Scheme(h, 1.0, 1.0)
        for _ in range(2):
            self._accelerate(scheme, t)
            self._steps(scheme, t, 0, 1)
            t += h
        return t
