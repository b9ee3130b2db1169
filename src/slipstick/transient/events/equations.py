"""The right-hand side: accelerations from loads, the linear part, and laws on the branch they are on; compiled.

A law with a closed form is called with a copy of its memory at the last accepted point, so its force is smooth in the
deflection until a reversal. A law by rate has its inner state among the unknowns. Its direction is frozen over a step:
a trial state beyond a reversal continues the branch smoothly.
"""

from __future__ import annotations

import math

from slipstick.forcing import add_wave, forcing_at, frequency_of, has_signals, line_at, wave_count
from slipstick.laws.reversal_stack import stack_size
from slipstick.laws.trace_loop import modulation
from slipstick.native import Array, call_function, call_value, local_numbers, view
from slipstick.transient.events.contacts import add_reactions, held_force
from slipstick.transient.events.elastic_contacts import MAX_TANGENTIAL, add_force_rates, forces_of
from slipstick.transient.events.records import BY_RATE, CLOSED, ELASTIC, FOLDED, PLAIN, RIGID, Integration
from slipstick.transient.events.tolerances import EVENT_ZERO

MAX_SERIES_ANGLE = 0.25  # rad: up to this angle a cosine is computed by a short series
WAVE_RENEWAL_STEPS = 32  # steps over which cosines are rotated before they are computed directly again


def derivative(run: Integration, t: float, y: Array, dy: Array) -> None:
    """dy/dt of (q, v, inner states) at time t; also sets deflections, rates and forces of the elements in ``run``."""
    n = run.coordinate_count
    m = run.element_count
    linear = run.linear
    response = run.response
    forces = run.force
    load_accelerations(run, t, view(dy, n))
    for i in range(n):
        dy[i] = y[n + i]
        a = dy[n + i]
        for j in range(2 * n):
            a += linear[2 * n * i + j] * y[j]
        dy[n + i] = a
    offsets_at(run, t)
    for e in range(m):
        element = run.elements[e]
        kind = element.kind
        if kind < ELASTIC and (kind != FOLDED or run.track_energy):
            deflect(run, e, y)
            if kind == RIGID and run.direction[e] == 0.0:
                force = element.factor * held_force(run, element.contact, t)
            else:
                force = full_force(run, e, t, y)
            forces[e] = force
            if kind == BY_RATE:
                state = element.inner_index
                dy[2 * n + state] = frozen_rate(run, e, y[2 * n + state])
            if kind != FOLDED:
                for i in range(element.push_begin, element.push_end):
                    dy[n + i] += response[m * i + e] * force
    for c in range(run.elastic_count):
        push_elastic(run, c, y, dy)
    if run.independent > 0:
        add_reactions(run, t, dy)
    for c in range(run.elastic_count):
        add_force_rates(run, run.elastic[c], t, dy, y)


def deflect_elastic(run: Integration, c: int, y: Array) -> None:
    """`deflect` for all directions of an elastic contact."""
    contact = run.elastic[c]
    for j in range(contact.tangential + 1):
        deflect(run, contact.element + j, y)


def push_elastic(run: Integration, c: int, y: Array, dy: Array) -> None:
    """The forces of an elastic contact, and what they accelerate."""
    contact = run.elastic[c]
    n = run.coordinate_count
    own = local_numbers(MAX_TANGENTIAL + 1)
    deflect_elastic(run, c, y)
    forces_of(run, contact, y, own)
    for j in range(contact.tangential + 1):
        e = contact.element + j
        element = run.elements[e]
        run.force[e] = element.factor * own[j]
        for i in range(element.push_begin, element.push_end):
            dy[n + i] += run.response[run.element_count * i + e] * run.force[e]


def offsets_at(run: Integration, t: float) -> None:
    """Shares of prescribed motions in deflections and rates at time t."""
    if run.has_motions:
        forcing_at(run.offset_functions, t, run.offset)
        forcing_at(run.offset_rate_functions, t, run.offset_rate)


def load_accelerations(run: Integration, t: float, out: Array) -> None:
    """Accelerations by loads and motions: `forcing_at`, with cosines rotated from those at the start of the step."""
    numbers = run.forcing
    if has_signals(numbers):
        forcing_at(numbers, t, out)
        return
    waves = run.waves
    line_at(numbers, t, out)
    for k in range(wave_count(numbers)):
        omega = frequency_of(numbers, k)
        x = omega * (t - run.wave_time)
        if abs(x) < MAX_SERIES_ANGLE:
            cos, sin = small_turn(x)
            c = waves[2 * k] * cos - waves[2 * k + 1] * sin
            s = waves[2 * k + 1] * cos + waves[2 * k] * sin
        else:
            c = math.cos(omega * t)
            s = math.sin(omega * t)
        add_wave(numbers, k, c, s, out)


def small_turn(x: float) -> tuple[float, float]:
    """cos x and sin x for |x| < SMALL_TURN: a short series is exact to rounding, and a third of the cost."""
    w = x * x
    turn = w * (1 / 24 - w * (1 / 720 - w * (1 / 40320 - w * (1 / 3628800 - w / 479001600))))
    sin = x * (1.0 - w * (1 / 6 - w * (1 / 120 - w * (1 / 5040 - w * (1 / 362880 - w / 39916800)))))
    return 1.0 - w * 0.5 + w * turn, sin


