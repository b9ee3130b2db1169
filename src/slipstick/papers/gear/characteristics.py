"""Figs 1, 3, 7 and 8: luz and tar, the spring with freeplay, friction over rate, friction at rest."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from slipstick.api import Model
from slipstick.laws.piecewise_linear import Freeplay
from slipstick.maps import luz
from slipstick.model.elements import friction_block
from slipstick.papers.certificate_summary import certificate_line
from slipstick.papers.comparison_rows import interpretation_row, number_row, statement_row
from slipstick.papers.entry import EntryContent, EntryRequest
from slipstick.papers.gear.figure_parameters import BLOCK, HALF_WIDTH, LIMIT, SPRING
from slipstick.papers.knob import printed_values
from slipstick.plot import style
from slipstick.results.trajectory import ReadableTrajectory
from slipstick.signals import Constant, Sine

if TYPE_CHECKING:
    import xarray
    from matplotlib.figure import Figure

    from slipstick.results.run import Run

MASS = 1.0  # kg
# s, under sin t: with the printed limit the block is at rest again by then; with any, within a period
FIRST_RUN_END, PERIOD = 3.6, 2.0 * math.pi
EVENT_TOLERANCE = 1e-12  # s and m
ROUNDING_TOLERANCE = 1e-14  # what counts as the same where only rounding can differ
# of the block under sin t, by another program: when it slips and sticks [s], and where it has come to by then [m]
SLIP, STICK, PLACE = "0.643501108793284", "3.52345490581182", "0.788372108748076"


def projections(request: EntryRequest) -> EntryContent:
    """luz(x, a) and tar(x, a); each undoes the other."""
    import xarray

    from slipstick.maps import tar

    a = request.numbers(HALF_WIDTH)["a"]
    x = max(a, 1.0) * np.linspace(-3.0, 3.0, 601)  # the corners of luz are at a
    sides = np.array([value for value in x if value != 0.0])
    there = np.array([tar(value, a) for value in sides])
    data = xarray.Dataset(
        {"luz": ("x", luz(x, a)), "tar": ("side", there)}, coords={"x": x, "side": sides}, attrs={"half_gap": a}
    )
    back = float(np.abs(luz(there, a) - sides).max())
    rows = (
        statement_row("luz(tar(x, a), a) = x", "for x other than 0", f"to {back:.0e}", same=back <= ROUNDING_TOLERANCE),
    )
    return EntryContent(
        data, rows, "the two projections themselves", f"none is needed: each undoes the other to {back:.0e}"
    )


def spring(request: EntryRequest) -> EntryContent:
    """The force of an elastic element with freeplay, over the relative displacement."""
    import xarray

    law = Freeplay(**request.numbers(SPRING))
    u = np.linspace(-2.0, 2.0, 401)
    data = xarray.Dataset(
        {"force": ("deflection", law.trace(u), {"units": "N"})}, coords={"deflection": u}, attrs=dict(request.changed)
    )
    rows = (
        interpretation_row("force on body 1", "+k luz", "-k luz", "+k luz is on the left of its equation of motion"),
    )
    return EntryContent(data, rows, "Freeplay.trace", "none is needed: a closed form")


def friction(request: EntryRequest) -> EntryContent:
    """C tar(v, F/C) over the rate, from a block that is pushed to that rate."""
    import xarray

    rates = np.concatenate((np.linspace(-2.0, -0.02, 34), np.linspace(0.02, 2.0, 34)))
    numbers = request.numbers(BLOCK)
    runs = [_pushed(float(rate), numbers) for rate in rates]
    force = np.array([float(run.data["force"].isel(time=0, connection=0)) for run in runs])
    data = xarray.Dataset(
        {"force": ("rate", force, {"units": "N"})}, coords={"rate": rates}, attrs=dict(request.changed)
    )
    apart = float(np.abs(force - (numbers["damping"] * rates + numbers["limit"] * np.sign(rates))).max())
    rows = (
        statement_row("C v + F sgn(v)", "C tar(v, F/C)", f"to {apart:.0e} N", same=apart <= ROUNDING_TOLERANCE),
        interpretation_row("C = 0", "C tar(v, F/C)", "the pair (C, F)", "0/0 otherwise"),
    )
    return EntryContent(data, rows, "exact runs of a block, at their first instant", certificate_line(runs, "m"))


def friction_at_rest(request: EntryRequest) -> EntryContent:
    """What friction takes at rest, by exact runs of a block under constant forces; and the block under sin t."""
    import xarray

    pulls = np.linspace(-1.5, 1.5, 61)
    numbers = request.numbers((LIMIT,))
    limit = numbers["limit"]
    held, runs_off, runs = np.empty(pulls.size), np.empty(pulls.size), []
    for i, pull in enumerate(pulls):
        request.progress(f"F = {pull:.2f} N", i / pulls.size)
        m, block = _block(numbers)
        m.load(block, Constant(float(pull)))
        run = m.simulate(until=0.1, samples=3)
        runs.append(run)
        held[i] = float(run.data["force"].isel(time=0, connection=0))
        runs_off[i] = float(run.data["velocity"].isel(time=-1, coordinate=0))
    data = xarray.Dataset(
        {"friction": ("force", held, {"units": "N"}), "rate_after": ("force", runs_off, {"units": "m/s"})},
        coords={"force": ("force", pulls, {"units": "N"})},
        attrs=dict(request.changed),
    )
    rule = float(np.abs(held - (pulls - luz(pulls, limit))).max())
    still = bool(np.all((np.abs(runs_off) > 0.0) == (np.abs(pulls) > limit + 1e-12)))
    under_sine = _under_sine(numbers)
    first = first_slip(under_sine)
    rows = (
        statement_row("F_T0 s* = F - luz(F, F_T0)", "by three principles", f"to {rule:.0e} N",
               same=rule <= ROUNDING_TOLERANCE),
        statement_row("it moves off at |F| = F_T0", "yes (>=)", "no" if still else "yes", same=not still,
               why="only beyond: at the limit itself the acceleration is 0"),
        number_row("block under sin t slips "
                   "at", first.begin, form=".12f", unit="s", independent=SLIP, within=EVENT_TOLERANCE),
        number_row("and sticks at" if first.sticks else "and turns back, without sticking, at", first.end,
                 form=".12f", unit="s", independent=STICK, within=EVENT_TOLERANCE),
        number_row("where it has come "
                   "to", first.place, form=".12f", unit="m", independent=PLACE, within=EVENT_TOLERANCE),
    )  # fmt: skip
    words = f"exact runs of a block of 1 kg with F_T0 = {limit:g} N"
    return EntryContent(data, rows, words, certificate_line([*runs, under_sine], "m"))


def _block(numbers: Mapping[str, float], velocity: float = 0.0) -> tuple[Model, Any]:
    m = Model("block")
    return m, friction_block(m, "z", mass=MASS, velocity=velocity, **numbers)


def _pushed(rate: float, numbers: Mapping[str, float]) -> Run:
    m, _ = _block(numbers, velocity=rate)
    return m.simulate(until=1e-3, samples=2)


def _under_sine(numbers: Mapping[str, float]) -> Run:
    m, block = _block(numbers)
    m.load(block, Sine(1.0, frequency=1.0))
    run = m.simulate(until=FIRST_RUN_END, samples=2)
    return run if len(run.events["time"]) > 1 else m.simulate(until=PERIOD, samples=2)


class SlipPhase(NamedTuple):
    """Times of the first slip and of rest [s], the place of rest [m], and whether it sticks there."""

    begin: float
    end: float
    place: float
    sticks: bool


def first_slip(run: Run) -> SlipPhase:
    """The first one of a run; a block that does not stick turns back where it has come to rest."""
    begin, end = (float(t) for t in run.events["time"][:2])
    assert isinstance(run.trajectory, ReadableTrajectory)
    place = float(run.trajectory.read(np.array([end])).displacement[0, 0])
    return SlipPhase(begin, end, place, bool(run.events["after"][1] == "stick"))


def draw_projections(data: xarray.Dataset) -> Figure:
    from matplotlib import pyplot as plt

    a = data.attrs["half_gap"]
    unit, words = (" [a]", "") if a == 1.0 else ("", f", a = {a:g}")
    figure, (left, right) = plt.subplots(1, 2, figsize=(9.0, 4.2))
    left.plot(data["x"], data["luz"], color=style.BLUE)
    left.set(title=f"luz(x, a){words}", xlabel=f"x{unit}", ylabel=f"luz{unit}")
    for sign in (-1, 1):
        side = data["side"] * sign > 0
        right.plot(data["side"][side], data["tar"][side], color=style.ACCENT)
    right.plot([0.0, 0.0], [-a, a], color=style.ACCENT, ls=":")
    right.set(title=f"tar(x, a){words}", xlabel=f"x{unit}", ylabel=f"tar{unit}")
    return figure


def draw_spring(data: xarray.Dataset) -> Figure:
    from matplotlib import pyplot as plt

    figure, ax = plt.subplots(figsize=(6.5, 4.2))
    ax.plot(data["deflection"], data["force"], color=style.BLUE)
    k, gap = ({**printed_values(SPRING), **data.attrs}[knob.name] for knob in SPRING)
    for edge in (-gap, gap):
        ax.axvline(edge, color=style.GREY, lw=1.0, ls="--")
    ax.text(0.0, 0.7 * float(data["force"].max()), "2 × half gap", ha="center", fontsize=9)
    ax.set(xlabel="z₁ − z₂ [m]", ylabel="k luz(z₁ − z₂, Δ₀) [N]")
    ax.set_title(f"Spring with freeplay, k = {k:g} N/m, Δ₀ = {gap:g} m")
    return figure


def draw_friction(data: xarray.Dataset) -> Figure:
    from matplotlib import pyplot as plt

    figure, ax = plt.subplots(figsize=(6.5, 4.2))
    for sign in (-1, 1):
        side = data["rate"] * sign > 0
        ax.plot(data["rate"][side], data["force"][side], color=style.ACCENT)
    limit, damping = ({**printed_values(BLOCK), **data.attrs}[knob.name] for knob in BLOCK)
    ax.plot([0.0, 0.0], [-limit, limit], color=style.ACCENT, ls=":", label="at rest: what holds it")
    ax.set(xlabel="rate v [m/s]", ylabel="friction force [N]")
    ax.set_title(f"C tar(v, F/C), C = {damping:g} N s/m, F = {limit:g} N")
    ax.legend()
    return figure


def draw_at_rest(data: xarray.Dataset) -> Figure:
    from matplotlib import pyplot as plt

    figure, ax = plt.subplots(figsize=(6.5, 4.2))
    ax.plot(data["force"], data["friction"], color=style.BLUE, label="friction at rest, exact runs")
    ax.plot(data["force"], 10.0 * data["rate_after"], color=style.ACCENT, label="acceleration: 10 × rate after 0.1 s")
    limit = data.attrs.get(LIMIT.name, LIMIT.value)
    ax.set(xlabel="force F [N]", ylabel="friction [N], acceleration [m/s²]")
    ax.set_title(f"A block at rest, F_T0 = {limit:g} N")
    ax.legend()
    return figure
