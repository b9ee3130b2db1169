"""What pages are made of, without a browser: what is to be told is told, also where the button for it is gone."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable, Coroutine
from types import SimpleNamespace
from typing import Any, cast

import pytest
from headless_page import in_a_page, told_on
from nicegui import ui
from nicegui.client import Client

from slipstick.app import widgets
from slipstick.app.linked_states import LinkedStates
from slipstick.app.respond import page as respond
from slipstick.app.tab_state import TabState
from slipstick.app.task_warnings import publish_task_end
from slipstick.app.worker_pool import TaskInterrupted
from slipstick.errors import InvalidInput

Rebuild = Callable[[], None]


def told_by(act: Callable[[Rebuild], Coroutine[Any, Any, None]], handled: bool = True) -> list[str]:
    """What a page is told by an act that is given how to rebuild the place where its button stands."""

    async def whole(client: Client) -> list[str]:
        with ui.element("div") as around:
            slot = ui.element("div").default_slot

        def rebuild() -> None:
            around.clear()
            gc.collect()  # as happens sooner or later

        with slot:
            await (widgets.with_error_notification(act) if handled else act)(rebuild)
        return told_on(client)

    found: list[str] = in_a_page(whole)
    return found


def test_what_goes_wrong_is_told_also_after_its_button_was_taken_away():
    async def act(rebuild: Rebuild) -> None:
        rebuild()
        raise InvalidInput("mass must be > 0, got -1")

    assert told_by(act) == ["mass must be > 0, got -1"]


def test_what_an_act_tells_itself_is_told_also_after_its_button_was_taken_away():
    async def act(rebuild: Rebuild) -> None:
        rebuild()
        widgets.notify_problem("there is no loop yet")
        ui.notify("another curve was asked for")

    assert told_by(act) == ["there is no loop yet", "another curve was asked for"]


def test_what_a_task_warned_of_is_told_also_after_its_button_was_taken_away():
    async def act(rebuild: Rebuild) -> None:
        rebuild()
        publish_task_end("task", ("limit is cut off at zero",))

    assert told_by(act) == ["limit is cut off at zero"]


class Stopped:
    """A worker_pool whose tasks end before there is anything to keep."""

    async def run(self, *_: Any) -> None:
        raise TaskInterrupted("stopped")


def test_that_work_was_cancelled_is_told_also_after_its_button_was_taken_away():
    async def act(rebuild: Rebuild) -> None:
        with ui.context.client:
            bar = widgets.TaskBar(Stopped())
        rebuild()
        assert await bar.run(print) is None

    assert told_by(act, handled=False) == [widgets.CANCELLED_TEXT]


def test_a_page_that_is_left_before_its_model_was_read_ends_without_a_word():
    async def whole(client: Client) -> list[str]:
        asked, tab_state = asyncio.Event(), TabState("tab")

        async def for_ever(*_: Any) -> None:
            asked.set()
            await asyncio.Event().wait()

        context = SimpleNamespace(tab_state=tab_state, worker_pool=SimpleNamespace(run=for_ever), links=LinkedStates())
        place = ui.element("main")

        async def built() -> None:
            with place:
                await respond.build(cast(Any, context))

        going = asyncio.ensure_future(built())
        await asked.wait()
        client.remove_all_elements()  # as where it is loaded anew
        going.cancel()
        with pytest.raises(asyncio.CancelledError):
            await going
        return told_on(client)

    assert in_a_page(whole) == []
