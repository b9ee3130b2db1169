"""Residual and derivatives of harmonic balance from the harmonics of the forces; compiled.

Rows of harmonics are pairs: (cos, sin) of each harmonic, then the mean and a zero; products are those of complex
numbers. See `balance` for the equations.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from slipstick.native import numbers_at, view

# numbers: lines, unknown series, coefficients of a series, base periods in a period, 1 / typical size
ROWS, SERIES, COEFFICIENTS, ORDER, UNIT = range(5)
# addresses: unknowns (SERIES, COEFFICIENTS); deflections of the lines (ROWS, COEFFICIENTS) and their derivatives by
# the unknowns (ROWS, SERIES); harmonics of forces (ROWS, pairs) and of their derivatives by coefficients and frequency
# (ROWS, COEFFICIENTS + 1, pairs)
UNKNOWNS, LINE_SERIES, INTO, FORCES, TANGENTS = range(5, 10)
# compliance (ROWS, SERIES, pairs), its slope by the frequency; answer to the loads (SERIES, pairs), its slope; what was
# moved into the linear part (ROWS, pairs), of it the damping (ROWS,)
COMPLIANCE, COMPLIANCE_SLOPE, ANSWER, ANSWER_SLOPE, SHIFT, DAMPING = range(10, 16)
# of the modes (`tune`): numbers of harmonics and modes, frequency of the first harmonic [rad/s]; what the unknowns see
# of their shapes (SERIES, modes), how lines drive them (modes, ROWS) and loads (harmonics, modes), complex; the
# polynomial a + b s + c s^2 of each, a and b complex, c; 1 for those that have no part in the mean
HARMONICS_COUNT, MODES, FIRST, SEEN, DRIVEN, LOADED, CONSTANT, LINEAR_TERM, SQUARE, LOOSE_MODES = range(16, 26)
OUT = 26  # address of residual (size,), derivatives by frequency (size,) and, by columns, by unknowns (size, size)
ASSEMBLY_LENGTH = 27


def assemble(plan: Sequence[float]) -> None:
    """Fill OUT."""
    series = int(plan[SERIES])
    width = int(plan[COEFFICIENTS])
    size = series * width
    unit = plan[UNIT]
    x = numbers_at(int(plan[UNKNOWNS]))
    out = numbers_at(int(plan[OUT]))
    answer = numbers_at(int(plan[ANSWER]))
    answer_slope = numbers_at(int(plan[ANSWER_SLOPE]))
    for j in range(series):
        for c in range(width):
            out[j * width + c] = unit * (x[j * width + c] - answer[j * (width + 1) + c])
            out[size + j * width + c] = -unit * answer_slope[j * (width + 1) + c]
    matrix = view(out, 2 * size)
    for c in range(size * size):
        matrix[c] = 0.0
    for c in range(size):
        matrix[c * size + c] = unit
    for line in range(int(plan[ROWS])):
        forces_of(plan, line, out)
        tangents_of(plan, line, matrix)


def forces_of(plan: Sequence[float], line: int, out: Any) -> None:
    """What the force of a line adds to the residual and its derivative by the frequency."""
    series = int(plan[SERIES])
    width = int(plan[COEFFICIENTS])
    pairs = width + 1
    unit = plan[UNIT]
    y = view(numbers_at(int(plan[LINE_SERIES])), line * width)
    force = view(numbers_at(int(plan[FORCES])), line * pairs)
    turned = view(numbers_at(int(plan[TANGENTS])), (line * pairs + width) * pairs)
    g = view(numbers_at(int(plan[COMPLIANCE])), line * series * pairs)
    g_slope = view(numbers_at(int(plan[COMPLIANCE_SLOPE])), line * series * pairs)
    shift = view(numbers_at(int(plan[SHIFT])), line * pairs)
    damping = numbers_at(int(plan[DAMPING]))[line]
    by_p = view(out, series * width)
    half = (width - 1) // 2
    for h in range(half + 1):
        mean = h == half
        re = y[2 * h]
        im = 0.0 if mean else y[2 * h + 1]
        order = 0.0 if mean else (h + 1.0) / plan[ORDER]
        rest_re = force[2 * h] - shift[2 * h] * re + shift[2 * h + 1] * im
        rest_im = force[2 * h + 1] - shift[2 * h] * im - shift[2 * h + 1] * re
        # the rate of a harmonic is -i h omega times it
        slope_re = turned[2 * h] / plan[ORDER] - order * damping * im
        slope_im = turned[2 * h + 1] / plan[ORDER] + order * damping * re
        for j in range(series):
            at = j * pairs + 2 * h
            to = j * width + 2 * h
            out[to] += unit * (g[at] * rest_re - g[at + 1] * rest_im)
            by_p[to] += unit * (g[at] * slope_re - g[at + 1] * slope_im)
            by_p[to] += unit * (g_slope[at] * rest_re - g_slope[at + 1] * rest_im)
            if not mean:
                out[to + 1] += unit * (g[at] * rest_im + g[at + 1] * rest_re)
                by_p[to + 1] += unit * (g[at] * slope_im + g[at + 1] * slope_re)
                by_p[to + 1] += unit * (g_slope[at] * rest_im + g_slope[at + 1] * rest_re)


def tangents_of(plan: Sequence[float], line: int, matrix: Any) -> None:
    """What the derivatives of a line's force add to those by the unknowns."""
    series = int(plan[SERIES])
    width = int(plan[COEFFICIENTS])
    pairs = width + 1
    size = series * width
    into = view(numbers_at(int(plan[INTO])), line * series)
    g = view(numbers_at(int(plan[COMPLIANCE])), line * series * pairs)
    shift = view(numbers_at(int(plan[SHIFT])), line * pairs)
    half = (width - 1) // 2
    for c in range(width):
        row = view(numbers_at(int(plan[TANGENTS])), (line * pairs + c) * pairs)
        own = c // 2
        if c == 2 * own:
            row[2 * own] -= shift[2 * own]
            row[2 * own + 1] -= shift[2 * own + 1]
        else:
            row[2 * own] += shift[2 * own + 1]
            row[2 * own + 1] -= shift[2 * own]
        for i in range(series):
            factor = plan[UNIT] * into[i]
            if factor != 0.0:
                column = view(matrix, (i * width + c) * size)
                for j in range(series):
                    to = view(column, j * width)
                    own_g = view(g, j * pairs)
                    for h in range(half):
                        re = factor * row[2 * h]
                        im = factor * row[2 * h + 1]
                        to[2 * h] += own_g[2 * h] * re - own_g[2 * h + 1] * im
                        to[2 * h + 1] += own_g[2 * h] * im + own_g[2 * h + 1] * re
                    to[2 * half] += factor * (own_g[2 * half] * row[2 * half] - own_g[2 * half + 1] * row[2 * half + 1])


