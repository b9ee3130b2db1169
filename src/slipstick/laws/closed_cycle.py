"""Laws with a stack of reversals on closed cycles: twins whose memory has a fixed size.

A cycle with two reversals has two branches. The reversal farther from zero lies on the virgin curve, the other one on
the branch from there; so two deflections determine the cycle. `settled_twin` keeps these two. `nested_twin` keeps the
last reversal with its force, for a small loop inside a larger one.
"""

from __future__ import annotations

from typing import Any

from slipstick.laws.base import UNREACHABLE_DEFLECTION, Law, Memory
from slipstick.laws.reversal_stack_law import ReversalStackLaw
from slipstick.scalar import ahead, sgn


class FixedMemoryTwin(ReversalStackLaw):
    """Base of both twins. A twin class has this and the law as bases, in this order.

    Memory: the last deflection, the start of the branch, and one further number.
    """

    has_stack = False
    compiled = "update"

    def corner(self, u: float, s: float, memory: Any) -> float:
        """Where the branch in direction s reaches its asymptote."""
        last, begin, _ = memory
        start = last if (last - begin) * s < 0.0 else begin
        return ahead(start + s * self.spent(s, 0.0, 0.0), u, s, UNREACHABLE_DEFLECTION * s)

    def pack_memory(self, memory: Any, spare: int) -> Any:
        return Law.pack_memory(self, memory, spare)


class SettledTwin(FixedMemoryTwin):
    """A law after many equal cycles from its virgin state.

    If a reversal differs from that of the cycle before, the law continues as if all earlier cycles had reversed there.
    The force then jumps, but not on a cycle that repeats.
    """

    remembers = ("last", "begin", "other")
    # a new update would reset these
    corner, linearised, state_names = FixedMemoryTwin.corner, ReversalStackLaw.linearised, ReversalStackLaw.state_names

    def update(self, u: float, v: float, memory: Memory) -> tuple[float, Memory]:
        last, begin, other = memory
        if (u - last) * (last - begin) < 0.0:  # a reversal
            other = begin
            begin = last
        x = u - begin
        force = self.tip(begin, other) + sgn(x) * self.branch(abs(x), begin) + self.elastic(u)
        return force, (u, begin, other)

    def tip(self, begin: float, other: float) -> float:
        """The hysteretic force at the reversal ``begin`` of a cycle whose other reversal is ``other``.

        For a law that shifts its branches only symmetric cycles close: both reversals are on the virgin curve.
        """
        if self.shifts > 0.0 or abs(begin) >= abs(other):
            return self.virgin_curve(begin, 0.0, 0.0)
        way = begin - other
        return self.virgin_curve(other, 0.0, 0.0) + sgn(way) * self.branch(abs(way), other)

    def gap(self, high: float, low: float) -> float:
        """Change of the force over one cycle between two reversals."""
        fallen = self.branch(high - low, high)
        return abs(self.branch(high - low, low) - fallen)


class NestedTwin(FixedMemoryTwin):
    """A law inside a larger loop: every branch continues from the current force."""

    remembers = ("last", "begin", "level")
    corner, linearised, state_names = FixedMemoryTwin.corner, ReversalStackLaw.linearised, ReversalStackLaw.state_names

    def update(self, u: float, v: float, memory: Memory) -> tuple[float, Memory]:
        last, begin, level = memory
        if (u - last) * (last - begin) < 0.0:
            way = last - begin
            level = level + sgn(way) * self.branch(abs(way), begin)
            begin = last
        x = u - begin
        return level + sgn(x) * self.branch(abs(x), begin) + self.elastic(u), (u, begin, level)


def is_shift_invariant(law: Law) -> bool:
    """True if every branch of a law with a stack is f_m + g(u - u_m), without an elastic part."""
    return isinstance(law, ReversalStackLaw) and type(law).elastic is ReversalStackLaw.elastic and law.shifts == 0.0


_twin_classes: dict[tuple[type, type], Any] = {}  # kernels belong to a class: make each once


def _twin_class(twin: type, law: type) -> Any:
    if (twin, law) not in _twin_classes:
        own = {"__doc__": twin.__doc__, "__module__": __name__}
        _twin_classes[twin, law] = type(f"{twin.__name__}{law.__name__}", (twin, law), own)
    return _twin_classes[twin, law]


def settled_twin(law: Law) -> Any:
    """The law on closed cycles of two reversals."""
    return _twin_class(SettledTwin, type(law))(**law.parameters())


def nested_twin(law: Law) -> Any:
    """The law within a larger loop."""
    return _twin_class(NestedTwin, type(law))(**law.parameters())


def settled_memory(law: Law, begin: float, other: float, u: float) -> Memory:
    """Memory at u after equal cycles between two reversals, from the virgin state to the farther one first."""
    far, near = (begin, other) if abs(begin) >= abs(other) else (other, begin)
    memory = law.start(far)
    for own in (u,) if begin == far else (near, u):
        _, memory = law.update(own, 0.0, memory)
    return tuple(memory)
