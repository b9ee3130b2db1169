"""The motion at given times, from the segments that were recorded; compiled."""

from __future__ import annotations

import math

from slipstick.native import Array, view
from slipstick.transient.exact import records as at
from slipstick.transient.exact.corner_guards import DOWN_GUARD, UP_GUARD
from slipstick.transient.exact.flow import enter_state, known_modes, set_trigger
from slipstick.transient.exact.guard_roots import guard_at, waves_at
from slipstick.transient.exact.guards import write_guards
from slipstick.transient.exact.modal_propagation import expand_in_modes, move_modal, sum_modes
from slipstick.transient.exact.records import (
    FlowModel,
    ModalTable,
    ModalTables,
    Recording,
    Segment,
    State,
    segment_at,
    table_at,
)
from slipstick.transient.exact.recurrence import (
    MAX_UNEVENNESS,
    RENEWAL_INTERVAL,
    advance_recurrence,
    prepare_recurrence,
)
from slipstick.transient.exact.root_exclusion import I_GUARD, I_UNIT, INFO_ROW, LAMBDA_ROW
from slipstick.transient.exact.taylor_series import pass_time, time_to
from slipstick.transient.exact.taylor_step import build_series, move_series, series_reach

PANEL_PHASE = 5.0  # |l| h of a panel: a Gauss rule of 12 points is exact to rounding there, for products too
# the error of that rule is the term of degree 24. So a mode with a share d of the motion may have an |l| h larger by
# d^(-1/24) in its products with others, which may be half as fast again, and by d^(-2/24) in its square
SHARE_POWER, SQUARE_POWER, BESIDE = 1.0 / 24.0, 1.0 / 12.0, 1.5
FADED_MODE_REL = 1e-13  # of the fastest motion in the segment: modes below it are not resolved


def begin_run(model: FlowModel, state: State, recording: Recording) -> int:
    """Decide the state at the first instant; return 1 if that succeeded."""
    set_trigger(state, -1, -1)
    return 1 if enter_state(model, state, recording) else 0


def restore_segment_begin(model: FlowModel, state: State, segment: Segment) -> None:
    """Restore the state at the start of a segment."""
    state.time = segment.time
    state.time_low = segment.time_low
    state.epoch = segment.epoch
    for i in range(2 * model.coordinate_count):
        state.motion[i] = segment.motion[i]
    for e in range(model.unit_count):
        state.piece[e] = segment.piece[e]
        state.memory[e] = segment.memory[e]


def modes_of(model: FlowModel, state: State, tables: ModalTables, segment: Segment) -> int:
    """The place of the present state's modal table; `records.NO_TABLE` if Taylor steps were taken in its segment."""
    if segment.by_series:
        return at.NO_TABLE
    return known_modes(model, state, tables)


def sample_run(
    model: FlowModel, state: State, tables: ModalTables, recording: Recording, times: Array, count: int, out: Array
) -> None:
    """Rows (count, 2n + c + 1) at increasing times: displacements, velocities, reactions, number of the segment."""
    n = model.coordinate_count
    c = model.contact_count
    line = 2 * n + c + 1
    k = 0
    first = segment_of(recording, times[0]) if count > 0 else 0
    for number in range(first, recording.segment_count):
        if k == count:
            return
        segment = segment_at(recording, number)
        last = k
        if number == recording.segment_count - 1:
            last = count
        else:
            following = segment_at(recording, number + 1)
            while last < count and times[last] < following.time:
                last += 1
        if last == k:
            continue
        restore_segment_begin(model, state, segment)
        for j in range(k, last):
            out[j * line + 2 * n + c] = float(number)
        place = modes_of(model, state, tables, segment)
        if place != at.NO_TABLE:
            table = table_at(tables, place)
            sample_modes(model, table, state, view(times, k), last - k, view(out, k * line))
        elif not model.regular:  # a segment that was not propagated: only its start
            repeat_state(model, state, last - k, view(out, k * line))
        else:
            sample_series(model, state, view(times, k), last - k, view(out, k * line))
        k = last


def segment_of(recording: Recording, time: float) -> int:
    """The index of the last segment that begins at a time or before it; 0 if none does."""
    first = 0
    after = recording.segment_count
    while after - first > 1:
        middle = (first + after) // 2
        if segment_at(recording, middle).time <= time:
            first = middle
        else:
            after = middle
    return first


def repeat_state(model: FlowModel, state: State, count: int, out: Array) -> None:
    """Write the present state ``count`` times."""
    n = model.coordinate_count
    c = model.contact_count
    x = state.motion
    for k in range(count):
        for i in range(2 * n):
            out[k * (2 * n + c + 1) + i] = x[i]
        for i in range(c):
            out[k * (2 * n + c + 1) + 2 * n + i] = 0.0


def sample_modes(model: FlowModel, table: ModalTable, state: State, times: Array, count: int, out: Array) -> None:
    """States and reactions at times within one segment, from modes."""
    n = model.coordinate_count
    c = model.contact_count
    line = 2 * n + c + 1
    expand_in_modes(model, table, state)
    guards = 0
    if c > 0:
        guards = write_guards(model, table, state)
    even = guards == 0 and count > RENEWAL_INTERVAL
    h = 0.0
    fastest = 0.0
    if even:
        h = times[1] - times[0]
        fastest = prepare_recurrence(model, table, state, h)
    turns = RENEWAL_INTERVAL
    for k in range(count):
        s = max(time_to(state, times[k]), 0.0)  # rounding may put the time of an event before it
        row = view(out, k * line)
        more = 0.0
        if k > 0:
            more = times[k] - times[k - 1] - h
        turns += 1
        if even and turns < RENEWAL_INTERVAL and abs(more) * fastest < MAX_UNEVENNESS:
            advance_recurrence(model, table, state, h, more)
            sum_modes(model, table, state, s, row)
        else:
            move_modal(model, table, state, s, row)
            turns = 0
        read_reactions(model, table, state, guards, s, row)


