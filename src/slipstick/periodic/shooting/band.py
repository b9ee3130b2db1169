"""Orbits that are one of many: what sticks for a whole period may rest anywhere within a band.

Along the neutral directions of the period map (multipliers of one) the forces of what sticks change by constants, as
long as nothing else changes its state. A curve goes on from one of them: that in which sliders have never slid, if it
is well within the band, as it is where they are far from their limits; else as near to that as nine tenths of the way
from the middle to the edge. Where a band closes, sliding begins at both limits at once, and the curve goes on smoothly.
Contacts of dry friction have no place of their own, and rest in the middle.
"""

from __future__ import annotations

import math
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

SAMPLES = 64  # of a period, at which forces are looked at
NEUTRAL = 1e-7  # singular values of D - 1, scaled, below this belong to neutral directions
NUDGE = 1e-7  # of the sizes of a state: less than most bands are wide
FIRST = slice(0, 1)
INSIDE = 0.9  # of the way from the middle of a band to its edge: so far at most a curve goes
MIDDLE = 1e-9  # of the limit: as near to the middle as it needs to be
ROUNDS = 20
AROUND = np.arange(-3, 4)  # samples beside the least one
NEIGHBOURS = np.linalg.inv(np.vander(AROUND.astype(float), increasing=True))  # their polynomial's coefficients
TURNING = 4  # steps of Newton's method to where that turns


class Room(NamedTuple):
    """What elements that stick have left to their limits at the least, over the limits: (k,) above, (k,) below.

    virgin : (k,) what the force of a slider would have more if it had never slid; of contacts, to the middle.
    """

    above: Array
    below: Array
    virgin: Array

    @property
    def aside(self) -> Array:
        """(k,) how far from the middle they are; forces above it are positive."""
        return 0.5 * (self.below - self.above)

    @property
    def apart(self) -> Array:
        """(k,) how far they are from where a curve wants them."""
        most = INSIDE * 0.5 * (self.below + self.above)
        aside = self.aside
        return np.asarray(aside - np.clip(aside + self.virgin, -most, most))


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
    above, below, virgin = np.empty(len(units)), np.empty(len(units)), np.empty(len(units))
    for k, j in enumerate(units):
        unit = period_map.engine.packed.units[j]
        e = unit.elements[0]
        limit = _limit(period_map, e, times)
        largest = float(np.abs(limit).max())
        above[k] = _least(limit - forces[:, e]) / largest
        below[k] = _least(limit + forces[:, e]) / largest
        virgin[k] = 0.5 * (above[k] - below[k]) if unit.friction else _slid(trajectory, j) / largest
    return Room(above, below, virgin)


def _slid(trajectory: ExactTrajectory, j: int) -> float:
    """The force that a slider has lost since it was virgin: by how far it has slid."""
    piece = trajectory.packed.pieces[j][int(trajectory.piece(j, FIRST)[0])]
    element = trajectory.problem.elements[trajectory.packed.units[j].elements[0]]
    return float(element.force * piece.force.w * trajectory.memory(j, FIRST)[0]) if piece.moves else 0.0


def _limit(period_map: ExactMap, e: int, times: Array) -> Array:
    """(k,) the limit of the force of an element at times."""
    element = period_map.problem.elements[e]
    law = element.law
    own = law.limit if isinstance(law, Jenkins) else law.limit * getattr(law, "static_ratio", 1.0)  # type: ignore[attr-defined]
    return np.asarray(np.abs(element.force) * own * np.broadcast_to(factors(period_map.problem, e, times), times.shape))


def _least(values: Array) -> float:
    """The least of samples of a periodic function, between them too: of the polynomial through seven around it."""
    k = int(np.argmin(values))
    c = (NEIGHBOURS @ values[(k + AROUND) % values.size]).tolist()  # the lowest power first
    least, s = float(values[k]), 0.0
    for _ in range(TURNING):
        slope, bend = _slope_and_bend(c, s)
        if bend <= 0.0:
            return least
        s = min(max(s - slope / bend, -1.0), 1.0)
    return min(least, math.fsum(part * s**power for power, part in enumerate(c)))


def _slope_and_bend(c: list[float], s: float) -> tuple[float, float]:
    """Of a polynomial with coefficients c, the lowest power first."""
    slope = bend = 0.0
    for part in range(len(c) - 1, 0, -1):
        bend = bend * s + slope
        slope = slope * s + part * c[part]
    return slope, bend


