"""What a method hands over: samples, events and a certificate, computed when they are asked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

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
    steps, events, factorisations, solves : counts.   seconds : of the solver alone.
    """

    method: str
    reason: str = ""
    steps: int = 0
    events: int = 0
    factorisations: int = 0
    solves: int = 0
    seconds: float = 0.0


class Trajectory(Protocol):
    """What a run reads from; exact trajectories compute samples and certificate only when asked."""

    stats: Stats

    def samples(self) -> Samples: ...

    def events(self) -> list[Event]: ...

    def certificate(self) -> Certificate: ...


@dataclass
class Recorded:
    """A trajectory that was written down as it was computed."""

    stats: Stats
    recorded: Samples
    changes: list[Event]
    certified: Certificate

    def samples(self) -> Samples:
        return self.recorded

    def events(self) -> list[Event]:
        return self.changes

    def certificate(self) -> Certificate:
        return self.certified
