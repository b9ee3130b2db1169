"""Orbits that are one of many: what sticks for a whole period may rest anywhere within a band.

Along the neutral directions of the period map (multipliers of one) the forces of what sticks change by constants, as
long as nothing else changes its state. A curve goes on from one of them: that in which sliders have never slid, if it
is well within the band, as it is where they are far from their limits; else as near to that as nine tenths of the way
from the middle to the edge. Where a band closes, sliding begins at both limits at once, and the curve goes on smoothly.
Contacts of dry friction have no place of their own, and rest in the middle.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slipstick.errors import NotConverged
from slipstick.periodic.shooting.exact_map import ExactMap, Passed
from slipstick.periodic.shooting.newton import TOLERANCE, Closed, approach
from slipstick.transient.exact import places as at
from slipstick.transient.exact.engine import Flow
from slipstick.transient.exact.meters import left_to_limits

Array = NDArray[np.float64]

NEUTRAL = 1e-7  # singular values of D - 1, scaled, below this belong to neutral directions
NUDGE = 1e-7  # of the sizes of a state: less than most bands are wide
WIDER = 1e-5  # the same where that is not enough
INSIDE = 0.9  # of the way from the middle of a band to its edge: so far at most a curve goes
MIDDLE = 1e-9  # of the limit: as near to the middle as it needs to be
ROUNDS = 20
WELL = 1e6  # condition of the matrix by which slides change forces, where it can be inverted
HARDLY = 1e3  # of what an orbit may miss itself by: velocities of contacts that may be at rest


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
        aside, most = self.aside, self._most
        return np.asarray(aside - np.clip(aside + self.virgin, -most, most))

    @property
    def is_held(self) -> NDArray[np.bool_]:
        """(k,) where they would lie beyond what a curve may go to if they had never slid."""
        return np.asarray(np.abs(self.aside + self.virgin) >= self._most)

    @property
    def _most(self) -> Array:
        return INSIDE * 0.5 * (self.below + self.above)


def stuck_units(flow: Flow) -> list[int]:
    """The sliders and contacts that come back without having slid: not at all, or one way only, by nothing.

    What slides one way only touches its limit, at the edge of the band.
    """
    return [j for j, ways in flow.ways.items() if len(ways) < 2]


def room_of(flow: Flow, units: list[int]) -> Room:
    """What the units that stick have left to their limits."""
    left = left_to_limits(flow, units)
    above, below = left.above / left.limit, left.below / left.limit
    virgin = 0.5 * (above - below)
    for k, j in enumerate(units):
        if not flow.engine.packed.units[j].friction:
            virgin[k] = _slid(flow, j) / left.limit[k]
    return Room(above, below, virgin)


def _slid(flow: Flow, j: int) -> float:
    """The force that a slider has lost since it was virgin: by how far it has slid."""
    packed, first = flow.engine.packed, flow.record[0]
    piece = packed.pieces[j][int(first[at.RECORD_HEAD + 2 * packed.problem.n + j])]
    element = packed.problem.elements[packed.units[j].elements[0]]
    return float(element.force * piece.force.w * first[flow.row - len(packed.units) + j]) if piece.moves else 0.0


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
    units = [j for j, ways in passed.flow.ways.items() if not ways]
    if not units:
        return None
    scales = period_map.scales(passed.flow)
    assert passed.derivative is not None
    matrix = (passed.derivative - np.eye(period_map.size)) * (scales / scales[:, None])
    left, values, right = np.linalg.svd(matrix)
    neutral = values < NEUTRAL
    room = room_of(passed.flow, units)
    by, by_p = _apart_by(period_map, beside, apart, state, units, room)
    along = np.linalg.pinv(by * scales @ right[neutral].T, rcond=1e-9)
    if not along.any():
        return None
    return Gauge(along @ room.apart, along @ by, along @ by_p, left[:, neutral])


def _apart_by(
    period_map: ExactMap, beside: ExactMap, apart: float, state: Array, units: list[int], room: Room
) -> tuple[Array, Array]:
    """(units, size) and (units,) the derivatives of `Room.apart` by the state at the begin and by the parameter.

    A slider that wants to be virgin is away from that by how far it has slid, which the begin tells. How far others
    are from their limits is told by periods from a little beside.
    """
    packed, n = period_map.engine.packed, period_map.problem.n
    by, by_p = np.zeros((len(units), period_map.size)), np.zeros(len(units))
    plain = period_map.problem.offsets.is_zero
    others = [k for k, j in enumerate(units) if packed.units[j].friction or room.is_held[k] or not plain]
    for k, j in enumerate(units):
        if k not in others:
            slope = _lost_by_sliding(period_map, j)
            by[k, :n], by[k, 2 * n + period_map.sliders.index(j)] = -slope * packed.units[j].deflection, slope
    if others:
        own = [units[k] for k in others]
        scales = _wide(period_map, period_map.scales(period_map.go(state).flow))
        for i, scale in enumerate(scales.tolist()):
            nudged = state.copy()
            nudged[i] += NUDGE * scale
            there = room_of(period_map.go(nudged).flow, own).apart
            by[others, i] = (there - room.apart[others]) / (NUDGE * scale)
        by_p[others] = (room_of(beside.go(state).flow, own).apart - room.apart[others]) / apart
    return by, by_p


def _wide(period_map: ExactMap, sizes: Array) -> Array:
    """Sizes that are nudged by: not so small that rounding of forces hides what comes of it."""
    return np.maximum(sizes, period_map.yielding.min(initial=np.inf)) if period_map.yielding.size else sizes


def _lost_by_sliding(period_map: ExactMap, j: int) -> float:
    """The force that a slider loses by sliding, over its limit, by how far it slides."""
    packed = period_map.engine.packed
    unit = packed.units[j]
    element = period_map.problem.elements[unit.elements[0]]
    law: Any = element.law
    return float(np.sign(element.force) * packed.pieces[j][unit.pieces.index("stick")].force.w / law.limit)


def centred(period_map: ExactMap, closed: Closed, contacts: bool = True) -> Closed:
    """The orbit that a curve wants of the band an orbit belongs to; itself where it is the only one.

    contacts : also where contacts of dry friction rest; else only sliders are moved.
    """
    units = stuck_units(closed.passed.flow)
    if not contacts:
        units = [j for j in units if not period_map.engine.packed.units[j].friction]
    if not units:
        return closed
    closed = off_the_edge(period_map, closed)
    room = room_of(closed.passed.flow, units)
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
    for nudge in (NUDGE, WIDER):  # an orbit may lie outside of its band by the root of what it may miss itself by
        state = _further_inside(period_map, closed, nudge)
        if (state == closed.state).all():
            return closed
        try:
            found = approach(period_map, state)
        except NotConverged:
            continue
        if all(len(own) != 1 for own in found.passed.flow.ways.values()):
            return found._replace(steps=closed.steps)
    return closed


def _further_inside(period_map: ExactMap, closed: Closed, nudge: float) -> Array:
    """(size,) the state with sliders a little less stretched; contacts are stopped, and moved on the way they slide."""
    flow, units, n = closed.passed.flow, period_map.engine.packed.units, period_map.problem.n
    touching = {j: 1.0 if ways == {"slip+"} else -1.0 for j, ways in flow.ways.items() if len(ways) == 1}
    contacts = [j for j in touching if units[j].friction]
    state = (stopped(period_map, closed.state, flow) if contacts else closed.state).copy()
    for j in contacts:
        d = units[j].deflection
        state[:n] += touching[j] * nudge * float(period_map.yielding.min()) * d / (d @ d)
    for k, j in enumerate(period_map.sliders):
        state[2 * n + k] -= touching.get(j, 0.0) * nudge * flow.sizes[2 * n + k]
    return state


def stopped(period_map: ExactMap, state: Array, flow: Flow) -> Array:
    """(size,) a state with those contacts at rest that slide at first by little more than what an orbit may miss itself
    by; itself if there are none."""
    n, units = period_map.problem.n, period_map.engine.packed.units
    v, nothing = state[n : 2 * n], HARDLY * TOLERANCE * period_map.scales(flow)[n]
    rows = [unit.deflection for unit in units if unit.friction and 0.0 < abs(unit.deflection @ v) <= nothing]
    if not rows:
        return state
    found, moving = state.copy(), np.array(rows)
    found[n : 2 * n] -= np.linalg.pinv(moving) @ (moving @ v)
    return found


class Slopes(NamedTuple):
    """How k neutral directions (size, k) change the room of units: `Room.aside` and `Room.apart`, (units, k) each."""

    directions: Array
    aside: Array
    apart: Array


def _along_band(period_map: ExactMap, closed: Closed, units: list[int], room: Room) -> Slopes | None:
    """Along all neutral directions; None if nothing changes along them, or something slides at once."""
    directions, flow = neutral_directions(period_map, closed.passed), closed.passed.flow
    if period_map.yielding.size:  # a nudge is to be seen in the forces
        directions = directions * (_wide(period_map, np.abs(directions).max(axis=0)) / np.abs(directions).max(axis=0))
    steady = not flow.state[at.EVENTS] and not any(flow.engine.packed.units[j].friction for j in units)
    if steady:
        found: Slopes | None = _shifted(period_map, directions, units, room)
    else:
        found = _nudged(period_map, closed, directions, units, room)
    return found if found is not None and np.abs(found.aside).max(initial=0.0) > MIDDLE else None


def _shifted(period_map: ExactMap, directions: Array, units: list[int], room: Room) -> Slopes:
    """Where nothing happens in a period: neutral changes are constants then, and so are the changes of forces."""
    packed, n = period_map.engine.packed, period_map.problem.n
    aside, lost = np.empty((2, len(units), directions.shape[1]))
    for k, j in enumerate(units):
        slope = _lost_by_sliding(period_map, j)
        w = directions[2 * n + period_map.sliders.index(j)]
        aside[k] = slope * w
        lost[k] = slope * (packed.units[j].deflection @ directions[:n] - w)
    return Slopes(directions, aside, aside - np.where(room.is_held, 0.0, 1.0)[:, None] * (aside + lost))


def _nudged(period_map: ExactMap, closed: Closed, directions: Array, units: list[int], room: Room) -> Slopes | None:
    """By a period from a little further along each, or against it where something slides there; None: both ways."""
    aside, apart = np.empty((2, len(units), directions.shape[1]))
    for k, direction in enumerate(directions.T):
        for nudge in (NUDGE, -NUDGE):
            try:
                flow = period_map.go(closed.state + nudge * direction).flow
            except NotConverged:
                continue
            if not any(flow.ways.get(j) for j in units):
                other = room_of(flow, units)
                aside[:, k] = (other.aside - room.aside) / nudge
                apart[:, k] = (other.apart - room.apart) / nudge
                break
        else:
            return None
    return Slopes(directions, aside, apart)


def extent(period_map: ExactMap, closed: Closed) -> Array | None:
    """(n, 2) by how much the free coordinates may be shifted down and up within the band; None for an orbit alone.

    Exact where nothing slips; where something else does, as far as the forces change in proportion.
    """
    units = stuck_units(closed.passed.flow)
    if not units:
        return None
    closed = off_the_edge(period_map, closed)
    room = room_of(closed.passed.flow, units)
    found = _along_band(period_map, closed, units, room)
    if found is None:
        return None
    return _farthest(found.directions[: period_map.problem.n], found.aside, room.below.clip(0.0), room.above.clip(0.0))


def _farthest(ways: Array, by: Array, below: Array, above: Array) -> Array:
    """(n, 2) the least and the largest of each row of ways (n, k) times any x (k,) with -below <= by x <= above."""
    if by.shape[0] == by.shape[1] and np.linalg.cond(by) < WELL:  # by x may be anything between: no search is needed
        parts = np.linalg.solve(by.T, ways.T).T
        up, down = parts.clip(0.0), (-parts).clip(0.0)
        return np.column_stack([-(up @ below + down @ above), up @ above + down @ below])
    left = np.concatenate([above, below])
    by = np.vstack([by, -by])
    if ways.shape[1] == 1:
        low, high = (np.min(left[slope > 0.0] / slope[slope > 0.0]) for slope in (-by[:, 0], by[:, 0]))
        return np.asarray(np.sort(ways * [-low, high], axis=1))
    from scipy.optimize import linprog  # a tenth of a second that most curves do not need

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
    step = -found.directions @ np.linalg.lstsq(found.apart, room.apart, rcond=1e-9)[0]
    for part in (1.0, 0.25, 0.0625):
        try:
            moved = approach(period_map, closed.state + part * step)
        except NotConverged:
            continue
        if set(units) <= set(stuck_units(moved.passed.flow)):  # else something slides before
            there = room_of(moved.passed.flow, units)
            if np.abs(there.apart).max() < (1.0 - 0.5 * part) * np.abs(room.apart).max():
                return moved._replace(steps=closed.steps, periods=closed.periods + moved.periods), there
    return None
