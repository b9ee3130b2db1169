"""One implicit step of Newmark's family; compiled. `newton_loop` and `taylor_loop` have the solvers.

With the constant-acceleration prediction (q, v, a) -> (q + h v + h^2 a/2, v + h a, a) and the correction d,

    q += d,    v += c1 d,    a += c2 d,        c1 = gamma/(beta h),  c2 = 1/(beta h^2),

the equation of motion at the end of the step is an equation for d.
"""

from __future__ import annotations

from slipstick.forcing import forcing_at
from slipstick.laws.reversal_stack import stack_has_room, stack_size
from slipstick.laws.trace_loop import modulation
from slipstick.native import Array, call_function, call_value, view
from slipstick.transient.implicit.records import Step


def row_dot(m: Array, rows: int, i: int, x: Array) -> float:
    """Row i of a sparse matrix times x."""
    total = 0.0
    for k in range(int(m[i]), int(m[i + 1])):
        here = rows + 1 + 2 * k
        total += m[here + 1] * x[int(m[here])]
    return total


def add_row(m: Array, rows: int, i: int, factor: float, out: Array) -> None:
    """Add ``factor`` times row i of a sparse matrix to ``out``."""
    for k in range(int(m[i]), int(m[i + 1])):
        here = rows + 1 + 2 * k
        out[int(m[here])] += factor * m[here + 1]


def stacks_have_room(step: Step) -> bool:
    """False if a stack of reversals could overflow in the step."""
    memory = step.memory
    for e in range(step.leaf_count):
        if step.leaves[e].memory_size < 0 and not stack_has_room(view(memory, step.leaves[e].memory_begin), 2):
            return False
    return True


def set_factors(step: Step, t: float) -> None:
    """The factor of each leaf's force at time t."""
    factor = step.factor
    for e in range(step.leaf_count):
        leaf = step.leaves[e]
        factor[e] = leaf.factor
        if leaf.modulation >= 0:
            factor[e] *= modulation(step.laws, leaf.modulation, t)


def evaluate(step: Step, c1: float, differentiate: bool) -> None:
    """Forces of the groups at X beyond their prediction, each from the memory of the step's begin.

    With derivatives along X; rates follow by c1.
    """
    memory = step.memory
    trial = step.memory_end
    slope = step.memory_slope
    one = step.force_slope
    factor = step.factor
    xhat = step.predicted_deflection
    vhat = step.predicted_rate
    x = step.deflection
    raw = step.law_force
    force = step.force_end
    total = step.group_force
    tangent = step.group_stiffness
    for j in range(step.group_count):
        total[j] = 0.0
        if differentiate:
            tangent[j] = 0.0
    for e in range(step.leaf_count):
        if step.leaves[e].directions != 1:
            if step.leaves[e].directions > 1:
                evaluate_directions(step, e, c1, differentiate)
            continue
        j = step.leaves[e].group
        begin = step.leaves[e].memory_begin
        size = step.leaves[e].memory_size
        if size < 0:  # a stack: the used part, and room for one more reversal
            size = stack_size(view(memory, begin), 1)
        for k in range(begin, begin + size):
            trial[k] = memory[k]
        scale = step.leaves[e].deflection_scale
        parameters = step.leaves[e].parameters
        own = view(trial, begin)
        u = scale * (xhat[j] + x[j])
        v = scale * (vhat[j] + c1 * x[j])
        if differentiate:
            for k in range(begin, begin + size):
                slope[k] = 0.0
            along = view(slope, begin)
            f = call_function(step.leaves[e].tangent_function, parameters, u, v, own, scale, c1 * scale, along, one)
            tangent[j] += factor[e] * one[0]
        else:
            f = call_value(step.leaves[e].value_function, parameters, u, v, own)
        raw[e] = f
        force[e] = factor[e] * f
        total[j] += force[e]


def evaluate_directions(step: Step, e: int, c1: float, differentiate: bool) -> None:
    """The same for a law with several deflections, which follow its memory, see `slipstick.laws.directions`."""
    count = step.leaves[e].directions
    begin = step.leaves[e].memory_begin
    size = step.leaves[e].memory_size
    group = step.leaves[e].group
    parameters = step.leaves[e].parameters
    own = view(step.memory_end, begin)
    along = view(step.memory_slope, begin)
    behind = size + 2 * count
    for d in range(-1 if not differentiate else 0, 0 if not differentiate else count):
        for k in range(size):
            own[k] = step.memory[begin + k]
            along[k] = 0.0
        for k in range(count):
            own[size + k] = step.predicted_deflection[group + k] + step.deflection[group + k]
            own[size + count + k] = step.predicted_rate[group + k] + c1 * step.deflection[group + k]
            along[size + k] = 1.0 if k == d else 0.0
            along[size + count + k] = c1 if k == d else 0.0
        if differentiate:
            call_function(step.leaves[e].tangent_function, parameters, 0.0, 0.0, own, 0.0, 0.0, along, step.force_slope)
            for k in range(count):
                slope = step.factor[e + k] * along[behind + k]
                if k == d:
                    step.group_stiffness[group + k] += slope
                else:
                    other = d if d < k else d - 1
                    step.pair_stiffness[step.leaves[e].pair_begin + k * (count - 1) + other] = slope
        else:
            call_value(step.leaves[e].value_function, parameters, 0.0, 0.0, own)
    for k in range(count):
        f = own[behind + k]
        step.law_force[e + k] = f
        step.force_end[e + k] = step.factor[e + k] * f
        step.group_force[group + k] += step.force_end[e + k]


