"""The loop: attempt a step, land on what would be passed, accept or try a smaller one; compiled."""

from __future__ import annotations

import math
from collections.abc import Sequence

from slipstick.laws.parsing import Buffer
from slipstick.laws.stack import stack_has_room, stack_size
from slipstick.native import call_value, numbers_at, view
from slipstick.transient.adaptive.equations import deflect, derivative, law_force, set_waves
from slipstick.transient.adaptive.pair import attempt, between
from slipstick.transient.adaptive.places import (
    ACCEPTED,
    ASTRAY,
    AT_CORNER,
    AT_EDGE,
    BOOK,
    BREAK,
    BREAK_TIMES,
    BREAKS,
    CLOSED,
    CORNERS,
    CURSOR,
    DIRECTION,
    EDGE,
    EDGE_SCALE,
    EDGE_SIDE,
    ELEMENTS,
    END,
    EVALUATIONS,
    EVENT_OUT,
    EVENT_ROOM,
    EVENTS,
    FIXED,
    FLOOR,
    FOLDED,
    FREE,
    FRESH,
    GOES_ON,
    GROW,
    HEAD,
    HEADS,
    HOPELESS,
    INNER,
    KIND,
    KINETIC,
    LARGEST,
    LAST_ERROR,
    LEDGER,
    MASS,
    MEMORY,
    MOST_GROWTH,
    MOST_LANDINGS,
    MOST_TRIES,
    NEEDS_EVENT_ROOM,
    NEEDS_MEMORY,
    NO_EDGE,
    NOT_FINITE,
    OUT,
    PARAMETERS,
    PLACE,
    QUIET,
    READY,
    REJECTED,
    REVERSAL,
    SAMPLES,
    SCALE,
    SCRATCH,
    SIZE,
    STAGES,
    STEP,
    STUCK,
    TARGET,
    TARGET_KIND,
    TIME,
    TIMES,
    TRIAL_BOOK,
    TRIES,
    U_SCALE,
    UNTIL,
    V_SCALE,
    VALUE,
    WHOLE,
    WORK,
    Y1,
    ZERO,
    U,
    V,
    Y,
)
from slipstick.transient.adaptive.switches import (
    ahead_of,
    edge_of,
    first_event,
    look_around,
    nearing,
    offsets_at,
)


def drive(plan: Buffer, found: Buffer, goal: float, most: int) -> int:
    """Go on until the time ``goal`` or for ``most`` steps; why it came back."""
    for _ in range(most):
        if plan[TIME] >= goal:
            return GOES_ON
        if plan[EVENTS] + plan[ELEMENTS] > plan[EVENT_ROOM]:
            return NEEDS_EVENT_ROOM
        if not has_room(plan):
            return NEEDS_MEMORY
        set_waves(plan)
        if plan[FRESH] != 0.0:
            derivative(plan, plan[TIME], numbers_at(int(plan[Y])), numbers_at(int(plan[STAGES])))
            plan[FRESH] = 0.0 if look_around(plan) else 1.0
            # once more, with the directions that those accelerations gave
            derivative(plan, plan[TIME], numbers_at(int(plan[Y])), numbers_at(int(plan[STAGES])))
            plan[EVALUATIONS] += 2.0
        why = advance(plan, found)
        if why != GOES_ON:
            return why
        if not plan[KINETIC] < ASTRAY:
            return NOT_FINITE
    return GOES_ON


def has_room(plan: Sequence[float]) -> bool:
    """True if every stack has room for two more reversals."""
    heads = numbers_at(int(plan[HEADS]))
    memory = numbers_at(int(plan[MEMORY]))
    for e in range(int(plan[ELEMENTS])):
        if heads[HEAD * e + SIZE] < 0.0 and not stack_has_room(view(memory, int(heads[HEAD * e + PLACE])), 2):
            return False
    return True


def advance(plan: Buffer, found: Buffer) -> int:
    """One accepted step, or why there is none."""
    t = plan[TIME]
    stop = plan[UNTIL]
    at_break = plan[BREAK] < plan[BREAKS]
    if at_break:
        stop = numbers_at(int(plan[BREAK_TIMES]))[int(plan[BREAK])]
    smallest = 1e-14 * max(abs(t), plan[UNTIL] - t)
    h = min(plan[STEP], plan[LARGEST])
    plan[WHOLE] = h
    plan[GROW] = MOST_GROWTH
    plan[TARGET] = -1.0
    plan[TRIES] = 0.0
    ends = False
    error = 0.0
    stands = False
    while not stands:
        if h < smallest:
            return STUCK
        ends = t + h >= stop - 1e-3 * smallest or (plan[TARGET] < 0.0 and t + 1.01 * h >= stop)
        if ends:
            h = stop - t
        plan[END] = t + h
        if ends and at_break:  # what was before it counts
            plan[END] = stop - 3e-16 * abs(stop) - 1e-300
        error = attempt(plan, h)
        better = another(plan, found, h, error, stop)
        if better < 0.0:
            return NOT_FINITE
        stands = better == 0.0
        if not stands:
            plan[TRIES] += 1.0
            h = better
    if plan[FIXED] == 0.0:
        set_step(plan, h, error)
    edge = plan[TARGET] >= 0.0 and int(plan[TARGET_KIND]) == AT_EDGE
    accept(plan, h, stop if ends else t + h, int(plan[TARGET]) if edge else -1)
    if ends and at_break:
        plan[BREAK] += 1.0
        plan[FRESH] = 1.0
    return GOES_ON


