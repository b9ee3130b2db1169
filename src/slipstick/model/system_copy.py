"""Copies of a system with other numbers or other parts."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from slipstick.laws.base import Law
from slipstick.model.linear_forms import Form
from slipstick.model.system import Connection, Coordinate, Load, System

Kind = TypeVar("Kind", bound=System)


def copy_with_numbers(
    system: Kind,
    *,
    inertia: Callable[[Coordinate], Any] = lambda c: c.inertia,
    law: Callable[[Connection], Law] = lambda c: c.law,
    form: Callable[[Form], Form] = lambda f: f,
) -> Kind:
    """A system of the same class and names, with inertias, laws and forms as these functions give them."""
    return copy_with_parts(
        system,
        name=system.name,
        coordinates=[Coordinate(c.name, inertia(c), c.displacement, c.velocity, c.motion) for c in system.coordinates],
        connections=[Connection(c.name, form(c.deflection), law(c), form(c.along)) for c in system.connections],
        loads=[Load(form(load.form), load.function, load.name) for load in system.loads],
    )


def copy_with_parts(
    system: Kind,
    *,
    name: str,
    coordinates: Iterable[Coordinate],
    connections: Iterable[Connection],
    loads: Iterable[Load],
) -> Kind:
    """A system of these parts; class, base frequency, units, matrices and condensation are those of ``system``."""
    new = type(system)(name, system.frequency)
    known = {c.name: c.kind for c in system.coordinates}
    for c in coordinates:
        start = {"displacement": c.displacement, "velocity": c.velocity}
        new.coordinate(c.name, inertia=c.inertia, **start, motion=c.motion, kind=c.kind or known.get(c.name))
    new.matrices, new.stated_units, new.condensation = system.matrices, system.stated_units, system.condensation
    for link in connections:
        along = None if link.is_conjugate else link.along
        new.connect(link.deflection, link.law, name=link.name, along=along)
    for load in loads:
        new.load(load.form, load.function, name=load.name or None)
    return new
