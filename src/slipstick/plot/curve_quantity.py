"""Quantity of a curve in a figure, with one panel for each coordinate or connection."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import InvalidInput, short_repr
from slipstick.name_hints import did_you_mean
from slipstick.plot import tolerances as tol
from slipstick.plot.run_plot import select_columns
from slipstick.units.axes import DISPLAY_FACTORS, AxisUnit, column_axes
from slipstick.units.dimensions import ROTATION

if TYPE_CHECKING:
    from slipstick.results.curve import Curve
    from slipstick.results.orbit import OrbitPoint


COORDINATE_QUANTITIES = ("amplitude", "rms", "mean", "peak_to_peak", "phase", "acceleration_amplitude")
CONNECTION_QUANTITIES = ("force_range", "dissipated", "stick_share", "lag")
QUANTITY_LABELS = {
    "amplitude": "amplitude",
    "rms": "rms",
    "mean": "mean",
    "peak_to_peak": "peak to peak",
    "phase": "phase",
    "acceleration_amplitude": "acceleration amplitude",
    "force_range": "range of force",
    "dissipated": "dissipated in a period",
    "stick_share": "share of stick",
    "lag": "begin of stick",
}
SIGNED_QUANTITIES = ("mean", "phase")
ERROR_FACTORS = {"amplitude": 1.0, "rms": 1.0, "mean": 1.0, "peak_to_peak": 2.0}  # over that of a displacement
DEGREES = ("deg", DISPLAY_FACTORS[ROTATION]["deg"])


class PanelData(NamedTuple):
    """name : of the panel.   values, error : (points,) in its unit.   least : smallest possible value."""

    name: str
    values: Array
    error: Array
    unit: str
    least: float

    @property
    def has_band(self) -> bool:
        """True if the errors are visible."""
        size = float(np.nanmax(np.abs(self.error), initial=0.0)) if not np.isnan(self.error).all() else 0.0
        return size > tol.MIN_BAND_REL * max(
            float(np.ptp(self.values)) if self.values.size else 0.0, tol.AVOID_ZERO_DIVISION
        )


class CurveQuantity(NamedTuple):
    """A quantity of some coordinates or connections of a curve."""

    name: str
    columns: list[int]
    left_out: str

    def values(self, points: Sequence[OrbitPoint], joined: bool) -> Array:
        """(points, columns) in SI; phases are unwrapped along a joined curve."""
        name, factor = ("amplitude", 2.0) if self.name == "peak_to_peak" else (self.name, 1.0)
        unknown = np.full(points[0].amplitude.size, np.nan) if points else np.zeros(0)
        owned = (getattr(point, name) for point in points)
        rows = [(unknown if own is None else own)[self.columns] for own in owned]
        table = factor * np.array(rows, dtype=float).reshape(len(points), len(self.columns))
        return np.unwrap(table, axis=0) if self.name == "phase" and joined else table

    def panels(self, curve: Curve) -> list[PanelData]:
        """Panels of a curve."""
        moved, names, units = self.name in COORDINATE_QUANTITIES, curve.names, curve.names.units
        named, known = (names.coordinates, units.coordinates) if moved else (names.connections, units.connections)
        table = self.values(curve.points, curve.stats.joined)
        error = np.array([point.error for point in curve.points]) * ERROR_FACTORS.get(self.name, np.nan)
        least = -np.inf if self.name in SIGNED_QUANTITIES else 0.0
        panels = []
        for k, axis in enumerate(column_axes(known, named, self.columns).each):
            unit, factor = _unit(self.name, axis)
            panels.append(PanelData(named[self.columns[k]], factor * table[:, k], factor * error, unit, least))
        return panels


def select_quantity(curve: Curve, quantity: Any, coordinates: Any, connections: Any, most: int) -> CurveQuantity:
    """The requested quantity of the requested names, else of those that move most."""
    known = COORDINATE_QUANTITIES + CONNECTION_QUANTITIES
    if not isinstance(quantity, str) or quantity not in known:
        hint = did_you_mean(quantity, known) if isinstance(quantity, str) else f" (known: {', '.join(known)})"
        raise InvalidInput(f"no quantity {short_repr(quantity)}{hint}").about("quantity")
    moved = quantity in COORDINATE_QUANTITIES
    what, names, requested = (
        ("coordinate", curve.names.coordinates, coordinates)
        if moved
        else ("connection", curve.names.connections, connections)
    )
    if (connections if moved else coordinates) is not None:
        wrong = "connections" if moved else "coordinates"
        raise InvalidInput(f"{quantity} belongs to {what}s; leave {wrong}= out, or choose a quantity of theirs").about(
            wrong
        )
    table = CurveQuantity(quantity, list(range(len(names))), "").values(curve.points, curve.stats.joined)
    sizes = CurveQuantity("amplitude" if moved else "force_range", list(range(len(names))), "")
    largest = sizes.values(curve.points, curve.stats.joined).max(axis=0, initial=0.0)
    if requested is None:  # a spring has no share of stick
        empty = np.isnan(table).all(axis=0) & (len(table) > 0)
        if empty.all() and empty.size and len(table):
            why = {
                "phase": "no load acts at order 1, whose phase it is",
                "acceleration_amplitude": "impacts make it infinite, nothing has inertia, or the file is older",
            }.get(quantity, "nothing in it can stick")
            label = QUANTITY_LABELS[quantity]
            article = "an" if label[0] in "aeiou" else "a"
            raise InvalidInput(f"no {what} of this curve has {article} {label}: {why}; choose another quantity").about(
                "quantity"
            )
        largest = np.where(empty, -1.0, largest)
        most = min(most, max(int((~empty).sum()), 1))
    found = select_columns(what, names, requested, largest, most)
    left = f"shown: {len(found)} of {len(names)} {what}s" if requested is None and len(found) < len(names) else ""
    return CurveQuantity(quantity, found, left)


def _unit(quantity: str, axis: AxisUnit) -> tuple[str, float]:
    if quantity == "acceleration_amplitude":
        return axis.acceleration, axis.factor
    fixed = {"phase": DEGREES, "lag": DEGREES, "force_range": (axis.force, 1.0), "dissipated": axis.energy}
    return {**fixed, "stick_share": ("%", 100.0)}.get(quantity, (axis.unit, axis.factor))
