"""Figs 8 to 11: Dahl's models and their asymptotes, the three parts, memory, and Bliman and Sorine's difference."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from slipstick.laws.dahl import Dahl, ModifiedDahl
from slipstick.laws.elastic import Polynomial
from slipstick.laws.nonlocal_memory import BlimanSorine, DynamicHysteresis
from slipstick.papers.comparison_rows import agrees_with_print, interpretation_row, number_row, statement_row
from slipstick.papers.entry import EntryContent, EntryRequest
from slipstick.papers.fibre import figure_parameters
from slipstick.papers.fibre.hysteresis_loops import CLOSED, MAX_STRAIN, STRAIN, ZERO_STRESS, law_of, loop_at
from slipstick.papers.reproduction import Row
from slipstick.plot import style
from slipstick.systems.fibre import SAMPLE_PARAMETERS

if TYPE_CHECKING:
    import xarray
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

STRAIN_HISTORY = 1e-4 * np.array([0.0, 6.0, -2.0, 3.0, -2.0, 6.0, 9.0])  # strains between which it goes to and fro
LETTERS = "ABCDEFG"  # of its ends
STRESS_TOLERANCE = 1e-7  # Pa
# Pa at its ends, of the dynamic model with sigma and tau_C of (38), by another program
REFERENCE_STRESSES = ("868.78260514", "-568.78973795", "504.53759467", "-568.78973795", "868.78260514", "982.74177104")


def asymptotes(request: EntryRequest) -> EntryContent:
    """Fig. 8: Dahl's solid friction between two constants, and a generalised one between two lines."""
    import xarray

    sigma, tau = request.numbers(figure_parameters.FRICTION).values()
    solid = Dahl(stiffness=2.0 * sigma, limit=tau)
    upper, lower = (1500.0, 4e5), (-900.0, 2.5e5)  # Pa: lines chosen by us, the figure is a sketch
    general = ModifiedDahl(rate=2.0 * sigma / tau, exponent=1.0, upper=upper, lower=lower)
    strain, first = loop_at(3e-3, solid)
    second = loop_at(3e-3, general)[1]
    lines = np.array([[a + b * strain for a, b in (upper, lower)]])[0]
    data = xarray.Dataset(
        {
            "strain": ("sample", strain),
            "solid": ("sample", first, {"units": "Pa"}),
            "general": ("sample", second, {"units": "Pa"}),
            "envelopes": (("side", "sample"), lines, {"units": "Pa"}),
        },
        coords={"side": ["upper", "lower"]},
        attrs=dict(request.changed),
    )
    below = float((lines[0] - second)[np.argmax(strain)])
    behind = upper[1] / general.rate
    rows = (
        number_row("loop below its envelope, at the tip", below, form=".0f", unit="Pa", printed="0",
                 paper="0: an asymptote", independent=f"{behind:.0f}", within=0.02 * behind,
                 known_as="slope over rate", why="a line that rises is followed at a distance"),
        interpretation_row("h of (7)", "the lower asymptote", "minus it, for falling strain", "the formula is right"),
    )  # fmt: skip
    return EntryContent(data, rows, "Dahl and ModifiedDahl in closed form", CLOSED)


def three_parts(request: EntryRequest) -> EntryContent:
    """Fig. 9: dry friction, line and stiffening, overshoot, and their sum."""
    import xarray

    numbers = request.numbers(figure_parameters.LAW)
    full, line = law_of(numbers)
    friction = DynamicHysteresis(stiffness=full.stiffness, limit=full.limit)
    stiffening = Polynomial(coefficients=(0.0, line, 0.0, numbers["cubic"]))
    strain, a = loop_at(MAX_STRAIN, friction)
    b = loop_at(MAX_STRAIN, stiffening)[1]
    whole = loop_at(MAX_STRAIN, full)[1]
    data = xarray.Dataset(
        {
            "strain": ("sample", strain),
            "stress": (("part", "sample"), np.array([a, b - line * strain, whole - a - b, whole - line * strain])),
        },
        coords={"part": ["friction", "stiffening", "overshoot", "all"]},
    )
    data["stress"].attrs["units"] = "Pa"
    top = float(data["stress"].sel(part="overshoot").max())
    rows = (Row("overshoot of the largest loop", "a sketch", f"{top:.0f} Pa at most", "no numbers are printed"),)
    return EntryContent(data, rows, "each part by its own law, without G1 gamma", CLOSED)


def memory_comparison(request: EntryRequest) -> EntryContent:
    """Fig. 10: the same history by Dahl's solid friction, which forgets, and by his dynamic hysteresis."""
    import xarray

    way = np.concatenate([np.linspace(a, b, 200) for a, b in pairwise(STRAIN_HISTORY)])
    sigma, tau = request.numbers(figure_parameters.FRICTION).values()
    models = {
        "solid": Dahl(stiffness=2.0 * sigma, limit=tau),
        "dynamic": DynamicHysteresis(stiffness=sigma, limit=tau),
    }
    stress = np.array([law.trace(way) for law in models.values()])
    data = xarray.Dataset(
        {"strain": ("sample", way), "stress": (("model", "sample"), stress, {"units": "Pa"})},
        coords={"model": list(models)},
    )
    turns = np.asarray(models["dynamic"].trace(STRAIN_HISTORY))[1:]
    known = all(
        agrees_with_print(float(here), one, STRESS_TOLERANCE)
        for here, one in zip(turns, REFERENCE_STRESSES, strict=True)
    )
    ends = [np.asarray(law.trace(STRAIN_HISTORY)) for law in models.values()]
    forgets, keeps = (float(abs(end[5] - end[1])) for end in ends)
    rows = (
        statement_row("dynamic model at the reversals", "independent computation",
               ", ".join(f"{value:.3f}" for value in turns) + " Pa", same=known),
        statement_row("closes the inner loop", "dynamic yes, solid no", f"{keeps:.0e} and {forgets:.0f} Pa off",
               same=keeps <= ZERO_STRESS < 1.0 <= forgets),
    )  # fmt: skip
    return EntryContent(data, rows, "closed forms along the history", CLOSED)


