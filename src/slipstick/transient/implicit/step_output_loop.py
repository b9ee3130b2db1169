"""The output of a step: its work, samples within it, the state at its end; compiled."""

from __future__ import annotations

from slipstick.laws.reversal_stack import stack_size
from slipstick.native import Array, view
from slipstick.transient.implicit.records import Step
from slipstick.transient.implicit.step_loop import forces_at, row_dot, set_loads

SAMPLE_TOLERANCE = 1e-9  # of a step: a sample later by less belongs to it


def add_work(step: Step) -> None:
    """Add the work over the step by the trapezoidal rule, which average acceleration conserves exactly."""
    n = step.coordinate_count
    lines = step.line_count
    leaves = step.leaf_count
    rows = step.rows
    along = step.along
    conjugate = step.conjugate
    increment = step.increment
    o = step.offset
    o1 = step.offset_end
    force = step.force
    force1 = step.force_end
    absorbed = step.absorbed
    p = step.load
    p1 = step.load_end
    exchanged = 0.0
    for e in range(leaves + step.spring_count):
        j = step.leaves[e].group if e < leaves else step.springs[e - leaves].line
        mean = 0.5 * (force[e] + force1[e])
        if conjugate[j] != 0.0:
            moved = o1[j] - o[j]
            absorbed[e] += mean * (row_dot(rows, lines, j, increment) + moved)
            step.work.loads += mean * moved
        else:
            absorbed[e] += mean * row_dot(along, lines, j, increment)
        exchanged += abs(absorbed[e])
    for i in range(n):
        step.work.loads += 0.5 * (p[i] + p1[i]) * increment[i]
    matrix_forces(step, step.q_end, step.v_end, step.matrix_force_end)
    z = step.matrix_force
    z1 = step.matrix_force_end
    for i in range(n):
        step.work.matrices += 0.5 * (z[i] + z1[i]) * increment[i]
    step.work.exchanged = max(step.work.exchanged, exchanged + abs(step.work.loads) + abs(step.work.matrices))


def matrix_forces(step: Step, q: Array, v: Array, out: Array) -> None:
    """C v + K q of the matrices of the model alone."""
    n = step.coordinate_count
    damping = step.model_damping
    stiffness = step.model_stiffness
    for i in range(n):
        out[i] = row_dot(damping, n, i, v) + row_dot(stiffness, n, i, q)


def keep_acting(step: Step) -> None:
    """Present forces become those at the start of the next step."""
    p, p1 = step.load, step.load_end
    o, o1 = step.offset, step.offset_end
    force, force1 = step.force, step.force_end
    for i in range(step.coordinate_count):
        p[i] = p1[i]
    for j in range(step.line_count):
        o[j] = o1[j]
    for e in range(step.leaf_count + step.spring_count):
        force[e] = force1[e]
    store_memory(step)


def store_memory(step: Step) -> None:
    """Copy the memory of laws at the end of the step."""
    memory = step.memory
    trial = step.memory_end
    for e in range(step.leaf_count):
        begin = step.leaves[e].memory_begin
        size = step.leaves[e].memory_size
        if size < 0:
            size = stack_size(view(trial, begin), 0)
        for k in range(begin, begin + size):
            memory[k] = trial[k]


def accept_step(step: Step) -> None:
    """Move the state to the end of the step."""
    q, q1 = step.q, step.q_end
    v, v1 = step.v, step.v_end
    a, a1 = step.a, step.a_end
    z, z1 = step.matrix_force, step.matrix_force_end
    for i in range(step.coordinate_count):
        q[i] = q1[i]
        v[i] = v1[i]
        a[i] = a1[i]
        z[i] = z1[i]
    keep_acting(step)


def record_sample(step: Step, t: float, part: float, slot: int) -> None:
    """A sample at ``part`` of the step: cubic between its ends, forces from the memory of its start."""
    n = step.coordinate_count
    h = step.h
    q, q1 = step.q, step.q_end
    v, v1 = step.v, step.v_end
    a, a1 = step.a, step.a_end
    qs = view(step.sample_q, slot * n)
    vs = view(step.sample_v, slot * n)
    rest = 1.0 - part
    begin = rest * rest * (1.0 + 2.0 * part)
    begin_rate = rest * rest * part * h
    end = part * part * (1.0 + 2.0 * rest)
    end_rate = part * part * rest * h
    for i in range(n):
        qs[i] = begin * q[i] + begin_rate * v[i] + end * q1[i] - end_rate * v1[i]
        vs[i] = begin * v[i] + begin_rate * a[i] + end * v1[i] - end_rate * a1[i]
    set_loads(step, t)
    forces_at(step, qs, vs)
    leaves = step.leaf_count
    elements = leaves + step.spring_count
    fs = view(step.sample_force, slot * elements)
    raw = step.law_force
    force = step.force_end
    for e in range(elements):
        fs[e] = raw[e] if e < leaves else force[e]


def record_samples(step: Step, t: float) -> None:
    """All samples within the step that begins at t, before the state moves to its end."""
    times = step.sample_times
    h = step.h
    slot = step.counts.next_sample
    end = t + (1.0 + SAMPLE_TOLERANCE) * h
    if slot >= step.sample_count or times[slot] > end:
        return
    new = step.end_block
    aside = step.saved_end
    for k in range(step.end_size):
        aside[k] = new[k]
    while slot < step.sample_count and times[slot] <= end:
        record_sample(step, min(times[slot], step.last_time), min(max((times[slot] - t) / h, 0.0), 1.0), slot)
        slot += 1
    step.counts.next_sample = slot
    for k in range(step.end_size):
        new[k] = aside[k]
