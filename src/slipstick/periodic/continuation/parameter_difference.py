"""Derivatives of residuals by the parameter of a curve, where every value needs a model of its own."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import NotConverged
from slipstick.periodic.continuation.family import Family

PARAMETER_STEP_REL = 1e-6  # of the parameter


def difference_by_parameter(family: Family, residual_at: Callable[[float], Array], p: float, unit: float) -> Array:
    """(rows,) the central difference of residual_at(p), one-sided where a model does not exist on the other side.

    unit : typical size of the parameter.   Raises `NotConverged` if the model exists on neither side.
    """
    step = PARAMETER_STEP_REL * max(abs(p), 1e-3 * unit)
    ends: list[tuple[float, Array]] = []
    for distance in (step, -step, 0.0):
        if len(ends) == 2:
            break
        try:
            ends.append((distance, residual_at(p + distance)))
        except NotConverged:
            continue
    if len(ends) < 2:
        raise NotConverged(f"the model exists on neither side of {family.format_parameter(p)}")
    (a, above), (b, below) = ends
    return np.asarray((above - below) / (a - b))
