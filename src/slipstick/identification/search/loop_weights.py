"""How much a loop counts among others: by its noise, as far as its samples tell it.

Noise is told from the data alone, and few samples tell it badly: by a third for 40, and coarse sampling makes it larger
still, as neighbours then differ by the motion itself. Loops of one fit come from one rig, so what a loop's own samples
do not tell is taken from all of them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from slipstick.identification.preparing.prepared_loop import PreparedLoop

Array = NDArray[np.float64]

NOISE_FLOOR_REL = 1e-6  # of the range of force: no noise is smaller
RELIABLE_NOISE_SAMPLES = 200  # samples whose word on their noise is as good as that of all loops


def loop_noise(r: PreparedLoop) -> float:
    """[N] what the force of a loop may be off by, from its own samples; never below a millionth of its range."""
    return max(r.loop.noise, NOISE_FLOOR_REL * float(np.ptp(r.loop.f)))


def pooled_noises(found: Sequence[PreparedLoop]) -> Array:
    """(loops,) [N] what the force of each may be off by; a loop of few samples leans on the others."""
    own = np.log([loop_noise(r) for r in found])
    count = np.array([len(r.loop) for r in found], dtype=float)
    trust = count / (count + RELIABLE_NOISE_SAMPLES)
    common = float(trust @ own / trust.sum())
    return np.asarray(np.exp(trust * own + (1.0 - trust) * common))


def has_reliable_noise(found: Sequence[PreparedLoop]) -> bool:
    """True if every loop has samples enough to tell a fit within the noise from one that is not."""
    return all(len(r.loop) >= RELIABLE_NOISE_SAMPLES for r in found)
