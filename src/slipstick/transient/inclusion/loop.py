"""The loop of scheme (A.7), and of its theta variant; compiled.

Everything linear in the state and in functions of time is one matrix times the vector x of `records`. Its rows
give the change of v without contacts, the change of each stretch without slip, and the rate of each friction contact.
`slipstick.transient.inclusion.setup` has the entries.
"""

from __future__ import annotations

import math

from slipstick.forcing import forcing_at
from slipstick.laws.trace_loop import modulation
from slipstick.native import Array, Native, call_value, compile_functions, view
from slipstick.transient.box_complementarity import box_solve
from slipstick.transient.inclusion.pair_solver import solve_with_pairs
from slipstick.transient.inclusion.records import SchemeState
from slipstick.transient.limit_sides import UNLOADED, side_of

WAVE_RENEWAL = 64  # steps of the cosine recurrence before cosines are evaluated again
BLOCK = 4  # rows of the matrix that are summed in parallel: a single sum waits for each addition
NEVER = 1e300  # s


def take_steps(run: SchemeState, first: int, last: int) -> int:
    """Run from step ``first`` to step ``last``; return the step reached, an earlier one if events need more room."""
    n = run.coordinate_count
    sliders = run.slider_count
    contacts = sliders + run.friction_count
    x = run.x
    change = run.change
    next_time = sample_after(run)
    for p in range(first, last):
        if run.event_count + contacts > run.event_capacity:
            return p
        tau = run.start + (p + run.theta) * run.h
        end = run.start + (p + 1) * run.h
        set_time(run, tau, p % WAVE_RENEWAL == 0 or p == first)
        multiply(run.rows, n + contacts, run.width, x, change)
        add_explicit_forces(run, tau)
        if not run.implicit:
            project_sliders(run)
        if run.friction_count > 0 or run.implicit:
            solve_contacts(run, end)
            if not run.settled:
                return p
        record_side_changes(run, end)
        final = p == run.final_step - 1
        if next_time <= end or final:
            write_samples(run, end, final)
            next_time = sample_after(run)
        for i in range(n):
            x[i] += run.h * (x[n + i] + run.theta * change[i])
            x[n + i] += change[i]
        for j in range(sliders):
            x[2 * n + j] += change[n + j]
    return last


def set_time(run: SchemeState, tau: float, renew: bool) -> None:
    """The functions of time at tau."""
    first = 2 * run.coordinate_count + run.slider_count + 1
    behind = first + 2 * run.wave_count
    if run.width > behind + run.signal_count:  # there are ramps
        run.x[run.width - 1] = tau
    set_waves(run, view(run.x, first), tau, renew)
    if run.signal_count > 0:
        forcing_at(run.signals, tau, view(run.x, behind))


def set_waves(run: SchemeState, x: Array, tau: float, renew: bool) -> None:
    """Cosine and sine of each frequency at tau, by recurrence or evaluated again."""
    for k in range(run.wave_count):
        wave = run.waves[k]
        if renew:
            x[2 * k] = math.cos(wave.omega * tau)
            x[2 * k + 1] = math.sin(wave.omega * tau)
        else:  # a cosine costs as much as all the rest
            c = x[2 * k]
            s = x[2 * k + 1]
            x[2 * k] = wave.step_cos * c - wave.step_sin * s
            x[2 * k + 1] = wave.step_sin * c + wave.step_cos * s


def multiply(rows: Array, total: int, width: int, x: Array, out: Array) -> None:
    """All rows times x, a block at a time."""
    here = 0
    for i in range(0, total, BLOCK):
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
            here += BLOCK
        out[i] = a
        out[i + 1] = b
        out[i + 2] = c
        out[i + 3] = d


def add_explicit_forces(run: SchemeState, t: float) -> None:
    """Add the explicit forces of elements with neither memory nor a graph."""
    x = run.x
    for e in range(run.element_count):
        element = run.elements[e]
        u = 0.0
        v = 0.0
        for j in range(run.width):
            u += element.deflection[j] * x[j]
            v += element.rate[j] * x[j]
        # a law without memory writes none
        f = call_value(element.value_function, element.parameters, u, v, run.workspace)
        if element.modulation >= 0:
            f *= modulation(run.modulations, element.modulation, t)
        for i in range(run.coordinate_count):
            run.change[i] += element.response[i] * f


