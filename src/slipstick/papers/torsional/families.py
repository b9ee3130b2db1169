"""Figs 3 and 4: responses over frequency for several orders and phases of the normal load, by exact shooting."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from slipstick.papers.entry import Content, Work
from slipstick.papers.reproduction import Row
from slipstick.systems.torsional import torsional

if TYPE_CHECKING:
    import xarray
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from slipstick.results.orbit import Orbit

FREQUENCIES = np.linspace(0.1, 2.0, 191)
ORDERS = (0.0, 0.5, 1.0, 2.0)
PHASES = (0.0, 60.0, 90.0, 120.0)  # degrees
LEAP = 0.08  # of pi, between neighbouring frequencies
RMS = "rms of θ [T_p/K]"
METHOD = "exact shooting at 191 frequencies, zeta = 0.05 (the paper gives none)"


def orders(work: Work) -> Content:
    """n = 0, 1/2, 1, 2 with N0 = 0.5, A = 0.3, phi = 0."""
    data = _family(work, "order", ORDERS, [{"order": n} for n in ORDERS])
    rms = data["rms"]
    omega, high, low = FREQUENCIES, rms.sel(order=1.0), rms.sel(order=2.0) < rms.sel(order=0.0)
    rows = (
        Row(
            "n = 1 is the highest of all",
            "at higher frequencies",
            f"above {_onset(omega, (rms.max('order') == high).values):.3f}",
            "the prose has no bound; n = 1/2 is the highest below it",
        ),
        Row(
            "n = 2 lies below n = 0",
            "almost over the entire range",
            f"{omega[low.values].min():.3f} to {omega[low.values].max():.3f}",
            "with zeta = 0.05 only there; the paper gives no zeta",
        ),
        Row(
            "n = 2 is the highest at the peak",
            "yes",
            "yes" if float(rms.sel(order=2.0).max()) == float(rms.max()) else "no",
            f"largest rms {float(rms.sel(order=2.0).max()):.3f}, with n = 0 {float(rms.sel(order=0.0).max()):.3f}",
        ),
    )
    return Content(data, rows, METHOD, _trust(data))


def phases(work: Work) -> Content:
    """phi = 0, 60, 90, 120 degrees with n = 1; the rms, and the lag of the largest angle behind the largest torque."""
    data = _family(work, "phase", PHASES, [{"phase": math.radians(phi)} for phi in PHASES], lags=True)
    peaks = data["rms"].max("frequency")
    spread = float((peaks.max() - peaks.min()) / peaks.mean())
    lag, resonance = data["lag"].sel(phase=0.0), float(data["rms"].sel(phase=0.0).idxmax())
    near = np.abs(FREQUENCIES - resonance) < 0.3  # elsewhere it is not one-to-one
    quarter = float(np.interp(0.5 * math.pi, lag.values[near], FREQUENCIES[near]))
    rows = (
        Row("effect of phi on the peak's rms", "minimal", f"{100 * spread:.2f} % between phases", "the same"),
        Row(
            "psi is pi/2 at (phi = 0)",
            "resonance",
            f"Omega = {quarter:.3f}",
            f"the same: the peak is at {resonance:.3f}",
        ),
        Row(
            "psi beyond the peak",
            "near pi",
            f"{float(lag[-1]) / math.pi:.3f} pi at Omega = 2",
            "friction turns with the motion and holds the phase back; without it, 0.98 pi",
        ),
    )
    return Content(data, rows, METHOD, _trust(data))


def draw_orders(data: xarray.Dataset) -> Figure:
    labels = {0.0: "n = 0", 0.5: "n = 1/2", 1.0: "n = 1", 2.0: "n = 2"}
    return _drawn(data["rms"], "order", labels, RMS, "Effect of the normal load's order")


def draw_rms(data: xarray.Dataset) -> Figure:
    return _drawn(data["rms"], "phase", _degrees(data), RMS, "Effect of the normal load's phase")


def draw_lag(data: xarray.Dataset) -> Figure:
    title = "Lag of the largest angle behind the largest torque"
    lag = data["lag"] / math.pi
    change = lag.diff("frequency").reindex_like(lag, fill_value=0.0)
    steady = (change < LEAP) & (change > -LEAP)  # otherwise it went over from one of two humps to the other
    figure = _drawn(lag.where(steady), "phase", _degrees(data), "pseudo lag ψ [π rad]", title)
    ax = figure.axes[0]
    ax.axhline(0.5, color="0.6", lw=0.8, zorder=0)
    ax.set(ylim=(-0.25, 1.0), yticks=[-0.25, 0.0, 0.25, 0.5, 0.75, 1.0])
    return figure


def _family(
    work: Work, name: str, values: tuple[float, ...], given: list[dict[str, float]], lags: bool = False
) -> xarray.Dataset:
    import xarray

    found: dict[str, list[NDArray[np.float64]]] = {"rms": [], "error": [], **({"lag": []} if lags else {})}
    for i, keywords in enumerate(given):
        work.progress(f"{name} {values[i]:g}", i / len(given))
        curve = torsional(**keywords).frequency_response(at=FREQUENCIES, method="shooting")
        found["rms"].append(curve.data["rms"].values[:, 0])
        found["error"].append(curve.data["error"].values)
        if lags:
            found["lag"].append(np.array([_lag(curve.orbit(k)) for k in range(FREQUENCIES.size)]))
    units = {"rms": "T_p/K", "error": "T_p/K", "lag": "rad"}
    stacked = {key: ((name, "frequency"), np.array(rows), {"units": units[key]}) for key, rows in found.items()}
    frequency = ("frequency", FREQUENCIES, {"units": "w_n"})
    return xarray.Dataset(stacked, coords={name: list(values), "frequency": frequency})


def _lag(orbit: Orbit) -> float:
    """[rad] of the largest angle behind the largest torque, -pi to pi; of a plateau its beginning counts.

    Where the angle turns the friction does: the instant is an event, and so among the times of the orbit.
    """
    angle, times = orbit.data["displacement"].values[:, 0], orbit.data["time"].values
    top = angle.max()
    first = int(np.flatnonzero(angle >= top - 1e-11 * abs(top))[0])
    turn = orbit.frequency * (times[first] - times[0]) - 0.5 * math.pi
    return math.remainder(turn, 2.0 * math.pi)


def _trust(data: xarray.Dataset) -> str:
    return f"every orbit closes; largest error {float(data['error'].max()):.1e} T_p/K"


def _onset(omega: NDArray[np.float64], holds: NDArray[np.bool_]) -> float:
    """The frequency from which on it holds to the end."""
    return float(omega[np.flatnonzero(~holds)[-1] + 1])


def _degrees(data: xarray.Dataset) -> dict[float, str]:
    return {float(phi): f"φ = {phi:g}°" for phi in data["phase"].values}


def _drawn(values: xarray.DataArray, over: str, labels: dict[float, str], quantity: str, title: str) -> Figure:
    from matplotlib import pyplot as plt

    ax: Axes
    figure, ax = plt.subplots(figsize=(7.5, 4.8))
    for value, label in labels.items():
        ax.plot(values["frequency"], values.sel({over: value}), label=label)
    ax.set(xlabel="frequency Ω [ω_n]", ylabel=quantity, title=title, xlim=(0.0, 2.0))
    ax.legend()
    return figure
