"""A segment as a sum of modes: expand the state, write the guards in modes, move on; compiled. `tables` makes the tables."""

from __future__ import annotations

import math

from slipstick.laws.parsing import Buffer
from slipstick.native import view
from slipstick.transient.exact.decide import guard_count, guard_line
from slipstick.transient.exact.places import (
    A_VALUE,
    BASIS_E,
    CONTACT_OF,
    D_AT,
    D_COLUMN,
    DEGREE,
    EPOCH,
    EPOCH_NOW,
    F_LINE,
    G_INFO,
    G_MODES,
    G_POLY,
    G_WAVES,
    L_COS,
    L_SIN,
    LIMIT,
    MODES_C,
    OMEGA,
    POLY,
    RATIO,
    SCALE,
    SLIP_DOWN,
    SLIP_UP,
    STICK,
    T_CY,
    T_KY,
    T_LAMBDA,
    T_LF,
    T_LX,
    T_LZ,
    T_LZF,
    T_MODES,
    T_NZ,
    T_R,
    T_RC,
    T_RF,
    T_RK,
    T_RM,
    T_RW,
    T_STUCK,
    T_U,
    T_UNITS,
    T_UW,
    T_WAVES,
    T_XQ,
    T_XZ,
    T_Y,
    T_ZERO,
    TIME,
    UNITS,
    UNLOADED,
    VARIES,
    WAVE_C,
    WAVE_S,
    WAVES,
    WORK,
    N,
    X,
)  # fmt: skip
from slipstick.transient.exact.roots import (
    BASIS_ROW,
    I_BEND,
    I_GUARD,
    I_SIZE,
    I_UNIT,
    INFO_ROW,
    LAMBDA_ROW,
    MODE_ROW,
    basis_at,
)  # fmt: skip
from slipstick.transient.exact.series import along_unit, friction_share, offset_size, piece_of, size_along, unit_line

UP_GUARD, DOWN_GUARD, RATE_GUARD, LOAD_GUARD = 0, 1, 2, 3  # of a contact


def line_force(model: Buffer, state: Buffer) -> None:
    """Constant and slope (in the segment's own time) of all forces that do not depend on the motion."""
    n = int(model[N])
    m = int(model[UNITS])
    t = state[TIME]
    epoch = view(model, int(model[EPOCH]) + int(state[EPOCH_NOW]) * (2 + 2 * n + 2 * m))
    force = view(state, int(model[F_LINE]))
    contact_of = view(model, int(model[CONTACT_OF]))
    mean = view(model, int(model[LIMIT]))
    d_at = view(model, int(model[D_AT]))
    column = view(model, int(model[D_COLUMN]))
    a_value = view(model, int(model[A_VALUE]))
    for i in range(n):
        force[i] = epoch[2 + i] + epoch[2 + n + i] * t
        force[n + i] = epoch[2 + n + i]
    for e in range(m):
        f = 0.0
        slope = 0.0
        if contact_of[e] < 0.0:
            constant, stiffness, damping = unit_line(model, state, e)
            o0 = epoch[2 + 2 * n + e]
            o1 = epoch[2 + 2 * n + m + e]
            f = constant + stiffness * (o0 + o1 * t) + damping * o1
            slope = stiffness * o1
        else:
            i = int(contact_of[e])
            f = friction_share(model, piece_of(model, state, e), i) * mean[i]
        if f != 0.0 or slope != 0.0:
            for p in range(int(d_at[e]), int(d_at[e + 1])):
                force[int(column[p])] -= a_value[p] * f
                force[n + int(column[p])] -= a_value[p] * slope


