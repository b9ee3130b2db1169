"""Dahl's laws with given envelopes; `slipstick.laws.dahl_family` has what they share.

`ModifiedDahl` has polynomial envelopes, and closed forms where they are straight; `Duhem` is that with exponent 1,
`Dahl` that with constant envelopes. `slipstick.laws.generalised_dahl` takes any envelope.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from math import exp
from typing import Any

from slipstick.errors import InvalidInput
from slipstick.laws.base import UNREACHABLE_DEFLECTION, Law, Leaf, Memory
from slipstick.laws.composite import Composite
from slipstick.laws.dahl_family import DahlFamily, rate_dimension, start_force_parameter
from slipstick.laws.envelope_relaxation import MAX_LOG_X, clock_of, relax, relaxation_table
from slipstick.laws.faces import Linearised
from slipstick.laws.parameters import FORCE, STIFFNESS, parameter
from slipstick.scalar import ahead, decay, extinction, power


def line(x: float, coefficients: Sequence[float]) -> float:
    """A polynomial, coefficients lowest first."""
    y = 0.0
    for i in range(len(coefficients) - 1, -1, -1):
        y = y * x + coefficients[i]
    return y


class ModifiedDahl(DahlFamily):
    """The modified Dahl model (tensioner 3): envelopes upper = (b, a, ...) and lower = (e, d, ...), lowest power first.

    Any exponent > 0, also below 1, where the right-hand side has an infinite slope at the
    envelope. A loop does not reach its envelopes: it settles (a/rate)^(1/exponent) below the upper
    and (d/rate)^(1/exponent) above the lower one. Starting outside them is allowed.
    """

    rate: float = parameter(rate_dimension, above=0.0, symbol=r"\Lambda", doc="speed of the approach")
    exponent: float = parameter(above=0.0, symbol=r"\mu", doc="shape of the approach")
    upper: tuple[float, ...] = parameter(FORCE, step=(0, -1, 0), kind="numbers", symbol="h_u", doc="upper envelope")
    lower: tuple[float, ...] = parameter(FORCE, step=(0, -1, 0), kind="numbers", symbol="h_l", doc="lower envelope")
    start_force: float | None = start_force_parameter()
    derived = ("upper_rest", "lower_rest", "upper_slope", "lower_slope")
    derived_lists = ("table",)

    def check(self) -> None:
        _check_order("ModifiedDahl", self.upper, self.lower)
        for side in (self.upper, self.lower):
            slope = abs(side[1]) if len(side) == 2 and self.exponent != 1.0 else 0.0
            if slope and abs(math.log(slope) - math.log(self.rate)) > MAX_LOG_X * self.exponent:
                raise InvalidInput(
                    "(slope/rate)^(1/exponent), where a loop settles, is out of the range of numbers: "
                    f"({slope:g}/{self.rate:g})^(1/{self.exponent:g}); raise the exponent, or leave the slope out",
                    owner="ModifiedDahl",
                    argument="rate",
                )

    def corner(self, u: float, s: float, memory: Memory) -> float:
        """Where the force reaches a level envelope: for an exponent below 1 that is not far."""
        level = len(self.upper) == 1 if s > 0.0 else len(self.lower) == 1
        if self.exponent >= 1.0 or not level:
            return UNREACHABLE_DEFLECTION * s
        y = self.distance(memory[0], memory[1], s)
        return ahead(memory[0] + s * extinction(y, self.rate, self.exponent), u, s, UNREACHABLE_DEFLECTION * s)

    @property
    def by_rate(self) -> bool:
        """Straight envelopes have closed forms; others would be integrated from the last reversal at each step."""
        return max(len(self.upper), len(self.lower)) > 2

    @property
    def table(self) -> Sequence[float]:
        """The relaxation table, empty where every branch is elementary or integrated."""
        sloping = 2 in (len(self.upper), len(self.lower))
        return relaxation_table(self.exponent) if sloping and self.exponent != 1.0 else ()  # type: ignore[return-value]

    def distance(self, u: float, force: float, s: float) -> float:
        """How far the force is inside the envelope it relaxes to."""
        return line(u, self.upper) - force if s > 0.0 else force - line(u, self.lower)

    def clock(self, start: float, force: float, s: float) -> float:
        rest = self.upper_rest if s > 0.0 else self.lower_rest
        if rest == 0.0 or len(self.table) == 0:
            return 0.0
        return clock_of(self.distance(start, force, s) / rest, self.exponent, self.table)

    def branch(
        self, u: float, start: float, force: float, s: float, clock: float, guess: float, last: float, f: float
    ) -> tuple[float, float]:
        if (s > 0.0 and len(self.upper) > 2) or (s <= 0.0 and len(self.lower) > 2):
            # from its begin: the guess is of the other side, which may be straight
            y, _ = self.integrate(u, start, force, s, start, force, 0.0)
            return y, guess
        # the distance y to a straight envelope of slope g: dy/dx = g - rate sgn(y) |y|^exponent
        x = abs(u - start)
        y = self.distance(start, force, s)
        g = self.upper_slope if s > 0.0 else self.lower_slope
        rest = self.upper_rest if s > 0.0 else self.lower_rest
        if g == 0.0:
            y = decay(y, self.rate * x, self.exponent)
        elif self.exponent == 1.0:
            y = rest + (y - rest) * exp(-self.rate * x)
        else:
            y, guess = relax(y / rest, x * g / rest, clock, guess, self.exponent, self.table)
            y *= rest
        h = line(u, self.upper) if s > 0.0 else line(u, self.lower)
        return h - s * y, guess

    @property
    def upper_slope(self) -> float:
        return _pair(self.upper)[1]

    @property
    def lower_slope(self) -> float:
        return _pair(self.lower)[1]

    @property
    def upper_rest(self) -> float:
        """How far below the upper envelope a long branch settles; below zero where it falls."""
        return power(self.upper_slope / self.rate, 1.0 / self.exponent) if len(self.upper) == 2 else 0.0

    @property
    def lower_rest(self) -> float:
        """How far above the lower envelope a long branch settles."""
        return power(self.lower_slope / self.rate, 1.0 / self.exponent) if len(self.lower) == 2 else 0.0

    def goal(self, u: float, s: float, u_m: float, f_m: float) -> float:
        return line(u, self.upper) if s > 0.0 else line(u, self.lower)

    def slope(self, u: float, f: float, s: float, u_m: float, f_m: float) -> float:
        h = line(u, self.upper) if s > 0.0 else line(u, self.lower)
        return self.rate * power(s * (h - f), self.exponent)

    def midway(self, u: float) -> float:
        return 0.5 * (line(u, self.upper) + line(u, self.lower))

    def crossing(self) -> float | None:
        """The deflection at which two straight envelopes cross; beyond, the law would create energy."""
        if max(len(self.upper), len(self.lower)) > 2:
            return None
        width, slope = (a - b for a, b in zip(_pair(self.upper), _pair(self.lower), strict=True))
        return -width / slope if slope else None

    def start(self, u: float = 0.0) -> Memory:
        self.warn_about(u, u)
        return super().start(u)

    def doubt_about(self, low: float, high: float) -> str:
        u = min(low, high, key=lambda u: line(u, self.upper) - line(u, self.lower))
        if line(u, self.upper) < line(u, self.lower):
            crossing = self.crossing()
            place = f"at u = {u:g}" if crossing is None else f"beyond u = {crossing:g}"
            return f"{place} the upper envelope lies below the lower one; loops there create energy"
        # a small loop then leans less than the middle line, and is gone through the wrong way round
        stick, slip = (self.linearised(state, u).stiffness for state in ("stick", "slip"))
        if stick >= slip:
            return ""
        words = f"the slope after a reversal at u = {u:g} is below that of the envelopes, {stick:g} < {slip:g}"
        return f"{words}; small loops there create energy"

    def linearised(self, state: str | None = None, u: float = 0.0) -> Linearised:
        """stick: the slope right after a reversal at the middle; slip: the mean slope of the envelopes."""
        self.refuse_state(state, ("stick", "slip"))
        if state == "slip":
            steepness = [
                sum(i * c * u ** (i - 1) for i, c in enumerate(side) if i > 0) for side in (self.upper, self.lower)
            ]
            return Linearised(0.5 * sum(steepness), 0.0)
        return Linearised(self.slope(u, self.midway(u), 1.0, u, 0.0), 0.0)

    def equation(self) -> Any:
        from slipstick.laws import law_symbols as s

        return _envelope_equation(self, s.symbol(self, "exponent"))


class Duhem(Composite):
    """Duhem's model (tensioner 2): the modified Dahl model with exponent 1."""

    rate: float = parameter((0, -1, 0), above=0.0, symbol=r"\Lambda", doc="speed of the approach")
    upper: tuple[float, ...] = parameter(FORCE, step=(0, -1, 0), kind="numbers", symbol="h_u", doc="upper envelope")
    lower: tuple[float, ...] = parameter(FORCE, step=(0, -1, 0), kind="numbers", symbol="h_l", doc="lower envelope")
    start_force: float | None = start_force_parameter()

    def check(self) -> None:
        _check_order("Duhem", self.upper, self.lower)

    def parts(self) -> tuple[Leaf, ...]:
        return (Leaf(ModifiedDahl(exponent=1.0, **self.parameters())),)

    def equation(self) -> Any:
        return _envelope_equation(self, 1)


