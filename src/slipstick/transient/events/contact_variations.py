"""Sensitivities with set-valued friction: constraints in stick, saltation at stick and slip; compiled.

At an event with guard g a perturbation dx of the state jumps (Leine and Nijmeijer, Dynamics and Bifurcations of
Non-Smooth Mechanical Systems, 2004, chapter 7):

    dx+ = R dx- + (R f- - f+) dt,   dt = -dg / (dg/dt)

R removes the rates of sticking contacts, f is the right-hand side before and after, dt the shift of the event. Only
accelerations jump; rates, displacements and memories are continuous.
"""

from __future__ import annotations

from slipstick.forcing import forcing_at
from slipstick.native import Array, view
from slipstick.transient.events.contacts import contact_limit
from slipstick.transient.events.equations import derivative
from slipstick.transient.events.records import REVERSAL, Integration
from slipstick.transient.exact.complementarity import HOLDS, solve_reactions


def hold_changes(run: Integration, values: Array) -> None:
    """Project velocities or accelerations (n,) onto the constraints of sticking contacts; reactions are overwritten."""
    n = run.coordinate_count
    c = run.contact_count
    state = run.resting
    for i in range(c):
        if state.status[i] == HOLDS:
            e = int(run.contact_elements[i])
            total = 0.0
            for j in range(n):
                total += run.deflection_rows[n * e + j] * values[j]
            state.rates[i] = total
    solve_reactions(run.contacts, state, run.independent)
    for i in range(c):
        if state.status[i] == HOLDS:
            for j in range(n):
                values[j] -= run.contacts.inverse_mass_along[j * c + i] * state.reaction[i]
    for j in range(n):
        if state.immobile[j * (1 + c)] != 0.0:
            values[j] = 0.0


def apply_contact_jump(run: Integration) -> None:
    """Apply the saltation of contacts decided at the start of this step to all velocity perturbations."""
    n = run.coordinate_count
    size = 2 * n + run.inner_count
    run.contacts_changed = False
    for c in range(run.column_count):
        velocity = view(run.variations, c * size + n)
        shift = run.event_shifts[c]
        for i in range(n):
            velocity[i] += shift * run.acceleration_before[i]
        if run.independent > 0:
            hold_changes(run, velocity)
        for i in range(n):
            velocity[i] -= shift * run.stages[n + i]
        run.event_shifts[c] = 0.0


def shift_event(run: Integration, element: float, event: float) -> float:
    """Write the shift of the event at the end of the step for each perturbation: a contact stopped or began to slip."""
    e = int(element)
    kind = int(event)
    n = run.coordinate_count
    size = 2 * n + run.inner_count
    rate = guard_rate(run, e, kind)
    for c in range(run.column_count):
        if kind == REVERSAL:
            change = 0.0
            for j in range(n):
                change += run.deflection_rows[n * e + j] * run.variations[c * size + n + j]
        else:
            change = reaction_along(run, e, view(run.variations, c * size), 0.0)
        run.event_shifts[c] = -change / rate if rate != 0.0 else 0.0
    return 0.0


def guard_rate(run: Integration, e: int, kind: int) -> float:
    """The rate of the guard just before the event: of the relative velocity, or of the reaction over its limit."""
    n = run.coordinate_count
    if kind == REVERSAL:
        total = 0.0
        if run.has_motions:
            forcing_at(run.offset_acceleration_functions, run.step_end, run.offset_acceleration)
            total = run.offset_acceleration[e]
        for j in range(n):
            total += run.deflection_rows[n * e + j] * run.acceleration_before[j]
        return float(total)
    return reaction_along(run, e, view(run.stages, 6 * (2 * n + run.inner_count)), 1.0)


def reaction_along(run: Integration, e: int, direction: Array, time: float) -> float:
    """The derivative of a reaction, less its limit, along a direction of the state and of time; a central difference.

    direction : (2n + z,) scaled so that no coordinate moves by more than a small part of its scale.
    """
    size = 2 * run.coordinate_count + run.inner_count
    i = run.elements[e].contact
    largest = time * run.max_step * 0.1 / run.max_step
    for j in range(size):
        largest = max(largest, abs(direction[j]) / (run.scale[j] + 1e-300))
    if largest == 0.0:
        return 0.0
    step = 1e-6 / largest
    sign = 1.0 if run.force[e] >= 0.0 else -1.0
    total = 0.0
    for side in range(-1, 2, 2):
        t = run.step_end + side * step * time
        for j in range(size):
            run.y_trial[j] = run.y_end[j] + side * step * direction[j]
        derivative(run, t, run.y_trial, run.rate_trial)
        limit = run.contacts.static_ratio[i] * contact_limit(run, i, t)
        total += side * (sign * run.resting.reaction[i] - limit)
    return float(total / (2.0 * step))
