"""What happens next: the state of every unit right after an instant; compiled.

The Taylor series of the motion is built order by order. A broken-line unit at a corner goes the way its guard's first
coefficient that is not zero points; the pieces on both sides give the same force until then. Contacts with zero relative
velocity are settled together: at order 0 within their boxes; one that ends at a bound with zero acceleration is a tie, and is
settled at the next order among those still tied. One rule covers the first instant, touching, simultaneous
events and release.
"""

from __future__ import annotations

from slipstick.laws.parsing import Buffer
from slipstick.native import view
from slipstick.transient.exact.contacts import (
    HOLDS,
    OUT,
    apply_reactions,
    factor,
    react,
    relative_rates,
    settle,
    yielding_rate,
)  # fmt: skip
from slipstick.transient.exact.places import (
    BOUND,
    CONTACT_OF,
    CONTACTS,
    FIRST_PIECE,
    FORCE_SIZE,
    G_CONSTANT,
    G_TO,
    G_U,
    G_V,
    G_W,
    GRAM,
    GUARD_ROW,
    GUARDS,
    HELD_DOWN,
    HELD_UP,
    L_SERIES,
    LEVELS,
    LIMIT,
    MEMORY,
    MINV_A,
    P_GUARD,
    P_GUARDS,
    P_MOVES,
    PENDING,
    PIECE,
    PIECE_ROW,
    PIECES,
    Q_SIZE,
    RATES,
    RATIO,
    REACTION,
    RELEASED,
    SLIP_DOWN,
    SLIP_UP,
    STATUS,
    STICK,
    TRIGGER,
    TRIGGER_GUARD,
    U_SERIES,
    UNIT_OF,
    UNITS,
    UNLOADED,
    VARIES,
    ZERO_RATE,
    N,
    X,
)  # fmt: skip
from slipstick.transient.exact.series import (
    accelerate,
    deflections,
    next_order,
    offset_size,
    piece_of,
    size_along,
    start_series,
)  # fmt: skip

ROUNDING = 3e-14  # of the size of what is added up: zero for displacements and velocities
LEVEL_ROUNDING = 1e-11  # the same for accelerations and their derivatives
NO_BOUND = 1e300


def guard_row(model: Buffer, state: Buffer, e: int, g: int) -> Buffer:
    """Guard g of the present piece of unit e."""
    piece = view(
        model, int(model[PIECES]) + PIECE_ROW * (int(model[int(model[FIRST_PIECE]) + e]) + piece_of(model, state, e))
    )
    return view(model, int(model[GUARDS]) + GUARD_ROW * (int(piece[P_GUARD]) + g))


def guard_count(model: Buffer, state: Buffer, e: int) -> int:
    piece = view(
        model, int(model[PIECES]) + PIECE_ROW * (int(model[int(model[FIRST_PIECE]) + e]) + piece_of(model, state, e))
    )
    return int(piece[P_GUARDS])


def moves(model: Buffer, state: Buffer, e: int) -> bool:
    piece = view(
        model, int(model[PIECES]) + PIECE_ROW * (int(model[int(model[FIRST_PIECE]) + e]) + piece_of(model, state, e))
    )
    return piece[P_MOVES] != 0.0


def guard_line(model: Buffer, state: Buffer, e: int, g: int) -> tuple[float, float, float]:
    """A guard as constant + U u + V v, the stretch put in."""
    row = guard_row(model, state, e, g)
    memory = state[int(model[MEMORY]) + e]
    if moves(model, state, e):
        return row[G_CONSTANT] - row[G_W] * memory, row[G_U] + row[G_W], row[G_V]
    return row[G_CONSTANT] + row[G_W] * memory, row[G_U], row[G_V]


def is_rate(model: Buffer, state: Buffer, e: int, g: int) -> bool:
    """True if guard g of unit e is on its rate alone."""
    if model[int(model[CONTACT_OF]) + e] >= 0.0:
        return True
    row = guard_row(model, state, e, g)
    return row[G_V] != 0.0 and row[G_U] == 0.0 and row[G_W] == 0.0


def change_piece(model: Buffer, state: Buffer, e: int, g: int) -> None:
    """Go through guard g of unit e: a stretch that starts or stops moving is handed over."""
    u = state[int(model[U_SERIES]) + e]
    memory = view(state, int(model[MEMORY]) + e)
    row = guard_row(model, state, e, g)
    moved = moves(model, state, e)
    stretch = memory[0]
    if moved:
        stretch = u - memory[0]
    if row[G_W] != 0.0 and row[G_U] == 0.0 and row[G_V] == 0.0:
        stretch = -row[G_CONSTANT] / row[G_W]  # at the guard itself, to the bit
    state[int(model[PIECE]) + e] = row[G_TO]
    memory[0] = stretch
    if moves(model, state, e):
        memory[0] = u - stretch


