"""Residual and derivatives of harmonic balance from the harmonics of the forces; compiled.

Rows of harmonics are pairs: (cos, sin) of each harmonic, then the mean and a zero; products are those of complex
numbers. See `harmonic_balance` for the equations.
"""

from __future__ import annotations

import math
from typing import Any

from slipstick.native import Array, numbers_at, view
from slipstick.periodic.balance.aft_forces_loop import evaluate_laws
from slipstick.periodic.balance.derivative_rows_loop import add, clear
from slipstick.periodic.balance.fourier_loop import add_harmonics, samples_of_series
from slipstick.periodic.balance.matrix_loop import product
from slipstick.periodic.balance.records import (
    ANY_RATE,
    CIRCLE,
    CORNERS,
    DEFLECTION,
    FORCE,
    HARMONICS_OF,
    OMEGA,
    ONLY_FORCES,
    ONLY_HARMONICS,
    PROJECTION,
    SAMPLES,
    TANGENT_WIDTH,
    TRANSFORM_ROOM,
    TRANSFORMS,
    WANTED,
)

# numbers: lines, unknown series, coefficients of a series, base periods in a period, 1 / typical size
ROWS, SERIES, COEFFICIENTS, ORDER, UNIT = range(5)
LAWS = 5  # address of the plan of the laws
# addresses: unknowns and the base frequency (size + 1,); deflections of the lines without and with what motions add
# (ROWS, COEFFICIENTS), that (ROWS, COEFFICIENTS), derivatives of them by the unknown series (ROWS, SERIES), waves by
# harmonics (COEFFICIENTS, 2 samples), harmonics of the forces (ROWS, pairs)
UNKNOWNS, LINE_SERIES, MOVED_SERIES, OFFSETS, INTO, ACROSS, FORCES = range(6, 13)
# compliance (ROWS, SERIES, pairs) and behind it the answer to the loads (SERIES, pairs); their slopes by the frequency;
# what was moved into the linear part: stiffness of harmonics and of the mean (2, ROWS), damping (ROWS,), and both at
# each harmonic (ROWS, pairs)
COMPLIANCE, COMPLIANCE_SLOPE, STIFFNESS, DAMPING, SHIFT = range(13, 18)
# of the modes (`tune_compliance`): their number, 0 where compliances are found otherwise; how many rows stand for them
# (twice as
# many if they are complex); the polynomial a + b s + c s^2 of each, a and b complex, c; 1 for those without a part in
# the mean
MODES, MODE_ROWS, CONSTANT, LINEAR_TERM, SQUARE, LOOSE_MODES = range(18, 24)
# what lines do to unknowns through each mode (ROWS, SERIES, rows), what unknowns see of each (SERIES, rows); how loads
# drive each (3 powers of the frequency, harmonics, modes), complex; 1 if these depend on it; room (4, rows, pairs)
RESPONSE, SEEN, LOADED, LOADS_MOVE, WEIGHTS = range(24, 29)
# addresses: residual (size + 1,) and derivatives (size + 1, size + 1) by columns, the last by the frequency; the last
# row is left alone
RESIDUAL, MATRIX = 29, 30
# 1 if MATRIX may have the lowest harmonics and the mean alone; coefficients of a series in it; address: estimates of
# stiffness and damping of the laws (2, ROWS)
PARTIAL, MATRIX_WIDTH, LAW_STIFFNESS = 31, 32, 33
ASSEMBLY_LENGTH = 34

# harmonics that a partial matrix has at least, and how strongly each other one may act on itself through its law:
# steps with the matrix shrink the residual by about so much
MIN_MATRIX_HARMONICS, MAX_COUPLING = 64, 1e-2


