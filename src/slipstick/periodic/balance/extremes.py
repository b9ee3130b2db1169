"""The largest values of what is a series, and of forces that are known at samples: between samples too."""

from __future__ import annotations

import numpy as np

from slipstick.arrays import Array, Complex
from slipstick.periodic.balance.fourier_series import FourierGrid, as_series

NEWTON_STEPS = 4  # steps to an extreme, from a sample beside it
SAMPLES_PER_HARMONIC = 12  # samples of the highest, from which Newton's method finds the extremes beside them
HARMONIC_ROUNDING_REL = 1e-14  # of the largest harmonic: nothing
# of the largest harmonic: what those beyond half of the samples' reach may be in a smooth force
SMOOTH_SPECTRUM_REL = 1e-3
QUARTIC_FIT = np.linalg.inv(np.vander(np.arange(-2.0, 3.0), increasing=True))  # five values to coefficients
# second differences of neighbours that differ by no more than this factor have no corner between them
MAX_CURVATURE_RATIO = 2.0


def maxima_of_series(harmonics: Complex, samples: Array) -> Array:
    """(n,) the largest values of series Re sum c_h e^(i h angle), (H+1, n), by Newton from their samples (n, k).

    Two hills may be so alike that the lower one has the highest sample: every hill is climbed that could be the
    highest, by the most that its curvature lets it rise within half the distance of samples.
    """
    count = samples.shape[1]
    h = np.arange(harmonics.shape[0], dtype=float)[:, None]
    width = 2.0 * np.pi / count
    top = samples.max(axis=1)
    rise = 0.125 * width**2 * (h**2 * np.abs(harmonics)).sum(axis=0)
    column, place = np.nonzero(samples >= (top - rise)[:, None])
    own = samples[column, place]
    is_hill = (own > samples[column, place - 1]) & (own >= samples[column, (place + 1) % count])
    column, place = column[is_hill], place[is_hill]
    middle = width * place
    angle, waves = middle.copy(), harmonics[:, column]
    for _ in range(NEWTON_STEPS):
        turning = waves * _turned(angle, h.size)
        slope, bend = -(h * turning.imag).sum(axis=0), -(h**2 * turning.real).sum(axis=0)
        step = np.divide(-slope, bend, out=np.zeros(slope.size), where=bend < 0.0)
        angle = np.clip(angle + step, middle - width, middle + width)
    np.maximum.at(top, column, (waves * _turned(angle, h.size)).real.sum(axis=0))
    return np.asarray(top)


def _turned(angle: Array, count: int) -> Complex:
    """(count, n) e^(i h angle) of h = 0, 1, ...: by products, which are much quicker than as many exponentials."""
    factors = np.empty((count, angle.size), dtype=np.complex128)
    factors[:1], factors[1:] = 1.0, np.exp(1j * angle)
    return np.asarray(np.multiply.accumulate(factors, axis=0))


def range_of_series(pairs: Complex, waves: FourierGrid) -> Array:
    """(...,) largest less smallest of series given as pairs (..., H+1), by close samples."""
    harmonics = np.concatenate([pairs[..., -1:], pairs[..., :-1]], axis=-1).conj()
    flat = harmonics.reshape(-1, harmonics.shape[-1]).T
    samples = waves.values_of(as_series(pairs)).reshape(flat.shape[1], -1)
    return _spread(flat, samples).reshape(pairs.shape[:-1])


def _spread(harmonics: Complex, samples: Array) -> Array:
    """(n,) largest less smallest; see `maxima_of_series`. Both at once, as most of the time goes into calls."""
    found = maxima_of_series(np.hstack([harmonics, -harmonics]), np.vstack([samples, -samples]))
    return np.asarray(found[: samples.shape[0]] + found[samples.shape[0] :])


def range_of_samples(rows: Array, is_smooth: bool) -> Array:
    """(n,) largest less smallest of what is known at samples (n, N) of a period.

    is_smooth : the series through the samples is what lies between them, where its upper half is small. Else the
    quartic through five neighbours is, if they show no corner; beside a corner the samples themselves count.
    """
    if not is_smooth:
        return _by_neighbours(rows) + _by_neighbours(-rows)
    count = rows.shape[1]
    spectrum = np.fft.rfft(rows)
    sizes = np.abs(spectrum)
    fades = sizes[:, count // 4 + 1 :].max(axis=1, initial=0.0) <= SMOOTH_SPECTRUM_REL * sizes[:, 1:].max(
        axis=1, initial=0.0
    )
    found = np.empty(rows.shape[0])
    found[~fades] = range_of_samples(rows[~fades], is_smooth=False)
    found[fades] = _by_spectrum(rows[fades], spectrum[fades], sizes[fades])
    return found


def _by_spectrum(rows: Array, spectrum: Complex, sizes: Array) -> Array:
    """(n,) largest less smallest of the series through samples (n, N)."""
    count = rows.shape[1]
    heard = (sizes > HARMONIC_ROUNDING_REL * sizes.max(axis=1, initial=0.0)[:, None]).any(axis=0)
    last = min(int(np.flatnonzero(heard).max(initial=0)), (count - 1) // 2)
    waves = 2.0 / count * spectrum[:, : last + 1].T
    waves[0] *= 0.5
    finer = -(-SAMPLES_PER_HARMONIC * last // count)
    close = rows if finer <= 1 else finer * np.fft.irfft(spectrum[:, : last + 1], finer * count)
    return _spread(waves, close)


def _by_neighbours(rows: Array) -> Array:
    """(n,) the largest values: of the quartic through the highest sample and its neighbours, if they bend alike."""
    count = rows.shape[1]
    place = np.argmax(rows, axis=1)
    near = np.take_along_axis(rows, (place[:, None] + np.arange(-2, 3)) % count, axis=1)
    bends = -np.diff(near, 2, axis=1)
    is_even = (bends > 0.0).all(axis=1) & (bends.max(axis=1) <= MAX_CURVATURE_RATIO * bends.min(axis=1))
    top = near[:, 2].copy()
    if is_even.any():
        constant, *rest = (near[is_even] @ QUARTIC_FIT.T).T
        x = np.zeros(constant.size)
        for _ in range(NEWTON_STEPS):
            slope = rest[0] + x * (2.0 * rest[1] + x * (3.0 * rest[2] + x * 4.0 * rest[3]))
            bend = 2.0 * rest[1] + x * (6.0 * rest[2] + x * 12.0 * rest[3])
            x = np.clip(x - np.divide(slope, bend, out=np.zeros(x.size), where=bend < 0.0), -1.0, 1.0)
        lifted = constant + x * (rest[0] + x * (rest[1] + x * (rest[2] + x * rest[3])))
        top[is_even] = np.maximum(top[is_even], lifted)
    return top
