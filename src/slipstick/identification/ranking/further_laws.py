"""Further laws that `rank` tries if every default law misses the loops by a visible share.

The loops decide which: records with times show direction-dependent dampers and relaxation, records of growing
amplitude show degradation.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from slipstick.identification import tolerances as tol
from slipstick.identification.preparing.prepared_loop import PreparedLoop
from slipstick.results.fit import Fit

RATE_LAWS = (
    "linear+jenkins+asymmetric(power-damper)",
    "polynomial+jenkins+asymmetric(power-damper)",
    "masing+maxwell",
)  # friction with a direction-dependent damper; the same with a curved spring; friction with relaxation
CURVED_SPRING_LAW = "polynomial+dynamic-hysteresis"  # hardens with amplitude, without times
GAP_LAW = "series(freeplay, masing)"  # backlash
DEGRADING_LAW = "bouc-wen-baber-noori"
FURTHER_LAWS = (*RATE_LAWS, CURVED_SPRING_LAW, GAP_LAW, DEGRADING_LAW)

MAX_SLOW_SAMPLES = 5_000  # of all loops: with more, laws without a closed form take too long
MIN_DEGRADING_BRANCHES = 6  # fewer do not show a loss from cycle to cycle


def further_laws_for(prepared: Sequence[PreparedLoop], fits: Sequence[Fit]) -> tuple[str, ...]:
    """Names of further laws to try; none if a law fits within the noise or misses the loops by little."""
    best = min(fits, key=lambda fit: fit.residual)
    if best.within_noise or misfit_share(best) < tol.FURTHER_LAWS_MISFIT_SHARE:
        return ()
    if not any(r.encloses_area for r in prepared):
        return ()
    return tuple(_suitable(prepared))


def misfit_share(fit: Fit) -> float:
    """The largest rms residual of a loop over its range of force."""
    return max(loop.rms / loop.range for loop in fit.loops)


def _suitable(prepared: Sequence[PreparedLoop]) -> Iterator[str]:
    few = sum(len(r.loop) for r in prepared) <= MAX_SLOW_SAMPLES
    if any(r.without_times for r in prepared):
        yield CURVED_SPRING_LAW
    else:
        yield from RATE_LAWS
    if few:
        yield GAP_LAW
    if few and all(_has_growing_amplitude(r) for r in prepared):
        yield DEGRADING_LAW


def _has_growing_amplitude(r: PreparedLoop) -> bool:
    """True if the largest branch of a record is much longer than its first whole one."""
    turns = r.loop.turning.turns
    lengths = np.abs(np.diff(r.path.u[turns]))
    enough = lengths.size >= MIN_DEGRADING_BRANCHES
    return bool(enough and lengths.max() > tol.GROWN_AMPLITUDE_RATIO * lengths[1])
