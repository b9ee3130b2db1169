"""Runs of fixed steps: the choice of a step, the run itself, and what it is worth, by a second one at half the step."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from slipstick.errors import InvalidInput, NotConverged
from slipstick.model.system import dense
from slipstick.results.certificate import LARGEST_ENERGY_RESIDUAL, Certificate
from slipstick.results.trajectory import Event, Samples, Stats
from slipstick.transient.energy import balance
from slipstick.transient.implicit import places
from slipstick.transient.implicit.stepper import MOST_HALVINGS, Solver, Stepper, Stuck
from slipstick.transient.options import Request
from slipstick.transient.problem import Element, Problem
from slipstick.transient.recording import record, states_of

Array = NDArray[np.float64]

CHECKS = 200  # times at which two runs are compared, beside the samples that are asked for
PER_PERIOD = 200  # steps in the shortest period of the loads, where no step is given,
PER_MODE = 20  # in that of the stiffest mode,
FEWEST = 1000  # and in the run
MOST_CHOSEN = 5_000_000  # steps, where none is given,
MOST = 1e9  # and where one is; more would not end
SAFETY = 2.0  # over the difference to half the step: right for first order, 1.5 times too much for second
SENSITIVE = 1e6  # growth of a perturbation beyond which no error is given
NUDGE = 1e-8  # that perturbation, relative to the motion
SETTLED = 1e-4  # of the largest initial displacement: a start that moves less was in balance
ROUNDS = 6  # attempts to reach a tolerance


def stepped(method: str, problem: Problem, request: Request, solver: Callable[[], Solver]) -> Stepped:
    """A run at the step that is asked for, or one that is chosen; with a tolerance, smaller until it is met."""
    step, note = (request.step, "") if request.step is not None else chosen_step(problem, request.until)
    if not (request.until - problem.start) / step <= MOST:
        raise InvalidInput(
            f"step must be at least {(request.until - problem.start) / MOST:.3g} s for this run, got {step:.3g} s"
        )
    notes = [note] if note else []
    run = Stepped(method, problem, request, solver, step, notes).go()
    for _ in range(ROUNDS if request.tolerance is not None else 0):
        excess = run.relative_error / request.tolerance if request.tolerance else 0.0
        if not 1.0 < excess < math.inf:
            return run
        step = run.step / max(2.0, math.ceil(1.2 * math.sqrt(excess)))
        run = Stepped(method, problem, request, solver, step, [f"step {step:.3g} s, to meet the tolerance"]).go()
    return run


def chosen_step(problem: Problem, until: float) -> tuple[float, str]:
    """A step from the loads' highest frequency and the stiffest mode, and why."""
    loads = max(
        [
            *problem.forcing.omega,
            *problem.offsets.omega,
            *(h[0] for e in problem.elements for f, _ in e.modulation for h in f.harmonics_at(problem.frequency)),
        ],
        default=0.0,
    )
    mode = stiffest(problem)
    ways = [((until - problem.start) / FEWEST, f"a {FEWEST}th of the run")]
    if loads > 0.0:
        ways.append((2.0 * math.pi / (PER_PERIOD * loads), f"a {PER_PERIOD}th of the loads' shortest period"))
    if mode > 0.0:
        ways.append((2.0 * math.pi / (PER_MODE * mode), f"a {PER_MODE}th of the stiffest mode's period"))
    step, why = min(ways)
    least = (until - problem.start) / MOST_CHOSEN
    if step < least:
        return least, f"step {least:.3g} s chosen for {MOST_CHOSEN:,} steps; {why} would be {step:.3g} s"
    return step, f"step {step:.3g} s chosen: {why}"


def stiffest(problem: Problem) -> float:
    """[rad/s] of the stiffest mode, every law as stiff as it gets in a state of rest."""
    k = problem.stiffness + sum(
        (e.force * _stiffness(e) * np.outer(e.along, e.deflection) for e in problem.elements),
        np.zeros_like(problem.stiffness),
    )
    # of coordinates with inertia; the others follow
    values, vectors = np.linalg.eigh(problem.mass)
    kept = values > 1e-12 * values.max(initial=0.0)
    if not kept.any():
        return 0.0
    t = vectors[:, kept] / np.sqrt(values[kept])
    return math.sqrt(float(np.abs(np.linalg.eigvals(t.T @ k @ t)).max()))


def _stiffness(element: Element) -> float:
    found = [0.0]
    for state in (None, "contact", "stick"):
        try:
            found.append(abs(element.law.linearised(state).stiffness))
        except (InvalidInput, ArithmeticError):
            continue
    return max(found)