def stuck_lines(model: Buffer, table: Buffer, state: Buffer) -> None:
    """Deflections of sticking contacts seen from the coordinates (constant, slope), and the forces they make. In WORK."""
    n = int(model[N])
    m = int(model[UNITS])
    stuck = int(table[T_STUCK])
    units = view(table, int(table[T_UNITS]))
    ky = view(table, int(table[T_KY]))
    cy = view(table, int(table[T_CY]))
    epoch = view(model, int(model[EPOCH]) + int(state[EPOCH_NOW]) * (2 + 2 * n + 2 * m))
    x = view(state, int(model[X]))
    force = view(state, int(model[F_LINE]))
    lines = view(state, int(model[WORK]))
    uw = view(table, int(table[T_UW]))
    h = int(model[WAVES])
    wave_c = view(state, int(model[WAVE_C]))
    wave_s = view(state, int(model[WAVE_S]))
    for i in range(stuck):
        e = int(units[i])
        # what the deflection is made of besides coordinates and waves moves on along a line
        d0 = along_unit(model, e, x)
        for j in range(h):  # the waves that coordinates follow while it sticks are part of the wave response
            d0 -= uw[4 * (e * h + j) + 2] * wave_c[j] - uw[4 * (e * h + j) + 3] * wave_s[j]
        d1 = -epoch[2 + 2 * n + m + e]
        lines[2 * i] = d0
        lines[2 * i + 1] = d1
        for a in range(n):
            force[a] -= ky[a * stuck + i] * d0 + cy[a * stuck + i] * d1
            force[n + a] -= ky[a * stuck + i] * d1


def expand(model: Buffer, table: Buffer, state: Buffer) -> None:
    """Amplitudes of the modes (MODES_C) and the polynomial part of the displacement (POLY) from the state at hand."""
    n = int(model[N])
    h = int(model[WAVES])
    stuck = int(table[T_STUCK])
    x = view(state, int(model[X]))
    omega = view(model, int(model[OMEGA]))
    wave_c = view(state, int(model[WAVE_C]))
    wave_s = view(state, int(model[WAVE_S]))
    for j in range(h):
        wave_c[j] = math.cos(omega[j] * state[TIME])
        wave_s[j] = math.sin(omega[j] * state[TIME])
    line_force(model, state)
    stuck_lines(model, table, state)
    lines = view(state, int(model[WORK]))
    rest = view(state, int(model[WORK]) + 2 * stuck)
    answer = view(table, int(table[T_WAVES]))
    y = view(table, int(table[T_Y]))
    poly = view(state, int(model[POLY]))
    for i in range((DEGREE + 1) * n):
        poly[i] = 0.0
    for i in range(n):
        q = x[i]
        v = x[n + i]
        for j in range(h):
            a = answer[2 * (j * n + i)]
            b = answer[2 * (j * n + i) + 1]
            q -= a * wave_c[j] - b * wave_s[j]
            v += omega[j] * (a * wave_s[j] + b * wave_c[j])
        for s in range(stuck):
            poly[i] += y[i * stuck + s] * lines[2 * s]
            poly[n + i] += y[i * stuck + s] * lines[2 * s + 1]
        rest[i] = q - poly[i]
        rest[n + i] = v - poly[n + i]
    spread(model, table, state, rest)
    answer_lines(model, table, state, rest)


def spread(model: Buffer, table: Buffer, state: Buffer, rest: Buffer) -> None:
    """Mode amplitudes whose sum is ``rest`` (2n): once, and once more for what rounding left over. Zero modes behind it."""
    n = int(model[N])
    r = int(table[T_MODES])
    z = int(table[T_ZERO])
    lam = view(table, int(table[T_LAMBDA]))
    lx = view(table, int(table[T_LX]))
    xq = view(table, int(table[T_XQ]))
    lz = view(table, int(table[T_LZ]))
    nz = view(table, int(table[T_NZ]))
    xz = view(table, int(table[T_XZ]))
    c = view(state, int(model[MODES_C]))
    still = view(rest, 2 * n)  # amplitudes of the zero modes
    for k in range(6 * r):
        c[k] = 0.0
    for a in range(z):
        still[a] = 0.0
    for turn in range(2):
        for k in range(r):
            re = 0.0
            im = 0.0
            for i in range(2 * n):
                re += lx[2 * (k * 2 * n + i)] * rest[i]
                im += lx[2 * (k * 2 * n + i) + 1] * rest[i]
            c[6 * k] += re
            c[6 * k + 1] += im
            c[6 * k + 2] = re
            c[6 * k + 3] = im
        for a in range(z):
            value = 0.0
            for i in range(2 * n):
                value += lz[a * 2 * n + i] * rest[i]
            still[a] += value
            still[z + a] = value
        if turn == 0:
            for k in range(r):
                re = c[6 * k + 2]
                im = c[6 * k + 3]
                rate_re = re * lam[LAMBDA_ROW * k] - im * lam[LAMBDA_ROW * k + 1]
                rate_im = re * lam[LAMBDA_ROW * k + 1] + im * lam[LAMBDA_ROW * k]
                for i in range(n):
                    xr = xq[2 * (i * r + k)]
                    xi = xq[2 * (i * r + k) + 1]
                    rest[i] -= xr * re - xi * im
                    rest[n + i] -= xr * rate_re - xi * rate_im
            for a in range(z):
                rate = 0.0
                for b in range(z):
                    rate += nz[a * z + b] * still[z + b]
                for i in range(n):
                    rest[i] -= xz[i * z + a] * still[z + a]
                    rest[n + i] -= xz[i * z + a] * rate


