"""Output of the loop: samples, events and the tape of steps; compiled."""

from __future__ import annotations

from slipstick.laws.reversal_stack import stack_size
from slipstick.native import Array, view
from slipstick.transient.events.contacts import contact_limit
from slipstick.transient.events.dopri5 import between
from slipstick.transient.events.elastic_contacts import forces_of
from slipstick.transient.events.equations import deflect, deflect_elastic, derivative, law_force, offsets_at
from slipstick.transient.events.records import (
    AT_EDGE,
    ELASTIC,
    FOLDED,
    RIGID,
    Integration,
)


def write_row(run: Integration, new: Array, end: float) -> None:
    """Record the step on the `StepTape`."""
    m = run.element_count
    size = 2 * run.coordinate_count + run.inner_count
    stages = run.stages
    forces = run.force
    begun = run.force_begin
    row = view(run.tape, run.tape_count * (3 * size + 2 * m))
    run.tape_time[run.tape_count] = end
    run.tape_event[run.tape_count] = 1.0 if run.restart else 0.0
    for i in range(size):
        row[i] = new[i]
        row[size + i] = stages[i]
        row[2 * size + i] = stages[6 * size + i]
    for e in range(m):
        row[3 * size + e] = begun[e]
        row[3 * size + m + e] = forces[e]
        begun[e] = forces[e]
    run.tape_count += 1


def copy_memory(memory: Array, new: Array, size: int) -> None:
    """Copy a memory; a stack holds its own size."""
    count = size if size >= 0 else stack_size(view(new, 0), 0)
    for i in range(count):
        memory[i] = new[i]


def write_event(run: Integration, e: int, kind: int, new: Array, end: float) -> None:
    """Record an event: time, element, kind, way and deflection, then q, v, forces."""
    n = run.coordinate_count
    m = run.element_count
    row = run.events[run.event_count]
    row.time = end
    row.element = float(e)
    row.kind = float(kind)
    row.way = run.edge_side[e] if kind == AT_EDGE else run.direction[e]
    row.deflection = run.u[e]
    write_sample(run, end, new, view(run.event_states, run.event_count * (2 * n + m)))
    deflect(run, e, new)
    run.event_count += 1


def write_samples(run: Integration, h: float, end: float) -> None:
    """Record the samples within the step."""
    n = run.coordinate_count
    m = run.element_count
    times = run.sample_times
    work = run.y_trial
    out = run.samples
    while run.next_sample < run.sample_count and times[run.next_sample] <= end:
        t = times[run.next_sample]
        between(run, h, min((t - run.time) / h, 1.0), work)
        offsets_at(run, t)
        write_sample(run, t, work, view(out, run.next_sample * (2 * n + m)))
        run.next_sample += 1


def write_sample(run: Integration, t: float, y: Array, line: Array) -> None:
    """q, v and the forces of all laws that are not part of the matrices."""
    run.trial_at_end = False
    n = run.coordinate_count
    m = run.element_count
    for i in range(2 * n):
        line[i] = y[i]
    for e in range(m):
        line[2 * n + e] = 0.0
        kind = run.elements[e].kind
        if kind != FOLDED and kind < ELASTIC:
            deflect(run, e, y)
            if kind != RIGID or run.direction[e] != 0.0:
                line[2 * n + e] = law_force(run, e, y)
    for c in range(run.elastic_count):
        deflect_elastic(run, c, y)
        forces_of(run, run.elastic[c], y, view(line, 2 * n + run.elastic[c].element))
    if run.contact_count > 0:
        write_reactions(run, t, y, view(line, 2 * n))


def write_reactions(run: Integration, t: float, y: Array, line: Array) -> None:
    """The forces of contacts that do not slip, before their factors; forces of the step stay as they are."""
    m = run.element_count
    copy_memory(run.force_kept, run.force, m)
    derivative(run, t, y, run.rate_trial)
    for i in range(run.contact_count):
        e = int(run.contact_elements[i])
        if run.direction[e] == 0.0:
            limit = contact_limit(run, i, t)
            share = run.contact_limits[i] / limit if limit > 0.0 else 0.0
            line[e] = run.force[e] / run.elements[e].factor * share
    copy_memory(run.force, run.force_kept, m)


def write_reactions_now(run: Integration, t: float, line: Array) -> None:
    """`write_reactions` at the state of the run."""
    write_reactions(run, t, run.y, line)
