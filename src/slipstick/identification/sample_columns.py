"""Checks of measured columns: finite numbers, and times that increase."""

from __future__ import annotations

from typing import Any

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import InvalidInput, short_repr


def checked_column(what: str, values: Any, name: str) -> Array:
    """(n,) finite numbers, read-only; errors name the column, its owner and the sample."""
    try:
        if np.asarray(values).dtype.kind not in "biuf":
            raise TypeError
        array = np.array(values, dtype=float)
    except (TypeError, ValueError):
        raise InvalidInput(f"{what} must be numbers, got {short_repr(values)}", owner=name) from None
    if array.ndim != 1:
        raise InvalidInput(f"{what} must have one dimension, got shape {array.shape}", owner=name)
    if not np.all(np.isfinite(array)):
        where = int(np.argmin(np.isfinite(array)))
        raise InvalidInput(f"{what} must be finite, got {array[where]} at sample {where}", owner=name).at(where)
    array.setflags(write=False)
    return array


def checked_times(t: Array, count: int, name: str) -> Array:
    """Increasing times of ``count`` samples."""
    if t.size != count:
        raise InvalidInput(f"time must have {count} samples like the other columns, got {t.size}", owner=name)
    steps = np.diff(t)
    if np.any(steps <= 0.0):
        where = int(np.argmax(steps <= 0.0)) + 1
        words = f"time must increase, got {t[where]:g} s after {t[where - 1]:g} s (sample {where})"
        raise InvalidInput(words, owner=name, argument="time").at(where)
    return t
