"""Orbits at one frequency that runs from many starts settle to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from slipstick.arrays import Array
from slipstick.basins.clusters import clusters_of, state_groups
from slipstick.basins.settling import ORBIT, IsKnown, Settled, settle
from slipstick.errors import NotConverged
from slipstick.periodic.shooting.start_flow import StartFlow
from slipstick.transient.problem import Problem

LONGEST_PERIODS = 600  # of the loads, that a start is followed
CAPTURED_REL = 0.01  # of the motion: so near to a stable orbit a run settles to it


class SettledOrbit(NamedTuple):
    """state : (size,) at the beginning of a period of the loads.   repeats : of those in one of the orbit."""

    state: Array
    repeats: int


def settled_orbits(problem: Problem, starts: Array) -> Iterator[SettledOrbit]:
    """The different orbits that starts (k, 2n) of displacements and velocities settle to.

    A run that comes near an orbit of an earlier one ends there.
    """
    flow, n = StartFlow(problem), problem.n
    states = list[Array]()

    def is_known(state: Array, scales: Array) -> bool:
        return any(float(np.abs((state - own) / scales).max()) <= CAPTURED_REL for own in states)

    found = list[Settled]()
    for own in starts:
        end = _end(flow, own[:n], own[n:], is_known)
        if end is not None and end.kind == ORBIT:
            found.append(end)
            states += list(end.points)
    for cluster in clusters_of(found, state_groups(flow), has_bands=False) if found else ():
        yield SettledOrbit(found[cluster.members[0]].points[0], cluster.repeats)


def _end(flow: StartFlow, q: Array, v: Array, is_known: IsKnown) -> Settled | None:
    try:
        return settle(flow, flow.first(q, v), LONGEST_PERIODS * flow.time, is_known)
    except NotConverged as failure:
        if failure.interrupted:
            raise
        return None