class Dahl(Composite):
    """Dahl's solid friction model (fibre 5, normalised): dF/du = sigma sgn(.) |1 - F sgn(v)/F_C|^i.

    sigma is the slope at F = 0, in N/m whatever the exponent.
    """

    stiffness: float = parameter(STIFFNESS, above=0.0, symbol=r"\sigma", doc="slope at zero force")
    limit: float = parameter(FORCE, above=0.0, symbol="F_C", doc="asymptotic force")
    exponent: float = parameter(default=1.0, above=0.0, symbol="i", doc="shape: below 1 ductile, above brittle")

    def check(self) -> None:
        if math.isinf(self.stiffness / self.limit):
            raise InvalidInput(
                f"stiffness/limit must be finite, got {self.stiffness:g}/{self.limit:g}",
                owner="Dahl",
                argument="stiffness",
            )

    def parts(self) -> tuple[Leaf, ...]:
        # scaled by the limit: the envelopes are +-1 and no power of a force is formed
        unit = ModifiedDahl(rate=self.stiffness / self.limit, exponent=self.exponent, upper=(1.0,), lower=(-1.0,))
        return (Leaf(unit, force=self.limit),)

    def start(self, u: float = 0.0) -> Any:
        """Virgin at 0 with no force, then led to u along the branch."""
        law = self.parts()[0].law
        return (law.update(float(u), 0.0, (0.0,) * 6)[1],)

    def linearised(self, state: str | None = None, u: float = 0.0) -> Linearised:
        self.refuse_state(state, ("stick", "slip"))
        return Linearised(0.0 if state == "slip" else self.stiffness, 0.0)

    def equation(self) -> Any:
        from slipstick.laws import law_symbols as s

        sigma, limit, i = (s.symbol(self, n) for n in ("stiffness", "limit", "exponent"))
        return s.relaxation_equation(sigma, i, 1, 1, limit)


def _envelope_equation(law: Law, exponent: Any) -> Any:
    from slipstick.laws import law_symbols as s

    upper, lower = (sum(a * s.u**i for i, a in enumerate(s.indexed(law, n))) for n in ("upper", "lower"))
    return s.relaxation_equation(s.symbol(law, "rate"), exponent, upper, -lower)


def _check_order(owner: str, upper: Sequence[float], lower: Sequence[float]) -> None:
    if len(upper) == len(lower) == 1 and upper[0] <= lower[0]:
        raise InvalidInput(
            "must lie above lower", owner=owner, subject="upper", value=upper, got=f"{upper[0]:g} and {lower[0]:g}"
        )


def _pair(coefficients: Sequence[float]) -> tuple[float, float]:
    return (coefficients[0], coefficients[1] if len(coefficients) > 1 else 0.0)
