"""Small changes of the state, carried along the steps: the derivative of the motion by its start; compiled.

The same Runge-Kutta steps as those of the motion, on the equations linearised around its stages, so what comes out is
the derivative of what is computed. A law without inner state is differentiated by its tangent kernel, its memory too;
one by rate by differences of its rate, which is smooth as its direction is frozen.

At a reversal forces and their rates are continuous, so nothing jumps. Where a force does (a damped contact closes), an
instant dt earlier or later changes velocities by the jump of acceleration times dt.
"""

from __future__ import annotations

from collections.abc import Sequence

from slipstick.laws.loops import modulation
from slipstick.laws.parsing import Buffer
from slipstick.laws.stack import stack_size
from slipstick.native import call_function, numbers_at, view
from slipstick.transient.adaptive import places as at
from slipstick.transient.adaptive.equations import between_corners, deflect, frozen_rate, law_force, offsets_at

STAGES_USED = 6
LINE = 7  # of the table: the part of the step at which a stage lies, then its weights of those before
NUDGE = 1e-6  # of the scales: by how much a law by rate is moved for its slopes
BESIDE = 3.0  # times what counts as zero: how far from the ends of a step a law is looked at whose corner may lie there
ON_ITS_WAY = 1e-14  # of the deflection
ASIDE = 1e-6  # of the step: the same for a corner that depends on the rate too


def vary(plan: Buffer, h: float) -> float:
    """Carry all changes over the step that was just found; the state is still that at its begin."""
    size = 2 * int(plan[at.FREE]) + int(plan[at.INNER])
    columns = int(plan[at.COLUMNS])
    table = numbers_at(int(plan[at.TABLE]))
    changes = numbers_at(int(plan[at.CHANGES]))
    stages = numbers_at(int(plan[at.CHANGE_STAGES]))
    state = numbers_at(int(plan[at.WORK]))
    change = numbers_at(int(plan[at.CHANGE]))
    if plan[at.JUMPED] >= 0.0:
        jump(plan)
    for s in range(STAGES_USED):
        line = view(table, LINE * s)
        t = plan[at.TIME] + line[0] * h if s < STAGES_USED - 1 else plan[at.END]
        mixed(numbers_at(int(plan[at.Y])), numbers_at(int(plan[at.STAGES])), view(line, 1), s, h, size, state)
        offsets_at(plan, t)
        slopes(plan, t, state, s, h)
        for c in range(columns):
            own = view(stages, c * STAGES_USED * size)
            mixed(view(changes, c * size), own, view(line, 1), s, h, size, change)
            rate_of_change(plan, c, change, view(own, s * size))
            if c == int(plan[at.PACED]):  # time passes at a pace of its own: over one period, faster is shorter
                base = view(numbers_at(int(plan[at.STAGES])), s * size)
                for i in range(size):
                    own[s * size + i] += plan[at.PACE] * base[i]
    last = view(table, LINE * STAGES_USED + 1)
    for c in range(columns):
        own = view(stages, c * STAGES_USED * size)
        mixed(view(changes, c * size), own, last, STAGES_USED, h, size, change)
        for i in range(size):
            changes[c * size + i] = change[i]
    offsets_at(plan, plan[at.END])
    for e in range(int(plan[at.ELEMENTS])):
        head = view(numbers_at(int(plan[at.HEADS])), at.HEAD * e)
        if head[at.KIND] == at.CLOSED:
            deflect(plan, e, numbers_at(int(plan[at.Y1])))
            step_aside(plan, e, STAGES_USED, h)
            remember(plan, e)
    return 0.0


def mixed(
    y: Sequence[float], stages: Sequence[float], weights: Sequence[float], count: int, h: float, size: int, out: Buffer
) -> None:
    """y + h times the weighted stages."""
    for i in range(size):
        total = 0.0
        for j in range(count):
            total += weights[j] * stages[j * size + i]
        out[i] = y[i] + h * total


