"""Diagram of a model: boxes for coordinates, connections, the ground, and loads as arrows.

Groups of connected coordinates are in rows, with neighbours side by side if possible. Connections of one coordinate go
down to the ground; those between two go from box to box, above the others if these are not neighbours.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from slipstick.errors import InvalidInput
from slipstick.plot import style
from slipstick.units.axes import axis_unit

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from slipstick.model.system import Connection, Coordinate, System

MAX_COORDINATES = 40  # in a legible diagram
BOX_PITCH, BOX_WIDTH, BOX_HEIGHT, GROUND_LEVEL = 2.6, 1.1, 0.7, -1.9
LANE_SPACING = 0.42  # between connections of the same two boxes
RAIL_SPACING = 0.7  # between rails over the boxes
COORDINATES_PER_ROW = 6  # unless one chain has more


@dataclass(frozen=True)
class _DiagramRow:
    """Coordinates of one row from left to right, with their connections.

    held : to the ground, by name.   rails : between places that are not neighbours, with the places.
    beside : between neighbours, by the left place.   level : height of the row's boxes.
    """

    names: list[str]
    held: dict[str, list[Connection]]
    beside: dict[int, list[Connection]]
    rails: list[tuple[list[int], Connection]]
    level: float

    @property
    def bottom(self) -> float:
        return self.level + (GROUND_LEVEL - 0.4 if any(self.held.values()) else -0.4)

    @property
    def top(self) -> float:
        """Upper end of the row."""
        return self.level + BOX_HEIGHT + 0.6 + RAIL_SPACING * len(self.rails)


def draw_diagram(model: System) -> Figure:
    """Draw a model of at most 40 coordinates."""
    from matplotlib import pyplot as plt

    if not 0 < len(model.coordinates) <= MAX_COORDINATES:
        raise InvalidInput(
            f'diagram: a picture shows 1 to {MAX_COORDINATES} coordinates, "{model.name}" has {len(model.coordinates)}'
        )
    strips = _diagram_rows(model)
    by_name = {one.name: one for one in model.coordinates}
    units = {name: axis_unit(unit).inertia.replace("^2", "²") for name, unit in model.units.coordinates.items()}
    longest, top = max(len(strip.names) for strip in strips), strips[0].top
    bottom = strips[-1].bottom
    size = (max(4.5, 1.05 * BOX_PITCH * (longest + 0.2)), 1.05 * (top - bottom) + 0.5)
    with style.house_style():
        figure, ax = plt.subplots(figsize=size)
        for strip in strips:
            for i, name in enumerate(strip.names):
                _box(ax, i, strip.level, by_name[name], units.get(name, ""))
                _to_ground(ax, i, strip.level, strip.held[name])
            for left, connections in strip.beside.items():
                _between(ax, left, strip.level, connections)
            for lane, (places, connection) in enumerate(strip.rails):
                _over(ax, places, strip.level, lane, connection)
            if any(strip.held.values()):
                _ground(ax, len(strip.names), strip.level)
        _loads(ax, model, strips)
        ax.set(xlim=(-0.75 * BOX_PITCH, (longest - 0.25) * BOX_PITCH), ylim=(bottom, top), aspect="equal")
        ax.axis("off")
        ax.set_title(model.name)
    return style.without_mathtext(figure)


def _chains(model: System) -> list[list[str]]:
    """Groups of connected coordinates, each with neighbours side by side if possible."""
    beside: dict[str, dict[str, None]] = {one.name: {} for one in model.coordinates}
    for connection in model.connections:
        for a, b in pairwise(connection.deflection.terms):
            beside[a][b] = beside[b][a] = None
    chains: list[list[str]] = []
    placed: set[str] = set()
    for begin in sorted(beside, key=lambda name: len(beside[name])):  # an end of a chain comes first
        chain, stack = [], [begin]
        while stack:
            name = stack.pop()
            if name not in placed:
                placed.add(name)
                chain.append(name)
                stack += [other for other in reversed(beside[name]) if other not in placed]
        if chain:
            added = [one.name for one in model.coordinates]
            chains.append(chain if added.index(chain[0]) <= added.index(chain[-1]) else chain[::-1])
    return chains


def _diagram_rows(model: System) -> list[_DiagramRow]:
    """Rows of whole groups up to the length of a row; the upper row first."""
    rows: list[list[str]] = []
    for chain in _chains(model):
        if rows and len(rows[-1]) + len(chain) <= COORDINATES_PER_ROW:
            rows[-1] += chain
        else:
            rows.append(list(chain))
    strips: list[_DiagramRow] = []
    level = 0.0
    for names in reversed(rows):
        low = _diagram_row(model, names, 0.0)
        strip = replace(low, level=level - low.bottom)
        strips.append(strip)
        level = strip.top + 0.2
    return strips[::-1]


def _diagram_row(model: System, names: list[str], level: float) -> _DiagramRow:
    place = {name: i for i, name in enumerate(names)}
    held: dict[str, list[Connection]] = defaultdict(list)
    beside: dict[int, list[Connection]] = defaultdict(list)
    rails = []
    for connection in model.connections:
        terms = list(connection.deflection.terms)
        if terms[0] not in place:
            continue
        places = sorted(place[name] for name in terms)
        if len(places) == 1:
            held[terms[0]].append(connection)
        elif len(places) == 2 and places[1] - places[0] == 1:
            beside[places[0]].append(connection)
        else:
            rails.append((places, connection))
    return _DiagramRow(names, held, beside, rails, level)


def _box(ax: Axes, i: int, level: float, coordinate: Coordinate, unit: str) -> None:
    """Draw the box of a coordinate; unit : of its inertia, or empty."""
    from matplotlib.patches import FancyBboxPatch

    x = i * BOX_PITCH
    driven, light = coordinate.motion is not None, coordinate.motion is None and coordinate.inertia == 0.0
    face = "#f6dde1" if driven else "white" if light else "#dbe8f0"
    ax.add_patch(
        FancyBboxPatch((x - BOX_WIDTH / 2, level), BOX_WIDTH, BOX_HEIGHT, boxstyle="round,pad=0.02,rounding_size=0.1",
                       facecolor=face, edgecolor=style.INK, lw=1.2, linestyle="--" if light else "-", zorder=3)
    )  # fmt: skip
    below = "moves as given" if driven else "no inertia" if light else f"{_short(coordinate.inertia)} {unit}".rstrip()
    ax.text(x, level + BOX_HEIGHT * 0.64, coordinate.name, ha="center", va="center", weight="bold", zorder=4)
    ax.text(x, level + BOX_HEIGHT * 0.24, below, ha="center", va="center", fontsize=7, zorder=4)


def _to_ground(ax: Axes, i: int, level: float, connections: list[Connection]) -> None:
    count = len(connections)
    pitch = min(0.7, 1.5 / max(count - 1, 1))
    if (count - 1) * pitch > BOX_WIDTH:  # a foot as wide as all of them
        reach = 0.5 * (count - 1) * pitch + 0.08
        ax.plot([i * BOX_PITCH - reach, i * BOX_PITCH + reach], [level, level], color=style.INK, lw=2.4, zorder=2.5)
    for j, connection in enumerate(connections):
        x = i * BOX_PITCH + (j - 0.5 * (count - 1)) * pitch
        _glyph(ax, (x, level), (x, level + GROUND_LEVEL), connection)
        side = -1 if count > 1 and j < count / 2 else 1
        ax.text(x + 0.16 * side, level + GROUND_LEVEL + 0.2 + 0.22 * (j % 3), connection.name, fontsize=7,
                ha="left" if side > 0 else "right", va="bottom")  # fmt: skip


def _between(ax: Axes, left: int, level: float, connections: list[Connection]) -> None:
    begin, end = left * BOX_PITCH + BOX_WIDTH / 2, (left + 1) * BOX_PITCH - BOX_WIDTH / 2
    for j, connection in enumerate(connections):
        y = level + BOX_HEIGHT / 2 + (j - 0.5 * (len(connections) - 1)) * LANE_SPACING
        _glyph(ax, (begin, y), (end, y), connection)
        ax.text((begin + end) / 2, y + 0.15, connection.name, fontsize=7, ha="center", va="bottom")


def _over(ax: Axes, places: list[int], level: float, lane: int, connection: Connection) -> None:
    """A rail above the boxes, with feet on those it connects."""
    y = level + BOX_HEIGHT + 0.45 + RAIL_SPACING * lane
    xs = [i * BOX_PITCH + 0.15 * (lane + 1) for i in places]
    for x in xs:
        ax.plot([x, x], [level + BOX_HEIGHT, y], color=style.GREY, lw=1.0, zorder=1)
    ax.plot([xs[0], xs[-1]], [y, y], color=style.GREY, lw=1.0, zorder=1)
    middle = (xs[0] + xs[1]) / 2
    _glyph(ax, (middle - 0.6, y), (middle + 0.6, y), connection)
    ax.text(middle, y + 0.15, connection.name, fontsize=7, ha="center", va="bottom")


def _glyph(ax: Axes, a: tuple[float, float], b: tuple[float, float], connection: Connection) -> None:
    """A line from a to b with the symbol of the law in its middle."""
    import numpy as np

    start, end = np.array(a), np.array(b)
    along = (end - start) / np.hypot(*(end - start))
    across = np.array((-along[1], along[0]))
    middle, half = (start + end) / 2, 0.28
    symbol = connection.law.diagram_symbol
    color = style.ACCENT if symbol.dissipates else style.BLUE
    ax.plot(*np.array((start, middle - half * along)).T, color=color, lw=1.1, zorder=2)
    ax.plot(*np.array((middle + half * along, end)).T, color=color, lw=1.1, zorder=2)
    for stroke in symbol.strokes:
        points = middle + np.outer([p for p, _ in stroke], along) + np.outer([q for _, q in stroke], across)
        ax.plot(*points.T, color=color, lw=1.3, zorder=2, solid_joinstyle="round")


def _loads(ax: Axes, model: System, strips: list[_DiagramRow]) -> None:
    loaded = {name for load in model.loads for name in load.form.terms}
    for strip in strips:
        for i, name in enumerate(strip.names):
            if name in loaded:
                x, y = i * BOX_PITCH - 0.35, strip.level + BOX_HEIGHT
                ax.annotate("", xy=(x, y + 0.03), xytext=(x, y + 0.42),
                            arrowprops={"arrowstyle": "-|>", "color": style.GREEN, "lw": 1.5})  # fmt: skip
                ax.text(x - 0.06, y + 0.4, "load", fontsize=7, color=style.GREEN, ha="right", va="top")


def _ground(ax: Axes, count: int, level: float) -> None:
    import numpy as np

    left, right, y = -0.6 * BOX_PITCH, (count - 0.4) * BOX_PITCH, level + GROUND_LEVEL
    ax.plot([left, right], [y, y], color=style.INK, lw=1.4)
    for x in np.arange(left + 0.1, right, 0.22):
        ax.plot([x, x - 0.12], [y, y - 0.14], color=style.INK, lw=0.7)


def _short(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, (int, float)) else str(value)
