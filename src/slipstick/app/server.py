"""Starts the server, prints its address, and stops it."""

from __future__ import annotations

import logging
import os
import secrets
import signal
import socket
import sys
import tempfile
import threading
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from slipstick.app.log_file import begin_log
from slipstick.errors import InvalidInput

HOST = "127.0.0.1"
PORT = 8470
MAX_UPLOAD_BYTES = 100_000_000  # of a file that is dropped on a page
MAX_CONNECTIONS = 500  # at a time, pending ones included
PORTS_TRIED = 20  # ports that are tried, from the usual one on


def serve(
    *,
    port: int | None = None,
    browser: bool = True,
    largest: int = MAX_UPLOAD_BYTES,
    project: Path | None = None,
    print_line: Callable[[str], None] = print,
) -> None:
    """Serve the pages on this machine alone, until Ctrl-C.

    port : None for the usual one or, if that is taken, one of the next; 0 for any free one.
    browser : open one.   largest : bytes of an uploaded file.   project : a file that the first tab opens.
    print_line : prints the address.
    """
    listener = _listening_socket(port)
    if "nicegui" not in sys.modules:
        _require_nicegui()
    log = begin_log()
    token = secrets.token_urlsafe(24)
    number = listener.getsockname()[1]
    address = f"http://{HOST}:{number}/?token={token}"
    server = _server(number, token, largest, project)
    print_line(f"slipstick: {address}")
    print_line(f"for this machine only; Ctrl-C ends it; log: {log}")
    _terminate_like_ctrl_c("SIGTERM", "SIGHUP")
    with ExitStack() as stack:
        stack.callback(_drop_if_empty, log)
        if browser:
            stack.enter_context(_open_browser(address))
        stack.enter_context(suppress(KeyboardInterrupt))  # Ctrl-C ends the server
        server.run(sockets=[listener])


def _terminate_like_ctrl_c(*names: str) -> None:
    """Handle these signals as Ctrl-C, so that temporary files are removed when a terminal closes or the machine stops.

    A signal that the caller ignores, as `nohup` does with SIGHUP, stays ignored.
    """
    for name in names:
        number = getattr(signal, name, None)  # not on every system
        if number is None or threading.current_thread() is not threading.main_thread():
            continue
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, lambda *_: signal.raise_signal(signal.SIGINT))


def _drop_if_empty(log: Path) -> None:
    logging.shutdown()
    with suppress(OSError):
        if log.stat().st_size == 0:
            log.unlink()


def _server(number: int, token: str, largest: int, project: Path | None):  # type: ignore[no-untyped-def]
    import uvicorn
    from fastapi import FastAPI
    from nicegui import app, ui

    from slipstick.app.page_frame import register
    from slipstick.app.pages import PAGES
    from slipstick.app.pending_connections import ACCEPT_BATCH, PendingConnections, tracking_protocol
    from slipstick.app.project.autosave import Autosave
    from slipstick.app.project.project_menu import ProjectMenu
    from slipstick.app.reconnect import Reconnect, users_key
    from slipstick.app.request_guard import MAX_HEAD_BYTES, RequestGuard
    from slipstick.app.worker_pool import WorkerPool

    _log_to_file_only()
    worker_pool, pending = WorkerPool(), PendingConnections()
    app.on_startup(worker_pool.start)
    app.on_shutdown(worker_pool.close)
    autosave = Autosave(project)
    reconnect = Reconnect(users_key())
    register(
        PAGES, worker_pool, largest, lambda context, above: ProjectMenu(context, above, autosave), reconnect.script
    )
    inner = FastAPI(openapi_url=None, docs_url=None, redoc_url=None)
    ui.run_with(inner, title="slipstick", dark=None, tailwind=False, show_welcome_message=False, reconnect_timeout=30.0)
    hosts = frozenset(f"{name}:{number}" for name in (HOST, "localhost"))
    guarded = RequestGuard(
        inner, hosts=hosts, token=token, largest=largest, on_authenticated=pending.remove, reconnect=reconnect
    )
    # h11 limits the size of an unfinished head; the faster parser does not
    parser: Any = {
        "http": tracking_protocol(pending),
        "h11_max_incomplete_event_size": MAX_HEAD_BYTES,
        "backlog": ACCEPT_BATCH,
    }
    quiet: Any = {"log_config": None, "access_log": False, "server_header": False}
    return uvicorn.Server(uvicorn.Config(guarded, limit_concurrency=MAX_CONNECTIONS, **parser, **quiet))


def _listening_socket(port: int | None) -> socket.socket:
    """A socket that listens on the loopback address."""
    if port is not None and not 0 <= port <= 65_535:
        raise InvalidInput(f"port must be between 0 and 65535, got {port}; leave it out for the usual one")
    tried = (port,) if port is not None else range(PORT, PORT + PORTS_TRIED)
    for number in tried:
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        if os.name != "nt":  # there it would let two servers share a port
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((HOST, number))
            listener.listen()  # early requests wait until the server is ready
        except OSError as refusal:
            listener.close()
            last = refusal.strerror or str(refusal)
        else:
            return listener
    where = f"port {port}" if port is not None else f"ports {PORT} to {PORT + PORTS_TRIED - 1}"
    raise InvalidInput(f"{where} cannot be opened ({last}); choose another port with --port, or 0 for any free one")


def _require_nicegui() -> None:
    try:
        import nicegui  # noqa: F401
    except ImportError:
        message = 'the page needs the extra "app": pip install "slipstick[app]"'
        raise InvalidInput(message) from None


def _log_to_file_only() -> None:
    """Send messages of the websocket libraries to the log only."""
    for name in ("engineio.server", "socketio.server"):
        logging.getLogger(name).handlers.clear()


@contextmanager
def _open_browser(address: str) -> Iterator[None]:
    """Open a browser shortly after the server listens.

    Other users of the machine can see the arguments of a browser. So it opens a file that only this user can read and
    that redirects to the address.
    """
    from slipstick.app.request_guard import redirect_page

    handle, name = tempfile.mkstemp(prefix="slipstick-app-", suffix=".html")
    with open(handle, "w", encoding="utf-8") as file:
        file.write(redirect_page(address))
    timer = threading.Timer(0.8, webbrowser.open, [Path(name).as_uri()])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        Path(name).unlink(missing_ok=True)
