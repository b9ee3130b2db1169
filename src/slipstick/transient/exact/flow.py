"""The flow from event to event; compiled.

`advance` runs to the end, or returns to Python for a modal table, more memory or a pause.
"""

from __future__ import annotations

import math

from slipstick.native import view
from slipstick.transient.exact import records as at
from slipstick.transient.exact.admissible_state import IMPOSSIBLE
from slipstick.transient.exact.corner_guards import RATE_GUARD, is_reaction
from slipstick.transient.exact.driven_friction import fastest_wave, next_rate_reversal, set_driven_contacts
from slipstick.transient.exact.guard_roots import MACHINE_EPSILON, NEVER, first_root, guard_at
from slipstick.transient.exact.guards import write_guards
from slipstick.transient.exact.impacts import (
    begin_instant,
    end_instant,
    forget_rebounds,
    next_settling,
    strike_again,
)
from slipstick.transient.exact.modal_propagation import (
    expand_in_modes,
    modes_lose_digits,
    modulus_bound,
    move_modal,
    note_sizes,
)
from slipstick.transient.exact.pair_search import decide_state
from slipstick.transient.exact.records import (
    FlowModel,
    ModalTable,
    ModalTables,
    Recording,
    State,
    entry_at,
    event_at,
    segment_at,
    table_at,
)
from slipstick.transient.exact.root_exclusion import I_GUARD, I_SIZE, I_UNIT, INFO_ROW, LAMBDA_ROW
from slipstick.transient.exact.state_search import (
    STATE_HOLDS,
    begin_trial,
    next_trial,
    set_sliding_mass_contacts,
    through_trigger,
    try_state,
)
from slipstick.transient.exact.taylor_series import is_sticking, load_size, pass_time, time_to
from slipstick.transient.exact.taylor_step import (
    build_series,
    move_series,
    note_series_sizes,
    reaction_slope,
    series_reach,
    series_root,
)

LOOK_COST = 0.02  # of a step: the cost of evaluating a guard, thousands of times before an event
RELEASE_ROUNDING = 4.0  # units of rounding, of the size of a guard on a reaction
MAX_STALLS = 60  # events without progress in time, before the run stops
MAX_SEGMENT_MOTION, MAX_MOTION = (
    1e240,
    1e250,
)  # limits of displacements and velocities: in a segment, in a run
HASH_BASE, HASH_SIZE = 31.0, 140737488355213.0  # products stay below 2^53


def enter_state(model: FlowModel, state: State, recording: Recording) -> bool:
    """Decide the state of all units, and record changes and the start of a segment."""
    m = model.unit_count
    piece = state.piece
    old = state.old_piece
    for e in range(m):
        old[e] = piece[e]
    if not model.regular:
        set_driven_contacts(model, state)
        set_sliding_mass_contacts(model, state)
        through_trigger(model, state)
        begin_trial(model, state)
        return True
    state.failure = 0
    if model.has_stops:
        begin_instant(model, state)
        if state.failure != 0:
            return False
    settled = decide_state(model, state)
    if settled and model.has_stops and end_instant(model, state):
        strike_again(model, state)
        settled = state.failure == 0 and decide_state(model, state)
    record_events(model, state, recording)
    return settled


def record_events(model: FlowModel, state: State, recording: Recording) -> None:
    """Record which units have changed, and the start of a segment."""
    piece = state.piece
    old = state.old_piece
    for e in range(model.unit_count):
        i = int(model.contact_of[e])
        if i >= 0 and model.stop[i] != 0.0 and state.impulse[i] > 0.0 and state.arrival[i] > 0.0:
            record_change(state, recording, e, old[e], float(at.IMPACT))
            if state.settling[i] == 0.0:
                record_change(state, recording, e, float(at.IMPACT), piece[e])
        elif piece[e] != old[e]:
            record_change(state, recording, e, old[e], piece[e])
    add_releases(model, state)
    begin_segment(model, state, recording)


def record_change(state: State, recording: Recording, e: int, before: float, after: float) -> None:
    """Record a change of unit e at the present time."""
    event = event_at(recording, recording.event_count)
    event.time = state.time
    event.unit = e
    event.before = before
    event.after = after
    recording.event_count += 1


