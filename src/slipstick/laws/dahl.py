"""Dahl's laws with polynomial envelopes: the force relaxes towards an upper envelope going up, a lower one going down.

`ModifiedDahl` is the general law. `Duhem` has exponent 1, `Dahl` has constant envelopes +-limit; both use it inside.
Along straight envelopes a branch has a closed form (`slipstick.laws.envelope_relaxation`), along curved ones it is
integrated. `slipstick.laws.dahl_family` has the equation and the memory, `generalised_dahl` takes any envelope.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import product
from math import exp
from typing import Any

from slipstick.errors import InvalidInput
from slipstick.laws.base import UNREACHABLE_DEFLECTION, Law, Leaf, Memory
from slipstick.laws.composite import Composite
from slipstick.laws.dahl_family import STEEPEST_SLOPE, DahlFamily, rate_dimension, start_force_parameter
from slipstick.laws.envelope_relaxation import MAX_LOG_X, clock_of, relax, relaxation_table
from slipstick.laws.faces import Linearised
from slipstick.laws.identification_traits import DerivedQuantity, IdentificationTraits, LoopView, positive_or
from slipstick.laws.law_words import LawWords
from slipstick.laws.parameters import checked_factors, parameter
from slipstick.scalar import ahead, decay, extinction, power, sgn
from slipstick.units.dimensions import FORCE, STIFFNESS


def line(x: float, coefficients: Sequence[float]) -> float:
    """The value of a polynomial at x; coefficients lowest power first."""
    y = 0.0
    for i in range(len(coefficients) - 1, -1, -1):
        y = y * x + coefficients[i]
    return y


class ModifiedDahl(DahlFamily):
    """The modified Dahl model (tensioner 3): envelopes upper = (b, a, ...) and lower = (e, d, ...), lowest power first.

    On the way up dF/du = rate (h - F)^exponent, h the upper envelope; on the way down the same towards the lower one.
    Any exponent > 0; below 1 the right-hand side has an infinite slope at the envelope. A loop does not reach sloping
    envelopes: it settles (a/rate)^(1/exponent) below the upper and (d/rate)^(1/exponent) above the lower one. A force
    outside the envelopes is allowed and relaxes back.
    """

    rate: float = parameter(rate_dimension, above=0.0, symbol=r"\Lambda", doc="speed of the approach")
    exponent: float = parameter(above=0.0, symbol=r"\mu", doc="shape of the approach")
    upper: tuple[float, ...] = parameter(FORCE, step=(0, -1, 0), kind="numbers", symbol="h_u", doc="upper envelope")
    lower: tuple[float, ...] = parameter(FORCE, step=(0, -1, 0), kind="numbers", symbol="h_l", doc="lower envelope")
    start_force: float | None = start_force_parameter()
    state_names = ("stick", "slip")
    has_local_memory = True
    identification = IdentificationTraits(
        derived=(
            DerivedQuantity("upper_distance", lambda law: _settling_distance(law, law.upper), FORCE),
            DerivedQuantity("lower_distance", lambda law: _settling_distance(law, law.lower), FORCE),
        ),
        between_envelopes=True,
        paper_rules="rate_and_exponent",
    )
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
        """Where the force reaches a level envelope: at a finite distance for an exponent below 1."""
        level = len(self.upper) == 1 if s > 0.0 else len(self.lower) == 1
        if self.exponent >= 1.0 or not level:
            return UNREACHABLE_DEFLECTION * s
        y = self.distance(memory[0], memory[1], s)
        return ahead(memory[0] + s * extinction(y, self.rate, self.exponent), u, s, UNREACHABLE_DEFLECTION * s)

    @property
    def by_rate(self) -> bool:
        """True for curved envelopes: an update would integrate from the last reversal at each step."""
        return max(len(self.upper), len(self.lower)) > 2

    @property
    def table(self) -> Sequence[float]:
        """The relaxation table; empty where every branch is elementary or integrated."""
        sloping = 2 in (len(self.upper), len(self.lower))
        return relaxation_table(self.exponent) if sloping and self.exponent != 1.0 else ()  # type: ignore[return-value]

    def distance(self, u: float, force: float, s: float) -> float:
        """Distance of the force from the envelope that it relaxes to, positive inside."""
        return line(u, self.upper) - force if s > 0.0 else force - line(u, self.lower)

    def clock(self, start: float, force: float, s: float) -> float:
        rest = self.upper_rest if s > 0.0 else self.lower_rest
        if rest == 0.0 or len(self.table) == 0:
            return 0.0
        return clock_of(self.distance(start, force, s) / rest, self.exponent, self.table)

    def branch(
        self, u: float, start: float, force: float, clock: float, guess: float, last: float, f: float
    ) -> tuple[float, float]:
        s = sgn(u - start)
        if (s > 0.0 and len(self.upper) > 2) or (s <= 0.0 and len(self.lower) > 2):
            # from the start of the branch: the guess belongs to the other side, which may be straight
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
    def is_odd(self) -> bool:  # type: ignore[override]
        mirrored = tuple(c if i % 2 else -c for i, c in enumerate(self.lower))
        return self.upper == mirrored and not self.start_force

    @property
    def upper_slope(self) -> float:
        return _pair(self.upper)[1]

    @property
    def lower_slope(self) -> float:
        return _pair(self.lower)[1]

    @property
    def upper_rest(self) -> float:
        """Distance below the upper envelope at which a long branch settles; negative for a falling envelope."""
        return power(self.upper_slope / self.rate, 1.0 / self.exponent) if len(self.upper) == 2 else 0.0

    @property
    def lower_rest(self) -> float:
        """Distance above the lower envelope at which a long branch settles."""
        return power(self.lower_slope / self.rate, 1.0 / self.exponent) if len(self.lower) == 2 else 0.0

    def goal(self, u: float, s: float, u_m: float, f_m: float) -> float:
        return line(u, self.upper) if s > 0.0 else line(u, self.lower)

    def slope(self, u: float, f: float, s: float, u_m: float, f_m: float) -> float:
        h = line(u, self.upper) if s > 0.0 else line(u, self.lower)
        return self.rate * power(s * (h - f), self.exponent)

    def midway(self, u: float) -> float:
        return 0.5 * (line(u, self.upper) + line(u, self.lower))

    def crossing(self) -> float | None:
        """The deflection at which two straight envelopes cross; beyond it the law would create energy."""
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
        # a small loop then is flatter than the middle line, and runs round in the wrong direction
        stick, slip = (self.linearised(state, u).stiffness for state in ("stick", "slip"))
        if stick >= slip:
            return ""
        words = f"the slope after a reversal at u = {u:g} is below that of the envelopes, {stick:g} < {slip:g}"
        return f"{words}; small loops there create energy"

    def linearised(self, state: str | None = None, u: float = 0.0) -> Linearised:
        """stick: the slope after a reversal midway between the envelopes; slip: the mean slope of the envelopes."""
        self.refuse_state(state)
        if state == "slip":
            steepness = [
                sum(i * c * u ** (i - 1) for i, c in enumerate(side) if i > 0) for side in (self.upper, self.lower)
            ]
            return Linearised(0.5 * sum(steepness), 0.0)
        return Linearised(self.slope(u, self.midway(u), 1.0, u, 0.0), 0.0)

    def equation(self) -> Any:
        from slipstick.laws import law_symbols as s

        return _envelope_equation(self, s.symbol(self, "exponent"))

    @staticmethod
    def start_values(loops: LoopView) -> Iterator[Law]:
        yield from loops.by_rule("rate_and_exponent")
        for exponent in (0.3, 0.6, 1.0, 1.5):
            for rate in _start_rates(loops, exponent):
                yield ModifiedDahl(rate=rate, exponent=exponent, upper=loops.upper, lower=loops.lower)


def _start_rates(loops: LoopView, exponent: float) -> Iterator[float]:
    """Rates from the slope after a reversal, which is rate * distance^exponent above that of the envelopes."""
    distance = max(loops.line_distance, loops.height)
    rise = positive_or(loops.first_slope - loops.last_slope, loops.first_slope)
    for steepness in (rise, 3.0 * rise):
        yield steepness / distance**exponent


def _settling_distance(law: ModifiedDahl, envelope: Sequence[float]) -> float:
    """(slope / rate)^(1 / exponent): the distance from a rising envelope at which a long branch runs."""
    slope = envelope[1] if len(envelope) > 1 else 0.0
    return float((slope / law.rate) ** (1.0 / law.exponent)) if slope > 0.0 else 0.0


class Duhem(Composite):
    """Duhem's model (tensioner 2): the modified Dahl model with exponent 1."""

    rate: float = parameter((0, -1, 0), above=0.0, symbol=r"\Lambda", doc="speed of the approach")
    upper: tuple[float, ...] = parameter(FORCE, step=(0, -1, 0), kind="numbers", symbol="h_u", doc="upper envelope")
    lower: tuple[float, ...] = parameter(FORCE, step=(0, -1, 0), kind="numbers", symbol="h_l", doc="lower envelope")
    start_force: float | None = start_force_parameter()
    identification = IdentificationTraits(paper_rules="rate_from_area")

    def check(self) -> None:
        _check_order("Duhem", self.upper, self.lower)

    def parts(self) -> tuple[Leaf, ...]:
        return (Leaf(ModifiedDahl(exponent=1.0, **self.parameters())),)

    def equation(self) -> Any:
        return _envelope_equation(self, 1)

    @staticmethod
    def start_values(loops: LoopView) -> Iterator[Law]:
        yield from loops.by_rule("rate_from_area")
        for rate in _start_rates(loops, 1.0):
            yield Duhem(rate=rate, upper=loops.upper, lower=loops.lower)


