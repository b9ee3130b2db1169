"""Copies of the work on disk while the user works, and the copy of an earlier start.

Each tab of a server has one copy, readable by this user alone. A tab that outlasted a server that has ended is offered
its own copy, another tab the newest one, until it is opened or declined; of older ones a few are kept.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from slipstick.app.project.project_file import SUFFIX, Project

MAX_COPIES = 5  # of ended servers


@dataclass(frozen=True)
class SavedWork:
    """A project on disk.   name : of its file.   time : of its last change [s since 1970].   tab : digest of its id."""

    path: Path
    name: str
    time: float
    tab: str = ""

    def content(self) -> bytes:
        return self.path.read_bytes()


class Autosave:
    """The copy of this server.

    earlier : the copy of a server that has ended, until it is opened or declined.
    requested : a project that the first tab opens by itself.
    """

    def __init__(self, requested: Path | None = None, folder: Path | None = None) -> None:
        self._folder = folder or users_state_folder() / "slipstick" / "projects"
        self.requested = None if requested is None else SavedWork(requested, requested.name, 0.0)
        self._saved: dict[str, tuple[int, Project]] = {}  # by tab: its number, and the last copy
        ended = sorted(self._ended_copies(), key=lambda work: -work.time)
        self.earlier: SavedWork | None = next(iter(ended), None)
        self._by_tab = {work.tab: work for work in reversed(ended) if work.tab}
        for work in ended[MAX_COPIES:] if sys.platform != "win32" else ():  # there, they may be of running servers
            with suppress(OSError):
                work.path.unlink()

    def offered(self, tab: str) -> SavedWork | None:
        """The copy to offer to a tab: its own one of an earlier start, or the newest."""
        return self._by_tab.get(_digest(tab), self.earlier)

    def settle(self, work: SavedWork) -> None:
        """Offer a copy no longer: it was opened or declined."""
        self._by_tab.pop(work.tab, None)
        if work == self.earlier:
            self.earlier = None

    def is_new(self, tab: str, project: Project) -> bool:
        """True if the project of a tab differs from its last copy."""
        return tab not in self._saved or self._saved[tab][1] != project

    def store(self, tab: str, project: Project, name: str, content: bytes) -> None:
        """Replace the copy of a tab; a disk that is full or read-only leaves the last one."""
        number = self._saved[tab][0] if tab in self._saved else len(self._saved)
        own = f"{os.getpid()}.{number}.{_digest(tab)}"
        path = self._folder / f"{own}-{name}{SUFFIX}"
        aside = path.with_suffix(".part")
        with suppress(OSError):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with open(os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
                file.write(content)
            os.replace(aside, path)
            self._saved[tab] = number, project
            for other in self._folder.glob(f"{own}-*{SUFFIX}"):
                if other != path:
                    other.unlink()

    def _ended_copies(self) -> list[SavedWork]:
        copies = []
        with suppress(OSError):
            for path in self._folder.glob(f"*-*{SUFFIX}"):
                process, _, name = path.name.partition("-")
                number, _, rest = process.partition(".")
                about = path.lstat()
                own = sys.platform == "win32" or about.st_uid == os.getuid()
                if number.isdecimal() and own and path.is_file() and not path.is_symlink() and not _runs(int(number)):
                    copies.append(SavedWork(path, name, about.st_mtime, rest.partition(".")[2]))
        return copies


def _digest(tab: str) -> str:
    """The id of a tab as part of a file name; the id comes from the browser."""
    return sha256(tab.encode()).hexdigest()[:12]


def users_state_folder() -> Path:
    """The folder for data of programs that outlast a start."""
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support"
    return Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state")


def _runs(number: int) -> bool:
    """True if a process with this number runs."""
    if sys.platform == "win32" or number == os.getpid():
        return number == os.getpid()
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
