"""A run between states (q, v, w), w the stretches of sliders, and the derivative of the last by the first; compiled.

A slider is a unit with a piece in which a stretch moves.
"""

from __future__ import annotations

from slipstick.laws.parsing import Buffer
from slipstick.native import view
from slipstick.transient.exact import places as at
from slipstick.transient.exact.series import along_unit, offset, turn_waves
from slipstick.transient.exact.slides import moves_in
from slipstick.transient.exact.variation import look, vary


def is_slider(model: Buffer, e: int) -> bool:
    """True if unit e has a stretch that can move."""
    first = view(model, int(model[at.FIRST_PIECE]) + e)
    pieces = view(model, int(model[at.PIECES]))
    for k in range(int(first[0]), int(first[1])):
        if pieces[at.PIECE_ROW * k + at.P_MOVES] != 0.0:
            return True
    return False


def put_state(model: Buffer, state: Buffer, given: Buffer) -> None:
    """Put (q, v, w) into a state, before it is decided what happens next."""
    n = int(model[at.N])
    x = view(state, int(model[at.X]))
    piece = view(state, int(model[at.PIECE]))
    memory = view(state, int(model[at.MEMORY]))
    contact_of = view(model, int(model[at.CONTACT_OF]))
    for i in range(2 * n):
        x[i] = given[i]
    turn_waves(model, state)
    k = 2 * n
    for e in range(int(model[at.UNITS])):
        if contact_of[e] >= 0.0:
            piece[e] = float(at.STICK)
            continue
        w = 0.0
        if is_slider(model, e):
            w = given[k]
            k += 1
        u = along_unit(model, e, x) + offset(model, state, 0, e)
        own = first_piece(model, e, u, w)
        piece[e] = float(own)
        memory[e] = w
        if moves_in(model, e, piece[e]):
            memory[e] = u - w


def first_piece(model: Buffer, e: int, u: float, w: float) -> int:
    """The piece that a unit at rest is in: a slider sticks; of others the one whose guards are farthest from zero.

    A slider led to its limit is there to rounding only, and at rest the guards of sliding are zero either way.
    """
    first = view(model, int(model[at.FIRST_PIECE]) + e)
    pieces = view(model, int(model[at.PIECES]))
    guards = view(model, int(model[at.GUARDS]))
    best = 0
    best_moves = -1.0
    best_margin = 0.0
    for k in range(int(first[0]), int(first[1])):
        row = view(pieces, at.PIECE_ROW * k)
        margin = 1e300
        for g in range(int(row[at.P_GUARDS])):
            guard = view(guards, at.GUARD_ROW * (int(row[at.P_GUARD]) + g))
            margin = min(margin, guard[at.G_CONSTANT] + guard[at.G_U] * u + guard[at.G_W] * w)
        if row[at.P_MOVES] > best_moves or (row[at.P_MOVES] == best_moves and margin > best_margin):
            best = k - int(first[0])
            best_moves = row[at.P_MOVES]
            best_margin = margin
    return best


def arrive(model: Buffer, state: Buffer, record: Buffer, records: int, out: Buffer) -> None:
    """Where a run has come to, as (q, v, w), and behind it the sizes of these over the run.

    The velocity of a coordinate without inertia follows from forces and is no part of a state: it is zero here.
    """
    n = int(model[at.N])
    m = int(model[at.UNITS])
    x = view(state, int(model[at.X]))
    piece = view(state, int(model[at.PIECE]))
    memory = view(state, int(model[at.MEMORY]))
    line = at.RECORD_HEAD + 2 * n + 2 * m
    size = 2 * n
    for e in range(m):
        if is_slider(model, e):
            size += 1
    sizes = view(out, size)
    for i in range(2 * n):
        if i >= n and not is_inert(model, i - n):
            out[i] = 0.0
            sizes[i] = 0.0
            continue
        out[i] = x[i]
        sizes[i] = abs(x[i])
        for k in range(records):
            sizes[i] = max(sizes[i], abs(record[k * line + at.RECORD_HEAD + i]))
    turn_waves(model, state)
    k = 2 * n
    for e in range(m):
        if not is_slider(model, e):
            continue
        out[k] = memory[e]
        if moves_in(model, e, piece[e]):
            out[k] = along_unit(model, e, x) + offset(model, state, 0, e) - memory[e]
        sizes[k] = longest(model, e)
        k += 1


