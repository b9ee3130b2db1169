"""Reversals and corners within a step: is there one, where, and what comes after; compiled.

The functions that are followed: the rate of an element with a memory (zero at a reversal), and its distance to the
next corner of its law in the direction in which it moves.
"""

from __future__ import annotations

from collections.abc import Sequence

from slipstick.laws.parsing import Buffer
from slipstick.native import call_function, numbers_at, view
from slipstick.transient.adaptive import places as at
from slipstick.transient.adaptive.equations import between_corners, deflect, offsets_at
from slipstick.transient.adaptive.pair import between


def look_around(plan: Sequence[float]) -> bool:
    """Find the direction and the next corner of every element at the state; true if all directions are known."""
    m = int(plan[at.ELEMENTS])
    known = True
    heads = numbers_at(int(plan[at.HEADS]))
    y = numbers_at(int(plan[at.Y]))
    offsets_at(plan, plan[at.TIME])
    for e in range(m):
        if heads[at.HEAD * e + at.KIND] >= at.CLOSED or heads[at.HEAD * e + at.CORNERS] != 0.0:
            deflect(plan, e, y)
            u = numbers_at(int(plan[at.U]))[e]
            v = numbers_at(int(plan[at.V]))[e]
            scales = numbers_at(int(plan[at.V_SCALE]))
            scales[e] = max(scales[e], abs(v))
            numbers_at(int(plan[at.U_SCALE]))[e] = max(numbers_at(int(plan[at.U_SCALE]))[e], abs(u))
            s = v
            quiet = abs(v) <= 2.0 * at.ZERO * scales[e]
            numbers_at(int(plan[at.QUIET]))[e] = 1.0 if quiet else 0.0
            if quiet:  # a reversal, or rest: the acceleration tells
                s = acceleration(plan, e)
            direction = 0.0
            if s > 0.0:
                direction = 1.0
            elif s < 0.0:
                direction = -1.0
            else:
                known = False
            turn_inner(plan, e, direction)
            head_for(plan, e, direction)
            if heads[at.HEAD * e + at.EDGE] != 0.0:
                find_side(plan, e)
    return known


def turn_inner(plan: Sequence[float], e: int, direction: float) -> None:
    """A law by rate that turns: its memory becomes that of the branch that starts here."""
    head = view(numbers_at(int(plan[at.HEADS])), at.HEAD * e)
    before = numbers_at(int(plan[at.DIRECTION]))[e]
    if head[at.KIND] == at.BY_RATE and before * direction < 0.0:
        memory = view(numbers_at(int(plan[at.MEMORY])), int(head[at.PLACE]))
        parameters = numbers_at(int(head[at.PARAMETERS]))
        u = numbers_at(int(plan[at.U]))[e]
        v = numbers_at(int(plan[at.V]))[e]
        z = numbers_at(int(plan[at.Y]))[2 * int(plan[at.FREE]) + int(head[at.STATE])]
        call_function(int(head[at.SETTLE]), parameters, u, v, z, memory)
        call_function(int(head[at.TURN]), parameters, memory)


def acceleration(plan: Sequence[float], e: int) -> float:
    """The second derivative of a deflection, from the first stage; of motions by a difference."""
    n = int(plan[at.FREE])
    rows = numbers_at(int(plan[at.ROWS]))
    k1 = numbers_at(int(plan[at.STAGES]))
    a = 0.0
    for i in range(n):
        a += rows[n * e + i] * k1[n + i]
    if plan[at.MOVED] != 0.0:
        rates = numbers_at(int(plan[at.OFFSET_RATE]))
        now = rates[e]
        small = 1e-6 * plan[at.LARGEST]
        offsets_at(plan, plan[at.TIME] + small)
        a += (rates[e] - now) / small
        offsets_at(plan, plan[at.TIME])
    return a


def head_for(plan: Sequence[float], e: int, direction: float) -> None:
    """Set the direction of an element, and its next corner that way."""
    head = view(numbers_at(int(plan[at.HEADS])), at.HEAD * e)
    numbers_at(int(plan[at.DIRECTION]))[e] = direction
    if head[at.CORNERS] != 0.0 and direction != 0.0:
        u = numbers_at(int(plan[at.U]))[e] + direction * 2.0 * at.ZERO * numbers_at(int(plan[at.U_SCALE]))[e]
        memory = view(numbers_at(int(plan[at.MEMORY])), int(head[at.PLACE]))
        parameters = numbers_at(int(head[at.PARAMETERS]))
        corner = int(head[at.CORNERS])
        numbers_at(int(plan[at.CORNER]))[e] = call_function(corner, parameters, u, direction, memory)
        if head[at.KIND] == at.PLAIN:
            numbers_at(int(plan[at.BEHIND]))[e] = call_function(corner, parameters, u, -direction, memory)


