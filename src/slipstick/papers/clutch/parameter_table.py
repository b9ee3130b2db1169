"""Table 1: the numbers of the print, and the keywords of the system with these defaults."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from slipstick.papers.comparison_rows import interpretation_row, number_row
from slipstick.papers.entry import EntryContent, EntryRequest
from slipstick.plot import style
from slipstick.systems.clutch import KINETIC_RATIO, clutch

if TYPE_CHECKING:
    import xarray
    from matplotlib.figure import Figure

    from slipstick.papers.reproduction import Row


FIXED_TEXT = (
    "No number can be changed: these are the numbers of the print themselves, beside those that the clutch has here."
)


class PrintedParameter(NamedTuple):
    """A line of Table 1, or a part of one: symbols, the numbers as they are printed, and our keyword."""

    symbols: str
    keyword: str
    values: tuple[str, ...]
    unit: str


PRINTED_TABLE = (
    PrintedParameter("I_1 .. I_5", "inertias", ("0.2", "12e-3", "83e-4", "2e-4", "18e-2"), "kg m^2"),
    PrintedParameter("m_1 .. m_5", "masses", ("10", "1.17", "0.8", "0.2", "9"), "kg"),
    PrintedParameter("c_34", "hub_damping", ("0.1",), "N m s/rad"),
    PrintedParameter("c_45", "spline_damping", ("0.1",), "N m s/rad"),
    PrintedParameter("c_x, c_y, c_z", "bearing_damping", ("0.1",), "N s/m"),
    PrintedParameter("k_x, k_y, k_z", "bearing_stiffness", ("1e10",), "N/m"),
    PrintedParameter("k_d", "diaphragm_stiffness", ("8e5",), "N m/rad"),
    PrintedParameter("K_dss", "spring_stiffness", ("17500",), "N m/rad"),
    PrintedParameter("K_sc", "spline_stiffness", ("3e5",), "N m/rad"),
    PrintedParameter("T_s", "friction_torque", ("350",), "N m"),
    PrintedParameter("T_m", "mean_torque", ("300",), "N m"),
    PrintedParameter("T_p", "torque_amplitudes", ("250",), "N m"),
    PrintedParameter("mu_s", "static_coefficient", ("0.3",), ""),
    PrintedParameter("b_sc", "spline_half_gap", ("0.2",), "rad"),
    PrintedParameter("b_dss", "spring_half_gap", ("0.125",), "rad"),
    PrintedParameter("alpha_dss", "spring_ratio", ("0.167",), ""),
)
INTERPRETATIONS = (
    ("F_e: engine_frequency", "30 Hz", "30 rad/s", "(6) has no 2 pi, and so Table 2 comes out"),
    ("N_e: cylinders", "not printed", "4", "so that the torque has 120 rad/s, and Table 2 comes out"),
    ("P: clamp_force", "5e5 N/m^2", "5e5 N", "(5) and (10) use it as a force"),
    ("mu_k: friction_coefficient", "0.75 mu_s", f"{KINETIC_RATIO:g} static_coefficient, if left out", "the same"),
    ("T_D: resisting_torque", "T_m", "the mean torque, if left out", "the same"),
)


def default_parameters() -> dict[str, tuple[float, ...]]:
    """Defaults in the signature of the system by keyword."""
    found = {}
    for name, one in inspect.signature(clutch).parameters.items():
        if isinstance(one.default, (int, float, tuple)):
            found[name] = tuple(np.atleast_1d(one.default).astype(float))
    return found


def compute(_: EntryRequest) -> EntryContent:
    """Each number of the print beside the default of its keyword."""
    import xarray

    here = default_parameters()
    rows: list[Row] = [
        number_row(
            f"{one.symbols}: {one.keyword}", here[one.keyword], form="g", unit=one.unit, printed=one.values, within=0.0
        )
        for one in PRINTED_TABLE
    ]
    rows += [interpretation_row(*words) for words in INTERPRETATIONS]
    data = xarray.Dataset(
        {
            one.keyword: (f"of_{one.keyword}", np.array(here[one.keyword]), {"units": one.unit or "1"})
            for one in PRINTED_TABLE
        },
        attrs={"table": "\n".join(" | ".join(row.cells[:3]) for row in rows)},
    )
    return EntryContent(data, tuple(rows), "defaults of ss.systems.clutch", "none: nothing was computed")


def draw(data: xarray.Dataset) -> Figure:
    """The table, as a picture."""
    from matplotlib import pyplot as plt

    lines = [line.split(" | ") for line in data.attrs["table"].split("\n")]
    figure, ax = plt.subplots(figsize=(10.0, 0.30 * len(lines) + 0.8))
    ax.set_axis_off()
    ax.set(xlim=(0.0, 1.0), ylim=(len(lines) + 0.2, -1.0))
    for x, words in zip((0.0, 0.34, 0.68), ("keyword", "paper", "here"), strict=True):
        ax.text(x, -0.5, words, weight="bold", va="center")
    for i, cells in enumerate(lines):
        ax.axhline(i, color=style.GREY, lw=0.4)
        for x, words in zip((0.0, 0.34, 0.68), cells, strict=True):
            ax.text(x, i + 0.5, words, va="center", fontsize=9)
    ax.set_title("Table 1: the numbers of the clutch")
    return figure
