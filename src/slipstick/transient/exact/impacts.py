"""Impacts at rigid stops: closed stops, impulses, and accumulation of impacts to rest; compiled.

All stops that are closed at an instant are decided together. With G the Delassus matrix, impulses P solve

    v+ = v- - G P,    P >= 0,    v+ <= -e max(v-, 0),    P (v+ + e max(v-, 0)) = 0    for each stop:

Newton's law for every stop that takes an impulse. A stop dissipates P (v- + v+)/2.

If an acceleration a presses a stop, its impacts accumulate: after a rebound at the rate v, all further ones take
T = 2 v/(a (1 - e)). Once the remaining deflections are below rounding, the stop stays in contact, and the sequence ends
after T. Impulse and loss over T equal those of the impacts.
"""

from __future__ import annotations

from slipstick.native import view
from slipstick.transient.exact import records as at
from slipstick.transient.exact.complementarity import (
    EXCLUDED,
    HOLDS,
    factor_delassus,
    is_of_pair,
    solve_complementarity,
    stop_rates,
)
from slipstick.transient.exact.corner_guards import GAP_GUARD, MOTION_ROUNDING_REL, unit_size
from slipstick.transient.exact.guard_roots import MACHINE_EPSILON, NEVER
from slipstick.transient.exact.pair_columns import set_plain_columns
from slipstick.transient.exact.pair_search import solve_pair_impulses
from slipstick.transient.exact.records import FlowModel, State
from slipstick.transient.exact.resting_contacts import NO_BOUND, stays_at_rest, zero_rate
from slipstick.transient.exact.taylor_series import (
    deflection_coefficients,
    is_sticking,
    next_order,
    start_series,
)
from slipstick.transient.exact.taylor_step import begin_series, continue_series

# of the sizes of terms: a stop this near is closed at the start of a run, or of a trial period of shooting
START_ROUNDING_REL, TRIAL_ROUNDING_REL = 1e-13, 1e-10
SETTLED_HEIGHT = 4.0  # units of rounding of a deflection: rebounds below it are summed in closed form
SETTLED_DELAY = 4.0  # units of rounding of the time: the largest error of that sum
SHORT_FLIGHT_REL = 1e-2  # of the size of a deflection: lower rebounds are followed by Taylor steps from the stop


def size_at_stop(model: FlowModel, state: State, i: int) -> float:
    """The scale of rounding of the distance to stop i."""
    return float(unit_size(model, state, int(model.unit_of[i]), 0) + abs(model.gap[i]))


def find_closed_stops(model: FlowModel, state: State) -> None:
    """Set ``touch`` of all stops from the series of orders 0 and 1, and ``arrival``, the rates of closed ones."""
    rate = view(state.deflection_series, model.unit_count)
    for i in range(model.contact_count):
        state.touch[i] = at.OPEN
        state.arrival[i] = 0.0
        state.impulse[i] = 0.0
        if model.stop[i] == 0.0:
            continue
        e = int(model.unit_of[i])
        small = MOTION_ROUNDING_REL if state.started else state.start_slack
        hit = state.fired == e and state.fired_guard == GAP_GUARD
        rests = state.started and is_sticking(state.old_piece[e])
        if hit or rests or model.gap[i] - state.deflection_series[e] <= small * size_at_stop(model, state, i):
            state.touch[i] = at.CLOSED
            if not stays_at_rest(model, state, e) and abs(rate[e]) > zero_rate(model, state, e):
                state.arrival[i] = rate[e]


def place_at_stops(model: FlowModel, state: State) -> None:
    """Move closed stops to their gaps, with the least change weighted by inertia: a run may start beyond them."""
    mark_closed(model, state)
    set_plain_columns(model, state)
    for i in range(model.contact_count):
        state.rates[i] = state.deflection_series[int(model.unit_of[i])] - model.gap[i]
    stop_rates(model, state, factor_delassus(model, state), state.motion)


def mark_closed(model: FlowModel, state: State) -> None:
    """Set up the complementarity problem with closed stops alone, which only push."""
    for i in range(model.contact_count):
        state.status[i] = HOLDS if state.touch[i] != at.OPEN else EXCLUDED
        state.lower_bound[i] = 0.0
        state.upper_bound[i] = NO_BOUND
        state.reaction[i] = 0.0


def begin_instant(model: FlowModel, state: State) -> None:
    """Find closed stops, and solve for the impulses if an impact occurs (``struck``)."""
    state.zero_rate = 0.0
    state.struck = False
    start_series(model, state, 0)
    deflection_coefficients(model, state, 1)
    find_closed_stops(model, state)
    if not state.started:
        place_at_stops(model, state)
        start_series(model, state, 0)
        deflection_coefficients(model, state, 1)
    for i in range(model.contact_count):
        if state.arrival[i] > 0.0:
            state.struck = True
    if state.struck:
        strike(model, state)


def strike(model: FlowModel, state: State) -> bool:
    """Solve for the impulses of closed stops and change the velocities; False if that failed."""
    n = model.coordinate_count
    if model.has_pairs:
        found = solve_pair_impulses(model, state)
        change_velocities(model, state, -1.0)
        return found
    mark_closed(model, state)
    for i in range(model.contact_count):
        rebound = 0.0 if state.settling[i] != 0.0 else model.restitution[i]
        state.rates[i] = state.arrival[i] + rebound * max(state.arrival[i], 0.0)
    for j in range(n):
        state.force_size[j] = state.scale[n + j]
    solved = solve_complementarity(model, state, 0, MOTION_ROUNDING_REL) >= 0
    for i in range(model.contact_count):
        state.impulse[i] = max(state.reaction[i], 0.0) if state.status[i] == HOLDS else 0.0
    change_velocities(model, state, -1.0)
    return solved


