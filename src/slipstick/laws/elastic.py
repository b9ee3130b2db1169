"""Smooth springs: linear and polynomial.

The force depends on the deflection, and through a damper on the rate; no spring has memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import InvalidInput
from slipstick.laws.base import Law, Leaf, needs_rate_if_damped
from slipstick.laws.diagram_symbols import DASHPOT, SPRING, DiagramSymbol
from slipstick.laws.faces import Affine, LinearForce, Linearised, Piece, Term
from slipstick.laws.identification_traits import IdentificationTraits, LoopView
from slipstick.laws.law_words import LawWords
from slipstick.laws.parameters import parameter
from slipstick.laws.source_parsing import Buffer
from slipstick.laws.taylor_coefficients import force_coefficients
from slipstick.units.dimensions import DAMPING, FORCE, STIFFNESS


class Linear(Law):
    """Spring, damper and preload: f = k u + c v + f0."""

    takes_symbols = True
    identification = IdentificationTraits(is_spring=True)

    stiffness: float = parameter(STIFFNESS, default=0.0, symbol="k", doc="spring stiffness")
    damping: float = parameter(DAMPING, default=0.0, symbol="c", doc="viscous damping")
    preload: float = parameter(FORCE, default=0.0, symbol="f_0", doc="constant force")
    needs_rate = needs_rate_if_damped

    def update(self, u: float, v: float, memory: Any) -> tuple[float, Any]:
        return self.stiffness * u + self.damping * v + self.preload, memory

    @property
    def is_odd(self) -> bool:  # type: ignore[override]
        return self.preload == 0.0

    @property
    def linear_force(self) -> LinearForce:
        return LinearForce(self.stiffness, self.damping, self.preload)

    @property
    def diagram_symbol(self) -> DiagramSymbol:
        return SPRING if self.stiffness else DASHPOT

    def stored(self, u: float, memory: Any) -> float:
        return (0.5 * self.stiffness * u + self.preload) * u

    def linearised(self, state: str | None = None, u: float = 0.0) -> Linearised:
        self.refuse_state(state)
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

    @staticmethod
    def start_values(loops: LoopView) -> Iterator[Law]:
        yield Linear(stiffness=loops.secant, preload=loops.mean - loops.secant * loops.middle)

    @staticmethod
    def spring_start_values(loops: LoopView) -> Iterator[Law]:
        """Along the ends of the branches, half as steep, and along the middle line."""
        force = float(np.mean(loops.middle_line))
        for slope in (loops.last_slope, 0.5 * loops.last_slope, float(np.polyfit(loops.u, loops.middle_line, 1)[0])):
            yield Linear(stiffness=slope, preload=force - slope * loops.middle)

    @staticmethod
    def series_start_values(loops: LoopView) -> Iterator[Law]:
        """A half and a tenth of the compliance after a reversal."""
        for share in (0.5, 0.1):
            yield Linear(stiffness=loops.first_slope / share)

    @property
    def spring_power_count(self) -> int:
        return 2

    def with_spring_powers(self, coefficients: Sequence[float]) -> Linear:
        return replace(self, stiffness=coefficients[1], preload=coefficients[0])


class Polynomial(Law):
    """f = f0 + f1 u + f2 u^2 + ... + c v; the coefficients start with the constant (fibre 11)."""

    identification = IdentificationTraits(is_spring=True)
    coefficients: tuple[float, ...] = parameter(
        FORCE, step=(0, -1, 0), kind="numbers", symbol="a", doc="f0, f1, f2 ...: lowest power first"
    )
    damping: float = parameter(DAMPING, default=0.0, symbol="c", doc="viscous damping")
    needs_rate = needs_rate_if_damped

    def update(self, u: float, v: float, memory: Any) -> tuple[float, Any]:
        f = 0.0
        for i in range(len(self.coefficients) - 1, -1, -1):
            f = f * u + self.coefficients[i]
        return f + self.damping * v, memory

    @property
    def is_odd(self) -> bool:  # type: ignore[override]
        return not any(self.coefficients[::2])

    def stored(self, u: float, memory: Any) -> float:
        return sum(a * u ** (i + 1) / (i + 1) for i, a in enumerate(self.coefficients))

    @property
    def taylor_rooms(self) -> int:
        return len(self.coefficients)

    def taylor_term(self, k: int, room: int, u: Buffer, v: Buffer, w: Buffer) -> float:
        """Horner's rule on power series; ``w`` keeps the series of each stage."""
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

    @staticmethod
    def start_values(loops: LoopView) -> Iterator[Law]:
        yield Polynomial(coefficients=tuple(np.polyfit(loops.u, loops.middle_line, 3)[::-1]))

    @staticmethod
    def spring_start_values(loops: LoopView) -> Iterator[Law]:
        """A cubic along the middle line, and a straight line along the ends of the branches."""
        yield from Polynomial.start_values(loops)
        slope, force = loops.last_slope, float(np.mean(loops.middle_line))
        yield Polynomial(coefficients=(force - slope * loops.middle, slope, 0.0, 0.0))

    @property
    def spring_power_count(self) -> int:
        return len(self.coefficients)

    def with_spring_powers(self, coefficients: Sequence[float]) -> Polynomial:
        return replace(self, coefficients=tuple(coefficients))


def parallel_linear(stiffness: float, damping: float = 0.0, preload: float = 0.0) -> tuple[Leaf, ...]:
    """A linear element in parallel, as leaves of a sum; none if all its coefficients are zero."""
    if stiffness == 0.0 and damping == 0.0 and preload == 0.0:
        return ()
    return (Leaf(Linear(stiffness=stiffness, damping=damping, preload=preload)),)


# ---- words

Linear.words = LawWords(
    title="linear spring and damper",
    title_without={"damping": (" and damper", ""), "stiffness": ("linear spring and damper", "viscous damper")},
    force="k u + c v + f0",
    use=(
        "Everything that is linear in the range of interest: coil springs, shafts, rubber at one frequency, bolts "
        "that do not slip. Add it in parallel to the law of a part that slips: `ss.Linear(...) + ss.Jenkins(...)`. "
        "All linear connections of a model join its matrices, so hundreds of them cost nothing extra."
    ),
    identify=(
        "A straight line through the loop gives the stiffness, half the height of the ellipse at the middle gives "
        r"$c\,\omega X$. If the height of the loop does not grow with frequency, it is friction and no damper: use a "
        "slider instead."
    ),
    example="stiffness=2e5, damping=1e4, preload=20.0",
    noise=2.0,
)

Polynomial.words = LawWords(
    title="polynomial",
    force="f0 + f1 u + f2 u^2 + ...",
    paper="fibre (11)",
    use=(
        "Springs that harden or soften smoothly: membranes, long strokes, stretched belts, the elastic part of "
        "entangled fibres. Coefficients start with the constant, lowest power first. A polynomial is not valid beyond "
        "the range it was fitted in, so keep the order low (three or five), and odd for a symmetric part."
    ),
    identify=(
        "Measure slowly, well beyond the working range. The fit is linear in the coefficients, so it always finds the "
        "best ones; their number is that of the template."
    ),
    example="coefficients=(0.0, 1e5, 0.0, 5e10)",
    complete="coefficients=(0.0, 1.0, 0.0, 1.0), damping=1.0",
    fit='ss.Polynomial(coefficients=(0.0, 1e5, 0.0, 1e10)), fixed={"damping": 0.0}',
)
