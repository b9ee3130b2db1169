"""Guards along a segment as sums of modes; compiled.

A guard is on a deflection and its rate (broken lines, sliding contacts), on a reaction (sticking contacts), or on a
normal load that varies in time. Each becomes coefficients of modes, a polynomial and waves, as `guard_roots` reads
them.
"""

from __future__ import annotations

import math

from slipstick.native import Array, local_numbers, view
from slipstick.transient.exact import records as at
from slipstick.transient.exact.corner_guards import (
    DOWN_GUARD,
    GAP_GUARD,
    LOAD_GUARD,
    RATE_GUARD,
    UP_GUARD,
    eliminated_guard,
    guard_count,
    partner_guard,
)
from slipstick.transient.exact.records import FlowModel, ModalTable, State
from slipstick.transient.exact.root_exclusion import (
    I_BEND,
    I_GRAIN,
    I_GUARD,
    I_SIZE,
    I_UNIT,
    INFO_ROW,
    LAMBDA_ROW,
    MODE_ROW,
)
from slipstick.transient.exact.taylor_series import along_unit, load_size, offset_size, piece_of, size_along


def write_guards(model: FlowModel, table: ModalTable, state: State) -> int:
    """Write all guards of the present state in modes; return their number."""
    m = model.unit_count
    contact_of = model.contact_of
    varies = model.limit_varies
    count = 0
    stuck = 0
    for e in range(m):
        if contact_of[e] < 0.0:
            for g in range(guard_count(model, state, e)):
                deflection_guard(model, table, state, count, e, g)
                count += 1
            continue
        i = int(contact_of[e])
        piece = piece_of(state, e)
        if model.driven[i] != 0.0:
            pass  # `driven_friction` knows when its rate turns
        elif model.stop[i] != 0.0:
            if piece == at.UNLOADED:
                deflection_guard(model, table, state, count, e, GAP_GUARD)
                count += 1
            elif piece == at.STICK:
                reaction_guard(model, table, state, count, e, DOWN_GUARD, stuck)
                count += 1
                stuck += 1
        elif piece == at.SLIP_UP or piece == at.SLIP_DOWN:
            deflection_guard(model, table, state, count, e, RATE_GUARD)
            count += 1
        elif piece == at.STICK:
            reaction_guard(model, table, state, count, e, UP_GUARD, stuck)
            reaction_guard(model, table, state, count + 1, e, DOWN_GUARD, stuck)
            count += 2
            stuck += 1
        if varies[i] != 0.0:
            load_guard(model, table, state, count, e, -1.0 if piece == at.UNLOADED else 1.0)
            count += 1
    return count


def deflection_form(model: FlowModel, state: State, e: int, g: int) -> tuple[float, float, float]:
    """Guard g of unit e as constant + stiffness u + damping v; that of a sliding contact is its rate in the direction
    of sliding, that of an open stop its distance."""
    if model.contact_of[e] < 0.0:
        return eliminated_guard(model, state, e, g)
    if g == GAP_GUARD:
        return model.gap[int(model.contact_of[e])], -1.0, 0.0
    return 0.0, 0.0, -1.0 if piece_of(state, e) == at.SLIP_DOWN else 1.0


