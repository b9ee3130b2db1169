"""Covariance of calibrated parameters with residuals correlated along a block, and intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from slipstick.arrays import Array
from slipstick.calibration.unknowns import CalibratedParameter
from slipstick.results.fit import Estimate, Estimates
from slipstick.results.tolerances import CONFIDENCE_LEVEL

POOR_SPREAD = 0.5  # relative standard deviation of a poorly determined parameter
STRONG_CORRELATION = 0.98
AT_BOUND = 1e-6  # distance of the search variable
NO_EFFECT = 1e-9  # of a parameter on the residuals, over that of the strongest


def weighted_covariance(jacobian: Array, residuals: Array, sizes: Sequence[int]) -> Array:
    """Covariance (k, k) of the search variables: a sandwich with Bartlett weights over lags (Newey and West).

    Blocks without correlation keep their curvature, and no deviation is below that for white noise: the sandwich of few
    samples is too small.

    jacobian : (n, k).   residuals : (n,), of weight 1.   sizes : rows of each block; further rows are priors.
    """
    used = np.linalg.norm(jacobian, axis=0)
    used = used > NO_EFFECT * used.max()
    if not used.all():  # parameters without effect have no covariance
        found = np.zeros((used.size, used.size))
        if used.any():
            found[np.ix_(used, used)] = weighted_covariance(jacobian[:, used], residuals, sizes)
        return found
    inverse = np.linalg.pinv(jacobian.T @ jacobian)
    scores, meat, first = jacobian * residuals[:, None], np.zeros_like(inverse), 0
    for size in sizes:
        own = scores[first : first + size]
        block = jacobian[first : first + size]
        length = _correlation_length(residuals[first : first + size])
        lags = min(int(np.ceil(4.0 * (size / 100.0) ** (2.0 / 9.0))) * length, size // 4) if length else 0
        part = own.T @ own
        for lag in range(1, lags + 1):
            cross = own[lag:].T @ own[:-lag]
            part += (1.0 - lag / (lags + 1.0)) * (cross + cross.T)
        meat += part if lags else block.T @ block
        first += size
    meat += jacobian[first:].T @ jacobian[first:]
    count = residuals.size
    freedom = count / max(count - jacobian.shape[1], 1)
    found, plain = inverse @ (freedom * meat) @ inverse, freedom * inverse
    if not np.diag(found).min() > 0.0:
        return np.asarray(plain)
    grow = np.sqrt(np.maximum(np.diag(plain) / np.diag(found), 1.0))
    return np.asarray(found * np.outer(grow, grow))


def _correlation_length(x: Array) -> int:
    """Correlation length in samples: the integral of the autocorrelation up to its first value below 0.05.

    0 if neighbours are not correlated beyond the scatter of white noise.
    """
    centred = x - x.mean()
    power = float(centred @ centred)
    length = 1.0
    for lag in range(1, max(x.size // 4, 1)):
        own = float(centred[lag:] @ centred[:-lag]) / power if power > 0.0 else 0.0
        if own <= 0.05:
            break
        if lag == 1 and own <= 2.0 / np.sqrt(x.size):
            return 0
        length += 2.0 * own
    return int(np.ceil(length)) if length > 1.0 else 0


def estimates_of(
    unknowns: Sequence[CalibratedParameter],
    y: Array,
    covariance: Array,
    ends: tuple[Array, Array],
    units: Mapping[str, str],
    freedom: int,
) -> tuple[Estimates, list[str]]:
    """Estimates with 95 % intervals, and warnings.   freedom : number of residuals less that of unknowns."""
    from scipy.special import stdtrit

    found, warnings, quantile = Estimates(), [], float(stdtrit(max(freedom, 1), 0.5 + 0.5 * CONFIDENCE_LEVEL))
    for k, own in enumerate(unknowns):
        sigma = float(np.sqrt(max(covariance[k, k], 0.0)))
        if sigma == 0.0:
            value = own.value(float(y[k]))
            found[own.name] = Estimate(value, own.low, own.high, units[own.name], np.inf, own.start)
            words = f"the data do not depend on {own.name} near {value:.4g}, so it is undetermined"
            warnings.append(f"{words}; fix it, or measure where it matters")
            continue
        low, high = (own.value(float(np.clip(y[k] + sign * quantile * sigma, -690.0, 690.0))) for sign in (-1.0, 1.0))
        value, deviation = own.value(float(y[k])), abs(own.slope(float(y[k]))) * sigma
        found[own.name] = Estimate(value, max(low, own.low), min(high, own.high), units[own.name], deviation, own.start)
        if min(abs(y[k] - ends[0][k]), abs(y[k] - ends[1][k])) < AT_BOUND:
            warnings.append(f"{own.name} is at its bound {value:.4g}; widen the bound, or fix the parameter")
        elif deviation > POOR_SPREAD * abs(value):
            words = f"{own.name} is poorly determined: {value:.3g} with a standard deviation of {deviation:.2g}"
            warnings.append(f"{words}; fix it, or measure at another amplitude")
    return found, warnings + _correlated(unknowns, covariance)


def _correlated(unknowns: Sequence[CalibratedParameter], covariance: Array) -> list[str]:
    size = np.sqrt(np.where(np.diag(covariance) > 0.0, np.diag(covariance), np.inf))
    correlation = covariance / np.outer(size, size)
    return [
        f"{unknowns[i].name} and {unknowns[j].name} are correlated by {correlation[i, j]:.3f}: the data determine only "
        "a combination of them; fix one"
        for i in range(len(unknowns))
        for j in range(i)
        if abs(correlation[i, j]) > STRONG_CORRELATION
    ]
