"""The derivative of the flow along a run where coordinates have no inertia; compiled.

As in `flow_sensitivity`, but the motion is evaluated from modes: there are no Taylor series. At an event the velocity
of a coordinate without inertia may jump, and so may its displacement if nothing damps it. If the event comes a time dt
later, the state before it has moved on by dt, and the state after it by as much less. Inadmissible parts of a change
drop out when the next segment expands it in modes, as they do for the motion itself.
"""

from __future__ import annotations

from slipstick.native import Array, view
from slipstick.transient.exact import records as at
from slipstick.transient.exact.flow import known_modes
from slipstick.transient.exact.guard_roots import (
    AMPLITUDE_ROUNDING_UNITS,
    MACHINE_EPSILON,
    fastest_of,
    guard_at,
    waves_at,
)
from slipstick.transient.exact.guards import write_guards
from slipstick.transient.exact.modal_propagation import expand_change_in_modes, expand_in_modes, move_modal
from slipstick.transient.exact.records import FlowModel, ModalTable, Segment, State, Variation, segment_at, table_at
from slipstick.transient.exact.root_exclusion import BASIS_ROW, I_GRAIN, I_GUARD, I_SIZE, I_UNIT, INFO_ROW, LAMBDA_ROW
from slipstick.transient.exact.sampling import restore_segment_begin
from slipstick.transient.exact.state_changes import put_change, segment_length, shift_changes
from slipstick.transient.exact.taylor_series import deflection_coefficients, start_series


def vary_massless(variation: Variation, count: int) -> None:
    """Carry the first ``count`` changes from the first segment to the end of the run."""
    model = variation.model
    tangent = variation.tangent
    state = variation.state
    near = variation.near
    tables = variation.tables
    recording = variation.recording
    size = 2 * model.coordinate_count + model.unit_count
    shift = state.guard_changes
    for k in range(recording.segment_count):
        segment = segment_at(recording, k)
        following = segment_at(recording, k + 1)
        last = k == recording.segment_count - 1
        s = segment_length(recording, k, variation.end)
        restore_segment_begin(model, state, segment)
        table = table_at(tables, known_modes(model, state, tables))
        for c in range(count):
            change = view(variation.changes, c * size)
            carry_massless(tangent, state, near, table, s, change)
            shift[c] = 0.0
            if not last and following.fired >= 0:
                g = fired_guard(tangent, table, near, following)
                if g >= 0:
                    shift[c], _ = guard_at_end(tangent, table, near, g, s)
        if not last:
            cross_massless_event(variation, segment, following, s, count)


def carry_massless(tangent: FlowModel, state: State, near: State, table: ModalTable, s: float, change: Array) -> None:
    """Carry a change through one segment of length s, in the pieces of the present state; ``near`` keeps its modes."""
    put_change(tangent, state, near, change)
    expand_change_in_modes(tangent, table, near, 0.0)
    move_modal(tangent, table, near, s, change)


def fired_guard(model: FlowModel, table: ModalTable, state: State, following: Segment) -> int:
    """The index of the guard in modes that ended its segment; -1: none of these, for example a prescribed reversal."""
    info = state.guard_info
    for g in range(write_guards(model, table, state)):
        own = view(info, INFO_ROW * g)
        if own[I_UNIT] == following.fired and own[I_GUARD] == following.fired_guard:
            return g
    return -1


def guard_at_end(model: FlowModel, table: ModalTable, state: State, g: int, s: float) -> tuple[float, float]:
    """Value and slope of a guard at the time s, to which the motion has just been moved."""
    waves_at(model, s, state.wave_basis)
    return guard_at(model, table, state, g, s)


def accelerations(model: FlowModel, table: ModalTable, state: State, s: float, out: Array) -> None:
    """Second derivatives of displacements at the time s, to which the motion has just been moved."""
    n = model.coordinate_count
    h = model.wave_count
    r = table.mode_count
    e = state.mode_basis
    w = state.wave_basis
    omega = model.frequencies
    lam = table.eigenvalues
    xq = table.shapes
    c = state.amplitudes
    answer = table.response
    poly = state.polynomial
    for i in range(n):
        a = 0.0
        for p in range(at.DEGREE, 1, -1):
            a = a * s + float(p * (p - 1)) * poly[p * n + i]
        for j in range(h):
            wave = view(answer, 2 * (j * n + i))
            a -= omega[j] * omega[j] * (wave[0] * w[2 * j] - wave[1] * w[2 * j + 1])
        out[i] = a
    for k in range(r):
        lr = lam[LAMBDA_ROW * k]
        li = lam[LAMBDA_ROW * k + 1]
        slow = lam[LAMBDA_ROW * k + 2]
        own = view(c, at.AMPLITUDES * k)
        rr = own[0] * lr - own[1] * li + slow * own[2]
        ri = own[0] * li + own[1] * lr + slow * own[3]
        ar = rr * lr - ri * li + slow * own[4]
        ai = rr * li + ri * lr + slow * own[5]
        row = view(e, BASIS_ROW * k)
        re = ar * row[0] - ai * row[1]
        im = ar * row[1] + ai * row[0]
        for i in range(n):
            out[i] += xq[2 * (i * r + k)] * re - xq[2 * (i * r + k) + 1] * im


def cross_massless_event(variation: Variation, segment: Segment, following: Segment, s: float, count: int) -> None:
    """Carry changes across the event between two segments, the first of length s.

    ``guard_changes`` holds the change of its guard for each.
    """
    model = variation.model
    state = variation.state
    tables = variation.tables
    n = model.coordinate_count
    jump = state.jump
    x = state.motion
    restore_segment_begin(model, state, following)
    table = table_at(tables, known_modes(model, state, tables))
    expand_in_modes(model, table, state)
    move_modal(model, table, state, 0.0, x)
    accelerations(model, table, state, 0.0, view(jump, 2 * n))
    for i in range(n):
        jump[i] = -x[n + i]
        jump[n + i] = -jump[2 * n + i]
    restore_segment_begin(model, state, segment)
    table = table_at(tables, known_modes(model, state, tables))
    expand_in_modes(model, table, state)
    slope = guard_slope_at_end(model, table, state, following, s)
    move_modal(model, table, state, s, x)
    accelerations(model, table, state, s, view(jump, 2 * n))
    for i in range(n):  # by how much larger velocities and accelerations were before
        jump[i] += x[n + i]
        jump[n + i] += jump[2 * n + i]
    start_series(model, state, 0)
    deflection_coefficients(model, state, 1)
    shift_changes(model, state, segment, following, slope, variation.changes, count)


def guard_slope_at_end(model: FlowModel, table: ModalTable, state: State, following: Segment, s: float) -> float:
    """The slope of the guard that ended a segment of length s; 0 if it ended by rounding and the motion continues."""
    if following.fired < 0:
        return 0.0
    g = fired_guard(model, table, state, following)
    if g < 0:
        return 0.0
    move_modal(model, table, state, s, state.motion)
    _, slope = guard_at_end(model, table, state, g, s)
    info = view(state.guard_info, INFO_ROW * g)
    grain = MACHINE_EPSILON * max(info[I_SIZE], AMPLITUDE_ROUNDING_UNITS * info[I_GRAIN])
    return 0.0 if abs(slope) <= grain * fastest_of(model, table) else slope
