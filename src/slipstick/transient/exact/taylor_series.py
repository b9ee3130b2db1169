"""The motion as a Taylor series in time, order by order; compiled.

In a given state of all units every force is affine, so coefficient k of the acceleration follows from those of
displacement (k) and velocity (k + 1). Long Taylor steps use this recurrence. So does the decision on the next state,
which solves the contact forces level by level. n coordinates, m units, h waves, c contacts.
"""

from __future__ import annotations

import math

from slipstick.native import Array, view
from slipstick.transient.exact import records as at
from slipstick.transient.exact.records import FlowModel, PackedPiece, State


def time_to(state: State, t: float) -> float:
    """The time from the present state to t."""
    return (t - state.time) - state.time_low


def pass_time(state: State, s: float) -> None:
    """Advance the time by s; ``time_low`` keeps the rounding of the sum."""
    t = state.time
    low = state.time_low + s
    total = t + low
    part = total - t
    state.time = total
    state.time_low = (t - (total - part)) + (low - part)


def set_waves(model: FlowModel, state: State) -> None:
    """Cosines and sines of all waves at the present time."""
    omega = model.frequencies
    wave_c = state.wave_cos
    wave_s = state.wave_sin
    for j in range(model.wave_count):
        phase = omega[j] * state.time + omega[j] * state.time_low
        if model.swept and model.wave_swept[j] != 0.0:
            phase, _, _ = sweep_now(model, state, j)
        wave_c[j] = math.cos(phase)
        wave_s[j] = math.sin(phase)


def sweep_now(model: FlowModel, state: State, j: int) -> tuple[float, float, float]:
    """Angle, speed and acceleration of a swept wave at the time of the state."""
    since = -time_to(state, model.epoch_begin[state.epoch])
    place = state.epoch * model.wave_count + j
    speed = model.sweep_speed[place]
    acceleration = model.sweep_acceleration[place]
    angle = model.sweep_angle[place] + since * (speed + 0.5 * acceleration * since)
    return angle, speed + acceleration * since, acceleration


def sweep_coefficients(model: FlowModel, state: State, j: int, orders: int) -> None:
    """Coefficients of a swept wave times its powers of speed and acceleration; `set_waves` has set the first."""
    h = model.wave_count
    wave_c = view(state.wave_cos, j)
    wave_s = view(state.wave_sin, j)
    _, speed, acceleration = sweep_now(model, state, j)
    for k in range(1, orders + 3):
        c = speed * wave_c[(k - 1) * h]
        s = speed * wave_s[(k - 1) * h]
        if k > 1:
            c += acceleration * wave_c[(k - 2) * h]
            s += acceleration * wave_s[(k - 2) * h]
        wave_c[k * h] = -s / float(k)
        wave_s[k * h] = c / float(k)
    for _ in range(int(model.speed_power[j])):
        for k in range(orders + 2, -1, -1):
            wave_c[k * h] *= speed
            wave_s[k * h] *= speed
            if k > 0:
                wave_c[k * h] += acceleration * wave_c[(k - 1) * h]
                wave_s[k * h] += acceleration * wave_s[(k - 1) * h]
    for _ in range(int(model.acceleration_power[j])):
        for k in range(orders + 3):
            wave_c[k * h] *= acceleration
            wave_s[k * h] *= acceleration


def wave_size(model: FlowModel, state: State, j: int, order: int) -> float:
    """A bound of coefficient ``order`` of a wave."""
    omega = model.frequencies[j]
    acceleration = 0.0
    size = 1.0
    if model.swept and model.wave_swept[j] != 0.0:
        _, speed, acceleration = sweep_now(model, state, j)
        omega = abs(speed)
        acceleration = abs(acceleration)
        for _ in range(int(model.speed_power[j])):
            size *= omega
        for _ in range(int(model.acceleration_power[j])):
            size *= acceleration
    before = 0.0
    for k in range(1, order + 1):
        following = (omega * size + acceleration * before) / float(k)
        before = size
        size = following
    return size


