"""The derivative of the flow along a recorded run; compiled.

Within a segment everything is linear: a change moves as the motion does, without loads, offsets and the constants of
pieces. The same functions compute it, on a copy of the model in which those are zero (`packed_model.tangent_model`).
A change shifts the time of an event by dt, with dg + g' dt = 0 for its guard g. Velocities then change by the jump of
the acceleration times dt, and a stretch that starts or stops moving is set at the new instant. At an impact velocities
jump too, see `impact_sensitivity`.
"""

from __future__ import annotations

import math

from slipstick.native import Array, view
from slipstick.transient.exact import records as at
from slipstick.transient.exact.complementarity import mark_sticking, stop_rates
from slipstick.transient.exact.corner_guards import (
    GAP_GUARD,
    LOAD_GUARD,
    RATE_GUARD,
    UP_GUARD,
    eliminated_guard,
    partner_guard,
)
from slipstick.transient.exact.flow import known_modes
from slipstick.transient.exact.frequency_sensitivity import add_steady_change, put_rate_of_change
from slipstick.transient.exact.guards import friction_of
from slipstick.transient.exact.impact_sensitivity import place_changes_at_stops, reflect_changes, undo_impact
from slipstick.transient.exact.massless_sensitivity import vary_massless
from slipstick.transient.exact.modal_propagation import expand_change_in_modes, move_modal, sum_modes
from slipstick.transient.exact.records import FlowModel, Segment, State, Variation, segment_at, table_at
from slipstick.transient.exact.sampling import restore_segment_begin
from slipstick.transient.exact.state_changes import put_change, segment_length, shift_changes
from slipstick.transient.exact.taylor_series import along_unit, deflection_coefficients, next_order, piece_of
from slipstick.transient.exact.taylor_step import begin_series, build_series, continue_series, move_series, series_reach


def first_coefficients(model: FlowModel, state: State) -> None:
    """The first Taylor coefficients of the motion from the present state: up to the rate of accelerations."""
    independent = begin_series(model, state, 2)
    for k in range(2):
        continue_series(model, state, k, independent)
        next_order(model, state, k)
    deflection_coefficients(model, state, 2)


def guard_and_rate(model: FlowModel, state: State, e: int, g: int) -> tuple[float, float]:
    """The value of guard g of unit e and its rate, from the series of `first_coefficients`."""
    m = model.unit_count
    c = model.contact_count
    u = view(state.deflection_series, e)
    i = int(model.contact_of[e])
    if i < 0:
        constant, stiffness, damping = eliminated_guard(model, state, e, g)
        value = constant + stiffness * u[0] + damping * u[m]
        slope = stiffness * u[m] + 2.0 * damping * u[2 * m]
        partner, stiffness, damping = partner_guard(model, state, e, g)
        if partner >= 0:
            u = view(state.deflection_series, partner)
            value += stiffness * u[0] + damping * u[m]
            slope += stiffness * u[m] + 2.0 * damping * u[2 * m]
        return value, slope
    limit = view(state.limit_series, i)
    if g == GAP_GUARD:
        return model.gap[i] - u[0], -u[m]
    if g == RATE_GUARD:
        sign = 1.0 if piece_of(state, e) == at.SLIP_UP else -1.0
        return sign * u[m], 2.0 * sign * u[2 * m]
    if g == LOAD_GUARD:
        sign = -1.0 if piece_of(state, e) == at.UNLOADED else 1.0
        return sign * limit[0], sign * limit[c]
    sign = -1.0 if g == UP_GUARD else 1.0
    ratio = model.static_ratio[i]
    reaction = view(state.reaction_series, i)
    load = friction_of(model, i)
    if load != 0.0:
        normal = view(state.reaction_series, int(model.normal_of[i]))
        return load * normal[0] + sign * reaction[0], load * normal[c] + sign * reaction[c]
    return ratio * limit[0] + sign * reaction[0], ratio * limit[c] + sign * reaction[c]


def guard_value(model: FlowModel, state: State, e: int, g: int) -> float:
    """The value of guard g of unit e in the present state; contacts and prescribed motions need Taylor coefficients."""
    if model.contact_of[e] >= 0.0 or model.has_offsets:
        first_coefficients(model, state)
        value, _ = guard_and_rate(model, state, e, g)
        return value
    constant, stiffness, damping = eliminated_guard(model, state, e, g)
    x = state.motion
    rates = view(x, model.coordinate_count)
    value = constant + stiffness * along_unit(model, e, x) + damping * along_unit(model, e, rates)
    partner, stiffness, damping = partner_guard(model, state, e, g)
    if partner >= 0:
        value += stiffness * along_unit(model, partner, x) + damping * along_unit(model, partner, rates)
    return value


