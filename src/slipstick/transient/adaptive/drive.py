"""The loop: attempt a step, land on what would be passed, accept or try a smaller one; compiled."""

from __future__ import annotations

import math
from collections.abc import Sequence

from slipstick.laws.parsing import Buffer
from slipstick.laws.stack import stack_has_room, stack_size
from slipstick.native import call_function, call_value, numbers_at, view
from slipstick.transient.adaptive import places as at
from slipstick.transient.adaptive.equations import deflect, derivative, law_force, offsets_at, set_waves
from slipstick.transient.adaptive.pair import attempt, between
from slipstick.transient.adaptive.switches import (
    ahead_of,
    edge_of,
    first_event,
    look_around,
    nearing,
)


def drive(plan: Buffer, found: Buffer, goal: float, most: int) -> int:
    """Go on until the time ``goal`` or for ``most`` steps; why it came back."""
    for _ in range(most):
        if plan[at.TIME] >= goal:
            return at.GOES_ON
        if plan[at.EVENTS] + plan[at.ELEMENTS] > plan[at.EVENT_ROOM]:
            return at.NEEDS_EVENT_ROOM
        if not has_room(plan):
            return at.NEEDS_MEMORY
        if plan[at.TAPE] != 0.0 and plan[at.TAPED] >= plan[at.TAPE_ROOM]:
            return at.NEEDS_TAPE
        set_waves(plan)
        if plan[at.FRESH] != 0.0:
            derivative(plan, plan[at.TIME], numbers_at(int(plan[at.Y])), numbers_at(int(plan[at.STAGES])))
            plan[at.FRESH] = 0.0 if look_around(plan) else 1.0
            # once more, with the directions that those accelerations gave
            derivative(plan, plan[at.TIME], numbers_at(int(plan[at.Y])), numbers_at(int(plan[at.STAGES])))
            if plan[at.TAPE] != 0.0:
                take(numbers_at(int(plan[at.FORCE_BEGIN])), numbers_at(int(plan[at.FORCE])), int(plan[at.ELEMENTS]))
        if plan[at.MESH] != 0.0:
            follow_mesh(plan)
        why = advance(plan, found)
        if why != at.GOES_ON:
            return why
        if not plan[at.KINETIC] < at.ASTRAY:
            return at.NOT_FINITE
    return at.GOES_ON


def follow_mesh(plan: Buffer) -> None:
    """The next step, to the next of the given times: the same steps from nearby states give a smooth map."""
    mesh = numbers_at(int(plan[at.MESH]))
    least = plan[at.TIME] + at.TOO_SHORT * plan[at.UNTIL]
    while plan[at.MESH_NEXT] < plan[at.MESH_COUNT] and mesh[int(plan[at.MESH_NEXT])] <= least:
        plan[at.MESH_NEXT] += 1.0
    plan[at.STEP] = plan[at.UNTIL] - plan[at.TIME]
    if plan[at.MESH_NEXT] < plan[at.MESH_COUNT]:
        plan[at.STEP] = mesh[int(plan[at.MESH_NEXT])] - plan[at.TIME]


def has_room(plan: Sequence[float]) -> bool:
    """True if every stack has room for two more reversals."""
    heads = numbers_at(int(plan[at.HEADS]))
    memory = numbers_at(int(plan[at.MEMORY]))
    for e in range(int(plan[at.ELEMENTS])):
        head = view(heads, at.HEAD * e)
        if head[at.SIZE] < 0.0 and not stack_has_room(view(memory, int(head[at.PLACE])), 2):
            return False
    return True


