"""From one amplitude of a mode to the next: Newton's method at a fixed amplitude, in smaller steps where it fails.

Sliders that begin to slip are corners of the curve. Newton's method steps over them; the general code, which follows
the arclength, is left for where the mode turns back.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from slipstick.errors import NotConverged
from slipstick.periodic.continuation import Bounds, rescaled
from slipstick.periodic.corrector import Located, newton_at
from slipstick.periodic.curves import Traced, Watch
from slipstick.periodic.modes.family import ModeFamily
from slipstick.periodic.starting import find_start, reach

Array = NDArray[np.float64]

LARGEST_CHANGE = 0.5  # of the mode's own size, in one step
LEAST = 1.0 / 64.0  # of the way to the next amplitude
STEPS = 15  # of Newton


def visit(family: ModeFamily, at: Sequence[float], watch: Watch) -> Traced:
    """The points at given values of log10 of the amplitude, each from the one before.

    Raises `NotConverged` with the points so far as ``partial`` (a `Traced`).
    """
    traced, within, p = Traced(family, [], along=False), Bounds(min(at), max(at)), at[0]
    try:
        new, traced.notes = find_start(family, p, None, within)
        for p in at:
            if traced.points:
                new, more = _reached(family, traced.points[-1], p, within)
                traced.notes += more
            traced.points.append(new)
            watch(new)
    except (NotConverged, KeyboardInterrupt) as failure:
        interrupted = isinstance(failure, KeyboardInterrupt)
        where = f"the mode was not reached at amplitude {family.amplitude(p):.4g} (by its log10: {failure})"
        traced.ended = "interrupted" if interrupted else where
        raise NotConverged(traced.ended, traced, interrupted=interrupted) from failure
    return traced


def _reached(family: ModeFamily, last: Located, p: float, within: Bounds) -> tuple[Located, list[str]]:
    part, now = 1.0, last
    while now.p != p:
        aim = p if part == 1.0 else now.p + part * (p - last.p)
        if (aim - p) * (p - last.p) >= 0.0:
            aim = p
        try:
            now = _step(family, now, aim)
        except NotConverged:
            part *= 0.5
            if part < LEAST:
                return _along(family, now, p, within)
    return now, []


def _along(family: ModeFamily, last: Located, p: float, within: Bounds) -> tuple[Located, list[str]]:
    """By the general code; where that ends far away, a note says so."""
    new, notes = reach(family, last, p, within)
    if _change(last, new) > LARGEST_CHANGE and not notes:
        ends = ", ".join(f"{family.amplitude(each.p):.4g}" for each in (last, new))
        notes = [f"the mode turns back, or changes much, between two amplitudes; between=({ends}) shows how"]
    return new, notes


def _change(last: Located, new: Located) -> float:
    """Of frequency, damping and shape, in parts of their own size."""
    moved = ((new.z - last.z) / last.scale)[:-1]
    return float(np.sqrt(moved @ moved))


def _step(family: ModeFamily, last: Located, p: float) -> Located:
    """Newton's method from the tangent, or from the last point where that is steep."""
    slope = last.slope
    guess = last.z + (p - last.p) / slope[-1] * slope if abs(last.tangent[-1]) > 0.1 else last.z
    new = newton_at(family, guess, p, last.scale, STEPS)
    if not _change(last, new) <= LARGEST_CHANGE:
        raise NotConverged("the mode changed too much in one step")
    return rescaled(family, new, float(last.scale[-1]))
