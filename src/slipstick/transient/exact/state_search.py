"""The next state where coordinates have no inertia, found by trial; compiled.

There the series of `state_decision` does not exist: velocities follow from forces. A state of all units is tried on its
table of modes; if a guard is violated at once, its unit changes and the next state is tried, until one holds. Exactly
one does.
"""

from __future__ import annotations

from slipstick.laws.source_parsing import Buffer
from slipstick.native import view
from slipstick.transient.exact import records as at
from slipstick.transient.exact.admissible_state import IMPOSSIBLE, inadmissible_contact, is_held
from slipstick.transient.exact.corner_guards import (
    DOWN_GUARD,
    MOTION_ROUNDING_REL,
    RATE_GUARD,
    UP_GUARD,
    change_piece,
    unit_size,
)
from slipstick.transient.exact.guard_roots import FIRST_STATE_TRIALS, begins_at_zero, first_root
from slipstick.transient.exact.guards import write_guards
from slipstick.transient.exact.modal_propagation import expand_in_modes, move_modal
from slipstick.transient.exact.root_exclusion import I_GUARD, I_UNIT, INFO_ROW
from slipstick.transient.exact.taylor_series import deflection_coefficients, start_series

# what came of a state that was tried: it holds; a contact is to change; or a corner, or what a contact that others hold
# is called; or `admissible_state.IMPOSSIBLE`
STATE_HOLDS, BROKE_AT_CONTACT, BROKE_AT_CORNER = 0, 1, 2
MAX_TRIALS = 60.0  # before it is given up
MAX_CONTACT_COMBINATIONS = 729  # of contacts that are tried one after the other: those of six
MAX_CORNER_FLIPS = 8.0  # of corners, in each of these


def is_sliding_mass_contact(model: Buffer, state: Buffer, e: int) -> bool:
    """True for a contact of masses that is in motion; its rate (deflections at hand up to order 1) does not leap."""
    rate = state[int(model[at.U_SERIES]) + int(model[at.UNITS]) + e]
    heavy = model[int(model[at.HEAVY]) + int(model[int(model[at.CONTACT_OF]) + e])] != 0.0
    return heavy and abs(rate) > MOTION_ROUNDING_REL * unit_size(model, state, e, 1) + state[at.ZERO_RATE]


def set_sliding_mass_contacts(model: Buffer, state: Buffer) -> None:
    """Set contacts of masses in motion by their rates, where coordinates have no inertia and others are tried."""
    start_series(model, state, 0)
    deflection_coefficients(model, state, 1)
    for i in range(int(model[at.CONTACTS])):
        e = int(model[int(model[at.UNIT_OF]) + i])
        piece = view(state, int(model[at.PIECE]) + e)
        driven = model[int(model[at.DRIVEN]) + i] != 0.0
        if not driven and piece[0] != float(at.UNLOADED) and is_sliding_mass_contact(model, state, e):
            rate = state[int(model[at.U_SERIES]) + int(model[at.UNITS]) + e]
            piece[0] = float(at.SLIP_UP) if rate > 0.0 else float(at.SLIP_DOWN)


def flip_unit(model: Buffer, state: Buffer, e: int, g: int, at_zero: bool) -> None:
    """Unit e goes through guard g, or is on the wrong side of it by more than rounding (``at_zero``: it is not)."""
    start_series(model, state, 0)
    deflection_coefficients(model, state, 1)
    if model[int(model[at.CONTACT_OF]) + e] < 0.0:
        change_piece(model, state, e, g)
        return
    piece = view(state, int(model[at.PIECE]) + e)
    if g == RATE_GUARD and not at_zero and is_sliding_mass_contact(model, state, e):
        piece[0] = float(at.SLIP_DOWN) if piece[0] == float(at.SLIP_UP) else float(at.SLIP_UP)
    elif g == RATE_GUARD:
        piece[0] = float(at.STICK)
    elif g == UP_GUARD:
        piece[0] = float(at.SLIP_UP)
    elif g == DOWN_GUARD:
        piece[0] = float(at.SLIP_DOWN)
    else:
        piece[0] = float(at.STICK) if piece[0] == float(at.UNLOADED) else float(at.UNLOADED)


def through_trigger(model: Buffer, state: Buffer) -> None:
    """The unit whose guard ended the segment changes first."""
    if state[at.TRIGGER] >= 0.0:
        flip_unit(model, state, int(state[at.TRIGGER]), int(state[at.TRIGGER_GUARD]), True)
    state[at.TRIGGER] = -1.0


