"""First code of a worker process: connects to the parent, runs one function, ends with the parent."""

from __future__ import annotations

import importlib
import os
import signal
import threading
from multiprocessing.connection import Client, Connection
from typing import Any

# `sys.path` comes from the parent, so that its own modules are found
BOOT_SCRIPT = (
    "import json, os, sys\n"
    "line = b''\n"
    "while not line.endswith(b'\\n'):\n"
    "    more = os.read(0, 1)\n"
    "    if not more: os._exit(1)\n"  # the parent died before it sent the settings
    "    line += more\n"
    "settings = json.loads(line); sys.path[:] = settings['path']\n"
    "from slipstick.workers.boot import main; main(settings)"
)


def main(settings: dict[str, Any]) -> None:
    """Connect to the parent and run ``settings["function"]`` ("module:function") with the link, until it closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; the parent decides
    pipe = os.dup(0)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)  # code that reads input gets none, instead of waiting for ever
    threading.Thread(target=_exit_with_parent, args=(pipe,), daemon=True).start()
    module, _, name = settings["function"].partition(":")
    function = getattr(importlib.import_module(module), name)
    try:
        link: Connection[Any, Any] = Client(settings["address"], authkey=bytes.fromhex(settings["key"]))
        link.send(settings["name"])
        function(link)
    except (EOFError, OSError):  # the parent is gone
        pass
    os._exit(0)  # without waiting for other threads


def _exit_with_parent(pipe: int) -> None:
    """End this process when the parent dies, which closes its end of the pipe."""
    while os.read(pipe, 1):
        pass
    os._exit(1)
