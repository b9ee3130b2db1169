"""The flow from event to event; compiled.

`advance` goes on until the end, or until it needs something of Python: a table of modes, more room, a pause.
"""

from __future__ import annotations

import math
from typing import Any

from slipstick.laws.source_parsing import Buffer
from slipstick.native import view
from slipstick.transient.exact import records as at
from slipstick.transient.exact.admissible_state import IMPOSSIBLE
from slipstick.transient.exact.corner_guards import RATE_GUARD, is_reaction
from slipstick.transient.exact.driven_friction import fastest_wave, next_rate_reversal, set_driven_contacts
from slipstick.transient.exact.guard_roots import MACHINE_EPSILON, NEVER, first_root, guard_at
from slipstick.transient.exact.guards import write_guards
from slipstick.transient.exact.modal_propagation import (
    expand_in_modes,
    modes_lose_digits,
    modulus_bound,
    move_modal,
    note_sizes,
)
from slipstick.transient.exact.root_exclusion import I_GUARD, I_SIZE, I_UNIT, INFO_ROW, LAMBDA_ROW
from slipstick.transient.exact.state_decision import decide_state
from slipstick.transient.exact.state_search import (
    STATE_HOLDS,
    begin_trial,
    next_trial,
    set_sliding_mass_contacts,
    through_trigger,
    try_state,
)
from slipstick.transient.exact.taylor_series import epoch_now, is_sticking, load_size, pass_time, time_to
from slipstick.transient.exact.taylor_step import (
    build_series,
    move_series,
    note_series_sizes,
    reaction_slope,
    series_reach,
    series_root,
)

LOOK_COST = 0.02  # of a step: what a look at a guard takes, of which there may be thousands before an event
RELEASE_ROUNDING = 4.0  # units of rounding, of the size of a guard on a reaction
MAX_STALLS = 60  # events without time passing, before it is given up
MAX_SEGMENT_MOTION, MAX_MOTION = (
    1e240,
    1e250,
)  # displacements and velocities: up to the first a segment goes, to the second a run
HASH_BASE, HASH_SIZE = 31.0, 140737488355213.0  # products stay below 2^53


def enter_state(model: Buffer, state: Buffer, record: Buffer, events: Buffer) -> bool:
    """Decide on the state of all units, note what has changed and where a segment begins."""
    m = int(model[at.UNITS])
    piece = view(state, int(model[at.PIECE]))
    old = view(state, int(model[at.OLD_PIECE]))
    for e in range(m):
        old[e] = piece[e]
    if model[at.REGULAR] == 0.0:
        set_driven_contacts(model, state)
        set_sliding_mass_contacts(model, state)
        through_trigger(model, state)
        begin_trial(model, state)
        return True
    settled = decide_state(model, state)
    record_events(model, state, record, events)
    return settled


def record_events(model: Buffer, state: Buffer, record: Buffer, events: Buffer) -> None:
    """Write down which units have changed, and where a segment begins."""
    piece = view(state, int(model[at.PIECE]))
    old = view(state, int(model[at.OLD_PIECE]))
    for e in range(int(model[at.UNITS])):
        if piece[e] != old[e]:
            row = view(events, 4 * int(state[at.EVENTS]))
            row[0] = state[at.TIME]
            row[1] = float(e)
            row[2] = old[e]
            row[3] = piece[e]
            state[at.EVENTS] += 1.0
    add_releases(model, state)
    begin_segment(model, state, record)


def begin_segment(model: Buffer, state: Buffer, record: Buffer) -> None:
    """Write down the state at hand as the begin of a segment."""
    n = int(model[at.N])
    m = int(model[at.UNITS])
    piece = view(state, int(model[at.PIECE]))
    memory = view(state, int(model[at.MEMORY]))
    x = view(state, int(model[at.X]))
    row = view(record, int(state[at.RECORDS]) * (at.RECORD_HEAD + 2 * n + 2 * m))
    row[at.R_TIME] = state[at.TIME]
    row[at.R_TIME_LOW] = state[at.TIME_LOW]
    row[at.R_EPOCH] = state[at.EPOCH_NOW]
    row[at.R_SERIES_USED] = 0.0
    row[at.R_FIRED] = state[at.FIRED]
    row[at.R_FIRED_GUARD] = state[at.FIRED_GUARD]
    for i in range(2 * n):
        row[at.RECORD_HEAD + i] = x[i]
    for e in range(m):
        row[at.RECORD_HEAD + 2 * n + e] = piece[e]
        row[at.RECORD_HEAD + 2 * n + m + e] = memory[e]
    state[at.RECORDS] += 1.0


