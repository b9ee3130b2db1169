"""Springs with sliders: the Jenkins element, Masing's model and Iwan's sum.

A slider of half width eta = limit/k is pushed about by the deflection (the play operator); the
spring holds what is left (the stop operator, tensioner 11a). Both are exact for any history
that is monotone between its samples, whatever the distance of the samples.
"""

from __future__ import annotations

from typing import Any

from slipstick.errors import InvalidInput
from slipstick.laws.base import UNREACHABLE_DEFLECTION, Law, Leaf, Memory
from slipstick.laws.composite import Composite
from slipstick.laws.elastic import parallel_linear
from slipstick.laws.faces import Affine, Guard, Linearised, Piece
from slipstick.laws.parameters import DAMPING, FORCE, STIFFNESS, parameter
from slipstick.scalar import ahead, play, sat


class Jenkins(Law):
    """Spring and slider in series: f = k (u - s), where the slider s yields so that |f| <= limit."""

    stiffness: float = parameter(STIFFNESS, above=0.0, symbol="k", doc="stiffness of the spring")
    limit: float = parameter(FORCE, low=0.0, symbol=r"\alpha", doc="sliding force")
    remembers = ("slider",)

    def update(self, u: float, v: float, memory: Memory) -> tuple[float, Memory]:
        s = play(memory[0], u, self.limit / self.stiffness)
        return sat(self.stiffness * (u - s), self.limit), (s,)

    def stored(self, u: float, memory: Memory) -> float:
        w = sat(u - memory[0], self.limit / self.stiffness)
        return 0.5 * self.stiffness * w * w

    def corner(self, u: float, s: float, memory: Memory) -> float:
        return ahead(memory[0] + s * self.limit / self.stiffness, u, s, UNREACHABLE_DEFLECTION * s)

    def pieces(self) -> tuple[Piece, ...]:
        k, eta = self.stiffness, self.limit / self.stiffness
        stick = Piece(
            "stick", Affine(w=k), (Guard(Affine(eta, w=-1.0), "slip+"), Guard(Affine(eta, w=1.0), "slip-")), True
        )
        up = Piece("slip+", Affine(self.limit), (Guard(Affine(v=1.0), "stick"),))
        down = Piece("slip-", Affine(-self.limit), (Guard(Affine(v=-1.0), "stick"),))
        return (down, stick, up)

    def resolvent(self, x: float, h: float) -> float:
        """The stretch after a step (A.9): projected on [-eta, eta], whatever h."""
        return sat(x, self.limit / self.stiffness)

    def linearised(self, state: str | None = None, u: float = 0.0) -> Linearised:
        self.refuse_state(state, ("stick", "slip"))
        return Linearised(0.0 if state == "slip" else self.stiffness, 0.0)

    def equation(self) -> Any:
        import sympy as sp

        from slipstick.laws import law_symbols as s

        w, beta = sp.Function("w")(s.t), sp.Function("beta")
        k, limit = s.symbol(self, "stiffness"), sp.Symbol(r"\alpha", real=True)
        return (s.equation(s.f, k * w), s.equation(w.diff(s.t) + beta(k * w / limit), s.v))


class Masing(Composite):
    """Jenkins element beside a spring, a damper and a preload (tensioner 11): f = k w + k0 u + c v + preload.

    The paper subtracts its preload: F0 there is -preload here.
    """

    stiffness: float = parameter(STIFFNESS, above=0.0, symbol="k", doc="spring of the slider")
    limit: float = parameter(FORCE, low=0.0, symbol=r"\alpha", doc="sliding force")
    parallel_stiffness: float = parameter(STIFFNESS, default=0.0, symbol="k_0", doc="spring beside it")
    damping: float = parameter(DAMPING, default=0.0, symbol="c", doc="damper beside it")
    preload: float = parameter(FORCE, default=0.0, symbol="f_0", doc="constant force, added")

    def parts(self) -> tuple[Leaf, ...]:
        slider = Jenkins(stiffness=self.stiffness, limit=self.limit)
        return (Leaf(slider), *parallel_linear(self.parallel_stiffness, self.damping, self.preload))

    def equation(self) -> Any:
        from slipstick.laws import law_symbols as s

        force, slider = Jenkins(stiffness=self.stiffness, limit=self.limit).equation()
        k0, c, f0 = (s.symbol(self, name) for name in ("parallel_stiffness", "damping", "preload"))
        return (s.equation(s.f, force.rhs + k0 * s.u + c * s.v + f0), slider)


class Iwan(Composite):
    """Jenkins elements in parallel, and a spring: f = sum of k_i w_i + k0 u."""

    # counted from 1: k_0 is the spring beside them
    stiffnesses: tuple[float, ...] = parameter(STIFFNESS, kind="numbers", above=0.0, symbol="k", first=1, doc="springs")
    limits: tuple[float, ...] = parameter(
        FORCE, kind="numbers", low=0.0, symbol=r"\alpha", first=1, doc="sliding forces"
    )
    parallel_stiffness: float = parameter(STIFFNESS, default=0.0, symbol="k_0", doc="spring beside them")

    def check(self) -> None:
        if len(self.stiffnesses) != len(self.limits):
            raise InvalidInput(
                f"stiffnesses and limits must be equally many, got {len(self.stiffnesses)} and {len(self.limits)}",
                owner="Iwan",
                argument="stiffnesses",
            )

    def parts(self) -> tuple[Leaf, ...]:
        pairs = zip(self.stiffnesses, self.limits, strict=True)
        return (*(Leaf(Jenkins(stiffness=k, limit=a)) for k, a in pairs), *parallel_linear(self.parallel_stiffness))

    def equation(self) -> Any:
        import sympy as sp

        from slipstick.laws import law_symbols as s

        beta, force, rules = sp.Function("beta"), s.symbol(self, "parallel_stiffness") * s.u, []
        pairs = zip(s.indexed(self, "stiffnesses"), s.indexed(self, "limits"), strict=True)
        for i, (k, limit) in enumerate(pairs, start=1):
            w = sp.Function(f"w_{i}")(s.t)
            force += k * w
            rules.append(s.equation(w.diff(s.t) + beta(k * w / limit), s.v))
        return (s.equation(s.f, force), *rules)
