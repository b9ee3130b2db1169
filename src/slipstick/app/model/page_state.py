"""State of the page Model in a tab: the draft, whether it is a valid model, and former texts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, NamedTuple

from slipstick.app.model_choice import ModelChoice
from slipstick.app.setting_history import SettingHistory

NeglectedNames = Mapping[str, tuple[str, ...]]
MAX_FORMER_TEXTS = 4  # the oldest is dropped
MAX_DRAFT_STEPS = 40  # to undo; each may hold a whole text


@dataclass(frozen=True)
class FormerText:
    """A replaced text.   until : time of replacement, HH:MM."""

    text: str
    name: str
    until: str
    assumptions: str


class DraftSettings(NamedTuple):
    """What can be undone.   values : of the system."""

    edits_text: bool
    system: str
    values: Mapping[str, Any]
    text: str
    name: str
    assumptions: str

    def changed(self, other: DraftSettings) -> str:
        """The first quantity that differs, with the system: changes of one in quick succession are one step."""
        names = (name for name in self._fields if getattr(self, name) != getattr(other, name))
        return f"{next(names, '')} {other.system}"


@dataclass
class ModelDraft:
    """edits_text : the text is edited, not a published system.

    values : by system, kept while another system is chosen.
    neglected : by argument of `Model.reduce`, the ticked names.
    adopted : the model of the tab that the draft came from.   refused : the last choice that was no valid model.
    assumptions : in a text that the page made.   former : replaced texts, the last first.
    noted : the settings after the last change that can be undone.
    """

    edits_text: bool = False
    system: str = ModelChoice.system
    values: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    text: str = ""
    name: str = ModelChoice.name
    neglected: NeglectedNames = field(default_factory=dict)
    adopted: ModelChoice | None = None
    refused: ModelChoice | None = None
    assumptions: str = ""
    former: tuple[FormerText, ...] = ()
    noted: DraftSettings | None = None
    history: SettingHistory[DraftSettings] = field(default_factory=lambda: SettingHistory(most=MAX_DRAFT_STEPS))

    @property
    def settings(self) -> DraftSettings:
        """What can be undone."""
        values = self.values.get(self.system, {})
        return DraftSettings(self.edits_text, self.system, values, self.text, self.name, self.assumptions)

    def restore(self, settings: DraftSettings) -> None:
        """Return to earlier settings."""
        if self.system != settings.system or self.edits_text != settings.edits_text:
            self.neglected = {}
        self.edits_text, self.system = settings.edits_text, settings.system
        self.put(settings.values)
        self.text, self.name, self.assumptions = settings.text, settings.name, settings.assumptions
        self.noted = settings

    def note_change(self) -> bool:
        """Record a change for undo; False if there is none, or if it continues the last one."""
        before, self.noted = self.noted, self.settings
        if before is None or before == self.noted:
            return False
        return self.history.record(before, before.changed(self.noted))

    @property
    def choice(self) -> ModelChoice:
        """The draft as a model choice."""
        if self.edits_text:
            return ModelChoice(system="", text=self.text, name=self.name)
        return ModelChoice(system=self.system, values=self.values.get(self.system, {}))

    @property
    def file(self) -> str:
        """The name of the model file."""
        return self.name if self.edits_text else f"{self.system}.yaml"

    def adopt(self, choice: ModelChoice) -> None:
        """Take over the model of the tab, if another page has changed it; else keep the edits."""
        plain = replace(choice, numbers={})  # numbers of the page Respond do not change the text
        if plain == self.adopted:
            return
        self.adopted = plain
        self.take(plain)

    def take(self, choice: ModelChoice) -> None:
        """Edit this model."""
        self.edits_text = not choice.system
        if choice.system:
            self.system = choice.system
            self.put(choice.values)
        else:
            self._replace(choice.text, choice.name, "")

    def unchecked(self, chosen: ModelChoice) -> ModelChoice | None:
        """The draft, if it was not examined yet and no other model was chosen since; else None."""
        own = self.choice
        if self.adopted is None or own in (self.adopted, self.refused) or not (own.system or own.text.strip()):
            return None
        return own if replace(chosen, numbers={}) == self.adopted else None

    @property
    def is_broken(self) -> bool:
        """True if the draft was examined and is no valid model."""
        return self.refused == self.choice

    def put(self, values: Mapping[str, Any]) -> None:
        """Set the keywords of the system."""
        self.values = {**self.values, self.system: dict(values)}

    def write(self, text: str, name: str, assumptions: str = "") -> None:
        """Edit another text."""
        self.edits_text, self.neglected = True, {}
        self._replace(text, name, assumptions)

    def restore_former(self, former: FormerText) -> None:
        """Restore a replaced text; the present one becomes a former text."""
        self.former = tuple(own for own in self.former if own is not former)
        self.write(former.text, former.name, former.assumptions)

    def _replace(self, text: str, name: str, assumptions: str) -> None:
        if self.text.strip() and self.text != text:
            aside = FormerText(self.text, self.name, datetime.now().strftime("%H:%M"), self.assumptions)
            others = (own for own in self.former if own.text not in (self.text, text))
            self.former = (aside, *others)[:MAX_FORMER_TEXTS]
        self.text, self.name, self.assumptions = text, name, assumptions
