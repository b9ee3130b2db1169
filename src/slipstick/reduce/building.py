"""A model again from a network: what was not touched keeps its law and its name."""

from __future__ import annotations

from typing import Any

from slipstick.laws.base import Law
from slipstick.model.forms import Form
from slipstick.model.system import System
from slipstick.reduce.network import Friction, Network, Spring, network_of


def model_of(network: Network, primary: System) -> Any:
    """A model of the same class as ``primary``."""
    new = type(primary)(f"{primary.name}, reduced", primary.frequency)
    new.units = primary.units
    for name, inertia in network.inertias.items():
        old = primary[name]
        new.coordinate(name, inertia=inertia, displacement=old.displacement, velocity=old.velocity, motion=old.motion)
    for name, deflection, along, law in _connections(network, primary):
        new.connect(deflection, law, name=name, along=along)
    for load in network.loads:
        new.load(load.form, load.function, name=load.name or None)
    return new


def _connections(network: Network, primary: System) -> list[tuple[str, Form, Form | None, Law]]:
    before = network_of(primary)
    others = {c.name: c for c in network.others}
    found: list[tuple[str, Form, Form | None, Law]] = []
    names = [c.name for c in primary.connections]
    for c in primary.connections:
        if c.name in others:
            own = others[c.name]
            found.append((c.name, own.deflection, None if own.is_conjugate else own.along, c.law))
            continue
        now = _items(network, c.name)
        if now and [_numbers(i) for i in now] == [_numbers(i) for i in _items(before, c.name)]:
            found.append((c.name, now[0].form, None, c.law))
        elif now:
            found.append((c.name, now[0].form, None, _sum(now)))
    items = [*(s.name for s in network.springs), *(f.name for f in network.frictions)]
    merged = dict.fromkeys(name for name in items if name not in names)
    return found + [(name, _items(network, name)[0].form, None, _sum(_items(network, name))) for name in merged]


def _items(network: Network, name: str) -> list[Spring | Friction]:
    springs: list[Spring | Friction] = [s for s in network.springs if s.name == name]
    return springs + [f for f in network.frictions if f.name == name]


def _numbers(item: Spring | Friction) -> tuple[Any, ...]:
    if isinstance(item, Spring):
        return ("spring", item.compliance, item.half_gap)
    return ("friction", item.viscous, item.limit)


def _sum(items: list[Spring | Friction]) -> Law:
    law = items[0].law
    for item in items[1:]:
        law = law + item.law
    return law
