"""Names and contents of the files of a fit or a ranking."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from slipstick.plot.style import FILE_DPI
from slipstick.report.law_block import law_block

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from slipstick.results.fit import Fit
    from slipstick.results.ranking import Ranking

COMPRESSED_SUFFIX = ".gz"
FileJobs = dict[str, bytes | Callable[[Path], None]]  # content of a file, or its writer, by suffix


def output_name(files: Sequence[str], what: str) -> str:
    """Common stem of all files of a result, from the first loop file, the count of others, and the task."""
    first = Path(files[0]).name
    stem = first.removesuffix(COMPRESSED_SUFFIX).rpartition(".")[0] or first
    stem += f"-and-{len(files) - 1}-more" if len(files) > 1 else ""
    return f"{stem}-{what}"


def law_file_stem(law: str) -> str:
    """A law in file names, such as iwan-7."""
    return law.lower().replace(":", "-").replace(" ", "")


def fit_jobs(fit: Fit, result: Fit | Ranking, figure: Figure, drawn: bytes, page: str) -> FileJobs:
    """Files of a fit or a ranking.

    fit : of the law to paste.   result : to save.   drawn : the figure as SVG, as in the page.
    """
    return {
        ".nc": result.save,
        ".yaml": law_file(fit).encode(),
        **figure_jobs(figure, drawn),
        ".html": page.encode(),
    }


def law_file(fit: Fit) -> str:
    """The law to paste, with a line that says where."""
    return f"# paste this under connections: of a model\n{law_block(fit)}"


def figure_jobs(figure: Figure, drawn: bytes) -> FileJobs:
    """Files of a figure, as PNG and SVG."""
    return {".png": lambda aside: figure.savefig(aside, dpi=FILE_DPI), ".svg": drawn}
