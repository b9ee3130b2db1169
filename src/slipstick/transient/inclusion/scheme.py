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
from slipstick.transient import box, forcing, sides
from slipstick.transient.box import box_solve
from slipstick.transient.forcing import forcing_at
from slipstick.transient.inclusion import places as at
from slipstick.transient.kernels import modules_loop
from slipstick.transient.sides import side_of


def steps(
    shape: Buffer, clock: Sequence[float], rows: Sequence[float], contacts: Sequence[float], laws: Sequence[float],
    signals: Buffer, x: Buffer, room: Buffer, times: Sequence[float], out: Buffer, events: Buffer,
    first: int, last: int,
) -> int:  # fmt: skip
    """Go from step ``first`` to step ``last``; the step that was reached, an earlier one if events need more room.

    rows : (n + sliders + frictions, X) in blocks of rows, column by column; then for each acting element its
        deflection and its rate (X each), and how its force changes v (n).
    contacts : E (c, n), R (n, c), A (c, c) of c = sliders + frictions; then the largest stretch of each slider and the
        limit of each friction, and where its modulation stands in ``laws``, -1 for none.
    x : (X,) the state, in place; behind it what each contact holds (stretch, force), and its side.
    room : the change of v, w and the rates of frictions; then what `meet` works with.
    out : one line a sample: q, v, w, friction forces, sides.   events : one line each, with a sample.
    """
    n = int(shape[at.FREE])
    sliders = int(shape[at.SLIDERS])
    frictions = int(shape[at.FRICTIONS])
    acting = int(shape[at.ACTING])
    width = int(shape[at.WIDTH])
    implicit = shape[at.IMPLICIT] != 0.0
    both = sliders + frictions
    limits = view(contacts, (2 * n + both) * both)
    met = view(room, n + 3 * both - (0 if implicit else sliders))  # limits as `meet` left them
    h = clock[at.STEP]
    theta = clock[at.THETA]
    next_time = sample_after(shape, times)
    for p in range(first, last):
        if shape[at.EVENTS] + both > shape[at.EVENT_ROOM]:
            return p
        tau = clock[at.START] + (p + theta) * h
        end = clock[at.START] + (p + 1) * h
        set_time(shape, clock, signals, tau, p % at.ANEW == 0 or p == first, x)
        acts = multiply(rows, n + both, width, x, room)
        if acting > 0:
            act_on(n, acting, width, view(rows, acts), laws, x, tau, room)
        if not implicit:
            project(n, sliders, limits, x, width, room)
        if frictions > 0 or implicit:
            meet(n, sliders, frictions, implicit, contacts, laws, end, x, width, room)
        for j in range(both):
            now = side_of(x[width + j], limits[j] if j < sliders else met[j])
            if now != x[width + both + j]:
                note_change(shape, clock, x, room, end, j, now, events)
        if next_time <= end or p == int(shape[at.FINAL]) - 1:
            write_samples(shape, clock, x, room, end, p == int(shape[at.FINAL]) - 1, times, out)
            next_time = sample_after(shape, times)
        for i in range(n):
            x[i] += h * (x[n + i] + theta * room[i])
            x[n + i] += room[i]
        for j in range(sliders):
            x[2 * n + j] += room[n + j]
    return last


def set_time(
    shape: Sequence[float], clock: Sequence[float], signals: Buffer, tau: float, anew: bool, x: Buffer
) -> None:
    """The functions of time at tau."""
    harmonics = int(shape[at.HARMONICS])
    count = int(shape[at.SIGNALS])
    width = int(shape[at.WIDTH])
    first = 2 * int(shape[at.FREE]) + int(shape[at.SLIDERS]) + 1
    if width > first + 2 * harmonics + count:  # there are ramps
        x[width - 1] = tau
    set_waves(view(clock, at.WAVES), view(x, first), harmonics, tau, anew)
    if count > 0:
        forcing_at(signals, tau, view(x, first + 2 * harmonics))


def note_change(
    shape: Buffer, clock: Sequence[float], x: Buffer, room: Sequence[float], end: float, j: int, now: float,
    events: Buffer,
) -> None:  # fmt: skip
    """Write down that a contact has changed sides in the step, and put it there."""
    contacts = int(shape[at.SLIDERS]) + int(shape[at.FRICTIONS])
    side = int(shape[at.WIDTH]) + contacts + j
    event = view(events, int(shape[at.EVENTS]) * (at.EVENT_HEAD + 2 * (int(shape[at.FREE]) + contacts)))
    event[at.EVENT_TIME] = end
    event[at.CONTACT] = float(j)
    event[at.BEFORE] = x[side]
    event[at.AFTER] = now
    x[side] = now
    write(shape, clock, x, room, 1.0, view(event, at.EVENT_HEAD))
    shape[at.EVENTS] += 1.0


def sample_after(shape: Sequence[float], times: Sequence[float]) -> float:
    """The time of the next sample."""
    cursor = int(shape[at.CURSOR])
    return times[cursor] if cursor < int(shape[at.SAMPLES]) else at.NEVER


