"""A motion on the page, of a run or an orbit: histories with bands, loops, figures, multipliers, its certificate."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from nicegui import ui

from slipstick.app import parts
from slipstick.app.frame import Desk
from slipstick.app.respond import pictures, tasks
from slipstick.app.respond.shown import Word
from slipstick.app.respond.tasks import RunFound

MOST_MULTIPLIERS = 8
TOLD = {"csv": "a table in the units of this page", "nc": "all of it in SI, for slipstick.open in Python"}


def show_word(word: Word) -> None:
    """What a result says about its own error."""
    with ui.element("div").classes("word"):
        parts.certificate(word.verdict, word.passed, word.doubtful)
        for line in word.lines:
            parts.note(line)


def show_motion(found: RunFound, other: RunFound | None) -> None:
    """other : that of the setting A, below it, if it is another."""
    shown, first = found.shown, other.shown if other and other is not found else None
    parts.remarks(found.remarks)
    show_word(shown.word)
    rows = [*shown.figures, *([("multipliers", _listed(shown.multipliers))] if shown.multipliers else [])]
    parts.table(("figure", "value"), rows)
    ui.plotly(pictures.time_picture(shown, first)).classes("full-width history")
    if shown.late:
        parts.note(shown.late)
    known = {line.name: line for line in first.loops} if first else {}
    with ui.element("div").classes("loops"):
        for line in shown.loops:
            ui.plotly(pictures.loop_picture(line, known.get(line.name))).classes("full-width loop")


def _listed(multipliers: Sequence[tuple[float, float]]) -> str:
    few = [f"{re:.6g}" if not im else f"{re:.6g} {'+' if im > 0 else '-'} {abs(im):.6g}i" for re, im in multipliers]
    more = f" and {len(few) - MOST_MULTIPLIERS} more" if len(few) > MOST_MULTIPLIERS else ""
    size = max(math.hypot(*one) for one in multipliers)
    return f"{', '.join(few[:MOST_MULTIPLIERS])}{more}; the largest has modulus {size:.6g}"


def downloads(desk: Desk, kept: Any, name: str, kinds: Sequence[str]) -> None:
    """Buttons that hand over a result.   kept : gives it, and the quantity of its picture, when one is pressed."""
    words = {"png": "picture (PNG)", "svg": "picture (SVG)", "nc": "data (netCDF)", "csv": "data (CSV)"}

    def button(kind: str) -> None:
        async def hand_over() -> None:
            result, quantity = kept()
            if result is not None:
                content = await desk.staff.do(tasks.as_file, None, result, kind, quantity)
                parts.download(content, f"{name}.{kind}")

        own = ui.button(words[kind], icon="download", on_click=parts.handled(hand_over)).props("flat dense no-caps")
        if kind in TOLD:
            own.tooltip(TOLD[kind])

    with ui.element("div").classes("line downloads"):
        for kind in kinds:
            button(kind)
