"""Segalman's four-parameter Iwan model of a joint (2005): sliders of all slip deflections, by a power law.

The stiffness of sliders that yield between phi and phi + dphi is rho(phi) dphi, with

    rho(phi) = R phi^chi for phi < phi_max, and S delta(phi - phi_max).

The virgin curve is the integral of rho min(u, phi). With K_T the sum of all stiffnesses, F_S the sum of all limits and
beta = S (chi + 1)/(R phi_max^(chi + 1)) it is

    B(u) = K_T u - R u^(chi + 2)/((chi + 1)(chi + 2))  up to phi_max, then F_S,
    phi_max = F_S (1 + beta)/(K_T (beta + (chi + 1)/(chi + 2))),   R = K_T (chi + 1)/((1 + beta) phi_max^(chi + 1)).

Branches follow Masing's rule, f = f_m +- 2 B(|u - u_m|/2), with a stack of reversals. A cycle of amplitude X < phi_max
dissipates 4 R X^(chi + 3)/((chi + 2)(chi + 3)): a power 3 + chi of the amplitude.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise, product
from typing import Any

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import InvalidInput, short_repr
from slipstick.laws.base import Law
from slipstick.laws.identification_traits import DerivedQuantity, IdentificationTraits, LoopView
from slipstick.laws.law_words import LawWords
from slipstick.laws.masing import Iwan
from slipstick.laws.parameters import parameter
from slipstick.laws.reversal_stack_law import ReversalStackLaw
from slipstick.scalar import sgn
from slipstick.units.dimensions import DEFLECTION, FORCE, STIFFNESS


class Iwan4(ReversalStackLaw):
    """Four-parameter Iwan model (Segalman 2005): a continuum of sliders, whose loss grows with amplitude^(3 + chi).

    Exact methods take `discretised`, an Iwan law of finitely many sliders with a stated error.
    """

    stiffness: float = parameter(STIFFNESS, above=0.0, symbol="K_T", doc="stiffness of small motions")
    limit: float = parameter(FORCE, above=0.0, symbol="F_S", doc="sliding force")
    chi: float = parameter(above=-1.0, symbol=r"\chi", doc="power of the density of sliders; joints: -1 to 0")
    beta: float = parameter(low=0.0, symbol=r"\beta", doc="stiffness that yields at once in macroslip, over the rest")
    identification = IdentificationTraits(
        derived=(DerivedQuantity("macroslip_begins", lambda law: law.macroslip, DEFLECTION),)
    )
    derived = ("restarts", "shifts", "macroslip", "softening")  # type: ignore[assignment]

    @property
    def macroslip(self) -> float:
        """phi_max, the deflection at which all sliders slip."""
        whole = self.beta + (self.chi + 1.0) / (self.chi + 2.0)
        return self.limit * (1.0 + self.beta) / (self.stiffness * whole)

    @property
    def softening(self) -> float:
        """The factor of u^(chi + 2) in the virgin curve: R/((chi + 1)(chi + 2))."""
        return float(self.stiffness / ((1.0 + self.beta) * (self.chi + 2.0) * self.macroslip ** (self.chi + 1.0)))

    def branch(self, x: float, start: float) -> float:
        y = 0.5 * x
        if y >= self.macroslip:
            return 2.0 * self.limit
        return float(2.0 * (self.stiffness * y - self.softening * y ** (self.chi + 2.0)))

    def virgin_curve(self, u: float, start: float, force: float) -> float:
        x = u - start
        return force + 0.5 * sgn(x) * self.branch(2.0 * abs(x), start)

    def spent(self, s: float, force: float, first: float) -> float:
        return self.macroslip if first > 0.0 else 2.0 * self.macroslip

    def first_slope(self, start: float) -> float:
        return self.stiffness

    def dissipation(self, amplitude: float) -> float:
        """Energy [J] that a closed cycle of this amplitude dissipates."""
        x = min(amplitude, self.macroslip)
        factor = self.softening * (self.chi + 1.0)  # R/(chi + 2)
        micro = 4.0 * factor * x ** (self.chi + 3.0) / (self.chi + 3.0)
        return float(micro + 4.0 * self.limit * max(amplitude - self.macroslip, 0.0))

    def discretised(self, elements: int) -> Iwan:
        """Jenkins elements whose virgin curve meets this one at ``elements`` deflections."""
        breaks, slopes = self._chords(elements)
        stiffnesses = -np.diff(slopes, append=0.0)
        return Iwan(stiffnesses=tuple(stiffnesses), limits=tuple(stiffnesses * breaks[1:]))

    def discretisation_error(self, elements: int) -> float:
        """Largest error [N] of the virgin curve of `discretised`.

        Cycles about zero have up to twice as much, and each inner loop within another one twice as much again.
        """
        breaks, slopes = self._chords(elements)
        worst = 0.0
        for (a, _), slope in zip(pairwise(breaks), slopes, strict=True):
            # where the curve has the slope of the chord
            drop = (1.0 - slope / self.stiffness) * (1.0 + self.beta)
            u = self.macroslip * drop ** (1.0 / (self.chi + 1.0))
            chord = 0.5 * self.branch(2.0 * a, 0.0) + slope * (u - a)
            worst = max(worst, 0.5 * self.branch(2.0 * u, 0.0) - chord)
        return float(worst)

    def _chords(self, elements: int) -> tuple[Array, Array]:
        """Deflections with chords of about equal error, from 0 to macroslip, and the slopes of the chords."""
        if isinstance(elements, bool) or not isinstance(elements, (int, np.integer)) or elements < 1:
            raise InvalidInput(f"elements must be a whole number >= 1, got {short_repr(elements)}", owner="Iwan4")
        breaks = self.macroslip * np.linspace(0.0, 1.0, int(elements) + 1) ** (1.0 / (1.0 + 0.5 * self.chi))
        forces = [0.5 * self.branch(2.0 * u, 0.0) for u in breaks[:-1]]
        return breaks, np.asarray(np.diff([*forces, self.limit]) / np.diff(breaks))

    def equation(self) -> Any:
        import sympy as sp

        from slipstick.laws import law_symbols as s

        k, limit, chi, beta = (s.symbol(self, name) for name in self.parameters())
        x, end, curve = sp.Symbol("x", real=True), sp.Symbol(r"\phi_{max}", real=True), sp.Function("B")
        softening = k * x / ((1 + beta) * (chi + 2)) * (x / end) ** (chi + 1)
        return (
            s.equation(s.f, s.f_m + 2 * s.direction * curve(s.direction * (s.u - s.u_m) / 2)),
            s.equation(curve(x), sp.Piecewise((k * x - softening, x < end), (limit, True))),
            s.equation(end, limit * (1 + beta) / (k * (beta + (chi + 1) / (chi + 2)))),
        )

    @staticmethod
    def start_values(loops: LoopView) -> Iterator[Law]:
        for share, (chi, beta) in product((1.0, 1.5), ((-0.5, 0.5), (-0.2, 2.0), (-0.8, 0.1))):
            yield Iwan4(stiffness=loops.first_slope, limit=share * loops.height, chi=chi, beta=beta)


# ---- words

Iwan4.words = LawWords(
    title="four-parameter Iwan",
    force="a continuum of sliders",
    symbols=(
        r"$u_m, f_m$ are deflection and force at the last reversal that is not wiped out, $s$ is the direction. $B$ is "
        r"the virgin curve, with $f = B(u)$; macroslip begins at $\phi_{max}$."
    ),
    use=(
        "Bolted and lap joints in microslip (Segalman 2005): the loss of small motions is a power $3 + \\chi$ of the "
        "amplitude, as measured, and all of the joint slips at the limit. Inner loops close. For exact methods, "
        "`law.discretised(elements)` is an `Iwan` law, and `law.discretisation_error(elements)` the largest error of "
        "its virgin curve: for $K_T = 2$, $F_S = 3$, $\\chi = -0.1$, $\\beta = 0.1$, 0.0065 with 10 elements and "
        "6.5e-5 with 100. Cycles have up to twice as much."
    ),
    identify=(
        r"The slope of small loops is $K_T$; the slope of their loss over the amplitude, both logarithmic, is "
        r"$3 + \chi$. $F_S$ and $\beta$ need loops that reach macroslip. Use loops of three amplitudes or more."
    ),
    example="stiffness=4e5, limit=120.0, chi=-0.4, beta=0.5",
    amplitudes=(1e-4, 3e-4, 0.001),
    noise=1.0,
)
