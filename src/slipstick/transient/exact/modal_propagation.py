"""A segment as a sum of modes: expand the state and propagate it; compiled.

`modal_tables` makes the tables of modes.
"""

from __future__ import annotations

import math

from slipstick.native import Array, view
from slipstick.transient.exact import records as at
from slipstick.transient.exact.guard_roots import DEAD, basis_at
from slipstick.transient.exact.immobile_coordinates import is_immobile
from slipstick.transient.exact.line_forces import set_line_force, stuck_lines
from slipstick.transient.exact.records import FlowModel, ModalTable, State
from slipstick.transient.exact.root_exclusion import BASIS_ROW, LAMBDA_ROW
from slipstick.transient.exact.taylor_series import (
    set_waves,
)

DEAD_CHANGE = 37.0  # -log of the share of a mode in a small change that counts as zero
CANCELLATION_LIMIT = 100.0  # sizes of modes over the motion: above it digits are lost
MAX_TAYLOR_TURNS = 6e4  # of the fastest mode, for which Taylor steps are affordable
FEW_COORDINATES = 8  # coordinates; above it the cost of Taylor steps grows with their cube


def live_modes(table: ModalTable, state: State, s: float) -> int:
    """The number of leading modes that have not decayed after a time s; in large tables the fastest decaying modes are
    last."""
    lam = table.eigenvalues
    live = table.mode_count
    while live > 0:
        c = view(state.amplitudes, at.AMPLITUDES * (live - 1))
        died = lam[LAMBDA_ROW * (live - 1)] * s < -DEAD or (c[0] == 0.0 and c[1] == 0.0)
        if not died or c[2] != 0.0 or c[3] != 0.0 or c[4] != 0.0 or c[5] != 0.0:
            return live
        live -= 1
    return live


def expand_in_modes(model: FlowModel, table: ModalTable, state: State) -> None:
    """Expand the present motion in modes: their ``amplitudes`` and the ``polynomial`` part of displacements."""
    rest = state.rest
    subtract_steady_response(model, table, state)
    respond_to_lines(model, table, state, rest)
    note_noise(model, table, state, rest)
    project_on_modes(model, table, state, table.mode_count, rest)
    zero_mode_drift(model, table, state, rest)


def outlive(table: ModalTable, s: float) -> int:
    """The number of leading modes that remain of a small change after a time s."""
    lam = table.eigenvalues
    live = table.mode_count
    while live > 0 and lam[LAMBDA_ROW * (live - 1)] * s < -DEAD_CHANGE:
        live -= 1
    return live


def expand_change_in_modes(model: FlowModel, table: ModalTable, state: State, s: float) -> None:
    """The same of a small change, without bounds of rounding and without modes that decay within s."""
    rest = state.rest
    subtract_steady_response(model, table, state)
    respond_to_lines(model, table, state, rest)
    project_on_modes(model, table, state, outlive(table, s), rest)
    zero_mode_drift(model, table, state, rest)


def subtract_steady_response(model: FlowModel, table: ModalTable, state: State) -> None:
    """Write the motion less steady waves to ``rest``, and the lines of sticking contacts to ``polynomial``."""
    n = model.coordinate_count
    h = model.wave_count
    stuck = table.stuck_count
    x = state.motion
    omega = model.frequencies
    wave_c = state.wave_cos
    wave_s = state.wave_sin
    set_waves(model, state)
    set_line_force(model, state)
    stuck_lines(model, table, state)
    lines = state.stuck_line
    rest = state.rest
    answer = table.response
    y = table.stuck_shapes
    poly = state.polynomial
    for i in range((at.DEGREE + 1) * n):
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
        if stuck > 0 and is_immobile(model, table, i):
            poly[i] = q  # exactly there: the sum above would round it
        rest[i] = q
        rest[n + i] = v


def note_noise(model: FlowModel, table: ModalTable, state: State, rest: Array) -> None:
    """Set the sizes that rounding of amplitudes refers to (``amplitude_size``): the sizes of their terms."""
    n = model.coordinate_count
    lx = table.left
    noise = state.amplitude_size
    x = state.motion
    for k in range(table.mode_count):
        size = 0.0
        for i in range(2 * n):
            size += modulus_bound(view(lx, 2 * (k * 2 * n + i))) * (abs(rest[i]) + abs(x[i]))
        noise[k] = size


