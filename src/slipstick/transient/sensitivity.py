"""Detects motions that amplify small changes, for which no error estimate is reliable.

All methods use the constants and messages. Methods with fixed or controlled steps also measure growth here, by one run
from a nearby start.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import NotConverged
from slipstick.transient.problem import Problem

MAX_GROWTH = 1e6  # growth of a small change beyond which no error is given
PERTURBATION_REL = 1e-8  # that change, relative to the motion
NOTHING_REACHED = "no certificate: nothing was reached beyond the start"
SENSITIVE_MESSAGE = f"sensitive: a small change of the start grew more than {MAX_GROWTH:.0e} times"


class ErrorEstimate(NamedTuple):
    """The estimated error of a run.

    errors : (n,) the largest error of each free coordinate; NaN if it could not be estimated, infinite if the motion is
        sensitive.
    notes : how it was estimated, or why not, in words.
    """

    errors: Array
    notes: list[str]


def estimate(problem: Problem, compare: Callable[[], Array], way: str, grows: Callable[[], bool]) -> ErrorEstimate:
    """The errors that ``compare`` gives, (n,), unless a nearby run ``grows``; both may raise `NotConverged`.

    way : how the errors are estimated, in words. Ctrl-C in these runs passes to the caller.
    """
    unknown = np.full(problem.n, np.nan)
    try:
        errors = compare()
    except NotConverged as failure:
        return ErrorEstimate(
            unknown, [failure.message.wrapped("no error estimate: the comparison run could not be finished (", ")")]
        )
    try:
        sensitive = grows()
    except NotConverged as failure:
        return ErrorEstimate(
            unknown,
            [failure.message.wrapped("no error estimate: the perturbed run could not be finished (", ")")],
        )
    if sensitive:
        return ErrorEstimate(np.full(problem.n, np.inf), [way, SENSITIVE_MESSAGE])
    if not np.isfinite(errors).all():
        return ErrorEstimate(unknown, [f"no error estimate: the comparison run overflowed; {way}"])
    return ErrorEstimate(errors, [way])


def is_sensitive(problem: Problem, motion: Array, nearby: Callable[[Array], Array]) -> bool:
    """True if a run from a nearby start diverges from the motion.

    motion : (k, 2n) displacement and velocity of the free coordinates.
    nearby : the same for a change (2n,) of the start.
    """
    nudge = PERTURBATION_REL * np.abs(motion).max(axis=0, initial=0.0)
    if not nudge.any():
        return False
    weights, n = inertia_weights(problem), problem.n
    apart = nearby(nudge) - motion
    for part in (slice(None, n), slice(n, None)):
        size = float(np.linalg.norm(weights * nudge[part]))
        grown = float(np.linalg.norm(weights * apart[:, part], axis=1).max(initial=0.0))
        if size > 0.0 and not grown <= MAX_GROWTH * size:
            return True
    return False


def inertia_weights(problem: Problem) -> Array:
    """(n,) weights of coordinates in the norm of a change: the square roots of inertia.

    A change of one coordinate may move another that hardly moves. Without any inertia all weights are equal.
    """
    weights = np.sqrt(np.maximum(np.diag(problem.mass), 0.0))
    return weights if weights.any() else np.ones(problem.n)
