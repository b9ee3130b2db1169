"""Residual and derivatives of harmonic balance from the harmonics of the forces; compiled.

Rows of harmonics are pairs: (cos, sin) of each harmonic, then the mean and a zero; products are those of complex
numbers. See `harmonic_balance` for the equations.
"""

from __future__ import annotations

import math
from typing import Any

from slipstick.native import view
from slipstick.periodic.balance.aft_forces_loop import evaluate_laws
from slipstick.periodic.balance.derivative_rows_loop import add, clear
from slipstick.periodic.balance.fourier_loop import add_harmonics, samples_of_series
from slipstick.periodic.balance.matrix_loop import product
from slipstick.periodic.balance.records import ONLY_FORCES, ONLY_HARMONICS, BalancePlan

# harmonics that a partial matrix has at least, and how strongly each other one may act on itself through its law:
# steps with the matrix shrink the residual by about so much
MIN_MATRIX_HARMONICS, MAX_COUPLING = 64, 1e-2


def evaluate_equations(plan: BalancePlan, derived: int) -> None:
    """The residual at the unknowns and the frequency, and its derivatives if they are wanted."""
    laws = plan.laws
    lines = plan.line_count
    width = plan.width
    size = plan.series_count * width
    x = plan.unknowns
    laws.omega = x[size] / plan.order
    laws.wanted = ONLY_HARMONICS if derived else ONLY_FORCES
    if plan.mode_count > 0:
        tune_compliance(plan, x[size], derived)
    own = plan.line_series
    whole = plan.moved_series
    offsets = plan.offsets
    product(laws, lines, plan.series_count, width, plan.lines_by_unknowns, x, own, width)
    for c in range(lines * width):
        whole[c] = own[c] + offsets[c]
    if derived:
        plan.matrix_width = matrix_width(plan, x[size])
        laws.tangent_width = plan.matrix_width
    sample_deflections(plan, whole)
    evaluate_laws(laws)
    project_forces(plan)
    assemble(plan, derived)


def matrix_width(plan: BalancePlan, p: float) -> int:
    """Coefficients of a series that the matrix has: all, or those of the harmonics that laws couple strongly."""
    width = plan.width
    if not plan.partial or not plan.laws.transforms:
        return width
    low = (width - 1) // 2
    while low > MIN_MATRIX_HARMONICS and coupling(plan, p, low - 1) <= MAX_COUPLING:
        low -= 1
    return min(2 * low + 1, width)


def coupling(plan: BalancePlan, p: float, h: int) -> float:
    """How strongly forces of a harmonic move it: the largest sum over lines of compliance times stiffness."""
    lines = plan.line_count
    series = plan.series_count
    pairs = plan.width + 1
    g = plan.compliance
    shift = plan.shift
    stiffness = plan.law_stiffness
    most = 0.0
    for j in range(series):
        total = 0.0
        for line in range(lines):
            own = view(g, (line * series + j) * pairs + 2 * h)
            moved = view(shift, line * pairs + 2 * h)
            law = stiffness[line] + (h + 1.0) / plan.order * p * stiffness[lines + line]
            total += math.hypot(own[0], own[1]) * (law + math.hypot(moved[0], moved[1]))
        most = max(most, total)
    return most


def sample_deflections(plan: BalancePlan, whole: Any) -> None:
    """Put the samples of series (lines, width), and their slopes if laws need them, in the plan of the laws."""
    laws = plan.laws
    lines = plan.line_count
    width = plan.width
    samples = laws.sample_count
    out = laws.deflection
    parts = 1 if not laws.any_rate else 2
    if not laws.transforms:
        product(laws, lines, width, parts * samples, whole, plan.waves, out, 2 * samples)
        return
    circle = laws.circle
    room = laws.transform_room
    for line in range(lines):
        for slopes in range(parts):
            own = view(out, (2 * line + slopes) * samples)
            samples_of_series(view(whole, line * width), width, slopes, circle, samples, room, own)


def project_forces(plan: BalancePlan) -> None:
    """The harmonics of the forces from their samples, with what corners between samples add."""
    laws = plan.laws
    lines = plan.line_count
    width = plan.width
    samples = laws.sample_count
    forces = plan.force_harmonics
    sampled = laws.force
    if not laws.transforms:
        product(laws, lines, samples, width + 1, sampled, laws.projection, forces, width + 1)
    else:
        clear(forces, lines * (width + 1))
        for line in range(lines):
            add_harmonics(laws, view(sampled, line * samples), width, view(forces, line * (width + 1)))
    add(forces, 1.0, laws.corner_harmonics, lines * (width + 1))


