"""Laws packed into flat arrays of floats for compiled loops.

numbers : count of leaves; for each leaf its head: address of its kernel, index of its parameters, of its memory and of
          its factors, and 1 if its memory begins with the time. Then for each leaf its parameters (scalars, then each
          list after its length) and its factors: deflection, force, and modulations (`modulation_numbers`).
memory  : the memories of the leaves. That of a law with a stack begins with capacity and count.

Addresses and indices are integers below 2^53, so floats hold them exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from slipstick.arrays import Array
from slipstick.forcing import Forcing, sum_functions
from slipstick.laws.base import Law, Leaf
from slipstick.laws.envelopes import Envelope
from slipstick.laws.kernel_source import packed_names
from slipstick.signals import Base

LEAF_HEAD = 5  # numbers in the head of a leaf


def pack_law(leaves: Sequence[Leaf], memories: Sequence[Any], frequency: Base, spare: int) -> tuple[Array, Array]:
    """The leaves as numbers, and their memories as one array with room for ``spare`` more reversals."""
    from slipstick.laws.law_kernels import value_kernel

    heads = [float(len(leaves))]
    numbers, place = _Concatenation(1 + LEAF_HEAD * len(leaves)), 0
    for leaf, own in zip(leaves, memories, strict=True):
        law = leaf.law.kernel_law
        heads += [float(value_kernel(type(law)).address), float(numbers.size), float(place)]
        for part in _parameter_parts(law):  # one by one, so that a long table is copied only once
            numbers.append(part)
        place += leaf.law.pack_memory(own, spare).size + deflection_room(leaf.law)
        heads += [float(numbers.size), float(leaf.law.keeps_time)]
        factors = [(sum_functions(1, [(f, np.ones(1))], frequency), cut) for f, cut in leaf.modulation]
        numbers.append([leaf.deflection, leaf.force, *modulation_numbers(factors)])
    return np.concatenate([np.array(heads), *numbers.parts]), pack_memories(leaves, memories, spare)


def modulation_numbers(factors: Sequence[tuple[Forcing, bool]]) -> list[float]:
    """For `trace_loop.modulation`: how many; of each: cut off below zero (1 or 0), size, room for its value, function.

    factors : functions of time of one row, and whether they are cut off below zero.
    """
    numbers = [float(len(factors))]
    for function, cut in factors:
        packed = function.packed().tolist()
        numbers += [float(cut), float(len(packed)), 0.0, *packed]
    return numbers


def pack_memories(leaves: Sequence[Leaf], memories: Sequence[Any], spare: int) -> Array:
    """The memories of leaves as one array with room for ``spare`` more reversals."""
    parts: list[Any] = []
    for leaf, own in zip(leaves, memories, strict=True):
        parts += [leaf.law.pack_memory(own, spare), np.zeros(deflection_room(leaf.law))]
    return np.concatenate([*parts, [0.0]])  # never empty: kernels take its address


def deflection_room(law: Law) -> int:
    """Numbers behind the memory: deflections, rates and forces of a law with several, at its first direction."""
    return 3 * len(law.kernel_law.directions) if law.direction_rank == 0 else 0


class _Concatenation:
    """Arrays to concatenate, with the index of the next one."""

    def __init__(self, start: int) -> None:
        self.parts: list[Array] = []
        self.size = start

    def append(self, values: Any) -> None:
        self.parts.append(np.asarray(values, dtype=float))
        self.size += self.parts[-1].size


def pack_parameters(law: Law) -> Array:
    """Scalars, then each list after its length, in the order of `packed_names`."""
    return np.concatenate(_parameter_parts(law))


def _parameter_parts(law: Law) -> list[Array]:
    scalars, lists = packed_names(type(law))
    parts: list[Any] = [[_number(law, name) for name in scalars]]
    for name in lists:
        values = getattr(law, name)
        parts += [[float(len(values))], values]
    return [np.asarray(part, dtype=float) for part in (*parts, [0.0])]


def _number(law: Law, name: str) -> float:
    from slipstick.laws.law_kernels import function_address

    value = getattr(law, name)
    if value is None:
        return float("nan")
    if not callable(value):
        return float(value)
    return float(value.address if isinstance(value, Envelope) else function_address(value))
