"""Springs made of straight lines: freeplay, two stages, piecewise linear and one-sided contact.

The force depends on the deflection, and through a damper on the rate; no spring has memory. Each law lists its lines as
`pieces`, with the guards at which one ends, so the exact method steps from corner to corner.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

from slipstick.errors import Advice, InvalidInput
from slipstick.laws.base import UNREACHABLE_DEFLECTION, Law, needs_rate_if_damped
from slipstick.laws.diagram_symbols import GAP, DiagramSymbol
from slipstick.laws.elastic import Linear
from slipstick.laws.faces import Affine, ContactJump, Guard, Linearised, Piece, Term
from slipstick.laws.identification_traits import LoopView
from slipstick.laws.law_words import LawWords
from slipstick.laws.parameters import parameter
from slipstick.scalar import ahead, luz
from slipstick.symbolic import is_zero
from slipstick.units.dimensions import DAMPING, DEFLECTION, STIFFNESS

INF = float("inf")


class Freeplay(Law):
    """A spring with clearance: f = k luz(u, a), a the half gap (gear 2.1, clutch 12).

    luz(u, a) is the part of u beyond the gap [-a, a], zero inside. Damping acts only while the sides touch, and the
    contact never pulls: the force is k luz(u, a) + c v while this pushes the sides apart, else zero.
    """

    takes_symbols = True
    state_names = ("contact", "free")
    is_odd = True
    stiffness: float = parameter(STIFFNESS, low=0.0, symbol="k", doc="stiffness in contact")
    half_gap: float = parameter(DEFLECTION, low=0.0, symbol="a", doc="half of the total freeplay")
    damping: float = parameter(DAMPING, default=0.0, low=0.0, symbol="c", doc="viscous damping in contact")
    needs_rate = needs_rate_if_damped

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

    def contact_jumps(self) -> tuple[ContactJump, ...]:
        if self.damping == 0.0:
            return ()
        return tuple(ContactJump(side * self.half_gap, self.stiffness, self.damping, side) for side in (1.0, -1.0))

    @property
    def diagram_symbol(self) -> DiagramSymbol:
        return GAP

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
        self.refuse_state(state)
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

    @staticmethod
    def start_values(loops: LoopView) -> Iterator[Law]:
        for share in (0.2, 0.5):
            yield Freeplay(stiffness=max(loops.last_slope, loops.secant), half_gap=share * loops.amplitude)

    @staticmethod
    def series_start_values(loops: LoopView) -> Iterator[Law]:
        """From the length over which a branch stays near zero force, and a part of the compliance after a reversal."""
        middle = 0.5 * float(max(loops.up.max(), loops.down.max()) + min(loops.up.min(), loops.down.min()))
        near = 0.25 * loops.swing
        step = 2.0 * loops.amplitude / loops.u.size
        width = step * np.mean([np.count_nonzero(np.abs(f - middle) < near) for f in (loops.up, loops.down)])
        slack = max(0.5 * float(width) - near / loops.first_slope, 0.0)
        for half_gap, share in product((slack, 0.5 * slack, 0.1 * loops.amplitude), (0.5, 0.1)):
            yield Freeplay(stiffness=loops.first_slope / share, half_gap=half_gap)


def is_outside_gap(u: float, half_gap: float) -> bool:
    """True beyond the gap, and everywhere if there is none."""
    return abs(u) > half_gap or half_gap == 0.0


def one_sided_pieces(side: float, k: float, a: float, c: float, suffix: str = "") -> tuple[Piece, ...]:
    """Pieces of a contact on one side.

    With damping there is also the state "open": the sides overlap, but spring and damper would pull.
    """
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
    state_names = ("contact", "free")
    is_odd = True
    stiffness: float = parameter(STIFFNESS, low=0.0, symbol="k", doc="stiffness of the outer stage")
    inner_ratio: float = parameter(low=0.0, high=1.0, symbol="r", doc="inner over outer stiffness")
    half_gap: float = parameter(DEFLECTION, low=0.0, symbol="b", doc="half width of the inner stage")
    damping: float = parameter(DAMPING, default=0.0, low=0.0, symbol="c", doc="viscous damping")
    needs_rate = needs_rate_if_damped

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
        self.refuse_state(state)
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
    def state_names(self) -> tuple[str, ...]:  # type: ignore[override]
        return tuple(f"stage{i}" for i in range(len(self.slopes)))

    needs_rate = needs_rate_if_damped

    def update(self, u: float, v: float, memory: Any) -> tuple[float, Any]:
        # from the given point to u, corner by corner
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
        # the force is straight between corners, so the trapezoidal rule is exact
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
        self.refuse_state(state)
        here = int(np.searchsorted(self.breaks, u)) if state is None else self.state_names.index(state)
        return Linearised(self.slopes[here], self.damping)

    def equation(self) -> Any:
        from slipstick.laws import law_symbols as s

        breaks, slopes = s.indexed(self, "breaks"), s.indexed(self, "slopes")
        u0, f0 = s.indexed(self, "value_at")
        # s_0 u + sum of (s_i - s_(i-1)) max(u - u_i, 0), shifted so that it passes through the point
        line, at_point = (
            slopes[0] * x + sum((slopes[i + 1] - slopes[i]) * s.positive_part(x - b) for i, b in enumerate(breaks))
            for x in (s.u, u0)
        )
        return s.equation(s.f, f0 + line - at_point + s.symbol(self, "damping") * s.v)


class Contact(Law):
    """One side only: f = k max(u - gap, 0). Damping as in `Freeplay`: only in contact, never pulling."""

    state_names = ("contact", "free")
    stiffness: float = parameter(STIFFNESS, low=0.0, symbol="k", doc="stiffness in contact")
    gap: float = parameter(DEFLECTION, symbol="g", doc="deflection at which contact begins; negative: preloaded")
    damping: float = parameter(DAMPING, default=0.0, low=0.0, symbol="c", doc="viscous damping in contact")
    needs_rate = needs_rate_if_damped

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

    def contact_jumps(self) -> tuple[ContactJump, ...]:
        return (ContactJump(self.gap, self.stiffness, self.damping, 1.0),) if self.damping else ()

    @property
    def diagram_symbol(self) -> DiagramSymbol:
        return GAP

    def pieces(self) -> tuple[Piece, ...]:
        return (
            Piece("free", Affine(), (Guard(Affine(self.gap, -1.0), "contact"),)),
            *one_sided_pieces(1.0, self.stiffness, self.gap, self.damping),
        )

    def linearised(self, state: str | None = None, u: float = 0.0) -> Linearised:
        self.refuse_state(state)
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

    @staticmethod
    def start_values(loops: LoopView) -> Iterator[Law]:
        for share in (-0.5, 0.0, 0.5):
            gap = loops.middle + share * loops.amplitude
            yield Contact(stiffness=max(loops.last_slope, loops.secant), gap=gap)


def spring_law(stiffness: Any, half_gap: Any) -> Law:
    """`Freeplay`, or `Linear` if the half gap is zero."""
    return Linear(stiffness=stiffness) if is_zero(half_gap) else Freeplay(stiffness=stiffness, half_gap=half_gap)


# ---- words

Freeplay.words = LawWords(
    title="freeplay",
    force="k luz(u, a); the damper acts only in contact and never pulls",
    paper="gear 2.1, clutch (12)",
    symbols=(
        r"luz(u, a) is u beyond the gap and zero inside it. With damping, the sides push with $k\,\mathrm{luz}(u, a) + "
        "c v$ while they touch and never pull."
    ),
    use=(
        "Gear backlash, bearing clearance, splines, dog clutches, loose joints. The state is `free` inside the gap "
        "and `contact` beyond. Responses over frequency have folds, and often several stable motions at one speed. "
        "Give the contact a little damping: without it a model rattles more than the part."
    ),
    identify=(
        "Push through the gap slowly in both directions: the flat part has the width $2a$, the flanks have the slope "
        "$k$. Both sides have to be reached. If the flat part is not flat, see `TwoStage`; if the two directions "
        "differ, there is friction: `ss.Freeplay(...) + ss.DryFriction(...)`."
    ),
    example="stiffness=1e6, half_gap=3e-4",
    noise=3.0,
    fit='ss.Freeplay, fixed={"damping": 0.0}',
)

TwoStage.words = LawWords(
    title="spring of two stages",
    force="soft within the half gap, stiff beyond",
    paper="clutch (11)",
    symbols="luz(u, b) is u beyond the inner stage and zero inside it.",
    use=(
        "Clutch disks with an idle and a drive spring, progressive mounts, stops with a rubber nose: soft near the "
        "middle, stiff beyond."
    ),
    identify=(
        "Two slopes and the corner between them can be read off a slow characteristic. No start values are found by "
        "themselves, so give a law with rough values as the template."
    ),
    example="stiffness=1e6, inner_ratio=0.1, half_gap=4e-4",
    complete="stiffness=1.0, inner_ratio=0.1, half_gap=1.0, damping=1.0",
    noise=3.0,
    fit='ss.TwoStage(stiffness=8e5, inner_ratio=0.2, half_gap=3e-4), fixed={"damping": 0.0}',
)

PiecewiseLinear.words = LawWords(
    title="piecewise linear",
    force="a broken line through a point",
    symbols=(
        "This is with one corner; every other adds a pair of terms like the last one. $u_{b i}$ are the corners, "
        "$s_i$ the slopes, $(p_0, p_1)$ is a point of the line."
    ),
    use=(
        "Any characteristic that is known as a broken line: several stages, different sides, a measured table. It is "
        "exact in transients, for any number of corners."
    ),
    identify=(
        "Read corners and slopes off a slow characteristic and let the fit refine the slopes; corners are better held "
        "with `fixed=` until the slopes are right."
    ),
    example="breaks=(-4e-4, 2e-4, 6e-4), slopes=(8e5, 1e5, 3e5, 9e5), value_at=(0.0, 0.0)",
    complete="breaks=(0.0,), slopes=(1.0, 2.0), value_at=(0.0, 0.0), damping=1.0",
    noise=3.0,
    fit=(
        "ss.PiecewiseLinear(breaks=(-4e-4, 2e-4, 6e-4), slopes=(7e5, 2e5, 2e5, 7e5), value_at=(0.0, 0.0)), "
        'fixed={"breaks.0": -4e-4, "breaks.1": 2e-4, "breaks.2": 6e-4, "value_at.0": 0.0, "value_at.1": 0.0, '
        '"damping": 0.0}'
    ),
)

Contact.words = LawWords(
    title="contact on one side",
    force="k max(u - gap, 0)",
    symbols="With damping, the force is $k (u - g) + c v$ while they touch and never negative.",
    use=(
        "A stop on one side, an impact, a chain or a belt that only pulls. A negative gap is a preloaded contact: it "
        "opens when the load exceeds the preload. Stiff contacts cost nothing in the exact method, as events are "
        "located and not stepped over."
    ),
    identify=(
        "The corner is the gap, the slope beyond it the stiffness. The damping needs impacts or a fast test; hold it "
        "at zero otherwise."
    ),
    example="stiffness=1e6, gap=3e-4",
    noise=3.0,
    fit='ss.Contact, fixed={"damping": 0.0}',
)
