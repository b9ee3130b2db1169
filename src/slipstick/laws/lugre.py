"""The LuGre friction law."""

from __future__ import annotations

from math import exp, expm1
from typing import Any

from slipstick.errors import InvalidInput
from slipstick.laws.base import Law, Memory
from slipstick.laws.faces import Linearised
from slipstick.laws.parameters import DAMPING, FORCE, STIFFNESS, VELOCITY, parameter


class LuGre(Law):
    """Bristles between two surfaces: f = s0 z + s1 dz/dt + s2 v,  dz/dt = v - s0 |v| z/g(v),

    g(v) = coulomb + (static - coulomb) e^(-(v/v_s)^2). The force depends on the rate itself.
    An update takes the mean of the last and the new rate over its step: second order, and
    exact where the rate is constant.
    """

    bristle_stiffness: float = parameter(STIFFNESS, above=0.0, symbol=r"\sigma_0", doc="stiffness of the bristles")
    bristle_damping: float = parameter(DAMPING, low=0.0, symbol=r"\sigma_1", doc="damping of the bristles")
    viscous: float = parameter(DAMPING, low=0.0, symbol=r"\sigma_2", doc="viscous friction")
    coulomb: float = parameter(FORCE, above=0.0, symbol="F_C", doc="sliding force")
    static: float = parameter(FORCE, above=0.0, symbol="F_S", doc="force to break away")
    stribeck_velocity: float = parameter(
        VELOCITY, above=0.0, symbol="v_s", doc="rate at which one goes over to the other"
    )
    remembers = ("deflection", "rate", "z")
    needs_rate = True

    def check(self) -> None:
        if self.static < self.coulomb:
            raise InvalidInput(
                f"must be >= coulomb ({self.coulomb:g})", owner="LuGre", subject="static", value=self.static
            )

    def update(self, u: float, v: float, memory: Memory) -> tuple[float, Memory]:
        last, v_last, z = memory
        x = abs(u - last)
        if x > 0.0:
            # a last rate of the other sign belongs to the way before a reversal
            g = self.sliding(0.5 * (v + v_last) if v * v_last >= 0.0 else v)
            rest = g / self.bristle_stiffness if u > last else -g / self.bristle_stiffness
            z -= (rest - z) * expm1(-self.bristle_stiffness * x / g)
        return self.inner_force(u, v, z), (u, v, z)

    def sliding(self, v: float) -> float:
        """g(v), the force of steady sliding without the viscous part."""
        w = v / self.stribeck_velocity
        return self.coulomb + (self.static - self.coulomb) * exp(-w * w)

    def inner_state(self, memory: Memory) -> float:
        return memory[2]

    def inner_rate(self, u: float, v: float, z: float, memory: Memory) -> float:
        return self.bristle_rate(v, z)

    def settled(self, u: float, v: float, z: float, memory: Memory) -> Memory:
        return (u, v, z)

    def bristle_rate(self, v: float, z: float) -> float:
        """dz/dt."""
        return v - self.bristle_stiffness * abs(v) * z / self.sliding(v)

    def inner_force(self, u: float, v: float, z: float) -> float:
        return self.bristle_stiffness * z + self.bristle_damping * self.bristle_rate(v, z) + self.viscous * v

    def linearised(self, state: str | None = None, u: float = 0.0) -> Linearised:
        """stick: the bristles hold; slip: what is left is viscous."""
        self.refuse_state(state, ("stick", "slip"))
        if state == "slip":
            return Linearised(0.0, self.viscous)
        return Linearised(self.bristle_stiffness, self.bristle_damping + self.viscous)

    def equation(self) -> Any:
        import sympy as sp

        from slipstick.laws import law_symbols as s

        s0, s1, s2, fc, fs, vs = (s.symbol(self, name) for name in self.parameters())
        z, g = sp.Function("z")(s.t), sp.Symbol("g", real=True)
        return (
            s.equation(s.f, s0 * z + s1 * z.diff(s.t) + s2 * s.v),
            s.equation(z.diff(s.t), s.v - s0 * sp.Abs(s.v) * z / g),
            s.equation(g, fc + (fs - fc) * sp.exp(-((s.v / vs) ** 2))),
        )
