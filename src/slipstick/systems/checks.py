"""Numbers that systems compute with before a law or a model sees them: refused here, by the name that was given."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from slipstick.errors import InvalidInput, shown, unit_hint
from slipstick.signals import NUMBER_TYPES


def number(owner: str, name: str, value: Any, *, low: float = -math.inf, above: float = -math.inf) -> float:
    """A finite number, not below ``low`` and greater than ``above``."""
    if _fits(value, low, above):
        return float(value)
    words = f"{owner}: {name} must be a number{_bound(low, above)}, got {shown(value)}{unit_hint(value)}"
    raise InvalidInput(words).about(name)


def numbers(
    owner: str, name: str, values: Any, words: str, count: int | None = None, above: float = -math.inf
) -> tuple[float, ...]:
    """Several finite numbers; as many as ``count``, if it is given.   words : what they are, in the message."""
    several = isinstance(values, Sequence | np.ndarray) and not isinstance(values, str)
    if several and count in (None, len(values)) and all(_fits(one, -math.inf, above) for one in values):
        return tuple(float(one) for one in values)
    raise InvalidInput(f"{owner}: {name} are {words}{_bound(-math.inf, above)}, got {shown(values)}").about(name)


def _fits(value: Any, low: float, above: float) -> bool:
    if not isinstance(value, NUMBER_TYPES) or isinstance(value, bool):
        return False
    try:
        return math.isfinite(value) and bool(value >= low and value > above)
    except OverflowError:  # a whole number with more digits than a float has room for
        return False


def _bound(low: float, above: float) -> str:
    return f" > {above:g}" if above > -math.inf else f" >= {low:g}" if low > -math.inf else ""
