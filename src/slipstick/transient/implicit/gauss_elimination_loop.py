"""Gauss elimination of small dense matrices, and products with them; compiled."""

from __future__ import annotations

from slipstick.native import Array


def eliminate(m: Array, pivots: Array, size: int) -> None:
    """Gauss elimination in place; a singular matrix gives factors that are not finite."""
    for k in range(size):
        best = k
        for i in range(k + 1, size):
            if abs(m[i * size + k]) > abs(m[best * size + k]):
                best = i
        pivots[k] = float(best)
        if best != k:
            for j in range(size):
                kept = m[k * size + j]
                m[k * size + j] = m[best * size + j]
                m[best * size + j] = kept
        for i in range(k + 1, size):
            factor = m[i * size + k] / m[k * size + k]
            m[i * size + k] = factor
            if factor != 0.0:
                for j in range(k + 1, size):
                    m[i * size + j] -= factor * m[k * size + j]


def solve_factors(m: Array, pivots: Array, size: int, x: Array) -> None:
    """x becomes inv(m) x."""
    for k in range(size):
        best = int(pivots[k])
        kept = x[k]
        x[k] = x[best]
        x[best] = kept
    for i in range(1, size):
        total = x[i]
        for j in range(i):
            total -= m[i * size + j] * x[j]
        x[i] = total
    for i in range(size - 1, -1, -1):
        total = x[i]
        for j in range(i + 1, size):
            total -= m[i * size + j] * x[j]
        x[i] = total / m[i * size + i]


def add_up(columns: Array, size: int, x: Array, out: Array) -> None:
    """A square matrix that is given column by column, times x."""
    for i in range(size):
        out[i] = 0.0
    for k in range(size):
        for i in range(size):
            out[i] += columns[k * size + i] * x[k]