def last_segment(model: Buffer, state: Buffer, record: Buffer) -> Any:
    """Where the segment at hand was written down."""
    row = at.RECORD_HEAD + 2 * int(model[at.N]) + 2 * int(model[at.UNITS])
    return view(record, (int(state[at.RECORDS]) - 1) * row)


def find_entry(model: Buffer, state: Buffer, tables: Buffer) -> int:
    """Where the directory has the present state; it is put there if there is room. 0 if there is none."""
    m = int(model[at.UNITS])
    piece = view(state, int(model[at.PIECE]))
    key = 7.0
    for e in range(m):
        key = (key * HASH_BASE + piece[e] + 1.0) % HASH_SIZE
    state[at.HASH] = key
    count = int(tables[0])
    for i in range(count):
        entry = 2 + at.ENTRY_ROW * i
        if tables[entry + at.E_HASH] == key and same_pieces(model, state, tables, entry):
            return entry
    if count >= at.MOST_ENTRIES:
        return 0
    entry = 2 + at.ENTRY_ROW * count
    tables[entry + at.E_HASH] = key
    tables[entry + at.E_AT] = 0.0
    tables[entry + at.E_STEPS] = 0.0
    tables[0] += 1.0
    return entry


def same_pieces(model: Buffer, state: Buffer, tables: Buffer, entry: int) -> bool:
    """False for a table of another state with the same hash; an entry without a table only counts steps."""
    if tables[entry + at.E_AT] == 0.0:
        return True
    table = view(tables, int(tables[entry + at.E_AT]))
    own = view(table, int(table[at.T_PIECES]))
    piece = view(state, int(model[at.PIECE]))
    for e in range(int(model[at.UNITS])):
        if own[e] != piece[e]:
            return False
    return True


def set_trigger(state: Buffer, unit: float, guard: float) -> None:
    """Note which guard of which unit ended a segment."""
    state[at.TRIGGER] = unit
    state[at.TRIGGER_GUARD] = guard
    state[at.FIRED] = unit
    state[at.FIRED_GUARD] = guard


def modal_segment(model: Buffer, state: Buffer, table: Buffer, record: Buffer, horizon: float) -> tuple[float, bool]:
    """To the first event, at most the horizon; the time taken, and whether an event ended it."""
    expand_in_modes(model, table, state)
    if model[at.REGULAR] != 0.0 and modes_lose_digits(model, table, state, horizon):
        return series_segment(model, state, horizon)
    if last_segment(model, state, record)[at.R_SERIES_USED] != 0.0:
        state[at.FIRED] = -1.0
        begin_segment(model, state, record)  # samples are read from modes too: what Taylor steps began ends here
    state[at.BY_SERIES] = 0.0
    most = min(horizon, time_to_overflow(model, table, state))
    turn, turned, looked = next_rate_reversal(model, state, most)
    guards = write_guards(model, table, state)
    s, g, looks = first_root(model, table, state, guards, turn)
    state[at.STEPS] += float(looked + looks)
    state[at.BUDGET] -= LOOK_COST * float(looked + looks)
    slope = 0.0
    if g >= 0:
        _, slope = guard_at(model, table, state, g, s)
    if s > 0.0:
        move_modal(model, table, state, s, view(state, int(model[at.X])))
        note_sizes(model, table, state, s)
    if g >= 0:
        info = view(state, int(model[at.G_INFO]) + INFO_ROW * g)
        set_trigger(state, info[I_UNIT], info[I_GUARD])
        note_lateness(model, state, int(info[I_UNIT]), int(info[I_GUARD]), s, info[I_SIZE], slope)
        return s, True
    if s == most and most < horizon:
        set_trigger(state, -1.0, -1.0)
        return s, True
    return s, ended_at_rate_reversal(state, s, turn, turned)


