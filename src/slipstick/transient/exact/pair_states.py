"""Candidate states of rigid contacts with friction, and which of them a pair may take at an instant; compiled.

A pair of a tangential and a normal contact is separated, sticks, or slides in one of two directions.
"""

from __future__ import annotations

from slipstick.native import view
from slipstick.transient.exact import records as at
from slipstick.transient.exact.complementarity import HOLDS
from slipstick.transient.exact.records import FlowModel, State
from slipstick.transient.exact.resting_contacts import stays_at_rest, zero_rate

SEPARATED, SLIDES_DOWN, STICKS, SLIDES_UP = 0.0, 1.0, 2.0, 3.0
# what a pair may do: apart; it moves in a direction; it is at rest; at rest without friction; a stop without friction
APART, MOVES_UP, MOVES_DOWN, RESTS, RESTS_SMOOTH, STOPS = 0.0, 1.0, 2.0, 3.0, 4.0, 5.0
# what a trial of a candidate ends with; undecided: the states of the other units could not be determined
SATISFIED, CHANGED, UNDECIDED = range(3)


def set_options(model: FlowModel, state: State) -> None:
    """Write which states each pair may take from now on: by its deflections, and by its rates."""
    m = model.unit_count
    rate = view(state.deflection_series, m)
    for i in range(model.contact_count):
        t = int(model.tangential_of[i])
        if t < 0:
            continue
        normal = int(model.unit_of[i])
        closed = state.touch[i] != at.OPEN
        rests = stays_at_rest(model, state, normal) or abs(rate[normal]) <= zero_rate(model, state, normal)
        state.options[i] = tangential_options(model, state, t) if closed and rests else APART


def tangential_options(model: FlowModel, state: State, t: int) -> float:
    """What a closed pair may do, from the rate of its tangential contact t."""
    e = int(model.unit_of[t])
    rate = state.deflection_series[model.unit_count + e]
    if stays_at_rest(model, state, e) or abs(rate) <= zero_rate(model, state, e):
        return RESTS if model.friction[t] > 0.0 else RESTS_SMOOTH
    return MOVES_UP if rate > 0.0 else MOVES_DOWN


def candidate_count(option: float) -> int:
    """The number of states that a pair may take."""
    if option == RESTS:
        return 4
    if option == RESTS_SMOOTH:
        return 3
    if option == APART:
        return 1
    return 2


def candidate(option: float, number: int) -> float:
    """One of these states; the first ones keep contact."""
    if option == APART or number == candidate_count(option) - 1:
        return SEPARATED
    if option == MOVES_UP:
        return SLIDES_UP
    if option == MOVES_DOWN:
        return SLIDES_DOWN
    if option == STOPS:
        return STICKS
    if option == RESTS and number == 0:
        return STICKS
    first = 1 if option == RESTS else 0
    return SLIDES_UP if number == first else SLIDES_DOWN


def set_combination(model: FlowModel, state: State, number: int) -> None:
    """Set all choices to one of their combinations; number 0 keeps all contacts."""
    rest = float(number)
    for i in range(model.contact_count):
        count = float(candidate_count(state.options[i]))
        state.choice[i] = candidate(state.options[i], int(rest % count))
        rest = rest // count


def combination_count(model: FlowModel, state: State, largest: int) -> int:
    """The number of combinations of candidates; some number above the largest if there are more."""
    count = 1
    for i in range(model.contact_count):
        if count <= largest:
            count *= candidate_count(state.options[i])
    return int(count)


def next_choice(option: float, choice: float, first: float, second: float) -> float:
    """The state to try after one that violates its first or second condition.

    Conditions of a pair that sticks: mu N - T >= 0 and mu N + T >= 0; that slides: N >= 0, and the tangential
    acceleration in its direction; that is separated: no acceleration towards the gap.
    """
    if choice == STICKS:
        if option == STOPS or (first < 0.0 and second < 0.0):
            return SEPARATED
        return SLIDES_UP if first < 0.0 else SLIDES_DOWN
    if choice == SEPARATED:
        return candidate(option, 0)
    if first < 0.0:
        return SEPARATED
    if option == RESTS:
        return STICKS
    return SLIDES_DOWN if choice == SLIDES_UP else SLIDES_UP


def release_dependent(model: FlowModel, state: State, independent: int) -> bool:
    """True if holding contacts of pairs, or stops in an impact, hold each other; one of them is then set to a bound.

    ``basis`` : the contacts that hold, the ``independent`` ones first.
    """
    holding = 0
    for i in range(model.contact_count):
        if state.status[i] == HOLDS:
            holding += 1
    for a in range(independent, holding):
        i = int(state.basis[a])
        if model.normal_of[i] >= 0.0:
            state.choice[int(model.normal_of[i])] = SLIDES_UP
            return True
        if model.tangential_of[i] >= 0.0 or state.options[i] == STOPS:
            state.choice[i] = SEPARATED
            return True
    return False


def keep_choice(model: FlowModel, state: State) -> None:
    """Store the present choices as those found."""
    for i in range(model.contact_count):
        state.best_choice[i] = state.choice[i]


def restore_choice(model: FlowModel, state: State) -> None:
    for i in range(model.contact_count):
        state.choice[i] = state.best_choice[i]


def note_several(state: State) -> None:
    """Count an instant at which several states satisfy the law."""
    if state.several_count == 0:
        state.several_time = state.time
    state.several_count += 1


def choice_direction(choice: float) -> float:
    """1 or -1 for a pair that slides, else 0."""
    if choice == SLIDES_UP:
        return 1.0
    return -1.0 if choice == SLIDES_DOWN else 0.0
