"""Fig. 8 and Table 2: steps by Taylor series against Newton's, in the paper's reading of the clutch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from slipstick.papers.clutch.motions import STEP, UNTIL
from slipstick.papers.entry import Content, Work
from slipstick.papers.reproduction import Row
from slipstick.plot import style
from slipstick.systems.clutch import clutch

if TYPE_CHECKING:
    import xarray
    from matplotlib.figure import Figure

    from slipstick.api import Model
    from slipstick.results.run import Run

ORDER, KAPPA = 14, 1e-9
PRINTED = {12: "diverges", 13: "546", 14: "520", 16: "488", 20: "441", 25: "405"}
INSTANTS = 600


def residuals(work: Work) -> Content:
    """What both solvers leave of the equations of a step, at 600 of them; delta_1; and the counts."""
    import xarray

    m = clutch("paper")
    steps = np.linspace(0, round(UNTIL / STEP) - 1, INSTANTS).astype(int)
    times = np.unique(np.concatenate((steps, steps + 1))) * STEP
    work.progress("Taylor", 0.0)
    series = m.simulate(UNTIL, method="taylor", step=STEP, order=ORDER, kappa=KAPPA, samples=times)
    work.progress("Newton", 0.6)
    newton = m.simulate(UNTIL, method="newmark", step=STEP, newton="full", samples=times)
    left = [_left(m, run, steps) for run in (series, newton)]
    first = [run.data["displacement"].sel(coordinate="delta1").sel(time=steps * STEP, method="nearest").values
             for run in (series, newton)]  # fmt: skip
    data = xarray.Dataset(
        {
            "residual": (("solver", "time"), np.array(left), {"units": "N m"}),
            "delta1": (("solver", "time"), np.array(first), {"units": "rad"}),
        },
        coords={"solver": ["taylor", "newton"], "time": ("time", steps * STEP, {"units": "s"})},
    )
    counts = [run.stats.factorisations for run in (series, newton)]
    apart = float(np.abs(first[0] - first[1]).max())
    rows = (
        Row("factorisations, Taylor, p = 14", "520", str(counts[0]), "the same but for the start of each branch"),
        Row(
            "factorisations, Newton",
            "598480",
            str(counts[1]),
            "a better first guess: one correction a step instead of two",
        ),
        Row("residual", "below 1e-4", f"{max(map(np.max, left)):.0e} N m", "most of it is rounding"),
        Row("delta_1 by both", "the same curve", f"{apart:.0e} rad apart", "the same"),
    )
    return Content(
        data, rows, "Taylor of order 14, kappa 1e-9, and Newmark with full Newton; h = 4e-7 s", "residuals above"
    )


def _left(m: Model, run: Run, steps: Any) -> Any:
    """(k,) the norm of what the equations of motion leave, the mean of the two ends of a step.

    With the average acceleration of a step, 2 (v1 - v0)/h is the sum of the accelerations at its ends.
    """
    from slipstick.model.system import Matrices

    given = m.matrices
    assert isinstance(given, Matrices)
    at = [run.data.sel(time=(steps + k) * STEP, method="nearest") for k in (0, 1)]
    names = [one.name for one in m.coordinates]
    place = {name: i for i, name in enumerate(names)}
    total = given.mass @ (2.0 * (at[1]["velocity"].values - at[0]["velocity"].values).T / STEP)
    for end, data in enumerate(at):
        total = total + given.damping @ data["velocity"].values.T + given.stiffness @ data["displacement"].values.T
        for connection in m.connections:
            force = data["force"].sel(connection=connection.name).values
            for name, factor in connection.along.terms.items():
                total[place[name]] += factor * force
        for load in m.loads:
            value = np.broadcast_to(load.function.at((steps + end) * STEP, m.frequency), steps.shape)
            for name, factor in load.form.terms.items():
                total[place[name]] -= factor * value
    return np.linalg.norm(0.5 * total, axis=0)


def orders(work: Work) -> Content:
    """Factorisations, solves and time over the order of the series; Newton's beside them."""
    import xarray

    m = clutch("paper")
    counts, solves, seconds = [], [], []
    for i, order in enumerate(PRINTED):
        work.progress(f"p = {order}", i / len(PRINTED))
        run = m.simulate(UNTIL, method="taylor", step=STEP, order=order, kappa=KAPPA, samples=0)
        counts.append(run.stats.factorisations)
        solves.append(run.stats.solves)
        seconds.append(run.stats.seconds)
    newton = m.simulate(UNTIL, method="newmark", step=STEP, newton="full", samples=0)
    modified = m.simulate(UNTIL, method="newmark", step=STEP, newton="modified", samples=0)
    data = xarray.Dataset(
        {
            "factorisations": ("order", np.array(counts)),
            "solves": ("order", np.array(solves)),
            "seconds": ("order", np.array(seconds), {"units": "s"}),
            "printed": ("order", np.array([np.nan, *(float(PRINTED[p]) for p in list(PRINTED)[1:])])),
        },
        coords={"order": list(PRINTED)},
    )
    rows = [
        Row(
            f"p = {order}: steps with a new matrix",
            printed,
            f"{count}; {solve} solves, {taken:.2f} s",
            "it does not diverge here: the residual is checked and the branch continued"
            if order == 12
            else _why(printed, count),
        )
        for (order, printed), count, solve, taken in zip(PRINTED.items(), counts, solves, seconds, strict=True)
    ]
    rows.append(
        Row(
            "Newton, full and modified",
            "about 6e5 and -",
            f"{newton.stats.factorisations} and {modified.stats.factorisations}; {newton.stats.seconds:.2f} s",
            "fewest factorisations do not make the fastest run at this size",
        )
    )
    return Content(
        data,
        tuple(rows),
        "kappa = 1e-9, h = 4e-7 s, 0.12 s from rest",
        "the true residual of every step is checked",
    )


