"""Beyond the paper: the loaded train rattles. Its response over frequency, by exact shooting with arclength."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from slipstick.papers.entry import Content, Work
from slipstick.papers.gear.levels import simplified
from slipstick.papers.reproduction import Row
from slipstick.plot import style
from slipstick.systems.gear import gear

if TYPE_CHECKING:
    import xarray
    from matplotlib.figure import Figure

BETWEEN = (15.0, 45.0)  # rad/s
AMPLITUDES = (0.2, 0.3, 0.4)  # N m, on a mean torque of 1 N m


def compute(work: Work) -> Content:
    """The amplitude of psi over frequency for several torques, with stability; up and down are one curve."""
    import xarray

    found: dict[str, Any] = {}
    folds, error = [], 0.0
    for i, amplitude in enumerate(AMPLITUDES):
        work.progress(f"{amplitude} N m", i / len(AMPLITUDES))
        curve = loaded(amplitude).frequency_response(between=BETWEEN, method="shooting")
        data, point = curve.data, f"point{i}"
        found[f"frequency{i}"] = (point, data["frequency"].values, {"units": "rad/s"})
        found[f"amplitude{i}"] = (point, data["amplitude"].sel(coordinate="psi").values, {"units": "rad"})
        found[f"stable{i}"] = (point, data["stable"].values.astype(np.int8))
        turns = [one for one in curve.special if one["kind"] == "fold"]
        folds.append(sorted(one["frequency"] for one in turns))
        error = max(error, float(data["error"].max()))
        found[f"fold_point{i}"] = (f"fold{i}", np.array([one["point"] for one in turns], dtype=np.int32))
    data = xarray.Dataset(found, attrs={"amplitudes": np.array(AMPLITUDES)})
    rows = tuple(
        Row(
            f"folds with {amplitude} N m",
            "not in the paper",
            ", ".join(f"{value:.3f}" for value in each) + " rad/s" if each else "none",
            "contact is lost (softer), then taken up on the other side (harder)"
            if each
            else "the teeth stay in contact",
        )
        for amplitude, each in zip(AMPLITUDES, folds, strict=True)
    )
    return Content(data, rows, "Simplification 2, exact shooting with arclength", f"largest error {error:.1e} rad")


def loaded(amplitude: float) -> Any:
    """Simplification 2 of the train under a mean torque of 1 N m that phi resists."""
    bearings = {f"{what}_{body}": 0.01 for what in ("damping", "limit") for body in ("psi", "phi")}
    return simplified(gear(amplitude=amplitude, mean=1.0, resisting=2.0, **bearings), 2).model


def draw(data: xarray.Dataset) -> Figure:
    from matplotlib import pyplot as plt

    figure, ax = plt.subplots(figsize=(8.0, 5.0))
    for i, amplitude in enumerate(data.attrs["amplitudes"]):
        frequency, size = data[f"frequency{i}"].values, data[f"amplitude{i}"].values
        stable = data[f"stable{i}"].values.astype(bool)
        colour = style.PALETTE[i]
        ax.plot(frequency, np.where(stable, size, np.nan), color=colour, label=f"{amplitude:g} N m")
        ax.plot(frequency, np.where(_beside(~stable), size, np.nan), "--", color=colour, lw=1.1)
        at = data[f"fold_point{i}"].values
        ax.plot(frequency[at], size[at], "o", ms=5, mfc="white", color=colour)
    ax.set(
        xlabel="frequency [rad/s]", ylabel="amplitude of ψ [rad]", title="Rattle of a loaded gear train", yscale="log"
    )
    ax.legend(title="amplitude of the torque")
    return figure


def _beside(chosen: Any) -> Any:
    """The chosen points and their neighbours, so that lines meet."""
    wide = chosen.copy()
    wide[1:] |= chosen[:-1]
    wide[:-1] |= chosen[1:]
    return wide
