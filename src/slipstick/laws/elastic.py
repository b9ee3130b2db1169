"""Springs: linear, polynomial, freeplay, two-stage, piecewise linear and one-sided contact.

They have no memory. Piecewise-linear ones have the face `pieces`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from slipstick.errors import Advice, InvalidInput
from slipstick.laws.base import UNREACHABLE_DEFLECTION, Array, Law, Leaf
from slipstick.laws.faces import Affine, Guard, Linearised, Piece, Term
from slipstick.laws.parameters import DAMPING, DEFLECTION, FORCE, STIFFNESS, parameter
from slipstick.laws.source_parsing import Buffer
from slipstick.laws.taylor_coefficients import force_coefficients
from slipstick.scalar import ahead, luz
from slipstick.symbolic import is_zero

INF = float("inf")


class Linear(Law):
    """Spring, damper and preload: f = k u + c v + f0."""

    takes_symbols = True

    stiffness: float = parameter(STIFFNESS, default=0.0, symbol="k", doc="spring stiffness")
    damping: float = parameter(DAMPING, default=0.0, symbol="c", doc="viscous damping")
    preload: float = parameter(FORCE, default=0.0, symbol="f_0", doc="constant force")

    @property
    def needs_rate(self) -> bool:  # type: ignore[override]
        return self.damping != 0.0

    def update(self, u: float, v: float, memory: Any) -> tuple[float, Any]:
        return self.stiffness * u + self.damping * v + self.preload, memory

    def stored(self, u: float, memory: Any) -> float:
        return (0.5 * self.stiffness * u + self.preload) * u

    def linearised(self, state: str | None = None, u: float = 0.0) -> Linearised:
        self.refuse_state(state, ())
        return Linearised(self.stiffness, self.damping)

    def pieces(self) -> tuple[Piece, ...]:
        return (Piece("linear", Affine(self.preload, self.stiffness, self.damping)),)

    def taylor_term(self, k: int, room: int, u: Buffer, v: Buffer, w: Buffer) -> float:
        n = int(k)
        return self.stiffness * u[n] + self.damping * v[n] + (self.preload if n == 0 else 0.0)

    def taylor(self, u: Array, v: Array) -> Array:
        return force_coefficients(self, u, v)

    def luz_tar_terms(self) -> tuple[Term, ...]:
        if self.preload:
            raise InvalidInput("a preload has no luz/tar term; apply it as a Constant load", owner="Linear")
        return (Term("spring", self.stiffness, 0.0), Term("friction", self.damping, 0.0))

    def equation(self) -> Any:
        from slipstick.laws.law_symbols import equation, f, symbol, u, v

        return equation(f, symbol(self, "stiffness") * u + symbol(self, "damping") * v + symbol(self, "preload"))


class Polynomial(Law):
    """f = f0 + f1 u + f2 u^2 + ... + c v; the coefficients start with the constant (fibre 11)."""

    coefficients: tuple[float, ...] = parameter(
        FORCE, step=(0, -1, 0), kind="numbers", symbol="a", doc="f0, f1, f2 ...: lowest power first"
    )
    damping: float = parameter(DAMPING, default=0.0, symbol="c", doc="viscous damping")

    @property
    def needs_rate(self) -> bool:  # type: ignore[override]
        return self.damping != 0.0

    def update(self, u: float, v: float, memory: Any) -> tuple[float, Any]:
        f = 0.0
        for i in range(len(self.coefficients) - 1, -1, -1):
            f = f * u + self.coefficients[i]
        return f + self.damping * v, memory

    def stored(self, u: float, memory: Any) -> float:
        return sum(a * u ** (i + 1) / (i + 1) for i, a in enumerate(self.coefficients))

    @property
    def taylor_rooms(self) -> int:
        return len(self.coefficients)

    def taylor_term(self, k: int, room: int, u: Buffer, v: Buffer, w: Buffer) -> float:
        """Horner's rule on series; each stage is kept."""
        n = int(k)
        size = int(room)
        f = 0.0
        for j in range(len(self.coefficients) - 1, -1, -1):
            f = self.coefficients[j] if n == 0 else 0.0
            if j < len(self.coefficients) - 1:
                for i in range(n + 1):
                    f += w[(j + 1) * size + i] * u[n - i]
            w[j * size + n] = f
        return f + self.damping * v[n]

    def taylor(self, u: Array, v: Array) -> Array:
        return force_coefficients(self, u, v)

    def equation(self) -> Any:
        from slipstick.laws.law_symbols import equation, f, indexed, symbol, u, v

        terms = sum(a * u**i for i, a in enumerate(indexed(self, "coefficients")))
        return equation(f, terms + symbol(self, "damping") * v)


