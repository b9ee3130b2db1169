"""The compiled loop of `Law.trace`; `law_packing` has the layout of its arrays."""

from __future__ import annotations

from slipstick.forcing import forcing_at
from slipstick.laws.law_packing import LEAF_HEAD
from slipstick.native import Array, Native, call_value, compile_functions, view


def modulation(numbers: Array, at: int, t: float) -> float:
    """The factor q(t) of a leaf."""
    q = 1.0
    count = int(numbers[at])
    at += 1
    for _ in range(count):
        forcing_at(view(numbers, at + 3), t, view(numbers, at + 2))
        value = numbers[at + 2]
        if numbers[at] != 0.0:
            value = max(value, 0.0)
        q *= value
        at += 3 + int(numbers[at + 1])
    return q


def trace(numbers: Array, u: Array, v: Array, t: Array, memory: Array, force: Array, count: int) -> None:
    """Forces of a packed law along samples of deflection, rate and time; updates the memory to the last sample."""
    leaves = int(numbers[0])
    for k in range(count):
        total = 0.0
        for j in range(leaves):
            head = 1 + LEAF_HEAD * j
            at = int(numbers[head + 3])
            parameters = view(numbers, int(numbers[head + 1]))
            own = view(memory, int(numbers[head + 2]))
            if numbers[head + 4] != 0.0:
                own[0] = t[k]
            f = call_value(int(numbers[head]), parameters, numbers[at] * u[k], numbers[at] * v[k], own)
            if numbers[at + 2] != 0.0:
                f *= modulation(numbers, at + 2, t[k])
            total += numbers[at + 1] * f
        force[k] = total


def trace_kernel() -> Native:
    """`trace`, compiled once."""
    return compile_functions(trace)["trace"]
