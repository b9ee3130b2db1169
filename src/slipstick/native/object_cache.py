"""Machine code on disk: a process reads what an earlier one compiled for this processor.

The file name is a digest of all that determines the code: its text, the compiler, LLVM and the processor. So no file
goes stale; code that cannot be read is compiled again. The folder is the user's cache, or that of the environment
variable SLIPSTICK_CACHE; if that is empty, nothing is kept. Code is run without further checks, so no other user may
be able to write to the folder or its files, or to replace the folder. Owner and mode are checked on the open file.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import stat
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from slipstick import __version__

VARIABLE = "SLIPSTICK_CACHE"
MOST = 200_000_000  # bytes in the folder; beyond, the least recently used files are removed, down to half
LOOK = MOST // 10  # bytes that one process writes before it looks at the folder again
BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH  # modes that let group or others write
NO_LINK = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)  # nor wait for a pipe; Windows has neither
RESULTS = ("number", None)  # what an entry can return


class Code(NamedTuple):
    """An object file in memory, and what each of its entries returns."""

    results: Mapping[str, str | None]
    object_file: bytes

    def digest(self, name: str) -> str:
        """Digest of the code and its file name; a renamed file counts as damaged."""
        results = json.dumps(dict(self.results), sort_keys=True).encode()
        return hashlib.sha256(b"\n".join([name.encode(), results, self.object_file])).hexdigest()


class _Here:
    """State of this process: whether it reads, and the bytes it may write before it prunes the folder."""

    reads = True
    room = 0


def name_of(*parts: str) -> str:
    """The name under which code is kept; parts : all that it depends on, without the compiler."""
    digest = hashlib.sha256(_compiler())
    for part in (__version__, *parts):
        digest.update(f"{len(part)} ".encode())
        digest.update(part.encode())
    return digest.hexdigest()


@contextlib.contextmanager
def unread() -> Iterator[None]:
    """A context without reading: everything is compiled, and kept."""
    _Here.reads = False
    try:
        yield
    finally:
        _Here.reads = True


def read(name: str, entries: Iterable[str]) -> Code | None:
    """Code that was kept, with these entries; None without any, or if it is damaged."""
    folder = _folder() if _Here.reads else None
    if folder is None:
        return None
    try:
        head, _, object_file = _content(folder / name).partition(b"\n")
        header = json.loads(head)
        code = Code(dict(header["results"]), object_file)
        if header["digest"] != code.digest(name):
            return None
        if code.results.keys() != set(entries) or any(kind not in RESULTS for kind in code.results.values()):
            return None
    except (OSError, ValueError, KeyError, TypeError):
        return None
    with contextlib.suppress(OSError):
        os.utime(folder / name)  # recently used files are kept
    return code


def write(name: str, code: Code) -> None:
    """Keep code; where that is not possible, nothing happens."""
    folder = _folder()
    if folder is None:
        return
    head = json.dumps({"digest": code.digest(name), "results": dict(code.results)}).encode()
    content = head + b"\n" + code.object_file
    with contextlib.suppress(OSError):
        for each in (*reversed(folder.parents), folder):
            if not each.exists():
                each.mkdir(mode=0o700, exist_ok=True)
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
    """Where code is kept, without links in its path; None without a folder, or if others may change its contents."""
    given = os.environ.get(VARIABLE)
    if given == "":
        return None
    try:
        own = (_users_cache() / "slipstick" if given is None else Path(given)).resolve()
        folder = own / "native"
        return folder if _is_ours(own) and _is_ours(folder) and all(map(_is_safe, own.parents)) else None
    except (OSError, RuntimeError):  # no home
        return None


def _is_ours(folder: Path) -> bool:
    """True for a folder that only this user may write to, and for one that is not there yet."""
    if sys.platform == "win32" or not os.path.lexists(folder):
        return True
    about = folder.lstat()
    return stat.S_ISDIR(about.st_mode) and about.st_uid == os.getuid() and not about.st_mode & BY_OTHERS


def _is_safe(parent: Path) -> bool:
    """True for a folder whose entries only this user and root can rename."""
    if sys.platform == "win32" or not parent.exists():
        return True
    about = parent.stat()
    held = not about.st_mode & BY_OTHERS or bool(about.st_mode & stat.S_ISVTX)
    return held and about.st_uid in (0, os.getuid())


def _content(file: Path) -> bytes:
    """The bytes of a plain file that only this user may write to. Raises OSError for any other, a link among them."""
    with open(file, "rb", opener=lambda path, flags: os.open(path, flags | NO_LINK)) as opened:
        about = os.fstat(opened.fileno())
        ours = sys.platform == "win32" or (about.st_uid == os.getuid() and not about.st_mode & BY_OTHERS)
        if not ours or not stat.S_ISREG(about.st_mode):
            raise PermissionError(f"{file} is not a plain file of this user alone")
        return opened.read()


def _users_cache() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")


@cache
def _compiler() -> bytes:
    """The source of the compiler."""
    return b"".join(file.read_bytes() for file in sorted(Path(__file__).parent.glob("*.py")))
