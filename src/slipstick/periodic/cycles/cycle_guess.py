"""A first period of a limit cycle: the last one of a run, or an orbit."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from slipstick.arrays import Array, Complex
from slipstick.errors import Advice, InvalidInput, NotConverged
from slipstick.results.poincare import states_at
from slipstick.results.trajectory import Samples

if TYPE_CHECKING:
    from slipstick.results.run import Run


PERIOD_SAMPLES = 256  # of the period that a guess holds
MIN_SAMPLES_PER_PERIOD = 12
MAX_TURNS = 12  # maxima of one coordinate that a period may hold
BRACKET_POINTS = 33  # between two samples of a run, for the instant of a maximum
RETURN_REL = 0.05  # of the motion: a state this near to an earlier one has come back
SETTLED_SHARE = 0.5  # the last part of a run, in which maxima are looked for
STILL_REL = 1e-6  # of its largest motion: a run that moves less at its end has come to rest

SPARSE_CHANGE_REL = 1e-3  # of the motion: where it comes back less closely, the run is read between its samples

Motion = Callable[[Array], tuple[Array, Array]]  # displacements and velocities (k, n) of free coordinates at times (k,)


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

    curve = CubicHermiteSpline(time, q, v)
    brackets, sizes = _maxima(time[late], v[late, pivot]), (spread, np.ptp(v[late], axis=0))

    def between_samples(times: Array) -> tuple[Array, Array]:
        return np.asarray(curve(times)), np.asarray(curve(times, 1))

    def of_the_run(times: Array) -> tuple[Array, Array]:
        moved, rates = states_at(run, times)
        return moved[:, free], rates[:, free]

    motion: Motion = between_samples
    begin, end, change = _last_return(motion, _refined(motion, brackets, pivot, 2), sizes)
    if change > SPARSE_CHANGE_REL:
        motion = of_the_run
        tops = _refined(motion, brackets[-MAX_TURNS - 1 :], pivot, BRACKET_POINTS)
        begin, end, change = _last_return(motion, tops, sizes)
    own = np.linspace(begin, end, PERIOD_SAMPLES + 1)
    spacing = (time[-1] - time[0]) / (time.size - 1)
    if (end - begin) / spacing < MIN_SAMPLES_PER_PERIOD:
        raise InvalidInput(
            f"start has {(end - begin) / spacing:.3g} samples in a period of {end - begin:.4g} s, and a limit cycle "
            f"needs {MIN_SAMPLES_PER_PERIOD} or more; simulate with more samples"
        ).about("start")
    return CycleGuess(2.0 * np.pi / (end - begin), _one_period(run, own, motion(own), free), int(free[pivot]), change)


def _pivot(q: Array, v: Array) -> int:
    """The coordinate whose velocity passes zero most clearly: of all that move, the one that rests least."""
    spread, speed = np.ptp(q, axis=0), np.abs(v).max(axis=0)
    rests = (np.abs(v) <= 1e-9 * np.maximum(speed, 1e-300)).mean(axis=0)
    return int(np.argmax(spread / max(spread.max(), 1e-300) - 10.0 * rests))


def _maxima(time: Array, v: Array) -> Array:
    """(k, 2) times of samples between which a velocity passes zero from above."""
    down = np.flatnonzero((v[:-1] > 0.0) & (v[1:] <= 0.0))
    return np.column_stack([time[down], time[down + 1]])


def _refined(motion: Motion, brackets: Array, pivot: int, points: int) -> Array:
    """(k,) times within brackets (k, 2) at which the velocity of a coordinate passes zero from above."""
    fine = brackets[:, :1] + np.diff(brackets, axis=1) * np.linspace(0.0, 1.0, points)
    rates = motion(fine.ravel())[1][:, pivot].reshape(fine.shape)
    found = []
    for time, v in zip(fine, rates, strict=True):
        down = np.flatnonzero((v[:-1] > 0.0) & (v[1:] <= 0.0))
        k = int(down[0]) if down.size else int(np.argmin(np.abs(v[:-1])))
        share = v[k] / (v[k] - v[k + 1]) if down.size else 0.0
        found.append(time[k] + share * (time[k + 1] - time[k]))
    return np.array(found)


def _last_return(motion: Motion, tops: Array, sizes: tuple[Array, Array]) -> tuple[float, float, float]:
    """The last maximum, an earlier one from which the motion came back there, and by how much it differs.

    sizes : (n,) ranges of displacements and of velocities.
    """
    if tops.size < 2:
        raise InvalidInput(
            "the second half of start holds fewer than two maxima of the motion; simulate longer",
            advice=[Advice("raise {until}")],
        ).about("start")
    found = np.hstack(motion(tops))
    scales = np.concatenate([np.maximum(own, 1e-9 * own.max()) for own in sizes])
    earlier = np.arange(tops.size - 2, max(tops.size - 2 - MAX_TURNS, -1), -1)
    changes = np.abs((found[earlier] - found[-1]) / scales).max(axis=1)
    back = np.flatnonzero(changes <= max(RETURN_REL, 1.5 * float(changes.min())))
    k = int(back[0])
    return float(tops[earlier[k]]), float(tops[-1]), float(changes[k])


def _one_period(run: Run, own: Array, states: tuple[Array, Array], free: Array) -> Samples:
    """Samples of a period from time 0; coordinates that are prescribed begin at zero."""
    samples, count = run.samples, own.size
    n, m = samples.displacement.shape[1], samples.deflection.shape[1]
    q, v = np.zeros((2, count, n))
    q[:, free], v[:, free] = states
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
