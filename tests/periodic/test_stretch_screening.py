"""The screening of all stretches of a curve at once, by the rules for one stretch."""

from __future__ import annotations

import numpy as np

from slipstick.periodic.multipliers import NeighbourMultipliers, crossed_moduli, possible_crossings
from slipstick.periodic.stability.screening import _moduli_through_one


def random_multipliers(rng: np.random.Generator, points: int) -> np.ndarray:
    """(points, 4) a slowly moving complex pair and two real ones near the unit circle, some of them neutral."""
    radius = 1.0 + 0.3 * np.cumsum(rng.normal(size=points)) / points**0.5
    angle = 0.5 + 0.3 * rng.normal(size=points)
    real = 0.9 + 0.4 * rng.normal(size=(points, 2))
    real[rng.random(points) < 0.2, 0] = 1.0
    return np.column_stack([radius * np.exp(1j * angle), radius * np.exp(-1j * angle), real])


def test_all_stretches_at_once_are_judged_as_one_by_one():
    rng = np.random.default_rng(7)
    for _ in range(40):
        multipliers, lengths = random_multipliers(rng, 12), rng.uniform(0.05, 0.5, size=11)
        possible, crossed = _moduli_through_one(multipliers, lengths)
        for k in range(11):
            ends = multipliers[k], multipliers[k + 1]
            beside = [NeighbourMultipliers(lengths[k - 1], 0, multipliers[k - 1])] if k else []
            beside += [NeighbourMultipliers(lengths[k + 1], 1, multipliers[k + 2])] if k < 10 else []
            neutral = [np.count_nonzero(np.abs(end - 1.0) <= 2e-6) for end in ends]
            if neutral[0] == neutral[1]:
                alike = all(np.count_nonzero(np.abs(b.multipliers - 1.0) <= 2e-6) == neutral[0] for b in beside)
                one_by_one = bool(possible_crossings(lengths[k], *ends, beside))
                assert possible[k] == one_by_one if alike else possible[k] >= one_by_one
                below = [np.count_nonzero((end.imag == 0.0) & (end.real < -1.0)) % 2 for end in ends]
                assert crossed[k] == (bool(crossed_moduli(*ends)[1]) or below[0] != below[1])
            else:
                assert crossed[k]  # searched in any case
