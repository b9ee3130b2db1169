"""The motion as a Taylor series in time, order by order; compiled.

In a given state of all units every force is affine, so coefficient k of the acceleration follows from those of
displacement (k) and velocity (k + 1). Long Taylor steps use this recurrence. So does the decision on the next state,
which solves the contact forces level by level. Names as in `records`: n coordinates, m units, h waves, c contacts.
"""

from __future__ import annotations

import math
from typing import Any

from slipstick.laws.source_parsing import Buffer
from slipstick.native import view
from slipstick.transient.exact import records as at


def time_to(state: Buffer, t: float) -> float:
    """How long it is from the state at hand to the time t."""
    return (t - state[at.TIME]) - state[at.TIME_LOW]


def pass_time(state: Buffer, s: float) -> None:
    """A time s later; what does not fit into the time is kept beside it."""
    t = state[at.TIME]
    low = state[at.TIME_LOW] + s
    total = t + low
    part = total - t
    state[at.TIME] = total
    state[at.TIME_LOW] = (t - (total - part)) + (low - part)


def set_waves(model: Buffer, state: Buffer) -> None:
    """Cosines and sines of all waves at the time of the state at hand."""
    omega = view(model, int(model[at.OMEGA]))
    wave_c = view(state, int(model[at.WAVE_C]))
    wave_s = view(state, int(model[at.WAVE_S]))
    for j in range(int(model[at.WAVES])):
        phase = omega[j] * state[at.TIME] + omega[j] * state[at.TIME_LOW]
        wave_c[j] = math.cos(phase)
        wave_s[j] = math.sin(phase)


def start_series(model: Buffer, state: Buffer, orders: int) -> None:
    """Orders 0 and 1 from the state at hand, and the coefficients of all waves up to ``orders``."""
    n = int(model[at.N])
    h = int(model[at.WAVES])
    x = view(state, int(model[at.X]))
    scale = view(state, int(model[at.SCALE]))
    q = view(state, int(model[at.Q_SERIES]))
    size = view(state, int(model[at.Q_SIZE]))
    for i in range(2 * n):  # order 0, then order 1
        q[i] = x[i]
        scale[i] = max(scale[i], abs(x[i]))
        size[i] = scale[i]
    omega = view(model, int(model[at.OMEGA]))
    wave_c = view(state, int(model[at.WAVE_C]))
    wave_s = view(state, int(model[at.WAVE_S]))
    set_waves(model, state)
    for j in range(h):
        for k in range(1, orders + 3):
            wave_c[k * h + j] = -omega[j] * wave_s[(k - 1) * h + j] / float(k)
            wave_s[k * h + j] = omega[j] * wave_c[(k - 1) * h + j] / float(k)
    limit_coefficients(model, state, orders)
    deflection_coefficients(model, state, 0)


def limit_coefficients(model: Buffer, state: Buffer, orders: int) -> None:
    """Coefficients of the sliding limits of all contacts."""
    c = int(model[at.CONTACTS])
    h = int(model[at.WAVES])
    mean = view(model, int(model[at.LIMIT]))
    l_cos = view(model, int(model[at.L_COS]))
    l_sin = view(model, int(model[at.L_SIN]))
    wave_c = view(state, int(model[at.WAVE_C]))
    wave_s = view(state, int(model[at.WAVE_S]))
    limit = view(state, int(model[at.L_SERIES]))
    for k in range(orders + 1):
        for i in range(c):
            value = 0.0
            if k == 0:
                value = mean[i]
            for j in range(h):
                value += l_cos[i * h + j] * wave_c[k * h + j] + l_sin[i * h + j] * wave_s[k * h + j]
            limit[k * c + i] = value


def load_size(model: Buffer, state: Buffer, k: int, i: int) -> float:
    """What rounding of coefficient k of the limit of contact i is measured by; its waves are as late as the time is
    rounded."""
    h = int(model[at.WAVES])
    omega = view(model, int(model[at.OMEGA]))
    value = 0.0
    if k == 0:
        value = abs(model[int(model[at.LIMIT]) + i])
    for j in range(h):
        part = abs(model[int(model[at.L_COS]) + i * h + j]) + abs(model[int(model[at.L_SIN]) + i * h + j])
        part *= 1.0 + 0.01 * omega[j] * abs(state[at.TIME])
        for p in range(1, k + 1):
            part *= omega[j] / float(p)
        value += part
    return value


