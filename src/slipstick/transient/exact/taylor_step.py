"""A long Taylor step through one state, up to the first guard; compiled.

No matrix is built and none decomposed, so it costs little to meet a state once, and undamped resonance or coinciding
modes are nothing special. Stiff states take many steps: those get a table of modes.
"""

from __future__ import annotations

import math

from slipstick.laws.source_parsing import Buffer
from slipstick.native import view
from slipstick.transient.exact import records as at
from slipstick.transient.exact.complementarity import hold_contacts, mark_sticking, rate_size, stop_contacts
from slipstick.transient.exact.corner_guards import (
    ACCELERATION_ROUNDING_REL,
    DOWN_GUARD,
    LOAD_GUARD,
    MOTION_ROUNDING_REL,
    RATE_GUARD,
    UP_GUARD,
    eliminated_guard,
    guard_count,
    is_reaction,
    level_rounding,
    unit_size,
)
from slipstick.transient.exact.guard_roots import NEVER
from slipstick.transient.exact.polynomial_roots import polynomial_root
from slipstick.transient.exact.taylor_series import (
    acceleration_coefficient,
    deflection_coefficients,
    load_size,
    next_order,
    piece_of,
    size_along,
    start_series,
)

TRUNCATION_REL = 1e-16  # of the accelerations: what the last term may be
SLIP_FORCE_ROUNDING = 2e-15  # of the accelerations that cancel where a contact begins to slip
MIN_SERIES_ORDER = 8  # orders, before a series may end
MAX_COEFFICIENT = 1e200  # coefficients of a light mass on a stiff spring or damper: a series ends before they overflow


def begin_series(model: Buffer, state: Buffer, orders: int) -> int:
    """Begin the series of the motion in its present pieces; how many of the contacts that stick are independent."""
    c = int(model[at.CONTACTS])
    reaction = view(state, int(model[at.REACTION]))
    for i in range(c):
        reaction[i] = 0.0
    independent = 0
    if c > 0:
        independent = mark_sticking(model, state)
    if independent > 0:  # in many steps the rates of contacts that stick would add up from rounding
        start_series(model, state, 0)
        deflection_coefficients(model, state, 1)
        stop_contacts(model, state, independent)
        for i in range(c):
            reaction[i] = 0.0
    start_series(model, state, orders)
    return independent


def continue_series(model: Buffer, state: Buffer, k: int, independent: int) -> None:
    """Coefficient k of accelerations and reactions."""
    c = int(model[at.CONTACTS])
    reaction = view(state, int(model[at.REACTION]))
    series = view(state, int(model[at.R_SERIES]) + k * c)
    deflection_coefficients(model, state, k + 1)
    acceleration_coefficient(model, state, k, False)
    hold_contacts(model, state, k, independent)
    for i in range(c):
        series[i] = reaction[i]


def build_series(model: Buffer, state: Buffer, ahead: float) -> None:
    """Coefficients of the motion, the deflections and the reactions, as many as a step of length ``ahead`` needs."""
    c = int(model[at.CONTACTS])
    order = int(model[at.ORDER])
    sizes = view(state, int(model[at.R_SIZE]))
    independent = begin_series(model, state, order)
    early = 0.0  # accelerations: with them velocities and displacements are good too
    power = 1.0
    before = NEVER
    for k in range(order - 1):
        continue_series(model, state, k, independent)
        if k == 0:
            for i in range(c):
                sizes[i] = 0.0  # there is no reaction where the deflection is prescribed
                if model[int(model[at.DRIVEN]) + i] == 0.0:
                    sizes[i] = rate_size(model, state, 0, i) / model[int(model[at.GRAM]) + i * c + i]
        next_order(model, state, k)
        size = order_size(model, state, at.Q_SIZE, k + 2)
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
    state[at.ORDER_NOW] = float(order)
    deflection_coefficients(model, state, order)


