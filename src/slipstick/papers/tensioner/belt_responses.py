"""Figs 16 to 20 and (58): belt, tensioner and mass under (52), (53), with both laws."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from slipstick.papers.certificate_summary import certificate_line
from slipstick.papers.comparison_rows import number_row, statement_row
from slipstick.papers.entry import EntryContent, EntryRequest
from slipstick.papers.knob import printed_values
from slipstick.papers.reproduction import Row
from slipstick.papers.tensioner import figure_parameters
from slipstick.papers.tensioner.rig import SWING
from slipstick.plot import style
from slipstick.systems.tensioner import tensioner

if TYPE_CHECKING:
    import xarray
    from matplotlib.figure import Figure

    from slipstick.api import Model
    from slipstick.results.run import Run

KNOBS = (*figure_parameters.SYSTEM, *figure_parameters.MASING, *figure_parameters.DAHL)
START_TIME = 1.6e-3  # s, (40b)
WINDOW = 3.0 + 1e-5 * np.arange(30_001)  # s: [3, 3.3]; (58) looks at its first half
STEP = 1e-5  # s, (57)
UNITS = {"u1": "m", "u2": "m", "F": "N", "T": "N"}
SIMILAR_REL = 0.2  # of a range, the largest difference that the word allows
LAWS = ("modified-dahl", "masing")
NAMES = {"modified-dahl": "modified Dahl", "masing": "Masing"}
LINE_STYLES: dict[str, dict[str, Any]] = {
    "modified-dahl": {"color": style.BLUE, "ls": "--"},
    "masing": {"color": style.ACCENT, "ls": "-."},
}
PRINTED_RATIOS = {"modified-dahl": ("4.36e-3", "4.34e-3"), "masing": ("4.42e-3", "4.40e-3")}  # of (58)
CONVERGED_RATIOS = {
    "modified-dahl": ("4.4054e-3", "4.3861e-3"),
    "masing": ("4.40797e-3", "4.38863e-3"),
}  # independent of this
DIFFERENCE_REASONS = {
    "modified-dahl": "does not reproduce: ours is converged",
    "masing": "converged; the paper's scheme is not",
}
RANGE_OF_RIG = 2.0 * SWING  # m: what f1 was chosen for


def model(law: str, numbers: Mapping[str, float] | None = None) -> Model:
    """The system of section 4, in balance at its start.   numbers : of `KNOBS`; the case (53) if left out."""
    given = numbers or printed_values(KNOBS)
    case = {name: given[name] for name in printed_values(figure_parameters.SYSTEM)}
    return tensioner(law, **case, balanced_at=START_TIME, **figure_parameters.of_law(law, given))


def histories(request: EntryRequest) -> EntryContent:
    """u1, u2, F and T over [3, 3.3] s by both laws, as they are and with the shifts of the paper; (58) for each."""
    import xarray

    numbers = request.numbers(KNOBS)
    found, runs, rows = [], {}, []
    for i, law in enumerate(LAWS):
        request.progress(NAMES[law], i / 3)
        run = model(law, numbers).simulate(until=WINDOW[-1], start=START_TIME, samples=WINDOW)
        at = run.data.sel(time=WINDOW, method="nearest")
        u1, u2 = (at["displacement"].sel(coordinate=name).values for name in ("u1", "u2"))
        force, tension = _forces(run, WINDOW)
        found.append([u1, u2, force, tension])
        runs[NAMES[law]] = run
        here, why = _ratios(force, tension, WINDOW), DIFFERENCE_REASONS[law]
        printed, known = PRINTED_RATIOS[law], CONVERGED_RATIOS[law]
        rows.append(number_row(f"(58), {NAMES[law]}", here, form=".4e", printed=printed, independent=known, why=why))
    request.progress("the paper's scheme", 2 / 3)
    runs["scheme (A.7)"], row = _by_scheme(numbers)
    data = _shifted(
        xarray.Dataset(
            {"value": (("law", "quantity", "time"), np.array(found))},
            coords={"law": list(LAWS), "quantity": list(UNITS), "time": ("time", WINDOW, {"units": "s"})},
            attrs={f"units_of_{name}": unit for name, unit in UNITS.items()},
        ),
        numbers["frequency"],
    )
    rows += [row, *_rows(data, numbers)]
    return EntryContent(data, tuple(rows), "exact flow (Masing), adaptive (modified Dahl)", certificate_line(runs, "m"))


def _forces(run: Run, times: Any) -> tuple[Any, Any]:
    """F and T [N] at these times."""
    at = run.data["force"].sel(time=times, method="nearest")
    return at.sel(connection="tensioner").values, at.sel(connection="belt").values


def _ratios(force: Any, tension: Any, times: Any) -> tuple[float, float]:
    """max |(F - T)/T| and max |(F - T)/F| over [3, 3.15] s."""
    half = times <= 3.15 + 1e-9
    apart = np.abs(force - tension)[half]
    return float((apart / np.abs(tension[half])).max()), float((apart / np.abs(force[half])).max())


def _by_scheme(numbers: Mapping[str, float]) -> tuple[Run, Row]:
    times = WINDOW[WINDOW <= 3.151]
    run = model("masing", numbers).simulate(until=3.16, start=START_TIME, method="inclusion", step=STEP, samples=times)
    here = _ratios(*_forces(run, times), times)
    return run, number_row("(58), Masing, by the scheme (A.7)", here, form=".4e", printed=PRINTED_RATIOS["masing"])


def _rows(data: xarray.Dataset, numbers: Mapping[str, float]) -> list[Row]:
    """What each of these figures shows besides (58)."""
    belt: Any = model("masing", numbers).connection("belt").law
    ranges = {name: [float(np.ptp(data["value"].sel(law=law, quantity=name).values)) for law in LAWS] for name in UNITS}
    both = ", ".join(NAMES[law] for law in LAWS)
    areas = [float(np.trapezoid(data["loop_force"].sel(law=law), data["loop_u2"].sel(law=law))) for law in LAWS]
    near = max(abs(value / RANGE_OF_RIG - 1.0) for value in ranges["u2"])
    return [
        number_row("T0 by (51)", belt.preload, form=".2f", unit="N", printed="338", paper="338 N (55)",
                 independent="834.0102", why="(51) with (53) gives ours; fluctuations do not depend on it"),
        Row(f"T: largest less smallest; {both}", "read off a picture",
            ", ".join(f"{value:.1f}" for value in ranges["T"]) + " N", "the measured curve is not published"),
        Row("Delta t by which Masing is moved", "short, not printed", f"{1e3 * float(data['shift']):+.3f} ms",
            "until u2 of both go together"),
        Row(f"u1: largest less smallest; {both}", "read off a picture",
            ", ".join(f"{1e3 * value:.3f}" for value in ranges["u1"]) + " mm", "the measured curve is not published"),
        statement_row(f"u2: largest less smallest; {both}", f"similar to the rig's {1e3 * RANGE_OF_RIG:.2f} mm",
               ", ".join(f"{1e3 * value:.3f}" for value in ranges["u2"]) + " mm", same=near <= SIMILAR_REL),
        Row(f"loop: energy of a cycle; {both}", "not printed",
            ", ".join(f"{value:.4f}" for value in areas) + " J", "sampled at 1e-5 s; measured loops differ by inertia"),
    ]  # fmt: skip


def _shifted(data: xarray.Dataset, omega: float) -> xarray.Dataset:
    """With the shifts of section 4.3: means taken off, and Masing's time moved so that its u2 goes with the other's.

    omega : [rad/s] of the force.
    centred : without means.   moved_time : [s] of each law.   loop_u2, loop_force : the last period, as in Fig. 20.
    """
    period = 2.0 * math.pi / omega
    several = (WINDOW[-1] - WINDOW[0]) // period * period
    whole = WINDOW - WINDOW[0] < several - 0.5 * STEP  # of part of a period the mean would be another
    centred = data["value"] - data["value"].isel(time=whole).mean("time")
    turned = centred.sel(quantity="u2").values[:, whole] * np.exp(-1j * omega * WINDOW[whole])
    phase = dict(zip(LAWS, np.angle(turned.sum(axis=1)).tolist(), strict=True))
    shift = (phase["masing"] - phase["modified-dahl"]) / omega
    last = WINDOW[-1] - period < WINDOW
    moves = np.array([shift if law == "masing" else 0.0 for law in LAWS])
    return data.assign(
        centred=centred,
        shift=((), shift, {"units": "s"}),
        moved_time=(("law", "time"), WINDOW + moves[:, None], {"units": "s"}),
        loop_u2=(("law", "last"), centred.sel(quantity="u2").values[:, last], {"units": "m"}),
        loop_force=(("law", "last"), data["value"].sel(quantity="F").values[:, last], {"units": "N"}),
    )


def _over_time(data: xarray.Dataset, kind: str, quantity: str, factor: float, label: str, title: str) -> Figure:
    from matplotlib import pyplot as plt

    figure, ax = plt.subplots(figsize=(7.5, 4.2))
    for law in LAWS:
        line = data[kind].sel(law=law, quantity=quantity)
        ax.plot(data["moved_time"].sel(law=law), factor * line, label=NAMES[law], **LINE_STYLES[law])
    ax.set(xlabel="time [s]", ylabel=label, title=title, xlim=(3.0, 3.3))
    ax.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=2, borderaxespad=0.2)  # crests fill the frame
    return figure


def draw_all(data: xarray.Dataset) -> Figure:
    """Fig. 16: tension and both displacements of the Masing model, in place of the measured ones."""
    from matplotlib import pyplot as plt

    figure, (top, bottom) = plt.subplots(2, 1, figsize=(7.5, 6.0), sharex=True)
    one = data["value"].sel(law="masing")
    top.plot(data["time"], one.sel(quantity="T"), color=style.BLUE)
    top.set(ylabel="T [N]", title="Tension and displacements, Masing")
    bottom.plot(data["time"], 1e3 * one.sel(quantity="u1"), color=style.BLUE, label="u₁")
    bottom.plot(data["time"], 1e3 * one.sel(quantity="u2"), "-.", color=style.ACCENT, label="u₂")
    bottom.set(xlabel="time [s]", ylabel="displacement [mm]")
    bottom.legend()
    return figure


def draw_force(data: xarray.Dataset) -> Figure:
    return _over_time(data, "value", "F", 1.0, "force F [N]", "Force of the tensioner")


def draw_first(data: xarray.Dataset) -> Figure:
    return _over_time(data, "centred", "u1", 1e3, "u₁ − mean [mm]", "Displacement of the mass")


def draw_second(data: xarray.Dataset) -> Figure:
    return _over_time(data, "centred", "u2", 1e3, "u₂ − mean [mm]", "Displacement of the pulley")


def draw_loops(data: xarray.Dataset) -> Figure:
    from matplotlib import pyplot as plt

    figure, ax = plt.subplots(figsize=(6.5, 4.6))
    for law in LAWS:
        one = data.sel(law=law)
        ax.plot(1e3 * one["loop_u2"], one["loop_force"], label=NAMES[law], **LINE_STYLES[law])
    ax.set(xlabel="u₂ − mean [mm]", ylabel="force F [N]", title="Loops of the tensioner in the system")
    ax.legend()
    return figure
