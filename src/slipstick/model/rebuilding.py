"""A system once more, with other numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from slipstick.laws.base import Law
from slipstick.model.forms import Form
from slipstick.model.system import Connection, Coordinate, System

Kind = TypeVar("Kind", bound=System)


def rebuilt(
    system: Kind,
    *,
    inertia: Callable[[Coordinate], Any] = lambda c: c.inertia,
    law: Callable[[Connection], Law] = lambda c: c.law,
    form: Callable[[Form], Form] = lambda f: f,
) -> Kind:
    """A system of the same class and names, with inertias, laws and forms as these functions give them."""
    new = type(system)(system.name, system.frequency)
    for c in system.coordinates:
        new.coordinate(c.name, inertia=inertia(c), displacement=c.displacement, velocity=c.velocity, motion=c.motion)
    new.matrices, new.units = system.matrices, system.units
    for link in system.connections:
        along = None if link.is_conjugate else form(link.along)
        new.connect(form(link.deflection), law(link), name=link.name, along=along)
    for load in system.loads:
        new.load(form(load.form), load.function, name=load.name or None)
    return new
