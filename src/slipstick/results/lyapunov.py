"""`Lyapunov`: exponents of a motion with their errors."""

from __future__ import annotations

from typing import NamedTuple

from slipstick.arrays import Array


class Lyapunov(NamedTuple):
    """Result of `Run.lyapunov`.

    exponents, errors : (count,) [1/s] the largest first, with 95 % intervals by batches of the time.
    time : [s] that the motion was followed.   has_loads : else one exponent, along the motion, is zero.
    """

    exponents: Array
    errors: Array
    time: float
    has_loads: bool

    @property
    def largest(self) -> float:
        """[1/s] the largest exponent."""
        return float(self.exponents[0])

    @property
    def verdict(self) -> str:
        """ "chaotic", "regular", or "not decided": whether the interval of the largest exponent contains zero."""
        if self.exponents[0] > self.errors[0]:
            return "chaotic"
        return "regular" if self.exponents[0] < -self.errors[0] or not self.has_loads else "not decided"

    def __repr__(self) -> str:
        each = ", ".join(f"{x:.4g} +- {e:.1g}" for x, e in zip(self.exponents, self.errors, strict=True))
        return f"<Lyapunov exponents [1/s]: {each}; {self.verdict}, over {self.time:.4g} s>"
