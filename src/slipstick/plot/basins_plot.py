"""Figure of basins: the starts in a plane, coloured by the motion they end on, and the shares."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from slipstick.errors import InvalidInput
from slipstick.name_hints import did_you_mean
from slipstick.plot.style import INK, PALETTE, house_style, without_mathtext
from slipstick.plot.title import set_title
from slipstick.units.axes import axis_unit

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from slipstick.results.basins import Basins

MARKERS = ("o", "s", "^", "D", "v", "P")
LARGE, SMALL, MANY = 26.0, 6.0, 3000  # areas of markers [points squared] of few and of many starts


def plot_basins(basins: Basins, x: str | None, y: str | None) -> Figure:
    """See `slipstick.results.basins.Basins.plot`."""
    from matplotlib.figure import Figure

    names = [own[0] for own in basins.ranges]
    across = 0 if x is None else _place("x", x, names)
    up = (1 if len(names) > 1 else None) if y is None else _place("y", y, names)
    with house_style():
        figure = Figure(figsize=(8.5, 4.6))
        plane, bars = figure.subplots(1, 2, width_ratios=(2.4, 1.0))
        _starts(plane, basins, across, up)
        _shares(bars, basins)
        set_title(figure, f'{len(basins.starts)} starts of "{basins.names.model}" by the motion they end on')
    return without_mathtext(figure)


def _place(argument: str, name: Any, names: list[str]) -> int:
    if name not in names:
        hint = did_you_mean(name, names) if isinstance(name, str) else ""
        raise InvalidInput(f"{argument} must be one of {', '.join(names)}, got {name!r}{hint}").about(argument)
    return names.index(name)


def _starts(axes: Axes, basins: Basins, across: int, up: int | None) -> None:
    size = LARGE + (SMALL - LARGE) * min(len(basins.starts) / MANY, 1.0)
    for k, own in enumerate(basins.motions):
        rows = basins.starts[basins.labels == k]
        first, scale = _axis(basins, across)
        height = np.full(len(rows), float(k)) if up is None else _axis(basins, up)[1] * rows[:, up]
        axes.scatter(
            scale * rows[:, across], height, s=size, color=PALETTE[k % len(PALETTE)], marker=MARKERS[k % len(MARKERS)],
            linewidths=0.0, label=own.name,
        )  # fmt: skip
        axes.set_xlabel(first)
    if up is None:
        axes.set_yticks(range(len(basins.motions)), [own.name for own in basins.motions])
    else:
        axes.set_ylabel(_axis(basins, up)[0])


def _axis(basins: Basins, k: int) -> tuple[str, float]:
    """The label of an axis, and the factor from SI."""
    name = basins.ranges[k][0]
    own = name.removesuffix(".velocity")
    unit = axis_unit(basins.names.units.coordinates.get(own, ""))
    is_velocity = own != name and own in basins.names.coordinates
    words = f"start velocity of {own} [{unit.rate}]" if is_velocity else f"start of {own} [{unit.unit}]"
    return words, unit.factor


def _shares(axes: Axes, basins: Basins) -> None:
    """Bars of shares with their intervals, the largest number written beside each."""
    for k, own in enumerate(basins.motions):
        axes.barh(k, own.share, color=PALETTE[k % len(PALETTE)], height=0.6)
        reach = np.array([[own.share - own.low], [own.high - own.share]])
        axes.errorbar(own.share, k, xerr=np.maximum(reach, 0.0), color=INK, capsize=3, linewidth=1.0)
        axes.annotate(
            f"{100.0 * own.share:.1f} %", (own.high, k), (4, 0), textcoords="offset points", va="center", fontsize=9
        )
    axes.set_yticks(range(len(basins.motions)), [own.name for own in basins.motions])
    axes.invert_yaxis()
    axes.set_xlim(0.0, 1.25)
    axes.set_xticks([0.0, 0.5, 1.0])
    axes.set_xlabel("share of starts")
    axes.grid(visible=False, axis="y")