def offset_coefficient(model: Buffer, state: Buffer, k: int, e: int) -> float:
    """Coefficient k of what prescribed motions add to the deflection of unit e."""
    if model[at.HAS_OFFSETS] == 0.0:
        return 0.0
    h = int(model[at.WAVES])
    value, _ = offset_line(model, state, k, e)
    o_cos = view(model, int(model[at.O_COS]) + e * h)
    o_sin = view(model, int(model[at.O_SIN]) + e * h)
    wave_c = view(state, int(model[at.WAVE_C]) + k * h)
    wave_s = view(state, int(model[at.WAVE_S]) + k * h)
    for j in range(h):
        value += o_cos[j] * wave_c[j] + o_sin[j] * wave_s[j]
    return value


def offset_size(model: Buffer, state: Buffer, k: int, e: int) -> float:
    """The sizes of the parts of `offset_coefficient`, added up; its waves are as late as the time is rounded."""
    if model[at.HAS_OFFSETS] == 0.0:
        return 0.0
    h = int(model[at.WAVES])
    _, value = offset_line(model, state, k, e)
    omega = view(model, int(model[at.OMEGA]))
    o_cos = view(model, int(model[at.O_COS]) + e * h)
    o_sin = view(model, int(model[at.O_SIN]) + e * h)
    for j in range(h):
        part = (abs(o_cos[j]) + abs(o_sin[j])) * (1.0 + 0.01 * omega[j] * abs(state[at.TIME]))
        for p in range(1, k + 1):
            part *= omega[j] / float(p)
        value += part
    return value


def epoch_now(model: Buffer, state: Buffer) -> Any:
    """The row of the epoch at hand (see `records`)."""
    row = at.LOADS + 2 * int(model[at.N]) + 2 * int(model[at.UNITS])
    return view(model, int(model[at.EPOCH]) + int(state[at.EPOCH_NOW]) * row)


def offset_line(model: Buffer, state: Buffer, k: int, e: int) -> tuple[float, float]:
    """Coefficient k of the straight part of an offset, and its size."""
    n = int(model[at.N])
    m = int(model[at.UNITS])
    epoch = epoch_now(model, state)
    slope = epoch[at.LOADS + 2 * n + m + e]
    if k == 0:
        constant = epoch[at.LOADS + 2 * n + e]
        return constant + slope * state[at.TIME], abs(constant) + abs(slope * state[at.TIME])
    if k == 1:
        return slope, abs(slope)
    return 0.0, 0.0


def along_unit(model: Buffer, e: int, vector: Buffer) -> float:
    """The deflection of unit e in a vector of coordinates."""
    d_at = view(model, int(model[at.D_AT]))
    column = view(model, int(model[at.D_COLUMN]))
    d_value = view(model, int(model[at.D_VALUE]))
    total = 0.0
    for p in range(int(d_at[e]), int(d_at[e + 1])):
        total += d_value[p] * vector[int(column[p])]
    return total


def size_along(model: Buffer, e: int, vector: Buffer) -> float:
    """The same with absolute values: what rounding of a deflection is measured by."""
    d_at = view(model, int(model[at.D_AT]))
    column = view(model, int(model[at.D_COLUMN]))
    d_value = view(model, int(model[at.D_VALUE]))
    total = 0.0
    for p in range(int(d_at[e]), int(d_at[e + 1])):
        total += abs(d_value[p] * vector[int(column[p])])
    return total


def deflection_coefficients(model: Buffer, state: Buffer, k: int) -> None:
    """Coefficient k of all deflections."""
    n = int(model[at.N])
    m = int(model[at.UNITS])
    q = view(state, int(model[at.Q_SERIES]) + k * n)
    u = view(state, int(model[at.U_SERIES]) + k * m)
    for e in range(m):
        u[e] = along_unit(model, e, q) + offset_coefficient(model, state, k, e)


def unit_line(model: Buffer, state: Buffer, e: int) -> tuple[float, float, float]:
    """Force of a broken-line unit in its present piece: constant + U u + V v."""
    row = piece_row(model, state, e)
    memory = state[int(model[at.MEMORY]) + e]
    if row[at.P_MOVES] != 0.0:
        return row[at.P_CONSTANT] - row[at.P_W] * memory, row[at.P_U] + row[at.P_W], row[at.P_V]
    return row[at.P_CONSTANT] + row[at.P_W] * memory, row[at.P_U], row[at.P_V]


def piece_row(model: Buffer, state: Buffer, e: int) -> Any:
    """The present piece of a broken-line unit."""
    first = int(model[int(model[at.FIRST_PIECE]) + e])
    return view(model, int(model[at.PIECES]) + at.PIECE_ROW * (first + piece_of(model, state, e)))


