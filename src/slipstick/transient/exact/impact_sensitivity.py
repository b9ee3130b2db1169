"""Sensitivities across impacts; compiled.

An impact maps velocities by v+ = v- - M^-1 A P with G P = (1 + e) v of the stops that take an impulse, so P is linear
in their rates v. If the impact is later by dt, the perturbation of these rates is that of the velocities before it plus
their acceleration times dt. The rest of the saltation is that of any event: jumps of velocity and acceleration times
dt.
"""

from __future__ import annotations

from slipstick.native import Array, view
from slipstick.transient.exact import records as at
from slipstick.transient.exact.complementarity import EXCLUDED, HOLDS, factor_delassus, is_of_pair, stop_rates
from slipstick.transient.exact.pair_columns import set_column, set_plain_columns
from slipstick.transient.exact.records import FlowModel, Segment, State
from slipstick.transient.exact.taylor_series import along_unit

AT_LIMIT_REL = 1e-12  # of the limit of a tangential impulse: it is at the limit
AT_REST_REL = 1e-9  # of the rate that its own impulse stops: a slower stop was at rest before the impact


def undo_impact(model: FlowModel, state: State, following: Segment) -> None:
    """Set the velocities at the start of a segment to those before the impact."""
    n = model.coordinate_count
    c = model.contact_count
    for i in range(c):
        for j in range(n):
            state.motion[n + j] += model.inverse_mass_along[j * c + i] * following.impulse[i]


def reflect_changes(
    model: FlowModel, state: State, following: Segment, slope: float, changes: Array, count: int
) -> None:
    """Map perturbations of velocities across the impact at the start of a segment, without what any event adds.

    state : just before the impact, with the series of its motion.   slope : of the guard that fired.
    """
    n = model.coordinate_count
    m = model.unit_count
    if mark_struck(model, state, following) == 0:
        return
    independent = factor_delassus(model, state)
    acceleration = view(state.deflection_series, 2 * m)
    for k in range(count):
        velocity = view(changes, k * (2 * n + m) + n)
        later = 0.0
        if slope != 0.0:
            later = -state.guard_changes[k] / slope
        for i in range(model.contact_count):
            state.rates[i] = 0.0
            if state.status[i] == HOLDS:
                e = int(model.unit_of[i])
                own = along_unit(model, e, velocity) + 2.0 * acceleration[e] * later
                state.rates[i] = state.upper_bound[i] * own
        stop_rates(model, state, independent, velocity)


def mark_struck(model: FlowModel, state: State, following: Segment) -> int:
    """Set up the problem with the contacts that an impact stops; return the number of stops among them.

    ``upper_bound`` : how much of its rate is taken from each. A tangential contact of a pair is stopped where its
    impulse is below the limit; at the limit, it follows the normal impulse.
    """
    active = 0
    for i in range(model.contact_count):
        state.status[i] = EXCLUDED
    for i in range(model.contact_count):
        if model.stop[i] == 0.0 or following.impulse[i] <= 0.0:
            continue
        active += 1
        state.status[i] = HOLDS
        state.upper_bound[i] = 1.0 + rebound_ratio(model, state, following, i)
        if is_of_pair(model, i):
            t = int(model.tangential_of[i])
            tangential = following.impulse[t]
            way = 0.0
            if abs(tangential) >= (1.0 - AT_LIMIT_REL) * model.friction[i] * following.impulse[i]:
                way = 1.0 if tangential > 0.0 else -1.0
            else:
                state.status[t] = HOLDS
                state.upper_bound[t] = 1.0
            set_column(model, state, i, way)
    return active


def rebound_ratio(model: FlowModel, state: State, following: Segment, i: int) -> float:
    """The rate of stop i after an impact over that before it, with opposite sign; 0 for a stop that was at rest."""
    c = model.contact_count
    before = float(state.deflection_series[model.unit_count + int(model.unit_of[i])])
    if before <= AT_REST_REL * model.delassus[i * c + i] * following.impulse[i]:
        return 0.0
    after = before
    for j in range(c):
        after -= model.delassus[i * c + j] * following.impulse[j]
    return min(max(-after / before, 0.0), 1.0)


def place_changes_at_stops(model: FlowModel, state: State, change: Array) -> None:
    """Remove perturbations of the deflections of stops in contact: a run starts by placing these at their gaps."""
    set_plain_columns(model, state)
    for i in range(model.contact_count):
        e = int(model.unit_of[i])
        state.status[i] = HOLDS if model.stop[i] != 0.0 and state.piece[e] == float(at.STICK) else EXCLUDED
        state.rates[i] = along_unit(model, e, change)
    stop_rates(model, state, factor_delassus(model, state), change)
