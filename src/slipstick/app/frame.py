"""What all pages have in common: the head with the way to the others, the look, light and dark."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from nicegui import app, ui
from nicegui.client import Client
from starlette.responses import RedirectResponse

from slipstick.app import parts
from slipstick.app.errands import ERRANDS
from slipstick.app.shelf import Shelf, Shelves
from slipstick.app.staff import Staff
from slipstick.plot import style

CONNECTING = 60.0  # [s] a browser may take from the first bytes of a page to its link
UNLINKED = 20  # pages that may wait for that; each takes 130 kB, and a browser opens few at a time
# a picture that is replaced while its library still loads is told of its size when it is gone, and would complain
QUIET = """
<script>
addEventListener("unhandledrejection", (event) => {
  if (event.reason?.message?.startsWith("Resize must be passed a displayed plot div")) event.preventDefault();
});
</script>
"""

# in the place of what NiceGUI says when its link is gone; it asks again by itself
ENDED = """
<script type="module">
const box = document.getElementById("popup"), [first, second] = box.querySelectorAll("span");
box.setAttribute("role", "alert");
first.textContent = "slipstick does not answer: it has probably ended.";
second.innerHTML = "Start it again with <code>slipstick app</code> in a terminal and open the address that it prints. "
  + "What you typed is still here: copy what you need first, for a new start knows nothing of it. "
  + "If slipstick still runs, this page goes on by itself in a moment.";
</script>
"""


@dataclass(frozen=True)
class Desk:
    """What a page is built with.   shelf : what its tab keeps.   staff : who does the long work."""

    shelf: Shelf
    staff: Staff
    largest: int  # bytes of a file


@dataclass(frozen=True)
class Page:
    """path : in the address.   title : in the head.   build : fills it; runs once for each time it is opened."""

    path: str
    title: str
    build: Callable[[Desk], Awaitable[None] | None]


@dataclass
class Taste:
    """Light or dark, for all tabs; None is as the browser has it."""

    dark: bool | None = None


class Lobby:
    """Pages that were sent and have no link yet, the oldest first; if there are too many, that one is given up."""

    def __init__(self, most: int = UNLINKED) -> None:
        self.most = most
        self._waiting: list[Client] = []

    async def wait_for(self, client: Client) -> bool:
        """Until a page has its link; False if nobody looks at it any more."""
        self._waiting.append(client)
        if len(self._waiting) > self.most:
            self._waiting.pop(0).delete()
        try:
            await client.connected(timeout=CONNECTING)
        finally:
            if client in self._waiting:
                self._waiting.remove(client)
        return client.tab_id is not None


def register(pages: tuple[Page, ...], staff: Staff, largest: int) -> None:
    """Let NiceGUI know the pages; the first of them is the one that opens."""
    shelves, taste, lobby = Shelves(), Taste(), Lobby()
    for page in pages:
        _register(page, pages, lambda client: _desk(client, shelves, staff, largest), taste, lobby)
    app.get("/")(lambda: RedirectResponse(pages[0].path))


def _desk(client: Client, shelves: Shelves, staff: Staff, largest: int) -> Desk:
    """For a page that has just been opened; what it begins ends with it, and what its tab keeps some time later."""
    page, tab = client.id, client.tab_id
    assert tab is not None

    def leave() -> None:
        ERRANDS.leave(page)
        if shelves.left(tab, page):
            ERRANDS.close(tab)

    ERRANDS.turn_to(page, tab)
    client.on_delete(leave)
    return Desk(shelves.opened(tab, page), staff, largest)


def _register(page: Page, pages: tuple[Page, ...], desk: Callable[[Client], Desk], taste: Taste, lobby: Lobby) -> None:
    async def show(client: Client) -> None:
        _look(taste)
        ui.add_body_html(ENDED)
        _head(page, pages, taste)
        with ui.element("main").classes("page") as place, ui.element("p").classes("quiet"):
            ui.label("connecting ...")
        if not await lobby.wait_for(client):
            return
        place.clear()
        with place:
            await _build(page, desk(client), place)

    ui.page(page.path, title=f"{page.title} - slipstick")(show)


async def _build(page: Page, desk: Desk, place: ui.element) -> None:
    """Fill a page; if that fails it says why, and never goes on waiting."""

    async def build() -> None:
        try:
            found: Any = page.build(desk)
            if inspect.isawaitable(found):
                await found
        except Exception as error:
            place.clear()
            parts.heading(page.title)
            parts.note(parts.in_words(error), "problem")
            parts.empty("This page could not be shown. Load it again to try once more.")

    await parts.handled(build)()


def _look(taste: Taste) -> None:
    ui.colors(
        primary=style.BLUE, secondary=style.GREY, accent=style.ACCENT, positive=style.GREEN, negative=style.ACCENT
    )
    ui.add_css(files("slipstick.app").joinpath("look.css").read_text(encoding="utf-8"))
    ui.add_head_html(QUIET)
    ui.dark_mode(taste.dark)


def _head(current: Page, pages: tuple[Page, ...], taste: Taste) -> None:
    with ui.header(elevated=False).classes("head"):
        ui.link("slipstick", pages[0].path).classes("name")
        with ui.element("nav").props('aria-label="pages"'):
            for page in pages:
                link = ui.link(page.title, page.path)
                if page is current:
                    link.props('aria-current="page"')
        ui.space()
        _dark_switch(taste)


def _dark_switch(taste: Taste) -> None:
    async def turn() -> None:
        now = await ui.run_javascript("document.body.classList.contains('body--dark')")
        taste.dark = not now
        await ui.run_javascript(f"Quasar.Dark.set({'true' if taste.dark else 'false'})")

    ui.button(icon="contrast", on_click=turn).props('flat round dense aria-label="light or dark"').tooltip(
        "light or dark"
    )
