"""Copies of the work on disk while the user works, and the copy of an earlier start.

Each server has a folder of its own, readable by this user alone; the folders of servers that have ended are offered
once, the newest first, and removed when there are many.
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
        self._saved: Project | None = None
        ended = sorted(self._ended_copies(), key=lambda work: -work.time)
        self.earlier: SavedWork | None = next(iter(ended), None)
        for work in ended[MAX_COPIES:]:
            with suppress(OSError):
                work.path.unlink()

    def is_new(self, project: Project) -> bool:
        """True if a project differs from the last copy."""
        return project != self._saved

    def store(self, project: Project, name: str, content: bytes) -> None:
        """Replace the copy of this server; a disk that is full or read-only leaves the last one."""
        path = self._folder / f"{os.getpid()}-{name}{SUFFIX}"
        aside = path.with_suffix(".part")
        self._saved = project
        with suppress(OSError):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with open(os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
                file.write(content)
            os.replace(aside, path)
            for other in self._folder.glob(f"{os.getpid()}-*{SUFFIX}"):
                if other != path:
                    other.unlink()

    def _ended_copies(self) -> list[SavedWork]:
        copies = []
        with suppress(OSError):
            for path in self._folder.glob(f"*-*{SUFFIX}"):
                number, _, name = path.name.partition("-")
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
