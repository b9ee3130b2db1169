"""Base of Dahl's laws: along a branch the force relaxes towards an envelope that depends on the direction.

    dF/du = rate * sgn(d) |d|^exponent,     d = h - F sgn(v)                     (fibre 6, tensioner 3)

with h = h_u on the way up and h = -h_l on the way down (fibre 7). The force on a branch follows from the reversal where
the branch started, so the result does not depend on the number of samples.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from slipstick.errors import InvalidInput
from slipstick.laws.base import Law, Memory
from slipstick.laws.identification_traits import DerivedQuantity
from slipstick.laws.parameters import parameter
from slipstick.scalar import sgn
from slipstick.units.dimensions import FORCE, STIFFNESS, Dimension

STEP_TOLERANCE = 1e-13  # of the largest force on the branch, for each step of `integrate`
ON_ENVELOPE_REL = 10.0 * STEP_TOLERANCE  # of the force: a force so near to its envelope lies on it
MAX_BRANCH_STEPS = 1_000_000
# slope right after a reversal from one limit to the other
STEEPEST_SLOPE = DerivedQuantity("initial_stiffness", lambda law: law.stiffness * 2.0**law.exponent, STIFFNESS)


def rate_dimension(law: Any) -> Dimension:
    return (1.0 - law.exponent, -1.0, 0.0)


def start_force_parameter() -> Any:
    return parameter(
        FORCE,
        default=None,
        kind="start",
        optional=True,
        symbol="F_0",
        doc="force that runs begin with; none is midway between the envelopes",
    )


class DahlFamily(Law):
    """A law with an envelope for each direction. Subclasses define `branch`, `slope`, `goal` and `midway`.

    Memory: the last deflection and force, and deflection and force at the last reversal. Two further numbers only save
    time: the clock (see `clock`) of that reversal, and a guess of the position on the branch.
    """

    if TYPE_CHECKING:  # every law of the family has these parameters
        rate: float
        exponent: float
        start_force: float | None
    remembers = ("deflection", "force", "reversal_deflection", "reversal_force", "clock", "guess")

    def clock(self, start: float, force: float, s: float) -> float:
        """A number that `branch` needs and that depends only on the start of the branch; computed once."""
        return 0.0

    def branch(
        self, u: float, start: float, force: float, clock: float, guess: float, last: float, f: float
    ) -> tuple[float, float]:
        """Force at u on the branch from (start, force) that has reached (last, f); and the next guess."""
        raise InvalidInput(f"{type(self).__name__} must define branch")

    def update(self, u: float, v: float, memory: Memory) -> tuple[float, Memory]:
        last, f, u_m, f_m, clock, guess = memory
        if u == last:
            return f, memory
        s = sgn(u - last)
        if (last - u_m) * s < 0.0:  # a reversal: a new branch starts at the last point
            u_m = last
            f_m = f
        if u_m == last:
            clock = self.clock(u_m, f_m, s)
        f, guess = self.branch(u, u_m, f_m, clock, guess, last, f)
        return f, (u, f, u_m, f_m, clock, guess)

    def start(self, u: float = 0.0) -> Memory:
        """At rest at u, with the start force; without one, midway between the envelopes there."""
        return self._at_rest(float(u), self.midway(float(u)) if self.start_force is None else self.start_force)

    def search_start(self, u: float = 0.0) -> Memory:
        """At rest midway: small periodic motions are there, and every motion forgets its first force."""
        return self._at_rest(float(u), self.midway(float(u)))

    def _at_rest(self, u: float, f: float) -> Memory:
        return (u, f, u, f, 0.0, 0.0)

    def midway(self, u: float) -> float:
        """The force midway between the envelopes."""
        raise InvalidInput(f"{type(self).__name__} must define midway")

    def slope(self, u: float, f: float, s: float, u_m: float, f_m: float) -> float:
        """dF/du at force f in direction s, on the branch from (u_m, f_m)."""
        raise InvalidInput(f"{type(self).__name__} must define slope")

    def goal(self, u: float, s: float, u_m: float, f_m: float) -> float:
        """The force on the envelope, for the branch from (u_m, f_m) in direction s."""
        raise InvalidInput(f"{type(self).__name__} must define goal")

    def inside(self, slope: float) -> float:
        """Distance from the envelope at which the force has this slope."""
        return float((abs(slope) / self.rate) ** (1.0 / self.exponent))

    def integrate(
        self, u: float, start: float, force: float, s: float, last: float, f: float, step: float
    ) -> tuple[float, float]:
        """Force at u on the branch that started at (start, force) and is at (last, f), and the next step size.

        Dormand-Prince 5(4), each step within 1e-13 of the force.   step : the first step size, 0 if unknown.
        """
        x = last
        k1 = self.slope(x, f, s, start, force)
        # the scale of the force: at the start of the branch, plus the distance from the envelope there
        largest = max(abs(force) + self.inside(self.slope(start, force, s, start, force)), abs(f))
        h = u - x
        whole = True  # this step ends at u
        if step > 0.0 and step < abs(h):
            h = s * step
            whole = False
        for _ in range(MAX_BRANCH_STEPS):
            if self.exponent < 1.0 and self.inside(k1) <= ON_ENVELOPE_REL * largest:
                # the slope of the right-hand side is unbounded here: steps would shrink with the distance
                y = self.goal(u, s, start, force)
                if (
                    self.inside((y - f) / (u - x)) <= ON_ENVELOPE_REL * largest
                ):  # nor does the envelope move away from it
                    return y, step
            k2 = self.slope(x + 0.2 * h, f + h * 0.2 * k1, s, start, force)
            k3 = self.slope(x + 0.3 * h, f + h * (0.075 * k1 + 0.225 * k2), s, start, force)
            k4 = self.slope(x + 0.8 * h, f + h * (44 / 45 * k1 - 56 / 15 * k2 + 32 / 9 * k3), s, start, force)
            y = 19372 / 6561 * k1 - 25360 / 2187 * k2 + 64448 / 6561 * k3 - 212 / 729 * k4
            k5 = self.slope(x + 8 / 9 * h, f + h * y, s, start, force)
            y = 9017 / 3168 * k1 - 355 / 33 * k2 + 46732 / 5247 * k3 + 49 / 176 * k4 - 5103 / 18656 * k5
            k6 = self.slope(x + h, f + h * y, s, start, force)
            y = 35 / 384 * k1 + 500 / 1113 * k3 + 125 / 192 * k4 - 2187 / 6784 * k5 + 11 / 84 * k6
            new = f + h * y
            k7 = self.slope(x + h, new, s, start, force)
            y = 71 / 57600 * k1 - 71 / 16695 * k3 + 71 / 1920 * k4 - 17253 / 339200 * k5 + 22 / 525 * k6 - k7 / 40
            error = abs(h * y) / (STEP_TOLERANCE * largest + 1e-300)
            if error != error:  # NaN: the envelope has no value there
                return math.nan, step
            step = abs(h) * min(max(0.9 * (error + 1e-10) ** -0.2, 0.2), 5.0)
            if error <= 1.0:
                if whole:
                    return new, step
                x += h
                f = new
                k1 = k7
                largest = max(largest, abs(f))  # accepted steps only: a trial step may be far off
            whole = step >= abs(u - x)
            h = u - x if whole else s * step
        return math.nan, step  # no force found: `trace` reports it

    def inner_state(self, memory: Memory) -> float:
        return memory[1]

    def inner_rate(self, u: float, v: float, z: float, memory: Memory) -> float:
        return v * self.slope(u, z, 1.0 if v >= 0.0 else -1.0, memory[2], memory[3])

    def settled(self, u: float, v: float, z: float, memory: Memory) -> Memory:
        s = 1.0 if u >= memory[2] else -1.0
        return (u, z, memory[2], memory[3], self.clock(memory[2], memory[3], s), 0.0)

    def turned(self, memory: Memory) -> Memory:
        u, f = memory[0], memory[1]
        return (u, f, u, f, 0.0, 0.0)

    def inner_force(self, u: float, v: float, z: float) -> float:
        return z
