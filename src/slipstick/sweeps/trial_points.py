"""The points that are tried first: if none of them has the figures that are asked for, the others hardly will.

A figure by name may be missing at some points, as that of a damper that only some variants have: those fail, and the
others go on. One that is missing at the first, the middle and the last point is taken for a name that is wrong, and the
sweep stops before it has failed ten thousand times.
"""

from __future__ import annotations

from slipstick.sweeps.point_outcome import DONE, PointOutcome
from slipstick.sweeps.result_figures import UnknownFigure

TRIAL_COUNT = 3


class TrialPoints:
    """What is known of the points tried first.   numbers : of those that are to be handed out before the others."""

    def __init__(self, total: int, chain: int) -> None:
        """chain : points in a row that begin from each other's orbits; the first of them come first anyway."""
        # the first and the last of a grid differ in every axis
        spread = {0, total // 2, total - 1} if chain == 1 else set(range(min(TRIAL_COUNT, chain)))
        self.numbers = sorted(spread) if chain == 1 else []
        self._open, self._count = spread, len(spread)
        self._words = ""

    @classmethod
    def none(cls) -> TrialPoints:
        """Of a sweep that has begun before."""
        return cls(0, 0)

    def saw(self, number: int, found: PointOutcome) -> None:
        """A point came back. Raises NoFigure with the last of those tried first if none of them has what is asked."""
        if not found.lacks:
            if number in self._open or found.state == DONE:
                self._open = set()
            return
        if number not in self._open:
            return
        self._open.discard(number)
        self._words = self._words or found.message
        if not self._open:
            at = "the first point" if self._count == 1 else f"each of the {self._count} points tried first"
            raise UnknownFigure(f"{self._words} (so at {at}; the sweep was stopped)").about("measure")
