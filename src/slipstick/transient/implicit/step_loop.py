"""One implicit step of Newmark's family after the other, compiled; what solves a step is in `newton_loop` and
`taylor_loop`.

With the constant-acceleration prediction (q, v, a) -> (q + h v + h^2 a/2, v + h a, a) and the correction d,

    q += d,    v += c1 d,    a += c2 d,        c1 = gamma/(beta h),  c2 = 1/(beta h^2),

the equation of motion at the end of the step is one for d. `places` says what lies where.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from slipstick.laws.loops import modulation
from slipstick.laws.stack import stack_has_room, stack_size
from slipstick.native import call_function, call_value, numbers_at, view
from slipstick.transient.forcing import forcing_at
from slipstick.transient.implicit import places as at


def row_dot(m: Any, rows: int, i: int, x: Any) -> float:
    """Row i of a sparse matrix times x."""
    total = 0.0
    for k in range(int(m[i]), int(m[i + 1])):
        here = rows + 1 + 2 * k
        total += m[here + 1] * x[int(m[here])]
    return total


def add_row(m: Any, rows: int, i: int, factor: float, out: Any) -> None:
    """Add ``factor`` times row i of a sparse matrix to ``out``."""
    for k in range(int(m[i]), int(m[i + 1])):
        here = rows + 1 + 2 * k
        out[int(m[here])] += factor * m[here + 1]


def room_left(plan: Sequence[float]) -> bool:
    """False if a stack of reversals could be full before the step is over."""
    table = numbers_at(int(plan[at.TABLE]))
    memory = numbers_at(int(plan[at.MEMORY]))
    for e in range(int(plan[at.LEAVES])):
        if table[4 * e + 3] < 0.0 and not stack_has_room(view(memory, int(table[4 * e + 2])), 2):
            return False
    return True


def set_factors(plan: Sequence[float], t: float) -> None:
    """The factor of each leaf's force at time t."""
    laws = numbers_at(int(plan[at.LAWS]))
    factor = numbers_at(int(plan[at.FACTOR]))
    for e in range(int(plan[at.LEAVES])):
        here = int(laws[4 + 4 * e])
        factor[e] = laws[here + 1]
        if laws[here + 2] != 0.0:
            factor[e] *= modulation(laws, here + 2, t)


def evaluate(plan: Sequence[float], c1: float, differentiate: bool) -> None:
    """Forces of the groups where X stands beyond their prediction, each from the memory of the step's begin.

    With derivatives along X, on which the rates follow by c1.
    """
    laws = numbers_at(int(plan[at.LAWS]))
    table = numbers_at(int(plan[at.TABLE]))
    memory = numbers_at(int(plan[at.MEMORY]))
    trial = numbers_at(int(plan[at.TRIAL]))
    slope = numbers_at(int(plan[at.SLOPE]))
    one = numbers_at(int(plan[at.ONE]))
    factor = numbers_at(int(plan[at.FACTOR]))
    xhat = numbers_at(int(plan[at.XHAT]))
    vhat = numbers_at(int(plan[at.VHAT]))
    x = numbers_at(int(plan[at.X]))
    raw = numbers_at(int(plan[at.RAW]))
    force = numbers_at(int(plan[at.FORCE1]))
    total = numbers_at(int(plan[at.GROUP_FORCE]))
    tangent = numbers_at(int(plan[at.GROUP_SLOPE]))
    for j in range(int(plan[at.GROUPS])):
        total[j] = 0.0
        if differentiate:
            tangent[j] = 0.0
    for e in range(int(plan[at.LEAVES])):
        j = int(table[4 * e])
        begin = int(table[4 * e + 2])
        size = int(table[4 * e + 3])
        if size < 0:  # a stack: only what is in use, and room for one reversal more
            size = stack_size(view(memory, begin), 1)
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
    table = numbers_at(int(plan[at.SPRING_TABLE]))
    rows = numbers_at(int(plan[at.ROWS]))
    lines = int(plan[at.LINES])
    leaves = int(plan[at.LEAVES])
    for s in range(int(plan[at.SPRINGS])):
        j = int(table[4 * s])
        x = row_dot(rows, lines, j, q) + o[j]
        rate = row_dot(rows, lines, j, v) + r[j]
        force[leaves + s] = table[4 * s + 1] * x + table[4 * s + 2] * rate + table[4 * s + 3]


def act(plan: Sequence[float], t: float) -> None:
    """Loads, offsets and factors at time t."""
    forcing_at(numbers_at(int(plan[at.LOADS])), t, numbers_at(int(plan[at.P1])))
    if plan[at.MOVING] != 0.0:
        forcing_at(numbers_at(int(plan[at.OFFSETS])), t, numbers_at(int(plan[at.MOVED1])))
        forcing_at(numbers_at(int(plan[at.OFFSET_RATES])), t, numbers_at(int(plan[at.RATE1])))
    set_factors(plan, t)


