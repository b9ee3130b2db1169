"""Laws with non-local memory: dynamic hysteresis, with overshoot, and fibre shear (fibre paper, section 4).

Their force depends on a stack of reversals, see `slipstick.laws.reversal_stack_law`.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import exp, expm1
from typing import Any

import numpy as np

from slipstick.errors import InvalidInput
from slipstick.laws.base import UNREACHABLE_DEFLECTION, Law, Leaf
from slipstick.laws.composite import Composite
from slipstick.laws.dahl_family import STEEPEST_SLOPE
from slipstick.laws.identification_traits import DerivedQuantity, IdentificationTraits, LoopView, positive_or
from slipstick.laws.law_words import LawWords
from slipstick.laws.parameters import parameter
from slipstick.laws.reversal_stack_law import ReversalStackLaw
from slipstick.scalar import decay, extinction, sgn
from slipstick.units.dimensions import FORCE, STIFFNESS


class DynamicHysteresis(ReversalStackLaw):
    """Dahl's dynamic hysteresis model (fibre 8): df/du = sigma (2 - |f - f_m|/f_C)^i after a reversal at f_m.

    Every branch starts with the slope 2^i sigma and tends to +-f_C. Virgin curve: "backbone", half a branch by Masing's
    rule, with the same first slope; or "printed", the paper's rule f_m = -f_C at first loading, with first slope sigma.
    """

    stiffness: float = parameter(STIFFNESS, above=0.0, symbol=r"\sigma", doc="slope scale: 2^i sigma after a reversal")
    limit: float = parameter(FORCE, above=0.0, symbol=r"\tau_C", doc="asymptotic force")
    exponent: float = parameter(default=1.0, above=0.0, symbol="i", doc="shape: below 1 ductile, above brittle")
    virgin: str = parameter(default="backbone", kind="choice", choices=("backbone", "printed"), doc="virgin curve")
    identification = IdentificationTraits(derived=(STEEPEST_SLOPE,), paper_rules="backbone")

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

    @staticmethod
    def start_values(loops: LoopView) -> Iterator[Law]:
        yield from loops.by_rule("backbone")
        for exponent, share in product((1.0, 0.5, 1.8), (1.0, 1.5)):
            stiffness = loops.first_slope / 2.0**exponent
            yield DynamicHysteresis(stiffness=stiffness, limit=share * loops.height, exponent=exponent)


class BlimanSorine(Composite):
    """Two Dahl models of opposite sign, for stiction-like overshoot (fibre 15-21).

    The first force rises fast to its limit, the second is subtracted and rises slowly: a peak after each reversal.
    ``memory=True``: non-local memory, fibre (16), equal to the one-state form (20).
    ``memory=False``: the original (15), which remembers only its two forces.
    """

    stiffness: float = parameter(STIFFNESS, above=0.0, symbol=r"\sigma_1", doc="slope scale of the first part")
    limit: float = parameter(FORCE, above=0.0, symbol=r"\tau_{C1}", doc="asymptote of the first part")
    overshoot_limit: float = parameter(FORCE, low=0.0, symbol=r"\tau_{C2}", doc="asymptote of the second, subtracted")
    ratio: float = parameter(low=0.0, high=1.0, symbol=r"\xi", doc="decay rate of the second over the first")
    memory: bool = parameter(default=True, kind="flag", doc="non-local memory")
    virgin: str = parameter(default="backbone", kind="choice", choices=("backbone", "printed"), doc="virgin curve")
    identification = IdentificationTraits(
        derived=(
            DerivedQuantity("final_limit", lambda law: law.limit - law.overshoot_limit, FORCE),
            DerivedQuantity(
                "initial_stiffness",
                lambda law: 2.0 * law.stiffness * (1.0 - law.ratio * law.overshoot_limit / law.limit),
                STIFFNESS,
            ),
        ),
        paper_rules="overshoot",
    )

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
        if not self.memory:  # (15)
            f1, f2 = (sp.Function(name)(s.t) for name in ("f_1", "f_2"))
            return (
                s.equation(s.f, f1 + f2),
                s.equation(f1.diff(s.t), s1 / c1 * s.v * (c1 - f1 * sp.sign(s.v))),
                s.equation(f2.diff(s.t), xi * s1 / c1 * s.v * (-c2 - f2 * sp.sign(s.v))),
            )
        fall = 1 - (1 - xi) * sp.exp(-xi * s1 / c1 * sp.Abs(s.u - s.u_m))
        return s.branch_equation(s1 / c1 * (2 * c1 - 2 * c2 * fall - (s.f - s.f_m) * s.direction))

    @staticmethod
    def start_values(loops: LoopView) -> Iterator[Law]:
        yield from loops.by_rule("overshoot")
        for over, ratio in product((0.2, 0.5), (0.1, 0.4)):
            limit = loops.height / (1.0 - over)
            stiffness = 0.5 * loops.first_slope / (1.0 - ratio * over)
            yield BlimanSorine(stiffness=stiffness, limit=limit, overshoot_limit=over * limit, ratio=ratio)


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
        if self.restarts > 0.0:  # first loading of (16): each part has f_m = -s f_C, and starts from the current force
            r = self.stiffness / self.limit
            fast = exp(-r * abs(x))
            final = s * (self.limit - self.overshoot_limit)
            return final + (force - final) * fast + s * self.overshoot_limit * (exp(-self.ratio * r * abs(x)) - fast)
        return force + 0.5 * s * self.branch(2.0 * abs(x), start)

    def first_slope(self, start: float) -> float:
        return 2.0 * self.stiffness * (1.0 - self.ratio * self.overshoot_limit / self.limit)


def overshoot_branch(x: float, r: float, c1: float, c2: float, xi: float) -> float:
    """Force gained at x from a reversal: 2 c1 (1 - e^(-r x)) - 2 c2 (1 - e^(-xi r x)), the integral of fibre (16)."""
    return -2.0 * c1 * expm1(-r * x) + 2.0 * c2 * expm1(-xi * r * x)


class FibreShear(ReversalStackLaw):
    """The full model of entangled fibres (fibre 22-30): hysteresis, overshoot that grows with amplitude, cubic spring.

    The overshoot limit alpha G3 |gamma_m|^3 depends on the reversal where a branch starts, so only symmetric loops
    close by themselves. When another loop closes, the older branch is shifted to the current stress, which stays
    continuous (by 319 Pa on the path 8e-3, 2e-3, 8e-3 within the 1e-2 loop of the paper's sample). Virgin curve: the
    tips of the symmetric loops.
    """

    stiffness: float = parameter(STIFFNESS, above=0.0, symbol=r"\sigma", doc="slope scale: 2 sigma after a reversal")
    limit: float = parameter(FORCE, above=0.0, symbol=r"\tau_C", doc="asymptote of the friction part")
    linear: float = parameter(STIFFNESS, symbol="G_1", doc="linear modulus")
    cubic: float = parameter((1, -3, 0), low=0.0, symbol="G_3", doc="cubic modulus")
    overshoot: float = parameter(low=0.0, symbol=r"\alpha", doc="overshoot limit over cubic stress at the reversal")
    ratio: float = parameter(low=0.0, high=1.0, symbol=r"\xi", doc="decay rate of the overshoot over that of friction")
    identification = IdentificationTraits(
        derived=(DerivedQuantity("initial_modulus", lambda law: law.linear + 2.0 * law.stiffness, STIFFNESS),),
        paper_rules="backbone_and_overshoot",
    )

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
        return 2.0 * self.stiffness  # by (27) for any overshoot

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

    @staticmethod
    def start_values(loops: LoopView) -> Iterator[Law]:
        """The middle line is linear * u + cubic * u^3; the rest of the slope after a reversal belongs to friction."""
        yield from loops.by_rule("backbone_and_overshoot")
        size = loops.amplitude
        basis = np.stack((loops.u**3, loops.u), axis=1) / size
        cubic, linear = (float(x) for x in np.linalg.lstsq(basis, loops.middle_line, rcond=None)[0] / size)
        stiffness = positive_or(0.5 * (loops.first_slope - linear), 0.1 * loops.first_slope)
        for over, ratio in product((0.3, 1.0), (0.2, 0.5)):
            yield FibreShear(
                stiffness=stiffness, limit=loops.typical_height, linear=linear,
                cubic=max(cubic, 1e-3 * abs(linear) / size**2), overshoot=over, ratio=ratio,
            )  # fmt: skip


# ---- words

DynamicHysteresis.words = LawWords(
    title="dynamic hysteresis",
    force="non-local memory",
    paper="fibre (8)",
    symbols="$u_m, f_m$ are deflection and force at the last reversal that is not wiped out, $s$ is the direction.",
    use=(
        "Smooth loops whose inner loops must close: joints, entangled fibres, wire mesh, rubber with filler. The law "
        "keeps a stack of reversals, and an inner loop that has closed leaves no trace. With exponent 1 a branch is "
        "an exponential."
    ),
    identify=(
        r"The slope after a reversal is $2^i \sigma$, half the height of large loops the limit. One loop that bends "
        "well into slip determines all three parameters; a recorded virgin curve helps."
    ),
    example="stiffness=4e5, limit=100.0",
)

BlimanSorine.words = LawWords(
    title="Bliman-Sorine",
    force="with overshoot",
    paper="fibre (15)-(21)",
    symbols="$u_m, f_m$ are deflection and force at the last reversal that is not wiped out, $s$ is the direction.",
    use=(
        "A peak after each reversal, before the force falls to its sliding value: static friction above kinetic "
        "friction, without any dependence on speed. It is the difference of two laws with different reach."
    ),
    identify=(
        r"The sliding force of long strokes is $\tau_{C1} - \tau_{C2}$; the height of the peak and how far it reaches "
        "give the other two. Strokes must be long, several times the width of the peak. Otherwise the data determine "
        "only combinations of the parameters."
    ),
    example="stiffness=8e5, limit=200.0, overshoot_limit=100.0, ratio=0.2",
    amplitude=0.002,
)

FibreShear.words = LawWords(
    title="fibre shear",
    force="overshoot that grows with amplitude",
    paper="fibre (22)-(30)",
    symbols=(
        "$u_m, f_m$ are deflection and force at the last reversal that is not wiped out, $s$ is the direction. "
        r"$\tau_{C2}$ is what the overshoot takes at its most, fixed at each reversal by how far the motion came."
    ),
    use=(
        "Entangled fibres and metal mesh in shear: a cubic spring, friction that remembers, and an overshoot that "
        "grows with amplitude. The deflection is a strain and the force a stress; `law.scaled(deflection=1/thickness, "
        "force=area)` makes a mount of it."
    ),
    identify=(
        "Several amplitudes are necessary, ten in the paper: one loop cannot separate the cubic stiffness from the "
        "overshoot. Fitting in stages, as the paper does, is in [the rules](../rules.md); `ss.trend` fits the "
        "parameters over frequency."
    ),
    example="stiffness=1.49e6, limit=1.07e3, linear=6e5, cubic=2.38e9, overshoot=0.92, ratio=0.37",
    amplitude=0.01,
    amplitudes=(0.001, 0.003, 0.006, 0.01),
    noise=5.0,
    system="stress",
)
