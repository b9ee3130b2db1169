"""The page Identify: drop measured loops, get a law, its numbers and what they are worth."""

from __future__ import annotations

from dataclasses import replace

from nicegui import events, ui

from slipstick.app import widgets
from slipstick.app.file_names import plain_name
from slipstick.app.identify import file_picker, law_form, result_view, tasks
from slipstick.app.identify.column_form import ColumnForm
from slipstick.app.identify.file_loader import FileLoader
from slipstick.app.identify.page_state import (
    FileContents,
    FitRequest,
    FitView,
    IdentifyState,
    ReadOptions,
    UploadedFile,
)
from slipstick.app.model_choice import ModelChoice, SelectedModel
from slipstick.app.page_frame import PageContext

MODEL_FILE_NAME = "identified.yaml"
OUTDATED_FIT_TEXT = "What was fitted is not shown: files or columns were changed meanwhile. Fit again."
POLL_INTERVAL = 1.0  # [s] between two looks whether a fit of an earlier page of this tab is done


def build(desk: PageContext) -> None:
    """Fill the page."""
    ui.run_javascript('import("nicegui-plotly")')  # so that the first picture does not wait for its library
    widgets.heading("Identify", "Drop measured loops, get a law, its numbers and what they are worth.")
    IdentifyPage(desk)