def jump(plan: Buffer) -> None:
    """The element met a corner at the begin of this step: velocities change by what the acceleration jumps by."""
    n = int(plan[at.FREE])
    size = 2 * n + int(plan[at.INNER])
    e = int(plan[at.JUMPED])
    before = numbers_at(int(plan[at.BEFORE]))
    first = numbers_at(int(plan[at.STAGES]))
    changes = numbers_at(int(plan[at.CHANGES]))
    rows = numbers_at(int(plan[at.ROWS]))
    plan[at.JUMPED] = -1.0
    offsets_at(plan, plan[at.TIME])
    deflect(plan, e, numbers_at(int(plan[at.Y])))
    v = numbers_at(int(plan[at.V]))[e]
    if abs(v) <= 2.0 * at.ZERO * numbers_at(int(plan[at.V_SCALE]))[e]:
        return
    for c in range(int(plan[at.COLUMNS])):
        du = 0.0
        for i in range(n):
            du += rows[n * e + i] * changes[c * size + i]
        for i in range(n):
            changes[c * size + n + i] += (first[n + i] - before[i]) * du / v


def slopes(plan: Buffer, t: float, state: Buffer, s: int, h: float) -> None:
    """The slopes of all elements at stage s; those of laws with a closed-form memory are taken change by change."""
    heads = numbers_at(int(plan[at.HEADS]))
    tangents = numbers_at(int(plan[at.TANGENTS]))
    found = numbers_at(int(plan[at.SLOPES]))
    for e in range(int(plan[at.ELEMENTS])):
        head = view(heads, at.HEAD * e)
        kind = int(head[at.KIND])
        if kind != at.FOLDED:
            deflect(plan, e, state)
            step_aside(plan, e, s, h)
            own = view(found, at.SLOPE * e)
            here = int(head[at.MODULATION])
            own[at.BY_FACTOR] = head[at.FACTOR]
            if here >= 0:
                own[at.BY_FACTOR] = head[at.FACTOR] * modulation(numbers_at(int(plan[at.MODULATIONS])), here, t)
            if kind == at.PLAIN:
                u = numbers_at(int(plan[at.U]))[e]
                if head[at.CORNERS] != 0.0:
                    numbers_at(int(plan[at.U]))[e] = between_corners(plan, e, u)
                own[at.FORCE_U] = tangent(plan, e, 1.0, 0.0)
                own[at.FORCE_V] = (
                    tangent(plan, e, 0.0, 1.0) if tangents[at.TANGENT * e + at.BY_VELOCITY] != 0.0 else 0.0
                )
            elif kind == at.CLOSED and tangents[at.TANGENT * e + at.LOCAL] != 0.0:
                own[at.FORCE_V] = 0.0
                if tangents[at.TANGENT * e + at.BY_VELOCITY] != 0.0:
                    own[at.FORCE_V] = with_memory(plan, e, -1, 0.0, 1.0)
                own[at.FORCE_U] = with_memory(plan, e, -1, 1.0, 0.0)
                if s == 0:
                    share(plan, e)
                own[at.FORCE_Z] = with_memory(plan, e, int(numbers_at(int(plan[at.REFERENCE]))[e]), 0.0, 0.0)
            elif kind == at.BY_RATE:
                slopes_by_rate(plan, e, state, own)


def share(plan: Buffer, e: int) -> None:
    """What memory does to the force in each change, as a share of what it does in one of them.

    A law that remembers one number in effect (the force of a modified Dahl law): what is left of the change of force
    when that by the deflection is taken off is the same function of the way for all changes, but for a factor.
    """
    size = 2 * int(plan[at.FREE]) + int(plan[at.INNER])
    columns = int(plan[at.COLUMNS])
    own = view(numbers_at(int(plan[at.SLOPES])), at.SLOPE * e)
    forces = view(numbers_at(int(plan[at.FORCE_CHANGES])), e * columns)
    shares = view(numbers_at(int(plan[at.SHARES])), e * columns)
    largest = -1.0
    best = 0
    for c in range(columns):
        du, dv = of_deflection(plan, e, view(numbers_at(int(plan[at.CHANGES])), c * size))
        if plan[at.ACCEPTED] == 0.0:
            forces[c] = with_memory(plan, e, c, du, dv)
        shares[c] = forces[c] - own[at.FORCE_U] * du - own[at.FORCE_V] * dv
        weight = abs(shares[c]) / (abs(forces[c]) + abs(own[at.FORCE_U] * du) + abs(own[at.FORCE_V] * dv) + 1e-300)
        if weight > largest:
            largest = weight
            best = c
    numbers_at(int(plan[at.REFERENCE]))[e] = float(best)
    one = with_memory(plan, e, best, 0.0, 0.0)
    for c in range(columns):
        shares[c] = shares[c] / one if abs(one) > at.NOTHING else 0.0