def bliman_sorine_difference(request: EntryRequest) -> EntryContent:
    """Fig. 11: Bliman and Sorine's stress as the difference of two Dahl stresses, from a reversal on."""
    import xarray

    sigma, limit, over, ratio = request.numbers(figure_parameters.DIFFERENCE).values()
    strain = np.linspace(0.0, 4e-3, 401)
    rate = sigma / limit
    one, two = limit * (1.0 - np.exp(-2.0 * rate * strain)), over * (1.0 - np.exp(-2.0 * ratio * rate * strain))
    law = BlimanSorine(stiffness=sigma, limit=limit, overshoot_limit=over, ratio=ratio)
    both = np.asarray(law.trace(strain))
    data = xarray.Dataset(
        {
            "strain": ("sample", strain),
            "stress": (("part", "sample"), np.array([one, two, both]), {"units": "Pa"}),
        },
        coords={"part": ["tau_1", "tau_2", "difference"]},
    )
    off = float(np.abs(both - (one - two)).max())
    rows = (
        statement_row("BlimanSorine on its first loading", "the difference (15), (16)", f"{off:.0e} Pa from it at most",
               same=off <= ZERO_STRESS),
        interpretation_row("(A.3), (A.5)", "OS = (d + 1)(c - 1) e^..", "OS = 1 + ...", "a one is missing; "
                                                                                       "that of K is right"),
    )  # fmt: skip
    return EntryContent(data, rows, "closed forms", CLOSED)


def draw_asymptotes(data: xarray.Dataset) -> Figure:
    from matplotlib import pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(9.5, 4.2))
    x = 1e3 * data["strain"]
    left.plot(x, 1e-3 * data["solid"], color=style.BLUE)
    for side in (1.0, -1.0):
        left.axhline(
            side * 1e-3 * data.attrs.get("limit", SAMPLE_PARAMETERS["limit"]), color=style.GREY, ls="--", lw=1.2
        )
    left.set_title("(a) solid friction")
    right.plot(x, 1e-3 * data["general"], color=style.BLUE)
    for side in data["side"].values:
        right.plot(x, 1e-3 * data["envelopes"].sel(side=side), "--", color=style.GREY, lw=1.2)
    right.set_title("(b) generalised, between two lines")
    for ax in (left, right):
        ax.set(xlabel=STRAIN, ylabel="stress τ [kPa]")
    return figure


def draw_three_parts(data: xarray.Dataset) -> Figure:
    from matplotlib import pyplot as plt

    names = {
        "friction": "(a) dry friction",
        "stiffening": "(b) stiffening",
        "overshoot": "(c) overshoot",
        "all": "all three",
    }
    figure, axes = plt.subplots(1, 4, figsize=(12.0, 3.6), sharey=True)
    for ax, (part, title) in zip(axes, names.items(), strict=True):
        ax.plot(1e3 * data["strain"], 1e-3 * data["stress"].sel(part=part), color=style.BLUE)
        ax.set(xlabel=STRAIN, title=title)
    axes[0].set_ylabel("stress τ − G₁γ [kPa]")
    return figure


def draw_memory(data: xarray.Dataset) -> Figure:
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(9.5, 4.2), sharey=True)
    for ax, model, title in zip(
        axes, ("solid", "dynamic"), ("(a) solid friction", "(b) dynamic hysteresis"), strict=True
    ):
        ax.plot(1e4 * data["strain"], 1e-3 * data["stress"].sel(model=model), color=style.BLUE)
        turns = data.isel(sample=[0, *range(199, data.sizes["sample"], 200)]).sel(model=model)
        _name_turns(ax, 1e4 * turns["strain"].values, 1e-3 * turns["stress"].values)
        ax.set(xlabel="strain γ [10⁻⁴]", title=title)
    axes[0].set_ylabel("stress τ [kPa]")
    return figure


def _name_turns(ax: Axes, x: Any, y: Any) -> None:
    """Points from A on, in the order in which they are passed; those at one place share a name: "B F"."""
    ax.plot(x, y, "o", ms=4, color=style.ACCENT)
    names: dict[tuple[float, float], str] = {}
    for letter, place in zip(LETTERS, zip(x, np.round(y, 9), strict=True), strict=True):
        names[place] = f"{names[place]} {letter}" if place in names else letter
    for (at, stress), words in names.items():
        above = any(other == at and low < stress for other, low in names)  # room for the name of the one below
        ax.annotate(words, (at, stress), (-12, 4) if above else (6, -10), textcoords="offset points", fontsize=9)


def draw_difference(data: xarray.Dataset) -> Figure:
    from matplotlib import pyplot as plt

    figure, ax = plt.subplots(figsize=(6.5, 4.4))
    for part, label, colour in (
        ("tau_1", "τ₁", style.GREY),
        ("tau_2", "τ₂", style.GREEN),
        ("difference", "τ₁ − τ₂", style.BLUE),
    ):
        ax.plot(1e3 * data["strain"], 1e-3 * data["stress"].sel(part=part), color=colour, label=label)
    ax.set(xlabel=STRAIN, ylabel="stress [kPa]", title="Overshoot as a difference of two")
    ax.legend()
    return figure
