"""Stick or slip of all contacts after an event: the decision of the exact method for any smooth laws; compiled.

Contacts with zero relative velocity are decided together, order by order of the Taylor series of the motion
(`exact.resting_contacts`): a contact at its limit with zero acceleration is tied, and the next order decides. The exact
method has the coefficients in closed form. Here laws are any smooth functions: one-sided differences of the right-hand
side along the series so far give the next coefficient.
"""

from __future__ import annotations

from slipstick.forcing import forcing_at
from slipstick.native import Array, view
from slipstick.transient.events.contacts import contact_limit, prescribe_immobile
from slipstick.transient.events.equations import deflect, derivative, offsets_at
from slipstick.transient.events.records import Integration
from slipstick.transient.events.tolerances import (
    DIFFERENCE_ERROR_REL,
    DIFFERENCE_STEP_REL,
    EVENT_ZERO,
    MAX_STALLS,
    STALL_TIME_REL,
    TIE_SIZE_REL,
)
from slipstick.transient.exact import records as at
from slipstick.transient.exact.complementarity import (
    EXCLUDED,
    HOLDS,
    apply_reactions,
    factor_delassus,
    solve_complementarity,
    stop_rates,
)
from slipstick.transient.exact.corner_guards import level_rounding
from slipstick.transient.exact.immobile_coordinates import find_immobile
from slipstick.transient.exact.resting_contacts import classify_contacts, drop_sliding_contacts, set_reaction_bounds
from slipstick.transient.exact.taylor_series import is_sticking, size_along

ORDERS = 3  # of the series of accelerations
POINTS = 4  # of the differences: at the instant, and one, two and three steps later


def decide_contacts(run: Integration) -> bool:
    """Set the states of all contacts right after the current instant; False if that failed."""
    state = run.resting
    c = run.contact_count
    for i in range(c):
        state.released[i] = 0.0
    settled = False
    for _ in range(2 * c + 2):
        answer = attempt_decision(run)
        settled = answer == 0
        if answer != 1:  # else a contact exceeded its static limit: repeat with that contact sliding
            break
    adopt_states(run)
    return settled


def count_stalls(run: Integration) -> bool:
    """Count decisions at one time, each of which raises the zero of accelerations; False if there are too many."""
    state = run.resting
    near = run.accepted > 0 and run.time - state.time < STALL_TIME_REL * run.max_step
    state.stalled = state.stalled + 1 if near else 0
    state.time = run.time
    return state.stalled <= MAX_STALLS


def attempt_decision(run: Integration) -> int:
    """Decide once.   returns : 0 settled, 1 a contact exceeded its static limit, 2 not settled."""
    model = run.contacts
    state = run.resting
    run.independent = 0
    tied = select_resting(run)
    for i in range(run.contact_count):
        state.tie[i] = 0.0
    for k in range(ORDERS):
        if tied == 0:
            return 0
        free_coefficient(run, k)
        set_reaction_bounds(model, state, k, state.tie)
        if solve_complementarity(model, state, k, level_rounding(state)) < 0:
            return 2
        tied = classify_contacts(model, state, k, state.tie)
        if tied < 0:
            return 1
        apply_reactions(model, state)
        for i in range(run.contact_count):
            set_contact_direction(run, i)
        drop_sliding_contacts(model, state)
        keep_coefficient(run, k)
    return 0


def select_resting(run: Integration) -> int:
    """Set contacts that slip or are unloaded, stop all others, and return the number of the stopped ones."""
    state = run.resting
    resting = 0
    offsets_at(run, run.time)
    for i in range(run.contact_count):
        e = int(run.contact_elements[i])
        deflect(run, e, run.y)
        v = run.v[e]
        run.v_scale[e] = max(run.v_scale[e], abs(v))
        state.rates[i] = v
        state.status[i] = EXCLUDED
        stays = is_sticking(state.old_piece[i]) and run.accepted > 0 and not run.rates_jump
        # a limit that rises from zero counts as loaded
        if max(contact_limit(run, i, run.time), contact_limit(run, i, run.time + 1e-3 * run.difference_step)) <= 0.0:
            state.piece[i] = float(at.UNLOADED)
        elif stays or e == run.landed or abs(v) <= 2.0 * EVENT_ZERO * run.v_scale[e]:
            state.piece[i] = float(at.STICK)
            state.status[i] = HOLDS
            resting += 1
        else:
            state.piece[i] = float(at.SLIP_UP) if v > 0.0 else float(at.SLIP_DOWN)
        set_contact_direction(run, i)
    if resting > 0:
        independent = factor_delassus(run.contacts, state)
        find_immobile(run.contacts, state, independent)
        stop_rates(run.contacts, state, independent, view(run.y, run.coordinate_count))
        prescribe_immobile(run, run.offset_rate, view(run.y, run.coordinate_count))
    return resting


