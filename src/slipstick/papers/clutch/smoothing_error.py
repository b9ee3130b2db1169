"""How far rounded laws are from the exact ones: closed forms, or points as close together as the corner is sharp."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from slipstick.laws.regularisation import SqrtFriction, TanhFriction, TanhStage, bump_area

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from slipstick.laws.base import Law

    Array = NDArray[np.float64]

CORNER_GRID = np.linspace(-10.0, 10.0, 4001)  # over the sharpness: beyond, tanh is 1


def smoothing_area(law: Law, reach: float) -> float:
    """Between a rounded friction and sgn times its limit, for rates from -reach to reach, which may be infinite.

    By tanh: the integral of 1 - tanh(sigma v) is ln 2 - ln(1 + e^(-2 sigma v)), over sigma.
    """
    if isinstance(law, TanhFriction):
        return 2.0 * law.limit * (math.log(2.0) - math.log1p(math.exp(-2.0 * law.sharpness * reach))) / law.sharpness
    assert isinstance(law, SqrtFriction)
    width, shape = law.width, (1.0 / law.width, 2.0 * law.rounding)
    beyond = 0.0
    if math.isfinite(reach):
        beyond = 0.5 * (bump_area(reach + width, *shape) - bump_area(reach - width, *shape)) - reach
    return 2.0 * law.limit * (bump_area(width, *shape) - beyond)


def refined_deflections(law: Any, drawn: Array) -> Array:
    """Deflections that are drawn, and others close to the corners of a rounded spring."""
    round_it = CORNER_GRID / law.sharpness if isinstance(law, TanhStage) else np.zeros(1)
    return np.union1d(drawn, np.concatenate((law.half_gap + round_it, -law.half_gap + round_it)))


def minimum_slope(law: Law, drawn: Array) -> tuple[float, float]:
    """The smallest slope of a rounded spring, and the deflection where it has it."""
    u = refined_deflections(law, drawn)
    slope = [law.tangent(float(one), 0.0, law.start())[1] for one in u]
    least = int(np.argmin(slope))
    return float(slope[least]), float(u[least])
