"""Fig. 2: one normal load of four harmonics, by harmonic balance, by shooting and by runs, beside a constant load."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from slipstick.papers.certificate_summary import certificate_line
from slipstick.papers.comparison_rows import interpretation_row
from slipstick.papers.entry import EntryContent, EntryRequest
from slipstick.papers.knob import printed_values
from slipstick.papers.torsional import figure_parameters
from slipstick.papers.torsional.full_stick import full_stick_rows, rms_without_rest
from slipstick.papers.torsional.method_comparison import HARMONICS, METHODS, agreement
from slipstick.plot import style
from slipstick.signals import Fourier
from slipstick.systems.torsional import torsional

if TYPE_CHECKING:
    import xarray
    from matplotlib.figure import Figure

    from slipstick.api import Model

KNOBS = (figure_parameters.ZETA, *figure_parameters.FOUR_HARMONICS)
SHOOTING_FREQUENCIES = np.linspace(0.2, 2.0, 181)
COMPARISON_FREQUENCIES = np.linspace(0.2, 2.0, 46)


def compute(request: EntryRequest) -> EntryContent:
    """rms over frequency of the varying load by three methods, and of its mean alone."""
    import xarray

    numbers = request.numbers(KNOBS)
    zeta, load = numbers["damping_ratio"], load_of(numbers)
    varying, constant = model(numbers), torsional(zeta, mean=load.mean, swing=0.0)
    request.progress("shooting", 0.0)
    exact = varying.frequency_response(at=SHOOTING_FREQUENCIES, method="shooting")
    still = constant.frequency_response(at=SHOOTING_FREQUENCIES, method="shooting")
    request.progress("harmonic balance", 0.3)
    balance = varying.frequency_response(at=COMPARISON_FREQUENCIES, method="harmonic-balance", harmonics=HARMONICS)
    request.progress("runs", 0.6)
    runs = varying.frequency_response(at=COMPARISON_FREQUENCIES, method="integration")
    at = {
        "frequency": ("frequency", SHOOTING_FREQUENCIES, {"units": "w_n"}),
        "coarse": ("coarse", COMPARISON_FREQUENCIES, {"units": "w_n"}),
    }
    units = {"units": "T_p/K"}
    data = xarray.Dataset(
        {
            "varying": ("frequency", rms_without_rest(exact), units),
            "constant": ("frequency", rms_without_rest(still), units),
            "balance": ("coarse", rms_without_rest(balance), units),
            "balance_error": ("coarse", balance.data["error"].values, units),
            "runs": ("coarse", rms_without_rest(runs), units),
        },
        coords=at,
        attrs=dict(request.changed),
    )
    truth = data["varying"].interp(frequency=COMPARISON_FREQUENCIES).values
    rows = [
        *agreement(truth, {name: data[name].values for name in METHODS}, "an excellent match"),
        *full_stick_rows({"varying load": exact, "constant load": still}),
        interpretation_row(
            "normal load",
            "as given",
            "cut off below zero",
            f"d goes down to {_lowest(load):.3f}, which no contact can bear",
        ),
    ]
    curves = {"shooting": [exact, still], "harmonic balance": [balance], "runs": [runs]}
    return EntryContent(
        data,
        tuple(rows),
        f"shooting, harmonic balance with {HARMONICS} harmonics, and runs until they repeat; zeta = {zeta:g}",
        certificate_line(curves, "T_p/K"),
    )


def load_of(numbers: Mapping[str, float]) -> Fourier:
    """The normal load d."""
    mean, *each = (numbers[knob.name] for knob in figure_parameters.FOUR_HARMONICS)
    return Fourier(mean, sin=tuple(each[::2]), cos=tuple(each[1::2]))


def _lowest(load: Fourier) -> float:
    """The smallest value of the load over a period."""
    turn = np.linspace(0.0, 2.0 * np.pi, 100_001)
    return float(load.at(turn, 1.0).min())


def model(numbers: Mapping[str, float] | None = None) -> Model:
    """The oscillator under the load d, cut off where it is negative; of the print that is said in the rows."""
    given = numbers or printed_values(KNOBS)
    with warnings.catch_warnings():
        if given == printed_values(KNOBS):
            warnings.filterwarnings("ignore", message="DryFriction: limit is negative")
        return torsional(given["damping_ratio"], load=load_of(given))


def draw(data: xarray.Dataset) -> Figure:
    from matplotlib import pyplot as plt

    figure, ax = plt.subplots(figsize=(7.5, 4.8))
    mean = data.attrs.get("d0", figure_parameters.FOUR_HARMONICS[0].value)
    ax.plot(data["frequency"], data["constant"], color=style.GREY, label=f"constant load {mean:g}, shooting")
    ax.plot(data["frequency"], data["varying"], color=style.BLUE, label="varying load, shooting")
    ax.plot(
        data["coarse"], data["balance"], "o", ms=4, color=style.ACCENT, label=f"harmonic balance, {HARMONICS} harmonics"
    )
    ax.plot(data["coarse"], data["runs"], "s", ms=6, mfc="none", color=style.INK, lw=0, label="runs")
    ax.set(
        xlabel=r"frequency Ω [$\omega_n$]",
        ylabel=r"rms of θ [$T_p/K$]",
        title="A normal load of two orders, by three methods",
    )
    ax.set(xlim=(0.0, 2.05), ylim=(0.0, None))
    ax.legend()
    return figure
