"""Harmonics of the derivatives of forces without rows of samples in between; compiled.

For df = g(tau) du the pair a of df by the cosine b of du is G_(a+b) + G_(a-b), by the sine -i (G_(a+b) - G_(a-b)), with
G_k the mean of g exp(i k tau): Toeplitz plus Hankel, H^2 numbers from 4 H sums over the samples. A memory that rests
but for a few samples (a slider) adds one product of two rows for each time it rests.
"""

from __future__ import annotations

from typing import Any

from slipstick.native import Array, numbers_at, view
from slipstick.periodic.balance.derivative_rows_loop import add, add_to_row, clear, rate_of, solve_cycle_fixed_point
from slipstick.periodic.balance.matrix_loop import add_transposed, product, weighted_sum
from slipstick.periodic.balance.records import (
    ANY_RATE,
    BY_SLOPE,
    BY_U,
    BY_X,
    DOUBLE_WAVES,
    HARMONICS_OF,
    HAS_ROWS,
    LINE,
    LINES,
    LOCAL,
    OFTEN,
    PROJECTION,
    RATE,
    REMEMBERS,
    ROOM,
    SAMPLES,
    SPECTRUM_SLOPE,
    SPECTRUM_U,
    TURN,
    WIDTH,
)


def add_sample_derivatives(plan: Array, leaf: Any, k: int, of_u: float, of_v: float) -> None:
    """Add of_u d(deflection) + of_v d(rate) at sample k to the derivatives of the leaf's line."""
    at = int(leaf[LINE]) * int(plan[SAMPLES]) + k
    numbers_at(int(plan[BY_U]))[at] += of_u
    if of_v != 0.0:
        numbers_at(int(plan[BY_SLOPE]))[at] += of_v * rate_of(plan, leaf)
        if leaf[RATE] == 1.0:
            columns = int(plan[WIDTH]) + 1
            turn = numbers_at(int(plan[TURN]))[at + int(leaf[LINE]) * int(plan[SAMPLES])]
            by_frequency = view(numbers_at(int(plan[HARMONICS_OF])), ((int(leaf[LINE]) + 1) * columns - 1) * columns)
            add(by_frequency, of_v * turn, view(numbers_at(int(plan[PROJECTION])), k * columns), columns)


def add_resting_memory(plan: Array, leaf: Any, first: int, factor: Any) -> bool:
    """The derivatives of a leaf with one memory that seldom changes; False if it is not like that."""
    if leaf[REMEMBERS] != 1.0 or memory_changes(plan, leaf) * OFTEN > int(plan[SAMPLES]):
        return False
    samples = int(plan[SAMPLES])
    columns = int(plan[WIDTH]) + 1
    locals_ = numbers_at(int(leaf[LOCAL]))
    room = numbers_at(int(leaf[ROOM]))
    by_start = view(room, 6)
    rows = view(by_start, samples)
    weights = view(rows, 3 * columns + 1 + samples)  # behind the last forces
    by_u = view(numbers_at(int(plan[BY_U])), int(leaf[LINE]) * samples)
    clear(rows, columns)
    pending = -1  # the sample at which the memory took its value, as long as nobody asked for its row
    begin = first + 1 if first + 1 < samples else 0
    used = False
    k = first
    for i in range(samples):
        k += 1
        if k == samples:
            k = 0
        own = view(locals_, 6 * k)
        by_u[k] += factor[k] * own[0]
        if own[2] != 0.0:
            add_sample_derivatives(plan, leaf, k, 0.0, factor[k] * own[2])
        weights[k] = factor[k] * own[4]
        used = used or weights[k] != 0.0
        rests = own[1] == 0.0 and own[3] == 0.0 and own[5] == 1.0
        if rests and i < samples - 1:
            continue
        if used:
            pending = ensure_memory_row(plan, leaf, pending, rows)
            add_resting_interval(plan, leaf, weights, begin, k, rows)
            used = False
        if own[5] != 0.0 and not rests:
            ensure_memory_row(plan, leaf, pending, rows)
            for c in range(columns):
                rows[c] = own[5] * rows[c]
            add_to_row(plan, leaf, k, own[1], own[3], rows)
            pending = -1
        elif not rests:
            pending = k
        begin = k + 1 if k + 1 < samples else 0
    ensure_memory_row(plan, leaf, pending, rows)
    other = view(rows, columns)
    clear(other, columns)
    add_to_row(plan, leaf, first, room[2], room[3], other)
    solve_cycle_fixed_point(plan, leaf, rows, other, columns)
    for k in range(samples):
        weights[k] = factor[k] * by_start[k]
    add_resting_interval(plan, leaf, weights, 0, samples - 1, rows)
    return True


