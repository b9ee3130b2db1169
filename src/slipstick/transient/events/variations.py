"""Sensitivities along the steps: the derivative of the motion by its initial state; compiled.

The Runge-Kutta steps of the motion are applied to the equations linearised at its stages, so the result is the exact
derivative of the computed motion. Laws without inner state are differentiated by their tangent kernels, with their
memories; laws by rate by differences of the rate, which is smooth because its direction is frozen.

At a reversal forces and their rates are continuous, and so are the perturbations. Where a force jumps (a damped contact
closes), a shift dt of the event changes velocities by the jump of acceleration times dt.
"""

from __future__ import annotations

from slipstick.laws.reversal_stack import stack_size
from slipstick.laws.trace_loop import modulation
from slipstick.native import Array, call_function, view
from slipstick.transient.events.contact_variations import apply_contact_jump, hold_changes
from slipstick.transient.events.equations import between_corners, deflect, frozen_rate, law_force, offsets_at
from slipstick.transient.events.records import BY_RATE, CLOSED, FOLDED, PLAIN, RIGID, ElementDerivatives, Integration
from slipstick.transient.events.tolerances import EVENT_ZERO, FORGOTTEN

STAGES_USED = 6
TABLE_ROW_LENGTH = 7  # of the table: fraction of the step of each stage, then the weights of the stages before it
DIFFERENCE_STEP_REL = 1e-6  # of the scales: difference step for the slopes of a law by rate
# times the zero of a distance: offset from the ends of a step for a law with a corner there
END_OFFSET_ZEROS = 3.0
DEFLECTION_ROUNDING_REL = 1e-14  # of the deflection
EDGE_STEP_OFFSET_REL = 1e-6  # of the step: the same for a corner that depends on the rate too


def vary(run: Integration, h: float) -> float:
    """Advance all perturbations over the last step; the state is still that at its start."""
    size = 2 * run.coordinate_count + run.inner_count
    columns = run.column_count
    table = run.butcher_table
    changes = run.variations
    stages = run.variation_stages
    state = run.y_trial
    change = run.variation_trial
    if run.jumped_element >= 0.0:
        apply_corner_jump(run)
    if run.contacts_changed:
        apply_contact_jump(run)
    for s in range(STAGES_USED):
        line = view(table, TABLE_ROW_LENGTH * s)
        t = run.time + line[0] * h if s < STAGES_USED - 1 else run.step_end
        weighted_stages(run.y, run.stages, view(line, 1), s, h, size, state)
        offsets_at(run, t)
        slopes(run, t, state, s, h)
        for c in range(columns):
            own = view(stages, c * STAGES_USED * size)
            weighted_stages(view(changes, c * size), own, view(line, 1), s, h, size, change)
            rate_of_change(run, c, change, view(own, s * size))
            if c == run.frequency_column:  # time is scaled: at a higher frequency the period is shorter
                base = view(run.stages, s * size)
                for i in range(size):
                    own[s * size + i] += run.pace * base[i]
    last = view(table, TABLE_ROW_LENGTH * STAGES_USED + 1)
    for c in range(columns):
        own = view(stages, c * STAGES_USED * size)
        weighted_stages(view(changes, c * size), own, last, STAGES_USED, h, size, change)
        for i in range(size):
            changes[c * size + i] = change[i]
    offsets_at(run, run.step_end)
    for e in range(run.element_count):
        element = run.elements[e]
        if element.kind == CLOSED:
            deflect(run, e, run.y_end)
            step_aside(run, e, STAGES_USED, h)
            update_memory_variations(run, e)
    return 0.0


def weighted_stages(y: Array, stages: Array, weights: Array, count: int, h: float, size: int, out: Array) -> None:
    """y + h times the weighted stages."""
    for i in range(size):
        total = 0.0
        for j in range(count):
            total += weights[j] * stages[j * size + i]
        out[i] = y[i] + h * total


