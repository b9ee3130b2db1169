"""`CoulombContact`: rigid contact with Coulomb friction, in one tangential direction.

    n <= gap,   N >= 0,   N (gap - n) = 0,        |T| <= mu N,   T = mu N sign(t') while it slides

Deflections and rates do not determine N and T: they follow from the accelerations of all contacts together, and at
impacts from the velocities. Methods that solve for them take the law by its `rigid_contact`.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any, ClassVar

from slipstick.errors import InvalidInput
from slipstick.laws.base import Law
from slipstick.laws.diagram_symbols import STOP, DiagramSymbol
from slipstick.laws.faces import Face, RigidContact
from slipstick.laws.identification_traits import IdentificationTraits
from slipstick.laws.law_words import LawWords
from slipstick.laws.parameters import parameter
from slipstick.units.dimensions import DEFLECTION, STIFFNESS


class CoulombContact(Law):
    """A rigid contact with friction: n <= gap, |T| <= friction N, and n'+ = -restitution n'- at impact.

    It takes a tangential and a normal deflection; positive normal deflection presses. Apart there is no force. At an
    impact friction has an impulse too, at most friction times that of the normal direction.
    """

    directions: ClassVar[tuple[str, ...]] = ("tangential", "normal")
    direction_states = ("stick", "slip", "separated")
    identification = IdentificationTraits(not_by_name="has two deflections, and a loop has one")
    needs_rate = False
    friction: float = parameter(low=0.0, symbol=r"\mu", doc="largest tangential over normal force")
    gap: float = parameter(DEFLECTION, default=0.0, symbol="g", doc="largest normal deflection")
    restitution: float = parameter(
        default=0.0, low=0.0, high=1.0, symbol="e", doc="normal rate after an impact over that before it"
    )

    def update(self, u: tuple[float, ...], v: tuple[float, ...], memory: Any) -> Any:  # type: ignore[override]
        """No force before the gap; beyond it the normal force of a rigid contact is infinite."""
        return (0.0, 0.0 if u[1] < self.gap else inf), memory

    def trace(self, u: Any, t: Any = None, memory: Any = None, *, rate: Any = None, frequency: Any = None) -> Any:
        """Refused: along a prescribed path nothing determines the normal force of a rigid contact."""
        raise self._undetermined()

    def _undetermined(self) -> InvalidInput:
        return InvalidInput(
            "a path does not determine the forces of a rigid contact",
            owner=type(self).__name__,
            advice=["simulate a model with it, or trace FrictionContact, which has a normal stiffness"],
        )

    @property
    def faces(self) -> frozenset[Face]:
        """None: methods take it by its `rigid_contact`."""
        return frozenset()

    @property
    def rigid_contact(self) -> RigidContact:
        return RigidContact(self.friction, self.gap, self.restitution)

    def direction_stored(self, direction: int, u: float, memory: Any) -> float:
        return 0.0

    def direction_passive(self, direction: int) -> bool:
        return True

    def direction_stiffness(self, direction: int, state: str | None, u: float) -> tuple[float, float]:
        return 0.0, 0.0

    def state_at_rest(self, u: Sequence[float]) -> str:
        return "stick" if u[1] >= self.gap else "separated"

    @property
    def diagram_symbol(self) -> DiagramSymbol:
        return STOP

    def equation(self) -> Any:
        """Complementarity of the normal direction, the bound of friction, its force in slip, and the impact."""
        import sympy as sp

        from slipstick.laws import law_symbols as s

        friction, gap, restitution = (s.symbol(self, name) for name in ("friction", "gap", "restitution"))
        force, pressure, n, impulse = (sp.Symbol(name, real=True) for name in ("T", "N", "n", "P_n"))
        rate, after, before = (sp.Symbol(name, real=True) for name in ("t'", "n'^+", "n'^-"))
        return (
            sp.Le(n, gap),
            sp.Ge(pressure, 0),
            s.equation(pressure * (gap - n), sp.Integer(0)),
            sp.Le(sp.Abs(force), friction * pressure),
            s.equation(force, _where(friction * pressure * sp.sign(rate), sp.Ne(rate, 0))),
            s.equation(after, _where(-restitution * before, sp.Gt(impulse, 0))),
        )


class PressedFriction(CoulombContact):
    """Dry friction with the limit friction * N, N the force of a spring that another connection applies."""

    normal_stiffness: float = parameter(STIFFNESS, above=0.0, default=1.0, doc="of the spring that presses")

    update = CoulombContact.update
    faces = CoulombContact.faces
    direction_stored = CoulombContact.direction_stored
    direction_passive = CoulombContact.direction_passive
    direction_stiffness = CoulombContact.direction_stiffness
    state_at_rest = CoulombContact.state_at_rest
    diagram_symbol = CoulombContact.diagram_symbol

    @property
    def rigid_contact(self) -> RigidContact:
        return RigidContact(self.friction, self.gap, 0.0, self.normal_stiffness)


def _where(value: Any, condition: Any) -> Any:
    """A value that holds only under a condition; elsewhere the equation says nothing."""
    import sympy as sp

    return sp.Piecewise((value, condition), evaluate=False)


# ---- words

CoulombContact.words = LawWords(
    title="rigid friction contact",
    force="n ≤ gap; N ≥ 0 in contact; |T| ≤ μ N, T = μ N sgn t′ in slip; n′⁺ = −e n′⁻ at impact with Pₙ > 0",
    summary=(
        "A rigid contact with Coulomb friction: it sticks, slips, lifts off and lands, and its normal force follows "
        "from the motion."
    ),
    symbols=(
        "t is the tangential and n the normal deflection; positive n presses. At an impact the impulses P take the "
        "place of the forces: $|P_t| \\leq \\mu P_n$, with t′⁺ = 0 below that bound."
    ),
    use=(
        "Bodies that slide, jam, lift off and land on stiff surfaces: blocks, guides, brake pads, feet, falling parts. "
        "All contacts are solved together. Where no state of the contacts satisfies the law (Painlevé's paradox), or "
        "an impact would gain energy, the run stops and says so; where several do, a note says so. If the force "
        "during impact matters, use `FrictionContact`, which has stiffnesses."
    ),
    identify=(
        "A loop does not determine it: friction is the tangent of the angle at which a block begins to slide, "
        "restitution the root of the ratio of rebound and drop heights."
    ),
    example="friction=0.3",
    complete="friction=0.3, gap=0.01, restitution=0.5",
    code="""\
import math

import slipstick as ss

m = ss.Model("block on an incline of 30 degrees")
x = m.coordinate("x", inertia=2.0)                      # down the incline
y = m.coordinate("y", inertia=2.0, displacement=0.1)    # away from it
weight, slope = 2.0 * 9.81, math.radians(30.0)
m.load(x, ss.Constant(weight * math.sin(slope)))
m.load(y, ss.Constant(-weight * math.cos(slope)))
m.connect((x, -y), ss.CoulombContact(friction=0.3, restitution=0.5), name="foot")
run = m.simulate(until=2.0)
print(run.events.to_pandas().tail(3))
print(run.certificate)""",
)
