"""Fig. 8 and Table 2: steps by Taylor series against Newton's, in the paper's reading of the clutch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from slipstick.papers.certificate_summary import certificate_line
from slipstick.papers.clutch.transient_responses import KNOBS as OF_CLUTCH
from slipstick.papers.clutch.transient_responses import STEP, UNTIL, keywords
from slipstick.papers.comparison_rows import number_row, statement_row
from slipstick.papers.entry import EntryContent, EntryRequest
from slipstick.papers.knob import Knob
from slipstick.papers.reproduction import Row
from slipstick.plot import style
from slipstick.systems.clutch import clutch

if TYPE_CHECKING:
    import xarray
    from matplotlib.figure import Figure

    from slipstick.api import Model
    from slipstick.results.run import Run

ORDER = 14
KAPPA = Knob("kappa", 1e-9, 1e-12, 1e-6, "the residual that a series may leave, and so how far it goes")
KNOBS = (*OF_CLUTCH, KAPPA)
PRINTED = {12: "", 13: "546", 14: "520", 16: "488", 20: "441", 25: "405"}
RESIDUAL_STEPS = 600
NEWTON = ("full", "modified")
FACTORISATION_TOLERANCE = 10  # of 500 factorisations more or less, for which this is the reason:
BRANCH_START_REASON = "how branches start is not printed"


def step_residuals(request: EntryRequest) -> EntryContent:
    """Residuals of both solvers at 600 steps; delta_1; and the counts."""
    import xarray

    m, kappa = _given(request)
    steps = np.linspace(0, round(UNTIL / STEP) - 1, RESIDUAL_STEPS).astype(int)
    times = np.unique(np.concatenate((steps, steps + 1))) * STEP
    request.progress("Taylor", 0.0)
    series = m.simulate(UNTIL, method="taylor", step=STEP, order=ORDER, kappa=kappa, samples=times)
    request.progress("Newton", 0.6)
    newton = m.simulate(UNTIL, method="newmark", step=STEP, newton="full", samples=times)
    left = [_residual_norms(m, run, steps) for run in (series, newton)]
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
    largest = float(max(map(np.max, left)))
    rows = (
        number_row(
            "factorisations, Taylor, p = 14",
            counts[0],
            form=".0f",
            printed=PRINTED[ORDER],
            explains=FACTORISATION_TOLERANCE,
            why=BRANCH_START_REASON,
        ),
        number_row(
            "factorisations, Newton",
            counts[1],
            form=".0f",
            printed="598480",
            explains=1.1 * UNTIL / STEP,
            why="a better first guess: one correction a step instead of two",
        ),
        statement_row("residual", "below 1e-4", f"{largest:.0e} N m", same=largest < 1e-4),
        statement_row("delta_1 by both", "the same curve", f"{apart:.0e} rad apart", same=apart < 1e-9),
    )
    return EntryContent(
        data,
        rows,
        f"Taylor of order {ORDER}, kappa {_power_text(kappa)}, and Newmark with full Newton; h = {_power_text(STEP)} s",
        certificate_line({"Taylor": series, "Newton": newton}, "rad"),
    )


def _given(request: EntryRequest) -> tuple[Model, float]:
    """The clutch and kappa, as printed, with changed values of `KNOBS`."""
    own = dict(request.changed)
    kappa = own.pop(KAPPA.name, KAPPA.value)
    return clutch("paper", **keywords(own)), kappa


def _power_text(value: float) -> str:
    """ "4e-7"."""
    return f"{value:.3g}".replace("e-0", "e-")


def _residual_norms(m: Model, run: Run, steps: Any) -> Any:
    """(k,) norm of the residual of the equations of motion, the mean of the two ends of a step.

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


def order_table(request: EntryRequest) -> EntryContent:
    """Factorisations, solves and time over the order of the series; Newton's beside them."""
    import xarray

    m, kappa = _given(request)
    runs = {}
    for i, order in enumerate(PRINTED):
        request.progress(f"p = {order}", i / len(PRINTED))
        runs[order] = m.simulate(UNTIL, method="taylor", step=STEP, order=order, kappa=kappa, samples=0)
    newton, modified = (m.simulate(UNTIL, method="newmark", step=STEP, newton=kind, samples=0) for kind in NEWTON)
    stats = [run.stats for run in runs.values()]
    data = xarray.Dataset(
        {
            "factorisations": ("order", np.array([one.factorisations for one in stats])),
            "solves": ("order", np.array([one.solves for one in stats])),
            "seconds": ("order", np.array([one.seconds for one in stats]), {"units": "s"}),
        },
        coords={"order": list(PRINTED)},
        attrs=dict(request.changed),
    )
    if not request.changed:  # else there is no printed value
        data["printed"] = ("order", np.array([float(one) if one else np.nan for one in PRINTED.values()]))
    rows = [*(_order(order, run) for order, run in runs.items()), _newton(newton, modified)]
    ends = [run.data["displacement"].isel(time=-1).values for run in (*runs.values(), newton, modified)]
    apart = max(float(np.abs(end - ends[list(PRINTED).index(ORDER)]).max()) for end in ends)
    return EntryContent(
        data,
        tuple(rows),
        f"kappa = {_power_text(kappa)}, h = {_power_text(STEP)} s, {UNTIL:g} s from rest",
        f"{certificate_line({f'p = {ORDER}': runs[ORDER]}, 'rad')}; the other runs end within {apart:.0e} of it",
    )


def _order(order: int, run: Run) -> Row:
    """One column of Table 2."""
    quantity, count = f"p = {order}: steps with a new matrix", run.stats.factorisations
    if PRINTED[order]:
        row = number_row(
            quantity,
            count,
            form=".0f",
            printed=PRINTED[order],
            explains=FACTORISATION_TOLERANCE,
            why=BRANCH_START_REASON,
        )
    else:
        diverged = bool(run.partial)
        why = "here the residual of every step is checked, and the branch continues from its end"
        row = statement_row(quantity, "diverges", f"{count}", same=diverged, why=why)
    return row._replace(here=f"{row.here}; {run.stats.solves} solves, {run.stats.seconds:.2f} s")


def _newton(full: Run, modified: Run) -> Row:
    return Row(
        "Newton, full and modified: matrices",
        "about 6e5 and -",
        f"{full.stats.factorisations} and {modified.stats.factorisations}; {full.stats.seconds:.2f} s",
        "a better first guess; and few factorisations do not make the fastest run at this size",
    )


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
    title = "Table 2"
    if "printed" in data:
        left.plot(data["order"], data["printed"], "s", ms=9, mfc="none", color=style.ACCENT, label="paper")
    else:
        title += ", other numbers"
    left.plot(data["order"], data["factorisations"], "o-", color=style.BLUE, label="here")
    left.set(xlabel="order p of the series", ylabel="steps with a new matrix", title=title)
    if "printed" in data:
        left.legend()
    right.plot(data["order"], data["seconds"], "o-", color=style.BLUE)
    right.set(xlabel="order p of the series", ylabel="time of the solver [s]", title="What it costs", ylim=(0.0, None))
    return figure