def spring_forces(step: Step, q: Array, v: Array, o: Array, r: Array, force: Array) -> None:
    """Forces of the springs at a state, stored after those of the leaves."""
    rows = step.rows
    lines = step.line_count
    leaves = step.leaf_count
    for s in range(step.spring_count):
        j = step.springs[s].line
        x = row_dot(rows, lines, j, q) + o[j]
        rate = row_dot(rows, lines, j, v) + r[j]
        force[leaves + s] = step.springs[s].stiffness * x + step.springs[s].damping * rate + step.springs[s].force


def set_loads(step: Step, t: float) -> None:
    """Loads, offsets and factors at time t."""
    forcing_at(step.loads, t, step.load_end)
    if step.has_motions:
        forcing_at(step.offset_functions, t, step.offset_end)
        forcing_at(step.offset_rate_functions, t, step.offset_rate_end)
    set_factors(step, t)


def right_hand_side(step: Step, q: Array, v: Array, a: Array) -> None:
    """The residual of loads and linear part at a state, and the groups' prediction there."""
    n = step.coordinate_count
    lines = step.line_count
    mass = step.mass
    damping = step.damping
    stiffness = step.stiffness
    rows = step.rows
    along = step.along
    p = step.load_end
    o = step.offset_end
    r = step.offset_rate_end
    xhat = step.predicted_deflection
    vhat = step.predicted_rate
    right = step.right_hand_side
    for i in range(n):
        right[i] = p[i] - row_dot(mass, n, i, a) - row_dot(damping, n, i, v) - row_dot(stiffness, n, i, q)
    for s in range(step.spring_count):
        j = step.springs[s].line
        extra = step.springs[s].stiffness * o[j] + step.springs[s].damping * r[j] + step.springs[s].force
        if extra != 0.0:
            add_row(along, lines, j, -extra, right)
    for j in range(step.group_count):
        xhat[j] = row_dot(rows, lines, j, q) + o[j]
        vhat[j] = row_dot(rows, lines, j, v) + r[j]


def predict(step: Step, t: float) -> None:
    """Set everything at the end of the step except the correction."""
    h = step.h
    q = step.q
    v = step.v
    a = step.a
    q1 = step.q_end
    v1 = step.v_end
    increment = step.increment
    for i in range(step.coordinate_count):
        increment[i] = h * (v[i] + 0.5 * h * a[i])
        q1[i] = q[i] + increment[i]
        v1[i] = v[i] + h * a[i]
    set_loads(step, t)
    right_hand_side(step, q1, v1, a)


def correct(step: Step) -> None:
    """The state at the end of the step from the correction D, and the forces that go with it."""
    n = step.coordinate_count
    q1 = step.q_end
    v = step.v
    v1 = step.v_end
    a = step.a
    a1 = step.a_end
    d = step.correction
    increment = step.increment
    for i in range(n):
        q1[i] += d[i]
        v1[i] += step.c1 * d[i]
        a1[i] = a[i] + step.c2 * d[i]
        increment[i] += d[i]
    if step.massless:
        # massless: c2 d would oscillate from step to step, so the mean over the step is taken
        null = step.null_projection
        z = step.matrix_force_end
        for i in range(n):
            z[i] = (v1[i] - v[i]) / step.h - a1[i]
        for i in range(n):
            a1[i] += row_dot(null, n, i, z)
    o, r = step.offset_end, step.offset_rate_end
    spring_forces(step, q1, v1, o, r, step.force_end)


def forces_at(step: Step, q: Array, v: Array) -> None:
    """Forces of all lines at a state, with the loads and offsets of `set_loads`."""
    rows = step.rows
    lines = step.line_count
    o, r = step.offset_end, step.offset_rate_end
    xhat, vhat = step.predicted_deflection, step.predicted_rate
    x = step.deflection
    for j in range(step.group_count):
        xhat[j] = row_dot(rows, lines, j, q) + o[j]
        vhat[j] = row_dot(rows, lines, j, v) + r[j]
        x[j] = 0.0
    evaluate(step, 0.0, False)
    spring_forces(step, q, v, o, r, step.force_end)