def step_aside(plan: Sequence[float], e: int, s: int, h: float) -> None:
    """Move deflection and rate a little into the step where a corner may lie at its ends.

    A law with a memory is looked at on its way: where it has not moved, or seems to have moved back, it would tell of
    the branch before. s : the stage.
    """
    head = view(numbers_at(int(plan[at.HEADS])), at.HEAD * e)
    if head[at.KIND] == at.CLOSED:
        corners = head[at.CORNERS] != 0.0 and numbers_at(int(plan[at.TANGENTS]))[at.TANGENT * e + at.LOCAL] == 0.0
        stay_between(plan, e, s, corners)
    elif head[at.EDGE] != 0.0 and (s == 0 or s >= STAGES_USED - 1):
        n = int(plan[at.FREE])
        stages = numbers_at(int(plan[at.STAGES]))
        rows = numbers_at(int(plan[at.ROWS]))
        way = ASIDE * h
        here = n
        if s > 0:  # the last stage is not quite where the step ends, and may lie beyond the edge
            deflect(plan, e, numbers_at(int(plan[at.Y1])))
            way = -ASIDE * h
            here = 6 * (2 * n + int(plan[at.INNER])) + n
        a = 0.0
        for i in range(n):
            a += rows[n * e + i] * stages[here + i]
        numbers_at(int(plan[at.U]))[e] += way * numbers_at(int(plan[at.V]))[e]
        numbers_at(int(plan[at.V]))[e] += way * a


def stay_between(plan: Sequence[float], e: int, s: int, corners: bool) -> None:
    """Keep a deflection between that at the begin of the step and, if there is one, the corner at its end."""
    own = view(numbers_at(int(plan[at.SLOPES])), at.SLOPE * e)
    us = numbers_at(int(plan[at.U]))
    scale = numbers_at(int(plan[at.U_SCALE]))[e]
    direction = numbers_at(int(plan[at.DIRECTION]))[e]
    least = (BESIDE * at.ZERO if corners else ON_ITS_WAY) * scale
    if s == 0:
        own[at.BEGIN] = us[e]
    if direction == 0.0:  # at rest, with no corner ahead
        return
    if direction * (us[e] - own[at.BEGIN]) < least:
        us[e] = own[at.BEGIN] + direction * least
    if corners and direction * (numbers_at(int(plan[at.CORNER]))[e] - us[e]) < least:
        us[e] = numbers_at(int(plan[at.CORNER]))[e] - direction * least


def tangent(plan: Sequence[float], e: int, du: float, dv: float) -> float:
    """The change of a law's force by those of deflection and rate, and of the memory in the place to work on."""
    head = view(numbers_at(int(plan[at.HEADS])), at.HEAD * e)
    work = numbers_at(int(plan[at.MEMORY_WORK]))
    u = numbers_at(int(plan[at.U]))[e]
    v = numbers_at(int(plan[at.V]))[e]
    scratch = view(numbers_at(int(plan[at.SCRATCH])), int(head[at.PLACE]))
    parameters = numbers_at(int(head[at.PARAMETERS]))
    address = int(numbers_at(int(plan[at.TANGENTS]))[at.TANGENT * e + at.BY_TANGENT])
    call_function(address, parameters, u, v, scratch, du, dv, view(work, 1 + int(head[at.PLACE])), work)
    return float(work[0])


