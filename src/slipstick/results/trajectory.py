"""`Trajectory`: what a method returns. Samples, events and certificate are computed on demand."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from slipstick.errors import InvalidInput, did_you_mean, short_repr
from slipstick.results.certificate import Certificate

Array = NDArray[np.float64]


class Samples(NamedTuple):
    """k times, n coordinates (all of the model's, in its order), m connections.

    time : (k,)   displacement, velocity : (k, n)   deflection, force : (k, m)
    state : (k, m) the name of each connection's state ("stick", "slip+", "contact", "" where it has none).
    """

    time: Array
    displacement: Array
    velocity: Array
    deflection: Array
    force: Array
    state: NDArray[np.str_]

    def part(self, p: slice) -> Samples:
        """Some of the samples."""
        moved, acting = (self.displacement[p], self.velocity[p]), (self.deflection[p], self.force[p])
        return Samples(self.time[p], *moved, *acting, self.state[p])


END_TIME_TOLERANCE_REL = 1e-9  # of a run: a time that lies so little outside of it was meant to be its end
QUANTITIES = ("displacement", "velocity", "deflection", "force")  # what samples have over time


def refuse_unknown_quantity(quantity: Any) -> None:
    """Refuse what is none of the quantities, or None."""
    if quantity is not None and quantity not in QUANTITIES:
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
    """What a run cost.

    method : the one used;  reason : why, where it was chosen by itself.
    steps, factorisations, solves : counts.   events : how many `Run.events` has; None for a method that locates none.
    seconds : of the solver, with making the model ready for it; compiling is left out.
    start, until : [s] the begin and the end that were asked for;  reached : [s] where the run ended.
    ended : why it ended before that, in words; nothing if it did not.
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
    """A trajectory that can be read anywhere, not only where samples were asked for."""

    def read(self, times: Array) -> Samples:
        """Samples at increasing times within the run; at an event, right after it."""
        ...


class Trajectory(Protocol):
    """What a run reads from; exact trajectories compute samples and certificate only when asked.

    reached : [s] how far it came; the last of the samples is there.
    """

    stats: Stats

    @property
    def reached(self) -> float: ...

    def samples(self) -> Samples: ...

    def events(self) -> Iterable[Event]: ...

    def certificate(self) -> Certificate: ...


@dataclass
class RecordedTrajectory:
    """A trajectory that was written down as it was computed."""

    stats: Stats
    recorded: Samples
    changes: Iterable[Event]
    certified: Certificate

    @property
    def reached(self) -> float:
        return float(self.recorded.time[-1]) if self.recorded.time.size else self.stats.reached

    def samples(self) -> Samples:
        return self.recorded

    def events(self) -> Iterable[Event]:
        return self.changes

    def certificate(self) -> Certificate:
        return self.certified