def change_velocities(model: FlowModel, state: State, factor: float) -> None:
    """Add the effect of all impulses times a factor to the velocities."""
    n = model.coordinate_count
    c = model.contact_count
    velocity = view(state.motion, n)
    for i in range(c):
        if state.impulse[i] != 0.0:
            for j in range(n):
                velocity[j] += factor * model.inverse_mass_along[j * c + i] * state.impulse[i]


def end_instant(model: FlowModel, state: State) -> bool:
    """Mark rebounds after the pieces are decided; True if a sequence of impacts ends: decide again."""
    m = model.unit_count
    state.short_flight = False
    rebounds = False
    rate = view(state.deflection_series, m)
    for i in range(model.contact_count):
        e = int(model.unit_of[i])
        if not is_sticking(state.piece[e]):
            state.settling[i] = 0.0
            rebounds = rebounds or is_struck(model, state, i) or is_kicked(model, state, i)
    if not rebounds:
        return False
    independent = begin_series(model, state, 2)
    for k in range(2):
        continue_series(model, state, k, independent)
        next_order(model, state, k)
    deflection_coefficients(model, state, 2)
    deflection_coefficients(model, state, 3)
    settles = False
    for i in range(model.contact_count):
        e = int(model.unit_of[i])
        if is_struck(model, state, i) and not is_sticking(state.piece[e]) and rate[e] < 0.0:
            state.touch[i] = at.REBOUNDING
            if is_settling(model, state, i, -rate[e]):
                settles = True
        elif is_kicked(model, state, i) and state.deflection_series[2 * m + e] > 0.0:
            state.touch[i] = at.REBOUNDING
            note_short_flight(model, state, i, -rate[e])
    return settles


def is_struck(model: FlowModel, state: State, i: int) -> bool:
    """True for a stop with an impulse at this instant."""
    return model.stop[i] != 0.0 and state.impulse[i] > 0.0  # type: ignore[no-any-return]


def is_kicked(model: FlowModel, state: State, i: int) -> bool:
    """True for the normal contact of a pair that leaves without an impulse, because another impact moved it."""
    if not is_of_pair(model, i) or model.stop[i] == 0.0 or state.touch[i] == at.OPEN or state.impulse[i] > 0.0:
        return False
    e = int(model.unit_of[i])
    rate = state.deflection_series[model.unit_count + e]
    return not is_sticking(state.piece[e]) and rate < -zero_rate(model, state, e)


def note_short_flight(model: FlowModel, state: State, i: int, v: float) -> None:
    """Mark a flight of stop i that begins at the rate v, if it is low."""
    a = 2.0 * state.deflection_series[2 * model.unit_count + int(model.unit_of[i])]
    if v * v < 2.0 * SHORT_FLIGHT_REL * abs(a) * size_at_stop(model, state, i):
        state.short_flight = True


def is_settling(model: FlowModel, state: State, i: int, v: float) -> bool:
    """True if all rebounds of stop i after one at the rate v are below rounding; ``settling`` is when they end."""
    m = model.unit_count
    e = int(model.unit_of[i])
    e_rest = model.restitution[i]
    a = 2.0 * state.deflection_series[2 * m + e]
    size = size_at_stop(model, state, i)
    note_short_flight(model, state, i, v)
    if not (a > 0.0 and e_rest < 1.0):
        return False
    height = v * v / (2.0 * a)
    ahead = 2.0 * v / (a * (1.0 - e_rest))
    late = abs(6.0 * state.deflection_series[3 * m + e]) * ahead * ahead / a
    if height > SETTLED_HEIGHT * MACHINE_EPSILON * size:
        return False
    if late > SETTLED_DELAY * MACHINE_EPSILON * abs(state.time) and v > 10.0 * zero_rate(model, state, e):
        return False
    state.settling[i] = state.time + (state.time_low + ahead)
    state.settled_count += 1
    state.settled_rate = max(state.settled_rate, v)
    state.settled_height = max(state.settled_height, height)
    state.settled_delay = max(state.settled_delay, late)
    return True


def strike_again(model: FlowModel, state: State) -> None:
    """Solve for the impulses again where sequences of impacts end at this instant: these stops stay closed."""
    change_velocities(model, state, 1.0)
    start_series(model, state, 0)
    deflection_coefficients(model, state, 1)
    for i in range(model.contact_count):
        if state.touch[i] == at.REBOUNDING:
            state.touch[i] = at.CLOSED
    strike(model, state)


def next_settling(model: FlowModel, state: State) -> float:
    """The time at which the next sequence of impacts ends."""
    first = NEVER
    for i in range(model.contact_count):
        if state.settling[i] != 0.0:
            first = min(first, state.settling[i])
    return first


def forget_rebounds(model: FlowModel, state: State) -> None:
    """Clear the marks of rebounds after a part of the flight."""
    state.short_flight = False
    for i in range(model.contact_count):
        state.touch[i] = at.OPEN
