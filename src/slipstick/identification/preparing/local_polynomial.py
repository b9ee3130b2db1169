"""Local polynomials through neighbouring samples: Savitzky and Golay's filter, and its derivatives.

A. Savitzky, M. Golay, Anal. Chem. 36 (1964) 1627. SciPy's filter is the same; its import takes half a second.
"""

from __future__ import annotations

import math

import numpy as np

from slipstick.arrays import Array


def local_polynomial(x: Array, width: int, degree: int, derivative: int = 0, step: float = 1.0) -> Array:
    """(n,) values or derivatives of the polynomials in least squares through windows of samples x (n,).

    width : of a window, odd.   step : between samples.   At the ends, the polynomial of the first or last window.
    """
    if not degree < width <= x.size or width % 2 == 0:
        raise ValueError(f"a window of {width} samples does not suit degree {degree} and {x.size} samples")
    half = width // 2
    unit = max(half, 1)  # places within -1 to 1 keep the fit well conditioned
    places = np.arange(-half, half + 1) / unit
    fit = np.linalg.pinv(np.vander(places, degree + 1, increasing=True))  # (degree + 1, width) coefficients by samples
    powers = np.arange(derivative, degree + 1)
    factors = np.array([math.perm(int(power), derivative) for power in powers]) / (unit * step) ** derivative
    weights = (np.vander(places, powers.size, increasing=True) * factors) @ fit[derivative:]  # (places, samples)
    found = np.empty(x.size)
    found[half : x.size - half] = np.correlate(x, weights[half], "valid")
    found[:half] = weights[:half] @ x[:width]
    found[x.size - half :] = weights[half + 1 :] @ x[x.size - width :]
    return found
