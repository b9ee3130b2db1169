"""Figs 8 to 10 and 13: both laws identified from a loop of the rig, by the paper's rules and by least squares."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from slipstick.datasets import dataset
from slipstick.identification.cleaning import drift_of
from slipstick.identification.fitting import identify
from slipstick.identification.rules.envelopes import envelopes
from slipstick.identification.rules.masing import masing_geometry
from slipstick.laws.dahl import ModifiedDahl
from slipstick.laws.masing import Masing
from slipstick.papers.entry import Content, Work
from slipstick.papers.reproduction import Row
from slipstick.papers.rows import UNEXPLAINED, compared, reading
from slipstick.papers.tensioner.rig import AXES, MEAN, PRELOAD, SWING, draw_lines, one_axes
from slipstick.papers.trust import trust_in_fits
from slipstick.plot import style
from slipstick.systems.tensioner import MASING, MODIFIED_DAHL

if TYPE_CHECKING:
    import xarray
    from matplotlib.figure import Figure

    from slipstick.identification.loop import Loop
    from slipstick.results.fit import Estimate, Fit

SYNTHETIC = "synthetic loops stand in: the measured ones are not published"
CONSTANT = ("preload", "upper.0", "lower.0")  # what a drift lifts
SYMBOLS = {"upper.0": "b of h_u", "upper.1": "a of h_u", "lower.0": "e of h_l", "lower.1": "d of h_l"}  # as printed
RATE = "N^0.63/m"  # of the rate, with the printed exponent
NOISE_OF_ENDS = 1.0  # N, what 5 N of noise leaves of a line at its end


def identified(work: Work) -> Content:
    """Figs 8 to 10 and 13: both laws from a loop of the rig, by the paper's rules and by least squares."""
    import xarray

    found: dict[str, Any] = {}
    fits: dict[str, Fit] = {}
    for i, (name, kind) in enumerate((("masing", Masing), ("dahl", ModifiedDahl))):
        work.progress(name, 0.5 * i)
        loop = dataset(f"tensioner-{name}")[0].without_drift()
        fits[name] = identify(loop, kind)
        own = fits[name].loops[0]
        found[f"u_{name}"] = (f"sample_{name}", own.u, {"units": "m"})
        found[f"f_{name}"] = (f"sample_{name}", own.f, {"units": "N"})
        found[f"fitted_{name}"] = (f"sample_{name}", own.fitted, {"units": "N"})
    raw = {name: dataset(f"tensioner-{name}")[0] for name in fits}
    lines = envelopes(raw["dahl"].without_drift())
    corner = masing_geometry(raw["masing"].without_drift())
    data = xarray.Dataset(found, attrs={"upper": np.array(lines.upper), "lower": np.array(lines.lower)})
    by_rule = {"stiffness": corner.stiffness, "limit": corner.limit}
    rows = (
        reading("loop", "measured, not published", f"made from the printed law: {raw['dahl'].name}", "a stand-in"),
        *(_end(name, getattr(lines, side), MODIFIED_DAHL[side], u, lifted(raw["dahl"]))
          for name, side, u in (("h_u", "upper", MEAN + SWING), ("h_l", "lower", MEAN - SWING))),
        *_rows(fits["masing"], {**MASING, "preload": PRELOAD}, lifted(raw["masing"]), by_rule),
        *_rows(fits["dahl"], MODIFIED_DAHL, lifted(raw["dahl"]), {}),
    )  # fmt: skip
    method = f"the paper's rules, then least squares; {SYNTHETIC}"
    return Content(data, rows, method, trust_in_fits({fit.kind: fit for fit in fits.values()}, "N"))


def lifted(loop: Loop) -> float:
    """[N] by which forces stay too high after a drift was taken off: the middle one of the full cycles stays."""
    assert loop.t is not None
    count = sum(len(cycle) for cycle in loop.cycles)
    begin = loop.begins_of_cycles[0]
    middle = float(loop.t[begin + count // 2] - loop.t[0])
    period = float(loop.t[begin + count - 1] - loop.t[begin]) / len(loop.cycles)
    return float(drift_of(loop).force * middle / period)


def _end(name: str, line: Any, printed: Any, u: float, lift: float) -> Row:
    """An envelope of the rule and of (33) where the loop comes closest to it."""
    here, theirs = (float(b + a * u) for b, a in (line, printed))
    name, why = f"{name} by the rule, at {1e3 * u:.2f} mm", f"a drift, taken off, had lifted it by {lift:.1f} N"
    largest = lift + NOISE_OF_ENDS
    return compared(name, here, form=".2f", unit="N", printed=f"{theirs:.2f}", explains=largest, why=why)


def _rows(fit: Fit, printed: dict[str, Any], lift: float, by_rule: dict[str, float]) -> list[Row]:
    rows = []
    for name, found in fit.parameters.items():
        key, _, place = name.partition(".")
        value = float(printed[key][int(place)] if place else printed[key])
        rule = f"; the rule says {by_rule[key]:.4g}" if key in by_rule else ""
        unit = found.unit if found.unit != "1" else ""
        theirs = f"{value:.5g} {unit if name != 'rate' else RATE}".rstrip()
        here = f"{found.value:.5g} ({found.low:.5g} to {found.high:.5g}) {unit}".rstrip()
        why = _why(found, value, lift if name in CONSTANT else 0.0)
        rows.append(Row(f"{fit.kind}: {SYMBOLS.get(name, name)}", theirs, here, f"{why}{rule}"))
    return rows


def _why(found: Estimate, printed: float, lift: float) -> str:
    if found.low <= printed <= found.high:
        return "the same: within its interval"
    if found.low <= printed + lift <= found.high:
        return f"a drift, taken off, had lifted it by {lift:.1f} {found.unit}"
    return f"{UNEXPLAINED}: outside its interval"


def draw_measured(data: xarray.Dataset) -> Figure:
    figure, ax = one_axes()
    ax.plot(1e3 * data["u_dahl"], data["f_dahl"], color=style.GREY, lw=0.6)
    ax.set(**AXES, title="A loop of the rig (synthetic, 5 N of noise)")
    return figure


def draw_envelopes(data: xarray.Dataset) -> Figure:
    figure, ax = one_axes()
    ax.plot(1e3 * data["u_dahl"], data["f_dahl"], color=style.GREY, lw=0.6, label="synthetic")
    draw_lines(ax, data.attrs["upper"], data.attrs["lower"])
    ax.set(**AXES, title="Envelopes by least squares")
    ax.legend()
    return figure


def draw_fit(data: xarray.Dataset) -> Figure:
    figure, ax = one_axes()
    ax.plot(1e3 * data["u_masing"], data["f_masing"], color=style.GREY, lw=0.6, label="synthetic")
    ax.plot(1e3 * data["u_masing"], data["fitted_masing"], "--", color=style.ACCENT, lw=1.2, label="Masing, identified")
    ax.set(**AXES, title="Masing law identified")
    ax.legend()
    return figure


def draw_both_fits(data: xarray.Dataset) -> Figure:
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(10.0, 4.4), sharey=True)
    for ax, name, title in zip(axes, ("dahl", "masing"), ("modified Dahl", "Masing"), strict=True):
        ax.plot(1e3 * data[f"u_{name}"], data[f"f_{name}"], color=style.GREY, lw=0.6, label="synthetic")
        ax.plot(1e3 * data[f"u_{name}"], data[f"fitted_{name}"], "--", color=style.ACCENT, lw=1.2, label="identified")
        ax.set(**AXES, title=title)
        ax.legend()
    return figure