def assemble(plan: BalancePlan, derived: int) -> None:
    """Fill ``residual``, and ``matrix`` if wanted."""
    series = plan.series_count
    width = plan.width
    kept = plan.matrix_width
    size = series * kept
    unit = plan.unit
    x = plan.unknowns
    residual = plan.residual
    matrix = plan.matrix
    behind = plan.line_count * series * (width + 1)
    answer = view(plan.compliance, behind)
    answer_slope = view(plan.compliance_slope, behind)
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
    for line in range(plan.line_count):
        add_line_force(plan, line, residual)
        if derived:
            add_line_frequency_slope(plan, line, view(matrix, (size + 1) * size))
            add_line_tangent(plan, line, matrix)
    if derived:
        for pair in range(plan.laws.pair_count):
            add_pair_tangent(plan, pair, matrix)


def add_line_force(plan: BalancePlan, line: int, out: Any) -> None:
    """What the force of a line adds to the residual."""
    series = plan.series_count
    width = plan.width
    pairs = width + 1
    y = view(plan.line_series, line * width)
    force = view(plan.force_harmonics, line * pairs)
    g = view(plan.compliance, line * series * pairs)
    shift = view(plan.shift, line * pairs)
    half = (width - 1) // 2
    for h in range(half + 1):
        mean = h == half
        re = y[2 * h]
        im = 0.0 if mean else y[2 * h + 1]
        rest_re = plan.unit * (force[2 * h] - shift[2 * h] * re + shift[2 * h + 1] * im)
        rest_im = plan.unit * (force[2 * h + 1] - shift[2 * h] * im - shift[2 * h + 1] * re)
        for j in range(series):
            at = j * pairs + 2 * h
            out[j * width + 2 * h] += g[at] * rest_re - g[at + 1] * rest_im
            if not mean:
                out[j * width + 2 * h + 1] += g[at] * rest_im + g[at + 1] * rest_re


def add_line_frequency_slope(plan: BalancePlan, line: int, by_p: Any) -> None:
    """What the force of a line adds to the derivative by the frequency."""
    series = plan.series_count
    width = plan.width
    pairs = width + 1
    y = view(plan.line_series, line * width)
    force = view(plan.force_harmonics, line * pairs)
    tangents = plan.laws.tangent_harmonics
    kept = plan.matrix_width
    turned = view(tangents, ((line + 1) * (kept + 1) - 1) * (kept + 1))
    g = view(plan.compliance, line * series * pairs)
    g_slope = view(plan.compliance_slope, line * series * pairs)
    shift = view(plan.shift, line * pairs)
    damping = plan.moved_damping[line]
    unit = plan.unit
    half = (width - 1) // 2
    low = (kept - 1) // 2
    for i in range(low + 1):
        mean = i == low
        h = half if mean else i
        re = y[2 * h]
        im = 0.0 if mean else y[2 * h + 1]
        order = 0.0 if mean else (h + 1.0) / plan.order
        rest_re = unit * (force[2 * h] - shift[2 * h] * re + shift[2 * h + 1] * im)
        rest_im = unit * (force[2 * h + 1] - shift[2 * h] * im - shift[2 * h + 1] * re)
        # the rate of a harmonic is -i h omega times it
        slope_re = unit * (turned[2 * i] / plan.order - order * damping * im)
        slope_im = unit * (turned[2 * i + 1] / plan.order + order * damping * re)
        for j in range(series):
            at = j * pairs + 2 * h
            to = j * kept + 2 * i
            by_p[to] += g[at] * slope_re - g[at + 1] * slope_im + g_slope[at] * rest_re - g_slope[at + 1] * rest_im
            if not mean:
                by_p[to + 1] += g[at] * slope_im + g[at + 1] * slope_re
                by_p[to + 1] += g_slope[at] * rest_im + g_slope[at + 1] * rest_re


