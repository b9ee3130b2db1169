"""From event to event; compiled.

`advance` goes on until the end, or until it needs something of Python: a table of modes, more room, a pause.
"""

from __future__ import annotations

from slipstick.laws.parsing import Buffer
from slipstick.native import view
from slipstick.transient.exact.decide import decide
from slipstick.transient.exact.modal import RATE_GUARD, expand, move, note_sizes, write_guards
from slipstick.transient.exact.places import (
    BUDGET,
    BY_SERIES,
    CONTACT_OF,
    DONE,
    E_AT,
    E_HASH,
    E_STEPS,
    ENTRY_ROW,
    EPOCH,
    EPOCH_NOW,
    EVENTS,
    EVENTS_FULL,
    EVENTS_ROOM,
    G_INFO,
    HASH,
    MEMORY,
    MODAL,
    MOST_ENTRIES,
    NEED_TABLE,
    NOT_FINITE,
    OLD_PIECE,
    PAUSE,
    PIECE,
    R_EPOCH,
    R_SERIES_USED,
    R_TIME,
    RECORD_HEAD,
    RECORDS,
    RECORDS_FULL,
    RECORDS_ROOM,
    REGULAR,
    SCALE,
    SERIES_ONLY,
    STALL,
    STALLED,
    STEPS,
    T_KIND,
    T_PIECES,
    TIME,
    TRIGGER,
    TRIGGER_GUARD,
    UNITS,
    UNTIL,
    WANTED,
    N,
    X,
)  # fmt: skip
from slipstick.transient.exact.roots import I_GUARD, I_UNIT, INFO_ROW, first_root
from slipstick.transient.exact.taylor_step import build_series, move_series, note_series_sizes, reach_of, series_root

MOST_STALLS = 60  # events without time passing, before it is given up
HASH_BASE, HASH_SIZE = 31.0, 140737488355213.0  # products stay below 2^53


def enter(model: Buffer, state: Buffer, record: Buffer, events: Buffer) -> bool:
    """Decide on the state of all units, note what has changed and where a segment begins."""
    n = int(model[N])
    m = int(model[UNITS])
    piece = view(state, int(model[PIECE]))
    old = view(state, int(model[OLD_PIECE]))
    memory = view(state, int(model[MEMORY]))
    x = view(state, int(model[X]))
    for e in range(m):
        old[e] = piece[e]
    settled = decide(model, state)
    for e in range(m):
        if piece[e] != old[e]:
            row = view(events, 4 * int(state[EVENTS]))
            row[0] = state[TIME]
            row[1] = float(e)
            row[2] = old[e]
            row[3] = piece[e]
            state[EVENTS] += 1.0
    row = view(record, int(state[RECORDS]) * (RECORD_HEAD + 2 * n + 2 * m))
    row[R_TIME] = state[TIME]
    row[R_EPOCH] = state[EPOCH_NOW]
    row[R_SERIES_USED] = 0.0
    for i in range(2 * n):
        row[RECORD_HEAD + i] = x[i]
    for e in range(m):
        row[RECORD_HEAD + 2 * n + e] = piece[e]
        row[RECORD_HEAD + 2 * n + m + e] = memory[e]
    state[RECORDS] += 1.0
    return settled


def find_entry(model: Buffer, state: Buffer, tables: Buffer) -> int:
    """Where the directory has the present state; it is put there if there is room. 0 if there is none."""
    m = int(model[UNITS])
    piece = view(state, int(model[PIECE]))
    key = 7.0
    for e in range(m):
        key = (key * HASH_BASE + piece[e] + 1.0) % HASH_SIZE
    state[HASH] = key
    count = int(tables[0])
    for i in range(count):
        entry = 2 + ENTRY_ROW * i
        if tables[entry + E_HASH] == key and same_pieces(model, state, tables, entry):
            return entry
    if count >= MOST_ENTRIES:
        return 0
    entry = 2 + ENTRY_ROW * count
    tables[entry + E_HASH] = key
    tables[entry + E_AT] = 0.0
    tables[entry + E_STEPS] = 0.0
    tables[0] += 1.0
    return entry


def same_pieces(model: Buffer, state: Buffer, tables: Buffer, entry: int) -> bool:
    """False for a table of another state with the same hash; an entry without a table only counts steps."""
    if tables[entry + E_AT] == 0.0:
        return True
    table = view(tables, int(tables[entry + E_AT]))
    own = view(table, int(table[T_PIECES]))
    piece = view(state, int(model[PIECE]))
    for e in range(int(model[UNITS])):
        if own[e] != piece[e]:
            return False
    return True


