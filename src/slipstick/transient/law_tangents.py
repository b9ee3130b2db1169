"""Stiffness and damping of a law in each of its states, for the choice of a step."""

from __future__ import annotations

from contextlib import suppress

from slipstick.errors import InvalidInput
from slipstick.laws.base import Law
from slipstick.laws.faces import Face, Linearised


def state_tangents(law: Law, u: float) -> list[Linearised]:
    """The law in each of its states, the stiffest first; near deflection u where it has none.

    A state that is held by friction has no slope and is left out.
    """
    found = []
    if Face.PIECES in law.faces:
        for piece in law.pieces():
            if not piece.sticks:
                force = piece.force
                found.append(Linearised(force.u + (force.w if piece.moves else 0.0), force.v))
    else:
        for state in (None, *law.state_names):
            with suppress(InvalidInput, ArithmeticError):
                found.append(law.linearised(state, u))
    return sorted(set(found), key=lambda t: (abs(t.stiffness), t.damping), reverse=True) or [Linearised(0.0, 0.0)]
