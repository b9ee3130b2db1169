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
MAX_UPLOAD_BYTES = 100_000_000  # bytes of a file that is dropped on a page
MAX_CONNECTIONS = 500  # connections at a time, strangers among them
PORTS_TRIED = 20  # ports that are tried after the usual one


def serve(
    *,
    port: int | None = None,
    browser: bool = True,
    largest: int = MAX_UPLOAD_BYTES,
    say: Callable[[str], None] = print,
) -> None:
    """Serve the pages on this machine alone, until Ctrl-C.

    port : None for the usual one or, if that is taken, one of the next; 0 for any that is free.
    browser : open it there.   largest : bytes of a file that may be dropped.   say : is told the address.
    """
    door = _listening_socket(port)
    if "nicegui" not in sys.modules:
        _require_nicegui()
    log = begin_log()
    token = secrets.token_urlsafe(24)
    number = door.getsockname()[1]
    address = f"http://{HOST}:{number}/?token={token}"
    server = _server(number, token, largest)
    say(f"slipstick: {address}")
    say(f"for this machine only; Ctrl-C ends it; log: {log}")
    _terminate_like_ctrl_c("SIGTERM", "SIGHUP")
    with ExitStack() as stack:
        stack.callback(_drop_if_empty, log)
        if browser:
            stack.enter_context(_open_browser(address))
        stack.enter_context(suppress(KeyboardInterrupt))  # that is how it ends
        server.run(sockets=[door])


def _terminate_like_ctrl_c(*names: str) -> None:
    """A terminal that is closed, or a machine that goes down: files that are not to stay are removed then, too.

    A signal that whoever started it has switched off, as `nohup` does with SIGHUP, stays off.
    """
    for name in names:
        number = getattr(signal, name, None)  # not every system has them
        if number is None or threading.current_thread() is not threading.main_thread():
            continue
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, lambda *_: signal.raise_signal(signal.SIGINT))


def _drop_if_empty(log: Path) -> None:
    logging.shutdown()
    with suppress(OSError):
        if log.stat().st_size == 0:
            log.unlink()


def _server(number: int, token: str, largest: int):  # type: ignore[no-untyped-def]
    import uvicorn
    from fastapi import FastAPI
    from nicegui import app, ui

    from slipstick.app.page_frame import register
    from slipstick.app.pages import PAGES
    from slipstick.app.pending_connections import ACCEPT_BATCH, PendingConnections, tracking_protocol
    from slipstick.app.request_guard import MAX_HEAD_BYTES, RequestGuard
    from slipstick.app.worker_pool import WorkerPool

    _log_to_file_only()
    worker_pool, strangers = WorkerPool(), PendingConnections()
    app.on_startup(worker_pool.start)
    app.on_shutdown(worker_pool.close)
    register(PAGES, worker_pool, largest)
    inner = FastAPI(openapi_url=None, docs_url=None, redoc_url=None)
    ui.run_with(inner, title="slipstick", dark=None, tailwind=False, show_welcome_message=False, reconnect_timeout=30.0)
    hosts = frozenset(f"{name}:{number}" for name in (HOST, "localhost"))
    guarded = RequestGuard(inner, hosts=hosts, token=token, largest=largest, known=strangers.gone)
    # h11 gives up on heads that do not end; the faster parser keeps them, whatever their length
    parser: Any = {
        "http": tracking_protocol(strangers),
        "h11_max_incomplete_event_size": MAX_HEAD_BYTES,
        "backlog": ACCEPT_BATCH,
    }
    quiet: Any = {"log_config": None, "access_log": False, "server_header": False}
    return uvicorn.Server(uvicorn.Config(guarded, limit_concurrency=MAX_CONNECTIONS, **parser, **quiet))


def _listening_socket(port: int | None) -> socket.socket:
    """A socket that listens on this machine alone."""
    if port is not None and not 0 <= port <= 65_535:
        raise InvalidInput(f"port must be between 0 and 65535, got {port}; leave it out for the usual one")
    tried = (port,) if port is not None else range(PORT, PORT + PORTS_TRIED)
    for number in tried:
        door = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        if os.name != "nt":  # there it would let two servers have one port
            door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            door.bind((HOST, number))
            door.listen()  # whoever comes before the server is ready waits a moment
        except OSError as refusal:
            door.close()
            last = refusal.strerror or str(refusal)
        else:
            return door
    where = f"port {port}" if port is not None else f"ports {PORT} to {PORT + PORTS_TRIED - 1}"
    raise InvalidInput(f"{where} cannot be had ({last}); choose another with --port, or 0 for any that is free")


def _require_nicegui() -> None:
    try:
        import nicegui  # noqa: F401
    except ImportError:
        words = 'the page needs the extra "app": pip install "slipstick[app]"'
        raise InvalidInput(words) from None


def _log_to_file_only() -> None:
    """What links between page and server complain of goes to the log alone, as all else does."""
    for name in ("engineio.server", "socketio.server"):
        logging.getLogger(name).handlers.clear()


@contextmanager
def _open_browser(address: str) -> Iterator[None]:
    """When the server listens, which is soon: a browser takes longer to start, and asks again.

    What a browser is started with, other users of the machine can see. So it is a file that leads to the address, which
    only this user can read.
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
