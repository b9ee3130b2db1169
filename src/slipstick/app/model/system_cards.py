"""Cards of the published systems on the page Model: a name and a small picture, drawn from the model itself.

`system_cards.json` keeps the pictures, so that opening the page builds no model; `python scripts/make_system_cards.py`
writes it.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from nicegui import ui

from slipstick.app.model_choice import SYSTEM_DESCRIPTIONS

if TYPE_CHECKING:
    from slipstick.model.system import System

SYSTEM_NAMES = {
    "tensioner": "belt tensioner",
    "gear": "gear train",
    "fibre": "fibre mount",
    "clutch": "clutch",
    "torsional": "oscillator",
}
HATCH_WIDTH = 0.8  # points; thinner lines are hatching, which a small picture does not show
ARROW_HEAD = 0.2  # of a load, in units of the diagram
MARGIN = 0.2  # around the picture


class SystemCards:
    """Buttons to choose one system.   choose : called with the system."""

    def __init__(self, chosen: str, choose: Callable[[str], Any]) -> None:
        self._buttons: dict[str, ui.element] = {}
        with ui.element("div").classes("law-cards system-cards").props('role="group" aria-label="published systems"'):
            for system, words in SYSTEM_DESCRIPTIONS.items():
                with ui.element("button").classes("law-card").props('type="button"') as button:
                    ui.html(system_picture(system), sanitize=False)
                    ui.label(SYSTEM_NAMES[system])
                    ui.tooltip(words).props("delay=600").classes("law-use")
                button.on("click", lambda _, own=system: choose(own), args=[])
                self._buttons[system] = button
        self.show(chosen)

    def show(self, chosen: str) -> None:
        """Mark the chosen system."""
        for system, button in self._buttons.items():
            button.props(f'aria-pressed="{"true" if system == chosen else "false"}"')


def system_picture(system: str) -> str:
    """The picture of a published system as SVG."""
    return _kept_pictures()[system]


def make_picture(model: System) -> str:
    """The diagram of a model as a small SVG without words: boxes, connections, ground and loads."""
    import numpy as np
    from matplotlib import pyplot as plt
    from matplotlib.colors import to_hex
    from matplotlib.patches import FancyBboxPatch
    from matplotlib.text import Annotation

    from slipstick.plot import style
    from slipstick.plot.model_diagram import draw_diagram

    kinds = {to_hex(style.ACCENT): "friction", to_hex(style.BLUE): "spring"}
    figure = draw_diagram(model)
    ax = figure.axes[0]
    plt.close(figure)
    lines: list[Any] = [line for line in ax.lines if line.get_linewidth() > HATCH_WIDTH]
    loads: list[Any] = [text for text in ax.texts if isinstance(text, Annotation)]
    boxes = [patch.get_bbox() for patch in ax.patches if isinstance(patch, FancyBboxPatch)]
    points = np.concatenate([*(line.get_xydata() for line in lines), *([load.xyann] for load in loads)])
    (left, bottom), (right, top) = points.min(axis=0) - MARGIN, points.max(axis=0) + MARGIN
    paths: dict[str, list[str]] = defaultdict(list)
    for line in lines:
        paths[kinds.get(to_hex(line.get_color()), "frame")].append(_path(line.get_xydata(), left, top))
    for load in loads:
        paths["load"].append(_arrow(load.xyann, load.xy, left, top))
    body = "".join(
        f'<rect x="{box.x0 - left:.2f}" y="{top - box.y1:.2f}" width="{box.width:.2f}" height="{box.height:.2f}" '
        'rx=".12"/>'
        for box in boxes
    )
    body += "".join(f'<path class="{kind}" d="{"".join(own)}"/>' for kind, own in sorted(paths.items()))
    size = f"0 0 {right - left:.2f} {top - bottom:.2f}"
    return f'<svg class="machine" viewBox="{size}" aria-hidden="true">{body}</svg>'


def _path(points: Iterable[tuple[float, float]], left: float, top: float) -> str:
    return "M" + "L".join(f"{x - left:.2f} {top - y:.2f}" for x, y in points)


def _arrow(tail: tuple[float, float], tip: tuple[float, float], left: float, top: float) -> str:
    x, y = tip
    head = [(x - ARROW_HEAD, y + ARROW_HEAD), (x, y), (x + ARROW_HEAD, y + ARROW_HEAD)]
    return _path([tail, tip], left, top) + _path(head, left, top)


@cache
def _kept_pictures() -> dict[str, str]:
    text = files("slipstick.app.model").joinpath("system_cards.json").read_text(encoding="utf-8")
    pictures: dict[str, str] = json.loads(text)
    return pictures
