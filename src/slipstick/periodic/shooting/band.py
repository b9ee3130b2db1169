"""Orbits that are one of many: what sticks for a whole period may rest anywhere within a band.

Along the neutral directions of the period map (multipliers of one) the forces of what sticks change by constants, as
long as nothing else changes its state. The orbit in the middle of the band is the one whose forces leave as much room
to the upper limits as to the lower ones: there sliding begins at both at once, and a curve can go on smoothly.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

from slipstick.errors import NotConverged
from slipstick.laws.masing import Jenkins
from slipstick.periodic.shooting.exact_map import ExactMap, Passed
from slipstick.periodic.shooting.newton import Closed, approach
from slipstick.transient.exact import places as at
from slipstick.transient.exact.engine import Flow
from slipstick.transient.exact.trajectory import ExactTrajectory
from slipstick.transient.options import Request
from slipstick.transient.recording import factors

Array = NDArray[np.float64]

SAMPLES = 256  # of a period, at which forces are looked at
NEUTRAL = 1e-7  # singular values of D - 1, scaled, below this belong to neutral directions
NUDGE = 1e-7  # of the sizes of a state: less than most bands are wide
MIDDLE = 1e-9  # of the limit: as near to the middle as it needs to be
ROUNDS = 4


class Room(NamedTuple):
    """What elements that stick have left to their limits at the least, over the limits: (k,) above, (k,) below."""

    above: Array
    below: Array

    @property
    def aside(self) -> Array:
        """(k,) how far from the middle they are; forces above it are positive."""
        return 0.5 * (self.below - self.above)


def stuck_units(period_map: ExactMap, flow: Flow) -> list[int]:
    """The sliders and contacts that come back without having slid: not at all, or one way only, by nothing.

    What slides one way only touches its limit, at the edge of the band.
    """
    return [j for j, ways in _ways(period_map, flow).items() if len(ways) < 2]


def _ways(period_map: ExactMap, flow: Flow) -> dict[int, set[str]]:
    """In which directions sliders and contacts slide in a period; those whose normal load goes are left out."""
    units = period_map.engine.packed.units
    pieces = flow.record[:, at.RECORD_HEAD + 2 * period_map.problem.n :]
    found = {}
    for j, unit in enumerate(units):
        if "stick" in unit.pieces:
            names = {unit.pieces[int(piece)] for piece in set(pieces[:, j].tolist())}
            if "unloaded" not in names:
                found[j] = names - {"stick"}
    return found


def room_of(period_map: ExactMap, flow: Flow, units: list[int]) -> Room:
    """What the units that stick have left to their limits."""
    problem = period_map.problem
    times = problem.start + np.linspace(0.0, period_map.time, SAMPLES + 1)[:-1]
    trajectory = ExactTrajectory(flow, Request(until=flow.until, times=times))
    forces = trajectory.forces(trajectory.at(times))
    above, below = np.empty(len(units)), np.empty(len(units))
    for k, j in enumerate(units):
        e = period_map.engine.packed.units[j].elements[0]
        limit = _limit(period_map, e, times)
        above[k] = _least(limit - forces[:, e]) / np.abs(limit).max()
        below[k] = _least(limit + forces[:, e]) / np.abs(limit).max()
    return Room(above, below)


def _limit(period_map: ExactMap, e: int, times: Array) -> Array:
    """(k,) the limit of the force of an element at times."""
    element = period_map.problem.elements[e]
    law = element.law
    own = law.limit if isinstance(law, Jenkins) else law.limit * getattr(law, "static_ratio", 1.0)  # type: ignore[attr-defined]
    return np.asarray(np.abs(element.force) * own * np.broadcast_to(factors(period_map.problem, e, times), times.shape))


def _least(values: Array) -> float:
    """The least of samples of a smooth periodic function, between them too: of the parabola through three."""
    k = int(np.argmin(values))
    a, b, c = values[k - 1], values[k], values[(k + 1) % values.size]
    bend = a - 2.0 * b + c
    return float(b - (a - c) ** 2 / (8.0 * bend)) if bend > 0.0 else float(b)


def neutral_directions(period_map: ExactMap, passed: Passed) -> Array:
    """(size, k) changes of the state that come back after a period."""
    scales = period_map.scales(passed.flow)
    assert passed.derivative is not None
    matrix = (passed.derivative - np.eye(period_map.size)) * (scales / scales[:, None])
    _, values, rows = np.linalg.svd(matrix)
    return np.asarray(rows[values < NEUTRAL].T * scales[:, None])


def centred(period_map: ExactMap, closed: Closed) -> Closed:
    """The orbit in the middle of the band that an orbit belongs to; itself where it is the only one."""
    units = stuck_units(period_map, closed.passed.flow)
    if not units:
        return closed
    closed = off_the_edge(period_map, closed)
    room = room_of(period_map, closed.passed.flow, units)
    for _ in range(ROUNDS):
        if np.abs(room.aside).max() <= MIDDLE:
            break
        moved = _nearer(period_map, closed, units, room)
        if moved is None:
            break
        closed, room = moved
    return closed


def off_the_edge(period_map: ExactMap, closed: Closed) -> Closed:
    """Where sliders only touch their limits, an orbit at which they do not; itself if there is none."""
    ways = _ways(period_map, closed.passed.flow)
    state = closed.state.copy()
    for k, j in enumerate(period_map.sliders):
        if len(ways.get(j, ())) == 1:
            side = 1.0 if ways[j] == {"slip+"} else -1.0
            state[2 * period_map.problem.n + k] -= side * NUDGE * closed.passed.flow.sizes[2 * period_map.problem.n + k]
    if (state == closed.state).all():
        return closed
    try:
        found = approach(period_map, state)
    except NotConverged:
        return closed
    touching = [j for j, own in _ways(period_map, found.passed.flow).items() if len(own) == 1]
    return closed if touching else found._replace(steps=closed.steps)


def _nudged(period_map: ExactMap, closed: Closed, direction: Array, units: list[int]) -> tuple[float, Room] | None:
    """The room a little further along a direction, or against it where something slides there; None: both ways."""
    for nudge in (NUDGE, -NUDGE):
        try:
            flow = period_map.go(closed.state + nudge * direction).flow
        except NotConverged:
            continue
        ways = _ways(period_map, flow)
        if not any(ways.get(j) for j in units):
            return nudge, room_of(period_map, flow, units)
    return None


def _forces_along(period_map: ExactMap, closed: Closed, units: list[int], room: Room) -> tuple[Array, Array] | None:
    """(size, k) the neutral directions, and (units, k) how forces change along them; None where none does."""
    directions = neutral_directions(period_map, closed.passed)
    by = np.empty((len(units), directions.shape[1]))
    for k, direction in enumerate(directions.T):
        beside = _nudged(period_map, closed, direction, units)
        if beside is None:
            return None
        nudge, other = beside
        by[:, k] = (other.aside - room.aside) / nudge
    if not by.size or not np.abs(by).max() > MIDDLE:
        return None
    return directions, by


def extent(period_map: ExactMap, closed: Closed) -> Array | None:
    """(n, 2) by how much the free coordinates may be shifted down and up within the band; None for an orbit alone.

    Exact where nothing slips; where something else does, as far as the forces change in proportion.
    """
    units = stuck_units(period_map, closed.passed.flow)
    if not units:
        return None
    closed = off_the_edge(period_map, closed)
    room = room_of(period_map, closed.passed.flow, units)
    found = _forces_along(period_map, closed, units, room)
    if found is None:
        return None
    directions, by = found
    left = np.concatenate([room.above, room.below]).clip(0.0)
    return _farthest(directions[: period_map.problem.n], np.vstack([by, -by]), left)


def _farthest(ways: Array, by: Array, left: Array) -> Array:
    """(n, 2) the least and the largest of each row of ways (n, k) times any x (k,) with by x <= left."""
    if ways.shape[1] == 1:  # a search takes a hundred times as long
        down, up = (np.min(left[slope > 0.0] / slope[slope > 0.0]) for slope in (-by[:, 0], by[:, 0]))
        return np.asarray(np.sort(ways * [-down, up], axis=1))
    found = np.zeros((len(ways), 2))
    for i, way in enumerate(ways):
        for side, sign in enumerate((1.0, -1.0)):
            answer = linprog(sign * way, A_ub=by, b_ub=left, bounds=(None, None))
            found[i, side] = sign * answer.fun if answer.success else (np.inf if side else -np.inf)
    return found


def _nearer(period_map: ExactMap, closed: Closed, units: list[int], room: Room) -> tuple[Closed, Room] | None:
    """One step towards the middle, and the room there; None if there is no way there."""
    found = _forces_along(period_map, closed, units, room)
    if found is None:
        return None
    directions, by = found
    step = -np.linalg.lstsq(by, room.aside, rcond=1e-9)[0]
    try:
        moved = approach(period_map, closed.state + directions @ step)
    except NotConverged:
        return None
    if stuck_units(period_map, moved.passed.flow) != units:
        return None  # there is no middle: something slides before it
    there = room_of(period_map, moved.passed.flow, units)
    if not np.abs(there.aside).max() < 0.5 * np.abs(room.aside).max():
        return None
    return moved._replace(steps=closed.steps, periods=closed.periods + moved.periods), there