def answer_lines(model: Buffer, table: Buffer, state: Buffer, rest: Buffer) -> None:
    """What constant and growing forces add: steady parts to POLY, in slow modes c1 and c2, in zero modes a drift."""
    n = int(model[N])
    r = int(table[T_MODES])
    force = view(state, int(model[F_LINE]))
    poly = view(state, int(model[POLY]))
    lam = view(table, int(table[T_LAMBDA]))
    lf = view(table, int(table[T_LF]))
    xq = view(table, int(table[T_XQ]))
    c = view(state, int(model[MODES_C]))
    for k in range(r):
        f0r = 0.0
        f0i = 0.0
        f1r = 0.0
        f1i = 0.0
        for i in range(n):
            lr = lf[2 * (k * n + i)]
            li = lf[2 * (k * n + i) + 1]
            f0r += lr * force[i]
            f0i += li * force[i]
            f1r += lr * force[n + i]
            f1i += li * force[n + i]
        if lam[LAMBDA_ROW * k + 2] != 0.0:
            c[6 * k + 2] = f0r
            c[6 * k + 3] = f0i
            c[6 * k + 4] = f1r
            c[6 * k + 5] = f1i
            continue
        # steady part of this mode under f0 + f1 s: -(f0 + f1/l)/l - (f1/l) s
        gr, gi = over(f1r, f1i, lam[LAMBDA_ROW * k], lam[LAMBDA_ROW * k + 1])
        pr, pi = over(f0r + gr, f0i + gi, lam[LAMBDA_ROW * k], lam[LAMBDA_ROW * k + 1])
        c[6 * k] += pr
        c[6 * k + 1] += pi
        for j in range(2, 6):
            c[6 * k + j] = 0.0
        for i in range(n):
            poly[i] -= xq[2 * (i * r + k)] * pr - xq[2 * (i * r + k) + 1] * pi
            poly[n + i] -= xq[2 * (i * r + k)] * gr - xq[2 * (i * r + k) + 1] * gi
    if int(table[T_ZERO]) > 0:
        drift(model, table, state, rest)


def note_sizes(model: Buffer, table: Buffer, state: Buffer, s: float) -> None:
    """What rounding of displacements and velocities is measured by: the sizes of the terms they are summed from."""
    n = int(model[N])
    h = int(model[WAVES])
    r = int(table[T_MODES])
    scale = view(state, int(model[SCALE]))
    omega = view(model, int(model[OMEGA]))
    lam = view(table, int(table[T_LAMBDA]))
    xq = view(table, int(table[T_XQ]))
    c = view(state, int(model[MODES_C]))
    e = view(state, int(model[BASIS_E]))
    answer = view(table, int(table[T_WAVES]))
    poly = view(state, int(model[POLY]))
    for i in range(n):
        q = abs(poly[DEGREE * n + i])
        v = 0.0
        for p in range(DEGREE - 1, -1, -1):
            v = v * s + q
            q = q * s + abs(poly[p * n + i])
        for j in range(h):
            a = abs(answer[2 * (j * n + i)]) + abs(answer[2 * (j * n + i) + 1])
            q += a
            v += omega[j] * a
        for k in range(r):
            a = (abs(xq[2 * (i * r + k)]) + abs(xq[2 * (i * r + k) + 1])) * (abs(c[6 * k]) + abs(c[6 * k + 1]))
            a *= e[BASIS_ROW * k + 2]
            q += a
            v += a * (abs(lam[LAMBDA_ROW * k]) + abs(lam[LAMBDA_ROW * k + 1]))
        scale[i] = max(scale[i], q)
        scale[n + i] = max(scale[n + i], v)


