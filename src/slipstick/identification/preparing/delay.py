"""Delay of the force of a loop behind its deflection: estimate from the corners at reversals, and removal."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import InvalidInput
from slipstick.identification.preparing.signal_conditioning import times_of
from slipstick.identification.preparing.smoothing import savitzky_golay, window_width

if TYPE_CHECKING:
    from slipstick.identification.loop import Loop


MAX_LAG_PERIOD_SHARE = 0.05  # of a period: end of the search on either side ...
LAG_TRIALS = 41  # ... on a grid, then refined
MAX_GIVEN_LAG_SHARE = 0.25  # of a period: longest delay that may be given
LAG_WINDOW_SHARE = 0.12  # of a period: samples about a reversal that are compared, on each side
LAG_DEGREE = 2  # of the force over deflection, before and after a reversal
MIN_LAG_SAMPLES, MAX_LAG_WINDOWS = 20, 50
# a delay is significant if it explains this share of the residual beyond noise, and exceeds so many standard deviations
LAG_GAIN_SHARE, LAG_SIGNIFICANCE = 0.1, 4.0
LAG_CURVATURE_STEP = 0.002  # of a period, for the standard deviation


class LagEstimate(NamedTuple):
    """Estimated delay.   value : [s], 0 if it is not significant.   smallest : [s] delay that would be significant."""

    value: float
    smallest: float


def find_lag(loop: Loop) -> LagEstimate:
    """Delay of the force, from its corners at reversals.

    Near a reversal the model of the force is two parabolas of the delayed deflection, one before and one after, which
    meet there. The delay with the smallest residual is the estimate. A force ahead of the deflection is no delay,
    since dampers look the same. So does a delay near the end of the search.
    """
    from scipy.optimize import minimize_scalar

    windows = _LagWindows.of(loop)
    if windows.freedom < MIN_LAG_SAMPLES:
        return LagEstimate(0.0, np.inf)
    most = MAX_LAG_PERIOD_SHARE * windows.period
    trials = np.linspace(-most, most, LAG_TRIALS)
    k = int(np.argmin([windows.squares(float(lag)) for lag in trials]))
    if k in (0, trials.size - 1):
        return LagEstimate(0.0, np.inf)
    best = minimize_scalar(windows.squares, bounds=(trials[k - 1], trials[k + 1]), method="bounded")
    least, lag, h = float(best.fun), float(best.x), LAG_CURVATURE_STEP * windows.period
    curvature = (windows.squares(lag + h) - 2.0 * least + windows.squares(lag - h)) / h**2
    variance = least / windows.freedom
    smallest = LAG_SIGNIFICANCE * float(np.sqrt(2.0 * variance / curvature)) if curvature > 0.0 else np.inf
    gain = windows.squares(0.0) - least
    beyond_noise = windows.squares(0.0) - windows.freedom * loop.noise**2
    seen = gain > LAG_GAIN_SHARE * beyond_noise and gain > LAG_SIGNIFICANCE**2 * variance
    return LagEstimate(lag if seen and smallest < lag < 0.9 * most else 0.0, smallest)


class _LagWindows(NamedTuple):
    """Samples near reversals.   parts : slices.   instants : times of the reversals.   period : of the motion.

    t, u, f : samples of the loop; u is smoothed, since it is interpolated at delayed times.
    """

    parts: list[slice]
    instants: list[float]
    period: float
    t: Array
    u: Array
    f: Array

    @classmethod
    def of(cls, loop: Loop) -> _LagWindows:
        t, turns = times_of(loop, "a delay"), loop.turning.turns
        period = 2.0 * float(np.median(np.diff(t[turns])))
        width = LAG_WINDOW_SHARE * period
        margin = width + MAX_LAG_PERIOD_SHARE * period
        inner = [k for k in turns[1:-1].tolist() if t[0] + margin < t[k] < t[-1] - margin]
        chosen = inner[:: len(inner) // MAX_LAG_WINDOWS + 1]
        window = window_width(turns)
        u = savitzky_golay(loop.u, window) if window <= len(loop) else loop.u
        parts = [slice(*np.searchsorted(t, (t[k] - width, t[k] + width)).tolist()) for k in chosen]
        instants = [_extremum(t[own], u[own], float(t[k])) for own, k in zip(parts, chosen, strict=True)]
        return cls(parts, instants, period, t, u, loop.f)

    @property
    def freedom(self) -> int:
        """Samples less the fitted coefficients."""
        return sum(own.stop - own.start - 1 - 2 * LAG_DEGREE for own in self.parts)

    def squares(self, lag: float) -> float:
        """Sum of squared residuals for a delay of the deflection."""
        total = 0.0
        for own, instant in zip(self.parts, self.instants, strict=True):
            moved = self.t[own] - lag
            d = np.interp(moved, self.t, self.u) - np.interp(instant, self.t, self.u)
            powers = (d / np.max(np.abs(d))) ** np.arange(1, LAG_DEGREE + 1)[:, None]
            before = moved < instant
            basis = np.linalg.qr(np.vstack((np.ones_like(d), powers * before, powers * ~before)).T)[0]
            f = self.f[own]
            total += float(np.sum((f - basis @ (basis.T @ f)) ** 2))
        return total


def _extremum(t: Array, u: Array, near: float) -> float:
    """Time of the extremum of a fitted quartic that is nearest to ``near``."""
    size = float(np.ptp(t))
    roots = np.polynomial.Polynomial.fit((t - near) / size, u, 4).deriv().roots()
    real = roots[np.abs(roots.imag) < 1e-9].real  # complex ones are no extrema
    return near + size * float(real[np.argmin(np.abs(real))]) if real.size else near


def remove_lag(loop: Loop, lag: float | None = None) -> Loop:
    """The loop with the force moved back by a delay [s]; by default the estimated one.

    Samples whose force would lie outside the record are left out.
    """
    t = times_of(loop, "a delay")
    if lag is None:
        estimate = find_lag(loop)
        found, how = estimate.value, "found and "
        if found == 0.0:
            limit = f"; one below {estimate.smallest:.2g} s would not be seen" if np.isfinite(estimate.smallest) else ""
            return loop.changed(f"no delay between force and deflection found{limit}")
    else:
        found, how = _checked_lag(loop, t, lag), ""
    side = "behind" if found > 0.0 else "ahead of"
    words = f"delay {how}removed: the force was {abs(found):.3g} s {side} the deflection"
    kept = (t + found >= t[0]) & (t + found <= t[-1])
    parts = {"u": loop.u[kept], "f": np.interp(t[kept] + found, t, loop.f), "t": t[kept]}
    if loop.normal is not None:
        parts["normal"] = loop.normal[kept]
    return loop.changed(words, **parts)


def _checked_lag(loop: Loop, t: Array, lag: float) -> float:
    """A given delay [s]; refused if it is no small part of a period."""
    period = 2.0 * float(np.median(np.diff(t[loop.turning.turns])))
    most = MAX_GIVEN_LAG_SHARE * period
    if not abs(lag) <= most:
        words = f"must be within +-{most:.3g} s, a quarter of a period, got {lag:.4g} s"
        raise InvalidInput(words, owner=loop.name, subject="lag", value=lag)
    return float(lag)
