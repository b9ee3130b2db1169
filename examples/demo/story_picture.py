"""One picture of the whole story, which the README shows: the loop, the response with its folds, stick and slip."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import matplotlib.pyplot as plt
from in_time import draw_motion
from over_frequency import draw_curves

from slipstick.plot import style

if TYPE_CHECKING:
    from slipstick.results.curve import Curve
    from slipstick.results.fit import Fit
    from slipstick.results.run import Run


def write(out: Path, fit: Fit, curves: dict[float, Curve], runs: dict[str, Run]) -> Path:
    """Write story.png."""
    target = out / "story.png"
    with style.house_style():
        figure, (loop, motion, response) = plt.subplots(1, 3, figsize=(12.5, 4.0), width_ratios=(1.0, 1.1, 1.4))
        _loop(loop, fit)
        draw_motion(motion, runs["let go at 7 mm"], 0.25)
        motion.set(xlabel="time [s]", ylabel="x [mm]", title="2. simulate it, to every event")
        motion.legend(loc="upper right", ncols=3)
        draw_curves(response, curves, runs)
        response.set_title("3. follow it around the folds")
        figure.savefig(target, dpi=130)
        plt.close(figure)
    return target


def _loop(axis: plt.Axes, fit: Fit) -> None:
    """What was measured, and the law that was found."""
    one = fit.loops[0]
    axis.plot(1e3 * one.u[::3], one.f[::3], ".", color=style.BAND, ms=3.5, label="measured")
    axis.plot(1e3 * one.u, one.fitted, color=style.ACCENT, linewidth=1.3, label="identified")
    axis.set(xlabel="deflection [mm]", ylabel="force [N]", title="1. identify a law")
    axis.legend(loc="upper left")
