"""`Network`: a model as springs with gaps and friction pairs, on which the reduction works.

    m q'' + sum over springs b luz(b' q, a)/e + sum over frictions b (C b' q' + F Sgn(b' q')) = loads

Springs carry their compliance e = 1/k: in series compliances add, and a rigid spring is e = 0.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

from slipstick.errors import InvalidInput, SlipstickError
from slipstick.laws.faces import Face
from slipstick.model.linear_forms import Form
from slipstick.model.system import Connection, Load, System
from slipstick.reduction.formula_numbers import FormulaNumber
from slipstick.reduction.model_symbols import ModelSymbols
from slipstick.symbolic import is_zero


@dataclass(frozen=True, eq=False)
class Spring:
    """luz(form, half_gap)/compliance; its force acts along the form.

    name : of the connection that it belongs to.   part : which of the springs of that connection.
    gaps : connections of the primary model whose gaps it contains.
    """

    name: str
    part: int
    form: Form
    compliance: FormulaNumber
    half_gap: FormulaNumber
    gaps: tuple[str, ...] = ()

    @property
    def key(self) -> tuple[str, int]:
        return self.name, self.part

    @property
    def is_rigid(self) -> bool:
        return is_zero(self.compliance.value)

    @property
    def has_gap(self) -> bool:
        return not is_zero(self.half_gap.value)

    def seen(self, scale: Any) -> Spring:
        """The same spring on a form that is ``scale`` times smaller."""
        if scale == 1:
            return self
        e = self.compliance if scale == -1 else self.compliance / scale**2
        a = self.half_gap if scale == -1 else self.half_gap / abs(scale)
        return replace(self, form=self.form * (1 / scale), compliance=e, half_gap=a)


@dataclass(frozen=True, eq=False)
class Friction:
    """The pair (C, F): C v + F Sgn(v) with v the rate of the form."""

    name: str
    form: Form
    viscous: FormulaNumber
    limit: FormulaNumber

    def seen(self, scale: Any) -> Friction:
        """The same friction on a form that is ``scale`` times smaller."""
        if scale == 1:
            return self
        return replace(
            self, form=self.form * (1 / scale), viscous=self.viscous * scale**2, limit=self.limit * abs(scale)
        )


class OpaqueConnection(NamedTuple):
    """A connection that is no luz/tar term, and why: it may stay, but its coordinates cannot be eliminated."""

    connection: Connection
    why: str

    @property
    def name(self) -> str:
        return self.connection.name

    def acts_on(self, coordinate: str) -> bool:
        return coordinate in self.connection.deflection.terms or coordinate in self.connection.along.terms


@dataclass(frozen=True, eq=False)
class Network:
    """Coordinates in their order with their inertias, and what acts on them.

    moved : by coordinate, which inertias its own is made of, where others were bound to it.
    symbols : for the numbers of the primary model.
    names : of all present and former connections, so that new names are unique.
    """

    inertias: dict[str, FormulaNumber]
    springs: tuple[Spring, ...]
    frictions: tuple[Friction, ...]
    loads: tuple[Load, ...]
    others: tuple[OpaqueConnection, ...]
    symbols: ModelSymbols
    moved: dict[str, tuple[str, ...]] = field(default_factory=dict)
    names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        forms: dict[str, Form] = {}
        for item in self.items:
            if item.form != forms.setdefault(item.name, item.form):
                raise InvalidInput(
                    f'two connections would be called "{item.name}"; give one another name', owner="reduce"
                )
        object.__setattr__(self, "names", tuple(dict.fromkeys([*self.names, *forms, *(o.name for o in self.others)])))

    @property
    def items(self) -> tuple[Spring | Friction, ...]:
        return (*self.springs, *self.frictions)

    @cached_property
    def _springs_at(self) -> dict[str, list[Spring]]:
        found: dict[str, list[Spring]] = {}
        for spring in self.springs:
            for name in spring.form.names:
                found.setdefault(name, []).append(spring)
        return found

    def springs_on(self, name: str) -> list[Spring]:
        return self._springs_at.get(name, [])

    def frictions_on(self, name: str) -> list[Friction]:
        return [f for f in self.frictions if name in f.form.names]

    def loads_on(self, name: str) -> list[Load]:
        return [load for load in self.loads if name in load.form.names]

    def others_on(self, name: str) -> list[OpaqueConnection]:
        return [o for o in self.others if o.acts_on(name)]

    def is_massless(self, name: str) -> bool:
        return is_zero(self.inertias[name].value)

    def first_of(self, form: Form) -> list[str]:
        """The coordinates of a form, in the order of the model."""
        return [name for name in self.inertias if name in form.names]

    def free_name(self, plain: str, *also: str) -> str:
        """``plain``, with a number behind it where a connection is called so already."""
        taken = {*self.names, *also}
        return next(n for n in (plain, *(f"{plain}-{i}" for i in range(2, len(taken) + 3))) if n not in taken)


def network_of(system: System) -> Network:
    """The network of a system; laws without luz/tar terms are kept unchanged."""
    symbols = ModelSymbols(system)
    springs: list[Spring] = []
    frictions: list[Friction] = []
    others: list[OpaqueConnection] = []
    for c in system.connections:
        terms = _luz_tar_terms(c)
        if isinstance(terms, str):
            others.append(OpaqueConnection(c, terms))
            continue
        for i, term in enumerate(terms):
            factor = FormulaNumber(term.factor, symbols.term(c, i, "factor"))
            width = FormulaNumber(term.width, symbols.term(c, i, "width"))
            if term.kind == "spring" and not is_zero(term.factor):
                gaps = () if is_zero(term.width) else (c.name,)
                springs.append(Spring(c.name, i, c.deflection, factor.inverse, width, gaps))
            elif term.kind == "friction" and not (is_zero(term.factor) and is_zero(term.width)):
                frictions.append(Friction(c.name, c.deflection, factor, width))
    inertias = {c.name: FormulaNumber(c.inertia, symbols.inertia(c)) for c in system.coordinates}
    names = tuple(c.name for c in system.connections)
    return Network(inertias, tuple(springs), tuple(frictions), tuple(system.loads), tuple(others), symbols, names=names)


def _luz_tar_terms(connection: Connection) -> Any:
    """The luz/tar terms of a connection, or why it has none."""
    law = type(connection.law).__name__
    if not connection.is_conjugate:
        return "its force acts along another form than its deflection"
    try:
        if Face.TERMS in connection.law.faces:
            return connection.law.luz_tar_terms()
    except SlipstickError as refusal:  # damping in contact, a preload
        return str(refusal)
    if getattr(connection.law, "static_limit", None) is not None:
        return f"{law} with a static_limit has no luz/tar form"
    return f"{law} has no luz/tar form"