def another(plan: Buffer, found: Buffer, h: float, error: float, stop: float) -> float:
    """The length of a better step than the one just tried; 0 if that one stands, -1 if there is none."""
    if not error < HOPELESS:
        reject(plan)
        return 0.1 * h if plan[TRIES] <= MOST_TRIES else -1.0
    if plan[TRIES] < MOST_LANDINGS:
        passed = first_event(plan, h, found)
        if passed < 0:  # a direction was set right: once more
            return h
        if passed > 0:
            plan[TARGET] = found[1]
            plan[TARGET_KIND] = found[2]
            return h * found[0]
        more = short_of(plan, h)
        if more > 0.0 and plan[TIME] + h + more <= stop:
            return h + more
    if error <= 1.0 or plan[FIXED] != 0.0:
        return 0.0
    reject(plan)
    plan[WHOLE] = h * max(0.9 * error**-0.2, 0.2)
    return float(plan[WHOLE])


def reject(plan: Buffer) -> None:
    """A step whose error is too large; whatever it was to land on may not be there in a shorter one."""
    plan[REJECTED] += 1.0
    plan[GROW] = 1.0
    plan[TARGET] = -1.0


def short_of(plan: Sequence[float], h: float) -> float:
    """How far behind its end the event lies that a step was to land on (Newton); 0 if it is there."""
    if plan[TARGET] < 0.0:
        return 0.0
    e = int(plan[TARGET])
    kind = int(plan[TARGET_KIND])
    offsets_at(plan, plan[END])
    deflect(plan, e, numbers_at(int(plan[Y1])))
    far = ahead_of(plan, e, kind)
    if far <= ZERO:
        return 0.0
    more = -far / nearing(plan, h, e, kind)
    return more if 0.0 < more < 0.1 * h else 0.0


def set_step(plan: Buffer, h: float, error: float) -> None:
    """The length of the next step, from the errors of this one and the one before."""
    logarithm = math.log(max(error, 1e-4))
    factor = 0.9 * math.exp(0.04 * plan[LAST_ERROR] - 0.17 * logarithm)
    factor = min(max(factor, 0.2), plan[GROW])
    # a step cut short by an event or an end says little about the step that fits
    plan[STEP] = max(h * factor, plan[WHOLE]) if h < 0.99 * plan[WHOLE] else h * factor
    plan[LAST_ERROR] = logarithm


def accept(plan: Buffer, h: float, end: float, target: int) -> None:
    """Write samples and events down, and make the new state the state."""
    n = int(plan[FREE])
    m = int(plan[ELEMENTS])
    size = 2 * n + int(plan[INNER])
    y = numbers_at(int(plan[Y]))
    new = numbers_at(int(plan[Y1]))
    stages = numbers_at(int(plan[STAGES]))
    scale = numbers_at(int(plan[SCALE]))
    floor = numbers_at(int(plan[FLOOR]))
    mass = numbers_at(int(plan[MASS]))
    sample(plan, h, end)
    offsets_at(plan, end)
    landed(plan, new, end, target)
    kinetic = 0.0
    for i in range(size):
        y[i] = new[i]
        scale[i] = max(scale[i], abs(new[i]))
        stages[i] = stages[6 * size + i]  # the last stage is the first of the next step
    for i in range(n):
        kinetic += mass[i] * y[n + i] * y[n + i]
    if not kinetic <= plan[KINETIC]:
        plan[KINETIC] = kinetic
        for i in range(n):  # a coordinate that hardly takes part is measured against those that do
            floor[i] = max(floor[i], 1e-4 * math.sqrt(kinetic / mass[i]))
            scale[n + i] = max(scale[n + i], floor[i])
    if plan[LEDGER] != 0.0:
        book_ = numbers_at(int(plan[BOOK]))
        trial = numbers_at(int(plan[TRIAL_BOOK]))
        for e in range(m + 2):
            book_[e] += trial[e]
    plan[TIME] = end
    plan[ACCEPTED] += 1.0


