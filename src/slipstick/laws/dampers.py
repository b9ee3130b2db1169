"""Dampers whose force is a curve over the rate: a power of it, or a table.

    PowerDamper   f = c |v|^n sgn(v), with a second c for negative rates
    DamperTable   f(v) linear between measured points

Neither has memory or stores energy. Over a cycle u = X sin(omega t), a power damper dissipates

    W = 2 sqrt(pi) Gamma(n/2 + 1)/Gamma(n/2 + 3/2) c omega^n X^(n + 1),

with the mean of both coefficients for c. A table is a broken line over the rate, so the exact method takes it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import pi
from typing import Any

import numpy as np

from slipstick.errors import InvalidInput
from slipstick.laws.base import Law
from slipstick.laws.diagram_symbols import DASHPOT, DiagramSymbol
from slipstick.laws.faces import Affine, Guard, Linearised, Piece
from slipstick.laws.identification_traits import IdentificationTraits, LoopView
from slipstick.laws.law_words import LawWords
from slipstick.laws.parameters import checked_factors, parameter
from slipstick.laws.source_parsing import with_derivative
from slipstick.scalar import power
from slipstick.units.dimensions import FORCE, VELOCITY, Dimension

TABLE_RATE_SHARES = (-1.0, -0.6, -0.3, -0.1, 0.0, 0.1, 0.3, 0.6, 1.0)  # of the largest rate, in start values


def _coefficient_dimension(law: Any) -> Dimension:
    return (1.0, -law.exponent, law.exponent)


class PowerDamper(Law):
    """f = c |v|^n sgn(v): a damper whose force is a power of the rate.

    ``reverse_coefficient`` replaces c for negative rates. Modes leave the damper out unless n = 1: at rest the slope
    over the rate is zero for n > 1 and infinite for n < 1.
    """

    coefficient: float = parameter(_coefficient_dimension, low=0.0, symbol="c", doc="force at unit rate")
    exponent: float = parameter(above=0.0, symbol="n", doc="power of the rate: 1 viscous, 2 an orifice")
    reverse_coefficient: float | None = parameter(
        _coefficient_dimension, default=None, low=0.0, optional=True, symbol="c_r", doc="the same for negative rates"
    )
    derived = ("reverse",)
    needs_rate = True
    identification = IdentificationTraits(
        linear=("coefficient", "reverse_coefficient"),
        needs_times=True,
        both_senses=("coefficient", "reverse_coefficient"),
        is_damper=True,
    )
    is_passive = True

    @property
    def reverse(self) -> float:
        """The coefficient for negative rates."""
        return self.coefficient if self.reverse_coefficient is None else self.reverse_coefficient

    @property
    def is_odd(self) -> bool:  # type: ignore[override]
        return self.reverse == self.coefficient

    def update(self, u: float, v: float, memory: Any) -> tuple[float, Any]:
        return (self.coefficient if v >= 0.0 else self.reverse) * rate_power(v, self.exponent), memory

    def stored(self, u: float, memory: Any) -> float:
        return 0.0

    def edge(self, u: float, v: float) -> float:
        """At rest the curve has a corner, or its second derivative is infinite."""
        return v

    def asymmetric(self, *, positive: float = 1.0, negative: float = 1.0) -> PowerDamper:
        a, b = checked_factors(positive, negative)
        return replace(self, coefficient=a * self.coefficient, reverse_coefficient=b * self.reverse)

    @property
    def diagram_symbol(self) -> DiagramSymbol:
        return DASHPOT

    def linearised(self, state: str | None = None, u: float = 0.0) -> Linearised:
        """The mean of both sides for n = 1; else none: small motions have no linear damping."""
        self.refuse_state(state)
        return Linearised(0.0, 0.5 * (self.coefficient + self.reverse) if self.exponent == 1.0 else 0.0)

    def equation(self) -> Any:
        import sympy as sp

        from slipstick.laws import law_symbols as s

        c, n = s.symbol(self, "coefficient"), s.symbol(self, "exponent")
        force = sp.Abs(s.v) ** n * sp.sign(s.v)
        if self.reverse_coefficient is None:
            return s.equation(s.f, c * force)
        reverse = s.symbol(self, "reverse_coefficient")
        return s.equation(s.f, sp.Piecewise((c * force, s.v >= 0), (reverse * force, True)))

    @staticmethod
    def start_values(loops: LoopView) -> Iterator[Law]:
        """The largest rate of a sine meets half the height of the loop."""
        speed = 2.0 * pi * loops.amplitude / (loops.period or 2.0 * pi)
        for exponent in (1.0, 0.4, 2.0):
            yield PowerDamper(coefficient=loops.height / speed**exponent, exponent=exponent)


class DamperTable(Law):
    """f(v) through measured points: linear between them, and beyond the first and the last one."""

    rates: tuple[float, ...] = parameter(VELOCITY, kind="numbers", symbol="v", doc="rates, increasing")
    forces: tuple[float, ...] = parameter(FORCE, kind="numbers", symbol="F", doc="force at each rate")
    needs_rate = True
    identification = IdentificationTraits(
        held=("rates",), linear=("forces",), needs_times=True, is_damper=True, has_force_at_rest=True
    )

    def check(self) -> None:
        if len(self.rates) != len(self.forces) or len(self.rates) < 2:
            raise InvalidInput(
                "must be as many as forces, at least two",
                owner="DamperTable",
                subject="rates",
                got=f"{len(self.rates)} and {len(self.forces)}",
            )
        if any(b <= a for a, b in zip(self.rates, self.rates[1:], strict=False)):
            raise InvalidInput("must increase", owner="DamperTable", subject="rates", value=self.rates)

    @property
    def slopes(self) -> tuple[float, ...]:
        """The damping between each two points."""
        return tuple((np.diff(self.forces) / np.diff(self.rates)).tolist())

    @property
    def state_names(self) -> tuple[str, ...]:  # type: ignore[override]
        return tuple(f"stage{i}" for i in range(len(self.rates) - 1))

    @property
    def is_odd(self) -> bool:  # type: ignore[override]
        mirrored = tuple(-x for x in reversed(self.rates)), tuple(-x for x in reversed(self.forces))
        return (self.rates, self.forces) == mirrored

    @property
    def is_passive(self) -> bool:  # type: ignore[override]
        """True if the force opposes the rate at every rate."""
        rates = np.array(self.rates)
        ends = self.slopes[0] >= 0.0 or rates[0] >= 0.0, self.slopes[-1] >= 0.0 or rates[-1] <= 0.0
        return bool(np.all(rates * self.forces >= 0.0) and self.update(0.0, 0.0, ())[0] == 0.0 and all(ends))

    def update(self, u: float, v: float, memory: Any) -> tuple[float, Any]:
        i = 1
        while i < len(self.rates) - 1 and v > self.rates[i]:
            i += 1
        slope = (self.forces[i] - self.forces[i - 1]) / (self.rates[i] - self.rates[i - 1])
        return self.forces[i - 1] + slope * (v - self.rates[i - 1]), memory

    def stored(self, u: float, memory: Any) -> float:
        return 0.0

    def edge(self, u: float, v: float) -> float:
        """Distance of the rate from the nearest corner, with a sign that changes from one corner to the next."""
        side = 1.0
        nearest = 1e300
        for i in range(1, len(self.rates) - 1):
            nearest = min(nearest, abs(v - self.rates[i]))
            if v > self.rates[i]:
                side = -side
        return side * nearest

    @property
    def diagram_symbol(self) -> DiagramSymbol:
        return DASHPOT

    def pieces(self) -> tuple[Piece, ...]:
        found, last = [], len(self.rates) - 2
        for i, slope in enumerate(self.slopes):
            guards = [Guard(Affine(-self.rates[i], v=1.0), f"stage{i - 1}")] if i > 0 else []
            if i < last:
                guards.append(Guard(Affine(self.rates[i + 1], v=-1.0), f"stage{i + 1}"))
            force = Affine(self.forces[i] - slope * self.rates[i], v=slope)
            found.append(Piece(f"stage{i}", force, tuple(guards)))
        return tuple(found)

    def linearised(self, state: str | None = None, u: float = 0.0) -> Linearised:
        """The damping of a stage; at rest that at zero rate, the mean of two stages at a corner."""
        self.refuse_state(state)
        if state is not None:
            return Linearised(0.0, self.slopes[self.state_names.index(state)])
        below, above = (
            self.slopes[min(max(int(np.searchsorted(self.rates, 0.0, side)) - 1, 0), len(self.slopes) - 1)]
            for side in ("left", "right")
        )
        return Linearised(0.0, 0.5 * (below + above))

    def equation(self) -> Any:
        import sympy as sp

        from slipstick.laws import law_symbols as s

        v, force = s.indexed(self, "rates"), s.indexed(self, "forces")
        lines = [
            force[i] + (force[i + 1] - force[i]) / (v[i + 1] - v[i]) * (s.v - v[i]) for i in range(len(self.rates) - 1)
        ]
        cases = [(line, s.v <= v[i + 1]) for i, line in enumerate(lines[:-1])]
        return s.equation(s.f, sp.Piecewise(*cases, (lines[-1], True)))

    @staticmethod
    def start_values(loops: LoopView) -> Iterator[Law]:
        """Rates up to the largest one of a sine, closer at small ones, with the height of the loop at its ends."""
        speed = 2.0 * pi * loops.amplitude / (loops.period or 2.0 * pi)
        rates = tuple(speed * share for share in TABLE_RATE_SHARES)
        yield DamperTable(rates=rates, forces=tuple(loops.mean + loops.height * share for share in TABLE_RATE_SHARES))


def rate_power_with_derivative(v: float, v_d: float, n: float, n_d: float) -> tuple[float, float]:
    """`rate_power` and its derivative by v; zero at rest for n < 1, where the slope is infinite."""
    if v == 0.0:
        return 0.0, v_d if n == 1.0 else 0.0
    value = power(v, n)
    return value, n * value / v * v_d


@with_derivative(rate_power_with_derivative)
def rate_power(v: float, n: float) -> float:
    """sgn(v) |v|^n."""
    return power(v, n)


# ---- words

PowerDamper.words = LawWords(
    title="power damper",
    force="c |v|^n sgn(v)",
    use=(
        "Fluid dampers of buildings and bridges ($n$ from 0.2 to 1), orifices ($n = 2$), and shock absorbers that push "
        "harder one way (`reverse_coefficient`). Small exponents come close to dry friction, without stick."
    ),
    identify=(
        "Needs times with the loop. A single loop holds all rates up to the largest one and determines both "
        "numbers; a second one at another frequency shows whether the force is a function of the rate alone."
    ),
    example="coefficient=2e3, exponent=0.5",
    complete="coefficient=2.0, exponent=0.5, reverse_coefficient=3.0",
    noise=2.0,
    over_rate=True,
)

DamperTable.words = LawWords(
    title="damper table",
    force="linear between measured points over the rate",
    symbols="This is with three points; each further one adds a case. $v_i, F_i$ are the points.",
    use=(
        "Shock absorbers and dampers that are known as a table of the test stand. Between two points the damper is "
        "linear, so exact methods take the table; beyond its ends the last lines continue."
    ),
    identify=(
        "The fit finds the forces; the rates are held. By name, `damper-table`, nine rates cover the loop; a table as "
        "template has the rates that you choose. Needs times with the loop."
    ),
    example="rates=(-0.01, -0.002, 0.0, 0.002, 0.01), forces=(-60.0, -40.0, 0.0, 80.0, 160.0)",
    complete="rates=(-1.0, 0.0, 1.0), forces=(-1.0, 0.0, 2.0)",
    noise=2.0,
    fit="ss.DamperTable(rates=law.rates, forces=(-50.0, -25.0, 0.0, 25.0, 50.0))",
    over_rate=True,
)
