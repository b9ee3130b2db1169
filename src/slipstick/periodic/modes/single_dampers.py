"""Single dampers in a damping matrix: what is left of C when a M + b K is taken off.

A few of them couple all modes. As attached dampers they are eliminated as laws are, and modes stay uncoupled.
"""

from __future__ import annotations

import numpy as np

from slipstick.periodic.balance.compliance import LinearPart
from slipstick.periodic.modes.bordered_elimination import AttachedSprings

ROUNDS = 60  # of weights that make a sum of absolute values the smallest
ALIKE = 1e-6  # of an entry: those that a M + b K explains to this fix a and b
LEFT = 1e-11  # of the terms of an entry: rounding


def single_dampers(part: LinearPart) -> AttachedSprings | None:
    """Dampers beside a M + b K, as many as what is left has directions; None if nothing is left, or C not symmetric."""
    m, c, k = part
    if not np.allclose(c, c.T, rtol=1e-12, atol=0.0):
        return None
    a, b = _proportions(part)
    terms = np.abs(c) + abs(a) * np.abs(m) + abs(b) * np.abs(k)
    rest = c - a * m - b * k
    rest = np.where(np.abs(rest) > LEFT * terms, rest, 0.0)
    at = np.flatnonzero(rest.any(axis=0))
    values, vectors = np.linalg.eigh(rest[np.ix_(at, at)])
    own = np.abs(values) > LEFT * np.abs(values).max(initial=0.0)
    rows = np.zeros((int(own.sum()), m.shape[0]))
    rows[:, at] = vectors[:, own].T
    return AttachedSprings(rows, rows.T, np.array([0.0 * values[own], values[own]])) if rows.size else None


def _proportions(part: LinearPart) -> tuple[float, float]:
    """a and b of C = a M + b K in most entries: by the smallest sum of absolute values, then by those that agree."""
    m, c, k = (matrix[np.triu_indices_from(matrix)] for matrix in part)
    met = (m != 0.0) | (c != 0.0) | (k != 0.0)
    columns, right = np.stack([m[met], k[met]], axis=1), c[met]
    size = np.linalg.norm(columns, axis=0)
    columns = columns / np.where(size > 0.0, size, 1.0)
    terms = np.abs(columns).max(axis=1) * max(float(np.abs(right).max(initial=0.0)), 1e-300)
    weight = 1.0 / np.where(terms > 0.0, terms, 1.0)
    found = np.zeros(2)
    for _ in range(ROUNDS):
        found = np.linalg.lstsq(columns * weight[:, None], right * weight, rcond=None)[0]
        apart = np.abs(right - columns @ found)
        scale = np.abs(right) + np.abs(columns) @ np.abs(found)
        weight = 1.0 / np.sqrt(np.maximum(scale * np.maximum(apart, 1e-14 * scale), 1e-300))
    alike = apart <= ALIKE * scale
    if alike.any():
        weight = 1.0 / np.maximum(scale[alike], 1e-300)
        found = np.linalg.lstsq(columns[alike] * weight[:, None], right[alike] * weight, rcond=None)[0]
    a, b = found / np.where(size > 0.0, size, 1.0)
    return float(a), float(b)