def advance(plan: Buffer, found: Buffer) -> int:
    """One accepted step, or why there is none."""
    t = plan[at.TIME]
    stop = plan[at.UNTIL]
    at_break = plan[at.BREAK] < plan[at.BREAKS]
    if at_break:
        stop = numbers_at(int(plan[at.BREAK_TIMES]))[int(plan[at.BREAK])]
    smallest = 1e-14 * max(abs(t), plan[at.UNTIL] - t)
    h = min(plan[at.STEP], plan[at.LARGEST])
    plan[at.WHOLE] = h
    plan[at.GROW] = at.MOST_GROWTH
    plan[at.TARGET] = -1.0
    plan[at.TRIES] = 0.0
    ends = False
    error = 0.0
    stands = False
    while not stands:
        if h < smallest:
            return at.STUCK
        ends = t + h >= stop - 1e-3 * smallest or (plan[at.TARGET] < 0.0 and t + 1.01 * h >= stop)
        if ends:
            h = stop - t
        plan[at.END] = t + h
        if ends and at_break:  # what was before it counts
            plan[at.END] = stop - 3e-16 * abs(stop) - 1e-300
        error = attempt(plan, h)
        better = another(plan, found, h, error, stop)
        if better < 0.0:
            return at.NOT_FINITE
        stands = better == 0.0
        if not stands:
            plan[at.TRIES] += 1.0
            h = better
    if plan[at.FIXED] == 0.0:
        set_step(plan, h, error)
    if plan[at.COLUMNS] != 0.0:
        call_function(int(plan[at.VARY]), plan, h)
    edge = plan[at.TARGET] >= 0.0 and int(plan[at.TARGET_KIND]) == at.AT_EDGE
    accept(plan, h, stop if ends else t + h, int(plan[at.TARGET]) if edge else -1)
    if ends and at_break:
        plan[at.BREAK] += 1.0
        plan[at.FRESH] = 1.0
    return at.GOES_ON


def another(plan: Buffer, found: Buffer, h: float, error: float, stop: float) -> float:
    """The length of a better step than the one just tried; 0 if that one stands, -1 if there is none."""
    if not error < at.HOPELESS:
        reject(plan)
        return 0.1 * h if plan[at.TRIES] <= at.MOST_TRIES else -1.0
    if plan[at.TRIES] < at.MOST_LANDINGS:
        passed = first_event(plan, h, found)
        if passed < 0:  # a direction was set right: once more
            return h
        if passed > 0:
            plan[at.TARGET] = found[1]
            plan[at.TARGET_KIND] = found[2]
            return h * found[0]
        more = short_of(plan, h)
        if more > 0.0 and plan[at.TIME] + h + more <= stop:
            return h + more
    if error <= 1.0 or plan[at.FIXED] != 0.0:
        return 0.0
    reject(plan)
    plan[at.WHOLE] = h * max(0.9 * error**-0.2, 0.2)
    return float(plan[at.WHOLE])


def reject(plan: Buffer) -> None:
    """A step whose error is too large; whatever it was to land on may not be there in a shorter one."""
    plan[at.REJECTED] += 1.0
    plan[at.GROW] = 1.0
    plan[at.TARGET] = -1.0


def short_of(plan: Sequence[float], h: float) -> float:
    """How far behind its end the event lies that a step was to land on (Newton); 0 if it is there."""
    if plan[at.TARGET] < 0.0:
        return 0.0
    e = int(plan[at.TARGET])
    kind = int(plan[at.TARGET_KIND])
    offsets_at(plan, plan[at.END])
    deflect(plan, e, numbers_at(int(plan[at.Y1])))
    far = ahead_of(plan, e, kind)
    if far <= at.ZERO:
        return 0.0
    more = -far / nearing(plan, h, e, kind)
    return more if 0.0 < more < 0.1 * h else 0.0


def set_step(plan: Buffer, h: float, error: float) -> None:
    """The length of the next step, from the errors of this one and the one before."""
    logarithm = math.log(max(error, 1e-4))
    factor = 0.9 * math.exp(0.04 * plan[at.LAST_ERROR] - 0.17 * logarithm)
    factor = min(max(factor, 0.2), plan[at.GROW])
    # a step cut short by an event or an end says little about the step that fits
    plan[at.STEP] = max(h * factor, plan[at.WHOLE]) if h < 0.99 * plan[at.WHOLE] else h * factor
    plan[at.LAST_ERROR] = logarithm


