"""Figs 4 to 7 and 12: loops over amplitude and frequency, their deviation from a line, and the backbone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from slipstick.datasets import FIBRE_AMPLITUDES, FIBRE_FREQUENCIES
from slipstick.laws.nonlocal_memory import DynamicHysteresis, FibreShear
from slipstick.papers.comparison_rows import interpretation_row, number_row, statement_row
from slipstick.papers.entry import EntryContent, EntryRequest
from slipstick.papers.fibre import figure_parameters, synthetic_loops
from slipstick.plot import style
from slipstick.systems.fibre import SAMPLE_PARAMETERS, SAMPLE_THICKNESS

if TYPE_CHECKING:
    import xarray
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from slipstick.arrays import Array


LAW = FibreShear(**SAMPLE_PARAMETERS)
G1 = SAMPLE_PARAMETERS["linear"]  # Pa
MAX_STRAIN, STIFFENING_STRAIN = 1e-2, 5e-3  # strain: the largest amplitude, and where stiffening begins
POINTS_PER_BRANCH = 2000  # of a branch
ENERGIES = {1e-3: "1.660708249", 5e-3: "19.29178945"}  # J/m^3 of a cycle, by another program
FIG_7_STRAINS = (1e-3, 4e-3, 1e-2)  # strains of Fig. 7
NO_CHANGE_REL = 0.01  # of a range, up to which "almost no change" holds
LAW_ONLY = "loops of the law; the measured ones are not published"
CLOSED = "closed forms: no step, no tolerance"
ZERO_STRESS = 1e-9  # Pa, what counts as none of stresses in kPa
STRESS = r"stress $\tau_H = \tau - G_1\gamma$ [kPa]"
STRAIN = "strain γ [10⁻³]"


def loop_at(strain: float, law: Any = LAW) -> tuple[Array, Array]:
    """Strain and stress [Pa] along a settled loop, from its upper tip down and back."""
    way = strain * np.sin(np.linspace(0.5 * np.pi, 2.5 * np.pi, 2 * POINTS_PER_BRANCH + 1))
    deflection = np.concatenate((np.linspace(0.0, strain, POINTS_PER_BRANCH), way, way))
    return way, np.asarray(law.trace(deflection))[-way.size :]


def backbone(strains: Array, law: Any = LAW) -> Array:
    """Stress [Pa] at the tips of the loops of these amplitudes: the virgin curve."""
    return np.asarray(law.trace(np.concatenate(([0.0], strains))))[1:]


def law_of(numbers: Mapping[str, float]) -> tuple[FibreShear, float]:
    """The law with these numbers, and G1 [Pa] of its line."""
    return FibreShear(**numbers), numbers["linear"]


def _family(law: Any = LAW, line: float = G1) -> xarray.Dataset:
    """Loops of the ten amplitudes, with the line G1 gamma taken off too, and the backbone."""
    import xarray

    pairs = [loop_at(strain, law) for strain in FIBRE_AMPLITUDES]
    strain, stress = (np.array(part) for part in zip(*pairs, strict=True))
    tips = np.linspace(0.0, MAX_STRAIN, 201)
    pascal = {"units": "Pa"}
    return xarray.Dataset(
        {
            "strain": (("amplitude", "sample"), strain, {"units": "1"}),
            "stress": (("amplitude", "sample"), stress, pascal),
            "without_line": (("amplitude", "sample"), stress - line * strain, pascal),
            "backbone": ("tip", backbone(tips, law) - line * tips, pascal),
        },
        coords={"amplitude": list(FIBRE_AMPLITUDES), "tip": tips},
    )


def single_loop(request: EntryRequest) -> EntryContent:
    """Fig. 4: the loop of the largest amplitude, and the line G1 gamma."""
    numbers = request.numbers(figure_parameters.LAW)
    data = _family(*law_of(numbers)).sel(amplitude=[MAX_STRAIN]).assign_attrs(request.changed)
    initial = numbers["linear"] + 2.0 * numbers["stiffness"]
    rows = (
        interpretation_row("sigma (38)", "1.49e9 Pa", "1.49e6 Pa", "a slip of the pen: then G1 + 2 sigma is "
                                                                   "their own G_i"),
        number_row("G_i = G1 + 2 sigma", initial, form=".3g", unit="Pa", printed="9.14e6"),
        number_row("u0 at this strain", 1e6 * MAX_STRAIN * SAMPLE_THICKNESS, form=".0f", unit="um", printed="100",
                 independent="200", known_as="h gamma_0 with h = 20 mm"),
    )  # fmt: skip
    return EntryContent(data, rows, LAW_ONLY, CLOSED)


def amplitude_loops(request: EntryRequest) -> EntryContent:
    """Figs 5, 6: loops of ten amplitudes without the line, and the backbone."""
    numbers = request.numbers(figure_parameters.LAW)
    law, line = law_of(numbers)
    data = _family(law, line).assign_attrs(request.changed)
    strains = np.array(FIBRE_AMPLITUDES)
    friction = _virgin(strains, numbers["stiffness"], numbers["limit"])
    off = np.abs(friction + numbers["cubic"] * strains**3 - (backbone(strains, law) - line * strains)).max()
    rows = (
        *(number_row(f"energy of a cycle at "
                     f"{strain:g}", cycle_energy(strain, law), form=".6f", unit="J/m^3", independent=known,
                   within=1e-6) for strain, known in ENERGIES.items()),
        statement_row("backbone (36)", "without the overshoot", f"{off:.0f} Pa off at most", same=off <= 1.0,
               why="tips lie on another curve with it"),
        interpretation_row("(28)", "gamma_m^3", "|gamma_m|^3", "as printed rising branches blow up"),
    )  # fmt: skip
    return EntryContent(data, rows, LAW_ONLY, f"{CLOSED}; energies by Simpson's rule")


def _virgin(strains: Array, stiffness: float, limit: float) -> Array:
    """[Pa] (35), the first loading of the dynamic hysteresis model."""
    return limit * (1.0 - np.exp(-2.0 * stiffness / limit * strains))


def cycle_energy(strain: float, law: Any = LAW) -> float:
    """[J/m^3] of one cycle, by Simpson's rule on each branch, over the angle of the cycle."""
    way, stress = loop_at(strain, law)
    angle = np.linspace(0.5 * np.pi, 2.5 * np.pi, way.size)
    power = stress * strain * np.cos(angle)
    weights = np.ones(POINTS_PER_BRANCH + 1)
    weights[1:-1:2], weights[2:-1:2] = 4.0, 2.0
    branches = power[: POINTS_PER_BRANCH + 1], power[POINTS_PER_BRANCH:]
    return float(sum(weights @ branch for branch in branches) * np.pi / (3.0 * POINTS_PER_BRANCH))