class Freeplay(Law):
    """A spring with clearance: f = k luz(u, a), a the half gap (gear 2.1, clutch 12).

    Damping acts only while the sides touch, and never pulls: the force is k luz(u, a) + c v
    as long as that pushes the sides apart, zero otherwise.
    """

    takes_symbols = True
    stiffness: float = parameter(STIFFNESS, low=0.0, symbol="k", doc="stiffness in contact")
    half_gap: float = parameter(DEFLECTION, low=0.0, symbol="a", doc="half of the total freeplay")
    damping: float = parameter(DAMPING, default=0.0, low=0.0, symbol="c", doc="viscous damping in contact")

    @property
    def needs_rate(self) -> bool:  # type: ignore[override]
        return self.damping != 0.0

    def update(self, u: float, v: float, memory: Any) -> tuple[float, Any]:
        x = luz(u, self.half_gap)
        if x > 0.0:
            return max(self.stiffness * x + self.damping * v, 0.0), memory
        if x < 0.0:
            return min(self.stiffness * x + self.damping * v, 0.0), memory
        return 0.0, memory

    def stored(self, u: float, memory: Any) -> float:
        return 0.5 * self.stiffness * luz(u, self.half_gap) ** 2

    def corner(self, u: float, s: float, memory: Any) -> float:
        return ahead(self.half_gap, u, s, ahead(-self.half_gap, u, s, UNREACHABLE_DEFLECTION * s))

    def edge(self, u: float, v: float) -> float:
        x = luz(u, self.half_gap)
        if x == 0.0:
            return 1.0
        return self.stiffness * abs(x) + self.damping * (v if x > 0.0 else -v)

    def pieces(self) -> tuple[Piece, ...]:
        k, a, c = self.stiffness, self.half_gap, self.damping
        return (
            *one_sided_pieces(-1.0, k, a, c, "-"),
            Piece("free", Affine(), (Guard(Affine(a, 1.0), "contact-"), Guard(Affine(a, -1.0), "contact+"))),
            *one_sided_pieces(1.0, k, a, c, "+"),
        )

    def luz_tar_terms(self) -> tuple[Term, ...]:
        if self.damping:
            raise InvalidInput(
                "damping in contact has no luz/tar term",
                owner="Freeplay",
                advice=[Advice("set {damping} or use Linear beside it", damping=0)],
            )
        return (Term("spring", self.stiffness, self.half_gap),)

    def linearised(self, state: str | None = None, u: float = 0.0) -> Linearised:
        self.refuse_state(state, ("contact", "free"))
        touching = is_outside_gap(u, self.half_gap) if state is None else state == "contact"
        return Linearised(self.stiffness, self.damping) if touching else Linearised(0.0, 0.0)

    def regularised(self, method: str, **options: float) -> Law:
        from slipstick.laws.regularisation import regularised_stage

        return regularised_stage(self, method, self.stiffness, 0.0, self.half_gap, self.damping, options)

    def equation(self) -> Any:
        from slipstick.laws import law_symbols as s

        k, a, c = (s.symbol(self, name) for name in ("stiffness", "half_gap", "damping"))
        if c == 0:
            return s.equation(s.f, k * s.luz(s.u, a))
        right, left = (s.never_pulling(side, k * (s.u - side * a) + c * s.v) for side in (1, -1))
        return s.equation(s.f, s.by_sides(s.u, a, right, left))


