"""Samples and events of a run, from the records of a stepping method."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slipstick.arrays import Array
from slipstick.laws.base import Law
from slipstick.laws.faces import Face
from slipstick.model.system import dense
from slipstick.results.connection_states import join_state_columns, join_states
from slipstick.results.trajectory import Event, Samples
from slipstick.transient.energy import Snapshot
from slipstick.transient.limit_sides import SIDES, side_of
from slipstick.transient.problem import Problem

NO_STATES: Mapping[int, NDArray[np.str_]] = MappingProxyType({})


def samples_from_steps(
    problem: Problem, times: Array, q: Array, v: Array, forces: Array, known: Mapping[int, NDArray[np.str_]] = NO_STATES
) -> Samples:
    """q, v : (k, n) of the free coordinates;  forces : (k, elements) of the laws, before their factors.

    known : of elements whose states the method knows better than their laws, the names (k,) of those. A connection's
    state is that of its elements that have one, as `slipstick.results.connection_states` joins them.
    """
    u, rates = problem.deflections_at(times, q), problem.rates_at(times, v)
    displacement, velocity = problem.all_coordinates(times, q, v)
    connections = len(problem.system.connections)
    force = np.zeros((times.size, connections))
    states: list[list[NDArray[np.str_]]] = [[] for _ in range(connections)]
    for e, element in enumerate(problem.elements):
        force[:, element.connection] += element.force * modulation_factors(problem, e, times) * forces[:, e]
        own = known[e] if e in known else states_of(element.law, u[:, e], rates[:, e], forces[:, e])
        if own is not None:
            states[element.connection].append(own)
    deflection = displacement @ dense(problem.assembly.deflections)
    names = join_states_by_connection(states, times.size)
    acceleration = problem.accelerations(times, q, v, force)
    return Samples(times, displacement, velocity, deflection, force, names, acceleration)


def join_states_by_connection(states: Sequence[Sequence[NDArray[np.str_]]], count: int) -> NDArray[np.str_]:
    """(count, connections) names of states, from those (count,) of the parts of each connection."""
    columns = [join_state_columns(parts) if parts else np.full(count, "") for parts in states]
    return np.column_stack(columns) if columns else np.zeros((count, 0), dtype=np.str_)


class StateChange(NamedTuple):
    """A change of state of one element, or of a few that change together."""

    time: float
    elements: tuple[int, ...]
    before: str
    after: str


def events_from_changes(
    problem: Problem, changes: Sequence[StateChange], rest: Callable[[int, int], str]
) -> list[Event]:
    """Events from changes in the order of time: the state of a connection is that of all its parts that have one.

    rest : (element, number of a change) the state at that time of an element without changes; "" if it has none.
    """
    now: dict[int, str] = {}
    for change in changes:
        for e in change.elements:
            now.setdefault(e, change.before)
    members = _members(problem, changes, rest)
    owners = {elements: _connections(problem, elements) for elements in {change.elements for change in changes}}
    found = []
    for k, change in enumerate(changes):
        for j in owners[change.elements]:
            name = problem.system.connections[j].name
            if len(members[j]) == 1:
                found.append(Event(change.time, name, change.before, change.after))
                continue
            before = join_states([now[e] if e in now else rest(e, k) for e in members[j]])
            now.update({e: change.after for e in change.elements if problem.elements[e].connection == j})
            after = join_states([now[e] if e in now else rest(e, k) for e in members[j]])
            found.append(Event(change.time, name, before, after))
    return found


def _members(problem: Problem, changes: Sequence[StateChange], rest: Callable[[int, int], str]) -> list[list[int]]:
    """The elements with a state, by connection."""
    changed = {e for change in changes for e in change.elements}
    members: list[list[int]] = [[] for _ in problem.system.connections]
    for e, element in enumerate(problem.elements):
        if e in changed or (changes and rest(e, 0)):
            members[element.connection].append(e)
    return members


def _connections(problem: Problem, elements: tuple[int, ...]) -> list[int]:
    """The connections that elements belong to, each once."""
    return list(dict.fromkeys(problem.elements[e].connection for e in elements))


def state_at_start(problem: Problem, e: int) -> str:
    """The state of an element in the first instant, by its law alone; "" if it has none."""
    element = problem.elements[e]
    if not has_states(element.law):
        return ""
    u = float(problem.deflections_at(problem.start, problem.displacement)[e])
    rate = float(problem.rates_at(problem.start, problem.velocity)[e])
    force, _ = element.law.update(u, rate, problem.start_memories()[e])
    names = states_of(element.law, *(np.array([x]) for x in (u, rate, force)))
    return "" if names is None else str(names[0])


def last_sample(problem: Problem, state: Snapshot) -> tuple[Array, Array, Array]:
    """(1,) time, (1, 2n) q and v, (1, elements) forces of the laws before their factors, where a run ended early."""
    u, rate = problem.deflections_at(state.t, state.q), problem.rates_at(state.t, state.v)
    forces = np.zeros(len(problem.elements))
    for e, element in enumerate(problem.elements):
        if not element.law.kernel_law.directions:
            forces[e] = element.law.update(float(u[e]), float(rate[e]), state.memories[e])[0]
    for group in problem.direction_groups:
        whole: Any = problem.elements[group[0]].law.kernel_law
        given = (tuple(u[list(group)].tolist()), tuple(rate[list(group)].tolist()))
        forces[list(group)] = whole.update(*given, state.memories[group[0]])[0]
    return np.array([state.t]), np.concatenate([state.q, state.v])[None], np.array([forces], dtype=float)


def direction_states(problem: Problem, forces: Array) -> dict[int, NDArray[np.str_]]:
    """States of laws with several deflections, by element, from the forces (k, elements) of all their directions."""
    found: dict[int, NDArray[np.str_]] = {}
    for group in problem.direction_groups:
        names = problem.elements[group[0]].law.kernel_law.states(forces[:, list(group)].T)
        if names is not None:
            found.update(dict.fromkeys(group, names))
    return found


def modulation_factors(problem: Problem, e: int, times: Array) -> Array | float:
    """The product of an element's modulations at times (k,)."""
    product: Array | float = 1.0
    for function, cut in problem.elements[e].modulation:
        value = np.asarray(function.at(times, problem.base))
        product = product * (np.maximum(value, 0.0) if cut else value)
    return product


def states_of(law: Law, u: Array, v: Array, force: Array) -> NDArray[np.str_] | None:
    """(k,) the state of a law at deflections, rates and forces (k,); None if it has no states."""
    if not has_states(law):
        return None
    slider = law.elastic_slider
    if slider is not None:
        sides = np.frompyfunc(side_of, 2, 1)(force, slider.limit)
        return np.asarray(np.array(SIDES)[1 + np.asarray(sides, dtype=int)])
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
    """True for sliders, and for laws without memory that are made of several pieces.

    Laws with several deflections have states by all of them, see `direction_states`.
    """
    if law.elastic_slider is not None:
        return True
    if law.kernel_law.directions:
        return False
    return not law.remembers and Face.PIECES in law.faces and len(law.pieces()) > 1