def memory_changes(plan: Array, leaf: Any) -> int:
    """How often the memory changes before a force that depends on it."""
    locals_ = numbers_at(int(leaf[LOCAL]))
    samples = int(plan[SAMPLES])
    found = 0
    for k in range(samples):
        own = view(locals_, 6 * k)
        after = view(locals_, 6 * (k + 1 if k + 1 < samples else 0))
        if (own[1] != 0.0 or own[3] != 0.0 or own[5] != 1.0) and after[4] != 0.0:
            found += 1
    return found


def ensure_memory_row(plan: Array, leaf: Any, pending: int, rows: Any) -> int:
    """Find the row of a memory that took its value at a sample, if that has not been done."""
    if pending >= 0:
        own = view(numbers_at(int(leaf[LOCAL])), 6 * pending)
        clear(rows, int(plan[WIDTH]) + 1)
        add_to_row(plan, leaf, pending, own[1], own[3], rows)
    return -1


def add_resting_interval(plan: Array, leaf: Any, weights: Any, begin: int, end: int, rows: Any) -> None:
    """Add what a memory that rests from one sample to another, both included, does to the harmonics."""
    samples = int(plan[SAMPLES])
    columns = int(plan[WIDTH]) + 1
    projection = numbers_at(int(plan[PROJECTION]))
    sums = view(weights, samples)
    if begin <= end:
        count = end + 1 - begin
        weighted_sum(plan, count, columns, view(weights, begin), view(projection, begin * columns), sums, 0)
    else:
        count = samples - begin
        weighted_sum(plan, count, columns, view(weights, begin), view(projection, begin * columns), sums, 0)
        weighted_sum(plan, end + 1, columns, weights, projection, sums, 1)
    out = view(numbers_at(int(plan[HARMONICS_OF])), int(leaf[LINE]) * columns * columns)
    for c in range(columns):
        add(view(out, c * columns), rows[c], sums, columns)


def harmonics_of_lines(plan: Array) -> None:
    """Add what forces owe to deflections and slopes at the same sample, and rows of samples where there are any."""
    lines = int(plan[LINES])
    samples = int(plan[SAMPLES])
    columns = int(plan[WIDTH]) + 1
    wide = 2 * (columns - 1)
    waves = numbers_at(int(plan[DOUBLE_WAVES]))
    spectra = numbers_at(int(plan[SPECTRUM_U]))
    slopes = numbers_at(int(plan[SPECTRUM_SLOPE]))
    product(plan, lines, samples, wide, numbers_at(int(plan[BY_U])), waves, spectra, wide)
    if plan[ANY_RATE] != 0.0:
        product(plan, lines, samples, wide, numbers_at(int(plan[BY_SLOPE])), waves, slopes, wide)
    for line in range(lines):
        out = view(numbers_at(int(plan[HARMONICS_OF])), line * columns * columns)
        add_toeplitz_hankel(plan, view(spectra, line * wide), view(slopes, line * wide), out)
        if numbers_at(int(plan[HAS_ROWS]))[line] != 0.0:
            rows = view(numbers_at(int(plan[BY_X])), line * samples * columns)
            add_transposed(plan, columns, samples, columns, rows, numbers_at(int(plan[PROJECTION])), out)


def add_toeplitz_hankel(plan: Array, spectrum: Any, slopes: Any, out: Any) -> None:
    """Add the pairs of forces by the coefficients of their line."""
    half = (int(plan[WIDTH]) - 1) // 2
    columns = int(plan[WIDTH]) + 1
    rates = plan[ANY_RATE] != 0.0
    for b in range(half + 1):  # the last is the mean
        order = b + 1 if b < half else 0
        cos = view(out, 2 * b * columns)
        sin = view(out, (2 * b + 1) * columns)
        for a in range(half + 1):
            own = a + 1 if a < half else 0
            part = 1.0 if a < half else 0.5
            up = own + order
            down = abs(own - order)
            sign = 1.0 if own >= order else -1.0
            plus = part * spectrum[2 * up]
            plus_i = part * spectrum[2 * up + 1]
            minus = part * spectrum[2 * down]
            minus_i = part * sign * spectrum[2 * down + 1]
            cos[2 * a] += plus + minus
            cos[2 * a + 1] += plus_i + minus_i
            if b < half:
                sin[2 * a] += plus_i - minus_i
                sin[2 * a + 1] -= plus - minus
            if rates and b < half:
                plus = part * order * slopes[2 * up]
                plus_i = part * order * slopes[2 * up + 1]
                minus = part * order * slopes[2 * down]
                minus_i = part * order * sign * slopes[2 * down + 1]
                cos[2 * a] -= plus_i - minus_i
                cos[2 * a + 1] += plus - minus
                sin[2 * a] += plus + minus
                sin[2 * a + 1] += plus_i + minus_i
