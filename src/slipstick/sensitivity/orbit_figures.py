"""Figures of an orbit that can be differentiated, as functions of its measures."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import InvalidInput
from slipstick.results.figures import ORBIT_FIGURES, figure_reader
from slipstick.results.orbit import OrbitPoint
from slipstick.results.run import Names

COORDINATE_COLUMNS = ("amplitude", "peak_to_peak", "rms", "mean", "phase", "acceleration_amplitude")
CONNECTION_COLUMNS = ("force_range", "dissipated")


class Figure(NamedTuple):
    """A figure of one coordinate or connection.   name : of its quantity.   column : of its owner.
    here : its value at the orbit; a phase nearby does not jump by a turn."""

    name: str
    column: int
    here: float = 0.0

    @property
    def of_forces(self) -> bool:
        return self.name in CONNECTION_COLUMNS

    def at(self, point: OrbitPoint) -> float:
        """Its value."""
        if self.name == "peak_to_peak":
            return 2.0 * float(point.amplitude[self.column])
        values = getattr(point, self.name)
        return float("nan") if values is None else float(values[self.column])

    def typical(self, point: OrbitPoint) -> float:
        """A size of figures of this kind, of all coordinates or connections."""
        if self.name == "phase":
            return 1.0
        values = getattr(point, "amplitude" if self.name in ("peak_to_peak", "mean") else self.name)
        return 0.0 if values is None else float(np.nanmax(np.abs(values), initial=0.0))

    def near(self, point: OrbitPoint) -> Array:
        """(1,) its value at an orbit nearby."""
        value = self.at(point)
        if self.name == "phase":
            value = self.here + float(np.angle(np.exp(1j * (value - self.here))))
        return np.array([value])


def orbit_figure(name: str, names: Names, kind: str) -> Figure:
    """The figure of orbits that has a name; what has no derivatives is refused.

    name : such as "x.amplitude"; the part before the dot may be left out if there is only one.
    kind : of the result, in words.
    """
    part, _, quantity = name.rpartition(".")
    figure_reader(name, ORBIT_FIGURES, kind, names.coordinates, names.connections)  # refuses wrong names
    if quantity not in (*COORDINATE_COLUMNS, *CONNECTION_COLUMNS):
        known = ", ".join((*COORDINATE_COLUMNS, *CONNECTION_COLUMNS))
        raise InvalidInput(f"{kind} has no derivatives of {quantity}; it has those of {known}").about("figure")
    owners = names.coordinates if quantity in COORDINATE_COLUMNS else names.connections
    return Figure(quantity, owners.index(part) if part else 0)