def apply_corner_jump(run: Integration) -> None:
    """An element was at a corner at the start of this step: velocities change by the jump of acceleration times dt."""
    n = run.coordinate_count
    size = 2 * n + run.inner_count
    e = run.jumped_element
    before = run.acceleration_before
    first = run.stages
    changes = run.variations
    rows = run.deflection_rows
    run.jumped_element = -1
    offsets_at(run, run.time)
    deflect(run, e, run.y)
    v = run.v[e]
    if abs(v) <= 2.0 * EVENT_ZERO * run.v_scale[e]:
        return
    for c in range(run.column_count):
        du = 0.0
        for i in range(n):
            du += rows[n * e + i] * changes[c * size + i]
        for i in range(n):
            changes[c * size + n + i] += (first[n + i] - before[i]) * du / v


def slopes(run: Integration, t: float, state: Array, s: int, h: float) -> None:
    """The slopes of all elements at stage s; laws with a closed-form memory have one for each perturbation."""
    for e in range(run.element_count):
        element = run.elements[e]
        kind = element.kind
        if kind != FOLDED:
            deflect(run, e, state)
            step_aside(run, e, s, h)
            own = run.slopes[e]
            here = element.modulation
            own.factor = element.factor
            if here >= 0:
                own.factor = element.factor * modulation(run.modulations, here, t)
            if kind == PLAIN:
                u = run.u[e]
                if element.corner_function != 0:
                    run.u[e] = between_corners(run, e, u)
                own.force_u = tangent(run, e, 1.0, 0.0)
                own.force_v = tangent(run, e, 0.0, 1.0) if run.tangents[e].needs_rate else 0.0
            elif kind == CLOSED and run.tangents[e].one_number:
                own.force_v = 0.0
                if run.tangents[e].needs_rate:
                    own.force_v = with_memory(run, e, -1, 0.0, 1.0)
                own.force_u = with_memory(run, e, -1, 1.0, 0.0)
                if s == 0:
                    memory_share(run, e)
                own.force_z = with_memory(run, e, int(run.reference_column[e]), 0.0, 0.0)
            elif kind == BY_RATE:
                slopes_by_rate(run, e, state, own)
            elif kind == RIGID:
                own.force_u = 0.0
                own.force_v = rigid_slope(run, e) if run.tangents[e].needs_rate and run.direction[e] != 0.0 else 0.0


def rigid_slope(run: Integration, e: int) -> float:
    """The slope over the rate of a slipping contact."""
    place = run.elements[e].memory_begin
    scratch = view(run.memory_trial, place)
    work = view(run.memory_variation_trial, 1 + place)
    scratch[0] = run.u[e]
    scratch[1] = run.direction[e]
    work[0] = 0.0
    work[1] = 0.0
    run.trial_at_end = False
    return tangent(run, e, 0.0, 1.0)


def memory_share(run: Integration, e: int) -> None:
    """The effect of memory on the force for each perturbation, over that of the reference perturbation.

    For a law whose memory acts like a single number (the force of a modified Dahl law): the change of force by memory
    alone is then the same function of the path for all perturbations, up to a factor.
    """
    size = 2 * run.coordinate_count + run.inner_count
    columns = run.column_count
    own = run.slopes[e]
    forces = view(run.force_variations, e * columns)
    shares = view(run.memory_shares, e * columns)
    largest = -1.0
    best = 0
    for c in range(columns):
        du, dv = of_deflection(run, e, view(run.variations, c * size))
        if run.accepted == 0:
            forces[c] = with_memory(run, e, c, du, dv)
        shares[c] = forces[c] - own.force_u * du - own.force_v * dv
        weight = abs(shares[c]) / (abs(forces[c]) + abs(own.force_u * du) + abs(own.force_v * dv) + 1e-300)
        if weight > largest:
            largest = weight
            best = c
    run.reference_column[e] = float(best)
    one = with_memory(run, e, best, 0.0, 0.0)
    for c in range(columns):
        shares[c] = shares[c] / one if abs(one) > FORGOTTEN else 0.0


