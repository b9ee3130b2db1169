"""A patch: one law on the nodes of an interface, each with its share of the area and of the pressure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import InvalidInput, number_error, short_repr
from slipstick.laws.base import Law
from slipstick.laws.parameters import spec_of
from slipstick.model.linear_forms import Form
from slipstick.model.system import Connection, System


def connect_patch(
    system: System, deflections: Iterable[Sequence[Form]], law: Law, areas: Any, pressure: Any = None, name: str = ""
) -> tuple[tuple[Connection, ...], ...]:
    """Connections of all nodes; see `slipstick.api.Model.connect_patch`."""
    nodes = list(deflections) if isinstance(deflections, Iterable) else []
    if not isinstance(law, Law):
        raise InvalidInput(f"the law must be one such as ss.FrictionContact(...), got {short_repr(law)}")
    if not nodes:
        raise InvalidInput("a patch needs at least one node, a tuple of deflections such as (x1, z1)")
    if not isinstance(name, str) or not name.strip():
        raise InvalidInput(f"the name of a patch must be text, got {short_repr(name)}")
    wrong = next((node for node in nodes if not isinstance(node, (tuple, list))), None)
    if wrong is not None:
        raise InvalidInput(f"each node is a tuple of deflections, such as (x1, z1), got {short_repr(wrong)}")
    shares = _shares("areas", areas, len(nodes))
    pressed = shares if pressure is None else _shares("pressure", pressure, len(nodes)) * shares
    if pressed.sum() == 0.0:
        raise InvalidInput("must be above 0 at one node at least", subject="pressure", value=0.0)
    pressed = pressed / pressed.sum()
    before = len(system.connections)
    try:
        return tuple(
            system.connect(tuple(node), share_of(law, *parts), name=f"{name}{i}")
            for i, (node, *parts) in enumerate(zip(nodes, shares.tolist(), pressed.tolist(), strict=True), start=1)
        )
    except Exception:
        del system.connections[before:]  # all nodes, or none
        raise


def share_of(law: Law, area: float, load: float) -> Law:
    """The law of a part of an interface: its ``area`` of all forces, but its ``load`` of the preload."""
    forced = {f.name: load if f.name == "preload" else area for f in fields(law) if _is_force(law, f)}
    return replace(law, **{name: share * getattr(law, name) for name, share in forced.items()})


def _is_force(law: Law, f: Any) -> bool:
    """True for a parameter that is proportional to the force."""
    power = spec_of(f).dimension_of(law)[0]
    if power == 0 or getattr(law, f.name) is None:
        return False
    if power != 1 or not isinstance(getattr(law, f.name), float):
        words = f"{f.name} has no share by area; connect the nodes one by one, by m.connect"
        raise InvalidInput(words, owner=type(law).__name__)
    return True


def _shares(what: str, values: Any, count: int) -> Array:
    """(k,) numbers over their sum: areas above 0, pressures from 0."""
    try:
        found = np.array(values, dtype=float)
    except (TypeError, ValueError):
        raise number_error("connect_patch", what, values) from None
    if found.shape != (count,):
        words = f"must have one number for each of {count} nodes"
        raise InvalidInput(words, subject=what, got=f"{found.size} in shape {found.shape}", owner="connect_patch")
    wrong = ~(np.isfinite(found) & ((found > 0.0) | ((found == 0.0) & (what == "pressure"))))
    if wrong.any():
        bound = "finite and >= 0" if what == "pressure" else "finite and > 0"
        i = int(np.argmax(wrong))
        raise InvalidInput(f"must be {bound}", owner="connect_patch", subject=f"{what}[{i}]", value=float(found[i]))
    return found / found.sum() if found.any() else found
