"""Figures that follow from the numbers of a law, with intervals that follow from theirs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slipstick.identification.search import Task
from slipstick.laws.base import Law
from slipstick.laws.dahl import Dahl, ModifiedDahl
from slipstick.laws.masing import Iwan, Jenkins, Masing
from slipstick.laws.memory import BlimanSorine, DynamicHysteresis, FibreShear
from slipstick.laws.parameters import DEFLECTION, FORCE, STIFFNESS, Dimension, unit_name
from slipstick.results.fit import Estimate, Estimates

Array = NDArray[np.float64]
STEP = 1e-6


class Figure(NamedTuple):
    """name : of the figure.   of : its value, from a law.   dimension : its unit."""

    name: str
    of: Callable[[Any], float]
    dimension: Dimension


# the slope right after a reversal, where slipping begins, and what is left of a law's own words
FIGURES: dict[type[Law], tuple[Figure, ...]] = {
    Jenkins: (Figure("slip_begins", lambda law: law.limit / law.stiffness, DEFLECTION),),
    Masing: (
        Figure("initial_stiffness", lambda law: law.stiffness + law.parallel_stiffness, STIFFNESS),
        Figure("slip_begins", lambda law: law.limit / law.stiffness, DEFLECTION),
    ),
    Iwan: (
        Figure("initial_stiffness", lambda law: sum(law.stiffnesses) + law.parallel_stiffness, STIFFNESS),
        Figure("sliding_force", lambda law: sum(law.limits), FORCE),
    ),
    Dahl: (Figure("initial_stiffness", lambda law: law.stiffness * 2.0**law.exponent, STIFFNESS),),
    DynamicHysteresis: (Figure("initial_stiffness", lambda law: law.stiffness * 2.0**law.exponent, STIFFNESS),),
    BlimanSorine: (
        Figure("final_limit", lambda law: law.limit - law.overshoot_limit, FORCE),
        Figure(
            "initial_stiffness",
            lambda law: 2.0 * law.stiffness * (1.0 - law.ratio * law.overshoot_limit / law.limit),
            STIFFNESS,
        ),
    ),
    FibreShear: (Figure("initial_modulus", lambda law: law.linear + 2.0 * law.stiffness, STIFFNESS),),  # G_i
    ModifiedDahl: (
        # the loop settles at these distances from its envelopes
        Figure("upper_distance", lambda law: _distance(law, law.upper), FORCE),
        Figure("lower_distance", lambda law: _distance(law, law.lower), FORCE),
    ),
}


def _distance(law: ModifiedDahl, envelope: tuple[float, ...]) -> float:
    """(slope / rate)^(1 / exponent): where a branch runs along its envelope."""
    slope = envelope[1] if len(envelope) > 1 else 0.0
    return float((slope / law.rate) ** (1.0 / law.exponent)) if slope > 0.0 else 0.0


def derived_of(task: Task, x: Array, covariance: Array, spread: float) -> Estimates:
    """All figures of a law, of each term of a sum, with linearised intervals."""
    found = Estimates()
    for name, of, unit in _figures(task.law(x), task.unknowns.system):
        value = of(task.law(x))
        slope = np.zeros(x.size)
        for i in range(x.size):
            ahead, behind = x.copy(), x.copy()
            ahead[i] += STEP
            behind[i] -= STEP
            try:
                slope[i] = (of(task.law(ahead)) - of(task.law(behind))) / (2.0 * STEP)
            except ValueError:  # beyond a bound
                slope[i] = 0.0
        deviation = max(float(slope @ covariance @ slope), 0.0) ** 0.5
        found[name] = Estimate(value, value - spread * deviation, value + spread * deviation, unit, deviation)
    return found


def _figures(law: Law, system: str) -> Iterator[tuple[str, Callable[[Law], float], str]]:
    from slipstick.laws.combine import Combination

    if not isinstance(law, Combination):
        for own in FIGURES.get(type(law), ()):
            yield own.name, own.of, unit_name(own.dimension, system)
        return
    for k, term in enumerate(law.terms):
        for own in FIGURES.get(type(term.law), ()):
            yield own.name, _of_term(own, k), unit_name(own.dimension, system)


def _of_term(figure: Figure, k: int) -> Callable[[Any], float]:
    return lambda whole: figure.of(whole.terms[k].law)
