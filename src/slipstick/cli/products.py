"""Files that commands about loops write: data, pictures, the law to paste, and the page."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from slipstick.errors import FileError, SlipstickError, reason
from slipstick.plot.style import without_screen
from slipstick.report.files import Jobs, fit_jobs, law_in_name, name_of, pictures

__all__ = ["fit_jobs", "folder_of", "law_in_name", "pictures", "place_of", "without_screen", "write_files"]

REPLACED = " (replaces an older one)"


class Place(NamedTuple):
    """folder, and the name that all files there begin with."""

    folder: Path
    name: str

    def file(self, suffix: str) -> Path:
        return self.folder / f"{self.name}{suffix}"


def place_of(files: Sequence[str], what: str, out: str | None) -> Place:
    """Beside the first file, or in a folder that is made if it is not there; refused now if nothing can be written."""
    return Place(folder_of(Path(files[0]).parent if out is None else Path(out)), name_of(files, what))


def folder_of(folder: Path) -> Path:
    """A folder to write to, made if it is not there; refused now if nothing can be written."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(
            str(folder), None, "", f"cannot be made: {reason(error)}; name another folder with --out"
        ) from None
    if not os.access(folder, os.W_OK):
        raise FileError(str(folder), None, "", "cannot be written to; name another folder with --out")
    return folder


def _written(target: Path, content: bytes | Callable[[Path], None]) -> None:
    """A file, the old one or the new one, never half of one."""
    from slipstick.results.aside import written_aside

    with written_aside(target) as aside:
        if isinstance(content, bytes):
            aside.write_bytes(content)
        else:
            content(aside)


def write_files(place: Place, jobs: Jobs) -> tuple[list[str], list[str]]:
    """The files that were written, and in words what became of those that were not; one does not stop the others."""
    done, troubles = [], []
    for suffix, content in jobs.items():
        target = place.file(suffix)
        was_there = target.exists()
        try:
            _written(target, content)
        except SlipstickError as error:
            troubles.append(str(error))
        else:
            done.append(f"{target}{REPLACED * was_there}")
    return done, troubles
