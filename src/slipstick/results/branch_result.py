"""What results along a curve have in common: points and notes that are found when first looked at, and a file."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar

import numpy as np

from slipstick.errors import InvalidInput, Message, NotConverged, short_repr
from slipstick.results.run import Names

if TYPE_CHECKING:
    import os


class PointsAndNotes(Protocol):
    """What was found: points in order along the curve; notes on them, in words."""

    @property
    def points(self) -> tuple[Any, ...]: ...
    @property
    def notes(self) -> tuple[str, ...]: ...


class HasEndReason(Protocol):
    """How it was made; ended : why it ended early, in words, or nothing."""

    ended: str


FindingsT = TypeVar("FindingsT", bound=PointsAndNotes)
StatsT = TypeVar("StatsT", bound=HasEndReason)


class BranchResult(Generic[FindingsT, StatsT]):
    """Base of `Curve` and `NonlinearMode`.

    found : what was found, or what finds it.   findings_class : the class of that.   called : what it is, in messages.
    model : a copy, as it was; None for a result from a file that could not hold its model.
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
        """Everything that was found; computed when first looked at."""
        if not callable(self._found):
            return self._found
        try:
            return self._found()
        except NotConverged as stopped:  # Ctrl-C: the points that were looked at by then are a part
            reached: Any = stopped.partial
            if isinstance(reached, self.findings_class):
                stats = copy(self.stats)
                stats.ended = Message.joined(filter(None, (stats.ended, stopped.message)))
                stopped.partial = type(self)(reached, self.model, stats, self.names)
            raise

    @property
    def notes(self) -> tuple[str, ...]:
        """Restarts, and what else to know, in words."""
        return self.findings.notes

    @property
    def partial(self) -> str:
        """Why it ends where it does if that is not where it should, in words; nothing for a whole one."""
        return Message.of(self.stats.ended).wrapped("PARTIAL: ") if self.stats.ended else ""

    def __len__(self) -> int:
        return len(self.findings.points)

    def numbered(self, point: Any) -> int:
        """The number of a point, checked."""
        if isinstance(point, bool) or not isinstance(point, (int, np.integer)):
            raise InvalidInput(f"point must be a whole number, got {short_repr(point)}").about("point")
        if not -len(self) <= point < len(self):
            raise InvalidInput(f"the {self.called} has {len(self)} points, got the number {point}").about("point")
        return int(point)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write everything to a netCDF file (.nc) that `slipstick.open` reads, the model included."""
        from slipstick.results.result_files import write_result

        write_result(self, path)  # type: ignore[arg-type]

    def __reduce__(self) -> Any:
        return type(self), (self.findings, self.model, self.stats, self.names)
