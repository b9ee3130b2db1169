"""The project of a tab: its contents from the state of the pages, and back."""

from __future__ import annotations

from dataclasses import fields

from slipstick.app.identify.page_state import IdentifyState
from slipstick.app.model.page_state import ModelDraft
from slipstick.app.model_choice import SelectedModel
from slipstick.app.project.project_file import IdentifyPart, ModelPart, Project, RespondPart
from slipstick.app.respond.page_state import RespondState
from slipstick.app.tab_state import TabState


def project_of(tab_state: TabState) -> Project:
    """The work in a tab. Results that belong to other settings are left out."""
    identify, draft = tab_state.of(IdentifyState), tab_state.of(ModelDraft)
    choice, respond = tab_state.of(SelectedModel).choice, tab_state.of(RespondState)
    return Project(
        IdentifyPart(identify.files, identify.reading, identify.fit_request, identify.result, identify.selected),
        ModelPart(choice, draft.edits_text, draft.text, draft.name),
        _respond_part(respond) if respond.choice == choice else None,
    )


def _respond_part(state: RespondState) -> RespondPart:
    kept = {own.name: getattr(state, own.name) for own in fields(RespondPart)}
    return RespondPart(
        **kept | {"curve": state.curve if state.is_current else None, "run": None if state.stale else state.run}
    )


def restore_project(tab_state: TabState, project: Project) -> None:
    """Replace the work in a tab by a project."""
    for kind in (IdentifyState, ModelDraft, RespondState):
        tab_state.reset(kind)
    identify, draft, respond = tab_state.of(IdentifyState), tab_state.of(ModelDraft), tab_state.of(RespondState)
    choice = tab_state.of(SelectedModel).choice = project.model.choice
    draft.adopt(choice)
    model = project.model
    draft.edits_text = model.edits_text
    if model.text.strip():
        draft.text, draft.name = model.text, model.name
    part = project.identify
    identify.files, identify.reading, identify.fit_request = part.files, part.reading, part.request
    identify.result, identify.selected = part.result, part.selected
    if project.respond is not None:
        respond.choice = choice
        for own in fields(RespondPart):
            setattr(respond, own.name, getattr(project.respond, own.name))