def series_reach(model: Buffer, state: Buffer, most: float) -> float:
    """How far the series is good to rounding: the last terms of accelerations against an early one.

    An early one is as large as what it was summed from: where contacts hold all still, accelerations are rounding only.
    """
    order = int(state[at.ORDER_NOW])
    omega = view(model, int(model[at.OMEGA]))
    h = most
    if int(model[at.WAVES]) > 0:  # also where nothing moves: loads, limits and reactions are series too
        logarithm = math.log(TRUNCATION_REL)
        for k in range(2, order - 1):
            logarithm += math.log(float(k))
        reach = math.exp(logarithm / float(order - 2))  # of a wave: omega h that makes its last term so small
        for j in range(int(model[at.WAVES])):
            h = min(h, reach / omega[j])
    looked = 0
    for p in range(
        order, min(MIN_SERIES_ORDER, order - 2), -1
    ):  # the last two; of slow motions those that have not gone under
        last = float(p * (p - 1)) * order_size(model, state, at.Q_SERIES, p)
        if last > 0.0 and looked < 2:
            looked += 1
            best = 0.0
            for k in range(2, min(7, p)):
                early = float(k * (k - 1)) * order_size(model, state, at.Q_SIZE, k)
                if early > 0.0:
                    best = max(best, (TRUNCATION_REL * early / last) ** (1.0 / float(p - k)))
            h = min(h, best)
    return h


def order_size(model: Buffer, state: Buffer, series: int, k: int) -> float:
    """The largest coefficient of order k of a series, each coordinate weighted by the root of its inertia."""
    n = int(model[at.N])
    q = view(state, int(model[series]) + k * n)
    minv = view(model, int(model[at.MINV]))
    full = model[at.FULL_MASS] != 0.0
    size = 0.0
    for i in range(n):
        inverse = minv[i * n + i] if full else minv[i]
        size = max(size, abs(q[i]) / math.sqrt(inverse))
    return size


def move_series(model: Buffer, state: Buffer, s: float, x: Buffer) -> None:
    """Displacements and velocities a time s after the series begins."""
    n = int(model[at.N])
    order = int(state[at.ORDER_NOW])
    q = view(state, int(model[at.Q_SERIES]))
    for i in range(n):
        value = q[order * n + i]
        slope = 0.0
        for k in range(order - 1, -1, -1):
            slope = slope * s + value
            value = value * s + q[k * n + i]
        x[i] = value
        x[n + i] = slope


def note_series_sizes(model: Buffer, state: Buffer, s: float) -> None:
    """What rounding of displacements and velocities is measured by: the sizes of the terms they are summed from."""
    n = int(model[at.N])
    order = int(state[at.ORDER_NOW])
    q = view(state, int(model[at.Q_SERIES]))
    scale = view(state, int(model[at.SCALE]))
    wander = view(state, int(model[at.WANDER]))
    for i in range(n):
        value = abs(q[order * n + i])
        slope = 0.0
        for k in range(order - 1, -1, -1):
            slope = slope * s + value
            value = value * s + abs(q[k * n + i])
        wander[i] += s * slope
        scale[i] = max(scale[i], value)
        scale[n + i] = max(scale[n + i], slope)


def decided_rounding(model: Buffer, state: Buffer, e: int) -> float:
    """The acceleration of a contact that begins to slip which was zero for the decision that it does.

    Forces may be known to far less than they are: each coordinate to the rounding of what it was summed from.
    """
    acceleration_coefficient(model, state, 0, True)
    return level_rounding(state) * size_along(model, e, view(state, int(model[at.FORCE_SIZE])))