def step_aside(run: Integration, e: int, s: int, h: float) -> None:
    """Move deflection and rate slightly into the step if a corner may lie at one of its ends.

    A law with memory is evaluated in the direction of motion: without motion, or with apparent motion back, it would
    give the slopes of the branch before. s : the stage.
    """
    element = run.elements[e]
    if element.kind == CLOSED:
        corners = element.corner_function != 0 and not run.tangents[e].one_number
        stay_between(run, e, s, corners)
    elif element.edge_function != 0 and (s == 0 or s >= STAGES_USED - 1):
        n = run.coordinate_count
        stages = run.stages
        rows = run.deflection_rows
        way = EDGE_STEP_OFFSET_REL * h
        here = n
        if s > 0:  # the last stage differs slightly from the end of the step and may lie beyond the edge
            deflect(run, e, run.y_end)
            way = -EDGE_STEP_OFFSET_REL * h
            here = 6 * (2 * n + run.inner_count) + n
        a = 0.0
        for i in range(n):
            a += rows[n * e + i] * stages[here + i]
        run.u[e] += way * run.v[e]
        run.v[e] += way * a


def stay_between(run: Integration, e: int, s: int, corners: bool) -> None:
    """Limit a deflection to the range from the start of the step to a corner at its end, if any."""
    own = run.slopes[e]
    us = run.u
    scale = run.u_scale[e]
    direction = run.direction[e]
    least = (END_OFFSET_ZEROS * EVENT_ZERO if corners else DEFLECTION_ROUNDING_REL) * scale
    if s == 0:
        own.u_begin = us[e]
    if direction == 0.0:  # at rest, with no corner ahead
        return
    if direction * (us[e] - own.u_begin) < least:
        us[e] = own.u_begin + direction * least
    if corners and direction * (run.next_corner[e] - us[e]) < least:
        us[e] = run.next_corner[e] - direction * least


def tangent(run: Integration, e: int, du: float, dv: float) -> float:
    """The change of a law's force by the changes of deflection, rate and the memory in the trial array."""
    element = run.elements[e]
    work = run.memory_variation_trial
    u = run.u[e]
    v = run.v[e]
    scratch = view(run.memory_trial, element.memory_begin)
    parameters = element.parameters
    address = run.tangents[e].function
    call_function(address, parameters, u, v, scratch, du, dv, view(work, 1 + element.memory_begin), work)
    return float(work[0])


def with_memory(run: Integration, e: int, c: int, du: float, dv: float) -> float:
    """`tangent` of a law with a closed-form memory, from copies of memory and its change at the start of the step.

    c : the change; -1: none of the memory.
    """
    element = run.elements[e]
    place = element.memory_begin
    memory = view(run.memory, place)
    changes = view(run.memory_variations, max(c, 0) * run.memory_size + place)
    scratch = view(run.memory_trial, place)
    work = view(run.memory_variation_trial, 1 + place)
    size = element.memory_size
    if size < 0:
        size = stack_size(memory, 0)
    for i in range(size):
        scratch[i] = memory[i]
        work[i] = changes[i] if c >= 0 else 0.0
    run.trial_at_end = False
    return tangent(run, e, du, dv)


def slopes_by_rate(run: Integration, e: int, state: Array, own: ElementDerivatives) -> None:
    """Derivatives of force and inner rate by deflection, rate and inner state: central differences."""
    element = run.elements[e]
    place = 2 * run.coordinate_count + element.inner_index
    us = run.u
    vs = run.v
    u = us[e]
    v = vs[e]
    z = state[place]
    du = DIFFERENCE_STEP_REL * (abs(u) + run.u_scale[e])
    dv = DIFFERENCE_STEP_REL * (abs(v) + run.v_scale[e])
    dz = DIFFERENCE_STEP_REL * (abs(z) + run.scale[place]) + 1e-300
    for k in range(3):
        d = du if k == 0 else (dv if k == 1 else dz)
        force = 0.0
        rate = 0.0
        for side in range(-1, 2, 2):
            us[e] = u + (side * d if k == 0 else 0.0)
            vs[e] = v + (side * d if k == 1 else 0.0)
            state[place] = z + (side * d if k == 2 else 0.0)
            force += side * law_force(run, e, state)
            rate += side * frozen_rate(run, e, state[place])
        force *= 0.5 / d
        rate *= 0.5 / d
        if k == 0:
            own.force_u = force
            own.rate_u = rate
        elif k == 1:
            own.force_v = force
            own.rate_v = rate
        else:
            own.force_z = force
            own.rate_z = rate
    us[e] = u
    vs[e] = v
    state[place] = z


