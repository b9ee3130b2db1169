"""Set-valued friction contacts within a step: reactions in stick, guards, and the constraint; compiled.

A contact that sticks is a constraint: its relative acceleration is zero. With D the deflections of sticking contacts
and A the directions of their forces, the reactions are l = (D M^-1 A)^-1 (D M^-1 f + a_p), f all other forces, a_p the
prescribed relative acceleration. A contact that slips is a force that depends on its rate.
"""

from __future__ import annotations

from slipstick.forcing import forcing_at
from slipstick.laws.trace_loop import modulation
from slipstick.native import Array, view
from slipstick.transient.events.records import Integration
from slipstick.transient.exact import records as at
from slipstick.transient.exact.complementarity import HOLDS, solve_reactions, stop_rates

FREE_DISTANCE = 1e300  # distance to release of a contact that does not stick


def contact_limit(run: Integration, i: int, t: float) -> float:
    """The sliding limit of a contact at rest [N], before the constant factor of its element."""
    here = run.elements[int(run.contact_elements[i])].modulation
    limit = run.contact_limits[i]
    return float(limit * modulation(run.modulations, here, t) if here >= 0 else limit)


def held_force(run: Integration, i: int, t: float) -> float:
    """The force of a contact that is at its limit but that other contacts keep from moving; 0 for all others."""
    own = run.resting.piece[i]
    limit = run.contacts.static_ratio[i] * contact_limit(run, i, t)
    if own == float(at.HELD_UP):
        return float(limit)
    return float(-limit) if own == float(at.HELD_DOWN) else 0.0


def add_reactions(run: Integration, t: float, dy: Array) -> None:
    """Solve for the reactions of all sticking contacts, and subtract them from the accelerations in dy."""
    n = run.coordinate_count
    c = run.contact_count
    state = run.resting
    model = run.contacts
    rows = run.deflection_rows
    rates = state.rates
    along = model.inverse_mass_along
    if run.has_motions:
        forcing_at(run.offset_acceleration_functions, t, run.offset_acceleration)
    for i in range(c):
        if state.status[i] == HOLDS:
            e = int(run.contact_elements[i])
            a = run.offset_acceleration[e] if run.has_motions else 0.0
            for j in range(n):
                a += rows[n * e + j] * dy[n + j]
            rates[i] = a
    solve_reactions(model, state, run.independent)
    for i in range(c):
        if state.status[i] == HOLDS:
            e = int(run.contact_elements[i])
            own = state.reaction[i]
            run.force[e] = run.elements[e].factor * own
            for j in range(n):
                dy[n + j] -= along[j * c + i] * own
            far = release_distance(run, i, t)
            run.release_near[i] = min(run.release_near[i], far)
            run.release_far[i] = max(run.release_far[i], far)
    prescribe_immobile(run, run.offset_acceleration, view(dy, n))


def prescribe_immobile(run: Integration, offsets: Array, values: Array) -> None:
    """Set velocities or accelerations (n,) of coordinates that sticking contacts determine completely.

    offsets : (m,) rates or accelerations of prescribed deflections. See `exact.immobile_coordinates`.
    """
    c = run.contact_count
    for i in range(run.coordinate_count):
        row = view(run.resting.immobile, i * (1 + c))
        if row[0] != 0.0:
            value = 0.0
            if run.has_motions:
                for j in range(c):
                    if row[1 + j] != 0.0:
                        value -= row[1 + j] * offsets[int(run.contact_elements[j])]
            values[i] = value


def release_distance(run: Integration, i: int, t: float) -> float:
    """Distance of the reaction of a sticking contact from its static limit, over its scale; negative beyond it."""
    limit = run.contacts.static_ratio[i] * contact_limit(run, i, t)
    return float((limit - abs(run.resting.reaction[i])) / (run.reaction_scale[i] + 1e-300))


def watch_releases(run: Integration) -> None:
    """Reset the range of `release_distance` over the stages of a step."""
    for i in range(run.contact_count):
        run.release_near[i] = FREE_DISTANCE
        run.release_far[i] = -FREE_DISTANCE


def hold_contacts(run: Integration) -> None:
    """Project the state onto the constraints of sticking contacts, with the least change of kinetic energy.

    Deflections and rates leave them by rounding, and where motions are prescribed by the error of the step.
    """
    n = run.coordinate_count
    state = run.resting
    if run.independent == 0:
        return
    for derivative in range(2):
        motion = view(run.y, n * derivative)
        for i in range(run.contact_count):
            if state.status[i] == HOLDS:
                e = int(run.contact_elements[i])
                far = -run.stick_place[i] if derivative == 0 else 0.0
                if run.has_motions:
                    far += run.offset[e] if derivative == 0 else run.offset_rate[e]
                for j in range(n):
                    far += run.deflection_rows[n * e + j] * motion[j]
                state.rates[i] = far
        stop_rates(run.contacts, state, run.independent, motion)
    prescribe_immobile(run, run.offset_rate, view(run.y, n))


def load_change(run: Integration, h: float) -> float:
    """Step length to the first instant at which a contact is loaded or unloaded; h if there is none."""
    for i in range(run.contact_count):
        if run.elements[int(run.contact_elements[i])].modulation >= 0:
            loaded = run.resting.piece[i] != float(at.UNLOADED)
            end = 0.5 * h if is_loaded(run, i, run.time + 0.5 * h) != loaded else h
            if is_loaded(run, i, min(run.time + end, run.step_end)) != loaded:
                h = load_root(run, i, end, loaded)
    return h


def is_loaded(run: Integration, i: int, t: float) -> bool:
    return contact_limit(run, i, t) > 0.0


def load_root(run: Integration, i: int, end: float, loaded: bool) -> float:
    """First step length, up to ``end``, at which contact i is unloaded or loaded again (bisection)."""
    low = 0.0
    high = end
    for _ in range(200):
        middle = 0.5 * (low + high)
        if run.time + middle <= run.time + low or run.time + middle >= run.time + high:
            return high
        if is_loaded(run, i, run.time + middle) == loaded:
            low = middle
        else:
            high = middle
    return high