def series_root(model: Buffer, state: Buffer, h: float) -> tuple[float, int, int]:
    """The first time within h at which a guard ends, its unit and number; -1 if none does up to there."""
    m = int(model[at.UNITS])
    c = int(model[at.CONTACTS])
    order = int(state[at.ORDER_NOW])
    contact_of = view(model, int(model[at.CONTACT_OF]))
    varies = view(model, int(model[at.VARIES]))
    limit = view(state, int(model[at.L_SERIES]))
    reaction = view(state, int(model[at.R_SERIES]))
    u = view(state, int(model[at.U_SERIES]))
    g = view(state, int(model[at.G_SERIES]))
    best = h
    unit = -1
    number = -1
    for e in range(m):
        piece = piece_of(model, state, e)
        count = 4
        i = int(contact_of[e])
        if i < 0:
            count = guard_count(model, state, e)
        for which in range(count):
            size = 0.0
            if i < 0:
                constant, stiffness, damping = eliminated_guard(model, state, e, which)
                for k in range(order):
                    g[k] = stiffness * u[k * m + e] + damping * float(k + 1) * u[(k + 1) * m + e]
                g[0] += constant
                size = abs(constant) + abs(stiffness) * unit_size(model, state, e, 0)
                size += abs(damping) * unit_size(model, state, e, 1)
            elif which == RATE_GUARD and model[int(model[at.DRIVEN]) + i] != 0.0:
                continue  # `driven_friction` knows when that turns
            elif which == RATE_GUARD and (piece == at.SLIP_UP or piece == at.SLIP_DOWN):
                sign = 1.0 if piece == at.SLIP_UP else -1.0
                for k in range(order):
                    g[k] = sign * float(k + 1) * u[(k + 1) * m + e]
                size = unit_size(model, state, e, 1)
                if (
                    abs(g[1])
                    <= SLIP_FORCE_ROUNDING * state[int(model[at.R_SIZE]) + i] * model[int(model[at.GRAM]) + i * c + i]
                ):
                    g[1] = 0.0  # it has reached its limit, no more: what is left of the forces is rounding
                elif g[1] < 0.0 and g[0] <= MOTION_ROUNDING_REL * size and g[1] >= -decided_rounding(model, state, e):
                    g[1] = 0.0
            elif piece == at.STICK and (which == UP_GUARD or which == DOWN_GUARD):
                sign = -1.0 if which == UP_GUARD else 1.0
                ratio = model[int(model[at.RATIO]) + i]
                for k in range(order - 1):
                    g[k] = ratio * limit[k * c + i] + sign * reaction[k * c + i]
                g[order - 1] = 0.0
                size = abs(ratio * limit[i]) + state[int(model[at.R_SIZE]) + i]
            elif which == LOAD_GUARD and varies[i] != 0.0:
                sign = -1.0 if piece == at.UNLOADED else 1.0
                for k in range(order):
                    g[k] = sign * limit[k * c + i]
                size = load_size(model, state, 0, i)
            else:
                continue
            s, found = polynomial_root(
                g, order, best, size, ACCELERATION_ROUNDING_REL if is_reaction(model, e, which) else MOTION_ROUNDING_REL
            )
            if s < best:
                best = s
                unit = e if found else -1
                number = which
    return best, unit, number


def reaction_slope(model: Buffer, state: Buffer, e: int, which: int, s: float) -> tuple[float, float]:
    """The size of what the guard on the reaction of a sticking contact is summed from, and its slope at s."""
    c = int(model[at.CONTACTS])
    i = int(model[int(model[at.CONTACT_OF]) + e])
    ratio = model[int(model[at.RATIO]) + i]
    sign = -1.0 if which == UP_GUARD else 1.0
    size = 0.0
    slope = 0.0
    power = 1.0
    before = 0.0
    for k in range(int(state[at.ORDER_NOW]) - 1):
        value = ratio * state[int(model[at.L_SERIES]) + k * c + i] + sign * state[int(model[at.R_SERIES]) + k * c + i]
        size += abs(value) * power
        slope += float(k) * value * before
        before = power
        power *= s
    return max(size, abs(ratio * state[int(model[at.L_SERIES]) + i]) + state[int(model[at.R_SIZE]) + i]), slope
