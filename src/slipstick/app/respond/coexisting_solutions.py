"""Several motions at one frequency: where a curve that was followed passes it more than once."""

from __future__ import annotations

import math
from itertools import pairwise

from slipstick.app.respond.display_data import STABILITY_LABELS, CurveDisplay


def points_at_same_frequency(shown: CurveDisplay, point: int) -> list[int]:
    """Numbers of points, one for each time that the curve passes the frequency of a point; that point is the first.

    Points that are not joined are one for each frequency: what else there is nobody has looked for.
    """
    if not shown.joined:
        return [point]
    at, found = shown.frequency[point], list[int]()
    for a, b in pairwise(range(len(shown.frequency))):
        low, high = sorted((shown.frequency[a], shown.frequency[b]))
        if not low <= at <= high or point in (a, b):
            continue
        nearest = min((a, b), key=lambda k: abs(shown.frequency[k] - at))
        if not found or nearest - found[-1] > 1:  # a pass through a point is one, not two
            found.append(nearest)
    return [point, *(k for k in found if abs(k - point) > 1)]


def nearest_point(shown: CurveDisplay, frequency: float) -> int:
    """The number of the point nearest to a frequency; of several motions there a stable one."""
    first = min(range(len(shown.frequency)), key=lambda k: abs(shown.frequency[k] - frequency))
    stable = {k for kind, part in shown.parts if kind is True for k in part}
    return next((k for k in points_at_same_frequency(shown, first) if k in stable), first)


def matching_point(before: CurveDisplay, point: int, after: CurveDisplay) -> int:
    """The number of a point of one curve on another of the same setting: the nearest by frequency and amplitudes.

    By its frequency alone it may lie on another branch.
    """
    sizes = [(line.y, after.panels[key].y) for key, line in before.panels.items() if line.what == "amplitude"]
    pairs = [(old[point], new) for old, new in [(before.frequency, after.frequency), *sizes]]

    def apart(k: int) -> float:
        return math.hypot(*((new[k] - own) / (max(new) - min(new) or 1.0) for own, new in pairs))

    return min(range(len(after.frequency)), key=apart)


def point_label(shown: CurveDisplay, point: int, panel: str) -> str:
    """A point in words: "0.52 mm, unstable"."""
    line = shown.panels[panel]
    kinds = [kind for kind, part in shown.parts if point in part]
    return f"{line.y[point]:.4g} {line.unit}".rstrip() + f", {STABILITY_LABELS[kinds[0] if kinds else None]}"
