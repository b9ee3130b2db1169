"""A peak of a response curve: where an amplitude is largest."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from slipstick.errors import Advice, InvalidInput, Message

if TYPE_CHECKING:
    from slipstick.results.orbit import Orbit, OrbitPoint


NO_ORIGIN = "it came by integration, or from a file without all that makes its orbits"
NO_ORBITS = Message(f"this curve cannot go back to its orbits: {NO_ORIGIN}", advice=[Advice("{periodic} gives one")])


@dataclass(frozen=True)
class Peak:
    """The largest amplitude of a coordinate along a curve, or along a hill of it.

    coordinate : its name.   frequency : [rad/s].   amplitude : half peak to peak [m or rad].
    parameter : of a curve over another parameter, its value; else the frequency.
    stable : whether a machine would show it; None where that is not known.
    within : the curve falls to both sides; False for an end of it, beyond which it may be larger.
    located : solved for between the points of the curve; False for the largest of its points, where there is no more
        to go by (a curve from a file, or at given frequencies).
    error : of the amplitude, estimated: that of the orbit [m or rad]; not a number where it is not known.
    frequency_error : by how much that may move the place [rad/s, or as the parameter]: so far away the curve is lower
        by twice the error. Not a number where it is not known.
    point : the orbit as plain arrays.
    """

    coordinate: str
    frequency: float
    amplitude: float
    parameter: float
    stable: bool | None
    within: bool
    located: bool
    point: OrbitPoint = field(repr=False)
    error: float = math.nan
    frequency_error: float = math.nan
    orbit_at: Callable[[OrbitPoint], Orbit] | None = field(default=None, repr=False, compare=False)

    def orbit(self) -> Orbit:
        """The orbit there, with its motion over a period and its certificate."""
        if self.orbit_at is None:
            raise InvalidInput(NO_ORBITS)
        return self.orbit_at(self.point)