def edge_of(plan: Sequence[float], e: int) -> float:
    """The edge of an element on the piece it is on."""
    return edge_at(plan, e, numbers_at(int(plan[at.V]))[e])


def edge_at(plan: Sequence[float], e: int, v: float) -> float:
    """The edge of an element, had it the rate v."""
    head = view(numbers_at(int(plan[at.HEADS])), at.HEAD * e)
    u = between_corners(plan, e, numbers_at(int(plan[at.U]))[e])
    memory = view(numbers_at(int(plan[at.MEMORY])), int(head[at.PLACE]))
    return call_function(int(head[at.EDGE]), numbers_at(int(head[at.PARAMETERS])), u, v, memory)


def find_side(plan: Sequence[float], e: int) -> None:
    """On which side of its edge an element is; on the edge itself, where the last event left it."""
    scales = numbers_at(int(plan[at.EDGE_SCALE]))
    sides = numbers_at(int(plan[at.EDGE_SIDE]))
    edge = edge_of(plan, e)
    if edge == at.NO_EDGE:
        sides[e] = 1.0
        return
    # a rate that counts as zero is none at the edge either: a stop that only damps turns and lets go at once
    by_rate = edge_at(plan, e, numbers_at(int(plan[at.V_SCALE]))[e]) - edge_at(plan, e, 0.0)
    scales[e] = max(max(scales[e], abs(edge)), abs(by_rate))
    if abs(edge) > 2.0 * at.ZERO * scales[e] or sides[e] == 0.0:
        sides[e] = 1.0 if edge >= 0.0 else -1.0


def ahead_of(plan: Sequence[float], e: int, kind: int) -> float:
    """How far an element still is from an event of a kind, over its scale; below zero: past."""
    s = numbers_at(int(plan[at.DIRECTION]))[e]
    if kind == at.AT_EDGE:
        scale = numbers_at(int(plan[at.EDGE_SCALE]))[e]
        return float(numbers_at(int(plan[at.EDGE_SIDE]))[e] * edge_of(plan, e) / scale)
    if kind == at.REVERSAL:
        return float(s * numbers_at(int(plan[at.V]))[e] / (numbers_at(int(plan[at.V_SCALE]))[e] + 1e-300))
    far = s * (numbers_at(int(plan[at.CORNER]))[e] - numbers_at(int(plan[at.U]))[e])
    return float(far / (numbers_at(int(plan[at.U_SCALE]))[e] + 1e-300))


def at_part(plan: Sequence[float], h: float, x: float, e: int, kind: int) -> float:
    """`ahead_of` at the part x of the step."""
    work = numbers_at(int(plan[at.WORK]))
    between(plan, h, x, work)
    offsets_at(plan, min(plan[at.TIME] + x * h, plan[at.END]))
    deflect(plan, e, work)
    return ahead_of(plan, e, kind)


def root(plan: Sequence[float], h: float, e: int, kind: int, last: float) -> float:
    """The part of the step, up to ``last``, at which the interpolant meets the event (Illinois)."""
    low = 0.0
    high = last
    g_low = at_part(plan, h, 0.0, e, kind)
    g_high = at_part(plan, h, last, e, kind)
    if g_low <= 2.0 * at.ZERO:  # it starts at an event of the same kind: look for the next one
        low = 0.01 * last
        g_low = at_part(plan, h, low, e, kind)
        if g_low <= 0.0:
            return 0.0
    side = 0
    for _ in range(60):
        x = low + (high - low) * g_low / (g_low - g_high)
        g = at_part(plan, h, x, e, kind)
        if abs(g) <= 0.01 * at.ZERO or high - low <= 1e-15:
            return x
        if g > 0.0:
            low = x
            g_low = g
            if side == 1:
                g_high *= 0.5
            side = 1
        else:
            high = x
            g_high = g
            if side == -1:
                g_low *= 0.5
            side = -1
    return 0.5 * (low + high)