def with_memory(plan: Buffer, e: int, c: int, du: float, dv: float) -> float:
    """`tangent` of a law with a closed-form memory, from copies of memory and its change at the begin of the step.

    c : the change; -1: none of the memory.
    """
    head = view(numbers_at(int(plan[at.HEADS])), at.HEAD * e)
    place = int(head[at.PLACE])
    memory = view(numbers_at(int(plan[at.MEMORY])), place)
    changes = view(numbers_at(int(plan[at.MEMORY_CHANGES])), max(c, 0) * int(plan[at.MEMORY_SIZE]) + place)
    scratch = view(numbers_at(int(plan[at.SCRATCH])), place)
    work = view(numbers_at(int(plan[at.MEMORY_WORK])), 1 + place)
    size = int(head[at.SIZE])
    if size < 0:
        size = stack_size(memory, 0)
    for i in range(size):
        scratch[i] = memory[i]
        work[i] = changes[i] if c >= 0 else 0.0
    plan[at.READY] = 0.0
    return tangent(plan, e, du, dv)


def slopes_by_rate(plan: Sequence[float], e: int, state: Buffer, own: Buffer) -> None:
    """Of force and inner rate by deflection, rate and inner state: central differences."""
    head = view(numbers_at(int(plan[at.HEADS])), at.HEAD * e)
    place = 2 * int(plan[at.FREE]) + int(head[at.STATE])
    us = numbers_at(int(plan[at.U]))
    vs = numbers_at(int(plan[at.V]))
    u = us[e]
    v = vs[e]
    z = state[place]
    du = NUDGE * (abs(u) + numbers_at(int(plan[at.U_SCALE]))[e])
    dv = NUDGE * (abs(v) + numbers_at(int(plan[at.V_SCALE]))[e])
    dz = NUDGE * (abs(z) + numbers_at(int(plan[at.SCALE]))[place]) + 1e-300
    for k in range(3):
        d = du if k == 0 else (dv if k == 1 else dz)
        force = 0.0
        rate = 0.0
        for side in range(-1, 2, 2):
            us[e] = u + (side * d if k == 0 else 0.0)
            vs[e] = v + (side * d if k == 1 else 0.0)
            state[place] = z + (side * d if k == 2 else 0.0)
            force += side * law_force(plan, e, state)
            rate += side * frozen_rate(plan, e, state[place])
        own[at.FORCE_U + k] = 0.5 * force / d
        own[at.RATE_U + k] = 0.5 * rate / d
    us[e] = u
    vs[e] = v
    state[place] = z


def rate_of_change(plan: Buffer, c: int, change: Sequence[float], out: Buffer) -> None:
    """d/dt of a change at a stage."""
    n = int(plan[at.FREE])
    m = int(plan[at.ELEMENTS])
    linear = numbers_at(int(plan[at.LINEAR]))
    response = numbers_at(int(plan[at.RESPONSE]))
    heads = numbers_at(int(plan[at.HEADS]))
    tangents = numbers_at(int(plan[at.TANGENTS]))
    found = numbers_at(int(plan[at.SLOPES]))
    shares = numbers_at(int(plan[at.SHARES]))
    for i in range(n):
        out[i] = change[n + i]
        a = 0.0
        for j in range(2 * n):
            a += linear[2 * n * i + j] * change[j]
        out[n + i] = a
    for e in range(m):
        head = view(heads, at.HEAD * e)
        kind = int(head[at.KIND])
        if kind != at.FOLDED:
            own = view(found, at.SLOPE * e)
            du, dv = of_deflection(plan, e, change)
            if kind == at.CLOSED and tangents[at.TANGENT * e + at.LOCAL] == 0.0:
                force = with_memory(plan, e, c, du, dv)
            else:
                force = own[at.FORCE_U] * du + own[at.FORCE_V] * dv
                if kind == at.CLOSED:
                    force += own[at.FORCE_Z] * shares[e * int(plan[at.COLUMNS]) + c]
                if kind == at.BY_RATE:
                    place = 2 * n + int(head[at.STATE])
                    force += own[at.FORCE_Z] * change[place]
                    out[place] = own[at.RATE_U] * du + own[at.RATE_V] * dv + own[at.RATE_Z] * change[place]
            force *= own[at.BY_FACTOR]
            for i in range(int(head[at.PUSH_FROM]), int(head[at.PUSH_TO])):
                out[n + i] += response[m * i + e] * force