def evaluate_equations(plan: Array, derived: int) -> None:
    """The residual at the unknowns and the frequency, and its derivatives if they are wanted."""
    laws = numbers_at(int(plan[LAWS]))
    lines = int(plan[ROWS])
    width = int(plan[COEFFICIENTS])
    size = int(plan[SERIES]) * width
    x = numbers_at(int(plan[UNKNOWNS]))
    laws[OMEGA] = x[size] / plan[ORDER]
    laws[WANTED] = float(ONLY_HARMONICS if derived else ONLY_FORCES)
    if plan[MODES] > 0.0:
        tune_compliance(plan, x[size], derived)
    own = numbers_at(int(plan[LINE_SERIES]))
    whole = numbers_at(int(plan[MOVED_SERIES]))
    offsets = numbers_at(int(plan[OFFSETS]))
    product(laws, lines, int(plan[SERIES]), width, numbers_at(int(plan[INTO])), x, own, width)
    for c in range(lines * width):
        whole[c] = own[c] + offsets[c]
    if derived:
        plan[MATRIX_WIDTH] = float(matrix_width(plan, x[size]))
        laws[TANGENT_WIDTH] = plan[MATRIX_WIDTH]
    sample_deflections(plan, whole)
    evaluate_laws(laws)
    project_forces(plan)
    assemble(plan, derived)


def matrix_width(plan: Array, p: float) -> int:
    """Coefficients of a series that the matrix has: all, or those of the harmonics that laws couple strongly."""
    width = int(plan[COEFFICIENTS])
    if plan[PARTIAL] == 0.0 or numbers_at(int(plan[LAWS]))[TRANSFORMS] == 0.0:
        return width
    low = (width - 1) // 2
    while low > MIN_MATRIX_HARMONICS and coupling(plan, p, low - 1) <= MAX_COUPLING:
        low -= 1
    return min(2 * low + 1, width)


def coupling(plan: Array, p: float, h: int) -> float:
    """How strongly forces of a harmonic move it: the largest sum over lines of compliance times stiffness."""
    lines = int(plan[ROWS])
    series = int(plan[SERIES])
    pairs = int(plan[COEFFICIENTS]) + 1
    g = numbers_at(int(plan[COMPLIANCE]))
    shift = numbers_at(int(plan[SHIFT]))
    stiffness = numbers_at(int(plan[LAW_STIFFNESS]))
    most = 0.0
    for j in range(series):
        total = 0.0
        for line in range(lines):
            own = view(g, (line * series + j) * pairs + 2 * h)
            moved = view(shift, line * pairs + 2 * h)
            law = stiffness[line] + (h + 1.0) / plan[ORDER] * p * stiffness[lines + line]
            total += math.hypot(own[0], own[1]) * (law + math.hypot(moved[0], moved[1]))
        most = max(most, total)
    return most


def sample_deflections(plan: Array, whole: Any) -> None:
    """Put the samples of series (lines, width), and their slopes if laws need them, in the plan of the laws."""
    laws = numbers_at(int(plan[LAWS]))
    lines = int(plan[ROWS])
    width = int(plan[COEFFICIENTS])
    samples = int(laws[SAMPLES])
    out = numbers_at(int(laws[DEFLECTION]))
    parts = 1 if laws[ANY_RATE] == 0.0 else 2
    if laws[TRANSFORMS] == 0.0:
        product(laws, lines, width, parts * samples, whole, numbers_at(int(plan[ACROSS])), out, 2 * samples)
        return
    circle = numbers_at(int(laws[CIRCLE]))
    room = numbers_at(int(laws[TRANSFORM_ROOM]))
    for line in range(lines):
        for slopes in range(parts):
            own = view(out, (2 * line + slopes) * samples)
            samples_of_series(view(whole, line * width), width, slopes, circle, samples, room, own)


def project_forces(plan: Array) -> None:
    """The harmonics of the forces from their samples, with what corners between samples add."""
    laws = numbers_at(int(plan[LAWS]))
    lines = int(plan[ROWS])
    width = int(plan[COEFFICIENTS])
    samples = int(laws[SAMPLES])
    forces = numbers_at(int(plan[FORCES]))
    sampled = numbers_at(int(laws[FORCE]))
    if laws[TRANSFORMS] == 0.0:
        product(laws, lines, samples, width + 1, sampled, numbers_at(int(laws[PROJECTION])), forces, width + 1)
    else:
        clear(forces, lines * (width + 1))
        for line in range(lines):
            add_harmonics(laws, view(sampled, line * samples), width, view(forces, line * (width + 1)))
    add(forces, 1.0, numbers_at(int(laws[CORNERS])), lines * (width + 1))


