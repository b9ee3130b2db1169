"""A long Taylor step through one state, up to the first guard; compiled.

No matrix is built or decomposed. So a state that occurs once costs little, and undamped resonance and coinciding modes
need no special treatment. Stiff states need many steps: these get a modal table.
"""

from __future__ import annotations

import math

from slipstick.native import Array, view
from slipstick.transient.exact import records as at
from slipstick.transient.exact.complementarity import hold_contacts, mark_sticking, rate_size, stop_contacts
from slipstick.transient.exact.corner_guards import (
    ACCELERATION_ROUNDING_REL,
    CONTACT_GUARDS,
    DOWN_GUARD,
    GAP_GUARD,
    LOAD_GUARD,
    MOTION_ROUNDING_REL,
    RATE_GUARD,
    UP_GUARD,
    eliminated_guard,
    guard_count,
    is_reaction,
    level_rounding,
    partner_guard,
    unit_size,
)
from slipstick.transient.exact.guard_roots import NEVER
from slipstick.transient.exact.guards import friction_of
from slipstick.transient.exact.polynomial_roots import polynomial_root
from slipstick.transient.exact.records import FlowModel, State
from slipstick.transient.exact.taylor_series import (
    acceleration_coefficient,
    deflection_coefficients,
    load_size,
    next_order,
    piece_of,
    size_along,
    start_series,
    wave_size,
)

TRUNCATION_REL = 1e-16  # of the accelerations: the largest last term
SLIP_FORCE_ROUNDING = 2e-15  # of the accelerations that cancel where a contact begins to slip
MIN_SERIES_ORDER = 8  # orders of a series, at least
MAX_TERMS, MAX_HALVINGS = 8.0, 200  # of the size of a stop's distance: its terms within a step; halvings to get there
MAX_COEFFICIENT = 1e200  # coefficients of a light mass on a stiff spring or damper: a series ends before they overflow


def begin_series(model: FlowModel, state: State, orders: int) -> int:
    """Begin the series of the motion in its present pieces; return how many sticking contacts are independent."""
    c = model.contact_count
    reaction = state.reaction
    for i in range(c):
        reaction[i] = 0.0
    independent = 0
    if c > 0:
        independent = mark_sticking(model, state)
    if independent > 0:  # over many steps rounding would accumulate in the rates of sticking contacts
        start_series(model, state, 0)
        deflection_coefficients(model, state, 1)
        stop_contacts(model, state, independent)
        for i in range(c):
            reaction[i] = 0.0
    start_series(model, state, orders)
    return independent


def continue_series(model: FlowModel, state: State, k: int, independent: int) -> None:
    """Coefficient k of accelerations and reactions."""
    c = model.contact_count
    reaction = state.reaction
    series = view(state.reaction_series, k * c)
    deflection_coefficients(model, state, k + 1)
    acceleration_coefficient(model, state, k, False)
    hold_contacts(model, state, k, independent)
    for i in range(c):
        series[i] = reaction[i]


def build_series(model: FlowModel, state: State, ahead: float) -> None:
    """Coefficients of motion, deflections and reactions, up to the order that a step of length ``ahead`` needs."""
    c = model.contact_count
    order = model.taylor_order
    sizes = state.reaction_size
    independent = begin_series(model, state, order)
    early = 0.0  # of accelerations: if they converge, velocities and displacements do too
    power = 1.0
    before = NEVER
    for k in range(order - 1):
        continue_series(model, state, k, independent)
        if k == 0:
            for i in range(c):
                sizes[i] = 0.0  # there is no reaction where the deflection is prescribed
                if model.driven[i] == 0.0:
                    sizes[i] = rate_size(model, state, 0, i) / model.delassus[i * c + i]
        next_order(model, state, k)
        size = order_size(model, state.displacement_size, k + 2)
        if not size < MAX_COEFFICIENT and k > 1:
            order = k + 1
            break
        if ahead < NEVER:
            last = float((k + 1) * (k + 2)) * size * power
            early = max(early, last)
            power *= ahead
            if k >= MIN_SERIES_ORDER and max(last, before) <= TRUNCATION_REL * early:
                order = k + 2
                break
            before = last
    state.order = order
    deflection_coefficients(model, state, order)


