"""What all pages share: header, navigation, style, and light or dark theme."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from nicegui import app, ui
from nicegui.client import Client
from starlette.responses import RedirectResponse

from slipstick.app import widgets
from slipstick.app.tab_state import TabState, TabStates
from slipstick.app.task_scope import TASK_SCOPES
from slipstick.app.worker_pool import WorkerPool
from slipstick.plot import style

CONNECT_TIMEOUT = 60.0  # [s] a browser may take from the first bytes of a page to its link
MAX_PENDING_PAGES = 20  # pages that may wait for that; each takes 130 kB, and a browser opens few at a time
# a picture that is replaced while its library still loads is told of its size when it is gone, and would complain
IGNORE_RESIZE_ERROR_SCRIPT = """
<script>
addEventListener("unhandledrejection", (event) => {
  if (event.reason?.message?.startsWith("Resize must be passed a displayed plot div")) event.preventDefault();
});
</script>
"""

# in the place of what NiceGUI says when its link is gone; it asks again by itself
SERVER_GONE_SCRIPT = """
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
class PageContext:
    """What a page is built with.   tab_state : what its tab keeps.   worker_pool : who does the long work."""

    tab_state: TabState
    worker_pool: WorkerPool
    largest: int  # bytes of a file


@dataclass(frozen=True)
class Page:
    """path : in the address.   title : in the head.   build : fills it; runs once for each time it is opened."""

    path: str
    title: str
    build: Callable[[PageContext], Awaitable[None] | None]


@dataclass
class ThemePreference:
    """Light or dark, for all tabs; None is as the browser has it."""

    dark: bool | None = None


class PendingPages:
    """Pages that were sent and have no link yet, the oldest first; if there are too many, that one is given up."""

    def __init__(self, most: int = MAX_PENDING_PAGES) -> None:
        self.most = most
        self._waiting: list[Client] = []

    async def wait_for(self, client: Client) -> bool:
        """Wait for the page's socket; False if the page was given up.

        A socket that opens and closes at once leaves the page without a tab; the browser opens another one.
        """
        self._waiting.append(client)
        if len(self._waiting) > self.most:
            self._waiting.pop(0).delete()
        try:
            while client.tab_id is None and not client.is_deleted:
                await client.connected(timeout=CONNECT_TIMEOUT)
        finally:
            if client in self._waiting:
                self._waiting.remove(client)
        return client.tab_id is not None


def register(pages: tuple[Page, ...], worker_pool: WorkerPool, largest: int) -> None:
    """Let NiceGUI know the pages; the first of them is the one that opens."""
    tab_states, theme_preference, pending_pages = TabStates(), ThemePreference(), PendingPages()
    for page in pages:
        _register(
            page,
            pages,
            lambda client: _page_context(client, tab_states, worker_pool, largest),
            theme_preference,
            pending_pages,
        )
    app.get("/")(lambda: RedirectResponse(pages[0].path))


def _page_context(client: Client, tab_states: TabStates, worker_pool: WorkerPool, largest: int) -> PageContext:
    """For a page that has just been opened; what it begins ends with it, and what its tab keeps some time later."""
    page, tab = client.id, client.tab_id
    assert tab is not None

    def leave() -> None:
        TASK_SCOPES.leave(page)
        if tab_states.left(tab, page):
            TASK_SCOPES.close(tab)

    TASK_SCOPES.turn_to(page, tab)
    client.on_delete(leave)
    return PageContext(tab_states.opened(tab, page), worker_pool, largest)


def _register(
    page: Page,
    pages: tuple[Page, ...],
    desk: Callable[[Client], PageContext],
    theme_preference: ThemePreference,
    pending_pages: PendingPages,
) -> None:
    async def show(client: Client) -> None:
        _apply_theme(theme_preference)
        ui.add_body_html(SERVER_GONE_SCRIPT)
        _head(page, pages, theme_preference)
        with ui.element("main").classes("page") as place, ui.element("p").classes("quiet"):
            ui.label("connecting ...")
        if not await pending_pages.wait_for(client):
            return
        place.clear()
        with place:
            await _build(page, desk(client), place)

    ui.page(page.path, title=f"{page.title} - slipstick")(show)


async def _build(page: Page, desk: PageContext, place: ui.element) -> None:
    """Fill a page; if that fails it says why, and never goes on waiting."""

    async def build() -> None:
        try:
            found: Any = page.build(desk)
            if inspect.isawaitable(found):
                await found
        except Exception as error:
            place.clear()
            widgets.heading(page.title)
            widgets.note(widgets.error_message(error), "problem")
            widgets.placeholder("This page could not be shown. Load it again to try once more.")

    await widgets.with_error_notification(build)()


def _apply_theme(theme_preference: ThemePreference) -> None:
    ui.colors(
        primary=style.BLUE, secondary=style.GREY, accent=style.ACCENT, positive=style.GREEN, negative=style.ACCENT
    )
    ui.add_css(files("slipstick.app").joinpath("look.css").read_text(encoding="utf-8"))
    ui.add_head_html(IGNORE_RESIZE_ERROR_SCRIPT)
    ui.dark_mode(theme_preference.dark)


def _head(current: Page, pages: tuple[Page, ...], theme_preference: ThemePreference) -> None:
    with ui.header(elevated=False).classes("head"):
        ui.link("slipstick", pages[0].path).classes("name")
        with ui.element("nav").props('aria-label="pages"'):
            for page in pages:
                link = ui.link(page.title, page.path)
                if page is current:
                    link.props('aria-current="page"')
        ui.space()
        _dark_switch(theme_preference)


def _dark_switch(theme_preference: ThemePreference) -> None:
    async def turn() -> None:
        now = await ui.run_javascript("document.body.classList.contains('body--dark')")
        theme_preference.dark = not now
        await ui.run_javascript(f"Quasar.Dark.set({'true' if theme_preference.dark else 'false'})")

    ui.button(icon="contrast", on_click=turn).props('flat round dense aria-label="light or dark"').tooltip(
        "light or dark"
    )
