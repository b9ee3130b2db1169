"""The units in which a model's author thinks, for axes; data are in SI."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple


class Scale(NamedTuple):
    """A unit, and what a number in SI is multiplied by to be in it."""

    unit: str
    factor: float

    def words(self, value: float, digits: int = 6) -> str:
        """``"12.5 Hz"``."""
        return f"{self.factor * value:.{digits}g} {self.unit}".rstrip()

    def code(self, value: float, digits: int = 6) -> str:
        """As an argument in Python: ``ss.hz(12.5)``; a number in SI where there is no word for the unit."""
        if self.unit in ("Hz", "rpm"):
            return f"ss.{self.unit.lower()}({self.factor * value:.{digits}g})"
        return f"{value:.{digits}g}"


class Units(NamedTuple):
    """Units of displacements by coordinate and of deflections by connection ("mm", "deg"), where they are known.

    frequency : "rad/s", "Hz" or "rpm"; nothing where it is not known.
    parameter : of a curve over another parameter, where it is known.
    """

    coordinates: Mapping[str, str]
    connections: Mapping[str, str]
    frequency: str = ""
    parameter: Scale | None = None


UNKNOWN = Units({}, {})
FREQUENCIES = {"rad/s": 1.0, "Hz": 0.5 / math.pi, "rpm": 30.0 / math.pi}  # from SI


def frequency_scale(unit: str) -> Scale:
    """How a frequency is shown whose author thinks in ``unit``; rad/s where that is not known."""
    known = unit if unit in FREQUENCIES else "rad/s"
    return Scale(known, FREQUENCIES[known])
