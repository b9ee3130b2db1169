"""Coordinates inside connections: the point between spring and damper of laws that relax.

A relaxing spring in a connection becomes two linear connections that meet at a new coordinate w without inertia. The
first one keeps the name and carries the force; beside a parallel spring k0 it does so as well, in the equivalent form

    u --- spring k0 + k --- w --- spring k0 (k0 + k)/k | damper c ((k0 + k)/k)^2 --- ground

Beside other laws the relaxing spring becomes a connection of its own. All are relaxed at the start.
"""

from __future__ import annotations

import re
from typing import Any, TypeVar

from slipstick.errors import InvalidInput
from slipstick.laws.base import Law, Leaf
from slipstick.laws.composite import Combination
from slipstick.laws.elastic import Linear
from slipstick.model.linear_forms import Form
from slipstick.model.system import Connection, Coordinate, System

Kind = TypeVar("Kind", bound=System)


def with_inner_coordinates(system: Kind) -> Kind:
    """The system with a coordinate for each relaxing spring; the same object if it has none."""
    if not any(_relaxing(c.law) for c in system.connections):
        return system
    new = system.snapshot()
    new.connections = []
    for connection in system.connections:
        _expand(new, connection)
    return new


def _relaxing(law: Law) -> list[Leaf]:
    return [leaf for leaf in law.leaves() if leaf.law.relaxing_spring is not None]


def _expand(system: System, connection: Connection) -> None:
    """Add a connection to a system, in parts if its law relaxes."""
    own = _relaxing(connection.law)
    others = [leaf for leaf in connection.law.leaves() if leaf.law.relaxing_spring is None]
    beside = _parallel_spring(others) if len(own) == 1 else None
    if beside is None and (others or not own):
        rest = connection.law if not own else Combination(terms=tuple(others))
        system.connections.append(Connection(connection.name, connection.deflection, rest, connection.along))
    for i, leaf in enumerate(own):
        suffix = "" if not i and (beside is not None or not others) else f"_relaxing{i + 1}"
        _add_relaxing_spring(system, connection, connection.name + suffix, leaf, beside or 0.0)


def _parallel_spring(leaves: list[Leaf]) -> float | None:
    """Stiffness of leaves that are springs without damping and preload; None if they are something else."""
    total = 0.0
    for leaf in leaves:
        linear = leaf.law.linear_force
        if linear is None or linear.damping or linear.preload or linear.stiffness < 0.0 or leaf.modulation:
            return None
        total += leaf.force * leaf.deflection * linear.stiffness
    return total


def _add_relaxing_spring(system: System, connection: Connection, name: str, leaf: Leaf, beside: float) -> None:
    """Two connections that meet at a new coordinate."""
    if leaf.modulation:
        raise InvalidInput(
            f"{type(leaf.law).__name__} cannot be modulated in time in a model; modulate its springs and dampers "
            "between coordinates of your own",
            owner=f'connection "{connection.name}"',
        )
    spring: Any = leaf.law.relaxing_spring
    k, c = (leaf.force * leaf.deflection * x for x in spring)
    ratio = (beside + k) / k
    inner = _inner_coordinate(system, name, connection.deflection, 1.0 / ratio)
    point = Form({inner.name: 1.0})
    forms = connection.deflection - point, connection.along - point
    system.connections.append(Connection(name, forms[0], Linear(stiffness=beside + k), forms[1]))
    support = Linear(stiffness=beside * ratio, damping=c * ratio**2)
    system.connections.append(Connection(f"{name}_inner", point, support, point))


def _inner_coordinate(system: System, name: str, deflection: Form, share: float) -> Coordinate:
    """A new coordinate without inertia that starts at a share of the deflection."""
    start = 0.0
    for other, factor in deflection.terms.items():
        own = system[other]
        start += factor * (
            own.displacement if own.motion is None else float(own.motion.at(0.0, system.frequency or 1.0))
        )
    taken = {c.name for c in system.coordinates}
    plain = "_" * (not name[0].isalpha()) + re.sub(r"\W", "_", name, flags=re.ASCII) + "_inner"
    while plain in taken:
        plain += "_"
    new = Coordinate(plain, 0.0, share * start, 0.0, None, frozenset([system.mark]))
    system.coordinates.append(new)
    return new