def accept(plan: Buffer, h: float, end: float, target: int) -> None:
    """Write samples and events down, and make the new state the state."""
    n = int(plan[at.FREE])
    m = int(plan[at.ELEMENTS])
    size = 2 * n + int(plan[at.INNER])
    y = numbers_at(int(plan[at.Y]))
    new = numbers_at(int(plan[at.Y1]))
    stages = numbers_at(int(plan[at.STAGES]))
    scale = numbers_at(int(plan[at.SCALE]))
    floor = numbers_at(int(plan[at.FLOOR]))
    mass = numbers_at(int(plan[at.MASS]))
    sample(plan, h, end)
    offsets_at(plan, end)
    landed(plan, new, end, target)
    if plan[at.TAPE] != 0.0:
        write_row(plan, new, end)
    kinetic = 0.0
    for i in range(size):
        y[i] = new[i]
        scale[i] = max(scale[i], abs(new[i]))
        stages[i] = stages[6 * size + i]  # the last stage is the first of the next step
    if plan[at.TOPS] != 0.0:
        top(numbers_at(int(plan[at.Y_TOPS])), y, size)
    for i in range(n):
        kinetic += mass[i] * y[n + i] * y[n + i]
    if not kinetic <= plan[at.KINETIC]:
        plan[at.KINETIC] = kinetic
        for i in range(n):  # a coordinate that hardly takes part is measured against those that do
            floor[i] = max(floor[i], at.HARDLY * math.sqrt(kinetic / mass[i]))
            scale[n + i] = max(scale[n + i], floor[i])
    if plan[at.LEDGER] != 0.0:
        book_ = numbers_at(int(plan[at.BOOK]))
        trial = numbers_at(int(plan[at.TRIAL_BOOK]))
        exchanged = 0.0
        for e in range(m + 2):
            book_[e] += trial[e]
            exchanged += abs(book_[e])
        book_[m + 2] = max(book_[m + 2], exchanged)
    plan[at.TIME] = end
    plan[at.ACCEPTED] += 1.0


def landed(plan: Buffer, new: Sequence[float], end: float, target: int) -> None:
    """Bring memories to the end of the step; elements that have reached an event there start anew."""
    m = int(plan[at.ELEMENTS])
    heads = numbers_at(int(plan[at.HEADS]))
    directions = numbers_at(int(plan[at.DIRECTION]))
    u_scale = numbers_at(int(plan[at.U_SCALE]))
    v_scale = numbers_at(int(plan[at.V_SCALE]))
    quiet = numbers_at(int(plan[at.QUIET]))
    for e in range(m):
        head = view(heads, at.HEAD * e)
        if head[at.KIND] >= at.CLOSED or head[at.CORNERS] != 0.0:
            deflect(plan, e, new)
            u = numbers_at(int(plan[at.U]))[e]
            v = numbers_at(int(plan[at.V]))[e]
            memory = view(numbers_at(int(plan[at.MEMORY])), int(head[at.PLACE]))
            reached = -1
            if directions[e] != 0.0:
                if abs(ahead_of(plan, e, at.REVERSAL)) <= 2.0 * at.ZERO:
                    if quiet[e] == 0.0:
                        reached = at.REVERSAL
                    plan[at.FRESH] = 1.0
                else:
                    quiet[e] = 0.0
                if reached < 0 and head[at.CORNERS] != 0.0 and abs(ahead_of(plan, e, at.AT_CORNER)) <= 2.0 * at.ZERO:
                    reached = at.AT_CORNER
                if reached < 0 and head[at.EDGE] != 0.0:
                    reached = over_edge(plan, e, target)
            if reached >= 0:
                event(plan, e, reached, new, end)
                plan[at.FRESH] = 1.0
            if reached == at.AT_CORNER and plan[at.COLUMNS] != 0.0:
                before_corner(plan, e)
            if head[at.KIND] == at.CLOSED:
                if plan[at.READY] == 0.0:
                    call_value(int(head[at.VALUE]), numbers_at(int(head[at.PARAMETERS])), u, v, memory)
                else:  # the last stage was there already
                    take(memory, view(numbers_at(int(plan[at.SCRATCH])), int(head[at.PLACE])), int(head[at.SIZE]))
                if plan[at.TOPS] != 0.0:
                    top(view(numbers_at(int(plan[at.TOPS])), int(head[at.PLACE])), memory, int(head[at.SIZE]))
            u_scale[e] = max(u_scale[e], abs(u))
            v_scale[e] = max(v_scale[e], abs(v))


def before_corner(plan: Buffer, e: int) -> None:
    """Keep the accelerations before a corner, at which they may jump (damped contact)."""
    n = int(plan[at.FREE])
    size = 2 * n + int(plan[at.INNER])
    stages = numbers_at(int(plan[at.STAGES]))
    kept = numbers_at(int(plan[at.BEFORE]))
    for i in range(n):
        kept[i] = stages[6 * size + n + i]
    plan[at.JUMPED] = float(e)