def is_outside_gap(u: float, half_gap: float) -> bool:
    """True beyond the gap, and everywhere if there is none."""
    return abs(u) > half_gap or half_gap == 0.0


def one_sided_pieces(side: float, k: float, a: float, c: float, suffix: str = "") -> tuple[Piece, ...]:
    """Contact on one side; with damping also "open": the sides overlap, but spring and damper would pull."""
    overlap = Guard(Affine(-a, side), "free")
    contact, opened = f"contact{suffix}", f"open{suffix}"
    force = Affine(-side * k * a, k, c)
    if c == 0.0:
        return (Piece(contact, force, (overlap,)),)
    push = Affine(-k * a, side * k, side * c)
    pull = Affine(k * a, -side * k, -side * c)
    return (
        Piece(contact, force, (Guard(push, opened), overlap)),
        Piece(opened, Affine(), (Guard(pull, contact), overlap)),
    )


class TwoStage(Law):
    """A soft stage within the half gap, a stiff one beyond (clutch 11): f = k (luz(u, b) + r sat(u, b))."""

    takes_symbols = True
    stiffness: float = parameter(STIFFNESS, low=0.0, symbol="k", doc="stiffness of the outer stage")
    inner_ratio: float = parameter(low=0.0, high=1.0, symbol="r", doc="inner over outer stiffness")
    half_gap: float = parameter(DEFLECTION, low=0.0, symbol="b", doc="half width of the inner stage")
    damping: float = parameter(DAMPING, default=0.0, low=0.0, symbol="c", doc="viscous damping")

    @property
    def needs_rate(self) -> bool:  # type: ignore[override]
        return self.damping != 0.0

    def update(self, u: float, v: float, memory: Any) -> tuple[float, Any]:
        x = luz(u, self.half_gap)
        return self.stiffness * (self.inner_ratio * (u - x) + x) + self.damping * v, memory

    def stored(self, u: float, memory: Any) -> float:
        r = self.inner_ratio
        return 0.5 * self.stiffness * (r * u * u + (1.0 - r) * luz(u, self.half_gap) ** 2)

    def corner(self, u: float, s: float, memory: Any) -> float:
        return ahead(self.half_gap, u, s, ahead(-self.half_gap, u, s, UNREACHABLE_DEFLECTION * s))

    def pieces(self) -> tuple[Piece, ...]:
        k, r, b, c = self.stiffness, self.inner_ratio, self.half_gap, self.damping
        return (
            Piece("contact-", Affine(k * (1.0 - r) * b, k, c), (Guard(Affine(-b, -1.0), "free"),)),
            Piece(
                "free", Affine(0.0, k * r, c), (Guard(Affine(b, 1.0), "contact-"), Guard(Affine(b, -1.0), "contact+"))
            ),
            Piece("contact+", Affine(-k * (1.0 - r) * b, k, c), (Guard(Affine(-b, 1.0), "free"),)),
        )

    def luz_tar_terms(self) -> tuple[Term, ...]:
        k, r = self.stiffness, self.inner_ratio
        return (
            Term("spring", k * r, 0.0),
            Term("spring", k * (1.0 - r), self.half_gap),
            Term("friction", self.damping, 0.0),
        )

    def linearised(self, state: str | None = None, u: float = 0.0) -> Linearised:
        self.refuse_state(state, ("contact", "free"))
        outer = is_outside_gap(u, self.half_gap) if state is None else state == "contact"
        return Linearised(self.stiffness * (1.0 if outer else self.inner_ratio), self.damping)

    def regularised(self, method: str, **options: float) -> Law:
        from slipstick.laws.regularisation import regularised_stage

        return regularised_stage(self, method, self.stiffness, self.inner_ratio, self.half_gap, self.damping, options)

    def equation(self) -> Any:
        from slipstick.laws import law_symbols as s

        k, r, b, c = (s.symbol(self, n) for n in ("stiffness", "inner_ratio", "half_gap", "damping"))
        return s.equation(s.f, k * (r * s.u + (1 - r) * s.luz(s.u, b)) + c * s.v)


