"""What the page Identify asks of files: which, and what one may be in that says no units."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from nicegui import events, ui

from slipstick.app import widgets
from slipstick.app.identify.page_state import IdentifyState
from slipstick.app.request_guard import too_large_message
from slipstick.datasets import NAMES

if TYPE_CHECKING:
    from slipstick.identification.reading.unitless import UnitlessFile

DROP_AREA_HTML = """
<label class="drop" tabindex="-1">
  <span>Drop CSV files here, or</span>
  <q-btn flat dense no-caps label="choose files" @click="props.pickFiles"><q-uploader-add-trigger /></q-btn>
</label>
"""


def file_picker(
    shipped: Callable[[], str | None], largest: int, begin: Callable[[], Any],
    take: Callable[[events.UploadEventArguments], Any], end: Callable[[], Any], pick: Callable[[str], Any],
) -> ui.select:  # fmt: skip
    """Where files are dropped; the sets that come with slipstick, to choose from.

    shipped : the set that is there, or asked for.
    begin, end : called once for all that is dropped together.   take : for each file of it.
    """
    upload = ui.upload(
        multiple=True, auto_upload=True, max_file_size=largest, on_upload=take,
        on_rejected=lambda: widgets.notify_problem(too_large_message(largest)),
    )  # fmt: skip
    upload.on("added", begin, args=[])
    upload.on("finish", lambda: upload.reset(), args=[])  # else the same file could not be dropped again
    upload.on("finish", end, args=[])
    upload.props("flat").classes("full-width drop-files").add_slot("header", DROP_AREA_HTML)
    options = {name: f"{name}: {own.words}" for name, own in NAMES.items()}
    chooser = ui.select(options, label="or try a shipped set (synthetic)", value=shipped())
    chooser.props("dense outlined options-dense").classes("full-width").on_value_change(
        lambda e: pick(e.value) if e.value and e.value != shipped() else None
    )
    return chooser


def file_list(kept: IdentifyState, remove: Callable[[str], Any]) -> None:
    """The files that are there, and what was dropped and is not."""
    for k, file in enumerate(kept.files):
        with ui.element("div").classes("line"):
            ui.label(file.name).classes("small").style("flex: 1 1 8rem; overflow-wrap: anywhere")
            ui.label(f"{len(file.content) / 1e3:,.0f} kB").classes("quiet small")
            button = ui.button(icon="close", on_click=lambda _, name=file.name: remove(name))
            button.props(f'flat round dense size=sm aria-label="remove file {k + 1}"')
    for words in kept.refused:
        widgets.note(words, "problem")


def unit_suggestions(own: UnitlessFile, take: Callable[[dict[str, str]], Any]) -> None:
    """That a file says no units, and what it may be in, at a click.   take : units by what they are of."""
    guessed = own.taken | {"deflection": own.guess} if own.guess else own.taken
    much = f", which is much; it looks like {own.guess}" if own.guess else ""
    with ui.element("div").classes("problem small stack").props('role="status"'):
        if own.alone:
            widgets.note(f"{own.words}{much}. Other files are in other units: write its own into its header.", "small")
            return
        widgets.note(f"{own.words}{much}. What is it in?", "small")
        with ui.element("div").classes("line"):
            for k, units in enumerate((guessed, own.taken) if own.guess else (own.taken,)):
                button = ui.button(
                    " and ".join(units.values()), on_click=widgets.with_error_notification(lambda _, u=units: take(u))
                )
                button.props(f"no-caps dense {'flat' if k else 'unelevated'}")
            widgets.note("or say so above")
