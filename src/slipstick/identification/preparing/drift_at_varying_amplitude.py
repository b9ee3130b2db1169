"""Drift of a loop whose amplitude grows, from what does not depend on the amplitude.

The mean force of a cycle depends on its amplitude, so the means of cycles show a drift where there is none. At the
middle of the deflection, rising and falling branches lie at +h and -h about the elastic force, with h a function of
the last reversal alone. In the mean (1, 2, 1)/4 of three neighbouring passages, h cancels up to its second difference;
reversals cancel in the same way. Lines of least absolute deviation run through these midpoints, as a few of them lie
where h bends. Where the amplitude falls, the memory of larger reversals moves the mean force: nothing separates this
from a drift, and the loop is refused.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from slipstick.arrays import Array
from slipstick.errors import InvalidInput
from slipstick.identification import tolerances as tol
from slipstick.identification.preparing.reversals import Places

if TYPE_CHECKING:
    from slipstick.identification.loop import Loop

MIN_MIDPOINTS = 4  # two give a line, two more check it
LEFT_OUT_PARTS = 10  # at most: each is left out once to check a line


def has_varying_amplitude(loop: Loop, begin: int) -> bool:
    """True if the strokes of whole branches after a sample differ by more than those of one level."""
    strokes = _strokes(loop, begin)
    return strokes.size > 1 and bool(np.ptp(strokes) > tol.SAME_AMPLITUDE_REL * strokes.max())


def drift_rates(loop: Loop) -> tuple[float, float]:
    """Drift of deflection and force per unit of the loop's clock; an error where nothing settles it."""
    _refuse_falling_amplitude(loop)
    inner = loop.turning.turns[1:-1]
    at, u = loop.clock[inner], loop.u[inner]
    middles = _midpoints(u)
    steps = np.abs(np.diff(np.abs(np.diff(u))))
    steady = steps <= 2.0 * np.median(steps) + tol.STEADY_GROWTH_SHARE * np.ptp(u)
    deflection = _checked_slope(loop, _midpoints(at)[steady], middles[steady], float(np.ptp(u)))
    strokes = 0.5 * _strokes(loop)
    if abs(deflection) * np.ptp(at) > tol.MOVING_MIDDLE_SHARE * np.ptp(strokes):
        raise _refusal(loop, "its amplitude and its middle both vary, as in a one-sided motion")
    still = loop.u - deflection * (loop.clock - loop.clock.mean())
    still = still - np.median(_midpoints(still[inner])[steady])
    at, force, amplitude = _passages(loop.clock, still, loop.f, loop.turning.turns)
    bend = np.abs(np.diff(amplitude, 2))
    steady = bend <= tol.STEADY_GROWTH_SHARE * amplitude.max(initial=0.0)
    slope = _checked_slope(loop, _midpoints(at)[steady], _midpoints(force)[steady], float(np.ptp(loop.f)))
    return deflection, slope


def _strokes(loop: Loop, begin: int = 0) -> Array:
    """Strokes of whole branches that begin after a sample."""
    inner = loop.turning.turns[1:-1]
    return np.abs(np.diff(loop.u[inner[inner >= begin]]))


def _refuse_falling_amplitude(loop: Loop) -> None:
    strokes = _strokes(loop)
    fall = np.maximum.accumulate(strokes) - strokes
    k = int(np.argmax(fall))
    if fall[k] > tol.SAME_AMPLITUDE_REL * strokes.max():
        high, low = (loop.units.deflection.words(0.5 * x, 3) for x in (strokes[k] + fall[k], strokes[k]))
        raise _refusal(loop, f"its amplitude falls from {high} to {low}, which moves the mean force as a drift does")


def _refusal(loop: Loop, reason: str) -> InvalidInput:
    return InvalidInput(
        f"the drift cannot be found: {reason}", owner=loop.name, advice=["keep cycles of one amplitude only"]
    )


def _midpoints(x: Array) -> Array:
    """Means (1, 2, 1)/4 of three neighbours: alternating parts that grow linearly cancel."""
    means: Array = 0.25 * (x[:-2] + 2.0 * x[1:-1] + x[2:])
    return means


def _passages(clock: Array, u: Array, f: Array, turns: Places) -> tuple[Array, Array, Array]:
    """Passages of zero after the first reversal: clock, force, and the size of the reversal before each."""
    rows = []
    for a, b in pairwise(turns[1:].tolist()):
        sign = np.sign(u[b] - u[a])
        if sign * u[a] < 0.0 < sign * u[b]:
            k = a + int(np.argmax(sign * u[a : b + 1] >= 0.0))
            back = float(u[k] / (u[k] - u[k - 1]))
            rows.append((*(float(x[k] - back * (x[k] - x[k - 1])) for x in (clock, f)), abs(float(u[a]))))
    at, force, amplitude = np.array(rows, dtype=float).reshape(-1, 3).T
    return at, force, amplitude


def _checked_slope(loop: Loop, at: Array, middles: Array, size: float) -> float:
    """Slope of midpoints; an error for too few of them, or if single ones decide it.   size : range of the signal."""
    if at.size < MIN_MIDPOINTS:
        raise _refusal(loop, f"its amplitude varies, and only {at.size} midpoints of branches show it")
    slope = _robust_slope(at, middles, size)
    every = np.arange(at.size)
    parts: list[NDArray[np.intp]] = np.array_split(every, min(at.size, LEFT_OUT_PARTS))
    others = [_robust_slope(np.delete(at, part), np.delete(middles, part), size) for part in parts]
    if np.max(np.abs(np.array(others) - slope)) * np.ptp(at) > tol.UNSURE_DRIFT_SHARE * size:
        raise _refusal(loop, "its amplitude varies, and the midpoints of its branches lie on no line")
    return slope


def _robust_slope(at: Array, values: Array, size: float) -> float:
    """Slope of the line of least absolute deviation, by linear programming."""
    from scipy.optimize import linprog
    from scipy.sparse import csc_array, eye_array, hstack

    if size == 0.0:
        return 0.0
    n, length = at.size, float(np.ptp(at))
    line = np.stack((np.ones(n), (at - at.mean()) / length), axis=1)
    rows = hstack((csc_array(line), eye_array(n), -eye_array(n)), format="csc")
    y = (values - values.mean()) / size
    bounds = [(None, None)] * 2 + [(0.0, None)] * (2 * n)
    found = linprog(np.repeat((0.0, 1.0), (2, 2 * n)), A_eq=rows, b_eq=y, bounds=bounds, method="highs-ds")
    return float(found.x[1]) * size / length
