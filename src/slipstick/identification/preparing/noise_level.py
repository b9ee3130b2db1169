"""How noisy the force of a loop is, from the data alone, and how that is known.

cycles      a periodic test says the same again in every cycle; what differs is noise of any colour, hum and wander
            included. What changes steadily from cycle to cycle (drift, wear) is no noise: second differences over
            three cycles do not see it
neighbours  third differences of samples, where nothing is repeated. A smooth signal has next to none of them. Noise
            that was filtered is smooth, too, so samples farther and farther apart are compared until it shows
levels      never less than the steps of a converter leave: a step over the root of twelve
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slipstick.identification.preparing.reversals import Places, robust_deviation, sample_noise

if TYPE_CHECKING:
    from slipstick.identification.loop import Loop

Array = NDArray[np.float64]

OUTLIER_DEVIATIONS = 4.0  # robust deviations: what differs by more is a corner or an outlier
SLOPE_WINDOW = 9  # samples for the slope by which a neighbour in time is moved to the right instant
MIN_REPEATED_SHARE = 0.5  # of a cycle that must have been repeated
PERIOD_TOLERANCE_REL = 0.02  # of the mean distance of cycles: a period that differs by more is not believed
OTHER_PERIOD_GAIN = 0.5  # of the mean square: a motion that repeats so much better after another period has that
PERIOD_SEARCH_STEPS = 5  # of seeking that
MAX_LOCAL_STIFFNESS_RATIO = 3.0  # times the secant: how steep a loop may be where the deflection does not repeat
# of the range of deflection, rms from cycle to cycle: a motion that changes by more is another
MAX_CYCLE_CHANGE_REL = 0.03
CONVERGED_NOISE_GROWTH = 1.2  # a noise that grows by less from one distance to the double of it has shown all of itself
LAG_GROWTH = 1.4  # times the last distance: then the farthest is worth a look, too, where noise still grows
MAX_LAG_BRANCH_SHARE = 1.0 / 12.0  # of a branch: the farthest samples that are compared
CHANCE_BLOCKS = 20  # of a test: how much their means differ tells what is chance
REPEAT_SIGNIFICANCE = 4.0  # standard deviations: what repeats by more is no chance
NOISE_FLOOR_REL = 1e-9  # of the range of force: less is no noise
QUANTISED_REPEATS = 1.5  # times that each value occurs: then values are steps


class NoiseSource(Enum):
    """What noise is known from, in words."""

    CYCLES = "the scatter between {} cycles"
    NEIGHBOURS = "differences of neighbouring samples"
    FARTHER = "differences of samples {} apart, as neighbours are alike"
    STEPS = "the steps of its values"  # where a converter has them
    ROUNDING = "rounding; there is no noise"

    @property
    def compares_samples(self) -> bool:
        """True if nothing was repeated: noise that was filtered more strongly would not show."""
        return self in (NoiseSource.NEIGHBOURS, NoiseSource.FARTHER)


class NoiseEstimate(NamedTuple):
    """value : standard deviation.   source : what it is known from.   number : of cycles, or samples apart."""

    value: float
    source: NoiseSource
    number: int = 0

    @property
    def how(self) -> str:
        """In words, how it is known."""
        return self.source.value.format(self.number)


class RepeatedSamples(NamedTuple):
    """Samples of a periodic test and those one period later.

    first : (m,) samples.   next : (m,) those nearest to one period later.   late : (m,) [s] what those are late by.
    period : [s], or samples where there are no times.
    """

    first: Places
    next: Places
    late: Array
    period: float


def estimate_force_noise(loop: Loop) -> NoiseEstimate:
    """The noise in the force of a loop."""
    found = _noise_between_cycles(loop) or _noise_between_neighbours(loop)
    for least, source in (
        (_quantisation_step(loop.f) / float(np.sqrt(12.0)), NoiseSource.STEPS),
        (NOISE_FLOOR_REL * float(np.ptp(loop.f)), NoiseSource.ROUNDING),
    ):
        found = found if found.value >= least else NoiseEstimate(least, source)
    return found


# ---- cycles


def repeated_samples_of(loop: Loop) -> RepeatedSamples | None:
    """What a loop repeats; None if it does not. What comes before the first reversal may be virgin and is left out."""
    if not loop.cycles:
        return None
    t = loop.clock
    period = _period(loop, t)
    settled = np.flatnonzero((np.arange(t.size) >= loop.turning.turns[1]) & (t + period <= t[-1]))
    per_cycle = t.size * period / float(t[-1] - t[0])
    if settled.size < max(MIN_REPEATED_SHARE * per_cycle, 20):
        return None
    goal = t[settled] + period
    after = np.clip(np.searchsorted(t, goal), 1, t.size - 1)
    near = np.where(goal - t[after - 1] < t[after] - goal, after - 1, after)
    return RepeatedSamples(settled, near, t[near] - goal, period)


def _period(loop: Loop, t: Array) -> float:
    """Of the motion, near the mean distance of its cycles: that of the sine that fits it best.

    A triangle between two half cycles pulls such a sine aside; where the motion repeats itself clearly better after
    another period, it is that.
    """
    from slipstick.identification.preparing.smoothing import refine_base_frequency

    begins, cycles = loop.cycle_starts, len(loop.cycles)
    last = begins[-1] + len(loop.cycles[-1])
    rough = float(t[min(last, t.size - 1)] - t[begins[0]]) / cycles
    omega, _ = refine_base_frequency(t, loop.u, 2.0 * np.pi / rough, 1)
    period = 2.0 * np.pi / omega
    period = float(period) if abs(period - rough) < PERIOD_TOLERANCE_REL * rough else rough
    other, least, now = _period_by_repetition(loop.u[begins[0] :], t[begins[0] :], period)
    return other if least < OTHER_PERIOD_GAIN * now and abs(other - rough) < PERIOD_TOLERANCE_REL * rough else period


def _period_by_repetition(u: Array, t: Array, period: float) -> tuple[float, float, float]:
    """The period after which u comes again, over as many as there are; the squares that differ, and those before.

    A few steps of Gauss and Newton.
    """
    many = max(int(float(t[-1] - t[0]) / period - MIN_REPEATED_SHARE), 1)
    slope, squares = np.gradient(u, t), []
    for k in range(PERIOD_SEARCH_STEPS):
        there = t + many * period
        first = there <= t[-1]
        if not first.any():
            return period, np.inf, 0.0
        left = np.interp(there[first], t, u) - u[first]
        squares.append(float(np.mean(left**2)))
        rate = np.interp(there[first], t, slope)
        if k < PERIOD_SEARCH_STEPS - 1:
            period -= float(left @ rate / max(float(rate @ rate), 1e-300)) / many
    return period, squares[-1], squares[0]


def cycle_differences(x: Array, loop: Loop, own: RepeatedSamples) -> tuple[Array, float]:
    """What differs from one cycle to the next, and how many times the variance of the noise it has.

    Over three cycles where there are as many, so that what changes steadily is left out.
    """
    t = loop.clock
    moved = x[own.next] - _slope(x, t)[own.next] * own.late
    difference = x[own.first] - moved
    at = np.full(t.size, -1, dtype=np.intp)
    at[own.first] = np.arange(own.first.size)
    again = at[own.next]  # the difference one period later
    has = again >= 0
    if np.count_nonzero(has) < max(MIN_REPEATED_SHARE * own.first.size / 2.0, 20):
        return difference, 2.0
    return difference[has] - difference[again[has]], 6.0


def repeating_residual_rms(loop: Loop, left: Array) -> float:
    """The rms of what repeats in residuals from one cycle to the next; 0 where it is no more than chance.

    The product of residuals one period apart has the mean square of what repeats as its mean, whatever the noise.
    """
    own = repeated_samples_of(loop)
    if own is None:
        return 0.0
    t = loop.clock
    x = left - np.polyval(np.polyfit(t, left, 1), t)  # a drift is no pattern
    products = x[own.first] * x[own.next]
    blocks = np.array([part.mean() for part in np.array_split(products, CHANCE_BLOCKS)])
    mean = float(products.mean())
    if mean <= REPEAT_SIGNIFICANCE * float(np.std(blocks)) / np.sqrt(CHANCE_BLOCKS):
        return 0.0
    return float(np.sqrt(mean))


def count_repeated_cycles(loop: Loop, own: RepeatedSamples) -> int:
    """How often a cycle comes again, to half of one."""
    t = loop.clock
    return max(int(float(t[-1] - t[own.first[0]]) / own.period - MIN_REPEATED_SHARE), 1)


def first_to_last_change(loop: Loop) -> float:
    """The rms force by which the last cycle differs from the first beyond noise; 0 where nothing is repeated."""
    own = repeated_samples_of(loop)
    if own is None:
        return 0.0
    t = loop.clock
    cycles = count_repeated_cycles(loop, own)
    goal = t[own.first] + cycles * own.period
    whole = goal <= t[-1]
    later = np.interp(goal[whole], t, loop.f)
    difference = later - loop.f[own.first][whole]
    return float(np.sqrt(max(np.mean(difference**2) - 2.0 * loop.noise**2, 0.0)))


def _slope(x: Array, t: Array) -> Array:
    """Of a signal over time, by parabolas through neighbours."""
    from scipy.signal import savgol_filter

    step = float(t[-1] - t[0]) / (t.size - 1)
    window = min(SLOPE_WINDOW, t.size - 1 + t.size % 2)
    slope: Array = savgol_filter(x, window, 2, deriv=1, delta=step)
    return slope


def _noise_between_cycles(loop: Loop) -> NoiseEstimate | None:
    own = repeated_samples_of(loop)
    if own is None:
        return None
    difference, times = cycle_differences(loop.f, loop, own)
    value = _robust_deviation(_without_constant_samples(difference)) / float(np.sqrt(times))
    strays, u_times = cycle_differences(loop.u, loop, own)
    if float(np.sqrt(np.mean((loop.u[own.first] - loop.u[own.next]) ** 2))) > MAX_CYCLE_CHANGE_REL * float(
        np.ptp(loop.u)
    ):
        return None  # a steady growth of the motion, too, makes another loop of every cycle
    moved = max(_robust_deviation(strays) ** 2 / u_times - loop.turning.noise**2, 0.0) ** 0.5
    if MAX_LOCAL_STIFFNESS_RATIO * moved * float(np.ptp(loop.f)) / float(np.ptp(loop.u)) > value:
        return None  # the motion does not repeat itself, so neither does the force
    return NoiseEstimate(value, NoiseSource.CYCLES, count_repeated_cycles(loop, own) + 1)


def _robust_deviation(x: Array) -> float:
    """The standard deviation of what is not far out: robust, and right for hum and for steps, too."""
    middle = float(np.median(x))
    spread = robust_deviation(x) or float(np.std(x))
    near = np.abs(x - middle) <= OUTLIER_DEVIATIONS * spread
    return float(np.std(x[near])) if near.any() else 0.0


def _without_constant_samples(x: Array) -> Array:
    """Without what does not change at all: there a sensor is at its end. Where most stays, values are steps."""
    moving = x[x != 0.0]
    return moving if moving.size > 0.5 * x.size else x


# ---- neighbours


def _noise_between_neighbours(loop: Loop) -> NoiseEstimate:
    """Third differences of neighbours, or of samples so far apart that filtered noise shows all of itself."""
    farthest = max(int(MAX_LAG_BRANCH_SHARE * float(np.median(np.diff(loop.turning.turns)))), 1)
    sizes, apart = [_third_difference_noise(loop.f, 1) if _quantisation_step(loop.f) else sample_noise(loop.f)], [1]
    while 2 * apart[-1] <= farthest:
        apart.append(2 * apart[-1])
        sizes.append(_third_difference_noise(loop.f, apart[-1]))
    if (
        farthest >= LAG_GROWTH * apart[-1] and sizes[-1] > CONVERGED_NOISE_GROWTH * sizes[-2]
    ):  # it may show all of itself there
        apart.append(farthest)
        sizes.append(_third_difference_noise(loop.f, farthest))
    for i in range(len(sizes) - 1, 0, -1):
        if CONVERGED_NOISE_GROWTH * sizes[0] < sizes[i] < CONVERGED_NOISE_GROWTH * sizes[i - 1]:
            return NoiseEstimate(sizes[i], NoiseSource.FARTHER, apart[i])
    return NoiseEstimate(sizes[0], NoiseSource.NEIGHBOURS)


def _third_difference_noise(x: Array, apart: int) -> float:
    """The noise that third differences of samples so far apart tell."""
    third = x[3 * apart :] - 3.0 * x[2 * apart : -apart] + 3.0 * x[apart : -2 * apart] - x[: -3 * apart]
    return _robust_deviation(_without_constant_samples(third)) / float(np.sqrt(20.0))


def _quantisation_step(x: Array) -> float:
    """The step between the values of a converter; 0 where they are not seen."""
    values = np.unique(x)
    if values.size < 3 or x.size < QUANTISED_REPEATS * values.size:
        return 0.0
    return float(np.median(np.diff(values)))
