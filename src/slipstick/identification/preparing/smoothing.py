"""Smoothing of a deflection, so that its noise does not drive a law.

A law remembers reversals, and noise adds many: one micrometre at 5 kHz adds 131 N to the tensioner's force. A deadband
does not help, as it moves every true reversal by its own width. A smooth line through the samples does:

    harmonics  a Fourier series in time, for a periodic motion: all cycles contribute to each sample
    local      a polynomial of degree three through neighbouring samples (Savitzky and Golay)

Both are then made monotone between reversals, which removes the false ones.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from slipstick.arrays import Array
from slipstick.identification import tolerances as tol
from slipstick.identification.preparing.local_polynomial import local_polynomial
from slipstick.identification.preparing.reversals import Places, detect_reversals

if TYPE_CHECKING:
    from slipstick.identification.loop import Loop


POLYNOMIAL_DEGREE = 3
MAX_SERIES_SAMPLES = 20_000  # of longer records, equally spaced ones decide whether a series fits
MAX_HARMONICS = 12
MANY_SAMPLES = 100_000  # of a series: its QR factorisation would take a large part of a fit
GAUSS_NEWTON_STEPS = 8  # each adds some digits to the frequency


Filter = Callable[[Array], Array]


def identity_filter(x: Array) -> Array:
    """Return x unchanged."""
    return x


class SmoothedDeflection(NamedTuple):
    """u : (n,) deflection.   note : what was done, in words; may be empty.   filter : the same, applied to noise."""

    u: Array
    note: str = ""
    filter: Filter = identity_filter


def smooth_deflection(loop: Loop) -> SmoothedDeflection:
    """The deflection that drives a law: as measured if its noise causes no reversals, smoothed otherwise."""
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
                hold_monotone(loop.u, turning.turns), "the deflection was made monotone between reversals"
            )
        u, how, filter = (
            savitzky_golay(loop.u, width),
            f"cubics through {width} neighbours",
            partial(savitzky_golay, width=width),
        )
    turns = detect_reversals(u).turns if series is not None else turning.turns
    turns = turns if turns.size == turning.turns.size else turning.turns
    text = loop.units.deflection.words
    moved = float(np.sqrt(np.mean((u - loop.u) ** 2)))
    return SmoothedDeflection(
        hold_monotone(u, turns),
        f"the deflection changes direction {turning.raw} times for {turning.reversals} reversals: noise of "
        f"{text(turning.noise, 2)}; smoothed by {how}, which moved it by {text(moved, 2)} rms",
        filter,
    )


def scatter_about_series(loop: Loop) -> float | None:
    """[m] rms distance of a periodic motion from its Fourier series; None for any other motion."""
    series = _fourier_series(loop)
    return None if series is None else float(np.sqrt(np.mean((loop.u - series.u) ** 2)))


def window_width(turns: Places) -> int:
    """Width of a local polynomial [samples]: odd, and a share of the shortest branch."""
    lengths = np.diff(turns)
    inner = lengths[1:-1] if lengths.size > 2 else lengths
    return 2 * int(tol.WINDOW_BRANCH_SHARE * inner.min() / 2.0) + 1


def savitzky_golay(x: Array, width: int) -> Array:
    """Savitzky-Golay filter; at the ends, the polynomial through the last samples."""
    return local_polynomial(x, width, POLYNOMIAL_DEGREE)


def hold_monotone(u: Array, turns: Places) -> Array:
    """The deflection made monotone between reversals, and limited to their range."""
    held = u.copy()
    for a, b in pairwise(turns):
        branch = held[a : b + 1]
        rising = u[b] >= u[a]
        low, high = min(u[a], u[b]), max(u[a], u[b])
        path = np.clip(branch, low, high)
        held[a : b + 1] = np.maximum.accumulate(path) if rising else np.minimum.accumulate(path)
    return held


class _FourierSeries(NamedTuple):
    """u : (n,) a Fourier series at times t (n,).   harmonics : their count.   omega : [rad/s] base frequency."""

    u: Array
    harmonics: int
    omega: float
    t: Array

    @property
    def filter(self) -> Filter:
        """The projection onto the series and onto its derivative by the frequency, which is the only nonlinear part."""
        basis = series_basis(self.t, self.omega, self.harmonics)
        slope = np.gradient(self.u, self.t) * (self.t - self.t.mean())
        q = np.linalg.qr(np.column_stack((basis, slope / max(float(np.ptp(slope)), tol.AVOID_ZERO_DIVISION))))[0]
        return lambda x: np.asarray(q @ (x @ q))


def _fourier_series(loop: Loop) -> _FourierSeries | None:
    """The shortest Fourier series that fits a periodic motion to its noise; None if there is none."""
    if loop.t is None or len(loop.cycles) < 2:
        return None
    times = [cycle.t[0] for cycle in loop.cycles if cycle.t is not None]
    omega = 2.0 * np.pi * (len(times) - 1) / (times[-1] - times[0])
    noise, stride = loop.turning.noise, max(len(loop) // MAX_SERIES_SAMPLES, 1)
    t, u = loop.t[::stride], loop.u[::stride]
    for count in range(1, MAX_HARMONICS + 1):
        omega, fitted = refine_base_frequency(t, u, omega, count)
        rms = float(np.sqrt(np.mean((u - fitted) ** 2)))
        if rms <= tol.SERIES_NOISE_RATIO * noise:
            if stride > 1:
                omega, fitted = refine_base_frequency(loop.t, loop.u, omega, count)
            return _FourierSeries(fitted, count, omega, loop.t)
    return None


def refine_base_frequency(t: Array, u: Array, omega: float, count: int) -> tuple[float, Array]:
    """The best base frequency [rad/s] and its fitted series (n,), by Gauss-Newton steps to rounding."""
    fitted = u
    for _ in range(GAUSS_NEWTON_STEPS):
        basis = series_basis(t, omega, count)
        c = _series_coefficients(basis, u)
        fitted = basis @ c
        slope: Array = (basis[:, 2:] @ _phase_derivative(c[2:])) * (t - t.mean())  # d fitted/d omega
        step = float(slope @ (u - fitted) / (slope @ slope))
        omega += step
        if abs(step) < tol.FREQUENCY_CONVERGED_REL * omega:
            break
    return omega, fitted


def _series_coefficients(basis: Array, u: Array) -> Array:
    """Least-squares coefficients; of many samples by normal equations and one refinement, which is as exact here."""
    if len(u) < MANY_SAMPLES:
        return np.asarray(np.linalg.lstsq(basis, u, rcond=None)[0], dtype=float)
    normal = basis.T @ basis  # of waves over many samples: nearly diagonal
    c = np.linalg.solve(normal, basis.T @ u)
    return np.asarray(c + np.linalg.solve(normal, basis.T @ (u - basis @ c)), dtype=float)


def series_basis(t: Array, omega: float, count: int) -> Array:
    """(n, 2 + 2 count) columns: one, time (drift), then cosine and sine of each harmonic."""
    phase = omega * (t - t.mean())
    columns = [np.ones_like(t), (t - t.mean()) / np.ptp(t)]
    for k in range(1, count + 1):
        columns += [np.cos(k * phase), np.sin(k * phase)]
    return np.stack(columns, axis=1)


def _phase_derivative(c: Array) -> Array:
    """Coefficients of the derivative by the phase."""
    k = np.arange(1, c.size // 2 + 1)
    derivative = np.empty_like(c)
    derivative[0::2], derivative[1::2] = k * c[1::2], -k * c[0::2]
    return derivative