class PiecewiseLinear(Law):
    """A broken line: ``slopes[i]`` between ``breaks[i-1]`` and ``breaks[i]``, through the point ``value_at``."""

    breaks: tuple[float, ...] = parameter(DEFLECTION, kind="numbers", symbol="u_b", doc="corners, increasing")
    slopes: tuple[float, ...] = parameter(STIFFNESS, kind="numbers", symbol="s", doc="one more than corners")
    value_at: tuple[float, float] = parameter(
        DEFLECTION, step=(1, -1, 0), kind="pair", symbol="p", doc="a point (u0, f0) of the line"
    )
    damping: float = parameter(DAMPING, default=0.0, low=0.0, symbol="c", doc="viscous damping")

    def check(self) -> None:
        if len(self.slopes) != len(self.breaks) + 1:
            raise InvalidInput(
                "must be one more than breaks",
                owner="PiecewiseLinear",
                subject="slopes",
                got=f"{len(self.slopes)} and {len(self.breaks)}",
            )
        if any(b <= a for a, b in zip(self.breaks, self.breaks[1:], strict=False)):
            raise InvalidInput("must increase", owner="PiecewiseLinear", subject="breaks", value=self.breaks)

    @property
    def needs_rate(self) -> bool:  # type: ignore[override]
        return self.damping != 0.0

    def update(self, u: float, v: float, memory: Any) -> tuple[float, Any]:
        # walk from the given point to u, corner by corner
        x = self.value_at[0]
        f = self.value_at[1]
        n = len(self.breaks)
        i = 0
        while i < n and self.breaks[i] <= x:
            i += 1
        while i < n and u > self.breaks[i]:
            f += self.slopes[i] * (self.breaks[i] - x)
            x = self.breaks[i]
            i += 1
        while i > 0 and u < self.breaks[i - 1]:
            f += self.slopes[i] * (self.breaks[i - 1] - x)
            x = self.breaks[i - 1]
            i -= 1
        return f + self.slopes[i] * (u - x) + self.damping * v, memory

    def stored(self, u: float, memory: Any) -> float:
        # straight between the corners on the way from 0, so trapezia are exact
        low, high = min(0.0, u), max(0.0, u)
        way = [low, *(b for b in self.breaks if low < b < high), high]
        force = [self.update(x, 0.0, ())[0] for x in way]
        area = sum(0.5 * (force[i] + force[i + 1]) * (way[i + 1] - way[i]) for i in range(len(way) - 1))
        return area if u >= 0.0 else -area

    def corner(self, u: float, s: float, memory: Any) -> float:
        found = UNREACHABLE_DEFLECTION * s
        for i in range(len(self.breaks)):
            found = ahead(self.breaks[i], u, s, found)
        return found

    def pieces(self) -> tuple[Piece, ...]:
        count = len(self.slopes)
        edges = (-INF, *self.breaks, INF)
        found = []
        for i, slope in enumerate(self.slopes):
            inside = self.breaks[min(i, count - 2)]
            f0 = float(self.update(inside, 0.0, ())[0]) - slope * inside
            guards = []
            if i > 0:
                guards.append(Guard(Affine(-edges[i], 1.0), f"stage{i - 1}"))
            if i < count - 1:
                guards.append(Guard(Affine(edges[i + 1], -1.0), f"stage{i + 1}"))
            found.append(Piece(f"stage{i}", Affine(f0, slope, self.damping), tuple(guards)))
        return tuple(found)

    def linearised(self, state: str | None = None, u: float = 0.0) -> Linearised:
        names = tuple(f"stage{i}" for i in range(len(self.slopes)))
        self.refuse_state(state, names)
        here = int(np.searchsorted(self.breaks, u)) if state is None else names.index(state)
        return Linearised(self.slopes[here], self.damping)

    def equation(self) -> Any:
        from slipstick.laws import law_symbols as s

        breaks, slopes = s.indexed(self, "breaks"), s.indexed(self, "slopes")
        u0, f0 = s.indexed(self, "value_at")
        # slope jumps at each corner: s_0 u + sum of (s_i - s_(i-1)) max(u - u_i, 0), moved through the point
        line, at_point = (
            slopes[0] * x + sum((slopes[i + 1] - slopes[i]) * s.positive_part(x - b) for i, b in enumerate(breaks))
            for x in (s.u, u0)
        )
        return s.equation(s.f, f0 + line - at_point + s.symbol(self, "damping") * s.v)


