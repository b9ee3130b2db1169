"""Joints: coordinates without inertia between laws in series.

`add_joints` replaces each series of a system by its parts, with a joint between neighbours. The equation of motion of a
joint states that both forces are equal. Parts of straight pieces stay piecewise linear, and dampers get the rates of
their deflections. Users see neither joints nor parts: `slipstick.transient.series_joints` removes them from results.

    u --- part 1 --- y_1 --- part 2 --- y_2 --- part 3          x_1 = u - y_1, x_2 = y_1 - y_2, x_3 = y_2

Joints are the last coordinates. The first connections are those of the model, in its order; each holds its first part,
or its terms in parallel with the series. Further parts follow.
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
    """Map from a system with laws in series to the system with joints.

    system : without joints.   members : for each of its connections, the indices of those that replace it.
    carriers : for each, the members whose forces sum to its force.
    """

    system: System
    members: tuple[tuple[int, ...], ...]
    carriers: tuple[tuple[int, ...], ...]


def needs_rate_joints(law: Law) -> bool:
    """True if a law has dampers in series, whose force needs the rates of their own deflections."""
    return any(leaf.law.joint_parts and leaf.law.needs_rate for leaf in law.leaves())


def connection_name(system: System, number: int) -> str:
    """The name of a connection; for a part of a series, that of the series."""
    if system.joints is None:
        return system.connections[number].name
    owners = {k: j for j, own in enumerate(system.joints.members) for k in own}
    return str(system.joints.system.connections[owners[number]].name)


def part_states(system: System, state: Mapping[str, str]) -> dict[str, str]:
    """States by name of connection, with the states of a series assigned to its parts that have them."""
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
    """The parts of a connection.   found : deflection, along and law of each.   joints : between them."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.found: list[tuple[Form, Form, Law]] = []
        self.joints: list[Coordinate] = []

    def expand(self, form: Form, along: Form, law: Law, u: float) -> list[int]:
        """Add a law that acts on a form, at deflection u; return the indices of the parts that carry its force."""
        parallel = tuple(term for term in joint_terms(law) if not term.law.joint_parts)
        series = [term for term in joint_terms(law) if term.law.joint_parts]
        acting = []
        if parallel:
            acting.append(len(self.found))
            self.found.append((form, along, Combination(terms=parallel) if series else law))
        for term in series:
            acting += self._chain(form, along, term, u)
        return acting

    def _chain(self, form: Form, along: Form, term: Leaf, u: float) -> list[int]:
        """Add the parts of a series in order; return the indices of the parts that carry its force."""
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
            if not acting or (damped and not law.needs_rate):  # the rate of a joint is less accurate than its position
                acting, damped = carried, law.needs_rate
        return acting


def joint_terms(law: Law) -> tuple[Leaf, ...]:
    """The terms of a law; a term with a series inside is replaced by its elementary laws."""
    found: list[Leaf] = []
    for term in law.as_terms():
        inside = not term.law.joint_parts and any(leaf.law.joint_parts for leaf in term.law.leaves())
        found += Combination(terms=(term,)).leaves() if inside else (term,)
    return tuple(found)


def scaled_parts(term: Leaf) -> list[Law]:
    """The parts of a series, each with the factors of the series."""
    d, f = term.deflection, term.force
    return [law if (d, f) == (1.0, 1.0) else law.scaled(deflection=d, force=f) for law in term.law.joint_parts]
