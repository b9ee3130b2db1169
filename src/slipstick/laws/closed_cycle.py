"""What a law with a stack of reversals does on a closed cycle: twins of it whose memory has a fixed size.

On a cycle that turns round twice a law has two branches, and their reversals tell all: the one farther from zero lies
on the virgin curve, the other on the branch that comes from there. `settled_twin` remembers these two, `nested_twin`
the last one with the force there, as a small loop inside a larger one does.
"""

from __future__ import annotations

from typing import Any

from slipstick.laws.base import UNREACHABLE_DEFLECTION, Law, Memory
from slipstick.laws.nonlocal_memory import ReversalStackLaw
from slipstick.scalar import ahead, sgn


class FixedMemoryTwin(ReversalStackLaw):
    """What both have in place of a stack; the law itself comes second among the bases of a twin.

    Memory: the last deflection, where the branch began, and what else is known of it.
    """

    has_stack = False
    compiled = "update"

    def corner(self, u: float, s: float, memory: Any) -> float:
        """Where the branch that goes on in direction s reaches its asymptote."""
        last, begin, _ = memory
        start = last if (last - begin) * s < 0.0 else begin
        return ahead(start + s * self.spent(s, 0.0, 0.0), u, s, UNREACHABLE_DEFLECTION * s)

    def pack_memory(self, memory: Any, spare: int) -> Any:
        return Law.pack_memory(self, memory, spare)


class SettledTwin(FixedMemoryTwin):
    """A law after any number of equal cycles, led there from its virgin state.

    Where it turns round at another deflection than the cycle before, it goes on as if all cycles before had turned
    there: forces jump, but not on a cycle that repeats.
    """

    remembers = ("last", "begin", "other")
    corner, linearised = FixedMemoryTwin.corner, ReversalStackLaw.linearised  # which a new force would forget

    def update(self, u: float, v: float, memory: Memory) -> tuple[float, Memory]:
        last, begin, other = memory
        if (u - last) * (last - begin) < 0.0:  # turned back
            other = begin
            begin = last
        x = u - begin
        force = self.tip(begin, other) + sgn(x) * self.branch(abs(x), begin) + self.elastic(u)
        return force, (u, begin, other)

    def tip(self, begin: float, other: float) -> float:
        """The hysteretic force at one reversal of a cycle, where ``other`` is the opposite one.

        Of a law that shifts its branches only cycles that go as far up as down close: both are on the virgin curve.
        """
        if self.shifts > 0.0 or abs(begin) >= abs(other):
            return self.virgin_curve(begin, 0.0, 0.0)
        way = begin - other
        return self.virgin_curve(other, 0.0, 0.0) + sgn(way) * self.branch(abs(way), other)

    def gap(self, high: float, low: float) -> float:
        """By how much the force misses itself after a cycle between two reversals."""
        fallen = self.branch(high - low, high)
        return abs(self.branch(high - low, low) - fallen)


class NestedTwin(FixedMemoryTwin):
    """A law within a loop that is larger than whatever it does: every branch goes on from where the force is."""

    remembers = ("last", "begin", "level")
    corner, linearised = FixedMemoryTwin.corner, ReversalStackLaw.linearised

    def update(self, u: float, v: float, memory: Memory) -> tuple[float, Memory]:
        last, begin, level = memory
        if (u - last) * (last - begin) < 0.0:
            way = last - begin
            level = level + sgn(way) * self.branch(abs(way), begin)
            begin = last
        x = u - begin
        return level + sgn(x) * self.branch(abs(x), begin) + self.elastic(u), (u, begin, level)


def is_shift_invariant(law: Law) -> bool:
    """Whether a branch of a stack law is f_m + g(u - u_m): nothing beside it, and the same from any reversal."""
    return isinstance(law, ReversalStackLaw) and type(law).elastic is ReversalStackLaw.elastic and law.shifts == 0.0


_twin_classes: dict[tuple[type, type], Any] = {}  # kernels belong to a class, so that there is one of each


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
    """What a law remembers at u after equal cycles between two reversals: virgin, led to the farther one first."""
    far, near = (begin, other) if abs(begin) >= abs(other) else (other, begin)
    memory = law.start(far)
    for own in (u,) if begin == far else (near, u):
        _, memory = law.update(own, 0.0, memory)
    return tuple(memory)
