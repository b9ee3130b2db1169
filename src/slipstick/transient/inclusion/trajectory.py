"""What the scheme hands over: samples, events, and a certificate from a second run."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slipstick.laws.masing import Jenkins
from slipstick.results.certificate import Certificate
from slipstick.results.trajectory import Event, Samples, Stats
from slipstick.transient.inclusion.certify import certify
from slipstick.transient.inclusion.march import March
from slipstick.transient.inclusion.places import EVENT_HEAD
from slipstick.transient.recording import SLIP, factors, record, side_of

Array = NDArray[np.float64]


class Inclusion:
    """A run of the scheme; the certificate is worked out when it is asked for."""

    def __init__(self, march: March, stats: Stats, with_events: bool = False) -> None:
        self.march, self.stats, self.with_events = march, stats, with_events

    @property
    def reached(self) -> float:
        """[s] how far the run came."""
        return self.march.time

    def samples(self) -> Samples:
        march = self.march
        parts, p = march.tables.parts, march.tables.parts.problem
        times, lines = march.samples(self.with_events)
        q, v, held = lines[:, : march.n], lines[:, march.n : 2 * march.n], lines[:, 2 * march.n :]
        states: dict[int, NDArray[np.str_]] = {}
        for j, e in enumerate(parts.contacts):
            law: Any = p.elements[e].law
            most = law.limit / law.stiffness if isinstance(law, Jenkins) else law.limit * factors(p, e, times)
            states[e] = np.array(SLIP)[1 + side_of(held[:, j], most)]
        return record(p, times, q, v, march.forces(times, q, v, held), states)

    def events(self) -> list[Event]:
        parts = self.march.tables.parts
        names = [parts.problem.system.connections[parts.problem.elements[e].connection].name for e in parts.contacts]
        return [
            Event(float(t), names[int(j)], SLIP[1 + int(before)], SLIP[1 + int(after)])
            for t, j, before, after in self.march.events[: self.march.event_count, :EVENT_HEAD]
        ]

    def certificate(self) -> Certificate:
        return self._certificate

    @cached_property
    def _certificate(self) -> Certificate:
        return certify(self.march)