def over(a: float, b: float, c: float, d: float) -> tuple[float, float]:
    """(a + i b)/(c + i d)."""
    size = c * c + d * d
    return (a * c + b * d) / size, (b * c - a * d) / size


def drift(model: Buffer, table: Buffer, state: Buffer, rest: Buffer) -> None:
    """The part of the motion that nothing pulls back: a polynomial in time, added to POLY."""
    n = int(model[N])
    z = int(table[T_ZERO])
    lzf = view(table, int(table[T_LZF]))
    nz = view(table, int(table[T_NZ]))
    xz = view(table, int(table[T_XZ]))
    force = view(state, int(model[F_LINE]))
    poly = view(state, int(model[POLY]))
    now = view(rest, 2 * n)
    later = view(rest, 2 * n + z)
    for p in range(DEGREE + 1):
        for i in range(n):
            for a in range(z):
                poly[p * n + i] += xz[i * z + a] * now[a]
        for a in range(z):
            later[a] = 0.0
            for b in range(z):
                later[a] += nz[a * z + b] * now[b]
            if p < 2:
                for i in range(n):
                    later[a] += lzf[a * n + i] * force[p * n + i]
        for a in range(z):
            now[a] = later[a] / float(p + 1)


def move(model: Buffer, table: Buffer, state: Buffer, s: float, x: Buffer) -> None:
    """Displacements and velocities a time s after the segment's begin."""
    n = int(model[N])
    h = int(model[WAVES])
    r = int(table[T_MODES])
    e = view(state, int(model[BASIS_E]))
    w = view(state, int(model[BASIS_E]) + BASIS_ROW * r)
    basis_at(table, r, s, e)
    omega = view(model, int(model[OMEGA]))
    wave_c = view(state, int(model[WAVE_C]))
    wave_s = view(state, int(model[WAVE_S]))
    for j in range(h):
        ac = math.cos(omega[j] * s)
        as_ = math.sin(omega[j] * s)
        w[2 * j] = wave_c[j] * ac - wave_s[j] * as_
        w[2 * j + 1] = wave_s[j] * ac + wave_c[j] * as_
    lam = view(table, int(table[T_LAMBDA]))
    xq = view(table, int(table[T_XQ]))
    c = view(state, int(model[MODES_C]))
    answer = view(table, int(table[T_WAVES]))
    poly = view(state, int(model[POLY]))
    for i in range(n):
        q = poly[DEGREE * n + i]
        v = 0.0
        for p in range(DEGREE - 1, -1, -1):
            v = v * s + q
            q = q * s + poly[p * n + i]
        for j in range(h):
            a = answer[2 * (j * n + i)]
            b = answer[2 * (j * n + i) + 1]
            q += a * w[2 * j] - b * w[2 * j + 1]
            v -= omega[j] * (a * w[2 * j + 1] + b * w[2 * j])
        x[i] = q
        x[n + i] = v
    for k in range(r):
        row = view(e, BASIS_ROW * k)
        own = view(c, 6 * k)
        a = own[0] * row[0] - own[1] * row[1]
        b = own[0] * row[1] + own[1] * row[0]
        ar = a * lam[LAMBDA_ROW * k] - b * lam[LAMBDA_ROW * k + 1]
        br = a * lam[LAMBDA_ROW * k + 1] + b * lam[LAMBDA_ROW * k]
        if lam[LAMBDA_ROW * k + 2] != 0.0:
            a += own[2] * row[3] - own[3] * row[4] + own[4] * row[5] - own[5] * row[6]
            b += own[2] * row[4] + own[3] * row[3] + own[4] * row[6] + own[5] * row[5]
            ar += own[2] * row[0] - own[3] * row[1] + own[4] * row[3] - own[5] * row[4]
            br += own[2] * row[1] + own[3] * row[0] + own[4] * row[4] + own[5] * row[3]
        for i in range(n):
            x[i] += xq[2 * (i * r + k)] * a - xq[2 * (i * r + k) + 1] * b
            x[n + i] += xq[2 * (i * r + k)] * ar - xq[2 * (i * r + k) + 1] * br


