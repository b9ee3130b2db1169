"""What the paper leaves as ongoing work: a mass on two samples, over frequency and in time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from slipstick.papers.entry import Content, Work
from slipstick.papers.reproduction import Row
from slipstick.plot import style
from slipstick.signals import Signal
from slipstick.systems.fibre import AREA, SAMPLE, THICKNESS, fibre

if TYPE_CHECKING:
    import xarray
    from matplotlib.figure import Figure

AMPLITUDES = (0.05, 0.5, 2.0, 5.0, 10.0, 20.0)  # N
BETWEEN = (450.0, 750.0)  # rad/s
HARMONICS = 9
MASS = 5.0  # kg


def response(work: Work) -> Content:
    """Amplitude over force, over frequency, for rising forces: softer first, then stiffer again."""
    import xarray

    found: dict[str, Any] = {}
    peaks, error = [], 0.0
    for i, force in enumerate(AMPLITUDES):
        work.progress(f"{force:g} N", i / len(AMPLITUDES))
        curve = fibre(amplitude=force, mass=MASS).frequency_response(
            between=BETWEEN, method="harmonic-balance", harmonics=HARMONICS
        )
        data, point = curve.data, f"point{i}"
        size = data["amplitude"].sel(coordinate="x").values
        found[f"frequency{i}"] = (point, data["frequency"].values, {"units": "rad/s"})
        found[f"receptance{i}"] = (point, size / force, {"units": "m/N"})
        top = int(np.argmax(size))
        peaks.append((float(data["frequency"][top]), float(size[top]) / THICKNESS))
        error = max(error, float((data["error"] / data["amplitude"].max()).max()))
    data = xarray.Dataset(found, attrs={"forces": np.array(AMPLITUDES)})
    data["peak"] = ("force", np.array([w for w, _ in peaks]), {"units": "rad/s"})
    data["strain"] = ("force", np.array([strain for _, strain in peaks]), {"units": "1"})
    low, high = (_natural(modulus) for modulus in (SAMPLE["linear"], SAMPLE["linear"] + 2.0 * SAMPLE["stiffness"]))
    softest = int(np.argmin([w for w, _ in peaks]))
    rows = (
        Row("resonance of the smallest force", "ongoing work", f"{peaks[0][0]:.1f} rad/s", f"stuck limit {high:.1f}"),
        Row(
            "softest resonance",
            "ongoing work",
            f"{peaks[softest][0]:.1f} rad/s at strain {peaks[softest][1]:.2g}",
            f"G1 alone gives {low:.1f}",
        ),
        Row(
            "resonance of the largest force",
            "ongoing work",
            f"{peaks[-1][0]:.1f} rad/s at strain {peaks[-1][1]:.2g}",
            "the cubic term makes it stiffer again",
        ),
    )
    return Content(
        data, rows, f"harmonic balance, {HARMONICS} harmonics", f"error at most {100 * error:.2g} % of the largest"
    )


def _natural(modulus: float) -> float:
    """[rad/s] of 5 kg on two samples with this modulus."""
    return float(np.sqrt(2.0 * AREA * modulus / THICKNESS / MASS))


def transient(work: Work) -> Content:
    """A half sine of 2 ms on the mount: large at first, then smaller and slower to die away."""
    import xarray

    m = fibre(amplitude=0.0, mass=MASS)
    t = np.linspace(0.0, 2e-3, 101)
    m.load(m["x"], Signal(tuple(t), tuple(900.0 * np.sin(np.pi * t / 2e-3))))
    work.progress("run", 0.1)
    run = m.simulate(until=0.15, samples=3001)
    data = xarray.Dataset(
        {"x": ("time", run.data["displacement"].sel(coordinate="x").values, {"units": "m"})},
        coords={"time": ("time", run.data["time"].values, {"units": "s"})},
    )
    rows = (
        Row(
            "largest strain",
            "ongoing work",
            f"{float(np.abs(data['x']).max()) / THICKNESS:.2g}",
            f"energy balance to {run.certificate.energy_residual:.0e}",
        ),
    )
    return Content(data, rows, f"{run.stats.method}: {run.stats.steps} steps", f"error {run.certificate.error:.1e} m")


def draw_response(data: xarray.Dataset) -> Figure:
    from matplotlib import pyplot as plt

    figure, ax = plt.subplots(figsize=(8.0, 5.0))
    for i, force in enumerate(data.attrs["forces"]):
        ax.semilogy(
            data[f"frequency{i}"], data[f"receptance{i}"], color=plt.get_cmap("viridis")(i / 6.0), label=f"{force:g} N"
        )
    ax.set(xlabel="frequency [rad/s]", ylabel="amplitude / force [m/N]", title="A mass of 5 kg on two fibre samples")
    ax.legend(title="force", ncols=2)
    return figure


def draw_transient(data: xarray.Dataset) -> Figure:
    from matplotlib import pyplot as plt

    figure, ax = plt.subplots(figsize=(8.0, 4.0))
    ax.plot(1e3 * data["time"], 1e6 * data["x"], color=style.BLUE)
    ax.set(xlabel="time [ms]", ylabel="displacement [µm]", title="The mount after a push of 2 ms, 900 N")
    return figure
