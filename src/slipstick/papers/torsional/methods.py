"""Fig. 2: one normal load of four harmonics, by harmonic balance, by shooting and by runs, beside a constant load."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np

from slipstick.papers.entry import Content, Work
from slipstick.papers.reproduction import Row
from slipstick.plot import style
from slipstick.signals import Fourier
from slipstick.systems.torsional import torsional

if TYPE_CHECKING:
    import xarray
    from matplotlib.figure import Figure

    from slipstick.api import Model

LOAD = Fourier(0.6, sin=(0.2, 0.3), cos=(0.1, -0.5))  # d = [0.6 0.2 0.1 0.3 -0.5]
EXACT = np.linspace(0.2, 2.0, 181)
COARSE = np.linspace(0.2, 2.0, 46)
HARMONICS = 21


def compute(work: Work) -> Content:
    """rms over frequency of the varying load by three methods, and of its mean alone."""
    import xarray

    varying, constant = model(), torsional(mean=LOAD.mean, swing=0.0)
    work.progress("shooting", 0.0)
    exact = varying.frequency_response(at=EXACT, method="shooting").data
    still = constant.frequency_response(at=EXACT, method="shooting").data
    work.progress("harmonic balance", 0.3)
    balance = varying.frequency_response(at=COARSE, method="harmonic-balance", harmonics=HARMONICS).data
    work.progress("runs", 0.6)
    runs = varying.frequency_response(at=COARSE, method="integration").data
    at = {"frequency": ("frequency", EXACT, {"units": "w_n"}), "coarse": ("coarse", COARSE, {"units": "w_n"})}
    units = {"units": "T_p/K"}
    data = xarray.Dataset(
        {
            "varying": ("frequency", exact["rms"].values[:, 0], units),
            "constant": ("frequency", still["rms"].values[:, 0], units),
            "balance": ("coarse", balance["rms"].values[:, 0], units),
            "balance_error": ("coarse", balance["error"].values, units),
            "runs": ("coarse", runs["rms"].values[:, 0], units),
        },
        coords=at,
    )
    truth = data["varying"].sel(frequency=COARSE, method="nearest").values
    apart = [float(np.abs(data[name].values - truth).max()) for name in ("runs", "balance")]
    rows = (
        Row("runs against the orbits", "an excellent match", f"{apart[0]:.1e} T_p/K", "the same"),
        Row(
            f"harmonic balance, {HARMONICS} harmonics",
            "an excellent match",
            f"{apart[1]:.1e} T_p/K",
            "friction jumps, so that balance converges like 1/H only",
        ),
        Row("normal load", "as given", "cut off below zero", "d goes down to -0.036, which no contact can bear"),
    )
    trust = (
        f"orbits close; largest error {float(exact['error'].max()):.1e} T_p/K; "
        f"harmonic balance says {float(data['balance_error'].max()):.1e} of itself"
    )
    return Content(data, rows, "shooting, harmonic balance, and runs until they repeat; zeta = 0.05", trust)


def model() -> Model:
    """The oscillator under the load d, cut off where it is negative, which is said in the rows."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="DryFriction: limit is negative")
        return torsional(load=LOAD)


def draw(data: xarray.Dataset) -> Figure:
    from matplotlib import pyplot as plt

    figure, ax = plt.subplots(figsize=(7.5, 4.8))
    ax.plot(data["frequency"], data["constant"], color=style.GREY, label="constant load 0.6, shooting")
    ax.plot(data["frequency"], data["varying"], color=style.BLUE, label="varying load, shooting")
    ax.plot(
        data["coarse"], data["balance"], "o", ms=4, color=style.ACCENT, label=f"harmonic balance, {HARMONICS} harmonics"
    )
    ax.plot(data["coarse"], data["runs"], "s", ms=6, mfc="none", color=style.INK, lw=0, label="runs")
    ax.set(xlabel="frequency Ω [ω_n]", ylabel="rms of θ [T_p/K]", title="A normal load of two orders, by three methods")
    ax.set(xlim=(0.0, 2.0), ylim=(0.0, None))
    ax.legend()
    return figure
