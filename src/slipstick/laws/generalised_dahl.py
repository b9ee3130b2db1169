"""Dahl's law with any envelope, a function of deflection, direction and last reversal.

The law integrates each branch (`DahlFamily.integrate`), so it is the slowest of the family and the most general.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from slipstick.errors import InvalidInput
from slipstick.laws.dahl_family import DahlFamily, rate_dimension, start_force_parameter
from slipstick.laws.envelopes import PROVIDED_SHAPES, Shape, as_envelope, shape_of
from slipstick.laws.identification_traits import IdentificationTraits
from slipstick.laws.law_subclass import takes_arguments
from slipstick.laws.law_words import LawWords
from slipstick.laws.parameters import parameter
from slipstick.scalar import power, sgn


class GeneralisedDahl(DahlFamily):
    """The generalised Dahl model (fibre 6) with any envelope h(u, direction, u_m, f_m).

    ``envelope`` is a plain function of floats: deflection, direction (1 or -1), and deflection and force at the last
    reversal. `slipstick.laws.envelopes` provides (9), (14), (21) and (23). Branches are integrated to 1e-12 of the
    force scale.
    """

    rate: float = parameter(rate_dimension, above=0.0, symbol=r"\Lambda", doc="sigma/tau_C of the paper")
    envelope: Any = parameter(kind="function", symbol="h", doc="h(u, direction, u_m, f_m)")
    exponent: float = parameter(default=1.0, above=0.0, symbol="i", doc="shape of the approach")
    start_force: float | None = start_force_parameter()
    derived_lists = ("numbers",)
    identification = IdentificationTraits(
        search_factor={"rate": 1e3},
        not_by_name="has a function, which no file can hold; the laws of its envelopes are dynamic-hysteresis, "
        "polynomial+dynamic-hysteresis, bliman-sorine and polynomial+bliman-sorine; in Python "
        "GeneralisedDahl.with_envelope(function) is identified",
    )

    def check(self) -> None:
        if not takes_arguments(self.envelope, 4):
            words = "give numbers that it takes beside these values: envelopes.own(function, name=value)"
            raise InvalidInput(
                "must be a function of (u, direction, u_m, f_m)",
                owner="GeneralisedDahl",
                subject="envelope",
                advice=[words],
            )
        object.__setattr__(self, "envelope", as_envelope(self.envelope))

    @classmethod
    def with_envelope(cls, envelope: Callable[..., float], **bounds: Any) -> WithEnvelope:
        """The law with unknown numbers in its envelope, for `identify` and `rank`.

        envelope : one of `slipstick.laws.envelopes`, such as ``envelopes.full``; or a function of
            (u, direction, u_m, f_m) and further numbers.
        bounds : of these numbers by name: (low, high), None for no bound; or ``parameter(FORCE, above=0.0)``, which
            also has a unit.
        """
        return WithEnvelope(cls, shape_of(envelope, bounds))

    @classmethod
    def identified_forms(cls) -> tuple[WithEnvelope, ...]:
        """The law with each envelope of the papers; none for a subclass with another equation."""
        if cls.slope is not GeneralisedDahl.slope:
            return ()
        return tuple(WithEnvelope(cls, shape) for shape in PROVIDED_SHAPES.values())

    @property
    def numbers(self) -> tuple[float, ...]:
        """The numbers of the envelope for compiled code; their count comes first."""
        values = self.envelope.values
        return (float(len(values)), *values)

    def branch(
        self, u: float, start: float, force: float, clock: float, guess: float, last: float, f: float
    ) -> tuple[float, float]:
        f, guess = self.integrate(u, start, force, sgn(u - start), last, f, guess)
        return f, guess

    def goal(self, u: float, s: float, u_m: float, f_m: float) -> float:
        return float(s * self.envelope(u, s, u_m, f_m, self.numbers))

    def slope(self, u: float, f: float, s: float, u_m: float, f_m: float) -> float:
        return self.rate * power(self.envelope(u, s, u_m, f_m, self.numbers) - s * f, self.exponent)

    def free_force_offset(self, low: float, high: float, force: float) -> bool:
        """True if h follows the force of the reversal one to one: a loop then stays at the force it started with.

        low, high : range of deflection to check.   force : typical size of forces.
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

        from slipstick.laws import law_symbols as s

        h = sp.Function("h")
        up, down = (h(s.u, side, s.u_m, s.f_m) for side in (1, -1))
        return s.relaxation_equation(s.symbol(self, "rate"), s.symbol(self, "exponent"), up, down)


@dataclass(frozen=True)
class WithEnvelope:
    """A generalised Dahl law to identify, with the numbers of its envelope; see `GeneralisedDahl.with_envelope`."""

    kind: type[GeneralisedDahl]
    shape: Shape

    @property
    def __name__(self) -> str:
        return f"{self.kind.__name__} with {self.shape.name}"


# ---- words

GeneralisedDahl.words = LawWords(
    title="generalised Dahl",
    force="any envelope function",
    paper="fibre (6)",
    symbols="$h$ is any function of the deflection, the direction and the last reversal; $s$ is the direction.",
    use=(
        "Research: try an envelope of your own, or one of the fibre paper's, (9), (14), (21), (23), which "
        "`slipstick.laws.envelopes` has: `dynamic_hysteresis(limit)`, `with_polynomial(stiffness, limit, "
        "coefficients)`, `bliman_sorine(stiffness, limit, overshoot_limit, ratio)` and `full(...)` of all. It is "
        "integrated, each step within 1e-13, where the other laws have closed forms; so it is the slowest of the "
        "family. The envelope is where a branch ends, [not the asymptote of the "
        "loop](../laws.md#h-is-not-the-asymptote). Values of its further numbers are given by "
        "`envelopes.own(function, name=value)`."
    ),
    identify=(
        "`GeneralisedDahl.with_envelope(envelope, height=(0.0, 1e4))` names the envelope and the bounds of its "
        "numbers. A default value in the function (`height=100.0`) or a unit (`height=parameter(FORCE, above=0.0)`, "
        "from `slipstick.laws.parameters`) replaces bounds; without any of these the message asks for one. Start "
        "values are those for which the equation of the law holds best along the branches. Envelopes of the paper "
        "need no bounds: `with_envelope(envelopes.full)`. The exponent of (14), (21) and (23), which are for exponent "
        "1, is held, and a number with the name `rate` is that of the law. `GeneralisedDahl` alone tries all four and "
        "says which it took. With them a loop stays at any force it begins with, so the position of a settled loop is "
        "taken from the data. No file can hold a function: on the command line use `dynamic-hysteresis`, "
        "`bliman-sorine` or a sum of `polynomial` and one of these."
    ),
    memory="its force, and deflection and force at the last reversal",
    setup=(
        "from slipstick.laws import envelopes\n"
        "\n"
        "def envelope(u, direction, u_m, f_m, height, slope):        # where a branch ends; u_m, f_m: its reversal\n"
        "    return height + slope * direction * u\n"
        "\n"
    ),
    example="rate=4e3, envelope=envelopes.own(envelope, height=100.0, slope=4e4)",
    fit='ss.GeneralisedDahl.with_envelope(envelope, height=(0.0, 1e4), slope=(-1e6, 1e6)), fixed={"exponent": 1.0}',
)
