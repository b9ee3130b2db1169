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
    if _is_number(value) and math.isfinite(value) and value >= low and value > above:
        return float(value)
    bound = f" > {above:g}" if above > -math.inf else f" >= {low:g}" if low > -math.inf else ""
    words = f"{owner}: {name} must be a number{bound}, got {shown(value)}{unit_hint(value)}"
    raise InvalidInput(words).about(name)


def numbers(owner: str, name: str, values: Any, words: str, count: int | None = None) -> tuple[float, ...]:
    """Several finite numbers; as many as ``count``, if it is given.   words : what they are, in the message."""
    several = isinstance(values, Sequence | np.ndarray) and not isinstance(values, str)
    if several and count in (None, len(values)) and all(_is_number(one) and math.isfinite(one) for one in values):
        return tuple(float(one) for one in values)
    raise InvalidInput(f"{owner}: {name} are {words}, got {shown(values)}").about(name)


def _is_number(value: Any) -> bool:
    return isinstance(value, NUMBER_TYPES) and not isinstance(value, bool)
