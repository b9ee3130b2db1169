"""Decaying waves in one window of a record, by weighted least squares.

Within a window about t0, with tau = t - t0, each mode is

    x(t) = Re exp(g(tau)),    g(tau) = g_0 + g_1 tau + g_2 tau^2   (complex)

Re g_0 is the logarithm of the amplitude, Im g_1 the frequency and -Re g_1 the decay rate at t0. The quadratic follows
amplitudes and frequencies that change. A window cos^4 weights the samples, so that modes outside the band do not count.
No filter runs over the record, so nothing rings at its ends, and a linear decay is exact.

Noise is measured where it matters: on the waves with tau^4 to tau^7, which lie in the same band and which the fit
leaves free. A fit with tau^3 shows the error of the quadratic; the part of the change beyond noise counts.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from slipstick.arrays import Array
from slipstick.errors import NotConverged

ComplexArray = NDArray[np.complex128]

DEGREE = 2  # of the exponent
NOISE_DEGREES = (4, 8)  # powers of tau whose waves measure the noise: from, below
MAX_ITERATIONS = 40
STEP_TOLERANCE = 1e-11  # of the exponent, in the window
MAX_STEP = 0.5  # of the exponent; longer steps are shortened
TRUNCATION_SAFETY = 2.0  # the next terms of the exponent add about as much as the cubic one


class WindowFit(NamedTuple):
    """Coefficients of each mode in one window, and their uncertainty.

    exponent : (modes, 3) g_0, g_1 [1/s], g_2 [1/s^2].
    deviation : (modes, 3) standard deviations of them from noise; real and imaginary parts have the same.
    truncation : (modes, 2) complex; change of g_0 and g_1 by a cubic term, in excess of noise.
    freedom : degrees of freedom of the noise estimate.
    """

    exponent: ComplexArray
    deviation: Array
    truncation: ComplexArray
    freedom: int


def fit_window(tau: Array, x: Array, half_width: float, frequencies: Array) -> WindowFit:
    """Fit the modes in one window.

    tau : (n,) times from the middle [s].   x : (n,) samples.   half_width : of the window [s].
    frequencies : (modes,) start values [rad/s].
    """
    s = tau / half_width
    weight = np.cos(0.5 * np.pi * s) ** 2  # its square is cos^4: low side lobes
    start = _start(s, x, weight, frequencies * half_width)
    found = _gauss_newton(s, x, weight, start)
    cubic = _gauss_newton(s, x, weight, np.hstack([found, np.zeros((found.shape[0], 1))]))
    noise = _band_noise(s, x, weight, found)
    scale = half_width ** -np.arange(DEGREE + 1.0)
    own, wider = _deviations(weight, _jacobian(s, found), DEGREE), _deviations(weight, _jacobian(s, cubic), DEGREE + 1)
    change = cubic[:, :2] - found[:, :2]
    expected = 2.0 * noise**2 * np.maximum(wider[:, :2] ** 2 - own[:, :2] ** 2, 0.0)  # of both parts together
    excess = np.sqrt(np.maximum(1.0 - expected / np.maximum(np.abs(change) ** 2, 1e-300), 0.0))
    freedom = 2 * found.shape[0] * (NOISE_DEGREES[1] - NOISE_DEGREES[0])
    return WindowFit(
        found * scale,
        noise * own * scale,
        TRUNCATION_SAFETY * change * excess * scale[:2],
        freedom,
    )


def _waves(s: Array, exponent: ComplexArray) -> tuple[Array, Array]:
    """(n, modes) real and imaginary parts of exp of the exponents."""
    powers = s[:, None] ** np.arange(exponent.shape[1])
    size, angle = np.exp(powers @ exponent.real.T), powers @ exponent.imag.T
    return size * np.cos(angle), size * np.sin(angle)


def _columns(functions: Array, waves: tuple[Array, Array]) -> Array:
    """(n, 2 modes k) functions (n, k) times the waves, mode by mode: derivatives by the coefficients of an exponent."""
    pairs = zip(waves[0].T, waves[1].T, strict=True)
    return np.hstack([part for real, imag in pairs for part in (functions * real[:, None], -functions * imag[:, None])])


def _jacobian(s: Array, exponent: ComplexArray) -> Array:
    """(n, 2 modes degrees) derivatives by real and imaginary parts of the coefficients, mode by mode."""
    return _columns(s[:, None] ** np.arange(exponent.shape[1]), _waves(s, exponent))


def _start(s: Array, x: Array, weight: Array, frequencies: Array) -> ComplexArray:
    """Exponents from a linear fit of waves of known frequencies with quadratic amplitudes."""
    carrier = np.zeros((frequencies.size, DEGREE + 1), dtype=complex)
    carrier[:, 1] = 1j * frequencies
    solved = _least_squares(weight[:, None] * _jacobian(s, carrier), weight * x)
    parts = solved.reshape(frequencies.size, 2, DEGREE + 1)
    amplitude = parts[:, 0] + 1j * parts[:, 1]
    middle = np.where(amplitude[:, 0] == 0.0, 1e-300, amplitude[:, 0])
    first = np.clip(np.abs(amplitude[:, 1] / middle), 0.0, 1.0) * np.exp(1j * np.angle(amplitude[:, 1] / middle))
    exponent = carrier
    exponent[:, 0] = np.log(middle)
    exponent[:, 1] += first
    return exponent


def _gauss_newton(s: Array, x: Array, weight: Array, start: ComplexArray) -> ComplexArray:
    """Least squares over the coefficients. Raises `NotConverged`."""
    exponent, degrees = start.copy(), start.shape[1]
    with np.errstate(over="ignore", invalid="ignore"):
        for _ in range(MAX_ITERATIONS):
            waves = _waves(s, exponent)
            misfit = weight * (x - waves[0].sum(axis=1))
            columns = weight[:, None] * _columns(s[:, None] ** np.arange(degrees), waves)
            if not (np.all(np.isfinite(misfit)) and np.all(np.isfinite(columns))):
                break
            solved = _least_squares(columns, misfit).reshape(-1, 2, degrees)
            step = solved[:, 0] + 1j * solved[:, 1]
            largest = float(np.abs(step).max())
            exponent += step * min(1.0, MAX_STEP / max(largest, 1e-300))
            if largest < STEP_TOLERANCE * max(1.0, float(np.abs(exponent).max())):
                return exponent
    raise NotConverged(f"the decay was not found in a window: no fit after {MAX_ITERATIONS} iterations")


def _least_squares(columns: Array, values: Array) -> Array:
    """Solution by the normal equations: powers of s up to 3 are well conditioned, and iterations remove rounding."""
    return np.asarray(np.linalg.solve(columns.T @ columns, columns.T @ values))


def _deviations(weight: Array, basis: Array, degree: int) -> Array:
    """(modes, degree + 1) standard deviations of the coefficients (in s) for white noise of deviation 1."""
    columns = weight[:, None] * basis
    inverse = np.linalg.solve(columns.T @ columns, (weight[:, None] * columns).T)
    variance = (inverse**2).sum(axis=1).reshape(-1, 2, degree + 1)
    return np.asarray(np.sqrt(variance.mean(axis=1)))


def _band_noise(s: Array, x: Array, weight: Array, exponent: ComplexArray) -> float:
    """Standard deviation of white noise with the same level in the band."""
    waves = _waves(s, exponent)
    legendre = np.asarray(np.polynomial.legendre.legvander(s, NOISE_DEGREES[1] - 1), dtype=np.float64)
    fitted, higher = legendre[:, : NOISE_DEGREES[0]], legendre[:, NOISE_DEGREES[0] :]
    columns = weight[:, None] * np.hstack([_columns(fitted, waves), _columns(higher, waves)])
    lower = np.linalg.cholesky(columns.T @ columns)  # of orthonormal columns: columns L^-T
    misfit = weight * (x - waves[0].sum(axis=1))
    first = 2 * exponent.shape[0] * NOISE_DEGREES[0]
    measured = np.linalg.solve(lower, columns.T @ misfit)[first:]
    weighted = (weight[:, None] * columns).T @ (weight[:, None] * columns)
    expected = np.diag(np.linalg.solve(lower, np.linalg.solve(lower, weighted).T))[first:]
    return float(np.sqrt((measured**2).sum() / max(float(expected.sum()), 1e-300)))
