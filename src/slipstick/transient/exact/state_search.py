"""The next state where coordinates have no inertia, found by trial; compiled.

There the series of `state_decision` does not exist: velocities follow from forces. A state of all units is tried on its
modal table; if a guard is violated at once, its unit changes and the next state is tried, until one holds. Exactly one
does.
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
from slipstick.transient.exact.records import FlowModel, ModalTable, State
from slipstick.transient.exact.root_exclusion import I_GUARD, I_UNIT, INFO_ROW
from slipstick.transient.exact.taylor_series import deflection_coefficients, start_series

# outcome of a trial: the state holds; a contact changes; a corner changes, or the name of a held contact's state; or
# `admissible_state.IMPOSSIBLE`
STATE_HOLDS, BROKE_AT_CONTACT, BROKE_AT_CORNER = 0, 1, 2
MAX_TRIALS = 60.0  # candidates, before the search ends
MAX_CONTACT_COMBINATIONS = 729  # of contacts that are tried one after the other: those of six
MAX_CORNER_FLIPS = 8.0  # of corners, in each of these


def is_sliding_mass_contact(model: FlowModel, state: State, e: int) -> bool:
    """True for a contact between masses in motion, whose rate does not jump; deflections must be known up to order
    1."""
    rate = state.deflection_series[model.unit_count + e]
    heavy = model.massive[int(model.contact_of[e])] != 0.0
    return heavy and float(abs(rate)) > MOTION_ROUNDING_REL * unit_size(model, state, e, 1) + state.zero_rate


def set_sliding_mass_contacts(model: FlowModel, state: State) -> None:
    """Set contacts between masses in motion by their rates, where massless coordinates require trials of the others."""
    start_series(model, state, 0)
    deflection_coefficients(model, state, 1)
    for i in range(model.contact_count):
        e = int(model.unit_of[i])
        piece = view(state.piece, e)
        driven = model.driven[i] != 0.0
        if not driven and piece[0] != float(at.UNLOADED) and is_sliding_mass_contact(model, state, e):
            rate = state.deflection_series[model.unit_count + e]
            piece[0] = float(at.SLIP_UP) if rate > 0.0 else float(at.SLIP_DOWN)


def flip_unit(model: FlowModel, state: State, e: int, g: int, at_zero: bool) -> None:
    """Change the piece of unit e at its guard g.   at_zero : the guard is violated by no more than rounding."""
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


def through_trigger(model: FlowModel, state: State) -> None:
    """Change the unit whose guard ended the segment, before all others."""
    if state.trigger >= 0:
        flip_unit(model, state, state.trigger, state.trigger_guard, True)
    state.trigger = -1


def try_state(model: FlowModel, table: ModalTable, state: State, horizon: float) -> int:
    """`STATE_HOLDS` if the present state of all units lasts. Otherwise the contact or corner that violates it has
    changed, or nothing if the state is impossible (`IMPOSSIBLE`)."""
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
        move_modal(model, table, state, 0.0, state.motion)  # massless coordinates move to their place
        return STATE_HOLDS
    info = view(state.guard_info, INFO_ROW * g)
    # a rate that starts at zero in the wrong direction is at rest, whatever the sign of its rounding
    flip_unit(model, state, int(info[I_UNIT]), int(info[I_GUARD]), begins_at_zero(model, table, state, g))
    return BROKE_AT_CORNER if model.contact_of[int(info[I_UNIT])] < 0.0 else BROKE_AT_CONTACT


def begin_trial(model: FlowModel, state: State) -> None:
    """Save the present state before trials."""
    m = model.unit_count
    for e in range(m):
        state.saved_piece[e] = state.piece[e]
        state.saved_memory[e] = state.memory[e]
    state.undecided = 1.0
    state.combination = 0
    state.met_refused = False


def restore_saved_state(model: FlowModel, state: State) -> None:
    """Restore the saved state."""
    m = model.unit_count
    for e in range(m):
        state.piece[e] = state.saved_piece[e]
        state.memory[e] = state.saved_memory[e]


def next_trial(model: FlowModel, state: State, broke: int) -> bool:
    """True if there is another state to try after one that does not hold (``broke``: see `try_state`).

    The first candidate is the changed state. If these cycle, all states of the contacts are tried in turn. If none of
    them holds, the cycle is repeated with larger tolerances of rounding.
    """
    if state.combination == 0:
        if state.undecided >= FIRST_STATE_TRIALS:
            state.undecided += 1.0
            return state.undecided <= MAX_TRIALS and broke != IMPOSSIBLE
        # each contact may have to change twice before they cycle
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


def next_combination(model: FlowModel, state: State) -> bool:
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


def is_open_contact(model: FlowModel, state: State, i: int, pieces: Array) -> bool:
    """True if contact i is loaded, and neither a prescribed motion nor masses in motion determine its state."""
    e = int(model.unit_of[i])
    driven = model.driven[i] != 0.0
    return not driven and pieces[e] != float(at.UNLOADED) and not is_sliding_mass_contact(model, state, e)
