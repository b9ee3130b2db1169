"""How small changes of the state grow along a run that was recorded: the derivative of the flow; compiled.

Within a segment everything is linear: a change moves as the motion does, without loads, offsets and the constants of
pieces. So the same functions serve it, on a copy of the model in which those are zero (`packing.tangent`). An event
comes a time dt later or sooner, by which its guard g is crossed again: dg + g' dt = 0. Velocities then change by what
the acceleration jumps by, times dt, and a stretch that starts or stops moving is handed over at the new instant.
"""

from __future__ import annotations

from slipstick.laws.parsing import Buffer
from slipstick.native import view
from slipstick.transient.exact import places as at
from slipstick.transient.exact.contacts import HOLDS, factor, hold, mark_sticking, react
from slipstick.transient.exact.guards import write_guards
from slipstick.transient.exact.modal import expand, move
from slipstick.transient.exact.roots import BASIS_ROW, I_GUARD, I_UNIT, INFO_ROW, basis_at, guard_at, waves_at
from slipstick.transient.exact.sampling import modes_of, restore
from slipstick.transient.exact.series import accelerate, along_unit, deflections, next_order, start_series


def accelerations(model: Buffer, state: Buffer, out: Buffer) -> None:
    """Of the state at hand, in its pieces; the rates of all deflections stand in at.U_SERIES then."""
    n = int(model[at.N])
    independent = 0
    if int(model[at.CONTACTS]) > 0:
        independent = mark_sticking(model, state)
    start_series(model, state, 2)
    deflections(model, state, 1)
    accelerate(model, state, 0)
    hold(model, state, 0, independent)
    next_order(model, state, 0)
    q = view(state, int(model[at.Q_SERIES]) + 2 * n)
    for i in range(n):
        out[i] = 2.0 * q[i]


def stop_changes(model: Buffer, state: Buffer, change: Buffer) -> None:
    """What a run does first: contacts that stick are brought to rest, so changes of their rates do not count."""
    n = int(model[at.N])
    c = int(model[at.CONTACTS])
    if c == 0:
        return
    unit_of = view(model, int(model[at.UNIT_OF]))
    minv_a = view(model, int(model[at.MINV_A]))
    status = view(state, int(model[at.STATUS]))
    reaction = view(state, int(model[at.REACTION]))
    rates = view(state, int(model[at.RATES]))
    mark_sticking(model, state)
    for i in range(c):
        rates[i] = along_unit(model, int(unit_of[i]), view(change, n))
        reaction[i] = 0.0
    react(model, state, factor(model, state))
    for i in range(c):
        if status[i] == HOLDS:
            for j in range(n):
                change[n + j] -= minv_a[j * c + i] * reaction[i]


def guard_place(model: Buffer, state: Buffer, guards: int, unit: float, guard: float) -> int:
    """Which of the guards that were written is this one; -1 if none is."""
    info = view(state, int(model[at.G_INFO]))
    for g in range(guards):
        if info[INFO_ROW * g + I_UNIT] == unit and info[INFO_ROW * g + I_GUARD] == guard:
            return g
    return -1


def moves_in(model: Buffer, e: int, piece: float) -> bool:
    """True if the stretch of unit e moves in that piece."""
    if model[int(model[at.CONTACT_OF]) + e] >= 0.0:
        return False
    row = int(model[int(model[at.FIRST_PIECE]) + e]) + int(piece)
    return model[int(model[at.PIECES]) + at.PIECE_ROW * row + at.P_MOVES] != 0.0


def hand_over(model: Buffer, state: Buffer, before: Buffer, after: Buffer, later: float, change: Buffer) -> None:
    """Changes of the memories across an event that comes ``later``.

    before, after : the pieces.   at.U_SERIES has the rates of deflections before the event. A stretch stops at its
    limit, whenever it gets there; one that starts moving has the deflection of that instant.
    """
    n = int(model[at.N])
    m = int(model[at.UNITS])
    rate = view(state, int(model[at.U_SERIES]) + m)
    memory = view(change, 2 * n)
    for e in range(m):
        moved = moves_in(model, e, before[e])
        if moved == moves_in(model, e, after[e]):
            continue
        if moved:
            memory[e] = 0.0
        else:
            memory[e] = along_unit(model, e, change) + rate[e] * later - memory[e]


