"""Laws packed into two flat arrays, as compiled loops read them.

integers : leaves, then five for each leaf: address of the value kernel, address of the tangent kernel
           (0 until asked for), where its parameters, its memory and its factors stand.
numbers  : parameters of each leaf (scalars, then each list led by its length), and its factors:
           deflection, force, count of modulations, and for each of those: cut below zero (1 or 0),
           mean, count of harmonics, then (omega, cos, sin) of each.
memory   : what each leaf remembers. A law with a stack of reversals keeps capacity and length first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slipstick.laws.base import Law, Leaf
from slipstick.laws.translate import packed_names

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Program:
    """A law ready for a compiled loop."""

    integers: NDArray[np.int64]
    numbers: Array
    offsets: tuple[int, ...]  # where each leaf's memory begins


def pack(leaves: Sequence[Leaf], memories: Sequence[Any], frequency: float | None, spare: int) -> tuple[Program, Array]:
    """The leaves as a program, and their memories as one array with room for ``spare`` more reversals."""
    from slipstick.laws.compile import value_kernel

    integers, numbers, memory = [len(leaves)], _Growing(), _Growing()
    offsets = []
    for leaf, own in zip(leaves, memories, strict=True):
        integers += [value_kernel(type(leaf.law)).address, 0, numbers.size, memory.size]
        offsets.append(memory.size)
        numbers.append(pack_parameters(leaf.law))
        memory.append(leaf.law.pack_memory(own, spare))
        integers.append(numbers.size)
        numbers.append([leaf.deflection, leaf.force, len(leaf.modulation)])
        for function, cut in leaf.modulation:
            harmonics = function.harmonics_at(frequency)
            numbers.append([float(cut), function.parts().constant, len(harmonics), *(x for h in harmonics for x in h)])
    memory.append([0.0])  # never empty: kernels take its address
    return Program(np.array(integers, dtype=np.int64), numbers.array(), tuple(offsets)), memory.array()


class _Growing:
    """Arrays put one behind the other."""

    def __init__(self) -> None:
        self.parts: list[Array] = []
        self.size = 0

    def append(self, values: Any) -> None:
        self.parts.append(np.asarray(values, dtype=float))
        self.size += self.parts[-1].size

    def array(self) -> Array:
        return np.concatenate(self.parts)


def pack_parameters(law: Law) -> Array:
    """Scalars first, then each list led by its length, in the order of `packed_names`."""
    scalars, lists = packed_names(type(law))
    parts: list[Any] = [[_number(law, name) for name in scalars]]
    for name in lists:
        values = getattr(law, name)
        parts += [[float(len(values))], values]
    return np.concatenate([np.asarray(part, dtype=float) for part in (*parts, [0.0])])


def _number(law: Law, name: str) -> float:
    from slipstick.laws.compile import function_address

    value = getattr(law, name)
    if value is None:
        return float("nan")
    return float(function_address(value)) if callable(value) else float(value)
