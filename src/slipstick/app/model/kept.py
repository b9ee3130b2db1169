"""What a tab keeps of the page Model: what is being edited, whether it is a model already or not, and former texts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from slipstick.app.choice import Choice

Names = Mapping[str, tuple[str, ...]]
MOST = 4  # former texts; the oldest goes


@dataclass(frozen=True)
class Former:
    """A text that another one has replaced.   until : when, as a clock shows it."""

    text: str
    name: str
    until: str
    said: str


@dataclass
class Draft:
    """by_text : the text is edited, not a published system.

    values : by system, so that the numbers of one are there again when one comes back to it.
    neglected : by argument of `Model.reduce`, the names that are ticked.
    adopted : the model of the tab when the page was last about it.   refused : what was last found to be no model.
    said : of a text that was made here, what was assumed.   former : texts that others have replaced, the last first.
    """

    by_text: bool = False
    system: str = Choice.system
    values: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    text: str = ""
    name: str = Choice.name
    neglected: Names = field(default_factory=dict)
    adopted: Choice | None = None
    refused: Choice | None = None
    said: str = ""
    former: tuple[Former, ...] = ()

    @property
    def choice(self) -> Choice:
        """What is being edited, as the model of the tab."""
        if self.by_text:
            return Choice(system="", text=self.text, name=self.name)
        return Choice(system=self.system, values=self.values.get(self.system, {}))

    @property
    def file(self) -> str:
        """What its file is called."""
        return self.name if self.by_text else f"{self.system}.yaml"

    def adopt(self, choice: Choice) -> None:
        """Begin with the model of the tab, if it was chosen elsewhere since; what is half edited stays otherwise."""
        plain = replace(choice, numbers={})  # knobs of another page do not change the text
        if plain == self.adopted:
            return
        self.adopted = plain
        self.by_text = not choice.system
        if choice.system:
            self.system = choice.system
            self.put(choice.values)
        else:
            self._replace(choice.text, choice.name, "")

    def unseen(self, chosen: Choice) -> Choice | None:
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
        self.by_text, self.neglected = True, {}
        self._replace(text, name, said)

    def bring_back(self, former: Former) -> None:
        """A text that was replaced; the one that is there takes its place among those."""
        self.former = tuple(own for own in self.former if own is not former)
        self.write(former.text, former.name, former.said)

    def _replace(self, text: str, name: str, said: str) -> None:
        if self.text.strip() and self.text != text:
            aside = Former(self.text, self.name, datetime.now().strftime("%H:%M"), self.said)
            others = (own for own in self.former if own.text not in (self.text, text))
            self.former = (aside, *others)[:MOST]
        self.text, self.name, self.said = text, name, said
