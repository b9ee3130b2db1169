"""Beyond the paper's figures: Den Hartog's boundary between motions with and without stops, and the effect of zeta."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import brentq

from slipstick.papers.certificate_summary import certificate_line
from slipstick.papers.comparison_rows import number_row, statement_row
from slipstick.papers.entry import EntryContent, EntryRequest
from slipstick.papers.torsional.figure_parameters import LOAD, ORDER, PHASE, ZETA
from slipstick.papers.torsional.full_stick import full_stick_rows, rms_without_rest
from slipstick.plot import style
from slipstick.systems.torsional import torsional

if TYPE_CHECKING:
    import xarray
    from matplotlib.figure import Figure

ZETA_PARAMETERS = (*LOAD, ORDER, PHASE)
BISECTIONS = 24
BISECTION_WIDTH = 0.5**BISECTIONS  # T_p, final width of the interval
STEPS_PER_HALF_PERIOD = 2000  # of half a period, to see a rate that changes its sign
BOUNDARY_FREQUENCIES = np.linspace(0.35, 2.0, 166)
ORBIT_FREQUENCIES = np.linspace(0.4, 2.0, 17)
DAMPING_RATIOS = (0.02, 0.05, 0.1, 0.2)
FREQUENCIES = np.union1d(np.linspace(0.1, 2.0, 191), np.linspace(0.95, 1.05, 81))  # more at the peaks


def nonstop_motion(zeta: float, limit: float, frequency: float) -> tuple[float, float] | None:
    """Amplitude and push of the motion that turns without stopping, (5) under a constant load; None if there is none.

    From a turn at x0 down to the one at -x0, half a period later, friction is +limit and the motion is linear:
    x = limit + X sin(W t + a) + e^(-zeta t) (A cos w t + B sin w t). x' = 0 at both ends and x(end) = -x0 leave a
    quadratic equation for x0, Den Hartog's. The push is how surely it moves on: the smallest of -x'/(t (half - t)) on
    the way, at the ends the acceleration over half a period; below zero it would have stopped.
    """
    w, half = math.sqrt(1.0 - zeta**2), math.pi / frequency
    c, s, e = math.cos(w * half), math.sin(w * half), math.exp(-zeta * half)
    # e^(-zeta t) (A cos + B sin) from (y, y') at 0 to half a period later
    grow = np.array([[c + zeta / w * s, s / w], [-s / w, c - zeta / w * s]]) * e
    # p = the harmonic part and its rate at 0; it changes sign in half a period: y(0) = x0 - limit - p, y(half) =
    # -x0 - limit + p, and both rates are -p' and +p'
    gain = grow + np.eye(2)
    # gain @ (x0 - p, -p') = limit (grow - 1) (1, 0)
    shift = limit * np.linalg.solve(gain, (grow - np.eye(2))[:, 0])
    # (x0 - p, -p') = shift: x0 = shift0 + X sin a, X W cos a = -shift1
    size = 1.0 / math.hypot(1.0 - frequency**2, 2.0 * zeta * frequency)
    cosine = -shift[1] / (size * frequency)
    if abs(cosine) > 1.0:
        return None
    angle = math.acos(cosine)  # of the harmonic part at the turn, in [0, pi]: the larger amplitude
    amplitude = shift[0] + size * math.sin(angle)
    t = np.linspace(0.0, half, STEPS_PER_HALF_PERIOD + 1)[1:-1]
    y, rate = shift[0] - limit, shift[1]  # of the free part at the turn
    free = np.exp(-zeta * t) * (rate * np.cos(w * t) - (y + zeta * rate) / w * np.sin(w * t))
    forced = size * frequency * np.cos(frequency * t + angle)
    lag = math.atan2(2.0 * zeta * frequency, 1.0 - frequency**2)
    at_reversal = (amplitude - limit - math.sin(angle + lag)) / half
    return float(amplitude), min(float(at_reversal), float(np.min(-(free + forced) / (t * (half - t)))))


def den_hartog_limit(zeta: float, frequency: float) -> float:
    """The largest constant friction, over the torque's amplitude, with which the motion does not stop at its turns."""

    def push(limit: float) -> float:
        found = nonstop_motion(zeta, limit, frequency)
        return -1.0 if found is None else found[1]

    return float(brentq(push, 1e-9, 1.0, xtol=1e-14)) if push(1e-9) > 0.0 else 0.0


def orbit_stick_limit(zeta: float, frequency: float) -> float:
    """The same from orbits alone: where the share of stick becomes more than nothing."""
    low, high = 0.0, 1.0
    for _ in range(BISECTIONS):
        middle = 0.5 * (low + high)
        share = torsional(zeta, mean=middle, swing=0.0).periodic(frequency=frequency).stick_share["friction"]
        low, high = (low, middle) if share > 0.0 else (middle, high)
    return 0.5 * (low + high)


