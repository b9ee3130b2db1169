"""State of the page Model in a tab: the draft, whether it is a valid model, and former texts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from slipstick.app.model_choice import ModelChoice

NeglectedNames = Mapping[str, tuple[str, ...]]
MAX_FORMER_TEXTS = 4  # former texts; the oldest goes


@dataclass(frozen=True)
class FormerText:
    """A text that another one has replaced.   until : when, as a clock shows it."""

    text: str
    name: str
    until: str
    said: str


@dataclass
class ModelDraft:
    """edits_text : the text is edited, not a published system.

    values : by system, so that the numbers of one are there again when one comes back to it.
    neglected : by argument of `Model.reduce`, the names that are ticked.
    adopted : the model of the tab when the page was last about it.   refused : what was last found to be no model.
    said : of a text that was made here, what was assumed.   former : texts that others have replaced, the last first.
    """

    edits_text: bool = False
    system: str = ModelChoice.system
    values: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    text: str = ""
    name: str = ModelChoice.name
    neglected: NeglectedNames = field(default_factory=dict)
    adopted: ModelChoice | None = None
    refused: ModelChoice | None = None
    said: str = ""
    former: tuple[FormerText, ...] = ()

    @property
    def choice(self) -> ModelChoice:
        """What is being edited, as the model of the tab."""
        if self.edits_text:
            return ModelChoice(system="", text=self.text, name=self.name)
        return ModelChoice(system=self.system, values=self.values.get(self.system, {}))

    @property
    def file(self) -> str:
        """What its file is called."""
        return self.name if self.edits_text else f"{self.system}.yaml"

    def adopt(self, choice: ModelChoice) -> None:
        """Begin with the model of the tab, if it was chosen elsewhere since; what is half edited stays otherwise."""
        plain = replace(choice, numbers={})  # knobs of another page do not change the text
        if plain == self.adopted:
            return
        self.adopted = plain
        self.edits_text = not choice.system
        if choice.system:
            self.system = choice.system
            self.put(choice.values)
        else:
            self._replace(choice.text, choice.name, "")

    def unseen(self, chosen: ModelChoice) -> ModelChoice | None:
        """What is being edited, if nobody has looked at it yet and no other model was chosen since."""
        own = self.choice
        if self.adopted is None or own in (self.adopted, self.refused) or not (own.system or own.text.strip()):
            return None
        return own if replace(chosen, numbers={}) == self.adopted else None

    @property
    def is_broken(self) -> bool:
        """True if what is being edited was looked at, and is no model."""
        return self.refused == self.choice

    def put(self, values: Mapping[str, Any]) -> None:
        """Other numbers for the keywords of the system."""
        self.values = {**self.values, self.system: dict(values)}

    def write(self, text: str, name: str, said: str = "") -> None:
        """Another text, which is edited from now on.   said : what was assumed in it."""
        self.edits_text, self.neglected = True, {}
        self._replace(text, name, said)

    def restore_former(self, former: FormerText) -> None:
        """A text that was replaced; the one that is there takes its place among those."""
        self.former = tuple(own for own in self.former if own is not former)
        self.write(former.text, former.name, former.said)

    def _replace(self, text: str, name: str, said: str) -> None:
        if self.text.strip() and self.text != text:
            aside = FormerText(self.text, self.name, datetime.now().strftime("%H:%M"), self.said)
            others = (own for own in self.former if own.text not in (self.text, text))
            self.former = (aside, *others)[:MAX_FORMER_TEXTS]
        self.text, self.name, self.said = text, name, said
