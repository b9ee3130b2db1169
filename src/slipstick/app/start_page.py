"""The first page: three ways to begin, and examples whose results are there at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import ui

from slipstick.app import widgets
from slipstick.app.identify import tasks
from slipstick.app.identify.file_loader import apply_loaded
from slipstick.app.identify.law_cards import card_of
from slipstick.app.identify.page_state import IdentifyState, LoadRequest, UploadedFile
from slipstick.app.page_frame import PageContext

EXAMPLE_SET = "tensioner-masing"
EXAMPLE_LAWS = ("masing", "bouc-wen", "freeplay")  # one drawing for each card


def build(context: PageContext) -> None:
    """Fill the page."""
    widgets.heading("slipstick", "Dry friction, hysteresis and freeplay: from a measured loop to a response.")

    async def show_loop() -> None:
        await _load_example(context)
        ui.navigate.to("/identify")

    with ui.element("div").classes("start-cards"):
        with _card(EXAMPLE_LAWS[0], "I have measurements"):
            widgets.note("Drop force over deflection; get the law that fits, its numbers and their intervals.", "")
            _button("identify a law", lambda: ui.navigate.to("/identify"))
        with _card(EXAMPLE_LAWS[1], "I have a machine"):
            widgets.note("Choose a system or write a model; see its diagram, equations and response.", "")
            _button("build a model", lambda: ui.navigate.to("/model"))
        with _card(EXAMPLE_LAWS[2], "Show me"):
            widgets.note("A measured belt tensioner, a response with parameters to change, or a figure of a paper.", "")
            with ui.element("div").classes("line"):
                _button("a measured loop", show_loop)
                _button("a response", lambda: ui.navigate.to("/respond"))
                _button("papers", lambda: ui.navigate.to("/papers"))


async def _load_example(context: PageContext) -> None:
    """Read a shipped set, unless the tab has files of its own."""
    from slipstick.datasets import dataset_path

    state = context.tab_state.of(IdentifyState)
    if state.files:
        return
    path = dataset_path(EXAMPLE_SET)
    request = LoadRequest((UploadedFile(path.name, path.read_bytes(), EXAMPLE_SET),))
    contents = await context.worker_pool.run(tasks.examine, None, request.files, request.reading)
    apply_loaded(state, request, contents)


def _card(law: str, words: str) -> ui.element:
    """A card with the loop of a law; its content follows."""
    with ui.element("section").classes("card stack") as place:
        ui.html(card_of(law).drawing, sanitize=False)
        widgets.title(words)
    return place


def _button(words: str, act: Callable[[], Any]) -> None:
    ui.button(words, on_click=widgets.with_error_notification(act)).props("no-caps outline").classes("start")
