"""The steady response of a state to every wave, put into its table of modes; compiled.

Modes depend on a state alone; only this part of a table depends on the frequencies of loads, so a table can be tuned
to other ones. With G the sum over modes of x l'/(i omega - lambda), the response W to forces F is iterated as
W + G (F - Z W), Z = K + i omega C - omega^2 M. This removes the rounding of modes.
"""

from __future__ import annotations

import math

from slipstick.native import Array, view
from slipstick.transient.exact import records as at
from slipstick.transient.exact.modal_propagation import complex_quotient
from slipstick.transient.exact.records import FlowModel, ModalTable, ModalTables, entry_at, table_at
from slipstick.transient.exact.root_exclusion import LAMBDA_ROW
from slipstick.transient.exact.taylor_series import friction_share

NEAREST_RESONANCE = 1e-4  # of |l|: closer, the steady response of a mode to a wave is lost in rounding
SPLITTER = 134217729.0  # 2^27 + 1: splits a number into halves of 26 bits
CORRECTION_ROUNDS = 3  # of the iteration: modes are accurate to 1e-10 at least


def tune_tables(model: FlowModel, tables: ModalTables, room: Array) -> int:
    """Tune all tables to the model's waves; return how many cannot be tuned, because of resonance.

    room : (4n + 4z + 4,) with z the largest number of zero modes, which is 2n at most.
    """
    count = 0
    for i in range(tables.count):
        place = entry_at(tables, i).place
        if place != at.NO_TABLE:
            count += tune_table(model, table_at(tables, place), room)
    return count


def tune_table(model: FlowModel, table: ModalTable, room: Array) -> int:
    """Tune one table; return 1 if one of its modes is in resonance, so that Taylor steps are needed."""
    if not table.has_modes:
        return 0
    table.kind = at.MODAL
    for j in range(model.wave_count):
        if is_resonant(model, table, j):
            table.kind = at.SERIES_ONLY
            return 1
        tune_wave(model, table, j, room)
    return 0


def is_resonant(model: FlowModel, table: ModalTable, j: int) -> bool:
    """True if wave j is too near to a mode."""
    omega = model.frequencies[j]
    lam = table.eigenvalues
    for k in range(table.mode_count):
        a = lam[LAMBDA_ROW * k]
        b = lam[LAMBDA_ROW * k + 1]
        if math.hypot(a, omega - b) < NEAREST_RESONANCE * math.hypot(a, b):
            return True
    return False


def tune_wave(model: FlowModel, table: ModalTable, j: int, room: Array) -> None:
    """The response to wave j: of coordinates, of deflections (with and without offsets) and of reactions; and that of
    coordinates by the logarithm of its frequency, where nothing is prescribed."""
    n = model.coordinate_count
    m = model.unit_count
    h = model.wave_count
    stuck = table.stuck_count
    omega = model.frequencies[j]
    units = table.stuck_units
    y = table.stuck_shapes
    o_cos = model.offset_cos
    o_sin = model.offset_sin
    wave = view(table.response, 2 * n * j)
    force = view(room, 0)
    rest = view(room, 2 * n)
    more = view(room, 4 * n)
    set_wave_forces(model, table, j, force)
    for i in range(n):
        wave[2 * i] = 0.0
        wave[2 * i + 1] = 0.0
        for s in range(stuck):  # sticking contacts follow prescribed motions
            e = int(units[s])
            wave[2 * i] -= y[i * stuck + s] * o_cos[e * h + j]
            wave[2 * i + 1] += y[i * stuck + s] * o_sin[e * h + j]
    refine_response(model, table, omega, force, wave, rest, more)
    uw = table.unit_response
    for e in range(m):
        re, im = along_wave(model, e, wave)
        row = view(uw, 4 * (e * h + j))
        row[0] = re + o_cos[e * h + j]
        row[1] = im - o_sin[e * h + j]
        row[2] = re
        row[3] = im
    response_residual(model, table, False, omega, force, wave, rest)
    picks = table.reaction_force
    rw = table.reaction_response
    for s in range(stuck):
        re = 0.0
        im = 0.0
        for i in range(n):
            re += picks[s * n + i] * rest[2 * i]
            im += picks[s * n + i] * rest[2 * i + 1]
        rw[2 * (s * h + j)] = re
        rw[2 * (s * h + j) + 1] = im
    # omega dZ/domega = i omega C - 2 omega^2 M, and Z omega dW/domega = -(omega dZ/domega) W
    slope = view(table.response_slopes, 2 * n * j)
    for i in range(2 * n):
        force[i] = 0.0
        slope[i] = 0.0
    response_residual(model, table, True, omega, force, wave, rest)
    for i in range(2 * n):
        force[i] = rest[i]
    refine_response(model, table, omega, force, slope, rest, more)


def refine_response(
    model: FlowModel, table: ModalTable, omega: float, force: Array, wave: Array, rest: Array, more: Array
) -> None:
    """Iterate a response to a force until its residual is rounding."""
    for _turn in range(CORRECTION_ROUNDS):
        response_residual(model, table, False, omega, force, wave, rest)
        add_modal_response(model, table, omega, rest, wave)
        add_zero_mode_response(model, table, omega, rest, more, wave)


