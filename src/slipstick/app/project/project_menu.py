"""The buttons Save and Open in the header, and the offer of the last work after a restart."""

from __future__ import annotations

import re
from datetime import datetime

from nicegui import events, ui

from slipstick.app import widgets
from slipstick.app.identify import tasks as identify_tasks
from slipstick.app.identify.page_state import IdentifyState
from slipstick.app.model_choice import ModelChoice
from slipstick.app.page_frame import PageContext
from slipstick.app.project.autosave import Autosave
from slipstick.app.project.project_file import SUFFIX, Project
from slipstick.app.project.project_state import project_of, restore_project
from slipstick.app.project.project_tasks import open_project, project_bytes
from slipstick.app.request_guard import too_large_message

AUTOSAVE_INTERVAL = 5.0  # [s] between two checks whether there is something to save


class ProjectMenu:
    """The buttons of one page, and its copies on disk while the user works.

    place : above the page, for the offer of earlier work.
    """

    def __init__(self, context: PageContext, place: ui.element, autosave: Autosave) -> None:
        self.context, self.autosave = context, autosave
        save = ui.button("Save", icon="save", on_click=widgets.with_error_notification(self.save))
        save.props("flat dense no-caps").tooltip("data, model, settings and results in one file")
        with ui.dialog() as self._dialog, ui.card():
            ui.label(f"Open a project ({SUFFIX})")
            widgets.note("It replaces the work in this tab.")
            upload = ui.upload(
                auto_upload=True,
                max_files=1,
                max_file_size=context.largest,
                on_upload=widgets.with_error_notification(self._uploaded),
                on_rejected=lambda: widgets.notify_problem(too_large_message(context.largest)),
            )
            upload.props(f'flat accept="{SUFFIX}" label="drop the file here, or press +"')
            self._bar = widgets.TaskBar(context.worker_pool)
        ui.button("Open", icon="folder_open", on_click=self._dialog.open).props("flat dense no-caps")
        ui.timer(AUTOSAVE_INTERVAL, self._autosave)
        if autosave.requested is not None:
            ui.timer(0.0, widgets.with_error_notification(self._open_requested), once=True)
        else:
            self._offer(place)

    async def save(self) -> None:
        """Download the project of the tab."""
        project = project_of(self.context.tab_state)
        content = await self.context.worker_pool.run(project_bytes, None, project)
        widgets.download(content, f"{project_name(project)}{SUFFIX}")

    async def _uploaded(self, event: events.UploadEventArguments) -> None:
        await self.open(await event.file.read(), event.file.name)

    async def open(self, content: bytes, name: str) -> None:
        """Replace the work in the tab by that of a file."""
        self._dialog.open()  # shows the progress
        project = await self._bar.run(open_project, content, name)
        if project is None:
            return
        part = project.identify
        contents = None
        if part.files:
            contents = await self.context.worker_pool.run(identify_tasks.examine, None, part.files, part.reading)
        restore_project(self.context.tab_state, project)
        if contents is not None:
            self.context.tab_state.of(IdentifyState).contents = contents
        ui.run_javascript("location.replace(location.pathname)")  # the address holds settings of the work before

    async def _open_requested(self) -> None:
        """Open the project that the server was started with, in the first tab."""
        work, self.autosave.requested = self.autosave.requested, None
        if work is not None:
            await self.open(work.content(), work.name)

    def _offer(self, place: ui.element) -> None:
        """Offer the work of an earlier start above the page, if this tab has none."""
        work = self.autosave.offered(self.context.tab_state.tab)
        if work is None or has_own_work(project_of(self.context.tab_state)):
            return
        with place, ui.element("div").classes("line offer").props('role="status"') as line:
            ui.label(f"Your last work is saved ({work.name}, {_when(work.time)}).")

            async def open_it() -> None:
                await self.open(work.content(), work.name)
                self.autosave.settle(work)

            def decline() -> None:
                self.autosave.settle(work)
                line.delete()

            ui.button("open it", on_click=widgets.with_error_notification(open_it)).props("unelevated dense no-caps")
            ui.button("no", on_click=decline).props("flat dense no-caps")

    async def _autosave(self) -> None:
        project = project_of(self.context.tab_state)
        if not has_own_work(project) or not self.autosave.is_new(self.context.tab_state.tab, project):
            return
        content = await self.context.worker_pool.run(project_bytes, None, project)
        self.autosave.store(self.context.tab_state.tab, project, project_name(project), content)


def has_own_work(project: Project) -> bool:
    """True if a project has more than the system that every tab begins with."""
    return bool(project.identify.files) or project.model.choice != ModelChoice() or bool(project.model.text.strip())


def project_name(project: Project) -> str:
    """A file name for a project: that of its first data file or of its model."""
    files, model = project.identify.files, project.model
    named = files[0].name if files else model.name if model.edits_text else f"{model.choice.system}.yaml"
    stem = named.rpartition(".")[0] or named
    return re.sub(r"[^\w.-]+", "-", stem).strip("-.") or "project"


def _when(time: float) -> str:
    return datetime.fromtimestamp(time).strftime("%d %B, %H:%M")
