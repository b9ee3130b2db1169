"""A motion on the page, of a run or an orbit: histories with bands, loops, figures, multipliers, its certificate."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from nicegui import ui

from slipstick.app import widgets
from slipstick.app.page_frame import PageContext
from slipstick.app.respond import response_figures, tasks
from slipstick.app.respond.display_data import CertificateText
from slipstick.app.respond.tasks import RunResult
from slipstick.errors import InvalidInput

MAX_MULTIPLIERS_LISTED = 8
STALE_TEXT = "what is shown is of another setting of the knobs or another range; wait for the new one"
FILE_HINTS = {"csv": "a table in the units of this page", "nc": "all of it in SI, for slipstick.open in Python"}


def show_certificate(word: CertificateText) -> None:
    """What a result says about its own error."""
    with ui.element("div").classes("word"):
        widgets.certificate(word.verdict, word.kind)
        for line in word.lines:
            widgets.note(line)


def show_motion(found: RunResult, other: RunResult | None) -> None:
    """other : that of the setting A, below it, if it is another."""
    shown, first = found.shown, other.shown if other and other is not found else None
    widgets.warning_lines(found.remarks)
    show_certificate(shown.word)
    rows = [*shown.figures, *([("multipliers", _multiplier_list(shown.multipliers))] if shown.multipliers else [])]
    widgets.table(("figure", "value"), rows)
    ui.plotly(response_figures.time_figure(shown, first)).classes("full-width history")
    if shown.late:
        widgets.note(shown.late)
    known = {line.name: line for line in first.loops} if first else {}
    with ui.element("div").classes("loops"):
        for line in shown.loops:
            ui.plotly(response_figures.loop_figure(line, known.get(line.name))).classes("full-width loop")


def _multiplier_list(multipliers: Sequence[tuple[float, float]]) -> str:
    few = [f"{re:.6g}" if not im else f"{re:.6g} {'+' if im > 0 else '-'} {abs(im):.6g}i" for re, im in multipliers]
    more = f" and {len(few) - MAX_MULTIPLIERS_LISTED} more" if len(few) > MAX_MULTIPLIERS_LISTED else ""
    size = max(math.hypot(*one) for one in multipliers)
    return f"{', '.join(few[:MAX_MULTIPLIERS_LISTED])}{more}; the largest has modulus {size:.6g}"


async def result_file(context: PageContext, kept: bytes | None, quantity: str, kind: str) -> bytes:
    """A result as a file; refused where there is none of the setting that is asked for."""
    if kept is None:
        raise InvalidInput(STALE_TEXT)
    return await context.worker_pool.run(tasks.result_file_bytes, None, kept, kind, quantity)


def download_buttons(context: PageContext, kept: Any, name: str, kinds: Sequence[str]) -> None:
    """Buttons that hand over a result.   kept : gives it, and the quantity of its picture, when one is pressed.

    It gives None where what is shown is of another setting by then.
    """
    words = {"png": "picture (PNG)", "svg": "picture (SVG)", "nc": "data (netCDF)", "csv": "data (CSV)"}

    def button(kind: str) -> None:
        async def hand_over() -> None:
            result, quantity = kept()
            widgets.download(await result_file(context, result, quantity, kind), f"{name}.{kind}")

        own = ui.button(words[kind], icon="download", on_click=widgets.with_error_notification(hand_over)).props(
            "flat dense no-caps"
        )
        if kind in FILE_HINTS:
            own.tooltip(FILE_HINTS[kind])

    with ui.element("div").classes("line downloads"):
        for kind in kinds:
            button(kind)
