"""`Campbell`: frequencies of modes over speed, with the lines of orders and the speeds at which they meet.

The matrices of a model do not depend on its speed, so the lines of modes are level. An order o meets a mode of the
damped frequency w at the speed w/o.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import InvalidInput, short_repr
from slipstick.results.modes import Modes
from slipstick.results.notebook_view import NotebookView
from slipstick.results.order_analysis import checked_orders
from slipstick.results.table_result import TableResult
from slipstick.units.scales import ModelUnits, Scale, frequency_scale

if TYPE_CHECKING:
    import xarray
    from matplotlib.figure import Figure


class Campbell(TableResult, NotebookView):
    """Result of `Model.campbell`.

    modes : the linear modes.   orders : (k,) multiples of the speed.   low, high : [rad/s] range of speed.
    frequencies : (modes,) [rad/s] damped frequencies, of oscillating modes alone.
    critical : list of dicts, order, mode (its number in ``modes``, from 1), speed and frequency [rad/s], by speed.
    """

    def __init__(self, modes: Modes, span: tuple[float, float], orders: Array, frequency: Scale) -> None:
        self.modes, self.orders, self.frequency = modes, orders, frequency  # the last: how frequencies are shown
        self.low, self.high = span
        self.frequencies = modes.damped_frequency[modes.damped_frequency > 0.0]

    @property
    def critical(self) -> list[dict[str, Any]]:
        found = [
            {"order": order, "mode": i, "speed": w / order, "frequency": w}
            for i, w in enumerate(self.modes.damped_frequency.tolist(), start=1)
            for order in self.orders.tolist()
            if w > 0.0 and self.low <= w / order <= self.high
        ]
        return sorted(found, key=lambda own: float(own["speed"]))

    @property
    def data(self) -> xarray.Dataset:
        """Along "point": order, mode, speed and frequency [rad/s] of `critical`."""
        import xarray

        names = ("order", "mode", "speed", "frequency")
        return xarray.Dataset({name: ("point", np.array([own[name] for own in self.critical])) for name in names})

    def plot(self) -> Figure:
        """Figure of modes over speed, orders, and critical speeds."""
        from slipstick.plot.spectrum_plot import plot_campbell

        return plot_campbell(self)

    def __repr__(self) -> str:
        factor, unit = self.frequency.factor, self.frequency.unit
        lines = [f"Campbell diagram, {factor * self.low:.4g} to {factor * self.high:.4g} {unit}"]
        lines += [
            f"order {own['order']:g} meets mode {own['mode']} at {factor * own['speed']:.6g} {unit}"
            for own in self.critical
        ]
        return "\n".join(lines)


def campbell_of(modes: Modes, between: Any, orders: Any, units: ModelUnits) -> Campbell:
    """See `slipstick.api.Model.campbell`."""
    try:
        low, high = (float(part) for part in between)
    except (TypeError, ValueError):
        low = high = np.nan
    if not 0.0 <= low < high < np.inf:
        words = f"between must be two speeds (low, high) [rad/s], 0 <= low < high, got {short_repr(between)}"
        raise InvalidInput(words).about("between")
    return Campbell(modes, (low, high), checked_orders(orders), frequency_scale(units.frequency))
