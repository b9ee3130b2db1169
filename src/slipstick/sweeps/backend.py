"""`Backend`: the interface of the driver to the workers of a sweep."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

from slipstick.sweeps.point_outcome import PointOutcome


class PointJob(NamedTuple):
    """A point to compute.   start : a packed orbit; None for that of the point before in the batch."""

    number: int
    arguments: dict[str, Any]
    start: bytes | None = None


class PointFinished(NamedTuple):
    """A point that was computed."""

    number: int
    outcome: PointOutcome


class PointsLost(NamedTuple):
    """Points whose worker was lost.

    culprit : the point that the worker computed when it died; None if unknown.   words : how it died.
    killed : several workers died with these points, maybe because of other points that they had.
    """

    numbers: tuple[int, ...]
    culprit: int | None
    words: str
    killed: bool = False


class Backend(Protocol):
    """Takes batches, returns points in any order."""

    @property
    def workers(self) -> int:
        """Number of points that are computed at the same time."""
        ...

    def wants(self) -> bool:
        """True if another batch would keep a worker busy."""
        ...

    def submit(self, batch: Sequence[PointJob]) -> None:
        """Compute these points one after the other."""
        ...

    def in_progress(self) -> dict[int, float]:
        """Points that are being computed, by number, and for how long [s]."""
        ...

    def events(self, timeout: float) -> list[PointFinished | PointsLost]:
        """New events; waits for one up to ``timeout`` [s]."""
        ...

    def close(self) -> None:
        """Stop all workers at once; running points are dropped."""
        ...