def stop_changes(model: FlowModel, state: State, change: Array) -> None:
    """Remove changes of the rates of sticking contacts: a run starts by bringing these to rest."""
    n = model.coordinate_count
    c = model.contact_count
    if c == 0:
        return
    unit_of = model.unit_of
    rates = state.rates
    if model.has_stops:
        place_changes_at_stops(model, state, change)
    independent = mark_sticking(model, state)
    for i in range(c):
        rates[i] = along_unit(model, int(unit_of[i]), view(change, n))
    stop_rates(model, state, independent, view(change, n))


def carry_change(variation: Variation, place: int, s: float, first: bool, change: Array) -> None:
    """Carry a change through one segment of length s, in the pieces of the present state; ``near`` ends at its end.

    place : of the table of modes.   first : false if ``near`` has modes at its end from another change.
    """
    tangent = variation.tangent
    near = variation.near
    n = tangent.coordinate_count
    x = near.motion
    put_change(tangent, variation.state, near, change)
    if place != at.NO_TABLE:
        table = table_at(variation.tables, place)
        expand_change_in_modes(tangent, table, near, s)
        if first:
            move_modal(tangent, table, near, s, x)
        else:
            sum_modes(tangent, table, near, s, x)
    else:
        left = s
        while left > 0.0:
            build_series(tangent, near, left)
            h = series_reach(tangent, near, left)
            if not h > 0.0:
                break
            move_series(tangent, near, h, x)
            left -= h
    for i in range(2 * n):
        change[i] = x[i]


def vary_run(variation: Variation, count: int, swept: int) -> None:
    """Carry the first ``count`` changes from the first segment to the end of the run.

    swept : index of the change by the base frequency (see `frequency_sensitivity`); -1: none.
        It becomes NaN if a segment was not propagated by modes.
    """
    if not variation.model.regular:
        vary_massless(variation, count)
    else:
        vary_on(variation, count, swept, 0)


def vary_on(variation: Variation, count: int, swept: int, ahead: int) -> None:
    """The same with inertia; the first ``ahead`` changes are already at the end of the first segment."""
    model = variation.model
    tangent = variation.tangent
    state = variation.state
    near = variation.near
    tables = variation.tables
    recording = variation.recording
    changes = variation.changes
    size = 2 * model.coordinate_count + model.unit_count
    restore_segment_begin(model, state, segment_at(recording, 0))
    for c in range(count):
        stop_changes(model, state, view(changes, c * size))
    for k in range(recording.segment_count):
        segment = segment_at(recording, k)
        following = segment_at(recording, k + 1)
        last = k == recording.segment_count - 1
        s = segment_length(recording, k, variation.end)
        walked = ahead if k == 0 else 0
        restore_segment_begin(model, state, segment)
        # a motion whose modes cancel is walked by Taylor steps, but not its changes: there are many, and digits enough
        place = known_modes(model, state, tables)
        for c in range(count):
            change = view(changes, c * size)
            by = tangent
            factor = 1.0
            if c == swept:
                if place == at.NO_TABLE:
                    change[0] = math.nan
                    continue
                add_steady_change(model, table_at(tables, place), state.time, -1.0, change)
            if c < walked:
                put_change(tangent, state, near, change)
            else:
                carry_change(variation, place, s, c == walked, change)
            if c == swept:
                factor = state.time + s
                add_steady_change(model, table_at(tables, place), factor, 1.0, change)
                by = variation.turned
                put_rate_of_change(by, near, factor, change)
            if not last:
                shift = 0.0
                if following.fired >= 0:
                    shift = guard_value(by, near, following.fired, following.fired_guard)
                state.guard_changes[c] = factor * shift
        if not last:
            cross_event(model, state, segment, following, changes, count)


def cross_event(
    model: FlowModel, state: State, segment: Segment, following: Segment, changes: Array, count: int
) -> float:
    """Carry changes across the event between two segments; ``guard_changes`` holds the change of its guard for each.

    Returns the slope of the guard; 0 for an event at a given time.
    """
    n = model.coordinate_count
    jump = state.jump
    q2 = view(state.displacement_series, 2 * n)
    restore_segment_begin(model, state, following)
    first_coefficients(model, state)
    for i in range(n):
        jump[i] = -state.motion[n + i]
        jump[n + i] = -2.0 * q2[i]
    if model.has_stops:
        undo_impact(model, state, following)
    for e in range(model.unit_count):
        state.piece[e] = segment.piece[e]
        state.memory[e] = segment.memory[e]
    state.epoch = segment.epoch
    first_coefficients(model, state)
    for i in range(n):
        jump[i] = jump[i] + state.motion[n + i] if model.has_stops else 0.0
        jump[n + i] += 2.0 * q2[i]
    slope = 0.0
    if following.fired >= 0:
        _, slope = guard_and_rate(model, state, following.fired, following.fired_guard)
    if model.has_stops:
        reflect_changes(model, state, following, slope, changes, count)
    shift_changes(model, state, segment, following, slope, changes, count)
    return slope