def along_wave(model: FlowModel, e: int, wave: Array) -> tuple[float, float]:
    """The deflection of unit e in a wave of the coordinates."""
    d_at = model.unit_begin
    column = model.unit_coordinate
    value = model.deflection
    re = 0.0
    im = 0.0
    for p in range(int(d_at[e]), int(d_at[e + 1])):
        i = int(column[p])
        re += value[p] * wave[2 * i]
        im += value[p] * wave[2 * i + 1]
    return re, im


def slopes_in(model: FlowModel, table: ModalTable, e: int) -> tuple[float, float]:
    """Stiffness and damping of unit e in the table's state; none for contacts."""
    if model.contact_of[e] >= 0.0:
        return 0.0, 0.0
    piece = int(table.pieces[e])
    first = int(model.first_piece[e])
    row = model.pieces[first + piece]
    if row.moves:
        return row.u + row.w, row.v
    return row.u, row.v


def partner_slopes_in(model: FlowModel, table: ModalTable, e: int) -> tuple[int, float, float]:
    """The partner of unit e, and stiffness and damping of the unit's force by it; -1 without one."""
    p = int(model.partner[e])
    if p < 0:
        return -1, 0.0, 0.0
    first = int(model.first_piece[e])
    row = model.pieces[first + int(table.pieces[e])]
    return p, row.partner, row.partner_rate


def set_wave_forces(model: FlowModel, table: ModalTable, j: int, force: Array) -> None:
    """The complex amplitudes of all forces of wave j that do not depend on the motion."""
    n = model.coordinate_count
    m = model.unit_count
    h = model.wave_count
    omega = model.frequencies[j]
    f_cos = model.load_cos
    f_sin = model.load_sin
    o_cos = model.offset_cos
    o_sin = model.offset_sin
    l_cos = model.limit_cos
    l_sin = model.limit_sin
    contact_of = model.contact_of
    d_at = model.unit_begin
    column = model.unit_coordinate
    along = model.along
    pieces = table.pieces
    for i in range(n):
        force[2 * i] = f_cos[i * h + j]
        force[2 * i + 1] = -f_sin[i * h + j]
    for e in range(m):
        re = 0.0
        im = 0.0
        c = int(contact_of[e])
        if c >= 0:
            share = friction_share(model, int(pieces[e]), c)
            re = share * l_cos[c * h + j]
            im = -share * l_sin[c * h + j]
        else:
            stiffness, damping = slopes_in(model, table, e)
            re = stiffness * o_cos[e * h + j] + omega * damping * o_sin[e * h + j]
            im = omega * damping * o_cos[e * h + j] - stiffness * o_sin[e * h + j]
            partner, stiffness, damping = partner_slopes_in(model, table, e)
            if partner >= 0:
                re += stiffness * o_cos[partner * h + j] + omega * damping * o_sin[partner * h + j]
                im += omega * damping * o_cos[partner * h + j] - stiffness * o_sin[partner * h + j]
        for p in range(int(d_at[e]), int(d_at[e + 1])):
            i = int(column[p])
            force[2 * i] -= along[p] * re
            force[2 * i + 1] -= along[p] * im


def response_residual(
    model: FlowModel, table: ModalTable, sloped: bool, omega: float, force: Array, wave: Array, rest: Array
) -> None:
    """rest = force - Z wave with Z = K + i omega C - omega^2 M; sloped : omega dZ/domega in place of Z."""
    spring = 0.0 if sloped else 1.0
    damper = omega
    inertia = (2.0 if sloped else 1.0) * omega * omega
    n = model.coordinate_count
    mass = model.mass
    k_at = model.row_begin
    column = model.column
    stiffness = model.stiffness
    damping = model.damping
    for i in range(n):
        re = 0.0
        im = 0.0
        if not model.full_mass:
            re = mass[i] * wave[2 * i]
            im = mass[i] * wave[2 * i + 1]
        else:
            for j in range(n):
                re += mass[i * n + j] * wave[2 * j]
                im += mass[i * n + j] * wave[2 * j + 1]
        re *= inertia
        im *= inertia
        first = int(k_at[i])
        last = int(k_at[i + 1])
        k_re = cancelling_sum(stiffness, wave, column, first, last)
        k_im = cancelling_sum(stiffness, view(wave, 1), column, first, last)
        c_re = cancelling_sum(damping, wave, column, first, last)
        c_im = cancelling_sum(damping, view(wave, 1), column, first, last)
        rest[2 * i] = force[2 * i] + (re - (spring * k_re - damper * c_im))
        rest[2 * i + 1] = force[2 * i + 1] + (im - (spring * k_im + damper * c_re))
    d_at = model.unit_begin
    to = model.unit_coordinate
    along = model.along
    for e in range(model.unit_count):
        k, c = slopes_in(model, table, e)
        partner, pk, pc = partner_slopes_in(model, table, e)
        if k == 0.0 and c == 0.0 and pk == 0.0 and pc == 0.0:
            continue
        re, im = along_wave(model, e, wave)
        f_re = spring * k * re - damper * c * im
        f_im = spring * k * im + damper * c * re
        if partner >= 0:
            re, im = along_wave(model, partner, wave)
            f_re += spring * pk * re - damper * pc * im
            f_im += spring * pk * im + damper * pc * re
        for p in range(int(d_at[e]), int(d_at[e + 1])):
            i = int(to[p])
            rest[2 * i] -= along[p] * f_re
            rest[2 * i + 1] -= along[p] * f_im


