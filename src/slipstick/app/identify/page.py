"""The page Identify: drop measured loops, get a law, its numbers and what they are worth."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from nicegui import events, ui

from slipstick.app import widgets
from slipstick.app.file_names import plain_name
from slipstick.app.identify import file_picker, result_view, tasks
from slipstick.app.identify.column_form import ColumnForm
from slipstick.app.identify.file_loader import FileLoader
from slipstick.app.identify.law_form import LawForm
from slipstick.app.identify.page_state import (
    FileContents,
    FitRequest,
    FitView,
    IdentifyState,
    ReadOptions,
    Remedy,
    UploadedFile,
)
from slipstick.app.identify.setting_steps import (
    IdentifySettings,
    follow_link,
    identify_address,
    note_change,
    restore_settings,
    settings_of,
)
from slipstick.app.model_choice import ModelChoice, SelectedModel
from slipstick.app.page_address import PageAddress, UndoButtons, notify_dead_link, page_query
from slipstick.app.page_frame import PageContext
from slipstick.app.worker_pool import TaskFailed

MODEL_FILE_NAME = "identified.yaml"
OUTDATED_FIT_TEXT = "The fit is not shown: files or columns have changed meanwhile. Fit again."
OTHER_REQUEST_TEXT = "This result was found with other known parameters than those on the left. Fit again."
FIND_LABEL = "Find the best law"
FIND_TEXT = "Compares the usual laws: the data decide. Or choose laws yourself:"
POLL_INTERVAL = 0.5  # [s] between two checks of a fit of an earlier page


def build(context: PageContext) -> None:
    """Fill the page."""
    ui.run_javascript('import("nicegui-plotly")')  # loads plotly before the first figure
    widgets.heading("Identify", "Drop measured loops to get a law, its parameters and their intervals.")
    IdentifyPage(context)


class IdentifyPage:
    """One opening of the page; what outlasts it is in ``state``."""

    def __init__(self, context: PageContext) -> None:
        self.context, self.state = context, context.tab_state.of(IdentifyState)
        self._address = PageAddress(context.links)
        follow_link(self.state, page_query(), context.links)
        notify_dead_link(page_query(), context.links)
        self._dropped: list[UploadedFile] = []
        self._uploading = False
        self._loader = FileLoader(self.state, self._examine, self._show_data)
        self._version, self._is_other_request = self.state.version, False
        with ui.element("div").classes("sides"):
            with ui.element("div").classes("stack reserved"):
                self._build_inputs()
            with ui.element("div").classes("stack"):
                self._measured = ui.element("div")
                self._other_request = widgets.note(OTHER_REQUEST_TEXT, "warning")
                self._other_request.set_visibility(False)
                self._results = ui.element("div")
        self._show_files()
        self._show_columns()
        self._show_unit_suggestions()
        self._show_measured()
        self._show_results()
        note_change(self.state)
        self._show_address(new_entry=False)
        ui.timer(POLL_INTERVAL, self._poll_running_fit)

    def _build_inputs(self) -> None:
        with ui.element("div").classes("line titled"):
            widgets.title("Data")
            self._undo_buttons = UndoButtons(self.undo, self.redo)
        methods = self.begin_upload, self.take_file, self.end_upload, self.pick_set
        actions = (widgets.with_error_notification(method) for method in methods)
        self._set = file_picker.file_picker(lambda: self._loader.request.shipped, self.context.largest, *actions)
        self._files, self._reading = ui.element("div"), widgets.TaskBar(self.context.worker_pool)
        self._unitless = ui.element("div")
        widgets.title("Law")
        self._find_button = ui.button(FIND_LABEL, on_click=widgets.with_error_notification(self.find_best_law))
        self._find_button.props("no-caps unelevated").classes("full-width")
        self._fitting = widgets.TaskBar(self.context.worker_pool, lasting=True)
        widgets.note(FIND_TEXT)
        self._laws = LawForm(self.state.fit_request, self._change_request)
        self._fit_button = ui.button(on_click=widgets.with_error_notification(self.fit_chosen))
        self._fit_button.props("no-caps outline").classes("full-width")
        self._set_fit_request(self.state.fit_request)
        self._form = ColumnForm(lambda: self._loader.request.reading, self._loader.read)

    # ---- actions

    def begin_upload(self) -> None:
        """An upload of files begins."""
        self._uploading = True

    async def take_file(self, event: events.UploadEventArguments) -> None:
        """Take an uploaded file."""
        content = await event.file.read()
        self._dropped.append(UploadedFile(plain_name(event.file.name, "file"), content))
        if not self._uploading:
            await self.end_upload()

    async def end_upload(self) -> None:
        """Read all files of an upload together."""
        self._uploading = False
        dropped, self._dropped = self._dropped, []
        if dropped:
            await self._loader.add(dropped)

    async def pick_set(self, name: str) -> None:
        """Replace all files by a set that comes with slipstick."""
        from slipstick.datasets import NAMES, dataset_path

        path = dataset_path(name)
        several = len(NAMES[name].labels) > 1
        await self._loader.replace(
            UploadedFile(path.name, path.read_bytes(), name), ReadOptions(by=("loop",) if several else ())
        )

    async def find_best_law(self) -> None:
        """Compare the usual laws."""
        await self.fit(replace(self.state.fit_request, laws=()))

    async def fit_chosen(self) -> None:
        """Fit the chosen law, or compare the chosen ones."""
        await self.fit(self.state.fit_request)

    async def compare(self, laws: tuple[str, ...]) -> None:
        """Compare these laws, or the usual ones, with what was known in the last fit."""
        await self.fit(replace(self.state.fitted or self.state.fit_request, laws=laws))

    async def follow(self, remedy: Remedy, law: str) -> None:
        """Follow a remedy, and repeat the fit that it concerns.   law : the one that its message is about."""
        if remedy.input:
            self._laws.focus_fixed() if remedy.input == "fixed" else self._form.focus(remedy.input)
            return
        request = self.state.fitted if self.state.result is not None else None
        reading = remedy.reading(self._loader.request.reading)
        if reading != self._loader.request.reading:
            await self._loader.read(reading)
        if remedy.fixed:
            request = remedy.request(request or self.state.fit_request, law)
            self._laws.show(request)
            self._set_fit_request(request)
        if request is not None:
            await self.fit(request)

    async def fit(self, request: FitRequest) -> None:
        """Fit a law, or compare laws, once the files are read."""
        await self._loader.done()
        state = self.state
        if not state.contents.table or state.contents.problems:
            widgets.notify_problem(
                next(iter(state.contents.problems), "there is no loop yet: drop a file, or pick a set")
            )
            return
        if state.running is not None:
            widgets.notify_problem("a fit is under way already: cancel it, or wait for it")
            return
        state.running, fitted = self._fitting, (state.files, state.reading)
        state.fitted = request
        self._enable_fits(False)
        try:
            result = await self._fitting.run(tasks.identify_laws, *fitted, request)
        except TaskFailed as failure:
            if not self._results.is_deleted:
                raise
            state.outdated = str(failure)  # the page that began it is gone: the next one shows why there is no result
            state.version += 1
            return
        finally:
            state.running = None
            self._enable_fits(True)
        if result is None:
            return
        if fitted == (state.files, state.reading):
            state.result, state.selected, state.outdated = result, 0, ""
        else:
            state.outdated = OUTDATED_FIT_TEXT
        state.version += 1
        self._poll_running_fit()
        if not self._results.is_deleted:
            self._results.run_method("scrollIntoView")

    async def undo(self) -> None:
        """Return to the files, columns and known parameters before the last change, with their results."""
        await self._restore(self.state.history.undo)

    async def redo(self) -> None:
        """Repeat the change that was undone last."""
        await self._restore(self.state.history.redo)

    async def _restore(self, step: Callable[[IdentifySettings], IdentifySettings | None]) -> None:
        await self._loader.done()
        self._note_change()
        settings = step(settings_of(self.state))
        if settings is None:
            return
        restore_settings(self.state, settings)
        self._laws.show(settings.fit_request)
        self._set_fit_request(settings.fit_request)
        self._show_address(new_entry=True)
        self._show_data()

    def _note_change(self) -> None:
        """Record a change for undo, and write it into the address."""
        self._show_address(new_entry=note_change(self.state))

    def _show_address(self, new_entry: bool) -> None:
        self._undo_buttons.show(self.state.history)
        self._address.show(identify_address(self.state, self.context.links), new_entry)

    def use(self, view: FitView) -> None:
        """Open the page Model with a small model that has the law."""
        self.context.tab_state.of(SelectedModel).choice = ModelChoice(system="", text=view.model, name=MODEL_FILE_NAME)
        ui.navigate.to("/model")

    # ---- tasks

    async def _examine(self, files: tuple[UploadedFile, ...], reading: ReadOptions) -> FileContents | None:
        return await self._reading.run(tasks.examine, files, reading)

    def _poll_running_fit(self) -> None:
        """Show contents and results that came since, maybe from an earlier page of this tab."""
        if self._results.is_deleted:
            return
        self._follow_earlier_fit()
        self._note_change()
        if self._version != self.state.version:
            self._show_data()

    # ---- parts of the page

    def _show_data(self) -> None:
        """Show files, columns, contents and results."""
        if self._results.is_deleted:
            return
        self._show_files()
        self._show_columns()
        if self._version != self.state.version:
            self._version = self.state.version
            self._show_unit_suggestions()
            self._show_measured()
            self._show_results()

    def _show_files(self) -> None:
        self._set.set_value(self._loader.request.shipped)
        with _cleared(self._files):
            file_picker.file_list(self.state, widgets.with_error_notification(self._loader.remove))

    def _show_columns(self) -> None:
        previews = self.state.contents.previews if self.state.files else ()
        self._form.show(previews[0] if previews else None)

    def _show_unit_suggestions(self) -> None:
        """Suggest units for a file without; a chosen one appears in the fields."""

        async def take(units: dict[str, str]) -> None:
            now = self._loader.request.reading
            await self._loader.read(replace(now, units={**now.units, **units}))

        with _cleared(self._unitless):
            if self.state.contents.unitless is not None and self.state.files:
                file_picker.unit_suggestions(self.state.contents.unitless, take)

    def _change_request(self, request: FitRequest) -> None:
        self._set_fit_request(request)
        self._mark_other_request()

    def _set_fit_request(self, request: FitRequest) -> None:
        self.state.fit_request = request
        count = len(request.laws)
        self._fit_button.set_text(f"fit {request.laws[0]}" if count == 1 else f"compare {count} laws")
        self._fit_button.set_visibility(bool(count))

    def _show_measured(self) -> None:
        with _cleared(self._measured):
            result_view.measured_view(self.state, self.follow)

    def _show_results(self) -> None:
        self._is_other_request = False
        self._other_request.set_visibility(False)
        self._results.classes(remove="stale")
        with _cleared(self._results):
            if self.state.outdated:
                widgets.note(self.state.outdated, "warning")
            if self.state.result is not None:
                actions = result_view.ResultActions(self.use, self.follow, self.compare)
                result_view.result_view(self.state.result, self.state, actions)
        self._mark_other_request()

    def _mark_other_request(self) -> None:
        """Dim a result that was found with other known parameters than those in the fields."""
        fitted = None if self.state.result is None else self.state.fitted
        other = fitted is not None and fitted.known != self.state.fit_request.known
        if other != self._is_other_request:
            self._is_other_request = other
            self._other_request.set_visibility(other)
            widgets.mark_stale(self._results, other)

    def _follow_earlier_fit(self) -> None:
        """Show the progress of a fit that an earlier page of this tab began."""
        if not self._fitting.busy:
            self._fitting.follow(self.state.running)
            self._enable_fits(self.state.running is None)

    def _enable_fits(self, enabled: bool) -> None:
        for button in (self._find_button, self._fit_button):
            button.set_enabled(enabled)


def _cleared(place: ui.element) -> ui.element:
    place.clear()
    return place
