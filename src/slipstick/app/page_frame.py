"""What all pages share: header, navigation, style, and light or dark theme."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

from nicegui import app, ui
from nicegui.client import Client
from starlette.responses import RedirectResponse

from slipstick.app import widgets
from slipstick.app.linked_states import LinkedStates
from slipstick.app.tab_state import TabState, TabStates
from slipstick.app.task_scope import TASK_SCOPES
from slipstick.app.worker_pool import WorkerPool
from slipstick.plot import style

CONNECT_TIMEOUT = 60.0  # [s] from the first bytes of a page until the browser has connected
MAX_PENDING_PAGES = 20  # pages that are not connected yet; each takes 130 kB, and a browser opens few at a time
# a figure that is replaced while plotly still loads is resized after it has gone, which raises an error
IGNORE_RESIZE_ERROR_SCRIPT = """
<script>
addEventListener("unhandledrejection", (event) => {
  if (event.reason?.message?.startsWith("Resize must be passed a displayed plot div")) event.preventDefault();
});
</script>
"""

# a file that is dropped anywhere goes to the upload of the page; the browser would open it and leave the page
DROP_ANYWHERE_SCRIPT = """
<script>
document.documentElement.lang = "en";
addEventListener("load", () => document.querySelector("#q-loading-bar")?.setAttribute("aria-hidden", "true"));
for (const kind of ["dragover", "drop"]) addEventListener(kind, (event) => {
  if (!event.dataTransfer?.types.includes("Files") || event.defaultPrevented) return;
  event.preventDefault();
  document.body.classList.toggle("dropping", kind === "dragover");
  const input = document.querySelector("main input[type=file]");
  if (kind === "drop" && input) {
    input.files = event.dataTransfer.files;
    input.dispatchEvent(new Event("change", {bubbles: true}));
  }
});
addEventListener("dragleave", (event) => { if (!event.relatedTarget) document.body.classList.remove("dropping"); });
</script>
"""

# the sentence behind a "?" shows while the pointer or the focus is on it, and after a tap
HELP_SCRIPT = """
<script>
for (const kind of ["pointerover", "focusin", "click"]) addEventListener(kind, (event) => {
  const mark = event.target.closest?.(".help");
  let tip = document.getElementById("help-tip");
  if (!mark) { if (tip) tip.hidden = true; return; }
  if (!tip) {
    tip = document.createElement("div");
    tip.id = "help-tip";
    tip.setAttribute("role", "tooltip");
    (document.querySelector("main") ?? document.body).append(tip);
  }
  tip.textContent = mark.dataset.help;
  tip.hidden = false;
  const at = mark.getBoundingClientRect(), room = innerWidth - tip.offsetWidth - 8;
  tip.style.left = Math.max(8, Math.min(at.left - 12, room)) + "px";
  const below = at.bottom + tip.offsetHeight + 8 < innerHeight;
  tip.style.top = (below ? at.bottom + 4 : at.top - tip.offsetHeight - 4) + "px";
});
addEventListener("keydown", (event) => {
  const tip = document.getElementById("help-tip");
  if (event.key === "Escape" && tip) tip.hidden = true;
});
</script>
"""


@dataclass(frozen=True)
class PageContext:
    """Data that a page is built with.   worker_pool : runs its long tasks.   largest : bytes of an upload.

    links : states that addresses lead back to, of all tabs.
    """

    tab_state: TabState
    worker_pool: WorkerPool
    largest: int
    links: LinkedStates = field(default_factory=LinkedStates)


@dataclass(frozen=True)
class Page:
    """path : in the address.   title : in the header.   build : fills the page each time it is opened.

    is_tab : listed in the header; the name of the program leads to the first page in any case.
    """

    path: str
    title: str
    build: Callable[[PageContext], Awaitable[None] | None]
    is_tab: bool = True


AddTools = Callable[[PageContext, ui.element], Any]


@dataclass
class ThemePreference:
    """Light or dark, for all tabs; None follows the browser."""

    dark: bool | None = None


class PendingPages:
    """Pages that were sent and are not connected yet, the oldest first; beyond `MAX_PENDING_PAGES` it is dropped."""

    def __init__(self) -> None:
        self._waiting: list[Client] = []

    async def wait_for(self, client: Client) -> bool:
        """Wait for the page's socket; False if the page was given up.

        A socket that opens and closes at once leaves the page without a tab; the browser opens another one.
        """
        self._waiting.append(client)
        if len(self._waiting) > MAX_PENDING_PAGES:
            self._waiting.pop(0).delete()
        try:
            while client.tab_id is None and not client.is_deleted:
                await client.connected(timeout=CONNECT_TIMEOUT)
        finally:
            if client in self._waiting:
                self._waiting.remove(client)
        return client.tab_id is not None


def register(
    pages: tuple[Page, ...], worker_pool: WorkerPool, largest: int, add_tools: AddTools, reconnect_script: str
) -> None:
    """Register the pages with NiceGUI; the address without a path leads to the first.

    add_tools : fills the right end of the header, given the context and a place above the page.
    reconnect_script : what a page does when the server does not answer (see `slipstick.app.reconnect`).
    """
    tab_states, theme_preference, pending_pages = TabStates(), ThemePreference(), PendingPages()
    links = LinkedStates()
    for page in pages:
        _register(
            page,
            pages,
            lambda client: _page_context(client, tab_states, worker_pool, largest, links),
            theme_preference,
            pending_pages,
            add_tools,
            reconnect_script,
        )
    app.get("/")(lambda: RedirectResponse(pages[0].path))


def _page_context(
    client: Client, tab_states: TabStates, worker_pool: WorkerPool, largest: int, links: LinkedStates
) -> PageContext:
    """The context of a page that was just opened. Its tasks end with it, the state of its tab some time later."""
    page, tab = client.id, client.tab_id
    assert tab is not None

    def leave() -> None:
        TASK_SCOPES.leave_page(page)
        if tab_states.left(tab, page):
            TASK_SCOPES.close_tab(tab)

    TASK_SCOPES.show_page(page, tab)
    client.on_delete(leave)
    return PageContext(tab_states.opened(tab, page), worker_pool, largest, links)


def _register(
    page: Page,
    pages: tuple[Page, ...],
    context_of: Callable[[Client], PageContext],
    theme_preference: ThemePreference,
    pending_pages: PendingPages,
    add_tools: AddTools,
    reconnect_script: str,
) -> None:
    async def show(client: Client) -> None:
        _apply_theme(theme_preference)
        ui.add_body_html(reconnect_script)
        tools, above = _head(page, pages, theme_preference), ui.element("div").classes("page above")
        with ui.element("div").classes("page") as place, ui.element("p").classes("quiet"):
            ui.label("connecting ...")
        if not await pending_pages.wait_for(client):
            return
        context = context_of(client)
        with tools:
            add_tools(context, above)
        place.clear()
        with place:
            await _build(page, context, place)

    ui.page(page.path, title=f"{page.title} - slipstick")(show)


async def _build(page: Page, context: PageContext, place: ui.element) -> None:
    """Fill a page; if that fails, show why."""

    async def build() -> None:
        try:
            built: Any = page.build(context)
            if inspect.isawaitable(built):
                await built
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
    ui.add_head_html(IGNORE_RESIZE_ERROR_SCRIPT + DROP_ANYWHERE_SCRIPT + HELP_SCRIPT)
    ui.dark_mode(theme_preference.dark)


def _head(current: Page, pages: tuple[Page, ...], theme_preference: ThemePreference) -> ui.element:
    """The header; returns the place of its tools."""
    with ui.header(elevated=False).classes("head"):
        ui.link("slipstick", pages[0].path).classes("name")
        with ui.element("nav").props('aria-label="pages"'):
            for page in filter(lambda page: page.is_tab, pages):
                link = ui.link(page.title, page.path)
                if page is current:
                    link.props('aria-current="page"')
        ui.space()
        tools = ui.element("div").classes("line tools")
        _dark_switch(theme_preference)
    return tools


def _dark_switch(theme_preference: ThemePreference) -> None:
    async def toggle() -> None:
        now = await ui.run_javascript("document.body.classList.contains('body--dark')")
        theme_preference.dark = not now
        await ui.run_javascript(f"Quasar.Dark.set({'true' if theme_preference.dark else 'false'})")

    ui.button(icon="contrast", on_click=toggle).props('flat round dense aria-label="light or dark"').tooltip(
        "light or dark"
    )
