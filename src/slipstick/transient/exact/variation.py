"""How small changes of the state grow along a run that was recorded: the derivative of the flow; compiled.

Within a segment everything is linear: a change moves as the motion does, without loads, offsets and the constants of
pieces. So the same functions serve it, on a copy of the model in which those are zero (`packing.tangent`). An event
comes a time dt later or sooner, by which its guard g is crossed again: dg + g' dt = 0. Velocities then change by what
the acceleration jumps by, times dt, and a stretch that starts or stops moving is handed over at the new instant.
"""

from __future__ import annotations

import math

from slipstick.laws.parsing import Buffer
from slipstick.native import view
from slipstick.transient.exact import places as at
from slipstick.transient.exact.contacts import mark_sticking, stop_rates
from slipstick.transient.exact.corners import LOAD_GUARD, RATE_GUARD, UP_GUARD, guard_line
from slipstick.transient.exact.light_variation import vary_light
from slipstick.transient.exact.modal import expand_change, move
from slipstick.transient.exact.sampling import known_modes, restore
from slipstick.transient.exact.series import along_unit, deflections, next_order, piece_of
from slipstick.transient.exact.slides import hand_over
from slipstick.transient.exact.sweeping import add_steady_change, put_over
from slipstick.transient.exact.taylor_step import begin_series, build_series, continue_series, move_series, reach_of


def look(model: Buffer, state: Buffer) -> None:
    """The first coefficients of the motion from the state at hand, in its pieces: up to the rate of accelerations."""
    independent = begin_series(model, state, 2)
    for k in range(2):
        continue_series(model, state, k, independent)
        next_order(model, state, k)
    deflections(model, state, 2)


def guard_now(model: Buffer, state: Buffer, e: int, g: int) -> tuple[float, float]:
    """The value of guard g of unit e and its rate, from what `look` found."""
    m = int(model[at.UNITS])
    c = int(model[at.CONTACTS])
    u = view(state, int(model[at.U_SERIES]) + e)
    i = int(model[int(model[at.CONTACT_OF]) + e])
    if i < 0:
        constant, stiffness, damping = guard_line(model, state, e, g)
        return constant + stiffness * u[0] + damping * u[m], stiffness * u[m] + 2.0 * damping * u[2 * m]
    limit = view(state, int(model[at.L_SERIES]) + i)
    if g == RATE_GUARD:
        sign = 1.0 if piece_of(model, state, e) == at.SLIP_UP else -1.0
        return sign * u[m], 2.0 * sign * u[2 * m]
    if g == LOAD_GUARD:
        sign = -1.0 if piece_of(model, state, e) == at.UNLOADED else 1.0
        return sign * limit[0], sign * limit[c]
    sign = -1.0 if g == UP_GUARD else 1.0
    ratio = model[int(model[at.RATIO]) + i]
    reaction = view(state, int(model[at.R_SERIES]) + i)
    return ratio * limit[0] + sign * reaction[0], ratio * limit[c] + sign * reaction[c]


def stop_changes(model: Buffer, state: Buffer, change: Buffer) -> None:
    """What a run does first: contacts that stick are brought to rest, so changes of their rates do not count."""
    n = int(model[at.N])
    c = int(model[at.CONTACTS])
    if c == 0:
        return
    unit_of = view(model, int(model[at.UNIT_OF]))
    rates = view(state, int(model[at.RATES]))
    independent = mark_sticking(model, state)
    for i in range(c):
        rates[i] = along_unit(model, int(unit_of[i]), view(change, n))
    stop_rates(model, state, independent, view(change, n))