def deflection_guard(model: FlowModel, table: ModalTable, state: State, place: int, e: int, g: int) -> None:
    """Guard g of unit e, on its deflection and rate, as guard number ``place``."""
    constant, stiffness, damping = deflection_form(model, state, e, g)
    partner = -1
    spring = 0.0
    damper = 0.0
    if model.contact_of[e] < 0.0:
        partner, spring, damper = partner_guard(model, state, e, g)
    other = max(partner, 0)
    h = model.wave_count
    r = table.mode_count
    lam = table.eigenvalues
    u = view(table.unit_shapes, 2 * e * r)
    uw = view(table.unit_response, 4 * e * h)
    pu = view(table.unit_shapes, 2 * other * r)
    pw = view(table.unit_response, 4 * other * h)
    c = state.amplitudes
    noise = state.amplitude_size
    modes = view(state.guard_modes, place * MODE_ROW * r)
    factors = local_numbers(4)
    size = abs(constant)
    for k in range(r):
        factors[0] = stiffness * u[2 * k]
        factors[1] = stiffness * u[2 * k + 1]
        factors[2] = damping * u[2 * k]
        factors[3] = damping * u[2 * k + 1]
        if partner >= 0:
            factors[0] += spring * pu[2 * k]
            factors[1] += spring * pu[2 * k + 1]
            factors[2] += damper * pu[2 * k]
            factors[3] += damper * pu[2 * k + 1]
        row = view(modes, MODE_ROW * k)
        size += put_mode(row, view(c, at.AMPLITUDES * k), view(lam, LAMBDA_ROW * k), noise[k], factors)
    omega = model.frequencies
    bend = 0.0
    for j in range(h):
        a = uw[4 * j]
        b = uw[4 * j + 1]
        ar = a * stiffness - b * damping * omega[j]
        ai = b * stiffness + a * damping * omega[j]
        if partner >= 0:
            ar += pw[4 * j] * spring - pw[4 * j + 1] * damper * omega[j]
            ai += pw[4 * j + 1] * spring + pw[4 * j] * damper * omega[j]
        amount = put_wave(model, state, place, j, ar, ai)
        size += amount
        bend += amount * omega[j] * omega[j]
    own = view(state.guard_polynomials, place * (at.DEGREE + 1))
    for p in range(at.DEGREE + 1):
        own[p] = 0.0
    own[0] = constant
    add_polynomial(model, state, e, stiffness, damping, own)
    physical = physical_size(model, state, e, stiffness, damping)
    if partner >= 0:
        add_polynomial(model, state, partner, spring, damper, own)
        physical += physical_size(model, state, partner, spring, damper)
    grain = amplitude_rounding_of(model, modes, r)
    own_size = max(size, physical + abs(constant))
    put_guard_info(view(state.guard_info, INFO_ROW * place), e, g, own_size, bend, grain)


def physical_size(model: FlowModel, state: State, e: int, stiffness: float, damping: float) -> float:
    """The size of stiffness u + damping v of unit e over the run so far."""
    scale = state.scale
    size = abs(stiffness) * (size_along(model, e, scale) + offset_size(model, state, 0, e))
    rate = size_along(model, e, view(scale, model.coordinate_count)) + offset_size(model, state, 1, e)
    return size + abs(damping) * rate


def add_polynomial(model: FlowModel, state: State, e: int, stiffness: float, damping: float, out: Array) -> None:
    """Add the polynomial part of stiffness u + damping v, with prescribed motions that are straight lines."""
    n = model.coordinate_count
    m = model.unit_count
    poly = state.polynomial
    line1 = model.offset_slope[state.epoch * m + e]
    line0 = model.offset_constant[state.epoch * m + e] + line1 * state.time
    before = along_unit(model, e, poly) + line0
    for p in range(at.DEGREE + 1):
        after = 0.0
        if p < at.DEGREE:
            after = along_unit(model, e, view(poly, (p + 1) * n))
        if p == 0:
            after += line1
        out[p] += stiffness * before + damping * float(p + 1) * after
        before = after


def put_mode(row: Array, c: Array, lam: Array, noise: float, factors: Array) -> float:
    """Write the row of a mode in a guard, and return its size.

    factors : of the mode and of its rate, complex.   A slow mode c e + c1 E1 + c2 E2 has the rate (c l + c1) e + c2 E1.
    """
    kr = factors[0]
    ki = factors[1]
    dr = factors[2]
    di = factors[3]
    rate_r = c[0] * lam[0] - c[1] * lam[1] + c[2] * lam[2]
    rate_i = c[0] * lam[1] + c[1] * lam[0] + c[3] * lam[2]
    row[0] = c[0] * kr - c[1] * ki + rate_r * dr - rate_i * di
    row[1] = c[0] * ki + c[1] * kr + rate_r * di + rate_i * dr
    row[9] = noise * math.hypot(kr + dr * lam[0] - di * lam[1], ki + dr * lam[1] + di * lam[0])
    row[5] = 0.0
    row[6] = 0.0
    row[7] = 0.0
    row[8] = 0.0
    if lam[2] != 0.0:
        row[5] = c[2] * kr - c[3] * ki + c[4] * dr - c[5] * di
        row[6] = c[2] * ki + c[3] * kr + c[4] * di + c[5] * dr
        row[7] = c[4] * kr - c[5] * ki
        row[8] = c[4] * ki + c[5] * kr
    put_slope(row, lam)
    return math.hypot(row[0], row[1])