def modal_segment(model: Buffer, state: Buffer, table: Buffer, horizon: float) -> tuple[float, bool]:
    """To the first event, at most the horizon; the time taken, and whether an event ended it."""
    expand(model, table, state)
    state[BY_SERIES] = 0.0
    guards = write_guards(model, table, state)
    s, g, looks = first_root(model, table, state, guards, horizon)
    state[STEPS] += float(looks)
    if s > 0.0:
        move(model, table, state, s, view(state, int(model[X])))
        note_sizes(model, table, state, s)
    if g >= 0:
        info = view(state, int(model[G_INFO]) + INFO_ROW * g)
        mark_trigger(model, state, int(info[I_UNIT]), int(info[I_GUARD]))
    return s, g >= 0


def series_segment(model: Buffer, state: Buffer, horizon: float) -> tuple[float, bool]:
    """One Taylor step, shorter if an event ends it."""
    state[BY_SERIES] = 1.0
    build_series(model, state)
    h = reach_of(model, state, horizon)
    s, unit, guard = series_root(model, state, h)
    state[STEPS] += 1.0
    if s > 0.0:
        move_series(model, state, s, view(state, int(model[X])))
        note_series_sizes(model, state, s)
    if unit >= 0:
        mark_trigger(model, state, unit, guard)
    return s, unit >= 0


def mark_trigger(model: Buffer, state: Buffer, unit: int, guard: int) -> None:
    """Remember which guard is zero; of a contact only a velocity is taken as zero, forces are looked at anew."""
    state[TRIGGER] = float(unit)
    state[TRIGGER_GUARD] = float(guard)
    if model[int(model[CONTACT_OF]) + unit] >= 0.0 and guard != RATE_GUARD:
        state[TRIGGER] = -1.0


def finite_state(model: Buffer, state: Buffer) -> bool:
    n = int(model[N])
    x = view(state, int(model[X]))
    scale = view(state, int(model[SCALE]))
    for i in range(2 * n):
        if not abs(x[i]) < 1e250:
            return False
        scale[i] = max(scale[i], abs(x[i]))
    return True


def advance(model: Buffer, state: Buffer, tables: Buffer, record: Buffer, events: Buffer) -> int:
    """Go on from the state at hand; why it stopped (see `places`)."""
    n = int(model[N])
    m = int(model[UNITS])
    while True:
        if state[BUDGET] <= 0.0:
            return PAUSE
        if state[RECORDS] + 1.0 >= state[RECORDS_ROOM]:
            return RECORDS_FULL
        if state[EVENTS] + float(m) >= state[EVENTS_ROOM]:
            return EVENTS_FULL
        epoch = view(model, int(model[EPOCH]) + int(state[EPOCH_NOW]) * (2 + 2 * n + 2 * m))
        end = min(epoch[1], state[UNTIL])
        horizon = end - state[TIME]
        if horizon <= 0.0:
            if end >= state[UNTIL]:
                return DONE
            state[EPOCH_NOW] += 1.0
            state[TRIGGER] = -1.0
            if not enter(model, state, record, events):
                return STALL
            continue
        entry = find_entry(model, state, tables)
        place = 0
        if entry > 0:
            place = int(tables[entry + E_AT])
        kind = 0.0
        if place > 0:
            kind = tables[place + T_KIND]
        if kind == MODAL:
            s, hit = modal_segment(model, state, view(tables, place), horizon)
        else:
            if kind == 0.0 and (entry > 0 or model[REGULAR] == 0.0):
                if tables[entry + E_STEPS] >= state[WANTED]:
                    return NEED_TABLE
                tables[entry + E_STEPS] += 1.0
            if kind == SERIES_ONLY and model[REGULAR] == 0.0:
                return STALL
            s, hit = series_segment(model, state, horizon)
        state[BUDGET] -= 1.0
        row = view(record, (int(state[RECORDS]) - 1) * (RECORD_HEAD + 2 * n + 2 * m))
        row[R_SERIES_USED] = max(row[R_SERIES_USED], state[BY_SERIES])
        if not finite_state(model, state):
            return NOT_FINITE
        if s >= horizon:
            state[TIME] = end
        else:
            state[TIME] += s
        if hit:
            state[STALLED] = state[STALLED] + 1.0 if s == 0.0 else 0.0
            if state[STALLED] > MOST_STALLS:
                return STALL
            if not enter(model, state, record, events):
                return STALL
