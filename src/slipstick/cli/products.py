"""Files that commands about loops write: data, pictures, the law to paste, and the page."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from slipstick.errors import FileError, SlipstickError
from slipstick.plot.style import FINE, without_screen

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from slipstick.results.fit import Fit
    from slipstick.results.ranking import Ranking

__all__ = ["fit_jobs", "folder_of", "law_in_name", "pictures", "place_of", "without_screen", "write_files"]

PACKED = ".gz"
REPLACED = " (replaces an older one)"
Jobs = dict[str, bytes | Callable[[Path], None]]  # what is in a file, or what writes it, by suffix


class Place(NamedTuple):
    """folder, and the name that all files there begin with."""

    folder: Path
    name: str

    def file(self, suffix: str) -> Path:
        return self.folder / f"{self.name}{suffix}"


def place_of(files: Sequence[str], what: str, out: str | None) -> Place:
    """Beside the first file, or in a folder that is made if it is not there; refused now if nothing can be written.

    Several files are one result: its name says so.
    """
    path = Path(files[0])
    stem = path.name.removesuffix(PACKED).rpartition(".")[0] or path.name
    stem += f"-and-{len(files) - 1}-more" if len(files) > 1 else ""
    return Place(folder_of(path.parent if out is None else Path(out)), f"{stem}-{what}")


def folder_of(folder: Path) -> Path:
    """A folder to write to, made if it is not there; refused now if nothing can be written."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        words = (error.strerror or str(error)).lower()
        raise FileError(str(folder), None, "", f"cannot be made: {words}; name another folder with --out") from None
    if not os.access(folder, os.W_OK):
        raise FileError(str(folder), None, "", "cannot be written to; name another folder with --out")
    return folder


def law_in_name(law: str) -> str:
    """A law as names of files have it everywhere: iwan-7."""
    return law.lower().replace(":", "-").replace(" ", "")


def _written(target: Path, content: bytes | Callable[[Path], None]) -> None:
    """A file, the old one or the new one, never half of one."""
    from slipstick.results.aside import written_aside

    with written_aside(target) as aside:
        if isinstance(content, bytes):
            aside.write_bytes(content)
        else:
            content(aside)


def fit_jobs(fit: Fit, result: Fit | Ranking, figure: Figure, drawn: bytes, page: str) -> Jobs:
    """What is written of a fit or a ranking.

    fit : whose law is to be pasted.   result : what the data are of.
    drawn : the figure as SVG, as it is in the page, too.
    """
    from slipstick.report.block import block_of

    return {
        ".nc": result.save,
        ".yaml": f"# paste this under connections: of a model\n{block_of(fit)}".encode(),
        **pictures(figure, drawn),
        ".html": page.encode(),
    }


def pictures(figure: Figure, drawn: bytes) -> Jobs:
    """A figure, and the same as SVG, which is in the page too."""
    return {".png": lambda aside: figure.savefig(aside, dpi=FINE), ".svg": drawn}


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