def add_line_tangent(plan: BalancePlan, line: int, matrix: Any) -> None:
    """What the derivatives of a line's force add to those by the unknowns."""
    series = plan.series_count
    width = plan.width
    kept = plan.matrix_width
    into = view(plan.lines_by_unknowns, line * series)
    shift = view(plan.shift, line * (width + 1))
    tangents = plan.laws.tangent_harmonics
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
        add_tangent_row(plan, line, into, c, row, matrix)


def add_pair_tangent(plan: BalancePlan, pair: int, matrix: Any) -> None:
    """What the derivatives of a line's force by the deflection of another add to those by the unknowns."""
    kept = plan.matrix_width
    laws = plan.laws
    line = int(laws.pair_lines[2 * pair])
    into = view(plan.lines_by_unknowns, int(laws.pair_lines[2 * pair + 1]) * plan.series_count)
    for c in range(kept):
        row = view(laws.pair_harmonics, (pair * (kept + 1) + c) * (kept + 1))
        add_tangent_row(plan, line, into, c, row, matrix)


def add_tangent_row(plan: BalancePlan, line: int, into: Any, c: int, row: Any, matrix: Any) -> None:
    """What the harmonics ``row`` of a line's force by coefficient c of a deflection add to those by the unknowns.

    into : (s,) the deflection by the unknown series.
    """
    series = plan.series_count
    width = plan.width
    kept = plan.matrix_width
    size = series * kept
    g = view(plan.compliance, line * series * (width + 1))
    half = (width - 1) // 2
    low = (kept - 1) // 2
    for i in range(series):
        factor = plan.unit * into[i]
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


def matrix_unknown(plan: BalancePlan, i: int) -> int:
    """Which unknown row or column i of the matrix stands for; the last is the frequency."""
    width = plan.width
    kept = plan.matrix_width
    if kept == width:
        return i
    for j in range(plan.series_count):
        if i < (j + 1) * kept:
            return j * width + (i - j * kept if i < (j + 1) * kept - 1 else width - 1)
    return plan.series_count * width


def tune_compliance(plan: BalancePlan, p: float, derived: int) -> None:
    """Compliances and the answer to the loads from modes at a base frequency; their slopes by it if wanted."""
    pairs = plan.width + 1
    rows = plan.mode_row_count
    series = plan.series_count
    lines = plan.line_count
    laws = plan.laws
    set_mode_weights(plan, p)
    weights = plan.mode_weights
    response = plan.mode_response
    seen = plan.mode_seen
    for k in range(2 if derived else 1):
        g = plan.compliance_slope if k else plan.compliance
        product(laws, lines * series, rows, pairs, response, view(weights, 2 * k * rows * pairs), g, pairs)
        driven = view(weights, (2 * k + 1) * rows * pairs)
        product(laws, series, rows, pairs, seen, driven, view(g, lines * series * pairs), pairs)
    stiffness = plan.moved_stiffness
    damping = plan.moved_damping
    shift = plan.shift
    for line in range(lines):
        for h in range(pairs // 2):
            mean = h == pairs // 2 - 1
            order = 0.0 if mean else (h + 1.0) / plan.order
            shift[line * pairs + 2 * h] = stiffness[lines + line if mean else line]
            shift[line * pairs + 2 * h + 1] = -order * p * damping[line]


def set_mode_weights(plan: BalancePlan, p: float) -> None:
    """1 / (a + b s + c s^2) of each mode and harmonic, that times the loads, and the derivatives of both by p."""
    pairs = plan.width + 1
    modes = plan.mode_count
    half = pairs // 2 - 1
    a = plan.mode_constant
    b = plan.mode_linear
    square = plan.mode_square
    loose = plan.loose_modes
    loaded = plan.mode_loads
    power = 2 * (half + 1) * modes
    for h in range(half + 1):
        turn = 0.0 if h == half else -(h + 1.0) / plan.order  # times i: what s does when the base frequency does
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
            if plan.loads_move:
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


def put_mode_weight(plan: BalancePlan, what: int, k: int, h: int, re: float, im: float) -> None:
    """Put a weight of a mode at a harmonic in its place, and i times it where modes are complex."""
    pairs = plan.width + 1
    rows = plan.mode_row_count
    out = view(plan.mode_weights, what * rows * pairs + 2 * h)
    out[k * pairs] = re
    out[k * pairs + 1] = im
    if rows > plan.mode_count:
        out[(k + plan.mode_count) * pairs] = -im
        out[(k + plan.mode_count) * pairs + 1] = re
