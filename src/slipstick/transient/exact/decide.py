"""What happens next: the state of every unit right after an instant; compiled.

The Taylor series of the motion is built order by order. A broken-line unit at a corner goes the way its guard's first
coefficient that is not zero points; the pieces on both sides give the same force until then. Contacts with zero
relative velocity are settled together: at order 0 within their boxes; one that ends at a bound with zero acceleration
is a tie, and is settled at the next order among those still tied. One rule covers the first instant, touching,
simultaneous events and release.
"""

from __future__ import annotations

import math
from typing import Any

from slipstick.laws.parsing import Buffer
from slipstick.native import view
from slipstick.transient.exact import places as at
from slipstick.transient.exact.contacts import (
    ASIDE,
    DOWN,
    HOLDS,
    OUT,
    UP,
    apply_reactions,
    factor,
    rate_size,
    react,
    relative_rates,
    settle,
    yielding_rate,
)
from slipstick.transient.exact.series import (
    accelerate,
    deflections,
    load_size,
    next_order,
    offset,
    offset_size,
    piece_row,
    size_along,
    start_series,
)

ROUNDING = 3e-14  # of the size of what is added up: zero for displacements and velocities
LEVEL_ROUNDING = 1e-11  # the same for accelerations and their derivatives
SHARPER, SHARPEST, BLUNTER = 1e-13, 1e-15, 1e-9  # the same where a decision is at odds with the guards that follow
SHAKEN = 1e-15  # of the motion of all, in terms of energy: zero for a rate
NO_BOUND = 1e300
UP_GUARD, DOWN_GUARD, RATE_GUARD, LOAD_GUARD = 0, 1, 2, 3  # of a contact


def level_rounding(state: Buffer) -> float:
    """Zero for accelerations: events that repeat without time passing were decided at odds with their guards."""
    turn = int(state[at.STALLED]) % 4
    if turn == 1:
        return SHARPER
    if turn == 2:
        return SHARPEST
    return BLUNTER if turn == 3 else LEVEL_ROUNDING


def guard_row(model: Buffer, state: Buffer, e: int, g: int) -> Any:
    """Guard g of the present piece of unit e."""
    piece = piece_row(model, state, e)
    return view(model, int(model[at.GUARDS]) + at.GUARD_ROW * (int(piece[at.P_GUARD]) + g))


def guard_count(model: Buffer, state: Buffer, e: int) -> int:
    piece = piece_row(model, state, e)
    return int(piece[at.P_GUARDS])


def moves(model: Buffer, state: Buffer, e: int) -> bool:
    piece = piece_row(model, state, e)
    return piece[at.P_MOVES] != 0.0  # type: ignore[no-any-return]


def guard_line(model: Buffer, state: Buffer, e: int, g: int) -> tuple[float, float, float]:
    """A guard as constant + U u + V v, the stretch put in."""
    row = guard_row(model, state, e, g)
    memory = state[int(model[at.MEMORY]) + e]
    if moves(model, state, e):
        return row[at.G_CONSTANT] - row[at.G_W] * memory, row[at.G_U] + row[at.G_W], row[at.G_V]
    return row[at.G_CONSTANT] + row[at.G_W] * memory, row[at.G_U], row[at.G_V]


def is_corner(model: Buffer, e: int, g: int) -> bool:
    """False for a guard on a contact's force: forces are looked at anew."""
    return model[int(model[at.CONTACT_OF]) + e] < 0.0 or g == RATE_GUARD


def is_reaction(model: Buffer, e: int, g: int) -> bool:
    """True for a guard on the force of a contact that sticks."""
    return model[int(model[at.CONTACT_OF]) + e] >= 0.0 and (g == UP_GUARD or g == DOWN_GUARD)


def is_rate(model: Buffer, state: Buffer, e: int, g: int) -> bool:
    """True if guard g of unit e is on its rate alone."""
    if model[int(model[at.CONTACT_OF]) + e] >= 0.0:
        return True
    row = guard_row(model, state, e, g)
    return row[at.G_V] != 0.0 and row[at.G_U] == 0.0 and row[at.G_W] == 0.0  # type: ignore[no-any-return]


