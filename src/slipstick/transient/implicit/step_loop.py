"""One implicit step of Newmark's family after the other, compiled; what solves a step is in `newton_loop` and
`taylor_loop`.

With the constant-acceleration prediction (q, v, a) -> (q + h v + h^2 a/2, v + h a, a) and the correction d,

    q += d,    v += c1 d,    a += c2 d,        c1 = gamma/(beta h),  c2 = 1/(beta h^2),

the equation of motion at the end of the step is one for d. A line is a connection: first the groups, whose laws
the solver has to meet, then the springs, which are part of the matrices.

All that a step reads and writes lies in arrays whose addresses stand in one list, the plan, at the places named
here. A sparse matrix of r rows is one array: where each row begins (r + 1), then pairs of column and value.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from slipstick.laws.loops import modulation
from slipstick.native import call_function, call_value, numbers_at, view
from slipstick.transient.forcing import forcing_at

# numbers of the plan
FREE, GROUPS, LINES, LEAVES, SPRINGS, SAMPLES, MOVING, MASSLESS, STEP, C1, C2, LAST = range(12)
# addresses: the linear part, the matrices of the model alone, deflections and directions of lines, the null space
MASS, DAMPING, STIFFNESS, OWN_DAMPING, OWN_STIFFNESS, ROWS, ALONG, NULL = range(12, 20)
# what acts: loads, offsets of lines and their rates; leaves as `laws.program` packs them, a table of four a leaf
# (group, tangent kernel, begin and size of the memory), springs (line, stiffness, damping, force), conjugate lines
LOADS, OFFSETS, OFFSET_RATES, LAWS, TABLE, SPRING_TABLE, CONJUGATE = range(20, 27)
# the state with the loads, offsets and forces that act in it, and the same at the end of the step
Q, V, A, P, MOVED, Z, FORCE, MEMORY = range(27, 35)
Q1, V1, A1, P1, MOVED1, Z1, FORCE1, TRIAL = range(35, 43)
# within a step: offset rates, factors of leaves, increment, prediction of rates and lines, right-hand side, correction,
# deflections of groups beyond their prediction, their forces and slopes
RATE1, FACTOR, INCREMENT, XHAT, VHAT, RIGHT, D, X, GROUP_FORCE, GROUP_SLOPE, SLOPE, ONE = range(43, 55)
# what is kept: work absorbed by leaves and springs, by loads and matrices, counts, samples; forces of laws alone
ABSORBED, WORK, COUNTS, TIMES, AT_Q, AT_V, AT_F, RAW = range(55, 63)
# the end of the step as one piece (P1, MOVED1, FORCE1, TRIAL) with its length, and room to put it aside
NEW, NEW_LENGTH, ASIDE = range(63, 66)
SOLVER = 66  # from here on the plan belongs to what solves a step

STEPS, FACTORISATIONS, SOLVES, EVALUATIONS, SAMPLE, ENDED = range(6)  # in COUNTS
JUST = 1e-9  # of a step: a sample so little later belongs to it
DONE, FAILED, FULL = 0, 1, 2  # how a step ends


def row_dot(m: Any, rows: int, i: int, x: Any) -> float:
    """Row i of a sparse matrix times x."""
    total = 0.0
    for k in range(int(m[i]), int(m[i + 1])):
        at = rows + 1 + 2 * k
        total += m[at + 1] * x[int(m[at])]
    return total


def add_row(m: Any, rows: int, i: int, factor: float, out: Any) -> None:
    """Add ``factor`` times row i of a sparse matrix to ``out``."""
    for k in range(int(m[i]), int(m[i + 1])):
        at = rows + 1 + 2 * k
        out[int(m[at])] += factor * m[at + 1]


def room_left(plan: Sequence[float]) -> bool:
    """False if a stack of reversals could be full before the step is over."""
    table = numbers_at(int(plan[TABLE]))
    memory = numbers_at(int(plan[MEMORY]))
    for e in range(int(plan[LEAVES])):
        if table[4 * e + 3] < 0.0:
            m = view(memory, int(table[4 * e + 2]))
            if 2.0 * m[1] + 9.0 > m[0]:
                return False
    return True


def set_factors(plan: Sequence[float], t: float) -> None:
    """The factor of each leaf's force at time t."""
    laws = numbers_at(int(plan[LAWS]))
    factor = numbers_at(int(plan[FACTOR]))
    for e in range(int(plan[LEAVES])):
        at = int(laws[4 + 4 * e])
        factor[e] = laws[at + 1]
        if laws[at + 2] != 0.0:
            factor[e] *= modulation(laws, at + 2, t)


