"""Figs 1, 2, 4 to 6 and 8 to 13: the rig with an imposed deflection, both laws, and their identification."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from slipstick.datasets import dataset
from slipstick.identification.fitting import identify
from slipstick.identification.rules.envelopes import envelopes
from slipstick.identification.rules.masing import masing_geometry
from slipstick.laws.dahl import ModifiedDahl
from slipstick.laws.masing import Masing
from slipstick.papers.entry import Content, Work
from slipstick.papers.reproduction import Row
from slipstick.plot import style
from slipstick.systems.tensioner import IDENTIFIED_AT, MASING, MODIFIED_DAHL

if TYPE_CHECKING:
    import xarray
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from slipstick.results.fit import Fit

PHASE, MEAN, SWING = 4.8, 5.4e-4, 5.2e-4  # rad, m, m: (29), (32)
PRELOAD = 573.0  # N, -F0 of (36b)
DAHL = ModifiedDahl(**MODIFIED_DAHL)  # type: ignore[arg-type]
WET = Masing(**MASING, preload=PRELOAD)
DRY = Masing(**{**MASING, "damping": 0.0}, preload=PRELOAD)
SAMPLES = 4001
EXACT = "closed forms along the branches, to rounding"
LAWS_ONLY = "laws along the rig's deflection (29), (32)"
SYNTHETIC = "synthetic loops stand in: the measured ones are not published"
AXES = {"xlabel": "deflection u [mm]", "ylabel": "force F [N]"}
AREAS = {"modified Dahl": 0.2453725, "Masing": 0.27357536, "its dry part": 0.11946149}  # J, computed apart
TABLE = {(3e-4, 1): (702.444783, 699.409500), (3e-4, -1): (419.940115, 396.510500),
         (8e-4, 1): (1011.961155, 1004.899451), (8e-4, -1): (746.483628, 715.660549)}  # fmt: skip


def drive(samples: int = SAMPLES) -> tuple[Any, Any, Any]:
    """Times [s], deflections [m] and rates [m/s] of three cycles of the rig."""
    t = np.linspace(0.0, 3.0 * 2.0 * math.pi / IDENTIFIED_AT, 3 * (samples - 1) + 1)
    angle = IDENTIFIED_AT * t + PHASE
    return t, MEAN + SWING * np.sin(angle), SWING * IDENTIFIED_AT * np.cos(angle)


def last_cycle(samples: int = SAMPLES) -> xarray.Dataset:
    """Deflection and the forces of both laws, and of the dry skeleton, along the third cycle."""
    import xarray

    t, u, v = drive(samples)
    last = slice(-samples, None)
    newton = {"units": "N"}
    return xarray.Dataset(
        {
            "deflection": ("time", u[last], {"units": "m"}),
            "rate": ("time", v[last], {"units": "m/s"}),
            "dahl": ("time", np.asarray(DAHL.trace(u))[last], newton),
            "masing": ("time", np.asarray(WET.trace(u, t, rate=v))[last], newton),
            "dry": ("time", np.asarray(DRY.trace(u))[last], newton),
        },
        coords={"time": ("time", t[last] - t[-samples], {"units": "s"})},
    )


def areas(data: xarray.Dataset) -> dict[str, float]:
    """[J] of one cycle."""
    u = data["deflection"]
    pairs = zip(AREAS, ("dahl", "masing", "dry"), strict=True)
    return {name: float(np.trapezoid(data[key], u)) for name, key in pairs}


def loops(_: Work) -> Content:
    """Both loops, with what they dissipate."""
    data = last_cycle(40_001)
    rows = tuple(
        Row(f"loop area, {name}", "not printed", f"{value:.6f} J", f"computed apart: {AREAS[name]:.6f} J")
        for name, value in areas(data).items()
    )
    below = (DAHL.upper[1] / DAHL.rate) ** (1.0 / DAHL.exponent)
    rows += (
        Row("loop below the upper envelope", "0: an asymptote", f"{below:.4f} N", "it settles (a/L)^(1/mu) below"),
    )
    return Content(data.isel(time=slice(None, None, 20)), rows, LAWS_ONLY, EXACT)


def graphs(_: Work) -> Content:
    """Fig. 4: sigma and its inverse beta, as lines."""
    import xarray

    sigma = np.array([[-2.0, -1.0], [0.0, -1.0], [0.0, 1.0], [2.0, 1.0]])
    data = xarray.Dataset({"sigma": (("corner", "axis"), sigma), "beta": (("corner", "axis"), sigma[:, ::-1])})
    return Content(data, (Row("beta", "the inverse of sigma", "mirrored", "the same"),), "(6) and (7)", "exact")


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
    lines = envelopes(dataset("tensioner-dahl")[0].without_drift())
    corner = masing_geometry(dataset("tensioner-masing")[0].without_drift())
    data = xarray.Dataset(found, attrs={"upper": np.array(lines.upper), "lower": np.array(lines.lower)})
    rows = (
        *_rows(fits["masing"], {**MASING, "preload": PRELOAD}, {"stiffness": corner.stiffness, "limit": corner.limit}),
        *_rows(fits["dahl"], MODIFIED_DAHL, {}),
    )
    noise = ", ".join(f"{name} {fit.residual:.2f} N" for name, fit in fits.items())
    return Content(data, rows, f"the paper's rules, then least squares; {SYNTHETIC}", f"residuals: {noise}; noise 5 N")


def _rows(fit: Fit, printed: dict[str, Any], by_rule: dict[str, float]) -> list[Row]:
    rows = []
    for name, found in fit.parameters.items():
        key, _, place = name.partition(".")
        value = float(printed[key][int(place)] if place else printed[key])
        inside = found.low <= value <= found.high
        why = "within its interval" if inside else "taking off a drift of 2 N/s leaves the mean a little higher"
        rule = f"; the rule says {by_rule[key]:.4g}" if key in by_rule else ""
        here = f"{found.value:.5g} ({found.low:.5g} to {found.high:.5g}) {found.unit}"
        rows.append(Row(f"{fit.kind}: {name}", f"{value:.5g}", here, f"{why}{rule}"))
    return rows


def in_time(_: Work) -> Content:
    """Fig. 11: the force over time by both laws; and at the printed instants."""
    data = last_cycle(40_001)
    period = 2.0 * math.pi / IDENTIFIED_AT
    at = float(np.interp(1.988e-1 % period, data["time"], data["dahl"]))
    spring = data["dry"] - PRELOAD - MASING["parallel_stiffness"] * data["deflection"]
    stretch = float(np.interp(1.55e-2, data["time"], spring)) / MASING["stiffness"]
    rows = (
        Row("F at 0.1988 s (34), modified Dahl", "1009 N", f"{at:.1f} N", "theirs is a measured point"),
        Row("w at 0.0155 s (37), Masing", "-324 um", f"{1e6 * stretch:.1f} um", "phase 4.8 has two digits"),
    )
    return Content(data.isel(time=slice(None, None, 20)), rows, LAWS_ONLY, EXACT)


def values(_: Work) -> Content:
    """Fig. 12: forces on both branches at two deflections, beside values computed apart."""
    data = last_cycle(40_001)
    rows = []
    for (u, way), expected in TABLE.items():
        side = np.flatnonzero(np.sign(data["rate"].values) == way)
        side = side[np.argsort(data["deflection"].values[side])]
        here = [
            float(np.interp(u, data["deflection"].values[side], data[law].values[side])) for law in ("dahl", "masing")
        ]
        name = f"F at {1e3 * u:.1f} mm, {'rising' if way > 0 else 'falling'}"
        told = ", ".join(f"{value:.4f}" for value in here)
        rows.append(Row(name, "not printed", f"{told} N", "computed apart: " + ", ".join(f"{v:.4f}" for v in expected)))
    return Content(data.isel(time=slice(None, None, 20)), tuple(rows), LAWS_ONLY, EXACT)


# ---- pictures


def _loop(ax: Axes, data: xarray.Dataset, key: str, **look: Any) -> None:
    ax.plot(1e3 * data["deflection"], data[key], **look)


def _envelopes(ax: Axes, upper: Any, lower: Any) -> None:
    u = np.array([MEAN - SWING, MEAN + SWING])
    for (b, a), name in ((upper, "h_u"), (lower, "h_l")):
        ax.plot(1e3 * u, b + a * u, "--", color=style.ACCENT, lw=1.2, label=name)


def _figure() -> tuple[Figure, Axes]:
    from matplotlib import pyplot as plt

    return plt.subplots(figsize=(6.5, 4.6))


def draw_parts(data: xarray.Dataset) -> Figure:
    figure, ax = _figure()
    rising = data["rate"] >= 0.0
    ax.plot(1e3 * data["deflection"].where(rising), data["dahl"].where(rising), color=style.ACCENT, label="Γ₊, rising")
    ax.plot(1e3 * data["deflection"].where(~rising), data["dahl"].where(~rising), color=style.BLUE, label="Γ₋, falling")
    ax.set(**AXES, title="A loop and its two parts")
    ax.legend()
    return figure


def draw_dahl(data: xarray.Dataset) -> Figure:
    figure, ax = _figure()
    _envelopes(ax, DAHL.upper, DAHL.lower)
    _loop(ax, data, "dahl", color=style.BLUE, label="modified Dahl")
    ax.set(**AXES, title="Modified Dahl law")
    ax.legend()
    return figure


def draw_graphs(data: xarray.Dataset) -> Figure:
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(8.0, 3.8))
    for ax, name, title in zip(axes, ("sigma", "beta"), ("(a) σ", "(b) β"), strict=True):
        ax.plot(*data[name].values.T, color=style.BLUE)
        ax.set(xlabel="x", ylabel=title[-1] + "(x)", title=title, xlim=(-2, 2), ylim=(-2, 2))
    return figure


def draw_parallelogram(data: xarray.Dataset) -> Figure:
    figure, ax = _figure()
    _loop(ax, data, "dry", color=style.BLUE)
    for letter, u, f in _corners():
        ax.plot(1e3 * u, f, "o", color=style.ACCENT, ms=5)
        ax.annotate(letter, (1e3 * u, f), textcoords="offset points", xytext=(6, -10))
    ax.set(**AXES, title="Masing law without damper")
    return figure


def _corners() -> list[tuple[str, float, float]]:
    k, k0, limit = (float(MASING[name]) for name in ("stiffness", "parallel_stiffness", "limit"))
    low, high, way = MEAN - SWING, MEAN + SWING, 2.0 * limit / k

    def force(u: float, w: float) -> float:
        return k * w + k0 * u + PRELOAD

    eta = limit / k
    return [("A", low, force(low, -eta)), ("B", low + way, force(low + way, eta)), ("C", high, force(high, eta)),
            ("D", high - way, force(high - way, -eta))]  # fmt: skip


def draw_skeleton(data: xarray.Dataset) -> Figure:
    figure, ax = _figure()
    _loop(ax, data, "masing", color=style.BLUE, label="Masing with damper")
    _loop(ax, data, "dry", color=style.GREY, ls="-.", label="dry skeleton")
    ax.set(**AXES, title="Masing law with a viscous damper")
    ax.legend()
    return figure


def draw_measured(data: xarray.Dataset) -> Figure:
    figure, ax = _figure()
    ax.plot(1e3 * data["u_dahl"], data["f_dahl"], color=style.GREY, lw=0.6)
    ax.set(**AXES, title="A loop of the rig (synthetic, 5 N of noise)")
    return figure


def draw_envelopes(data: xarray.Dataset) -> Figure:
    figure, ax = _figure()
    ax.plot(1e3 * data["u_dahl"], data["f_dahl"], color=style.GREY, lw=0.6, label="synthetic")
    _envelopes(ax, data.attrs["upper"], data.attrs["lower"])
    ax.set(**AXES, title="Envelopes by least squares")
    ax.legend()
    return figure


def draw_fit(data: xarray.Dataset) -> Figure:
    figure, ax = _figure()
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


def draw_time(data: xarray.Dataset) -> Figure:
    figure, ax = _figure()
    ax.plot(data["time"], data["dahl"], "--", color=style.BLUE, label="modified Dahl")
    ax.plot(data["time"], data["masing"], "-.", color=style.ACCENT, label="Masing")
    ax.set(xlabel="time [s]", ylabel="force F [N]", title="Force of the rig over one period")
    ax.legend()
    return figure


def draw_both(data: xarray.Dataset) -> Figure:
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(10.0, 4.4), sharey=True)
    for ax, key, title in zip(axes, ("dahl", "masing"), ("(a) modified Dahl", "(b) Masing"), strict=True):
        _loop(ax, data, key, color=style.BLUE)
        ax.set(**AXES, title=title)
    return figure