def tune(plan: Sequence[float]) -> None:
    """Compliances and the answer to the loads from modes: sum over modes of seen driven / (a + b s + c s^2)."""
    lines = int(plan[ROWS])
    series = int(plan[SERIES])
    pairs = int(plan[COEFFICIENTS]) + 1
    modes = int(plan[MODES])
    half = int(plan[HARMONICS_COUNT])
    g = numbers_at(int(plan[COMPLIANCE]))
    g_slope = numbers_at(int(plan[COMPLIANCE_SLOPE]))
    seen = numbers_at(int(plan[SEEN]))
    driven = numbers_at(int(plan[DRIVEN]))
    loaded = numbers_at(int(plan[LOADED]))
    a = numbers_at(int(plan[CONSTANT]))
    b = numbers_at(int(plan[LINEAR_TERM]))
    square = plan[SQUARE]
    loose = numbers_at(int(plan[LOOSE_MODES]))
    for c in range((lines + 1) * series * pairs):
        g[c] = 0.0
        g_slope[c] = 0.0
    for h in range(half + 1):
        order = 0.0 if h == half else h + 1.0
        s = -order * plan[FIRST]  # times i
        turn = -order / plan[ORDER]  # times i: what s does when the base frequency does
        for k in range(modes):
            if h == half and loose[k] != 0.0:
                continue
            # 1 / (a + b s + c s^2), and its derivative by the base frequency
            re = a[2 * k] - b[2 * k + 1] * s - square * s * s
            im = a[2 * k + 1] + b[2 * k] * s
            size = re * re + im * im
            w_re = re / size
            w_im = -im / size
            q_re = w_re * w_re - w_im * w_im
            q_im = 2.0 * w_re * w_im
            d_re = -b[2 * k]
            d_im = -b[2 * k + 1] - 2.0 * square * s
            e_re = -turn * (d_re * q_im + d_im * q_re)
            e_im = turn * (d_re * q_re - d_im * q_im)
            for j in range(series):
                at = 2 * (j * modes + k)
                x_re = seen[at] * w_re - seen[at + 1] * w_im
                x_im = seen[at] * w_im + seen[at + 1] * w_re
                y_re = seen[at] * e_re - seen[at + 1] * e_im
                y_im = seen[at] * e_im + seen[at + 1] * e_re
                for line in range(lines + 1):
                    f_re = driven[2 * (k * lines + line)] if line < lines else loaded[2 * (h * modes + k)]
                    f_im = driven[2 * (k * lines + line) + 1] if line < lines else loaded[2 * (h * modes + k) + 1]
                    to = (line * series + j) * pairs + 2 * h
                    g[to] += x_re * f_re - x_im * f_im
                    g[to + 1] += x_re * f_im + x_im * f_re
                    g_slope[to] += y_re * f_re - y_im * f_im
                    g_slope[to + 1] += y_re * f_im + y_im * f_re
