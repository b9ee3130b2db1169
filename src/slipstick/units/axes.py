"""Units of displacements, forces and energies on axes: those of the model's file, otherwise SI."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from slipstick.units.dimensions import INERTIA, ROTATION, TRANSLATION, UNIT_SYSTEMS, unit_name

# units for display, and the factor from SI; the first of a kind is the SI unit
DISPLAY_FACTORS = {
    TRANSLATION: {"m": 1.0, "cm": 1e2, "mm": 1e3, "um": 1e6},
    ROTATION: {"rad": 1.0, "mrad": 1e3, "deg": 180.0 / math.pi},
}
USUAL_DISPLAY_UNITS = {"m": "mm", "rad": "deg"}  # of published systems, whose numbers are in SI


class AxisUnit(NamedTuple):
    """Unit and factor from SI of a displacement or deflection, and the unit of its force."""

    unit: str
    force: str
    factor: float

    @property
    def rate(self) -> str:
        """The unit of a velocity."""
        return " or ".join(f"{unit}/s" for unit in self.unit.split(" or "))

    @property
    def energy(self) -> tuple[str, float]:
        """The unit of an energy and its factor from J: the area in a loop, N mm for deflections in mm."""
        return (f"N {self.unit}", self.factor) if self.force == "N" and self.unit != "m" else ("J", 1.0)

    @property
    def inertia(self) -> str:
        """The unit of an inertia."""
        kind = kind_of_unit(self.unit)
        return " or ".join(unit_name(INERTIA, own) for own in ([kind] if kind else DISPLAY_FACTORS))


class AxisUnits(NamedTuple):
    """The axes of some columns; ``shared`` where all of them are the same."""

    each: list[AxisUnit]
    shared: AxisUnit | None


def kind_of_unit(unit: str) -> str | None:
    """Translation or rotation, by the display unit of a displacement; None for other units."""
    return next((kind for kind, known in DISPLAY_FACTORS.items() if unit in known), None)


def axis_unit(unit: str) -> AxisUnit:
    """The axis of a displacement with this display unit; "m or rad" for an unknown one."""
    kind = kind_of_unit(unit)
    if kind is None:
        forces, deflections = zip(*(UNIT_SYSTEMS[own][:2] for own in DISPLAY_FACTORS), strict=True)
        return AxisUnit(" or ".join(deflections), " or ".join(forces), 1.0)
    return AxisUnit(unit, UNIT_SYSTEMS[kind][0], DISPLAY_FACTORS[kind][unit])


def column_axes(units: Mapping[str, str], names: Sequence[str], columns: Sequence[int]) -> AxisUnits:
    """The axes of columns, whose names may have display units ("mm", "deg")."""
    each = [axis_unit(units.get(names[i], "")) for i in columns]
    return AxisUnits(each, each[0] if each and len(set(each)) == 1 else None)
