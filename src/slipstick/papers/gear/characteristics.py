"""Figs 1, 3, 7 and 8: luz and tar, the spring with freeplay, friction over rate, friction at rest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from slipstick.api import Model
from slipstick.laws.elastic import Freeplay
from slipstick.maps import luz
from slipstick.model.elements import friction_block
from slipstick.papers.entry import Content, Work
from slipstick.papers.reproduction import Row
from slipstick.plot import style
from slipstick.signals import Constant, Sine

if TYPE_CHECKING:
    import xarray
    from matplotlib.figure import Figure

A = 1.0  # half gap, or limit over damping
STIFFNESS, HALF_GAP = 2.0, 0.5
LIMIT, DAMPING, MASS = 0.6, 0.4, 1.0
SLIP, STICK, PLACE = 0.643501108793284, 3.52345490581182, 0.788372108748076  # of the block under sin t, computed apart


def projections(_: Work) -> Content:
    """luz(x, a) and tar(x, a); each undoes the other."""
    import xarray

    from slipstick.maps import tar

    x = np.linspace(-3.0, 3.0, 601)
    sides = np.array([value for value in x if value != 0.0])
    there = np.array([tar(value, A) for value in sides])
    data = xarray.Dataset(
        {"luz": ("x", luz(x, A)), "tar": ("side", there)}, coords={"x": x, "side": sides}, attrs={"half_gap": A}
    )
    back = float(np.abs(luz(there, A) - sides).max())
    rows = (Row("luz(tar(x, a), a) = x", "for x other than 0", f"to {back:.0e}", "the same; tar(0) is an interval"),)
    return Content(data, rows, "the two projections themselves", "exact")


def spring(_: Work) -> Content:
    """The force of an elastic element with freeplay, over the relative displacement."""
    import xarray

    law = Freeplay(stiffness=STIFFNESS, half_gap=HALF_GAP)
    u = np.linspace(-2.0, 2.0, 401)
    data = xarray.Dataset({"force": ("deflection", law.trace(u), {"units": "N"})}, coords={"deflection": u})
    rows = (Row("force on body 1", "+k luz", "-k luz", "+k luz stands on the left of its equation of motion"),)
    return Content(data, rows, "Freeplay.trace", "exact")


def friction(_: Work) -> Content:
    """C tar(v, F/C) over the rate, from a block that is pushed to that rate."""
    import xarray

    rates = np.concatenate((np.linspace(-2.0, -0.02, 34), np.linspace(0.02, 2.0, 34)))
    force = np.array([_force_at(rate) for rate in rates])
    data = xarray.Dataset({"force": ("rate", force, {"units": "N"})}, coords={"rate": rates})
    apart = float(np.abs(force - (DAMPING * rates + LIMIT * np.sign(rates))).max())
    rows = (Row("C v + F sgn(v)", "C tar(v, F/C)", f"to {apart:.0e} N", "the same; for C = 0 keep the pair (C, F)"),)
    return Content(data, rows, "exact runs of a block, at their first instant", "rounding")


def at_rest(work: Work) -> Content:
    """What friction takes at rest, by exact runs of a block under constant forces; and the block under sin t."""
    import xarray

    pulls = np.linspace(-1.5, 1.5, 61)
    held, runs_off = np.empty(pulls.size), np.empty(pulls.size)
    for i, pull in enumerate(pulls):
        work.progress(f"F = {pull:.2f} N", i / pulls.size)
        m, block = _block()
        m.load(block, Constant(float(pull)))
        run = m.simulate(until=0.1, samples=3)
        held[i] = float(run.data["force"].isel(time=0, connection=0))
        runs_off[i] = float(run.data["velocity"].isel(time=-1, coordinate=0))
    data = xarray.Dataset(
        {"friction": ("force", held, {"units": "N"}), "rate_after": ("force", runs_off, {"units": "m/s"})},
        coords={"force": ("force", pulls, {"units": "N"})},
    )
    rule = float(np.abs(held - (pulls - luz(pulls, LIMIT))).max())
    still = bool(np.all((np.abs(runs_off) > 0.0) == (np.abs(pulls) > LIMIT + 1e-12)))
    times, place = _under_sine()
    rows = (
        Row("F_T0 s* = F - luz(F, F_T0)", "by three principles", f"to {rule:.0e} N", "the same, by the exact flow"),
        Row(
            "it moves off at |F| = F_T0",
            "yes (>=)",
            "no" if still else "yes",
            "only beyond: at the limit itself the acceleration is 0",
        ),
        Row("block under sin t slips at", "not printed", f"{times[0]:.12f} s", f"computed apart: {SLIP:.12f}"),
        Row("and sticks at", "not printed", f"{times[1]:.12f} s", f"computed apart: {STICK:.12f}"),
        Row("where it has come to", "not printed", f"{place:.12f} m", f"computed apart: {PLACE:.12f}"),
    )
    return Content(data, rows, "exact runs of a block of 1 kg with F_T0 = 0.6 N", "rounding")


def _block(velocity: float = 0.0, damping: float = 0.0) -> tuple[Model, Any]:
    m = Model("block")
    return m, friction_block(m, "z", mass=MASS, limit=LIMIT, damping=damping, velocity=velocity)


def _force_at(rate: float) -> float:
    m, _ = _block(velocity=float(rate), damping=DAMPING)
    return float(m.simulate(until=1e-3, samples=2).data["force"].isel(time=0, connection=0))


def _under_sine() -> tuple[list[float], float]:
    """When the block slips and sticks first, and where it is then."""
    m, block = _block()
    m.load(block, Sine(1.0, frequency=1.0))
    run = m.simulate(until=3.6, samples=2)
    times = [float(t) for t in run.events["time"]]
    return [times[0], times[-1]], float(run.data["displacement"].isel(time=-1, coordinate=0))


def draw_projections(data: xarray.Dataset) -> Figure:
    from matplotlib import pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(9.0, 4.2))
    left.plot(data["x"], data["luz"], color=style.BLUE)
    left.set(title="luz(x, a)", xlabel="x [a]", ylabel="luz [a]")
    for sign in (-1, 1):
        side = data["side"] * sign > 0
        right.plot(data["side"][side], data["tar"][side], color=style.ACCENT)
    right.plot([0.0, 0.0], [-A, A], color=style.ACCENT, ls=":")
    right.set(title="tar(x, a)", xlabel="x [a]", ylabel="tar [a]")
    return figure


def draw_spring(data: xarray.Dataset) -> Figure:
    from matplotlib import pyplot as plt

    figure, ax = plt.subplots(figsize=(6.5, 4.2))
    ax.plot(data["deflection"], data["force"], color=style.BLUE)
    for edge in (-HALF_GAP, HALF_GAP):
        ax.axvline(edge, color=style.GREY, lw=1.0, ls="--")
    ax.text(0.0, 1.2, "2 × half gap", ha="center", fontsize=9)
    ax.set(xlabel="z₁ − z₂ [m]", ylabel="k luz(z₁ − z₂, Δ₀) [N]", title="Spring with freeplay, k = 2 N/m, Δ₀ = 0.5 m")
    return figure


def draw_friction(data: xarray.Dataset) -> Figure:
    from matplotlib import pyplot as plt

    figure, ax = plt.subplots(figsize=(6.5, 4.2))
    for sign in (-1, 1):
        side = data["rate"] * sign > 0
        ax.plot(data["rate"][side], data["force"][side], color=style.ACCENT)
    ax.plot([0.0, 0.0], [-LIMIT, LIMIT], color=style.ACCENT, ls=":", label="at rest: what holds it")
    ax.set(xlabel="rate v [m/s]", ylabel="friction force [N]", title="C tar(v, F/C), C = 0.4 N s/m, F = 0.6 N")
    ax.legend()
    return figure


def draw_at_rest(data: xarray.Dataset) -> Figure:
    from matplotlib import pyplot as plt

    figure, ax = plt.subplots(figsize=(6.5, 4.2))
    ax.plot(data["force"], data["friction"], color=style.BLUE, label="friction at rest, exact runs")
    ax.plot(data["force"], 10.0 * data["rate_after"], color=style.ACCENT, label="acceleration: 10 × rate after 0.1 s")
    ax.set(xlabel="force F [N]", ylabel="friction [N], acceleration [m/s²]", title="A block at rest, F_T0 = 0.6 N")
    ax.legend()
    return figure
