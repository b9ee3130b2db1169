"""Figs 6 and 7: what the clutch does with rounded, smoothed and exact contacts, in two readings of the paper."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from slipstick.papers.entry import Content, Work
from slipstick.papers.reproduction import Row
from slipstick.plot import style
from slipstick.systems.clutch import LAWS, PAIRS, clutch

if TYPE_CHECKING:
    import xarray
    from matplotlib.figure import Figure

    from slipstick.results.run import Run

UNTIL, STEP = 0.12, 4e-7  # s, of the paper
SAMPLES = 3001
HALF_GAP = 0.2  # rad, of the spline
LOOKS: dict[str, dict[str, Any]] = {
    "sqrt": {"color": style.BLUE},
    "tanh": {"color": style.ACCENT, "lw": 1.2},
    "exact": {"color": style.INK, "ls": ":"},
}
NAMES = {"sqrt": "square root", "tanh": "tanh", "exact": "exact laws"}


def run_of(reading: str, laws: str) -> Run:
    """The paper's 0.12 s from rest: Newmark with its step for rounded laws, the exact flow for exact ones."""
    m = clutch(reading, laws)
    if laws == "exact":
        return m.simulate(UNTIL, method="exact", samples=SAMPLES)
    return m.simulate(UNTIL, method="newmark", step=STEP, newton="full", samples=SAMPLES)


def deltas(run: Run, times: Any) -> Any:
    """(5, t) delta_1 .. delta_5 at these times."""
    at = run.data["displacement"].sel(time=times, method="nearest")
    if "delta1" in at["coordinate"].values:
        return np.array([at.sel(coordinate=f"delta{i}").values for i in range(1, 6)])
    pairs = [(f"theta{a}", f"theta{b}") for a, b in PAIRS]
    return np.array([at.sel(coordinate=a).values - at.sel(coordinate=b).values for a, b in pairs])


def displacements(reading: str) -> Callable[[Work], Content]:
    def compute(work: Work) -> Content:
        import xarray

        times = np.linspace(0.0, UNTIL, SAMPLES)
        found, counts, notes = [], {}, []
        for i, laws in enumerate(LAWS):
            work.progress(f"{reading}, {NAMES[laws]}", i / len(LAWS))
            run = run_of(reading, laws)
            found.append(deltas(run, times))
            counts[laws] = run.stats.factorisations
            notes.append(f"{NAMES[laws]}: {_trust(run)}")
        data = xarray.Dataset(
            {"delta": (("laws", "angle", "time"), np.array(found), {"units": "rad"})},
            coords={"laws": list(LAWS), "angle": range(1, 6), "time": ("time", times, {"units": "s"})},
        )
        free = {laws: _free(data, laws) for laws in LAWS}
        rows = (
            Row(
                "factorisations, square root and tanh",
                "595391 and 605054" if reading == "paper" else "-",
                f"{counts['sqrt']} and {counts['tanh']}",
                "a better first guess: one correction a step instead of two",
            ),
            Row(
                "spline out of contact",
                "longer with the square root",
                "; ".join(f"{NAMES[laws]} {1e3 * free[laws]:.2f} ms" for laws in LAWS),
                "the exact laws are the judge",
            ),
            Row(
                "largest distance from exact laws",
                "not known to it",
                f"square root {_apart(data, 'sqrt'):.2g} rad; tanh {_apart(data, 'tanh'):.2g} rad",
                "over 0.12 s, of any angle",
            ),
        )
        return Content(data, rows, "Newmark, full Newton, 4e-7 s; exact laws by the exact flow", "; ".join(notes))

    return compute


def _trust(run: Run) -> str:
    certificate = run.certificate
    return f"error {certificate.error:.1e}" if certificate.passed else "sensitive, no error can be given"


def _free(data: xarray.Dataset, laws: str) -> float:
    """[s] while the spline is out of contact."""
    gap = np.abs(data["delta"].sel(laws=laws, angle=5).values) < HALF_GAP
    return float(gap.mean() * UNTIL)


def _apart(data: xarray.Dataset, laws: str) -> float:
    return float(np.abs(data["delta"].sel(laws=laws) - data["delta"].sel(laws="exact")).max())


def draw_displacements(data: xarray.Dataset) -> Figure:
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(5, 1, figsize=(8.0, 10.0), sharex=True)
    for ax, angle in zip(axes, data["angle"].values, strict=True):
        for laws in LAWS:
            ax.plot(1e3 * data["time"], data["delta"].sel(laws=laws, angle=angle), label=NAMES[laws], **LOOKS[laws])
        ax.set_ylabel(f"δ{'₁₂₃₄₅'[int(angle) - 1]} [rad]")
    axes[-1].set_xlabel("time [ms]")
    axes[0].set_title("Relative angles of the clutch")
    axes[0].legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=3, borderaxespad=0.2)  # lines fill the frame
    return figure


SLIDING = ("plate", "flywheel")
ACTIONS = ("springs", "spline", "plate", "flywheel")
TITLES = {
    "springs": "springs over δ₄",
    "spline": "spline over δ₅",
    "plate": "plate over the rate of δ₂",
    "flywheel": "flywheel over the rate of δ₃",
}


def actions(work: Work) -> Content:
    """The contact actions over what they depend on, along the motion."""
    import xarray

    times = np.linspace(0.0, UNTIL, SAMPLES)
    drive, force = [], []
    for i, laws in enumerate(LAWS):
        work.progress(NAMES[laws], i / len(LAWS))
        at = run_of("consistent", laws).data.sel(time=times, method="nearest")
        rate = at["velocity"]
        angles = {f"theta{k}": rate.sel(coordinate=f"theta{k}").values for k in range(1, 6)}
        over = [at["deflection"].sel(connection=name).values for name in ("springs", "spline")]
        over += [angles["theta2"] - angles["theta3"], angles["theta1"] - angles["theta3"]]
        drive.append(over)
        force.append([at["force"].sel(connection=name).values for name in ACTIONS])
    dims = ("laws", "action", "time")
    data = xarray.Dataset(
        {"over": (dims, np.array(drive)), "force": (dims, np.array(force), {"units": "N m"})},
        coords={"laws": list(LAWS), "action": list(ACTIONS), "time": ("time", times, {"units": "s"})},
    )
    held = float((data["force"].sel(laws="exact", action="plate") < 350.0 - 1e-6).mean())
    rows = (
        Row(
            "tanh represents the discontinuities",
            "not well",
            f"plate's torque below T_s for {100 * held:.0f} % of the time with exact laws",
            "the same: a rounded law must creep to carry what a stuck plate holds at rest",
        ),
    )
    return Content(data, rows, "the runs of the consistent reading", "as of the runs")


def draw_actions(data: xarray.Dataset) -> Figure:
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(2, 2, figsize=(10.0, 7.4))
    for ax, name in zip(axes.flat, ACTIONS, strict=True):
        for laws in LAWS:
            one = data.sel(laws=laws, action=name)
            look = {**LOOKS[laws], "ls": "none", "marker": ".", "ms": 2.5 if laws != "exact" else 1.5}
            ax.plot(one["over"], one["force"], label=NAMES[laws], **look)
        ax.set(title=TITLES[name], ylabel="torque [N m]")
        ax.set_xlabel("rate [rad/s]" if name in SLIDING else "angle [rad]")
        if name in SLIDING:
            ax.set_xlim(-0.1, 0.3)  # where rounded laws creep
    axes[0, 0].legend(markerscale=4.0)
    return figure
