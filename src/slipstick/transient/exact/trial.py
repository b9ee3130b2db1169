"""What happens next where coordinates have no inertia: by trial; compiled.

There the series of `decide` does not exist: velocities follow from forces. A state of all units is tried on its table
of modes; if a guard is violated at once, its unit changes and the next state is tried, until one holds. Exactly one
does.
"""

from __future__ import annotations

from slipstick.laws.parsing import Buffer
from slipstick.native import view
from slipstick.transient.exact import places as at
from slipstick.transient.exact.corners import DOWN_GUARD, RATE_GUARD, ROUNDING, UP_GUARD, change_piece, unit_size
from slipstick.transient.exact.guards import write_guards
from slipstick.transient.exact.modal import expand, move
from slipstick.transient.exact.roots import I_GUARD, I_UNIT, INFO_ROW, first_root
from slipstick.transient.exact.series import deflections, start_series


def slides(model: Buffer, state: Buffer, e: int) -> bool:
    """True for a contact of masses that is in motion; its rate (deflections at hand up to order 1) does not leap."""
    rate = state[int(model[at.U_SERIES]) + int(model[at.UNITS]) + e]
    heavy = model[int(model[at.HEAVY]) + int(model[int(model[at.CONTACT_OF]) + e])] != 0.0
    return heavy and abs(rate) > ROUNDING * unit_size(model, state, e, 1) + state[at.ZERO_RATE]


def slide_all(model: Buffer, state: Buffer) -> None:
    """Set contacts of masses in motion by their rates, where coordinates have no inertia and others are tried."""
    start_series(model, state, 0)
    deflections(model, state, 1)
    for i in range(int(model[at.CONTACTS])):
        e = int(model[int(model[at.UNIT_OF]) + i])
        piece = view(state, int(model[at.PIECE]) + e)
        driven = model[int(model[at.DRIVEN]) + i] != 0.0
        if not driven and piece[0] != float(at.UNLOADED) and slides(model, state, e):
            rate = state[int(model[at.U_SERIES]) + int(model[at.UNITS]) + e]
            piece[0] = float(at.SLIP_UP) if rate > 0.0 else float(at.SLIP_DOWN)


def flip(model: Buffer, state: Buffer, e: int, g: int) -> None:
    """Unit e goes through guard g."""
    start_series(model, state, 0)
    deflections(model, state, 1)
    if model[int(model[at.CONTACT_OF]) + e] < 0.0:
        change_piece(model, state, e, g)
        return
    piece = view(state, int(model[at.PIECE]) + e)
    if g == RATE_GUARD and state[at.TRIGGER] < 0.0 and slides(model, state, e):
        piece[0] = float(at.SLIP_DOWN) if piece[0] == float(at.SLIP_UP) else float(at.SLIP_UP)
    elif g == RATE_GUARD:
        piece[0] = float(at.STICK)
    elif g == UP_GUARD:
        piece[0] = float(at.SLIP_UP)
    elif g == DOWN_GUARD:
        piece[0] = float(at.SLIP_DOWN)
    else:
        piece[0] = float(at.STICK) if piece[0] == float(at.UNLOADED) else float(at.UNLOADED)


def through_trigger(model: Buffer, state: Buffer) -> None:
    """The unit whose guard ended the segment changes first."""
    if state[at.TRIGGER] >= 0.0:
        flip(model, state, int(state[at.TRIGGER]), int(state[at.TRIGGER_GUARD]))
    state[at.TRIGGER] = -1.0


def holds(model: Buffer, table: Buffer, state: Buffer, horizon: float) -> bool:
    """True if the present state of all units lasts; otherwise the unit that it breaks at has changed."""
    expand(model, table, state)
    guards = write_guards(model, table, state)
    s, g, _ = first_root(model, table, state, guards, horizon)
    if g < 0 or s > 0.0:
        move(model, table, state, 0.0, view(state, int(model[at.X])))  # what has no inertia takes its place
        return True
    info = view(state, int(model[at.G_INFO]) + INFO_ROW * g)
    flip(model, state, int(info[I_UNIT]), int(info[I_GUARD]))
    return False
