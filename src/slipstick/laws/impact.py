"""A rigid stop with Newton's restitution: the deflection never exceeds the gap.

The force is zero below the gap. At the gap an impact reverses the rate, v+ = -e v-, or the stop rests in contact with
any force >= 0 that keeps it there. Deflection and rate alone do not determine that force, so the law has only its
pieces: the exact method takes it. For a compliant stop use `Contact` or `Freeplay` with damping.
"""

from __future__ import annotations

from math import inf
from typing import Any

from slipstick.laws.base import Law
from slipstick.laws.diagram_symbols import STOP, DiagramSymbol
from slipstick.laws.faces import Affine, Face, Guard, Linearised, Piece, RigidStop
from slipstick.laws.law_words import LawWords
from slipstick.laws.parameters import parameter
from slipstick.units.dimensions import DEFLECTION
from slipstick.units.number_format import format_number


class Impact(Law):
    """A rigid stop: u <= gap, with v+ = -restitution v- at impact.

    In contact the force is any reaction >= 0; the stop is left where the reaction would pull. Restitution 1 keeps the
    energy of an impact, 0 keeps contact. For a stop on the other side, use the negative deflection.
    """

    gap: float = parameter(DEFLECTION, symbol="g", doc="largest deflection")
    restitution: float = parameter(
        default=1.0, low=0.0, high=1.0, symbol="e", doc="rate after an impact over that before it"
    )
    state_names = ("free", "contact")
    is_passive = True
    needs_rate = False

    def update(self, u: float, v: float, memory: Any) -> tuple[float, Any]:
        """No force up to the gap; beyond it the force of a rigid stop is infinite."""
        return (0.0 if u <= self.gap else inf), memory

    def doubt_about(self, low: float, high: float) -> str:
        del low
        if high <= self.gap:
            return ""
        return f"a rigid stop at {format_number(self.gap)} cannot be at a deflection of {format_number(high)}"

    def stored(self, u: float, memory: Any) -> float:
        return 0.0

    @property
    def faces(self) -> frozenset[Face]:
        return frozenset({Face.PIECES})

    @property
    def rigid_stop(self) -> RigidStop:
        return RigidStop(self.gap, self.restitution)

    @property
    def diagram_symbol(self) -> DiagramSymbol:
        return STOP

    def pieces(self) -> tuple[Piece, ...]:
        return (
            Piece("free", Affine(), (Guard(Affine(self.gap, u=-1.0), "contact"),)),
            Piece("contact", Affine(), sticks=True),
        )

    def linearised(self, state: str | None = None, u: float = 0.0) -> Linearised:
        self.refuse_state(state)
        return Linearised(0.0, 0.0, sticks=state == "contact")

    def equation(self) -> Any:
        import sympy as sp

        from slipstick.laws import law_symbols as s

        gap, restitution = s.symbol(self, "gap"), s.symbol(self, "restitution")
        reaction, after, before = (sp.Symbol(name, real=True) for name in ("R", "v^+", "v^-"))
        force = sp.Piecewise((0, sp.Lt(s.u, gap, evaluate=False)), (reaction, True), evaluate=False)
        return s.equation(s.f, force), s.equation(after, -restitution * before)


# ---- words

Impact.words = LawWords(
    title="rigid stop",
    force="0 below the gap; in contact a reaction ≥ 0; v⁺ = −e v⁻ at impact",
    paper="",
    symbols="R is the reaction in contact, R ≥ 0; v⁻ and v⁺ are the rates before and after an impact.",
    use=(
        "End stops, rattling gears, valves on their seats, bouncing parts: where contact is so stiff that only the "
        "change of velocity matters. Only the exact method takes it, with shooting for periodic motions. If the "
        "force during contact matters, use `Contact` or `Freeplay` with damping."
    ),
    identify=(
        "A loop does not determine it: drop the part from a height h and measure the height of the rebound; "
        "restitution is the root of their ratio."
    ),
    example="gap=0.01, restitution=0.8",
    complete="gap=0.5, restitution=0.5",
    code="""\
import slipstick as ss

m = ss.Model("bouncing ball")
x = m.coordinate("x", inertia=1.0, displacement=1.0)
m.load(x, ss.Constant(-9.81))
m.connect(-x, ss.Impact(gap=0.0, restitution=0.8), name="floor")
run = m.simulate(until=5.0)
print(run.events["time"][-1])           # 4.0637: all impacts, then contact
print(run.certificate)""",
)
