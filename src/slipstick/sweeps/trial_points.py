"""The points that are computed first, to detect unknown figures early.

A figure may be missing at some points, such as that of a damper that only some variants have: those points fail. A
figure that is missing at the first, the middle and the last point is a wrong name, and the sweep stops.
"""

from __future__ import annotations

from slipstick.sweeps.point_outcome import DONE, PointOutcome
from slipstick.sweeps.result_figures import UnknownFigure

TRIAL_COUNT = 3


class TrialPoints:
    """Outcomes of the points computed first.   numbers : of those to submit before the others."""

    def __init__(self, total: int, chain: int) -> None:
        """chain : successive points that start from each other's orbits, which are in order anyway."""
        # first and last of a grid differ in every axis
        spread = {0, total // 2, total - 1} if chain == 1 else set(range(min(TRIAL_COUNT, chain)))
        self.numbers = sorted(spread) if chain == 1 else []
        self._open, self._count = spread, len(spread)
        self._message = ""

    @classmethod
    def none(cls) -> TrialPoints:
        """No trial points, for a resumed sweep."""
        return cls(0, 0)

    def record(self, number: int, outcome: PointOutcome) -> None:
        """Record an outcome; raises `UnknownFigure` if none of the trial points has the figures."""
        if not outcome.lacks:
            if number in self._open or outcome.state == DONE:
                self._open = set()
            return
        if number not in self._open:
            return
        self._open.discard(number)
        self._message = self._message or outcome.message
        if not self._open:
            at = "the first point" if self._count == 1 else f"each of the {self._count} points tried first"
            raise UnknownFigure(f"{self._message} (so at {at}; the sweep was stopped)").about("measure")
