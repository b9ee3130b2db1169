"""Dry friction between two surfaces, set-valued at rest."""

from __future__ import annotations

import math
import warnings
from typing import Any

from slipstick.errors import InvalidInput, Message
from slipstick.laws.base import Law, Leaf, Memory
from slipstick.laws.composite import Composite
from slipstick.laws.elastic import Linear, parallel_linear
from slipstick.laws.faces import Affine, Face, Guard, Linearised, Piece, Term
from slipstick.laws.parameters import DAMPING, FORCE, parameter
from slipstick.scalar import luz, sgn
from slipstick.signals import TimeFunction, share_below_zero


class DryFriction(Composite):
    """Coulomb friction: f in limit Sgn(v) + c v (gear 3.1, torsional 2-3).

    At rest the force is whatever holds the contact still, up to ``static_limit`` (default: ``limit``).
    The limit may be a periodic function of time (a varying normal load); where that is negative it
    is cut off at zero, with a warning that says for how much of the period.

    Along an imposed deflection the contact slides, and `trace` gives limit * Sgn of the direction in
    which each sample was reached; 0 before it has moved at all.
    """

    limit: float | TimeFunction = parameter(FORCE, low=0.0, kind="number-or-periodic", symbol="F", doc="sliding force")
    damping: float = parameter(DAMPING, default=0.0, low=0.0, symbol="C", doc="viscous friction")
    static_limit: float | TimeFunction | None = parameter(
        FORCE, default=None, low=0.0, kind="number-or-periodic", optional=True, symbol="F_s", doc="force to break away"
    )
    takes_symbols = True
    remembers = ("deflection", "direction")
    compiled = "slide"

    def check(self) -> None:
        static, limit = self.static_limit, self.limit
        if isinstance(limit, TimeFunction):
            share = _negative_share(limit)
            if share > 0.0:
                words = f"limit is negative for {100 * share:.3g} % of its period and is cut off at zero"
                warnings.warn(Message(words, owner="DryFriction"), stacklevel=5)
        if static is not None and self.static_ratio < 1.0:
            raise InvalidInput(
                f"must be >= limit ({limit})",
                owner="DryFriction",
                subject="static_limit",
                value=static,
                got=str(static),
                advice=["leave it out if they are equal"],
            )

    @property
    def static_ratio(self) -> float:
        """static_limit over limit; 1 without a static limit, infinite over a limit of zero."""
        static, limit = self.static_limit, self.limit
        if static is None:
            return 1.0
        if isinstance(static, float) and isinstance(limit, float):
            return static / limit if limit else (math.inf if static else 1.0)
        ratio = _proportion(static, limit)
        if ratio is None:
            raise InvalidInput(
                "must be limit times a constant while limit varies in time (one normal load, two friction "
                "coefficients)",
                owner="DryFriction",
                subject="static_limit",
                value=static,
                got=f"{static} and {limit}",
            )
        return ratio

    @property
    def needs_rate(self) -> bool:  # type: ignore[override]
        return self.damping != 0.0

    @property
    def varies(self) -> bool:
        """True if the limit is a function of time."""
        return isinstance(self.limit, TimeFunction)

    @property
    def faces(self) -> frozenset[Face]:
        if self.static_limit is not None:
            return frozenset({Face.PIECES})  # a force to break away is no monotone graph
        return frozenset({Face.PIECES, Face.RESOLVENT, Face.TERMS}) - ({Face.TERMS} if self.varies else set())

    def leaves(self) -> tuple[Leaf, ...]:
        return super().leaves() if self.varies else (Leaf(self),)

    def parts(self) -> tuple[Leaf, ...]:
        if not isinstance(self.limit, TimeFunction):
            return (Leaf(self),)
        unit = DryFriction(limit=1.0, static_limit=None if self.static_limit is None else self.static_ratio)
        return (Leaf(unit, modulation=((self.limit, True),)), *parallel_linear(0.0, self.damping))

    def apart(self) -> tuple[Law, ...]:
        if self.varies or not self.damping:
            return (self,)
        own = DryFriction(limit=self.limit, static_limit=self.static_limit)
        return own, Linear(damping=self.damping)

    def slide(self, u: float, v: float, memory: Memory) -> tuple[float, Memory]:
        """The force of a contact that slides from the last deflection to u."""
        d = sgn(u - memory[0])
        if d == 0.0:
            d = memory[1]
        return self.limit * d + self.damping * v, (u, d)  # type: ignore[operator]

    def update(
        self, u: float, v: float, memory: Any, t: float = 0.0, frequency: float | None = None
    ) -> tuple[float, Any]:
        return super().update(u, v, memory, t, frequency) if self.varies else self.slide(u, v, memory)

    def stored(self, u: float, memory: Any) -> float | None:
        return 0.0  # also where the limit varies

    def start(self, u: float = 0.0) -> Any:
        return super().start(u) if self.varies else (float(u), sgn(float(u)))

    def pieces(self) -> tuple[Piece, ...]:
        c = self.damping
        up = Piece("slip+", Affine(v=c, limit=1.0), (Guard(Affine(v=1.0), "stick"),))
        down = Piece("slip-", Affine(v=c, limit=-1.0), (Guard(Affine(v=-1.0), "stick"),))
        return (down, Piece("stick", Affine(), sticks=True), up)

    def resolvent(self, x: float, h: float) -> float:
        """The rate after an implicit step: y + h (limit Sgn(y) + c y) contains x."""
        if isinstance(self.limit, TimeFunction):
            raise InvalidInput(
                "the resolvent of a varying limit is that of its leaf, times the limit at hand", owner="DryFriction"
            )
        return luz(x, h * self.limit) / (1.0 + h * self.damping)

    def luz_tar_terms(self) -> tuple[Term, ...]:
        if isinstance(self.limit, TimeFunction) or self.static_limit is not None:
            raise self.lacks(Face.TERMS)
        return (Term("friction", self.damping, self.limit),)

    def linearised(self, state: str | None = None, u: float = 0.0) -> Linearised:
        self.refuse_state(state, ("stick", "slip"))
        return Linearised(0.0, self.damping) if state == "slip" else Linearised(0.0, 0.0, sticks=True)

    def regularised(self, method: str, **options: float) -> Law:
        from slipstick.laws.regularisation import regularised_friction

        return regularised_friction(self, method, options)

    def equation(self) -> Any:
        from slipstick.laws import law_symbols as s

        limit = s.periodic_symbol(self, "limit")
        return s.equation(s.f, limit * s.Sgn(s.v) + s.symbol(self, "damping") * s.v)


def _negative_share(limit: TimeFunction) -> float:
    """The part of a period in which the limit is negative; 0 where its orders meet other frequencies."""
    harmonics = limit.parts().harmonics
    if len({h.is_order for h in harmonics}) > 1:
        return 0.0  # known only once there is a base frequency
    return share_below_zero(limit, 1.0 if limit.has_order else None)


def _proportion(a: float | TimeFunction, b: float | TimeFunction) -> float | None:
    """The number r with a = r b at all times, if there is one."""
    if not isinstance(a, TimeFunction) or not isinstance(b, TimeFunction):
        return None
    mine, other = a.parts(), b.parts()
    if len(mine.harmonics) != len(other.harmonics):
        return None
    pairs = [(mine.constant, other.constant)]
    for x, y in zip(mine.harmonics, other.harmonics, strict=True):
        if x.omega != y.omega or x.is_order != y.is_order:
            return None
        pairs += [(x.cos, y.cos), (x.sin, y.sin)]
    ratio = next((x / y for x, y in pairs if y), 1.0)
    return ratio if all(math.isclose(x, ratio * y, rel_tol=1e-12, abs_tol=0.0) for x, y in pairs) else None
