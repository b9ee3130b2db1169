"""`Entry`: one figure or table of a paper, with its functions that compute and draw."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import TYPE_CHECKING, Any, Literal

from slipstick.papers.knob import CHANGED_CASE_TEXT, Knob, changed_values, changes_text, printed_values
from slipstick.papers.reproduction import CHANGED_SUFFIX, OWN_SCHEME_SUFFIX, Reproduction, Row

if TYPE_CHECKING:
    import xarray
    from matplotlib.figure import Figure

    from slipstick.api import Model

Progress = Callable[[str, float], None]

NOT_REPRODUCED_TEXT = "scheme, not reproduced: the model's diagram instead"
NOT_PUBLISHED_TEXT = "measured, not published and so not reproduced: the model's diagram instead"
DIAGRAM_FIXED_TEXT = "No number can be changed: it is a diagram of connections, and nothing is computed for it."


def ignore_progress(words: str, share: float) -> None:
    """Discard progress."""


@dataclass(frozen=True)
class EntryRequest:
    """Options of a computation.

    progress : called with words and the finished share.
    workers : processes it may use.   own_scheme : use the paper's own scheme, if there is one.
    changed : numbers that replace printed ones, by the names of the entry's knobs.
    """

    progress: Progress = ignore_progress
    workers: int = 1
    own_scheme: bool = False
    changed: Mapping[str, float] = field(default_factory=dict)

    def numbers(self, knobs: tuple[Knob, ...]) -> dict[str, float]:
        """The numbers of an entry with these knobs."""
        return {**printed_values(knobs), **self.changed}


@dataclass(frozen=True)
class EntryContent:
    """The result of an entry.

    data : every line of the figure, with units in attributes.   rows : printed values beside those here.
    method, certificate : in words, how it was computed and how far it can be trusted.
    own_scheme : computed by the paper's own scheme; its files then have other names.
    """

    data: xarray.Dataset
    rows: tuple[Row, ...]
    method: str
    certificate: str
    own_scheme: bool = False


@dataclass(frozen=True)
class Entry:
    """A figure ("21b"), a table ("table 2") or a scheme of a paper, or a figure beyond it.

    compute : returns the content.   draw : draws its data, in the house style.
    has_own_scheme : the paper's own scheme can compute it.
    about : prefixes of the quantities of this figure, if several figures share a content; empty for all.
    knobs : adjustable numbers.   fixed : why there are none, in one sentence.
    system : keywords of the paper's system in this figure, besides its knobs; None if it shows no system.
    case : which of several systems in the figure that is, in words: "with the Masing law".
    keywords : from numbers of the knobs to keywords; by default they have the same names.
    """

    paper: str
    label: str
    title: str
    compute: Callable[[EntryRequest], EntryContent]
    draw: Callable[[xarray.Dataset], Figure]
    has_own_scheme: bool = False
    kind: Literal["figure", "table", "scheme", "beyond"] = "figure"
    about: tuple[str, ...] = ()
    knobs: tuple[Knob, ...] = ()
    fixed: str = ""
    system: Mapping[str, Any] | None = None
    case: str = ""
    keywords: Callable[[Mapping[str, float]], Mapping[str, Any]] = dict

    def checked(self, request: EntryRequest) -> EntryRequest:
        """The request with the numbers that differ from the print; unknown numbers are refused."""
        return replace(request, changed=changed_values(f"{self.paper}, {self.name}", self.knobs, request.changed))

    def made(self, request: EntryRequest | None = None) -> Reproduction:
        """Compute it now."""
        request = self.checked(request or EntryRequest())
        began = perf_counter()
        content = self.compute(request)
        return self.of(content, perf_counter() - began, request.changed)

    def of(self, content: EntryContent, seconds: float, changed: Mapping[str, float] | None = None) -> Reproduction:
        """The reproduction of computed content; entries with the same ``compute`` share it.

        changed : numbers that replaced printed ones; the result is then not compared.
        """
        rows = tuple(row for row in content.rows if not self.about or row.quantity.startswith(self.about))
        if changed:
            rows = tuple(Row(row.quantity, "-", row.here, CHANGED_CASE_TEXT) for row in rows if not row.reading)
        return Reproduction(
            paper=self.paper,
            label=self.label + OWN_SCHEME_SUFFIX * content.own_scheme + CHANGED_SUFFIX * bool(changed),
            title=self.title,
            data=content.data,
            rows=rows,
            method=content.method,
            certificate=content.certificate,
            seconds=seconds,
            draw=self.draw,
            changed=changes_text(self.knobs, changed or {}),
        )

    @property
    def name(self) -> str:
        """ "Fig. 21b", "Table 2"; a figure that is not in the paper has its label alone."""
        if self.kind == "beyond":
            return self.label
        return self.label.capitalize() if self.kind == "table" else f"Fig. {self.label}"


def diagram_entry(
    paper: str,
    label: str,
    title: str,
    build: Callable[[], Model],
    words: str = NOT_REPRODUCED_TEXT,
    system: Mapping[str, Any] | None = None,
) -> Entry:
    """An entry for a photograph, a scheme or unpublished curves: a diagram replaces them.

    system : see `Entry`.
    """

    def compute(_: EntryRequest) -> EntryContent:
        import xarray

        model = build()
        data = xarray.Dataset(attrs={"coordinates": " ".join(one.name for one in model.coordinates)})
        return EntryContent(data, (), words, "none: nothing was computed")

    def draw(_: xarray.Dataset) -> Figure:
        from slipstick.plot.model_diagram import draw_diagram

        return draw_diagram(build())

    return Entry(paper, label, title, compute, draw, kind="scheme", fixed=DIAGRAM_FIXED_TEXT, system=system)


def figure_system_keywords(entry: Entry, changed: Mapping[str, float]) -> dict[str, Any] | None:
    """Keywords for ``ss.systems`` that differ from its own; None for a figure without a system."""
    if entry.system is None:
        return None
    from slipstick.systems.keyword_defaults import keyword_defaults

    law = entry.system.get("law")
    known = keyword_defaults(entry.paper, law)
    given = {**entry.keywords({**printed_values(entry.knobs), **changed}), **entry.system}
    values = {name: value for name, value in given.items() if name in known and value != known[name]}
    return values if law is None else {"law": law, **values}


def unsupported_parameters(entry: Entry) -> tuple[str, ...]:
    """Knobs whose numbers the system does not have, for example those of the figure's other law."""
    return tuple(
        knob.name
        for knob in entry.knobs
        if figure_system_keywords(entry, {knob.name: knob.low}) == figure_system_keywords(entry, {knob.name: knob.high})
    )