def start_series(model: FlowModel, state: State, orders: int) -> None:
    """Orders 0 and 1 from the present state, and the coefficients of all waves up to ``orders``."""
    n = model.coordinate_count
    h = model.wave_count
    x = state.motion
    scale = state.scale
    q = state.displacement_series
    size = state.displacement_size
    for i in range(2 * n):  # order 0, then order 1
        q[i] = x[i]
        scale[i] = max(scale[i], abs(x[i]))
        size[i] = scale[i]
    omega = model.frequencies
    wave_c = state.wave_cos
    wave_s = state.wave_sin
    set_waves(model, state)
    for j in range(h):
        if model.swept and model.wave_swept[j] != 0.0:
            sweep_coefficients(model, state, j, orders)
            continue
        for k in range(1, orders + 3):
            wave_c[k * h + j] = -omega[j] * wave_s[(k - 1) * h + j] / float(k)
            wave_s[k * h + j] = omega[j] * wave_c[(k - 1) * h + j] / float(k)
    limit_coefficients(model, state, orders)
    deflection_coefficients(model, state, 0)


def limit_coefficients(model: FlowModel, state: State, orders: int) -> None:
    """Coefficients of the sliding limits of all contacts."""
    c = model.contact_count
    h = model.wave_count
    mean = model.limit
    l_cos = model.limit_cos
    l_sin = model.limit_sin
    wave_c = state.wave_cos
    wave_s = state.wave_sin
    limit = state.limit_series
    for k in range(orders + 1):
        for i in range(c):
            value = 0.0
            if k == 0:
                value = mean[i]
            if model.swept:
                value += limit_line(model, state, k, i)
            for j in range(h):
                value += l_cos[i * h + j] * wave_c[k * h + j] + l_sin[i * h + j] * wave_s[k * h + j]
            limit[k * c + i] = value


def limit_line(model: FlowModel, state: State, k: int, i: int) -> float:
    """Coefficient k of the straight part of the limit of contact i."""
    place = state.epoch * model.contact_count + i
    if k == 0:
        return float(model.limit_constant[place] + model.limit_slope[place] * state.time)
    return float(model.limit_slope[place]) if k == 1 else 0.0


def load_size(model: FlowModel, state: State, k: int, i: int) -> float:
    """The size that rounding of coefficient k of contact i's limit refers to; rounding of the time shifts waves."""
    h = model.wave_count
    omega = model.frequencies
    value = 0.0
    if k == 0:
        value = abs(model.limit[i])
    if model.swept:
        value += abs(limit_line(model, state, k, i))
    for j in range(h):
        part = abs(model.limit_cos[i * h + j]) + abs(model.limit_sin[i * h + j])
        value += part * (1.0 + 0.01 * omega[j] * abs(state.time)) * wave_size(model, state, j, k)
    return value


def load_terms_size(model: FlowModel, state: State, k: int, e: int) -> float:
    """The sum of the sizes of all terms of coefficient k of the loads, as accelerations along unit e."""
    n = model.coordinate_count
    h = model.wave_count
    total = 0.0
    for i in range(n):
        share = inverse_mass_share(model, e, i)
        if share == 0.0:
            continue
        value = 0.0
        slope = abs(model.load_slope[state.epoch * n + i])
        if k == 0:
            value = abs(model.load_constant[state.epoch * n + i]) + slope * abs(state.time)
        elif k == 1:
            value = slope
        for j in range(h):
            part = abs(model.load_cos[i * h + j]) + abs(model.load_sin[i * h + j])
            value += part * (1.0 + 0.01 * model.frequencies[j] * abs(state.time)) * wave_size(model, state, j, k)
        total += share * value
    return total


def inverse_mass_share(model: FlowModel, e: int, i: int) -> float:
    """A bound of the acceleration of unit e by a unit force on coordinate i."""
    n = model.coordinate_count
    minv = model.inverse_mass
    total = 0.0
    for p in range(int(model.unit_begin[e]), int(model.unit_begin[e + 1])):
        j = int(model.unit_coordinate[p])
        if model.full_mass:
            total += abs(model.deflection[p] * minv[j * n + i])
        elif j == i:
            total += abs(model.deflection[p] * minv[j])
    return total


def offset_coefficient(model: FlowModel, state: State, k: int, e: int) -> float:
    """Coefficient k of the offset that prescribed motions add to the deflection of unit e."""
    if not model.has_offsets:
        return 0.0
    h = model.wave_count
    value, _ = offset_line(model, state, k, e)
    o_cos = view(model.offset_cos, e * h)
    o_sin = view(model.offset_sin, e * h)
    wave_c = view(state.wave_cos, k * h)
    wave_s = view(state.wave_sin, k * h)
    for j in range(h):
        value += o_cos[j] * wave_c[j] + o_sin[j] * wave_s[j]
    return value


