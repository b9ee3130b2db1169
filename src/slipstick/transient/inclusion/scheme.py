"""The loop of scheme (A.7), and of its theta variant; compiled.

Everything that is linear in the state and in functions of time is one matrix times one vector,

    x = (q, v, w, 1, cos and sin of each frequency, sampled signals, and t where there is a ramp),

with w the stretches of the sliders. Its rows give the change of v without contacts, the change of each stretch
without slip, and the rate of each friction contact. `slipstick.transient.inclusion.tables` has the entries, `places`
says what the other arrays hold.
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
from slipstick.transient.inclusion import places
from slipstick.transient.inclusion.places import (
    ACTING,
    AFTER,
    ANEW,
    BEFORE,
    BLOCK,
    CONTACT,
    CURSOR,
    EVENT_HEAD,
    EVENT_ROOM,
    EVENT_TIME,
    EVENTS,
    FINAL,
    FREE,
    FRICTIONS,
    HARMONICS,
    HEAD,
    IMPLICIT,
    KERNEL,
    MODULATION,
    NEVER,
    OMEGA,
    PARAMETERS,
    SAMPLES,
    SIGNALS,
    SLIDERS,
    START,
    STEP,
    THETA,
    TURN_COS,
    TURN_SIN,
    WAVE,
    WAVES,
    WIDTH,
)
from slipstick.transient.kernels import modules_loop


def steps(
    shape: Buffer, clock: Sequence[float], rows: Sequence[float], contacts: Sequence[float], laws: Sequence[float],
    signals: Buffer, x: Buffer, room: Buffer, times: Sequence[float], out: Buffer, events: Buffer,
    first: int, last: int,
) -> int:  # fmt: skip
    """Go from step ``first`` to step ``last``; the step that was reached, an earlier one if events need more room.

    rows : (n + sliders + frictions, X) in blocks of four rows, column by column; then for each acting element its
        deflection and its rate (X each), and how its force changes v (n).
    contacts : E (c, n), R (n, c), A (c, c) of c = sliders + frictions; then the largest stretch of each slider and the
        limit of each friction, and where its modulation stands in ``laws``, -1 for none.
    x : (X,) the state, in place; behind it what each contact holds (stretch, force), and its state -1, 0, 1.
    room : the change of v, w and the rates of frictions; then what `meet` works with.
    out : one line a sample: q, v, w, friction forces.   events : one line each, with a sample.
    """
    n = int(shape[FREE])
    sliders = int(shape[SLIDERS])
    frictions = int(shape[FRICTIONS])
    acting = int(shape[ACTING])
    harmonics = int(shape[HARMONICS])
    signal_count = int(shape[SIGNALS])
    width = int(shape[WIDTH])
    implicit = shape[IMPLICIT] != 0.0
    final = int(shape[FINAL])
    samples = int(shape[SAMPLES])
    cursor = int(shape[CURSOR])
    most_events = int(shape[EVENT_ROOM])
    count = int(shape[EVENTS])
    start = clock[START]
    h = clock[STEP]
    theta = clock[THETA]
    both = sliders + frictions
    line = 2 * n + both
    at_time = 2 * n + sliders + 1
    ramps = width > at_time + 2 * harmonics + signal_count
    next_time = times[cursor] if cursor < samples else NEVER
    reached = last
    for p in range(first, last):
        if count + both > most_events:
            reached = p
            break
        tau = start + (p + theta) * h
        end = start + (p + 1) * h
        if ramps:
            x[width - 1] = tau
        set_waves(view(clock, WAVES), view(x, at_time), harmonics, tau, p % ANEW == 0 or p == first)
        if signal_count > 0:
            forcing_at(signals, tau, view(x, at_time + 2 * harmonics))
        at = multiply(rows, n + both, width, x, room)
        if acting > 0:
            act_on(n, acting, width, view(rows, at), laws, x, tau, room)
        if not implicit:
            project(n, sliders, view(contacts, line * both), x, width, room)
        if frictions > 0 or implicit:
            meet(n, sliders, frictions, implicit, contacts, laws, end, x, width, room)
        for j in range(both):
            now = side(n, sliders, both, implicit, contacts, x, width, room, j)
            if now != x[width + both + j]:
                event = view(events, count * (EVENT_HEAD + line))
                event[EVENT_TIME] = end
                event[CONTACT] = float(j)
                event[BEFORE] = x[width + both + j]
                event[AFTER] = now
                write(n, sliders, both, x, width, room, 1.0, h, theta, view(event, EVENT_HEAD))
                count += 1
                x[width + both + j] = now
        while next_time <= end or (p == final - 1 and cursor < samples):
            part = min((next_time - end) / h + 1.0, 1.0)  # u_h of (A.10) is linear between steps
            write(n, sliders, both, x, width, room, part, h, theta, view(out, cursor * line))
            cursor += 1
            next_time = times[cursor] if cursor < samples else NEVER
        for i in range(n):
            x[i] += h * (x[n + i] + theta * room[i])
            x[n + i] += room[i]
        for j in range(sliders):
            x[2 * n + j] += room[n + j]
    shape[CURSOR] = float(cursor)
    shape[EVENTS] = float(count)
    return reached


def set_waves(waves: Sequence[float], x: Buffer, harmonics: int, tau: float, anew: bool) -> None:
    """Cosine and sine of each frequency at tau: turned on by a step, unless they are found anew."""
    for k in range(harmonics):
        if anew:
            x[2 * k] = math.cos(waves[WAVE * k + OMEGA] * tau)
            x[2 * k + 1] = math.sin(waves[WAVE * k + OMEGA] * tau)
        else:  # a cosine costs as much as all the rest
            c = x[2 * k]
            s = x[2 * k + 1]
            x[2 * k] = waves[WAVE * k + TURN_COS] * c - waves[WAVE * k + TURN_SIN] * s
            x[2 * k + 1] = waves[WAVE * k + TURN_SIN] * c + waves[WAVE * k + TURN_COS] * s


def multiply(rows: Sequence[float], total: int, width: int, x: Sequence[float], out: Buffer) -> int:
    """All rows times x, a block at a time; where in ``rows`` they end."""
    at = 0
    for i in range(0, total, BLOCK):
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
            at += BLOCK
        out[i] = a
        out[i + 1] = b
        out[i + 2] = c
        out[i + 3] = d
    return at


def project(n: int, sliders: int, largest: Sequence[float], x: Buffer, held: int, change: Buffer) -> None:
    """The resolvent of each slider's graph (A.9): its stretch stays within what it can hold."""
    for j in range(sliders):
        w = x[2 * n + j]
        new = min(max(w + change[n + j], -largest[j]), largest[j])
        change[n + j] = new - w
        x[held + j] = new


def side(
    n: int, sliders: int, both: int, implicit: bool, contacts: Sequence[float], x: Sequence[float], held: int,
    room: Sequence[float], j: int,
) -> float:  # fmt: skip
    """1 or -1 if a contact is at its limit after the step, else 0."""
    if j < sliders:
        most = contacts[(2 * n + both) * both + j]
    else:  # as `meet` left it
        most = room[n + 3 * both + j - (0 if implicit else sliders)]
    if x[held + j] >= most:
        return 1.0
    if x[held + j] <= -most:
        return -1.0
    return 0.0


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
        head = view(laws, HEAD * e)
        # such a law has no memory, and writes none
        f = call_value(int(head[KERNEL]), numbers_at(int(head[PARAMETERS])), u, v, head)
        if laws[int(head[MODULATION])] != 0.0:
            f *= modulation(laws, int(head[MODULATION]), t)
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
    return modules_loop((places, box, here), (modulation, forcing_at), "steps", ("list",) * 11 + ("integer", "integer"))