def neutral_directions(period_map: ExactMap, passed: Passed) -> Array:
    """(size, k) changes of the state that come back after a period."""
    scales = period_map.scales(passed.flow)
    assert passed.derivative is not None
    matrix = (passed.derivative - np.eye(period_map.size)) * (scales / scales[:, None])
    _, values, rows = np.linalg.svd(matrix)
    return np.asarray(rows[values < NEUTRAL].T * scales[:, None])


class Gauge(NamedTuple):
    """Equations that pick one orbit of a band: k of them, in the directions in which a period says nothing.

    value : (k,) how far it is, in units of the state.   by_x : (k, size)   by_p : (k,) derivatives.
    left : (size, k) combinations of the equations of the period that are empty there.
    """

    value: Array
    by_x: Array
    by_p: Array
    left: Array


def gauge(period_map: ExactMap, beside: ExactMap, apart: float, state: Array, passed: Passed) -> Gauge | None:
    """Of a state in which something never slips; None where all is determined.

    beside : the map at a value of the parameter that is ``apart`` from this one.
    """
    units = [j for j, ways in _ways(period_map, passed.flow).items() if not ways]
    if not units:
        return None
    scales = period_map.scales(passed.flow)
    assert passed.derivative is not None
    matrix = (passed.derivative - np.eye(period_map.size)) * (scales / scales[:, None])
    left, values, right = np.linalg.svd(matrix)
    neutral = values < NEUTRAL
    aside = room_of(period_map, passed.flow, units).apart
    by = np.empty((len(units), period_map.size))
    for k, scale in enumerate(scales.tolist()):
        nudged = state.copy()
        nudged[k] += NUDGE * scale
        by[:, k] = (room_of(period_map, period_map.go(nudged).flow, units).apart - aside) / NUDGE
    along = np.linalg.pinv(by @ right[neutral].T, rcond=1e-9)
    if not along.any():
        return None
    by_p = (room_of(beside, beside.go(state).flow, units).apart - aside) / apart
    return Gauge(along @ aside, along @ by / scales, along @ by_p, left[:, neutral])


def centred(period_map: ExactMap, closed: Closed, contacts: bool = True) -> Closed:
    """The orbit that a curve wants of the band an orbit belongs to; itself where it is the only one.

    contacts : also where contacts of dry friction rest; else only sliders are moved.
    """
    units = stuck_units(period_map, closed.passed.flow)
    if not contacts:
        units = [j for j in units if not period_map.engine.packed.units[j].friction]
    if not units:
        return closed
    closed = off_the_edge(period_map, closed)
    room = room_of(period_map, closed.passed.flow, units)
    for _ in range(ROUNDS):
        if np.abs(room.apart).max() <= MIDDLE:
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


def _along_band(
    period_map: ExactMap, closed: Closed, units: list[int], room: Room
) -> tuple[Array, Array, Array] | None:
    """(size, k) the neutral directions, and (units, k) how `aside` and `apart` change along them; None: not at all."""
    directions = neutral_directions(period_map, closed.passed)
    by, wanted = np.empty((2, len(units), directions.shape[1]))
    for k, direction in enumerate(directions.T):
        beside = _nudged(period_map, closed, direction, units)
        if beside is None:
            return None
        nudge, other = beside
        by[:, k] = (other.aside - room.aside) / nudge
        wanted[:, k] = (other.apart - room.apart) / nudge
    if not by.size or not np.abs(by).max() > MIDDLE:
        return None
    return directions, by, wanted


def extent(period_map: ExactMap, closed: Closed) -> Array | None:
    """(n, 2) by how much the free coordinates may be shifted down and up within the band; None for an orbit alone.

    Exact where nothing slips; where something else does, as far as the forces change in proportion.
    """
    units = stuck_units(period_map, closed.passed.flow)
    if not units:
        return None
    closed = off_the_edge(period_map, closed)
    room = room_of(period_map, closed.passed.flow, units)
    found = _along_band(period_map, closed, units, room)
    if found is None:
        return None
    directions, by, _ = found
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
    """A step towards where a curve wants it, and the room there; None if there is no way there."""
    found = _along_band(period_map, closed, units, room)
    if found is None:
        return None
    directions, _, wanted = found
    step = -directions @ np.linalg.lstsq(wanted, room.apart, rcond=1e-9)[0]
    for part in (1.0, 0.25, 0.0625):
        try:
            moved = approach(period_map, closed.state + part * step)
        except NotConverged:
            continue
        if set(units) <= set(stuck_units(period_map, moved.passed.flow)):  # else something slides before
            there = room_of(period_map, moved.passed.flow, units)
            if np.abs(there.apart).max() < (1.0 - 0.5 * part) * np.abs(room.apart).max():
                return moved._replace(steps=closed.steps, periods=closed.periods + moved.periods), there
    return None
