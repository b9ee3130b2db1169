"""Laws that remember every reversal that still matters, on a stack (fibre paper, section 4).

Prandtl's rules: a branch depends only on the reversal it started from; passing the last but one
reversal closes a loop, which is then forgotten; passing the mirror image of the first one leads
back to the virgin curve. Branches are closed forms, so nothing is integrated and nothing drifts.

Layout of a memory: last deflection, start of the virgin curve (deflection, force), then one
(deflection, force) for each reversal, oldest first. Forces here are those of the hysteretic part.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, expm1
from typing import Any

import numpy as np

from slipstick.errors import InvalidInput, short_repr
from slipstick.laws.base import UNREACHABLE_DEFLECTION, Array, Law, Leaf, Memory, memory_array
from slipstick.laws.composite import Composite
from slipstick.laws.faces import Linearised
from slipstick.laws.parameters import FORCE, STIFFNESS, parameter
from slipstick.laws.reversal_stack import STACK_HEAD, STACK_MIN_NUMBERS, STACK_REVERSAL_NUMBERS, stack_size
from slipstick.laws.source_parsing import Buffer
from slipstick.scalar import ahead, decay, extinction, sgn

NO_ROOM = float("nan")  # the force where a packed memory has no room for another reversal; it is left as it was


class ReversalStackLaw(Law):
    """The stack that the three laws share; they give `branch`, `virgin_curve` and, if any, `elastic`."""

    has_stack = True
    needs_rate = False
    compiled = "advance"
    derived = ("restarts", "shifts")

    def branch(self, x: float, start: float) -> float:
        """Force gained on a rising branch, x >= 0 beyond a reversal at deflection ``start``."""
        raise InvalidInput(f"{type(self).__name__} must define branch")

    def virgin_curve(self, u: float, start: float, force: float) -> float:
        """Force at u on the virgin curve that starts at (start, force)."""
        raise InvalidInput(f"{type(self).__name__} must define virgin_curve")

    def elastic(self, u: float) -> float:
        """The single-valued part beside the hysteresis."""
        return 0.0 * u

    @property
    def restarts(self) -> float:
        """1 if the virgin curve starts anew where all memory is lost (the printed rule), else 0."""
        return 0.0

    @property
    def shifts(self) -> float:
        """1 if an older branch is shifted to where the stress is when a loop closes, else 0 (it is there already)."""
        return 0.0

    def curve(self, u: float, count: int, m: Buffer) -> float:
        """The hysteretic force at u on the current branch: the virgin curve, or the one from the last reversal."""
        top = 3 + 2 * count
        if count == 0:
            return self.virgin_curve(u, m[top], m[top + 1])
        x = u - m[top]
        return m[top + 1] + sgn(x) * self.branch(abs(x), m[top])

    def advance(self, u: float, v: float, m: Buffer) -> float:
        """Move to u, push a reversal or close loops on the way, and give the force."""
        count = int(m[1])
        last = m[2]
        if u != last:
            direction = sgn(u - last)
            top = 3 + 2 * count
            if (last - m[top]) * direction < 0.0:  # turned back: a new branch starts where we were
                if top + 3 >= m[0]:
                    return NO_ROOM
                force = self.curve(last, count, m)
                count += 1
                top += 2
                m[top] = last
                m[top + 1] = force
            while count > 0:
                # the last but one reversal; for the first one, its mirror image on the virgin curve
                gate = m[top - 2] if count > 1 else -m[top]
                beyond = (u - gate) * direction
                # a virgin curve that starts anew needs a way to go: on its first point a reversal could not be told
                if beyond < 0.0 or (beyond == 0.0 and count == 1 and self.restarts > 0.0):
                    break
                force = self.curve(gate, count, m)
                if count == 1 and self.restarts > 0.0:
                    m[3] = gate
                    m[4] = force
                count = max(count - 2, 0)
                top = 3 + 2 * count
                if self.shifts > 0.0:
                    m[top + 1] += force - self.curve(gate, count, m)
            m[1] = float(count)
            m[2] = u
        return self.curve(u, count, m) + self.elastic(u)

    def corner(self, u: float, s: float, m: Buffer) -> float:
        """Where the branch that goes from u in direction s closes a loop, or comes back to the virgin curve."""
        count = int(m[1])
        top = 3 + 2 * count
        gate = UNREACHABLE_DEFLECTION * s
        start = m[top]
        first = 0.0
        if (m[2] - m[top]) * s < 0.0:  # it turns here, so the last reversal becomes the last but one
            gate = m[top] if count > 0 else -m[2]
            start = m[2]
        elif count > 0:
            gate = m[top - 2] if count > 1 else -m[top]
        else:
            first = 1.0
        return ahead(gate, u, s, ahead(start + s * self.spent(s, m[top + 1], first), u, s, UNREACHABLE_DEFLECTION * s))

    def spent(self, s: float, force: float, first: float) -> float:
        """The way from its start on which a branch reaches its asymptote; first 1: the virgin curve, from ``force``."""
        return UNREACHABLE_DEFLECTION

    def start(self, u: float = 0.0) -> Memory:
        virgin = (0.0, 0.0, 0.0)
        return self.update(float(u), 0.0, virgin)[1]

    def update(self, u: float, v: float, memory: Memory) -> tuple[float, Memory]:
        m = self.pack_memory(memory, 1).tolist()
        force = self.advance(float(u), v, m)
        return force, unpack_stack(m)

    def pack_memory(self, memory: Any, spare: int) -> Array:
        own = memory_array(memory)
        if own is None or own.size < 3 or own.size % 2 == 0:
            raise InvalidInput(
                f"memory of {type(self).__name__} is what start() and update() give "
                f"(last deflection, then pairs), got {short_repr(memory)}"
            )
        room = STACK_REVERSAL_NUMBERS * spare
        count = (own.size - STACK_MIN_NUMBERS) // STACK_REVERSAL_NUMBERS
        return np.concatenate(([STACK_HEAD + own.size + room, count], own, np.zeros(room)))

    def linearised(self, state: str | None = None, u: float = 0.0) -> Linearised:
        """stick: the slope right after a reversal at u; slip: far along a branch."""
        self.refuse_state(state, ("stick", "slip"))
        if state == "slip":
            return Linearised(self.tangent_of_elastic(u), 0.0)
        return Linearised(self.first_slope(u) + self.tangent_of_elastic(u), 0.0)

    def first_slope(self, start: float) -> float:
        """The slope right after a reversal at ``start``."""
        raise InvalidInput(f"{type(self).__name__} must define first_slope")

    def tangent_of_elastic(self, u: float) -> float:
        """The slope of `elastic`."""
        return 0.0


def unpack_stack(m: Sequence[float] | Array) -> Memory:
    """The memory within a packed stack, which may have room for more behind it."""
    own: Any = m  # a list, or an array
    return tuple(float(x) for x in own[STACK_HEAD : stack_size(own, 0)])


class DynamicHysteresis(ReversalStackLaw):
    """Dahl's dynamic hysteresis model (fibre 8): df/du = sigma (2 - |f - f_m|/f_C)^i after a reversal at f_m.

    The slope after a reversal is 2^i sigma on every branch. Virgin curve: half a branch (Masing; its
    slope is that of every branch), or "printed", the paper's rule f_m = -f_C at first loading, whose
    slope is sigma.
    """

    stiffness: float = parameter(STIFFNESS, above=0.0, symbol=r"\sigma", doc="slope scale: 2^i sigma after a reversal")
    limit: float = parameter(FORCE, above=0.0, symbol=r"\tau_C", doc="asymptotic force")
    exponent: float = parameter(default=1.0, above=0.0, symbol="i", doc="shape: below 1 ductile, above brittle")
    virgin: str = parameter(default="backbone", kind="choice", choices=("backbone", "printed"), doc="virgin curve")

    @property
    def restarts(self) -> float:
        return 1.0 if self.virgin == "printed" else 0.0

    def branch(self, x: float, start: float) -> float:
        return self.limit * (2.0 - decay(2.0, self.stiffness * x / self.limit, self.exponent))

    def virgin_curve(self, u: float, start: float, force: float) -> float:
        x = u - start
        s = sgn(x)
        if self.restarts > 0.0:
            if s == 0.0:
                return force
            left = decay(1.0 - s * force / self.limit, self.stiffness * abs(x) / self.limit, self.exponent)
            return s * self.limit * (1.0 - left)
        return force + 0.5 * s * self.branch(2.0 * abs(x), start)

    def spent(self, s: float, force: float, first: float) -> float:
        if self.exponent >= 1.0:
            return UNREACHABLE_DEFLECTION
        rate = self.stiffness / self.limit
        if first == 0.0:
            return extinction(2.0, rate, self.exponent)
        if self.restarts > 0.0:
            return extinction(1.0 - s * force / self.limit, rate, self.exponent)
        return 0.5 * extinction(2.0, rate, self.exponent)

    def first_slope(self, start: float) -> float:
        return self.stiffness * float(2.0**self.exponent)

    def equation(self) -> Any:
        from slipstick.laws import law_symbols as s

        sigma, limit, i = (s.symbol(self, n) for n in ("stiffness", "limit", "exponent"))
        return s.branch_equation(sigma * (2 - (s.f - s.f_m) / limit * s.direction) ** i)


class BlimanSorine(Composite):
    """Two Dahl models of opposite sign, for stiction-like overshoot (fibre 15-21).

    ``memory=True``: with non-local memory, fibre (16), equal to the one-state form (20).
    ``memory=False``: the original (15), which forgets everything but its two forces.
    """

    stiffness: float = parameter(STIFFNESS, above=0.0, symbol=r"\sigma_1", doc="slope scale of the first part")
    limit: float = parameter(FORCE, above=0.0, symbol=r"\tau_{C1}", doc="asymptote of the first part")
    overshoot_limit: float = parameter(FORCE, low=0.0, symbol=r"\tau_{C2}", doc="asymptote of the second, subtracted")
    ratio: float = parameter(low=0.0, high=1.0, symbol=r"\xi", doc="decay rate of the second over the first")
    memory: bool = parameter(default=True, kind="flag", doc="non-local memory")
    virgin: str = parameter(default="backbone", kind="choice", choices=("backbone", "printed"), doc="virgin curve")

    def check(self) -> None:
        if self.overshoot_limit >= self.limit:
            raise InvalidInput(
                f"must be < limit ({self.limit:g})",
                owner="BlimanSorine",
                subject="overshoot_limit",
                value=self.overshoot_limit,
                advice=["the final asymptote is their difference"],
            )

    def parts(self) -> tuple[Leaf, ...]:
        if self.memory:
            names = ("stiffness", "limit", "overshoot_limit", "ratio", "virgin")
            return (Leaf(OvershootHysteresis(**{n: getattr(self, n) for n in names})),)
        from slipstick.laws.dahl import Dahl

        first = Leaf(Dahl(stiffness=self.stiffness, limit=self.limit))
        slope = self.ratio * self.stiffness * self.overshoot_limit / self.limit
        if slope == 0.0:
            return (first,)
        return (first, Leaf(Dahl(stiffness=slope, limit=self.overshoot_limit), force=-1.0))

    def equation(self) -> Any:
        import sympy as sp

        from slipstick.laws import law_symbols as s

        s1, c1, c2, xi = (s.symbol(self, n) for n in ("stiffness", "limit", "overshoot_limit", "ratio"))
        if not self.memory:  # (15): two forces that forget
            f1, f2 = (sp.Function(name)(s.t) for name in ("f_1", "f_2"))
            return (
                s.equation(s.f, f1 + f2),
                s.equation(f1.diff(s.t), s1 / c1 * s.v * (c1 - f1 * sp.sign(s.v))),
                s.equation(f2.diff(s.t), xi * s1 / c1 * s.v * (-c2 - f2 * sp.sign(s.v))),
            )
        fall = 1 - (1 - xi) * sp.exp(-xi * s1 / c1 * sp.Abs(s.u - s.u_m))
        return s.branch_equation(s1 / c1 * (2 * c1 - 2 * c2 * fall - (s.f - s.f_m) * s.direction))


class OvershootHysteresis(ReversalStackLaw):
    """Bliman-Sorine with non-local memory: the elementary law inside `BlimanSorine`."""

    stiffness: float = parameter(STIFFNESS, above=0.0, symbol=r"\sigma_1", doc="slope scale of the first part")
    limit: float = parameter(FORCE, above=0.0, symbol=r"\tau_{C1}", doc="asymptote of the first part")
    overshoot_limit: float = parameter(FORCE, low=0.0, symbol=r"\tau_{C2}", doc="asymptote of the second, subtracted")
    ratio: float = parameter(low=0.0, high=1.0, symbol=r"\xi", doc="decay rate of the second over the first")
    virgin: str = parameter(default="backbone", kind="choice", choices=("backbone", "printed"), doc="virgin curve")

    @property
    def restarts(self) -> float:
        return 1.0 if self.virgin == "printed" else 0.0

    def branch(self, x: float, start: float) -> float:
        r = self.stiffness / self.limit
        return overshoot_branch(x, r, self.limit, self.overshoot_limit, self.ratio)

    def virgin_curve(self, u: float, start: float, force: float) -> float:
        x = u - start
        s = sgn(x)
        if self.restarts > 0.0:  # first loading of (16), each part with f_m = -s f_C of its own, from the force at hand
            r = self.stiffness / self.limit
            fast = exp(-r * abs(x))
            final = s * (self.limit - self.overshoot_limit)
            return final + (force - final) * fast + s * self.overshoot_limit * (exp(-self.ratio * r * abs(x)) - fast)
        return force + 0.5 * s * self.branch(2.0 * abs(x), start)

    def first_slope(self, start: float) -> float:
        return 2.0 * self.stiffness * (1.0 - self.ratio * self.overshoot_limit / self.limit)


def overshoot_branch(x: float, r: float, c1: float, c2: float, xi: float) -> float:
    """Force gained x beyond a reversal: 2 c1 (1 - e^(-r x)) - 2 c2 (1 - e^(-xi r x)), fibre (16) integrated."""
    return -2.0 * c1 * expm1(-r * x) + 2.0 * c2 * expm1(-xi * r * x)


class FibreShear(ReversalStackLaw):
    """The full model of entangled fibres (fibre 22-30): hysteresis, overshoot that grows with amplitude, cubic spring.

    The overshoot limit alpha G3 |gamma_m|^3 belongs to the reversal a branch starts from, so only
    symmetric loops close by themselves. When a loop closes here, the older branch goes on from where the
    stress is: stress is continuous, the branch is shifted (by 319 Pa on the way 8e-3, 2e-3, 8e-3 of
    the 1e-2 loop of the paper's sample). Virgin curve: the tips of the symmetric loops.
    """

    stiffness: float = parameter(STIFFNESS, above=0.0, symbol=r"\sigma", doc="slope scale: 2 sigma after a reversal")
    limit: float = parameter(FORCE, above=0.0, symbol=r"\tau_C", doc="asymptote of the friction part")
    linear: float = parameter(STIFFNESS, symbol="G_1", doc="linear modulus")
    cubic: float = parameter((1, -3, 0), low=0.0, symbol="G_3", doc="cubic modulus")
    overshoot: float = parameter(low=0.0, symbol=r"\alpha", doc="overshoot limit over cubic stress at the reversal")
    ratio: float = parameter(low=0.0, high=1.0, symbol=r"\xi", doc="decay rate of the overshoot over that of friction")

    @property
    def shifts(self) -> float:
        return 1.0

    def branch(self, x: float, start: float) -> float:
        c2 = self.overshoot * self.cubic * abs(start) ** 3.0
        r = self.stiffness / (self.limit + c2 * (1.0 - self.ratio))  # sigma_1/tau_C1 of (29), (30)
        return overshoot_branch(x, r, self.limit + c2, c2, self.ratio)

    def virgin_curve(self, u: float, start: float, force: float) -> float:
        return force + 0.5 * sgn(u) * self.branch(2.0 * abs(u), u)

    def elastic(self, u: float) -> float:
        return u * (self.linear + self.cubic * u * u)

    def first_slope(self, start: float) -> float:
        return 2.0 * self.stiffness  # (27) keeps it, whatever the overshoot

    def tangent_of_elastic(self, u: float) -> float:
        return self.linear + 3.0 * self.cubic * u * u

    def equation(self) -> Any:
        import sympy as sp

        from slipstick.laws import law_symbols as s

        sigma, limit, g1, g3, alpha, xi = (s.symbol(self, f) for f in self.parameters())
        c2, r = sp.Symbol(r"\tau_{C2}", real=True), sp.Symbol("r", real=True)
        fall = 1 - (1 - xi) * sp.exp(-xi * r * sp.Abs(s.u - s.u_m))
        here, there = (g1 * x + g3 * x**3 for x in (s.u, s.u_m))
        gap = s.f - here - (s.f_m - there)
        slope = r * (2 * (limit + c2) - 2 * c2 * fall - gap * s.direction) + sp.diff(here, s.u)
        return (
            *s.branch_equation(slope),
            s.equation(c2, alpha * g3 * sp.Abs(s.u_m) ** 3),
            s.equation(r, sigma / (limit + c2 * (1 - xi))),
        )
