"""The machine in time, every event found: two beginnings, two motions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import matplotlib.pyplot as plt
import numpy as np
from chapter import Chapter
from lever import lever

import slipstick as ss
from slipstick.plot import style

if TYPE_CHECKING:
    from slipstick.results.run import Run

TITLE = "In time, exactly: two beginnings, two motions"
FREQUENCY = ss.hz(19.75)
UNTIL = 2.0  # s
BEGINNINGS = {"from rest": 0.0, "let go at 7 mm": 7e-3}


def make(law: ss.Masing, out: Path) -> dict[str, Run]:
    """The same machine under the same load, from rest and let go at 7 mm."""
    runs = {}
    for words, displacement in BEGINNINGS.items():
        m = lever(law, displacement=displacement)
        runs[words] = m.simulate(until=UNTIL, frequency=FREQUENCY, samples=4000)
        runs[words].save(out / f"lever-{words.replace(' ', '-')}.nc")
    return runs


def amplitude(run: Run) -> float:
    """Half of what lies between the extremes of the last ten periods [m]."""
    last = run.data["displacement"].sel(coordinate="x", time=slice(UNTIL - 20.0 * np.pi / FREQUENCY, None))
    return float(last.max() - last.min()) / 2.0


def chapter(runs: dict[str, Run], out: Path) -> Chapter:
    """Both motions with their states, and both certificates."""
    rows = []
    for words, run in runs.items():
        lost = run.certificate.dissipated["tensioner"] / run.certificate.work_in
        found = (f"{1e3 * amplitude(run):.4f}", str(len(run.events)), f"{100.0 * lost:.1f}")
        rows.append((words, *found, f"{run.certificate.error:.1e}", f"{run.certificate.energy_residual:.1e}"))
    low, high = (1e3 * amplitude(run) for run in runs.values())
    return Chapter(
        words="Between events the machine is linear and is propagated in closed form; each change between stick and "
        "slip and each touch of a stop is found to rounding. No step size, nothing to converge. From rest it settles "
        "short of the stops; let go at 7 mm it goes on bumping into them for ever, under the same load.",
        headline=f"{low:.2f} mm from rest, {high:.2f} mm when let go at 7 mm: both are right",
        heading=("beginning", "amplitude [mm]", "events", "lost in the tensioner [%]", "error [m]", "energy residual"),
        rows=rows,
        certificate="; ".join(f"{words}: certificate {run.certificate.verdict}" for words, run in runs.items()),
        good=all(run.certificate.passed for run in runs.values()),
        figure=draw(runs),
        files=tuple(out / f"lever-{words.replace(' ', '-')}.nc" for words in runs),
    )


def draw(runs: dict[str, Run]) -> plt.Figure:
    """Displacements, and when the tensioner slips and the stops are touched."""
    with style.house_style():
        figure, axes = plt.subplots(len(runs), 1, figsize=(9.0, 5.4), sharex=True, sharey=True)
        for axis, (words, run) in zip(axes, runs.items()):
            draw_motion(axis, run, 0.6)
            axis.set_title(words)
            axis.set_ylabel("x [mm]")
        axes[0].legend(loc="upper right", ncols=3)
        axes[-1].set_xlabel("time [s]")
    return figure


def draw_motion(axis: plt.Axes, run: Run, until: float) -> None:
    """x over time, red where the tensioner slips; grey is beyond the stops."""
    shown = run.data.sel(time=slice(0.0, until))
    time, x = shown["time"].values, 1e3 * shown["displacement"].sel(coordinate="x").values
    slips = np.char.startswith(shown["state"].sel(connection="tensioner").values.astype(str), "slip")
    axis.axhspan(5.0, 10.5, color=style.GREY, alpha=0.25, linewidth=0, label="stops")
    axis.axhspan(-8.0, -5.0, color=style.GREY, alpha=0.25, linewidth=0)
    axis.plot(time, x, color=style.INK, label="sticks")
    axis.plot(time, np.where(slips, x, np.nan), color=style.ACCENT, linewidth=2.2, label="slips")
    axis.set(ylim=(-8.0, 10.5), xlim=(0.0, until), yticks=range(-8, 9, 4))
