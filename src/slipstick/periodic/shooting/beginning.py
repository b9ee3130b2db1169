"""Where shooting begins when it is given an orbit that another method has found."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from slipstick.periodic.shooting.adaptive_map import AdaptiveMap
from slipstick.periodic.shooting.exact_map import ExactMap
from slipstick.results.orbit import Orbit
from slipstick.results.trajectory import Samples
from slipstick.transient.problem import Problem

Array = NDArray[np.float64]

CYCLES = 2  # after the first, sliders have met both extremes of their deflection


def state_along(period_map: ExactMap | AdaptiveMap, start: Orbit) -> Array:
    """(size,) the state at the begin of the period of an orbit."""
    problem, samples = period_map.problem, start.samples
    free = problem.assembly.free
    return period_map.state_of(
        samples.displacement[0, free], samples.velocity[0, free], memories_along(problem, samples)
    )


def memories_along(problem: Problem, samples: Samples) -> list[Any]:
    """What the law of each element remembers at the end of a motion (one period) that was gone through before."""
    found = []
    free = problem.assembly.free
    u = problem.deflections_at(samples.time, samples.displacement[:, free])
    rates = problem.rates_at(samples.time, samples.velocity[:, free])
    for e, element in enumerate(problem.elements):
        memory = element.law.start(float(u[0, e]))
        if element.law.remembers or element.law.has_stack:
            for own, rate in CYCLES * list(zip(u[:, e].tolist(), rates[:, e].tolist(), strict=True)):
                _, memory = element.law.update(own, rate, memory)
        found.append(memory)
    return found