def assemble(plan: Array, derived: int) -> None:
    """Fill RESIDUAL, and MATRIX if wanted."""
    series = int(plan[SERIES])
    width = int(plan[COEFFICIENTS])
    kept = int(plan[MATRIX_WIDTH])
    size = series * kept
    unit = plan[UNIT]
    x = numbers_at(int(plan[UNKNOWNS]))
    residual = numbers_at(int(plan[RESIDUAL]))
    matrix = numbers_at(int(plan[MATRIX]))
    behind = int(plan[ROWS]) * series * (width + 1)
    answer = view(numbers_at(int(plan[COMPLIANCE])), behind)
    answer_slope = view(numbers_at(int(plan[COMPLIANCE_SLOPE])), behind)
    for j in range(series):
        for c in range(width):
            residual[j * width + c] = unit * (x[j * width + c] - answer[j * (width + 1) + c])
    if derived:
        for k in range((size + 1) * size):
            matrix[k] = 0.0
        by_p = view(matrix, (size + 1) * size)
        for j in range(series):
            for c in range(kept):
                own = c if c < kept - 1 else width - 1
                matrix[(j * kept + c) * (size + 2)] = unit
                by_p[j * kept + c] = -unit * answer_slope[j * (width + 1) + own]
    for line in range(int(plan[ROWS])):
        add_line_force(plan, line, residual)
        if derived:
            add_line_frequency_slope(plan, line, view(matrix, (size + 1) * size))
            add_line_tangent(plan, line, matrix)


def add_line_force(plan: Array, line: int, out: Any) -> None:
    """What the force of a line adds to the residual."""
    series = int(plan[SERIES])
    width = int(plan[COEFFICIENTS])
    pairs = width + 1
    y = view(numbers_at(int(plan[LINE_SERIES])), line * width)
    force = view(numbers_at(int(plan[FORCES])), line * pairs)
    g = view(numbers_at(int(plan[COMPLIANCE])), line * series * pairs)
    shift = view(numbers_at(int(plan[SHIFT])), line * pairs)
    half = (width - 1) // 2
    for h in range(half + 1):
        mean = h == half
        re = y[2 * h]
        im = 0.0 if mean else y[2 * h + 1]
        rest_re = plan[UNIT] * (force[2 * h] - shift[2 * h] * re + shift[2 * h + 1] * im)
        rest_im = plan[UNIT] * (force[2 * h + 1] - shift[2 * h] * im - shift[2 * h + 1] * re)
        for j in range(series):
            at = j * pairs + 2 * h
            out[j * width + 2 * h] += g[at] * rest_re - g[at + 1] * rest_im
            if not mean:
                out[j * width + 2 * h + 1] += g[at] * rest_im + g[at + 1] * rest_re


def add_line_frequency_slope(plan: Array, line: int, by_p: Any) -> None:
    """What the force of a line adds to the derivative by the frequency."""
    series = int(plan[SERIES])
    width = int(plan[COEFFICIENTS])
    pairs = width + 1
    y = view(numbers_at(int(plan[LINE_SERIES])), line * width)
    force = view(numbers_at(int(plan[FORCES])), line * pairs)
    tangents = numbers_at(int(numbers_at(int(plan[LAWS]))[HARMONICS_OF]))
    kept = int(plan[MATRIX_WIDTH])
    turned = view(tangents, ((line + 1) * (kept + 1) - 1) * (kept + 1))
    g = view(numbers_at(int(plan[COMPLIANCE])), line * series * pairs)
    g_slope = view(numbers_at(int(plan[COMPLIANCE_SLOPE])), line * series * pairs)
    shift = view(numbers_at(int(plan[SHIFT])), line * pairs)
    damping = numbers_at(int(plan[DAMPING]))[line]
    unit = plan[UNIT]
    half = (width - 1) // 2
    low = (kept - 1) // 2
    for i in range(low + 1):
        mean = i == low
        h = half if mean else i
        re = y[2 * h]
        im = 0.0 if mean else y[2 * h + 1]
        order = 0.0 if mean else (h + 1.0) / plan[ORDER]
        rest_re = unit * (force[2 * h] - shift[2 * h] * re + shift[2 * h + 1] * im)
        rest_im = unit * (force[2 * h + 1] - shift[2 * h] * im - shift[2 * h + 1] * re)
        # the rate of a harmonic is -i h omega times it
        slope_re = unit * (turned[2 * i] / plan[ORDER] - order * damping * im)
        slope_im = unit * (turned[2 * i + 1] / plan[ORDER] + order * damping * re)
        for j in range(series):
            at = j * pairs + 2 * h
            to = j * kept + 2 * i
            by_p[to] += g[at] * slope_re - g[at + 1] * slope_im + g_slope[at] * rest_re - g_slope[at + 1] * rest_im
            if not mean:
                by_p[to + 1] += g[at] * slope_im + g[at + 1] * slope_re
                by_p[to + 1] += g_slope[at] * rest_im + g_slope[at + 1] * rest_re


