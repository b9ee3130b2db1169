"""How much a loop counts among others: by its noise, as far as its samples tell it.

Noise is told from the data alone, and few samples tell it badly: by a third for 40, and coarse sampling makes it larger
still, as neighbours then differ by the motion itself. Loops of one fit come from one rig, so what a loop's own samples
do not tell is taken from all of them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from slipstick.identification.preparing import Ready

Array = NDArray[np.float64]

LEAST = 1e-6  # of the range of force: no noise is smaller
ENOUGH = 200  # samples whose word on their noise is as good as that of all loops


def noise_in(r: Ready) -> float:
    """[N] what the force of a loop may be off by, from its own samples; never below a millionth of its range."""
    return max(r.loop.noise, LEAST * float(np.ptp(r.loop.f)))


def noises_of(found: Sequence[Ready]) -> Array:
    """(loops,) [N] what the force of each may be off by; a loop of few samples leans on the others."""
    own = np.log([noise_in(r) for r in found])
    count = np.array([len(r.loop) for r in found], dtype=float)
    trust = count / (count + ENOUGH)
    common = float(trust @ own / trust.sum())
    return np.asarray(np.exp(trust * own + (1.0 - trust) * common))


def tells_its_noise(found: Sequence[Ready]) -> bool:
    """True if every loop has samples enough to tell a fit within the noise from one that is not."""
    return all(len(r.loop) >= ENOUGH for r in found)