class IdentifyPage:
    """One opening of the page; all that lasts is in ``kept``."""

    def __init__(self, desk: PageContext) -> None:
        self.desk, self.kept = desk, desk.tab_state.of(IdentifyState)
        self._dropped: list[UploadedFile] = []
        self._uploading = False
        self._loading = FileLoader(self.kept, self._look, self._show_data)
        self._stamp = self.kept.stamp
        with ui.element("div").classes("sides"):
            with ui.element("div").classes("stack"):
                self._ask()
            with ui.element("div").classes("stack"):
                self._measured, self._found = ui.element("div"), ui.element("div")
        self._show_files()
        self._show_columns()
        self._show_unit_suggestions()
        self._show_laws()
        self._show_measured()
        self._show_found()
        ui.timer(POLL_INTERVAL, self._poll_running_fit)

    def _ask(self) -> None:
        widgets.title("Data")
        act = (widgets.with_error_notification(own) for own in (self.begin, self.take, self.end, self.pick))
        self._set = file_picker.file_picker(lambda: self._loading.wish.shipped, self.desk.largest, *act)
        self._files, self._reading = ui.element("div"), widgets.TaskBar(self.desk.worker_pool)
        self._form, self._bare = ColumnForm(lambda: self._loading.wish.reading, self._loading.read), ui.element("div")
        self._laws = ui.element("div").classes("stack")
        with ui.element("div").classes("line"):
            self._go = ui.button("fit", on_click=widgets.with_error_notification(self.find)).props("no-caps unelevated")
        self._fitting = widgets.TaskBar(self.desk.worker_pool, lasting=True)
        self._earlier = ui.element("div").classes("line")

    # ---- what somebody does

    def begin(self) -> None:
        """Files are coming."""
        self._uploading = True

    async def take(self, event: events.UploadEventArguments) -> None:
        """A file was dropped."""
        content = await event.file.read()
        self._dropped.append(UploadedFile(plain_name(event.file.name, "file"), content))
        if not self._uploading:
            await self.end()

    async def end(self) -> None:
        """All files have come; they are read together."""
        self._uploading = False
        dropped, self._dropped = self._dropped, []
        if dropped:
            await self._loading.add(dropped)

    async def pick(self, name: str) -> None:
        """A set that comes with slipstick, instead of all files."""
        from slipstick.datasets import NAMES, dataset_path

        path = dataset_path(name)
        several = len(NAMES[name].labels) > 1
        await self._loading.replace(
            UploadedFile(path.name, path.read_bytes(), name), ReadOptions(by=("loop",) if several else ())
        )

    async def find(self) -> None:
        """Fit the law, or compare laws; as they are asked to be read, also where that is not done yet."""
        await self._loading.done()
        kept = self.kept
        if not kept.seen.table or kept.seen.problems:
            widgets.notify_problem(next(iter(kept.seen.problems), "there is no loop yet: drop a file, or pick a set"))
            return
        if kept.running is not None:
            widgets.notify_problem("a fit is under way already: cancel it, or wait for it")
            return
        kept.running, fitted = self._fitting, (kept.files, kept.reading)
        self._go.disable()
        try:
            found = await self._fitting.do(tasks.identify_laws, *fitted, kept.wanted)
        finally:
            kept.running = None
            self._go.enable()
        if found is None:
            return
        if fitted == (kept.files, kept.reading):
            kept.found, kept.shown, kept.late = found, 0, ""
        else:
            kept.late = OUTDATED_FIT_TEXT
        kept.stamp += 1
        self._poll_running_fit()
        if not self._found.is_deleted:
            self._found.run_method("scrollIntoView")

    def use(self, view: FitView) -> None:
        """Go on to the page Model with a small one that has the law."""
        self.desk.tab_state.of(SelectedModel).choice = ModelChoice(system="", text=view.model, name=MODEL_FILE_NAME)
        ui.navigate.to("/model")

    # ---- what comes of it

    async def _look(self, files: tuple[UploadedFile, ...], reading: ReadOptions) -> FileContents | None:
        return await self._reading.do(tasks.examine, files, reading)

    def _poll_running_fit(self) -> None:
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
            self._show_unit_suggestions()
            self._show_measured()
            self._show_found()

    def _show_files(self) -> None:
        self._set.set_value(self._loading.wish.shipped)
        with _cleared(self._files):
            file_picker.file_list(self.kept, widgets.with_error_notification(self._loading.remove))

    def _show_columns(self) -> None:
        previews = self.kept.seen.previews if self.kept.files else ()
        self._form.show(previews[0] if previews else None)

    def _show_unit_suggestions(self) -> None:
        """A file without units; those that are chosen here appear in the fields."""

        async def take(units: dict[str, str]) -> None:
            now = self._loading.wish.reading
            await self._loading.read(replace(now, units={**now.units, **units}))

        with _cleared(self._bare):
            if self.kept.seen.bare is not None and self.kept.files:
                file_picker.unit_suggestions(self.kept.seen.bare, take)

    def _show_laws(self) -> None:
        def change(wanted: FitRequest) -> None:
            self.kept.wanted = wanted
            self._go.set_text(_button_text(wanted))

        with _cleared(self._laws):
            widgets.title("Laws")
            law_form.law_form(self.kept.wanted, change)
        self._go.set_text(_button_text(self.kept.wanted))

    def _show_measured(self) -> None:
        with _cleared(self._measured):
            result_view.measured_view(self.kept)

    def _show_found(self) -> None:
        with _cleared(self._found):
            if self.kept.late:
                widgets.note(self.kept.late, "warning")
            if self.kept.found is not None:
                result_view.result_view(self.kept.found, self.kept, self.use)

    def _show_earlier(self) -> None:
        """That a fit goes on which was begun before this page was opened."""
        other = self.kept.running if self.kept.running is not self._fitting else None
        if (other is not None) == bool(self._earlier.default_slot.children):
            return
        with _cleared(self._earlier):
            if other is not None:
                ui.label("a fit that was begun before goes on").classes("quiet small").props('role="status"')
                ui.button("cancel", on_click=widgets.with_error_notification(other.cancel)).props("flat dense no-caps")


def _cleared(place: ui.element) -> ui.element:
    place.clear()
    return place


def _button_text(wanted: FitRequest) -> str:
    """On the button."""
    if len(wanted.laws) == 1:
        return f"fit {wanted.laws[0]}"
    return f"compare {len(wanted.laws)} laws" if wanted.laws else "compare the usual laws"