def project_on_modes(model: FlowModel, table: ModalTable, state: State, live: int, rest: Array) -> None:
    """Mode amplitudes whose sum is ``rest`` (2n), corrected once for rounding; those of zero modes follow ``rest``.

    live : the number of leading modes; the others stay zero, and there is then no correction.
    """
    n = model.coordinate_count
    r = table.mode_count
    z = table.zero_count
    lam = table.eigenvalues
    lx = table.left
    xq = table.shapes
    lz = table.zero_left
    nz = table.nilpotent
    xz = table.zero_shapes
    c = state.amplitudes
    still = view(rest, 2 * n)  # amplitudes of the zero modes
    for k in range(r):
        c[at.AMPLITUDES * k] = 0.0
        c[at.AMPLITUDES * k + 1] = 0.0
    for a in range(z):
        still[a] = 0.0
    turns = 2 if live == r else 1
    for turn in range(turns):
        for k in range(live):
            re = 0.0
            im = 0.0
            for i in range(2 * n):
                re += lx[2 * (k * 2 * n + i)] * rest[i]
                im += lx[2 * (k * 2 * n + i) + 1] * rest[i]
            c[at.AMPLITUDES * k] += re
            c[at.AMPLITUDES * k + 1] += im
            if turn < turns - 1:
                rate_re = re * lam[LAMBDA_ROW * k] - im * lam[LAMBDA_ROW * k + 1]
                rate_im = re * lam[LAMBDA_ROW * k + 1] + im * lam[LAMBDA_ROW * k]
                subtract_mode(n, r, k, xq, re, im, rest)
                subtract_mode(n, r, k, xq, rate_re, rate_im, view(rest, n))
        for a in range(z):
            value = 0.0
            for i in range(2 * n):
                value += lz[a * 2 * n + i] * rest[i]
            still[a] += value
            if turn < turns - 1:
                for i in range(n):
                    rest[i] -= xz[i * z + a] * value
                    for b in range(z):
                        rest[n + i] -= xz[i * z + b] * nz[b * z + a] * value


def subtract_mode(n: int, r: int, k: int, xq: Array, re: float, im: float, rest: Array) -> None:
    """Subtract (re + i im) times mode k from n displacements or rates."""
    for i in range(n):
        rest[i] -= xq[2 * (i * r + k)] * re - xq[2 * (i * r + k) + 1] * im


def respond_to_lines(model: FlowModel, table: ModalTable, state: State, rest: Array) -> None:
    """Response to constant and growing forces: in ``polynomial``, in slow modes c1 and c2, in zero modes a drift.

    It is subtracted from ``rest`` before modes are, so that the sum of all parts at the start is the present state, to
    the rounding of that sum. Subtracted after them, rounding of modes under large forces would leave an error that
    violates a guard at zero.
    """
    n = model.coordinate_count
    r = table.mode_count
    force = state.line_force
    poly = state.polynomial
    lam = table.eigenvalues
    lf = table.left_force
    xq = table.shapes
    c = state.amplitudes
    pushes = False
    for i in range(2 * n):
        if force[i] != 0.0:
            pushes = True
    if pushes:
        push_zero_modes(model, table, state, rest)
    for k in range(r):
        if not pushes:
            for j in range(2, 6):
                c[at.AMPLITUDES * k + j] = 0.0
            continue
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
            c[at.AMPLITUDES * k + 2] = f0r
            c[at.AMPLITUDES * k + 3] = f0i
            c[at.AMPLITUDES * k + 4] = f1r
            c[at.AMPLITUDES * k + 5] = f1i
            subtract_mode(n, r, k, xq, f0r, f0i, view(rest, n))
            continue
        # steady part of this mode under f0 + f1 s: -(f0 + f1/l)/l - (f1/l) s
        gr, gi = complex_quotient(f1r, f1i, lam[LAMBDA_ROW * k], lam[LAMBDA_ROW * k + 1])
        pr, pi = complex_quotient(f0r + gr, f0i + gi, lam[LAMBDA_ROW * k], lam[LAMBDA_ROW * k + 1])
        for j in range(2, 6):
            c[at.AMPLITUDES * k + j] = 0.0
        subtract_mode(n, r, k, xq, pr, pi, poly)
        subtract_mode(n, r, k, xq, gr, gi, view(poly, n))
    if not model.regular:
        feed = table.feed  # directions without inertia that follow forces at once
        for i in range(n):
            for j in range(n):
                poly[i] += feed[i * n + j] * force[j]
                poly[n + i] += feed[i * n + j] * force[n + j]
    for i in range(2 * n):
        rest[i] -= poly[i]


