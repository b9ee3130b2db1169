"""The states of rigid contacts with friction right after an instant; compiled.

A state of all pairs satisfies Coulomb's law if every condition on its forces and accelerations holds: the first nonzero
coefficient of each condition in the Taylor series of the motion is positive. For each candidate the other units are
decided beside it. Pivoting changes the pairs that violate a condition; if it does not end, all candidates are tried.
None may satisfy the law, or several with different motions (Painleve's paradox): both are reported.
"""

from __future__ import annotations

from slipstick.native import view
from slipstick.transient.exact import records as at
from slipstick.transient.exact.complementarity import hold_contacts, rate_size
from slipstick.transient.exact.corner_guards import level_rounding
from slipstick.transient.exact.pair_states import (
    APART,
    MAX_COMBINATIONS,
    MAX_COMPARED,
    MOVES_DOWN,
    MOVES_UP,
    SEPARATED,
    STICKS,
    combination_count,
    direction_of,
    keep_choice,
    next_choice,
    note_several,
    release_dependent,
    restore_choice,
    set_combination,
    set_options,
)
from slipstick.transient.exact.records import Model, State
from slipstick.transient.exact.redundant_contacts import sign_beyond, split_reactions
from slipstick.transient.exact.state_decision import decide_pieces, prepare_decision
from slipstick.transient.exact.taylor_series import (
    acceleration_coefficient,
    deflection_coefficients,
    divide_by_mass,
    next_order,
    start_series,
)
from slipstick.transient.exact.taylor_step import begin_series

PIVOTS, PIVOTS_PER_CONTACT = 8, 4  # before all candidates are tried
SAME_ACCELERATION_REL = 1e-9  # of the larger one
FIRST_PIVOTS = 3  # in which all pairs change that violate a condition; later one at a time


def decide_state(model: Model, state: State) -> bool:
    """Set the pieces of all units right after the present instant; False if that failed."""
    prepare_decision(model, state)
    if model.has_pairs:
        return decide_pairs(model, state)
    settled = decide_pieces(model, state)
    if settled:
        split_reactions(model, state)
    return settled


def decide_pairs(model: Model, state: State) -> bool:
    """The same with pairs."""
    start_series(model, state, 0)
    deflection_coefficients(model, state, 1)
    set_options(model, state)
    save_start(model, state)
    trigger_guard = state.trigger_guard
    set_combination(model, state, 0)
    for k in range(PIVOTS + PIVOTS_PER_CONTACT * model.contact_count):
        answer = try_choice(model, state, trigger_guard, k < FIRST_PIVOTS)
        if answer == 0:
            return compare_states(model, state, trigger_guard)
        if answer == 2:
            break
    many = combination_count(model, state)
    if many <= MAX_COMBINATIONS:
        for number in range(many):
            set_combination(model, state, number)
            if try_choice(model, state, trigger_guard, False) == 0:
                return compare_states(model, state, trigger_guard)
        state.failure = at.NO_CONTACT_STATE
    return False


def compare_states(model: Model, state: State, trigger_guard: int) -> bool:
    """True, after the search for other states with another motion where the one found may not be unique."""
    many = combination_count(model, state)
    if not model.unique and many > MAX_COMPARED:
        state.unchecked_count += 1
    if model.unique or many > MAX_COMPARED or many < 2:
        return True
    n = model.coordinate_count
    keep_choice(model, state)
    found = state.tried_series
    size = 0.0
    for i in range(n):
        found[i] = state.displacement_series[2 * n + i]
        size = max(size, abs(found[i]))
    several = False
    for number in range(many):
        set_combination(model, state, number)
        if try_choice(model, state, trigger_guard, False) == 0:
            apart = 0.0
            for i in range(n):
                size = max(size, abs(state.displacement_series[2 * n + i]))
                apart = max(apart, abs(state.displacement_series[2 * n + i] - found[i]))
            if apart > SAME_ACCELERATION_REL * size:
                several = True
    if several:
        note_several(state)
    restore_choice(model, state)
    return try_choice(model, state, trigger_guard, False) == 0


def save_start(model: Model, state: State) -> None:
    """Save the motion and the state of all units before candidates are tried."""
    for i in range(2 * model.coordinate_count):
        state.tried[i] = state.motion[i]
    for e in range(model.unit_count):
        state.saved_piece[e] = state.piece[e]
        state.saved_memory[e] = state.memory[e]


def try_choice(model: Model, state: State, trigger_guard: int, all_change: bool) -> int:
    """0 if the state that was chosen satisfies the law; 1 if choices have changed; 2 if it cannot be decided."""
    for i in range(2 * model.coordinate_count):
        state.motion[i] = state.tried[i]
    for e in range(model.unit_count):
        state.piece[e] = state.saved_piece[e]
        state.memory[e] = state.saved_memory[e]
    state.trigger_guard = trigger_guard
    for i in range(model.contact_count):
        if model.tangential_of[i] >= 0.0:
            set_pieces(model, state, i)
    if not decide_pieces(model, state):
        return 2
    independent = begin_series(model, state, at.LEVELS)
    if release_dependent(model, state, independent):
        return 1
    evaluate_conditions(model, state, independent)
    changed = False
    for i in range(model.contact_count):
        if model.tangential_of[i] < 0.0 or (changed and not all_change):
            continue
        first = state.upper_bound[i]
        second = state.lower_bound[i]
        if first < 0.0 or second < 0.0:
            state.choice[i] = next_choice(state.options[i], state.choice[i], first, second)
            changed = True
    if changed:
        return 1
    name_held_pairs(model, state)
    return 0


