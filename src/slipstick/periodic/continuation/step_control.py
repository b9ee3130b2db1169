"""Step lengths of continuation, and the parameter range."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

from slipstick.errors import InvalidInput

MAX_CORRECTION_OF_STEP = 0.5  # of a step: how far a point may lie from its prediction


@dataclass(frozen=True, kw_only=True)
class StepControl:
    """How a curve is followed. A length of one is the whole range of the parameter, or the orbit's own size.

    first_step, largest_step, smallest_step : lengths.
    corner : length below which a sharp turn is taken for a corner of the curve, not for a step that was too long.
    max_turn : [rad] of the tangent in one step;  target_turn : at which the step stays as it is.
    target_newton_steps : Newton steps a point, at which the step stays as it is.
    max_points : after which it ends.
    """

    first_step: float = 0.01
    largest_step: float = 0.08
    smallest_step: float = 1e-7
    corner: float = 1e-4
    max_turn: float = 0.6
    target_turn: float = 0.3
    target_newton_steps: int = 3
    max_points: int = 20_000

    def __post_init__(self) -> None:
        if not 0.0 < self.smallest_step <= self.first_step <= self.largest_step < math.inf:
            raise InvalidInput(
                "steps along a curve must be 0 < smallest_step <= first_step <= largest_step, "
                f"got {self.smallest_step:g}, {self.first_step:g}, {self.largest_step:g}"
            )
        if self.max_points < 2:
            raise InvalidInput(f"most_points must be at least 2, got {self.max_points}")


class ParameterRange(NamedTuple):
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


def checked_range(between: tuple[float, float]) -> ParameterRange:
    """A range, checked."""
    begin, end = (float(p) for p in between)
    if not (math.isfinite(begin) and math.isfinite(end) and begin != end):
        raise InvalidInput(f"between must be two different values, got {begin:g} and {end:g}").about("between")
    return ParameterRange(begin, end)