def frequency_loops(request: EntryRequest) -> EntryContent:
    """Fig. 7: loops at several frequencies, of the synthetic set in place of the measured one."""
    import xarray

    numbers = request.numbers((*figure_parameters.LAW, figure_parameters.NOISE))
    own = synthetic_loops.loops("fibre-set-1", request.changed)
    loops = dict(zip([(f, a) for f in FIBRE_FREQUENCIES for a in FIBRE_AMPLITUDES], own, strict=True))
    found: dict[str, Any] = {}
    for i, strain in enumerate(FIG_7_STRAINS):
        for j, hertz in enumerate(FIBRE_FREQUENCIES):
            loop = loops[hertz, strain]
            found[f"strain{i}{j}"] = (f"sample{i}{j}", loop.u)
            found[f"stress{i}{j}"] = (f"sample{i}{j}", loop.f - numbers["linear"] * loop.u, {"units": "Pa"})
    data = xarray.Dataset(found, attrs={"strains": np.array(FIG_7_STRAINS), "frequencies": np.array(FIBRE_FREQUENCIES)})
    growth = [float(np.ptp(loops[80.0, strain].f) / np.ptp(loops[1.0, strain].f) - 1.0) for strain in FIG_7_STRAINS]
    small = max(abs(value) for value in growth[:-1])
    held = small <= NO_CHANGE_REL and 2.0 * small < growth[-1]
    rows = (
        statement_row("range of stress, 80 Hz over 1 Hz", "almost no change; a little stiffening at 1e-2",
               ", ".join(f"{100 * value:+.1f} %" for value in growth), same=held),
        interpretation_row("measured loops", "not published", "a synthetic set", "its cubic term grows, as "
                                                                                 "Fig. 16 (d) has it"),
    )  # fmt: skip
    return EntryContent(
        data,
        rows,
        synthetic_loops.source_text("fibre-set-1", request.changed),
        f"none: data with {numbers['noise']:g} Pa of noise",
    )


