"""The loop of scheme (A.7), and of its theta variant; compiled.

Everything that is linear in the state and in functions of time is one matrix times one vector,

    x = (q, v, w, 1, cos and sin of each frequency, sampled signals, and t where there is a ramp),

with w the stretches of the sliders. Its rows give the change of v without contacts, the change of each stretch
without slip, and the rate of each friction contact. `slipstick.transient.inclusion.tables` has the entries.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence

from slipstick.laws.loops import modulation
from slipstick.laws.parsing import Buffer
from slipstick.native import Native, call_value, numbers_at, view
from slipstick.transient import box
from slipstick.transient.box import box_solve
from slipstick.transient.forcing import forcing_at
from slipstick.transient.kernels import modules_loop


def steps(
    shape: Buffer, clock: Sequence[float], rows: Sequence[float], contacts: Sequence[float], laws: Sequence[float],
    signals: Buffer, x: Buffer, room: Buffer, times: Sequence[float], out: Buffer, events: Buffer,
    first: int, last: int,
) -> int:  # fmt: skip
    """Go from step ``first`` to step ``last``; the step that was reached, an earlier one if events need more room.

    shape : n, sliders, frictions, acting elements, frequencies, signals, X, implicit or not, all steps; then what is
        kept between calls: samples, samples written, room for events, events written.
    clock : start, h, theta; then omega, cos and sin of omega h for each frequency.
    rows : (n + sliders + frictions, X) in blocks of four rows, column by column; then for each acting element its
        deflection and its rate (X each), and how its force changes v (n).
    contacts : E (c, n), R (n, c), A (c, c) of c = sliders + frictions; then the largest stretch of each slider and the
        limit of each friction, and where its modulation stands in ``laws``, -1 for none.
    x : (X,) the state, in place; behind it what each contact holds (stretch, force), and its state -1, 0, 1.
    out : one line a sample: q, v, w, friction forces.   events : one line each: time, contact, before, after, a sample.
    """
    n = int(shape[0])
    sliders = int(shape[1])
    frictions = int(shape[2])
    acting = int(shape[3])
    harmonics = int(shape[4])
    signal_count = int(shape[5])
    width = int(shape[6])
    implicit = shape[7] != 0.0
    final = int(shape[8])
    samples = int(shape[9])
    cursor = int(shape[10])
    most_events = int(shape[11])
    count = int(shape[12])
    start = clock[0]
    h = clock[1]
    theta = clock[2]
    both = sliders + frictions
    total = n + both
    at_time = 2 * n + sliders + 1
    ramps = width > at_time + 2 * harmonics + signal_count
    limits = (2 * n + both) * both
    line = 2 * n + both
    most_held = n + 3 * both + (0 if implicit else -sliders)  # in room: the limits of contacts, as `meet` leaves them
    next_time = times[cursor] if cursor < samples else 1e300
    for p in range(first, last):
        if count + both > most_events:
            shape[10] = float(cursor)
            shape[12] = float(count)
            return p
        tau = start + (p + theta) * h
        if ramps:
            x[width - 1] = tau
        if p % 64 == 0 or p == first:
            for k in range(harmonics):
                x[at_time + 2 * k] = math.cos(clock[3 + 3 * k] * tau)
                x[at_time + 1 + 2 * k] = math.sin(clock[3 + 3 * k] * tau)
        else:  # turned on by a step: a cosine costs as much as all the rest
            for k in range(harmonics):
                c = x[at_time + 2 * k]
                s = x[at_time + 1 + 2 * k]
                x[at_time + 2 * k] = clock[4 + 3 * k] * c - clock[5 + 3 * k] * s
                x[at_time + 1 + 2 * k] = clock[5 + 3 * k] * c + clock[4 + 3 * k] * s
        if signal_count > 0:
            forcing_at(signals, tau, view(x, at_time + 2 * harmonics))
        at = 0
        for i in range(0, total, 4):  # four sums at a time: one alone waits for its own last addition
            a = 0.0
            b = 0.0
            c = 0.0
            d = 0.0
            for j in range(width):
                y = x[j]
                a += rows[at] * y
                b += rows[at + 1] * y
                c += rows[at + 2] * y
                d += rows[at + 3] * y
                at += 4
            room[i] = a
            room[i + 1] = b
            room[i + 2] = c
            room[i + 3] = d
        if acting > 0:
            act_on(n, acting, width, view(rows, at), laws, x, tau, room)
        if not implicit:
            for j in range(sliders):  # (A.9): the resolvent of the slider's graph
                w = x[2 * n + j]
                eta = contacts[limits + j]
                new = min(max(w + room[n + j], -eta), eta)
                room[n + j] = new - w
                x[width + j] = new
        if frictions > 0 or implicit:
            meet(n, sliders, frictions, implicit, contacts, laws, start + (p + 1) * h, x, width, room)
        end = start + (p + 1) * h
        for j in range(both):
            force = x[width + j]
            most = contacts[limits + j] if j < sliders else room[most_held + j]
            now = 0.0
            if force >= most:
                now = 1.0
            elif force <= -most:
                now = -1.0
            if now != x[width + both + j]:
                at = count * (4 + line)
                events[at] = end
                events[at + 1] = float(j)
                events[at + 2] = x[width + both + j]
                events[at + 3] = now
                write(n, sliders, both, x, width, room, 1.0, h, theta, view(events, at + 4))
                count += 1
                x[width + both + j] = now
        while next_time <= end or (p == final - 1 and cursor < samples):
            part = min((next_time - end) / h + 1.0, 1.0)  # u_h of (A.10) is linear between steps
            write(n, sliders, both, x, width, room, part, h, theta, view(out, cursor * line))
            cursor += 1
            next_time = times[cursor] if cursor < samples else 1e300
        for i in range(n):
            x[i] += h * (x[n + i] + theta * room[i])
            x[n + i] += room[i]
        for j in range(sliders):
            x[2 * n + j] += room[n + j]
    shape[10] = float(cursor)
    shape[12] = float(count)
    return last


def write(
    n: int, sliders: int, both: int, x: Sequence[float], held: int, change: Sequence[float], part: float, h: float,
    theta: float, line: Buffer,
) -> None:  # fmt: skip
    """A sample at the part of the step: q, v, w, friction forces."""
    for i in range(n):
        line[i] = x[i] + part * h * (x[n + i] + theta * change[i])
        line[n + i] = x[n + i] + part * change[i]
    for j in range(sliders):
        line[2 * n + j] = x[2 * n + j] + part * change[n + j]
    for j in range(sliders, both):
        line[2 * n + j] = x[held + j]


def act_on(
    n: int, acting: int, width: int, rows: Sequence[float], laws: Sequence[float], x: Sequence[float], t: float,
    change: Buffer,
) -> None:  # fmt: skip
    """Add what the elements do that have neither memory nor a graph: they are explicit."""
    span = 2 * width + n
    for e in range(acting):
        at = e * span
        u = 0.0
        v = 0.0
        for j in range(width):
            u += rows[at + j] * x[j]
            v += rows[at + width + j] * x[j]
        memory = view(laws, 4 * e)  # such a law has none, and writes none
        f = call_value(int(laws[4 * e]), numbers_at(int(laws[4 * e + 1])), u, v, memory)
        if laws[int(laws[4 * e + 3])] != 0.0:
            f *= modulation(laws, int(laws[4 * e + 3]), t)
        for i in range(n):
            change[i] += rows[at + 2 * width + i] * f


def limit_of(contacts: Sequence[float], at: int, laws: Sequence[float], t: float) -> float:
    """The sliding limit of a friction at time t."""
    where = int(contacts[at + 1])
    return contacts[at] * modulation(laws, where, t) if where >= 0 else contacts[at]


def meet(
    n: int, sliders: int, frictions: int, implicit: bool, contacts: Sequence[float], laws: Sequence[float], t: float,
    x: Buffer, held: int, change: Buffer,
) -> None:  # fmt: skip
    """Let all contacts act together: their forces within limits, so that what sticks has no rate."""
    both = sliders + frictions
    first = 0 if implicit else sliders
    count = both - first
    e = view(contacts, first * n)
    r = view(contacts, both * n)
    limits = (2 * n + both) * both
    b = view(change, n + both)
    low = view(change, n + 2 * both)
    high = view(change, n + 3 * both)
    a = view(change, n + 4 * both)
    for i in range(count):
        j = first + i
        b[i] = change[n + j]
        for k in range(n):
            b[i] += e[i * n + k] * change[k]
        if j < sliders:  # the unknown is the change of the stretch; as a guess, none
            x[held + j] = 0.0
            low[i] = -contacts[limits + j] - x[2 * n + j]
            high[i] = contacts[limits + j] - x[2 * n + j]
        else:
            high[i] = limit_of(contacts, limits + sliders + 2 * (j - sliders), laws, t)
            low[i] = -high[i]
        for k in range(count):
            a[i * count + k] = contacts[2 * n * both + j * both + first + k]
    unknown = view(x, held + first)
    box_solve(a, b, low, high, unknown, count, view(a, count * count))
    for i in range(n):
        for j in range(first, both):
            change[i] -= r[i * both + j] * x[held + j]
    if implicit:
        for j in range(sliders):
            change[n + j] = x[held + j]
            x[held + j] += x[2 * n + j]


def kernel() -> Native:
    """`steps`, compiled once and kept."""
    here = sys.modules[__name__]
    return modules_loop((box, here), (modulation, forcing_at), "steps", ("list",) * 11 + ("integer", "integer"))
