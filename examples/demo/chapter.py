"""One chapter of the story: what the page and the terminal show of a result."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Chapter:
    """words : what happened, for a reader.   headline : what came of it, in one line.

    heading, rows : the numbers with units; the first column is what they are of.
    certificate, good, warnings : how sure they are, in words and as yes or no.   notes : what led to them.
    figure : the picture, drawn.   files : written beside the page, to go on with.
    """

    words: str
    headline: str
    heading: tuple[str, ...]
    rows: list[tuple[str, ...]]
    certificate: str
    good: bool
    figure: Figure
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    files: tuple[Path, ...] = ()