def masing_loops(request: EntryRequest) -> EntryContent:
    """Fig. 12: loops of the dynamic hysteresis model and its backbone (35)."""
    numbers = request.numbers(figure_parameters.FRICTION)
    law = DynamicHysteresis(stiffness=numbers["stiffness"], limit=numbers["limit"])
    data = _family(law).assign_attrs(request.changed)
    data = data.assign(without_line=data["stress"], backbone=("tip", backbone(data["tip"].values, law)))
    tips = data["tip"].values
    off = float(np.abs(data["backbone"].values - _virgin(tips, **numbers)).max())
    rows = (
        statement_row("backbone", "(35)", f"{off:.0e} Pa from it at most", same=off <= ZERO_STRESS),
        interpretation_row(
            "first loading", "slope sigma (4.1.1)", "slope 2 sigma", "it is the backbone then; theirs is an option"
        ),
    )
    return EntryContent(data, rows, "DynamicHysteresis in closed form", CLOSED)


def draw_single_loop(data: xarray.Dataset) -> Figure:
    from matplotlib import pyplot as plt

    figure, ax = plt.subplots(figsize=(6.5, 4.8))
    loop = data.isel(amplitude=0)
    ax.plot(1e3 * loop["strain"], 1e-3 * loop["stress"], color=style.BLUE, label="loop, γ₀ = 10⁻²")
    ends, slope = np.array([-MAX_STRAIN, MAX_STRAIN]), data.attrs.get("linear", G1)
    ax.plot(1e3 * ends, 1e-3 * slope * ends, "--", color=style.GREY, label=f"G₁γ, G₁ = {1e-6 * slope:.3g} MPa")
    ax.set(xlabel=STRAIN, ylabel="stress τ [kPa]", title="The loop of the largest amplitude")
    ax.legend()
    return figure


def _drawn_loops(ax: Axes, data: xarray.Dataset) -> None:
    for strain in data["amplitude"].values:
        loop = data.sel(amplitude=strain)
        small = strain <= STIFFENING_STRAIN
        words = (
            f"γ₀ {'up to' if small else 'above'} {1e3 * STIFFENING_STRAIN:g}·10⁻³"
            if strain in (STIFFENING_STRAIN, MAX_STRAIN)
            else None
        )
        ax.plot(1e3 * loop["strain"], 1e-3 * loop["without_line"], "-" if small else "--", color=style.BLUE, lw=1.0,
                label=words)  # fmt: skip
    ax.set(xlabel=STRAIN, ylabel=STRESS)


def draw_amplitudes(data: xarray.Dataset) -> Figure:
    from matplotlib import pyplot as plt

    figure, ax = plt.subplots(figsize=(7.0, 5.0))
    _drawn_loops(ax, data)
    ax.set_title("Ten amplitudes, without the linear part")
    ax.legend()
    return figure


def draw_backbone(data: xarray.Dataset) -> Figure:
    from matplotlib import pyplot as plt

    figure, ax = plt.subplots(figsize=(8.4, 5.0))
    _drawn_loops(ax, data)
    for side in (1.0, -1.0):
        label = "backbone" if side > 0 else None
        ax.plot(side * 1e3 * data["tip"], side * 1e-3 * data["backbone"], color=style.ACCENT, lw=2.2, label=label)
        ax.axhline(side * 1e-3 * data.attrs.get("limit", SAMPLE_PARAMETERS["limit"]), color=style.INK, ls=":", lw=1.2)
    ax.plot([], [], ":", color=style.INK, label=r"$\pm\tau_C$")
    ax.set_title("Loops and the backbone through their tips")
    ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))  # loops fill the frame
    return figure


def draw_frequencies(data: xarray.Dataset) -> Figure:
    from matplotlib import pyplot as plt

    strains = data.attrs["strains"]
    figure, axes = plt.subplots(1, len(strains), figsize=(11.0, 4.0))
    for i, (ax, strain) in enumerate(zip(axes, strains, strict=True)):
        for j, hertz in enumerate(data.attrs["frequencies"]):
            ax.plot(1e3 * data[f"strain{i}{j}"], 1e-3 * data[f"stress{i}{j}"], lw=0.8, label=f"{hertz:g} Hz")
        ax.set(xlabel=STRAIN, ylabel=STRESS, title=f"γ₀ = {strain:g}")
    axes[0].legend()
    figure.suptitle("Loops at five frequencies, synthetic", x=0.01, ha="left", weight="bold")
    return figure