def change_piece(model: Buffer, state: Buffer, e: int, g: int) -> None:
    """Go through guard g of unit e: a stretch that starts or stops moving is handed over."""
    u = state[int(model[at.U_SERIES]) + e]
    memory = view(state, int(model[at.MEMORY]) + e)
    row = guard_row(model, state, e, g)
    moved = moves(model, state, e)
    stretch = memory[0]
    if moved:
        stretch = u - memory[0]
    if row[at.G_W] != 0.0 and row[at.G_U] == 0.0 and row[at.G_V] == 0.0:
        stretch = -row[at.G_CONSTANT] / row[at.G_W]  # at the guard itself, to the bit
    state[int(model[at.PIECE]) + e] = row[at.G_TO]
    memory[0] = stretch
    if moves(model, state, e):
        memory[0] = u - stretch


def corner(model: Buffer, state: Buffer, e: int, known: int) -> bool:
    """Settle a broken-line unit with deflections known up to order ``known``; True while it is still tied."""
    m = int(model[at.UNITS])
    level = level_rounding(state)
    u = view(state, int(model[at.U_SERIES]))
    for _ in range(8):  # pieces gone through
        switch = -1
        tied = False
        for g in range(guard_count(model, state, e)):
            constant, stiffness, damping = guard_line(model, state, e, g)
            last = known
            if damping != 0.0:
                last = known - 1
            sign = 0.0
            for k in range(last + 1):
                value = stiffness * u[k * m + e]
                size = abs(stiffness) * unit_size(model, state, e, k)
                if damping != 0.0:
                    value += damping * float(k + 1) * u[(k + 1) * m + e]
                    size += abs(damping) * float(k + 1) * unit_size(model, state, e, k + 1)
                if k == 0:
                    value += constant
                    size += abs(constant)
                small = ROUNDING
                if k > 1 or (k == 1 and damping != 0.0):
                    small = level
                if k == 0 and float(e) == state[at.TRIGGER] and float(g) == state[at.TRIGGER_GUARD]:
                    continue  # it is zero: that is why we are here
                slack = small * size
                if k == 0:
                    slack += abs(damping) * state[at.ZERO_RATE]
                elif k == 1:
                    slack += abs(stiffness) * state[at.ZERO_RATE]
                if value > slack:
                    sign = 1.0
                    break
                if value < -slack:
                    sign = -1.0
                    break
            if sign < 0.0 and switch < 0:
                switch = g
            if sign == 0.0:
                tied = True
        if switch < 0:
            return tied
        change_piece(model, state, e, switch)
        if float(e) == state[at.TRIGGER]:
            state[at.TRIGGER_GUARD] = -1.0
    return False


def unit_size(model: Buffer, state: Buffer, e: int, k: int) -> float:
    """What rounding of coefficient k of the deflection of unit e is measured by."""
    n = int(model[at.N])
    size = view(state, int(model[at.Q_SIZE]) + k * n)
    return size_along(model, e, size) + offset_size(model, state, k, e)


def shaken(model: Buffer, state: Buffer, e: int) -> float:
    """A rate of unit e that rounding of the motion of all others brings about: what is at rest beside them shakes."""
    n = int(model[at.N])
    minv = view(model, int(model[at.MINV]))
    velocity = view(state, int(model[at.SCALE]) + n)
    d_at = view(model, int(model[at.D_AT]))
    column = view(model, int(model[at.D_COLUMN]))
    d_value = view(model, int(model[at.D_VALUE]))
    step = 1 if model[at.FULL_MASS] == 0.0 else n + 1
    root_energy = 0.0
    for i in range(n):
        root_energy = max(root_energy, velocity[i] / math.sqrt(minv[i * step]))
    total = 0.0
    for p in range(int(d_at[e]), int(d_at[e + 1])):
        total += abs(d_value[p]) * math.sqrt(minv[int(column[p]) * step])
    return SHAKEN * root_energy * total


