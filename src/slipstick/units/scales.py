"""Scales between SI data and the units that a model's author uses, for axes, tables and messages."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from slipstick.units.dimensions import spell_dimension


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


NO_SCALE = Scale("", 1.0)


SI_PREFIXES = {-3: "n", -2: "u", -1: "m", 0: "", 1: "k", 2: "M"}  # of powers of a thousand


class LoopUnits(NamedTuple):
    """What deflections and forces of loops are shown in: the units of the file that they were read from, else SI.

    written : the file says so.   bare : what it has no unit for, and is taken in SI: "deflection", "force" or both.
    """

    deflection: Scale
    force: Scale
    written: bool = False
    bare: tuple[str, ...] = ()

    def of(self, dimension: Sequence[float]) -> Scale:
        """Of any number of a law, from its powers of force, deflection and time; "1" is a plain number."""
        force, deflection, _ = dimension
        factor = self.force.factor**force * self.deflection.factor**deflection
        return Scale(spell_dimension(dimension, (self.force.unit, self.deflection.unit, "s")), factor)

    @property
    def energy(self) -> Scale:
        """The unit of energy of a cycle, with its value in joules: "N mm = mJ"; of stress over strain, unchanged."""
        unit, factor = self.of((1, 1, 0))
        if unit == "1" or self.force.unit.endswith("Pa"):
            return Scale(unit.removesuffix("1"), factor)
        power = math.floor(math.log10(1.0 / factor) / 3.0 + 1e-9)
        size = f"{1.0 / factor / 1000.0**power:.4g} "
        joules = (
            f"{size if size != '1 ' else ''}{SI_PREFIXES[power]}J" if power in SI_PREFIXES else f"{1.0 / factor:.4g} J"
        )
        return Scale(f"{unit} = {joules}", factor)


UNITLESS_LOOP = LoopUnits(NO_SCALE, NO_SCALE)


class ModelUnits(NamedTuple):
    """Units of displacements by coordinate and of deflections by connection ("mm", "deg"), where they are known.

    frequency : "rad/s", "Hz" or "rpm"; nothing where it is not known.
    parameter : of a curve over another parameter, where it is known.
    """

    coordinates: Mapping[str, str]
    connections: Mapping[str, str]
    frequency: str = ""
    parameter: Scale | None = None


UNKNOWN_UNITS = ModelUnits({}, {})
FREQUENCY_FACTORS = {"rad/s": 1.0, "Hz": 0.5 / math.pi, "rpm": 30.0 / math.pi}  # from SI


def frequency_scale(unit: str) -> Scale:
    """How a frequency is shown whose author thinks in ``unit``; rad/s where that is not known."""
    known = unit if unit in FREQUENCY_FACTORS else "rad/s"
    return Scale(known, FREQUENCY_FACTORS[known])
