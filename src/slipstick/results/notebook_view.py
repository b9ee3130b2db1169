"""How results look in a notebook: their words and their picture."""

from __future__ import annotations

import base64
import io
from html import escape
from typing import TYPE_CHECKING, Any

from slipstick.errors import SlipstickError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DOTS_PER_INCH = 110


class NotebookView:
    """Base of what a notebook shows as words and a picture: everything with a ``plot`` method."""

    def _repr_html_(self) -> str:
        """The repr above the default picture; a notebook calls this for the last value of a cell."""
        shown: Any = self
        try:
            picture = figure_html(shown.plot())
        except SlipstickError as refusal:  # such as a diagram of a hundred coordinates
            picture = text_html(f"no picture: {refusal}")
        return text_html(repr(self)) + picture


def text_html(words: str) -> str:
    return f'<pre style="white-space: pre-wrap">{escape(words)}</pre>'


def figure_html(figure: Figure) -> str:
    """The figure as an image without a file, closed: a notebook would show an open one a second time."""
    from matplotlib import pyplot as plt

    image = io.BytesIO()
    figure.savefig(image, format="png", dpi=DOTS_PER_INCH, bbox_inches="tight")
    plt.close(figure)
    content = base64.b64encode(image.getvalue()).decode("ascii")
    return f'<img style="max-width: 100%" alt="" src="data:image/png;base64,{content}">'