def write_guards(model: Buffer, table: Buffer, state: Buffer) -> int:
    """All guards of the present state in modes; how many."""
    m = int(model[UNITS])
    contact_of = view(model, int(model[CONTACT_OF]))
    varies = view(model, int(model[VARIES]))
    count = 0
    stuck = 0
    for e in range(m):
        if contact_of[e] < 0.0:
            for g in range(guard_count(model, state, e)):
                constant, stiffness, damping = guard_line(model, state, e, g)
                deflection_guard(model, table, state, count, e, g, constant, stiffness, damping)
                count += 1
            continue
        i = int(contact_of[e])
        piece = piece_of(model, state, e)
        if piece == SLIP_UP:
            deflection_guard(model, table, state, count, e, RATE_GUARD, 0.0, 0.0, 1.0)
            count += 1
        elif piece == SLIP_DOWN:
            deflection_guard(model, table, state, count, e, RATE_GUARD, 0.0, 0.0, -1.0)
            count += 1
        elif piece == STICK:
            reaction_guard(model, table, state, count, e, UP_GUARD, stuck, -1.0)
            reaction_guard(model, table, state, count + 1, e, DOWN_GUARD, stuck, 1.0)
            count += 2
            stuck += 1
        if varies[i] != 0.0:
            load_guard(model, table, state, count, e, -1.0 if piece == UNLOADED else 1.0)
            count += 1
    return count


def deflection_guard(
    model: Buffer,
    table: Buffer,
    state: Buffer,
    at: int,
    e: int,
    g: int,
    constant: float,
    stiffness: float,
    damping: float,
) -> None:
    """constant + stiffness u + damping v of unit e, as guard number ``at``."""
    n = int(model[N])
    m = int(model[UNITS])
    h = int(model[WAVES])
    r = int(table[T_MODES])
    lam = view(table, int(table[T_LAMBDA]))
    u = view(table, int(table[T_U]) + 2 * e * r)
    uw = view(table, int(table[T_UW]) + 4 * e * h)
    c = view(state, int(model[MODES_C]))
    modes = view(state, int(model[G_MODES]) + at * MODE_ROW * r)
    size = abs(constant)
    for k in range(r):
        size += put_mode(
            view(modes, MODE_ROW * k),
            view(c, 6 * k),
            view(lam, LAMBDA_ROW * k),
            stiffness * u[2 * k],
            stiffness * u[2 * k + 1],
            damping * u[2 * k],
            damping * u[2 * k + 1],
        )
    omega = view(model, int(model[OMEGA]))
    wave_c = view(state, int(model[WAVE_C]))
    wave_s = view(state, int(model[WAVE_S]))
    waves = view(state, int(model[G_WAVES]) + at * 2 * h)
    bend = 0.0
    for j in range(h):
        a = uw[4 * j]
        b = uw[4 * j + 1]
        ar = a * stiffness - b * damping * omega[j]
        ai = b * stiffness + a * damping * omega[j]
        waves[2 * j] = ar * wave_c[j] - ai * wave_s[j]
        waves[2 * j + 1] = ar * wave_s[j] + ai * wave_c[j]
        amount = math.hypot(ar, ai)
        size += amount
        bend += amount * omega[j] * omega[j]
    poly = view(state, int(model[POLY]))
    own = view(state, int(model[G_POLY]) + at * (DEGREE + 1))
    epoch = view(model, int(model[EPOCH]) + int(state[EPOCH_NOW]) * (2 + 2 * n + 2 * m))
    line0 = epoch[2 + 2 * n + e] + epoch[2 + 2 * n + m + e] * state[TIME]
    line1 = epoch[2 + 2 * n + m + e]
    before = along_unit(model, e, poly) + line0
    for p in range(DEGREE + 1):
        after = 0.0
        if p < DEGREE:
            after = along_unit(model, e, view(poly, (p + 1) * n))
        if p == 0:
            after += line1
        own[p] = stiffness * before + damping * float(p + 1) * after
        before = after
    own[0] += constant
    scale = view(state, int(model[SCALE]))
    physical = abs(stiffness) * (size_along(model, e, scale) + offset_size(model, state, 0, e))
    physical += abs(damping) * (size_along(model, e, view(scale, n)) + offset_size(model, state, 1, e))
    put_info(view(state, int(model[G_INFO]) + INFO_ROW * at), e, g, max(size, physical + abs(constant)), bend)