class Contact(Law):
    """One side only: f = k max(u - gap, 0). Damping as in `Freeplay`: only in contact, never pulling."""

    stiffness: float = parameter(STIFFNESS, low=0.0, symbol="k", doc="stiffness in contact")
    gap: float = parameter(DEFLECTION, symbol="g", doc="deflection at which contact begins; negative: preloaded")
    damping: float = parameter(DAMPING, default=0.0, low=0.0, symbol="c", doc="viscous damping in contact")

    @property
    def needs_rate(self) -> bool:  # type: ignore[override]
        return self.damping != 0.0

    def update(self, u: float, v: float, memory: Any) -> tuple[float, Any]:
        if u > self.gap:
            return max(self.stiffness * (u - self.gap) + self.damping * v, 0.0), memory
        return 0.0, memory

    def stored(self, u: float, memory: Any) -> float:
        return 0.5 * self.stiffness * max(u - self.gap, 0.0) ** 2

    def corner(self, u: float, s: float, memory: Any) -> float:
        return ahead(self.gap, u, s, UNREACHABLE_DEFLECTION * s)

    def edge(self, u: float, v: float) -> float:
        return self.stiffness * (u - self.gap) + self.damping * v if u > self.gap else 1.0

    def pieces(self) -> tuple[Piece, ...]:
        return (
            Piece("free", Affine(), (Guard(Affine(self.gap, -1.0), "contact"),)),
            *one_sided_pieces(1.0, self.stiffness, self.gap, self.damping),
        )

    def linearised(self, state: str | None = None, u: float = 0.0) -> Linearised:
        self.refuse_state(state, ("contact", "free"))
        touching = u > self.gap if state is None else state == "contact"
        return Linearised(self.stiffness, self.damping) if touching else Linearised(0.0, 0.0)

    def equation(self) -> Any:
        from slipstick.laws import law_symbols as s

        k, gap, c = (s.symbol(self, name) for name in ("stiffness", "gap", "damping"))
        if c == 0:
            return s.equation(s.f, k * s.positive_part(s.u - gap))
        import sympy as sp

        pushes = s.never_pulling(1, k * (s.u - gap) + c * s.v)
        return s.equation(s.f, sp.Piecewise((pushes, s.u > gap), (0, True)))


def spring_law(stiffness: Any, half_gap: Any) -> Law:
    """A spring with clearance: `Linear` where there is none."""
    return Linear(stiffness=stiffness) if is_zero(half_gap) else Freeplay(stiffness=stiffness, half_gap=half_gap)


def parallel_linear(stiffness: float, damping: float = 0.0, preload: float = 0.0) -> tuple[Leaf, ...]:
    """The linear element in parallel, left out where it does nothing."""
    if stiffness == 0.0 and damping == 0.0 and preload == 0.0:
        return ()
    return (Leaf(Linear(stiffness=stiffness, damping=damping, preload=preload)),)