def of_deflection(plan: Sequence[float], e: int, change: Sequence[float]) -> tuple[float, float]:
    """The changes of an element's deflection and rate."""
    n = int(plan[at.FREE])
    rows = numbers_at(int(plan[at.ROWS]))
    head = view(numbers_at(int(plan[at.HEADS])), at.HEAD * e)
    du = 0.0
    dv = 0.0
    for i in range(int(head[at.ROW_FROM]), int(head[at.ROW_TO])):
        du += rows[n * e + i] * change[i]
        dv += rows[n * e + i] * change[n + i]
    return du, dv


def remember(plan: Buffer, e: int) -> None:
    """Bring the changes of an element's memory, and of its force, to the end of the step."""
    columns = int(plan[at.COLUMNS])
    size = 2 * int(plan[at.FREE]) + int(plan[at.INNER])
    head = view(numbers_at(int(plan[at.HEADS])), at.HEAD * e)
    place = int(head[at.PLACE])
    stride = int(plan[at.MEMORY_SIZE])
    tangents = view(numbers_at(int(plan[at.TANGENTS])), at.TANGENT * e)
    work = view(numbers_at(int(plan[at.MEMORY_WORK])), 1 + place)
    changes = view(numbers_at(int(plan[at.MEMORY_CHANGES])), place)
    forces = view(numbers_at(int(plan[at.FORCE_CHANGES])), e * columns)
    scratch = view(numbers_at(int(plan[at.SCRATCH])), place)
    local = tangents[at.LOCAL] != 0.0
    if local:
        remember_one(plan, e)
        return
    for c in range(columns):
        du, dv = of_deflection(plan, e, view(numbers_at(int(plan[at.CHANGES])), c * size))
        forces[c] = with_memory(plan, e, c, du, dv)
        count = int(head[at.SIZE])
        if count < 0:
            count = stack_size(scratch, 0)
        for i in range(count):
            changes[c * stride + i] = work[i]


def remember_one(plan: Buffer, e: int) -> None:
    """`remember` where memory acts as one number would: two calls of the law, whatever the number of changes."""
    columns = int(plan[at.COLUMNS])
    size = 2 * int(plan[at.FREE]) + int(plan[at.INNER])
    head = view(numbers_at(int(plan[at.HEADS])), at.HEAD * e)
    place = int(head[at.PLACE])
    count = int(head[at.SIZE])
    stride = int(plan[at.MEMORY_SIZE])
    work = view(numbers_at(int(plan[at.MEMORY_WORK])), 1 + place)
    changes = view(numbers_at(int(plan[at.MEMORY_CHANGES])), place)
    forces = view(numbers_at(int(plan[at.FORCE_CHANGES])), e * columns)
    shares = view(numbers_at(int(plan[at.SHARES])), e * columns)
    by_memory = with_memory(plan, e, int(numbers_at(int(plan[at.REFERENCE]))[e]), 0.0, 0.0)
    for c in range(columns):
        forces[c] = by_memory * shares[c]
        for i in range(count):
            changes[c * stride + i] = work[i] * shares[c]
    by_u = with_memory(plan, e, -1, 1.0, 0.0)
    for c in range(columns):
        du, _ = of_deflection(plan, e, view(numbers_at(int(plan[at.CHANGES])), c * size))
        forces[c] += by_u * du
        for i in range(count):
            changes[c * stride + i] += work[i] * du
    if numbers_at(int(plan[at.TANGENTS]))[at.TANGENT * e + at.BY_VELOCITY] != 0.0:
        by_v = with_memory(plan, e, -1, 0.0, 1.0)
        for c in range(columns):
            _, dv = of_deflection(plan, e, view(numbers_at(int(plan[at.CHANGES])), c * size))
            forces[c] += by_v * dv
            for i in range(count):
                changes[c * stride + i] += work[i] * dv