def right_hand_side(plan: Sequence[float], q: Any, v: Any, a: Any) -> None:
    """What is left of the loads after the linear part at a state; the groups' prediction there."""
    n = int(plan[at.FREE])
    lines = int(plan[at.LINES])
    mass = numbers_at(int(plan[at.MASS]))
    damping = numbers_at(int(plan[at.DAMPING]))
    stiffness = numbers_at(int(plan[at.STIFFNESS]))
    rows = numbers_at(int(plan[at.ROWS]))
    along = numbers_at(int(plan[at.ALONG]))
    springs = numbers_at(int(plan[at.SPRING_TABLE]))
    p = numbers_at(int(plan[at.P1]))
    o = numbers_at(int(plan[at.MOVED1]))
    r = numbers_at(int(plan[at.RATE1]))
    xhat = numbers_at(int(plan[at.XHAT]))
    vhat = numbers_at(int(plan[at.VHAT]))
    right = numbers_at(int(plan[at.RIGHT]))
    for i in range(n):
        right[i] = p[i] - row_dot(mass, n, i, a) - row_dot(damping, n, i, v) - row_dot(stiffness, n, i, q)
    for s in range(int(plan[at.SPRINGS])):
        j = int(springs[4 * s])
        extra = springs[4 * s + 1] * o[j] + springs[4 * s + 2] * r[j] + springs[4 * s + 3]
        if extra != 0.0:
            add_row(along, lines, j, -extra, right)
    for j in range(int(plan[at.GROUPS])):
        xhat[j] = row_dot(rows, lines, j, q) + o[j]
        vhat[j] = row_dot(rows, lines, j, v) + r[j]


def predict(plan: Sequence[float], t: float) -> None:
    """Everything about the end of the step but the correction."""
    h = plan[at.STEP]
    q = numbers_at(int(plan[at.Q]))
    v = numbers_at(int(plan[at.V]))
    a = numbers_at(int(plan[at.A]))
    q1 = numbers_at(int(plan[at.Q1]))
    v1 = numbers_at(int(plan[at.V1]))
    increment = numbers_at(int(plan[at.INCREMENT]))
    for i in range(int(plan[at.FREE])):
        increment[i] = h * (v[i] + 0.5 * h * a[i])
        q1[i] = q[i] + increment[i]
        v1[i] = v[i] + h * a[i]
    act(plan, t)
    right_hand_side(plan, q1, v1, a)


def correct(plan: Sequence[float]) -> None:
    """The state at the end of the step from the correction D, and the forces that go with it."""
    n = int(plan[at.FREE])
    q1 = numbers_at(int(plan[at.Q1]))
    v = numbers_at(int(plan[at.V]))
    v1 = numbers_at(int(plan[at.V1]))
    a = numbers_at(int(plan[at.A]))
    a1 = numbers_at(int(plan[at.A1]))
    d = numbers_at(int(plan[at.D]))
    increment = numbers_at(int(plan[at.INCREMENT]))
    for i in range(n):
        q1[i] += d[i]
        v1[i] += plan[at.C1] * d[i]
        a1[i] = a[i] + plan[at.C2] * d[i]
        increment[i] += d[i]
    if plan[at.MASSLESS] != 0.0:
        # nothing has to be accelerated there, and c2 d would swing from step to step: the mean over the step
        null = numbers_at(int(plan[at.NULL]))
        z = numbers_at(int(plan[at.Z1]))
        for i in range(n):
            z[i] = (v1[i] - v[i]) / plan[at.STEP] - a1[i]
        for i in range(n):
            a1[i] += row_dot(null, n, i, z)
    o, r = numbers_at(int(plan[at.MOVED1])), numbers_at(int(plan[at.RATE1]))
    spring_forces(plan, q1, v1, o, r, numbers_at(int(plan[at.FORCE1])))


def forces_at(plan: Sequence[float], q: Any, v: Any) -> None:
    """Forces of all lines at a state, with the loads and offsets that `act` left."""
    rows = numbers_at(int(plan[at.ROWS]))
    lines = int(plan[at.LINES])
    o, r = numbers_at(int(plan[at.MOVED1])), numbers_at(int(plan[at.RATE1]))
    xhat, vhat = numbers_at(int(plan[at.XHAT])), numbers_at(int(plan[at.VHAT]))
    x = numbers_at(int(plan[at.X]))
    for j in range(int(plan[at.GROUPS])):
        xhat[j] = row_dot(rows, lines, j, q) + o[j]
        vhat[j] = row_dot(rows, lines, j, v) + r[j]
        x[j] = 0.0
    evaluate(plan, 0.0, False)
    spring_forces(plan, q, v, o, r, numbers_at(int(plan[at.FORCE1])))
