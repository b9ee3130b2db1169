"""Copies of the work on disk while the user works, and the copy of an earlier start.

Each tab of a server has one copy, readable by this user alone. The newest copy of a server that has ended is offered
until it is opened or declined; of older ones a few are kept.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from slipstick.app.project.project_file import SUFFIX, Project

MAX_COPIES = 5  # of ended servers


@dataclass(frozen=True)
class SavedWork:
    """A project on disk.   name : of its file.   time : of its last change [s since 1970]."""

    path: Path
    name: str
    time: float

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
        for work in ended[MAX_COPIES:] if sys.platform != "win32" else ():  # there, they may be of running servers
            with suppress(OSError):
                work.path.unlink()

    def is_new(self, tab: str, project: Project) -> bool:
        """True if the project of a tab differs from its last copy."""
        return tab not in self._saved or self._saved[tab][1] != project

    def store(self, tab: str, project: Project, name: str, content: bytes) -> None:
        """Replace the copy of a tab; a disk that is full or read-only leaves the last one."""
        number = self._saved[tab][0] if tab in self._saved else len(self._saved)
        own = f"{os.getpid()}.{number}"
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
                number = process.partition(".")[0]
                about = path.lstat()
                own = sys.platform == "win32" or about.st_uid == os.getuid()
                if number.isdecimal() and own and path.is_file() and not path.is_symlink() and not _runs(int(number)):
                    copies.append(SavedWork(path, name, about.st_mtime))
        return copies


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
