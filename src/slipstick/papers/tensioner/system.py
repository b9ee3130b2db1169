"""Figs 16 to 20 and (58): belt, tensioner and mass under (52), (53), with both laws."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from slipstick.papers.entry import Content, Work
from slipstick.papers.reproduction import Row
from slipstick.plot import style
from slipstick.systems.tensioner import tensioner

if TYPE_CHECKING:
    import xarray
    from matplotlib.figure import Figure

    from slipstick.api import Model

OMEGA = 73.15  # rad/s, (53)
CASE = {"amplitude": 122.1, "frequency": OMEGA, "mean": 3.5, "phase": 0.40}
BEGIN = 1.6e-3  # s, (40b)
WINDOW = 3.0 + 1e-5 * np.arange(30_001)  # s: [3, 3.3]; (58) looks at its first half
STEP = 1e-5  # s, (57)
LAWS = ("modified-dahl", "masing")
NAMES = {"modified-dahl": "modified Dahl", "masing": "Masing"}
LOOKS: dict[str, dict[str, Any]] = {
    "modified-dahl": {"color": style.BLUE, "ls": "--"},
    "masing": {"color": style.ACCENT, "ls": "-."},
}
PRINTED = {"modified-dahl": (4.36e-3, 4.34e-3), "masing": (4.42e-3, 4.40e-3)}  # of (58)
SCHEME = {"masing": (4.42006e-3, 4.40061e-3)}  # by (A.7) at 1e-5 s, computed apart


def model(law: str) -> Model:
    """The system of section 4 in the case (53), in balance at its start."""
    return tensioner(law, **CASE, balanced_at=BEGIN)


def histories(work: Work) -> Content:
    """u1, u2, F and T over [3, 3.3] s by both laws; (58) for each."""
    import xarray

    keys = ("u1", "u2", "F", "T")
    found, trust, rows = [], [], []
    for i, law in enumerate(LAWS):
        work.progress(NAMES[law], i / 3)
        run = model(law).simulate(until=WINDOW[-1], start=BEGIN, samples=WINDOW)
        at = run.data.sel(time=WINDOW, method="nearest")
        u1, u2 = (at["displacement"].sel(coordinate=name).values for name in ("u1", "u2"))
        force, tension = (at["force"].sel(connection=name).values for name in ("tensioner", "belt"))
        found.append([u1, u2, force, tension])
        trust.append(f"{NAMES[law]}: error {run.certificate.error:.1e} m")
        rows.append(
            _row(law, force, tension, "converged; the paper's scheme is not" if law == "masing" else "converged")
        )
    work.progress("the paper's scheme", 2 / 3)
    rows.append(_by_scheme())
    data = xarray.Dataset(
        {"value": (("law", "quantity", "time"), np.array(found))},
        coords={"law": list(LAWS), "quantity": list(keys), "time": ("time", WINDOW, {"units": "s"})},
    )
    rows.append(
        Row("T0 by (51)", "338 N (55)", "834.01 N", "(51) with (53) gives ours; fluctuations do not depend on it")
    )
    return Content(data, tuple(rows), "exact flow (Masing), adaptive (modified Dahl)", "; ".join(trust))


def _ratios(force: Any, tension: Any) -> tuple[float, float]:
    """max |(F - T)/T| and max |(F - T)/F| over [3, 3.15] s."""
    half = WINDOW <= 3.15 + 1e-9
    apart = np.abs(force - tension)[half]
    return float((apart / np.abs(tension[half])).max()), float((apart / np.abs(force[half])).max())


def _row(law: str, force: Any, tension: Any, why: str) -> Row:
    here, printed = _ratios(force, tension), PRINTED[law]
    return Row(
        f"(58), {NAMES[law]}",
        f"{printed[0]:.2e}, {printed[1]:.2e}",
        f"{here[0]:.4e}, {here[1]:.4e}",
        why if law == "masing" else "does not reproduce: ours is converged",
    )


def _by_scheme() -> Row:
    run = model("masing").simulate(
        until=3.16, start=BEGIN, method="inclusion", step=STEP, samples=WINDOW[WINDOW <= 3.151]
    )
    at = run.data.sel(time=WINDOW[WINDOW <= 3.151], method="nearest")["force"]
    force, tension = (at.sel(connection=name).values for name in ("tensioner", "belt"))
    half = WINDOW[: force.size] <= 3.15 + 1e-9
    apart = np.abs(force - tension)[half]
    here = float((apart / np.abs(tension[half])).max()), float((apart / np.abs(force[half])).max())
    return Row(
        "(58), Masing, by the scheme (A.7)",
        "4.42e-03, 4.40e-03",
        f"{here[0]:.4e}, {here[1]:.4e}",
        "the same: its step is 1e-5 s",
    )


def _aligned(data: xarray.Dataset) -> tuple[xarray.Dataset, float]:
    """Means removed, and Masing's time moved so that its u2 goes up through zero with the other's (Delta t)."""
    moved = data["value"] - data["value"].mean("time")
    phase = {}
    for law in LAWS:
        u2 = moved.sel(law=law, quantity="u2").values
        c = np.sum(u2 * np.exp(-1j * OMEGA * WINDOW))
        phase[law] = float(np.angle(c))
    shift = (phase["masing"] - phase["modified-dahl"]) / OMEGA
    return moved.to_dataset(name="value"), shift


def _over_time(
    data: xarray.Dataset, quantity: str, factor: float, label: str, title: str, mean: bool = False
) -> Figure:
    from matplotlib import pyplot as plt

    moved, shift = _aligned(data)
    figure, ax = plt.subplots(figsize=(7.5, 4.2))
    for law in LAWS:
        one = moved["value"].sel(law=law, quantity=quantity)
        t = data["time"] + (shift if law == "masing" else 0.0)
        base = float(data["value"].sel(law=law, quantity=quantity).mean()) if mean else 0.0
        ax.plot(t, factor * (one + base), label=NAMES[law], **LOOKS[law])
    ax.set(xlabel="time [s]", ylabel=label, title=title, xlim=(3.0, 3.3))
    ax.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=2, borderaxespad=0.2)  # crests fill the frame
    return figure


def draw_all(data: xarray.Dataset) -> Figure:
    """Fig. 16: tension and both displacements of the Masing model, which stand in for what was measured."""
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
    return _over_time(data, "F", 1.0, "force F [N]", "Force of the tensioner", mean=True)


def draw_first(data: xarray.Dataset) -> Figure:
    return _over_time(data, "u1", 1e3, "u₁ − mean [mm]", "Displacement of the mass")


def draw_second(data: xarray.Dataset) -> Figure:
    return _over_time(data, "u2", 1e3, "u₂ − mean [mm]", "Displacement of the pulley")


def draw_loops(data: xarray.Dataset) -> Figure:
    from matplotlib import pyplot as plt

    moved, _ = _aligned(data)
    last = data["time"] > WINDOW[-1] - 2.0 * math.pi / OMEGA
    figure, ax = plt.subplots(figsize=(6.5, 4.6))
    for law in LAWS:
        u2 = moved["value"].sel(law=law, quantity="u2")[last]
        ax.plot(1e3 * u2, data["value"].sel(law=law, quantity="F")[last], label=NAMES[law], **LOOKS[law])
    ax.set(xlabel="u₂ − mean [mm]", ylabel="force F [N]", title="Loops of the tensioner in the system")
    ax.legend()
    return figure
