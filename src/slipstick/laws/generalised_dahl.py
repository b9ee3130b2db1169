"""Dahl's law with any envelope: a function of the deflection, the direction and the last reversal."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from slipstick.errors import InvalidInput
from slipstick.laws.base import takes_arguments
from slipstick.laws.dahl_family import DahlFamily, rate_dimension, start_force_parameter
from slipstick.laws.envelopes import Shape, as_envelope, shape_of
from slipstick.laws.parameters import parameter
from slipstick.scalar import power


class GeneralisedDahl(DahlFamily):
    """The generalised Dahl model (fibre 6) with any envelope h(u, direction, u_m, f_m).

    ``envelope`` is a plain function of floats: deflection, direction (1 or -1), and the deflection and
    force at the last reversal. `slipstick.laws.envelopes` provides (9), (14), (21) and (23). Branches are
    integrated to 1e-12 of the force scale.
    """

    rate: float = parameter(rate_dimension, above=0.0, symbol=r"\Lambda", doc="sigma/tau_C of the paper")
    envelope: Any = parameter(kind="function", symbol="h", doc="h(u, direction, u_m, f_m)")
    exponent: float = parameter(default=1.0, above=0.0, symbol="i", doc="shape of the approach")
    start_force: float | None = start_force_parameter()
    derived_lists = ("numbers",)

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

    def free_force_offset(self, low: float, high: float, force: float) -> bool:
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

        from slipstick.laws import law_symbols as s

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
