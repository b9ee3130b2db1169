"""The next state where coordinates have no inertia, found by trial; compiled.

There the series of `state_decision` does not exist: velocities follow from forces. A state of all units is tried on its
table of modes; if a guard is violated at once, its unit changes and the next state is tried, until one holds. Exactly
one does.
"""

from __future__ import annotations

from slipstick.native import Array, view
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
from slipstick.transient.exact.records import ModalTable, Model, State
from slipstick.transient.exact.root_exclusion import I_GUARD, I_UNIT, INFO_ROW
from slipstick.transient.exact.taylor_series import deflection_coefficients, start_series

# what came of a state that was tried: it holds; a contact is to change; or a corner, or what a contact that others hold
# is called; or `admissible_state.IMPOSSIBLE`
STATE_HOLDS, BROKE_AT_CONTACT, BROKE_AT_CORNER = 0, 1, 2
MAX_TRIALS = 60.0  # before it is given up
MAX_CONTACT_COMBINATIONS = 729  # of contacts that are tried one after the other: those of six
MAX_CORNER_FLIPS = 8.0  # of corners, in each of these


def is_sliding_mass_contact(model: Model, state: State, e: int) -> bool:
    """True for a contact of masses that is in motion; its rate (deflections at hand up to order 1) does not leap."""
    rate = state.deflection_series[model.unit_count + e]
    heavy = model.massive[int(model.contact_of[e])] != 0.0
    return heavy and float(abs(rate)) > MOTION_ROUNDING_REL * unit_size(model, state, e, 1) + state.zero_rate


def set_sliding_mass_contacts(model: Model, state: State) -> None:
    """Set contacts of masses in motion by their rates, where coordinates have no inertia and others are tried."""
    start_series(model, state, 0)
    deflection_coefficients(model, state, 1)
    for i in range(model.contact_count):
        e = int(model.unit_of[i])
        piece = view(state.piece, e)
        driven = model.driven[i] != 0.0
        if not driven and piece[0] != float(at.UNLOADED) and is_sliding_mass_contact(model, state, e):
            rate = state.deflection_series[model.unit_count + e]
            piece[0] = float(at.SLIP_UP) if rate > 0.0 else float(at.SLIP_DOWN)


def flip_unit(model: Model, state: State, e: int, g: int, at_zero: bool) -> None:
    """Unit e goes through guard g, or is on the wrong side of it by more than rounding (``at_zero``: it is not)."""
    start_series(model, state, 0)
    deflection_coefficients(model, state, 1)
    if model.contact_of[e] < 0.0:
        change_piece(model, state, e, g)
        return
    piece = view(state.piece, e)
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


def through_trigger(model: Model, state: State) -> None:
    """The unit whose guard ended the segment changes first."""
    if state.trigger >= 0:
        flip_unit(model, state, state.trigger, state.trigger_guard, True)
    state.trigger = -1


def try_state(model: Model, table: ModalTable, state: State, horizon: float) -> int:
    """`STATE_HOLDS` if the present state of all units lasts; otherwise a contact or a corner that it breaks at has
    changed, or nothing (`IMPOSSIBLE`) if the state is impossible."""
    e, piece = is_held(model, table, state)
    if e >= 0:
        state.piece[e] = float(piece)
        return BROKE_AT_CORNER
    expand_in_modes(model, table, state)
    e, piece = inadmissible_contact(model, table, state)
    if e == IMPOSSIBLE:
        return IMPOSSIBLE
    if e >= 0:
        state.piece[e] = float(piece)
        return BROKE_AT_CONTACT
    guards = write_guards(model, table, state)
    s, g, _ = first_root(model, table, state, guards, horizon)
    if g < 0 or s > 0.0:
        move_modal(model, table, state, 0.0, state.motion)  # what has no inertia takes its place
        return STATE_HOLDS
    info = view(state.guard_info, INFO_ROW * g)
    # a rate that begins at zero and goes the wrong way is at rest, however its sign was rounded
    flip_unit(model, state, int(info[I_UNIT]), int(info[I_GUARD]), begins_at_zero(model, table, state, g))
    return BROKE_AT_CORNER if model.contact_of[int(info[I_UNIT])] < 0.0 else BROKE_AT_CONTACT


def begin_trial(model: Model, state: State) -> None:
    """All states are open: keep the one at hand."""
    m = model.unit_count
    for e in range(m):
        state.saved_piece[e] = state.piece[e]
        state.saved_memory[e] = state.memory[e]
    state.undecided = 1.0
    state.combination = 0
    state.met_refused = False


def restore_saved_state(model: Model, state: State) -> None:
    """To the state that was kept."""
    m = model.unit_count
    for e in range(m):
        state.piece[e] = state.saved_piece[e]
        state.memory[e] = state.saved_memory[e]


def next_trial(model: Model, state: State, broke: int) -> bool:
    """After a state that does not hold (``broke``: see `try_state`), is there another one to try?

    First the one that was changed to; where these go round in circles, all states of the contacts, one after the
    other; where none of them holds rounding is in the way, and it goes round in circles with ever more of it allowed.
    """
    if state.combination == 0:
        if state.undecided >= FIRST_STATE_TRIALS:
            state.undecided += 1.0
            return state.undecided <= MAX_TRIALS and broke != IMPOSSIBLE
        # each contact may have to change twice before they go round in circles
        state.undecided += FIRST_STATE_TRIALS / (FIRST_STATE_TRIALS + 2.0 * model.contact_count)
        if broke != IMPOSSIBLE and state.undecided < FIRST_STATE_TRIALS:
            return True
        state.undecided = FIRST_STATE_TRIALS
    elif broke == BROKE_AT_CORNER and state.corner_flips < MAX_CORNER_FLIPS:
        state.corner_flips += 1
        return True
    if next_combination(model, state):
        return True
    state.combination = 0
    state.undecided += 1.0
    return broke != IMPOSSIBLE


def next_combination(model: Model, state: State) -> bool:
    """The next state of all contacts that are open; False if none is left, or there are too many."""
    start_series(model, state, 0)
    deflection_coefficients(model, state, 1)
    kept = state.saved_piece
    number = state.combination
    many = 1
    for i in range(model.contact_count):
        if is_open_contact(model, state, i, kept):
            many = min(3 * many, MAX_CONTACT_COMBINATIONS + 1)
    if many > MAX_CONTACT_COMBINATIONS:
        return False
    restore_saved_state(model, state)
    if number >= many:
        return False
    for i in range(model.contact_count):
        if is_open_contact(model, state, i, kept):
            state.piece[int(model.unit_of[i])] = float((number + at.STICK) % 3)
            number = number // 3
    state.combination += 1
    state.corner_flips = 0
    return True


def is_open_contact(model: Model, state: State, i: int, pieces: Array) -> bool:
    """True if what contact i does is neither prescribed nor told by masses in motion, and it is loaded."""
    e = int(model.unit_of[i])
    driven = model.driven[i] != 0.0
    return not driven and pieces[e] != float(at.UNLOADED) and not is_sliding_mass_contact(model, state, e)
