"""A fit on the page Identify outlasts a reload: the new page shows its progress, its end, or its failure."""

import asyncio
from types import SimpleNamespace

from headless_page import in_a_page
from nicegui import ui

from slipstick.app.identify.page import IdentifyPage
from slipstick.app.identify.page_state import FileContents, FitRequest, IdentifyState, UploadedFile
from slipstick.app.linked_states import LinkedStates
from slipstick.app.tab_state import TabState
from slipstick.app.worker_pool import TaskFailed
from slipstick.report.table import Table


class SlowPool:
    """Tells one line of progress, then waits for its answer."""

    def __init__(self):
        self.answer = asyncio.get_running_loop().create_future()

    async def run(self, _task, progress, *_given):
        progress("fitting masing, 3 of 7", 0.4)
        return await self.answer

    def finish(self, _task):
        return False


def page_of(tab, pool):
    return IdentifyPage(SimpleNamespace(tab_state=tab, worker_pool=pool, largest=1000, links=LinkedStates()))


def reload(story):
    """Begin a fit, leave its page, and open the page again; then comes the story."""

    async def whole(_client):
        tab, pool = TabState("a"), SlowPool()
        state = tab.of(IdentifyState)
        state.files = (UploadedFile("a.csv", b""),)
        state.contents = FileContents(table=Table((), (), 0))
        with ui.element() as first:
            before = page_of(tab, pool)
        fit = asyncio.ensure_future(before.fit(FitRequest(("masing",))))
        while not pool_is_asked(before):
            await asyncio.sleep(0)
        first.delete()
        after = page_of(tab, pool)
        after._poll_running_fit()
        await story(state, pool, fit, after)

    in_a_page(whole)


def pool_is_asked(page):
    return page._fitting.progress[1] == 0.4


def test_the_new_page_shows_the_progress_and_refuses_a_second_fit():
    async def story(_state, pool, fit, after):
        assert after._fitting.progress == ("fitting masing, 3 of 7", 0.4)
        assert "idle" not in after._fitting._place.classes
        assert not after._find_button.enabled
        after._fitting.cancel()  # its button cancels the fit of the former page
        await fit
        assert pool.answer.cancelled()
        after._poll_running_fit()
        assert after._find_button.enabled
        assert "idle" in after._fitting._place.classes

    reload(story)


def test_the_new_page_says_why_a_fit_failed():
    words = "needs two amplitudes, got 1; add a loop"

    async def story(state, pool, fit, after):
        pool.answer.set_exception(TaskFailed(words))
        await fit
        after._poll_running_fit()
        assert state.outdated == words
        shown = [own.content for own in after._results.descendants() if isinstance(own, ui.html)]
        assert any(words in text for text in shown)

    reload(story)
