"""The search for states of rigid contacts with friction, right after an instant and during an impact; compiled.

Pivoting changes the pairs that violate a condition; if it does not end, all candidates are tried. None may satisfy
Coulomb's law, or several with different motions (Painleve's paradox): both are reported.
"""

from __future__ import annotations

from slipstick.transient.exact import records as at
from slipstick.transient.exact.pair_conditions import save_start, try_choice
from slipstick.transient.exact.pair_impacts import lost_energy, set_impact_options, try_impulses, velocity_change
from slipstick.transient.exact.pair_states import (
    SATISFIED,
    UNDECIDED,
    combination_count,
    keep_choice,
    note_several,
    restore_choice,
    set_combination,
    set_options,
)
from slipstick.transient.exact.records import FlowModel, State
from slipstick.transient.exact.redundant_contacts import split_reactions
from slipstick.transient.exact.state_decision import decide_pieces, prepare_decision
from slipstick.transient.exact.taylor_series import deflection_coefficients, start_series

PIVOTS, PIVOTS_PER_CONTACT = 8, 4  # before all candidates are tried
FIRST_PIVOTS = 3  # in which all pairs change that violate a condition; later one at a time
MAX_COMBINATIONS = 4096  # of candidate states that are tried one after the other
MAX_COMPARED = 256  # the same, where one of them is known: others are looked for if the state may not be unique
SAME_MOTION_REL = 1e-9  # of the terms of the largest acceleration, or of the largest velocity: less is rounding


def decide_state(model: FlowModel, state: State) -> bool:
    """Set the pieces of all units right after the present instant; False if that failed."""
    prepare_decision(model, state)
    if model.has_pairs:
        start_series(model, state, 0)
        deflection_coefficients(model, state, 1)
        set_options(model, state)
        save_start(model, state)
        return search_pairs(model, state, False)
    settled = decide_pieces(model, state)
    if settled:
        split_reactions(model, state)
    return settled


def solve_pair_impulses(model: FlowModel, state: State) -> bool:
    """Write the impulses of all closed pairs and stops; False if there are none that satisfy the law."""
    set_impact_options(model, state)
    if not search_pairs(model, state, True):
        return False
    if lost_energy(model, state) < 0.0:
        state.failure = at.GAINS_ENERGY
        return False
    return True


def search_pairs(model: FlowModel, state: State, impact: bool) -> bool:
    """Find the state of all pairs after an instant, or during an impact; False, with the reason, if that failed."""
    undecided = False
    set_combination(model, state, 0)
    for k in range(PIVOTS + PIVOTS_PER_CONTACT * model.contact_count):
        answer = try_candidate(model, state, impact, k < FIRST_PIVOTS)
        if answer == SATISFIED:
            return compare_candidates(model, state, impact)
        if answer == UNDECIDED:
            undecided = True
            break
    many = combination_count(model, state, MAX_COMBINATIONS)
    if many > MAX_COMBINATIONS:
        state.failure = at.TOO_MANY_CONTACTS
        return False
    for number in range(many):
        set_combination(model, state, number)
        answer = try_candidate(model, state, impact, False)
        if answer == SATISFIED:
            return compare_candidates(model, state, impact)
        undecided = undecided or answer == UNDECIDED
    if not undecided:
        state.failure = at.NO_CONTACT_STATE
    return False


def compare_candidates(model: FlowModel, state: State, impact: bool) -> bool:
    """True, after the search for other candidates with another motion where the one found may not be unique."""
    many = combination_count(model, state, MAX_COMPARED)
    if model.unique or many < 2:
        return True
    if many > MAX_COMPARED:
        state.unchecked_count += 1
        return True
    n = model.coordinate_count
    keep_choice(model, state)
    found = state.tried_series
    size = 0.0
    for j in range(n):
        found[j] = motion_change(model, state, impact, j)
        size = max(size, motion_size(model, state, impact, j))
    several = False
    for number in range(many):
        set_combination(model, state, number)
        if try_candidate(model, state, impact, False) == SATISFIED:
            apart = 0.0
            for j in range(n):
                other = motion_change(model, state, impact, j)
                size = max(size, motion_size(model, state, impact, j))
                apart = max(apart, abs(other - found[j]))
            several = several or apart > SAME_MOTION_REL * size
    if several:
        note_several(state)
    restore_choice(model, state)
    return try_candidate(model, state, impact, False) == SATISFIED


def try_candidate(model: FlowModel, state: State, impact: bool, all_change: bool) -> int:
    """Whether the chosen state satisfies the law; if not, choices that violate it have changed."""
    if impact:
        return try_impulses(model, state)
    return try_choice(model, state, all_change)


def motion_change(model: FlowModel, state: State, impact: bool, j: int) -> float:
    """The change of the velocity of coordinate j at an impact, else half its acceleration."""
    if impact:
        return velocity_change(model, state, j)
    return float(state.displacement_series[2 * model.coordinate_count + j])


def motion_size(model: FlowModel, state: State, impact: bool, j: int) -> float:
    """The size of the terms of this change: forces may balance, and bodies come to rest by ever smaller impacts."""
    n = model.coordinate_count
    if impact:
        return max(float(state.scale[n + j]), abs(velocity_change(model, state, j)))
    return float(state.displacement_size[2 * n + j])