def carry(
    model: Buffer, tangent: Buffer, table: Buffer, state: Buffer, near: Buffer, place: int, s: float, change: Buffer
) -> float:
    """A change through one segment of length s; what the guard at ``place`` has changed by then."""
    n = int(model[at.N])
    m = int(model[at.UNITS])
    x = view(near, int(model[at.X]))
    memory = view(near, int(model[at.MEMORY]))
    piece = view(near, int(model[at.PIECE]))
    own = view(state, int(model[at.PIECE]))
    for i in range(2 * n):
        x[i] = change[i]
    for e in range(m):
        memory[e] = change[2 * n + e]
        piece[e] = own[e]
    near[at.TIME] = 0.0
    near[at.TIME_LOW] = 0.0
    near[at.EPOCH_NOW] = 0.0
    expand(tangent, table, near)
    value = 0.0
    if place >= 0:
        write_guards(tangent, table, near)
        basis_at(table, int(table[at.T_MODES]), s, view(near, int(model[at.BASIS_E])))
        value, _ = guard_at(tangent, table, near, place, s)
    move(tangent, table, near, s, change)
    return value


def vary(
    model: Buffer,
    tangent: Buffer,
    state: Buffer,
    near: Buffer,
    tables: Buffer,
    record: Buffer,
    records: int,
    end: float,
    changes: Buffer,
    count: int,
) -> int:
    """Carry changes (count, 2n + m: displacements, velocities, memories) from the first record to ``end``.

    Returns 1; 0 if a segment was not walked by modes, so that this cannot be told.
    """
    n = int(model[at.N])
    m = int(model[at.UNITS])
    row_size = at.RECORD_HEAD + 2 * n + 2 * m
    size = 2 * n + m
    jump = view(state, int(model[at.JUMP]))  # accelerations before and after an event
    restore(model, state, record)
    for c in range(count):
        stop_changes(model, state, view(changes, c * size))
    for k in range(records):
        row = view(record, k * row_size)
        last = k == records - 1
        following = view(record, (k + 1) * row_size)
        s = (end - row[at.R_TIME]) - row[at.R_TIME_LOW]
        if not last:
            s = (following[at.R_TIME] - row[at.R_TIME]) + (following[at.R_TIME_LOW] - row[at.R_TIME_LOW])
        restore(model, state, row)
        entry = modes_of(model, state, tables, row)
        if entry == 0:
            if s > 0.0:
                return 0
            continue
        table = view(tables, entry)
        expand(model, table, state)
        place = -1
        slope = 0.0
        if not last and following[at.R_FIRED] >= 0.0:
            guards = write_guards(model, table, state)
            place = guard_place(model, state, guards, following[at.R_FIRED], following[at.R_FIRED_GUARD])
            r = int(table[at.T_MODES])
            basis_at(table, r, s, view(state, int(model[at.BASIS_E])))
            waves_at(model, s, view(state, int(model[at.BASIS_E]) + BASIS_ROW * r))
            if place >= 0:
                _, slope = guard_at(model, table, state, place, s)
        if last:
            for c in range(count):
                carry(model, tangent, table, state, near, -1, s, view(changes, c * size))
            return 1
        # accelerations on both sides of the event; rates of deflections are those before it
        restore(model, state, following)
        accelerations(model, state, view(jump, n))
        piece = view(state, int(model[at.PIECE]))
        memory = view(state, int(model[at.MEMORY]))
        for e in range(m):
            piece[e] = row[at.RECORD_HEAD + 2 * n + e]
            memory[e] = row[at.RECORD_HEAD + 2 * n + m + e]
        state[at.EPOCH_NOW] = row[at.R_EPOCH]
        accelerations(model, state, jump)
        for c in range(count):
            change = view(changes, c * size)
            value = carry(model, tangent, table, state, near, place, s, change)
            later = 0.0
            if slope != 0.0:
                later = -value / slope
            hand_over(
                model,
                state,
                view(row, at.RECORD_HEAD + 2 * n),
                view(following, at.RECORD_HEAD + 2 * n),
                later,
                change,
            )
            for i in range(n):
                change[n + i] += (jump[i] - jump[n + i]) * later
    return 1
