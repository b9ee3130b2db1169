"""A model from a reduced network; unchanged connections keep their laws and names."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce as folded
from operator import add
from typing import Any

from slipstick.laws.base import Law
from slipstick.laws.elastic import Linear
from slipstick.laws.friction import DryFriction
from slipstick.laws.piecewise_linear import spring_law
from slipstick.model.symbol_values import symbols_of
from slipstick.model.system import Connection, Coordinate, System
from slipstick.model.system_copy import copy_with_parts
from slipstick.reduction.formula_numbers import FormulaNumber
from slipstick.reduction.network import Friction, Network, Spring
from slipstick.reduction.reduction_steps import DerivedNumber, ParallelRecord, ReductionState
from slipstick.symbolic import is_zero
from slipstick.units.scales import ModelUnits

ItemsByName = dict[str, list[Spring | Friction]]


def build_reduced_model(
    taken: ReductionState,
    primary: System,
    put: Callable[[DerivedNumber], Any] = lambda own: own.number.value,
    law_of: Callable[[Connection], Law] = lambda c: c.law,
) -> Any:
    """The model of a reduced network, of the same class as ``primary``.

    put : value of a derived number in the model.   law_of : the law of an unchanged connection.
    """
    network = taken.network

    def coordinate(name: str, inertia: FormulaNumber) -> Coordinate:
        old, own = primary[name], DerivedNumber("m", "_".join(network.moved.get(name, (name,))), inertia)
        return Coordinate(name, put(own), old.displacement, old.velocity, old.motion)

    new = copy_with_parts(
        primary,
        name=f"{primary.name}, reduced",
        coordinates=[coordinate(name, inertia) for name, inertia in network.inertias.items()],
        connections=_connections(taken, primary, put, law_of),
        loads=network.loads,
    )
    new.units = _units(taken, primary, new)
    left = symbols_of(new)
    new.without = (*primary.without, *(name for name in symbols_of(primary) if name not in left))
    return new


def _units(taken: ReductionState, primary: System, new: System) -> ModelUnits:
    """Units of the coordinates and springs that are left, and of springs in parallel that became one."""
    units = primary.units
    springs = dict(units.connections)
    for record in taken.records:
        if isinstance(record, ParallelRecord) and record.springs[0].name in springs:
            springs.setdefault(record.merged.name, springs[record.springs[0].name])
    return units._replace(
        coordinates={c.name: units.coordinates[c.name] for c in new.coordinates if c.name in units.coordinates},
        connections={c.name: springs[c.name] for c in new.connections if c.name in springs},
    )


def _connections(
    taken: ReductionState, primary: System, put: Callable[[DerivedNumber], Any], law_of: Callable[[Connection], Law]
) -> list[Connection]:
    others = {o.name: o.connection for o in taken.network.others}
    before, now = _by_name(taken.primary), _by_name(taken.network)
    found = []
    for c in primary.connections:
        own = now.pop(c.name, [])
        if c.name in others:
            found.append(others[c.name])
        elif own and [_numbers(i) for i in own] == [_numbers(i) for i in before[c.name]]:
            found.append(Connection(c.name, own[0].form, law_of(c), own[0].form))
        elif own:
            found.append(_merged_connection(c.name, own, put))
    return found + [_merged_connection(name, items, put) for name, items in now.items()]


def _by_name(network: Network) -> ItemsByName:
    found: ItemsByName = {}
    for item in network.items:
        found.setdefault(item.name, []).append(item)
    return found


def _numbers(item: Spring | Friction) -> tuple[Any, Any]:
    if isinstance(item, Spring):
        return item.compliance, item.half_gap
    return item.viscous, item.limit


def _merged_connection(name: str, items: list[Spring | Friction], put: Callable[[DerivedNumber], Any]) -> Connection:
    law = folded(add, [_law_of_item(name, item, put) for item in items])
    return Connection(name, items[0].form, law, items[0].form)


def _law_of_item(name: str, item: Spring | Friction, put: Callable[[DerivedNumber], Any]) -> Law:
    if isinstance(item, Spring):
        k, a = DerivedNumber("k", name, item.compliance.inverse), DerivedNumber("a", name, item.half_gap)
        return spring_law(put(k), put(a) if item.has_gap else 0.0)
    c, f = (
        put(DerivedNumber(letter, name, own)) if not is_zero(own.value) else 0.0
        for letter, own in (("C", item.viscous), ("F", item.limit))
    )
    return Linear(damping=c) if is_zero(f) else DryFriction(limit=f, damping=c)
