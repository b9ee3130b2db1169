"""What the page Papers does, without a browser."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, cast
from unittest.mock import Mock

from headless_page import in_a_page
from nicegui import ui
from nicegui.client import Client
from ruamel.yaml import YAML

from slipstick.app.page_frame import PageContext
from slipstick.app.papers import tasks
from slipstick.app.papers.page import CITATIONS, PapersPage
from slipstick.app.papers.page_state import FigureItem, FigureResult, PapersState
from slipstick.app.tab_state import TabState
from slipstick.app.worker_pool import TaskFailed
from slipstick.papers import NAMES
from slipstick.papers.certificate_summary import ErrorEvidence, certificate_line

ITEMS = tuple(FigureItem("gear", label, f"Fig. {label}", "a figure", "figure", (), False) for label in "123")


class Makers:
    """Instead of a worker_pool: a figure is made, or cannot be, when a test says so; who is cancelled takes some
    time."""

    def __init__(self) -> None:
        self.asked: dict[str, asyncio.Future[FigureResult]] = {}

    async def run(self, _task: Any, _tell: Any, _paper: str, label: str, *_: Any) -> FigureResult:
        self.asked[label] = asyncio.get_running_loop().create_future()
        try:
            return await self.asked[label]
        except asyncio.CancelledError:
            await asyncio.sleep(0.1)
            raise


def told(story: Callable[[PapersPage, Makers], Coroutine[Any, Any, None]]) -> tuple[PapersState, str]:
    """What a tab keeps after a story, and what stands in the place of the figure."""

    async def whole(_: Client) -> tuple[PapersState, str]:
        makers = Makers()
        gallery = PapersPage(PageContext(TabState("tab"), cast(Any, makers), 0), ITEMS)
        gallery.timer = Mock()  # a clock runs for somebody who looks at it
        await story(gallery, makers)
        shown = [own.content for own in gallery.place.descendants() if isinstance(own, ui.html)]
        return gallery.state, " ".join(shown)

    found: tuple[PapersState, str] = in_a_page(whole)
    return found


def picture(title: str) -> FigureResult:
    return FigureResult(title, (), "", "", "passed", 0.0, "", {"one.png": b""})


async def until(true: Callable[[], bool]) -> None:
    while not true():
        await asyncio.sleep(0.005)


def test_of_figures_that_are_chosen_one_after_the_other_the_last_is_made():
    async def story(gallery: PapersPage, makers: Makers) -> None:
        clicks = []
        for item in ITEMS:
            clicks.append(asyncio.ensure_future(in_page(gallery, item)))
            await asyncio.sleep(0.001)
        await until(lambda: "3" in makers.asked)
        makers.asked["3"].set_result(picture("third"))
        await asyncio.gather(*clicks)
        assert list(makers.asked) == ["1", "3"]

    state, shown = told(story)
    assert state.request is not None
    assert state.request.label == "3"
    assert 'alt="third"' in shown


async def in_page(gallery: PapersPage, item: FigureItem) -> None:
    with gallery.place:
        await gallery.choose(item)


def test_why_a_figure_cannot_be_made_stands_in_its_place():
    async def story(gallery: PapersPage, makers: Makers) -> None:
        click = asyncio.ensure_future(in_page(gallery, ITEMS[0]))
        await until(lambda: "1" in makers.asked)
        makers.asked["1"].set_exception(TaskFailed("it does not converge at 13 N"))
        await click

    _, shown = told(story)
    assert "it does not converge at 13 N" in shown


def test_a_figure_is_green_only_where_every_error_is_known():
    points = [ErrorEvidence("point", 5, 1e-5, unknown=unknown) for unknown in (0, 1)]
    bad = ErrorEvidence("run", 1, 1e-5, reasons=("energy does not balance",))
    none = ErrorEvidence("point", 2, math.nan, unknown=2)
    assert [tasks._certificate_verdict(certificate_line(own)) for own in (*points, none, bad)] == [
        "passed",
        "unknown",
        "unknown",
        "failed",
    ]


def test_every_paper_is_cited_as_in_the_citation_file():
    file = YAML(typ="safe").load((Path(__file__).parents[2] / "CITATION.cff").read_text(encoding="utf-8"))
    assert len(file["references"]) == len(CITATIONS) == len(NAMES)
    for own, name in zip(file["references"], NAMES, strict=True):
        names = ", ".join(author["family-names"] for author in own["authors"])
        assert CITATIONS[name].startswith(f"{names}: {own['title'].strip()}. {own['journal']}")
        assert all(str(own[key]) in CITATIONS[name] for key in ("volume", "year", "start", "end", "doi") if key in own)