def note_lateness(model: Buffer, state: Buffer, e: int, g: int, s: float, size: float, slope: float) -> None:
    """Keep how well the instant is known at which a reaction reaches its limit, a time s after the state at hand.

    That is the rounding of the guard, and of the phases of waves, over the guard's slope: not well, where a load hardly
    passes the limit.
    """
    state[at.LATENESS] = 0.0
    if is_reaction(model, e, g) and slope != 0.0:
        phases = 1.0 + 0.01 * fastest_wave(model) * abs(state[at.TIME] + s)
        state[at.LATENESS] = RELEASE_ROUNDING * MACHINE_EPSILON * size * phases / abs(slope)


def add_releases(model: Buffer, state: Buffer) -> None:
    """Add to at.RELEASE_ERROR what rounding makes of the motion where static friction lets go.

    There the force drops by static less sliding limit, sooner or later: accelerations jump, and velocities of what has
    no inertia.
    """
    n = int(model[at.N])
    c = int(model[at.CONTACTS])
    if state[at.FIRED] < 0.0 or not is_reaction(model, int(state[at.FIRED]), int(state[at.FIRED_GUARD])):
        return
    velocity = view(state, int(model[at.X]) + n)
    error = view(state, int(model[at.RELEASE_ERROR]))
    for i in range(c):
        e = int(model[int(model[at.UNIT_OF]) + i])
        ratio = model[int(model[at.RATIO]) + i]
        released = is_sticking(state[int(model[at.OLD_PIECE]) + e]) and not is_sticking(state[int(model[at.PIECE]) + e])
        if ratio > 1.0 and released:
            drop = (ratio - 1.0) * load_size(model, state, 0, i)
            for j in range(n):
                if model[at.REGULAR] != 0.0:
                    error[n + j] += abs(drop * model[int(model[at.MINV_A]) + j * c + i]) * state[at.LATENESS]
                else:
                    error[j] += abs(velocity[j]) * state[at.LATENESS]


def time_to_overflow(model: Buffer, table: Buffer, state: Buffer) -> float:
    """How long the growing modes of the motion stay within what numbers hold; at least the time of growth by e."""
    n = int(model[at.N])
    r = int(table[at.T_MODES])
    lam = view(table, int(table[at.T_LAMBDA]))
    xq = view(table, int(table[at.T_XQ]))
    most = NEVER
    for k in range(r):
        rate = lam[LAMBDA_ROW * k]
        if rate > 0.0:
            fast = max(math.hypot(rate, lam[LAMBDA_ROW * k + 1]), 1e-100)
            c = view(state, int(model[at.MODES_C]) + at.AMPLITUDES * k)
            amplitude = modulus_bound(c) + (modulus_bound(view(c, 2)) + modulus_bound(view(c, 4)) / fast) / fast
            size = 0.0
            for i in range(n):
                size = max(size, amplitude * modulus_bound(view(xq, 2 * (i * r + k))) * max(1.0, fast))
            if size > 0.0:
                most = min(most, max(math.log(MAX_SEGMENT_MOTION) - math.log(size), 1.0) / rate)
    return most


def ended_at_rate_reversal(state: Buffer, s: float, turn: float, turned: int) -> bool:
    """True if a segment ends where the rate of a driven contact turns (see `driven_friction`): that is noted."""
    if turned < 0 or s < turn:
        return False
    set_trigger(state, float(turned), float(RATE_GUARD))
    return True


