"""Tick labels: few, short and complete, without a separate power of ten."""

from __future__ import annotations

import math
from typing import Any

from slipstick.plot import tolerances as tol
from slipstick.units.number_format import separating_digits


def set_linear_ticks(panel: Any, which: str, most: int) -> None:
    """Limit the number of ticks along the axis "x" or "y" of a panel."""
    from matplotlib.ticker import FuncFormatter

    axis = panel.xaxis if which == "x" else panel.yaxis
    panel.locator_params(axis=which, nbins=most)
    axis.set_major_formatter(FuncFormatter(lambda value, _: tick_label(value, *axis.get_view_interval())))


def set_log_ticks(panel: Any, which: str) -> None:
    """A logarithmic axis "x" or "y" with plain numbers, also between powers of ten if there are few."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    (panel.set_xscale if which == "x" else panel.set_yscale)("log")
    axis = panel.xaxis if which == "x" else panel.yaxis
    axis.set_major_locator(LogLocator(subs=(1.0,)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))

    def between(value: float, _: int | None) -> str:
        low, high = axis.get_view_interval()
        leading = round(value / 10.0 ** math.floor(math.log10(value)))
        return f"{value:.3g}" if high < 100.0 * low and leading in (2, 5) else ""

    axis.set_minor_formatter(FuncFormatter(between) if which == "y" else NullFormatter())


def tick_label(value: float, low: float, high: float) -> str:
    """Label of a value on an axis from ``low`` to ``high``, with enough digits to distinguish neighbours."""
    span = abs(high - low)
    if abs(value) < tol.ZERO_TICK_REL * span:
        return "0"
    digits = 3 if span == 0.0 else separating_digits(low, high) + 3
    text = f"{value:.{min(max(digits, 6), 15)}g}"
    mantissa, e, power = text.partition("e")
    return f"{mantissa}e{int(power)}" if e else text
