"""Contacts with zero relative velocity: which stick, which slip, which need the next order; compiled."""

from __future__ import annotations

import math

from slipstick.native import Array, view
from slipstick.transient.exact import records as at
from slipstick.transient.exact.complementarity import (
    EXCLUDED,
    HOLDS,
    SET_ASIDE,
    YIELDS_DOWN,
    YIELDS_UP,
    factor_delassus,
    is_of_pair,
    rate_size,
    stop_contacts,
    yielding_rate,
)
from slipstick.transient.exact.corner_guards import MOTION_ROUNDING_REL, level_rounding, unit_size
from slipstick.transient.exact.driven_friction import set_driven_contact, unloaded
from slipstick.transient.exact.immobile_coordinates import find_immobile
from slipstick.transient.exact.records import FlowModel, State
from slipstick.transient.exact.taylor_series import is_sticking

RATE_ROUNDING_REL = 1e-15  # of the motion of all coordinates, in terms of energy: a rate that counts as zero
NO_BOUND = 1e300


def rate_rounding(model: FlowModel, state: State, e: int) -> float:
    """The rate of unit e that counts as zero, from rounding of the motion of all coordinates."""
    n = model.coordinate_count
    minv = model.inverse_mass
    velocity = view(state.scale, n)
    d_at = model.unit_begin
    column = model.unit_coordinate
    d_value = model.deflection
    step = 1 if not model.full_mass else n + 1
    root_energy = 0.0
    for i in range(n):
        root_energy = max(root_energy, velocity[i] / math.sqrt(minv[i * step]))
    total = 0.0
    for p in range(int(d_at[e]), int(d_at[e + 1])):
        total += abs(d_value[p]) * math.sqrt(minv[int(column[p]) * step])
    return RATE_ROUNDING_REL * root_energy * total


def select_resting_contacts(model: FlowModel, state: State) -> int:
    """Set contacts that slip by their velocity or are unloaded; the others enter the problem. Return their number.

    Stops enter it if they are closed and have no rate (see `impacts`).
    """
    c = model.contact_count
    m = model.unit_count
    unit_of = model.unit_of
    varies = model.limit_varies
    status = state.status
    piece = state.piece
    rate = view(state.deflection_series, m)
    open_ones = 0
    for i in range(c):
        e = int(unit_of[i])
        status[i] = EXCLUDED
        if is_of_pair(model, i):
            if piece[e] == float(at.STICK):
                status[i] = HOLDS
                open_ones += 1
        elif model.stop[i] != 0.0:
            closed = state.touch[i] != at.OPEN
            rests = closed and (stays_at_rest(model, state, e) or abs(rate[e]) <= zero_rate(model, state, e))
            piece[e] = float(at.STICK) if rests else float(at.UNLOADED)
            if rests:
                status[i] = HOLDS
                open_ones += 1
        elif varies[i] != 0.0 and unloaded(model, state, i):
            piece[e] = float(at.UNLOADED)
        elif model.driven[i] != 0.0:
            set_driven_contact(model, state, e)
        elif not stays_at_rest(model, state, e) and abs(rate[e]) > zero_rate(model, state, e):
            piece[e] = float(at.SLIP_UP) if rate[e] > 0.0 else float(at.SLIP_DOWN)
        else:
            piece[e] = float(at.STICK)
            status[i] = HOLDS
            open_ones += 1
    return open_ones


def stays_at_rest(model: FlowModel, state: State, e: int) -> bool:
    """True for a contact that has stuck up to this instant: its rate is zero, unless a prescribed rate jumps here.

    Its computed rate is rounding, and before the first motion there is no size to compare it with.
    """
    if not state.started or not is_sticking(state.old_piece[e]) or state.struck:
        return False
    if not model.has_offsets or state.epoch == 0 or model.epoch_begin[state.epoch] != state.time:
        return True
    here = state.epoch * model.unit_count + e
    return model.offset_slope[here] == model.offset_slope[here - model.unit_count]  # type: ignore[no-any-return]


def zero_rate(model: FlowModel, state: State, e: int) -> float:
    """The bound of rounding in a rate that is zero."""
    return MOTION_ROUNDING_REL * unit_size(model, state, e, 1) + state.zero_rate + rate_rounding(model, state, e)


