"""Histories and small laws for tests of laws that users write."""

from __future__ import annotations

import numpy as np

from slipstick.laws.base import Law

U = np.array([0.0, 0.3, 1.2, -0.7, -2.2, 0.9, -0.1, -0.1, 0.4])
V = np.array([1.0, 1.0, 0.5, -1.0, -0.2, 1.0, -0.3, 0.0, 0.6])
HALF = 0.5


class Hardening(Law):
    """Remembers nothing."""

    stiffness: float
    cubic: float = 0.25

    def update(self, u, v, memory):
        return self.stiffness * u + self.cubic * u**3, memory


def rounded(x: float, width: float) -> float:
    """A helper of the user's module."""
    if abs(x) < width:
        return HALF * x * x / width
    return abs(x) - HALF * width


def by_update(law: Law, u: np.ndarray = U, v: np.ndarray = V) -> np.ndarray:
    memory, out = law.start(float(u[0])), []
    for x, y in zip(u.tolist(), v.tolist(), strict=True):
        f, memory = law.update(x, y, memory)
        out.append(f)
    return np.array(out)
