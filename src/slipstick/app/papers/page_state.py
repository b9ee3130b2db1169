"""What the page Papers knows of a figure, and what a tab keeps of those it has made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from slipstick.papers.knob import Knob

if TYPE_CHECKING:
    from slipstick.app.widgets import Verdict

MAX_KEPT_FIGURES = 12  # figures that a tab keeps; the one that was made first is made anew
FigureKey = tuple[str, str, bool, tuple[tuple[str, float], ...]]


@dataclass(frozen=True)
class FigureItem:
    """A figure in the list.   name : "Fig. 21b".

    fixed : why there is nothing to turn, where it has no knobs.
    opens : whether it is of one of the five systems.   case : which of several in the figure that is, in words.
    left_out : knobs whose numbers that system does not have.
    """

    paper: str
    label: str
    name: str
    title: str
    kind: str
    knobs: tuple[Knob, ...]
    has_own_scheme: bool
    fixed: str = ""
    opens: bool = False
    case: str = ""
    left_out: tuple[str, ...] = ()

    @property
    def opening_note(self) -> str:
        """How the system that is opened differs from the figure; empty where it does not."""
        if not self.opens:
            return ""
        one = len(self.left_out) == 1
        names, verb, what = " and ".join(self.left_out), "stays" if one else "stay", "number" if one else "numbers"
        stay = f"{names} {verb} here, for it has no such {what}" if self.left_out else ""
        told = "; ".join(words for words in (self.case or ("as it is" if stay else ""), stay) if words)
        return f"The system opens {told}." if told else ""


@dataclass(frozen=True)
class FigureResult:
    """A figure that was made.   rows : under "paper", "here", "why they differ".   files : by name, the PNG first."""

    title: str
    rows: tuple[tuple[str, str, str, str], ...]
    method: str
    certificate: str
    verdict: Verdict
    seconds: float
    changed: str
    files: Mapping[str, bytes]
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class FigureRequest:
    """A figure with numbers.   changed : those that are not the printed ones."""

    paper: str
    label: str
    changed: Mapping[str, float] = field(default_factory=dict)
    own_scheme: bool = False

    @property
    def key(self) -> FigureKey:
        return self.paper, self.label, self.own_scheme, tuple(sorted(self.changed.items()))


@dataclass
class PapersState:
    """On the tab_state of a tab.   wish : the figure that is looked at; None before one was chosen."""

    wish: FigureRequest | None = None
    made: Mapping[FigureKey, FigureResult] = field(default_factory=dict)

    def keep(self, wish: FigureRequest, picture: FigureResult) -> None:
        """As the newest; if there are too many, the oldest goes."""
        others = {key: one for key, one in self.made.items() if key != wish.key}
        self.made = dict([*others.items(), (wish.key, picture)][-MAX_KEPT_FIGURES:])

    @property
    def picture(self) -> FigureResult | None:
        """Of what is looked at, if it was made."""
        return None if self.wish is None else self.made.get(self.wish.key)

    def has(self, item: FigureItem) -> bool:
        """Whether a figure was made, with whatever numbers."""
        return any(key[:2] == (item.paper, item.label) for key in self.made)
