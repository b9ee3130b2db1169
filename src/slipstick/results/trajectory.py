"""`Trajectory`: what a method returns. Samples, events and certificate are computed on demand."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from slipstick.arrays import Array
from slipstick.errors import InvalidInput, short_repr
from slipstick.name_hints import did_you_mean
from slipstick.results.certificate import Certificate
from slipstick.results.run_end import RunEnd


class Samples(NamedTuple):
    """Samples at k times, of n coordinates (all, in the model's order) and m connections.

    time : (k,)   displacement, velocity : (k, n)   deflection, force : (k, m)
    state : (k, m) state of each connection ("stick", "slip+", "contact", "" without a state).
    acceleration : (k, n) at an event right after it; not a number where a coordinate has no inertia.
    """

    time: Array
    displacement: Array
    velocity: Array
    deflection: Array
    force: Array
    state: NDArray[np.str_]
    acceleration: Array

    def part(self, p: slice) -> Samples:
        """A slice of the samples."""
        return Samples(*(column[p] for column in self))  # type: ignore[arg-type]


QUANTITIES = ("displacement", "velocity", "acceleration", "deflection", "force")  # of samples


def refuse_unknown_quantity(quantity: Any) -> None:
    """Refuse anything but one of `QUANTITIES`."""
    if quantity not in QUANTITIES:
        hint = did_you_mean(quantity, QUANTITIES) if isinstance(quantity, str) else ""
        raise InvalidInput(f"quantity must be {', '.join(QUANTITIES)}, got {short_repr(quantity)}{hint}").about(
            "quantity"
        )


class Event(NamedTuple):
    """A change of state of a connection."""

    time: float
    connection: str
    before: str
    after: str


@dataclass
class Stats:
    """Statistics of a run.

    method : the one used;  reason : of an automatic choice.
    steps, factorisations, solves : counts.   events : length of `Run.events`; None for a method that locates none.
    seconds : of the solver with its set-up, without compilation.
    start, until : [s] requested range;  reached : [s] where the run ended.
    ended : why it ended early, in words; empty if it did not.
    """

    method: str
    reason: str = ""
    steps: int = 0
    events: int | None = 0
    factorisations: int = 0
    solves: int = 0
    seconds: float = 0.0
    start: float = 0.0
    until: float = 0.0
    reached: float = 0.0
    ended: str = ""


@runtime_checkable
class ReadableTrajectory(Protocol):
    """A trajectory that can be evaluated at any time."""

    def read(self, times: Array) -> Samples:
        """Samples at increasing times within the run; at an event, right after it."""
        ...


class Trajectory(Protocol):
    """Result of a method; exact trajectories compute samples and certificate on demand.

    reached : [s] end of the run, the time of the last sample.
    """

    stats: Stats

    @property
    def reached(self) -> float: ...

    def samples(self) -> Samples: ...

    def events(self) -> Iterable[Event]: ...

    def certificate(self) -> Certificate: ...

    def end(self) -> RunEnd | None:
        """The state at the end; None if no run can continue from it."""
        ...


@dataclass
class RecordedTrajectory:
    """A trajectory with stored samples, events, certificate and end."""

    stats: Stats
    recorded: Samples
    changes: Iterable[Event]
    certified: Certificate
    ended: RunEnd | None = None

    @property
    def reached(self) -> float:
        return float(self.recorded.time[-1]) if self.recorded.time.size else self.stats.reached

    def samples(self) -> Samples:
        return self.recorded

    def events(self) -> Iterable[Event]:
        return self.changes

    def certificate(self) -> Certificate:
        return self.certified

    def end(self) -> RunEnd | None:
        return self.ended
