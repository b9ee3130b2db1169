"""One direction of a law with several deflections, as a connection of a model holds it.

A law with ``directions = ("tangential", "normal")`` takes tuples: ``(t, n), (t_rate, n_rate)``, and returns a tuple of
forces. `m.connect((t, n), law, name="pad")` makes one connection for each direction, "pad.tangential" and "pad.normal",
next to each other and in this order. The first one holds the memory of the law. Methods that solve for all directions
together take the whole from `Law.kernel_law`; the others refuse, since a part has no face but its value.

Compiled kernels find the deflections, their rates and the forces behind the memory: memory (M), u (D), v (D), f (D).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from slipstick.arrays import Array
from slipstick.errors import InvalidInput, MissingFace, short_repr
from slipstick.laws.base import Law
from slipstick.laws.diagram_symbols import DiagramSymbol
from slipstick.laws.faces import Face, Linearised, Piece, RigidContact, RigidStop


class DirectionForce(Law):
    """The force of a law in one of its directions.

    whole : the law, for as many deflections as it has.   stated : as the user gave it.   direction : its number.
    """

    whole: Law
    stated: Law
    direction: int
    compiled = ""

    def __post_init__(self) -> None:
        """No check: the whole was checked when it was made."""

    def update(self, u: float, v: float, memory: Any) -> tuple[float, Any]:
        name = type(self.stated).__name__
        raise MissingFace(
            f"{name} has several deflections, and this method takes each connection by itself",
            advice=["take simulate(method='newmark') or method='harmonic-balance'"],
        )

    @property
    def faces(self) -> frozenset[Face]:
        if self.whole.rigid_contact is not None:
            return self.whole.faces
        return frozenset({Face.VALUE, Face.PIECES} if self.whole.direction_pieces(0) else {Face.VALUE})

    def pieces(self) -> tuple[Piece, ...]:
        return self.whole.direction_pieces(self.direction)

    @property
    def kernel_law(self) -> Law:
        return self.whole

    @property
    def rigid_contact(self) -> RigidContact | None:
        return self.whole.rigid_contact

    @property
    def rigid_stop(self) -> RigidStop | None:
        """Gap and restitution of the normal direction of a rigid contact."""
        contact = self.whole.rigid_contact
        return None if contact is None or self.direction == 0 else RigidStop(contact.gap, contact.restitution)

    @property
    def direction_rank(self) -> int:
        return self.direction

    @property
    def count(self) -> int:
        """Directions of the whole."""
        return len(self.whole.directions)

    @property
    def remembers(self) -> tuple[str, ...]:  # type: ignore[override]
        return self.whole.remembers if self.direction == 0 else ()

    @property
    def needs_rate(self) -> bool:  # type: ignore[override]
        return self.whole.needs_rate

    def start(self, u: float = 0.0) -> Any:
        return (0.0,) * len(self.remembers)

    def start_within(self, deflections: Sequence[float]) -> Any:
        return self.whole.start(deflections[: self.count]) if self.direction == 0 else ()  # type: ignore[arg-type]

    def pack_memory(self, memory: Any, spare: int) -> Array:
        return self.whole.pack_memory(memory, spare) if self.direction == 0 else super().pack_memory(memory, spare)

    def stored(self, u: float, memory: Any) -> float | None:
        return self.whole.direction_stored(self.direction, u, memory)

    @property
    def is_passive(self) -> bool:  # type: ignore[override]
        return self.whole.direction_passive(self.direction)

    @property
    def state_names(self) -> tuple[str, ...]:  # type: ignore[override]
        return self.whole.direction_states

    def linearised(self, state: str | None = None, u: float = 0.0) -> Linearised:
        self.refuse_state(state)
        if self.whole.rigid_contact is not None:
            if self.whole.rigid_contact.normal_stiffness > 0.0:
                raise MissingFace(
                    f"{type(self.stated).__name__}: the modes of dry friction that follows a force are not defined",
                    advice=["take Jenkins(stiffness=..., limit=...), which sticks by a spring"],
                )
            if state == "slip":
                raise MissingFace(
                    f"{type(self.stated).__name__}: the modes of a rigid contact in slip depend on its direction",
                    advice=["take stick or separated, or FrictionContact, which has stiffnesses"],
                )
            return Linearised(0.0, 0.0, sticks=state == "stick")
        return Linearised(*self.whole.direction_stiffness(self.direction, state, u))

    def check_linearised(self) -> None:
        """Refuse a law that does not state its stiffness."""
        if type(self.whole).direction_stiffness is Law.direction_stiffness:
            raise MissingFace(
                f"{type(self.stated).__name__} has several deflections and does not state its stiffness",
                advice=["give the class a direction_stiffness(direction, state, u): (stiffness, damping)"],
            )

    @property
    def diagram_symbol(self) -> DiagramSymbol:
        return self.whole.diagram_symbol

    def equation(self) -> Any:
        raise MissingFace(
            f"{type(self.stated).__name__} has several deflections, and equations() writes laws with one",
            advice=["its page in the documentation has its equations"],
        )

    def units(self, system: str = "translation") -> dict[str, str]:
        return self.stated.units(system)

    def parameters(self) -> dict[str, Any]:
        return self.stated.parameters()

    def __repr__(self) -> str:
        return f"{self.stated!r} [{self.whole.directions[self.direction]}]"


class StatedLaw(NamedTuple):
    """A law as the user connected it, with the numbers of its connections: several for several deflections."""

    name: str
    law: Law
    members: tuple[int, ...]


def stated_laws(connections: Sequence[Any]) -> list[StatedLaw]:
    """The laws of a model in their order."""
    found: list[StatedLaw] = []
    for i, connection in enumerate(connections):
        law = connection.law
        if not isinstance(law, DirectionForce):
            found.append(StatedLaw(connection.name, law, (i,)))
        elif law.direction == 0:
            name = connection.name.rpartition(".")[0]
            found.append(StatedLaw(name, law.stated, tuple(range(i, i + law.count))))
    return found


def in_directions(law: Law, count: int) -> tuple[DirectionForce, ...]:
    """The law as one force for each of ``count`` deflections."""
    whole = law.for_directions(count)
    names = whole.directions
    plain = isinstance(names, tuple) and all(isinstance(name, str) and name.isidentifier() for name in names)
    if not plain or len(set(names)) < len(names):
        words = "directions must be a tuple of different names of letters, digits and _"
        raise InvalidInput(f"{type(law).__name__}: {words}, got {short_repr(names)}")
    return tuple(DirectionForce(whole=whole, stated=law, direction=i) for i in range(count))
