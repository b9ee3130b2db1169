"""Laws as the compiled loops of the methods read them.

A law is packed once and read in place: the table of a modified Dahl law is 94,000 numbers long.
"""

from __future__ import annotations

from functools import lru_cache

from slipstick.arrays import Array
from slipstick.laws.base import Law
from slipstick.laws.law_packing import pack_parameters


@lru_cache(maxsize=64)
def parameters_of(law: Law) -> Array:
    """The packed parameters of a law; cached, because loops hold their address."""
    numbers = pack_parameters(law)
    numbers.setflags(write=False)
    return numbers
