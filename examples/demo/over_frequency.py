"""The response over frequency, around its folds, with stability: why there were two motions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import matplotlib.pyplot as plt
from chapter import Chapter
from in_time import FREQUENCY, amplitude
from lever import LOADS, lever
from matplotlib.ticker import MultipleLocator

import slipstick as ss
from slipstick.plot import style

if TYPE_CHECKING:
    from slipstick.results.curve import Curve
    from slipstick.results.run import Run

TITLE = "Over frequency, around the folds"


def make(law: ss.Masing, out: Path) -> dict[float, Curve]:
    """One curve a load, followed by arclength from 10 to 30 Hz."""
    curves = {load: lever(law, load).frequency_response(between=(ss.hz(10), ss.hz(30))) for load in LOADS}
    curves[LOADS[-1]].save(out / "lever-response.nc")
    return curves


def chapter(curves: dict[float, Curve], runs: dict[str, Run], out: Path) -> Chapter:
    """The curves with the two motions on them, and where they fold."""
    rows = []
    for load, curve in curves.items():
        peak = curve.peak("x")
        folds = [f"{fold / ss.hz(1):.4f}" for fold in sorted(_folds(curve))]
        top = (f"{1e3 * peak.amplitude:.3f}", f"{peak.frequency / ss.hz(1):.3f}")
        rows.append((f"{load:g} N", *top, " and ".join(folds) or "none", f"{curve.error:.1e}"))
    low, high = sorted(fold / ss.hz(1) for fold in _folds(curves[LOADS[-1]]))
    return Chapter(
        words="Periodic motions are found by shooting on the exact flow and followed by arclength, so that the curve "
        "goes around its folds; Floquet multipliers say which parts are stable. Marks say where the tensioner begins "
        "to slip, or a stop is touched. Slipping moves the resonance down and damps it. At 100 N the lever reaches the "
        "stops and the curve bends over: between its folds two motions are stable, the two that were seen in time.",
        headline=f"at {LOADS[-1]:g} N two stable motions between {low:.2f} and {high:.2f} Hz; the runs end on both",
        heading=("load", "largest amplitude [mm]", "at [Hz]", "folds [Hz]", "error [m]"),
        rows=rows,
        certificate="; ".join(f"{load:g} N: {curve.error_words}" for load, curve in curves.items()),
        good=not any(curve.partial for curve in curves.values()),
        figure=draw(curves, runs),
        files=(out / "lever-response.nc",),
    )


def _folds(curve: Curve) -> list[float]:
    return [one["frequency"] for one in curve.special if one["kind"] == "fold"]


def draw(curves: dict[float, Curve], runs: dict[str, Run]) -> plt.Figure:
    """Amplitudes over frequency, dashed where they are unstable."""
    with style.house_style():
        figure, axis = plt.subplots(figsize=(9.0, 4.6))
        draw_curves(axis, curves, runs)
    return figure


def draw_curves(axis: plt.Axes, curves: dict[float, Curve], runs: dict[str, Run]) -> None:
    """All curves and what the runs ended in; in Hz and mm, as an engineer reads them."""
    axis.axhspan(5e-3, 8e-3, color=style.GREY, alpha=0.25, linewidth=0)
    axis.text(0.02, 0.97, "beyond the stops", transform=axis.transAxes, va="top", fontsize=9)
    for load, curve in curves.items():
        curve.plot(ax=axis, label=f"{load:g} N")
    ends = [amplitude(run) for run in runs.values()]
    axis.plot([FREQUENCY] * len(ends), ends, "o", mfc="none", mec=style.INK, ms=11, label="runs in time")
    drawn = axis.get_legend()
    signs = dict(zip((text.get_text() for text in drawn.get_texts()), drawn.legend_handles))
    signs["runs in time"] = axis.get_lines()[-1]
    words = sorted(signs, key=lambda one: not one.endswith(" N"))  # the loads first
    axis.legend([signs[one] for one in words], words, loc="upper right")
    axis.xaxis.set_major_locator(MultipleLocator(ss.hz(5)))
    axis.xaxis.set_major_formatter(lambda omega, _: f"{omega / ss.hz(1):.3g}")
    axis.yaxis.set_major_locator(MultipleLocator(1e-3))
    axis.yaxis.set_major_formatter(lambda x, _: f"{1e3 * x:.3g}")
    axis.set(xlabel="frequency [Hz]", xlim=(ss.hz(10), ss.hz(30)), ylim=(0.0, 8e-3))
    axis.set_ylabel("amplitude of x [mm]", rotation=90, ha="center", va="bottom")