def carry(tangent: Buffer, state: Buffer, near: Buffer, tables: Buffer, entry: int, s: float, change: Buffer) -> None:
    """A change through one segment of length s, in the pieces of the state at hand; ``near`` is left at its end."""
    n = int(tangent[at.N])
    m = int(tangent[at.UNITS])
    x = view(near, int(tangent[at.X]))
    memory = view(near, int(tangent[at.MEMORY]))
    piece = view(near, int(tangent[at.PIECE]))
    own = view(state, int(tangent[at.PIECE]))
    for i in range(2 * n):
        x[i] = change[i]
    for e in range(m):
        memory[e] = change[2 * n + e]
        piece[e] = own[e]
    near[at.TIME] = 0.0
    near[at.TIME_LOW] = 0.0
    near[at.EPOCH_NOW] = 0.0
    if entry > 0:
        table = view(tables, entry)
        expand_change(tangent, table, near)
        move(tangent, table, near, s, x)
    else:
        left = s
        while left > 0.0:
            build_series(tangent, near, left)
            h = reach_of(tangent, near, left)
            if not h > 0.0:
                break
            move_series(tangent, near, h, x)
            left -= h
    for i in range(2 * n):
        change[i] = x[i]


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
    turned: Buffer,
    swept: int,
) -> None:
    """Carry changes (count, 2n + m: displacements, velocities, memories) from the first record to ``end``.

    swept : the one that comes from the base frequency (see `sweeping`), by the model ``turned``; -1: none. It is lost
        (not a number) where a segment was not walked by modes.
    """
    if model[at.REGULAR] == 0.0:
        vary_light(model, tangent, state, near, tables, record, records, end, changes, count)
        return
    n = int(model[at.N])
    m = int(model[at.UNITS])
    row_size = at.RECORD_HEAD + 2 * n + 2 * m
    size = 2 * n + m
    restore(model, state, record)
    for c in range(count):
        stop_changes(model, state, view(changes, c * size))
    for k in range(records):
        row = view(record, k * row_size)
        following = view(record, (k + 1) * row_size)
        last = k == records - 1
        s = max((end - row[at.R_TIME]) - row[at.R_TIME_LOW], 0.0)
        if not last:
            s = (following[at.R_TIME] - row[at.R_TIME]) + (following[at.R_TIME_LOW] - row[at.R_TIME_LOW])
        restore(model, state, row)
        # a motion whose modes cancel is walked by Taylor steps, but not its changes: there are many, and digits enough
        entry = known_modes(model, state, tables)
        for c in range(count):
            change = view(changes, c * size)
            by = tangent
            factor = 1.0
            if c == swept:
                if entry == 0:
                    change[0] = math.nan
                    continue
                add_steady_change(model, view(tables, entry), state[at.TIME], -1.0, change)
            carry(tangent, state, near, tables, entry, s, change)
            if c == swept:
                factor = state[at.TIME] + s
                add_steady_change(model, view(tables, entry), factor, 1.0, change)
                by = turned
                put_over(turned, near, factor, change)
            if not last:
                shift = 0.0
                if following[at.R_FIRED] >= 0.0:
                    look(by, near)
                    shift, _ = guard_now(by, near, int(following[at.R_FIRED]), int(following[at.R_FIRED_GUARD]))
                state[int(model[at.SHIFT]) + c] = factor * shift
        if not last:
            cross(model, state, row, following, changes, count)


def cross(model: Buffer, state: Buffer, row: Buffer, following: Buffer, changes: Buffer, count: int) -> None:
    """Changes across the event between two segments; at.SHIFT has what its guard has changed by, for each."""
    n = int(model[at.N])
    m = int(model[at.UNITS])
    size = 2 * n + m
    jump = view(state, int(model[at.JUMP]))
    shift = view(state, int(model[at.SHIFT]))
    piece = view(state, int(model[at.PIECE]))
    memory = view(state, int(model[at.MEMORY]))
    q2 = view(state, int(model[at.Q_SERIES]) + 2 * n)
    restore(model, state, following)
    look(model, state)
    for i in range(n):
        jump[i] = -2.0 * q2[i]
    for e in range(m):
        piece[e] = row[at.RECORD_HEAD + 2 * n + e]
        memory[e] = row[at.RECORD_HEAD + 2 * n + m + e]
    state[at.EPOCH_NOW] = row[at.R_EPOCH]
    look(model, state)
    for i in range(n):
        jump[i] += 2.0 * q2[i]  # by how much larger accelerations were before
    slope = 0.0
    if following[at.R_FIRED] >= 0.0:
        _, slope = guard_now(model, state, int(following[at.R_FIRED]), int(following[at.R_FIRED_GUARD]))
    for c in range(count):
        change = view(changes, c * size)
        later = 0.0
        if slope != 0.0:
            later = -shift[c] / slope
        hand_over(
            model,
            state,
            view(row, at.RECORD_HEAD + 2 * n),
            view(following, at.RECORD_HEAD + 2 * n),
            later,
            change,
        )
        for i in range(n):
            change[n + i] += jump[i] * later
