"""Beyond the paper: the loaded train rattles. Its response over frequency, by exact shooting with arclength."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from slipstick.papers.certificate_summary import certificate_line
from slipstick.papers.entry import EntryContent, EntryRequest
from slipstick.papers.gear.figure_parameters import LOADED
from slipstick.papers.gear.simplifications import simplified_train
from slipstick.papers.knob import printed_values
from slipstick.papers.reproduction import Row
from slipstick.plot import style
from slipstick.results.curve_refinement import refine_curve
from slipstick.systems.gear import gear

if TYPE_CHECKING:
    from collections.abc import Sequence

    import xarray
    from matplotlib.figure import Figure

    from slipstick.results.curve import Curve
    from slipstick.results.orbit import Orbit, OrbitPoint

BETWEEN = (15.0, 45.0)  # rad/s
AMPLITUDES = (0.2, 0.3, 0.4)  # N m, on a mean torque of 1 N m


def rattle_response(request: EntryRequest) -> EntryContent:
    """The amplitude of psi over frequency for several torques, with stability; up and down are one curve."""
    import xarray

    found: dict[str, Any] = {}
    curves, rows = [], []
    for i, amplitude in enumerate(AMPLITUDES):
        request.progress(f"{amplitude} N m", i / len(AMPLITUDES))
        followed = loaded_train(amplitude, **request.changed).frequency_response(between=BETWEEN, method="shooting")
        curve = refine_curve(followed, _heights)
        curves.append(curve)
        data, point = curve.data, f"point{i}"
        size = data["amplitude"].sel(coordinate="psi").values
        found[f"frequency{i}"] = (point, data["frequency"].values, {"units": "rad/s"})
        for name, line in _parts(curve, size).items():
            found[f"{name}{i}"] = (point, line, {"units": "rad"})
        folds = [one for one in curve.special if one["kind"] == "fold"]
        at = [one["point"] for one in folds]
        for name, values in (("frequency", data["frequency"].values), ("amplitude", size)):
            found |= {f"fold_{name}{i}": (f"fold{i}", values[at])} if at else {}  # nothing of length 0 fits a file
        rows.append(_row(amplitude, followed))
    data = xarray.Dataset(found, attrs={"amplitudes": np.array(AMPLITUDES)})
    words = {f"{amplitude:g} N m": curve for amplitude, curve in zip(AMPLITUDES, curves, strict=True)}
    return EntryContent(
        data, tuple(rows), "Simplification 2, exact shooting with arclength", certificate_line(words, "rad")
    )


def _heights(points: Sequence[OrbitPoint]) -> Any:
    """The drawn quantity over frequency; points are added where the line would visibly deviate."""
    return np.log10([[point.amplitude[0]] for point in points])


def _parts(curve: Curve, size: Any) -> dict[str, Any]:
    """The stable and the unstable amplitudes; not a number where it is the other."""
    lines = {"stable": np.full(size.size, np.nan), "unstable": np.full(size.size, np.nan)}
    for stable, points in curve.parts():
        lines["stable" if stable else "unstable"][points] = size[points]
    return lines


def _row(amplitude: float, curve: Curve) -> Row:
    """Folds of the curve, and the contact of the teeth there and at its peak."""
    folds = sorted((one["frequency"], one["point"]) for one in curve.special if one["kind"] == "fold")
    places = ", ".join(f"{value:.3f}" for value, _ in folds)
    top = int(np.argmax([point.amplitude[0] for point in curve.points]))
    seen = [tooth_contact(curve.orbit(point)) for point in (*(point for _, point in folds), top)]
    text = "; ".join(f"{words} at {'the peak' if i == len(folds) else 'a fold'}"
                     for i, words in enumerate(seen) if words not in seen[:i])  # fmt: skip
    return Row(f"folds with {amplitude} N m", "not in the paper", f"{places} rad/s" if places else "none", text)


def tooth_contact(orbit: Orbit) -> str:
    """Contact of the tooth flanks over a period, from the torque that they carry."""
    torque = orbit.data["force"].sel(connection="psi-phi").values
    if torque.min() < 0.0 < torque.max():
        return "teeth strike both flanks"
    return "teeth stay in contact" if np.abs(torque).min() > 0.0 else "contact is lost on one flank"


def keywords(numbers: Mapping[str, float]) -> dict[str, float]:
    """Of the train under a mean torque that phi resists.   numbers : of `LOADED`, as changed."""
    given = {**printed_values(LOADED), **numbers}
    return {**given, "resisting": 2.0 * given["mean"]}


def loaded_train(amplitude: float, **numbers: float) -> Any:
    """Simplification 2 of the loaded train."""
    return simplified_train(gear(amplitude=amplitude, **keywords(numbers)), 2).model


def draw_rattle(data: xarray.Dataset) -> Figure:
    from matplotlib import pyplot as plt

    figure, ax = plt.subplots(figsize=(8.0, 5.0))
    for i, amplitude in enumerate(data.attrs["amplitudes"]):
        frequency, colour = data[f"frequency{i}"].values, style.PALETTE[i]
        ax.plot(frequency, data[f"stable{i}"], color=colour, label=f"{amplitude:g} N m")
        ax.plot(frequency, data[f"unstable{i}"], "--", color=colour, lw=1.1)
        if f"fold_frequency{i}" in data:
            ax.plot(data[f"fold_frequency{i}"], data[f"fold_amplitude{i}"], "o", ms=5, mfc="white", color=colour)
    ax.plot([], [], "--", color=style.GREY, lw=1.1, label="unstable")
    ax.plot([], [], "o", ms=5, mfc="white", color=style.GREY, label="fold")
    ax.set(xlabel="frequency [rad/s]", ylabel="amplitude of the driving end, ψ [rad]", yscale="log")
    ax.set_title("Rattle of a loaded gear train")
    ax.legend(title="amplitude of the torque")
    return figure