def write_row(plan: Buffer, new: Sequence[float], end: float) -> None:
    """Write the step down: see `places`."""
    m = int(plan[at.ELEMENTS])
    size = 2 * int(plan[at.FREE]) + int(plan[at.INNER])
    stages = numbers_at(int(plan[at.STAGES]))
    forces = numbers_at(int(plan[at.FORCE]))
    begun = numbers_at(int(plan[at.FORCE_BEGIN]))
    row = view(numbers_at(int(plan[at.TAPE])), int(plan[at.TAPED]) * (at.ROW_HEAD + 3 * size + 2 * m))
    row[at.ROW_TIME] = end
    row[at.ROW_EVENT] = plan[at.FRESH]
    for i in range(size):
        row[at.ROW_HEAD + i] = new[i]
        row[at.ROW_HEAD + size + i] = stages[i]
        row[at.ROW_HEAD + 2 * size + i] = stages[6 * size + i]
    for e in range(m):
        row[at.ROW_HEAD + 3 * size + e] = begun[e]
        row[at.ROW_HEAD + 3 * size + m + e] = forces[e]
        begun[e] = forces[e]
    plan[at.TAPED] += 1.0


def take(memory: Buffer, new: Sequence[float], size: int) -> None:
    """Copy a memory; a stack says its size itself."""
    count = size if size >= 0 else stack_size(new, 0)
    for i in range(count):
        memory[i] = new[i]


def top(tops: Buffer, memory: Sequence[float], size: int) -> None:
    """Keep the largest size of each number."""
    for i in range(size):
        tops[i] = max(tops[i], abs(memory[i]))


def over_edge(plan: Sequence[float], e: int, target: int) -> int:
    """Take an element that was led to its edge over it; the kind of the event, or -1."""
    edge = edge_of(plan, e)
    scales = numbers_at(int(plan[at.EDGE_SCALE]))
    sides = numbers_at(int(plan[at.EDGE_SIDE]))
    if edge != at.NO_EDGE:
        scales[e] = max(scales[e], abs(edge))
    if e != target or abs(edge) > 2.0 * at.ZERO * scales[e]:
        return -1
    sides[e] = -sides[e]
    return at.AT_EDGE


def event(plan: Buffer, e: int, kind: int, new: Sequence[float], end: float) -> None:
    """Write an event down: its head, then q, v, forces."""
    n = int(plan[at.FREE])
    m = int(plan[at.ELEMENTS])
    line = view(numbers_at(int(plan[at.EVENT_OUT])), int(plan[at.EVENTS]) * (at.EVENT_HEAD + 2 * n + m))
    line[at.EVENT_TIME] = end
    line[at.EVENT_ELEMENT] = float(e)
    line[at.EVENT_KIND] = float(kind)
    way = at.EDGE_SIDE if kind == at.AT_EDGE else at.DIRECTION
    line[at.EVENT_WAY] = numbers_at(int(plan[way]))[e]
    line[at.EVENT_DEFLECTION] = numbers_at(int(plan[at.U]))[e]
    write(plan, new, view(line, at.EVENT_HEAD))
    deflect(plan, e, new)
    plan[at.EVENTS] += 1.0


def sample(plan: Buffer, h: float, end: float) -> None:
    """Write down the samples within the step."""
    n = int(plan[at.FREE])
    m = int(plan[at.ELEMENTS])
    times = numbers_at(int(plan[at.TIMES]))
    work = numbers_at(int(plan[at.WORK]))
    out = numbers_at(int(plan[at.OUT]))
    while plan[at.CURSOR] < plan[at.SAMPLES] and times[int(plan[at.CURSOR])] <= end:
        t = times[int(plan[at.CURSOR])]
        between(plan, h, min((t - plan[at.TIME]) / h, 1.0), work)
        offsets_at(plan, t)
        write(plan, work, view(out, int(plan[at.CURSOR]) * (2 * n + m)))
        plan[at.CURSOR] += 1.0


def write(plan: Buffer, y: Sequence[float], line: Buffer) -> None:
    """q, v, and the forces of the laws, of those that are not folded in."""
    plan[at.READY] = 0.0
    n = int(plan[at.FREE])
    m = int(plan[at.ELEMENTS])
    heads = numbers_at(int(plan[at.HEADS]))
    for i in range(2 * n):
        line[i] = y[i]
    for e in range(m):
        line[2 * n + e] = 0.0
        if heads[at.HEAD * e + at.KIND] != at.FOLDED:
            deflect(plan, e, y)
            line[2 * n + e] = law_force(plan, e, y)
