"""A model as springs with gaps and friction pairs: what the reduction works on.

    m q'' + sum over springs b luz(b' q, a)/e + sum over frictions b (C b' q' + F Sgn(b' q')) = loads

Springs carry their compliance e = 1/k: in series compliances add, and a rigid spring is e = 0. Numbers may be SymPy
expressions; nothing here asks more of them than to be added, multiplied and compared with zero.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from slipstick.errors import SlipstickError
from slipstick.laws.base import Law
from slipstick.laws.elastic import Freeplay, Linear
from slipstick.laws.faces import Face
from slipstick.laws.friction import DryFriction
from slipstick.model.forms import Form
from slipstick.model.system import Connection, Load, System
from slipstick.symbolic import is_zero


@dataclass(frozen=True)
class Spring:
    """luz(form, half_gap)/compliance; its force acts along the form.   name : of the connection it is, or came from."""

    name: str
    form: Form
    compliance: Any
    half_gap: Any

    @property
    def law(self) -> Law:
        stiffness = 1 / self.compliance
        return (
            Linear(stiffness=stiffness)
            if is_zero(self.half_gap)
            else Freeplay(stiffness=stiffness, half_gap=self.half_gap)
        )


@dataclass(frozen=True)
class Friction:
    """The pair (C, F): C v + F Sgn(v) with v the rate of the form."""

    name: str
    form: Form
    viscous: Any
    limit: Any

    @property
    def law(self) -> Law:
        return (
            Linear(damping=self.viscous) if is_zero(self.limit) else DryFriction(limit=self.limit, damping=self.viscous)
        )


@dataclass(frozen=True)
class Network:
    """Coordinates in their order with their inertias, and what acts on them.

    others : connections without luz/tar terms; they may stay, but nothing they touch can be eliminated.
    """

    inertias: dict[str, Any]
    springs: tuple[Spring, ...]
    frictions: tuple[Friction, ...]
    loads: tuple[Load, ...]
    others: tuple[Connection, ...]

    def with_(self, **changes: Any) -> Network:
        return replace(self, **changes)

    def springs_on(self, name: str) -> list[Spring]:
        return [s for s in self.springs if name in s.form.terms]

    def frictions_on(self, name: str) -> list[Friction]:
        return [f for f in self.frictions if name in f.form.terms]

    def loads_on(self, name: str) -> list[Load]:
        return [load for load in self.loads if name in load.form.terms]

    def others_on(self, name: str) -> list[Connection]:
        return [c for c in self.others if name in c.deflection.terms or name in c.along.terms]


def network_of(system: System) -> Network:
    """The network of a system; laws without luz/tar terms are kept as they are."""
    springs: list[Spring] = []
    frictions: list[Friction] = []
    others: list[Connection] = []
    for c in system.connections:
        terms = _terms(c)
        if terms is None:
            others.append(c)
            continue
        for term in terms:
            if term.kind == "spring" and not is_zero(term.factor):
                springs.append(Spring(c.name, c.deflection, 1 / term.factor, term.width))
            elif term.kind == "friction" and not (is_zero(term.factor) and is_zero(term.width)):
                frictions.append(Friction(c.name, c.deflection, term.factor, term.width))
    inertias = {c.name: c.inertia for c in system.coordinates}
    return Network(inertias, tuple(springs), tuple(frictions), tuple(system.loads), tuple(others))


def _terms(connection: Connection) -> Any:
    """The luz/tar terms of a connection, or None."""
    if not connection.is_conjugate or Face.TERMS not in connection.law.faces:
        return None
    try:
        return connection.law.luz_tar_terms()
    except SlipstickError:  # damping in contact, a preload: no term of the algebra
        return None