def load_contacts(model: Buffer, state: Buffer) -> int:
    """Set contacts that slip by their velocity or carry no load; the others enter the problem. How many those are."""
    c = int(model[at.CONTACTS])
    m = int(model[at.UNITS])
    unit_of = view(model, int(model[at.UNIT_OF]))
    varies = view(model, int(model[at.VARIES]))
    status = view(state, int(model[at.STATUS]))
    piece = view(state, int(model[at.PIECE]))
    rate = view(state, int(model[at.U_SERIES]) + m)
    open_ones = 0
    for i in range(c):
        e = int(unit_of[i])
        status[i] = OUT
        if varies[i] != 0.0 and unloaded(model, state, i):
            piece[e] = float(at.UNLOADED)
        elif model[int(model[at.DRIVEN]) + i] != 0.0:
            drive(model, state, e)
        elif abs(rate[e]) > ROUNDING * unit_size(model, state, e, 1) + state[at.ZERO_RATE] + shaken(model, state, e):
            piece[e] = float(at.SLIP_UP) if rate[e] > 0.0 else float(at.SLIP_DOWN)
        else:
            piece[e] = float(at.STICK)
            status[i] = HOLDS
            open_ones += 1
    return open_ones


def drive(model: Buffer, state: Buffer, e: int) -> None:
    """Set a contact whose deflection is prescribed: it slips the way its rate points right after this instant."""
    piece = view(state, int(model[at.PIECE]) + e)
    if offset_size(model, state, 1, e) == 0.0:
        piece[0] = float(at.AT_REST)
        return
    level = level_rounding(state)
    for k in range(1, at.LEVELS + 2):
        value = offset(model, state, k, e)
        slack = level * offset_size(model, state, k, e)
        if k == 1:
            slack = ROUNDING * offset_size(model, state, k, e) + state[at.ZERO_RATE]
        if abs(value) > slack:
            piece[0] = float(at.SLIP_UP) if value > 0.0 else float(at.SLIP_DOWN)
            return
    if piece[0] != float(at.SLIP_DOWN):
        piece[0] = float(at.SLIP_UP)


def slides(model: Buffer, state: Buffer, e: int) -> bool:
    """True for a contact of masses that is in motion; its rate (deflections at hand up to order 1) does not leap."""
    rate = state[int(model[at.U_SERIES]) + int(model[at.UNITS]) + e]
    heavy = model[int(model[at.HEAVY]) + int(model[int(model[at.CONTACT_OF]) + e])] != 0.0
    return heavy and abs(rate) > ROUNDING * unit_size(model, state, e, 1) + state[at.ZERO_RATE]


def slide_all(model: Buffer, state: Buffer) -> None:
    """Set contacts of masses in motion by their rates, where coordinates have no inertia and others are tried."""
    start_series(model, state, 0)
    deflections(model, state, 1)
    for i in range(int(model[at.CONTACTS])):
        e = int(model[int(model[at.UNIT_OF]) + i])
        piece = view(state, int(model[at.PIECE]) + e)
        driven = model[int(model[at.DRIVEN]) + i] != 0.0
        if not driven and piece[0] != float(at.UNLOADED) and slides(model, state, e):
            rate = state[int(model[at.U_SERIES]) + int(model[at.UNITS]) + e]
            piece[0] = float(at.SLIP_UP) if rate > 0.0 else float(at.SLIP_DOWN)


def drive_all(model: Buffer, state: Buffer) -> None:
    """Set all contacts whose deflections are prescribed, where coordinates have no inertia and others are tried."""
    c = int(model[at.CONTACTS])
    trigger = int(state[at.TRIGGER])
    start_series(model, state, at.LEVELS)
    state[at.ZERO_RATE] = 0.0
    for i in range(c):
        if model[int(model[at.DRIVEN]) + i] != 0.0 and int(model[int(model[at.UNIT_OF]) + i]) == trigger:
            if int(state[at.TRIGGER_GUARD]) == RATE_GUARD:
                state[at.ZERO_RATE] = 2.0 * abs(offset(model, state, 1, trigger))
            state[at.TRIGGER] = -1.0  # it need not be tried
    for i in range(c):
        if model[int(model[at.DRIVEN]) + i] != 0.0:
            e = int(model[int(model[at.UNIT_OF]) + i])
            if model[int(model[at.VARIES]) + i] != 0.0 and unloaded(model, state, i):
                state[int(model[at.PIECE]) + e] = float(at.UNLOADED)
            else:
                drive(model, state, e)