class Dahl(Composite):
    """Dahl's solid friction model (fibre 5, normalised): dF/du = sigma sgn(.) |1 - F sgn(v)/F_C|^i.

    sigma is the slope at F = 0, in N/m whatever the exponent.
    """

    stiffness: float = parameter(STIFFNESS, above=0.0, symbol=r"\sigma", doc="slope at zero force")
    limit: float = parameter(FORCE, above=0.0, symbol="F_C", doc="asymptotic force")
    exponent: float = parameter(default=1.0, above=0.0, symbol="i", doc="shape: below 1 ductile, above brittle")
    state_names = ("stick", "slip")
    identification = IdentificationTraits(derived=(STEEPEST_SLOPE,))

    def check(self) -> None:
        if math.isinf(self.stiffness / self.limit):
            raise InvalidInput(
                f"stiffness/limit must be finite, got {self.stiffness:g}/{self.limit:g}",
                owner="Dahl",
                argument="stiffness",
            )

    def parts(self) -> tuple[Leaf, ...]:
        # scaled by the limit: the envelopes are +-1, and no power of a force can overflow
        unit = ModifiedDahl(rate=self.stiffness / self.limit, exponent=self.exponent, upper=(1.0,), lower=(-1.0,))
        return (Leaf(unit, force=self.limit),)

    def start(self, u: float = 0.0) -> Any:
        """From rest at 0 without force, along the first branch to u."""
        law = self.parts()[0].law
        return (law.update(float(u), 0.0, (0.0,) * 6)[1],)

    def linearised(self, state: str | None = None, u: float = 0.0) -> Linearised:
        self.refuse_state(state)
        return Linearised(0.0 if state == "slip" else self.stiffness, 0.0)

    def asymmetric(self, *, positive: float = 1.0, negative: float = 1.0) -> ModifiedDahl:
        """A `ModifiedDahl` with level envelopes: the law of the mean limit beside a constant force.

        The stiffness is that midway between both limits. Runs start at zero force.
        """
        a, b = checked_factors(positive, negative)
        mean = 0.5 * (a + b) * self.limit
        if not mean > 0.0:
            raise InvalidInput("Dahl.asymmetric: positive and negative must not both be 0").about("negative")
        return ModifiedDahl(
            rate=self.stiffness / mean**self.exponent, exponent=self.exponent, upper=(a * self.limit,),
            lower=(-b * self.limit,), start_force=0.0,
        )  # fmt: skip

    def equation(self) -> Any:
        from slipstick.laws import law_symbols as s

        sigma, limit, i = (s.symbol(self, n) for n in ("stiffness", "limit", "exponent"))
        return s.relaxation_equation(sigma, i, 1, 1, limit)

    @staticmethod
    def start_values(loops: LoopView) -> Iterator[Law]:
        for exponent, share in product((1.0, 0.5, 1.8), (1.0, 1.5)):
            stiffness = loops.first_slope / 2.0**exponent
            yield Dahl(stiffness=stiffness, limit=share * loops.height, exponent=exponent)


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


