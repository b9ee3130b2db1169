"""Compiled loops of the methods: made once on first use, and the laws and functions of time they read.

A law is packed once and read where it lies: the table of a modified Dahl law is 94,000 numbers long.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from slipstick.laws.base import Law
from slipstick.laws.law_packing import pack_parameters
from slipstick.signals import TimeFunction

Array = NDArray[np.float64]


@lru_cache(maxsize=64)
def parameters_of(law: Law) -> Array:
    """The packed parameters of a law, kept: loops hold their address."""
    numbers = pack_parameters(law)
    numbers.setflags(write=False)
    return numbers


def modulation_numbers(modulation: tuple[tuple[TimeFunction, bool], ...], frequency: float | None) -> list[float]:
    """For `slipstick.laws.trace_loop.modulation`: how many; of each: cut below zero, mean, harmonics."""
    numbers = [float(len(modulation))]
    for function, cut in modulation:
        harmonics = function.harmonics_at(frequency)
        numbers += [float(cut), function.parts().constant, float(len(harmonics))]
        numbers += [x for h in harmonics for x in h]
    return numbers