def put_acceleration(row: Array, c: Array, lam: Array, noise: float, mr: float, mi: float) -> float:
    """Add (mr + i mi) times the acceleration of a mode, (c l^2 + c1 l + c2) e, to its row; return its size."""
    ar = c[0] * lam[0] - c[1] * lam[1] + c[2] * lam[2]
    ai = c[0] * lam[1] + c[1] * lam[0] + c[3] * lam[2]
    br = ar * lam[0] - ai * lam[1] + c[4] * lam[2]
    bi = ar * lam[1] + ai * lam[0] + c[5] * lam[2]
    row[9] += noise * math.hypot(mr, mi) * (lam[0] * lam[0] + lam[1] * lam[1])
    row[0] += br * mr - bi * mi
    row[1] += br * mi + bi * mr
    put_slope(row, lam)
    return math.hypot(br * mr - bi * mi, br * mi + bi * mr)


def put_slope(row: Array, lam: Array) -> None:
    """Slope and bend of a mode in a guard, from its coefficients."""
    row[2] = row[0] * lam[0] - row[1] * lam[1] + row[5]
    row[3] = row[0] * lam[1] + row[1] * lam[0] + row[6]
    row[4] = math.hypot(row[2] * lam[0] - row[3] * lam[1] + row[7], row[2] * lam[1] + row[3] * lam[0] + row[8])


def put_wave(model: FlowModel, state: State, place: int, j: int, re: float, im: float) -> float:
    """Wave j of a guard, with the phase it has where the segment begins; its size."""
    h = model.wave_count
    c = state.wave_cos[j]
    s = state.wave_sin[j]
    row = view(state.guard_waves, place * 2 * h + 2 * j)
    row[0] = re * c - im * s
    row[1] = re * s + im * c
    return math.hypot(re, im)


def put_guard_info(row: Array, e: int, g: int, size: float, bend: float, grain: float) -> None:
    row[I_UNIT] = float(e)
    row[I_GUARD] = float(g)
    row[I_SIZE] = size
    row[I_BEND] = bend
    row[I_GRAIN] = grain


def amplitude_rounding_of(model: FlowModel, modes: Array, r: int) -> float:
    """The size that rounding of the modes in a guard refers to, where coordinates have no inertia: their velocities are
    differences of forces that may be far larger."""
    total = 0.0
    if not model.regular:
        for k in range(r):
            total += modes[MODE_ROW * k + 9]
    return total


def reaction_guard(model: FlowModel, table: ModalTable, state: State, place: int, e: int, g: int, stuck: int) -> None:
    """The guard of the sticking contact of unit e: static limit less its reaction upwards, plus it downwards.

    stuck : the number of the contact among those that stick. The limit of the tangential contact of a pair is friction
        times the reaction of the normal one, which is the next of these.
    """
    sign = -1.0 if g == UP_GUARD else 1.0
    h = model.wave_count
    r = table.mode_count
    i = int(model.contact_of[e])
    ratio = model.static_ratio[i]
    lam = table.eigenvalues
    rows = view(table.reaction_modes, at.REACTION_ROW * stuck * r)
    load = friction_of(model, i)
    load_rows = view(table.reaction_modes, at.REACTION_ROW * (stuck + 1) * r)
    c = state.amplitudes
    noise = state.amplitude_size
    modes = view(state.guard_modes, place * MODE_ROW * r)
    factors = local_numbers(at.REACTION_ROW)
    size = abs(ratio * model.limit[i])
    for k in range(r):
        for p in range(at.REACTION_ROW):
            factors[p] = sign * rows[at.REACTION_ROW * k + p]
            if load != 0.0:
                factors[p] += load * load_rows[at.REACTION_ROW * k + p]
        row = view(modes, MODE_ROW * k)
        amplitude = view(c, at.AMPLITUDES * k)
        own_lam = view(lam, LAMBDA_ROW * k)
        size += put_mode(row, amplitude, own_lam, noise[k], factors)
        size += put_acceleration(row, amplitude, own_lam, noise[k], factors[4], factors[5])
    omega = model.frequencies
    rw = view(table.reaction_response, 2 * stuck * h)
    l_cos = view(model.limit_cos, i * h)
    l_sin = view(model.limit_sin, i * h)
    bend = 0.0
    for j in range(h):
        ar = sign * rw[2 * j] + ratio * l_cos[j]
        ai = sign * rw[2 * j + 1] - ratio * l_sin[j]
        if load != 0.0:
            ar += load * rw[2 * (h + j)]
            ai += load * rw[2 * (h + j) + 1]
        amount = put_wave(model, state, place, j, ar, ai)
        size += amount
        bend += amount * omega[j] * omega[j]
    own = view(state.guard_polynomials, place * (at.DEGREE + 1))
    for p in range(at.DEGREE + 1):
        own[p] = 0.0
    size += add_reaction_line(model, table, state, stuck, sign, own)
    if load != 0.0:
        size += add_reaction_line(model, table, state, stuck + 1, load, own)
    own[0] += ratio * model.limit[i]
    grain = amplitude_rounding_of(model, modes, r)
    put_guard_info(view(state.guard_info, INFO_ROW * place), e, g, size, bend, grain)


