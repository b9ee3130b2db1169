"""Layout of a packed stack of reversals: capacity, count of reversals, then the memory of the law.

Compiled loops and Python use the same functions. The memory: the last deflection, the start of the virgin curve
(deflection, force), then (deflection, force) of each reversal; see `slipstick.laws.reversal_stack_law`.
"""

from __future__ import annotations

from collections.abc import Sequence

STACK_CAPACITY, STACK_COUNT, STACK_HEAD = range(3)
STACK_MIN_NUMBERS = 3  # numbers of a memory without reversals
STACK_REVERSAL_NUMBERS = 2  # numbers of a reversal


def stack_size(m: Sequence[float], more: int) -> int:
    """Number of floats in use, with ``more`` further reversals."""
    return STACK_HEAD + STACK_MIN_NUMBERS + STACK_REVERSAL_NUMBERS * (int(m[STACK_COUNT]) + more)


def stack_has_room(m: Sequence[float], more: int) -> bool:
    """True if there is room for ``more`` reversals."""
    return stack_size(m, more) <= m[STACK_CAPACITY]