def set_contact_direction(run: Integration, i: int) -> None:
    """The direction in which a contact slips; 0 if it does not."""
    own = run.resting.piece[i]
    s = 0.0
    if own == float(at.SLIP_UP):
        s = 1.0
    elif own == float(at.SLIP_DOWN):
        s = -1.0
    run.direction[int(run.contact_elements[i])] = s


def free_coefficient(run: Integration, k: int) -> None:
    """Coefficient k of three series: accelerations without reactions of resting contacts, relative ones, and limits."""
    n = run.coordinate_count
    size = 2 * n + run.inner_count
    state = run.resting
    here = view(run.series, size * k)  # the rates of y of order k
    step = run.difference_step
    if run.next_break < run.break_count:  # on this side of it
        step = min(step, 0.3 * (run.break_times[run.next_break] - run.time))
    sizes = run.force_sizes
    for i in range(size):
        here[i] = 0.0
    for i in range(run.contact_count):
        state.limit_series[run.contact_count * k + i] = 0.0
        state.rates[i] = 0.0
    for p in range(1 if k == 0 else POINTS):
        weight = difference_weight(k, p) / step**k
        t = run.time + p * step
        along_series(run, k, p * step, run.y_trial)
        derivative(run, t, run.y_trial, run.rate_trial)
        if run.has_motions:
            forcing_at(run.offset_acceleration_functions, t, run.offset_acceleration)
        for i in range(size):
            here[i] += weight * run.rate_trial[i]
        for i in range(run.contact_count):
            state.limit_series[run.contact_count * k + i] += weight * contact_limit(run, i, t)
            if run.has_motions:
                state.rates[i] += weight * run.offset_acceleration[int(run.contact_elements[i])]
        if k == 0:
            measure_accelerations(run, sizes)
    doubt = TIE_SIZE_REL if k == 0 else DIFFERENCE_ERROR_REL * (DIFFERENCE_STEP_REL / step) ** k
    for i in range(n):
        state.force[i] = here[n + i]
        state.force_size[i] = doubt * sizes[i]
    for i in range(run.contact_count):
        e = int(run.contact_elements[i])
        for j in range(n):
            state.rates[i] += run.deflection_rows[n * e + j] * state.force[j]


def measure_accelerations(run: Integration, sizes: Array) -> None:
    """The sum of the sizes of all parts of each acceleration."""
    n = run.coordinate_count
    m = run.element_count
    for i in range(n):
        total = abs(run.rate_trial[n + i])
        for j in range(2 * n):
            total += abs(run.linear[2 * n * i + j] * run.y[j])
        for e in range(m):
            total += abs(run.response[m * i + e] * run.force[e])
        sizes[i] = total


def difference_weight(k: int, p: int) -> float:
    """Weight of point p in coefficient k of a Taylor series, times the step to the power k."""
    if k == 0:
        return 1.0
    if k == 1:
        return (-11.0 / 6.0 if p == 0 else 3.0) if p < 2 else (-1.5 if p == 2 else 1.0 / 3.0)
    return (1.0 if p == 0 else -2.5) if p < 2 else (2.0 if p == 2 else -0.5)


def along_series(run: Integration, k: int, after: float, out: Array) -> None:
    """The state some time after the instant, from the first k coefficients of its rates."""
    size = 2 * run.coordinate_count + run.inner_count
    for i in range(size):
        value = 0.0
        for j in range(k - 1, -1, -1):
            value = (value + run.series[size * j + i] / float(j + 1)) * after
        out[i] = run.y[i] + value


def keep_coefficient(run: Integration, k: int) -> None:
    """Store the accelerations with reactions included."""
    n = run.coordinate_count
    here = view(run.series, (2 * n + run.inner_count) * k + n)
    for i in range(n):
        here[i] = run.resting.force[i]


def adopt_states(run: Integration) -> None:
    """Set up the constraints of the contacts that stick, and the scale of each reaction."""
    state = run.resting
    model = run.contacts
    c = run.contact_count
    for i in range(c):
        e = int(run.contact_elements[i])
        limit = contact_limit(run, i, run.time)
        own = model.static_ratio[i] * limit
        if state.piece[i] == float(at.STICK):
            own = max(own, size_along(model, i, run.force_sizes) / model.delassus[i * c + i])
        run.reaction_scale[i] = max(run.reaction_scale[i], own)
        deflect(run, e, run.y)
        if not is_sticking(state.old_piece[i]) or run.accepted == 0:
            run.stick_place[i] = run.u[e]
        state.status[i] = HOLDS if state.piece[i] == float(at.STICK) else EXCLUDED
        run.at_rest[e] = 1.0 if abs(run.v[e]) <= 2.0 * EVENT_ZERO * run.v_scale[e] else 0.0
    run.independent = factor_delassus(model, state)
    find_immobile(model, state, run.independent)