def modes_lose_digits(model: FlowModel, table: ModalTable, state: State, horizon: float) -> bool:
    """True if modes add up to a motion much smaller than each of them, and Taylor steps are affordable."""
    n = model.coordinate_count
    r = table.mode_count
    lam = table.eigenvalues
    xq = table.shapes
    c = state.amplitudes
    poly = state.polynomial
    x = state.motion
    fastest = 1e-300
    for k in range(r):
        fastest = max(fastest, math.hypot(lam[LAMBDA_ROW * k], lam[LAMBDA_ROW * k + 1]))
    if fastest * horizon * max(1.0, (n / FEW_COORDINATES) ** 3) > MAX_TAYLOR_TURNS:
        return False
    minv = model.inverse_mass
    terms = 0.0
    motion = 0.0
    for i in range(n):
        inverse = minv[i] if not model.full_mass else minv[i * n + i]
        weight = 1.0 / math.sqrt(inverse)
        size = abs(poly[i])
        for k in range(r):
            size += modulus_bound(view(xq, 2 * (i * r + k))) * modulus_bound(view(c, at.AMPLITUDES * k))
        terms += weight * size
        motion += weight * (abs(x[i]) + abs(x[n + i]) / fastest)
    return terms > CANCELLATION_LIMIT * motion


def modulus_bound(number: Array) -> float:
    """A cheap bound of the modulus of a complex number, at most 1.42 times as large."""
    return float(abs(number[0]) + abs(number[1]))


def note_sizes(model: FlowModel, table: ModalTable, state: State, s: float) -> None:
    """Update the sizes that rounding refers to: the sums of the sizes of terms in displacements and velocities.

    Exponents are accurate to rounding only, so phases drift with time (``phase_rounding``, in units of rounding).
    """
    n = model.coordinate_count
    h = model.wave_count
    r = table.mode_count
    live = live_modes(table, state, s)
    scale = state.scale
    wander = state.phase_rounding
    omega = model.frequencies
    lam = table.eigenvalues
    xq = table.shapes
    c = state.amplitudes
    e = state.mode_basis
    answer = table.response
    poly = state.polynomial
    for i in range(n):
        q = 0.0
        v = 0.0
        blurred = 0.0
        for j in range(h):
            size = modulus_bound(view(answer, 2 * (j * n + i)))
            q += size
            v += omega[j] * size
            blurred += omega[j] * size
        for k in range(live):
            size = modulus_bound(view(xq, 2 * (i * r + k))) * modulus_bound(view(c, at.AMPLITUDES * k))
            size *= e[BASIS_ROW * k + 2]
            rate = modulus_bound(view(lam, LAMBDA_ROW * k))
            q += size
            v += rate * size
            blurred += lam[LAMBDA_ROW * k + 3] * size
        wander[i] += s * blurred
        drift = 0.0
        place = abs(poly[at.DEGREE * n + i])
        for p in range(at.DEGREE - 1, -1, -1):
            drift = drift * s + place
            place = place * s + abs(poly[p * n + i])
        scale[i] = max(scale[i], q + place)
        scale[n + i] = max(scale[n + i], v + drift)


def complex_quotient(a: float, b: float, c: float, d: float) -> tuple[float, float]:
    """(a + i b)/(c + i d)."""
    size = c * c + d * d
    return (a * c + b * d) / size, (b * c - a * d) / size


def push_zero_modes(model: FlowModel, table: ModalTable, state: State, rest: Array) -> None:
    """Subtract the rates that constant forces give the zero modes at once."""
    n = model.coordinate_count
    z = table.zero_count
    lzf = table.zero_force
    xz = table.zero_shapes
    force = state.line_force
    for a in range(z):
        rate = 0.0
        for i in range(n):
            rate += lzf[a * n + i] * force[i]
        for i in range(n):
            rest[n + i] -= xz[i * z + a] * rate


