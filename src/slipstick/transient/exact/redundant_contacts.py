"""Contacts that hold each other: a split of their reactions that lies within all limits; compiled.

Where more contacts stick than their deflections are independent (loops of contacts), accelerations are unique and
reactions are not. The admissible ones form a polytope. One of its corners is taken: as many contacts stick as are
independent, and each of the others is held at one of its limits. Least-index pivots choose them (the criss-cross
method, which ends from any start). A reaction at its limit is within it if the first derivative that differs from that
of the limit points inwards.
"""

from __future__ import annotations

from slipstick.native import view
from slipstick.transient.exact import records as at
from slipstick.transient.exact.complementarity import HOLDS, rate_size, solve_reactions
from slipstick.transient.exact.corner_guards import level_rounding
from slipstick.transient.exact.records import FlowModel, State
from slipstick.transient.exact.taylor_series import is_sticking, next_order
from slipstick.transient.exact.taylor_step import begin_series, continue_series

NO_DEPENDENCE_REL = 1e-9  # of a reaction: that of another contact does not depend on it
MAX_PIVOTS_PER_CONTACT = 20  # for each contact


def split_reactions(model: FlowModel, state: State) -> None:
    """Choose which of the contacts that hold each other stick, and at which limit the others are held."""
    c = model.contact_count
    piece = state.piece
    unit_of = model.unit_of
    status = state.status
    basis = state.basis
    if not model.redundant:
        return
    for _ in range(MAX_PIVOTS_PER_CONTACT * c):
        independent = begin_series(model, state, at.LEVELS)
        sticking = 0
        held = 0
        for i in range(c):
            if status[i] == HOLDS:
                sticking += 1
            elif is_sticking(piece[int(unit_of[i])]):
                held += 1
        if sticking > independent:
            for a in range(independent, sticking):
                i = int(basis[a])
                piece[int(unit_of[i])] = float(at.HELD_UP) if model.stop[i] == 0.0 else float(at.HELD_DOWN)
            continue
        if held == 0:
            return
        leaves, bound = first_outside(model, state, independent)
        if leaves < 0:
            return
        enters = first_to_enter(model, state, independent, leaves, bound)
        if enters < 0:
            return
        piece[int(unit_of[leaves])] = float(at.HELD_UP) if bound > 0.0 else float(at.HELD_DOWN)
        piece[int(unit_of[enters])] = float(at.STICK)


def first_outside(model: FlowModel, state: State, independent: int) -> tuple[int, float]:
    """The first contact that sticks with a reaction above (1) or below (-1) its limits right after this instant; -1."""
    c = model.contact_count
    gram = state.delassus
    ratio = model.static_ratio
    status = state.status
    up = state.upper_bound
    down = state.lower_bound
    for i in range(c):
        up[i] = 0.0
        down[i] = 0.0
    for k in range(at.LEVELS):
        continue_series(model, state, k, independent)
        limit = view(state.limit_series, k * c)
        reaction = view(state.reaction_series, k * c)
        for i in range(c):
            if status[i] == HOLDS:
                slack = level_rounding(state) * (
                    rate_size(model, state, k, i) / gram[i * c + i] + abs(ratio[i] * limit[i])
                )
                if up[i] == 0.0 and model.stop[i] == 0.0:
                    up[i] = sign_beyond(ratio[i] * limit[i] - reaction[i], slack)
                if down[i] == 0.0:
                    down[i] = sign_beyond(ratio[i] * limit[i] + reaction[i], slack)
        next_order(model, state, k)
    for i in range(c):
        if status[i] == HOLDS and up[i] < 0.0:
            return i, 1.0
        if status[i] == HOLDS and down[i] < 0.0:
            return i, -1.0
    return -1, 0.0


def sign_beyond(value: float, slack: float) -> float:
    """The sign of a number, 0 within rounding."""
    if value > slack:
        return 1.0
    return -1.0 if value < -slack else 0.0


def first_to_enter(model: FlowModel, state: State, independent: int, leaves: int, bound: float) -> int:
    """The first contact held at a limit that relieves contact ``leaves`` if its own reaction moves inwards; -1:
    none."""
    c = model.contact_count
    gram = state.delassus
    piece = state.piece
    unit_of = model.unit_of
    rates = state.rates
    reaction = state.reaction
    for j in range(c):
        own = piece[int(unit_of[j])]
        if own != float(at.STICK) and is_sticking(own):
            for i in range(c):
                rates[i] = gram[i * c + j]
            solve_reactions(model, state, independent)  # change of the others' reactions for a unit of its own
            inwards = -1.0 if own == float(at.HELD_UP) else 1.0
            if bound * inwards * reaction[leaves] > NO_DEPENDENCE_REL:
                return j
    return -1
