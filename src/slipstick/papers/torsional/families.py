"""Figs 3 and 4: responses over frequency for several orders and phases of the normal load, by three methods."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from slipstick.papers.entry import Content, Work
from slipstick.papers.rows import compared, judged
from slipstick.papers.torsional.beside import COARSE, HARMONICS, METHODS, NAMES, agreement, beside, draw_beside, lag_of
from slipstick.papers.torsional.knobs import LOAD, ORDER, PHASE, ZETA
from slipstick.papers.trust import Evidence, trust
from slipstick.systems.torsional import torsional

if TYPE_CHECKING:
    import xarray
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from slipstick.papers.reproduction import Row

FREQUENCIES = np.linspace(0.1, 2.0, 191)
ORDERS = (0.0, 0.5, 1.0, 2.0)
PHASES = (0.0, 60.0, 90.0, 120.0)  # degrees
OF_ORDERS, OF_PHASES = (ZETA, *LOAD, PHASE), (ZETA, *LOAD, ORDER)
BELOW = ("0.252", "0.899")  # where n = 2 lies below n = 0, by another program
LEAP = 0.08  # of pi, between neighbouring frequencies
RMS = r"rms of θ [$T_p/K$]"
METHOD = (
    f"exact shooting at {FREQUENCIES.size} frequencies; harmonic balance with {HARMONICS} harmonics, and runs until "
    f"they repeat, at {COARSE.size} from {COARSE[0]:g} on (balance takes minutes below); zeta = "
)


def orders(work: Work) -> Content:
    """n = 0, 1/2, 1, 2 with N0 = 0.5, A = 0.3, phi = 0."""
    numbers = work.numbers(OF_ORDERS)
    data, trusted = _family(work, "order", ORDERS, [{**numbers, "order": n} for n in ORDERS])
    rms = data["rms"]
    by_order = {n: rms.sel(order=n).values for n in ORDERS}
    others = np.max([by_order[n] for n in ORDERS if n != 1.0], axis=0)
    onset = crossings(FREQUENCIES, by_order[1.0] - others)[-1:]
    below = crossings(FREQUENCIES, by_order[2.0] - by_order[0.0])
    before = float(rms.sel(frequency=onset[-1], method="pad").idxmax("order")) if onset else math.nan
    tops = {n: float(by_order[n].max()) for n in ORDERS}
    rows = [
        compared(
            "n = 1 is the highest of all above",
            onset,
            form=".3f",
            paper="higher frequencies",
            independent=("1.816",) * len(onset),
            why=f"the prose has no bound; n = {before:g} is the highest just below it",
        ),
        compared(
            "n = 2 lies below n = 0 between",
            below,
            form=".3f",
            paper="almost over the entire range",
            independent=[BELOW[min(i, 1)] for i in range(len(below))],
            why="with zeta = 0.05 only there; the paper gives no zeta",
        ),
        judged(
            "n = 2 is the highest at the peak",
            "yes",
            f"largest rms {tops[2.0]:.3f}, with n = 0 {tops[0.0]:.3f}",
            same=tops[2.0] == max(tops.values()),
        ),
        *_agreement(data),
    ]
    return Content(data, tuple(rows), f"{METHOD}{numbers['damping_ratio']:g}", trusted)


def phases(work: Work) -> Content:
    """phi = 0, 60, 90, 120 degrees with n = 1; the rms, and the lag of the largest angle behind the largest torque."""
    numbers = work.numbers(OF_PHASES)
    zeta = numbers["damping_ratio"]
    data, trusted = _family(work, "phase", PHASES, [{**numbers, "phase": math.radians(phi)} for phi in PHASES])
    peaks = data["rms"].max("frequency")
    spread = float((peaks.max() - peaks.min()) / peaks.mean())
    lag, resonance = data["lag"].sel(phase=0.0), float(data["rms"].sel(phase=0.0).idxmax())
    near = np.abs(FREQUENCIES - resonance) < 0.3  # elsewhere it is not one-to-one
    quarter = float(np.interp(0.5 * math.pi, lag.values[near], FREQUENCIES[near]))
    last, end = float(lag[-1]) / math.pi, float(FREQUENCIES[-1])
    linear = math.atan2(2.0 * zeta * end, 1.0 - end**2) / math.pi
    rows = [
        judged(
            "rms: effect of phi on the peak",
            "minimal",
            f"{100 * spread:.2f} % between phases",
            same=spread < 0.02,
        ),
        judged(
            "psi is pi/2 (phi = 0) at",
            "resonance",
            f"Omega = {quarter:.3f}; the peak is at {resonance:.3f}",
            same=abs(quarter - resonance) < 0.02,
        ),
        judged(
            "psi beyond the peak",
            "near pi",
            f"{last:.3f} pi at Omega = {end:g}",
            same=last > 0.9,
            why=f"friction turns with the motion and holds the phase back; without it, {linear:.2f} pi",
        ),
        *_agreement(data),
    ]
    return Content(data, tuple(rows), f"{METHOD}{zeta:g}", trusted)


def crossings(x: NDArray[np.float64], y: NDArray[np.float64]) -> list[float]:
    """Where y goes through zero, on straight lines between its points."""
    k = np.flatnonzero(y[:-1] * y[1:] < 0.0)
    return [float(one) for one in x[k] - y[k] * (x[k + 1] - x[k]) / (y[k + 1] - y[k])]


def _agreement(data: xarray.Dataset) -> list[Row]:
    """Both other methods beside shooting, over all curves."""
    exact = data["rms"].interp(frequency=COARSE).values
    return agreement(exact, {one: data[f"rms_{one}"].values for one in METHODS})


def draw_orders(data: xarray.Dataset) -> Figure:
    labels = {0.0: "n = 0", 0.5: "n = 1/2", 1.0: "n = 1", 2.0: "n = 2"}
    figure = _drawn(data["rms"], "order", labels, RMS, "Effect of the normal load's order")
    return _finished(figure, data, "rms")


def draw_rms(data: xarray.Dataset) -> Figure:
    return _finished(
        _drawn(data["rms"], "phase", _degrees(data), RMS, "Effect of the normal load's phase"), data, "rms"
    )


def draw_lag(data: xarray.Dataset) -> Figure:
    title = "Lag of the largest angle behind the largest torque"
    lag = data["lag"] / math.pi
    change = lag.diff("frequency").reindex_like(lag, fill_value=0.0)
    steady = (change < LEAP) & (change > -LEAP)  # otherwise it went over from one of two humps to the other
    figure = _drawn(lag.where(steady), "phase", _degrees(data), "pseudo lag ψ [π rad]", title)
    ax = figure.axes[0]
    ax.axhline(0.5, color="0.6", lw=0.8, zorder=0)
    ax.set(ylim=(-0.25, 1.0), yticks=[-0.25, 0.0, 0.25, 0.5, 0.75, 1.0])
    return _finished(figure, data, "lag", 1.0 / math.pi)


def _finished(figure: Figure, data: xarray.Dataset, quantity: str, scale: float = 1.0) -> Figure:
    """The other methods, and the legend."""
    draw_beside(figure.axes[0], data, quantity, scale)
    figure.axes[0].legend()
    return figure


def _family(
    work: Work, name: str, values: tuple[float, ...], given: list[dict[str, float]]
) -> tuple[xarray.Dataset, str]:
    """rms and lag by shooting, at the coarse frequencies by the other methods too; and how far to trust them."""
    import xarray

    found: dict[str, list[Any]] = {}
    trusted: dict[str, list[Evidence]] = {}
    for i, keywords in enumerate(given):
        work.progress(f"{name} {values[i]:g}", i / len(given))
        model = torsional(**keywords)
        curve = model.frequency_response(at=FREQUENCIES, method="shooting")
        others = beside(model)
        lines = {
            "rms": curve.data["rms"].values[:, 0],
            "error": curve.data["error"].values,
            "lag": np.array([lag_of(curve.orbit(k)) for k in range(FREQUENCIES.size)]),
            **{f"rms_{one}": others.rms[one] for one in METHODS},
            **{f"lag_{one}": others.lag[one] for one in METHODS},
        }
        for key, line in lines.items():
            found.setdefault(key, []).append(line)
        for key, each in {"shooting": Evidence.of(curve), **others.evidence}.items():
            trusted.setdefault(NAMES.get(key, key), []).append(each)
    coarse = tuple(f"_{one}" for one in METHODS)
    data = xarray.Dataset(
        {
            key: ((name, "coarse" if key.endswith(coarse) else "frequency"), np.array(lines), {"units": _unit(key)})
            for key, lines in found.items()
        },
        coords={
            name: list(values),
            "frequency": ("frequency", FREQUENCIES, {"units": "w_n"}),
            "coarse": ("coarse", COARSE, {"units": "w_n"}),
        },
    )
    return data, trust(trusted, "T_p/K")


def _unit(key: str) -> str:
    return "rad" if key.startswith("lag") else "T_p/K"


def _degrees(data: xarray.Dataset) -> dict[float, str]:
    return {float(phi): f"φ = {phi:g}°" for phi in data["phase"].values}


def _drawn(values: xarray.DataArray, over: str, labels: dict[float, str], quantity: str, title: str) -> Figure:
    from matplotlib import pyplot as plt

    ax: Axes
    figure, ax = plt.subplots(figsize=(7.5, 4.8))
    for value, label in labels.items():
        ax.plot(values["frequency"], values.sel({over: value}), label=label)
    ax.set(xlabel=r"frequency Ω [$\omega_n$]", ylabel=quantity, title=title, xlim=(0.0, 2.05))
    return figure