def set_pieces(model: Model, state: State, i: int) -> None:
    """Set the pieces of the pair of normal contact i to the chosen state."""
    choice = state.choice[i]
    normal = view(state.piece, int(model.unit_of[i]))
    tangential = view(state.piece, int(model.unit_of[int(model.tangential_of[i])]))
    way = direction_of(choice)
    if choice == SEPARATED:
        normal[0] = float(at.UNLOADED)
        tangential[0] = float(at.UNLOADED)
        return
    normal[0] = float(at.STICK)
    tangential[0] = float(at.STICK)
    if way != 0.0:
        tangential[0] = float(at.SLIP_UP) if way > 0.0 else float(at.SLIP_DOWN)


def evaluate_conditions(model: Model, state: State, independent: int) -> None:
    """Write the signs of the conditions of each pair to ``upper_bound`` and ``lower_bound``; the series has begun."""
    c = model.contact_count
    for i in range(c):
        state.upper_bound[i] = 0.0
        state.lower_bound[i] = 0.0
    for k in range(at.LEVELS):
        continue_carefully(model, state, k, independent)
        for i in range(c):
            if model.tangential_of[i] >= 0.0:
                evaluate_forces(model, state, k, i)
        next_order(model, state, k)
        deflection_coefficients(model, state, k + 2)
        for i in range(c):
            if model.tangential_of[i] >= 0.0:
                evaluate_accelerations(model, state, k, i)


def continue_carefully(model: Model, state: State, k: int, independent: int) -> None:
    """Coefficient k of accelerations and reactions, with sizes from those of the terms in lower orders.

    Where forces cancel at one order, their rounding would otherwise decide at the next.
    """
    n = model.coordinate_count
    own = view(state.displacement_size, k * n)
    following = view(state.displacement_size, (k + 1) * n)
    deflection_coefficients(model, state, k + 1)
    acceleration_coefficient(model, state, k, True)
    for i in range(n):
        size = 0.0
        for p in range(int(model.row_begin[i]), int(model.row_begin[i + 1])):
            j = int(model.column[p])
            size += abs(model.stiffness[p]) * own[j] + abs(model.damping[p]) * float(k + 1) * following[j]
        state.tried_size[i] = size
    divide_by_mass(model, state, state.tried_size)
    for i in range(n):
        state.force_size[i] = max(state.force_size[i], abs(state.tried_size[i]))
    hold_contacts(model, state, k, independent)


def evaluate_forces(model: Model, state: State, k: int, i: int) -> None:
    """Conditions on coefficient k of the forces of a pair that touches."""
    c = model.contact_count
    if state.choice[i] == SEPARATED:
        return
    level = level_rounding(state)
    t = int(model.tangential_of[i])
    normal = state.reaction[i]
    slack = level * rate_size(model, state, k, i) / model.delassus[i * c + i]
    if state.choice[i] != STICKS:
        if state.upper_bound[i] == 0.0:
            state.upper_bound[i] = sign_beyond(normal, slack)
        return
    limit = model.friction[i] * normal
    tangential = state.reaction[t]
    slack = model.friction[i] * slack + level * rate_size(model, state, k, t) / model.delassus[t * c + t]
    if state.upper_bound[i] == 0.0:
        state.upper_bound[i] = sign_beyond(limit - tangential, slack)
    if state.lower_bound[i] == 0.0:
        state.lower_bound[i] = sign_beyond(limit + tangential, slack)


def evaluate_accelerations(model: Model, state: State, k: int, i: int) -> None:
    """Conditions on coefficient k of the accelerations of a pair at rest that slides or separates."""
    m = model.unit_count
    choice = state.choice[i]
    option = state.options[i]
    if choice == STICKS or option == APART:
        return
    contact = i
    way = -1.0
    if choice != SEPARATED:
        if option == MOVES_UP or option == MOVES_DOWN:
            return
        contact = int(model.tangential_of[i])
        way = direction_of(choice)
    value = way * float((k + 1) * (k + 2)) * state.deflection_series[(k + 2) * m + int(model.unit_of[contact])]
    if state.lower_bound[i] == 0.0:
        state.lower_bound[i] = sign_beyond(value, level_rounding(state) * rate_size(model, state, k, contact))


def name_held_pairs(model: Model, state: State) -> None:
    """Pairs that touch without force, or are at their limit without motion: others hold them."""
    for i in range(model.contact_count):
        t = int(model.tangential_of[i])
        if t < 0 or state.options[i] == APART or state.lower_bound[i] != 0.0:
            continue
        way = direction_of(state.choice[i])
        if state.choice[i] == SEPARATED:
            state.piece[int(model.unit_of[i])] = float(at.HELD_DOWN)
        elif way != 0.0 and state.options[i] != MOVES_UP and state.options[i] != MOVES_DOWN:
            state.piece[int(model.unit_of[t])] = float(at.HELD_UP) if way > 0.0 else float(at.HELD_DOWN)
