"""How long the steps along a curve are, and the range of the parameter that it is followed in."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from slipstick.errors import InvalidInput

Array = NDArray[np.float64]

NEAR = 0.5  # of a step: how far a point may lie from its prediction


@dataclass(frozen=True, kw_only=True)
class Arclength:
    """How a curve is followed. A length of one is the whole range of the parameter, or the orbit's own size.

    first_step, largest_step, smallest_step : lengths.
    corner : length below which a sharp turn is taken for a corner of the curve, not for a step that was too long.
    largest_turn : [rad] of the tangent in one step;  wanted_turn : at which the step stays as it is.
    wanted_newton : Newton steps a point, at which the step stays as it is.
    most_points : after which it ends.
    """

    first_step: float = 0.01
    largest_step: float = 0.08
    smallest_step: float = 1e-7
    corner: float = 1e-4
    largest_turn: float = 0.6
    wanted_turn: float = 0.3
    wanted_newton: int = 3
    most_points: int = 20_000

    def __post_init__(self) -> None:
        if not 0.0 < self.smallest_step <= self.first_step <= self.largest_step < math.inf:
            raise InvalidInput(
                "steps along a curve must be 0 < smallest_step <= first_step <= largest_step, "
                f"got {self.smallest_step:g}, {self.first_step:g}, {self.largest_step:g}"
            )
        if self.most_points < 2:
            raise InvalidInput(f"most_points must be at least 2, got {self.most_points}")


class Bounds(NamedTuple):
    """The range of the parameter; it is followed from ``begin`` towards ``end``, which may be the smaller one."""

    begin: float
    end: float

    @property
    def low(self) -> float:
        return min(self.begin, self.end)

    @property
    def high(self) -> float:
        return max(self.begin, self.end)

    @property
    def span(self) -> float:
        return self.high - self.low

    def beyond(self, p: float) -> float | None:
        """The bound that p lies beyond, if it does."""
        return self.low if p < self.low else self.high if p > self.high else None


def bounds(between: tuple[float, float]) -> Bounds:
    """A range, checked."""
    begin, end = (float(p) for p in between)
    if not (math.isfinite(begin) and math.isfinite(end) and begin != end):
        raise InvalidInput(f"between must be two different values, got {begin:g} and {end:g}").about("between")
    return Bounds(begin, end)


def length(vector: Array) -> float:
    """Of a way along a curve, in the units that it is measured in."""
    return math.sqrt(vector.dot(vector))
