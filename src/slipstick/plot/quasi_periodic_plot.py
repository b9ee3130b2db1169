"""Figure of a motion with two frequencies: spectrum, a stretch of time, Poincare section."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from slipstick.errors import InvalidInput, short_repr
from slipstick.name_hints import did_you_mean
from slipstick.plot.style import ACCENT, BLUE, house_style, without_mathtext
from slipstick.plot.title import set_title

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from slipstick.results.quasi_periodic import QuasiPeriodic

SHOWN_DECADES = 6.0  # of the spectrum
LABELLED_LINES = 6  # the strongest, by their orders
LABEL_SPACING = 0.035  # of the highest frequency: nearer labels would overlap
SHOWN_PERIODS, TIME_POINTS = 12, 1500  # of the slower frequency


def plot_quasi_periodic(motion: QuasiPeriodic, coordinate: str | None) -> Figure:
    """See `slipstick.results.quasi_periodic.QuasiPeriodic.plot`."""
    from matplotlib.figure import Figure

    names = motion.names.coordinates
    if coordinate is not None and coordinate not in names:
        hint = did_you_mean(coordinate, names) if isinstance(coordinate, str) else ""
        raise InvalidInput(f"there is no coordinate {short_repr(coordinate)}{hint}").about("coordinate")
    k = int(np.argmax(motion.lines.amplitude)) if coordinate is None else names.index(coordinate)
    name, unit = names[k], motion.names.data_axes[0].unit
    label = f"{name} [{unit}]" if unit else name
    with house_style():
        figure = Figure(figsize=(10.0, 6.0))
        grid = figure.add_gridspec(2, 2, height_ratios=(3, 2))
        spectrum, section, history = (figure.add_subplot(grid[place]) for place in ((0, 0), (0, 1), (1, slice(None))))
        _draw_spectrum(motion, k, spectrum)
        spectrum.set_ylabel(f"amplitude of {label}")
        for tone, colour in ((1, BLUE), (2, ACCENT)):
            cut = motion.section(tone=tone)
            q, v = (cut[part].values[:, k] for part in ("displacement", "velocity"))
            section.plot(q, v, color=colour, label=f"at phase 0 of frequency {tone}")
        section.set(xlabel=label, ylabel=f"velocity [{unit}/s]" if unit else "velocity", title="Poincare sections")
        section.legend(loc="upper left", bbox_to_anchor=(0.0, -0.2), ncols=2)
        time = np.linspace(0.0, SHOWN_PERIODS * 2.0 * np.pi / min(motion.frequencies), TIME_POINTS)
        history.plot(time, motion.motion(time)["displacement"].values[:, k], color=BLUE)
        history.set(xlabel="time [s]", ylabel=label)
        verdict = "" if motion.certificate.passed else f" ({motion.certificate.outcome})"
        set_title(figure, f'"{motion.names.model}" with two frequencies{verdict}')
    return without_mathtext(figure)


def _draw_spectrum(motion: QuasiPeriodic, k: int, axes: Axes) -> None:
    """Lines as stems, the strongest with their orders."""
    data = motion.data
    size = data["amplitude"].values[:, k]
    omega = data["frequency"].values
    floor = 10.0**-SHOWN_DECADES * max(float(size[1:].max(initial=0.0)), 1e-300)
    shown = [int(i) for i in np.flatnonzero((size > floor) & (omega > 0.0))]
    axes.vlines(omega[shown], floor, size[shown], color=BLUE)
    labelled = list[int]()
    for i in sorted(shown, key=lambda i: -size[i]):
        if all(abs(omega[i] - omega[k]) > LABEL_SPACING * omega[shown].max() for k in labelled):
            labelled.append(i)
    for i in labelled[:LABELLED_LINES]:
        orders = ",".join(f"{data[f'order_{tone}'].values[i]:.0f}" for tone in (1, 2))
        axes.annotate(orders, (omega[i], size[i]), (0, 3), textcoords="offset points", ha="center", fontsize=7)
    axes.set_yscale("log")
    axes.set_ylim(floor, 3.0 * max(float(size[shown].max(initial=0.0)), floor))
    axes.set(xlabel="frequency [rad/s]", title="Spectrum, with orders of both frequencies")