def end_settling(model: FlowModel, state: State, recording: Recording) -> None:
    """Record the stops whose impacts have accumulated to rest by now."""
    for i in range(model.contact_count):
        if state.settling[i] != 0.0 and time_to(state, state.settling[i]) <= 0.0:
            e = int(model.unit_of[i])
            state.settling[i] = 0.0
            record_change(state, recording, e, float(at.IMPACT), state.piece[e])


def begin_segment(model: FlowModel, state: State, recording: Recording) -> None:
    """Record the present state as the start of a segment."""
    segment = segment_at(recording, recording.segment_count)
    segment.time = state.time
    segment.time_low = state.time_low
    segment.epoch = state.epoch
    segment.by_series = False
    segment.fired = state.fired
    segment.fired_guard = state.fired_guard
    for i in range(2 * model.coordinate_count):
        segment.motion[i] = state.motion[i]
    for e in range(model.unit_count):
        segment.piece[e] = state.piece[e]
        segment.memory[e] = state.memory[e]
    if model.has_stops:
        for i in range(model.contact_count):
            segment.impulse[i] = state.impulse[i]
            state.impulse[i] = 0.0
    recording.segment_count += 1
    state.started = True


def find_entry(model: FlowModel, state: State, tables: ModalTables) -> int:
    """The index of the present state in the directory, where it is entered if need be; -1 if the directory is full."""
    m = model.unit_count
    piece = state.piece
    key = 7.0
    for e in range(m):
        key = (key * HASH_BASE + piece[e] + 1.0) % HASH_SIZE
    state.key = key
    for i in range(tables.count):
        if entry_at(tables, i).key == key and same_pieces(model, state, tables, i):
            return i
    if tables.count >= at.MAX_ENTRIES:
        return -1
    entry = entry_at(tables, tables.count)
    entry.key = key
    entry.place = at.NO_TABLE
    entry.steps = 0
    tables.count += 1
    return tables.count - 1


def same_pieces(model: FlowModel, state: State, tables: ModalTables, i: int) -> bool:
    """False for a table of another state with the same hash; an entry without a table only counts steps."""
    entry = entry_at(tables, i)
    if entry.place == at.NO_TABLE:
        return True
    own = table_at(tables, entry.place).pieces
    piece = state.piece
    for e in range(model.unit_count):
        if own[e] != piece[e]:
            return False
    return True


def known_modes(model: FlowModel, state: State, tables: ModalTables) -> int:
    """The place of the present state's modal table; `records.NO_TABLE` if there is none."""
    i = find_entry(model, state, tables)
    if i < 0:
        return at.NO_TABLE
    place = entry_at(tables, i).place
    if place == at.NO_TABLE or table_at(tables, place).kind != at.MODAL:
        return at.NO_TABLE
    return place


def set_trigger(state: State, unit: int, guard: int) -> None:
    """Record which guard of which unit ended a segment."""
    state.trigger = unit
    state.trigger_guard = guard
    state.fired = unit
    state.fired_guard = guard


def modal_segment(
    model: FlowModel, state: State, table: ModalTable, recording: Recording, horizon: float
) -> tuple[float, bool]:
    """Propagate to the first event, at most to the horizon; return the time, and whether an event ended it."""
    expand_in_modes(model, table, state)
    if model.regular and modes_lose_digits(model, table, state, horizon):
        return series_segment(model, state, horizon)
    if segment_at(recording, recording.segment_count - 1).by_series:
        state.fired = -1
        begin_segment(
            model, state, recording
        )  # samples are evaluated from modes too: a segment of Taylor steps ends here
    state.by_series = False
    most = min(horizon, time_to_overflow(model, table, state))
    turn, turned, looked = next_rate_reversal(model, state, most)
    guards = write_guards(model, table, state)
    s, g, looks = first_root(model, table, state, guards, turn)
    state.look_count += looked + looks
    state.budget -= LOOK_COST * float(looked + looks)
    slope = 0.0
    if g >= 0:
        _, slope = guard_at(model, table, state, g, s)
    if s > 0.0:
        move_modal(model, table, state, s, state.motion)
        note_sizes(model, table, state, s)
    if g >= 0:
        info = view(state.guard_info, INFO_ROW * g)
        set_trigger(state, int(info[I_UNIT]), int(info[I_GUARD]))
        note_lateness(model, state, int(info[I_UNIT]), int(info[I_GUARD]), s, info[I_SIZE], slope)
        return s, True
    if s == most and most < horizon:
        set_trigger(state, -1, -1)
        return s, True
    return s, ended_at_rate_reversal(state, s, turn, turned)