def evaluate(plan: Sequence[float], c1: float, differentiate: bool) -> None:
    """Forces of the groups where X stands beyond their prediction, each from the memory of the step's begin.

    With derivatives along X, on which the rates follow by c1.
    """
    laws = numbers_at(int(plan[LAWS]))
    table = numbers_at(int(plan[TABLE]))
    memory = numbers_at(int(plan[MEMORY]))
    trial = numbers_at(int(plan[TRIAL]))
    slope = numbers_at(int(plan[SLOPE]))
    one = numbers_at(int(plan[ONE]))
    factor = numbers_at(int(plan[FACTOR]))
    xhat = numbers_at(int(plan[XHAT]))
    vhat = numbers_at(int(plan[VHAT]))
    x = numbers_at(int(plan[X]))
    raw = numbers_at(int(plan[RAW]))
    force = numbers_at(int(plan[FORCE1]))
    total = numbers_at(int(plan[GROUP_FORCE]))
    tangent = numbers_at(int(plan[GROUP_SLOPE]))
    for j in range(int(plan[GROUPS])):
        total[j] = 0.0
        if differentiate:
            tangent[j] = 0.0
    for e in range(int(plan[LEAVES])):
        j = int(table[4 * e])
        begin = int(table[4 * e + 2])
        size = int(table[4 * e + 3])
        if size < 0:  # a stack: only what is in use, and room for one reversal more
            size = 7 + 2 * int(memory[begin + 1])
        for k in range(begin, begin + size):
            trial[k] = memory[k]
        scale = laws[int(laws[4 + 4 * e])]
        parameters = view(laws, int(laws[2 + 4 * e]))
        own = view(trial, begin)
        u = scale * (xhat[j] + x[j])
        v = scale * (vhat[j] + c1 * x[j])
        if differentiate:
            for k in range(begin, begin + size):
                slope[k] = 0.0
            along = view(slope, begin)
            f = call_function(int(table[4 * e + 1]), parameters, u, v, own, scale, c1 * scale, along, one)
            tangent[j] += factor[e] * one[0]
        else:
            f = call_value(int(laws[1 + 4 * e]), parameters, u, v, own)
        raw[e] = f
        force[e] = factor[e] * f
        total[j] += force[e]


def spring_forces(plan: Sequence[float], q: Any, v: Any, o: Any, r: Any, force: Any) -> None:
    """Forces of the springs at a state; they stand behind those of the leaves."""
    table = numbers_at(int(plan[SPRING_TABLE]))
    rows = numbers_at(int(plan[ROWS]))
    lines = int(plan[LINES])
    leaves = int(plan[LEAVES])
    for s in range(int(plan[SPRINGS])):
        j = int(table[4 * s])
        x = row_dot(rows, lines, j, q) + o[j]
        rate = row_dot(rows, lines, j, v) + r[j]
        force[leaves + s] = table[4 * s + 1] * x + table[4 * s + 2] * rate + table[4 * s + 3]


def act(plan: Sequence[float], t: float) -> None:
    """Loads, offsets and factors at time t."""
    forcing_at(numbers_at(int(plan[LOADS])), t, numbers_at(int(plan[P1])))
    if plan[MOVING] != 0.0:
        forcing_at(numbers_at(int(plan[OFFSETS])), t, numbers_at(int(plan[MOVED1])))
        forcing_at(numbers_at(int(plan[OFFSET_RATES])), t, numbers_at(int(plan[RATE1])))
    set_factors(plan, t)