def cancelling_sum(row: Array, wave: Array, column: Array, first: int, last: int) -> float:
    """The sum of a sparse row times every other number of a wave, as in twice the precision (Ogita, Rump and Oishi).

    Forces of neighbours on a fine mesh cancel: summed in order, the rounding of each would act as a force.
    """
    total = 0.0
    lost = 0.0
    for p in range(first, last):
        a = row[p]
        b = wave[2 * int(column[p])]
        term = a * b
        big = SPLITTER * a
        a_high = big - (big - a)
        a_low = a - a_high
        big = SPLITTER * b
        b_high = big - (big - b)
        b_low = b - b_high
        lost += a_low * b_low - (((term - a_high * b_high) - a_low * b_high) - a_high * b_low)
        new = total + term
        part = new - total
        lost += (total - (new - part)) + (term - part)
        total = new
    return total + lost


def add_modal_response(model: FlowModel, table: ModalTable, omega: float, rest: Array, wave: Array) -> None:
    """Add the response of modes to ``rest``; the table has one of each conjugate pair, with twice its displacements."""
    n = model.coordinate_count
    r = table.mode_count
    lam = table.eigenvalues
    lf = table.left_force
    xq = table.shapes
    for k in range(r):
        # (l . rest) and (conj(l) . rest): with l = a + i b, rest = c + i d
        ac = 0.0
        ad = 0.0
        bc = 0.0
        bd = 0.0
        for i in range(n):
            ac += lf[2 * (k * n + i)] * rest[2 * i]
            ad += lf[2 * (k * n + i)] * rest[2 * i + 1]
            bc += lf[2 * (k * n + i) + 1] * rest[2 * i]
            bd += lf[2 * (k * n + i) + 1] * rest[2 * i + 1]
        a = lam[LAMBDA_ROW * k]
        b = lam[LAMBDA_ROW * k + 1]
        re, im = complex_quotient(ac - bd, ad + bc, -a, omega - b)
        if b == 0.0:
            for i in range(n):
                wave[2 * i] += xq[2 * (i * r + k)] * re - xq[2 * (i * r + k) + 1] * im
                wave[2 * i + 1] += xq[2 * (i * r + k)] * im + xq[2 * (i * r + k) + 1] * re
            continue
        other_re, other_im = complex_quotient(ac + bd, ad - bc, -a, omega + b)
        for i in range(n):
            x = 0.5 * xq[2 * (i * r + k)]
            y = 0.5 * xq[2 * (i * r + k) + 1]
            wave[2 * i] += x * (re + other_re) - y * (im - other_im)
            wave[2 * i + 1] += x * (im + other_im) + y * (re - other_re)


def add_zero_mode_response(
    model: FlowModel, table: ModalTable, omega: float, rest: Array, more: Array, wave: Array
) -> None:
    """Add the response of zero modes, 1/(i omega - N) with N nilpotent, and of directions without inertia that follow
    forces at once."""
    n = model.coordinate_count
    z = table.zero_count
    lzf = table.zero_force
    nz = table.nilpotent
    xz = table.zero_shapes
    next_ = view(more, 2 * z)
    for a in range(z):
        re = 0.0
        im = 0.0
        for i in range(n):
            re += lzf[a * n + i] * rest[2 * i]
            im += lzf[a * n + i] * rest[2 * i + 1]
        more[2 * a] = im / omega  # over i omega
        more[2 * a + 1] = -re / omega
    if z > 0:
        for _power in range(at.DEGREE + 1):
            for a in range(z):
                for i in range(n):
                    wave[2 * i] += xz[i * z + a] * more[2 * a]
                    wave[2 * i + 1] += xz[i * z + a] * more[2 * a + 1]
            for a in range(z):
                re = 0.0
                im = 0.0
                for b in range(z):
                    re += nz[a * z + b] * more[2 * b]
                    im += nz[a * z + b] * more[2 * b + 1]
                next_[2 * a] = im / omega
                next_[2 * a + 1] = -re / omega
            for a in range(2 * z):
                more[a] = next_[a]
    if not model.regular:
        feed = table.feed
        for i in range(n):
            for j in range(n):
                wave[2 * i] += feed[i * n + j] * rest[2 * j]
                wave[2 * i + 1] += feed[i * n + j] * rest[2 * j + 1]