def den_hartog(request: EntryRequest) -> EntryContent:
    import xarray

    ratio = request.numbers((ZETA,))["damping_ratio"]
    line = np.array([den_hartog_limit(ratio, w) for w in BOUNDARY_FREQUENCIES])
    dots = []
    for i, w in enumerate(ORBIT_FREQUENCIES):
        request.progress(f"Omega {w:.2f}", i / ORBIT_FREQUENCIES.size)
        dots.append(orbit_stick_limit(ratio, float(w)))
    closed = np.array([den_hartog_limit(ratio, float(w)) for w in ORBIT_FREQUENCIES])
    data = xarray.Dataset(
        {"closed_form": ("frequency", line, {"units": "T_p"}), "orbits": ("dots", np.array(dots), {"units": "T_p"})},
        coords={
            "frequency": ("frequency", BOUNDARY_FREQUENCIES, {"units": "w_n"}),
            "dots": ("dots", ORBIT_FREQUENCIES, {"units": "w_n"}),
        },
        attrs=dict(request.changed),
    )
    apart = float(np.abs(np.array(dots) - closed).max())
    quantity = "boundary from orbits, and Den Hartog's closed form"
    rows = (statement_row(quantity, "not in the paper", f"{apart:.0e} T_p apart", same=apart <= 2.0 * BISECTION_WIDTH),)
    return EntryContent(
        data,
        rows,
        f"Den Hartog's closed form, and bisection on exact orbits; zeta = {ratio:g}",
        f"orbits bisected to {BISECTION_WIDTH:.0e} T_p",
    )


def draw_den_hartog(data: xarray.Dataset) -> Figure:
    from matplotlib import pyplot as plt

    figure, ax = plt.subplots(figsize=(7.5, 4.8))
    ax.plot(data["frequency"], data["closed_form"], color=style.BLUE, label="Den Hartog, closed form")
    ax.plot(data["dots"], data["orbits"], "o", ms=5, color=style.ACCENT, label="orbits by shooting, bisected")
    ax.fill_between(data["frequency"], data["closed_form"], color=style.BAND, alpha=0.35, lw=0)
    ax.text(1.25, 0.25, "turns without stopping", ha="center")
    ax.text(0.55, 0.75, "stops at every turn", ha="center")
    ax.set(
        xlabel=r"frequency Ω [$\omega_n$]",
        ylabel=r"friction N₀ [$T_p$]",
        title=f"Motions with and without stops, ζ = {data.attrs.get(ZETA.name, ZETA.value):g}",
    )
    ax.set(xlim=(0.3, 2.05), ylim=(0.0, 1.0))
    ax.legend(loc="upper right")
    return figure


def damping_ratio_effect(request: EntryRequest) -> EntryContent:
    """The response of order 1 for several damping ratios, of which the paper gives none."""
    import xarray

    curves = []
    for i, ratio in enumerate(DAMPING_RATIOS):
        request.progress(f"zeta {ratio:g}", i / len(DAMPING_RATIOS))
        curves.append(
            torsional(ratio, **request.numbers(ZETA_PARAMETERS)).frequency_response(at=FREQUENCIES, method="shooting")
        )
    rms = np.array([rms_without_rest(curve) for curve in curves])
    data = xarray.Dataset(
        {"rms": (("zeta", "frequency"), rms, {"units": "T_p/K"})},
        coords={"zeta": list(DAMPING_RATIOS), "frequency": ("frequency", FREQUENCIES, {"units": "w_n"})},
        attrs=dict(request.changed),
    )
    peaks = [float(one) for one in data["rms"].max("frequency")]
    named = ", ".join(f"{ratio:g}" for ratio in DAMPING_RATIOS)
    why = "no zeta is given: we take 0.05 in every figure"
    rows = [number_row(f"largest rms for zeta {named}", peaks, form=".2f", unit="T_p/K", why=why)]
    rows += full_stick_rows({f"zeta = {ratio:g}": curve for ratio, curve in zip(DAMPING_RATIOS, curves, strict=True)})
    return EntryContent(
        data, tuple(rows), f"exact shooting at {FREQUENCIES.size} frequencies", certificate_line(curves, "T_p/K")
    )


def draw_damping_ratio_effect(data: xarray.Dataset) -> Figure:
    from matplotlib import pyplot as plt

    figure, ax = plt.subplots(figsize=(7.5, 4.8))
    for ratio in data["zeta"].values:
        ax.plot(data["frequency"], data["rms"].sel(zeta=ratio), label=f"ζ = {ratio:g}")
    ax.set(
        xlabel=r"frequency Ω [$\omega_n$]",
        ylabel=r"rms of θ [$T_p/K$]",
        title=f"Effect of viscous damping, n = {data.attrs.get(ORDER.name, ORDER.value):g}",
    )
    ax.set(xlim=(0.0, 2.0), ylim=(0.0, None))
    ax.legend()
    return figure
