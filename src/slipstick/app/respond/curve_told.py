"""What is told of a curve: that it is a preview or a first look, its certificate, its peaks and special points."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from nicegui import ui

from slipstick.app import parts
from slipstick.app.respond.kept import Bench
from slipstick.app.respond.motion import show_word
from slipstick.app.respond.shown import STABLE, CurveShown

FINE = 120  # points of a full curve at some frequencies
MOST_SPECIAL = 12
MOVING = 0.01  # of the largest amplitude
LOOK = (
    "The curve of this model takes long. This is a first look, by short runs at one frequency after the other; follow "
    "the curve for orbits with their stability, over a small range first."
)
PREVIEW = "Preview: {} points while numbers change; the full curve of {} points follows."
SHARP = (
    "The largest amplitude of {} is that of one point, and those beside it are much lower: the tip lies between them "
    "and may be higher. Follow the curve to find it."
)
COARSE = "Preview: {} points; follow the curve to see all of it."


def is_coarse(bench: Bench) -> bool:
    """The curve has fewer points than it will have when the knobs rest."""
    count = len(bench.curve.shown.frequency) if bench.curve else FINE
    return count < FINE and not bench.whole and not bench.long


def preview(bench: Bench, finer: bool) -> str:
    """That a curve is a preview, as long as it is one.   finer : one of more points is to come."""
    if bench.curve is None or not is_coarse(bench):
        return ""
    return (PREVIEW if finer else COARSE).format(len(bench.curve.shown.frequency), FINE)


def tell_curve(bench: Bench, again: Callable[[], Any]) -> None:
    """Everything in words that stands below a curve.   again : called by whoever wants another try at a quick one."""
    assert bench.curve is not None
    shown = bench.curve.shown
    parts.remarks(bench.curve.remarks)
    if bench.long and not bench.whole:
        parts.note(LOOK)
        if bench.late is not None:
            ui.button("try a quick curve again", on_click=parts.handled(again)).props("flat dense no-caps")
    show_word(shown.word)
    heads = ("coordinate", f"at [{shown.unit}]", "largest amplitude", "largest rms, with the mean", "")
    rows = [
        (own.name, f"{own.at:.6g}", f"{own.size:.6g} {own.unit}", f"{own.rms:.6g} {own.unit}", STABLE[own.stable])
        for own in shown.peaks
    ]
    parts.table(heads, rows)
    if sharp := [own.name for own in shown.peaks if own.sharp]:
        parts.note(SHARP.format(", ".join(sharp)), "warning")
    if shown.special:
        _specials(shown, bench.panel)


def _specials(shown: CurveShown, panel: str) -> None:
    line = shown.panels[panel]
    places = zip(shown.special, shown.places, strict=True)
    each = Counter((kind, at, f"{line.y[k]:.6g}") for (kind, k), at in places)
    rows = [row if count == 1 else (f"{count} x {row[0]}", *row[1:]) for row, count in each.items()]
    unit = f" [{line.unit}]" if line.unit else ""
    parts.table(("special point", f"at [{shown.unit}]", f"{panel}{unit}"), rows[:MOST_SPECIAL], numbers=2)
    if len(rows) > MOST_SPECIAL:
        parts.note(f"and {len(rows) - MOST_SPECIAL} more; the data have all of them")


def moving(shown: CurveShown) -> str:
    """What is shown first: the amplitude of the first coordinate that moves, beside the others."""
    sizes = {key: max(map(abs, line.y)) for key, line in shown.panels.items() if line.what == "amplitude"}
    largest = max(sizes.values(), default=0.0)
    return next((key for key, size in sizes.items() if size >= MOVING * largest), next(iter(shown.panels)))