def series_reach(model: FlowModel, state: State, most: float) -> float:
    """The length over which the series is accurate to rounding: its last terms of accelerations against an early one.

    The early one has the size of its terms: where contacts hold everything, accelerations are only rounding.
    """
    order = state.order
    omega = model.frequencies
    h = most
    if model.wave_count > 0:  # even if nothing moves: loads, limits and reactions are series too
        logarithm = math.log(TRUNCATION_REL)
        for k in range(2, order - 1):
            logarithm += math.log(float(k))
        reach = math.exp(logarithm / float(order - 2))  # of a wave: the omega h that makes its last term this small
        for j in range(model.wave_count):
            if not model.swept or model.wave_swept[j] == 0.0:
                h = min(h, reach / omega[j])
            else:
                h = min(h, sweep_reach(model, state, j, order))
    looked = 0
    for p in range(
        order, min(MIN_SERIES_ORDER, order - 2), -1
    ):  # the last two; for slow motions the last that have not underflowed
        last = float(p * (p - 1)) * order_size(model, state.displacement_series, p)
        if last > 0.0 and looked < 2:
            looked += 1
            best = 0.0
            for k in range(2, min(7, p)):
                early = float(k * (k - 1)) * order_size(model, state.displacement_size, k)
                if early > 0.0:
                    best = max(best, (TRUNCATION_REL * early / last) ** (1.0 / float(p - k)))
            h = min(h, best)
    return h


def sweep_reach(model: FlowModel, state: State, j: int, order: int) -> float:
    """How far the series of a wave of varying frequency is good to rounding."""
    early = max(wave_size(model, state, j, 0), 1e-300)
    reach = NEVER
    for k in range(order - 3, order - 1):
        last = wave_size(model, state, j, k)
        if last > 0.0:
            reach = min(reach, (TRUNCATION_REL * early / last) ** (1.0 / float(k)))
    return reach


def order_size(model: FlowModel, series: Array, k: int) -> float:
    """The largest coefficient of order k of a series, each coordinate weighted by the root of its inertia."""
    n = model.coordinate_count
    q = view(series, k * n)
    minv = model.inverse_mass
    full = model.full_mass
    size = 0.0
    for i in range(n):
        inverse = minv[i * n + i] if full else minv[i]
        size = max(size, abs(q[i]) / math.sqrt(inverse))
    return size


def move_series(model: FlowModel, state: State, s: float, x: Array) -> None:
    """Displacements and velocities a time s after the series begins."""
    n = model.coordinate_count
    order = state.order
    q = state.displacement_series
    for i in range(n):
        value = q[order * n + i]
        slope = 0.0
        for k in range(order - 1, -1, -1):
            slope = slope * s + value
            value = value * s + q[k * n + i]
        x[i] = value
        x[n + i] = slope


def note_series_sizes(model: FlowModel, state: State, s: float) -> None:
    """Update the sizes that rounding of displacements and velocities refers to: sums of the sizes of their terms."""
    n = model.coordinate_count
    order = state.order
    q = state.displacement_series
    scale = state.scale
    wander = state.phase_rounding
    for i in range(n):
        value = abs(q[order * n + i])
        slope = 0.0
        for k in range(order - 1, -1, -1):
            slope = slope * s + value
            value = value * s + abs(q[k * n + i])
        wander[i] += s * slope
        scale[i] = max(scale[i], value)
        scale[n + i] = max(scale[n + i], slope)


def decided_rounding(model: FlowModel, state: State, e: int) -> float:
    """The acceleration that counts as zero in the decision that a contact begins to slip.

    Large forces may cancel: each coordinate is accurate to the rounding of its terms.
    """
    acceleration_coefficient(model, state, 0, True)
    return level_rounding(state) * size_along(model, e, state.force_size)


def write_line_guard_series(model: FlowModel, state: State, e: int, which: int) -> float:
    """Write coefficients of a guard of a piecewise-linear unit to ``guard_series``; return the size of its terms."""
    m = model.unit_count
    u = state.deflection_series
    g = state.guard_series
    constant, stiffness, damping = eliminated_guard(model, state, e, which)
    for k in range(state.order):
        g[k] = stiffness * u[k * m + e] + damping * float(k + 1) * u[(k + 1) * m + e]
    g[0] += constant
    size = abs(constant) + abs(stiffness) * unit_size(model, state, e, 0)
    size += abs(damping) * unit_size(model, state, e, 1)
    partner, stiffness, damping = partner_guard(model, state, e, which)
    if stiffness != 0.0 or damping != 0.0:
        for k in range(state.order):
            g[k] += stiffness * u[k * m + partner] + damping * float(k + 1) * u[(k + 1) * m + partner]
        size += abs(stiffness) * unit_size(model, state, partner, 0)
        size += abs(damping) * unit_size(model, state, partner, 1)
    return size


