"""Undo, redo and the address of the page Identify: files, reading options and requests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from urllib.parse import urlencode

from slipstick.app.identify.page_state import (
    FileContents,
    FitRequest,
    IdentificationResult,
    IdentifyState,
    ReadOptions,
    UploadedFile,
)
from slipstick.app.linked_states import LinkedStates, content_key

PATH, STATE_KEY = "/identify", "state"


@dataclass(frozen=True)
class IdentifySettings:
    """What can be undone, with the results that belong to it."""

    files: tuple[UploadedFile, ...]
    reading: ReadOptions
    fit_request: FitRequest
    refused: tuple[str, ...] = field(compare=False)
    contents: FileContents = field(compare=False)
    result: IdentificationResult | None = field(compare=False)
    fitted: FitRequest | None = field(compare=False)
    selected: int = field(compare=False)

    def changed(self, other: IdentifySettings) -> str:
        """The first quantity that differs: changes of one in quick succession are one step."""
        names = (own.name for own in fields(self) if own.compare)
        return next((name for name in names if getattr(self, name) != getattr(other, name)), "")


def settings_of(state: IdentifyState) -> IdentifySettings:
    """The present settings."""
    return IdentifySettings(**{own.name: getattr(state, own.name) for own in fields(IdentifySettings)})


def restore_settings(state: IdentifyState, settings: IdentifySettings) -> None:
    """Return to earlier settings and their results."""
    for own in fields(settings):
        setattr(state, own.name, getattr(settings, own.name))
    state.outdated, state.noted = "", settings
    state.version += 1


def note_change(state: IdentifyState) -> bool:
    """Record a change for undo; False if there is none, or if it continues the last one."""
    before, now = state.noted, settings_of(state)
    state.noted = now  # also the same settings, which may have a result by now
    if before is None or before == now:
        return False
    return state.history.record(before, before.changed(now))


def follow_link(state: IdentifyState, query: Mapping[str, str], links: LinkedStates) -> None:
    """Return to the settings in an address, of a bookmark or of the button back."""
    linked = links.find(query.get(STATE_KEY, ""), IdentifySettings)
    before = settings_of(state)
    if linked is not None and linked != before and not state.history.is_address_pending():
        restore_settings(state, linked)
        state.history.follow(before, linked)


def identify_address(state: IdentifyState, links: LinkedStates) -> str:
    """The address of the present settings; their results are kept with them."""
    if not state.files:
        return PATH
    contents = [file.content for file in state.files]
    names = [(file.name, file.shipped) for file in state.files]
    key = content_key("identify", *contents, names, state.reading, state.fit_request)
    return f"{PATH}?{urlencode({STATE_KEY: links.keep(key, settings_of(state), contents)})}"
