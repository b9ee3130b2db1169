"""Files about a fit or a ranking: what they are called, and what is in each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from slipstick.plot.style import FILE_DPI

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from slipstick.results.fit import Fit
    from slipstick.results.ranking import Ranking

COMPRESSED_SUFFIX = ".gz"
FileJobs = dict[str, bytes | Callable[[Path], None]]  # what is in a file, or what writes it, by suffix


def output_name(files: Sequence[str], what: str) -> str:
    """What all files of a result begin with: the first file of loops, and what was done with it.

    Several files are one result: its name says so.
    """
    first = Path(files[0]).name
    stem = first.removesuffix(COMPRESSED_SUFFIX).rpartition(".")[0] or first
    stem += f"-and-{len(files) - 1}-more" if len(files) > 1 else ""
    return f"{stem}-{what}"


def law_file_stem(law: str) -> str:
    """A law as names of files have it everywhere: iwan-7."""
    return law.lower().replace(":", "-").replace(" ", "")


def fit_jobs(fit: Fit, result: Fit | Ranking, figure: Figure, drawn: bytes, page: str) -> FileJobs:
    """What is written of a fit or a ranking.

    fit : whose law is to be pasted.   result : what the data are of.
    drawn : the figure as SVG, as it is in the page, too.
    """
    return {
        ".nc": result.save,
        ".yaml": law_file(fit).encode(),
        **figure_jobs(figure, drawn),
        ".html": page.encode(),
    }


def law_file(fit: Fit) -> str:
    """The law to paste, with a line on where."""
    from slipstick.report.law_block import law_block

    return f"# paste this under connections: of a model\n{law_block(fit)}"


def figure_jobs(figure: Figure, drawn: bytes) -> FileJobs:
    """A figure, and the same as SVG, which is in the page too."""
    return {".png": lambda aside: figure.savefig(aside, dpi=FILE_DPI), ".svg": drawn}
