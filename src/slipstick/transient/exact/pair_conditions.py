"""The conditions of Coulomb's law on a state of rigid contacts with friction right after an instant; compiled.

A state of all pairs satisfies the law if every condition on its forces and accelerations holds: the first nonzero
coefficient of each condition in the Taylor series of the motion is positive. For each candidate, the states of all
other units are determined.
"""

from __future__ import annotations

from slipstick.native import view
from slipstick.transient.exact import records as at
from slipstick.transient.exact.complementarity import hold_contacts, rate_size
from slipstick.transient.exact.corner_guards import level_rounding
from slipstick.transient.exact.pair_states import (
    APART,
    CHANGED,
    MOVES_DOWN,
    MOVES_UP,
    SATISFIED,
    SEPARATED,
    STICKS,
    UNDECIDED,
    choice_direction,
    next_choice,
    release_dependent,
)
from slipstick.transient.exact.records import FlowModel, State
from slipstick.transient.exact.redundant_contacts import sign_beyond
from slipstick.transient.exact.state_decision import decide_pieces
from slipstick.transient.exact.taylor_series import (
    acceleration_coefficient,
    deflection_coefficients,
    divide_by_mass,
    next_order,
)
from slipstick.transient.exact.taylor_step import begin_series


def save_start(model: FlowModel, state: State) -> None:
    """Save the motion and the state of all units before candidates are tried."""
    for i in range(2 * model.coordinate_count):
        state.tried[i] = state.motion[i]
    for e in range(model.unit_count):
        state.saved_piece[e] = state.piece[e]
        state.saved_memory[e] = state.memory[e]
    state.saved_trigger_guard = state.trigger_guard


def try_choice(model: FlowModel, state: State, all_change: bool) -> int:
    """Whether the chosen state satisfies the law; if not, one choice, or all that violate a condition, has changed."""
    for i in range(2 * model.coordinate_count):
        state.motion[i] = state.tried[i]
    for e in range(model.unit_count):
        state.piece[e] = state.saved_piece[e]
        state.memory[e] = state.saved_memory[e]
    state.trigger_guard = state.saved_trigger_guard
    for i in range(model.contact_count):
        if model.tangential_of[i] >= 0.0:
            set_pieces(model, state, i)
    if not decide_pieces(model, state):
        return UNDECIDED
    independent = begin_series(model, state, at.LEVELS)
    if release_dependent(model, state, independent):
        return CHANGED
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
        return CHANGED
    mark_pairs_held_by_others(model, state)
    return SATISFIED


def set_pieces(model: FlowModel, state: State, i: int) -> None:
    """Set the pieces of the pair of normal contact i to the chosen state."""
    choice = state.choice[i]
    normal = view(state.piece, int(model.unit_of[i]))
    tangential = view(state.piece, int(model.unit_of[int(model.tangential_of[i])]))
    way = choice_direction(choice)
    if choice == SEPARATED:
        normal[0] = float(at.UNLOADED)
        tangential[0] = float(at.UNLOADED)
        return
    normal[0] = float(at.STICK)
    tangential[0] = float(at.STICK)
    if way != 0.0:
        tangential[0] = float(at.SLIP_UP) if way > 0.0 else float(at.SLIP_DOWN)


def evaluate_conditions(model: FlowModel, state: State, independent: int) -> None:
    """Write the signs of the conditions of each pair to ``upper_bound`` and ``lower_bound``; the series has begun."""
    c = model.contact_count
    for i in range(c):
        state.upper_bound[i] = 0.0
        state.lower_bound[i] = 0.0
    for k in range(at.LEVELS):
        next_coefficient_with_rounding(model, state, k, independent)
        for i in range(c):
            if model.tangential_of[i] >= 0.0:
                evaluate_forces(model, state, k, i)
        next_order(model, state, k)
        deflection_coefficients(model, state, k + 2)
        for i in range(c):
            if model.tangential_of[i] >= 0.0:
                evaluate_accelerations(model, state, k, i)


def next_coefficient_with_rounding(model: FlowModel, state: State, k: int, independent: int) -> None:
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


def evaluate_forces(model: FlowModel, state: State, k: int, i: int) -> None:
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


def evaluate_accelerations(model: FlowModel, state: State, k: int, i: int) -> None:
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
        way = choice_direction(choice)
    value = way * float((k + 1) * (k + 2)) * state.deflection_series[(k + 2) * m + int(model.unit_of[contact])]
    if state.lower_bound[i] == 0.0:
        state.lower_bound[i] = sign_beyond(value, level_rounding(state) * rate_size(model, state, k, contact))


def mark_pairs_held_by_others(model: FlowModel, state: State) -> None:
    """Pairs that touch without force, or are at their limit without motion: others hold them."""
    for i in range(model.contact_count):
        t = int(model.tangential_of[i])
        if t < 0 or state.options[i] == APART or state.lower_bound[i] != 0.0:
            continue
        way = choice_direction(state.choice[i])
        if state.choice[i] == SEPARATED:
            state.piece[int(model.unit_of[i])] = float(at.HELD_DOWN)
        elif way != 0.0 and state.options[i] != MOVES_UP and state.options[i] != MOVES_DOWN:
            state.piece[int(model.unit_of[t])] = float(at.HELD_UP) if way > 0.0 else float(at.HELD_DOWN)
