"""The page Identify: drop measured loops, get a law, its numbers and what they are worth."""

from __future__ import annotations

from dataclasses import replace

from nicegui import events, ui

from slipstick.app import parts
from slipstick.app.choice import Choice, Chosen
from slipstick.app.frame import Desk
from slipstick.app.identify import asked, law_asked, shown, tasks
from slipstick.app.identify.columns_asked import Form
from slipstick.app.identify.kept import File, Kept, Reading, Seen, View, Wanted
from slipstick.app.identify.loading import Loading
from slipstick.app.names import plain_name

MODEL = "identified.yaml"
LATE = "What was fitted is not shown: files or columns were changed meanwhile. Fit again."
PAUSE = 1.0  # [s] between two looks whether a fit of an earlier page of this tab is done


def build(desk: Desk) -> None:
    """Fill the page."""
    ui.run_javascript('import("nicegui-plotly")')  # so that the first picture does not wait for its library
    parts.heading("Identify", "Drop measured loops, get a law, its numbers and what they are worth.")
    Room(desk)


class Room:
    """One opening of the page; all that lasts is in ``kept``."""

    def __init__(self, desk: Desk) -> None:
        self.desk, self.kept = desk, desk.shelf.of(Kept)
        self._dropped: list[File] = []
        self._coming = False
        self._loading = Loading(self.kept, self._look, self._show_data)
        self._stamp = self.kept.stamp
        with ui.element("div").classes("sides"):
            with ui.element("div").classes("stack"):
                self._ask()
            with ui.element("div").classes("stack"):
                self._measured, self._found = ui.element("div"), ui.element("div")
        self._show_files()
        self._show_columns()
        self._show_bare()
        self._show_laws()
        self._show_measured()
        self._show_found()
        ui.timer(PAUSE, self._catch_up)

    def _ask(self) -> None:
        parts.title("Data")
        act = (parts.handled(own) for own in (self.begin, self.take, self.end, self.pick))
        self._set = asked.files(lambda: self._loading.wish.shipped, self.desk.largest, *act)
        self._files, self._reading = ui.element("div"), parts.Bar(self.desk.staff)
        self._form, self._bare = Form(lambda: self._loading.wish.reading, self._loading.read), ui.element("div")
        self._laws = ui.element("div").classes("stack")
        with ui.element("div").classes("line"):
            self._go = ui.button("fit", on_click=parts.handled(self.find)).props("no-caps unelevated")
        self._fitting = parts.Bar(self.desk.staff, lasting=True)
        self._earlier = ui.element("div").classes("line")

    # ---- what somebody does

    def begin(self) -> None:
        """Files are coming."""
        self._coming = True

    async def take(self, event: events.UploadEventArguments) -> None:
        """A file was dropped."""
        content = await event.file.read()
        self._dropped.append(File(plain_name(event.file.name, "file"), content))
        if not self._coming:
            await self.end()

    async def end(self) -> None:
        """All files have come; they are read together."""
        self._coming = False
        dropped, self._dropped = self._dropped, []
        if dropped:
            await self._loading.add(dropped)

    async def pick(self, name: str) -> None:
        """A set that comes with slipstick, instead of all files."""
        from slipstick.datasets import NAMES, dataset_path

        path = dataset_path(name)
        several = len(NAMES[name].labels) > 1
        await self._loading.replace(File(path.name, path.read_bytes(), name), Reading(by=("loop",) if several else ()))

    async def find(self) -> None:
        """Fit the law, or compare laws; as they are asked to be read, also where that is not done yet."""
        await self._loading.done()
        kept = self.kept
        if not kept.seen.table or kept.seen.problems:
            parts.complain(next(iter(kept.seen.problems), "there is no loop yet: drop a file, or pick a set"))
            return
        if kept.running is not None:
            parts.complain("a fit is under way already: cancel it, or wait for it")
            return
        kept.running, fitted = self._fitting, (kept.files, kept.reading)
        self._go.disable()
        try:
            found = await self._fitting.do(tasks.find, *fitted, kept.wanted)
        finally:
            kept.running = None
            self._go.enable()
        if found is None:
            return
        if fitted == (kept.files, kept.reading):
            kept.found, kept.shown, kept.late = found, 0, ""
        else:
            kept.late = LATE
        kept.stamp += 1
        self._catch_up()
        if not self._found.is_deleted:
            self._found.run_method("scrollIntoView")

    def use(self, view: View) -> None:
        """Go on to the page Model with a small one that has the law."""
        self.desk.shelf.of(Chosen).choice = Choice(system="", text=view.model, name=MODEL)
        ui.navigate.to("/model")

    # ---- what comes of it

    async def _look(self, files: tuple[File, ...], reading: Reading) -> Seen | None:
        return await self._reading.do(tasks.look, files, reading)

    def _catch_up(self) -> None:
        """Show what was seen and found since, maybe by what an earlier page of this tab began."""
        if self._found.is_deleted:
            return
        self._show_earlier()
        if self._stamp != self.kept.stamp:
            self._show_data()

    # ---- parts of the page

    def _show_data(self) -> None:
        """What is there."""
        if self._found.is_deleted:
            return
        self._show_files()
        self._show_columns()
        if self._stamp != self.kept.stamp:
            self._stamp = self.kept.stamp
            self._show_bare()
            self._show_measured()
            self._show_found()

    def _show_files(self) -> None:
        self._set.set_value(self._loading.wish.shipped)
        with _anew(self._files):
            asked.listed(self.kept, parts.handled(self._loading.remove))

    def _show_columns(self) -> None:
        previews = self.kept.seen.previews if self.kept.files else ()
        self._form.show(previews[0] if previews else None)

    def _show_bare(self) -> None:
        """A file without units; those that are chosen here appear in the fields."""

        async def take(units: dict[str, str]) -> None:
            now = self._loading.wish.reading
            await self._loading.read(replace(now, units={**now.units, **units}))

        with _anew(self._bare):
            if self.kept.seen.bare is not None and self.kept.files:
                asked.bare(self.kept.seen.bare, take)

    def _show_laws(self) -> None:
        def change(wanted: Wanted) -> None:
            self.kept.wanted = wanted
            self._go.set_text(_said(wanted))

        with _anew(self._laws):
            parts.title("Laws")
            law_asked.laws(self.kept.wanted, change)
        self._go.set_text(_said(self.kept.wanted))

    def _show_measured(self) -> None:
        with _anew(self._measured):
            shown.measured(self.kept)

    def _show_found(self) -> None:
        with _anew(self._found):
            if self.kept.late:
                parts.note(self.kept.late, "warning")
            if self.kept.found is not None:
                shown.found(self.kept.found, self.kept, self.use)

    def _show_earlier(self) -> None:
        """That a fit goes on which was begun before this page was opened."""
        other = self.kept.running if self.kept.running is not self._fitting else None
        if (other is not None) == bool(self._earlier.default_slot.children):
            return
        with _anew(self._earlier):
            if other is not None:
                ui.label("a fit that was begun before goes on").classes("quiet small").props('role="status"')
                ui.button("cancel", on_click=parts.handled(other.cancel)).props("flat dense no-caps")


def _anew(place: ui.element) -> ui.element:
    place.clear()
    return place


def _said(wanted: Wanted) -> str:
    """On the button."""
    if len(wanted.laws) == 1:
        return f"fit {wanted.laws[0]}"
    return f"compare {len(wanted.laws)} laws" if wanted.laws else "compare the usual laws"
