"""Pictures of the papers' rules: the construction drawn over the loop it was read from."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from slipstick.identification import rules
from slipstick.identification.loop import si_units
from slipstick.plot.loop_plot import axis_label, legend_once
from slipstick.plot.style import ACCENT, BAND, BLUE, GREY, INK, house_style, without_mathtext

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from slipstick.identification.preparing.loop_geometry import LoopGeometry

Array = NDArray[np.float64]

MAX_SAMPLES_DRAWN = 3000  # samples of a branch in a picture


def plot_rule(found: Any) -> Figure:
    """One panel: samples in grey, what the rule used in blue, what it made of that in red."""
    from matplotlib.figure import Figure

    with house_style():
        figure = Figure(figsize=(8.5, 4.5))
        axes = figure.subplots()
        axes.set_xlabel(axis_label("deflection", found.system, si_units(found.system)))
        axes.set_ylabel(axis_label("force", found.system, si_units(found.system)))
        RULE_DRAWINGS[type(found)](axes, found)
        axes.locator_params(axis="x", nbins=6)
        legend_once(axes, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return without_mathtext(figure)


def _dots(axes: Axes, u: Array, f: Array, color: str, label: str, size: float = 2.0) -> None:
    step = max(u.size // MAX_SAMPLES_DRAWN, 1)
    axes.plot(u[::step], f[::step], ".", color=color, markersize=size, label=label)


def _samples(axes: Axes, geometry: LoopGeometry) -> None:
    for side in (geometry.rising, geometry.falling):
        _dots(axes, side.u, side.f, GREY, "measured")


def _envelopes(axes: Axes, found: Any) -> None:
    _samples(axes, found.geometry)
    for (constant, slope), own in ((found.upper, found.upper_samples), (found.lower, found.lower_samples)):
        _dots(axes, own.u, own.f, BLUE, f"last {found.share:.0%} of a branch", 3.0)
        ends = np.array([found.low, found.high])
        axes.plot(ends, constant + slope * ends, color=ACCENT, label="line through them")
    axes.set_title(f"Envelopes of {found.name}")


def _predicted(axes: Axes, found: Any, title: str) -> None:
    """The envelopes, and the settled loop of the law that follows."""
    _envelopes(axes, found.envelopes)
    low, high = found.envelopes.low, found.envelopes.high
    way = np.linspace(low, high, 201)
    around = np.concatenate((way, way[::-1]))
    force = found.law.trace(np.tile(around, 8))[-around.size :]
    axes.plot(around, force, color=INK, linewidth=1.2, label="loop of the law")
    axes.set_title(title)


def _shape(axes: Axes, found: Any) -> None:
    _predicted(
        axes, found, f"Rate {found.rate:.4g}, exponent {found.exponent:.3g}: loops differ by {found.rms:.3g} rms"
    )


def _area(axes: Axes, found: Any) -> None:
    own = found.envelopes.geometry
    axes.fill_between(own.u, own.down, own.up, color=BAND, alpha=0.4, label=f"area {found.area:.4g}")
    _predicted(axes, found, f"Rate {found.rate:.4g}: the loop fills {found.filled:.1%} between its lines")


def _masing(axes: Axes, found: Any) -> None:
    _samples(axes, found.geometry)
    own = found.geometry
    for side, corner in ((own.rising, found.rising), (own.falling, found.falling)):
        step = max(side.u.size // MAX_SAMPLES_DRAWN, 1)
        axes.plot(side.u[::step], corner.fitted[::step], color=BLUE, linewidth=1.2, label="two lines and the damper")
    k, beside = found.stiffness, found.parallel_stiffness
    way = 2.0 * found.limit / k
    low, high = found.tips
    u = np.array([found.low, found.low + way, found.high, found.high - way, found.low])
    f = np.array([low, low + (k + beside) * way, high, high - (k + beside) * way, low])
    axes.plot(u, f, "-o", color=ACCENT, markersize=4, label="dry skeleton")
    for name, x, y in zip("ABCD", u, f, strict=False):
        axes.annotate(name, (x, y), xytext=(6, -12), textcoords="offset points", color=ACCENT)
    axes.set_title(f"Masing geometry of {found.name}")


def _energy(axes: Axes, found: Any) -> None:
    _masing(axes, found.geometry)
    axes.set_title(
        f"Damping {found.damping:.4g}: a cycle takes {found.energy:.4g}, its skeleton {found.dry_energy:.4g}"
    )


def _backbone(axes: Axes, found: Any) -> None:
    axes.plot(found.amplitudes, found.tips, "o", color=GREY, label="tips of the loops")
    x = np.linspace(0.0, float(found.amplitudes[-1]), 200)
    axes.plot(x, found.at(x), color=ACCENT, label="backbone")
    if found.moduli:
        beside = sum(modulus * x**power for power, modulus in found.moduli.items())
        axes.plot(x, found.at(x) - beside, "--", color=BLUE, label="friction alone")
    axes.set_xlabel(f"amplitude of the {axis_label('deflection', found.system, si_units(found.system))}")
    axes.set_ylabel(f"{axis_label('force', found.system, si_units(found.system))} at the tip")
    axes.set_title(f"Backbone of {found.name}")


def _overshoot(axes: Axes, found: Any) -> None:
    _dots(axes, found.branch.u, found.branch.f, GREY, "half of what the branches gain")
    x = np.linspace(0.0, float(found.branch.u[-1]), 400)
    axes.plot(x, found.curve.at(x), color=BLUE, label="two exponentials")
    axes.axhline(found.final, color=ACCENT, linewidth=1.0, linestyle="--", label="end")
    axes.plot(found.peak_at, found.peak, "o", color=ACCENT, label="peak")
    if np.isfinite(found.settled_at):
        axes.plot(found.settled_at, found.curve.at(found.settled_at), "s", color=ACCENT, label="near its end")
    else:
        start = np.array([0.0, found.peak / found.slope])
        axes.plot(start, found.slope * start, color=ACCENT, linewidth=1.0, label="half of the initial slope")
    axes.set_xlabel(f"{axis_label('deflection', found.system, si_units(found.system))} since the reversal")
    axes.set_title(f"Overshoot of {found.name}: ratio {found.curve.ratio:.3g}")


RULE_DRAWINGS: dict[type, Callable[[Any, Any], None]] = {
    rules.Envelopes: _envelopes,
    rules.RateAndExponent: _shape,
    rules.RateFromArea: _area,
    rules.MasingGeometry: _masing,
    rules.DampingFromEnergy: _energy,
    rules.Backbone: _backbone,
    rules.Overshoot: _overshoot,
}