def note_lateness(model: FlowModel, state: State, e: int, g: int, s: float, size: float, slope: float) -> None:
    """Store the uncertainty of the instant at which a reaction reaches its limit, a time s after the present state.

    It is the rounding of the guard and of the phases of waves over the guard's slope: large if a load hardly exceeds
    the limit.
    """
    state.release_uncertainty = 0.0
    if is_reaction(model, e, g) and slope != 0.0:
        phases = 1.0 + 0.01 * fastest_wave(model) * abs(state.time + s)
        state.release_uncertainty = RELEASE_ROUNDING * MACHINE_EPSILON * size * phases / abs(slope)


def add_releases(model: FlowModel, state: State) -> None:
    """Add the effect of rounding on the motion at the release of static friction to ``release_error``.

    The force drops by the difference of static and sliding limit, a little sooner or later. Accelerations jump, and so
    do velocities of coordinates without inertia.
    """
    n = model.coordinate_count
    c = model.contact_count
    if state.fired < 0 or not is_reaction(model, state.fired, state.fired_guard):
        return
    velocity = view(state.motion, n)
    error = state.release_error
    for i in range(c):
        e = int(model.unit_of[i])
        ratio = model.static_ratio[i]
        released = is_sticking(state.old_piece[e]) and not is_sticking(state.piece[e])
        if ratio > 1.0 and released:
            drop = (ratio - 1.0) * load_size(model, state, 0, i)
            for j in range(n):
                if model.regular:
                    error[n + j] += abs(drop * model.inverse_mass_along[j * c + i]) * state.release_uncertainty
                else:
                    error[j] += abs(velocity[j]) * state.release_uncertainty


def time_to_overflow(model: FlowModel, table: ModalTable, state: State) -> float:
    """The time until growing modes would overflow; at least the time of growth by e."""
    n = model.coordinate_count
    r = table.mode_count
    lam = table.eigenvalues
    xq = table.shapes
    most = NEVER
    for k in range(r):
        rate = lam[LAMBDA_ROW * k]
        if rate > 0.0:
            fast = max(math.hypot(rate, lam[LAMBDA_ROW * k + 1]), 1e-100)
            c = view(state.amplitudes, at.AMPLITUDES * k)
            amplitude = modulus_bound(c) + (modulus_bound(view(c, 2)) + modulus_bound(view(c, 4)) / fast) / fast
            size = 0.0
            for i in range(n):
                size = max(size, amplitude * modulus_bound(view(xq, 2 * (i * r + k))) * max(1.0, fast))
            if size > 0.0:
                most = min(most, max(math.log(MAX_SEGMENT_MOTION) - math.log(size), 1.0) / rate)
    return most


def ended_at_rate_reversal(state: State, s: float, turn: float, turned: int) -> bool:
    """True if a segment ends at a reversal of a driven contact (see `driven_friction`), which is recorded."""
    if turned < 0 or s < turn:
        return False
    set_trigger(state, turned, RATE_GUARD)
    return True


def series_segment(model: FlowModel, state: State, horizon: float) -> tuple[float, bool]:
    """One Taylor step, shorter if an event ends it."""
    state.by_series = True
    turn, turned, _ = next_rate_reversal(model, state, horizon)
    build_series(model, state, min(state.step_hint, turn))
    h = series_reach(model, state, turn)
    s, unit, guard = series_root(model, state, h)
    state.look_count += 1
    # steps that end at events need few orders
    state.step_hint = max(0.7 * min(state.step_hint, turn), 3.0 * s) if unit >= 0 else NEVER
    if s > 0.0:
        move_series(model, state, s, state.motion)
        note_series_sizes(model, state, s)
    if unit >= 0:
        set_trigger(state, unit, guard)
        if is_reaction(model, unit, guard):
            size, slope = reaction_slope(model, state, unit, guard, s)
            note_lateness(model, state, unit, guard, s, size, slope)
        return s, True
    return s, ended_at_rate_reversal(state, s, turn, turned)


