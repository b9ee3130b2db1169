"""Screen output of a nonlinear mode: range, frequency and damping over amplitude, error, notes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from slipstick.cli.console import BAD_STYLE, console, headline, show_notes, table, timing_text

if TYPE_CHECKING:
    from slipstick.results.mode_points import ModePoint
    from slipstick.results.nonlinear_mode import NonlinearMode
    from slipstick.study import Study
    from slipstick.units.scales import Scale

MAX_MODE_ROWS = 12  # amplitudes of the table; the data have all


def show_mode(study: Study, mode: NonlinearMode, seconds: float) -> None:
    """The summary of a mode."""
    from slipstick.study.command_messages import COMMAND
    from slipstick.units.scales import frequency_scale

    screen, stats, points = console(), mode.stats, mode.points
    headline(screen, f"{study.name}: ", f"{study.kind.title} {stats.mode} of {mode.names.model}")
    sustained = "the first one sustained" if stats.sustain == "first" else "all sustained"
    of = "" if stats.norm == "first" else ", amplitudes of all harmonics"
    screen.print(f"by harmonic balance, {stats.harmonics} harmonics, {sustained}{of}", soft_wrap=True)
    amplitude, of = amplitude_scale(mode), f" of {stats.coordinate}" if stats.coordinate else ""
    screen.print(f"{_range(mode, amplitude)}; {timing_text(stats.seconds, seconds)}", soft_wrap=True)
    if mode.partial:
        headline(screen, mode.partial, "", BAD_STYLE)
    if points:
        scale = frequency_scale(mode.names.units.frequency)
        kind = f"amplitude{of}" if stats.coordinate else "modal amplitude"
        heads = (f"{kind} [{amplitude.unit}]", f"frequency [{scale.unit}]", "damping ratio [%]")
        rows: list[tuple[str, ...]] = []
        for k in _selected_rows([point.amplitude for point in points]):
            p = points[k]
            figures = (amplitude.factor * p.amplitude, scale.factor * p.frequency, 100.0 * p.damping_ratio)
            rows.append((f"{figures[0]:.4g}", f"{figures[1]:.{_significant_digits(p)}g}", f"{figures[2]:.4g}"))
        screen.print()
        screen.print(table(heads, rows, numbers=3))
        screen.print()
        screen.print(f"{mode.error_words}, estimated", soft_wrap=True)
        if mode.doubt:
            headline(screen, f"not to be trusted: {COMMAND.message(mode.doubt)}", "", BAD_STYLE)
    show_notes(screen, mode.notes)


def _significant_digits(point: ModePoint) -> int:
    """Of a frequency: those that its error leaves, and one more."""
    if not point.frequency_error > 0.0:
        return 6
    return min(max(math.ceil(math.log10(point.frequency / point.frequency_error)) + 1, 2), 6)


def amplitude_scale(mode: NonlinearMode) -> Scale:
    """How amplitudes are shown: in the unit of the coordinate whose they are."""
    from slipstick.units.axes import column_axes
    from slipstick.units.scales import Scale

    names, name = mode.names, mode.stats.coordinate
    if not name:
        return Scale("kg^0.5 m", 1.0)
    axis = column_axes(names.units.coordinates, names.coordinates, [list(names.coordinates).index(name)]).each[0]
    return Scale(axis.unit, axis.factor)


def _range(mode: NonlinearMode, scale: Scale) -> str:
    """``amplitude 0.01 to 3 mm, 50 points``."""
    amplitudes = [point.amplitude for point in mode.points]
    if not amplitudes:
        return "no points"
    count = f"{len(amplitudes)} point{'' if len(amplitudes) == 1 else 's'}"
    return f"amplitude {scale.factor * min(amplitudes):.4g} to {scale.words(max(amplitudes), 4)}, {count}"


def _selected_rows(amplitudes: list[float]) -> list[int]:
    """The numbers of points that the table has: both ends, and some between whose amplitudes are far apart."""
    along = np.concatenate([[0.0], np.cumsum(np.abs(np.diff(np.log(amplitudes))))])
    wanted = np.linspace(0.0, along[-1], MAX_MODE_ROWS)
    return sorted({0, len(amplitudes) - 1, *(int(np.argmin(np.abs(along - at))) for at in wanted)})
