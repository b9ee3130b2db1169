"""Samples and events of a run of the scheme, and a certificate from further runs."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from slipstick.arrays import Array
from slipstick.results.certificate import Certificate
from slipstick.results.run_end import RunEnd
from slipstick.results.trajectory import Event, Samples, Stats
from slipstick.transient.inclusion.certify import certify
from slipstick.transient.inclusion.run import InclusionRun
from slipstick.transient.limit_sides import SIDES
from slipstick.transient.recorded_samples import StateChange, events_from_changes, samples_from_steps, states_of

# the same as `SIDES` for both directions of a rigid contact
TANGENTIAL_SIDES = (*SIDES[:3], "separated")
NORMAL_SIDES = ("contact", "contact", "contact", "separated")


class InclusionTrajectory:
    """A run of the scheme; the certificate is computed on request."""

    def __init__(self, march: InclusionRun, stats: Stats, with_events: bool = False) -> None:
        self.march, self.stats, self.with_events = march, stats, with_events

    @property
    def reached(self) -> float:
        """[s] end of the part that was reached."""
        return self.march.time

    def samples(self) -> Samples:
        march = self.march
        parts, p = march.tables.parts, march.tables.parts.problem
        times, lines = march.samples(self.with_events)
        q, v, held = lines[:, : march.n], lines[:, march.n : 2 * march.n], lines[:, 2 * march.n :]
        states = {e: self._states(j, lines) for j, e in enumerate(parts.contacts)}
        return samples_from_steps(p, times, q, v, march.forces(times, q, v, held), states)

    def _states(self, j: int, lines: Array) -> NDArray[np.str_]:
        """(k,) the states of a contact in the lines of samples."""
        march = self.march
        sides = 1 + lines[:, 2 * march.n + march.sliders + march.frictions + j].astype(int)
        return np.asarray(np.array(self._names(j))[sides])

    def _names(self, j: int) -> tuple[str, ...]:
        """The names of the sides of a contact."""
        parts = self.march.tables.parts
        law = parts.problem.elements[parts.contacts[j]].law
        if law.rigid_contact is None:
            return SIDES
        return TANGENTIAL_SIDES if law.rigid_stop is None else NORMAL_SIDES

    def events(self) -> list[Event]:
        march, parts = self.march, self.march.tables.parts
        rows, states = march.events()
        changes = [
            StateChange(
                float(t), (parts.contacts[int(j)],), *(self._names(int(j))[1 + int(side)] for side in (before, after))
            )
            for t, j, before, after in rows
        ]
        return events_from_changes(
            parts.problem, changes, lambda e, k: self._state_after_event(e, rows[k, :1], states[k])
        )

    def _state_after_event(self, e: int, times: Array, line: Array) -> str:
        """The state of an element without events of its own, right after an event of another; "" if it has none."""
        parts, n = self.march.tables.parts, self.march.n
        p = parts.problem
        if e in parts.contacts:
            j = parts.contacts.index(e)
            return str(self._states(j, line[None])[0])
        u, rates = p.deflections_at(times, line[None, :n]), p.rates_at(times, line[None, n : 2 * n])
        names = states_of(p.elements[e].law, u[:, e], rates[:, e], np.zeros(1))
        return "" if names is None else str(names[0])

    def end(self) -> RunEnd:
        return self.march.present().as_end(self.march.tables.parts.problem)

    def certificate(self) -> Certificate:
        return self._certificate

    @cached_property
    def _certificate(self) -> Certificate:
        return certify(self.march)