def series_segment(model: Buffer, state: Buffer, horizon: float) -> tuple[float, bool]:
    """One Taylor step, shorter if an event ends it."""
    state[at.BY_SERIES] = 1.0
    turn, turned, _ = next_rate_reversal(model, state, horizon)
    build_series(model, state, min(state[at.STEP_HINT], turn))
    h = series_reach(model, state, turn)
    s, unit, guard = series_root(model, state, h)
    state[at.STEPS] += 1.0
    # steps that events end need few orders
    state[at.STEP_HINT] = max(0.7 * min(state[at.STEP_HINT], turn), 3.0 * s) if unit >= 0 else NEVER
    if s > 0.0:
        move_series(model, state, s, view(state, int(model[at.X])))
        note_series_sizes(model, state, s)
    if unit >= 0:
        set_trigger(state, float(unit), float(guard))
        if is_reaction(model, unit, guard):
            size, slope = reaction_slope(model, state, unit, guard, s)
            note_lateness(model, state, unit, guard, s, size, slope)
        return s, True
    return s, ended_at_rate_reversal(state, s, turn, turned)


def finite_state(model: Buffer, state: Buffer) -> bool:
    n = int(model[at.N])
    x = view(state, int(model[at.X]))
    scale = view(state, int(model[at.SCALE]))
    for i in range(2 * n):
        if not abs(x[i]) < MAX_MOTION:
            return False
        scale[i] = max(scale[i], abs(x[i]))
    return True


def advance(model: Buffer, state: Buffer, tables: Buffer, record: Buffer, events: Buffer) -> int:
    """Go on from the state at hand; why it stopped (see `records`)."""
    m = int(model[at.UNITS])
    while True:
        if state[at.BUDGET] <= 0.0:
            return at.PAUSE
        if state[at.RECORDS] + 2.0 >= state[at.RECORDS_ROOM]:
            return at.RECORDS_FULL
        if state[at.EVENTS] + float(m) >= state[at.EVENTS_ROOM]:
            return at.EVENTS_FULL
        epoch = epoch_now(model, state)
        end = min(epoch[at.EPOCH_END], state[at.UNTIL])
        horizon = time_to(state, end)
        if horizon <= 0.0:
            if end >= state[at.UNTIL]:
                return at.DONE
            state[at.EPOCH_NOW] += 1.0
            set_trigger(state, -1.0, -1.0)
            if not enter_state(model, state, record, events):
                return at.UNSETTLED
            continue
        entry = find_entry(model, state, tables)
        place = 0
        if entry > 0:
            place = int(tables[entry + at.E_AT])
        kind = 0.0
        if place > 0:
            kind = tables[place + at.T_KIND]
        if kind != 0.0 and state[at.UNDECIDED] != 0.0:
            broke = IMPOSSIBLE
            if kind == at.MODAL:
                broke = try_state(model, view(tables, place), state, horizon)
            else:
                state[at.MET_BARRED] = 1.0
            if broke == STATE_HOLDS:
                state[at.UNDECIDED] = 0.0
                record_events(model, state, record, events)
            elif not next_trial(model, state, broke):
                return at.NO_STATE if state[at.MET_BARRED] == 0.0 else at.REFUSED
            continue
        if kind == at.MODAL:
            s, hit = modal_segment(model, state, view(tables, place), record, horizon)
        else:
            if entry == 0 and model[at.REGULAR] == 0.0:
                return at.TOO_MANY
            if kind == 0.0 and entry > 0:
                if tables[entry + at.E_STEPS] >= state[at.WANTED]:
                    return at.NEED_TABLE
                tables[entry + at.E_STEPS] += 1.0
            s, hit = series_segment(model, state, horizon)
        state[at.BUDGET] -= 1.0
        row = last_segment(model, state, record)
        row[at.R_SERIES_USED] = max(row[at.R_SERIES_USED], state[at.BY_SERIES])
        if not finite_state(model, state):
            return at.NOT_FINITE
        before = state[at.TIME]
        if s >= horizon:
            state[at.TIME] = end
            state[at.TIME_LOW] = 0.0
        else:
            pass_time(state, s)
        state[at.STALLED] = state[at.STALLED] + 1.0 if state[at.TIME] == before else 0.0
        if state[at.STALLED] > MAX_STALLS:
            return at.STALL if hit else at.LOST
        if hit and not enter_state(model, state, record, events):
            return at.UNSETTLED