def put_mode(row: Buffer, c: Buffer, lam: Buffer, kr: float, ki: float, dr: float, di: float) -> float:
    """A mode in a guard that is (kr + i ki) times the mode and (dr + i di) times its rate; its size.

    A slow mode a = c e + c1 E1 + c2 E2 has the rate (c l + c1) e + c2 E1.
    """
    rate_r = c[0] * lam[0] - c[1] * lam[1] + c[2] * lam[2]
    rate_i = c[0] * lam[1] + c[1] * lam[0] + c[3] * lam[2]
    row[0] = c[0] * kr - c[1] * ki + rate_r * dr - rate_i * di
    row[1] = c[0] * ki + c[1] * kr + rate_r * di + rate_i * dr
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


def put_acceleration(row: Buffer, c: Buffer, lam: Buffer, mr: float, mi: float) -> float:
    """Add (mr + i mi) times the acceleration of a mode, (c l^2 + c1 l + c2) e; its size."""
    ar = c[0] * lam[0] - c[1] * lam[1] + c[2] * lam[2]
    ai = c[0] * lam[1] + c[1] * lam[0] + c[3] * lam[2]
    br = ar * lam[0] - ai * lam[1] + c[4] * lam[2]
    bi = ar * lam[1] + ai * lam[0] + c[5] * lam[2]
    row[0] += br * mr - bi * mi
    row[1] += br * mi + bi * mr
    put_slope(row, lam)
    return math.hypot(br * mr - bi * mi, br * mi + bi * mr)


def put_slope(row: Buffer, lam: Buffer) -> None:
    """Slope and bend of a mode in a guard, from its coefficients."""
    row[2] = row[0] * lam[0] - row[1] * lam[1] + row[5]
    row[3] = row[0] * lam[1] + row[1] * lam[0] + row[6]
    row[4] = math.hypot(row[2] * lam[0] - row[3] * lam[1] + row[7], row[2] * lam[1] + row[3] * lam[0] + row[8])


def put_info(row: Buffer, e: int, g: int, size: float, bend: float) -> None:
    row[I_UNIT] = float(e)
    row[I_GUARD] = float(g)
    row[I_SIZE] = size
    row[I_BEND] = bend


