"""`ReversalStackLaw`: base of laws with a stack of the reversals that still matter (fibre paper, section 4).

The rules of Prandtl (and Masing):

1. A branch depends only on the reversal where it started. It has a closed form, so nothing is integrated or drifts.
2. When the deflection passes the last but one reversal, an inner loop closes. Its two reversals leave the stack, and
   the older branch continues.
3. When it passes the mirror image of the first reversal, the force returns to the virgin curve.

Memory: last deflection, start of the virgin curve (deflection, force), then (deflection, force) of each reversal,
oldest first. These forces are those of the hysteretic part, without the elastic one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import InvalidInput, short_repr
from slipstick.laws.base import UNREACHABLE_DEFLECTION, Law, Memory, memory_array
from slipstick.laws.faces import Linearised
from slipstick.laws.reversal_stack import STACK_HEAD, STACK_MIN_NUMBERS, STACK_REVERSAL_NUMBERS, stack_size
from slipstick.laws.source_parsing import Buffer
from slipstick.scalar import ahead, sgn

NO_ROOM = float("nan")  # the force if a packed memory has no room for another reversal; the memory stays unchanged


class ReversalStackLaw(Law):
    """A law with a stack of reversals; subclasses define `branch`, `virgin_curve`, `first_slope`, maybe `elastic`."""

    has_stack = True
    state_names = ("stick", "slip")
    is_odd = True
    needs_rate = False
    compiled = "advance"
    derived = ("restarts", "shifts")

    def branch(self, x: float, start: float) -> float:
        """Force gained on a rising branch at a distance x >= 0 from its reversal at deflection ``start``."""
        raise InvalidInput(f"{type(self).__name__} must define branch")

    def virgin_curve(self, u: float, start: float, force: float) -> float:
        """Force at u on the virgin curve that starts at (start, force)."""
        raise InvalidInput(f"{type(self).__name__} must define virgin_curve")

    def elastic(self, u: float) -> float:
        """The single-valued force in parallel with the hysteresis."""
        return 0.0 * u

    @property
    def restarts(self) -> float:
        """1 if the virgin curve restarts where all memory is lost (the rule as printed), else 0."""
        return 0.0

    @property
    def shifts(self) -> float:
        """1 if an older branch is shifted to the current force when a loop closes, else 0 (they agree already)."""
        return 0.0

    def curve(self, u: float, count: int, m: Buffer) -> float:
        """The hysteretic force at u on the current branch: the virgin curve, or that from the last reversal."""
        top = 3 + 2 * count
        if count == 0:
            return self.virgin_curve(u, m[top], m[top + 1])
        x = u - m[top]
        return m[top + 1] + sgn(x) * self.branch(abs(x), m[top])

    def advance(self, u: float, v: float, m: Buffer) -> float:
        """Move to u, push a reversal or close loops on the way, and return the force."""
        count = int(m[1])
        last = m[2]
        if u != last:
            direction = sgn(u - last)
            top = 3 + 2 * count
            if (last - m[top]) * direction < 0.0:  # a reversal: a new branch starts at the last point
                if top + 3 >= m[0]:
                    return NO_ROOM
                force = self.curve(last, count, m)
                count += 1
                top += 2
                m[top] = last
                m[top + 1] = force
            while count > 0:
                # the last but one reversal; for the first one its mirror image, on the virgin curve
                gate = m[top - 2] if count > 1 else -m[top]
                beyond = (u - gate) * direction
                # a virgin curve that restarts needs some length: at its first point it has no direction
                if beyond < 0.0 or (beyond == 0.0 and count == 1 and self.restarts > 0.0):
                    break
                force = self.curve(gate, count, m)
                if count == 1 and self.restarts > 0.0:
                    m[3] = gate
                    m[4] = force
                count = max(count - 2, 0)
                top = 3 + 2 * count
                if self.shifts > 0.0:
                    m[top + 1] += force - self.curve(gate, count, m)
            m[1] = float(count)
            m[2] = u
        return self.curve(u, count, m) + self.elastic(u)

    def corner(self, u: float, s: float, m: Buffer) -> float:
        """Where a branch from u in direction s closes a loop, returns to the virgin curve or reaches its asymptote."""
        count = int(m[1])
        top = 3 + 2 * count
        gate = UNREACHABLE_DEFLECTION * s
        start = m[top]
        first = 0.0
        if (m[2] - m[top]) * s < 0.0:  # a reversal at u: the last one becomes the last but one
            gate = m[top] if count > 0 else -m[2]
            start = m[2]
        elif count > 0:
            gate = m[top - 2] if count > 1 else -m[top]
        else:
            first = 1.0
        return ahead(gate, u, s, ahead(start + s * self.spent(s, m[top + 1], first), u, s, UNREACHABLE_DEFLECTION * s))

    def spent(self, s: float, force: float, first: float) -> float:
        """Distance from its start at which a branch reaches its asymptote; first 1: the virgin curve from ``force``."""
        return UNREACHABLE_DEFLECTION

    def start(self, u: float = 0.0) -> Memory:
        virgin = (0.0, 0.0, 0.0)
        return self.update(float(u), 0.0, virgin)[1]

    def update(self, u: float, v: float, memory: Memory) -> tuple[float, Memory]:
        m = self.pack_memory(memory, 1).tolist()
        force = self.advance(float(u), v, m)
        return force, unpack_stack(m)

    def pack_memory(self, memory: Any, spare: int) -> Array:
        own = memory_array(memory)
        if own is None or own.size < 3 or own.size % 2 == 0:
            raise InvalidInput(
                f"memory of {type(self).__name__} is what start() and update() give "
                f"(last deflection, then pairs), got {short_repr(memory)}"
            )
        room = STACK_REVERSAL_NUMBERS * spare
        count = (own.size - STACK_MIN_NUMBERS) // STACK_REVERSAL_NUMBERS
        return np.concatenate(([STACK_HEAD + own.size + room, count], own, np.zeros(room)))

    def linearised(self, state: str | None = None, u: float = 0.0) -> Linearised:
        """stick: the slope right after a reversal at u; slip: far along a branch."""
        self.refuse_state(state)
        if state == "slip":
            return Linearised(self.tangent_of_elastic(u), 0.0)
        return Linearised(self.first_slope(u) + self.tangent_of_elastic(u), 0.0)

    def first_slope(self, start: float) -> float:
        """The slope right after a reversal at ``start``."""
        raise InvalidInput(f"{type(self).__name__} must define first_slope")

    def tangent_of_elastic(self, u: float) -> float:
        """The slope of `elastic`."""
        return 0.0


def unpack_stack(m: Sequence[float] | Array) -> Memory:
    """The memory in a packed stack, which may have spare room at its end."""
    own: Any = m  # list or array
    return tuple(float(x) for x in own[STACK_HEAD : stack_size(own, 0)])