def first_event(plan: Sequence[float], h: float, found: Buffer) -> int:
    """Is something passed within the step: found = (part of the step, element, kind) of the first; 1 if so.

    What is met within rounding at the end of the step is not passed. An element that starts at rest and turns out to
    move the other way than thought has its direction set right: -1, and the step must be done again.
    """
    m = int(plan[at.ELEMENTS])
    heads = numbers_at(int(plan[at.HEADS]))
    new = numbers_at(int(plan[at.Y1]))
    work = numbers_at(int(plan[at.WORK]))
    directions = numbers_at(int(plan[at.DIRECTION]))
    middle = view(found, 3)
    found[0] = 2.0
    look = False
    for e in range(m):
        if directions[e] != 0.0:  # the last stage left deflections and rates at the end of the step
            middle[e] = 1.0
            look = look or may_turn(plan, h, e)
    if look:
        between(plan, h, 0.5, work)
        offsets_at(plan, plan[at.TIME] + 0.5 * h)
        for e in range(m):
            if directions[e] != 0.0:
                deflect(plan, e, work)
                middle[e] = ahead_of(plan, e, at.REVERSAL)
    for e in range(m):
        if directions[e] != 0.0:
            if look:
                offsets_at(plan, plan[at.END])
                deflect(plan, e, new)
            last = 1.0
            turned = ahead_of(plan, e, at.REVERSAL) < -at.ZERO
            past = heads[at.HEAD * e + at.CORNERS] != 0.0 and ahead_of(plan, e, at.AT_CORNER) < -at.ZERO
            if not turned and middle[e] < -at.ZERO:  # there and back within the step
                turned = True
                last = 0.5
            if turned:
                last = root(plan, h, e, at.REVERSAL, last)
                if last <= 0.0:
                    at_part(plan, h, 0.0, e, at.REVERSAL)
                    head_for(plan, e, -directions[e])
                    return -1
                note(found, last, e, at.REVERSAL)
                past = heads[at.HEAD * e + at.CORNERS] != 0.0 and at_part(plan, h, last, e, at.AT_CORNER) < -at.ZERO
            if past:
                last = root(plan, h, e, at.AT_CORNER, last)
                note(found, last, e, at.AT_CORNER)
            if heads[at.HEAD * e + at.EDGE] != 0.0 and at_part(plan, h, last, e, at.AT_EDGE) < -at.ZERO:
                last = root(plan, h, e, at.AT_EDGE, last)
                if last <= 0.0:
                    sides = numbers_at(int(plan[at.EDGE_SIDE]))
                    sides[e] = -sides[e]
                    return -1
                note(found, last, e, at.AT_EDGE)
    return 1 if found[0] < 2.0 else 0


def may_turn(plan: Sequence[float], h: float, e: int) -> bool:
    """True if the rate at the end of the step is so small that it may have been zero within it."""
    n = int(plan[at.FREE])
    size = 2 * n + int(plan[at.INNER])
    if plan[at.MOVED] != 0.0:
        return True
    rows = numbers_at(int(plan[at.ROWS]))
    k1 = numbers_at(int(plan[at.STAGES]))
    first = 0.0
    last = 0.0
    for i in range(n):
        first += rows[n * e + i] * k1[n + i]
        last += rows[n * e + i] * k1[6 * size + n + i]
    return abs(float(numbers_at(int(plan[at.V]))[e])) < 2.0 * h * max(abs(first), abs(last))


def nearing(plan: Sequence[float], h: float, e: int, kind: int) -> float:
    """How fast `ahead_of` changes at the end of the step."""
    n = int(plan[at.FREE])
    size = 2 * n + int(plan[at.INNER])
    s = numbers_at(int(plan[at.DIRECTION]))[e]
    if kind == at.AT_EDGE:
        before = at_part(plan, h, 0.999, e, at.AT_EDGE)
        return (at_part(plan, h, 1.0, e, at.AT_EDGE) - before) / (0.001 * h)
    if kind == at.AT_CORNER:
        return float(-s * numbers_at(int(plan[at.V]))[e] / (numbers_at(int(plan[at.U_SCALE]))[e] + 1e-300))
    rows = numbers_at(int(plan[at.ROWS]))
    k7 = view(numbers_at(int(plan[at.STAGES])), 6 * size)
    a = 0.0
    for i in range(n):
        a += rows[n * e + i] * k7[n + i]
    if plan[at.MOVED] != 0.0:
        rates = numbers_at(int(plan[at.OFFSET_RATE]))
        small = 1e-6 * plan[at.LARGEST]
        offsets_at(plan, plan[at.END] - small)
        before = rates[e]
        offsets_at(plan, plan[at.END])
        a += (rates[e] - before) / small
    return float(s * a / (numbers_at(int(plan[at.V_SCALE]))[e] + 1e-300))


def note(found: Buffer, part: float, e: int, kind: int) -> None:
    """Keep the first event."""
    if part < found[0]:
        found[0] = part
        found[1] = float(e)
        found[2] = float(kind)