def finite_state(model: FlowModel, state: State) -> bool:
    n = model.coordinate_count
    x = state.motion
    scale = state.scale
    for i in range(2 * n):
        if not abs(x[i]) < MAX_MOTION:
            return False
        scale[i] = max(scale[i], abs(x[i]))
    return True


def end_segment(state: State, s: float, horizon: float, end: float) -> bool:
    """Advance the time by the length s of a segment, of a horizon up to ``end``; True if the time stands still."""
    before = state.time
    if s >= horizon:
        state.time = end
        state.time_low = 0.0
    else:
        pass_time(state, s)
    state.stalled = state.stalled + 1 if state.time == before else 0
    return state.stalled > MAX_STALLS


def failure_of(state: State) -> int:
    """Why no state was found."""
    return at.UNSETTLED if state.failure == 0 else state.failure


def full_storage(model: FlowModel, state: State, recording: Recording) -> int:
    """What the run needs from Python before its next segment (see `records`); at.DONE: nothing."""
    if state.budget <= 0.0:
        return at.PAUSE
    if recording.segment_count + 2 >= recording.segment_capacity:
        return at.SEGMENTS_FULL
    if recording.event_count + 2 * model.unit_count >= recording.event_capacity:
        return at.EVENTS_FULL
    return at.DONE


def segment_limit(model: FlowModel, state: State, recording: Recording) -> float:
    """The latest end of the next segment: of the epoch, of the run, or of a rebound that settles."""
    end = float(min(model.epoch_end[state.epoch], state.until))
    if model.has_stops:
        end_settling(model, state, recording)
        end = min(end, next_settling(model, state))
    return end


def decide_by_table(model: FlowModel, state: State, table: ModalTable, recording: Recording, horizon: float) -> int:
    """Test the undecided state by its table; at.DONE: it holds, or the next candidate was entered."""
    broke = IMPOSSIBLE
    if table.kind == at.MODAL:
        broke = try_state(model, table, state, horizon)
    else:
        state.met_refused = True
    if broke == STATE_HOLDS:
        state.undecided = 0.0
        record_events(model, state, recording)
    elif not next_trial(model, state, broke):
        return at.NO_STATE if not state.met_refused else at.REFUSED
    return at.DONE


def count_series_step(model: FlowModel, state: State, tables: ModalTables, i: int) -> int:
    """Count a Taylor step of entry i of the directory; at.DONE unless it has to wait for a table."""
    if i < 0:
        return at.DONE if model.regular else at.TOO_MANY
    entry = entry_at(tables, i)
    if entry.place == at.NO_TABLE:
        if entry.steps >= state.steps_before_table:
            return at.NEED_TABLE
        entry.steps += 1
    return at.DONE


def advance(model: FlowModel, state: State, tables: ModalTables, recording: Recording) -> int:
    """Run from the present state; return why it stopped (see `records`)."""
    while True:
        stop = full_storage(model, state, recording)
        if stop != at.DONE:
            return stop
        end = segment_limit(model, state, recording)
        horizon = time_to(state, end)
        if horizon <= 0.0:
            if end >= state.until:
                return at.DONE
            state.epoch += 1
            set_trigger(state, -1, -1)
            if not enter_state(model, state, recording):
                return failure_of(state)
            continue
        i = find_entry(model, state, tables)
        place = entry_at(tables, i).place if i >= 0 else at.NO_TABLE
        kind = table_at(tables, place).kind if place != at.NO_TABLE else 0
        if kind != 0 and state.undecided != 0.0:
            stop = decide_by_table(model, state, table_at(tables, place), recording, horizon)
            if stop != at.DONE:
                return stop
            continue
        if kind == at.MODAL and not state.short_flight:
            s, hit = modal_segment(model, state, table_at(tables, place), recording, horizon)
        else:
            stop = count_series_step(model, state, tables, i)
            if stop != at.DONE:
                return stop
            s, hit = series_segment(model, state, horizon)
        state.budget -= 1.0
        if state.by_series:
            segment_at(recording, recording.segment_count - 1).by_series = True
        if not finite_state(model, state):
            return at.NOT_FINITE
        if end_segment(state, s, horizon, end):
            return at.STALL if hit else at.LOST
        if model.has_stops and not hit:
            forget_rebounds(model, state)
        if hit and not enter_state(model, state, recording):
            return failure_of(state)
