"""The numbers of a step of Newmark's family."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class NewmarkScheme:
    """A step of Newmark's family: h, and beta and gamma in Newmark's own naming."""

    h: float
    beta: float = 0.25
    gamma: float = 0.5

    @property
    def c1(self) -> float:
        return self.gamma / (self.beta * self.h)

    @property
    def c2(self) -> float:
        return 1.0 / (self.beta * self.h * self.h)
