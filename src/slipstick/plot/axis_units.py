"""Units of axes: those of the model's file, otherwise SI."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from slipstick.model.system import Coordinate, System
    from slipstick.results.certificate import Certificate
    from slipstick.results.curve import Curve
    from slipstick.results.run import Names

# [unit, from SI]
_LENGTHS = {"m": 1.0, "cm": 1e2, "mm": 1e3, "um": 1e6}
_ANGLES = {"rad": 1.0, "mrad": 1e3, "deg": 180.0 / math.pi}


class AxisUnit(NamedTuple):
    """Unit of display of a displacement or deflection, and the unit of its force."""

    unit: str
    force: str
    factor: float

    @property
    def rate(self) -> str:
        """The unit of a velocity."""
        return " or ".join(f"{unit}/s" for unit in self.unit.split(" or "))

    @property
    def energy(self) -> tuple[str, float]:
        """Unit of an energy and its factor from J: the area of a loop, in N mm if the deflection is in mm."""
        return (f"N {self.unit}", self.factor) if self.force == "N" and self.unit != "m" else ("J", 1.0)

    @property
    def inertia(self) -> str:
        """The unit of an inertia."""
        return {"N": "kg", "N m": "kg m^2"}.get(self.force, "kg or kg m^2")


class AxisUnits(NamedTuple):
    """Units of some columns; ``shared`` if all are the same."""

    each: list[AxisUnit]
    shared: AxisUnit | None


def column_axes(units: Mapping[str, str], names: Sequence[str], columns: Sequence[int]) -> AxisUnits:
    """Units of columns; units : "mm", "deg" and the like, by name."""
    each = [_axis(units.get(names[i], "")) for i in columns]
    return AxisUnits(each, each[0] if each and len(set(each)) == 1 else None)


def coordinate_axis(model: System, coordinate: Coordinate) -> AxisUnit:
    """Unit of display of a coordinate."""
    return _axis(model.units.coordinates.get(coordinate.name, ""))


def error_text(certificate: Certificate, names: Names) -> str:
    """Error of a certificate in the unit of its coordinate, with the name of the coordinate."""
    if certificate.sensitive or certificate.is_none or not math.isfinite(certificate.error):
        return certificate.error_words
    worst = max(certificate.errors, key=lambda name: certificate.errors[name], default="")
    axis = _axis(names.units.coordinates.get(worst, ""))
    named = f" ({worst})" if worst and certificate.error > 0.0 else ""
    return f"{axis.factor * certificate.error:.2g} {axis.unit}{named}"


def curve_error_text(curve: Curve) -> str:
    """Largest error along a curve, in the common unit of its coordinates."""
    if math.isnan(curve.error):
        return curve.error_words
    names, unknown = curve.names, sum(math.isnan(point.error) for point in curve.points)
    axis = column_axes(names.units.coordinates, names.coordinates, range(len(names.coordinates))).shared or _axis("")
    unit = axis.unit if names.units.coordinates else ""  # models built in Python have no units of display
    rest = f", of {unknown} not known" if unknown else ""
    return f"error <= {axis.factor * curve.error:.2g} {unit}".rstrip() + rest


def _axis(unit: str) -> AxisUnit:
    if unit in _LENGTHS:
        return AxisUnit(unit, "N", _LENGTHS[unit])
    if unit in _ANGLES:
        return AxisUnit(unit, "N m", _ANGLES[unit])
    return AxisUnit("m or rad", "N or N m", 1.0)
