"""Harmonics of the derivatives of forces without rows of samples in between; compiled.

For df = g(tau) du the pair a of df by the cosine b of du is G_(a+b) + G_(a-b), by the sine -i (G_(a+b) - G_(a-b)), with
G_k the mean of g exp(i k tau): Toeplitz plus Hankel, H^2 numbers from 4 H sums over the samples. A memory that rests
but for a few samples (a slider) adds one product of two rows for each time it rests.
"""

from __future__ import annotations

from typing import Any

from slipstick.native import view
from slipstick.periodic.balance.derivative_rows_loop import add, add_to_row, clear, rate_of, solve_cycle_fixed_point
from slipstick.periodic.balance.fourier_loop import (
    add_harmonics,
    add_harmonics_of_interval,
    add_projection,
    spectrum_of_samples,
)
from slipstick.periodic.balance.matrix_loop import add_transposed, product, weighted_sum
from slipstick.periodic.balance.records import RATE_BY_TIME, SPARSE_CHANGE_SPACING, LawPlan, SampledLeaf


def add_sample_derivatives(plan: LawPlan, leaf: SampledLeaf, k: int, of_u: float, of_v: float) -> None:
    """Add of_u d(deflection) + of_v d(rate) at sample k to the derivatives of the leaf's line."""
    at = leaf.line * plan.sample_count + k
    plan.by_deflection[at] += of_u
    if of_v != 0.0:
        plan.by_slope[at] += of_v * rate_of(plan, leaf)
        if leaf.rate_kind == RATE_BY_TIME:
            turn = plan.slope[at + leaf.line * plan.sample_count]
            if plan.transforms:
                plan.by_frequency[at] += of_v * turn
            else:
                width = plan.tangent_width
                last = view(plan.tangent_harmonics, ((leaf.line + 1) * (width + 1) - 1) * (width + 1))
                add_projection(plan, k, of_v * turn, width, last)


def add_resting_memory(plan: LawPlan, leaf: SampledLeaf, first: int, factor: Any) -> bool:
    """The derivatives of a leaf with one memory that seldom changes; False if it is not like that."""
    if leaf.memory_size != 1 or memory_changes(plan, leaf) * SPARSE_CHANGE_SPACING > plan.sample_count:
        return False
    samples = plan.sample_count
    columns = plan.tangent_width + 1
    locals_ = leaf.local
    room = leaf.room
    by_start = view(room, 6)
    rows = view(by_start, samples)
    weights = view(rows, 3 * columns + 1 + samples)  # behind the last forces
    by_u = view(plan.by_deflection, leaf.line * samples)
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


def memory_changes(plan: LawPlan, leaf: SampledLeaf) -> int:
    """How often the memory changes before a force that depends on it."""
    locals_ = leaf.local
    samples = plan.sample_count
    found = 0
    for k in range(samples):
        own = view(locals_, 6 * k)
        after = view(locals_, 6 * (k + 1 if k + 1 < samples else 0))
        if (own[1] != 0.0 or own[3] != 0.0 or own[5] != 1.0) and after[4] != 0.0:
            found += 1
    return found


def ensure_memory_row(plan: LawPlan, leaf: SampledLeaf, pending: int, rows: Any) -> int:
    """Find the row of a memory that took its value at a sample, if that has not been done."""
    if pending >= 0:
        own = view(leaf.local, 6 * pending)
        clear(rows, plan.tangent_width + 1)
        add_to_row(plan, leaf, pending, own[1], own[3], rows)
    return -1


def add_resting_interval(plan: LawPlan, leaf: SampledLeaf, weights: Any, begin: int, end: int, rows: Any) -> None:
    """Add what a memory that rests from one sample to another, both included, does to the harmonics."""
    columns = plan.tangent_width + 1
    sums = view(weights, plan.sample_count)
    sum_interval(plan, weights, begin, end, sums)
    out = view(plan.tangent_harmonics, leaf.line * columns * columns)
    for c in range(columns):
        add(view(out, c * columns), rows[c], sums, columns)