def right_hand_side(plan: Sequence[float], q: Any, v: Any, a: Any) -> None:
    """What is left of the loads after the linear part at a state; the groups' prediction there."""
    n = int(plan[FREE])
    lines = int(plan[LINES])
    mass = numbers_at(int(plan[MASS]))
    damping = numbers_at(int(plan[DAMPING]))
    stiffness = numbers_at(int(plan[STIFFNESS]))
    rows = numbers_at(int(plan[ROWS]))
    along = numbers_at(int(plan[ALONG]))
    springs = numbers_at(int(plan[SPRING_TABLE]))
    p = numbers_at(int(plan[P1]))
    o = numbers_at(int(plan[MOVED1]))
    r = numbers_at(int(plan[RATE1]))
    xhat = numbers_at(int(plan[XHAT]))
    vhat = numbers_at(int(plan[VHAT]))
    right = numbers_at(int(plan[RIGHT]))
    for i in range(n):
        right[i] = p[i] - row_dot(mass, n, i, a) - row_dot(damping, n, i, v) - row_dot(stiffness, n, i, q)
    for s in range(int(plan[SPRINGS])):
        j = int(springs[4 * s])
        extra = springs[4 * s + 1] * o[j] + springs[4 * s + 2] * r[j] + springs[4 * s + 3]
        if extra != 0.0:
            add_row(along, lines, j, -extra, right)
    for j in range(int(plan[GROUPS])):
        xhat[j] = row_dot(rows, lines, j, q) + o[j]
        vhat[j] = row_dot(rows, lines, j, v) + r[j]


def predict(plan: Sequence[float], t: float) -> None:
    """Everything about the end of the step but the correction."""
    h = plan[STEP]
    q = numbers_at(int(plan[Q]))
    v = numbers_at(int(plan[V]))
    a = numbers_at(int(plan[A]))
    q1 = numbers_at(int(plan[Q1]))
    v1 = numbers_at(int(plan[V1]))
    increment = numbers_at(int(plan[INCREMENT]))
    for i in range(int(plan[FREE])):
        increment[i] = h * (v[i] + 0.5 * h * a[i])
        q1[i] = q[i] + increment[i]
        v1[i] = v[i] + h * a[i]
    act(plan, t)
    right_hand_side(plan, q1, v1, a)


def correct(plan: Sequence[float]) -> None:
    """The state at the end of the step from the correction D, and the forces that go with it."""
    n = int(plan[FREE])
    q1 = numbers_at(int(plan[Q1]))
    v = numbers_at(int(plan[V]))
    v1 = numbers_at(int(plan[V1]))
    a = numbers_at(int(plan[A]))
    a1 = numbers_at(int(plan[A1]))
    d = numbers_at(int(plan[D]))
    increment = numbers_at(int(plan[INCREMENT]))
    for i in range(n):
        q1[i] += d[i]
        v1[i] += plan[C1] * d[i]
        a1[i] = a[i] + plan[C2] * d[i]
        increment[i] += d[i]
    if plan[MASSLESS] != 0.0:
        # nothing has to be accelerated there, and c2 d would swing from step to step: the mean over the step
        null = numbers_at(int(plan[NULL]))
        z = numbers_at(int(plan[Z1]))
        for i in range(n):
            z[i] = (v1[i] - v[i]) / plan[STEP] - a1[i]
        for i in range(n):
            a1[i] += row_dot(null, n, i, z)
    o, r = numbers_at(int(plan[MOVED1])), numbers_at(int(plan[RATE1]))
    spring_forces(plan, q1, v1, o, r, numbers_at(int(plan[FORCE1])))


def absorb(plan: Sequence[float]) -> None:
    """Work over the step by the trapezoidal rule, which average acceleration keeps to the last bit."""
    n = int(plan[FREE])
    lines = int(plan[LINES])
    leaves = int(plan[LEAVES])
    table = numbers_at(int(plan[TABLE]))
    springs = numbers_at(int(plan[SPRING_TABLE]))
    rows = numbers_at(int(plan[ROWS]))
    along = numbers_at(int(plan[ALONG]))
    conjugate = numbers_at(int(plan[CONJUGATE]))
    increment = numbers_at(int(plan[INCREMENT]))
    o = numbers_at(int(plan[MOVED]))
    o1 = numbers_at(int(plan[MOVED1]))
    force = numbers_at(int(plan[FORCE]))
    force1 = numbers_at(int(plan[FORCE1]))
    absorbed = numbers_at(int(plan[ABSORBED]))
    work = numbers_at(int(plan[WORK]))
    p = numbers_at(int(plan[P]))
    p1 = numbers_at(int(plan[P1]))
    for e in range(leaves + int(plan[SPRINGS])):
        j = int(table[4 * e]) if e < leaves else int(springs[4 * (e - leaves)])
        mean = 0.5 * (force[e] + force1[e])
        if conjugate[j] != 0.0:
            moved = o1[j] - o[j]
            absorbed[e] += mean * (row_dot(rows, lines, j, increment) + moved)
            work[0] += mean * moved
        else:
            absorbed[e] += mean * row_dot(along, lines, j, increment)
    for i in range(n):
        work[0] += 0.5 * (p[i] + p1[i]) * increment[i]
    matrix_forces(plan, numbers_at(int(plan[Q1])), numbers_at(int(plan[V1])), numbers_at(int(plan[Z1])))
    z = numbers_at(int(plan[Z]))
    z1 = numbers_at(int(plan[Z1]))
    for i in range(n):
        work[1] += 0.5 * (z[i] + z1[i]) * increment[i]


