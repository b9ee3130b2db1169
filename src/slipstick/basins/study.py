"""`BasinStudy`: a model and random starts, checked, as worker processes get them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import InvalidInput, finite_float, short_repr
from slipstick.name_hints import did_you_mean

if TYPE_CHECKING:
    from slipstick.model.system import System


MAX_COUNT = 1_000_000
VELOCITY = ".velocity"
BATCH = 100  # starts of one task; results must not depend on how many processes there are


class StartRange(NamedTuple):
    """A number of the start that varies.   coordinate : its index.   is_velocity : else it is a displacement."""

    name: str
    coordinate: int
    is_velocity: bool
    low: float
    high: float


@dataclass(frozen=True)
class BasinStudy:
    """starts : (count, ranges) values of the ranges.   longest : [s] to follow a start; None: the default."""

    system: System
    frequency: float | None
    ranges: tuple[StartRange, ...]
    starts: Array
    longest: float | None

    @property
    def batches(self) -> int:
        return -(-len(self.starts) // BATCH)

    def batch(self, number: int) -> Array:
        """(up to `BATCH`, ranges) the starts of one task."""
        return self.starts[number * BATCH : (number + 1) * BATCH]


def basin_study(system: System, over: Any, count: Any, frequency: float | None, seed: Any, longest: Any) -> BasinStudy:
    """The checked study, with uniformly distributed starts."""
    ranges = _ranges(system, over)
    number = _whole("count", count, 1, MAX_COUNT)
    generator = np.random.default_rng(_whole("seed", seed, 0, 2**63 - 1))
    low, high = (np.array([getattr(own, side) for own in ranges]) for side in ("low", "high"))
    starts = generator.uniform(low, high, size=(number, len(ranges)))
    if longest is not None and not finite_float("longest", longest) > 0.0:
        raise InvalidInput("must be > 0 s", subject="longest", value=longest, got=short_repr(longest), bound="> 0")
    fixed = system.snapshot()
    fixed.ready = None
    return BasinStudy(fixed, frequency, ranges, starts, None if longest is None else float(longest))


def _whole(name: str, value: Any, least: int, most: int) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not least <= value <= most:
        words = f"{name} must be a whole number from {least} to {most}, got {short_repr(value)}"
        raise InvalidInput(words).about(name)
    return int(value)


def _ranges(system: System, over: Any) -> tuple[StartRange, ...]:
    if not isinstance(over, Mapping) or not over:
        words = 'over must give ranges of the start by name, such as {"x": (-1, 1), "x.velocity": (-1, 1)}'
        raise InvalidInput(f"{words}, got {short_repr(over)}").about("over")
    names = [c.name for c in system.coordinates]
    known = [name for c in system.coordinates if c.motion is None for name in (c.name, c.name + VELOCITY)]
    found = []
    for name, span in over.items():
        if name not in known:
            if isinstance(name, str) and name.removesuffix(VELOCITY) in names:
                words = f'"{name.removesuffix(VELOCITY)}" has a prescribed motion, so its start is not free'
                raise InvalidInput(f"{words}; leave it out of over").about("over")
            hint = did_you_mean(name, known) if isinstance(name, str) else ""
            raise InvalidInput(f"over has no coordinate for {short_repr(name)}{hint}").about("over")
        low, high = _span(name, span)
        own = name if name in names else name.removesuffix(VELOCITY)
        found.append(StartRange(name, names.index(own), name not in names, low, high))
    return tuple(found)


def _span(name: str, span: Any) -> tuple[float, float]:
    try:
        low, high = (float(part) for part in span)
    except (TypeError, ValueError):
        low = high = np.nan
    if not (np.isfinite([low, high]).all() and low < high):
        words = f"the range of {name} must be two finite numbers (low, high), low < high, got {short_repr(span)}"
        raise InvalidInput(words).about("over")
    return low, high
