"""Machine code that is kept on disk: what one process has compiled for this processor, the next one reads.

A file is found by a digest of all that leads to the code: the text, the compiler itself, LLVM, the processor. Nothing
can go stale, and what cannot be written or read is compiled. The folder is the user's cache, or that of the
environment variable SLIPSTICK_CACHE; with an empty one nothing is kept.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sys
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

VARIABLE = "SLIPSTICK_CACHE"
MOST = 2000  # files; beyond, the older half is removed


class Code(NamedTuple):
    """An object file in memory, and what each of its entries returns."""

    results: Mapping[str, str | None]
    object_file: bytes


def name_of(*parts: str) -> str:
    """The name under which code is kept; parts : all that it depends on, but for the compiler's own text."""
    digest = hashlib.sha256(_compiler())
    for part in parts:
        digest.update(f"{len(part)} ".encode())
        digest.update(part.encode())
    return digest.hexdigest()


def read(name: str) -> Code | None:
    """Code that was kept; None if there is none, or what there is has been damaged."""
    folder = _folder()
    if folder is None:
        return None
    try:
        head, _, code = (folder / name).read_bytes().partition(b"\n")
        told = json.loads(head)
        if told["digest"] != hashlib.sha256(code).hexdigest():
            return None
        return Code(told["results"], code)
    except (OSError, ValueError, KeyError, TypeError):
        return None


def write(name: str, code: Code) -> None:
    """Keep code; where that is not possible, nothing happens."""
    folder = _folder()
    if folder is None:
        return
    told = {"digest": hashlib.sha256(code.object_file).hexdigest(), "results": dict(code.results)}
    with contextlib.suppress(OSError):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=folder, delete=False) as file:
            file.write(json.dumps(told).encode() + b"\n" + code.object_file)
        Path(file.name).replace(folder / name)  # whole or not at all: other processes read here
        _prune(folder)


def _prune(folder: Path) -> None:
    files = list(folder.iterdir())
    if len(files) > MOST:
        for old in sorted(files, key=lambda file: file.stat().st_mtime)[: len(files) // 2]:
            old.unlink(missing_ok=True)


def _folder() -> Path | None:
    """Where code is kept; None if nowhere, or if the folder is one that others may write to."""
    given = os.environ.get(VARIABLE)
    if given is not None:
        return Path(given) / "native" if given else None
    try:
        folder = _users_cache() / "slipstick" / "native"
        if sys.platform != "win32" and folder.exists():
            kept = folder.stat()
            if kept.st_uid != os.getuid() or kept.st_mode & 0o022:
                return None
    except (OSError, RuntimeError):  # no home
        return None
    return folder


def _users_cache() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")


@cache
def _compiler() -> bytes:
    """The text of the compiler itself."""
    return b"".join(file.read_bytes() for file in sorted(Path(__file__).parent.glob("*.py")))
