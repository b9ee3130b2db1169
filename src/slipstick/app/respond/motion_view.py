"""Shows a run or an orbit: certificate, figures, multipliers, histories with bands, loops."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from nicegui import ui

from slipstick.app import widgets
from slipstick.app.page_frame import PageContext
from slipstick.app.respond import response_figures, tasks
from slipstick.app.respond.display_data import CertificateText, RunDisplay
from slipstick.app.respond.jump_map import MapResult
from slipstick.app.respond.kept_settings import KeptRun
from slipstick.app.respond.response_results import CurveResult, RunResult
from slipstick.errors import InvalidInput

MAX_MULTIPLIERS_LISTED = 8
Downloadable = CurveResult | RunResult | MapResult
STALE_TEXT = "this result belongs to other settings; wait for the new one"
FILE_HINTS = {"csv": "a table in the units of this page", "nc": "all of it in SI, for slipstick.open in Python"}


def show_certificate(word: CertificateText) -> None:
    """Show the certificate of a result."""
    with ui.element("div").classes("word"):
        widgets.certificate(word.verdict, word.kind)
        for line in word.lines:
            widgets.note(line)


def show_motion(result: RunResult, kept: Sequence[KeptRun]) -> None:
    """Show a motion.   kept : those of kept settings, drawn below."""
    display = result.display
    widgets.warning_lines(result.warnings)
    show_certificate(display.certificate)
    rows = [
        *display.figures,
        *([("multipliers", _multiplier_list(display.multipliers))] if display.multipliers else []),
    ]
    widgets.plot(response_figures.time_figure(display, kept)).classes("history")
    if display.bands_note:
        widgets.note(display.bands_note)
    _show_orders(display, kept)
    with ui.element("div").classes("loops"):
        for line in display.loops:
            widgets.plot(response_figures.loop_figure(line, kept)).classes("loop")
    widgets.table(("figure", "value"), rows)


def _show_orders(display: RunDisplay, kept: Sequence[KeptRun]) -> None:
    """Show the orders of a run-up over speed, a picture a coordinate."""
    if display.orders_note:
        widgets.note(display.orders_note, "warning small")
    for name in dict.fromkeys(line.name for line in display.orders):
        own = [line for line in display.orders if line.name == name]
        widgets.plot(response_figures.order_figure(own, kept)).classes("orders")


def _multiplier_list(multipliers: Sequence[tuple[float, float]]) -> str:
    few = [f"{re:.6g}" if not im else f"{re:.6g} {'+' if im > 0 else '-'} {abs(im):.6g}i" for re, im in multipliers]
    more = f" and {len(few) - MAX_MULTIPLIERS_LISTED} more" if len(few) > MAX_MULTIPLIERS_LISTED else ""
    size = max(math.hypot(*one) for one in multipliers)
    return f"{', '.join(few[:MAX_MULTIPLIERS_LISTED])}{more}; the largest has modulus {size:.6g}"


async def result_file(context: PageContext, result: Downloadable | None, quantity: str, kind: str) -> bytes:
    """The bytes of a file of a result, with its certificate; refused if the result is outdated."""
    if result is None:
        raise InvalidInput(STALE_TEXT)
    certificate = result.display.certificate.verdict
    return await context.worker_pool.run(tasks.result_file_bytes, None, result.data, kind, quantity, certificate)


def download_buttons(
    context: PageContext,
    current_result: Callable[[], tuple[Downloadable | None, str]],
    name: str,
    kinds: Sequence[str],
) -> None:
    """Buttons that download a result.

    current_result : called at a click; returns the result, or None if it is outdated, and the quantity to draw.
    """
    words = {"png": "picture (PNG)", "svg": "picture (SVG)", "nc": "data (netCDF)", "csv": "data (CSV)"}

    def button(kind: str) -> None:
        async def send_file() -> None:
            widgets.download(await result_file(context, *current_result(), kind), f"{name}.{kind}")

        own = ui.button(words[kind], icon="download", on_click=widgets.with_error_notification(send_file)).props(
            "flat dense no-caps"
        )
        if kind in FILE_HINTS:
            own.tooltip(FILE_HINTS[kind])

    with ui.element("div").classes("line downloads"):
        for kind in kinds:
            button(kind)
