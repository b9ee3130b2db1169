"""State of the page Papers in a tab: the list of figures, their results, and the address of one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlencode

from slipstick.app.certificate_verdict import Verdict
from slipstick.app.model_address import read_value
from slipstick.papers.knob import Knob

MAX_KEPT_FIGURES = 12  # figures that a tab keeps; the oldest is dropped
FigureKey = tuple[str, str, bool, tuple[tuple[str, float], ...]]
PATH = "/papers"
OWN_SCHEME_KEY = "scheme"


@dataclass(frozen=True)
class FigureItem:
    """A figure in the list.   name : "Fig. 21b".

    fixed : why it has no parameters.
    opens : it shows one of the five systems.   case : which of several in the figure.
    left_out : parameters that the system does not have.
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
        """How the opened system differs from the figure; empty if it does not."""
        if not self.opens:
            return ""
        one = len(self.left_out) == 1
        names, verb, what = " and ".join(self.left_out), "stays" if one else "stay", "number" if one else "numbers"
        stay = f"{names} {verb} here, since it has no such {what}" if self.left_out else ""
        notes = "; ".join(words for words in (self.case or ("as it is" if stay else ""), stay) if words)
        return f"The system opens {notes}." if notes else ""


@dataclass(frozen=True)
class FigureResult:
    """A computed figure.   rows : under "paper", "here", "why they differ".   files : by name, the PNG first."""

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
    """A figure with parameters.   changed : those that differ from the print."""

    paper: str
    label: str
    changed: Mapping[str, float] = field(default_factory=dict)
    own_scheme: bool = False

    @property
    def key(self) -> FigureKey:
        return self.paper, self.label, self.own_scheme, tuple(sorted(self.changed.items()))


@dataclass
class PapersState:
    """request : the figure that is shown; None before one was chosen."""

    request: FigureRequest | None = None
    made: Mapping[FigureKey, FigureResult] = field(default_factory=dict)

    def store(self, request: FigureRequest, result: FigureResult) -> None:
        """Store a figure; beyond the limit, the oldest is dropped."""
        others = {key: one for key, one in self.made.items() if key != request.key}
        self.made = dict([*others.items(), (request.key, result)][-MAX_KEPT_FIGURES:])

    @property
    def result(self) -> FigureResult | None:
        """The result of the request, if it was computed."""
        return None if self.request is None else self.made.get(self.request.key)

    def has(self, item: FigureItem) -> bool:
        """True if a figure was computed, with any parameters."""
        return any(key[:2] == (item.paper, item.label) for key in self.made)


def figure_address(request: FigureRequest) -> str:
    """The address of a figure with its numbers."""
    numbers = {name: repr(value) for name, value in request.changed.items()}
    scheme = {OWN_SCHEME_KEY: "own"} if request.own_scheme else {}
    return f"{PATH}?{urlencode({'paper': request.paper, 'figure': request.label, **numbers, **scheme})}"


def read_figure(query: Mapping[str, str], items: Sequence[FigureItem]) -> FigureRequest | None:
    """The figure in the query of an address, or None; numbers that it does not have are left out."""
    place = query.get("paper"), query.get("figure")
    item = next((own for own in items if (own.paper, own.label) == place), None)
    if item is None:
        return None
    values = {knob.name: read_value(query.get(knob.name, "")) for knob in item.knobs}
    changed = {
        knob.name: value
        for knob in item.knobs
        if isinstance(value := values[knob.name], float) and knob.low <= value <= knob.high and value != knob.value
    }
    return FigureRequest(item.paper, item.label, changed, item.has_own_scheme and OWN_SCHEME_KEY in query)
