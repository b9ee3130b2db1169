"""A law along lines of samples, with the derivatives of each update; compiled."""

from __future__ import annotations

from slipstick.native import Array, Native, NativeRecord, call_function, call_value, compile_functions, view


class TorusLeaf(NativeRecord):
    """One law. P lines of S samples, m numbers of memory.

    local : (P, S, 2 + m, 1 + m) derivatives of force and memory by deflection, rate and memory before an update.
    """

    value_function: int  # address of its compiled force
    tangent_function: int  # address of the derivative
    lines: int
    samples: int
    memory_size: int
    wants_rate: bool
    wants_local: bool
    parameters: Array
    deflection: Array  # (P, S)
    rate: Array  # (P, S)
    memory: Array  # (P, m) before the first sample; then behind the last
    trial: Array  # (m,)
    force: Array  # (P, S)
    local: Array


def follow_lines(leaf: TorusLeaf) -> None:
    """Forces along all lines; moves their memories from the first sample to behind the last."""
    m = leaf.memory_size
    trial = leaf.trial
    parameters = leaf.parameters
    force = leaf.force
    u = leaf.deflection
    v = leaf.rate
    for line in range(leaf.lines):
        memory = view(leaf.memory, line * m)
        for k in range(line * leaf.samples, (line + 1) * leaf.samples):
            if leaf.wants_local:
                for d in range(2 + m):
                    own = view(leaf.local, (k * (2 + m) + d) * (1 + m))
                    for i in range(1 + m):
                        own[i] = 0.0
                    if d == 1 and not leaf.wants_rate:
                        continue
                    for i in range(m):
                        trial[i] = memory[i]
                    if d > 1:
                        own[d - 1] = 1.0
                    by_u = 1.0 if d == 0 else 0.0
                    by_v = 1.0 if d == 1 else 0.0
                    call_function(leaf.tangent_function, parameters, u[k], v[k], trial, by_u, by_v, view(own, 1), own)
            force[k] = call_value(leaf.value_function, parameters, u[k], v[k], memory)


def follow_lines_kernel() -> Native:
    """`follow_lines`, compiled once."""
    return compile_functions(follow_lines)["follow_lines"]
