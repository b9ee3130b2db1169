"""Energies of impacts, and the instants just before them, from the impulses of a recorded run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from slipstick.arrays import Array

if TYPE_CHECKING:
    from slipstick.transient.exact.flow_run import Flow


def impact_energies(flow: Flow, until: float) -> tuple[Array, Array]:
    """(k,) [J] the work of prescribed motions on stops at each impact up to a time, and (k, elements) the losses.

    A stop with the impulse P loses P (v- + v+)/2. An impact at the start of a run precedes it.
    """
    packed = flow.engine.packed
    problem, model, n = packed.problem, packed.model, packed.problem.n
    segments = 1 + np.flatnonzero(flow.impulses[1:].any(axis=1) & (flow.times[1:] <= until))
    impulses, units = flow.impulses[segments], model.unit_of.astype(int)
    elements = [packed.units[j].elements[0] for j in units]
    moved = np.zeros(impulses.shape)
    if not problem.offsets.is_zero:
        moved = problem.offsets.over(flow.times[segments], 1)[:, elements]
    d = np.array([packed.units[j].deflection for j in units]).reshape(-1, n)
    after = flow.motions[segments, n:] @ d.T + moved
    before = after + impulses @ model.delassus.reshape(units.size, -1).T
    losses = np.zeros((segments.size, len(problem.elements)))
    losses[:, elements] = 0.5 * impulses * (before + after)
    for i in np.flatnonzero(model.tangential_of >= 0.0):
        # a tangential impulse may return energy that the normal one of its contact has taken: their sum is the loss
        t, n = elements[int(model.tangential_of[i])], elements[i]
        returned = np.minimum(losses[:, t], 0.0)
        losses[:, n] += returned
        losses[:, t] -= returned
    return (impulses * moved).sum(axis=1), losses


def struck_coordinates(flow: Flow) -> NDArray[np.bool_]:
    """(n,) True for the free coordinates whose velocities jump at an impact."""
    packed = flow.engine.packed
    if not any(unit.stop for unit in packed.units):
        return np.zeros(packed.problem.n, dtype=bool)
    units = packed.model.unit_of.astype(int)[flow.impulses.any(axis=0)]
    along = np.array([packed.units[j].along for j in units]).reshape(-1, packed.problem.n)
    return np.asarray(np.linalg.solve(packed.mass, along.T).any(axis=1))


def start_impact_notes(flow: Flow) -> tuple[str, ...]:
    """An impact at the start of a run, in words: it precedes the run and its balance."""
    problem = flow.engine.packed.problem
    if not flow.impulses[:1].any():
        return ()
    before, after = (0.5 * float(v @ problem.mass @ v) for v in (problem.velocity, flow.motions[0, problem.n :]))
    return (
        f"an impact at the start changes the kinetic energy from {before:.4g} to {after:.4g} J; the run begins after "
        "it, so that events and energies do not count it",
    )


def connection_losses(flow: Flow) -> Array:
    """(connections,) [J] the losses of all impacts of a run."""
    packed = flow.engine.packed
    problem, found = packed.problem, np.zeros(len(packed.problem.system.connections))
    if any(unit.stop for unit in packed.units):
        _, losses = impact_energies(flow, flow.time)
        np.add.at(found, [element.connection for element in problem.elements], losses.sum(axis=0))
    return found


def event_times(flow: Flow) -> Array:
    """Times of all events, and the last instant before each impact, where velocities jump."""
    times = flow.events[:, 0]
    struck = flow.times[1:][flow.impulses[1:].any(axis=1)]
    return np.concatenate([times, np.nextafter(struck, -np.inf)])
