"""Smoothed deflections, so that noise does not drive a law.

A law remembers reversals, and noise is made of them: a micrometre of it at 5 kHz puts 131 N into the tensioner's force.
A deadband does not help, as it moves every true reversal by its own width. What helps is a line through the samples:

    harmonics  a Fourier series in time, where the motion is periodic: all cycles speak for each sample
    local      a polynomial of degree three through each sample's neighbours (Savitzky and Golay)

Both are made monotone between reversals afterwards, so that none is left that is not there.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from slipstick.identification.loop import Loop
from slipstick.identification.preparing.reversals import Places, detect_reversals

Array = NDArray[np.float64]

POLYNOMIAL_DEGREE = 3
WINDOW_BRANCH_SHARE = 0.2  # of the shortest branch: the width of a local polynomial
MAX_HARMONICS = 12
GAUSS_NEWTON_STEPS = 8  # of Gauss and Newton, each of which brings the frequency some digits nearer
SERIES_NOISE_RATIO = 1.3  # a series that leaves less than so many times the noise says all there is to say


Filter = Callable[[Array], Array]


def identity_filter(x: Array) -> Array:
    """Not smoothed."""
    return x


class SmoothedDeflection(NamedTuple):
    """u : the deflection.   words : what was done; nothing where nothing was.   filter : what that leaves of noise."""

    u: Array
    words: str = ""
    filter: Filter = identity_filter


def smooth_deflection(loop: Loop) -> SmoothedDeflection:
    """A deflection fit to drive a law: as measured where it turns only where the motion does, smoothed otherwise."""
    turning = loop.turning
    if not turning.is_noisy:
        return SmoothedDeflection(loop.u)
    series = _fourier_series(loop)
    if series is not None:
        u, count, filter = series.u, series.harmonics, series.filter
        how = f"a Fourier series of {count} harmonic{'s' * (count != 1)}"
    else:
        width = window_width(turning.turns)
        if width < POLYNOMIAL_DEGREE + 2:
            return SmoothedDeflection(
                hold_monotone(loop.u, turning.turns), "samples that go back between reversals were held"
            )
        u, how, filter = (
            savitzky_golay(loop.u, width),
            f"cubics through {width} neighbours",
            partial(savitzky_golay, width=width),
        )
    found = detect_reversals(u).turns if series is not None else turning.turns
    turns = found if found.size == turning.turns.size else turning.turns
    said = loop.units.deflection.words
    moved = float(np.sqrt(np.mean((u - loop.u) ** 2)))
    return SmoothedDeflection(
        hold_monotone(u, turns),
        f"the deflection changes direction {turning.raw} times for {turning.reversals} reversals: noise of "
        f"{said(turning.noise, 2)}; smoothed by {how}, which moved it by {said(moved, 2)} rms",
        filter,
    )


def scatter_about_series(loop: Loop) -> float | None:
    """[m] rms of what lies off the Fourier series of a periodic motion; None for any other."""
    series = _fourier_series(loop)
    return None if series is None else float(np.sqrt(np.mean((loop.u - series.u) ** 2)))


def window_width(turns: Places) -> int:
    """The width of a local polynomial: odd, and a share of the shortest branch between two reversals."""
    lengths = np.diff(turns)
    inner = lengths[1:-1] if lengths.size > 2 else lengths
    return 2 * int(WINDOW_BRANCH_SHARE * inner.min() / 2.0) + 1


def savitzky_golay(x: Array, width: int) -> Array:
    """Savitzky and Golay's mean of neighbours; ends are the polynomial through the last ones."""
    from scipy.signal import savgol_filter

    smooth: Array = savgol_filter(x, width, POLYNOMIAL_DEGREE)
    return smooth


def hold_monotone(u: Array, turns: Places) -> Array:
    """The same, held wherever it goes back between two reversals, and within them."""
    held = u.copy()
    for a, b in pairwise(turns):
        branch = held[a : b + 1]
        rising = u[b] >= u[a]
        low, high = min(u[a], u[b]), max(u[a], u[b])
        path = np.clip(branch, low, high)
        held[a : b + 1] = np.maximum.accumulate(path) if rising else np.minimum.accumulate(path)
    return held


class _FourierSeries(NamedTuple):
    """u : (n,) a Fourier series over t, (n,) times.   harmonics : how many.   omega : rad/s, of the first."""

    u: Array
    harmonics: int
    omega: float
    t: Array

    @property
    def filter(self) -> Filter:
        """What the series through a noise would be: it is linear but for its frequency, whose slope is beside it."""
        basis = series_basis(self.t, self.omega, self.harmonics)
        slope = np.gradient(self.u, self.t) * (self.t - self.t.mean())
        q = np.linalg.qr(np.column_stack((basis, slope / max(float(np.ptp(slope)), 1e-300))))[0]
        return lambda x: np.asarray(q @ (x @ q))


def _fourier_series(loop: Loop) -> _FourierSeries | None:
    """A Fourier series through a periodic motion, and its harmonics; None if it does not come down to the noise."""
    if loop.t is None or len(loop.cycles) < 2:
        return None
    times = [cycle.t[0] for cycle in loop.cycles if cycle.t is not None]
    omega = 2.0 * np.pi * (len(times) - 1) / (times[-1] - times[0])
    noise = loop.turning.noise
    for count in range(1, MAX_HARMONICS + 1):
        omega, fitted = refine_base_frequency(loop.t, loop.u, omega, count)
        left = float(np.sqrt(np.mean((loop.u - fitted) ** 2)))
        if left <= SERIES_NOISE_RATIO * noise:
            return _FourierSeries(fitted, count, omega, loop.t)
    return None


def refine_base_frequency(t: Array, u: Array, omega: float, count: int) -> tuple[float, Array]:
    """The series with the base frequency that suits it best; by steps of Gauss and Newton, to rounding."""
    fitted = u
    for _ in range(GAUSS_NEWTON_STEPS):
        basis = series_basis(t, omega, count)
        c = np.asarray(np.linalg.lstsq(basis, u, rcond=None)[0], dtype=float)
        fitted = basis @ c
        slope: Array = (basis[:, 2:] @ _phase_derivative(c[2:])) * (t - t.mean())  # d fitted/d omega
        step = float(slope @ (u - fitted) / (slope @ slope))
        omega += step
        if abs(step) < 1e-12 * omega:
            break
    return omega, fitted


def series_basis(t: Array, omega: float, count: int) -> Array:
    """(n, 2 + 2 count) columns: one, time, then cosine and sine of each multiple; time stands for drift."""
    phase = omega * (t - t.mean())
    columns = [np.ones_like(t), (t - t.mean()) / np.ptp(t)]
    for k in range(1, count + 1):
        columns += [np.cos(k * phase), np.sin(k * phase)]
    return np.stack(columns, axis=1)


def _phase_derivative(c: Array) -> Array:
    """Coefficients of the derivative by the phase."""
    k = np.arange(1, c.size // 2 + 1)
    turned = np.empty_like(c)
    turned[0::2], turned[1::2] = k * c[1::2], -k * c[0::2]
    return turned
