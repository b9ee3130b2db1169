"""Notes on a curve: preview or first look, certificate, peaks and special points."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from nicegui import ui

from slipstick.app import widgets
from slipstick.app.respond.display_data import STABILITY_LABELS, CurveDisplay
from slipstick.app.respond.motion_view import show_certificate
from slipstick.app.respond.page_state import RespondState

FULL_CURVE_POINTS = 120  # points of a full curve
MAX_SPECIAL_LISTED = 12
MOVING_AMPLITUDE_REL = 0.01  # of the largest amplitude
FIRST_LOOK_TEXT = (
    "The curve of this model takes long, so this is a first look by short runs, one frequency after "
    "the other. Follow the curve for orbits and stability, over a small range first."
)
PREVIEW_TEXT = "Preview: {} points while numbers change; the full curve of {} points follows."
SHARP_PEAK_TEXT = (
    "The largest amplitude of {} is a single point with much lower neighbours: the peak may be higher. "
    "Follow the curve to find it."
)
OTHER_BRANCHES_TEXT = (
    "Other branches, in green, reach {:.6g} {}. Tables, orbits and CSV are of the first curve; netCDF has all branches."
)
COARSE_TEXT = "Preview: {} points; follow the curve to see all of it."


def is_preview(state: RespondState) -> bool:
    """True if a full curve will follow when the parameters rest."""
    count = len(state.curve.display.frequency) if state.curve else FULL_CURVE_POINTS
    return count < FULL_CURVE_POINTS and not state.traced and not state.is_slow


def preview_note(state: RespondState, finer: bool) -> str:
    """The note on a preview; empty for other curves.   finer : a full curve will follow."""
    if state.curve is None or not is_preview(state):
        return ""
    return (PREVIEW_TEXT if finer else COARSE_TEXT).format(len(state.curve.display.frequency), FULL_CURVE_POINTS)


def show_curve_notes(state: RespondState, again: Callable[[], Any]) -> None:
    """Show all notes on a curve.   again : called to try a full curve again."""
    assert state.curve is not None
    display = state.curve.display
    widgets.warning_lines(state.curve.warnings)
    if state.is_slow and not state.traced:
        widgets.note(FIRST_LOOK_TEXT)
        if state.slow_knobs is not None:
            ui.button("try a quick curve again", on_click=widgets.with_error_notification(again)).props(
                "flat dense no-caps"
            )
    show_certificate(display.certificate)
    heads = ("coordinate", f"at [{display.unit}]", "largest amplitude", "largest rms, with the mean", "stability")
    rows = [
        (
            own.name,
            own.at_text,
            f"{own.size_text} {own.unit}",
            f"{own.rms:.6g} {own.unit}",
            STABILITY_LABELS[own.stable],
        )
        for own in display.peaks
    ]
    widgets.table(heads, rows)
    if sharp := [own.name for own in display.peaks if own.sharp]:
        widgets.note(SHARP_PEAK_TEXT.format(", ".join(sharp)), "warning")
    if words := other_branches_note(display, state.panel):
        widgets.note(words, "warning")
    if display.special:
        _show_special_points(display, state.panel)


def other_branches_note(display: CurveDisplay, panel: str) -> str:
    """The largest value of other branches in a panel, and what does not show them; empty without branches."""
    lines = [branch.panels[panel] for branch in display.others if panel in branch.panels]
    return OTHER_BRANCHES_TEXT.format(max(max(line.y) for line in lines), lines[0].unit) if lines else ""


def _show_special_points(display: CurveDisplay, panel: str) -> None:
    line = display.panels[panel]
    places = zip(display.special, display.places, strict=True)
    each = Counter((kind, at, f"{line.y[k]:.6g}") for (kind, k), at in places)
    rows = [row if count == 1 else (f"{count} x {row[0]}", *row[1:]) for row, count in each.items()]
    unit = f" [{line.unit}]" if line.unit else ""
    widgets.table(("special point", f"at [{display.unit}]", f"{panel}{unit}"), rows[:MAX_SPECIAL_LISTED], numbers=2)
    if len(rows) > MAX_SPECIAL_LISTED:
        widgets.note(f"and {len(rows) - MAX_SPECIAL_LISTED} more; the data have all of them")


def default_quantity(display: CurveDisplay) -> str:
    """The quantity to show first: the amplitude of the first coordinate that moves noticeably."""
    sizes = {key: max(map(abs, line.y)) for key, line in display.panels.items() if line.what == "amplitude"}
    largest = max(sizes.values(), default=0.0)
    return next(
        (key for key, size in sizes.items() if size >= MOVING_AMPLITUDE_REL * largest), next(iter(display.panels))
    )