def project_sliders(run: SchemeState) -> None:
    """The resolvent of each slider's graph (A.9): its stretch stays within its bounds."""
    n = run.coordinate_count
    for j in range(run.slider_count):
        w = run.x[2 * n + j]
        new = min(max(w + run.change[n + j], -run.slider_limits[j]), run.slider_limits[j])
        run.change[n + j] = new - w
        run.held[j] = new


def limit_of(run: SchemeState, i: int, t: float) -> float:
    """The sliding limit of a friction at time t."""
    friction = run.frictions[i]
    if friction.modulation < 0:
        return friction.limit
    return friction.limit * modulation(run.modulations, friction.modulation, t)


def solve_contacts(run: SchemeState, t: float) -> None:
    """Solve all contacts together: forces within limits, and no rate where they stick."""
    n = run.coordinate_count
    sliders = run.slider_count
    contacts = sliders + run.friction_count
    first = 0 if run.implicit else sliders
    count = contacts - first
    change = run.change
    for i in range(count):
        j = first + i
        rate = change[n + j]
        for k in range(n):
            rate += run.contact_rows[j * n + k] * change[k]
        run.right_hand_side[i] = rate
        if j < sliders:  # the unknown is the change of the stretch; zero as a first guess
            run.held[j] = 0.0
            run.low[i] = -run.slider_limits[j] - run.x[2 * n + j]
            run.high[i] = run.slider_limits[j] - run.x[2 * n + j]
        elif j < contacts - 2 * run.pair_count:
            run.high[i] = limit_of(run, j - sliders, t)
            run.low[i] = -run.high[i]
        for k in range(count):
            run.matrix[i * count + k] = run.contact_matrix[j * contacts + first + k]
    if run.pair_count > 0:
        solve_with_pairs(run, first, count)
    else:
        box_solve(run.matrix, run.right_hand_side, run.low, run.high, view(run.held, first), count, run.workspace)
    for i in range(n):
        for j in range(first, contacts):
            change[i] -= run.contact_response[i * contacts + j] * run.held[j]
    if run.implicit:
        for j in range(sliders):
            change[n + j] = run.held[j]
            run.held[j] += run.x[2 * n + j]


def record_side_changes(run: SchemeState, end: float) -> None:
    """Record contacts that have changed sides in the step, and set their sides."""
    n = run.coordinate_count
    sliders = run.slider_count
    contacts = sliders + run.friction_count
    first = 0 if run.implicit else sliders
    for j in range(contacts):
        limit = run.slider_limits[j] if j < sliders else run.high[j - first]
        now = side_of(run.held[j], limit)
        if j >= contacts - 2 * run.pair_count and (contacts - j) % 2 == 1:
            now = 0.0 if run.held[j] > 0.0 else UNLOADED  # a normal direction
        if now != run.side[j]:
            event = run.events[run.event_count]
            event.time = end
            event.contact = float(j)
            event.before = run.side[j]
            event.after = now
            run.side[j] = now
            write_sample(run, 1.0, view(run.event_samples, run.event_count * 2 * (n + contacts)))
            run.event_count += 1


def sample_after(run: SchemeState) -> float:
    """The time of the next sample."""
    return float(run.sample_times[run.next_sample]) if run.next_sample < run.sample_count else NEVER


def write_samples(run: SchemeState, end: float, final: bool) -> None:
    """The samples within the step, and in the final one all that remain."""
    line = 2 * (run.coordinate_count + run.slider_count + run.friction_count)
    while run.next_sample < run.sample_count and (run.sample_times[run.next_sample] <= end or final):
        # u_h of (A.10) is linear between steps
        part = min((run.sample_times[run.next_sample] - end) / run.h + 1.0, 1.0)
        write_sample(run, part, view(run.samples, run.next_sample * line))
        run.next_sample += 1


def write_sample(run: SchemeState, part: float, line: Array) -> None:
    """A sample at the part of the step: q, v, w, friction forces; the sides of contacts are those at its end."""
    n = run.coordinate_count
    sliders = run.slider_count
    contacts = sliders + run.friction_count
    x = run.x
    for i in range(n):
        line[i] = x[i] + part * run.h * (x[n + i] + run.theta * run.change[i])
        line[n + i] = x[n + i] + part * run.change[i]
    for j in range(sliders):
        line[2 * n + j] = x[2 * n + j] + part * run.change[n + j]
    for j in range(sliders, contacts):
        line[2 * n + j] = run.held[j]
    for j in range(contacts):
        line[2 * n + contacts + j] = run.side[j]


def kernel() -> Native:
    """`take_steps`, compiled once and kept."""
    return compile_functions(take_steps)["take_steps"]
