"""A first period of a limit cycle: the last one of a run, or an orbit."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from slipstick.arrays import Array, Complex
from slipstick.errors import Advice, InvalidInput, NotConverged
from slipstick.results.trajectory import Samples

if TYPE_CHECKING:
    from scipy.interpolate import CubicHermiteSpline

    from slipstick.results.run import Run


PERIOD_SAMPLES = 256  # of the period that a guess holds
MIN_SAMPLES_PER_PERIOD = 12
MAX_TURNS = 12  # maxima of one coordinate that a period may hold
RETURN_REL = 0.05  # of the motion: a state this near to an earlier one has come back
SETTLED_SHARE = 0.5  # the last part of a run, in which maxima are looked for
STILL_REL = 1e-6  # of its largest motion: a run that moves less at its end has come to rest


class CycleGuess(NamedTuple):
    """frequency : [rad/s].   samples : of one period from time 0, both ends included, beginning where the velocity of
    the coordinate `pivot` (its number among all) is zero.   change : of the state over the period, over the motion.
    """

    frequency: float
    samples: Samples
    pivot: int
    change: float

    def harmonics(self, count: int) -> Complex:
        """(count + 1, n) complex c with q(t) = Re sum of c_h exp(i h omega t)."""
        moved = self.samples.displacement[:-1]
        found = np.fft.rfft(moved, axis=0)[: count + 1] * (2.0 / len(moved))
        found[0] *= 0.5
        return np.asarray(found, dtype=np.complex128)


def guess_from_run(run: Run, free: Array) -> CycleGuess:
    """The last period of a run.   free : numbers of the coordinates that move freely."""
    samples = run.samples
    time, q, v = samples.time, samples.displacement[:, free], samples.velocity[:, free]
    _, kept = np.unique(time, return_index=True)
    time, q, v = time[kept], q[kept], v[kept]
    late = time >= time[-1] - SETTLED_SHARE * (time[-1] - time[0])
    if not late.any() or time.size < MIN_SAMPLES_PER_PERIOD:
        raise InvalidInput("start has too few samples", argument="start", value=time.size, bound=">= 12")
    spread, whole = np.ptp(q[late], axis=0), np.ptp(q, axis=0)
    pivot = _pivot(q[late], v[late])
    if not spread.max(initial=0.0) > STILL_REL * whole.max(initial=0.0):
        raise NotConverged(
            f"the run comes to rest: at its end it moves by {spread.max(initial=0.0):.2g} m or rad, "
            f"at first by {whole.max(initial=0.0):.2g}, so it shows no limit cycle",
            owner="limit_cycle",
            advice=["begin the run farther from the equilibrium, or choose parameters where it is unstable"],
        )
    from scipy.interpolate import CubicHermiteSpline

    state = CubicHermiteSpline(time, q, v)
    tops = _maxima(time, v[:, pivot])
    tops = tops[tops >= time[-1] - SETTLED_SHARE * (time[-1] - time[0])]
    begin, end, change = _last_return(tops, state, spread, np.ptp(v[late], axis=0))
    own = np.linspace(begin, end, PERIOD_SAMPLES + 1)
    spacing = (time[-1] - time[0]) / (time.size - 1)
    if (end - begin) / spacing < MIN_SAMPLES_PER_PERIOD:
        raise InvalidInput(
            f"start has {(end - begin) / spacing:.3g} samples in a period of {end - begin:.4g} s, and a limit cycle "
            f"needs {MIN_SAMPLES_PER_PERIOD} or more; simulate with more samples"
        ).about("start")
    return CycleGuess(2.0 * np.pi / (end - begin), _one_period(run, own, state, free), int(free[pivot]), change)


def _pivot(q: Array, v: Array) -> int:
    """The coordinate whose velocity passes zero most clearly: of all that move, the one that rests least."""
    spread, speed = np.ptp(q, axis=0), np.abs(v).max(axis=0)
    rests = (np.abs(v) <= 1e-9 * np.maximum(speed, 1e-300)).mean(axis=0)
    return int(np.argmax(spread / max(spread.max(), 1e-300) - 10.0 * rests))


def _maxima(time: Array, v: Array) -> Array:
    """Times at which a velocity passes zero from above, between samples by the straight line."""
    down = np.flatnonzero((v[:-1] > 0.0) & (v[1:] <= 0.0))
    share = v[down] / (v[down] - v[down + 1])
    return np.asarray(time[down] + share * (time[down + 1] - time[down]))


def _last_return(tops: Array, state: CubicHermiteSpline, spread: Array, speeds: Array) -> tuple[float, float, float]:
    """The last maximum, an earlier one from which the motion came back there, and by how much it differs."""
    if tops.size < 2:
        raise InvalidInput(
            "the second half of start holds fewer than two maxima of the motion; simulate longer",
            advice=[Advice("raise {until}")],
        ).about("start")
    found = np.hstack([state(tops), state(tops, 1)])
    sizes = np.concatenate([np.maximum(spread, 1e-9 * spread.max()), np.maximum(speeds, 1e-9 * speeds.max())])
    earlier = np.arange(tops.size - 2, max(tops.size - 2 - MAX_TURNS, -1), -1)
    changes = np.abs((found[earlier] - found[-1]) / sizes).max(axis=1)
    back = np.flatnonzero(changes <= max(RETURN_REL, 1.5 * float(changes.min())))
    k = int(back[0])
    return float(tops[earlier[k]]), float(tops[-1]), float(changes[k])


def _one_period(run: Run, own: Array, state: CubicHermiteSpline, free: Array) -> Samples:
    """Samples of a period from time 0; coordinates that are prescribed begin at zero."""
    samples, count = run.samples, own.size
    n, m = samples.displacement.shape[1], samples.deflection.shape[1]
    q, v = np.zeros((2, count, n))
    q[:, free], v[:, free] = state(own), state(own, 1)
    force = np.column_stack([np.interp(own, samples.time, column) for column in samples.force.T]) if m else None
    held = np.setdiff1d(np.arange(n), free)
    for i in held:
        q[:, i] = np.interp(own, samples.time, samples.displacement[:, i])
        q[:, i] -= q[0, i]
        v[:, i] = np.interp(own, samples.time, samples.velocity[:, i])
    empty = np.zeros((count, m))
    return Samples(
        own - own[0], q, v, empty, empty if force is None else force, np.full((count, m), ""), np.zeros((count, n))
    )