def sum_interval(plan: LawPlan, weights: Any, begin: int, end: int, sums: Any) -> None:
    """The harmonics (columns,) of weights from one sample to another, both included."""
    samples = plan.sample_count
    columns = plan.tangent_width + 1
    clear(sums, columns)
    if plan.transforms:
        add_harmonics_of_interval(plan, weights, begin, end, columns - 1, sums)
        return
    projection = plan.projection
    last = end if begin <= end else samples - 1
    own = view(projection, begin * columns)
    weighted_sum(plan, last + 1 - begin, columns, view(weights, begin), own, sums)
    if begin > end:
        weighted_sum(plan, end + 1, columns, weights, projection, sums)


def harmonics_of_lines(plan: LawPlan) -> None:
    """Add what forces owe to deflections and slopes at the same sample, and rows of samples where there are any."""
    lines = plan.line_count
    samples = plan.sample_count
    columns = plan.tangent_width + 1
    wide = 2 * (columns - 1)
    spectra = plan.deflection_spectrum
    slopes = plan.slope_spectrum
    double_spectra(plan, lines, plan.by_deflection, spectra)
    if plan.any_rate:
        double_spectra(plan, lines, plan.by_slope, slopes)
    for line in range(lines):
        out = view(plan.tangent_harmonics, line * columns * columns)
        add_toeplitz_hankel(plan, view(spectra, line * wide), view(slopes, line * wide), plan.any_rate, out)
        if plan.any_rate and plan.transforms:
            own = view(plan.by_frequency, line * samples)
            add_harmonics(plan, own, columns - 1, view(out, (columns - 1) * columns))
        if plan.has_rows[line] != 0.0:
            rows = view(plan.by_coefficients, line * samples * columns)
            if plan.transforms:
                add_harmonics_of_columns(plan, rows, columns, out)
            else:
                add_transposed(plan, columns, samples, columns, rows, plan.projection, out)
    if plan.pair_count > 0:
        double_spectra(plan, plan.pair_count, plan.pair_by_deflection, plan.pair_spectrum)
    for pair in range(plan.pair_count):
        rows = view(plan.pair_rows, pair * samples * columns)
        out = view(plan.pair_harmonics, pair * columns * columns)
        spectrum = view(plan.pair_spectrum, pair * wide)
        add_toeplitz_hankel(plan, spectrum, spectrum, False, out)
        if plan.pair_has_rows[pair] == 0.0:
            continue
        if plan.transforms:
            add_harmonics_of_columns(plan, rows, columns, out)
        else:
            add_transposed(plan, columns, samples, columns, rows, plan.projection, out)


def double_spectra(plan: LawPlan, lines: int, rows: Any, out: Any) -> None:
    """out (lines, width pairs) = means of rows (lines, samples) times exp(i k tau), up to twice the harmonics."""
    samples = plan.sample_count
    width = plan.tangent_width
    if not plan.transforms:
        product(plan, lines, samples, 2 * width, rows, plan.double_waves, out, 2 * width)
        return
    circle = plan.circle
    for line in range(lines):
        own = view(out, 2 * line * width)
        spectrum_of_samples(view(rows, line * samples), circle, samples, plan.transform_room, width, own)
        for i in range(2 * width):
            own[i] = own[i] / samples


def add_harmonics_of_columns(plan: LawPlan, rows: Any, columns: int, out: Any) -> None:
    """out (columns, columns) += harmonics of each column of rows (samples, columns)."""
    samples = plan.sample_count
    own = view(plan.transform_room, 2 * samples + 4)
    for c in range(columns):
        for k in range(samples):
            own[k] = rows[k * columns + c]
        add_harmonics(plan, own, columns - 1, view(out, c * columns))


def add_toeplitz_hankel(plan: LawPlan, spectrum: Any, slopes: Any, rates: bool, out: Any) -> None:
    """Add the pairs of forces by the coefficients of their line."""
    half = (plan.tangent_width - 1) // 2
    columns = plan.tangent_width + 1
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
