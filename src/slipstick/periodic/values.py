"""Values to find responses at, or to follow them between, as they are asked for: frequencies, amplitudes, others."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from slipstick.errors import InvalidInput, shown

Array = NDArray[np.float64]


def _in_code(words: str) -> str:
    """How to write a frequency in words as a number; nothing where it is none."""
    number, _, unit = words.strip().partition(" ")
    unit = unit.strip().lower()
    return f"; {words} is ss.{unit}({number})" if unit in ("hz", "rpm") else ""


def values_of(
    name: str, given: Any, what: str = "values", unit: str = "", *, positive: bool = False, single: str = ""
) -> Array:
    """(k,) finite numbers, positive ones where that is asked for; two different ones if they are called "between".

    what, unit : what they are, in words.   single : the argument that takes single ones.
    """
    try:
        values = np.atleast_1d(np.asarray(given, dtype=float)).ravel()
    except OverflowError:  # a whole number beyond all floats
        values = np.array([np.inf])
    except (TypeError, ValueError):
        words = next((str(each) for each in np.ravel(np.asarray(given, dtype=object)) if isinstance(each, str)), "")
        way = _in_code(words) if unit else ""
        raise InvalidInput(f"{name} must be {what}{unit}, got {shown(given)}{way}").about(name) from None
    if not values.size:
        raise InvalidInput(f"{name} must have at least one of the {what}{unit}, got {shown(given)}").about(name)
    if not np.isfinite(values).all() or (positive and values.min() <= 0.0):
        bound = " > 0" if positive else ""
        way = "; begin a little above zero" if positive and np.isfinite(values).all() else ""
        raise InvalidInput(f"{name} must be finite {what}{bound}{unit}, got {shown(given)}{way}").about(name)
    if name == "between" and (values.size != 2 or values[0] == values[1]):
        way = f"; {single}= takes single ones" if single else ""
        raise InvalidInput(f"between must be two different {what}, got {shown(given)}{way}").about("between")
    return values
