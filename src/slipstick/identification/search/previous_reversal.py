"""The reversal before the first sample of a loop, where it begins neither virgin nor settled.

What a law remembers at the first sample comes from where the motion turned before. One reversal is taken: the law goes
from zero deflection to it, and from there to the first sample. At zero that is the virgin curve, beyond both ends of
the range the branch of a settled loop, and between them any slider stands where it may have stood.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from slipstick.identification.preparing.imposed_path import ImposedPath
from slipstick.laws.base import Law

SEARCH_RANGE_SHARE = 0.5  # of the range of deflection: how far outside of it the motion may have turned
SEARCH_PLACES = 41  # places of that reversal, of which the best is refined
PLACE_TOLERANCE_REL = 1e-5  # of the range: how well its place is known


def find_previous_reversal(drive: ImposedPath, law: Law) -> float:
    """Deflection of an earlier reversal with which a law comes nearest to the force of all samples."""
    from scipy.optimize import minimize_scalar

    low, high = min(0.0, float(drive.u.min())), max(0.0, float(drive.u.max()))
    room = SEARCH_RANGE_SHARE * (high - low)
    tried = np.linspace(low - room, high + room, SEARCH_PLACES)

    def off(before: float) -> float:
        return replace(drive, before=float(before)).misses(law)

    best = min(tried.tolist(), key=off)
    step = float(tried[1] - tried[0])
    ends = (best - step, best + step)
    found = minimize_scalar(off, bounds=ends, method="bounded", options={"xatol": PLACE_TOLERANCE_REL * (high - low)})
    return float(found.x) if found.fun < off(best) else best
