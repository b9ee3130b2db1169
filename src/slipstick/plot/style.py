"""The Matplotlib style of all figures: quiet, one accent colour, units on every axis."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from slipstick.errors import InvalidInput, short_repr

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CM_PER_INCH = 2.54
NARROW_CM = 12.0  # figures below are for a column of a paper: panels are stacked
SLIDE_CM = 22.0  # figures from here on are for slides
MIN_WIDTH_CM, MAX_WIDTH_CM = 6.0, 100.0
COLUMN_TEXT, USUAL_TEXT, SLIDE_TEXT = 8.0, 10.0, 14.0  # points

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
def house_style(width: float | None = None) -> Iterator[None]:
    """Context with the house style; the caller's settings are restored.

    width : [cm] of the figure, which decides the size of its text; None for a screen.
    """
    import matplotlib.pyplot as plt
    from cycler import cycler

    size = text_size(width)
    sizes: dict[Any, float] = {"font.size": size, "axes.titlesize": 1.1 * size, "legend.fontsize": 0.9 * size}
    sizes |= {"lines.linewidth": 0.18 * size, "axes.linewidth": 0.08 * size}
    with plt.rc_context({**_SETTINGS, **sizes, "axes.prop_cycle": cycler(color=PALETTE)}):
        yield


def text_size(width: float | None) -> float:
    """Size of text [points] in a figure of this width [cm]."""
    if width is None:
        return USUAL_TEXT
    return COLUMN_TEXT if width < NARROW_CM else USUAL_TEXT if width < SLIDE_CM else SLIDE_TEXT


def scaled(points: float) -> float:
    """A line or marker [points] in proportion to the text, within `house_style`."""
    import matplotlib as mpl

    return points * float(mpl.rcParams["font.size"]) / USUAL_TEXT


def is_narrow(width: float | None) -> bool:
    """True for a column of a paper, where panels are stacked."""
    return width is not None and width < NARROW_CM


def checked_width(width: Any) -> float | None:
    """The width of a figure [cm], or None."""
    if width is None:
        return None
    if isinstance(width, bool) or not isinstance(width, (int, float)) or not MIN_WIDTH_CM <= width <= MAX_WIDTH_CM:
        raise InvalidInput(
            f"width must be from {MIN_WIDTH_CM:g} to {MAX_WIDTH_CM:g} cm, such as 8.5 for a column or 25 for a slide, "
            f"got {short_repr(width)}"
        ).about("width")
    return float(width)


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
