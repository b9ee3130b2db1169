"""Checked values of a parameter, or ranges of them: frequencies, amplitudes and others."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from slipstick.errors import InvalidInput, short_repr

Array = NDArray[np.float64]


def _in_code(words: str, frequency: bool) -> str:
    """How to write a number, or a frequency, that was given in words; nothing where it is none."""
    number, _, unit = words.strip().partition(" ")
    unit = unit.strip().lower()
    try:
        float(number)
    except ValueError:
        return ""
    if not unit:
        return f"; without quotes {number} is a number"
    return f"; {words} is ss.{unit}({number})" if frequency and unit in ("hz", "rpm") else ""


def _no_number(given: Any) -> Any:
    """The first of some values that NumPy would take for a number though it is words or a yes or no; else None."""
    if isinstance(given, np.ndarray) and given.dtype.kind in "fiu":
        return None
    each = np.ravel(np.asarray(given, dtype=object))
    return next((one for one in each if isinstance(one, (str, bytes, bool, np.bool_))), None)


def checked_values(
    name: str, given: Any, what: str = "values", unit: str = "", *, positive: bool = False, single: str = ""
) -> Array:
    """(k,) finite numbers, positive ones where that is asked for; two different ones if they are called "between".

    what, unit : what they are, in words.   single : the argument that takes single ones.
    """
    try:
        odd = _no_number(given)
        if odd is not None:
            raise TypeError
        values = np.atleast_1d(np.asarray(given, dtype=float)).ravel()
    except OverflowError:  # a whole number beyond all floats
        values = np.array([np.inf])
    except (TypeError, ValueError):
        way = _in_code(odd, bool(unit)) if isinstance(odd, str) else ""
        raise InvalidInput(f"{name} must be {what}{unit}, got {short_repr(given)}{way}").about(name) from None
    if not values.size:
        raise InvalidInput(f"{name} must have at least one of the {what}{unit}, got {short_repr(given)}").about(name)
    if not np.isfinite(values).all() or (positive and values.min() <= 0.0):
        bound = " > 0" if positive else ""
        way = "; begin a little above zero" if positive and np.isfinite(values).all() else ""
        raise InvalidInput(f"{name} must be finite {what}{bound}{unit}, got {short_repr(given)}{way}").about(name)
    if name == "between" and (values.size != 2 or values[0] == values[1]):
        way = f"; {single}= takes single ones" if single else ""
        raise InvalidInput(f"between must be two different {what}, got {short_repr(given)}{way}").about("between")
    return values
