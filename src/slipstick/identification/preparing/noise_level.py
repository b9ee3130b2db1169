"""Noise of the force of a loop, estimated from the data alone.

cycles      a periodic test repeats in every cycle; differences are noise of any colour, hum and wander included. Steady
            changes from cycle to cycle (drift, wear) are not noise: second differences over three cycles cancel them
neighbours  third differences of samples, if nothing repeats; those of a smooth signal almost vanish. Filtered noise is
            smooth too, so the lag between samples is increased until the estimate converges
levels      at least the quantisation noise of a converter: a step over the root of twelve
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from slipstick.arrays import Array
from slipstick.identification import tolerances as tol
from slipstick.identification.preparing.local_polynomial import local_polynomial
from slipstick.identification.preparing.reversals import Places, robust_deviation, sample_noise
from slipstick.identification.preparing.smoothing import refine_base_frequency

if TYPE_CHECKING:
    from slipstick.identification.loop import Loop


SLOPE_WINDOW = 9  # samples of the slope that interpolates between samples
PERIOD_SEARCH_STEPS = 5  # Gauss-Newton steps for the period
PHASE_BINS, MIN_BIN_SAMPLES = 50, 20  # of a period: steps of the factor between friction and normal load
CHANCE_BLOCKS = 20  # the scatter of their means is the scatter by chance


class NoiseSource(Enum):
    """Source of a noise estimate, in words."""

    CYCLES = "the scatter between {} cycles"
    NEIGHBOURS = "differences of neighbouring samples"
    FARTHER = "differences of samples {} apart, as neighbours are alike"
    STEPS = "the steps of its values"  # quantisation
    ROUNDING = "rounding; there is no noise"

    @property
    def compares_samples(self) -> bool:
        """True if nothing was repeated: strongly filtered noise would not show."""
        return self in (NoiseSource.NEIGHBOURS, NoiseSource.FARTHER)


class NoiseEstimate(NamedTuple):
    """value : standard deviation.   source : of the estimate.   number : of cycles, or the lag in samples."""

    value: float
    source: NoiseSource
    number: int = 0

    @property
    def how(self) -> str:
        """The source in words."""
        return self.source.value.format(self.number)


class RepeatedSamples(NamedTuple):
    """Samples of a periodic test and those one period later.

    first : (m,) samples.   next : (m,) samples nearest to one period later.   late : (m,) [s] delay of `next`.
    period : [s], or in samples without times.
    """

    first: Places
    next: Places
    late: Array
    period: float


def estimate_force_noise(loop: Loop) -> NoiseEstimate:
    """Noise of the force of a loop."""
    estimate = _noise_between_cycles(loop) or _noise_between_neighbours(loop)
    for floor, source in (
        (_quantisation_step(loop.f) / float(np.sqrt(12.0)), NoiseSource.STEPS),
        (tol.NOISE_FLOOR_REL * float(np.ptp(loop.f)), NoiseSource.ROUNDING),
    ):
        estimate = estimate if estimate.value >= floor else NoiseEstimate(floor, source)
    return estimate


# ---- cycles


def repeated_samples_of(loop: Loop) -> RepeatedSamples | None:
    """Repeated samples of a periodic loop, without the first branch, which may be virgin; None if nothing repeats."""
    if not loop.cycles:
        return None
    t = loop.clock
    period = _period(loop, t)
    settled = np.flatnonzero((np.arange(t.size) >= loop.turning.turns[1]) & (t + period <= t[-1]))
    per_cycle = t.size * period / float(t[-1] - t[0])
    if settled.size < max(tol.MIN_REPEATED_SHARE * per_cycle, 20):
        return None
    goal = t[settled] + period
    after = np.clip(np.searchsorted(t, goal), 1, t.size - 1)
    near = np.where(goal - t[after - 1] < t[after] - goal, after - 1, after)
    return RepeatedSamples(settled, near, t[near] - goal, period)


def _period(loop: Loop, t: Array) -> float:
    """Period of the motion: that of the best sine, if it is close to the mean cycle time.

    Ramps at the ends of a test disturb this sine. If the motion repeats clearly better after another period, that
    one is used.
    """
    begins, cycles = loop.cycle_starts, len(loop.cycles)
    last = begins[-1] + len(loop.cycles[-1])
    rough = float(t[min(last, t.size - 1)] - t[begins[0]]) / cycles
    omega, _ = refine_base_frequency(t, loop.u, 2.0 * np.pi / rough, 1)
    period = 2.0 * np.pi / omega
    period = float(period) if abs(period - rough) < tol.PERIOD_TOLERANCE_REL * rough else rough
    other, least, now = _period_by_repetition(loop.u[begins[0] :], t[begins[0] :], period)
    return (
        other
        if least < tol.OTHER_PERIOD_GAIN * now and abs(other - rough) < tol.PERIOD_TOLERANCE_REL * rough
        else period
    )


def _period_by_repetition(u: Array, t: Array, period: float) -> tuple[float, float, float]:
    """The period after which u repeats best, by Gauss-Newton steps over as many periods as there are.

    Returns the period, its mean square difference and that of the start.
    """
    many = max(int(float(t[-1] - t[0]) / period - tol.MIN_REPEATED_SHARE), 1)
    slope, squares = np.gradient(u, t), []
    for k in range(PERIOD_SEARCH_STEPS):
        there = t + many * period
        first = there <= t[-1]
        if not first.any():
            return period, np.inf, 0.0
        difference = np.interp(there[first], t, u) - u[first]
        squares.append(float(np.mean(difference**2)))
        rate = np.interp(there[first], t, slope)
        if k < PERIOD_SEARCH_STEPS - 1:
            period -= float(difference @ rate / max(float(rate @ rate), tol.AVOID_ZERO_DIVISION)) / many
    return period, squares[-1], squares[0]


class CycleDifferences(NamedTuple):
    """values : (m,) differences.   variance_ratio : of their variance to that of the noise.   first : (m,) samples."""

    values: Array
    variance_ratio: float
    first: Places


def cycle_differences(x: Array, loop: Loop, repeated: RepeatedSamples) -> CycleDifferences:
    """Differences from one cycle to the next; second differences from three cycles on, which cancel steady changes."""
    t = loop.clock
    moved = x[repeated.next] - _slope(x, t)[repeated.next] * repeated.late
    difference = x[repeated.first] - moved
    at = np.full(t.size, -1, dtype=np.intp)
    at[repeated.first] = np.arange(repeated.first.size)
    later = at[repeated.next]  # the difference one period later
    has_later = later >= 0
    if np.count_nonzero(has_later) < max(tol.MIN_REPEATED_SHARE * repeated.first.size / 2.0, 20):
        return CycleDifferences(difference, 2.0, repeated.first)
    second = difference[has_later] - difference[later[has_later]]
    return CycleDifferences(second, 6.0, repeated.first[has_later])


def repeating_residual_rms(loop: Loop, residuals: Array) -> float:
    """The rms of the residual that repeats in every cycle; 0 if it is within chance.

    The mean product of residuals one period apart is the mean square of the repeating part, whatever the noise.
    """
    repeated = repeated_samples_of(loop)
    if repeated is None:
        return 0.0
    t = loop.clock
    x = residuals - np.polyval(np.polyfit(t, residuals, 1), t)  # without drift
    products = x[repeated.first] * x[repeated.next]
    blocks = np.array([part.mean() for part in np.array_split(products, CHANCE_BLOCKS)])
    mean = float(products.mean())
    if mean <= tol.REPEAT_SIGNIFICANCE * float(np.std(blocks)) / np.sqrt(CHANCE_BLOCKS):
        return 0.0
    return float(np.sqrt(mean))


def count_repeated_cycles(loop: Loop, repeated: RepeatedSamples) -> int:
    """Number of repetitions of a cycle; at least half a cycle counts."""
    t = loop.clock
    return max(int(float(t[-1] - t[repeated.first[0]]) / repeated.period - tol.MIN_REPEATED_SHARE), 1)


def first_to_last_change(loop: Loop) -> float:
    """The rms change of force from the first to the last cycle beyond noise; 0 if the motion does not repeat."""
    repeated = repeated_samples_of(loop)
    if repeated is None:
        return 0.0
    t = loop.clock
    cycles = count_repeated_cycles(loop, repeated)
    goal = t[repeated.first] + cycles * repeated.period
    whole = goal <= t[-1]
    moved, difference = (np.interp(goal[whole], t, x) - x[repeated.first][whole] for x in (loop.u, loop.f))
    if np.sqrt(np.mean(moved**2)) > tol.MAX_CYCLE_CHANGE_REL * float(np.ptp(loop.u)):
        return 0.0  # another motion gives another force
    return float(np.sqrt(max(np.mean(difference**2) - 2.0 * loop.noise**2, 0.0)))


def _slope(x: Array, t: Array) -> Array:
    """Slope of a signal over time, by parabolas through neighbours."""
    step = float(t[-1] - t[0]) / (t.size - 1)
    window = min(SLOPE_WINDOW, t.size - 1 + t.size % 2)
    return local_polynomial(x, window, 2, 1, step)


def _noise_between_cycles(loop: Loop) -> NoiseEstimate | None:
    repeated = repeated_samples_of(loop)
    if repeated is None:
        return None
    force = cycle_differences(loop.f, loop, repeated)
    scatter = _without_constant_samples(_without_normal_load(force, loop, repeated))
    value = _robust_deviation(scatter) / float(np.sqrt(force.variance_ratio))
    u_difference, u_variance_ratio, _ = cycle_differences(loop.u, loop, repeated)
    if float(
        np.sqrt(np.mean((loop.u[repeated.first] - loop.u[repeated.next]) ** 2))
    ) > tol.MAX_CYCLE_CHANGE_REL * float(np.ptp(loop.u)):
        return None  # a steadily growing motion makes another loop in every cycle
    moved = max(_robust_deviation(u_difference) ** 2 / u_variance_ratio - loop.turning.noise**2, 0.0) ** 0.5
    if tol.MAX_LOCAL_STIFFNESS_RATIO * moved * float(np.ptp(loop.f)) / float(np.ptp(loop.u)) > value:
        return None  # the motion does not repeat, so neither does the force
    return NoiseEstimate(value, NoiseSource.CYCLES, count_repeated_cycles(loop, repeated) + 1)


def _without_normal_load(force: CycleDifferences, loop: Loop, repeated: RepeatedSamples) -> Array:
    """Differences of force without the part that follows those of a measured normal load.

    Friction is proportional to the load, with a factor that repeats in every cycle; it is fitted by phase.
    """
    if loop.normal is None:
        return force.values
    load = cycle_differences(loop.normal, loop, repeated).values
    phase = loop.clock[force.first] / repeated.period % 1.0
    bins = max(min(PHASE_BINS, phase.size // MIN_BIN_SAMPLES), 1)
    place = np.minimum((bins * phase).astype(np.intp), bins - 1)
    products, squares = (np.bincount(place, load * x, bins) for x in (force.values, load))
    friction = products / np.maximum(squares, tol.AVOID_ZERO_DIVISION)
    return np.asarray(force.values - friction[place] * load)


def _robust_deviation(x: Array) -> float:
    """Standard deviation without outliers; correct for hum and for steps too."""
    middle = float(np.median(x))
    spread = robust_deviation(x) or float(np.std(x))
    near = np.abs(x - middle) <= tol.NOISE_OUTLIER_DEVIATIONS * spread
    return float(np.std(x[near])) if near.any() else 0.0


def _without_constant_samples(x: Array) -> Array:
    """Differences other than zero, as a clipped sensor does not change; all of them if most are zero (steps)."""
    moving = x[x != 0.0]
    return moving if moving.size > 0.5 * x.size else x


# ---- neighbours


def _noise_between_neighbours(loop: Loop) -> NoiseEstimate:
    """Noise from third differences, at the lag where the estimate of filtered noise converges."""
    max_lag = max(int(tol.MAX_LAG_BRANCH_SHARE * float(np.median(np.diff(loop.turning.turns)))), 1)
    sizes, lags = [_third_difference_noise(loop.f, 1) if _quantisation_step(loop.f) else sample_noise(loop.f)], [1]
    while 2 * lags[-1] <= max_lag:
        lags.append(2 * lags[-1])
        sizes.append(_third_difference_noise(loop.f, lags[-1]))
    if max_lag >= tol.LAG_GROWTH * lags[-1] and sizes[-1] > tol.CONVERGED_NOISE_GROWTH * sizes[-2]:
        lags.append(max_lag)
        sizes.append(_third_difference_noise(loop.f, max_lag))
    for i in range(len(sizes) - 1, 0, -1):
        if tol.CONVERGED_NOISE_GROWTH * sizes[0] < sizes[i] < tol.CONVERGED_NOISE_GROWTH * sizes[i - 1]:
            return NoiseEstimate(sizes[i], NoiseSource.FARTHER, lags[i])
    return NoiseEstimate(sizes[0], NoiseSource.NEIGHBOURS)


def _third_difference_noise(x: Array, lag: int) -> float:
    """Noise from third differences of samples at a lag."""
    third = x[3 * lag :] - 3.0 * x[2 * lag : -lag] + 3.0 * x[lag : -2 * lag] - x[: -3 * lag]
    return _robust_deviation(_without_constant_samples(third)) / float(np.sqrt(20.0))


def _quantisation_step(x: Array) -> float:
    """Step between the levels of a converter; 0 if there are none."""
    values = np.unique(x)
    if values.size < 3 or x.size < tol.QUANTISED_REPEATS * values.size:
        return 0.0
    return float(np.median(np.diff(values)))