def _why(printed: str, here: int) -> str:
    if not printed.isdigit():
        return "here the residual is checked, and the branch goes on"
    off = here - int(printed)
    return "the same" if off == 0 else f"{abs(off)} {'fewer' if off < 0 else 'more'}: how branches start is not printed"


def draw_residuals(data: xarray.Dataset) -> Figure:
    from matplotlib import pyplot as plt

    figure, (top, bottom) = plt.subplots(2, 1, figsize=(8.0, 6.4), sharex=True)
    for solver, colour, name in (("taylor", style.BLUE, "Taylor, p = 14"), ("newton", style.GREY, "Newton")):
        one = data.sel(solver=solver)
        top.semilogy(
            1e3 * one["time"], one["residual"], ".", ms=5 if solver == "taylor" else 2, color=colour, label=name
        )
        bottom.plot(1e3 * one["time"], 1e3 * one["delta1"], color=colour, lw=3.0 if solver == "taylor" else 1.0)
    top.axhline(1e-4, color=style.ACCENT, lw=1.0, label="the paper's 1e-4")
    top.set(ylabel="residual [N m]", title="What the solvers leave, and δ₁ by both")
    bottom.set(xlabel="time [ms]", ylabel="δ₁ [mrad]")
    top.legend(ncols=3)
    return figure


def draw_orders(data: xarray.Dataset) -> Figure:
    from matplotlib import pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(9.5, 4.2))
    left.plot(data["order"], data["printed"], "s", ms=9, mfc="none", color=style.ACCENT, label="paper")
    left.plot(data["order"], data["factorisations"], "o-", color=style.BLUE, label="here")
    left.set(xlabel="order p of the series", ylabel="steps with a new matrix", title="Table 2")
    left.legend()
    right.plot(data["order"], data["seconds"], "o-", color=style.BLUE)
    right.set(xlabel="order p of the series", ylabel="time of the solver [s]", title="What it costs", ylim=(0.0, None))
    return figure