def friction_of(model: FlowModel, i: int) -> float:
    """The friction of a tangential contact of a pair; 0 for others."""
    return model.friction[i] if model.has_pairs and model.normal_of[i] >= 0.0 else 0.0


def add_reaction_line(model: FlowModel, table: ModalTable, state: State, stuck: int, share: float, own: Array) -> float:
    """Add the polynomial part of a reaction, R (f - K q - C q' - M q''), times a share; return the size of its constant
    terms."""
    n = model.coordinate_count
    count = table.stuck_count
    rf = view(table.reaction_force, stuck * n)
    rk = view(table.reaction_stiffness, stuck * n)
    rc = view(table.reaction_damping, stuck * n)
    rm = view(table.reaction_mass, stuck * n)
    units_force = state.line_force
    poly = state.polynomial
    ky = table.stuck_stiffness
    cy = table.stuck_damping
    lines = state.stuck_line
    size = 0.0
    for p in range(at.DEGREE + 1):
        value = 0.0
        for i in range(n):
            f = 0.0
            if p < 2:
                f = units_force[p * n + i]
                for s in range(count):  # the forces of stuck lines are in K q and C q' already
                    if p == 0:
                        f += ky[i * count + s] * lines[2 * s] + cy[i * count + s] * lines[2 * s + 1]
                    else:
                        f += ky[i * count + s] * lines[2 * s + 1]
            value += rf[i] * f - rk[i] * poly[p * n + i]
            if p == 0:
                size += abs(share) * (abs(rf[i] * f) + abs(rk[i] * poly[i]))
            if p < at.DEGREE:
                value -= float(p + 1) * rc[i] * poly[(p + 1) * n + i]
            if p < at.DEGREE - 1:
                value -= float((p + 1) * (p + 2)) * rm[i] * poly[(p + 2) * n + i]
        own[p] += share * value
    return size


def load_guard(model: FlowModel, table: ModalTable, state: State, place: int, e: int, sign: float) -> None:
    """sign * the normal load of a contact whose limit varies in time."""
    h = model.wave_count
    r = table.mode_count
    i = int(model.contact_of[e])
    modes = view(state.guard_modes, place * MODE_ROW * r)
    for k in range(MODE_ROW * r):
        modes[k] = 0.0
    omega = model.frequencies
    l_cos = view(model.limit_cos, i * h)
    l_sin = view(model.limit_sin, i * h)
    bend = 0.0
    for j in range(h):
        ar = sign * l_cos[j]
        ai = -sign * l_sin[j]
        bend += put_wave(model, state, place, j, ar, ai) * omega[j] * omega[j]
    own = view(state.guard_polynomials, place * (at.DEGREE + 1))
    for p in range(at.DEGREE + 1):
        own[p] = 0.0
    own[0] = sign * model.limit[i]
    size = load_size(model, state, 0, i)
    put_guard_info(view(state.guard_info, INFO_ROW * place), e, LOAD_GUARD, size, bend, 0.0)