def is_inert(model: Buffer, i: int) -> bool:
    """True if coordinate i has an inertia, alone or together with others."""
    n = int(model[at.N])
    mass = view(model, int(model[at.MASS]))
    if model[at.FULL_MASS] == 0.0:
        return mass[i] != 0.0  # type: ignore[no-any-return]
    for j in range(n):
        if mass[i * n + j] != 0.0:
            return True
    return False


def longest(model: Buffer, e: int) -> float:
    """The largest stretch of a slider, from the guards that end its moving."""
    first = view(model, int(model[at.FIRST_PIECE]) + e)
    pieces = view(model, int(model[at.PIECES]))
    guards = view(model, int(model[at.GUARDS]))
    found = 0.0
    for k in range(int(first[0]), int(first[1])):
        row = view(pieces, at.PIECE_ROW * k)
        for g in range(int(row[at.P_GUARDS])):
            guard = view(guards, at.GUARD_ROW * (int(row[at.P_GUARD]) + g))
            if guard[at.G_W] != 0.0:
                found = max(found, abs(guard[at.G_CONSTANT] / guard[at.G_W]))
    return found


def derive(
    model: Buffer,
    tangent: Buffer,
    state: Buffer,
    near: Buffer,
    tables: Buffer,
    record: Buffer,
    records: int,
    end: float,
    changes: Buffer,
    size: int,
    turned: Buffer,
    sweeps: int,
    out: Buffer,
) -> None:
    """out (columns, size): the derivative of the state (q, v, w) at ``end`` by that at the begin, by columns.

    state, near : that at the end, twice, to work on.   changes : room, (columns, 2n + m) and m more.
    sweeps : 1 if one more column is wanted, that by the logarithm of the base frequency with the end held.
    turned : the model for that (see `sweeping`).
    """
    n = int(model[at.N])
    m = int(model[at.UNITS])
    width = 2 * n + m
    last = view(near, int(model[at.PIECE]))
    first = view(record, at.RECORD_HEAD + 2 * n)
    count = size + sweeps
    pieces = view(changes, count * width)
    for i in range(count * width):
        changes[i] = 0.0
    for e in range(m):
        pieces[e] = last[e]  # at the end; the state they are in is worked on
    k = 2 * n
    for e in range(m):
        if not is_slider(model, e):
            continue
        if moves_in(model, e, first[e]):
            changes[k * width + 2 * n + e] = -1.0
        k += 1
    for i in range(2 * n):
        if i >= n and not is_inert(model, i - n):
            continue  # nothing depends on it
        row = view(changes, i * width)
        row[i] = 1.0
        if i < n:
            for e in range(m):
                if is_slider(model, e) and moves_in(model, e, first[e]):
                    row[2 * n + e] = along_unit(model, e, row)
    vary(model, tangent, state, near, tables, record, records, end, changes, count, turned, size if sweeps else -1)
    for c in range(count):
        row = view(changes, c * width)
        column = view(out, c * size)
        for i in range(2 * n):
            column[i] = row[i]
            if i >= n and not is_inert(model, i - n):
                column[i] = 0.0
        k = 2 * n
        for e in range(m):
            if not is_slider(model, e):
                continue
            column[k] = row[2 * n + e]
            if moves_in(model, e, pieces[e]):
                column[k] = along_unit(model, e, row) - row[2 * n + e]
            k += 1


def rates(model: Buffer, state: Buffer, out: Buffer) -> None:
    """How fast the state at hand, as (q, v, w), changes in time."""
    n = int(model[at.N])
    m = int(model[at.UNITS])
    look(model, state)
    q = view(state, int(model[at.Q_SERIES]))
    u = view(state, int(model[at.U_SERIES]) + m)
    piece = view(state, int(model[at.PIECE]))
    for i in range(n):
        out[i] = q[n + i]
        out[n + i] = 2.0 * q[2 * n + i]
    k = 2 * n
    for e in range(m):
        if is_slider(model, e):
            out[k] = u[e] if moves_in(model, e, piece[e]) else 0.0
            k += 1