def write_contact_guard_series(model: FlowModel, state: State, e: int, which: int) -> float:
    """The same for a contact; -1 if its piece has no such guard."""
    m = model.unit_count
    c = model.contact_count
    order = state.order
    i = int(model.contact_of[e])
    piece = piece_of(state, e)
    limit = state.limit_series
    reaction = state.reaction_series
    u = state.deflection_series
    g = state.guard_series
    if which == RATE_GUARD and model.driven[i] != 0.0:
        return -1.0  # `driven_friction` finds its reversals
    if which == GAP_GUARD or (model.stop[i] != 0.0 and which == UP_GUARD):
        return write_gap_guard_series(model, state, e) if which == GAP_GUARD and piece == at.UNLOADED else -1.0
    if which == RATE_GUARD and (piece == at.SLIP_UP or piece == at.SLIP_DOWN):
        sign = 1.0 if piece == at.SLIP_UP else -1.0
        for k in range(order):
            g[k] = sign * float(k + 1) * u[(k + 1) * m + e]
        size = unit_size(model, state, e, 1)
        if abs(g[1]) <= SLIP_FORCE_ROUNDING * state.reaction_size[i] * model.delassus[i * c + i]:
            g[1] = 0.0  # the force has just reached its limit: the rest is rounding
        elif g[1] < 0.0 and g[0] <= MOTION_ROUNDING_REL * size and g[1] >= -decided_rounding(model, state, e):
            g[1] = 0.0
        return size
    if piece == at.STICK and (which == UP_GUARD or which == DOWN_GUARD):
        sign = -1.0 if which == UP_GUARD else 1.0
        ratio = model.static_ratio[i]
        for k in range(order - 1):
            g[k] = ratio * limit[k * c + i] + sign * reaction[k * c + i]
        g[order - 1] = 0.0
        size = abs(ratio * limit[i]) + state.reaction_size[i]
        load = friction_of(model, i)
        if load != 0.0:
            normal = int(model.normal_of[i])
            for k in range(order - 1):
                g[k] += load * reaction[k * c + normal]
            size += load * state.reaction_size[normal]
        return float(size)
    if which == LOAD_GUARD and model.limit_varies[i] != 0.0:
        sign = -1.0 if piece == at.UNLOADED else 1.0
        for k in range(order):
            g[k] = sign * limit[k * c + i]
        return load_size(model, state, 0, i)
    return -1.0


def write_gap_guard_series(model: FlowModel, state: State, e: int) -> float:
    """The same for the distance of an open stop; -1 for friction.

    After a rebound the distance is zero at the start, and the series is that over the time: flights far below the
    rounding of a deflection keep their digits.
    """
    m = model.unit_count
    i = int(model.contact_of[e])
    u = state.deflection_series
    g = state.guard_series
    if model.stop[i] == 0.0:
        return -1.0
    first = 1 if state.touch[i] == at.REBOUNDING else 0
    for k in range(state.order - first):
        g[k] = -u[(k + first) * m + e]
    if first == 1:
        g[state.order - 1] = 0.0
        return float(abs(g[0]))
    g[0] += model.gap[i]
    return float(abs(model.gap[i]) + unit_size(model, state, e, 0))


def clear_reach(state: State, most: float, size: float) -> float:
    """The time over which the terms of a stop's distance stay near its size, so that rounding stays small."""
    g = state.guard_series
    reach = most
    if max(size, abs(g[0])) == 0.0:
        return most
    for _ in range(MAX_HALVINGS):
        terms = 0.0
        power = reach
        for k in range(1, state.order):
            terms += abs(g[k]) * power
            power *= reach
        if terms <= MAX_TERMS * max(size, abs(g[0])):
            return reach
        reach *= 0.5
    return reach


def series_root(model: FlowModel, state: State, h: float) -> tuple[float, int, int]:
    """The first time within h at which a guard becomes negative, its unit and number; -1: none does."""
    best = h
    unit = -1
    number = -1
    for e in range(model.unit_count):
        touches = model.contact_of[e] >= 0.0
        for which in range(CONTACT_GUARDS if touches else guard_count(model, state, e)):
            size = 0.0
            if touches:
                size = write_contact_guard_series(model, state, e, which)
                if size < 0.0:
                    continue
            else:
                size = write_line_guard_series(model, state, e, which)
            small = ACCELERATION_ROUNDING_REL if is_reaction(model, e, which) else MOTION_ROUNDING_REL
            reach = best
            if touches and which == GAP_GUARD:
                reach = clear_reach(state, best, size)
            s, found = polynomial_root(state.guard_series, state.order, reach, size, small)
            if s < best:
                best = s
                unit = e if found else -1
                number = which
    return best, unit, number


def reaction_slope(model: FlowModel, state: State, e: int, which: int, s: float) -> tuple[float, float]:
    """The size of the terms of the guard on a sticking contact's reaction, and its slope at s."""
    c = model.contact_count
    i = int(model.contact_of[e])
    ratio = model.static_ratio[i]
    sign = -1.0 if which == UP_GUARD else 1.0
    size = 0.0
    slope = 0.0
    power = 1.0
    before = 0.0
    for k in range(state.order - 1):
        value = ratio * state.limit_series[k * c + i] + sign * state.reaction_series[k * c + i]
        size += abs(value) * power
        slope += float(k) * value * before
        before = power
        power *= s
    return max(size, abs(ratio * state.limit_series[i]) + state.reaction_size[i]), slope
