"""Bouc-Wen hysteresis that degrades and pinches: Baber and Noori (1985), pinching by Foliente (1995).

    f = ratio k u + (1 - ratio) k z
    dz/du = h (1 - nu |z|^n (gamma + beta sgn(v z)))/eta
    e = (1 - ratio) k times the integral of z du,  nu = 1 + delta_nu e,  eta = 1 + delta_eta e
    h = 1 - zeta_1 exp(-(z sgn(v) - q z_u)^2/zeta_2^2),  z_u = (nu (beta + gamma))^(-1/n)
    zeta_1 = zeta_s (1 - exp(-p e)),  zeta_2 = (psi + delta_psi e)(lambda + zeta_1)

nu lowers the strength, eta the stiffness, h the slope where z passes q z_u: the loop is pinched there. Without
degradation and pinching this is `BoucWen` with A = 1. An update integrates z and e over the deflection by the classical
Runge-Kutta method of fourth order, with steps that keep the error of the force near 1e-6 of its limit.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import exp, nan
from typing import Any

from slipstick.errors import InvalidInput
from slipstick.laws.base import Law, Memory
from slipstick.laws.boucwen import BoucWen
from slipstick.laws.faces import Linearised
from slipstick.laws.identification_traits import IdentificationTraits, LoopView
from slipstick.laws.law_words import LawWords
from slipstick.laws.parameters import parameter
from slipstick.scalar import sgn
from slipstick.units.dimensions import DEFLECTION, STIFFNESS, Dimension

STEP_REL = 0.02  # of the limit of z
PINCHED_STEP_REL = 0.1  # of the width of the pinched range
START_WIDTH_REL = 0.3  # of the limit of z: a start value of the width of the pinched range
MAX_STEPS = 100_000  # of an update
PER_ENERGY: Dimension = (-1.0, -1.0, 0.0)


def _shape_dimension(law: Any) -> Dimension:
    return (0.0, -law.exponent, 0.0)


class BoucWenBaberNoori(Law):
    """Bouc-Wen law whose strength and stiffness fall with the energy it has taken up, and which pinches.

    The energy grows with every cycle, so no motion repeats and periodic methods refuse the law; `BoucWen` is the law
    without degradation.
    """

    stiffness: float = parameter(STIFFNESS, above=0.0, symbol="k", doc="initial stiffness")
    ratio: float = parameter(low=0.0, high=1.0, symbol=r"\rho", doc="elastic share")
    beta: float = parameter(_shape_dimension, symbol=r"\beta", doc="shape, with the direction")
    gamma: float = parameter(_shape_dimension, symbol=r"\gamma", doc="shape, without it")
    exponent: float = parameter(default=1.0, low=1.0, symbol="n", doc="sharpness of the yield")
    strength_degradation: float = parameter(
        PER_ENERGY, default=0.0, low=0.0, symbol=r"\delta_\nu", doc="loss of strength with energy"
    )
    stiffness_degradation: float = parameter(
        PER_ENERGY, default=0.0, low=0.0, symbol=r"\delta_\eta", doc="loss of stiffness with energy"
    )
    pinching: float = parameter(default=0.0, low=0.0, below=1.0, symbol=r"\zeta_s", doc="final loss of slope")
    pinching_rate: float = parameter(PER_ENERGY, default=0.0, low=0.0, symbol="p", doc="growth of pinching with energy")
    pinching_level: float = parameter(default=0.0, symbol="q", doc="where it pinches, over the limit of z")
    pinching_width: float = parameter(DEFLECTION, default=0.0, low=0.0, symbol=r"\psi", doc="range of z it takes")
    pinching_spread: float = parameter(
        (-1.0, 0.0, 0.0), default=0.0, low=0.0, symbol=r"\delta_\psi", doc="growth of that range with energy"
    )
    pinching_coupling: float = parameter(default=0.1, low=0.0, symbol=r"\lambda", doc="range before pinching has grown")
    remembers = ("deflection", "z", "energy")
    identification = IdentificationTraits(
        held=(
            "pinching", "pinching_rate", "pinching_level", "pinching_width", "pinching_spread", "pinching_coupling",
        ),
        search_range={"pinching_width": (1e-2, 1e2), "pinching_coupling": (0.2, 20.0)},
    )  # fmt: skip
    state_names = ("stick", "slip")
    is_odd = True
    never_settles = True

    def check(self) -> None:
        if self.beta + self.gamma <= 0.0:
            raise InvalidInput(
                "beta + gamma must be > 0, so that the force has a limit", owner="BoucWenBaberNoori", argument="beta"
            )
        if self.pinching > 0.0 and not (self.pinching_width > 0.0 and self.pinching_coupling > 0.0):
            raise InvalidInput(
                "pinching needs pinching_width > 0 and pinching_coupling > 0",
                owner="BoucWenBaberNoori",
                argument="pinching",
            )

    def update(self, u: float, v: float, memory: Memory) -> tuple[float, Memory]:
        last, z, energy = memory
        s = sgn(u - last)
        left = abs(u - last)
        k = (1.0 - self.ratio) * self.stiffness
        for _ in range(MAX_STEPS):
            if left <= 0.0:
                break
            h = min(left, self.step(energy))
            z1 = self.slope(z, energy, s)
            z2 = self.slope(z + 0.5 * h * s * z1, energy + 0.5 * h * s * k * z, s)
            middle = z + 0.5 * h * s * z1
            z3 = self.slope(z + 0.5 * h * s * z2, energy + 0.5 * h * s * k * middle, s)
            other = z + 0.5 * h * s * z2
            z4 = self.slope(z + h * s * z3, energy + h * s * k * other, s)
            end = z + h * s * z3
            energy += s * k * h / 6.0 * (z + 2.0 * middle + 2.0 * other + end)
            z += s * h / 6.0 * (z1 + 2.0 * z2 + 2.0 * z3 + z4)
            left -= h
        if left > 0.0:  # too many steps: no number rather than a wrong one
            z = nan
        return self.stiffness * self.ratio * u + k * z, (u, z, energy)

    def slope(self, z: float, energy: float, s: float) -> float:
        """dz/du in direction s."""
        strength = 1.0 + self.strength_degradation * energy
        slope = 1.0 - strength * abs(z) ** self.exponent * (self.gamma + self.beta * sgn(s * z))
        slope /= 1.0 + self.stiffness_degradation * energy
        if self.pinching > 0.0:
            depth = self.depth(energy)
            x = (z * s - self.pinching_level * self.limit_of_z(energy)) / self.pinched_range(energy, depth)
            slope *= 1.0 - depth * exp(-x * x)
        return float(slope)

    def depth(self, energy: float) -> float:
        """zeta_1, the loss of slope after so much energy."""
        return float(self.pinching * (1.0 - exp(-self.pinching_rate * max(energy, 0.0))))

    def pinched_range(self, energy: float, depth: float) -> float:
        """zeta_2, the range of z that pinches."""
        return float((self.pinching_width + self.pinching_spread * energy) * (self.pinching_coupling + depth))

    def limit_of_z(self, energy: float) -> float:
        """z_u, the largest z after so much energy."""
        return float(((1.0 + self.strength_degradation * energy) * (self.beta + self.gamma)) ** (-1.0 / self.exponent))

    def step(self, energy: float) -> float:
        """A step of the deflection that resolves yield and pinching."""
        h = STEP_REL * self.limit_of_z(energy)
        if self.pinching > 0.0:  # the error grows with the depth times the fourth power of the step
            h = min(h, PINCHED_STEP_REL * self.pinched_range(energy, self.depth(energy)) / self.pinching**0.25)
        return h

    def linearised(self, state: str | None = None, u: float = 0.0) -> Linearised:
        """stick: the initial slope; slip: the elastic share."""
        self.refuse_state(state)
        return Linearised(self.stiffness * (self.ratio if state == "slip" else 1.0), 0.0)

    def equation(self) -> Any:
        import sympy as sp

        from slipstick.laws import law_symbols as s

        k, rho, b, g, n, d_nu, d_eta, zs, p, q, psi, d_psi, lam = (s.symbol(self, x) for x in self.parameters())
        z, e = sp.Function("z")(s.t), sp.Function("e")(s.t)
        h, nu, eta, z1, z2, zu = (
            sp.Symbol(x, real=True) for x in ("h", r"\nu", r"\eta", r"\zeta_1", r"\zeta_2", "z_u")
        )
        rate = h / eta * (s.v - nu * s.v * sp.Abs(z) ** n * (g + b * sp.sign(s.v * z)))
        return (
            s.equation(s.f, k * (rho * s.u + (1 - rho) * z)),
            s.equation(z.diff(s.t), rate),
            s.equation(e.diff(s.t), (1 - rho) * k * z * s.v),
            s.equation(nu, 1 + d_nu * e),
            s.equation(eta, 1 + d_eta * e),
            s.equation(h, 1 - z1 * sp.exp(-((z * sp.sign(s.v) - q * zu) ** 2) / z2**2)),
            s.equation(z1, zs * (1 - sp.exp(-p * e))),
            s.equation(z2, (psi + d_psi * e) * (lam + z1)),
            s.equation(zu, (nu * (b + g)) ** (-1 / n)),
        )

    @staticmethod
    def start_values(loops: LoopView) -> Iterator[Law]:
        """Those of `BoucWen`, with degradation that halves the strength within a few cycles, or hardly any.

        Pinching is zero. Its rate and width are those that it would begin with, if a user asks for it.
        """
        work = 4.0 * loops.height * loops.amplitude
        for start in BoucWen.start_values(loops):
            own = {name: value for name, value in start.parameters().items() if name != "A"}
            width = START_WIDTH_REL * (own["beta"] + own["gamma"]) ** (-1.0 / own["exponent"])
            for loss in (0.02, 0.2):
                yield BoucWenBaberNoori(
                    **own, strength_degradation=loss / work, stiffness_degradation=loss / work,
                    pinching_rate=1.0 / work, pinching_width=width, pinching_coupling=0.5,
                )  # fmt: skip


# ---- words

BoucWenBaberNoori.words = LawWords(
    title="Bouc-Wen-Baber-Noori",
    force="Bouc-Wen that degrades and pinches",
    summary="Bouc-Wen law whose strength and stiffness fall with the energy it has taken up, and which pinches.",
    symbols=(
        r"$z$ is the inner deflection, $e$ the energy that the law has taken up. $\nu$ lowers the strength, $\eta$ the "
        r"stiffness; $h$ pinches the loop where $z$ passes $q z_u$. $\delta_\nu, \delta_\eta$ are those of Baber and "
        r"Noori (1985), $\zeta_s, p, q, \psi, \delta_\psi, \lambda$ those of Foliente (1995)."
    ),
    use=(
        "Concrete columns, timber walls and connections under earthquake loads: each cycle takes strength and "
        "stiffness, and cracks or holes pinch the loop near zero force. The energy grows with every cycle, so only "
        "transients take the law. Without degradation use `BoucWen`, which is exact."
    ),
    identify=(
        "Use the whole test from the virgin state, with growing amplitudes. Its pinching is that of the template, "
        "or zero; what `bounds=` or `priors=` name is fitted."
    ),
    memory="its inner deflection and the energy it has taken up",
    example=(
        "stiffness=5e5, ratio=0.1, beta=2.5e3, gamma=2.5e3, strength_degradation=0.5, stiffness_degradation=1.0, "
        "pinching=0.8, pinching_rate=5.0, pinching_level=0.1, pinching_width=1e-4, pinching_coupling=0.5"
    ),
    noise=2.0,
    fit=(
        'law, fixed={"exponent": 1.0, "pinching": 0.8, "pinching_rate": 5.0, "pinching_level": 0.1, '
        '"pinching_width": 1e-4, "pinching_coupling": 0.5}'
    ),
)