def write_samples(
    shape: Buffer, clock: Sequence[float], x: Sequence[float], room: Sequence[float], end: float, final: bool,
    times: Sequence[float], out: Buffer,
) -> None:  # fmt: skip
    """The samples within the step, and in the final one all that are left."""
    line = 2 * (int(shape[at.FREE]) + int(shape[at.SLIDERS]) + int(shape[at.FRICTIONS]))
    cursor = int(shape[at.CURSOR])
    while cursor < int(shape[at.SAMPLES]) and (times[cursor] <= end or final):
        part = min((times[cursor] - end) / clock[at.STEP] + 1.0, 1.0)  # u_h of (A.10) is linear between steps
        write(shape, clock, x, room, part, view(out, cursor * line))
        cursor += 1
    shape[at.CURSOR] = float(cursor)


def set_waves(waves: Sequence[float], x: Buffer, harmonics: int, tau: float, anew: bool) -> None:
    """Cosine and sine of each frequency at tau: turned on by a step, unless they are found anew."""
    for k in range(harmonics):
        if anew:
            x[2 * k] = math.cos(waves[at.WAVE * k + at.OMEGA] * tau)
            x[2 * k + 1] = math.sin(waves[at.WAVE * k + at.OMEGA] * tau)
        else:  # a cosine costs as much as all the rest
            c = x[2 * k]
            s = x[2 * k + 1]
            x[2 * k] = waves[at.WAVE * k + at.TURN_COS] * c - waves[at.WAVE * k + at.TURN_SIN] * s
            x[2 * k + 1] = waves[at.WAVE * k + at.TURN_SIN] * c + waves[at.WAVE * k + at.TURN_COS] * s


def multiply(rows: Sequence[float], total: int, width: int, x: Sequence[float], out: Buffer) -> int:
    """All rows times x, a block at a time; where in ``rows`` they end."""
    here = 0
    for i in range(0, total, at.BLOCK):
        a = 0.0
        b = 0.0
        c = 0.0
        d = 0.0
        for j in range(width):
            y = x[j]
            a += rows[here] * y
            b += rows[here + 1] * y
            c += rows[here + 2] * y
            d += rows[here + 3] * y
            here += at.BLOCK
        out[i] = a
        out[i + 1] = b
        out[i + 2] = c
        out[i + 3] = d
    return here


def project(n: int, sliders: int, largest: Sequence[float], x: Buffer, held: int, change: Buffer) -> None:
    """The resolvent of each slider's graph (A.9): its stretch stays within what it can hold."""
    for j in range(sliders):
        w = x[2 * n + j]
        new = min(max(w + change[n + j], -largest[j]), largest[j])
        change[n + j] = new - w
        x[held + j] = new


def write(
    shape: Sequence[float], clock: Sequence[float], x: Sequence[float], change: Sequence[float], part: float,
    line: Buffer,
) -> None:  # fmt: skip
    """A sample at the part of the step: q, v, w, friction forces; the sides of contacts are those at its end."""
    n = int(shape[at.FREE])
    sliders = int(shape[at.SLIDERS])
    both = sliders + int(shape[at.FRICTIONS])
    held = int(shape[at.WIDTH])
    for i in range(n):
        line[i] = x[i] + part * clock[at.STEP] * (x[n + i] + clock[at.THETA] * change[i])
        line[n + i] = x[n + i] + part * change[i]
    for j in range(sliders):
        line[2 * n + j] = x[2 * n + j] + part * change[n + j]
    for j in range(sliders, both):
        line[2 * n + j] = x[held + j]
    for j in range(both):
        line[2 * n + both + j] = x[held + both + j]


def act_on(
    n: int, acting: int, width: int, rows: Sequence[float], laws: Sequence[float], x: Sequence[float], t: float,
    change: Buffer,
) -> None:  # fmt: skip
    """Add what the elements do that have neither memory nor a graph: they are explicit."""
    span = 2 * width + n
    for e in range(acting):
        row = e * span
        u = 0.0
        v = 0.0
        for j in range(width):
            u += rows[row + j] * x[j]
            v += rows[row + width + j] * x[j]
        head = view(laws, at.HEAD * e)
        # such a law has no memory, and writes none
        f = call_value(int(head[at.KERNEL]), numbers_at(int(head[at.PARAMETERS])), u, v, head)
        if laws[int(head[at.MODULATION])] != 0.0:
            f *= modulation(laws, int(head[at.MODULATION]), t)
        for i in range(n):
            change[i] += rows[row + 2 * width + i] * f


def limit_of(contacts: Sequence[float], i: int, laws: Sequence[float], t: float) -> float:
    """The sliding limit of a friction at time t."""
    where = int(contacts[i + 1])
    return contacts[i] * modulation(laws, where, t) if where >= 0 else contacts[i]


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
    return modules_loop(
        (at, box, sides, here), (modulation, *forcing.READERS), "steps", ("list",) * 11 + ("integer", "integer")
    )
