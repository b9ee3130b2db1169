"""Checks of the arguments of a frequency response, before anything runs: values, loads, harmonics."""

from __future__ import annotations

from typing import Any

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import Advice, InvalidInput, short_repr
from slipstick.periodic.common_period import period_of, refuse_rest, time_functions_of
from slipstick.periodic.shooting.period_map import refuse_runaway
from slipstick.signals import TimeFunction
from slipstick.transient.problem import Problem
from slipstick.units.scales import Scale, frequency_scale

MAX_HARMONICS = 1000  # of one period: the matrix of more is beyond what a computer holds


def check_request(
    problem: Problem, method: str, harmonics: Any, subharmonic: Any, *, moves: bool = True, vanishes: bool = False
) -> None:
    """Loads without a period, frequencies that stay while the base frequency moves, harmonics there cannot be.

    moves : the base frequency does; False where every frequency is a problem of its own.
    vanishes : the load may, as one that is followed through zero.
    """
    if not vanishes:
        refuse_rest(problem)
    period_of(problem, subharmonic)
    if harmonics is not None and method != "harmonic-balance":
        raise InvalidInput(
            f'method "{method}" does not use harmonics',
            argument="harmonics",
            advice=[Advice("leave {harmonics} out")],
        )
    check_harmonics(harmonics, subharmonic)
    if method != "harmonic-balance":  # which finds that out by itself
        refuse_runaway(problem)
    if moves:
        scale = frequency_scale(problem.system.stated_units.frequency)
        for what, function in time_functions_of(problem.system):
            _refuse_own_frequency(what, function, scale)


def check_harmonics(harmonics: Any, subharmonic: int | None = None) -> None:
    """Harmonics that there cannot be; nothing stands for as many as are usual."""
    if harmonics is None:
        return
    most = MAX_HARMONICS // (subharmonic or 1)
    if isinstance(harmonics, bool) or not isinstance(harmonics, int) or not 1 <= harmonics <= most:
        index = f" with subharmonic {subharmonic}" if (subharmonic or 1) > 1 else ""
        raise InvalidInput(
            f"harmonics must be a whole number from 1 to {most}{index}, got {short_repr(harmonics)}; 7 is usual"
        ).about("harmonics")


def _refuse_own_frequency(what: str, function: TimeFunction, scale: Scale) -> None:
    for harmonic in function.parts().harmonics:
        if not harmonic.is_order and (harmonic.cos or harmonic.sin):
            raise InvalidInput(
                f"{what}, {short_repr(function)}, has the fixed frequency {scale.words(harmonic.omega)}, so a "
                "range of frequencies has no common period; give it an order instead of a frequency"
            )


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
