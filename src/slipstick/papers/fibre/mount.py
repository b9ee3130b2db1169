"""What the paper leaves as ongoing work: a mass on two samples, over frequency and in time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from slipstick.papers.entry import Content, Work
from slipstick.papers.reproduction import Row
from slipstick.papers.rows import judged
from slipstick.papers.trust import trust
from slipstick.plot import style
from slipstick.signals import Signal
from slipstick.systems.fibre import AREA, SAMPLE, THICKNESS, fibre

if TYPE_CHECKING:
    import xarray
    from matplotlib.figure import Figure

    from slipstick.api import Model
    from slipstick.results.curve import Curve

AMPLITUDES = (0.05, 0.5, 2.0, 5.0, 10.0, 20.0)  # N
BETWEEN = (450.0, 750.0)  # rad/s
HARMONICS = 9
MASS = 5.0  # kg
LATER = "ongoing work"  # what the paper calls all of this
MARKS = 18  # orbits of each curve that are found by shooting too, and the peak
PERIODS = 100  # after which a run at a peak has come to its orbit, and what is unstable has not yet grown


def response(work: Work) -> Content:
    """Amplitude over force, over frequency, for rising forces: softer first, then stiffer again."""
    import xarray

    found: dict[str, Any] = {}
    peaks, curves, checks, shots = [], {}, [], []
    for i, force in enumerate(AMPLITUDES):
        work.progress(f"{force:g} N", i / len(AMPLITUDES))
        model = fibre(amplitude=force, mass=MASS)
        curve = model.frequency_response(between=BETWEEN, method="harmonic-balance", harmonics=HARMONICS)
        data, point = curve.data, f"point{i}"
        size = data["amplitude"].sel(coordinate="x").values
        found[f"frequency{i}"] = (point, data["frequency"].values, {"units": "rad/s"})
        found[f"receptance{i}"] = (point, size / force, {"units": "m/N"})
        top = int(np.argmax(size))
        peaks.append((float(data["frequency"][top]), float(size[top]) / THICKNESS))
        curves[f"{force:g} N"] = curve
        checks.append(beside_a_run(model, force, peaks[-1][0], float(size[top]), float(data["error"][top])))
        shot, apart = by_shooting(model, curve, top)
        found[f"marked{i}"] = (f"mark{i}", shot.data["frequency"].values, {"units": "rad/s"})
        found[f"shot{i}"] = (f"mark{i}", shot.data["amplitude"].sel(coordinate="x").values / force, {"units": "m/N"})
        curves[f"{force:g} N by shooting"] = shot
        shots.append(apart)
    data = xarray.Dataset(found, attrs={"forces": np.array(AMPLITUDES)})
    data["peak"] = ("force", np.array([w for w, _ in peaks]), {"units": "rad/s"})
    data["strain"] = ("force", np.array([strain for _, strain in peaks]), {"units": "1"})
    rows = (*_of_peaks(peaks), _of_shooting(shots), *_of_runs(checks))
    return Content(data, rows, f"harmonic balance, {HARMONICS} harmonics, and shooting", trust(curves, "m"))


def by_shooting(model: Model, curve: Curve, top: int) -> tuple[Curve, Apart]:
    """Some orbits of a curve by shooting, its highest among them, and how far those of the curve are from them."""
    marked = np.unique(np.append(np.linspace(0, len(curve.points) - 1, MARKS).round().astype(int), top))
    there = curve.data.isel(point=marked)
    shot = model.frequency_response(at=there["frequency"].values, method="shooting")
    right = shot.data["amplitude"].sel(coordinate="x").values
    apart = np.abs(there["amplitude"].sel(coordinate="x").values - right)
    said = there["error"].values + shot.data["error"].values
    own = float((shot.data["error"].values / right).max())
    return shot, Apart(marked.size, float((apart / right).max()), own, bool((apart <= said).all()))


class Apart(NamedTuple):
    """Orbits by harmonic balance and by shooting: how many, how far apart at most and what shooting says of its error,
    over the amplitude; whether all are within what both say of their errors."""

    orbits: int
    most: float
    error: float
    within: bool


class Check(NamedTuple):
    """A peak by harmonic balance and by a run: how far apart, and what both say of their errors, over the amplitude.

    drift : [m] the mean of a motion that did not settle; 0 where it did.
    """

    force: float
    apart: float
    error: float
    drift: float


def beside_a_run(model: Model, force: float, frequency: float, amplitude: float, error: float) -> Check:
    """The same by integration until the motion repeats; where it never does, after as many periods as it nearly did."""
    data = model.frequency_response(at=[frequency], method="integration").data.isel(point=0)
    here, own = float(data["amplitude"].sel(coordinate="x")), float(data["error"])
    if np.isfinite(own):
        return Check(force, abs(here - amplitude) / amplitude, (error + own) / amplitude, 0.0)
    drift = abs(float(data["mean"].sel(coordinate="x")))
    period = 2.0 * np.pi / frequency
    times = PERIODS * period + np.linspace(0.0, period, 401)
    run = model.simulate(until=times[-1], frequency=frequency, samples=times)
    x = run.data["displacement"].sel(coordinate="x", time=slice(times[0] - 1e-9, None)).values
    return Check(force, abs(0.5 * float(np.ptp(x)) - amplitude) / amplitude, error / amplitude, drift)


def _of_peaks(peaks: list[tuple[float, float]]) -> tuple[Row, ...]:
    """Between the natural frequencies with G_i, where all sticks, and with G1 alone."""
    low, high = (_natural(modulus) for modulus in (SAMPLE["linear"], SAMPLE["linear"] + 2.0 * SAMPLE["stiffness"]))
    first, last, softest = peaks[0], peaks[-1], min(peaks)
    words = [f"{w:.1f} rad/s at strain {strain:.2g}" for w, strain in (first, softest, last)]
    told = (
        f"just below {high:.1f} rad/s, where all sticks",
        f"softer, above {low:.1f} rad/s of G1 alone",
        "stiffer again",
    )
    holds = 0.97 * high <= first[0] < high, low < softest[0] < first[0], last[0] > softest[0]
    names = "smallest force: resonance", "softest resonance", "largest force: resonance"
    each = zip(names, words, holds, told, strict=True)
    return tuple(judged(name, LATER, word, same=held, told=say) for name, word, held, say in each)


def _of_shooting(shots: list[Apart]) -> Row:
    count, most, error = sum(one.orbits for one in shots), max(one.most for one in shots), max(o.error for o in shots)
    told = f"{100.0 * most:.2g} % from harmonic balance at most; own errors up to {100.0 * error:.1g} %"
    held = all(one.within for one in shots)
    return judged(f"{count} orbits by shooting", LATER, told, same=held, told="within what both say of their errors")


def _of_runs(checks: list[Check]) -> list[Row]:
    settled = [one for one in checks if not one.drift]
    others = [one for one in checks if one.drift]
    rows = [_beside(f"peaks by runs until they repeat, {len(settled)} forces", settled, "")] if settled else []
    if others:
        told = ", ".join(f"{one.force:g} N {1e6 * one.drift:.0f} um" for one in others)
        rows.append(_beside(f"peaks by runs of {PERIODS} periods", others, f"; later a mean grows: {told}"))
    return rows


def _beside(quantity: str, checks: list[Check], more: str) -> Row:
    worst = max(one.apart for one in checks)
    told = f"{100.0 * worst:.2g} % from harmonic balance at most{more}"
    held = all(one.apart <= one.error for one in checks)
    return judged(quantity, LATER, told, same=held, told="within what both say of their errors")


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
            LATER,
            f"{float(np.abs(data['x']).max()) / THICKNESS:.2g}",
            "no numbers to compare",
        ),
    )
    return Content(data, rows, f"{run.stats.method}: {run.stats.steps} steps", trust(run, "m"))


def draw_response(data: xarray.Dataset) -> Figure:
    from matplotlib import pyplot as plt

    figure, ax = plt.subplots(figsize=(8.0, 5.0))
    for i, force in enumerate(data.attrs["forces"]):
        color = plt.get_cmap("viridis")(i / 6.0)
        ax.semilogy(data[f"frequency{i}"], data[f"receptance{i}"], color=color, label=f"{force:g} N")
        ax.semilogy(data[f"marked{i}"], data[f"shot{i}"], "o", color=color, markersize=4.5, fillstyle="none")
    ax.set(xlabel="frequency [rad/s]", ylabel="amplitude / force [m/N]", title="A mass of 5 kg on two fibre samples")
    forces = ax.legend(title="force", ncols=2, loc="upper left")
    (line,) = ax.plot([], [], color="0.3", label="harmonic balance")
    (mark,) = ax.plot([], [], "o", color="0.3", markersize=4.5, fillstyle="none", label="shooting")
    ax.legend(handles=[line, mark], loc="lower center", ncols=2)
    ax.add_artist(forces)
    return figure


def draw_transient(data: xarray.Dataset) -> Figure:
    from matplotlib import pyplot as plt

    figure, ax = plt.subplots(figsize=(8.0, 4.0))
    ax.plot(1e3 * data["time"], 1e6 * data["x"], color=style.BLUE)
    ax.set(xlabel="time [ms]", ylabel="displacement [µm]", title="The mount after a push of 2 ms, 900 N")
    return figure
