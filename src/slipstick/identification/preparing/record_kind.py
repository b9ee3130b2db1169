"""Kind of a record: a loop of force over deflection, or a monotone test, a ring-down, unrelated channels.

Only a loop shows a law with memory. The others are recognised before a fit, with what to do instead.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import InvalidInput

if TYPE_CHECKING:
    from slipstick.identification.loop import Loop


QUIET_FORCE_SHARE = 0.05  # of the largest force: a smaller one is none
MAX_LOADED_SHARE = 0.1  # of the record: a force that acts in a shorter part only is an impact
MIN_DECAY_REVERSALS = 8
DECAYED_RATIO = 0.5  # of the largest amplitude: the motion at the end of a ring-down
PLAY_WIDTHS = (0.0, 0.05, 0.15, 0.4, 0.8)  # of half the range: play operators, whose sums are hysteresis loops
MIN_EXPLAINED_SHARE = 0.3  # of the variance of the force: below, it does not follow the deflection
MAX_COMPARED_SAMPLES = 4000


def refuse_other_records(loop: Loop) -> None:
    """Refuse a monotone test and a ring-down."""
    if loop.turning.reversals == 0 and loop.turning.raw > 0:
        size = loop.units.deflection.words
        words = (
            f"no reversal stands out from the noise: the deflection has noise of {size(loop.turning.noise, 2)}, and a "
            f"reversal counts from {size(loop.turning.threshold, 2)} on; sample it finer, or smooth it first"
        )
        raise InvalidInput(words, owner=loop.name)
    if loop.turning.reversals == 0:
        words = (
            "the deflection does not turn; a loop needs at least one reversal. A monotone test shows no memory: "
            "unload once, or fit its curve as ss.PiecewiseLinear or ss.Polynomial"
        )
        raise InvalidInput(words, owner=loop.name)
    if is_ring_down(loop):
        words = (
            "is a ring-down, not a loop: a force acts in a short part of the record only, and the motion decays after "
            "it; use ss.ringdown or slipstick ringdown for its damping, or measure force and deflection of the joint"
        )
        raise InvalidInput(words, owner=loop.name)


def is_ring_down(loop: Loop) -> bool:
    """True if a force acts in a short part of the record only, and the motion decays after it."""
    force = np.abs(loop.f - np.median(loop.f))
    loaded = np.flatnonzero(force > QUIET_FORCE_SHARE * force.max())
    turns = loop.turning.turns
    if loop.turning.reversals < MIN_DECAY_REVERSALS or np.ptp(loaded) > MAX_LOADED_SHARE * len(loop):
        return False
    later = turns[turns > loaded[-1]]
    if later.size < MIN_DECAY_REVERSALS:
        return False
    swings = np.abs(np.diff(loop.u[later]))
    return bool(np.median(swings[-3:]) < DECAYED_RATIO * swings.max())


def explained_share(loop: Loop) -> float:
    """Share of the variance of the force, without noise, that play operators, a spring and a damper explain."""
    keep = np.unique(np.linspace(0, len(loop) - 1, MAX_COMPARED_SAMPLES).astype(np.intp))
    keep = np.union1d(keep, loop.turning.turns)
    u, f = loop.u[keep], loop.f[keep]
    half = 0.5 * float(np.ptp(u))
    rate = np.gradient(loop.u, loop.clock)[keep]
    columns = [np.ones(u.size), rate, *(_play(u, width * half) for width in PLAY_WIDTHS)]
    basis = np.stack(columns, axis=1)
    basis /= np.maximum(np.linalg.norm(basis, axis=0), np.finfo(float).tiny)
    residual = f - basis @ np.linalg.lstsq(basis, f, rcond=None)[0]
    noise = loop.noise**2
    total = max(float(np.var(f)) - noise, np.finfo(float).tiny)
    return 1.0 - max(float(np.mean(residual**2)) - noise, 0.0) / total


def _play(u: Array, width: float) -> Array:
    """(n,) play operator of half width `width`, which follows u with slack."""
    out, now = np.empty_like(u), float(u[0])
    for k, x in enumerate(u.tolist()):
        now = min(max(now, x - width), x + width)
        out[k] = now
    return out
