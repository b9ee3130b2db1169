"""What an adaptive run hands over: samples, events, and a certificate from runs with a tighter tolerance."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from slipstick.laws.masing import Jenkins
from slipstick.results.certificate import Certificate
from slipstick.results.trajectory import Event, Samples, Stats
from slipstick.transient.adaptive import places as at
from slipstick.transient.adaptive.certify import certify
from slipstick.transient.adaptive.journey import Journey
from slipstick.transient.recording import (
    Change,
    chained,
    has_states,
    last_sample,
    record,
    state_at_start,
    states_of,
)

Array = NDArray[np.float64]

NEAR_LIMIT = 1.0 - 1e-9  # of the limit: a slider that turns with so much force was slipping
ASIDE = 1e-6  # of the scale of the rate: how far from an edge a law is asked for its state
BEYOND = 10.0  # times what counts as zero: how far from a corner it is


class Adaptive:
    """A run; the certificate is worked out when it is asked for."""

    def __init__(self, journey: Journey, stats: Stats, with_events: bool = False) -> None:
        self.journey, self.stats, self.with_events = journey, stats, with_events

    @property
    def reached(self) -> float:
        """[s] how far the run came."""
        return self.journey.reached

    def samples(self) -> Samples:
        p = self.journey.ready.problem
        times, lines = self.journey.samples()
        if self.reached < self.journey.until:  # a run that ended early tells where it was then
            t, state, forces = last_sample(p, self.journey.last())
            times, lines = np.append(times, t), np.vstack([lines, np.hstack([state, forces])])
        if self.with_events:
            changes = self.journey.events()[[k for k, _ in self._changes]]
            times, first = np.unique(np.concatenate([changes[:, at.EVENT_TIME], times]), return_index=True)
            lines = np.concatenate([changes[:, at.EVENT_HEAD :], lines])[first]
        q, v, forces = lines[:, : p.n], lines[:, p.n : 2 * p.n], lines[:, 2 * p.n :].copy()
        u, rates = p.deflections_at(times, q), p.rates_at(times, v)
        for e, element in enumerate(p.elements):
            if self.journey.ready.kinds[e] == at.FOLDED and times.size:
                forces[:, e] = element.law.trace(u[:, e], rate=rates[:, e])
        return record(p, times, q, v, forces)

    def events(self) -> list[Event]:
        """Where an element changes its state; reversals of laws that have none are not among them."""
        p = self.journey.ready.problem
        return chained(p, [change for _, change in self._changes], lambda e, _: state_at_start(p, e))

    @cached_property
    def _changes(self) -> list[tuple[int, Change]]:
        """The events, each with its number among those that steps ended at; not to be asked for before the end."""
        p, lines = self.journey.ready.problem, self.journey.events()
        found = []
        stateful = [e for e, own in enumerate(p.elements) if has_states(own.law)]
        for k in np.flatnonzero(np.isin(lines[:, at.EVENT_ELEMENT], stateful)).tolist():
            pair = self._states(lines[k])
            if pair is not None and pair[0] != pair[1]:
                time, e = lines[k, [at.EVENT_TIME, at.EVENT_ELEMENT]]
                found.append((k, Change(float(time), (int(e),), *pair)))
        return found

    def _states(self, line: Array) -> tuple[str, str] | None:
        """The states of an element before and after an event."""
        p = self.journey.ready.problem
        time, e, kind, s, u = line[: at.EVENT_HEAD]
        _, v, forces = np.split(line[at.EVENT_HEAD :], [p.n, 2 * p.n])
        law = p.elements[int(e)].law
        if isinstance(law, Jenkins):
            slips = "slip+" if s > 0 else "slip-"
            if kind == at.AT_CORNER:
                return "stick", slips
            at_limit = abs(forces[int(e)]) >= NEAR_LIMIT * law.limit
            return (slips, "stick") if at_limit else None
        if kind == at.REVERSAL and law.edge(float(u), 0.0) != 0.0:
            return None
        rate = float(p.rates_at(float(time), v)[int(e)])
        deflections, rates = np.array([u, u]), np.array([rate, rate])
        aside = ASIDE * max(self.journey.arrays[at.V_SCALE][int(e)], abs(rate))
        if kind == at.REVERSAL:  # of a stop that only damps: it lets go, or pushes again, where it turns
            rates += aside * s * np.array([1.0, -1.0])
        elif kind == at.AT_EDGE:  # s: the side of it on which the law is now
            turned = law.edge(float(u), rate - aside) * s > 0.0
            rates += aside * np.array([1.0, -1.0] if turned else [-1.0, 1.0])
        else:
            deflections += BEYOND * at.ZERO * self.journey.arrays[at.U_SCALE][int(e)] * s * np.array([-1.0, 1.0])
        names = states_of(law, deflections, rates, np.zeros(2))
        return None if names is None else (str(names[0]), str(names[1]))

    def certificate(self) -> Certificate:
        return self._certificate

    @cached_property
    def _certificate(self) -> Certificate:
        return certify(self.journey)
