"""A fixed-step run: samples, events, and a certificate from two more runs, at half the step and from a nearby start."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from time import perf_counter

import numpy as np

from slipstick.errors import Advice, Message
from slipstick.results.certificate import Certificate
from slipstick.results.run_end import RunEnd
from slipstick.results.tolerances import ENERGY_RESIDUAL_LIMIT_REL
from slipstick.results.trajectory import Event, Samples, Stats
from slipstick.transient.early_end import run_keeping_partial
from slipstick.transient.energy import RunSpan, WorkIntegrals, energy_certificate
from slipstick.transient.implicit.certify import check_times, estimate_error, sampled_motion
from slipstick.transient.implicit.stepper import Stepper, StepSolver
from slipstick.transient.problem import Problem
from slipstick.transient.recorded_samples import direction_states, last_sample, samples_from_steps
from slipstick.transient.run_request import RunRequest
from slipstick.transient.sensitivity import NOTHING_REACHED, ErrorEstimate

EQUILIBRIUM_MOTION_REL = 1e-4  # of the largest initial displacement: a start that moves less was in balance


class FixedStepTrajectory:
    """A run at one step.   failures : problems besides its error and energies, in words."""

    def __init__(
        self,
        problem: Problem,
        request: RunRequest,
        solver: Callable[[], StepSolver],
        step: float,
        notes: list[str],
    ) -> None:
        self.problem, self.request, self.solver = problem, request, solver
        self.step, self.notes = step, notes
        self.failures: list[str] = []
        self.times = np.union1d(request.times, check_times(problem.start, request.until))
        self.wanted = np.searchsorted(self.times, request.times)
        self.stepper = Stepper(problem, solver(), self.times)
        self.stats = Stats(self.stepper.solver.method, events=None)

    def go(self) -> FixedStepTrajectory:
        """Run; if it ends early, note that and keep the part that was reached."""
        began = perf_counter()
        try:
            run_keeping_partial(self, lambda: self.stepper.run(self.request.until, self.step, self.request.progress))
        finally:
            self._count(perf_counter() - began)
        return self

    def _count(self, seconds: float) -> None:
        stats, s = self.stats, self.stepper
        stats.steps, stats.seconds = s.counts.steps, seconds
        stats.factorisations, stats.solves = s.counts.factorisations, s.counts.solves
        moved = np.abs(s.first.q - self.problem.displacement)
        if self.problem.massless and np.any(
            moved > EQUILIBRIUM_MOTION_REL * np.abs(self.problem.displacement).max(initial=0.0)
        ):
            self.notes.append(
                "coordinates without inertia were out of balance at the start and were moved to where forces balance"
            )
        if s.halved:
            self.notes.append(f"{s.halved} steps could not be solved in one piece and were halved")

    # ---- results

    @property
    def reached(self) -> float:
        """[s] end of the part that was reached."""
        return self.stepper.time

    def samples(self) -> Samples:
        s, p, lines = self.stepper, self.problem, self.stepper.layout.lines
        kept = self.wanted[self.wanted < s.counts.next_sample]
        times, q, v = self.times[kept], s["sample_q"][kept], s["sample_v"][kept]
        forces = np.empty((kept.size, len(p.elements)))
        forces[:, list(lines.elements)] = s["sample_force"][kept]
        for e in lines.springs:
            forces[:, e] /= p.elements[e].force
        if self.reached < self.request.until:  # a run that ended early also has its last state
            earlier = times < self.reached
            t, state, last = last_sample(p, s.snapshot())
            times, forces = np.append(times[earlier], t), np.vstack([forces[earlier], last])
            q, v = np.vstack([q[earlier], state[:, : p.n]]), np.vstack([v[earlier], state[:, p.n :]])
        return samples_from_steps(p, times, q, v, forces, direction_states(p, forces))

    def events(self) -> list[Event]:
        return []

    def end(self) -> RunEnd:
        return self.stepper.snapshot().as_end(self.problem)

    def certificate(self) -> Certificate:
        s, lines = self.stepper, self.stepper.layout.lines
        if not self.reached > self.problem.start:
            return Certificate.none(self.problem.assembly.names, NOTHING_REACHED)
        absorbed = np.zeros(len(self.problem.elements))
        absorbed[list(lines.elements)] = s["absorbed"][:-1]
        with np.errstate(over="ignore", invalid="ignore"):  # a run that grows without bound has no balance
            taken = s.counts.next_sample
            return energy_certificate(
                self.problem,
                WorkIntegrals(s.work.loads, absorbed, s.work.matrices, s.work.exchanged),
                RunSpan(s.first, s.snapshot(), (self.times[:taken], s["sample_q"][:taken])),
                ErrorEstimate(self.estimate.errors, [*self.notes, *self.estimate.notes]),
                ENERGY_RESIDUAL_LIMIT_REL,
                failures=self.failures,
                advice=Message("", advice=[Advice("take a smaller {step}")]),
            )

    @cached_property
    def estimate(self) -> ErrorEstimate:
        """The error, with notes on its estimate."""
        with np.errstate(over="ignore", invalid="ignore"):
            return estimate_error(self.problem, self.stepper, self.step, self.request.until, self.solver)

    @property
    def relative_error(self) -> float:
        """The error over the largest displacement, of the coordinate where that is largest."""
        size = np.abs(sampled_motion(self.stepper)[:, : self.problem.n]).max(axis=0, initial=0.0)
        moving = size > 0.0
        return float(np.max(self.estimate.errors[moving] / size[moving], initial=0.0))
