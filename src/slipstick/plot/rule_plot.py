"""Figures of the papers' rules: the construction over the loop."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from slipstick.arrays import Array
from slipstick.identification import rules
from slipstick.identification.loop import si_units
from slipstick.plot.loop_plot import axis_label, legend_once
from slipstick.plot.style import ACCENT, BAND, BLUE, GREY, INK, house_style, without_mathtext

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from slipstick.identification.preparing.loop_geometry import LoopGeometry


MAX_SAMPLES_DRAWN = 3000  # of a branch


def plot_rule(rule: Any) -> Figure:
    """One panel: samples in grey, those used by the rule in blue, its construction in red."""
    from matplotlib.figure import Figure

    with house_style():
        figure = Figure(figsize=(8.5, 4.5))
        axes = figure.subplots()
        axes.set_xlabel(axis_label("deflection", rule.system, si_units(rule.system)))
        axes.set_ylabel(axis_label("force", rule.system, si_units(rule.system)))
        RULE_DRAWINGS[type(rule)](axes, rule)
        axes.locator_params(axis="x", nbins=6)
        legend_once(axes, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return without_mathtext(figure)


def _dots(axes: Axes, u: Array, f: Array, color: str, label: str, size: float = 2.0) -> None:
    step = max(u.size // MAX_SAMPLES_DRAWN, 1)
    axes.plot(u[::step], f[::step], ".", color=color, markersize=size, label=label)


def _samples(axes: Axes, geometry: LoopGeometry) -> None:
    for side in (geometry.rising, geometry.falling):
        _dots(axes, side.u, side.f, GREY, "measured")


def _envelopes(axes: Axes, rule: Any) -> None:
    _samples(axes, rule.geometry)
    for (constant, slope), own in ((rule.upper, rule.upper_samples), (rule.lower, rule.lower_samples)):
        _dots(axes, own.u, own.f, BLUE, f"last {rule.share:.0%} of a branch", 3.0)
        ends = np.array([rule.low, rule.high])
        axes.plot(ends, constant + slope * ends, color=ACCENT, label="line through them")
    axes.set_title(f"Envelopes of {rule.name}")


def _predicted(axes: Axes, rule: Any, title: str) -> None:
    """The envelopes, and the settled loop of the resulting law."""
    _envelopes(axes, rule.envelopes)
    low, high = rule.envelopes.low, rule.envelopes.high
    way = np.linspace(low, high, 201)
    around = np.concatenate((way, way[::-1]))
    force = rule.law.trace(np.tile(around, 8))[-around.size :]
    axes.plot(around, force, color=INK, linewidth=1.2, label="loop of the law")
    axes.set_title(title)


def _shape(axes: Axes, rule: Any) -> None:
    _predicted(axes, rule, f"Rate {rule.rate:.4g}, exponent {rule.exponent:.3g}: loops differ by {rule.rms:.3g} rms")


def _area(axes: Axes, rule: Any) -> None:
    own = rule.envelopes.geometry
    axes.fill_between(own.u, own.down, own.up, color=BAND, alpha=0.4, label=f"area {rule.area:.4g}")
    _predicted(axes, rule, f"Rate {rule.rate:.4g}: the loop fills {rule.filled:.1%} between its lines")


def _masing(axes: Axes, rule: Any) -> None:
    _samples(axes, rule.geometry)
    own = rule.geometry
    for side, corner in ((own.rising, rule.rising), (own.falling, rule.falling)):
        step = max(side.u.size // MAX_SAMPLES_DRAWN, 1)
        axes.plot(side.u[::step], corner.fitted[::step], color=BLUE, linewidth=1.2, label="two lines and the damper")
    k, beside = rule.stiffness, rule.parallel_stiffness
    way = 2.0 * rule.limit / k
    low, high = rule.tips
    u = np.array([rule.low, rule.low + way, rule.high, rule.high - way, rule.low])
    f = np.array([low, low + (k + beside) * way, high, high - (k + beside) * way, low])
    axes.plot(u, f, "-o", color=ACCENT, markersize=4, label="dry law")
    for name, x, y in zip("ABCD", u, f, strict=False):
        axes.annotate(name, (x, y), xytext=(6, -12), textcoords="offset points", color=ACCENT)
    axes.set_title(f"Masing geometry of {rule.name}")


def _energy(axes: Axes, rule: Any) -> None:
    _masing(axes, rule.geometry)
    axes.set_title(
        f"Damping {rule.damping:.4g}: energy of a cycle {rule.energy:.4g}, of the dry law {rule.dry_energy:.4g}"
    )


def _backbone(axes: Axes, rule: Any) -> None:
    axes.plot(rule.amplitudes, rule.tips, "o", color=GREY, label="tips of the loops")
    x = np.linspace(0.0, float(rule.amplitudes[-1]), 200)
    axes.plot(x, rule.at(x), color=ACCENT, label="backbone")
    if rule.moduli:
        beside = sum(modulus * x**power for power, modulus in rule.moduli.items())
        axes.plot(x, rule.at(x) - beside, "--", color=BLUE, label="friction alone")
    axes.set_xlabel(f"amplitude of the {axis_label('deflection', rule.system, si_units(rule.system))}")
    axes.set_ylabel(f"{axis_label('force', rule.system, si_units(rule.system))} at the tip")
    axes.set_title(f"Backbone of {rule.name}")


def _overshoot(axes: Axes, rule: Any) -> None:
    _dots(axes, rule.branch.u, rule.branch.f, GREY, "half the force since a reversal")
    x = np.linspace(0.0, float(rule.branch.u[-1]), 400)
    axes.plot(x, rule.curve.at(x), color=BLUE, label="two exponentials")
    axes.axhline(rule.final, color=ACCENT, linewidth=1.0, linestyle="--", label="final value")
    axes.plot(rule.peak_at, rule.peak, "o", color=ACCENT, label="peak")
    if np.isfinite(rule.settled_at):
        axes.plot(rule.settled_at, rule.curve.at(rule.settled_at), "s", color=ACCENT, label="settled")
    else:
        start = np.array([0.0, rule.peak / rule.slope])
        axes.plot(start, rule.slope * start, color=ACCENT, linewidth=1.0, label="half the initial slope")
    axes.set_xlabel(f"{axis_label('deflection', rule.system, si_units(rule.system))} since the reversal")
    axes.set_title(f"Overshoot of {rule.name}: ratio {rule.curve.ratio:.3g}")


RULE_DRAWINGS: dict[type, Callable[[Any, Any], None]] = {
    rules.Envelopes: _envelopes,
    rules.RateAndExponent: _shape,
    rules.RateFromArea: _area,
    rules.MasingGeometry: _masing,
    rules.DampingFromEnergy: _energy,
    rules.Backbone: _backbone,
    rules.Overshoot: _overshoot,
}