def matrix_forces(plan: Sequence[float], q: Any, v: Any, out: Any) -> None:
    """C v + K q of the matrices of the model alone."""
    n = int(plan[FREE])
    damping = numbers_at(int(plan[OWN_DAMPING]))
    stiffness = numbers_at(int(plan[OWN_STIFFNESS]))
    for i in range(n):
        out[i] = row_dot(damping, n, i, v) + row_dot(stiffness, n, i, q)


def accept(plan: Sequence[float]) -> None:
    """The end of the step becomes the state."""
    q, q1 = numbers_at(int(plan[Q])), numbers_at(int(plan[Q1]))
    v, v1 = numbers_at(int(plan[V])), numbers_at(int(plan[V1]))
    a, a1 = numbers_at(int(plan[A])), numbers_at(int(plan[A1]))
    z, z1 = numbers_at(int(plan[Z])), numbers_at(int(plan[Z1]))
    for i in range(int(plan[FREE])):
        q[i] = q1[i]
        v[i] = v1[i]
        a[i] = a1[i]
        z[i] = z1[i]
    hold(plan)


def keep_memory(plan: Sequence[float]) -> None:
    """What the laws remember at the end of the step."""
    table = numbers_at(int(plan[TABLE]))
    memory = numbers_at(int(plan[MEMORY]))
    trial = numbers_at(int(plan[TRIAL]))
    for e in range(int(plan[LEAVES])):
        begin = int(table[4 * e + 2])
        size = int(table[4 * e + 3])
        if size < 0:
            size = 5 + 2 * int(trial[begin + 1])
        for k in range(begin, begin + size):
            memory[k] = trial[k]


def record(plan: Sequence[float], t: float, part: float, slot: int) -> None:
    """A sample within the step, ``part`` of it done: cubic between its ends; forces from the memory of its begin."""
    n = int(plan[FREE])
    h = plan[STEP]
    q, q1 = numbers_at(int(plan[Q])), numbers_at(int(plan[Q1]))
    v, v1 = numbers_at(int(plan[V])), numbers_at(int(plan[V1]))
    a, a1 = numbers_at(int(plan[A])), numbers_at(int(plan[A1]))
    qs = view(numbers_at(int(plan[AT_Q])), slot * n)
    vs = view(numbers_at(int(plan[AT_V])), slot * n)
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
    leaves = int(plan[LEAVES])
    elements = leaves + int(plan[SPRINGS])
    fs = view(numbers_at(int(plan[AT_F])), slot * elements)
    raw = numbers_at(int(plan[RAW]))
    force = numbers_at(int(plan[FORCE1]))
    for e in range(elements):
        fs[e] = raw[e] if e < leaves else force[e]


def forces_at(plan: Sequence[float], q: Any, v: Any) -> None:
    """Forces of all lines at a state, with the loads and offsets that `act` left."""
    rows = numbers_at(int(plan[ROWS]))
    lines = int(plan[LINES])
    o, r = numbers_at(int(plan[MOVED1])), numbers_at(int(plan[RATE1]))
    xhat, vhat = numbers_at(int(plan[XHAT])), numbers_at(int(plan[VHAT]))
    x = numbers_at(int(plan[X]))
    for j in range(int(plan[GROUPS])):
        xhat[j] = row_dot(rows, lines, j, q) + o[j]
        vhat[j] = row_dot(rows, lines, j, v) + r[j]
        x[j] = 0.0
    evaluate(plan, 0.0, False)
    spring_forces(plan, q, v, o, r, numbers_at(int(plan[FORCE1])))


