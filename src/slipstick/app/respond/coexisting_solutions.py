"""Several solutions at one frequency, where a traced curve passes it more than once."""

from __future__ import annotations

import math
from itertools import pairwise

from slipstick.app.respond.display_data import STABILITY_LABELS, CurveDisplay


def points_at_same_frequency(display: CurveDisplay, point: int) -> list[int]:
    """Indices of points, one for each pass of the curve through the frequency of a point; that point is the first.

    A curve that was not traced has one point a frequency.
    """
    if not display.joined:
        return [point]
    at, passes = display.frequency[point], list[int]()
    for a, b in pairwise(range(len(display.frequency))):
        low, high = sorted((display.frequency[a], display.frequency[b]))
        if not low <= at <= high or point in (a, b):
            continue
        nearest = min((a, b), key=lambda k: abs(display.frequency[k] - at))
        if not passes or nearest - passes[-1] > 1:  # a pass through a point counts once
            passes.append(nearest)
    return [point, *(k for k in passes if abs(k - point) > 1)]


def nearest_point(display: CurveDisplay, frequency: float) -> int:
    """Index of the point nearest to a frequency; a stable one if there are several solutions."""
    first = min(range(len(display.frequency)), key=lambda k: abs(display.frequency[k] - frequency))
    stable = {k for kind, part in display.parts if kind is True for k in part}
    return next((k for k in points_at_same_frequency(display, first) if k in stable), first)


def matching_point(before: CurveDisplay, point: int, after: CurveDisplay) -> int:
    """Index of the same point on another curve of the same setting: the nearest by frequency and amplitudes.

    Frequency alone could select another branch.
    """
    sizes = [(line.y, after.panels[key].y) for key, line in before.panels.items() if line.what == "amplitude"]
    pairs = [(old[point], new) for old, new in [(before.frequency, after.frequency), *sizes]]

    def distance(k: int) -> float:
        return math.hypot(*((new[k] - own) / (max(new) - min(new) or 1.0) for own, new in pairs))

    return min(range(len(after.frequency)), key=distance)


def point_label(display: CurveDisplay, point: int, panel: str) -> str:
    """A label of a point: "0.52 mm, unstable"."""
    line = display.panels[panel]
    kinds = [kind for kind, part in display.parts if point in part]
    return f"{line.y[point]:.4g} {line.unit}".rstrip() + f", {STABILITY_LABELS[kinds[0] if kinds else None]}"
