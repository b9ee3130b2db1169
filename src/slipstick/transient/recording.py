"""Samples of a run from what a stepping method wrote down: free coordinates and the force of each element."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from slipstick.model.system import dense
from slipstick.results.trajectory import Samples
from slipstick.transient.problem import Problem

Array = NDArray[np.float64]
SLIP = ("slip-", "stick", "slip+")


def record(
    problem: Problem, times: Array, q: Array, v: Array, forces: Array, states: Sequence[NDArray[np.str_] | None]
) -> Samples:
    """q, v : (k, n) of the free coordinates;  forces : (k, elements) of the laws, before their factors.

    states : of each element the names (k,) of its states, or None. A connection's state is that of its first element
    that has one.
    """
    displacement, velocity = problem.all_coordinates(times, q, v)
    connections = len(problem.system.connections)
    force = np.zeros((times.size, connections))
    state = np.full((times.size, connections), "", dtype="<U9")
    named = set()
    for e, element in enumerate(problem.elements):
        force[:, element.connection] += element.force * factors(problem, e, times) * forces[:, e]
        own = states[e]
        if own is not None and element.connection not in named:
            state[:, element.connection] = own
            named.add(element.connection)
    deflection = displacement @ dense(problem.assembly.deflections)
    return Samples(times, displacement, velocity, deflection, force, state)


def factors(problem: Problem, e: int, times: Array) -> Array | float:
    """The product of an element's modulations at times (k,)."""
    product: Array | float = 1.0
    for function, cut in problem.elements[e].modulation:
        value = np.asarray(function.at(times, problem.frequency))
        product = product * (np.maximum(value, 0.0) if cut else value)
    return product


def rows_of(forcing_at: Sequence[Array]) -> Array:
    """(k, r) from k columns (r,)."""
    return np.array(forcing_at)
