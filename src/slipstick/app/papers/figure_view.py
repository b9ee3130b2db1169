"""Shows a computed figure: image, downloads, certificate, comparison with the print."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Sequence
from html import escape

from nicegui import ui

from slipstick.app import widgets
from slipstick.app.papers.page_state import FigureResult
from slipstick.papers.knob import CHANGED_CASE_TEXT
from slipstick.papers.reproduction import TABLE_HEADS

FILE_KINDS = {".png": "PNG", ".svg": "SVG", ".nc": "netCDF"}


def show_figure(result: FigureResult) -> None:
    """Show a figure in the present slot."""
    if result.changed:
        widgets.note(f"{CHANGED_CASE_TEXT}: {result.changed}", "warning")
    widgets.warning_lines(result.warnings)
    content = next(iter(result.files.values()))
    source = f"data:image/png;base64,{b64encode(content).decode()}"
    ui.html(f'<img class="drawn" alt="{escape(result.title, quote=True)}" src="{source}">', sanitize=False)
    with ui.element("div").classes("line"):
        for name, content in result.files.items():
            kind = FILE_KINDS[name[name.rindex(".") :]]
            ui.button(kind, icon="download", on_click=_download_action(content, name)).props(
                f'flat dense no-caps aria-label="download {kind}"'
            )
    widgets.certificate(result.certificate, result.verdict)
    widgets.note(f"{result.method}; {result.seconds:.2g} s")
    if not result.rows:
        return
    if result.changed:  # nothing printed to compare with
        widgets.table(("", "here"), [(row[0], row[2]) for row in result.rows])
    else:
        _comparison_table(result.rows)


def _comparison_table(rows: Sequence[Sequence[str]]) -> None:
    """Printed and computed values; on narrow screens rows are stacked with their heads."""
    head = "".join(f"<th>{escape(cell)}</th>" for cell in TABLE_HEADS)
    body = "".join(
        "<tr>"
        + "".join(
            f'<td data-head="{escape(name)}">{escape(cell)}</td>' for name, cell in zip(TABLE_HEADS, row, strict=True)
        )
        + "</tr>"
        for row in rows
    )
    table = f'<table class="plain beside"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'
    ui.html(f'<div class="scroll">{table}</div>', sanitize=False)


def _download_action(content: bytes, name: str) -> Callable[[], None]:
    return lambda: widgets.download(content, name)