def rate_of_change(run: Integration, c: int, change: Array, out: Array) -> None:
    """d/dt of a perturbation at a stage."""
    n = run.coordinate_count
    m = run.element_count
    linear = run.linear
    response = run.response
    shares = run.memory_shares
    for i in range(n):
        out[i] = change[n + i]
        a = 0.0
        for j in range(2 * n):
            a += linear[2 * n * i + j] * change[j]
        out[n + i] = a
    for e in range(m):
        element = run.elements[e]
        kind = element.kind
        if kind != FOLDED:
            own = run.slopes[e]
            du, dv = of_deflection(run, e, change)
            if kind == CLOSED and not run.tangents[e].one_number:
                force = with_memory(run, e, c, du, dv)
            else:
                force = own.force_u * du + own.force_v * dv
                if kind == CLOSED:
                    force += own.force_z * shares[e * run.column_count + c]
                if kind == BY_RATE:
                    place = 2 * n + element.inner_index
                    force += own.force_z * change[place]
                    out[place] = own.rate_u * du + own.rate_v * dv + own.rate_z * change[place]
            force *= own.factor
            for i in range(element.push_begin, element.push_end):
                out[n + i] += response[m * i + e] * force
    if run.independent > 0:
        hold_changes(run, view(out, n))


def of_deflection(run: Integration, e: int, change: Array) -> tuple[float, float]:
    """The changes of an element's deflection and rate."""
    n = run.coordinate_count
    rows = run.deflection_rows
    element = run.elements[e]
    du = 0.0
    dv = 0.0
    for i in range(element.row_begin, element.row_end):
        du += rows[n * e + i] * change[i]
        dv += rows[n * e + i] * change[n + i]
    return du, dv


def update_memory_variations(run: Integration, e: int) -> None:
    """Advance the perturbations of an element's memory and force to the end of the step."""
    columns = run.column_count
    size = 2 * run.coordinate_count + run.inner_count
    element = run.elements[e]
    place = element.memory_begin
    stride = run.memory_size
    work = view(run.memory_variation_trial, 1 + place)
    changes = view(run.memory_variations, place)
    forces = view(run.force_variations, e * columns)
    scratch = view(run.memory_trial, place)
    local = run.tangents[e].one_number
    if local:
        update_single_memory_variations(run, e)
        return
    for c in range(columns):
        du, dv = of_deflection(run, e, view(run.variations, c * size))
        forces[c] = with_memory(run, e, c, du, dv)
        count = element.memory_size
        if count < 0:
            count = stack_size(scratch, 0)
        for i in range(count):
            changes[c * stride + i] = work[i]


def update_single_memory_variations(run: Integration, e: int) -> None:
    """`update_memory_variations` for a memory that acts like a single number: few calls of the law for any number of
    perturbations."""
    columns = run.column_count
    size = 2 * run.coordinate_count + run.inner_count
    element = run.elements[e]
    place = element.memory_begin
    count = element.memory_size
    stride = run.memory_size
    work = view(run.memory_variation_trial, 1 + place)
    changes = view(run.memory_variations, place)
    forces = view(run.force_variations, e * columns)
    shares = view(run.memory_shares, e * columns)
    by_memory = with_memory(run, e, int(run.reference_column[e]), 0.0, 0.0)
    for c in range(columns):
        forces[c] = by_memory * shares[c]
        for i in range(count):
            changes[c * stride + i] = work[i] * shares[c]
    by_u = with_memory(run, e, -1, 1.0, 0.0)
    for c in range(columns):
        du, _ = of_deflection(run, e, view(run.variations, c * size))
        forces[c] += by_u * du
        for i in range(count):
            changes[c * stride + i] += work[i] * du
    if run.tangents[e].needs_rate:
        by_v = with_memory(run, e, -1, 0.0, 1.0)
        for c in range(columns):
            _, dv = of_deflection(run, e, view(run.variations, c * size))
            forces[c] += by_v * dv
            for i in range(count):
                changes[c * stride + i] += work[i] * dv
