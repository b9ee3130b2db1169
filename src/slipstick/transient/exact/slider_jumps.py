"""Stretches of sliders, and how small changes of them are handed over where they start or stop moving; compiled."""

from __future__ import annotations

from slipstick.laws.source_parsing import Buffer
from slipstick.native import view
from slipstick.transient.exact import records as at
from slipstick.transient.exact.taylor_series import along_unit


def stretch_moves_in(model: Buffer, e: int, piece: float) -> bool:
    """True if the stretch of unit e moves in that piece."""
    if model[int(model[at.CONTACT_OF]) + e] >= 0.0:
        return False
    row = int(model[int(model[at.FIRST_PIECE]) + e]) + int(piece)
    return model[int(model[at.PIECES]) + at.PIECE_ROW * row + at.P_MOVES] != 0.0


def transfer_memory_changes(
    model: Buffer, state: Buffer, before: Buffer, after: Buffer, later: float, change: Buffer
) -> None:
    """Changes of the memories across an event that comes ``later``.

    before, after : the pieces.   at.U_SERIES has the rates of deflections before the event. A stretch stops at its
    limit, whenever it gets there; one that starts moving has the deflection of that instant.
    """
    n = int(model[at.N])
    m = int(model[at.UNITS])
    rate = view(state, int(model[at.U_SERIES]) + m)
    memory = view(change, 2 * n)
    for e in range(m):
        moved = stretch_moves_in(model, e, before[e])
        if moved == stretch_moves_in(model, e, after[e]):
            continue
        if moved:
            memory[e] = 0.0
        else:
            memory[e] = along_unit(model, e, change) + rate[e] * later - memory[e]
