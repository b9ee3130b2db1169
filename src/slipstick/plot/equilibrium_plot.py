"""Figure of equilibria: a displacement and the growth of small motions over the parameter."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from slipstick.arrays import Flags
from slipstick.errors import InvalidInput, short_repr
from slipstick.name_hints import did_you_mean
from slipstick.plot.style import PALETTE, house_style, without_mathtext
from slipstick.plot.title import set_title

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from slipstick.results.equilibrium_curve import EquilibriumCurve


SPECIAL_MARKERS = {"hopf": "o", "fold": "s", "stick": "^", "branch-point": "D", "flutter": "v"}


def plot_equilibria(curve: EquilibriumCurve, coordinate: str | None) -> Figure:
    """See `slipstick.results.equilibrium_curve.EquilibriumCurve.plot`."""
    from matplotlib.figure import Figure

    points, names = curve.points, curve.names.coordinates
    p = np.array([point.parameter for point in points])
    moved = np.array([point.displacement for point in points])
    if coordinate is not None and coordinate not in names:
        raise InvalidInput(f"no coordinate {short_repr(coordinate)}{did_you_mean(str(coordinate), names)}").about(
            "coordinate"
        )
    column = int(np.argmax(np.ptp(moved, axis=0))) if coordinate is None else names.index(coordinate)
    growth = np.array([point.eigenvalues.real.max(initial=-np.inf) for point in points])
    stable = np.array([point.stable for point in points])
    unit = curve.names.data_axes[0].unit
    with house_style():
        figure = Figure(figsize=(7.0, 5.2))
        panels = figure.subplots(2, 1, sharex=True)
        for axes, y, label in (
            (panels[0], moved[:, column], f"{names[column]} [{unit}]" if unit else names[column]),
            (panels[1], growth, "growth [1/s]"),
        ):
            for flag, style in ((True, "-"), (False, "--")):
                shown = np.where(_with_neighbours(stable == flag), y, np.nan)
                axes.plot(p, shown, style, color=PALETTE[0], label="stable" if flag else "unstable")
            for kind, marker in SPECIAL_MARKERS.items():
                own = [s["point"] for s in curve.special if s["kind"] == kind]
                if own:
                    axes.plot(p[own], y[own], marker, color=PALETTE[1], label=kind.capitalize())
            axes.set_ylabel(label)
        panels[1].axhline(0.0, color="0.6", linewidth=0.8)
        panels[0].legend(loc="best")
        name, si = curve.stats.parameter, curve.stats.unit
        panels[1].set_xlabel(f"{name} [{si}]" if si else name)
        set_title(figure, f"equilibria of {curve.names.model}")
    return without_mathtext(figure)


def _with_neighbours(flags: Flags) -> Flags:
    """The mask extended by the point after each part, so that parts of a curve join."""
    found = flags.copy()
    found[1:] |= flags[:-1]
    return found