# ---- words

Dahl.words = LawWords(
    title="Dahl",
    force="relaxes to +-limit",
    paper="fibre (5)",
    symbols=r"$s$ is the direction of the motion; the force relaxes towards $s\,h$ as the deflection goes on.",
    use=(
        "Ball bearings, guides and cables in which the force creeps up to its limit smoothly. It remembers only its "
        "force: inner loops do not close but creep, which is a known fault of the law. Where small vibrations ride on "
        "a large motion, take `DynamicHysteresis`."
    ),
    identify=(
        "The height of large loops is twice the limit. The slope where the force crosses zero is the stiffness. The "
        "exponent sets how the curve bends: below 1 it reaches the limit, from 1 on it only approaches it."
    ),
    memory="its force alone",
    example="stiffness=5e5, limit=100.0, exponent=1.0",
)

Duhem.words = LawWords(
    title="Duhem",
    force="relaxes to envelopes, exponent 1",
    paper="tensioner (2)",
    symbols=(
        r"$s$ is the direction of the motion; the force relaxes towards $s\,h$ as the deflection goes on. $h_u$ and "
        "$h_l$ are the coefficients of the two envelopes, constant first."
    ),
    use=(
        "A loop between two sloping lines that need not be symmetric. It is the modified Dahl law with an exponent of "
        "1: one number fewer."
    ),
    identify=(
        "Draw the two lines that the loop bends into: their heights at zero and their slopes are `upper` and `lower`. "
        r"The rate sets how soon the loop approaches them: after $1/\Lambda$ it has covered two thirds of the "
        "distance."
    ),
    memory="its force alone",
    example="rate=6e3, upper=(150.0, 1e5), lower=(-120.0, 1e5)",
    noise=1.5,
)

