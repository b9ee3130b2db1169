"""Dahl's family: the force relaxes towards an envelope that depends on the direction.

    dF/du = rate * sgn(d) |d|^exponent,     d = h - F sgn(v)                     (fibre 6, tensioner 3)

with h = h_u on the way up and h = -h_l on the way down (fibre 7). One implementation serves all:
`GeneralisedDahl` takes any envelope function and integrates; with polynomial envelopes it is
`ModifiedDahl`, whose branches are closed forms where the envelopes are straight; `Duhem` is that with
exponent 1, `Dahl` that with constant envelopes.

A branch is computed from the reversal it started at, so the number of samples does not matter.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import exp
from typing import TYPE_CHECKING, Any

from slipstick.errors import InvalidInput
from slipstick.laws.base import FAR, Law, Leaf, Memory, takes
from slipstick.laws.combine import Composite
from slipstick.laws.envelopes import Shape, as_envelope, shape_of
from slipstick.laws.faces import Linearised
from slipstick.laws.parameters import FORCE, STIFFNESS, Dimension, parameter
from slipstick.laws.relaxation import LARGEST_POWER, clock_of, relax, relaxation_table
from slipstick.scalar import ahead, decay, extinction, power, sgn

STEP_TOLERANCE = 1e-13  # of the largest force on the branch, for each step of `integrate`
ON_IT = 10.0 * STEP_TOLERANCE  # of the force: a force so near to its envelope lies on it
MOST_STEPS = 1_000_000


def _rate_dimension(law: Any) -> Dimension:
    return (1.0 - law.exponent, -1.0, 0.0)


def line(x: float, coefficients: Sequence[float]) -> float:
    """A polynomial, coefficients lowest first."""
    y = 0.0
    for i in range(len(coefficients) - 1, -1, -1):
        y = y * x + coefficients[i]
    return y


def _start_force() -> Any:
    return parameter(
        FORCE,
        default=None,
        kind="start",
        optional=True,
        symbol="F_0",
        doc="force that runs begin with; none is midway between the envelopes",
    )


class Relaxing(Law):
    """What the family shares: where a branch started, and the force on it.

    remembers : last deflection and force; deflection and force at the last reversal. Two more save time
    and change nothing else: the clock of that reversal, and a guess of how far along the branch we are.
    """

    if TYPE_CHECKING:  # parameters of every law of the family
        rate: float
        exponent: float
        start_force: float | None
    remembers = ("deflection", "force", "reversal_deflection", "reversal_force", "clock", "guess")

    def clock(self, start: float, force: float, s: float) -> float:
        """What `branch` needs to know of its start, computed once a branch."""
        return 0.0

    def branch(
        self, u: float, start: float, force: float, s: float, clock: float, guess: float, last: float, f: float
    ) -> tuple[float, float]:
        """The force at u on the branch from (start, force) in direction s, now at (last, f); the next guess."""
        raise InvalidInput(f"{type(self).__name__} must define branch")

    def update(self, u: float, v: float, memory: Memory) -> tuple[float, Memory]:
        last, f, u_m, f_m, clock, guess = memory
        if u == last:
            return f, memory
        s = sgn(u - last)
        if (last - u_m) * s < 0.0:  # turned back: a new branch starts where we were
            u_m = last
            f_m = f
        if u_m == last:
            clock = self.clock(u_m, f_m, s)
        f, guess = self.branch(u, u_m, f_m, s, clock, guess, last, f)
        return f, (u, f, u_m, f_m, clock, guess)

    def start(self, u: float = 0.0) -> Memory:
        """At rest at u, with the start force; without one, midway between the envelopes there."""
        return self._at_rest(float(u), self.midway(float(u)) if self.start_force is None else self.start_force)

    def search_start(self, u: float = 0.0) -> Memory:
        """Midway: small periodic motions are there, and all forget with which force they began."""
        return self._at_rest(float(u), self.midway(float(u)))

    def _at_rest(self, u: float, f: float) -> Memory:
        return (u, f, u, f, 0.0, 0.0)

    def midway(self, u: float) -> float:
        """The force midway between the envelopes."""
        raise InvalidInput(f"{type(self).__name__} must define midway")

    def slope(self, u: float, f: float, s: float, u_m: float, f_m: float) -> float:
        """dF/du at force f in direction s, on the branch from (u_m, f_m)."""
        raise InvalidInput(f"{type(self).__name__} must define slope")

    def goal(self, u: float, s: float, u_m: float, f_m: float) -> float:
        """The force on the envelope, for the branch from (u_m, f_m) in direction s."""
        raise InvalidInput(f"{type(self).__name__} must define goal")

    def inside(self, slope: float) -> float:
        """How far from its envelope a force of such a slope is."""
        return float((abs(slope) / self.rate) ** (1.0 / self.exponent))

    def integrate(
        self, u: float, start: float, force: float, s: float, last: float, f: float, step: float
    ) -> tuple[float, float]:
        """The force at u on the branch from (start, force) that has come to (last, f), and the size of the next step.

        Dormand-Prince 5(4), each step within 1e-13 of the force.   step : the size to begin with, 0 if it is not known.
        """
        x = last
        k1 = self.slope(x, f, s, start, force)
        # the scale of force: where the branch began, and how far from the envelope
        largest = max(abs(force) + self.inside(self.slope(start, force, s, start, force)), abs(f))
        h = u - x
        whole = True  # the step at hand ends at u
        if step > 0.0 and step < abs(h):
            h = s * step
            whole = False
        for _ in range(MOST_STEPS):
            if self.exponent < 1.0 and self.inside(k1) <= ON_IT * largest:
                # there the slope of the equation is without bound: steps would be as small as the distance
                y = self.goal(u, s, start, force)
                if self.inside((y - f) / (u - x)) <= ON_IT * largest:  # the envelope does not run away from it
                    return y, step
            k2 = self.slope(x + 0.2 * h, f + h * 0.2 * k1, s, start, force)
            k3 = self.slope(x + 0.3 * h, f + h * (0.075 * k1 + 0.225 * k2), s, start, force)
            k4 = self.slope(x + 0.8 * h, f + h * (44 / 45 * k1 - 56 / 15 * k2 + 32 / 9 * k3), s, start, force)
            y = 19372 / 6561 * k1 - 25360 / 2187 * k2 + 64448 / 6561 * k3 - 212 / 729 * k4
            k5 = self.slope(x + 8 / 9 * h, f + h * y, s, start, force)
            y = 9017 / 3168 * k1 - 355 / 33 * k2 + 46732 / 5247 * k3 + 49 / 176 * k4 - 5103 / 18656 * k5
            k6 = self.slope(x + h, f + h * y, s, start, force)
            y = 35 / 384 * k1 + 500 / 1113 * k3 + 125 / 192 * k4 - 2187 / 6784 * k5 + 11 / 84 * k6
            new = f + h * y
            k7 = self.slope(x + h, new, s, start, force)
            y = 71 / 57600 * k1 - 71 / 16695 * k3 + 71 / 1920 * k4 - 17253 / 339200 * k5 + 22 / 525 * k6 - k7 / 40
            error = abs(h * y) / (STEP_TOLERANCE * largest + 1e-300)
            if error != error:  # NaN: the envelope has no value there
                return math.nan, step
            step = abs(h) * min(max(0.9 * (error + 1e-10) ** -0.2, 0.2), 5.0)
            if error <= 1.0:
                if whole:
                    return new, step
                x += h
                f = new
                k1 = k7
                largest = max(largest, abs(f))  # only of what was accepted: a trial step may be far off
            whole = step >= abs(u - x)
            h = u - x if whole else s * step
        return math.nan, step  # not a force: `trace` says so

    def inner_state(self, memory: Memory) -> float:
        return memory[1]

    def inner_rate(self, u: float, v: float, z: float, memory: Memory) -> float:
        return v * self.slope(u, z, 1.0 if v >= 0.0 else -1.0, memory[2], memory[3])

    def settled(self, u: float, v: float, z: float, memory: Memory) -> Memory:
        s = 1.0 if u >= memory[2] else -1.0
        return (u, z, memory[2], memory[3], self.clock(memory[2], memory[3], s), 0.0)

    def turned(self, memory: Memory) -> Memory:
        u, f = memory[0], memory[1]
        return (u, f, u, f, 0.0, 0.0)

    def inner_force(self, u: float, v: float, z: float) -> float:
        return z


class ModifiedDahl(Relaxing):
    """The modified Dahl model (tensioner 3): envelopes upper = (b, a, ...) and lower = (e, d, ...), lowest power first.

    Any exponent > 0, also below 1, where the right-hand side has an infinite slope at the
    envelope. A loop does not reach its envelopes: it settles (a/rate)^(1/exponent) below the upper
    and (d/rate)^(1/exponent) above the lower one. Starting outside them is allowed.
    """

    rate: float = parameter(_rate_dimension, above=0.0, symbol=r"\Lambda", doc="speed of the approach")
    exponent: float = parameter(above=0.0, symbol=r"\mu", doc="shape of the approach")
    upper: tuple[float, ...] = parameter(FORCE, step=(0, -1, 0), kind="numbers", symbol="h_u", doc="upper envelope")
    lower: tuple[float, ...] = parameter(FORCE, step=(0, -1, 0), kind="numbers", symbol="h_l", doc="lower envelope")
    start_force: float | None = _start_force()
    derived = ("upper_rest", "lower_rest", "upper_slope", "lower_slope")
    derived_lists = ("table",)

    def check(self) -> None:
        _check_order("ModifiedDahl", self.upper, self.lower)
        for side in (self.upper, self.lower):
            slope = abs(side[1]) if len(side) == 2 and self.exponent != 1.0 else 0.0
            if slope and abs(math.log(slope) - math.log(self.rate)) > LARGEST_POWER * self.exponent:
                raise InvalidInput(
                    "ModifiedDahl: (slope/rate)^(1/exponent), where a loop settles, is out of the range of numbers: "
                    f"({slope:g}/{self.rate:g})^(1/{self.exponent:g}); raise the exponent, or leave the slope out"
                )

    def corner(self, u: float, s: float, memory: Memory) -> float:
        """Where the force reaches a level envelope: for an exponent below 1 that is not far."""
        level = len(self.upper) == 1 if s > 0.0 else len(self.lower) == 1
        if self.exponent >= 1.0 or not level:
            return FAR * s
        y = self.distance(memory[0], memory[1], s)
        return ahead(memory[0] + s * extinction(y, self.rate, self.exponent), u, s, FAR * s)

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
        from slipstick.laws import symbols as s

        return _envelope_equation(self, s.symbol(self, "exponent"))


class Duhem(Composite):
    """Duhem's model (tensioner 2): the modified Dahl model with exponent 1."""

    rate: float = parameter((0, -1, 0), above=0.0, symbol=r"\Lambda", doc="speed of the approach")
    upper: tuple[float, ...] = parameter(FORCE, step=(0, -1, 0), kind="numbers", symbol="h_u", doc="upper envelope")
    lower: tuple[float, ...] = parameter(FORCE, step=(0, -1, 0), kind="numbers", symbol="h_l", doc="lower envelope")
    start_force: float | None = _start_force()

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
            raise InvalidInput(f"Dahl: stiffness/limit must be finite, got {self.stiffness:g}/{self.limit:g}")

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
        from slipstick.laws import symbols as s

        sigma, limit, i = (s.symbol(self, n) for n in ("stiffness", "limit", "exponent"))
        return s.relaxation_equation(sigma, i, 1, 1, limit)