def stop_resting_contacts(model: FlowModel, state: State) -> None:
    """Set the relative velocities of contacts at rest to zero exactly."""
    independent = factor_delassus(model, state)
    find_immobile(model, state, independent)
    stop_contacts(model, state, independent)


def set_reaction_bounds(model: FlowModel, state: State, k: int, tie: Array) -> None:
    """Set the bounds of the reactions of order k; contacts that are tied at a bound keep only that bound.

    A contact at rest may take its static limit, one that has just broken loose no more than its sliding limit.
    """
    c = model.contact_count
    status = state.status
    ratio = model.static_ratio
    released = state.released
    limit = view(state.limit_series, k * c)
    low = state.lower_bound
    high = state.upper_bound
    for i in range(c):
        if status[i] == EXCLUDED:
            continue
        status[i] = HOLDS
        share = 1.0 if released[i] != 0.0 else ratio[i]
        low[i] = -NO_BOUND
        high[i] = NO_BOUND
        if is_of_pair(model, i):
            continue
        if k == 0:
            high[i] = max(limit[i], 0.0) * share
            low[i] = -high[i]
            if model.stop[i] != 0.0:
                high[i] = NO_BOUND
        elif tie[i] > 0.0:
            high[i] = limit[i] * share
        elif tie[i] < 0.0:
            low[i] = -limit[i] * share


def classify_contacts(model: FlowModel, state: State, k: int, tie: Array) -> int:
    """Classify contacts after an order: holding, slipping, tied. Return the number of ties; -1 if a contact broke
    loose."""
    c = model.contact_count
    status = state.status
    reaction = state.reaction
    unit_of = model.unit_of
    level = level_rounding(state)
    gram = state.delassus
    ratio = model.static_ratio
    released = state.released
    piece = state.piece
    low = state.lower_bound
    high = state.upper_bound
    tied = 0
    broke = False
    for i in range(c):
        if status[i] == HOLDS and (k == 0 or tie[i] != 0.0):
            slack = level * rate_size(model, state, k, i) / gram[i * c + i]
            tie[i] = 0.0
            if reaction[i] >= high[i] - slack:
                tie[i] = 1.0
            elif reaction[i] <= low[i] + slack:
                tie[i] = -1.0
            if tie[i] != 0.0:
                tied += 1
    for i in range(c):
        if status[i] != YIELDS_UP and status[i] != YIELDS_DOWN:
            continue
        e = int(unit_of[i])
        tie[i] = status[i]
        if abs(yielding_rate(model, state, i)) > level * rate_size(model, state, k, i):
            if ratio[i] > 1.0 and released[i] == 0.0:
                broke = True
                released[i] = 1.0
            piece[e] = float(at.SLIP_UP) if status[i] > 0.0 else float(at.SLIP_DOWN)
            if model.stop[i] != 0.0:
                piece[e] = float(at.UNLOADED)
        elif held_by_others(model, state, i, tie):
            piece[e] = float(at.HELD_UP) if status[i] > 0.0 else float(at.HELD_DOWN)
        else:
            tied += 1
    return -1 if broke else tied


def held_by_others(model: FlowModel, state: State, i: int, tie: Array) -> bool:
    """True if holding contacts that are not tied block contact i."""
    c = model.contact_count
    status = state.status
    for j in range(c):
        if status[j] == HOLDS and tie[j] != 0.0:
            status[j] = SET_ASIDE
    before = factor_delassus(model, state)
    keep = status[i]
    status[i] = HOLDS
    after = factor_delassus(model, state)
    status[i] = keep
    for j in range(c):
        if status[j] == SET_ASIDE:
            status[j] = HOLDS
    return after == before


def drop_sliding_contacts(model: FlowModel, state: State) -> None:
    """Remove sliding contacts from the problem: from the next order on their force is their limit."""
    c = model.contact_count
    unit_of = model.unit_of
    status = state.status
    piece = state.piece
    for i in range(c):
        if status[i] != EXCLUDED and piece[int(unit_of[i])] != float(at.STICK):
            status[i] = EXCLUDED