def try_state(model: Buffer, table: Buffer, state: Buffer, horizon: float) -> int:
    """`STATE_HOLDS` if the present state of all units lasts; otherwise a contact or a corner that it breaks at has
    changed, or nothing (`IMPOSSIBLE`) if the state is impossible."""
    e, piece = is_held(model, table, state)
    if e >= 0:
        state[int(model[at.PIECE]) + e] = float(piece)
        return BROKE_AT_CORNER
    expand_in_modes(model, table, state)
    e, piece = inadmissible_contact(model, table, state)
    if e == IMPOSSIBLE:
        return IMPOSSIBLE
    if e >= 0:
        state[int(model[at.PIECE]) + e] = float(piece)
        return BROKE_AT_CONTACT
    guards = write_guards(model, table, state)
    s, g, _ = first_root(model, table, state, guards, horizon)
    if g < 0 or s > 0.0:
        move_modal(model, table, state, 0.0, view(state, int(model[at.X])))  # what has no inertia takes its place
        return STATE_HOLDS
    info = view(state, int(model[at.G_INFO]) + INFO_ROW * g)
    # a rate that begins at zero and goes the wrong way is at rest, however its sign was rounded
    flip_unit(model, state, int(info[I_UNIT]), int(info[I_GUARD]), begins_at_zero(model, table, state, g))
    return BROKE_AT_CORNER if model[int(model[at.CONTACT_OF]) + int(info[I_UNIT])] < 0.0 else BROKE_AT_CONTACT


def begin_trial(model: Buffer, state: Buffer) -> None:
    """All states are open: keep the one at hand."""
    m = int(model[at.UNITS])
    kept = view(state, int(model[at.KEPT]))
    for e in range(m):
        kept[e] = state[int(model[at.PIECE]) + e]
        kept[m + e] = state[int(model[at.MEMORY]) + e]
    state[at.UNDECIDED] = 1.0
    state[at.SEARCH] = 0.0
    state[at.MET_BARRED] = 0.0


def restore_saved_state(model: Buffer, state: Buffer) -> None:
    """To the state that was kept."""
    m = int(model[at.UNITS])
    kept = view(state, int(model[at.KEPT]))
    for e in range(m):
        state[int(model[at.PIECE]) + e] = kept[e]
        state[int(model[at.MEMORY]) + e] = kept[m + e]


def next_trial(model: Buffer, state: Buffer, broke: int) -> bool:
    """After a state that does not hold (``broke``: see `try_state`), is there another one to try?

    First the one that was changed to; where these go round in circles, all states of the contacts, one after the
    other; where none of them holds rounding is in the way, and it goes round in circles with ever more of it allowed.
    """
    if state[at.SEARCH] == 0.0:
        if state[at.UNDECIDED] >= FIRST_STATE_TRIALS:
            state[at.UNDECIDED] += 1.0
            return state[at.UNDECIDED] <= MAX_TRIALS and broke != IMPOSSIBLE
        # each contact may have to change twice before they go round in circles
        state[at.UNDECIDED] += FIRST_STATE_TRIALS / (FIRST_STATE_TRIALS + 2.0 * model[at.CONTACTS])
        if broke != IMPOSSIBLE and state[at.UNDECIDED] < FIRST_STATE_TRIALS:
            return True
        state[at.UNDECIDED] = FIRST_STATE_TRIALS
    elif broke == BROKE_AT_CORNER and state[at.SEARCH_FLIPS] < MAX_CORNER_FLIPS:
        state[at.SEARCH_FLIPS] += 1.0
        return True
    if next_combination(model, state):
        return True
    state[at.SEARCH] = 0.0
    state[at.UNDECIDED] += 1.0
    return broke != IMPOSSIBLE


def next_combination(model: Buffer, state: Buffer) -> bool:
    """The next state of all contacts that are open; False if none is left, or there are too many."""
    start_series(model, state, 0)
    deflection_coefficients(model, state, 1)
    kept = view(state, int(model[at.KEPT]))
    number = int(state[at.SEARCH])
    many = 1
    for i in range(int(model[at.CONTACTS])):
        if is_open_contact(model, state, i, kept):
            many = min(3 * many, MAX_CONTACT_COMBINATIONS + 1)
    if many > MAX_CONTACT_COMBINATIONS:
        return False
    restore_saved_state(model, state)
    if number >= many:
        return False
    for i in range(int(model[at.CONTACTS])):
        if is_open_contact(model, state, i, kept):
            state[int(model[at.PIECE]) + int(model[int(model[at.UNIT_OF]) + i])] = float((number + at.STICK) % 3)
            number = number // 3
    state[at.SEARCH] += 1.0
    state[at.SEARCH_FLIPS] = 0.0
    return True


def is_open_contact(model: Buffer, state: Buffer, i: int, pieces: Buffer) -> bool:
    """True if what contact i does is neither prescribed nor told by masses in motion, and it is loaded."""
    e = int(model[int(model[at.UNIT_OF]) + i])
    driven = model[int(model[at.DRIVEN]) + i] != 0.0
    return not driven and pieces[e] != float(at.UNLOADED) and not is_sliding_mass_contact(model, state, e)