class GeneralisedDahl(Relaxing):
    """The generalised Dahl model (fibre 6) with any envelope h(u, direction, u_m, f_m).

    ``envelope`` is a plain function of floats: deflection, direction (1 or -1), and the deflection and
    force at the last reversal. `slipstick.laws.envelopes` provides (9), (14), (21) and (23). Branches are
    integrated to 1e-12 of the force scale.
    """

    rate: float = parameter(_rate_dimension, above=0.0, symbol=r"\Lambda", doc="sigma/tau_C of the paper")
    envelope: Any = parameter(kind="function", symbol="h", doc="h(u, direction, u_m, f_m)")
    exponent: float = parameter(default=1.0, above=0.0, symbol="i", doc="shape of the approach")
    start_force: float | None = _start_force()
    derived_lists = ("numbers",)

    def check(self) -> None:
        if not takes(self.envelope, 4):
            words = "give numbers that it takes beside these values: envelopes.own(function, name=value)"
            raise InvalidInput(f"GeneralisedDahl: envelope must be a function of (u, direction, u_m, f_m); {words}")
        object.__setattr__(self, "envelope", as_envelope(self.envelope))

    @classmethod
    def with_envelope(cls, envelope: Callable[..., float], **bounds: Any) -> WithEnvelope:
        """This law with an envelope whose numbers are to be identified: what `identify` and `rank` take.

        envelope : one that `slipstick.laws.envelopes` provides, such as ``envelopes.full``; or a function of one's own
            of (u, direction, u_m, f_m) and further numbers.
        bounds : of these by name, (low, high), None for no bound; or ``parameter(FORCE, above=0.0)``, which has a unit.
        """
        return WithEnvelope(cls, shape_of(envelope, bounds))

    @property
    def numbers(self) -> tuple[float, ...]:
        """Of the envelope, led by their count, as compiled code has them."""
        values = self.envelope.values
        return (float(len(values)), *values)

    def branch(
        self, u: float, start: float, force: float, s: float, clock: float, guess: float, last: float, f: float
    ) -> tuple[float, float]:
        f, guess = self.integrate(u, start, force, s, last, f, guess)
        return f, guess

    def goal(self, u: float, s: float, u_m: float, f_m: float) -> float:
        return float(s * self.envelope(u, s, u_m, f_m, self.numbers))

    def slope(self, u: float, f: float, s: float, u_m: float, f_m: float) -> float:
        return self.rate * power(self.envelope(u, s, u_m, f_m, self.numbers) - s * f, self.exponent)

    def keeps_its_force(self, low: float, high: float, force: float) -> bool:
        """True if a loop stays at whatever force it began with, as h follows that of the reversal one to one.

        low, high : deflections between which it is looked at.   force : the size of forces.
        """
        middle = 0.5 * (low + high)
        for s in (1.0, -1.0):
            for u, u_m, f_m in ((low, high, 0.3 * force), (middle, low, -force), (high, middle, 0.0)):
                moved = self.envelope(u, s, u_m, f_m + force) - self.envelope(u, s, u_m, f_m)
                if not abs(moved - s * force) <= 1e-9 * force:
                    return False
        return True

    def midway(self, u: float) -> float:
        return float(0.5 * (self.envelope(u, 1.0, u, 0.0) - self.envelope(u, -1.0, u, 0.0)))

    def equation(self) -> Any:
        import sympy as sp

        from slipstick.laws import symbols as s

        h = sp.Function("h")
        up, down = (h(s.u, side, s.u_m, s.f_m) for side in (1, -1))
        return s.relaxation_equation(s.symbol(self, "rate"), s.symbol(self, "exponent"), up, down)


@dataclass(frozen=True)
class WithEnvelope:
    """A generalised Dahl law whose numbers are sought, those of its envelope too: `GeneralisedDahl.with_envelope`."""

    kind: type[GeneralisedDahl]
    shape: Shape

    @property
    def __name__(self) -> str:
        return f"{self.kind.__name__} with {self.shape.name}"


def _envelope_equation(law: Law, exponent: Any) -> Any:
    from slipstick.laws import symbols as s

    upper, lower = (sum(a * s.u**i for i, a in enumerate(s.indexed(law, n))) for n in ("upper", "lower"))
    return s.relaxation_equation(s.symbol(law, "rate"), exponent, upper, -lower)


def _check_order(owner: str, upper: Sequence[float], lower: Sequence[float]) -> None:
    if len(upper) == len(lower) == 1 and upper[0] <= lower[0]:
        raise InvalidInput(f"{owner}: upper must lie above lower, got {upper[0]:g} and {lower[0]:g}")


def _pair(coefficients: Sequence[float]) -> tuple[float, float]:
    return (coefficients[0], coefficients[1] if len(coefficients) > 1 else 0.0)
