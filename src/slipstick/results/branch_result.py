"""Base of results along a curve: points and notes that are computed on first access, and a file."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from functools import cached_property
from typing import Any, ClassVar, Generic, Protocol, TypeVar

import numpy as np

from slipstick.errors import InvalidInput, Message, NotConverged, short_repr
from slipstick.results.run import Names, SavedResult


class PointsAndNotes(Protocol):
    """Points in order along the curve, and notes on them, in words."""

    @property
    def points(self) -> tuple[Any, ...]: ...
    @property
    def notes(self) -> tuple[str, ...]: ...


class HasEndReason(Protocol):
    """How a result was computed; ended : why it ended early, in words, or empty."""

    ended: str


FindingsT = TypeVar("FindingsT", bound=PointsAndNotes)
StatsT = TypeVar("StatsT", bound=HasEndReason)


class BranchResult(SavedResult, Generic[FindingsT, StatsT]):
    """Base of `Curve` and `NonlinearMode`.

    found : the findings, or a function that computes them.   findings_class : their class.   called : name in messages.
    model : a copy from the time of the computation; None for a result from a file without its model.
    """

    findings_class: ClassVar[Any]
    called: ClassVar[str]

    def __init__(
        self, found: FindingsT | Callable[[], FindingsT], model: Any, stats: StatsT, names: Names | None = None
    ) -> None:
        self._found, self.model, self.stats = found, model, stats
        self.names = names or Names.of(model)

    @cached_property
    def findings(self) -> FindingsT:
        """Points and notes; computed on first access."""
        if not callable(self._found):
            return self._found
        try:
            return self._found()
        except NotConverged as stopped:  # Ctrl-C: the points so far are a partial result
            partial: Any = stopped.partial
            if isinstance(partial, self.findings_class):
                stats = copy(self.stats)
                stats.ended = Message.joined(filter(None, (stats.ended, stopped.message)))
                stopped.partial = type(self)(partial, self.model, stats, self.names)
            raise

    @property
    def notes(self) -> tuple[str, ...]:
        """Restarts and other remarks, in words."""
        return self.findings.notes

    @property
    def partial(self) -> str:
        """Why a result ended early, in words; empty if it is complete."""
        return Message.of(self.stats.ended).wrapped("PARTIAL: ") if self.stats.ended else ""

    def __len__(self) -> int:
        return len(self.findings.points)

    def numbered(self, point: Any) -> int:
        """Check the number of a point."""
        if isinstance(point, bool) or not isinstance(point, (int, np.integer)):
            raise InvalidInput(f"point must be a whole number, got {short_repr(point)}").about("point")
        if not -len(self) <= point < len(self):
            words = f"0 to {len(self) - 1}" if len(self) else "none, since it has no points"
            raise InvalidInput(f"the points of this {self.called} are {words}, got {point}").about("point")
        return int(point)

    def __reduce__(self) -> Any:
        return type(self), (self.findings, self.model, self.stats, self.names)
