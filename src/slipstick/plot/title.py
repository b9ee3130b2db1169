"""Titles of figures: whole sentences, wrapped to the width of the figure."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from slipstick.plot import tolerances as tol
from slipstick.plot.style import INK

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def set_title(figure: Figure, *lines: str, colour: str = INK) -> None:
    """Set the title of a figure from lines, without empty ones."""
    import matplotlib as mpl

    size = 1.1 * mpl.rcParams["font.size"]
    width = int(tol.TITLE_CHARACTERS_PER_INCH * figure.get_figwidth() * tol.TITLE_TEXT_SIZE / size)
    wrapped = [each for line in lines for part in line.splitlines() for each in textwrap.wrap(part, width)]
    text = figure.suptitle("\n".join(wrapped), x=0.01, ha="left", fontsize=size, fontweight="bold", color=colour)
    text.set_parse_math(False)  # a $ in the name of a model starts no formula