ModifiedDahl.words = LawWords(
    title="modified Dahl",
    force="relaxes to envelopes, any exponent",
    paper="tensioner (3)",
    symbols=(
        r"$s$ is the direction of the motion; the force relaxes towards $s\,h$ as the deflection goes on. $h_u$ and "
        r"$h_l$ are the coefficients of the two envelopes, constant first. The unit of $\Lambda$ depends on the "
        "exponent, N^(1 − μ)/m; the table has that of the example below."
    ),
    use=(
        "A loop that bends smoothly into sloping lines: belt tensioners, wire ropes, clutch disks. The exponent sets "
        r"how sharply. With sloping envelopes the loop stays a little inside them, by $(a/\Lambda)^{1/\mu}$; it is not "
        "the envelope. Where sloping envelopes cross the law ends: beyond, its loops create energy. `trace` warns, "
        "and so do the notes of runs, orbits and curves that go there; a certificate fails where energy was gained. "
        "Like all laws of this family it remembers only its force."
    ),
    identify=(
        "The envelopes are read off first, where the loop runs straight; then rate and exponent from the bend. These "
        "two are strongly correlated: trust the loop they make, not each value. If the bend never ends, the amplitude "
        "is too small, and the fit warns that an envelope is not reached."
    ),
    memory="its force alone",
    example="rate=400.0, exponent=1.6, upper=(150.0, 1e5), lower=(-120.0, 1e5)",
    noise=1.5,
)
