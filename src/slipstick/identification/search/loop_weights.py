"""Weights of loops in a fit, from their noise.

Noise is estimated from the data alone. 40 samples give it to a third, and coarse sampling overestimates it, as
neighbours then differ by the motion itself. Loops of one fit come from one rig, so short loops use the noise of all.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from slipstick.arrays import Array
from slipstick.identification import tolerances as tol
from slipstick.identification.preparing.prepared_loop import PreparedLoop

RELIABLE_NOISE_SAMPLES = 200  # at this count, a loop's own noise weighs as much as that of all loops


def loop_noise(r: PreparedLoop) -> float:
    """[N] noise of the force of a loop, at least a millionth of its range."""
    return max(r.loop.noise, tol.WEIGHT_NOISE_FLOOR_REL * float(np.ptp(r.loop.f)))


def pooled_noises(prepared: Sequence[PreparedLoop]) -> Array:
    """(loops,) [N] noise of each loop; that of short loops is pulled towards the common noise."""
    own = np.log([loop_noise(r) for r in prepared])
    count = np.array([len(r.loop) for r in prepared], dtype=float)
    trust = count / (count + RELIABLE_NOISE_SAMPLES)
    common = float(trust @ own / trust.sum())
    return np.asarray(np.exp(trust * own + (1.0 - trust) * common))


def has_reliable_noise(prepared: Sequence[PreparedLoop]) -> bool:
    """True if every loop has enough samples for a reliable noise estimate."""
    return all(len(r.loop) >= RELIABLE_NOISE_SAMPLES for r in prepared)
