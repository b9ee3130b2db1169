"""Orbits that are one of many: what sticks for a whole period may rest anywhere within a band.

Along the neutral directions of the period map (multipliers of one) the forces of what sticks change by constants, as
long as nothing else changes its state. A curve goes on from one of them: that in which sliders have never slid, if it
is well within the band, as it is where they are far from their limits; else as near to that as nine tenths of the way
from the middle to the edge. Where a band closes, sliding begins at both limits at once, and the curve goes on smoothly.
Contacts of dry friction have no place of their own, and rest in the middle.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import NotConverged
from slipstick.periodic.shooting.exact_map import ExactMap, ExactPeriod
from slipstick.periodic.shooting.newton import PERIODICITY_TOLERANCE, PeriodicSolution, solve_period_map_near
from slipstick.transient.exact.flow_run import Flow
from slipstick.transient.exact.outputs import limit_margins

NEUTRAL_SINGULAR_VALUE = 1e-7  # singular values of D - 1, scaled, below this belong to neutral directions
BAND_STEP_REL = 1e-7  # of the sizes of a state: less than most bands are wide
WIDE_BAND_STEP_REL = 1e-5  # the same where that is not enough
MAX_BAND_PLACE_REL = 0.9  # of the way from the middle of a band to its edge: so far at most a curve goes
MIN_STRETCH_CHANGE_REL = 1e-6  # of what the place of a slider changes by: what its stretch does at the least
MIDDLE_TOLERANCE_REL = 1e-9  # of the limit: as near to the middle as it needs to be
MAX_CENTRING_ROUNDS = 20
MAX_CONDITION = 1e6  # condition of the matrix by which slides change forces, where it can be inverted
REST_RATE_RESIDUALS = 1e3  # of what an orbit may miss itself by: velocities of contacts that may be at rest


class LimitMargin(NamedTuple):
    """What elements that stick have left to their limits at the least, over the limits: (k,) above, (k,) below.

    virgin : (k,) what the force of a slider would have more if it had never slid; of contacts, to the middle.
    Changes of these along directions are a room as well, of (k, directions).
    """

    above: Array
    below: Array
    virgin: Array

    @property
    def aside(self) -> Array:
        """(k,) how far from the middle they are; forces above it are positive."""
        return 0.5 * (self.below - self.above)

    @property
    def most(self) -> Array:
        """(k,) how far from the middle they may be."""
        return MAX_BAND_PLACE_REL * 0.5 * (self.below + self.above)

    def apart(self, held: Array) -> Array:
        """(k,) how far they are from where a curve wants them.

        held : (k,) 1 and -1 for those that would lie too far above or below if they had never slid, else 0.
        """
        sides = held if self.above.ndim == 1 else held[:, None]
        return np.where(sides == 0.0, -self.virgin, self.aside - sides * self.most)


def stuck_units(flow: Flow) -> list[int]:
    """The sliders and contacts that come back without having slid: not at all, or one way only, by nothing.

    What slides one way only touches its limit, at the edge of the band.
    """
    return [] if flow.slid else [j for j, ways in flow.ways.items() if len(ways) < 2]


def limit_margin_of(flow: Flow, units: list[int]) -> LimitMargin:
    """What the units that stick have left to their limits."""
    left = limit_margins(flow, units)
    above, below = left.above / left.limit, left.below / left.limit
    virgin = 0.5 * (above - below)
    for k, j in enumerate(units):
        if not flow.engine.packed.units[j].friction:
            virgin[k] = _slid(flow, j) / left.limit[k]
    return LimitMargin(above, below, virgin)


def _slid(flow: Flow, j: int) -> float:
    """The force that a slider has lost since it was virgin: by how far it has slid."""
    packed = flow.engine.packed
    piece = packed.pieces[j][int(flow.pieces[0, j])]
    e = packed.units[j].elements[0]
    element = packed.problem.elements[e]
    if not piece.moves:
        return 0.0
    virgin = 0.0
    if packed.units[j].partner >= 0:  # its slider begins where contact is made
        u = packed.problem.deflections_at(packed.problem.start, flow.motions[0, : packed.problem.n])
        virgin = element.law.start_within(u[e:].tolist())[0]
    return float(element.force * piece.force.w * (flow.memories[0, j] - virgin))


def neutral_directions(period_map: ExactMap, passed: ExactPeriod) -> Array:
    """(size, k) changes of the state that come back after a period."""
    scales = period_map.scales(passed.flow)
    assert passed.derivative is not None
    matrix = (passed.derivative - np.eye(period_map.size)) * (scales / scales[:, None])
    _, values, rows = np.linalg.svd(matrix)
    return np.asarray(rows[values < NEUTRAL_SINGULAR_VALUE].T * scales[:, None])


def _wide(period_map: ExactMap, sizes: Array) -> Array:
    """Sizes that are nudged by: not so small that rounding of forces hides what comes of it."""
    return np.maximum(sizes, period_map.yielding.min(initial=np.inf)) if period_map.yielding.size else sizes


def _lost_by_sliding(period_map: ExactMap, j: int, limit: float) -> float:
    """The force that a slider loses by sliding, over its limit, by how far it slides."""
    packed = period_map.engine.packed
    unit = packed.units[j]
    force = period_map.problem.elements[unit.elements[0]].force
    return float(force * packed.pieces[j][unit.pieces.index("stick")].force.w / limit)


def centred_orbit(period_map: ExactMap, closed: PeriodicSolution, contacts: bool = True) -> PeriodicSolution:
    """The orbit that a curve wants of the band an orbit belongs to; itself where it is the only one.

    contacts : also where contacts of dry friction rest; else only sliders are moved.
    """
    units = stuck_units(closed.passed.flow)
    if not contacts:
        units = [j for j in units if not period_map.engine.packed.units[j].friction]
    if not units:
        return closed
    closed = orbit_off_band_edge(period_map, closed)
    room = limit_margin_of(closed.passed.flow, units)
    for _ in range(MAX_CENTRING_ROUNDS):
        if ((np.abs(room.virgin) <= MIDDLE_TOLERANCE_REL) & (np.abs(room.aside) <= room.most)).all():
            break
        found = band_slopes_along(period_map, closed.state, closed.passed, units, room)
        if found is None or np.abs(room.apart(found.held(room))).max() <= MIDDLE_TOLERANCE_REL:
            break
        moved = _nearer(period_map, closed, units, room, found)
        if moved is None:
            break
        closed, room = moved
    return closed


def orbit_off_band_edge(period_map: ExactMap, closed: PeriodicSolution) -> PeriodicSolution:
    """Where sliders only touch their limits, an orbit at which they do not; itself if there is none."""
    for nudge in (
        BAND_STEP_REL,
        WIDE_BAND_STEP_REL,
    ):  # an orbit may lie outside of its band by the root of what it may miss itself by
        state = _further_inside(period_map, closed.state, closed.passed, nudge)
        if (state == closed.state).all():
            return closed
        try:
            found = solve_period_map_near(period_map, state)
        except NotConverged:
            continue
        if all(len(own) != 1 for own in found.passed.flow.ways.values()):
            return found._replace(steps=closed.steps)
    return closed


def state_inside_band(period_map: ExactMap, state: Array, passed: ExactPeriod) -> tuple[Array, ExactPeriod]:
    """A state and its period with sliders that slip one way only less stretched, so that they do not; itself where
    that is not enough."""
    for nudge in (BAND_STEP_REL, WIDE_BAND_STEP_REL):
        if all(len(ways) != 1 for ways in passed.flow.ways.values()):
            return state, passed
        moved = _further_inside(period_map, state, passed, nudge)
        state, passed = moved, period_map.go(moved, derivative=True)
    return state, passed


def _further_inside(period_map: ExactMap, state: Array, passed: ExactPeriod, nudge: float) -> Array:
    """(size,) the state with sliders less stretched, by what they slide and a little more; contacts are stopped, and
    moved on the way they slide."""
    flow, units, n = passed.flow, period_map.engine.packed.units, period_map.problem.n
    touching = {j: 1.0 if ways == {"slip+"} else -1.0 for j, ways in flow.ways.items() if len(ways) == 1}
    contacts = [j for j in touching if units[j].friction]
    gone = passed.state - state
    found = (with_contacts_stopped(period_map, state, flow) if contacts else state).copy()
    for j in contacts:
        d = units[j].deflection
        found[:n] += touching[j] * nudge * float(period_map.yielding.min()) * d / (d @ d)
    for k, j in enumerate(period_map.sliders):
        if j in touching:
            slid = abs(float(units[j].deflection @ gone[:n] - gone[2 * n + k]))
            left = limit_margins(flow, [j])  # not so far that it slips the other way
            lost = _lost_by_sliding(period_map, j, 1.0)
            least = min(nudge * flow.sizes[2 * n + k], float(left.above[0] + left.below[0]) / 2.0 / abs(lost))
            found += touching[j] * (slid + least) * _shifted_place(period_map, flow, j)
    return found


def _shifted_place(period_map: ExactMap, flow: Flow, j: int) -> Array:
    """(size,) how a state changes with the place of a slider if all else stays at rest, over the change of its stretch.

    A stretch alone would set the masses swinging, which may stretch it the more.
    """
    packed, n = period_map.engine.packed, period_map.problem.n
    numbers = flow.pieces[0].astype(np.intp).tolist()
    resisting, pushed = packed.stiffness.copy(), np.zeros(n)
    for i, unit in enumerate(packed.units):
        if not unit.is_contact:
            own = packed.pieces[i][unit.pieces.index("stick") if i in period_map.sliders else numbers[i]].force
            resisting += (own.u + own.w) * np.outer(unit.along, unit.deflection)
            pushed += own.w * unit.along if i == j else 0.0
    change = np.zeros(period_map.size)
    change[:n] = np.linalg.lstsq(resisting, pushed, rcond=1e-12)[0]
    for k, i in enumerate(period_map.sliders):
        change[2 * n + k] = packed.units[i].deflection @ change[:n] - (i == j)
    own_part = abs(float(change[2 * n + period_map.sliders.index(j)]))
    return change / own_part if own_part > MIN_STRETCH_CHANGE_REL else np.zeros(period_map.size)


def with_contacts_stopped(period_map: ExactMap, state: Array, flow: Flow) -> Array:
    """(size,) a state with those contacts at rest that slide at first by little more than what an orbit may miss itself
    by; itself if there are none."""
    n, units = period_map.problem.n, period_map.engine.packed.units
    v, nothing = state[n : 2 * n], REST_RATE_RESIDUALS * PERIODICITY_TOLERANCE * period_map.scales(flow)[n]
    rows = [unit.deflection for unit in units if unit.friction and 0.0 < abs(unit.deflection @ v) <= nothing]
    if not rows:
        return state
    found, moving = state.copy(), np.array(rows)
    found[n : 2 * n] -= np.linalg.pinv(moving) @ (moving @ v)
    return found


class BandSlopes(NamedTuple):
    """How k neutral directions (size, k) change the room of units."""

    directions: Array
    room: LimitMargin

    def held(self, room: LimitMargin) -> Array:
        """(units,) as `LimitMargin.apart` wants it: at first none is, then those are that would lie too far aside."""
        held = np.zeros(room.above.size)
        for _ in range(held.size + 1):
            step = self.towards(room, held)
            aside, most = room.aside + self.room.aside @ step, room.most + self.room.most @ step
            beyond = (held == 0.0) & (np.abs(aside) > most + MIDDLE_TOLERANCE_REL)
            if not beyond.any():
                break
            held = np.where(beyond, np.sign(aside), held)
        return held

    def towards(self, room: LimitMargin, held: Array) -> Array:
        """(k,) how far along each direction a curve wants to be."""
        return np.asarray(-np.linalg.lstsq(self.room.apart(held), room.apart(held), rcond=1e-9)[0])


def band_slopes_along(
    period_map: ExactMap, state: Array, passed: ExactPeriod, units: list[int], room: LimitMargin
) -> BandSlopes | None:
    """Along all neutral directions; None if nothing changes along them, or something slides at once."""
    directions, flow = neutral_directions(period_map, passed), passed.flow
    if period_map.yielding.size:  # a nudge is to be seen in the forces
        directions = directions * (_wide(period_map, np.abs(directions).max(axis=0)) / np.abs(directions).max(axis=0))
    own = [flow.engine.packed.units[j] for j in units]
    steady = not flow.recording.event_count and not any(unit.friction or unit.partner >= 0 for unit in own)
    if steady:
        found: BandSlopes | None = constant_band_slopes(period_map, directions, units, flow)
    else:
        found = _nudged(period_map, state, directions, units, room)
    return found if found is not None and np.abs(found.room.aside).max(initial=0.0) > MIDDLE_TOLERANCE_REL else None


def begins_pressed(period_map: ExactMap, j: int) -> bool:
    """False for a unit whose virgin place depends on the motion: dry friction, and contacts that are open at zero."""
    unit = period_map.engine.packed.units[j]
    if unit.partner < 0:
        return not unit.friction
    law = period_map.problem.elements[unit.elements[0]].law.kernel_law
    return law.state_at_rest((0.0,) * len(law.directions)) == "stick"


def constant_band_slopes(period_map: ExactMap, directions: Array, units: list[int], flow: Flow) -> BandSlopes:
    """Where nothing happens in a period: neutral changes are constants then, and so are the changes of forces.

    Of contacts only the change of `LimitMargin.virgin` is right, as their limits change too.
    """
    packed, n = period_map.engine.packed, period_map.problem.n
    aside, lost = np.empty((2, len(units), directions.shape[1]))
    for k, j in enumerate(units):
        slope = _lost_by_sliding(period_map, j, float(limit_margins(flow, [j]).limit[0]))
        w = directions[2 * n + period_map.sliders.index(j)]
        aside[k] = slope * w
        lost[k] = slope * (packed.units[j].deflection @ directions[:n] - w)
    return BandSlopes(directions, LimitMargin(-aside, aside, lost))


def _nudged(
    period_map: ExactMap, state: Array, directions: Array, units: list[int], room: LimitMargin
) -> BandSlopes | None:
    """By a period from a little further along each, or against it where something slides there; None: both ways."""
    changes = np.empty((3, len(units), directions.shape[1]))
    for k, direction in enumerate(directions.T):
        for nudge in (BAND_STEP_REL, -BAND_STEP_REL):
            try:
                flow = period_map.go(state + nudge * direction).flow
            except NotConverged:
                continue
            if not any(flow.ways.get(j) for j in units):
                changes[:, :, k] = (np.array(limit_margin_of(flow, units)) - np.array(room)) / nudge
                break
        else:
            return None
    return BandSlopes(directions, LimitMargin(*changes))


def band_extent(period_map: ExactMap, closed: PeriodicSolution) -> Array | None:
    """(n, 2) by how much the free coordinates may be shifted down and up within the band; None for an orbit alone.

    Exact where nothing slips; where something else does, as far as the forces change in proportion.
    """
    units = stuck_units(closed.passed.flow)
    if not units:
        return None
    closed = orbit_off_band_edge(period_map, closed)
    room = limit_margin_of(closed.passed.flow, units)
    found = band_slopes_along(period_map, closed.state, closed.passed, units, room)
    if found is None:
        return None
    return _farthest(
        found.directions[: period_map.problem.n], found.room.aside, room.below.clip(0.0), room.above.clip(0.0)
    )


def _farthest(ways: Array, by: Array, below: Array, above: Array) -> Array:
    """(n, 2) the least and the largest of each row of ways (n, k) times any x (k,) with -below <= by x <= above."""
    if (
        by.shape[0] == by.shape[1] and np.linalg.cond(by) < MAX_CONDITION
    ):  # by x may be anything between: no search is needed
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


def _nearer(
    period_map: ExactMap, closed: PeriodicSolution, units: list[int], room: LimitMargin, found: BandSlopes
) -> tuple[PeriodicSolution, LimitMargin] | None:
    """A step towards where a curve wants it, and the room there; None if there is no way there."""
    held = found.held(room)
    step = found.directions @ found.towards(room, held)
    for part in (1.0, 0.25, 0.0625):
        try:
            moved = solve_period_map_near(period_map, closed.state + part * step)
        except NotConverged:
            continue
        if set(units) <= set(stuck_units(moved.passed.flow)):  # else something slides before
            there = limit_margin_of(moved.passed.flow, units)
            if np.abs(there.apart(held)).max() < (1.0 - 0.5 * part) * np.abs(room.apart(held)).max():
                return moved._replace(steps=closed.steps, periods=closed.periods + moved.periods), there
    return None