def offset_size(model: FlowModel, state: State, k: int, e: int) -> float:
    """The sum of the sizes of the parts of `offset_coefficient`; rounding of the time shifts waves."""
    if not model.has_offsets:
        return 0.0
    h = model.wave_count
    _, value = offset_line(model, state, k, e)
    omega = model.frequencies
    o_cos = view(model.offset_cos, e * h)
    o_sin = view(model.offset_sin, e * h)
    for j in range(h):
        part = (abs(o_cos[j]) + abs(o_sin[j])) * (1.0 + 0.01 * omega[j] * abs(state.time))
        value += part * wave_size(model, state, j, k)
    return value


def offset_line(model: FlowModel, state: State, k: int, e: int) -> tuple[float, float]:
    """Coefficient k of the straight part of an offset, and its size."""
    slope = model.offset_slope[state.epoch * model.unit_count + e]
    if k == 0:
        constant = model.offset_constant[state.epoch * model.unit_count + e]
        return constant + slope * state.time, abs(constant) + abs(slope * state.time)
    if k == 1:
        return slope, abs(slope)
    return 0.0, 0.0


def along_unit(model: FlowModel, e: int, vector: Array) -> float:
    """The deflection of unit e in a vector of coordinates."""
    d_at = model.unit_begin
    column = model.unit_coordinate
    d_value = model.deflection
    total = 0.0
    for p in range(int(d_at[e]), int(d_at[e + 1])):
        total += d_value[p] * vector[int(column[p])]
    return total


def size_along(model: FlowModel, e: int, vector: Array) -> float:
    """`along_unit` with absolute values: the size that rounding of a deflection refers to."""
    d_at = model.unit_begin
    column = model.unit_coordinate
    d_value = model.deflection
    total = 0.0
    for p in range(int(d_at[e]), int(d_at[e + 1])):
        total += abs(d_value[p] * vector[int(column[p])])
    return total


def deflection_coefficients(model: FlowModel, state: State, k: int) -> None:
    """Coefficient k of all deflections."""
    n = model.coordinate_count
    m = model.unit_count
    q = view(state.displacement_series, k * n)
    u = view(state.deflection_series, k * m)
    for e in range(m):
        u[e] = along_unit(model, e, q) + offset_coefficient(model, state, k, e)


def unit_line(model: FlowModel, state: State, e: int) -> tuple[float, float, float]:
    """Force of a broken-line unit in its present piece: constant + U u + V v."""
    row = piece_row(model, state, e)
    memory = state.memory[e]
    if row.moves:
        return row.constant - row.w * memory, row.u + row.w, row.v
    return row.constant + row.w * memory, row.u, row.v


def partner_line(model: FlowModel, state: State, e: int) -> tuple[int, float, float]:
    """The partner of a broken-line unit, and stiffness and damping of the unit's force by it; -1 without one."""
    p = int(model.partner[e])
    if p < 0:
        return -1, 0.0, 0.0
    row = piece_row(model, state, e)
    return p, row.partner, row.partner_rate


def piece_row(model: FlowModel, state: State, e: int) -> PackedPiece:
    """The present piece of a broken-line unit."""
    first = int(model.first_piece[e])
    return model.pieces[first + piece_of(state, e)]


def piece_of(state: State, e: int) -> int:
    return int(state.piece[e])


