"""Symbols of laws in the diagram of a model: strokes along the line of a connection."""

from __future__ import annotations

from typing import NamedTuple

Stroke = tuple[tuple[float, float], ...]


class DiagramSymbol(NamedTuple):
    """Strokes as points (along, across) the line of a connection, from -0.28 to 0.28 along it.

    dissipates : drawn in the colour of friction and hysteresis, not in that of springs.
    """

    strokes: tuple[Stroke, ...]
    dissipates: bool = False


def _zigzag(pitch: float, teeth: int) -> Stroke:
    return tuple((-0.28 + pitch * i, 0.0 if i in (0, teeth) else 0.1 * (-1) ** i) for i in range(teeth + 1))


SPRING = DiagramSymbol((_zigzag(0.07, 8),))
GAP = DiagramSymbol(
    (
        _zigzag(0.05, 7),
        ((0.07, -0.14), (0.07, 0.14)),
        ((0.19, -0.14), (0.19, 0.14)),
        ((0.19, 0.0), (0.28, 0.0)),
    )
)
DASHPOT = DiagramSymbol(
    (
        ((-0.28, 0.0), (-0.02, 0.0)),
        ((-0.02, -0.09), (-0.02, 0.09)),
        ((-0.12, 0.13), (0.12, 0.13), (0.12, -0.13), (-0.12, -0.13)),
        ((0.12, 0.0), (0.28, 0.0)),
    )
)
SPRING_DASHPOT = DiagramSymbol(
    (
        (*((-0.28 + 0.06 * i, 0.0 if i in (0, 5) else 0.1 * (-1) ** i) for i in range(6)), (0.08, 0.0)),
        ((0.08, -0.07), (0.08, 0.07)),
        ((0.0, 0.11), (0.18, 0.11), (0.18, -0.11), (0.0, -0.11)),
        ((0.18, 0.0), (0.28, 0.0)),
    ),
    dissipates=True,
)
FRICTION = DiagramSymbol(
    (
        ((-0.28, 0.0), (-0.04, 0.0), (-0.04, 0.15)),
        ((-0.04, -0.15), (-0.04, 0.15)),
        ((0.04, -0.15), (0.04, 0.15)),
        ((0.04, 0.0), (0.28, 0.0)),
    ),
    dissipates=True,
)
STOP = DiagramSymbol(
    (
        ((-0.28, 0.0), (-0.05, 0.0)),
        ((-0.05, -0.14), (-0.05, 0.14)),
        ((0.07, -0.14), (0.07, 0.14)),
        ((0.07, 0.14), (0.13, 0.08)),
        ((0.07, 0.05), (0.13, -0.01)),
        ((0.07, -0.04), (0.13, -0.1)),
        ((0.07, 0.0), (0.28, 0.0)),
    ),
    dissipates=True,
)
HYSTERESIS = DiagramSymbol(
    (
        ((-0.28, 0.0), (-0.2, 0.0)),
        ((-0.2, -0.13), (0.02, -0.06), (0.2, 0.13), (-0.02, 0.06), (-0.2, -0.13)),
        ((0.2, 0.0), (0.28, 0.0)),
    ),
    dissipates=True,
)
SERIES = DiagramSymbol(
    (
        ((-0.28, 0.0), (-0.2, 0.0)),
        ((-0.2, -0.1), (-0.2, 0.1), (-0.04, 0.1), (-0.04, -0.1), (-0.2, -0.1)),
        ((-0.04, 0.0), (0.04, 0.0)),
        ((0.04, -0.1), (0.04, 0.1), (0.2, 0.1), (0.2, -0.1), (0.04, -0.1)),
        ((0.2, 0.0), (0.28, 0.0)),
    )
)
