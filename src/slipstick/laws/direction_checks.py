"""What `Law` asks for laws with several deflections: checks, virgin memories and traces."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import InvalidInput, NotConverged, short_repr

if TYPE_CHECKING:
    from slipstick.laws.base import Law


def checked_count(law: Law, count: int) -> Law:
    """The law; raises if it has another number of deflections."""
    own = len(law.directions)
    if count != max(own, 1):
        wanted = f"{own} deflections, ({', '.join(law.directions)})" if own else "one deflection"
        raise InvalidInput(f"takes {wanted}, got {count}", owner=type(law).__name__)
    return law


def refuse_several(*laws: Law) -> None:
    """Refuse laws with several deflections where one is meant: sums, scaling, modulation, tangents."""
    for law in laws:
        if law.directions:
            raise InvalidInput(
                "has several deflections; sums, scaled(), modulated() and tangent() are for laws with one",
                owner=type(law).__name__,
                advice=["connect further laws to the same deflections instead: m.connect(x, other)"],
            )


def check_answer(law: Law, answer: Any) -> None:
    """Refuse an update that does not return a tuple of forces and the memory."""
    count = len(law.directions)
    good = isinstance(answer, tuple) and len(answer) == 2 and isinstance(answer[0], tuple) and len(answer[0]) == count
    if not good:
        raise InvalidInput(
            f"{type(law).__name__}.update must return a tuple of {count} forces and the memory, "
            f"got {short_repr(answer)}"
        )
    law.pack_memory(answer[1], 0)


def virgin_memory(law: Law, u: Any) -> Any:
    """The memory after a straight path from zero to deflections u; 0.0 stands for zero."""
    if not law.remembers:
        return ()
    count = len(law.directions)
    whole = (0.0,) * count if np.ndim(u) == 0 and float(u) == 0.0 else tuple(float(x) for x in np.atleast_1d(u))
    if len(whole) != count:
        raise InvalidInput(f"start takes {count} deflections, got {len(whole)}", owner=type(law).__name__)
    return law.checked_update(whole, (0.0,) * count, (0.0,) * len(law.remembers))[1]  # type: ignore[arg-type]


def trace_directions(law: Law, u: Any, t: Any, memory: Any, rate: Any) -> tuple[Array, ...]:
    """Forces along straight paths between samples of all deflections; see `Law.trace`."""
    from slipstick.laws.law_trace import _samples, sample_rates

    if not isinstance(u, (tuple, list)) or any(np.ndim(own) != 1 for own in u):
        raise InvalidInput(
            f"u must be a tuple of lists, ({', '.join(law.directions)}), got {short_repr(u)}", owner="trace"
        )
    law = law.for_directions(len(u))
    first = _samples(law.directions[0], u[0], None)
    paths = [first, *(_samples(n, own, first.size) for n, own in zip(law.directions[1:], u[1:], strict=True))]
    if first.size == 0:
        raise InvalidInput("u must have at least one sample, got none", owner="trace")
    if rate is not None:
        rates = [_samples("rate", own, first.size) for own in rate]
    elif t is not None:
        time = _samples("t", t, first.size)
        if np.any(np.diff(time) <= 0):
            raise InvalidInput("times must increase", owner="trace")
        rates = [sample_rates(path, time) for path in paths]
    elif law.needs_rate:
        raise InvalidInput(
            f"{short_repr(law)} depends on the rate: trace needs the times, trace(u, t), or the rates, "
            "trace(u, rate=...)"
        )
    else:
        rates = [np.zeros_like(path) for path in paths]
    return _follow(law, np.array(paths).T.copy(), np.array(rates).T.copy(), memory)


def _follow(law: Law, u: Array, v: Array, memory: Any) -> tuple[Array, ...]:
    """Forces (count,) of each direction along deflections and rates (count, directions)."""
    from slipstick.laws.source_parsing import CannotTranslate

    own = virgin_memory(law, u[0]) if memory is None else memory
    law.pack_memory(own, 0)
    force = np.zeros_like(u)
    try:
        _compiled_follow(law, u, v, own, force)
    except CannotTranslate:
        for k in range(len(u)):
            given = (tuple(u[k].tolist()), tuple(v[k].tolist()))
            force[k], own = law.checked_update(*given, own)  # type: ignore[arg-type]
    bad = ~np.isfinite(force).all(axis=1)
    if bad.any():
        k = int(np.argmax(bad))
        raise NotConverged(f"the force of {short_repr(law)} is not finite at sample {k}", force[:k], owner="trace")
    return tuple(np.ascontiguousarray(force[:, d]) for d in range(force.shape[1]))


def _compiled_follow(law: Law, u: Array, v: Array, memory: Any, force: Array) -> None:
    from slipstick.laws.law_kernels import pointer, value_kernel
    from slipstick.laws.law_packing import pack_parameters

    kernel, parameters = value_kernel(type(law)), pack_parameters(law)
    m, d = len(law.remembers), len(law.directions)
    room = np.concatenate([law.pack_memory(memory, 0), np.zeros(3 * d + 1)])
    for k in range(len(u)):
        room[m : m + d], room[m + d : m + 2 * d] = u[k], v[k]
        first = kernel.call(pointer(parameters), 0.0, 0.0, pointer(room))
        if math.isnan(first):
            force[k] = math.nan
            return
        force[k] = room[m + 2 * d : m + 3 * d]