def record_step(plan: Sequence[float], t: float) -> None:
    """All samples within the step that begins at t, before the state moves on."""
    counts = numbers_at(int(plan[COUNTS]))
    times = numbers_at(int(plan[TIMES]))
    h = plan[STEP]
    slot = int(counts[SAMPLE])
    end = t + (1.0 + JUST) * h
    if slot >= int(plan[SAMPLES]) or times[slot] > end:
        return
    new = numbers_at(int(plan[NEW]))
    aside = numbers_at(int(plan[ASIDE]))
    for k in range(int(plan[NEW_LENGTH])):
        aside[k] = new[k]
    while slot < int(plan[SAMPLES]) and times[slot] <= end:
        record(plan, min(times[slot], plan[LAST]), min(max((times[slot] - t) / h, 0.0), 1.0), slot)
        slot += 1
    counts[SAMPLE] = float(slot)
    for k in range(int(plan[NEW_LENGTH])):
        new[k] = aside[k]


def is_finite(plan: Sequence[float]) -> bool:
    """True if the end of the step is one of numbers."""
    q = numbers_at(int(plan[Q1]))
    v = numbers_at(int(plan[V1]))
    a = numbers_at(int(plan[A1]))
    noticed = 0.0  # by zero times what is no number, or no finite one
    for i in range(int(plan[FREE])):
        noticed += 0.0 * (q[i] + v[i] + a[i])
    return noticed == 0.0


def begin(plan: Sequence[float], t: float) -> None:
    """Loads, forces and memory of the state at time t; what has to accelerate it stands in RIGHT."""
    q = numbers_at(int(plan[Q]))
    v = numbers_at(int(plan[V]))
    none = numbers_at(int(plan[D]))
    along = numbers_at(int(plan[ALONG]))
    total = numbers_at(int(plan[GROUP_FORCE]))
    right = numbers_at(int(plan[RIGHT]))
    for i in range(int(plan[FREE])):
        none[i] = 0.0
    act(plan, t)
    right_hand_side(plan, q, v, none)
    forces_at(plan, q, v)
    for j in range(int(plan[GROUPS])):
        add_row(along, int(plan[LINES]), j, -total[j], right)
    matrix_forces(plan, q, v, numbers_at(int(plan[Z])))
    hold(plan)


def hold(plan: Sequence[float]) -> None:
    """What acts now is what acts at the begin of the next step."""
    p, p1 = numbers_at(int(plan[P])), numbers_at(int(plan[P1]))
    o, o1 = numbers_at(int(plan[MOVED])), numbers_at(int(plan[MOVED1]))
    force, force1 = numbers_at(int(plan[FORCE])), numbers_at(int(plan[FORCE1]))
    for i in range(int(plan[FREE])):
        p[i] = p1[i]
    for j in range(int(plan[LINES])):
        o[j] = o1[j]
    for e in range(int(plan[LEAVES]) + int(plan[SPRINGS])):
        force[e] = force1[e]
    keep_memory(plan)


def march(plan: Sequence[float], start: float, first: int, count: int) -> int:
    """Steps number ``first`` and on, counted from the time ``start``; how many of ``count`` were taken.

    ENDED says how the last one went. The state is that after the last one that was taken. A count of zero only looks
    at what acts, as at the begin of a stretch.
    """
    if count == 0:
        begin(plan, start)
    counts = numbers_at(int(plan[COUNTS]))
    h = plan[STEP]
    for k in range(first, first + count):
        status = DONE if room_left(plan) else FULL
        if status == DONE:
            predict(plan, min(start + (k + 1) * h, plan[LAST]))
            status = solve_step(plan)
        if status == DONE:
            correct(plan)
            status = DONE if is_finite(plan) else FAILED
        counts[ENDED] = float(status)
        if status != DONE:
            return k - first
        absorb(plan)
        record_step(plan, start + k * h)
        accept(plan)
        counts[STEPS] += 1.0
    return count


def solve_step(plan: Sequence[float]) -> int:
    """The correction D of a step, and how that ended; another module has it for each way of solving."""
    raise NotImplementedError
