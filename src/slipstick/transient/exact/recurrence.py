"""Modes and waves at equidistant times, by products instead of new exponentials; compiled.

    e^(l (s + h)) = e^(l s) e^(l h),   E1(s + h) = E1(s) + e^(l s) E1(h),   E2(s + h) = E2(s) + h E1(s) + e^(l s) E2(h)

with E1 the integral of e^(l s) from zero, and E2 that of E1.
"""

from __future__ import annotations

from slipstick.native import view
from slipstick.transient.exact.guard_roots import basis_at, waves_at
from slipstick.transient.exact.records import FlowModel, ModalTable, State
from slipstick.transient.exact.root_exclusion import BASIS_ROW, LAMBDA_ROW

RENEWAL_INTERVAL = 8  # samples after which modes are evaluated anew, as each product adds rounding
MAX_UNEVENNESS = 1e-9  # |l| times the difference of a step from the first one: its square is below rounding


def prepare_recurrence(model: FlowModel, table: ModalTable, state: State, h: float) -> float:
    """Write modes and waves of the step h to ``mode_step`` and ``wave_step``; return the largest |l|."""
    r = table.mode_count
    waves = model.wave_count
    lam = table.eigenvalues
    omega = model.frequencies
    basis_at(table, r, h, state.mode_step)
    waves_at(model, h, state.wave_step)
    fastest = 1e-300
    for k in range(r):
        fastest = max(fastest, abs(lam[LAMBDA_ROW * k]) + abs(lam[LAMBDA_ROW * k + 1]))
    for j in range(waves):
        fastest = max(fastest, omega[j])
    return fastest


def advance_recurrence(model: FlowModel, table: ModalTable, state: State, h: float, more: float) -> None:
    """Advance modes and waves by h + more: h is the prepared step, and ``more`` so short that l more is small."""
    r = table.mode_count
    waves = model.wave_count
    lam = table.eigenvalues
    omega = model.frequencies
    e = state.mode_basis
    turns = state.mode_step
    for k in range(r):
        row = view(e, BASIS_ROW * k)
        by = view(turns, BASIS_ROW * k)
        a = row[0]
        b = row[1]
        c = a * by[0] - b * by[1]
        d = a * by[1] + b * by[0]
        if lam[LAMBDA_ROW * k + 2] != 0.0:
            row[5] += h * row[3] + a * by[5] - b * by[6]
            row[6] += h * row[4] + a * by[6] + b * by[5]
            row[3] += a * by[3] - b * by[4]
            row[4] += a * by[4] + b * by[3]
            row[5] += more * row[3]
            row[6] += more * row[4]
            row[3] += more * c
            row[4] += more * d
        x = more * lam[LAMBDA_ROW * k]
        y = more * lam[LAMBDA_ROW * k + 1]
        row[0] = c + (c * x - d * y)
        row[1] = d + (c * y + d * x)
    w = state.wave_basis
    by = state.wave_step
    for j in range(waves):
        c = w[2 * j] * by[2 * j] - w[2 * j + 1] * by[2 * j + 1]
        d = w[2 * j] * by[2 * j + 1] + w[2 * j + 1] * by[2 * j]
        y = more * omega[j]
        w[2 * j] = c - d * y
        w[2 * j + 1] = d + c * y