def piece_of(model: Buffer, state: Buffer, e: int) -> int:
    return int(state[int(model[at.PIECE]) + e])


def acceleration_coefficient(model: Buffer, state: Buffer, k: int, careful: bool) -> None:
    """Coefficient k of the acceleration without the reactions of sticking contacts, and the size of its terms.

    careful : deflections count with the size of what they are summed from, as a decision about ties needs it.
    """
    n = int(model[at.N])
    m = int(model[at.UNITS])
    own = view(state, int(model[at.Q_SIZE]) + k * n)
    following = view(state, int(model[at.Q_SIZE]) + (k + 1) * n)
    force = view(state, int(model[at.FORCE]))
    size = view(state, int(model[at.FORCE_SIZE]))
    linear_forces(model, state, k, force, size)
    u = view(state, int(model[at.U_SERIES]) + k * m)
    rate = view(state, int(model[at.U_SERIES]) + (k + 1) * m)
    contact_of = view(model, int(model[at.CONTACT_OF]))
    limit = view(state, int(model[at.L_SERIES]) + k * int(model[at.CONTACTS]))
    d_at = view(model, int(model[at.D_AT]))
    column = view(model, int(model[at.D_COLUMN]))
    a_value = view(model, int(model[at.A_VALUE]))
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
            if k == 0:
                f += constant
                f_size += abs(constant)
        else:
            share = friction_share(model, piece_of(model, state, e), int(contact_of[e]))
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


def friction_share(model: Buffer, piece: int, i: int) -> float:
    """The force of contact i over its sliding limit, where that is known; 0 where it sticks or is unloaded."""
    if piece == at.SLIP_UP:
        return 1.0
    if piece == at.SLIP_DOWN:
        return -1.0
    if piece == at.HELD_UP:
        return model[int(model[at.RATIO]) + i]
    if piece == at.HELD_DOWN:
        return -model[int(model[at.RATIO]) + i]
    return 0.0


def is_sticking(piece: float) -> bool:
    """True for a piece in which a contact sticks: by itself, or held at its limit by others."""
    return piece == float(at.STICK) or piece == float(at.HELD_UP) or piece == float(at.HELD_DOWN)


def linear_forces(model: Buffer, state: Buffer, k: int, force: Buffer, size: Buffer) -> None:
    """Coefficient k of loads minus the forces of the linear part."""
    n = int(model[at.N])
    h = int(model[at.WAVES])
    epoch = epoch_now(model, state)
    f_cos = view(model, int(model[at.F_COS]))
    f_sin = view(model, int(model[at.F_SIN]))
    wave_c = view(state, int(model[at.WAVE_C]) + k * h)
    wave_s = view(state, int(model[at.WAVE_S]) + k * h)
    q = view(state, int(model[at.Q_SERIES]) + k * n)
    v = view(state, int(model[at.Q_SERIES]) + (k + 1) * n)
    k_at = view(model, int(model[at.K_AT]))
    column = view(model, int(model[at.K_COLUMN]))
    stiffness = view(model, int(model[at.K_VALUE]))
    damping = view(model, int(model[at.C_VALUE]))
    for i in range(n):
        value = 0.0
        if k == 0:
            value = epoch[at.LOADS + i] + epoch[at.LOADS + n + i] * state[at.TIME]
        elif k == 1:
            value = epoch[at.LOADS + n + i]
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


def divide_by_mass(model: Buffer, state: Buffer, vector: Buffer) -> None:
    """A force vector becomes an acceleration; sizes stay sizes where masses are not coupled."""
    n = int(model[at.N])
    minv = view(model, int(model[at.MINV]))
    if model[at.FULL_MASS] == 0.0:
        for i in range(n):
            vector[i] *= minv[i]
        return
    room = view(state, int(model[at.WORK]))
    for i in range(n):
        total = 0.0
        for j in range(n):
            total += minv[i * n + j] * vector[j]
        room[i] = total
    for i in range(n):
        vector[i] = room[i]


def next_order(model: Buffer, state: Buffer, k: int) -> None:
    """Displacement of order k + 2 from the acceleration of order k."""
    n = int(model[at.N])
    force = view(state, int(model[at.FORCE]))
    force_size = view(state, int(model[at.FORCE_SIZE]))
    q = view(state, int(model[at.Q_SERIES]) + (k + 2) * n)
    size = view(state, int(model[at.Q_SIZE]) + (k + 2) * n)
    for i in range(n):
        q[i] = force[i] / float((k + 1) * (k + 2))
        size[i] = abs(force_size[i]) / float((k + 1) * (k + 2))