def add_line_tangent(plan: Array, line: int, matrix: Any) -> None:
    """What the derivatives of a line's force add to those by the unknowns."""
    series = int(plan[SERIES])
    width = int(plan[COEFFICIENTS])
    kept = int(plan[MATRIX_WIDTH])
    size = series * kept
    into = view(numbers_at(int(plan[INTO])), line * series)
    g = view(numbers_at(int(plan[COMPLIANCE])), line * series * (width + 1))
    shift = view(numbers_at(int(plan[SHIFT])), line * (width + 1))
    tangents = numbers_at(int(numbers_at(int(plan[LAWS]))[HARMONICS_OF]))
    half = (width - 1) // 2
    low = (kept - 1) // 2
    for c in range(kept):
        row = view(tangents, (line * (kept + 1) + c) * (kept + 1))
        own = c // 2
        moved = view(shift, 2 * own if own < low else 2 * half)
        if c == 2 * own:
            row[2 * own] -= moved[0]
            row[2 * own + 1] -= moved[1]
        else:
            row[2 * own] += moved[1]
            row[2 * own + 1] -= moved[0]
        for i in range(series):
            factor = plan[UNIT] * into[i]
            if factor != 0.0:
                column = view(matrix, (i * kept + c) * (size + 1))
                for j in range(series):
                    to = view(column, j * kept)
                    own_g = view(g, j * (width + 1))
                    for h in range(low):
                        re = factor * row[2 * h]
                        im = factor * row[2 * h + 1]
                        to[2 * h] += own_g[2 * h] * re - own_g[2 * h + 1] * im
                        to[2 * h + 1] += own_g[2 * h] * im + own_g[2 * h + 1] * re
                    to[2 * low] += factor * (own_g[2 * half] * row[2 * low] - own_g[2 * half + 1] * row[2 * low + 1])


def matrix_unknown(plan: Array, i: int) -> int:
    """Which unknown row or column i of the matrix stands for; the last is the frequency."""
    width = int(plan[COEFFICIENTS])
    kept = int(plan[MATRIX_WIDTH])
    if kept == width:
        return i
    for j in range(int(plan[SERIES])):
        if i < (j + 1) * kept:
            return j * width + (i - j * kept if i < (j + 1) * kept - 1 else width - 1)
    return int(plan[SERIES]) * width


