"""Files that commands about loops write: data, pictures, the law to paste, and the page."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from slipstick.errors import FileError, SlipstickError, os_error_reason
from slipstick.plot.style import use_headless_backend
from slipstick.report.report_files import FileJobs, figure_jobs, fit_jobs, law_file_stem, output_name
from slipstick.study.command_messages import COMMAND

__all__ = [
    "figure_jobs",
    "fit_jobs",
    "law_file_stem",
    "output_folder",
    "output_location",
    "use_headless_backend",
    "write_files",
]

REPLACED_NOTE = " (replaces an older one)"


class OutputLocation(NamedTuple):
    """folder, and the name that all files there begin with."""

    folder: Path
    name: str

    def file(self, suffix: str) -> Path:
        return self.folder / f"{self.name}{suffix}"


def output_location(files: Sequence[str], what: str, out: str | None) -> OutputLocation:
    """Beside the first file, or in a folder that is made if it is not there; refused now if nothing can be written."""
    return OutputLocation(output_folder(Path(files[0]).parent if out is None else Path(out)), output_name(files, what))


def output_folder(folder: Path) -> Path:
    """A folder to write to, made if it is not there; refused now if nothing can be written."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(
            str(folder), None, "", f"cannot be made: {os_error_reason(error)}; name another folder with --out"
        ) from None
    if not os.access(folder, os.W_OK):
        raise FileError(str(folder), None, "", "cannot be written to; name another folder with --out")
    return folder


def _write_atomically(target: Path, content: bytes | Callable[[Path], None]) -> None:
    """A file, the old one or the new one, never half of one."""
    from slipstick.results.atomic_write import replacing_file

    with replacing_file(target) as aside:
        if isinstance(content, bytes):
            aside.write_bytes(content)
        else:
            content(aside)


def write_files(place: OutputLocation, jobs: FileJobs) -> tuple[list[str], list[str]]:
    """The written files, and messages about failed ones; a failure does not stop the others."""
    done, troubles = [], []
    for suffix, content in jobs.items():
        target = place.file(suffix)
        was_there = target.exists()
        try:
            _write_atomically(target, content)
        except SlipstickError as error:
            troubles.append(COMMAND.message(error.message))
        else:
            done.append(f"{target}{REPLACED_NOTE * was_there}")
    return done, troubles