def read_modes(model: FlowModel, table: ModalTable, state: State, guards: int, s: float, row: Array) -> None:
    """State and reactions a time s after a segment's begin, from modes; its guards have been written."""
    move_modal(model, table, state, s, row)
    read_reactions(model, table, state, guards, s, row)


def read_reactions(model: FlowModel, table: ModalTable, state: State, guards: int, s: float, row: Array) -> None:
    """Write the reactions after the state, which has just been evaluated."""
    n = model.coordinate_count
    info = state.guard_info
    contact_of = model.contact_of
    for i in range(model.contact_count):
        row[2 * n + i] = 0.0
    if guards > 0:
        waves_at(model, s, state.wave_basis)
    for g in range(guards):
        i = int(contact_of[int(info[INFO_ROW * g + I_UNIT])])
        if i >= 0 and model.stop[i] != 0.0 and int(info[INFO_ROW * g + I_GUARD]) == DOWN_GUARD:
            row[2 * n + i], _ = guard_at(model, table, state, g, s)
        elif i >= 0 and int(info[INFO_ROW * g + I_GUARD]) == UP_GUARD:
            # limit - reaction, followed by limit + reaction
            above, _ = guard_at(model, table, state, g, s)
            below, _b = guard_at(model, table, state, g + 1, s)
            row[2 * n + i] = 0.5 * (below - above)


def sample_series(model: FlowModel, state: State, times: Array, count: int, out: Array) -> None:
    """States and reactions at times within one segment, by Taylor steps."""
    n = model.coordinate_count
    c = model.contact_count
    line = 2 * n + c + 1
    x = state.motion
    k = 0
    while k < count:
        build_series(model, state, time_to(state, times[count - 1]))
        h = series_reach(model, state, time_to(state, times[count - 1]))
        while k < count and time_to(state, times[k]) <= h:
            s = max(time_to(state, times[k]), 0.0)
            row = view(out, k * line)
            read_series(model, state, s, row)
            k += 1
        move_series(model, state, h, x)
        pass_time(state, h)


def read_series(model: FlowModel, state: State, s: float, row: Array) -> None:
    """State and reactions within a Taylor step."""
    n = model.coordinate_count
    c = model.contact_count
    reaction = state.reaction_series
    move_series(model, state, s, row)
    for i in range(c):
        value = 0.0
        for j in range(state.order - 2, -1, -1):
            value = value * s + reaction[j * c + i]
        row[2 * n + i] = value


def segment_panels(
    model: FlowModel, state: State, tables: ModalTables, segment: Segment, end: float, edges: Array, room: int
) -> int:
    """Write where panels begin in one segment, so that a Gauss rule is exact on each; return their number."""
    restore_segment_begin(model, state, segment)
    count = 0
    place = modes_of(model, state, tables, segment)
    if place != at.NO_TABLE:
        table = table_at(tables, place)
        expand_in_modes(model, table, state)
        note_speeds(model, table, state)
        s = 0.0
        while s < end - state.time and count < room:
            edges[count] = state.time + s
            count += 1
            s += PANEL_PHASE / fastest_active_rate(model, table, state, s)
        return count
    x = state.motion
    while state.time < end and count < room:
        edges[count] = state.time
        count += 1
        build_series(model, state, time_to(state, end))
        h = series_reach(model, state, time_to(state, end))
        move_series(model, state, h, x)
        pass_time(state, h)
    return count


def note_speeds(model: FlowModel, table: ModalTable, state: State) -> None:
    """Write the largest velocity of each mode at the start of an expanded segment to ``mode_speeds``."""
    n = model.coordinate_count
    r = table.mode_count
    lam = table.eigenvalues
    xq = table.shapes
    c = state.amplitudes
    speeds = state.mode_speeds
    for k in range(r):
        speeds[k] = 0.0
    for i in range(n):
        for k in range(r):
            speeds[k] = max(speeds[k], abs(xq[2 * (i * r + k)]) + abs(xq[2 * (i * r + k) + 1]))
    for k in range(r):
        rate = math.hypot(lam[LAMBDA_ROW * k], lam[LAMBDA_ROW * k + 1])
        speeds[k] *= (abs(c[at.AMPLITUDES * k]) + abs(c[at.AMPLITUDES * k + 1])) * rate


def fastest_active_rate(model: FlowModel, table: ModalTable, state: State, s: float) -> float:
    """The rate that panels must resolve a time s after a segment's begin: the largest |l| or omega that matters.

    Modes that are small beside others (see `note_speeds`) count with a part of |l|.
    """
    r = table.mode_count
    lam = table.eigenvalues
    speeds = state.mode_speeds
    omega = model.frequencies
    fastest = 1e-300
    for j in range(model.wave_count):
        fastest = max(fastest, omega[j])
    most = 0.0
    for k in range(r):
        most = max(most, speeds[k])
    for k in range(r):
        rate = math.hypot(lam[LAMBDA_ROW * k], lam[LAMBDA_ROW * k + 1])
        if rate <= fastest or most == 0.0:
            continue
        share = min(speeds[k] / most * math.exp(lam[LAMBDA_ROW * k] * s), 1.0)
        if share > FADED_MODE_REL:
            fastest = max(fastest, rate * max(share**SHARE_POWER / BESIDE, share**SQUARE_POWER))
    return fastest