def zero_mode_drift(model: FlowModel, table: ModalTable, state: State, rest: Array) -> None:
    """Add the motion of zero modes, a polynomial in time, to ``polynomial``."""
    n = model.coordinate_count
    z = table.zero_count
    lzf = table.zero_force
    nz = table.nilpotent
    xz = table.zero_shapes
    force = state.line_force
    poly = state.polynomial
    now = view(rest, 2 * n)
    later = view(rest, 2 * n + z)
    for p in range(at.DEGREE + 1):
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


def move_modal(model: FlowModel, table: ModalTable, state: State, s: float, x: Array) -> None:
    """Displacements and velocities a time s after the segment's begin."""
    move_some(model, table, state, s, 0, model.coordinate_count, x)


def move_some(model: FlowModel, table: ModalTable, state: State, s: float, first: int, last: int, x: Array) -> None:
    """The same of coordinates from ``first`` to before ``last`` only."""
    r = table.mode_count
    w = state.wave_basis
    basis_at(table, r, s, state.mode_basis)
    omega = model.frequencies
    wave_c = state.wave_cos
    wave_s = state.wave_sin
    for j in range(model.wave_count):
        ac = math.cos(omega[j] * s)
        as_ = math.sin(omega[j] * s)
        w[2 * j] = wave_c[j] * ac - wave_s[j] * as_
        w[2 * j + 1] = wave_s[j] * ac + wave_c[j] * as_
    add_up_some(model, table, state, s, first, last, x)


def sum_modes(model: FlowModel, table: ModalTable, state: State, s: float, x: Array) -> None:
    """Displacements and velocities from modes and waves that were computed for the time s."""
    add_up_some(model, table, state, s, 0, model.coordinate_count, x)


def add_up_some(model: FlowModel, table: ModalTable, state: State, s: float, first: int, last: int, x: Array) -> None:
    """The same of coordinates from ``first`` to before ``last`` only."""
    n = model.coordinate_count
    h = model.wave_count
    r = table.mode_count
    live = live_modes(table, state, s)
    e = state.mode_basis
    w = state.wave_basis
    omega = model.frequencies
    lam = table.eigenvalues
    xq = table.shapes
    c = state.amplitudes
    answer = table.response
    poly = state.polynomial
    now = state.mode_motion
    for i in range(first, last):
        q = poly[at.DEGREE * n + i]
        v = 0.0
        for p in range(at.DEGREE - 1, -1, -1):
            v = v * s + q
            q = q * s + poly[p * n + i]
        for j in range(h):
            a = answer[2 * (j * n + i)]
            b = answer[2 * (j * n + i) + 1]
            q += a * w[2 * j] - b * w[2 * j + 1]
            v -= omega[j] * (a * w[2 * j + 1] + b * w[2 * j])
        x[i] = q
        x[n + i] = v
    for k in range(live):
        row = view(e, BASIS_ROW * k)
        own = view(c, at.AMPLITUDES * k)
        a = own[0] * row[0] - own[1] * row[1]
        b = own[0] * row[1] + own[1] * row[0]
        ar = a * lam[LAMBDA_ROW * k] - b * lam[LAMBDA_ROW * k + 1]
        br = a * lam[LAMBDA_ROW * k + 1] + b * lam[LAMBDA_ROW * k]
        if lam[LAMBDA_ROW * k + 2] != 0.0:
            a += own[2] * row[3] - own[3] * row[4] + own[4] * row[5] - own[5] * row[6]
            b += own[2] * row[4] + own[3] * row[3] + own[4] * row[6] + own[5] * row[5]
            ar += own[2] * row[0] - own[3] * row[1] + own[4] * row[3] - own[5] * row[4]
            br += own[2] * row[1] + own[3] * row[0] + own[4] * row[4] + own[5] * row[3]
        now[4 * k] = a
        now[4 * k + 1] = b
        now[4 * k + 2] = ar
        now[4 * k + 3] = br
    for i in range(first, last):  # along rows of the table, in the order of memory
        row = view(xq, 2 * i * r)
        q = x[i]
        v = x[n + i]
        for k in range(live):
            q += row[2 * k] * now[4 * k] - row[2 * k + 1] * now[4 * k + 1]
            v += row[2 * k] * now[4 * k + 2] - row[2 * k + 1] * now[4 * k + 3]
        x[i] = q
        x[n + i] = v
