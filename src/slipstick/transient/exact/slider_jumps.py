"""Stretches of sliders, and how small changes of them are handed over where they start or stop moving; compiled."""

from __future__ import annotations

from slipstick.native import Array, view
from slipstick.transient.exact.records import Model, State
from slipstick.transient.exact.taylor_series import along_unit


def stretch_moves_in(model: Model, e: int, piece: float) -> bool:
    """True if the stretch of unit e moves in that piece."""
    if model.contact_of[e] >= 0.0:
        return False
    row = int(model.first_piece[e]) + int(piece)
    return model.pieces[row].moves


def transfer_memory_changes(
    model: Model, state: State, before: Array, after: Array, later: float, change: Array
) -> None:
    """Changes of the memories across an event that comes ``later``.

    before, after : the pieces.   ``deflection_series`` has the rates before the event. A stretch stops at its
    limit, whenever it gets there; one that starts moving has the deflection of that instant.
    """
    n = model.coordinate_count
    m = model.unit_count
    rate = view(state.deflection_series, m)
    memory = view(change, 2 * n)
    for e in range(m):
        moved = stretch_moves_in(model, e, before[e])
        if moved == stretch_moves_in(model, e, after[e]):
            continue
        if moved:
            memory[e] = 0.0
        else:
            memory[e] = along_unit(model, e, change) + rate[e] * later - memory[e]
