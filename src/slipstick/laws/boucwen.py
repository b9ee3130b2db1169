"""The Bouc-Wen law: a spring in parallel with a hysteretic deflection z that levels off."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import exp, expm1, log1p
from typing import Any

from slipstick.laws.base import UNREACHABLE_DEFLECTION, Law, Memory
from slipstick.laws.envelope_relaxation import clock_of, from_zero, relax, relaxation_table, unclock, way_to_zero
from slipstick.laws.faces import Linearised
from slipstick.laws.identification_traits import IdentificationTraits, LoopView
from slipstick.laws.law_words import LawWords
from slipstick.laws.parameters import parameter
from slipstick.laws.source_parsing import with_derivative
from slipstick.scalar import ahead, sgn
from slipstick.units.dimensions import STIFFNESS, Dimension


def _shape_dimension(law: Any) -> Dimension:
    return (0.0, -law.exponent, 0.0)


class BoucWen(Law):
    """f = ratio k u + (1 - ratio) k z,   dz/du = A - |z|^n (gamma + beta sgn(v z)).

    z has the unit of the deflection; it grows with the slope A and levels off at (A/(beta + gamma))^(1/n). While the
    deflection is monotone, the equation in z is that of `slipstick.laws.envelope_relaxation` on either side of zero, so
    an update is exact for any step.
    """

    stiffness: float = parameter(STIFFNESS, above=0.0, symbol="k", doc="initial stiffness for A = 1")
    ratio: float = parameter(low=0.0, high=1.0, symbol=r"\rho", doc="elastic share")
    beta: float = parameter(_shape_dimension, symbol=r"\beta", doc="shape, with the direction")
    gamma: float = parameter(_shape_dimension, symbol=r"\gamma", doc="shape, without it")
    exponent: float = parameter(default=1.0, above=0.0, symbol="n", doc="sharpness of the yield")
    A: float = parameter(default=1.0, above=0.0, symbol="A", doc="initial slope of z")
    remembers = ("deflection", "z")
    identification = IdentificationTraits(held=("A",))  # the other parameters can replace it
    state_names = ("stick", "slip")
    is_odd = True
    has_local_memory = True
    derived_lists = ("table",)

    @property
    def table(self) -> Sequence[float]:
        """The relaxation table; empty for n = 1, where exponentials suffice."""
        return relaxation_table(self.exponent) if self.exponent != 1.0 else ()  # type: ignore[return-value]

    def update(self, u: float, v: float, memory: Memory) -> tuple[float, Memory]:
        last, z = memory
        s = sgn(u - last)
        # w = s z obeys dw/dx = A - c |w|^n over the distance x = |u - last|; c depends on the sign of w
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
        """Where z changes its sign: the slope has a corner there for exponents up to 1."""
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
        self.refuse_state(state)
        share = 0.0 if state == "slip" else (1.0 - self.ratio) * self.A
        return Linearised(self.stiffness * (self.ratio + share), 0.0)

    def equation(self) -> Any:
        import sympy as sp

        from slipstick.laws import law_symbols as s

        k, a, b, g, n, A = (s.symbol(self, name) for name in self.parameters())
        z = sp.Function("z")(s.t)
        rate = s.v * (A - sp.Abs(z) ** n * (g + b * sp.sign(s.v * z)))
        return (s.equation(s.f, k * (a * s.u + (1 - a) * z)), s.equation(z.diff(s.t), rate))

    @staticmethod
    def start_values(loops: LoopView) -> Iterator[Law]:
        k = loops.first_slope
        ratio = min(max(loops.last_slope / k, 0.01), 0.95)
        limit = loops.height / ((1.0 - ratio) * k)  # of z
        for exponent, share in product((1.0, 2.0), (0.5, 0.8, 0.2)):
            both = 1.0 / limit**exponent  # beta + gamma
            beta, gamma = share * both, (1.0 - share) * both
            yield BoucWen(stiffness=k, ratio=ratio, beta=beta, gamma=gamma, exponent=exponent, A=1.0)


def flow_with_derivative(
    w: float, w_d: float, x: float, x_d: float, a: float, a_d: float, above: float, above_d: float,
    below: float, below_d: float, n: float, n_d: float, table: Sequence[float],
) -> tuple[float, float]:  # fmt: skip
    """`flow` and its derivative, which scales with the right-hand side along an autonomous flow."""
    new = flow(w, x, a, above, below, n, table)
    before = a - (above if w > 0.0 else below) * abs(w) ** n
    after = a - (above if new > 0.0 else below) * abs(new) ** n
    if abs(before) > 1e-9 * a:
        return new, after * x_d + after / before * w_d
    return new, after * x_d + exp(-n * a * x / max(abs(w), 1e-300)) * w_d


@with_derivative(flow_with_derivative)
def flow(w: float, x: float, a: float, above: float, below: float, n: float, table: Sequence[float]) -> float:
    """Solution of dw/dx = a - c |w|^n after a distance x >= 0, with c = above for w > 0 and c = below for w < 0."""
    if w < 0.0:
        # e = -w falls as de/dx = -(a - below e^n): the solution of `climb`, backwards
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
    """The equilibrium e with a = |c| e^n."""
    return float((a / abs(c)) ** (1.0 / n))


def grow(e: float, x: float, a: float, c: float, n: float, table: Sequence[float]) -> float:
    """Solution of de/dx = c e^n - a after a distance x, from above the equilibrium: it diverges (beta < 0 only)."""
    rest = rest_size(a, c, n)
    if n == 1.0:
        return rest + (e - rest) * exp(c * x)
    eta, _ = unclock(clock_of(e / rest, n, table) + x * a / rest, 0.0, n, 0.0, table)
    return rest * eta


def climb(x: float, a: float, c: float, n: float, table: Sequence[float]) -> float:
    """Solution of de/dx = a - c e^n after a distance x, from e = 0."""
    if c == 0.0:
        return a * x
    rest = rest_size(a, c, n)
    if n == 1.0:
        return -rest * expm1(-c * x) if c > 0.0 else rest * expm1(-c * x)
    eta, _ = unclock(x * a / rest, 0.0, n, 1.0, table) if c > 0.0 else from_zero(x * a / rest, 0.0, n, table)
    return rest * eta


def climb_length(e: float, a: float, c: float, n: float, table: Sequence[float]) -> float:
    """Distance at which `climb` reaches e; 1e300 from the equilibrium on, which it never reaches."""
    if c == 0.0:
        return e / a
    rest = rest_size(a, c, n)
    if c > 0.0 and e >= rest:
        return 1e300
    if n == 1.0:
        return -log1p(-e / rest) / c if c > 0.0 else log1p(e / rest) / -c
    x = clock_of(e / rest if c > 0.0 else -e / rest, n, table)
    return (x if c > 0.0 else way_to_zero(x, n, table)) * rest / a


# ---- words

BoucWen.words = LawWords(
    title="Bouc-Wen",
    force="ratio k u + (1 - ratio) k z",
    symbols=r"$z$ is the inner deflection, which levels off at $z_{max} = (A/(\beta + \gamma))^{1/n}$.",
    use=(
        "Known from buildings and isolators, and asked for when results are to be compared with other programs. "
        r"$\rho$ is the share of the elastic part. For $\beta = \gamma$ unloading is straight. Like the Dahl family it "
        "remembers only its force, and short inner cycles drift."
    ),
    identify=(
        r"The slope after a reversal is $k$, that of the straight part $\rho k$. The height determines $\beta + "
        r"\gamma$, the curvature of unloading each of them. $A$ is redundant and is held at 1."
    ),
    memory="its inner deflection alone",
    example="stiffness=5e5, ratio=0.1, beta=2.5e3, gamma=2.5e3",
    noise=2.0,
)
