"""The page Papers: every figure and table of the five papers, made on demand, with the numbers that can be turned."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from time import monotonic
from typing import Any

from nicegui import ui

from slipstick.app import parts
from slipstick.app.choice import Choice, Chosen
from slipstick.app.frame import Desk
from slipstick.app.papers import tasks
from slipstick.app.papers.asking import Numbers
from slipstick.app.papers.kept import Item, Kept, Picture, Wish
from slipstick.app.papers.showing import show
from slipstick.app.staff import Staff, TaskFailed, hearing
from slipstick.papers import TITLES

UNDER = "Figures and tables of the five papers, made again beside what is printed."
CHOOSE = "Choose a figure. It is computed here and shown beside what the paper says; then turn its numbers."
NOT_YET = "It is not made yet: press Make."
OTHER = "the figure below has other numbers than the fields: press Make"
KINDS = {"figure": "", "table": "table", "scheme": "diagram", "beyond": "beyond the paper"}
_lists: dict[Staff, tuple[Item, ...]] = {}  # the same for all tabs of a server


async def build(desk: Desk) -> None:
    """Fill the page."""
    parts.heading("Papers", UNDER)
    place = ui.element("div").classes("full-width")
    if desk.staff not in _lists:
        with place:
            parts.note("reading the papers ...")
        _lists[desk.staff] = await desk.staff.do(tasks.catalogue, None)
    place.clear()
    with place:
        Gallery(desk, _lists[desk.staff])


class Gallery:
    """The list on the left, one figure on the right."""

    def __init__(self, desk: Desk, items: tuple[Item, ...]) -> None:
        self.desk, self.items = desk, items
        self.kept = desk.shelf.of(Kept)
        self.wanted = self.kept.wish
        self.buttons: dict[tuple[str, str], ui.button] = {}
        self.begun = 0.0
        with ui.element("div").classes("sides"):
            with ui.element("nav").classes("entries").props('aria-label="figures"'):
                self._list()
            with ui.element("section").classes("stack result"):
                self.head = ui.element("div").classes("stack")
                self.bar = parts.Bar(desk.staff)
                self.clock = ui.label("").classes("quiet small")
                self.timer = ui.timer(1.0, self._tick, active=False)
                self.place = ui.element("div").classes("stack")
        self._mark()
        self._ask()
        self._show()

    def _list(self) -> None:
        current = self.kept.wish.paper if self.kept.wish else ""
        for paper in dict.fromkeys(item.paper for item in self.items):
            own = [item for item in self.items if item.paper == paper]
            with ui.expansion(f"{TITLES[paper]} ({len(own)})", group="papers", value=paper == current).props("dense"):
                for item in own:
                    self.buttons[item.paper, item.label] = self._button(item)

    def _button(self, item: Item) -> ui.button:
        async def choose() -> None:
            await self.choose(item)

        with ui.button(on_click=parts.handled(choose)).props("flat no-caps dense align=left").classes("entry") as one:
            ui.label(item.name).classes("name")
            ui.label(item.title)
            if KINDS[item.kind]:
                ui.label(KINDS[item.kind]).classes("kind")
        return one

    @property
    def item(self) -> Item | None:
        """The one that is looked at."""
        wish = self.kept.wish
        return next((one for one in self.items if wish and (one.paper, one.label) == (wish.paper, wish.label)), None)

    async def choose(self, item: Item) -> None:
        """Look at a figure, as printed; make it if it was not."""
        await self.look_at(Wish(item.paper, item.label))

    async def look_at(self, wish: Wish) -> None:
        """A figure with these numbers: as it was made, or made now; what is being made for another ends.

        Of several in a row the last counts.
        """
        self.wanted = wish
        while self.bar.busy:
            self.bar.cancel()
            await asyncio.sleep(0.02)
            if self.wanted is not wish:
                return
        other = self.kept.wish is None or (wish.paper, wish.label) != (self.kept.wish.paper, self.kept.wish.label)
        self.kept.wish = wish
        self._mark()
        if other:
            self._ask()
            ui.run_javascript("document.querySelector('.result').scrollIntoView({block: 'nearest'})")
        if self.kept.picture is None:
            self.place.clear()
            try:
                found, lines = await self._make(wish)
            except TaskFailed as failure:
                problem = parts.in_words(failure)
                if self.wanted is wish:
                    self._show(problem)
                return
            if found is not None:
                self.kept.keep(wish, replace(found, warnings=tuple(lines)))
        self._mark()
        if self.wanted is wish:
            self._show()

    async def _make(self, wish: Wish) -> tuple[Picture | None, list[str]]:
        """A figure, or None if it was cancelled, and what it was warned of; meanwhile a clock runs."""
        self.begun = monotonic()
        self.timer.activate()
        try:
            with hearing() as lines:
                found = await self.bar.do(tasks.make, wish.paper, wish.label, dict(wish.changed), wish.own_scheme)
        finally:
            self.timer.deactivate()
            self.clock.set_text("")
        return found, lines

    def _tick(self) -> None:
        self.clock.set_text(f"running for {monotonic() - self.begun:.0f} s; choosing another figure ends it")

    def _mark(self) -> None:
        for item in self.items:
            button = self.buttons[item.paper, item.label]
            button.props("aria-current=true" if item is self.item else "", remove="aria-current")
            button.classes("made" if self.kept.has(item) else "", remove="made")

    def _ask(self) -> None:
        """Name, numbers and what can be done with the figure that is looked at."""
        self.head.clear()
        item, wish = self.item, self.kept.wish
        if item is None or wish is None:
            return
        owner = f"{item.paper}, {item.name}"

        async def make() -> None:
            own_scheme = bool(scheme.value) if scheme else False
            hint.set_visibility(False)
            await self.look_at(Wish(item.paper, item.label, numbers.read(owner), own_scheme))

        async def printed() -> None:
            numbers.reset()
            await self.look_at(Wish(item.paper, item.label))

        def compare() -> None:
            made = self.kept.wish
            other = self.kept.picture is not None and made is not None and not numbers.are(made.changed)
            hint.set_visibility(other)

        async def respond() -> None:
            await self._respond(item, numbers.read(owner))

        with self.head:
            parts.title(f"{TITLES[item.paper]}, {item.name}: {item.title}")
            if item.fixed:
                parts.note(item.fixed)
            numbers = Numbers(item.knobs, wish.changed, parts.handled(make), compare)
            scheme: Any = None
            if item.has_own_scheme:
                scheme = ui.checkbox("by the paper's own scheme, ten to twenty minutes", value=wish.own_scheme)
            with ui.element("div").classes("line"):
                ui.button("Make", on_click=parts.handled(make)).props("unelevated no-caps")
                if item.knobs:
                    ui.button("As printed", on_click=parts.handled(printed)).props("flat no-caps")
                if item.opens:
                    words = "Open this system in Respond"
                    ui.button(words, icon="arrow_forward", on_click=parts.handled(respond)).props("flat no-caps")
            if item.about_opening:
                parts.note(item.about_opening)
            hint = parts.note(OTHER, "small")
            hint.set_visibility(False)

    def _show(self, problem: str = "") -> None:
        """What there is of the figure that is looked at.   problem : why it cannot be made."""
        self.place.clear()
        with self.place:
            if problem:
                parts.note(problem, "problem")
            elif self.kept.wish is None:
                parts.empty(CHOOSE)
            elif self.kept.picture is None:
                parts.empty(NOT_YET)
            else:
                show(self.kept.picture)

    async def _respond(self, item: Item, changed: dict[str, float]) -> None:
        values = await self.desk.staff.do(tasks.opened, None, item.paper, item.label, changed)
        self.desk.shelf.of(Chosen).choice = Choice(system=item.paper, values=values)
        ui.navigate.to("/respond")
