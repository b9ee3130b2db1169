"""The units in which the author of a study thinks, of the axes and figures of a sweep; its data are in SI."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from slipstick.units.scales import NO_SCALE, Scale

if TYPE_CHECKING:
    from slipstick.results.sweep import Sweep

UNIT_ATTRIBUTE, FACTOR_ATTRIBUTE = (
    "shown_unit",
    "shown_factor",
)  # attributes: what a number is shown in, and what it is multiplied by
AXIS_DIGITS = 15  # of the values of an axis: 6 Hz are 6 Hz again, whatever they were in rad/s


def sweep_scale(sweep: Sweep, name: str) -> Scale:
    """How an axis or a figure is shown; as it is where nothing is known of its unit."""
    own = sweep[name].attrs
    return Scale(str(own[UNIT_ATTRIBUTE]), float(own[FACTOR_ATTRIBUTE])) if FACTOR_ATTRIBUTE in own else NO_SCALE


def axis_label(sweep: Sweep, name: str) -> str:
    """``x.amplitude [mm]``; the name alone where it has no unit."""
    unit = sweep_scale(sweep, name).unit
    return f"{name} [{unit}]" if unit else name


def in_shown_units(sweep: Sweep) -> Sweep:
    """The same with numbers in the units that they are shown in."""
    scaled = sweep.copy()
    for name in map(str, sweep.variables):
        factor = sweep_scale(sweep, name).factor
        if factor != 1.0:
            values = sweep[name].values * factor
            if name in sweep.coords:
                values = _rounded_axis(values)
            # values alone: with coordinates they would be looked up along axes that are scaled by now, and not found
            scaled[name] = (sweep[name].dims, values, sweep[name].attrs)
    return scaled


def _rounded_axis(values: Any) -> Any:
    rounded = [float(f"{value:.{AXIS_DIGITS}g}") for value in np.ravel(values).tolist()]
    return np.array(rounded).reshape(np.shape(values))