def landed(plan: Buffer, new: Sequence[float], end: float, target: int) -> None:
    """Bring memories to the end of the step; elements that have reached an event there start anew."""
    m = int(plan[ELEMENTS])
    heads = numbers_at(int(plan[HEADS]))
    directions = numbers_at(int(plan[DIRECTION]))
    u_scale = numbers_at(int(plan[U_SCALE]))
    v_scale = numbers_at(int(plan[V_SCALE]))
    quiet = numbers_at(int(plan[QUIET]))
    for e in range(m):
        head = view(heads, HEAD * e)
        if head[KIND] >= CLOSED or head[CORNERS] != 0.0:
            deflect(plan, e, new)
            u = numbers_at(int(plan[U]))[e]
            v = numbers_at(int(plan[V]))[e]
            memory = view(numbers_at(int(plan[MEMORY])), int(head[PLACE]))
            reached = -1
            if directions[e] != 0.0:
                if abs(ahead_of(plan, e, REVERSAL)) <= 2.0 * ZERO:
                    if quiet[e] == 0.0:
                        reached = REVERSAL
                    plan[FRESH] = 1.0
                else:
                    quiet[e] = 0.0
                if reached < 0 and head[CORNERS] != 0.0 and abs(ahead_of(plan, e, AT_CORNER)) <= 2.0 * ZERO:
                    reached = AT_CORNER
                if reached < 0 and head[EDGE] != 0.0:
                    reached = over_edge(plan, e, target)
            if reached >= 0:
                event(plan, e, reached, new, end)
                plan[FRESH] = 1.0
            if head[KIND] == CLOSED:
                if plan[READY] == 0.0:
                    call_value(int(head[VALUE]), numbers_at(int(head[PARAMETERS])), u, v, memory)
                else:  # the last stage was there already
                    take(memory, view(numbers_at(int(plan[SCRATCH])), int(head[PLACE])), int(head[SIZE]))
            u_scale[e] = max(u_scale[e], abs(u))
            v_scale[e] = max(v_scale[e], abs(v))


def take(memory: Buffer, new: Sequence[float], size: int) -> None:
    """Copy a memory; a stack says its size itself."""
    count = size if size >= 0 else stack_size(new, 0)
    for i in range(count):
        memory[i] = new[i]


def over_edge(plan: Sequence[float], e: int, target: int) -> int:
    """Take an element that was led to its edge over it; the kind of the event, or -1."""
    edge = edge_of(plan, e)
    scales = numbers_at(int(plan[EDGE_SCALE]))
    sides = numbers_at(int(plan[EDGE_SIDE]))
    if edge != NO_EDGE:
        scales[e] = max(scales[e], abs(edge))
    if e != target or abs(edge) > 2.0 * ZERO * scales[e]:
        return -1
    sides[e] = -sides[e]
    return AT_EDGE


def event(plan: Buffer, e: int, kind: int, new: Sequence[float], end: float) -> None:
    """Write an event down: time, element, kind, direction, deflection; q, v, forces."""
    n = int(plan[FREE])
    m = int(plan[ELEMENTS])
    line = view(numbers_at(int(plan[EVENT_OUT])), int(plan[EVENTS]) * (5 + 2 * n + m))
    line[0] = end
    line[1] = float(e)
    line[2] = float(kind)
    line[3] = numbers_at(int(plan[EDGE_SIDE]))[e] if kind == AT_EDGE else numbers_at(int(plan[DIRECTION]))[e]
    line[4] = numbers_at(int(plan[U]))[e]
    write(plan, new, view(line, 5))
    deflect(plan, e, new)
    plan[EVENTS] += 1.0


def sample(plan: Buffer, h: float, end: float) -> None:
    """Write down the samples within the step."""
    n = int(plan[FREE])
    m = int(plan[ELEMENTS])
    times = numbers_at(int(plan[TIMES]))
    work = numbers_at(int(plan[WORK]))
    out = numbers_at(int(plan[OUT]))
    while plan[CURSOR] < plan[SAMPLES] and times[int(plan[CURSOR])] <= end:
        t = times[int(plan[CURSOR])]
        between(plan, h, min((t - plan[TIME]) / h, 1.0), work)
        offsets_at(plan, t)
        write(plan, work, view(out, int(plan[CURSOR]) * (2 * n + m)))
        plan[CURSOR] += 1.0


def write(plan: Buffer, y: Sequence[float], line: Buffer) -> None:
    """q, v, and the forces of the laws, of those that are not folded in."""
    plan[READY] = 0.0
    n = int(plan[FREE])
    m = int(plan[ELEMENTS])
    heads = numbers_at(int(plan[HEADS]))
    for i in range(2 * n):
        line[i] = y[i]
    for e in range(m):
        line[2 * n + e] = 0.0
        if heads[HEAD * e + KIND] != FOLDED:
            deflect(plan, e, y)
            line[2 * n + e] = law_force(plan, e, y)
