"""The paper's ongoing work: a mass on two samples, over frequency and in time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from slipstick.papers.certificate_summary import certificate_line
from slipstick.papers.comparison_rows import statement_row
from slipstick.papers.entry import EntryContent, EntryRequest
from slipstick.papers.fibre import figure_parameters
from slipstick.papers.reproduction import Row
from slipstick.plot import style
from slipstick.signals import Signal
from slipstick.systems.fibre import SAMPLE_AREA, SAMPLE_PARAMETERS, SAMPLE_THICKNESS, fibre
from slipstick.units.number_format import format_percent

if TYPE_CHECKING:
    from collections.abc import Mapping

    import xarray
    from matplotlib.figure import Figure

    from slipstick.api import Model
    from slipstick.results.curve import Curve

AMPLITUDES = (0.05, 0.5, 2.0, 5.0, 10.0, 20.0)  # N
BETWEEN = (450.0, 750.0)  # rad/s
HARMONICS = 9
MASS = figure_parameters.MASS.value  # kg
ONGOING_WORK_TEXT = "ongoing work"  # words of the paper for this section
SHOOTING_POINTS = 18  # orbits of each curve that are found by shooting too, and the peak
DISTINCT_ORBITS_REL = 0.1  # of an amplitude: so far apart are two motions, not two errors
GROWTH_THRESHOLD = 1e-6  # m, of a mean that has left the orbit; a run that only dies away slowly has less
SETTLING_PERIODS = 100  # a run at a peak has then settled, and unstable parts have not yet grown


def mount_response(request: EntryRequest) -> EntryContent:
    """Amplitude over force, over frequency, for rising forces: softer first, then stiffer again."""
    import xarray

    numbers = request.numbers(figure_parameters.MOUNT)
    between = _between(numbers)
    found: dict[str, Any] = {}
    peaks, curves, checks, shots = [], {}, [], []
    for i, force in enumerate(AMPLITUDES):
        request.progress(f"{force:g} N", i / len(AMPLITUDES))
        model = fibre(amplitude=force, **numbers)
        curve = model.frequency_response(between=between, method="harmonic-balance", harmonics=HARMONICS)
        data, point = curve.data, f"point{i}"
        size = data["amplitude"].sel(coordinate="x").values
        found[f"frequency{i}"] = (point, data["frequency"].values, {"units": "rad/s"})
        found[f"receptance{i}"] = (point, size / force, {"units": "m/N"})
        top = int(np.argmax(size))
        peaks.append(
            CurvePeak(float(data["frequency"][top]), float(size[top]) / SAMPLE_THICKNESS, 0 < top < size.size - 1)
        )
        curves[f"{force:g} N"] = curve
        checks.append(check_against_run(model, force, peaks[-1].frequency, float(size[top]), float(data["error"][top])))
        shot, apart = check_against_shooting(model, curve, top)
        found[f"marked{i}"] = (f"mark{i}", shot.data["frequency"].values, {"units": "rad/s"})
        found[f"shot{i}"] = (f"mark{i}", shot.data["amplitude"].sel(coordinate="x").values / force, {"units": "m/N"})
        curves[f"{force:g} N by shooting"] = shot
        shots.append(apart)
    data = xarray.Dataset(found, attrs={**request.changed, "forces": np.array(AMPLITUDES)})
    data["peak"] = ("force", np.array([one.frequency for one in peaks]), {"units": "rad/s"})
    data["strain"] = ("force", np.array([one.strain for one in peaks]), {"units": "1"})
    folded = [words for words, curve in curves.items() if any(one["kind"] == "fold" for one in curve.special)]
    rows = (*_of_peaks(peaks, numbers), _of_shooting(shots), *_of_runs(checks), *_of_folds(folded, shots))
    return EntryContent(
        data, rows, f"harmonic balance, {HARMONICS} harmonics, and shooting", certificate_line(curves, "m")
    )


class CurvePeak(NamedTuple):
    """Where a curve is highest [rad/s], and the strain there.   within : not at an end of the frequencies."""

    frequency: float
    strain: float
    within: bool

    @property
    def words(self) -> str:
        end = "" if self.within else ", at the end of the frequencies: the resonance lies beyond"
        return f"{self.frequency:.1f} rad/s at strain {self.strain:.2g}{end}"


def _between(numbers: Mapping[str, float]) -> tuple[float, float]:
    """[rad/s] as far from the two natural frequencies as of the mount with the printed law."""
    own, printed = _naturals(numbers), _naturals({**SAMPLE_PARAMETERS, "mass": MASS})
    return BETWEEN[0] * own[0] / printed[0], BETWEEN[1] * own[1] / printed[1]


def _naturals(numbers: Mapping[str, float]) -> tuple[float, float]:
    """[rad/s] with G1 alone, and with G_i, where all sticks."""
    moduli = numbers["linear"], numbers["linear"] + 2.0 * numbers["stiffness"]
    low, high = (_natural(modulus, numbers["mass"]) for modulus in moduli)
    return low, high


def check_against_shooting(model: Model, curve: Curve, top: int) -> tuple[Curve, ShootingDifference]:
    """Some orbits of a curve by shooting, its highest among them, and how far those of the curve are from them."""
    marked = np.unique(np.append(np.linspace(0, len(curve.points) - 1, SHOOTING_POINTS).round().astype(int), top))
    there = curve.data.isel(point=marked)
    shot = model.frequency_response(at=there["frequency"].values, method="shooting")
    right = shot.data["amplitude"].sel(coordinate="x").values
    apart = np.abs(there["amplitude"].sel(coordinate="x").values - right)
    said = there["error"].values + shot.data["error"].values
    own = float((shot.data["error"].values / right).max())
    return shot, ShootingDifference(marked.size, float((apart / right).max()), own, bool((apart <= said).all()))


class ShootingDifference(NamedTuple):
    """Orbits by harmonic balance and by shooting: how many, how far apart at most and what shooting says of its error,
    over the amplitude; whether all are within what both say of their errors."""

    orbits: int
    most: float
    error: float
    within: bool


class RunCheck(NamedTuple):
    """A peak by harmonic balance and by a run: how far apart, and what both say of their errors, over the amplitude.

    drift : [m] the mean of a motion that did not settle; 0 where it did.
    """

    force: float
    apart: float
    error: float
    drift: float


def check_against_run(model: Model, force: float, frequency: float, amplitude: float, error: float) -> RunCheck:
    """The same by integration until the motion repeats; where it never does, after as many periods as it nearly did."""
    data = model.frequency_response(at=[frequency], method="integration").data.isel(point=0)
    here, own = float(data["amplitude"].sel(coordinate="x")), float(data["error"])
    if np.isfinite(own):
        return RunCheck(force, abs(here - amplitude) / amplitude, (error + own) / amplitude, 0.0)
    drift = abs(float(data["mean"].sel(coordinate="x")))
    period = 2.0 * np.pi / frequency
    times = SETTLING_PERIODS * period + np.linspace(0.0, period, 401)
    run = model.simulate(until=times[-1], frequency=frequency, samples=times)
    x = run.data["displacement"].sel(coordinate="x", time=slice(times[0] - 1e-9, None)).values
    return RunCheck(force, abs(0.5 * float(np.ptp(x)) - amplitude) / amplitude, error / amplitude, drift)


def _of_peaks(peaks: list[CurvePeak], numbers: Mapping[str, float]) -> tuple[Row, ...]:
    """Between the natural frequencies with G_i, where all sticks, and with G1 alone."""
    low, high = _naturals(numbers)
    first, last, softest = peaks[0], peaks[-1], min(peaks)
    words = [one.words for one in (first, softest, last)]
    text = (
        f"just below {high:.1f} rad/s, where all sticks",
        f"softer, above {low:.1f} rad/s of G1 alone",
        "stiffer again",
    )
    holds = 0.97 * high <= first[0] < high, low < softest[0] < first[0], last[0] > softest[0]
    names = "smallest force: resonance", "softest resonance", "largest force: resonance"
    each = zip(names, words, holds, text, strict=True)
    return tuple(statement_row(name, ONGOING_WORK_TEXT, word, same=held, holds=say) for name, word, held, say in each)


def _of_shooting(shots: list[ShootingDifference]) -> Row:
    count, most, error = sum(one.orbits for one in shots), max(one.most for one in shots), max(o.error for o in shots)
    text = f"{format_percent(most)} from harmonic balance at most; own errors up to {format_percent(error, 1)}"
    held = all(one.within for one in shots)
    return statement_row(
        f"{count} orbits by shooting",
        ONGOING_WORK_TEXT,
        text,
        same=held,
        holds="within what both say of their errors",
    )


def _of_folds(folded: list[str], shots: list[ShootingDifference]) -> list[Row]:
    """Where a curve turns back there are several motions at one frequency, of which marks and runs show one."""
    if not folded or all(one.within for one in shots):
        return []
    text = f"under {', '.join(folded)}; marks and runs may show another than the line"
    return [Row("several motions at one frequency", ONGOING_WORK_TEXT, text, "the law is far from linear")]


def _of_runs(checks: list[RunCheck]) -> list[Row]:
    settled = [one for one in checks if not one.drift]
    grown = [one for one in checks if one.drift >= GROWTH_THRESHOLD]
    slow = [one for one in checks if 0.0 < one.drift < GROWTH_THRESHOLD]
    rows = [_beside(f"peaks by runs until they repeat, {len(settled)} forces", settled, "")] if settled else []
    if grown:
        text = ", ".join(f"{one.force:g} N {1e6 * one.drift:.0f} um" for one in grown)
        rows.append(_beside(f"peaks by runs of {SETTLING_PERIODS} periods", grown, f"; later a mean grows: {text}"))
    if slow:
        text = ", ".join(f"{one.force:g} N" for one in slow)
        rows.append(_beside(f"runs that have not settled after {SETTLING_PERIODS} periods", slow, f": {text}"))
    return rows


def _beside(quantity: str, checks: list[RunCheck], more: str) -> Row:
    worst = max(one.apart for one in checks)
    other = "; runs from rest come to another motion" if worst > DISTINCT_ORBITS_REL else ""
    text = f"{format_percent(worst)} from harmonic balance at most{more}{other}"
    held = all(one.apart <= one.error for one in checks)
    return statement_row(quantity, ONGOING_WORK_TEXT, text, same=held, holds="within what both say of their errors")


def _natural(modulus: float, mass: float = MASS) -> float:
    """[rad/s] of a mass on two samples with this modulus."""
    return float(np.sqrt(2.0 * SAMPLE_AREA * modulus / SAMPLE_THICKNESS / mass))


def half_sine_response(request: EntryRequest) -> EntryContent:
    """A half sine on the mount: large at first, then smaller and slower to die away."""
    import xarray

    given = request.numbers(figure_parameters.PUSH)
    push, duration = given.pop("push"), given.pop("duration")
    m = fibre(amplitude=0.0, **given)
    t = np.linspace(0.0, duration, 101)
    m.load(m["x"], Signal(tuple(t), tuple(push * np.sin(np.pi * t / duration))))
    request.progress("run", 0.1)
    run = m.simulate(until=0.15, samples=3001)
    data = xarray.Dataset(
        {"x": ("time", run.data["displacement"].sel(coordinate="x").values, {"units": "m"})},
        coords={"time": ("time", run.data["time"].values, {"units": "s"})},
        attrs=dict(request.changed),
    )
    rows = (
        Row(
            "largest strain",
            ONGOING_WORK_TEXT,
            f"{float(np.abs(data['x']).max()) / SAMPLE_THICKNESS:.2g}",
            "no numbers to compare",
        ),
    )
    return EntryContent(data, rows, f"{run.stats.method}: {run.stats.steps} steps", certificate_line(run, "m"))


def draw_response(data: xarray.Dataset) -> Figure:
    from matplotlib import pyplot as plt

    figure, ax = plt.subplots(figsize=(8.0, 5.0))
    mass = data.attrs.get("mass", MASS)
    for i, force in enumerate(data.attrs["forces"]):
        color = plt.get_cmap("viridis")(i / 6.0)
        ax.semilogy(data[f"frequency{i}"], data[f"receptance{i}"], color=color, label=f"{force:g} N")
        ax.semilogy(data[f"marked{i}"], data[f"shot{i}"], "o", color=color, markersize=4.5, fillstyle="none")
    ax.set(
        xlabel="frequency [rad/s]",
        ylabel="amplitude / force [m/N]",
        title=f"A mass of {mass:g} kg on two fibre samples",
    )
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
    push, duration = (data.attrs.get(knob.name, knob.value) for knob in figure_parameters.PUSH[:2])
    title = f"The mount after a push of {1e3 * duration:g} ms, {push:g} N"
    ax.set(xlabel="time [ms]", ylabel="displacement [µm]", title=title)
    return figure
