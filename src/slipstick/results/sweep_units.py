"""Units of display of a sweep, as written in its study; the data are in SI."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from slipstick.units.scales import NO_SCALE, Scale

if TYPE_CHECKING:
    from slipstick.results.sweep import Sweep

UNIT_ATTRIBUTE, FACTOR_ATTRIBUTE = "shown_unit", "shown_factor"  # unit of display, and factor from SI
AXIS_DIGITS = 15  # of axis values, so that 6 Hz is 6 Hz again after rad/s


def sweep_scale(sweep: Sweep, name: str) -> Scale:
    """Unit of display of an axis or a figure; no scale if its unit is unknown."""
    own = sweep[name].attrs
    return Scale(str(own[UNIT_ATTRIBUTE]), float(own[FACTOR_ATTRIBUTE])) if FACTOR_ATTRIBUTE in own else NO_SCALE


def axis_label(sweep: Sweep, name: str) -> str:
    """``x.amplitude [mm]``; the name alone without a unit."""
    unit = sweep_scale(sweep, name).unit
    return f"{name} [{unit}]" if unit else name


def in_shown_units(sweep: Sweep) -> Sweep:
    """The sweep in its units of display."""
    scaled = sweep.copy()
    for name in map(str, sweep.variables):
        factor = sweep_scale(sweep, name).factor
        if factor != 1.0:
            values = sweep[name].values * factor
            if name in sweep.coords:
                values = _rounded_axis(values)
            # values alone: xarray would align coordinates with axes that are already scaled
            scaled[name] = (sweep[name].dims, values, sweep[name].attrs)
    return scaled


def _rounded_axis(values: Any) -> Any:
    rounded = [float(f"{value:.{AXIS_DIGITS}g}") for value in np.ravel(values).tolist()]
    return np.array(rounded).reshape(np.shape(values))