def tune_compliance(plan: Array, p: float, derived: int) -> None:
    """Compliances and the answer to the loads from modes at a base frequency; their slopes by it if wanted."""
    pairs = int(plan[COEFFICIENTS]) + 1
    rows = int(plan[MODE_ROWS])
    series = int(plan[SERIES])
    lines = int(plan[ROWS])
    laws = numbers_at(int(plan[LAWS]))
    set_mode_weights(plan, p)
    weights = numbers_at(int(plan[WEIGHTS]))
    response = numbers_at(int(plan[RESPONSE]))
    seen = numbers_at(int(plan[SEEN]))
    for k in range(2 if derived else 1):
        g = numbers_at(int(plan[COMPLIANCE_SLOPE] if k else plan[COMPLIANCE]))
        product(laws, lines * series, rows, pairs, response, view(weights, 2 * k * rows * pairs), g, pairs)
        driven = view(weights, (2 * k + 1) * rows * pairs)
        product(laws, series, rows, pairs, seen, driven, view(g, lines * series * pairs), pairs)
    stiffness = numbers_at(int(plan[STIFFNESS]))
    damping = numbers_at(int(plan[DAMPING]))
    shift = numbers_at(int(plan[SHIFT]))
    for line in range(lines):
        for h in range(pairs // 2):
            mean = h == pairs // 2 - 1
            order = 0.0 if mean else (h + 1.0) / plan[ORDER]
            shift[line * pairs + 2 * h] = stiffness[lines + line if mean else line]
            shift[line * pairs + 2 * h + 1] = -order * p * damping[line]


def set_mode_weights(plan: Array, p: float) -> None:
    """1 / (a + b s + c s^2) of each mode and harmonic, that times the loads, and the derivatives of both by p."""
    pairs = int(plan[COEFFICIENTS]) + 1
    modes = int(plan[MODES])
    half = pairs // 2 - 1
    a = numbers_at(int(plan[CONSTANT]))
    b = numbers_at(int(plan[LINEAR_TERM]))
    square = plan[SQUARE]
    loose = numbers_at(int(plan[LOOSE_MODES]))
    loaded = numbers_at(int(plan[LOADED]))
    power = 2 * (half + 1) * modes
    for h in range(half + 1):
        turn = 0.0 if h == half else -(h + 1.0) / plan[ORDER]  # times i: what s does when the base frequency does
        s = turn * p  # times i
        for k in range(modes):
            re = a[2 * k] - b[2 * k + 1] * s - square * s * s
            im = a[2 * k + 1] + b[2 * k] * s
            size = re * re + im * im
            w_re = re / size
            w_im = -im / size
            if h == half and loose[k] != 0.0:
                w_re = 0.0
                w_im = 0.0
            q_re = w_re * w_re - w_im * w_im
            q_im = 2.0 * w_re * w_im
            d_re = -b[2 * k]
            d_im = -b[2 * k + 1] - 2.0 * square * s
            e_re = -turn * (d_re * q_im + d_im * q_re)
            e_im = turn * (d_re * q_re - d_im * q_im)
            at = 2 * (h * modes + k)
            f_re = loaded[at]
            f_im = loaded[at + 1]
            r_re = 0.0
            r_im = 0.0
            if plan[LOADS_MOVE] != 0.0:
                f_re += p * (loaded[power + at] + p * loaded[2 * power + at])
                f_im += p * (loaded[power + at + 1] + p * loaded[2 * power + at + 1])
                r_re = loaded[power + at] + 2.0 * p * loaded[2 * power + at]
                r_im = loaded[power + at + 1] + 2.0 * p * loaded[2 * power + at + 1]
            put_mode_weight(plan, 0, k, h, w_re, w_im)
            put_mode_weight(plan, 1, k, h, w_re * f_re - w_im * f_im, w_re * f_im + w_im * f_re)
            put_mode_weight(plan, 2, k, h, e_re, e_im)
            re = e_re * f_re - e_im * f_im + w_re * r_re - w_im * r_im
            im = e_re * f_im + e_im * f_re + w_re * r_im + w_im * r_re
            put_mode_weight(plan, 3, k, h, re, im)


def put_mode_weight(plan: Array, what: int, k: int, h: int, re: float, im: float) -> None:
    """Put a weight of a mode at a harmonic in its place, and i times it where modes are complex."""
    pairs = int(plan[COEFFICIENTS]) + 1
    rows = int(plan[MODE_ROWS])
    out = view(numbers_at(int(plan[WEIGHTS])), what * rows * pairs + 2 * h)
    out[k * pairs] = re
    out[k * pairs + 1] = im
    if rows > int(plan[MODES]):
        out[(k + int(plan[MODES])) * pairs] = -im
        out[(k + int(plan[MODES])) * pairs + 1] = re
