"""A page without a server and a browser: what is built in it and told there can be looked at."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from nicegui import core, ui
from nicegui.client import Client

SOON = 300.0  # [s] until a story has come to its end; a busy machine is slow


def in_a_page(story: Callable[[Client], Coroutine[Any, Any, Any]]) -> Any:
    """What comes of a story that is told in an empty page."""

    async def whole() -> Any:
        before, core.loop = core.loop, asyncio.get_running_loop()
        try:
            client = Client(ui.page("/"), request=None)
            with client:
                async with asyncio.timeout(SOON):
                    return await story(client)
        finally:
            core.loop = before

    with ThreadPoolExecutor(1) as aside:  # in this thread the browser of other tests has a loop of its own
        return aside.submit(asyncio.run, whole()).result()


def told_on(client: Client) -> list[str]:
    """What stands below a page: complaints, then what is told in passing."""
    said = [own.message for own in client.elements.values() if isinstance(own, ui.notification)]
    return said + [data["message"] for _, kind, data in client.outbox.messages if kind == "notify"]
