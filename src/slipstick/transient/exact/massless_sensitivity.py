"""The derivative of the flow along a run where coordinates have no inertia; compiled.

As in `flow_sensitivity`, but all that is asked of the motion is read from modes: there are no Taylor series. Velocities
of what has no inertia may leap at an event, and so may its place where nothing damps it: a state before an event that
comes a time dt later has moved on by dt, and the one behind it by as much less. What of that cannot be, the next
segment takes off where it is written in its modes, as it does with the motion itself.
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
from slipstick.transient.exact.records import Model, Recording, Segment, State, Table, Tables, segment_at, table_at
from slipstick.transient.exact.root_exclusion import BASIS_ROW, I_GRAIN, I_GUARD, I_SIZE, I_UNIT, INFO_ROW, LAMBDA_ROW
from slipstick.transient.exact.sampling import restore_segment_begin
from slipstick.transient.exact.state_changes import put_change, segment_length, shift_changes
from slipstick.transient.exact.taylor_series import deflection_coefficients, start_series


def vary_massless(
    model: Model,
    tangent: Model,
    state: State,
    near: State,
    tables: Tables,
    recording: Recording,
    end: float,
    changes: Array,
    count: int,
) -> None:
    """Carry changes (count, 2n + m: displacements, velocities, memories) from the first record to ``end``."""
    n = model.coordinate_count
    m = model.unit_count
    size = 2 * n + m
    shift = state.guard_changes
    for k in range(recording.segment_count):
        segment = segment_at(recording, k)
        following = segment_at(recording, k + 1)
        last = k == recording.segment_count - 1
        s = segment_length(recording, k, end)
        restore_segment_begin(model, state, segment)
        table = table_at(tables, known_modes(model, state, tables))
        for c in range(count):
            change = view(changes, c * size)
            carry_massless(tangent, state, near, table, s, change)
            shift[c] = 0.0
            if not last and following.fired >= 0:
                g = fired_guard(tangent, table, near, following)
                if g >= 0:
                    shift[c], _ = guard_at_end(tangent, table, near, g, s)
        if not last:
            cross_massless_event(model, state, tables, segment, following, s, changes, count)


def carry_massless(tangent: Model, state: State, near: State, table: Table, s: float, change: Array) -> None:
    """A change through one segment of length s, in the pieces of the state at hand; ``near`` keeps its modes."""
    put_change(tangent, state, near, change)
    expand_change_in_modes(tangent, table, near, 0.0)
    move_modal(tangent, table, near, s, change)


def fired_guard(model: Model, table: Table, state: State, following: Segment) -> int:
    """Which of the guards of the motion in modes ended its segment; -1: none of these, such as a prescribed turn."""
    info = state.guard_info
    for g in range(write_guards(model, table, state)):
        own = view(info, INFO_ROW * g)
        if own[I_UNIT] == following.fired and own[I_GUARD] == following.fired_guard:
            return g
    return -1


def guard_at_end(model: Model, table: Table, state: State, g: int, s: float) -> tuple[float, float]:
    """Value and slope of a guard at the time s, to which the motion has just been moved."""
    waves_at(model, s, state.wave_basis)
    return guard_at(model, table, state, g, s)


def accelerations(model: Model, table: Table, state: State, s: float, out: Array) -> None:
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


def cross_massless_event(
    model: Model,
    state: State,
    tables: Tables,
    segment: Segment,
    following: Segment,
    s: float,
    changes: Array,
    count: int,
) -> None:
    """Changes across the event between two segments, the first of length s.   ``guard_changes`` : of its guard."""
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
    shift_changes(model, state, segment, following, slope, changes, count)


def guard_slope_at_end(model: Model, table: Table, state: State, following: Segment, s: float) -> float:
    """The slope of the guard that ended a segment of length s; 0 where rounding may have done so, and the motion goes
    on as it was."""
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
