"""Machine code that is kept on disk: what one process has compiled for this processor, the next one reads.

A file is found by a digest of all that leads to the code: the text, the compiler itself, LLVM, the processor. Nothing
can go stale, and what cannot be written or read is compiled. The folder is the user's cache, or that of the
environment variable SLIPSTICK_CACHE; with an empty one nothing is kept. Code from it is run as it stands, so it has to
be a folder that nobody else may write to.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from slipstick import __version__

VARIABLE = "SLIPSTICK_CACHE"
MOST = 200_000_000  # bytes in the folder; beyond, what was not used for longest is removed, to half of it
LOOK = MOST // 10  # bytes that one process writes before it looks at the folder again
RESULTS = ("number", None)  # what an entry can return


class Code(NamedTuple):
    """An object file in memory, and what each of its entries returns."""

    results: Mapping[str, str | None]
    object_file: bytes

    def digest(self, name: str) -> str:
        """Of all of it and the name it is kept under: code of another name is damage too."""
        results = json.dumps(dict(self.results), sort_keys=True).encode()
        return hashlib.sha256(b"\n".join([name.encode(), results, self.object_file])).hexdigest()


class _Here:
    """What this process is at: whether it reads, and the bytes it may write before it looks at the folder."""

    reads = True
    room = 0


def name_of(*parts: str) -> str:
    """The name under which code is kept; parts : all that it depends on, but for the compiler itself."""
    digest = hashlib.sha256(_compiler())
    for part in (__version__, *parts):
        digest.update(f"{len(part)} ".encode())
        digest.update(part.encode())
    return digest.hexdigest()


@contextlib.contextmanager
def unread() -> Iterator[None]:
    """Within it nothing is read: everything is compiled, and kept."""
    _Here.reads = False
    try:
        yield
    finally:
        _Here.reads = True


def read(name: str, entries: Iterable[str]) -> Code | None:
    """Code that was kept, with these entries; None if there is none, or what there is has been damaged."""
    folder = _folder() if _Here.reads else None
    if folder is None:
        return None
    try:
        head, _, object_file = (folder / name).read_bytes().partition(b"\n")
        told = json.loads(head)
        code = Code(dict(told["results"]), object_file)
        if told["digest"] != code.digest(name):
            return None
        if code.results.keys() != set(entries) or any(kind not in RESULTS for kind in code.results.values()):
            return None
    except (OSError, ValueError, KeyError, TypeError):
        return None
    with contextlib.suppress(OSError):
        os.utime(folder / name)  # what is used stays
    return code


def write(name: str, code: Code) -> None:
    """Keep code; where that is not possible, nothing happens."""
    folder = _folder()
    if folder is None:
        return
    head = json.dumps({"digest": code.digest(name), "results": dict(code.results)}).encode()
    content = head + b"\n" + code.object_file
    with contextlib.suppress(OSError):
        folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)
        _put(folder / name, content)
        _Here.room -= len(content)
        if _Here.room < 0:
            _Here.room = LOOK
            _prune(folder)


def _put(target: Path, content: bytes) -> None:
    """Whole or not at all: other processes read here."""
    handle, aside = tempfile.mkstemp(dir=target.parent)
    try:
        with open(handle, "wb") as file:
            file.write(content)
        Path(aside).replace(target)
    except BaseException:  # a full disk, Ctrl-C
        Path(aside).unlink(missing_ok=True)
        raise


def _prune(folder: Path) -> None:
    files = [(file.stat(), file) for file in folder.iterdir()]
    whole = sum(about.st_size for about, _ in files)
    if whole <= MOST:
        return
    for about, file in sorted(files, key=lambda each: each[0].st_mtime):
        file.unlink(missing_ok=True)
        whole -= about.st_size
        if whole <= MOST // 2:
            break


def _folder() -> Path | None:
    """Where code is kept; None if nowhere, or if the folder, or the one that it is in, may be written to by others."""
    given = os.environ.get(VARIABLE)
    if given == "":
        return None
    try:
        own = _users_cache() / "slipstick" if given is None else Path(given)
        folder = own / "native"
        return folder if _is_ours(own) and _is_ours(folder) else None
    except (OSError, RuntimeError):  # no home
        return None


def _is_ours(folder: Path) -> bool:
    """True for a folder that only this user may write to, and for one that is not there yet."""
    if sys.platform == "win32" or not folder.exists():
        return True
    about = folder.stat()
    return about.st_uid == os.getuid() and not about.st_mode & 0o022


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
