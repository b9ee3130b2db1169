"""`FrictionContact`: elastic Coulomb friction whose normal force comes from the motion, with separation.

    N = max(k_n (n - gap) + preload + c_n n', 0) while n is beyond the gap,    T = k_t (t - s),    |T| <= mu N

The slider s yields so that |T| <= mu N. Without contact T = 0 and the slider follows t: where contact is made again,
friction begins anew at T = 0. Between two updates the deflections follow a straight path. Both mappings are exact on
it without normal damping, the instant of contact included: along a straight path the limit is linear, so the element
sticks first and then slips up to the end.

Two tangential directions: |T| <= mu N = R is a circle. While it slips along a straight path of direction e, the angle
theta from e to T obeys d theta / dx = -k_t sin(theta) / R(x), so tan(theta / 2) decays by
exp(-integral k_t dx / R).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import fields
from typing import Any, ClassVar

from slipstick.laws.base import Law, Memory
from slipstick.laws.diagram_symbols import FRICTION, DiagramSymbol
from slipstick.laws.faces import Affine, ElasticContact, Guard, Piece
from slipstick.laws.identification_traits import IdentificationTraits
from slipstick.laws.law_words import LawWords
from slipstick.laws.parameters import parameter
from slipstick.units.dimensions import DAMPING, DEFLECTION, FORCE, STIFFNESS

SERIES_BELOW = 1e-5  # log1p(z) / z by its series
SLIPS = ("slip", "slip+", "slip-")
PIECE_NAMES = ("separated", "stick", "slip+", "slip-")
OPPOSITE_REL = 1e-12  # of the limit: T points against the motion, whose angle then stays


class FrictionContact(Law):
    """Normal spring with a gap, and a tangential spring whose slider holds up to friction times the normal force."""

    directions: ClassVar[tuple[str, ...]] = ("tangential", "normal")
    remembers: ClassVar[tuple[str, ...]] = ("slider", "tangential", "normal")
    derived = ("touches_at",)
    direction_states: ClassVar[tuple[str, ...]] = ("stick", "slip", "slip+", "slip-", "separated")
    identification = IdentificationTraits(not_by_name="has two deflections, and a loop has one")
    normal_stiffness: float = parameter(STIFFNESS, above=0.0, symbol="k_n", doc="stiffness in contact")
    tangential_stiffness: float = parameter(STIFFNESS, above=0.0, symbol="k_t", doc="stiffness while it sticks")
    friction: float = parameter(low=0.0, symbol=r"\mu", doc="sliding force over normal force")
    gap: float = parameter(DEFLECTION, default=0.0, symbol="g", doc="normal deflection at which contact begins")
    normal_damping: float = parameter(DAMPING, default=0.0, low=0.0, symbol="c_n", doc="acts in contact, never pulls")
    preload: float = parameter(FORCE, default=0.0, symbol="N_0", doc="normal force at the gap")

    @property
    def needs_rate(self) -> bool:  # type: ignore[override]
        return self.normal_damping != 0.0

    @property
    def touches_at(self) -> float:
        """Normal deflection at which the normal force begins."""
        return self.gap - self.preload / self.normal_stiffness

    @property
    def elastic_contact(self) -> ElasticContact:
        k, c, stick = self.normal_stiffness, self.normal_damping, self.tangential_stiffness
        return ElasticContact(k, c, self.touches_at, stick, self.friction)

    def for_directions(self, count: int) -> Law:
        return SpatialFrictionContact(**self.parameters()) if count == 3 else super().for_directions(count)

    def update(self, u: tuple[float, ...], v: tuple[float, ...], memory: Memory) -> Any:  # type: ignore[override]
        slider, _, _ = memory
        t, n = u
        force = 0.0
        depth = n - self.touches_at
        pressure = 0.0
        if depth > 0.0:
            pressure = max(self.normal_stiffness * depth + self.normal_damping * v[1], 0.0)
            before = memory[2] - self.touches_at
            if before < 0.0:  # contact begins on the way
                slider = t - (t - memory[1]) * depth / (depth - before)
            limit = self.friction * pressure
            force = self.tangential_stiffness * (t - slider)
            if force > limit:
                force = limit
                slider = t - limit / self.tangential_stiffness
            elif force < -limit:
                force = -limit
                slider = t + limit / self.tangential_stiffness
        else:
            slider = t
        return (force, pressure), (slider, t, n)

    def direction_pieces(self, direction: int) -> tuple[Piece, ...]:
        """Pieces of two deflections without normal damping; with it, slip ends by an acceleration."""
        if self.normal_damping != 0.0 or direction > 1:
            return ()
        press, apart = self.normal_stiffness, self.touches_at
        if direction == 1:
            touching = Affine(-press * apart, u=press)
            return tuple(Piece(name, touching if name != "separated" else Affine()) for name in PIECE_NAMES)
        k, limit = self.tangential_stiffness, self.friction * press
        opens = Guard(Affine(-apart, partner=1.0), "separated")
        closes = Guard(Affine(apart, partner=-1.0), "stick")
        found = [Piece("separated", Affine(), (closes,), stretch=Affine())]
        up = Guard(Affine(-limit * apart, w=-k, partner=limit), "slip+")
        down = Guard(Affine(-limit * apart, w=k, partner=limit), "slip-")
        found.append(Piece("stick", Affine(w=k), (opens, up, down), moves=True))
        for sign in (1.0, -1.0):
            force = Affine(-sign * limit * apart, partner=sign * limit)
            stretch = Affine(-sign * limit * apart / k, partner=sign * limit / k)
            holds = Guard(Affine(v=sign, partner_rate=-limit / k), "stick")
            found.append(Piece("slip+" if sign > 0.0 else "slip-", force, (opens, holds), stretch=stretch))
        return tuple(found)

    def memory_at(self, u: Sequence[float], stretch: float) -> Memory:
        return u[0] - stretch, u[0], u[1]

    def direction_stored(self, direction: int, u: float, memory: Memory) -> float:
        if direction == len(self.directions) - 1:
            return 0.5 * self.normal_stiffness * max(u - self.touches_at, 0.0) ** 2
        stretch = memory[len(self.directions) - 1 + direction] - memory[direction]  # zero while separated
        return float(0.5 * self.tangential_stiffness * stretch**2)

    def direction_stiffness(self, direction: int, state: str | None, u: float) -> tuple[float, float]:
        normal = direction == len(self.directions) - 1
        touching = u > self.touches_at if state is None and normal else state != "separated"
        if not touching:
            return 0.0, 0.0
        if normal:
            return self.normal_stiffness, self.normal_damping
        return (0.0 if state in SLIPS else self.tangential_stiffness), 0.0

    def direction_coupling(self, direction: int, other: int, state: str | None) -> tuple[float, float]:
        """In "slip+" and "slip-" the sliding force follows the normal force; in "slip" it is held."""
        sign = {"slip+": 1.0, "slip-": -1.0}.get(state or "", 0.0)
        if direction != 0 or other != 1:
            return 0.0, 0.0
        return sign * self.friction * self.normal_stiffness, sign * self.friction * self.normal_damping

    def state_at_rest(self, u: Sequence[float]) -> str:
        return "stick" if u[-1] > self.touches_at else "separated"

    def direction_passive(self, direction: int) -> bool:
        return direction < len(self.directions) - 1 or self.normal_damping != 0.0

    def states(self, force: Any) -> Any:
        """(k,) "stick", "slip" or "separated" from forces (directions, k)."""
        import numpy as np

        pressure, size = force[-1], np.sqrt(np.sum(np.square(force[:-1]), axis=0))
        slips = size >= self.friction * pressure * (1.0 - 1e-9)
        return np.where(pressure <= 0.0, "separated", np.where(slips, "slip", "stick"))

    @property
    def diagram_symbol(self) -> DiagramSymbol:
        return FRICTION

    def equation(self) -> Any:
        """Normal force, tangential force and the bound at which the slider s yields."""
        import sympy as sp

        from slipstick.laws import law_symbols as s

        k, stiff, friction, gap, damping, preload = (s.symbol(self, f.name) for f in fields(self))
        n, rate = sp.Symbol("n", real=True), sp.Symbol("n'", real=True)
        force, pressure = sp.Symbol("T", real=True), sp.Symbol("N", real=True)
        pushes = sp.Max(0, k * (n - gap) + preload + damping * rate)
        touching = k * (n - gap) + preload > 0
        normal = sp.Piecewise((pushes, touching), (0, True)) if damping != 0 else pushes
        stick = stiff * (sp.Symbol("t", real=True) - sp.Symbol("s", real=True))
        return (s.equation(pressure, normal), s.equation(force, stick), sp.Le(sp.Abs(force), friction * pressure))


class SpatialFrictionContact(FrictionContact):
    """`FrictionContact` with two tangential directions and one friction circle."""

    directions: ClassVar[tuple[str, ...]] = ("tangential1", "tangential2", "normal")
    remembers: ClassVar[tuple[str, ...]] = ("slider1", "slider2", "tangential1", "tangential2", "normal")
    derived = ("touches_at",)
    direction_states: ClassVar[tuple[str, ...]] = ("stick", "slip", "separated")

    @property
    def needs_rate(self) -> bool:  # type: ignore[override]
        return self.normal_damping != 0.0

    # a class with a force of its own inherits no answers about that of its base class
    elastic_contact = FrictionContact.elastic_contact
    direction_stored = FrictionContact.direction_stored
    direction_stiffness = FrictionContact.direction_stiffness
    direction_passive = FrictionContact.direction_passive
    states = FrictionContact.states
    state_at_rest = FrictionContact.state_at_rest
    diagram_symbol = FrictionContact.diagram_symbol
    equation = FrictionContact.equation

    def update(self, u: tuple[float, ...], v: tuple[float, ...], memory: Memory) -> Any:  # type: ignore[override]
        s1, s2, a1, a2, a3 = memory
        t1, t2, n = u
        f1 = 0.0
        f2 = 0.0
        pressure = 0.0
        depth = n - self.touches_at
        if depth > 0.0:
            k = self.tangential_stiffness
            pressure = max(self.normal_stiffness * depth + self.normal_damping * v[2], 0.0)
            before = a3 - self.touches_at
            limit = self.friction * pressure
            first = self.friction * self.normal_stiffness * max(before, 0.0)
            if self.normal_damping != 0.0:  # the rate at the begin is not known: one limit for the whole path
                first = limit
            d1 = t1 - a1
            d2 = t2 - a2
            if before < 0.0:  # contact begins on the way
                part = depth / (depth - before)
                d1 = d1 * part
                d2 = d2 * part
                s1 = t1 - d1
                s2 = t2 - d2
            f1, f2 = slide(k * (t1 - d1 - s1), k * (t2 - d2 - s2), k * d1, k * d2, first, limit)
            s1 = t1 - f1 / k
            s2 = t2 - f2 / k
        else:
            s1 = t1
            s2 = t2
        return (f1, f2, pressure), (s1, s2, t1, t2, n)


def slide(f1: float, f2: float, d1: float, d2: float, first: float, last: float) -> tuple[float, float]:
    """Tangential forces at the end of a straight path.

    f1, f2 : at its begin.   d1, d2 : what they would grow by without slip.   first, last : limits at begin and end.
    """
    g1 = f1 + d1
    g2 = f2 + d2
    if g1 * g1 + g2 * g2 <= last * last:
        return g1, g2
    way = math.sqrt(d1 * d1 + d2 * d2)
    outside = f1 * f1 + f2 * f2 > first * first * (1.0 + OPPOSITE_REL)
    if way <= 0.0 or last <= 0.0 or first <= 0.0 or outside:
        size = math.sqrt(g1 * g1 + g2 * g2)
        part = min(last / size, 1.0) if size > 0.0 else 0.0
        return part * g1, part * g2
    x = slip_begin(f1, f2, d1, d2, first, last - first)
    if x >= 1.0:
        return g1, g2
    f1 = f1 + x * d1
    f2 = f2 + x * d2
    begin = first + x * (last - first)
    e1 = d1 / way
    e2 = d2 / way
    along = f1 * e1 + f2 * e2
    if begin + along <= OPPOSITE_REL * begin:
        return -last * e1, -last * e2
    z = (last - begin) / begin
    mean = 1.0 - z * (0.5 - z / 3.0)
    if abs(z) > SERIES_BELOW:
        mean = math.log1p(z) / z
    g = math.exp(-(1.0 - x) * way / begin * mean) / (begin + along)
    q1 = f1 - along * e1
    q2 = f2 - along * e2
    h = g * g * (q1 * q1 + q2 * q2)
    part = last / (1.0 + h)
    return part * ((1.0 - h) * e1 + 2.0 * g * q1), part * ((1.0 - h) * e2 + 2.0 * g * q2)


def slip_begin(f1: float, f2: float, d1: float, d2: float, first: float, growth: float) -> float:
    """The part of a straight path at which |f + x d| exceeds first + x growth; 1 if it does not."""
    a = d1 * d1 + d2 * d2 - growth * growth
    b = f1 * d1 + f2 * d2 - first * growth
    c = min(f1 * f1 + f2 * f2 - first * first, 0.0)
    root = b * b - a * c
    if root < 0.0:
        return 1.0
    root = math.sqrt(root) if root > 0.0 else 0.0
    if b > 0.0:
        return min(max(-c / (b + root), 0.0), 1.0)
    if a > 0.0:
        return min(max((root - b) / a, 0.0), 1.0)
    return 1.0


# ---- words

FrictionContact.words = LawWords(
    title="friction contact",
    force="T = k_t (t - s), at most mu N; N = max(k_n (n - gap) + preload, 0)",
    summary=(
        "Elastic Coulomb friction whose normal force N comes from the motion, with separation: a Jenkins element whose "
        "limit is friction times N."
    ),
    symbols=(
        "t is the tangential and n the normal deflection; positive n presses. The slider s yields where |T| would "
        "exceed $\\mu N$. Apart, T = 0 and s follows t, so friction begins anew at T = 0 where contact is made. "
        "Between two samples the path is straight, and the mapping is exact on it, the instant of contact included "
        "(with damping: of first order). With two tangential directions the bound is a circle, and slip turns T "
        "towards the motion."
    ),
    use=(
        "Dampers under blades, shrouds, bolted joints, brakes and guides, where the normal load varies or opens. With "
        "one tangential direction and no normal damping it is piecewise linear: runs and orbits are exact. In modes, "
        "`slip` holds the sliding force, and in `slip+` and `slip-` it follows the normal force, which is where squeal "
        "comes from. The contact is connected to two or three deflections; results have a connection for each, such as "
        "`pad.tangential` and `pad.normal`."
    ),
    identify=(
        "A loop has one deflection, so `identify` does not take it. Take the tangential stiffness and the sliding "
        "force from a loop at constant normal load (Jenkins), and divide by the load."
    ),
    example="normal_stiffness=2e6, tangential_stiffness=1e6, friction=0.4, preload=200.0",
    complete=(
        "normal_stiffness=2e6, tangential_stiffness=1e6, friction=0.4, gap=1e-4, normal_damping=10.0, preload=200.0"
    ),
    code="""\
import slipstick as ss

m = ss.Model("blade on a damper", frequency=300.0)
x, z = (m.coordinate(name, inertia=0.5) for name in ("x", "z"))
for q in (x, z):
    m.connect(q, ss.Linear(stiffness=5e4, damping=5.0))
m.connect((x, z), ss.FrictionContact(
    normal_stiffness=3e4, tangential_stiffness=2e4, friction=0.4, preload=10.0), name="pad")
m.load(x, ss.Cosine(30.0, order=1))
m.load(z, ss.Cosine(40.0, order=1, phase=1.0))
orbit = m.periodic()
print(orbit.certificate)
print(set(orbit.data["state"].sel(connection="pad.tangential").values), orbit.multipliers)""",
)
