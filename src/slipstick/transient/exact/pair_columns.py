"""Friction of sliding rigid contacts in the compliances of their normal forces; compiled.

While a rigid contact slides in the direction s = +-1 its tangential force is s mu N. Its normal reaction then acts
along A_n + s mu A_t, so the column of N in D M^-1 A, which is then not symmetric, depends on the state.
"""

from __future__ import annotations

from slipstick.transient.exact import records as at
from slipstick.transient.exact.records import FlowModel, State


def slip_direction(piece: float) -> float:
    """1 or -1 for a tangential contact at its limit, 0 for one that sticks or is apart."""
    if piece == float(at.SLIP_UP) or piece == float(at.HELD_UP):
        return 1.0
    if piece == float(at.SLIP_DOWN) or piece == float(at.HELD_DOWN):
        return -1.0
    return 0.0


def set_pair_columns(model: FlowModel, state: State) -> None:
    """Write the columns of all normal reactions, in the present pieces."""
    if not model.has_pairs:
        return
    for i in range(model.contact_count):
        t = int(model.tangential_of[i])
        if t >= 0:
            set_column(model, state, i, slip_direction(state.piece[int(model.unit_of[t])]))


def set_plain_columns(model: FlowModel, state: State) -> None:
    """Write these columns without friction."""
    if not model.has_pairs:
        return
    for i in range(model.contact_count):
        if model.tangential_of[i] >= 0.0:
            set_column(model, state, i, 0.0)


def set_column(model: FlowModel, state: State, i: int, direction: float) -> None:
    """Write the column of normal contact i, whose tangential contact slides in a direction; 0: it does not."""
    n = model.coordinate_count
    c = model.contact_count
    t = int(model.tangential_of[i])
    share = direction * model.friction[i]
    for j in range(c):
        state.delassus[j * c + i] = model.delassus[j * c + i] + share * model.delassus[j * c + t]
    for j in range(n):
        state.inverse_mass_along[j * c + i] = (
            model.inverse_mass_along[j * c + i] + share * model.inverse_mass_along[j * c + t]
        )
