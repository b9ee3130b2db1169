"""`Law.trace`: forces along an imposed deflection, compiled where the source of the law allows it."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from slipstick.arrays import Array
from slipstick.errors import InvalidInput, NotConverged, short_repr
from slipstick.laws.base import Law, Leaf
from slipstick.laws.composite import modulation_factor, split_memory
from slipstick.laws.law_packing import pack_law, pack_memories
from slipstick.laws.source_parsing import CannotTranslate

log = logging.getLogger("slipstick")


def trace(
    law: Law, u: ArrayLike, t: ArrayLike | None, memory: Any, rate: ArrayLike | None, frequency: float | None
) -> Array:
    """See `Law.trace`."""
    deflection = _samples("u", u, None)
    if deflection.size == 0:
        raise InvalidInput("u must have at least one sample, got none", owner="trace")
    time, rates = _times_and_rates(law, deflection, t, rate)
    leaves = law.leaves()
    spare = max_reversals(deflection) + 2 if any(leaf.law.has_stack for leaf in leaves) else 0
    tracer = Tracer(law, spare, frequency)
    state = tracer.begin(float(deflection[0]), memory)
    warn_about(law, deflection)
    return tracer.follow(deflection, rates, time, state)


def warn_about(law: Law, u: Array) -> None:
    """Warn if a law is not valid somewhere along a path."""
    try:
        for leaf in law.leaves():
            leaf.law.warn_about(*sorted((leaf.deflection * u.min(), leaf.deflection * u.max())))
    except ArithmeticError as problem:
        raise NotConverged(f"{short_repr(law)} has no slope along the path: {problem}", owner="trace") from problem


class Tracer:
    """A law prepared once for any number of paths.

    spare : most reversals in a path, for laws with a stack.   frequency : [rad/s], for modulations by order.
    """

    def __init__(self, law: Law, spare: int, frequency: float | None = None) -> None:
        self.law, self.spare, self.frequency = law, spare, frequency
        self.leaves = law.leaves()
        self._numbers: Array | None = None
        self._compiles = True

    def begin(self, u: float, memory: Any = None) -> Any:
        """The state for `follow`: from a memory, or of a virgin law after a monotone motion to u."""
        try:
            own = split_memory(self.law, self.law.start(u) if memory is None else memory)
        except ArithmeticError as problem:
            raise NotConverged(
                f"{short_repr(self.law)} cannot start at u = {u:g}: {problem}", owner="trace"
            ) from problem
        if self._compiles and self._numbers is None:
            try:
                self._numbers, state = pack_law(self.leaves, own, self.frequency, self.spare)
                return state
            except CannotTranslate as reason:
                log.warning("%s; tracing it uncompiled, slowly", reason)
                self._compiles = False
        return pack_memories(self.leaves, own, self.spare) if self._compiles else list(own)

    def follow(self, u: Array, rates: Array, time: Array, state: Any) -> Array:
        """(n,) forces along deflections, rates and times; advances the state to their end."""
        if self._numbers is None:
            return _finite(self.law, u, _trace_in_python(self.leaves, state, u, rates, time, self.frequency))
        from slipstick.laws.law_kernels import pointer
        from slipstick.laws.trace_loop import trace_kernel

        force = np.empty_like(u)
        arrays = (self._numbers, u, rates, time, state, force)
        trace_kernel().call(*(pointer(array) for array in arrays), u.size)
        return _finite(self.law, u, force)


def _finite(law: Law, u: Array, force: Array) -> Array:
    """The forces; raises if one of them is not finite."""
    if np.all(np.isfinite(force)):
        return force
    k = int(np.argmin(np.isfinite(force)))
    raise NotConverged(
        f"the force of {short_repr(law)} is {force[k]} at sample {k} (u = {u[k]:g}); "
        "call its update there in Python to see why",
        force[:k],
        owner="trace",
    )


def max_reversals(u: Array) -> int:
    """Number of changes of direction in u."""
    moves = np.sign(np.diff(u))
    moves = moves[moves != 0.0]
    return int(np.count_nonzero(moves[1:] != moves[:-1]))


def sample_rates(u: Array, t: Array) -> Array:
    """du/dt at each sample: fourth order where the samples are smooth, second order beside corners.

    The five-point formula would ring at a corner. There the fourth difference is as large as the second, and three
    points are used.
    """
    if u.size < 3:
        return np.full_like(u, (u[-1] - u[0]) / (t[-1] - t[0]) if u.size == 2 else 0.0)
    h = np.diff(t)
    slopes = np.diff(u) / h  # in this form the rate is exactly zero where u is constant
    second = np.diff(slopes) / (h[1:] + h[:-1])  # half of u'' at samples 1 .. n-2
    rates = np.concatenate(
        ([slopes[0] - h[0] * second[0]], slopes[:-1] + h[:-1] * second, [slopes[-1] + h[-1] * second[-1]])
    )
    if u.size < 5:
        return rates
    spread = (t[4:] - t[:-4]) / 4.0
    fourth = np.abs(second[2:] - 2.0 * second[1:-1] + second[:-2])
    largest = np.maximum(np.maximum(np.abs(second[2:]), np.abs(second[:-2])), np.abs(second[1:-1]))
    smooth = (fourth <= 0.5 * largest) & (spread > 0)
    five = _five_points(u, t)
    rates[2:-2] = np.where(smooth, five, rates[2:-2])
    return rates


def _five_points(u: Array, t: Array) -> Array:
    """Derivative at the middle of the polynomial through five neighbours, for any spacing."""
    n = u.size - 4
    x = np.stack([t[i : i + n] - t[2 : 2 + n] for i in range(5)])
    y = np.stack([u[i : i + n] - u[2 : 2 + n] for i in range(5)])
    total = np.zeros(n)
    others = [0, 1, 3, 4]
    for j in others:  # Lagrange: the derivative at x = 0 of the basis polynomial that is 1 at x_j
        weight = 1.0 / x[j]
        for k in others:
            if k != j:
                weight = weight * x[k] / (x[k] - x[j])
        total += weight * y[j]
    return total


def _times_and_rates(law: Law, u: Array, t: ArrayLike | None, rate: ArrayLike | None) -> tuple[Array, Array]:
    varies = any(leaf.modulation for leaf in law.leaves())
    if t is None:
        if varies:
            raise InvalidInput(f"{short_repr(law)} varies in time: trace needs the times, trace(u, t)")
        if any(leaf.law.keeps_time for leaf in law.leaves()):
            raise InvalidInput(f"{short_repr(law)} relaxes in time: trace needs the times, trace(u, t)")
        if law.needs_rate and rate is None:
            raise InvalidInput(
                f"{short_repr(law)} depends on the rate: "
                "trace needs the times, trace(u, t), or the rates, trace(u, rate=...)"
            )
        # the law may need the sign of the rate: the direction in which each sample was reached
        rates = np.sign(np.diff(u, prepend=u[0])) if rate is None else _samples("rate", rate, u.size)
        return np.zeros_like(u), rates
    time = _samples("t", t, u.size)
    if np.any(np.diff(time) <= 0):
        where = int(np.argmax(np.diff(time) <= 0)) + 1
        raise InvalidInput(
            f"times must increase, got {time[where]:g} after {time[where - 1]:g} (sample {where})", owner="trace"
        )
    return time, sample_rates(u, time) if rate is None else _samples("rate", rate, u.size)


def _samples(name: str, values: ArrayLike, count: int | None) -> Array:
    if isinstance(values, np.ma.MaskedArray):
        values = np.ma.filled(values.astype(float), np.nan)
    try:
        if np.asarray(values).dtype.kind not in "biufO":  # no text, times or complex numbers
            raise TypeError
        array = np.ascontiguousarray(values, dtype=float)
    except (TypeError, ValueError):
        raise InvalidInput(f"{name} must be a list of numbers, got {short_repr(values)}", owner="trace") from None
    if array.ndim != 1:
        raise InvalidInput(f"{name} must have one dimension, got shape {array.shape}", owner="trace")
    if count is not None and array.size != count:
        raise InvalidInput(f"{name} must have {count} samples like u, got {array.size}", owner="trace")
    if not np.all(np.isfinite(array)):
        where = int(np.argmin(np.isfinite(array)))
        raise InvalidInput(f"{name} must be finite, got {array[where]} at sample {where}", owner="trace")
    return array


def _trace_in_python(
    leaves: tuple[Leaf, ...], memories: list[Any], u: Array, v: Array, t: Array, frequency: float | None
) -> Array:
    """The same by calls of `update`, for laws whose source cannot be compiled."""
    force = np.zeros_like(u)
    for i, leaf in enumerate(leaves):
        d, m = leaf.deflection, memories[i]
        for k in range(u.size):
            try:
                f, m = leaf.law.checked_update(d * float(u[k]), d * float(v[k]), leaf.law.at_time(m, t[k]))
            except (ArithmeticError, ValueError) as problem:
                if isinstance(problem, InvalidInput):
                    raise
                words = f"trace: {short_repr(leaf.law)} fails at sample {k} (u = {u[k]:g}): {problem}"
                raise NotConverged(words, force[:k]) from problem
            force[k] += leaf.force * modulation_factor(leaf, float(t[k]), frequency) * f
        memories[i] = m
    return force
