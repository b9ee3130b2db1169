"""Screen output of a band of responses: frequencies and heights of its peaks, and notes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from slipstick.cli.console import BAD_STYLE, console, headline, show_notes, table
from slipstick.study.command_messages import COMMAND

if TYPE_CHECKING:
    from slipstick.results.response_band import ResponseBand

MAX_COORDINATES_SHOWN = 8  # those that move most


def show_band(band: ResponseBand, name: str, source: str, seconds: float) -> None:
    """The summary of a band."""
    from slipstick.results.response_band import too_many_lost
    from slipstick.units.scales import frequency_scale

    screen = console()
    headline(screen, f"{name}: ", f"frequency response of {band.names.model} with {band.laws} from {source}")
    scale = frequency_scale(band.names.units.frequency)
    ends = f"{scale.factor * band.frequency[0]:.4g} to {scale.words(band.frequency[-1], 4)}"
    screen.print(f"{ends}, {seconds:.3g} s in all", soft_wrap=True)
    screen.print()
    if band.doubt:
        headline(screen, f"not to be trusted: {band.doubt}", "", BAD_STYLE)
    if not too_many_lost(band.count, band.drawn):
        outside = 50.0 * (1.0 - band.coverage)
        what = "highest response" if np.isfinite(band.high).all() else "highest stable response"
        screen.print(table((what, f"{outside:g} %", "median", f"{100.0 - outside:g} %"), _rows(band), 3))
        for words in _remarks(band):
            screen.print(words, soft_wrap=True)
    if band.several.any() and not too_many_lost(band.count, band.drawn):
        share = 100.0 * float(band.several.max())
        screen.print(f"up to {share:.0f} % of the laws have several responses at a frequency; the largest is shown")
    for words in band.warnings:
        screen.print(f"warning of the fit: {COMMAND.message(words)}", soft_wrap=True)
    show_notes(screen, band.notes)


def _moving_coordinates(band: ResponseBand) -> list[int]:
    """The coordinates that move most; without those that rest with every law."""
    highest = np.fmax.reduce(band.peaks[1], axis=0)
    order = np.argsort(-highest, kind="stable")
    return [int(i) for i in order if highest[i] != 0.0][:MAX_COORDINATES_SHOWN]


def _remarks(band: ResponseBand) -> list[str]:
    """Which coordinates rest, and which are highest at an end of the range with most of the laws."""
    found = []
    resting = [name for i, name in enumerate(band.coordinates) if np.all(band.peaks[1][:, i] == 0.0)]
    if resting:
        found.append(f"at rest with every law: {', '.join(resting)}")
    ends = band.frequency[0], band.frequency[-1]
    edge = [band.coordinates[i] for i in _moving_coordinates(band) if np.mean(np.isin(band.peaks[0][:, i], ends)) > 0.5]
    if edge:
        found.append(f"highest at an end of the range, beyond which a peak may lie: {', '.join(edge)}")
    return found


def _rows(band: ResponseBand) -> list[tuple[str, ...]]:
    """Quantiles over the laws of their highest response, and of the frequency where it is."""
    from slipstick.units.axes import column_axes
    from slipstick.units.scales import frequency_scale

    scale = frequency_scale(band.names.units.frequency)
    outside = 0.5 * (1.0 - band.coverage)
    rows = []
    for column in _moving_coordinates(band):
        axis = column_axes(band.names.units.coordinates, band.coordinates, [column]).each[0]
        name = band.coordinates[column]
        for what, unit, factor, values in (
            (f"{name}", axis.unit, axis.factor, band.peaks[1][:, column]),
            (f"{name}, at", scale.unit, scale.factor, band.peaks[0][:, column]),
        ):
            ends = np.quantile(factor * values, (outside, 0.5, 1.0 - outside))
            rows.append((f"{what} [{unit}]", *("-" if np.isnan(end) else f"{end:.4g}" for end in ends)))
    return rows
