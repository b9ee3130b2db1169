"""Figs 3 and 4: responses over frequency for several orders and phases of the normal load, by three methods."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from slipstick.papers.certificate_summary import ErrorEvidence, certificate_line
from slipstick.papers.comparison_rows import number_row, statement_row
from slipstick.papers.entry import EntryContent, EntryRequest
from slipstick.papers.torsional.figure_parameters import LOAD, ORDER, PHASE, ZETA
from slipstick.papers.torsional.full_stick import full_stick_along, full_stick_rows, rms_without_rest
from slipstick.papers.torsional.method_comparison import (
    COMPARISON_FREQUENCIES,
    HARMONICS,
    METHODS,
    NAMES,
    agreement,
    draw_method_marks,
    method_results,
    phase_lag,
)
from slipstick.systems.torsional import torsional

if TYPE_CHECKING:
    import xarray
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from slipstick.arrays import Array
    from slipstick.papers.reproduction import Row

FREQUENCIES = np.linspace(0.1, 2.0, 191)
ORDERS = (0.0, 0.5, 1.0, 2.0)
PHASES = (0.0, 60.0, 90.0, 120.0)  # degrees
ORDER_PARAMETERS, PHASE_PARAMETERS = (ZETA, *LOAD, PHASE), (ZETA, *LOAD, ORDER)
# by another program: above which n = 1 is the highest, and where n = 2 lies below n = 0
REFERENCE_ONSET, REFERENCE_CROSSINGS = "1.816", ("0.252", "0.899")
HIGHER_FREQUENCIES_TEXT = "higher frequencies"
SYMBOLS = {"order": "n", "phase": "phi"}
LAG_JUMP = 0.08  # of pi, between neighbouring frequencies
RMS_LABEL = r"rms of θ [$T_p/K$]"
METHOD = (
    f"exact shooting at {FREQUENCIES.size} frequencies; harmonic balance with {HARMONICS} harmonics, and runs until "
    f"they repeat, at {COMPARISON_FREQUENCIES.size} from {COMPARISON_FREQUENCIES[0]:g} on (balance takes "
    f"minutes below); zeta = "
)


def orders(request: EntryRequest) -> EntryContent:
    """n = 0, 1/2, 1, 2 with N0 = 0.5, A = 0.3, phi = 0."""
    numbers = request.numbers(ORDER_PARAMETERS)
    data, trusted, resting = _family(request, "order", ORDERS, [{**numbers, "order": n} for n in ORDERS])
    by_order = {n: data["rms"].sel(order=n).values for n in ORDERS}
    tops = {n: float(by_order[n].max()) for n in ORDERS}
    rows = [
        _highest(data["rms"], by_order),
        _below(by_order),
        statement_row(
            "n = 2 is the highest at the peak",
            "yes",
            f"largest rms {tops[2.0]:.3f}, with n = 0 {tops[0.0]:.3f}",
            same=tops[2.0] == max(tops.values()),
        ),
        *_agreement(data),
        *resting,
    ]
    return EntryContent(data, tuple(rows), f"{METHOD}{numbers['damping_ratio']:g}", trusted)


def _highest(rms: xarray.DataArray, by_order: dict[float, NDArray[np.float64]]) -> Row:
    others = np.max([line for n, line in by_order.items() if n != 1.0], axis=0)
    found = positive_intervals(FREQUENCIES, by_order[1.0] - others)
    words = "n = 1 is the highest of all"
    onset = found[-1][0] if found and found[-1][1] is None else None
    if onset is not None:
        before = float(rms.sel(frequency=onset, method="pad").idxmax("order"))
        why = f"the prose has no bound; n = {before:g} is the highest just below it"
        return number_row(
            f"{words} above", onset, form=".3f", paper=HIGHER_FREQUENCIES_TEXT, independent=REFERENCE_ONSET, why=why
        )
    return statement_row(words, HIGHER_FREQUENCIES_TEXT, intervals_text(found), same=False)


def _below(by_order: dict[float, NDArray[np.float64]]) -> Row:
    found = positive_intervals(FREQUENCIES, by_order[0.0] - by_order[2.0])
    words, paper = "n = 2 lies below n = 0", "almost over the entire range"
    ends = [end for one in found for end in one if end is not None]
    if len(found) == 1 and len(ends) == 2:
        why = "with zeta = 0.05 only there; the paper gives no zeta"
        return number_row(f"{words} between", ends, form=".3f", paper=paper, independent=REFERENCE_CROSSINGS, why=why)
    return statement_row(words, paper, intervals_text(found), same=False)


def phases(request: EntryRequest) -> EntryContent:
    """phi = 0, 60, 90, 120 degrees with n = 1; the rms, and the lag of the largest angle behind the largest torque."""
    numbers = request.numbers(PHASE_PARAMETERS)
    zeta = numbers["damping_ratio"]
    data, trusted, resting = _family(
        request, "phase", PHASES, [{**numbers, "phase": math.radians(phi)} for phi in PHASES]
    )
    rows = [*_of_peaks(data), *_of_lag(data, zeta), *_agreement(data), *resting]
    return EntryContent(data, tuple(rows), f"{METHOD}{zeta:g}", trusted)


def _of_peaks(data: xarray.Dataset) -> list[Row]:
    peaks = data["rms"].max("frequency")
    if not float(peaks.max()):  # at rest, with any phase
        return []
    spread = float((peaks.max() - peaks.min()) / peaks.mean())
    here = f"{100 * spread:.2f} % between phases"
    return [statement_row("rms: effect of phi on the peak", "minimal", here, same=spread < 0.02)]


def _of_lag(data: xarray.Dataset, zeta: float) -> list[Row]:
    lag, resonance = data["lag"].sel(phase=0.0), float(data["rms"].sel(phase=0.0).idxmax())
    if bool(lag.isnull().any()):  # at rest: there is none
        return []
    near = np.abs(FREQUENCIES - resonance) < 0.3  # elsewhere it is not one-to-one
    quarter = float(np.interp(0.5 * math.pi, lag.values[near], FREQUENCIES[near]))
    last, end = float(lag[-1]) / math.pi, float(FREQUENCIES[-1])
    linear = math.atan2(2.0 * zeta * end, 1.0 - end**2) / math.pi
    return [
        statement_row(
            "psi is pi/2 (phi = 0) at",
            "resonance",
            f"Omega = {quarter:.3f}; the peak is at {resonance:.3f}",
            same=abs(quarter - resonance) < 0.02,
        ),
        statement_row(
            "psi beyond the peak",
            "near pi",
            f"{last:.3f} pi at Omega = {end:g}",
            same=last > 0.9,
            why=f"friction turns with the motion and holds the phase back; without it, {linear:.2f} pi",
        ),
    ]


def _agreement(data: xarray.Dataset) -> list[Row]:
    """Both other methods beside shooting, over all curves."""
    exact = data["rms"].interp(frequency=COMPARISON_FREQUENCIES).values
    return agreement(exact, {one: data[f"rms_{one}"].values for one in METHODS})


def draw_orders(data: xarray.Dataset) -> Figure:
    labels = {0.0: "n = 0", 0.5: "n = 1/2", 1.0: "n = 1", 2.0: "n = 2"}
    figure = _drawn(data["rms"], "order", labels, RMS_LABEL, "Effect of the normal load's order")
    return _finished(figure, data, "rms")


def draw_rms(data: xarray.Dataset) -> Figure:
    return _finished(
        _drawn(data["rms"], "phase", _degrees(data), RMS_LABEL, "Effect of the normal load's phase"), data, "rms"
    )


def draw_lag(data: xarray.Dataset) -> Figure:
    title = "Lag of the largest angle behind the largest torque"
    lag = data["lag"] / math.pi
    change = lag.diff("frequency").reindex_like(lag, fill_value=0.0)
    steady = (change < LAG_JUMP) & (change > -LAG_JUMP)  # otherwise it went over from one of two humps to the other
    figure = _drawn(lag.where(steady), "phase", _degrees(data), "pseudo lag ψ [π rad]", title)
    ax = figure.axes[0]
    ax.axhline(0.5, color="0.6", lw=0.8, zorder=0)
    ax.set(ylim=(-0.25, 1.0), yticks=[-0.25, 0.0, 0.25, 0.5, 0.75, 1.0])
    return _finished(figure, data, "lag", 1.0 / math.pi)


def _finished(figure: Figure, data: xarray.Dataset, quantity: str, scale: float = 1.0) -> Figure:
    """The other methods, and the legend."""
    draw_method_marks(figure.axes[0], data, quantity, scale)
    figure.axes[0].legend()
    return figure


def _family(
    request: EntryRequest, name: str, values: tuple[float, ...], given: list[dict[str, float]]
) -> tuple[xarray.Dataset, str, list[Row]]:
    """rms and lag by shooting, at the coarse frequencies by the other methods too; how far to trust them; rests."""
    import xarray

    found: dict[str, list[Any]] = {}
    trusted: dict[str, list[ErrorEvidence]] = {}
    curves = {}
    for i, keywords in enumerate(given):
        request.progress(f"{name} {values[i]:g}", i / len(given))
        model = torsional(**keywords)
        curve = model.frequency_response(at=FREQUENCIES, method="shooting")
        curves[f"{SYMBOLS[name]} = {values[i]:g}"] = curve
        others = method_results(model, np.interp(COMPARISON_FREQUENCIES, FREQUENCIES, full_stick_along(curve)) == 1.0)
        lines = {
            "rms": rms_without_rest(curve),
            "error": curve.data["error"].values,
            "lag": np.array([phase_lag(curve.orbit(k)) for k in range(FREQUENCIES.size)]),
            **{f"rms_{one}": others.rms[one] for one in METHODS},
            **{f"lag_{one}": others.lag[one] for one in METHODS},
        }
        for key, line in lines.items():
            found.setdefault(key, []).append(line)
        for key, each in {"shooting": ErrorEvidence.of(curve), **others.evidence}.items():
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
            "coarse": ("coarse", COMPARISON_FREQUENCIES, {"units": "w_n"}),
        },
    )
    return data, certificate_line(trusted, "T_p/K"), full_stick_rows(curves)


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


DISTINGUISHABLE = 1e-6  # T_p/K: closer curves look the same; the error of orbits is smaller

Span = tuple[float | None, float | None]


def positive_intervals(x: Array, y: Array) -> list[Span]:
    """Intervals of x where y is above zero, on straight lines between its points; None where it is so up to an end."""
    sign = np.where(np.abs(y) > DISTINGUISHABLE, np.sign(y), 0.0)
    edges = np.flatnonzero(np.diff(np.concatenate(([False], sign > 0.0, [False])).astype(int)))
    return [
        (_between(x, y, sign, a - 1, a) if a > 0 else None, _between(x, y, sign, b - 1, b) if b < x.size else None)
        for a, b in zip(edges[::2], edges[1::2], strict=True)
    ]


def _between(x: Array, y: Array, sign: Array, k: int, after: int) -> float:
    """Where y goes through zero; from a stretch that is zero, its end."""
    if sign[k] * sign[after] == 0.0:
        return float(x[k] if sign[k] == 0.0 else x[after])
    return float(x[k] - y[k] * (x[after] - x[k]) / (y[after] - y[k]))


def intervals_text(found: list[Span]) -> str:
    """In words: "above 1.816", "below 0.443 and between 0.7 and 0.9", "nowhere"."""
    return " and ".join(_interval_text(*one) for one in found) or "nowhere"


def _interval_text(low: float | None, high: float | None) -> str:
    if low is None:
        return "everywhere" if high is None else f"below {high:.3f}"
    return f"above {low:.3f}" if high is None else f"between {low:.3f} and {high:.3f}"
