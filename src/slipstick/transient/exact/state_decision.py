"""The state of every unit right after an instant; compiled.

The Taylor series of the motion is built order by order. Piecewise-linear units at a corner are decided as its
coefficients become known (`corner_guards`). Contacts with zero relative velocity are decided together
(`resting_contacts`): at order 0 within their boxes. A contact at a bound with zero acceleration is a tie; the next
order decides among those still tied. One rule covers the first instant, touching, simultaneous events and release.
"""

from __future__ import annotations

from slipstick.transient.exact import records as at
from slipstick.transient.exact.complementarity import apply_reactions, relative_rates, solve_complementarity
from slipstick.transient.exact.corner_guards import guard_row, is_corner, is_rate, level_rounding, settle_corner
from slipstick.transient.exact.pair_columns import set_pair_columns
from slipstick.transient.exact.records import FlowModel, State
from slipstick.transient.exact.resting_contacts import (
    classify_contacts,
    drop_sliding_contacts,
    select_resting_contacts,
    set_reaction_bounds,
    stop_resting_contacts,
)
from slipstick.transient.exact.taylor_series import (
    acceleration_coefficient,
    deflection_coefficients,
    next_order,
    start_series,
)


def prepare_decision(model: FlowModel, state: State) -> None:
    """Set which rates count as zero, and the guard whose unit is at its corner."""
    start_series(model, state, 0)
    deflection_coefficients(model, state, 1)
    if state.trigger >= 0 and not is_corner(model, state.trigger, state.trigger_guard):
        state.trigger = -1
    state.zero_rate = 0.0  # a rate that ended a segment is at its guard, and so are others as small
    if state.trigger >= 0 and is_rate(model, state, state.trigger, state.trigger_guard):
        state.zero_rate = 2.0 * abs(rate_distance(model, state, state.trigger, state.trigger_guard))


def decide_pieces(model: FlowModel, state: State) -> bool:
    """Set the pieces of all units but pairs right after the present instant; False if that failed."""
    c = model.contact_count
    released = state.released
    for i in range(c):
        released[i] = 0.0
    for _ in range(2 * c + 2):
        answer = attempt_decision(model, state, at.LEVELS)
        if answer == 3:
            answer = attempt_decision(model, state, at.DEEP)
        if answer == 0 or answer == 3:
            return True
        if answer > 1:
            return False
    return False


def rate_distance(model: FlowModel, state: State, e: int, g: int) -> float:
    """The rate of unit e less that at which its rate guard g is zero."""
    rate = float(state.deflection_series[model.unit_count + e])
    if model.contact_of[e] >= 0.0:
        return rate
    row = guard_row(model, state, e, g)
    distance = rate + row.constant / row.v
    if row.partner_rate != 0.0:
        distance += row.partner_rate / row.v * state.deflection_series[model.unit_count + int(model.partner[e])]
    return distance


def attempt_decision(model: FlowModel, state: State, levels: int) -> int:
    """0: settled; 1: a contact broke loose from its static limit, begin again with it sliding; 2: not settled;
    3: a broken line is still at its corner after so many levels."""
    m = model.unit_count
    c = model.contact_count
    contact_of = model.contact_of
    pending = state.pending
    tie = state.tie
    set_pair_columns(model, state)
    start_series(model, state, levels)
    deflection_coefficients(model, state, 1)
    open_ones = select_resting_contacts(model, state)
    if open_ones > 0:
        stop_resting_contacts(model, state)
        start_series(model, state, levels)
        deflection_coefficients(model, state, 1)
    for e in range(m):
        pending[e] = 1.0 if contact_of[e] < 0.0 else 0.0
    for i in range(c):
        tie[i] = 0.0
    tied = open_ones
    corners = 0
    for k in range(levels):
        corners = 0
        for e in range(m):
            if pending[e] != 0.0:
                if settle_corner(model, state, e, k + 1):
                    corners += 1
                else:
                    pending[e] = 0.0
        if tied == 0 and corners == 0:
            return 0
        acceleration_coefficient(model, state, k, True)
        if open_ones > 0:
            relative_rates(model, state, k)
            set_reaction_bounds(model, state, k, tie)
            if solve_complementarity(model, state, k, level_rounding(state)) < 0:
                return 2
            tied = classify_contacts(model, state, k, tie)
            if tied < 0:
                return 1
            apply_reactions(model, state)
            drop_sliding_contacts(model, state)
        next_order(model, state, k)
        deflection_coefficients(model, state, k + 2)
    return 3 if corners > 0 else 0  # contacts that are tied to the end stay where they are
