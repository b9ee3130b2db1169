"""Does a motion amplify small changes? Then no error is honest, and a certificate says so."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from slipstick.transient.problem import Problem

Array = NDArray[np.float64]

SENSITIVE = 1e6  # growth of a small change of the start beyond which no error is given
NUDGE = 1e-8  # that change, relative to the motion
WORDS = f"sensitive: a small change of the start grew more than {SENSITIVE:.0e} times"


def is_sensitive(problem: Problem, motion: Array, nearby: Callable[[Array], Array]) -> bool:
    """True if a run from a little beside goes far astray.

    motion : (k, 2n) displacement and velocity of the free coordinates.
    nearby : the same from a start that is changed by (2n,).

    Sizes are those of all coordinates together, weighed by the root of their inertia: a coordinate that hardly moves
    may well be moved by a change of another.
    """
    nudge = NUDGE * np.abs(motion).max(axis=0, initial=0.0)
    if not nudge.any():
        return False
    weights, n = np.sqrt(np.diag(problem.mass)), problem.n
    apart = nearby(nudge) - motion
    for part in (slice(None, n), slice(n, None)):
        size = float(np.linalg.norm(weights * nudge[part]))
        if size > 0.0 and np.linalg.norm(weights * apart[:, part], axis=1).max(initial=0.0) > SENSITIVE * size:
            return True
    return False
