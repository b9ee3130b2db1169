"""What is kept of a step: the work it did, samples within it, the state at its end; compiled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from slipstick.laws.stack import stack_size
from slipstick.native import numbers_at, view
from slipstick.transient.implicit import places as at
from slipstick.transient.implicit.step_loop import act, forces_at, row_dot


def absorb(plan: Sequence[float]) -> None:
    """Work over the step by the trapezoidal rule, which average acceleration keeps to the last bit."""
    n = int(plan[at.FREE])
    lines = int(plan[at.LINES])
    leaves = int(plan[at.LEAVES])
    table = numbers_at(int(plan[at.TABLE]))
    springs = numbers_at(int(plan[at.SPRING_TABLE]))
    rows = numbers_at(int(plan[at.ROWS]))
    along = numbers_at(int(plan[at.ALONG]))
    conjugate = numbers_at(int(plan[at.CONJUGATE]))
    increment = numbers_at(int(plan[at.INCREMENT]))
    o = numbers_at(int(plan[at.MOVED]))
    o1 = numbers_at(int(plan[at.MOVED1]))
    force = numbers_at(int(plan[at.FORCE]))
    force1 = numbers_at(int(plan[at.FORCE1]))
    absorbed = numbers_at(int(plan[at.ABSORBED]))
    work = numbers_at(int(plan[at.WORK]))
    p = numbers_at(int(plan[at.P]))
    p1 = numbers_at(int(plan[at.P1]))
    exchanged = 0.0
    for e in range(leaves + int(plan[at.SPRINGS])):
        j = int(table[4 * e]) if e < leaves else int(springs[4 * (e - leaves)])
        mean = 0.5 * (force[e] + force1[e])
        if conjugate[j] != 0.0:
            moved = o1[j] - o[j]
            absorbed[e] += mean * (row_dot(rows, lines, j, increment) + moved)
            work[0] += mean * moved
        else:
            absorbed[e] += mean * row_dot(along, lines, j, increment)
        exchanged += abs(absorbed[e])
    for i in range(n):
        work[0] += 0.5 * (p[i] + p1[i]) * increment[i]
    matrix_forces(plan, numbers_at(int(plan[at.Q1])), numbers_at(int(plan[at.V1])), numbers_at(int(plan[at.Z1])))
    z = numbers_at(int(plan[at.Z]))
    z1 = numbers_at(int(plan[at.Z1]))
    for i in range(n):
        work[1] += 0.5 * (z[i] + z1[i]) * increment[i]
    work[2] = max(work[2], exchanged + abs(work[0]) + abs(work[1]))


def matrix_forces(plan: Sequence[float], q: Any, v: Any, out: Any) -> None:
    """C v + K q of the matrices of the model alone."""
    n = int(plan[at.FREE])
    damping = numbers_at(int(plan[at.OWN_DAMPING]))
    stiffness = numbers_at(int(plan[at.OWN_STIFFNESS]))
    for i in range(n):
        out[i] = row_dot(damping, n, i, v) + row_dot(stiffness, n, i, q)


def hold(plan: Sequence[float]) -> None:
    """What acts now is what acts at the begin of the next step."""
    p, p1 = numbers_at(int(plan[at.P])), numbers_at(int(plan[at.P1]))
    o, o1 = numbers_at(int(plan[at.MOVED])), numbers_at(int(plan[at.MOVED1]))
    force, force1 = numbers_at(int(plan[at.FORCE])), numbers_at(int(plan[at.FORCE1]))
    for i in range(int(plan[at.FREE])):
        p[i] = p1[i]
    for j in range(int(plan[at.LINES])):
        o[j] = o1[j]
    for e in range(int(plan[at.LEAVES]) + int(plan[at.SPRINGS])):
        force[e] = force1[e]
    keep_memory(plan)


def keep_memory(plan: Sequence[float]) -> None:
    """What the laws remember at the end of the step."""
    table = numbers_at(int(plan[at.TABLE]))
    memory = numbers_at(int(plan[at.MEMORY]))
    trial = numbers_at(int(plan[at.TRIAL]))
    for e in range(int(plan[at.LEAVES])):
        begin = int(table[4 * e + 2])
        size = int(table[4 * e + 3])
        if size < 0:
            size = stack_size(view(trial, begin), 0)
        for k in range(begin, begin + size):
            memory[k] = trial[k]


def accept(plan: Sequence[float]) -> None:
    """The end of the step becomes the state."""
    q, q1 = numbers_at(int(plan[at.Q])), numbers_at(int(plan[at.Q1]))
    v, v1 = numbers_at(int(plan[at.V])), numbers_at(int(plan[at.V1]))
    a, a1 = numbers_at(int(plan[at.A])), numbers_at(int(plan[at.A1]))
    z, z1 = numbers_at(int(plan[at.Z])), numbers_at(int(plan[at.Z1]))
    for i in range(int(plan[at.FREE])):
        q[i] = q1[i]
        v[i] = v1[i]
        a[i] = a1[i]
        z[i] = z1[i]
    hold(plan)


def record(plan: Sequence[float], t: float, part: float, slot: int) -> None:
    """A sample within the step, ``part`` of it done: cubic between its ends; forces from the memory of its begin."""
    n = int(plan[at.FREE])
    h = plan[at.STEP]
    q, q1 = numbers_at(int(plan[at.Q])), numbers_at(int(plan[at.Q1]))
    v, v1 = numbers_at(int(plan[at.V])), numbers_at(int(plan[at.V1]))
    a, a1 = numbers_at(int(plan[at.A])), numbers_at(int(plan[at.A1]))
    qs = view(numbers_at(int(plan[at.AT_Q])), slot * n)
    vs = view(numbers_at(int(plan[at.AT_V])), slot * n)
    rest = 1.0 - part
    begin = rest * rest * (1.0 + 2.0 * part)
    begin_rate = rest * rest * part * h
    end = part * part * (1.0 + 2.0 * rest)
    end_rate = part * part * rest * h
    for i in range(n):
        qs[i] = begin * q[i] + begin_rate * v[i] + end * q1[i] - end_rate * v1[i]
        vs[i] = begin * v[i] + begin_rate * a[i] + end * v1[i] - end_rate * a1[i]
    act(plan, t)
    forces_at(plan, qs, vs)
    leaves = int(plan[at.LEAVES])
    elements = leaves + int(plan[at.SPRINGS])
    fs = view(numbers_at(int(plan[at.AT_F])), slot * elements)
    raw = numbers_at(int(plan[at.RAW]))
    force = numbers_at(int(plan[at.FORCE1]))
    for e in range(elements):
        fs[e] = raw[e] if e < leaves else force[e]


def record_step(plan: Sequence[float], t: float) -> None:
    """All samples within the step that begins at t, before the state moves on."""
    counts = numbers_at(int(plan[at.COUNTS]))
    times = numbers_at(int(plan[at.TIMES]))
    h = plan[at.STEP]
    slot = int(counts[at.SAMPLE])
    end = t + (1.0 + at.JUST) * h
    if slot >= int(plan[at.SAMPLES]) or times[slot] > end:
        return
    new = numbers_at(int(plan[at.NEW]))
    aside = numbers_at(int(plan[at.ASIDE]))
    for k in range(int(plan[at.NEW_LENGTH])):
        aside[k] = new[k]
    while slot < int(plan[at.SAMPLES]) and times[slot] <= end:
        record(plan, min(times[slot], plan[at.LAST]), min(max((times[slot] - t) / h, 0.0), 1.0), slot)
        slot += 1
    counts[at.SAMPLE] = float(slot)
    for k in range(int(plan[at.NEW_LENGTH])):
        new[k] = aside[k]
