"""What is told of a curve: that it is a preview or a first look, its certificate, its peaks and special points."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from nicegui import ui

from slipstick.app import widgets
from slipstick.app.respond.display_data import STABILITY_LABELS, CurveDisplay
from slipstick.app.respond.motion_view import show_certificate
from slipstick.app.respond.page_state import RespondState

FULL_CURVE_POINTS = 120  # points of a full curve at some frequencies
MAX_SPECIAL_LISTED = 12
MOVING_AMPLITUDE_REL = 0.01  # of the largest amplitude
FIRST_LOOK_TEXT = (
    "The curve of this model takes long. This is a first look, by short runs at one frequency after the other; follow "
    "the curve for orbits with their stability, over a small range first."
)
PREVIEW_TEXT = "Preview: {} points while numbers change; the full curve of {} points follows."
SHARP_PEAK_TEXT = (
    "The largest amplitude of {} is that of one point, and those beside it are much lower: the tip lies between them "
    "and may be higher. Follow the curve to find it."
)
COARSE_TEXT = "Preview: {} points; follow the curve to see all of it."


def is_preview(state: RespondState) -> bool:
    """The curve has fewer points than it will have when the knobs rest."""
    count = len(state.curve.shown.frequency) if state.curve else FULL_CURVE_POINTS
    return count < FULL_CURVE_POINTS and not state.whole and not state.long


def show_preview_note(state: RespondState, finer: bool) -> str:
    """That a curve is a preview, as long as it is one.   finer : one of more points is to come."""
    if state.curve is None or not is_preview(state):
        return ""
    return (PREVIEW_TEXT if finer else COARSE_TEXT).format(len(state.curve.shown.frequency), FULL_CURVE_POINTS)


def show_curve_notes(state: RespondState, again: Callable[[], Any]) -> None:
    """Everything in words that stands below a curve.   again : called by whoever wants another try at a quick one."""
    assert state.curve is not None
    shown = state.curve.shown
    widgets.warning_lines(state.curve.remarks)
    if state.long and not state.whole:
        widgets.note(FIRST_LOOK_TEXT)
        if state.late is not None:
            ui.button("try a quick curve again", on_click=widgets.with_error_notification(again)).props(
                "flat dense no-caps"
            )
    show_certificate(shown.word)
    heads = ("coordinate", f"at [{shown.unit}]", "largest amplitude", "largest rms, with the mean", "")
    rows = [
        (
            own.name,
            f"{own.at:.6g}",
            f"{own.size:.6g} {own.unit}",
            f"{own.rms:.6g} {own.unit}",
            STABILITY_LABELS[own.stable],
        )
        for own in shown.peaks
    ]
    widgets.table(heads, rows)
    if sharp := [own.name for own in shown.peaks if own.sharp]:
        widgets.note(SHARP_PEAK_TEXT.format(", ".join(sharp)), "warning")
    if shown.special:
        _show_special_points(shown, state.panel)


def _show_special_points(shown: CurveDisplay, panel: str) -> None:
    line = shown.panels[panel]
    places = zip(shown.special, shown.places, strict=True)
    each = Counter((kind, at, f"{line.y[k]:.6g}") for (kind, k), at in places)
    rows = [row if count == 1 else (f"{count} x {row[0]}", *row[1:]) for row, count in each.items()]
    unit = f" [{line.unit}]" if line.unit else ""
    widgets.table(("special point", f"at [{shown.unit}]", f"{panel}{unit}"), rows[:MAX_SPECIAL_LISTED], numbers=2)
    if len(rows) > MAX_SPECIAL_LISTED:
        widgets.note(f"and {len(rows) - MAX_SPECIAL_LISTED} more; the data have all of them")


def default_quantity(shown: CurveDisplay) -> str:
    """What is shown first: the amplitude of the first coordinate that moves, beside the others."""
    sizes = {key: max(map(abs, line.y)) for key, line in shown.panels.items() if line.what == "amplitude"}
    largest = max(sizes.values(), default=0.0)
    return next(
        (key for key, size in sizes.items() if size >= MOVING_AMPLITUDE_REL * largest), next(iter(shown.panels))
    )