def unloaded(model: Buffer, state: Buffer, i: int) -> bool:
    """True if the normal load of contact i is negative right after this instant."""
    c = int(model[at.CONTACTS])
    limit = view(state, int(model[at.L_SERIES]))
    size = abs(limit[i])
    for k in range(1, at.LEVELS + 1):
        size = max(size, abs(limit[k * c + i]))
    for k in range(at.LEVELS + 1):
        small = ROUNDING * load_size(model, state, i) if k == 0 else LEVEL_ROUNDING * size
        if limit[k * c + i] > small:
            return False
        if limit[k * c + i] < -small:
            return True
    return False


def stop_contacts(model: Buffer, state: Buffer) -> None:
    """Set the relative velocities of contacts at rest to zero exactly, by the smallest change in kinetic energy."""
    n = int(model[at.N])
    m = int(model[at.UNITS])
    c = int(model[at.CONTACTS])
    x = view(state, int(model[at.X]))
    minv_a = view(model, int(model[at.MINV_A]))
    status = view(state, int(model[at.STATUS]))
    reaction = view(state, int(model[at.REACTION]))
    rates = view(state, int(model[at.RATES]))
    unit_of = view(model, int(model[at.UNIT_OF]))
    rate = view(state, int(model[at.U_SERIES]) + m)
    for i in range(c):
        rates[i] = rate[int(unit_of[i])]
        reaction[i] = 0.0
    react(model, state, factor(model, state))
    for i in range(c):
        if status[i] == HOLDS:
            for j in range(n):
                x[n + j] -= minv_a[j * c + i] * reaction[i]


def boxes(model: Buffer, state: Buffer, k: int, tie: Buffer) -> None:
    """Bounds of the reactions of order k: of contacts still tied at a bound only that bound is left.

    A contact at rest may take its static limit, one that has just broken loose no more than its sliding limit.
    """
    c = int(model[at.CONTACTS])
    status = view(state, int(model[at.STATUS]))
    ratio = view(model, int(model[at.RATIO]))
    released = view(state, int(model[at.RELEASED]))
    limit = view(state, int(model[at.L_SERIES]) + k * c)
    low = view(state, int(model[at.BOUND]))
    high = view(state, int(model[at.BOUND]) + c)
    for i in range(c):
        if status[i] == OUT:
            continue
        status[i] = HOLDS
        share = 1.0 if released[i] != 0.0 else ratio[i]
        low[i] = -NO_BOUND
        high[i] = NO_BOUND
        if k == 0:
            high[i] = max(limit[i], 0.0) * share
            low[i] = -high[i]
        elif tie[i] > 0.0:
            high[i] = limit[i] * share
        elif tie[i] < 0.0:
            low[i] = -limit[i] * share


def sort_contacts(model: Buffer, state: Buffer, k: int, tie: Buffer) -> int:
    """After a level: who holds, who slips, who is still tied. How many are tied; -1 if a contact broke loose."""
    c = int(model[at.CONTACTS])
    status = view(state, int(model[at.STATUS]))
    reaction = view(state, int(model[at.REACTION]))
    unit_of = view(model, int(model[at.UNIT_OF]))
    level = level_rounding(state)
    gram = view(model, int(model[at.GRAM]))
    ratio = view(model, int(model[at.RATIO]))
    released = view(state, int(model[at.RELEASED]))
    piece = view(state, int(model[at.PIECE]))
    low = view(state, int(model[at.BOUND]))
    high = view(state, int(model[at.BOUND]) + c)
    tied = 0
    broke = False
    for i in range(c):
        if status[i] == HOLDS and (k == 0 or tie[i] != 0.0):
            slack = level * rate_size(model, state, i) / gram[i * c + i]
            tie[i] = 0.0
            if reaction[i] >= high[i] - slack:
                tie[i] = 1.0
            elif reaction[i] <= low[i] + slack:
                tie[i] = -1.0
            if tie[i] != 0.0:
                tied += 1
    for i in range(c):
        if status[i] != UP and status[i] != DOWN:
            continue
        e = int(unit_of[i])
        tie[i] = status[i]
        if abs(yielding_rate(model, state, i)) > level * rate_size(model, state, i):
            if ratio[i] > 1.0 and released[i] == 0.0:
                broke = True
                released[i] = 1.0
            piece[e] = float(at.SLIP_UP) if status[i] > 0.0 else float(at.SLIP_DOWN)
        elif held_by_others(model, state, i, tie):
            piece[e] = float(at.HELD_UP) if status[i] > 0.0 else float(at.HELD_DOWN)
        else:
            tied += 1
    return -1 if broke else tied


