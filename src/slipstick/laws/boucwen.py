"""The Bouc-Wen law."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, expm1, log1p
from typing import Any

from slipstick.laws.base import UNREACHABLE_DEFLECTION, Law, Memory
from slipstick.laws.envelope_relaxation import clock_of, from_zero, relax, relaxation_table, unclock, way_to_zero
from slipstick.laws.faces import Linearised
from slipstick.laws.parameters import parameter
from slipstick.laws.source_parsing import with_derivative
from slipstick.scalar import ahead, sgn
from slipstick.units.dimensions import STIFFNESS, Dimension


def _shape_dimension(law: Any) -> Dimension:
    return (0.0, -law.exponent, 0.0)


class BoucWen(Law):
    """f = ratio k u + (1 - ratio) k z,   dz/du = A - |z|^n (gamma + beta sgn(v z)).

    z is in the unit of the deflection. Along a monotone piece the equation in z is that of
    `slipstick.laws.envelope_relaxation` on either side of zero, so a step of any size is exact.
    """

    stiffness: float = parameter(STIFFNESS, above=0.0, symbol="k", doc="initial stiffness for A = 1")
    ratio: float = parameter(low=0.0, high=1.0, symbol=r"\rho", doc="elastic share")
    beta: float = parameter(_shape_dimension, symbol=r"\beta", doc="shape, with the direction")
    gamma: float = parameter(_shape_dimension, symbol=r"\gamma", doc="shape, without it")
    exponent: float = parameter(default=1.0, above=0.0, symbol="n", doc="sharpness of the yield")
    A: float = parameter(default=1.0, above=0.0, symbol="A", doc="initial slope of z")
    remembers = ("deflection", "z")
    derived_lists = ("table",)

    @property
    def table(self) -> Sequence[float]:
        """The relaxation table; empty for n = 1, where exponentials do."""
        return relaxation_table(self.exponent) if self.exponent != 1.0 else ()  # type: ignore[return-value]

    def update(self, u: float, v: float, memory: Memory) -> tuple[float, Memory]:
        last, z = memory
        s = sgn(u - last)
        # w = s z obeys dw/dx = A - c |w|^n along the way x = |u - last|, c other below zero than above
        w = flow(
            s * z, abs(u - last), self.A, self.gamma + self.beta, self.gamma - self.beta, self.exponent, self.table
        )
        if s != 0.0:
            z = s * w
        return self.stiffness * (self.ratio * u + (1.0 - self.ratio) * z), (u, z)

    @property
    def by_rate(self) -> bool:
        return False  # an update is exact

    def corner(self, u: float, s: float, memory: Memory) -> float:
        """Where z changes its sign: the slope has a corner there, for an exponent of 1 and below."""
        if memory[1] * s >= 0.0:
            return UNREACHABLE_DEFLECTION * s
        way = climb_length(abs(memory[1]), self.A, self.gamma - self.beta, self.exponent, self.table)
        return ahead(memory[0] + s * min(way, UNREACHABLE_DEFLECTION), u, s, UNREACHABLE_DEFLECTION * s)

    def inner_state(self, memory: Memory) -> float:
        return memory[1]

    def inner_rate(self, u: float, v: float, z: float, memory: Memory) -> float:
        return v * (self.A - float(abs(z) ** self.exponent) * (self.gamma + self.beta * sgn(v * z)))

    def settled(self, u: float, v: float, z: float, memory: Memory) -> Memory:
        return (u, z)

    def inner_force(self, u: float, v: float, z: float) -> float:
        return self.stiffness * (self.ratio * u + (1.0 - self.ratio) * z)

    def linearised(self, state: str | None = None, u: float = 0.0) -> Linearised:
        """stick: the initial slope; slip: the elastic share."""
        self.refuse_state(state, ("stick", "slip"))
        share = 0.0 if state == "slip" else (1.0 - self.ratio) * self.A
        return Linearised(self.stiffness * (self.ratio + share), 0.0)

    def equation(self) -> Any:
        import sympy as sp

        from slipstick.laws import law_symbols as s

        k, a, b, g, n, A = (s.symbol(self, name) for name in self.parameters())
        z = sp.Function("z")(s.t)
        rate = s.v * (A - sp.Abs(z) ** n * (g + b * sp.sign(s.v * z)))
        return (s.equation(s.f, k * (a * s.u + (1 - a) * z)), s.equation(z.diff(s.t), rate))


def flow_with_derivative(
    w: float, w_d: float, x: float, x_d: float, a: float, a_d: float, above: float, above_d: float,
    below: float, below_d: float, n: float, n_d: float, table: Sequence[float],
) -> tuple[float, float]:  # fmt: skip
    """`flow` and its derivative: an autonomous flow stretches like its right-hand side."""
    new = flow(w, x, a, above, below, n, table)
    before = a - (above if w > 0.0 else below) * abs(w) ** n
    after = a - (above if new > 0.0 else below) * abs(new) ** n
    if abs(before) > 1e-9 * a:
        return new, after * x_d + after / before * w_d
    return new, after * x_d + exp(-n * a * x / max(abs(w), 1e-300)) * w_d


@with_derivative(flow_with_derivative)
def flow(w: float, x: float, a: float, above: float, below: float, n: float, table: Sequence[float]) -> float:
    """w after a way x >= 0 of dw/dx = a - c |w|^n, with c = above for w > 0 and c = below for w < 0."""
    if w < 0.0:
        # the size e = -w falls as de/dx = -(a - below e^n): the motion of `climb`, backwards
        if below > 0.0 and -w > rest_size(a, below, n):
            return -grow(-w, x, a, below, n, table)
        way = climb_length(-w, a, below, n, table)
        if x < way:
            return -climb(way - x, a, below, n, table)
        x -= way
        w = 0.0
    if above > 0.0 and w > 0.0:
        rest = rest_size(a, above, n)
        if n == 1.0:
            return rest + (w - rest) * exp(-above * x)
        eta, _ = relax(w / rest, x * a / rest, clock_of(w / rest, n, table), 0.0, n, table)
        return rest * eta
    return climb(climb_length(w, a, above, n, table) + x, a, above, n, table)


def rest_size(a: float, c: float, n: float) -> float:
    """The e at which a = |c| e^n."""
    return float((a / abs(c)) ** (1.0 / n))


def grow(e: float, x: float, a: float, c: float, n: float, table: Sequence[float]) -> float:
    """e after a way x of de/dx = c e^n - a, from beyond its rest: it runs away (beta < 0 only)."""
    rest = rest_size(a, c, n)
    if n == 1.0:
        return rest + (e - rest) * exp(c * x)
    eta, _ = unclock(clock_of(e / rest, n, table) + x * a / rest, 0.0, n, 0.0, table)
    return rest * eta


def climb(x: float, a: float, c: float, n: float, table: Sequence[float]) -> float:
    """e after a way x of de/dx = a - c e^n from e = 0."""
    if c == 0.0:
        return a * x
    rest = rest_size(a, c, n)
    if n == 1.0:
        return -rest * expm1(-c * x) if c > 0.0 else rest * expm1(-c * x)
    eta, _ = unclock(x * a / rest, 0.0, n, 1.0, table) if c > 0.0 else from_zero(x * a / rest, 0.0, n, table)
    return rest * eta


def climb_length(e: float, a: float, c: float, n: float, table: Sequence[float]) -> float:
    """The way on which `climb` reaches e; endless at and beyond the size where it comes to rest."""
    if c == 0.0:
        return e / a
    rest = rest_size(a, c, n)
    if c > 0.0 and e >= rest:
        return 1e300
    if n == 1.0:
        return -log1p(-e / rest) / c if c > 0.0 else log1p(e / rest) / -c
    x = clock_of(e / rest if c > 0.0 else -e / rest, n, table)
    return (x if c > 0.0 else way_to_zero(x, n, table)) * rest / a