def acceleration_coefficient(model: FlowModel, state: State, k: int, careful: bool) -> None:
    """Coefficient k of the acceleration without the reactions of sticking contacts, and the size of its terms.

    careful : the size of a deflection is that of its terms, as the decision of ties requires.
    """
    n = model.coordinate_count
    m = model.unit_count
    own = view(state.displacement_size, k * n)
    following = view(state.displacement_size, (k + 1) * n)
    force = state.force
    size = state.force_size
    linear_forces(model, state, k, force, size)
    u = view(state.deflection_series, k * m)
    rate = view(state.deflection_series, (k + 1) * m)
    contact_of = model.contact_of
    limit = view(state.limit_series, k * model.contact_count)
    d_at = model.unit_begin
    column = model.unit_coordinate
    a_value = model.along
    for e in range(m):
        if contact_of[e] < 0.0:
            constant, stiffness, damping = unit_line(model, state, e)
            f = stiffness * u[e] + damping * float(k + 1) * rate[e]
            f_size = abs(stiffness * u[e]) + abs(damping * float(k + 1) * rate[e])
            if careful:
                f_size = abs(stiffness) * (size_along(model, e, own) + offset_size(model, state, k, e))
                if damping != 0.0:
                    rate_size = size_along(model, e, following) + offset_size(model, state, k + 1, e)
                    f_size += abs(damping) * float(k + 1) * rate_size
            partner, stiffness, damping = partner_line(model, state, e)
            if stiffness != 0.0 or damping != 0.0:
                f += stiffness * u[partner] + damping * float(k + 1) * rate[partner]
                f_size += abs(stiffness) * (size_along(model, partner, own) + offset_size(model, state, k, partner))
                if damping != 0.0:
                    rate_size = size_along(model, partner, following) + offset_size(model, state, k + 1, partner)
                    f_size += abs(damping) * float(k + 1) * rate_size
            if k == 0:
                f += constant
                f_size += abs(constant)
        else:
            share = friction_share(model, piece_of(state, e), int(contact_of[e]))
            f = share * limit[int(contact_of[e])]
            f_size = abs(f)
            if careful:
                f_size = abs(share) * load_size(model, state, k, int(contact_of[e]))
        if f_size != 0.0:
            for p in range(int(d_at[e]), int(d_at[e + 1])):
                i = int(column[p])
                force[i] -= a_value[p] * f
                size[i] += abs(a_value[p]) * f_size
    divide_by_mass(model, state, force)
    divide_by_mass(model, state, size)


def friction_share(model: FlowModel, piece: int, i: int) -> float:
    """The force of contact i over its sliding limit if it slides; 0 if it sticks or is unloaded."""
    if piece == at.SLIP_UP:
        return 1.0
    if piece == at.SLIP_DOWN:
        return -1.0
    if piece == at.HELD_UP:
        return float(model.static_ratio[i])
    if piece == at.HELD_DOWN:
        return -float(model.static_ratio[i])
    return 0.0


def is_sticking(piece: float) -> bool:
    """True for a piece in which a contact sticks: by itself, or held at its limit by others."""
    return piece == float(at.STICK) or piece == float(at.HELD_UP) or piece == float(at.HELD_DOWN)


def linear_forces(model: FlowModel, state: State, k: int, force: Array, size: Array) -> None:
    """Coefficient k of loads minus the forces of the linear part."""
    n = model.coordinate_count
    h = model.wave_count
    constants = view(model.load_constant, state.epoch * n)
    slopes = view(model.load_slope, state.epoch * n)
    f_cos = model.load_cos
    f_sin = model.load_sin
    wave_c = view(state.wave_cos, k * h)
    wave_s = view(state.wave_sin, k * h)
    q = view(state.displacement_series, k * n)
    v = view(state.displacement_series, (k + 1) * n)
    k_at = model.row_begin
    column = model.column
    stiffness = model.stiffness
    damping = model.damping
    for i in range(n):
        value = 0.0
        if k == 0:
            value = constants[i] + slopes[i] * state.time
        elif k == 1:
            value = slopes[i]
        for j in range(h):
            value += f_cos[i * h + j] * wave_c[j] + f_sin[i * h + j] * wave_s[j]
        total = abs(value)
        for p in range(int(k_at[i]), int(k_at[i + 1])):
            j = int(column[p])
            spring = stiffness[p] * q[j]
            damper = damping[p] * float(k + 1) * v[j]
            value -= spring + damper
            total += abs(spring) + abs(damper)
        force[i] = value
        size[i] = total


def divide_by_mass(model: FlowModel, state: State, vector: Array) -> None:
    """Turn a force vector into an acceleration; sizes remain sizes if masses are not coupled."""
    n = model.coordinate_count
    minv = model.inverse_mass
    if not model.full_mass:
        for i in range(n):
            vector[i] *= minv[i]
        return
    room = state.work
    for i in range(n):
        total = 0.0
        for j in range(n):
            total += minv[i * n + j] * vector[j]
        room[i] = total
    for i in range(n):
        vector[i] = room[i]


def next_order(model: FlowModel, state: State, k: int) -> None:
    """Displacement of order k + 2 from the acceleration of order k."""
    n = model.coordinate_count
    force = state.force
    force_size = state.force_size
    q = view(state.displacement_series, (k + 2) * n)
    size = view(state.displacement_size, (k + 2) * n)
    for i in range(n):
        q[i] = force[i] / float((k + 1) * (k + 2))
        size[i] = abs(force_size[i]) / float((k + 1) * (k + 2))
