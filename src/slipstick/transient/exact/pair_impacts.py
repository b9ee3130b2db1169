"""Impacts of rigid contacts with friction, together with those of plain stops; compiled.

With P_n, P_t the impulses of a closed pair, Newton's law in the normal and Coulomb's law in the tangential direction:

    P_n >= 0,    v_n+ <= -e max(v_n-, 0),    P_n (v_n+ + e max(v_n-, 0)) = 0
    |P_t| <= mu P_n,    P_t = mu P_n sign(v_t+) where v_t+ is not zero

All pairs and stops that are closed are solved for together. The loss is the sum of P (v- + v+)/2 over all impulses. It
is negative for some eccentric impacts with friction, which these laws do not describe: the run then stops.
"""

from __future__ import annotations

from slipstick.native import view
from slipstick.transient.exact import records as at
from slipstick.transient.exact.complementarity import EXCLUDED, HOLDS, factor_delassus, solve_reactions
from slipstick.transient.exact.corner_guards import MOTION_ROUNDING_REL, unit_size
from slipstick.transient.exact.pair_columns import set_column
from slipstick.transient.exact.pair_states import (
    APART,
    CHANGED,
    RESTS,
    RESTS_SMOOTH,
    SATISFIED,
    SEPARATED,
    STICKS,
    STOPS,
    choice_direction,
    next_choice,
    release_dependent,
)
from slipstick.transient.exact.records import FlowModel, State

ENERGY_GAIN_REL = 1e-10  # of the energies exchanged: a gain above it is not rounding


def set_impact_options(model: FlowModel, state: State) -> None:
    """Write which states each closed pair and stop may take during the impact."""
    for i in range(model.contact_count):
        state.options[i] = APART
        if state.touch[i] != at.OPEN and model.tangential_of[i] >= 0.0:
            state.options[i] = RESTS if model.friction[i] > 0.0 else RESTS_SMOOTH
        elif state.touch[i] != at.OPEN and model.stop[i] != 0.0:
            state.options[i] = STOPS


def velocity_change(model: FlowModel, state: State, j: int) -> float:
    """What all impulses take from the velocity of coordinate j."""
    c = model.contact_count
    total = 0.0
    for i in range(c):
        total += model.inverse_mass_along[j * c + i] * state.impulse[i]
    return total


def try_impulses(model: FlowModel, state: State) -> int:
    """Whether the impulses of the chosen state satisfy the law; if not, a choice has changed."""
    c = model.contact_count
    rate = view(state.deflection_series, model.unit_count)
    for i in range(c):
        state.status[i] = EXCLUDED
        state.reaction[i] = 0.0
        state.impulse[i] = 0.0
    for i in range(c):
        if model.tangential_of[i] >= 0.0:
            set_column(model, state, i, choice_direction(state.choice[i]))
        if state.options[i] == APART or state.choice[i] == SEPARATED:
            continue
        state.status[i] = HOLDS
        if state.options[i] != STOPS and state.choice[i] == STICKS:
            state.status[int(model.tangential_of[i])] = HOLDS
    for i in range(c):
        state.rates[i] = rate[int(model.unit_of[i])]
        if state.options[i] != APART:
            rebound = 0.0 if state.settling[i] != 0.0 else model.restitution[i]
            state.rates[i] = state.arrival[i] + rebound * max(state.arrival[i], 0.0)
    independent = factor_delassus(model, state)
    if release_dependent(model, state, independent):
        return CHANGED
    solve_reactions(model, state, independent)
    for i in range(c):
        if state.options[i] != APART and violates(model, state, i):
            return CHANGED
    for i in range(c):
        if state.status[i] == HOLDS:
            state.impulse[i] = state.reaction[i]
    for i in range(c):
        if state.status[i] == HOLDS and model.tangential_of[i] >= 0.0 and state.choice[i] != STICKS:
            way = choice_direction(state.choice[i])
            state.impulse[int(model.tangential_of[i])] = way * model.friction[i] * state.reaction[i]
    return SATISFIED


def violates(model: FlowModel, state: State, i: int) -> bool:
    """True if contact i violates a condition; its choice has then changed."""
    c = model.contact_count
    choice = state.choice[i]
    first = 0.0
    second = 0.0
    own = MOTION_ROUNDING_REL * impulse_size(model, state, i) / model.delassus[i * c + i]
    if choice == SEPARATED:
        if rate_after(model, state, i) > MOTION_ROUNDING_REL * impulse_size(model, state, i):
            second = -1.0
    elif state.reaction[i] < -own:
        first = -1.0
        second = -1.0 if choice == STICKS else 0.0
    elif state.options[i] != STOPS:
        t = int(model.tangential_of[i])
        slack = MOTION_ROUNDING_REL * impulse_size(model, state, t)
        if choice == STICKS:
            limit = model.friction[i] * state.reaction[i] + slack / model.delassus[t * c + t] + model.friction[i] * own
            if state.reaction[t] > limit:
                first = -1.0
            elif state.reaction[t] < -limit:
                second = -1.0
        elif choice_direction(choice) * rate_after(model, state, t) < -slack:
            second = -1.0
    if first == 0.0 and second == 0.0:
        return False
    state.choice[i] = next_choice(state.options[i], choice, first, second)
    return True


def rate_after(model: FlowModel, state: State, i: int) -> float:
    """``rates`` of contact i less what the impulses take from it."""
    c = model.contact_count
    value = 0.0
    value += state.rates[i]
    for j in range(c):
        if state.status[j] == HOLDS:
            value -= state.delassus[i * c + j] * state.reaction[j]
    return float(value)


def impulse_size(model: FlowModel, state: State, i: int) -> float:
    """The size that rounding of the rate of contact i after the impact refers to."""
    c = model.contact_count
    value = unit_size(model, state, int(model.unit_of[i]), 1)
    for j in range(c):
        if state.status[j] == HOLDS:
            value += abs(state.delassus[i * c + j] * state.reaction[j])
    return float(value)


def lost_energy(model: FlowModel, state: State) -> float:
    """The loss of all impulses; 0 for a gain within rounding."""
    c = model.contact_count
    rate = view(state.deflection_series, model.unit_count)
    total = 0.0
    size = 0.0
    for i in range(c):
        if state.impulse[i] == 0.0:
            continue
        twice = 2.0 * rate[int(model.unit_of[i])]
        terms = abs(twice)
        for j in range(c):
            twice -= model.delassus[i * c + j] * state.impulse[j]
            terms += abs(model.delassus[i * c + j] * state.impulse[j])
        total += 0.5 * state.impulse[i] * twice
        size += 0.5 * abs(state.impulse[i]) * terms
    return 0.0 if abs(total) <= ENERGY_GAIN_REL * size else total
