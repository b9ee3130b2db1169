"""One figure or table of a paper: how it is computed and how it is drawn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Literal

from slipstick.papers.reproduction import OWN_SCHEME, Reproduction, Row

if TYPE_CHECKING:
    import xarray
    from matplotlib.figure import Figure

    from slipstick.api import Model

Progress = Callable[[str, float], None]

NOT_REPRODUCED = "scheme, not reproduced: the model's diagram instead"
MEASURED = "measured, not published and so not reproduced: the model's diagram instead"


def unwatched(words: str, share: float) -> None:
    """Nobody looks."""


@dataclass(frozen=True)
class Work:
    """What an entry is made with.

    progress : to be called with words and the share that is done.
    workers : processes it may use.   own_scheme : by the paper's own scheme, where there is one.
    """

    progress: Progress = unwatched
    workers: int = 1
    own_scheme: bool = False


@dataclass(frozen=True)
class Content:
    """What an entry computed.

    data : every line of the figure, with units in attributes.   rows : what is printed beside what is here.
    method, certificate : in words, how it was computed and how far it can be trusted.
    own_scheme : it was made by the paper's own scheme; its files then have names of their own.
    """

    data: xarray.Dataset
    rows: tuple[Row, ...]
    method: str
    certificate: str
    own_scheme: bool = False


@dataclass(frozen=True)
class Entry:
    """A figure ("21b"), a table ("table 2") or a scheme of a paper, or what goes beyond it; and how it is made.

    compute : gives the content.   draw : the picture of its data, in the house style.
    has_own_scheme : the paper's own scheme can make it, on request.
    about : how quantities begin that this figure is about, of a content that several share; empty for all.
    """

    paper: str
    label: str
    title: str
    compute: Callable[[Work], Content]
    draw: Callable[[xarray.Dataset], Figure]
    has_own_scheme: bool = False
    kind: Literal["figure", "table", "scheme", "beyond"] = "figure"
    about: tuple[str, ...] = ()

    def made(self, work: Work | None = None) -> Reproduction:
        """Compute it now."""
        began = perf_counter()
        content = self.compute(work or Work())
        return self.of(content, perf_counter() - began)

    def of(self, content: Content, seconds: float) -> Reproduction:
        """From what was computed already: entries that have one ``compute`` show the same content in several ways."""
        return Reproduction(
            paper=self.paper,
            label=self.label + OWN_SCHEME * content.own_scheme,
            title=self.title,
            data=content.data,
            rows=tuple(row for row in content.rows if not self.about or row.quantity.startswith(self.about)),
            method=content.method,
            certificate=content.certificate,
            seconds=seconds,
            draw=self.draw,
        )

    @property
    def name(self) -> str:
        """ "Fig. 21b", "Table 2"; what the paper does not have is called by its label alone."""
        if self.kind == "beyond":
            return self.label
        return self.label.capitalize() if self.kind == "table" else f"Fig. {self.label}"


def scheme(paper: str, label: str, title: str, build: Callable[[], Model], words: str = NOT_REPRODUCED) -> Entry:
    """A photograph or a scheme of the print, or curves that are not published: a diagram stands in their place."""

    def compute(_: Work) -> Content:
        import xarray

        model = build()
        data = xarray.Dataset(attrs={"coordinates": " ".join(one.name for one in model.coordinates)})
        return Content(data, (), words, "none: nothing was computed")

    def draw(_: xarray.Dataset) -> Figure:
        from slipstick.plot.diagram import diagram

        return diagram(build())

    return Entry(paper, label, title, compute, draw, kind="scheme")
