"""The motion at given times, from the segments that were recorded; compiled."""

from __future__ import annotations

from slipstick.laws.parsing import Buffer
from slipstick.native import view
from slipstick.transient.exact.flow import enter, find_entry
from slipstick.transient.exact.modal import expand, move
from slipstick.transient.exact.places import (
    E_AT, EPOCH_NOW, MEMORY, N, PIECE, R_EPOCH, R_SERIES_USED, R_TIME, RECORD_HEAD, TIME, TRIGGER, UNITS, X,
)  # fmt: skip
from slipstick.transient.exact.taylor_step import build_series, move_series, reach_of


def begin(model: Buffer, state: Buffer, record: Buffer, events: Buffer) -> int:
    """Decide on the state at the first instant; 1 if that worked."""
    state[TRIGGER] = -1.0
    return 1 if enter(model, state, record, events) else 0


def restore(model: Buffer, state: Buffer, row: Buffer) -> None:
    """The state as it was when a segment began."""
    n = int(model[N])
    m = int(model[UNITS])
    x = view(state, int(model[X]))
    piece = view(state, int(model[PIECE]))
    memory = view(state, int(model[MEMORY]))
    state[TIME] = row[R_TIME]
    state[EPOCH_NOW] = row[R_EPOCH]
    for i in range(2 * n):
        x[i] = row[RECORD_HEAD + i]
    for e in range(m):
        piece[e] = row[RECORD_HEAD + 2 * n + e]
        memory[e] = row[RECORD_HEAD + 2 * n + m + e]


def sample(
    model: Buffer, state: Buffer, tables: Buffer, record: Buffer, segment: int, times: Buffer, count: int, out: Buffer
) -> None:
    """States (count, 2n) at times within one segment, in order."""
    n = int(model[N])
    row = view(record, segment * (RECORD_HEAD + 2 * n + 2 * int(model[UNITS])))
    restore(model, state, row)
    if row[R_SERIES_USED] == 0.0:
        table = view(tables, int(tables[find_entry(model, state, tables) + E_AT]))
        expand(model, table, state)
        for k in range(count):
            move(model, table, state, times[k] - state[TIME], view(out, 2 * n * k))
        return
    x = view(state, int(model[X]))
    k = 0
    while k < count:
        build_series(model, state)
        h = reach_of(model, state, times[count - 1] - state[TIME])
        while k < count and times[k] - state[TIME] <= h:
            move_series(model, state, times[k] - state[TIME], view(out, 2 * n * k))
            k += 1
        move_series(model, state, h, x)
        state[TIME] += h
