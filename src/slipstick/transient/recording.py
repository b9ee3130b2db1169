"""Samples of a run from what a stepping method wrote down: free coordinates and the force of each element."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from slipstick.laws.base import Law
from slipstick.laws.faces import Face
from slipstick.laws.masing import Jenkins
from slipstick.model.system import dense
from slipstick.results.trajectory import Samples
from slipstick.transient.energy import Snapshot
from slipstick.transient.problem import Problem

Array = NDArray[np.float64]
SLIP = ("slip-", "stick", "slip+")
NONE: Mapping[int, NDArray[np.str_]] = MappingProxyType({})


def record(
    problem: Problem, times: Array, q: Array, v: Array, forces: Array, known: Mapping[int, NDArray[np.str_]] = NONE
) -> Samples:
    """q, v : (k, n) of the free coordinates;  forces : (k, elements) of the laws, before their factors.

    known : of elements whose states the method knows better than their laws, the names (k,) of those. A connection's
    state is that of its first element that has one.
    """
    u, rates = problem.deflections_at(times, q), problem.rates_at(times, v)
    displacement, velocity = problem.all_coordinates(times, q, v)
    connections = len(problem.system.connections)
    force = np.zeros((times.size, connections))
    state = np.full((times.size, connections), "", dtype="<U9")
    named = set()
    for e, element in enumerate(problem.elements):
        force[:, element.connection] += element.force * factors(problem, e, times) * forces[:, e]
        if element.connection in named:
            continue
        own = known[e] if e in known else states_of(element.law, u[:, e], rates[:, e], forces[:, e])
        if own is not None:
            state[:, element.connection] = own
            named.add(element.connection)
    deflection = displacement @ dense(problem.assembly.deflections)
    return Samples(times, displacement, velocity, deflection, force, state)


def last_sample(problem: Problem, state: Snapshot) -> tuple[Array, Array, Array]:
    """(1,) time, (1, 2n) q and v, (1, elements) forces of the laws before their factors, where a run ended early."""
    u, rate = problem.deflections_at(state.t, state.q), problem.rates_at(state.t, state.v)
    forces = [
        element.law.update(float(u[e]), float(rate[e]), state.memories[e])[0]
        for e, element in enumerate(problem.elements)
    ]
    return np.array([state.t]), np.concatenate([state.q, state.v])[None], np.array([forces], dtype=float)


def factors(problem: Problem, e: int, times: Array) -> Array | float:
    """The product of an element's modulations at times (k,)."""
    product: Array | float = 1.0
    for function, cut in problem.elements[e].modulation:
        value = np.asarray(function.at(times, problem.frequency))
        product = product * (np.maximum(value, 0.0) if cut else value)
    return product


def states_of(law: Law, u: Array, v: Array, force: Array) -> NDArray[np.str_] | None:
    """(k,) the state of a law at deflections, rates and forces (k,); None if it has no states to tell apart."""
    if not has_states(law):
        return None
    if isinstance(law, Jenkins):
        return np.array(SLIP)[1 + side_of(force, law.limit)]
    pieces = law.pieces()
    names = np.full(u.size, pieces[0].name, dtype="<U9")
    for piece in pieces[1:]:
        holds = np.ones(u.size, dtype=bool)
        for guard in piece.guards:
            g = guard.value
            holds &= g.constant + g.u * u + g.v * v >= 0.0
        names[holds] = piece.name
    return names


def has_states(law: Law) -> bool:
    """True for sliders, and for laws without memory that are made of several pieces."""
    if isinstance(law, Jenkins):
        return True
    return not law.remembers and Face.PIECES in law.faces and len(law.pieces()) > 1


def side_of(force: Array, limit: Array | float) -> NDArray[np.int_]:
    """(k,) 1 and -1 where a slider or friction is at its limit, 0 where it sticks."""
    most = limit * (1.0 - 1e-12)
    return np.asarray((force >= most).astype(int) - (force <= -most).astype(int))
