"""Derivatives of smooth functions of one number: central differences, extrapolated (Richardson), with their error.

The functions are explicit: residuals and figures at given unknowns, which no solver touches. They are exact to
rounding, so that two extrapolations leave an error near 1e-10 of the derivative.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import NotConverged

Function = Callable[[float], Array]

FIRST_STEP = 1e-3  # of the scale
SMALL_CORRECTION = 3e-6  # by the first extrapolation: the error that it leaves is near the square
STEP_FACTOR = 8.0  # by which a step that is too long is shortened
MAX_ATTEMPTS = 5
GOOD_ERROR = 1e-9  # of the largest derivative: no shorter step is tried
ACCEPTED_ERROR = 1e-6  # likewise: a larger error is a refusal
KINK_RATIO = 0.75  # of second differences over the step: a half of it if smooth, all of it at a kink
KINK_SIZE = 1e-6  # of the derivative: a difference of one-sided derivatives that counts
NOTHING = 1e-13  # of the values: a smaller change over a step is rounding


class Derivative(NamedTuple):
    """value : (k,) the derivative.   error : the largest estimated error of its parts, over the largest part."""

    value: Array
    error: float


class Kink(NotConverged):
    """One-sided derivatives differ."""


def difference(function: Function, scale: float) -> Array:
    """A central difference of a function (k,) at 0, as a first guess of its derivative."""
    step = 0.5 * FIRST_STEP * scale  # one of those of `derivative`: models are made once
    return np.asarray((function(step) - function(-step)) / (2.0 * step))


def derivative(
    function: Function, here: Array, scale: float, first: float = FIRST_STEP, size: float = 0.0
) -> Derivative:
    """The derivative of a function (k,) at 0; raises `NotConverged` where it is not smooth.

    here : its value at 0.   scale : a change of order one of its argument.
    size : of a derivative that counts, if this one may cancel.
    """
    best: Derivative | None = None
    kinks = 0
    failure: NotConverged | None = None
    for attempt in range(MAX_ATTEMPTS):
        try:
            found, kink = _extrapolated(function, here, scale * first / STEP_FACTOR**attempt, size)
        except NotConverged as trouble:  # no model, or no motion, so far away
            failure = trouble
            continue
        kinks += kink
        best = found if best is None or found.error < best.error else best
        if best.error <= GOOD_ERROR and not kink:
            return best
    if best is None:
        assert failure is not None
        raise failure
    if kinks == MAX_ATTEMPTS:
        raise Kink("derivatives from above and from below differ")
    if not best.error <= ACCEPTED_ERROR:
        raise NotConverged(f"differences leave an error of {best.error:.1e} (limit {ACCEPTED_ERROR:g})")
    return best


def _extrapolated(function: Function, here: Array, h: float, least: float) -> tuple[Derivative, bool]:
    """The derivative from steps h and shorter ones, and whether there is a kink."""
    columns: list[Array] = []  # of the last row of the table
    bends: list[float] = []
    error, size, values = np.inf, least, float(np.abs(here).max(initial=0.0))
    for k in range(3):
        step = h * 0.5**k
        above, below = function(step), function(-step)
        bends.append(float(np.abs(above - 2.0 * here + below).max(initial=0.0)) / step)
        row = [(above - below) / (2.0 * step)]
        for j, coarser in enumerate(columns):
            row.append(row[j] + (row[j] - coarser) / (4.0 ** (j + 1) - 1.0))
        if columns:
            size = max(float(np.abs(row[-1]).max(initial=0.0)), least)
            floor = NOTHING * values / step
            error = max(float(np.abs(row[-1] - row[-2]).max(initial=0.0)) - floor, 0.0)
            if k == 1 and error <= SMALL_CORRECTION * size:
                error *= 10.0 * SMALL_CORRECTION
                columns = row
                break
        columns = row
    kink = bends[1] > KINK_RATIO * bends[0] and bends[1] > KINK_SIZE * size + 10.0 * NOTHING * values / h
    return Derivative(columns[-1], error / size if size > 0.0 else 0.0), kink
