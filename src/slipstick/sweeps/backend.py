"""`Backend`: where the points of a sweep are computed, as the driver sees it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

from slipstick.sweeps.point_outcome import PointOutcome


class PointJob(NamedTuple):
    """A point to compute.   start : a packed orbit to begin from; None: that of the one before it in its batch."""

    number: int
    arguments: dict[str, Any]
    start: bytes | None = None


class PointFinished(NamedTuple):
    """A point came back."""

    number: int
    outcome: PointOutcome


class PointsLost(NamedTuple):
    """Points that will not come back.

    culprit : the one that a worker died of; None where that is not known.   words : how it died.
    killed : several workers died that had them, of these points or of others that they had at the same time.
    """

    numbers: tuple[int, ...]
    culprit: int | None
    words: str
    killed: bool = False


class Backend(Protocol):
    """Takes batches, gives back points in any order."""

    @property
    def workers(self) -> int:
        """How many compute at the same time, as far as is known now."""
        ...

    def wants(self) -> bool:
        """True if another batch would keep a worker busy."""
        ...

    def submit(self, batch: Sequence[PointJob]) -> None:
        """Have these computed, one after the other."""
        ...

    def in_progress(self) -> dict[int, float]:
        """Points that are being computed, by number, and how long each has been [s], as far as is known here."""
        ...

    def events(self, timeout: float) -> list[PointFinished | PointsLost]:
        """What has happened, after waiting for at most so long [s] if nothing has."""
        ...

    def close(self) -> None:
        """Stop everything now; what is under way is dropped."""
        ...