class Stepped:
    """A run of fixed steps. Its certificate costs two more, at half the step and from nearby, when it is asked for."""

    def __init__(
        self,
        method: str,
        problem: Problem,
        request: Request,
        solver: Callable[[], Solver],
        step: float,
        notes: list[str],
    ) -> None:
        self.method, self.problem, self.request, self.solver = method, problem, request, solver
        self.step, self.notes = step, notes
        self.stats = Stats(method)
        checks = np.linspace(problem.start, request.until, CHECKS + 1)
        self.times = np.union1d(request.times, checks)
        self.wanted = np.searchsorted(self.times, request.times)
        self.stepper = Stepper(problem, solver(), self.times)

    def go(self) -> Stepped:
        """Run; where that ends early, say so and keep what was reached."""
        began = perf_counter()
        ended = ""
        try:
            self.stepper.run(self.request.until, self.step, self.request.progress)
        except Stuck:
            ended = (
                f"{self.method}: no solution of the step at t = {self.stepper.time:.9g} s; tried "
                f"{self.stepper.solver.tried} and steps down to {self.step * 0.5**MOST_HALVINGS:.2g} s; take a smaller "
                "step=, or a smoother law"
            )
        except KeyboardInterrupt:
            ended = f"interrupted at t = {self.stepper.time:.9g} s of {self.request.until:.9g} s"
        self._count(perf_counter() - began)
        if ended:
            raise NotConverged(ended, partial=self)
        return self

    def _count(self, seconds: float) -> None:
        stats, s = self.stats, self.stepper
        stats.steps, stats.seconds = s.count(places.STEPS), seconds
        stats.factorisations, stats.solves = s.count(places.FACTORISATIONS), s.count(places.SOLVES)
        moved = np.abs(s.first.q - self.problem.displacement)
        if self.problem.massless and np.any(moved > SETTLED * np.abs(self.problem.displacement).max(initial=0.0)):
            self.notes.append("what has no inertia was out of balance at the start, and was put where forces balance")
        if s.halved:
            self.notes.append(f"{s.halved} steps could not be solved in one piece and were halved")

    # ---- what a run is read from

    def samples(self) -> Samples:
        s, p, lines = self.stepper, self.problem, self.stepper.layout.lines
        kept = self.wanted[self.wanted < s.count(places.SAMPLE)]
        times, q, v = self.times[kept], s[places.AT_Q][kept], s[places.AT_V][kept]
        forces = np.empty((kept.size, len(p.elements)))
        forces[:, list(lines.elements)] = s[places.AT_F][kept]
        for e in lines.springs:
            forces[:, e] /= p.elements[e].force
        samples = record(p, times, q, v, forces, [None] * len(p.elements))
        rates = samples.velocity @ dense(p.assembly.deflections)
        states = [
            states_of(e.law, e.scale * samples.deflection[:, e.connection], e.scale * rates[:, e.connection], f)
            for e, f in zip(p.elements, forces.T, strict=True)
        ]
        return record(p, times, q, v, forces, states)

    def events(self) -> list[Event]:
        return []

    def certificate(self) -> Certificate:
        s, lines = self.stepper, self.stepper.layout.lines
        absorbed = np.zeros(len(self.problem.elements))
        absorbed[list(lines.elements)] = s[places.ABSORBED][:-1]
        errors, notes = self.errors
        return balance(
            self.problem,
            float(s[places.WORK][0]),
            absorbed,
            s.first,
            s.snapshot(),
            errors,
            LARGEST_ENERGY_RESIDUAL,
            [*self.notes, *notes],
            matrices=float(s[places.WORK][1]),
        )

    @cached_property
    def errors(self) -> tuple[Array, list[str]]:
        """(n,) the largest error of each free coordinate, by a run at half the step; and how that was found.

        Infinite where a run from nearby leads somewhere else.
        """
        count, unknown = self.stepper.count(places.SAMPLE), np.full(self.problem.n, np.inf)
        way, rates = self.stepper[places.AT_Q][:count], self.stepper[places.AT_V][:count]
        try:
            other = self._again(self.problem, 0.5 * self.step)
            growth = self._growth(way, rates)
        except Stuck:
            return unknown, ["no error: a run at half the step, or from nearby, could not be finished"]
        except KeyboardInterrupt:
            return unknown, ["no error: the run at half the step was interrupted"]
        notes = [f"error from a second run at step {0.5 * self.step:.3g} s"]
        if growth > SENSITIVE:
            notes.append(f"sensitive: a small change of the start grew more than {SENSITIVE:.0e} times")
            return unknown, notes
        return SAFETY * _apart(other, way), notes

    def _again(self, problem: Problem, step: float) -> Stepper:
        """The same stretch of time once more."""
        other = Stepper(problem, self.solver(), self.times[: self.stepper.count(places.SAMPLE)])
        other.run(self.request.until, step, stop=self.stepper.time)
        return other

    def _growth(self, way: Array, rates: Array) -> float:
        """How much a small change of the start has grown at most in a displacement, each measured by its size."""
        size, rate = (np.abs(motion).max(axis=0, initial=0.0) for motion in (way, rates))
        p = self.problem
        nudged = replace(p, displacement=p.displacement + NUDGE * size, velocity=p.velocity + NUDGE * rate)
        apart = _apart(self._again(nudged, self.step), way)
        return float(np.max(apart / np.where(size > 0.0, NUDGE * size, np.inf), initial=0.0))

    @property
    def relative_error(self) -> float:
        """The error over the largest displacement, of the coordinate where that is largest."""
        count = self.stepper.count(places.SAMPLE)
        size = np.abs(self.stepper[places.AT_Q][:count]).max(axis=0, initial=0.0)
        return float(np.max(self.errors[0] / np.where(size > 0.0, size, np.inf), initial=0.0))


def _apart(other: Stepper, way: Array) -> Array:
    """(n,) the largest distance of another run from this one's samples, as far as it came."""
    count = other.count(places.SAMPLE)
    return np.asarray(np.abs(way[:count] - other[places.AT_Q][:count]).max(axis=0, initial=0.0))
