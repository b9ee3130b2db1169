"""Upload, list and units of files on the page Identify."""

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
  <span>Drop measured files here (CSV, Excel, MAT, ...), or</span>
  <q-btn flat dense no-caps label="choose files" @click="props.pickFiles" />
  <q-uploader-add-trigger />
  <span v-if="props.isUploading" class="uploading" role="status">
    uploading: {{ props.uploadProgressLabel }} of {{ props.uploadSizeLabel }}
  </span>
</label>
"""


def file_picker(
    shipped: Callable[[], str | None], largest: int, begin: Callable[[], Any],
    take: Callable[[events.UploadEventArguments], Any], end: Callable[[], Any], pick: Callable[[str], Any],
) -> ui.select:  # fmt: skip
    """An area for uploads, and a list of the sets that come with slipstick.

    shipped : the present set.   begin, end : called once for each upload.   take : called for each of its files.
    """
    upload = ui.upload(
        multiple=True, auto_upload=True, max_file_size=largest, on_upload=take,
        on_rejected=lambda: widgets.notify_problem(too_large_message(largest)),
    )  # fmt: skip
    upload.on("added", begin, args=[])
    upload.on("finish", lambda: upload.reset(), args=[])  # allows to drop the same file again
    upload.on("finish", end, args=[])
    upload.props("flat").classes("full-width drop-files").add_slot("header", DROP_AREA_HTML)
    options = {name: f"{name}: {own.words}" for name, own in NAMES.items()}
    chooser = ui.select(options, label="or try a shipped set (synthetic)", value=shipped())
    chooser.props("dense outlined options-dense").classes("full-width").on_value_change(
        lambda e: pick(e.value) if e.value and e.value != shipped() else None
    )
    return chooser


def file_list(state: IdentifyState, remove: Callable[[str], Any]) -> None:
    """The files, and why others were refused."""
    for k, file in enumerate(state.files):
        with ui.element("div").classes("line"):
            ui.label(file.name).classes("small").style("flex: 1 1 8rem; overflow-wrap: anywhere")
            ui.label(f"{len(file.content) / 1e3:,.0f} kB").classes("quiet small")
            button = ui.button(icon="close", on_click=lambda _, name=file.name: remove(name))
            button.props(f'flat round dense size=sm aria-label="remove file {k + 1}"')
    for words in state.refused:
        widgets.note(words, "problem")


def unit_suggestions(file: UnitlessFile, take: Callable[[dict[str, str]], Any]) -> None:
    """A message about a file without units, with suggestions to click.   take : called with units by role."""
    guessed = file.taken | {"deflection": file.guess} if file.guess else file.taken
    much = f", which is large; it looks like {file.guess}" if file.guess else ""
    with ui.element("div").classes("problem small stack").props('role="status"'):
        if file.alone:
            widgets.note(
                f"{file.words}{much}. The other files have other units: write its unit into its header.", "small"
            )
            return
        widgets.note(f"{file.words}{much}. Which unit is it in?", "small")
        with ui.element("div").classes("line"):
            for k, units in enumerate((guessed, file.taken) if file.guess else (file.taken,)):
                button = ui.button(
                    " and ".join(units.values()), on_click=widgets.with_error_notification(lambda _, u=units: take(u))
                )
                button.props(f"no-caps dense {'flat' if k else 'unelevated'}")
            widgets.note("or say so above")
