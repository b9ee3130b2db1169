"""The address of an open page, with its settings, and the buttons undo and redo."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from nicegui import ui

from slipstick.app import widgets
from slipstick.app.linked_states import LinkedStates
from slipstick.app.setting_history import SettingHistory

LINK_KEYS = ("state", "text")  # of queries with a key of `LinkedStates`
DEAD_LINK_TEXT = "this link leads to work that slipstick no longer has; open its project file first"
MAX_SENT_STEPS = 20  # addresses sent together; more than one come only in quick succession
# the address arrives as a property of an element, thus with the content that it belongs to: a script of its own would
# run later, and the button back between the two would lead too far. After back the server reads the address again
ADDRESS_SCRIPT = """
const place = document.getElementById("%s");
let last = -1;
const follow = () => {
  for (const [number, isNew, address] of JSON.parse(place.dataset.steps ?? "[]")) {
    if (number <= last) continue;
    last = number;
    isNew ? history.pushState({}, "", address) : history.replaceState({}, "", address);
  }
};
follow();
new MutationObserver(follow).observe(place, {attributes: true});
window.onpopstate = () => location.reload();
"""


def page_query() -> Mapping[str, str]:
    """The query of the page's address; empty for a page without a request."""
    try:
        return ui.context.client.request.query_params
    except RuntimeError:
        return {}


def notify_dead_link(query: Mapping[str, str], links: LinkedStates) -> None:
    """Say that an address leads to work that the server does not have, such as that of an earlier start."""
    keys = [query[name] for name in LINK_KEYS if name in query]
    if keys and not all(map(links.has, keys)):
        widgets.notify_problem(DEAD_LINK_TEXT)


class PageAddress:
    """The address of the page that is being built; the browser's back and forward load it again."""

    def __init__(self, links: LinkedStates) -> None:
        self._links, self._address = links, ""
        self._steps: list[tuple[int, bool, str]] = []
        self._place = ui.element("div").props("hidden")
        ui.run_javascript(ADDRESS_SCRIPT % self._place.html_id)

    def show(self, address: str, new_entry: bool) -> None:
        """Write the address.   new_entry : the button back leads to the one before; else that one is dropped."""
        if address == self._address:
            return
        before, self._address = self._address, address
        if not new_entry:
            self._links.forget(before, unless=address)
        number = self._steps[-1][0] + 1 if self._steps else 0
        self._steps = [*self._steps, (number, new_entry, address)][-MAX_SENT_STEPS:]
        self._place.props["data-steps"] = json.dumps(self._steps)


class UndoButtons:
    """The buttons undo and redo."""

    def __init__(self, undo: Callable[[], Any], redo: Callable[[], Any]) -> None:
        self._undo, self._redo = (
            ui.button(icon=word, on_click=widgets.with_error_notification(act))
            .props(f'flat round dense aria-label="{word}"')
            .tooltip(word)
            for word, act in (("undo", undo), ("redo", redo))
        )

    def show(self, history: SettingHistory[Any]) -> None:
        """Enable what can be done."""
        self._undo.set_enabled(bool(history.past))
        self._redo.set_enabled(bool(history.future))
