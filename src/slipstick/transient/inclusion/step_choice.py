"""The largest stable step: no linear mode may grow, in any state of sliders and contacts."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slipstick.arrays import Array
from slipstick.errors import Advice, InvalidInput
from slipstick.transient.inclusion.setup import SplitProblem, StepTables, step_tables
from slipstick.transient.law_tangents import state_tangents

MAX_STATE_COMBINATIONS = 32  # of states, up to which all are tested
STEPS_PER_PERIOD = 2000.0  # if the step is not given: of the fastest load or mode
STABILITY_LIMIT_SHARE = 0.1  # and at most this part of the largest stable step
MAX_GROWTH_EXPONENT = 0.1  # a linear mode may grow by e^0.1 over the run beyond its own growth
MAX_STEPS = 1e9


def linear_step_matrices(tables: StepTables) -> Iterator[Array]:
    """The step of (q, v, w) as matrices, in the states of the sliders and of the laws with states."""
    parts, p = tables.parts, tables.parts.problem
    slider_count, n = len(parts.sliders), p.n
    u = p.deflections_at(p.start, p.displacement)
    kinds: list[list[Any]] = [[True, False] for _ in parts.sliders]
    kinds += [state_tangents(p.elements[e].law, float(u[e])) for e in parts.others]
    for choice in _choices(kinds):
        size = parts.first_time
        d = tables.rows[:n, :size].copy()
        for i, (e, linear) in enumerate(zip(parts.others, choice[slider_count:], strict=True)):
            row = p.elements[e].deflection
            d[:, :n] += np.outer(tables.answer[:, i], linear.stiffness * row)
            d[:, n : 2 * n] += np.outer(tables.answer[:, i], linear.damping * row)
        stick = [j for j in range(slider_count) if choice[j]]
        y = np.zeros((slider_count, size))
        if stick:
            free = tables.rows[n + np.array(stick), :size] + tables.e[stick] @ d
            y[stick] = np.linalg.solve(tables.a[np.ix_(stick, stick)], free)
            d = d - tables.r[:, stick] @ y[stick]
        step = np.zeros((size, size))
        step[:n] += tables.h * tables.theta * d
        step[:n, n : 2 * n] += tables.h * np.eye(n)
        step[n : 2 * n] += d
        step[2 * n :] += y
        yield step


def _choices(kinds: list[list[Any]]) -> list[tuple[Any, ...]]:
    """States of all elements: all combinations if they are few, else all the stiffest and all the softest."""
    ends = [k if len(k) == 1 else [k[0], k[-1]] for k in kinds]
    for own in (kinds, ends):
        if math.prod(len(k) for k in own) <= MAX_STATE_COMBINATIONS:
            return list(product(*own))
    return [tuple(k[0] for k in kinds), tuple(k[-1] for k in kinds)]


def step_exponents(tables: StepTables) -> list[NDArray[np.complex128]]:
    """The eigenvalues [1/s] of (step - 1)/h, state by state; zero to rounding is set to zero."""
    found = []
    for change in linear_step_matrices(tables):
        values = np.linalg.eigvals(change / tables.h).astype(complex)
        values[np.abs(values) < 1e-7 * np.abs(values).max(initial=0.0)] = 0.0
        found.append(values)
    return found


class StepStability:
    """Stability of steps over a run: no linear mode grows beyond its own growth."""

    def __init__(self, parts: SplitProblem, theta: float | None, span: float) -> None:
        self.parts, self.theta, self.span = parts, theta, span

    @cached_property
    def modes(self) -> list[NDArray[np.complex128]]:
        """The exponents of the model itself, state by state."""
        return step_exponents(step_tables(self.parts, 1e-9 * self.span, None))

    @cached_property
    def is_euler(self) -> bool:
        """True if Euler's rule alone steps the smooth part: its exponents do not depend on the step."""
        frictions = (self.parts.problem.elements[e].law for e in self.parts.frictions)
        return self.theta is None and not any(law.needs_rate for law in frictions)

    def holds(self, h: float) -> bool:
        """True if steps h are stable."""
        stepped = self.modes if self.is_euler else step_exponents(step_tables(self.parts, h, self.theta))
        for values, own in zip(stepped, self.modes, strict=True):
            growth = np.log(np.maximum(np.abs(1.0 + h * values), 1e-300)).max(initial=0.0) / h
            if (growth - max(0.0, float(own.real.max(initial=0.0)))) * self.span > MAX_GROWTH_EXPONENT:
                return False
        return True

    def limit(self) -> float:
        """The largest stable step [s], or the whole run."""
        if self.holds(self.span):
            return self.span
        low, high = 0.0, self.span
        while low == 0.0 and high > 1e-15 * self.span:
            low, high = (0.1 * high, high) if self.holds(0.1 * high) else (0.0, 0.1 * high)
        for _ in range(20):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if self.holds(middle) else (low, middle)
        return low

    def resolved(self) -> float:
        """A step that resolves loads and modes."""
        rates = [*self.parts.omega, *(abs(x.imag) for values in self.modes for x in values)]
        return float(2.0 * math.pi / STEPS_PER_PERIOD / max([*rates, 2.0 * math.pi / self.span]))


def choose_step(parts: SplitProblem, theta: float | None, span: float, step: float | None) -> float:
    """The given step, if it is stable, or a stable one that resolves loads and modes."""
    stability = StepStability(parts, theta, span)
    if step is not None:
        if step > span:
            raise InvalidInput(
                f"step must be at most the length of the run, {span:g} s, got {step:g} s", owner="inclusion"
            ).about("step")
        if not stability.holds(step):
            other = "or use {scheme}" if theta is None else "or make more laws Linear"
            raise InvalidInput(
                f"step {step:g} s is above the stability limit {stability.limit():.3g} s of the "
                f"{'explicit scheme (A.7)' if theta is None else 'theta scheme'} for this model",
                owner="inclusion",
                argument="step",
                advice=[Advice(f"take a smaller {{step}}, {other}", scheme="theta")],
            )
        chosen = step
    else:
        limit = stability.limit()
        chosen = min(STABILITY_LIMIT_SHARE * limit if limit < span else span, stability.resolved())
    if not chosen > 0.0 or span / chosen > MAX_STEPS:
        raise InvalidInput(
            f"the run would take {span / chosen if chosen > 0 else math.inf:.2g} steps, at most {MAX_STEPS:.0e}",
            owner="inclusion",
            argument="step",
            advice=[_fewer(theta, step, span)],
        )
    return chosen


def _fewer(theta: float | None, step: float | None, span: float) -> Advice | str:
    """Advice for fewer steps."""
    if step is not None:
        return f"take a step of at least {span / MAX_STEPS:.3g} s, or shorten the run"
    if theta is None:
        return Advice("shorten it, or use {scheme} with a step of your choice", scheme="theta")
    return "shorten it, or give a larger step"