def corner(model: Buffer, state: Buffer, e: int, known: int) -> bool:
    """Settle a broken-line unit with deflections known up to order ``known``; True while it is still tied."""
    m = int(model[UNITS])
    n = int(model[N])
    u = view(state, int(model[U_SERIES]))
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
                    small = LEVEL_ROUNDING
                if k == 0 and float(e) == state[TRIGGER] and float(g) == state[TRIGGER_GUARD]:
                    continue  # it is zero: that is why we are here
                slack = small * size
                if k == 0:
                    slack += abs(damping) * state[ZERO_RATE]
                elif k == 1:
                    slack += abs(stiffness) * state[ZERO_RATE]
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
        if float(e) == state[TRIGGER]:
            state[TRIGGER_GUARD] = -1.0
    return False


def unit_size(model: Buffer, state: Buffer, e: int, k: int) -> float:
    """What rounding of coefficient k of the deflection of unit e is measured by."""
    n = int(model[N])
    size = view(state, int(model[Q_SIZE]) + k * n)
    return size_along(model, e, size) + offset_size(model, state, k, e)


def load_contacts(model: Buffer, state: Buffer) -> int:
    """Contacts that slip by their velocity, or carry no load, are set; the others enter the problem. How many those are."""
    c = int(model[CONTACTS])
    m = int(model[UNITS])
    n = int(model[N])
    unit_of = view(model, int(model[UNIT_OF]))
    varies = view(model, int(model[VARIES]))
    limit = view(state, int(model[L_SERIES]))
    status = view(state, int(model[STATUS]))
    piece = view(state, int(model[PIECE]))
    rate = view(state, int(model[U_SERIES]) + m)
    open_ones = 0
    for i in range(c):
        e = int(unit_of[i])
        status[i] = OUT
        if varies[i] != 0.0 and unloaded(model, state, i):
            piece[e] = float(UNLOADED)
        elif abs(rate[e]) > ROUNDING * unit_size(model, state, e, 1) + state[ZERO_RATE]:
            piece[e] = float(SLIP_UP) if rate[e] > 0.0 else float(SLIP_DOWN)
        else:
            piece[e] = float(STICK)
            status[i] = HOLDS
            open_ones += 1
    return open_ones


def unloaded(model: Buffer, state: Buffer, i: int) -> bool:
    """True if the normal load of contact i is negative right after this instant."""
    c = int(model[CONTACTS])
    limit = view(state, int(model[L_SERIES]))
    size = abs(limit[i])
    for k in range(1, LEVELS + 1):
        size = max(size, abs(limit[k * c + i]))
    mean = abs(model[int(model[LIMIT]) + i])
    for k in range(LEVELS + 1):
        small = 1e-13 * (mean + abs(limit[i])) if k == 0 else 1e-11 * size
        if limit[k * c + i] > small:
            return False
        if limit[k * c + i] < -small:
            return True
    return False


def stop_contacts(model: Buffer, state: Buffer) -> None:
    """Set the relative velocities of contacts at rest to zero exactly, by the smallest change in kinetic energy."""
    n = int(model[N])
    m = int(model[UNITS])
    c = int(model[CONTACTS])
    x = view(state, int(model[X]))
    minv_a = view(model, int(model[MINV_A]))
    status = view(state, int(model[STATUS]))
    reaction = view(state, int(model[REACTION]))
    rates = view(state, int(model[RATES]))
    unit_of = view(model, int(model[UNIT_OF]))
    rate = view(state, int(model[U_SERIES]) + m)
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
    c = int(model[CONTACTS])
    status = view(state, int(model[STATUS]))
    ratio = view(model, int(model[RATIO]))
    released = view(state, int(model[RELEASED]))
    limit = view(state, int(model[L_SERIES]) + k * c)
    low = view(state, int(model[BOUND]))
    high = view(state, int(model[BOUND]) + c)
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
    c = int(model[CONTACTS])
    status = view(state, int(model[STATUS]))
    reaction = view(state, int(model[REACTION]))
    unit_of = view(model, int(model[UNIT_OF]))
    size = view(state, int(model[FORCE_SIZE]))
    gram = view(model, int(model[GRAM]))
    ratio = view(model, int(model[RATIO]))
    released = view(state, int(model[RELEASED]))
    piece = view(state, int(model[PIECE]))
    low = view(state, int(model[BOUND]))
    high = view(state, int(model[BOUND]) + c)
    tied = 0
    broke = False
    for i in range(c):
        if status[i] == OUT or (k > 0 and tie[i] == 0.0):
            continue
        e = int(unit_of[i])
        rate_size = size_along(model, e, size)
        if status[i] == HOLDS:
            slack = LEVEL_ROUNDING * (rate_size / gram[i * c + i] + abs(reaction[i]))
            tie[i] = 0.0
            if reaction[i] > high[i] - slack:
                tie[i] = 1.0
            elif reaction[i] < low[i] + slack:
                tie[i] = -1.0
        else:
            tie[i] = status[i]
            if abs(yielding_rate(model, state, i)) > LEVEL_ROUNDING * rate_size:
                if ratio[i] > 1.0 and released[i] == 0.0:
                    broke = True
                    released[i] = 1.0
                piece[e] = float(SLIP_UP) if status[i] > 0.0 else float(SLIP_DOWN)
                continue
            if held_by_others(model, state, i):
                piece[e] = float(HELD_UP) if status[i] > 0.0 else float(HELD_DOWN)
                continue
        if tie[i] != 0.0:
            tied += 1
    return -1 if broke else tied


