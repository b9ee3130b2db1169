"""The Matplotlib style of all figures: quiet, one accent colour, units on every axis."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure

INK = "#22313f"
ACCENT = "#d1495b"
BLUE = "#1f6f9f"
BAND = "#8fb8d0"
GREEN = "#3a8a6b"
GREY = "#9aa5b1"
AMBER = "#c98b2b"
PALETTE = (BLUE, ACCENT, GREEN, AMBER, "#6b5b95", GREY)
DASHES = (0, (4, 2))  # unstable, or a bound
FILE_DPI = 160  # of figures in files

_SETTINGS: Any = {
    "figure.dpi": 110,
    "savefig.dpi": 110,
    "figure.constrained_layout.use": True,
    "font.size": 10,
    "axes.titlesize": 11,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#e3e8ed",
    "grid.linewidth": 0.8,
    "axes.axisbelow": True,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "lines.linewidth": 1.8,
    "legend.frameon": False,
    "legend.fontsize": 9,
}


@contextmanager
def house_style() -> Iterator[None]:
    """Context with the house style; the caller's settings are restored."""
    import matplotlib.pyplot as plt
    from cycler import cycler

    with plt.rc_context({**_SETTINGS, "axes.prop_cycle": cycler(color=PALETTE)}):
        yield


def without_mathtext(figure: Figure, *formulas: str | None) -> Figure:
    """The figure with literal texts: a $ in the name of a model or a file starts no formula.

    formulas : texts of the caller that may be formulas, as are powers of ten on axes.
    """
    from matplotlib.text import Text

    for text in figure.findobj(Text):
        words = text.get_text()
        if "$" in words.replace(r"\$", "") and words not in formulas and r"\mathdefault" not in words:
            text.set_parse_math(False)
    return figure


def use_headless_backend() -> None:
    """Draw figures without a window, also on a machine without a screen."""
    import matplotlib as mpl

    mpl.use("Agg")