def reaction_guard(
    model: Buffer, table: Buffer, state: Buffer, at: int, e: int, g: int, stuck: int, sign: float
) -> None:
    """static limit + sign * reaction of the sticking contact of unit e."""
    n = int(model[N])
    h = int(model[WAVES])
    r = int(table[T_MODES])
    i = int(model[int(model[CONTACT_OF]) + e])
    ratio = model[int(model[RATIO]) + i]
    lam = view(table, int(table[T_LAMBDA]))
    rows = view(table, int(table[T_R]) + 6 * stuck * r)
    c = view(state, int(model[MODES_C]))
    modes = view(state, int(model[G_MODES]) + at * MODE_ROW * r)
    size = abs(ratio * model[int(model[LIMIT]) + i])
    for k in range(r):
        size += put_mode(
            view(modes, MODE_ROW * k),
            view(c, 6 * k),
            view(lam, LAMBDA_ROW * k),
            sign * rows[6 * k],
            sign * rows[6 * k + 1],
            sign * rows[6 * k + 2],
            sign * rows[6 * k + 3],
        )
        size += put_acceleration(
            view(modes, MODE_ROW * k),
            view(c, 6 * k),
            view(lam, LAMBDA_ROW * k),
            sign * rows[6 * k + 4],
            sign * rows[6 * k + 5],
        )
    omega = view(model, int(model[OMEGA]))
    wave_c = view(state, int(model[WAVE_C]))
    wave_s = view(state, int(model[WAVE_S]))
    rw = view(table, int(table[T_RW]) + 2 * stuck * h)
    l_cos = view(model, int(model[L_COS]) + i * h)
    l_sin = view(model, int(model[L_SIN]) + i * h)
    waves = view(state, int(model[G_WAVES]) + at * 2 * h)
    bend = 0.0
    for j in range(h):
        ar = sign * rw[2 * j] + ratio * l_cos[j]
        ai = sign * rw[2 * j + 1] - ratio * l_sin[j]
        waves[2 * j] = ar * wave_c[j] - ai * wave_s[j]
        waves[2 * j + 1] = ar * wave_s[j] + ai * wave_c[j]
        amount = math.hypot(ar, ai)
        size += amount
        bend += amount * omega[j] * omega[j]
    own = view(state, int(model[G_POLY]) + at * (DEGREE + 1))
    reaction_line(model, table, state, stuck, sign, own)
    for p in range(DEGREE + 1):
        size += abs(own[p]) if p == 0 else 0.0
    own[0] += ratio * model[int(model[LIMIT]) + i]
    put_info(view(state, int(model[G_INFO]) + INFO_ROW * at), e, g, size, bend)


def reaction_line(model: Buffer, table: Buffer, state: Buffer, stuck: int, sign: float, own: Buffer) -> None:
    """The polynomial part of a reaction: R (f - K q - C q' - M q'')."""
    n = int(model[N])
    count = int(table[T_STUCK])
    rf = view(table, int(table[T_RF]) + stuck * n)
    rk = view(table, int(table[T_RK]) + stuck * n)
    rc = view(table, int(table[T_RC]) + stuck * n)
    rm = view(table, int(table[T_RM]) + stuck * n)
    units_force = view(state, int(model[F_LINE]))
    poly = view(state, int(model[POLY]))
    ky = view(table, int(table[T_KY]))
    cy = view(table, int(table[T_CY]))
    lines = view(state, int(model[WORK]))
    for p in range(DEGREE + 1):
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
            if p < DEGREE:
                value -= float(p + 1) * rc[i] * poly[(p + 1) * n + i]
            if p < DEGREE - 1:
                value -= float((p + 1) * (p + 2)) * rm[i] * poly[(p + 2) * n + i]
        own[p] = sign * value


def load_guard(model: Buffer, table: Buffer, state: Buffer, at: int, e: int, sign: float) -> None:
    """sign * the normal load of a contact whose limit varies in time."""
    h = int(model[WAVES])
    r = int(table[T_MODES])
    i = int(model[int(model[CONTACT_OF]) + e])
    modes = view(state, int(model[G_MODES]) + at * MODE_ROW * r)
    for k in range(MODE_ROW * r):
        modes[k] = 0.0
    omega = view(model, int(model[OMEGA]))
    wave_c = view(state, int(model[WAVE_C]))
    wave_s = view(state, int(model[WAVE_S]))
    l_cos = view(model, int(model[L_COS]) + i * h)
    l_sin = view(model, int(model[L_SIN]) + i * h)
    waves = view(state, int(model[G_WAVES]) + at * 2 * h)
    mean = model[int(model[LIMIT]) + i]
    size = abs(mean)
    bend = 0.0
    for j in range(h):
        ar = sign * l_cos[j]
        ai = -sign * l_sin[j]
        waves[2 * j] = ar * wave_c[j] - ai * wave_s[j]
        waves[2 * j + 1] = ar * wave_s[j] + ai * wave_c[j]
        amount = math.hypot(ar, ai)
        size += amount
        bend += amount * omega[j] * omega[j]
    own = view(state, int(model[G_POLY]) + at * (DEGREE + 1))
    for p in range(DEGREE + 1):
        own[p] = 0.0
    own[0] = sign * mean
    put_info(view(state, int(model[G_INFO]) + INFO_ROW * at), e, LOAD_GUARD, size, bend)
