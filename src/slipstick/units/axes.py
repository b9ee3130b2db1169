"""Units of displacements, forces and energies on axes: those of the model's file, otherwise SI by kind of motion."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from slipstick.units.dimensions import COORDINATE_KINDS, INERTIA, ROTATION, TRANSLATION, UNIT_SYSTEMS, unit_name

# units for display, and the factor from SI; the first of a kind is the SI unit
DISPLAY_FACTORS = {
    TRANSLATION: {"m": 1.0, "cm": 1e2, "mm": 1e3, "um": 1e6},
    ROTATION: {"rad": 1.0, "mrad": 1e3, "deg": 180.0 / math.pi},
}
USUAL_DISPLAY_UNITS = {"m": "mm", "rad": "deg"}  # of published systems, whose numbers are in SI
UNKNOWN_KIND = "SI"  # unit of numbers in SI whose kind of motion is not known
NORMALISED = "T_p/K"  # unit of an angle in a normalised equation: torque amplitude over stiffness (torsional paper)


class AxisUnit(NamedTuple):
    """Unit and factor from SI of a displacement or deflection, and the unit of its force."""

    unit: str
    force: str
    factor: float

    @property
    def rate(self) -> str:
        """The unit of a velocity."""
        return {UNKNOWN_KIND: UNKNOWN_KIND, NORMALISED: f"ω_n {NORMALISED}"}.get(self.unit, f"{self.unit}/s")

    @property
    def acceleration(self) -> str:
        """The unit of an acceleration."""
        return {UNKNOWN_KIND: UNKNOWN_KIND, NORMALISED: f"ω_n² {NORMALISED}"}.get(self.unit, f"{self.unit}/s²")

    @property
    def energy(self) -> tuple[str, float]:
        """The unit of an energy and its factor from J: the area in a loop, N mm for deflections in mm."""
        if self.unit == NORMALISED:
            return "T_p²/K", 1.0
        return (f"N {self.unit}", self.factor) if self.force == "N" and self.unit != "m" else ("J", 1.0)

    @property
    def inertia(self) -> str:
        """The unit of an inertia."""
        kind = kind_of_unit(self.unit)
        return unit_name(INERTIA, kind) if kind else {NORMALISED: "K/ω_n^2"}.get(self.unit, UNKNOWN_KIND)


class AxisUnits(NamedTuple):
    """The axes of some columns; ``shared`` where all of them are the same."""

    each: list[AxisUnit]
    shared: AxisUnit | None


def kind_of_unit(unit: str) -> str | None:
    """Translation or rotation, by the display unit of a displacement; None for other units."""
    return next((kind for kind, known in DISPLAY_FACTORS.items() if unit in known), None)


def axis_unit(unit: str) -> AxisUnit:
    """The axis of a displacement with this display unit; "SI" for an unknown one."""
    kind = kind_of_unit(unit)
    if kind is None:
        return AxisUnit(NORMALISED, "T_p", 1.0) if unit == NORMALISED else AxisUnit(UNKNOWN_KIND, UNKNOWN_KIND, 1.0)
    return AxisUnit(unit, UNIT_SYSTEMS[kind][0], DISPLAY_FACTORS[kind][unit])


def data_axis(units: Mapping[str, str], names: Sequence[str]) -> AxisUnit:
    """The axis of data in SI whose columns have these names; "SI" where they are not of one kind."""
    each = {kind_of_unit(units.get(name, "")) or units.get(name, "") for name in names}
    only = each.pop() if len(each) == 1 else ""
    return axis_unit(UNIT_SYSTEMS[only][1] if only in COORDINATE_KINDS else only)


def column_axes(units: Mapping[str, str], names: Sequence[str], columns: Sequence[int]) -> AxisUnits:
    """The axes of columns, whose names may have display units ("mm", "deg")."""
    each = [axis_unit(units.get(names[i], "")) for i in columns]
    return AxisUnits(each, each[0] if each and len(set(each)) == 1 else None)
