"""The page, served as a user starts it, and a browser that looks at it."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from pace import READY

SLOW = 240_000  # [ms] until something that is waited for on the page is there, also on a busy machine
POLLING = 100  # [ms] between two looks at the page
CHROMIUM = next(
    (found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), ""
)
PATIENT = str(Path(__file__).with_name("long_timeout_app.py"))
OPTIONS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


class Server:
    """A `slipstick app` in a process of its own.   address : what it printed, with its token.

    browser : a program that it opens the page with; none if left out.   script : what serves in its place.
    processes : of its tasks. Each takes two seconds to start; one is enough for a test with a server of its own.
    """

    def __init__(
        self, folder: Path, *options: str, browser: str = "", script: Path | None = None, processes: int = 1
    ) -> None:
        self.folder = folder
        quiet = [] if browser else ["--no-browser"]
        what = [PATIENT, "app", *quiet, "--port", "0", *options] if script is None else [str(script)]
        command = [sys.executable, *what]
        environment = {**own_environment(), **({"BROWSER": browser} if browser else {})}
        environment["SLIPSTICK_TEST_PROCESSES"] = str(processes)  # for long_timeout_app
        environment["XDG_STATE_HOME"] = str(folder / "state")  # work of other servers is not offered here
        self.process = subprocess.Popen(
            command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment
        )
        assert self.process.stdout is not None
        first, second = self.process.stdout.readline(), self.process.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:(\d+)/\?token=(\S+)", first)
        assert found, first + second
        self.port, self.token = int(found[1]), found[2]
        self.log = Path(second.split("log: ")[1].strip())
        self.address = found[0]

    def at(self, path: str) -> str:
        """The address of one page, with the token."""
        return f"http://127.0.0.1:{self.port}{path}?token={self.token}"

    def diagnosis(self) -> str:
        """What the server is doing now: the end of its log, with the stacks of its tasks."""
        size = self.log.stat().st_size
        self.process.send_signal(signal.SIGUSR2)
        deadline = time.monotonic() + 10.0
        while self.log.stat().st_size == size and time.monotonic() < deadline:
            time.sleep(0.1)
        return self.log.read_text()[-30_000:]

    def stop(self, how: signal.Signals = signal.SIGINT) -> str:
        """End it as Ctrl-C does, or otherwise; what it printed."""
        self.process.send_signal(how)
        try:
            printed, _ = self.process.communicate(timeout=READY)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
        self.log.unlink(missing_ok=True)
        return printed


@contextmanager
def holding(server: Server, name: str) -> Iterator[None]:
    """Within the block, the server waits where `long_timeout_app` says that it does for a file of this name."""
    file = server.folder / name
    file.touch()
    try:
        yield
    finally:
        file.unlink()


def own_environment() -> dict[str, str]:
    """Without what says that tests run, and with output in blocks: the page behaves as it does for a user."""
    left_out = ("PYTEST", "NICEGUI", "PYTHONUNBUFFERED")
    return {key: value for key, value in os.environ.items() if not key.startswith(left_out)}


class Watch:
    """What one page asked for and complained about."""

    def __init__(self, page: Any, port: int) -> None:
        self.requests: list[str] = []
        self.errors: list[str] = []
        self.own = (f"http://127.0.0.1:{port}/", f"ws://127.0.0.1:{port}/", "data:", "blob:")
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("websocket", lambda socket: self.requests.append(socket.url))
        page.on("console", lambda line: self.errors.append(line.text) if line.type == "error" else None)
        page.on("pageerror", lambda error: self.errors.append(str(error)))

    def check(self) -> None:
        """No request left this machine, and nothing went wrong in the browser."""
        assert self.requests
        foreign = [url for url in self.requests if not url.startswith(self.own)]
        assert not foreign, "\n".join(foreign)
        assert not self.errors, "\n".join(self.errors)


STILL = """() => !document.getAnimations().some((each) => each instanceof CSSTransition)
    && [...document.querySelectorAll(".q-expansion-item__content")].every((each) => !each.style.transition)"""


def unfold(page: Any, header: Any) -> None:
    """Open a folded part, until it slides no more: what slides while the pointer is pressed gets no click."""
    header.click()
    page.locator(".q-expansion-item--expanded", has=header).wait_for()
    page.wait_for_function(STILL, polling=POLLING)


def browser_context(chromium: Any) -> Any:
    """A context of a browser: cookies and cache are its own."""
    context = chromium.new_context(
        viewport={"width": 1280, "height": 900},
        accept_downloads=True,
        extra_http_headers={"Accept-Encoding": "identity"},  # compressing takes longer than sending
    )
    context.set_default_timeout(SLOW)
    return context


@contextmanager
def opening(server: Server, chromium: Any, shared: Any = None) -> Iterator[Any]:
    """Tabs, each in a browser context of its own, or all in a shared one, which has loaded the scripts before."""
    contexts, watches = [], []

    def opened(
        path: str = "/", *, width: int = 1280, height: int = 900, dark: bool = False, context: Any = None
    ) -> Any:
        context = context or shared
        if context is None:
            context = browser_context(chromium)
            contexts.append(context)
        page = context.new_page()
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme="dark" if dark else "light")
        # by a timer: the frames of a page are drawn late, or never, where a busy machine has no time for them
        page.wait_for_function = partial(page.wait_for_function, polling=POLLING)
        watches.append(Watch(page, server.port))
        page.goto(server.at(path))
        page.wait_for_selector("main h1")
        return page

    opened.pages = lambda: [page for context in (shared, *contexts) if context for page in context.pages]
    try:
        yield opened
        for watch in watches:
            watch.check()
    finally:
        for context in contexts:
            context.close()
        for page in shared.pages if shared else ():
            page.close()
