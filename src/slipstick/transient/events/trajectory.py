"""Samples, events and certificate of a run; the certificate compares runs with a tighter tolerance."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from slipstick.arrays import Array
from slipstick.results.certificate import Certificate
from slipstick.results.run_end import RunEnd
from slipstick.results.trajectory import Event, Samples, Stats
from slipstick.transient.events.certify import certify
from slipstick.transient.events.elastic_contacts import STATE_NAMES
from slipstick.transient.events.event_table import EventTable
from slipstick.transient.events.records import (
    AT_CORNER,
    AT_EDGE,
    CONTACT_CHANGE,
    ELASTIC_CHANGE,
    FOLDED,
    PIECE_CODE,
    REVERSAL,
)
from slipstick.transient.events.run import AdaptiveRun
from slipstick.transient.events.tolerances import EVENT_ZERO
from slipstick.transient.exact.packed_model import FRICTION_STATES
from slipstick.transient.recorded_samples import (
    StateChange,
    events_from_changes,
    has_states,
    last_sample,
    samples_from_steps,
    state_at_start,
    states_of,
)

AT_LIMIT_REL = 1.0 - 1e-9  # of the limit: a slider that reverses at this force was slipping
EDGE_OFFSET_REL = 1e-6  # of the scale of the rate: distance from an edge at which the state of a law is read
CORNER_OFFSET_ZEROS = 10.0  # times the zero of a distance: offset from a corner


class AdaptiveTrajectory:
    """A run; its certificate is computed on first access."""

    def __init__(self, run: AdaptiveRun, stats: Stats, with_events: bool = False) -> None:
        self.run, self.stats, self.with_events = run, stats, with_events

    @property
    def reached(self) -> float:
        """[s] the time that was reached."""
        return self.run.reached

    def samples(self) -> Samples:
        p = self.run.ready.problem
        times, lines = self.run.samples()
        if self.reached < self.run.until:  # a run that ended early has its last state
            t, state, forces = last_sample(p, self.run.last())
            for e, force in self.run.contact_forces().items():
                forces[0, e] = force
            times, lines = np.append(times, t), np.vstack([lines, np.hstack([state, forces])])
        if self.with_events:
            changes = self.run.events().select([k for k, _ in self._changes])
            times, first = np.unique(np.concatenate([changes.time, times]), return_index=True)
            lines = np.concatenate([changes.states, lines])[first]
        q, v, forces = lines[:, : p.n], lines[:, p.n : 2 * p.n], lines[:, 2 * p.n :].copy()
        u, rates = p.deflections_at(times, q), p.rates_at(times, v)
        for e, element in enumerate(p.elements):
            if self.run.ready.kinds[e] == FOLDED and times.size:
                forces[:, e] = element.law.trace(u[:, e], rate=rates[:, e])
        return samples_from_steps(p, times, q, v, forces, self._contact_states(times))

    def _contact_states(self, times: Array) -> dict[int, NDArray[np.str_]]:
        """The states of set-valued friction at times (k,), by element."""
        found: dict[int, NDArray[np.str_]] = {}
        groups = [((e,), self.run.first_state(e)) for e in self.run.ready.contacts.elements]
        for elements, first in (*groups, *self._elastic):
            own = [change for _, change in self._changes if change.elements == elements]
            names = np.array([first, *(change.after for change in own)])
            states = names[np.searchsorted([change.time for change in own], times, side="right")]
            found |= dict.fromkeys(elements, states)
        return found

    @property
    def _elastic(self) -> list[tuple[tuple[int, ...], str]]:
        """The elements of each elastic contact, and its state at the first instant."""
        ready = self.run.ready
        groups = [group for group in ready.problem.direction_groups if group[0] in ready.elastic]
        rows = self.run.integration.elastic
        return [(group, STATE_NAMES[rows[k].first_state]) for k, group in enumerate(groups)]

    def events(self) -> list[Event]:
        """The events at which an element changes its state; reversals of laws without states are left out."""
        p = self.run.ready.problem
        contacts = {e: self.run.first_state(e) for e in self.run.ready.contacts.elements}
        contacts |= {e: name for elements, name in self._elastic for e in elements}

        def at_start(e: int, _: int) -> str:
            return contacts[e] if e in contacts else state_at_start(p, e)

        return events_from_changes(p, [change for _, change in self._changes], at_start)

    @cached_property
    def _changes(self) -> list[tuple[int, StateChange]]:
        """The events, each with its number among those at which steps ended; call it after the end of the run."""
        p, events = self.run.ready.problem, self.run.events()
        found = []
        contacts = self.run.ready.contacts.elements
        stateful = [e for e, own in enumerate(p.elements) if has_states(own.law) or e in contacts]
        groups = {elements[0]: elements for elements, _ in self._elastic}
        for k in np.flatnonzero(np.isin(events.element, [*stateful, *groups])).tolist():
            pair, e = self._states(events, k), int(events.element[k])
            if pair is not None and pair[0] != pair[1]:
                found.append((k, StateChange(float(events.time[k]), groups.get(e, (e,)), *pair)))
        return found

    def _states(self, events: EventTable, k: int) -> tuple[str, str] | None:
        """The states of an element before and after the event k."""
        p = self.run.ready.problem
        e, kind, s, u = int(events.element[k]), int(events.kind[k]), float(events.way[k]), float(events.deflection[k])
        _, v, forces = np.split(events.states[k], [p.n, 2 * p.n])
        if kind == CONTACT_CHANGE:
            after, before = divmod(int(s), PIECE_CODE)
            return FRICTION_STATES[before], FRICTION_STATES[after]
        if kind == ELASTIC_CHANGE:
            after, before = divmod(int(s), PIECE_CODE)
            return STATE_NAMES[before], STATE_NAMES[after]
        law = p.elements[e].law
        slider = law.elastic_slider
        if slider is not None:
            slips = "slip+" if s > 0 else "slip-"
            if kind == AT_CORNER:
                return "stick", slips
            at_limit = abs(forces[e]) >= AT_LIMIT_REL * slider.limit
            return (slips, "stick") if at_limit else None
        if kind == REVERSAL and law.edge(u, 0.0) != 0.0:
            return None
        rate = float(p.rates_at(float(events.time[k]), v)[e])
        deflections, rates = np.array([u, u]), np.array([rate, rate])
        aside = EDGE_OFFSET_REL * max(self.run.integration.v_scale[e], abs(rate))
        if kind == REVERSAL:  # of a stop that only damps: it opens or closes where it reverses
            rates += aside * s * np.array([1.0, -1.0])
        elif kind == AT_EDGE:  # s: the side of the edge after the event
            turned = law.edge(u, rate - aside) * s > 0.0
            rates += aside * np.array([1.0, -1.0] if turned else [-1.0, 1.0])
        else:
            deflections += (
                CORNER_OFFSET_ZEROS * EVENT_ZERO * self.run.integration.u_scale[e] * s * np.array([-1.0, 1.0])
            )
        names = states_of(law, deflections, rates, np.zeros(2))
        return None if names is None else (str(names[0]), str(names[1]))

    def end(self) -> RunEnd:
        return self.run.last().as_end(self.run.ready.problem, self.run.sticking())

    def certificate(self) -> Certificate:
        return self._certificate

    @cached_property
    def _certificate(self) -> Certificate:
        return certify(self.run)