def held_by_others(model: Buffer, state: Buffer, i: int) -> bool:
    """True if the contacts that hold leave contact i no way to move."""
    status = view(state, int(model[STATUS]))
    before = factor(model, state)
    keep = status[i]
    status[i] = HOLDS
    after = factor(model, state)
    status[i] = keep
    return after == before


def decide(model: Buffer, state: Buffer) -> bool:
    """Set the pieces of all units for the time right after the state at hand. False if contacts could not be settled."""
    c = int(model[CONTACTS])
    m = int(model[UNITS])
    start_series(model, state, 0)
    deflections(model, state, 1)
    state[ZERO_RATE] = 0.0  # a rate that ended a segment is zero, and with it all that are as small
    if state[TRIGGER] >= 0.0 and is_rate(model, state, int(state[TRIGGER]), int(state[TRIGGER_GUARD])):
        state[ZERO_RATE] = 2.0 * abs(state[int(model[U_SERIES]) + m + int(state[TRIGGER])])
    released = view(state, int(model[RELEASED]))
    for i in range(c):
        released[i] = 0.0
    for _ in range(2 * c + 2):
        answer = decide_once(model, state)
        if answer == 0:
            return True
        if answer > 1:
            return False
    return False


def decide_once(model: Buffer, state: Buffer) -> int:
    """0: settled; 1: a contact broke loose from its static limit, begin again with it sliding; 2: not settled."""
    m = int(model[UNITS])
    c = int(model[CONTACTS])
    contact_of = view(model, int(model[CONTACT_OF]))
    pending = view(state, int(model[PENDING]))
    status = view(state, int(model[STATUS]))
    tie = view(state, int(model[BOUND]) + 2 * c)
    low = view(state, int(model[BOUND]))
    high = view(state, int(model[BOUND]) + c)
    start_series(model, state, LEVELS)
    deflections(model, state, 1)
    open_ones = load_contacts(model, state)
    if open_ones > 0:
        stop_contacts(model, state)
        start_series(model, state, LEVELS)
        deflections(model, state, 1)
    for e in range(m):
        pending[e] = 1.0 if contact_of[e] < 0.0 else 0.0
    for i in range(c):
        tie[i] = 0.0
    tied = open_ones
    for k in range(LEVELS):
        corners = 0
        for e in range(m):
            if pending[e] != 0.0:
                if corner(model, state, e, k + 1):
                    corners += 1
                else:
                    pending[e] = 0.0
        if tied == 0 and corners == 0:
            return 0
        accelerate(model, state, k)
        if open_ones > 0:
            relative_rates(model, state, k)
            boxes(model, state, k, tie)
            if settle(model, state, low, high, LEVEL_ROUNDING) < 0:
                return 2
            tied = sort_contacts(model, state, k, tie)
            if tied < 0:
                return 1
            apply_reactions(model, state)
            leave_sliders(model, state)
        next_order(model, state, k)
        deflections(model, state, k + 2)
    return 0  # what is tied to the end stays where it is


def leave_sliders(model: Buffer, state: Buffer) -> None:
    """Contacts found to slide leave the problem: from the next order on their force is their limit."""
    c = int(model[CONTACTS])
    unit_of = view(model, int(model[UNIT_OF]))
    status = view(state, int(model[STATUS]))
    piece = view(state, int(model[PIECE]))
    for i in range(c):
        if status[i] != OUT and piece[int(unit_of[i])] != float(STICK):
            status[i] = OUT
