"""Joints: coordinates without inertia between laws in series.

`add_joints` replaces each series of a system by its parts, with a joint between two of them: the equation of motion of
a joint says that both forces agree. Laws of straight pieces stay so, and dampers get the rates of their deflections.
Users see neither joints nor parts: results are folded back to the model as it was written.

    u --- part 1 --- y_1 --- part 2 --- y_2 --- part 3          x_1 = u - y_1, x_2 = y_1 - y_2, x_3 = y_2

Joints are the last coordinates. The first connections are those of the model, in its order, each with one of its parts
or with its terms beside the series; further parts are behind.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from slipstick.errors import InvalidInput
from slipstick.laws.base import Law, Leaf
from slipstick.laws.composite import Combination
from slipstick.model.system import Connection, Coordinate
from slipstick.results.connection_states import join_states, split_states

if TYPE_CHECKING:
    from slipstick.model.linear_forms import Form
    from slipstick.model.system import System
    from slipstick.signals import Base


@dataclass(frozen=True, eq=False)
class SeriesJoints:
    """How a system with joints came from one with laws in series.

    system : as the user has it.   members : of each of its connections, the connections that stand for it.
    carriers : of each, those of its members whose forces add up to its force.
    """

    system: System
    members: tuple[tuple[int, ...], ...]
    carriers: tuple[tuple[int, ...], ...]


def needs_rate_joints(law: Law) -> bool:
    """True if a law has dampers in series, whose force needs the rates of their own deflections."""
    return any(leaf.law.joint_parts and leaf.law.needs_rate for leaf in law.leaves())


def connection_name(system: System, number: int) -> str:
    """The name of a connection; that of the whole series for a part of one."""
    if system.joints is None:
        return system.connections[number].name
    owners = {k: j for j, own in enumerate(system.joints.members) for k in own}
    return str(system.joints.system.connections[owners[number]].name)


def part_states(system: System, state: Mapping[str, str]) -> dict[str, str]:
    """The states of connections, by name, with those of a series given to its parts that know them."""
    if system.joints is None:
        return dict(state)
    found: dict[str, str] = {}
    for whole, members in zip(system.joints.system.connections, system.joints.members, strict=True):
        if whole.name in state:
            parts = [system.connections[k] for k in members]
            words = split_states(state[whole.name])
            known = {part.name: [word for word in words if word in part.law.state_names] for part in parts}
            found |= {name: join_states(own) for name, own in known.items() if own}
            if not any(known.values()):
                found[whole.name] = state[whole.name]
    return found


def add_joints(system: System, start: float = 0.0, frequency: Base = None) -> System:
    """The system with the parts of each series as connections, and joints between them."""
    new = system.snapshot()
    new.ready = None
    q = {
        c.name: c.displacement if c.motion is None else c.motion.at(start, frequency or system.frequency)
        for c in system.coordinates
    }
    first, further = [], list[Connection]()
    members, carriers = [], []
    for j, connection in enumerate(system.connections):
        parts = _Expansion(connection.name)
        u = sum(factor * q[name] for name, factor in connection.deflection.terms.items())
        acting = parts.expand(connection.deflection, connection.along, connection.law, float(u))
        new.coordinates += parts.joints
        behind = len(system.connections) + len(further) - 1
        places = [j, *(behind + k for k in range(1, len(parts.found)))]
        names = [connection.name, *(f"{connection.name}.{k}" for k in range(1, len(parts.found)))]
        made = [Connection(name, form, law, along) for name, (form, along, law) in zip(names, parts.found, strict=True)]
        members.append(tuple(places))
        carriers.append(tuple(places[k] for k in acting))
        first.append(made[0])
        further += made[1:]
    new.connections = [*first, *further]
    new.joints = SeriesJoints(system, tuple(members), tuple(carriers))
    return new


class _Expansion:
    """A connection taken apart.   found : deflection, along and law of each part.   joints : between parts."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.found: list[tuple[Form, Form, Law]] = []
        self.joints: list[Coordinate] = []

    def expand(self, form: Form, along: Form, law: Law, u: float) -> list[int]:
        """Add a law that acts on a form, at deflection u; the numbers of the parts that carry its force."""
        beside = tuple(term for term in joint_terms(law) if not term.law.joint_parts)
        series = [term for term in joint_terms(law) if term.law.joint_parts]
        acting = []
        if beside:
            acting.append(len(self.found))
            self.found.append((form, along, Combination(terms=beside) if series else law))
        for term in series:
            acting += self._chain(form, along, term, u)
        return acting

    def _chain(self, form: Form, along: Form, term: Leaf, u: float) -> list[int]:
        """The parts of a series from the deflection on to the last one."""
        if term.modulation:
            raise InvalidInput(
                "a law with dampers in series cannot be modulated in time here",
                owner=f'connection "{self.name}"',
                advice=["modulate laws between coordinates of your own"],
            )
        scale, acting, damped = term.deflection, list[int](), False
        own = term.law.rest_deflections(scale * u)
        for i, (law, x) in enumerate(zip(scaled_parts(term), own, strict=True)):
            before, acts = form, along
            if i < len(own) - 1:
                u -= x / scale
                joint = Coordinate(f"{self.name}.joint{len(self.joints) + 1}", 0.0, u, 0.0, None)
                self.joints.append(joint)
                before, acts, form, along = form - joint, along - joint, joint, joint
            carried = self.expand(before, acts, law, x / scale)
            if not acting or (damped and not law.needs_rate):  # the rate of a joint is less accurate than its place
                acting, damped = carried, law.needs_rate
        return acting


def joint_terms(law: Law) -> tuple[Leaf, ...]:
    """The terms of a law, with its elementary laws in place of a term that has a series inside."""
    found: list[Leaf] = []
    for term in law.as_terms():
        inside = not term.law.joint_parts and any(leaf.law.joint_parts for leaf in term.law.leaves())
        found += Combination(terms=(term,)).leaves() if inside else (term,)
    return tuple(found)


def scaled_parts(term: Leaf) -> list[Law]:
    """The parts of a series with the factors of the whole."""
    d, f = term.deflection, term.force
    return [law if (d, f) == (1.0, 1.0) else law.scaled(deflection=d, force=f) for law in term.law.joint_parts]
