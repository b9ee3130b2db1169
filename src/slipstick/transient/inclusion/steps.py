"""How large a step may be: no linear mode may grow, in any state of sliders and contacts."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import suppress
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slipstick.errors import InvalidInput
from slipstick.laws.faces import Linearised
from slipstick.transient.inclusion.tables import Parts, Tables, tabulate
from slipstick.transient.problem import Problem

Array = NDArray[np.float64]

ALL_STATES = 5  # up to so many elements with states, all combinations of them are looked at
STEPS_A_PERIOD = 2000.0  # where the step is not given: of the fastest load or mode
SHARE_OF_LIMIT = 0.1  # and at most this part of the largest stable step
ALLOWED_GROWTH = 0.1  # a linear mode may grow by e^0.1 over the run beyond what it does by itself
MOST_STEPS = 1e9


def linear_maps(tables: Tables) -> Iterator[Array]:
    """The matrices of a step on (q, v, w) in the states of the sliders and of the laws with states."""
    parts, p = tables.parts, tables.parts.problem
    slider_count, n = len(parts.sliders), p.n
    u = p.deflections @ p.displacement + p.offsets.at(p.start) if p.elements else np.zeros(0)
    tangents = [_tangents(p, e, float(u[e])) for e in parts.others]
    kinds: list[list[Any]] = [[True, False] for _ in parts.sliders] + [list(t) for t in tangents]
    choices = list(product(*kinds)) if sum(len(k) > 1 for k in kinds) <= ALL_STATES else []
    for choice in choices or [tuple(k[0] for k in kinds), tuple(k[-1] for k in kinds)]:
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
        step = np.eye(size)
        step[:n] += tables.h * tables.theta * d
        step[:n, n : 2 * n] += tables.h * np.eye(n)
        step[n : 2 * n] += d
        step[2 * n :] += y
        yield step


def _tangents(problem: Problem, e: int, u: float) -> list[Linearised]:
    """An element near its start, or in both of its states if it has any."""
    law = problem.elements[e].law
    found = []
    for state in ("contact", "free"):
        with suppress(InvalidInput):
            found.append(law.linearised(state, u))
    return found or [law.linearised(None, u)]


def exponents(tables: Tables) -> list[NDArray[np.complex128]]:
    """The eigenvalues [1/s] of (step - 1)/h, state by state; what is zero to rounding is zero."""
    found = []
    for step in linear_maps(tables):
        values = np.linalg.eigvals((step - np.eye(len(step))) / tables.h).astype(complex)
        values[np.abs(values) < 1e-7 * np.abs(values).max(initial=0.0)] = 0.0
        found.append(values)
    return found


def stable(parts: Parts, theta: float | None, h: float, span: float) -> bool:
    """True if with steps h no linear mode grows over the run beyond what it would do by itself."""
    for values in exponents(tabulate(parts, h, theta)):
        own = max(0.0, float(values.real.max(initial=0.0)) if theta is None else 0.0)
        growth = np.log(np.maximum(np.abs(1.0 + h * values), 1e-300)).max(initial=0.0) / h
        if (growth - own) * span > ALLOWED_GROWTH:
            return False
    return True


def largest_step(parts: Parts, theta: float | None, span: float) -> float:
    """The largest stable step [s], or the whole run."""
    if stable(parts, theta, span, span):
        return span
    low, high = 0.0, span
    trial = span
    while low == 0.0 and trial > 1e-15 * span:
        trial *= 0.1
        if stable(parts, theta, trial, span):
            low = trial
        else:
            high = trial
    for _ in range(20):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if stable(parts, theta, middle, span) else (low, middle)
    return low


def choose_step(parts: Parts, theta: float | None, span: float, step: float | None) -> float:
    if step is not None:
        if step > span:
            raise InvalidInput(f"inclusion: step must be at most the length of the run, {span:g} s, got {step:g} s")
        if not stable(parts, theta, step, span):
            limit = largest_step(parts, theta, span)
            way = "take a smaller step" + (' or scheme="theta"' if theta is None else ", or make more laws Linear")
            raise InvalidInput(
                f"inclusion: step {step:g} s is above the stability limit {limit:.3g} s of the "
                f"{'explicit scheme (A.7)' if theta is None else 'theta scheme'} for this model; {way}"
            )
        chosen = step
    else:
        limit = largest_step(parts, theta, span)
        chosen = min(SHARE_OF_LIMIT * limit if limit < span else span, _resolved(parts, span))
    if not chosen > 0.0 or span / chosen > MOST_STEPS:
        raise InvalidInput(
            f"inclusion: the run would take {span / chosen if chosen > 0 else math.inf:.2g} steps; shorten it"
            + (', or use scheme="theta" with a step of your choice' if theta is None else " or give a larger step")
        )
    return chosen


def _resolved(parts: Parts, span: float) -> float:
    """A step that resolves loads and modes."""
    fast = exponents(tabulate(parts, 1e-9 * span, None))
    rates = [*parts.omega, *(abs(x.imag) for values in fast for x in values)]
    return float(2.0 * math.pi / STEPS_A_PERIOD / max([*rates, 2.0 * math.pi / span]))
