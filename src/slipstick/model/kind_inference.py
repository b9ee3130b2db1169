"""Translation or rotation: the kind of each coordinate and connection, from those that are known.

Coordinates that a deflection or a load adds without a factor are of one kind: x - y subtracts metres from metres.
A factor may be a radius or a ratio, so 0.05*phi says nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from slipstick.units.axes import kind_of_unit
from slipstick.units.dimensions import COORDINATE_KINDS, UNIT_SYSTEMS
from slipstick.units.scales import ModelUnits

if TYPE_CHECKING:
    from slipstick.model.linear_forms import Form
    from slipstick.model.system import System


class MotionKinds(NamedTuple):
    """Kinds by name of coordinate and of connection, and of each load; empty text for unknown ones."""

    coordinates: Mapping[str, str]
    connections: Mapping[str, str]
    loads: Sequence[str] = ()


def infer_kinds(system: System, known: MotionKinds) -> MotionKinds:
    """The kinds that follow from the known ones; forms that contradict each other give none."""
    moves, acts = ({name: kind for name, kind in own.items() if kind in COORDINATE_KINDS} for own in known[:2])
    loads = [*known.loads, *[""] * len(system.loads)]
    links = [(unscaled_names(c.deflection), acts.get(c.name, "")) for c in system.connections]
    links += [(unscaled_names(load.form), kind) for load, kind in zip(system.loads, loads)]
    count = -1
    while len(moves) > count:
        count = len(moves)
        for names, kind in links:
            found = {moves.get(name, "") for name in names} | {kind}
            found.discard("")
            if len(found) == 1:
                moves.update(dict.fromkeys(names, next(iter(found))))
    for c in system.connections:
        found = {moves.get(name, "") for name in unscaled_names(c.deflection)}
        if len(found) == 1 and "" not in found:
            acts.setdefault(c.name, found.pop())
    return MotionKinds(moves, acts, loads)


def unscaled_names(form: Form) -> list[str]:
    """The coordinates of a form without a factor."""
    return [name for name, factor in form.terms.items() if abs(factor) == 1.0]


def inferred_units(system: System, stated: ModelUnits) -> ModelUnits:
    """The stated display units, and those of the coordinates and connections whose kind follows from them.

    Inferred ones have the stated unit of their kind, otherwise the SI unit.
    """
    declared = {c.name: c.kind for c in system.coordinates if c.kind}
    if not declared and not stated.coordinates and not stated.connections:
        return stated
    by_name = [{name: kind_of_unit(unit) or "" for name, unit in own.items()} for own in stated[:2]]
    kinds = infer_kinds(system, MotionKinds(declared | by_name[0], by_name[1]))
    units = {kind: UNIT_SYSTEMS[kind][1] for kind in COORDINATE_KINDS}
    for unit in reversed([*stated.coordinates.values(), *stated.connections.values()]):
        units[kind_of_unit(unit) or ""] = unit
    coordinates, connections = ({name: units[kind] for name, kind in own.items()} for own in kinds[:2])
    return stated._replace(
        coordinates=coordinates | dict(stated.coordinates), connections=connections | dict(stated.connections)
    )
