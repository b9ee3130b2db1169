"""Springs and dampers in series: the Maxwell element, and the Zener model with a parallel spring.

    Maxwell   u --- spring k --- damper c --- ground
    Zener     Maxwell | spring k0                         in parallel (standard linear solid)

The force relaxes: df/dt = k du/dt - f/tau with tau = c/k. After a step of the deflection it falls as e^(-t/tau), and in
a harmonic motion the complex stiffness is k i omega tau/(1 + i omega tau). Methods that integrate memory rates use this
equation; others place a joint between spring and damper (`slipstick.model.series_joints`) and see linear parts.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import exp, expm1, pi
from typing import Any

import numpy as np

from slipstick.arrays import Array
from slipstick.laws.base import Law, Leaf, Memory
from slipstick.laws.composite import Composite
from slipstick.laws.diagram_symbols import SPRING_DASHPOT, DiagramSymbol
from slipstick.laws.elastic import Linear, parallel_linear
from slipstick.laws.faces import Linearised
from slipstick.laws.identification_traits import DerivedQuantity, IdentificationTraits, LoopView
from slipstick.laws.law_words import LawWords
from slipstick.laws.parameters import parameter
from slipstick.units.dimensions import DAMPING, STIFFNESS, TIME

RELAXATION_TIME = DerivedQuantity("relaxation_time", lambda law: law.damping / law.stiffness, TIME)


class Maxwell(Law):
    """Spring and damper in series: df/dt = k v - f/tau with the relaxation time tau = c/k.

    The force is zero at the start. An update is exact for a constant rate between samples, and of second order for
    smooth motions. The force relaxes at rest too, so the memory begins with the time of the sample, set by `trace`.
    """

    stiffness: float = parameter(STIFFNESS, above=0.0, symbol="k", doc="spring, the stiffness of fast motions")
    damping: float = parameter(DAMPING, above=0.0, symbol="c", doc="damper, the damping of slow motions")
    remembers = ("time", "last_time", "deflection", "force")
    keeps_time = True
    needs_rate = True
    identification = IdentificationTraits(derived=(RELAXATION_TIME,))
    is_odd = True

    def update(self, u: float, v: float, memory: Memory) -> tuple[float, Memory]:
        time, last_time, last, f = memory
        x = (time - last_time) * self.stiffness / self.damping
        f = f * exp(-x) + self.stiffness * (u - last) * mean_relaxation(x)
        return f, (time, time, u, f)

    def start(self, u: float = 0.0) -> Memory:
        """Relaxed at u."""
        return (0.0, 0.0, float(u), 0.0)

    def stored(self, u: float, memory: Memory) -> float:
        return 0.5 * memory[3] ** 2 / self.stiffness

    def inner_state(self, memory: Memory) -> float:
        return memory[3]

    def inner_rate(self, u: float, v: float, z: float, memory: Memory) -> float:
        return self.stiffness * (v - z / self.damping)

    def inner_force(self, u: float, v: float, z: float) -> float:
        return z

    def settled(self, u: float, v: float, z: float, memory: Memory) -> Memory:
        return (0.0, 0.0, u, z)

    @property
    def joint_parts(self) -> tuple[Law, ...]:
        return Linear(stiffness=self.stiffness), Linear(damping=self.damping)

    def rest_deflections(self, u: float) -> tuple[float, ...]:
        return 0.0, u

    def part_motion(self, u: Array, t: Array) -> Array:
        period = t[-1] - t[0]
        force = self.trace(np.append(u, u[1:]), np.append(t, t[1:] + period))[-u.size :]
        return np.array([force / self.stiffness, u - force / self.stiffness])

    @property
    def at_rest(self) -> Law:
        return Linear()

    def linearised(self, state: str | None = None, u: float = 0.0) -> Linearised:
        """Stiffness and damping of slow motions: the damper alone."""
        self.refuse_state(state)
        return Linearised(0.0, self.damping)

    @property
    def diagram_symbol(self) -> DiagramSymbol:
        return SPRING_DASHPOT

    def equation(self) -> Any:
        import sympy as sp

        from slipstick.laws import law_symbols as s

        k, c = (s.symbol(self, name) for name in self.parameters())
        w = sp.Function("w")(s.t)
        return (s.equation(s.f, k * w), s.equation(w.diff(s.t), s.v - k * w / c))

    @staticmethod
    def start_values(loops: LoopView) -> Iterator[Law]:
        """From storage and loss stiffness of the largest loop: their ratio is omega tau."""
        omega, loss = _frequency(loops), loops.height / loops.amplitude
        ratio = max(loops.secant / loss, 0.05)
        for x in (ratio, 0.3 * ratio, 3.0 * ratio):
            stiffness = loss * (1.0 + x * x) / x
            yield Maxwell(stiffness=stiffness, damping=stiffness * x / omega)


class Zener(Composite):
    """Standard linear solid, Maxwell element and spring in parallel: f = k0 u + g, dg/dt = k v - g/tau, tau = c/k."""

    stiffness: float = parameter(STIFFNESS, above=0.0, symbol="k", doc="spring in series with the damper")
    damping: float = parameter(DAMPING, above=0.0, symbol="c", doc="damper")
    parallel_stiffness: float = parameter(STIFFNESS, low=0.0, symbol="k_0", doc="parallel spring, for slow motions")
    identification = IdentificationTraits(
        derived=(
            RELAXATION_TIME,
            DerivedQuantity("fast_stiffness", lambda law: law.stiffness + law.parallel_stiffness, STIFFNESS),
        )
    )

    def parts(self) -> tuple[Leaf, ...]:
        element = Maxwell(stiffness=self.stiffness, damping=self.damping)
        return (Leaf(element), *parallel_linear(self.parallel_stiffness))

    @property
    def diagram_symbol(self) -> DiagramSymbol:
        return SPRING_DASHPOT

    def equation(self) -> Any:
        import sympy as sp

        from slipstick.laws import law_symbols as s

        k, c, k0 = (s.symbol(self, name) for name in self.parameters())
        w = sp.Function("w")(s.t)
        return (s.equation(s.f, k * w + k0 * s.u), s.equation(w.diff(s.t), s.v - k * w / c))

    @staticmethod
    def start_values(loops: LoopView) -> Iterator[Law]:
        """A part of the secant stiffness for the parallel spring; the rest as a Maxwell element."""
        omega, loss = _frequency(loops), loops.height / loops.amplitude
        secant = max(loops.secant, 0.1 * loss)
        for share, x in product((0.5, 0.9, 0.1), (1.0, 0.2, 5.0)):
            stiffness = loss * (1.0 + x * x) / x
            yield Zener(stiffness=stiffness, damping=stiffness * x / omega, parallel_stiffness=share * secant)


def mean_relaxation(x: float) -> float:
    """(1 - e^(-x))/x: the mean of e^(-s) over s from 0 to x."""
    if x < 1e-9:
        return 1.0 - 0.5 * x
    return -expm1(-x) / x


def _frequency(loops: LoopView) -> float:
    """The frequency of the cycles [rad/s]; 1 without times."""
    return 2.0 * pi / loops.period if loops.period else 1.0


# ---- words

Maxwell.words = LawWords(
    title="Maxwell element",
    force="spring and damper in series",
    symbols="$w$ is the stretch of the spring.",
    use=(
        "Fluid dampers with an elastic hose or seat, elastomers at one frequency, and everything that relaxes under a "
        "held deflection. Fast motions feel the spring, slow ones the damper; the loss is largest at "
        r"$\omega = k/c$. If a force remains after relaxation, use `Zener`."
    ),
    identify=(
        r"Needs times with the loop. One frequency determines both numbers: the ratio of storage to loss stiffness is "
        r"$\omega c/k$. The samples must resolve the motion: between them the deflection moves at a constant rate."
    ),
    memory="the force of its spring",
    example="stiffness=2e5, damping=2e4",
    noise=0.5,
    over_rate=True,
)

Zener.words = LawWords(
    title="Zener model",
    force="Maxwell element beside a spring",
    symbols="$w$ is the stretch of the spring in series with the damper.",
    use=(
        "Rubber mounts and bushings over a range of frequencies: the stiffness rises from $k_0$ to $k_0 + k$, and the "
        r"loss has a peak at $\omega = k/c$. For several peaks, connect several `Maxwell` elements in parallel."
    ),
    identify=(
        "Needs times with the loops, and loops at two frequencies or more: a single frequency gives two numbers, "
        "storage and loss stiffness, for three parameters. The fit warns of that."
    ),
    memory="the force of the spring in series with the damper",
    example="stiffness=2e5, damping=2e4, parallel_stiffness=1e5",
    noise=0.5,
    fit='ss.Zener, fixed={"parallel_stiffness": 1e5}',
    over_rate=True,
)