def set_waves(run: Integration) -> None:
    """Set the cosines of loads at the start of a step: rotated from the last ones, and computed directly at times."""
    numbers = run.forcing
    waves = run.waves
    anew = run.accepted % WAVE_RENEWAL_STEPS == 0
    for k in range(wave_count(numbers)):
        omega = frequency_of(numbers, k)
        x = omega * (run.time - run.wave_time)
        if anew or abs(x) >= MAX_SERIES_ANGLE:
            waves[2 * k] = math.cos(omega * run.time)
            waves[2 * k + 1] = math.sin(omega * run.time)
        else:
            cos, sin = small_turn(x)
            c = waves[2 * k]
            waves[2 * k] = c * cos - waves[2 * k + 1] * sin
            waves[2 * k + 1] = waves[2 * k + 1] * cos + c * sin
    run.wave_time = run.time


def deflect(run: Integration, e: int, y: Array) -> None:
    """Deflection and rate of an element at a state, with the offsets computed last."""
    n = run.coordinate_count
    rows = run.deflection_rows
    element = run.elements[e]
    u = 0.0
    v = 0.0
    if run.has_motions:
        u = run.offset[e]
        v = run.offset_rate[e]
    for i in range(element.row_begin, element.row_end):
        u += rows[n * e + i] * y[i]
        v += rows[n * e + i] * y[n + i]
    run.u[e] = u
    run.v[e] = v


def full_force(run: Integration, e: int, t: float, y: Array) -> float:
    """The force of an element with all its factors."""
    element = run.elements[e]
    f = element.factor * law_force(run, e, y)
    here = element.modulation
    return float(f * modulation(run.modulations, here, t) if here >= 0 else f)


def law_force(run: Integration, e: int, y: Array) -> float:
    """The force of the law alone, at the deflection and rate computed last."""
    element = run.elements[e]
    u = run.u[e]
    v = run.v[e]
    parameters = element.parameters
    memory = view(run.memory, element.memory_begin)
    if element.kind == BY_RATE:
        s = run.direction[e]
        z = y[2 * run.coordinate_count + element.inner_index]
        inner = element.inner_force_function
        if v * s >= 0.0:
            return call_function(inner, parameters, u, v, z, memory)
        # the part that is odd in v continues the branch beyond v = 0
        at_rest = call_function(inner, parameters, u, 0.0, z, memory)
        return 2.0 * at_rest - call_function(inner, parameters, u, -v, z, memory)
    if element.kind == PLAIN and element.corner_function != 0:
        u = between_corners(run, e, u)
    scratch = view(run.memory_trial, element.memory_begin)
    if element.kind == RIGID:  # in the direction in which it slips
        scratch[0] = u
        scratch[1] = run.direction[e]
    elif element.kind == CLOSED:
        size = element.memory_size
        if size < 0:
            size = stack_size(memory, 0)
        for i in range(size):
            scratch[i] = memory[i]
    return call_value(element.value_function, parameters, u, v, scratch)


def between_corners(run: Integration, e: int, u: float) -> float:
    """The deflection, limited to the piece on which the step began: at its end a force may jump (damped contact)."""
    s = run.direction[e]
    dust = 1e-3 * EVENT_ZERO * run.u_scale[e]
    if s > 0.0:
        low = run.previous_corner[e]
        high = run.next_corner[e]
    elif s < 0.0:
        low = run.next_corner[e]
        high = run.previous_corner[e]
    else:
        return u
    return float(min(max(u, low + dust), high - dust))


def frozen_rate(run: Integration, e: int, z: float) -> float:
    """dz/dt with the direction of the step, continued as an odd function beyond v = 0."""
    element = run.elements[e]
    u = run.u[e]
    v = run.v[e]
    s = run.direction[e]
    parameters = element.parameters
    memory = view(run.memory, element.memory_begin)
    if run.independent > 0 and abs(v) <= EVENT_ZERO * run.v_scale[e]:  # sticking contacts hold it, up to rounding
        return 0.0
    if v * s >= 0.0:
        return call_function(element.rate_function, parameters, u, v, z, memory)
    return -call_function(element.rate_function, parameters, u, -v, z, memory)


def add_energy(run: Integration, t: float, y: Array, weight: float, doubt: float) -> None:
    """Add the powers at a stage times its weight: absorbed by elements and matrices, supplied by loads and motions.

    ``doubt`` is its weight in the difference of the two orders.
    """
    n = run.coordinate_count
    m = run.element_count
    total = run.step_energy
    wrong = run.energy_error
    forces = run.force
    rates = run.v
    pushed = run.offset_rate
    along = run.along
    damping = run.damping
    stiffness = run.stiffness
    loads = run.y_trial
    forcing_at(run.loads, t, loads)
    done = 0.0
    taken = 0.0
    for i in range(n):
        done += loads[i] * y[n + i]
        for j in range(n):
            taken += y[n + i] * (damping[n * i + j] * y[n + j] + stiffness[n * i + j] * y[j])
    for e in range(m):
        if run.elements[e].conjugate:
            power = forces[e] * rates[e] / run.elements[e].deflection_scale
            done += forces[e] * pushed[e] / run.elements[e].deflection_scale
        else:
            power = 0.0
            for i in range(n):
                power += forces[e] * along[n * e + i] * y[n + i]
        total[e] += weight * power
        wrong[e] += doubt * power
    total[m] += weight * done
    wrong[m] += doubt * done
    total[m + 1] += weight * taken
    wrong[m + 1] += doubt * taken