def held_by_others(model: Buffer, state: Buffer, i: int, tie: Buffer) -> bool:
    """True if the contacts that hold, and are not tied themselves, leave contact i no way to move."""
    c = int(model[at.CONTACTS])
    status = view(state, int(model[at.STATUS]))
    for j in range(c):
        if status[j] == HOLDS and tie[j] != 0.0:
            status[j] = ASIDE
    before = factor(model, state)
    keep = status[i]
    status[i] = HOLDS
    after = factor(model, state)
    status[i] = keep
    for j in range(c):
        if status[j] == ASIDE:
            status[j] = HOLDS
    return after == before


def decide(model: Buffer, state: Buffer) -> bool:
    """Set the pieces of all units for the time right after the state at hand; False if that failed."""
    c = int(model[at.CONTACTS])
    m = int(model[at.UNITS])
    start_series(model, state, 0)
    deflections(model, state, 1)
    if state[at.TRIGGER] >= 0.0 and not is_corner(model, int(state[at.TRIGGER]), int(state[at.TRIGGER_GUARD])):
        state[at.TRIGGER] = -1.0
    state[at.ZERO_RATE] = 0.0  # a rate that ended a segment is zero, and with it all that are as small
    if state[at.TRIGGER] >= 0.0 and is_rate(model, state, int(state[at.TRIGGER]), int(state[at.TRIGGER_GUARD])):
        state[at.ZERO_RATE] = 2.0 * abs(state[int(model[at.U_SERIES]) + m + int(state[at.TRIGGER])])
    released = view(state, int(model[at.RELEASED]))
    for i in range(c):
        released[i] = 0.0
    for _ in range(2 * c + 2):
        answer = decide_once(model, state, at.LEVELS)
        if answer == 3:
            answer = decide_once(model, state, at.DEEP)
        if answer == 0 or answer == 3:
            return True
        if answer > 1:
            return False
    return False


def decide_once(model: Buffer, state: Buffer, levels: int) -> int:
    """0: settled; 1: a contact broke loose from its static limit, begin again with it sliding; 2: not settled;
    3: a broken line is still at its corner after so many levels."""
    m = int(model[at.UNITS])
    c = int(model[at.CONTACTS])
    contact_of = view(model, int(model[at.CONTACT_OF]))
    pending = view(state, int(model[at.PENDING]))
    tie = view(state, int(model[at.BOUND]) + 2 * c)
    low = view(state, int(model[at.BOUND]))
    high = view(state, int(model[at.BOUND]) + c)
    start_series(model, state, levels)
    deflections(model, state, 1)
    open_ones = load_contacts(model, state)
    if open_ones > 0:
        stop_contacts(model, state)
        start_series(model, state, levels)
        deflections(model, state, 1)
    for e in range(m):
        pending[e] = 1.0 if contact_of[e] < 0.0 else 0.0
    for i in range(c):
        tie[i] = 0.0
    tied = open_ones
    corners = 0
    for k in range(levels):
        corners = 0
        for e in range(m):
            if pending[e] != 0.0:
                if corner(model, state, e, k + 1):
                    corners += 1
                else:
                    pending[e] = 0.0
        if tied == 0 and corners == 0:
            return 0
        accelerate(model, state, k, True)
        if open_ones > 0:
            relative_rates(model, state, k)
            boxes(model, state, k, tie)
            if settle(model, state, low, high, level_rounding(state)) < 0:
                return 2
            tied = sort_contacts(model, state, k, tie)
            if tied < 0:
                return 1
            apply_reactions(model, state)
            leave_sliders(model, state)
        next_order(model, state, k)
        deflections(model, state, k + 2)
    return 3 if corners > 0 else 0  # contacts that are tied to the end stay where they are


def leave_sliders(model: Buffer, state: Buffer) -> None:
    """Contacts found to slide leave the problem: from the next order on their force is their limit."""
    c = int(model[at.CONTACTS])
    unit_of = view(model, int(model[at.UNIT_OF]))
    status = view(state, int(model[at.STATUS]))
    piece = view(state, int(model[at.PIECE]))
    for i in range(c):
        if status[i] != OUT and piece[int(unit_of[i])] != float(at.STICK):
            status[i] = OUT
