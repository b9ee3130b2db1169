"""How numbers of a packed model depend on parameters, as a program for `step_loop.apply_parameters`.

Laws are evaluated with SymPy symbols in place of their parameters, so each number becomes an expression. A parameter
is offered only if all numbers that depend on it are sums, products and quotients, and agree with the packed ones.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from slipstick.errors import InvalidInput
from slipstick.fmu import records as at
from slipstick.laws.parameters import Spec, symbols_in_any_law
from slipstick.model.followed_limit import followed_names
from slipstick.model.named_parameter import bounds_of, parameter_names, parameter_of
from slipstick.model.system import dense
from slipstick.symbolic import is_symbolic
from slipstick.transient.exact.load_waves import collect_waves, wave_amplitudes
from slipstick.transient.exact.packed_model import PackedModel
from slipstick.transient.folded_matrices import is_plain

AGREEMENT_REL = 1e-12  # of an expression at the present values, with the packed number
PIECE_FIELDS = ("constant", "u", "v", "w")


class NotOffered(Exception):
    """A parameter enters the model in a way that programs cannot follow."""


class Slot(NamedTuple):
    """A number of a record: "model", "pieces", "guards" or "fmu"; its section or field, and its place there."""

    record: str
    section: str
    place: int


class OfferedParameter(NamedTuple):
    """A number that a host may set.   tunable : also during a run."""

    name: str
    value: float
    bounds: Spec
    tunable: bool
    symbol: Any


@dataclass
class ParameterProgram:
    """The offered parameters, and the expression of every number that depends on them."""

    parameters: list[OfferedParameter] = field(default_factory=list)
    expressions: dict[Slot, Any] = field(default_factory=dict)

    def operations(self, references: dict[Any, int], place: Any) -> list[float]:
        """The program as numbers.   references : value reference by symbol.   place : slot in the arena of a `Slot`."""
        found: list[float] = []
        for slot, expression in self.expressions.items():
            try:
                own = _program_of(expression, references)
            except NotOffered:
                words = f"an expression of the parameters needs more than {at.MAX_STACK} numbers at once"
                way = "use fewer elements, or a law of your own with simpler pieces"
                raise InvalidInput(words, owner="export_fmu", advice=[way]) from None
            found += [place(slot), len(own), *(number for pair in own for number in pair)]
        return found


def find_parameters(packed: PackedModel, stretched: set[int], sections: dict[str, Any]) -> ParameterProgram:
    """All parameters of laws and masses that can be offered.

    stretched : units whose stretch at the start is not zero; parameters of their laws are part of it.
    sections : of the `records.Fmu`.
    """
    found = ParameterProgram()
    system = packed.problem.system
    if packed.problem.massless:  # tables of modes depend on all parameters
        return found
    followed = followed_names(system)
    taken = {packed.problem.elements[e].connection for j in stretched for e in packed.units[j].elements}
    dependences = _Dependences(packed, sections)
    for c, connection in enumerate(system.connections):
        if connection.name in followed:  # its numbers are those of another law too
            continue
        names = [name for name in parameter_names(system) if name.startswith(f"{connection.name}.")]
        if c not in taken and len({o.name for o in system.connections} & {connection.name}) == 1:
            dependences.offer(c, names)
    dependences.offer_masses()
    found.parameters = dependences.parameters
    found.expressions = dependences.collected()
    return found


class _Dependences:
    """The expressions of laws, and from them those of packed numbers."""

    def __init__(self, packed: PackedModel, sections: dict[str, Any]) -> None:
        self.packed, self.sections = packed, sections
        self.parameters: list[OfferedParameter] = []
        self.direct: dict[Slot, Any] = {}
        self.shares: dict[Slot, list[tuple[float, Any, float]]] = {}  # factor, quantity, its present value
        self.limits: dict[int, Any] = {}  # of elements

    def offer(self, c: int, names: list[str]) -> None:
        """Offer the parameters of the law of connection c: all together, or those that can be offered one by one."""
        good = [name for name in names if self._try(c, [name])]
        if good and self._try(c, good):
            own, law = self._symbolic(c, good)
            self._enter(c, law)
            self.parameters += own

    def _try(self, c: int, names: list[str]) -> bool:
        """True if the expressions of these parameters are found, and agree with the packed numbers."""
        trial = _Dependences(self.packed, self.sections)
        try:
            own, law = self._symbolic(c, names)
            trial._enter(c, law)
            expressions = trial.collected()
        except Exception:  # a law may do anything with a symbol that it does not know
            return False
        values = {p.symbol: p.value for p in own}
        references = {p.symbol: i for i, p in enumerate(own)}
        try:
            for slot, expression in expressions.items():
                _program_of(expression, references)
                value, packed = float(sp.sympify(expression).subs(values)), self._number(slot)
                if not math.isclose(value, packed, rel_tol=AGREEMENT_REL, abs_tol=1e-300):
                    return False
        except (NotOffered, TypeError):
            return False
        return bool(expressions)

    def _symbolic(self, c: int, names: list[str]) -> tuple[list[OfferedParameter], Any]:
        system: Any = self.packed.problem.system
        own = []
        with symbols_in_any_law():
            for name in names:
                value = parameter_of(self.packed.problem.system, name).value
                if value == 0.0:
                    raise NotOffered  # another layout than with a value
                symbol = sp.Symbol(name, positive=value > 0.0, negative=value < 0.0)
                own.append(OfferedParameter(name, value, bounds_of(self.packed.problem.system, name), True, symbol))
                at_symbol: Any = parameter_of(system, name).at
                system = at_symbol(symbol)
            leaves = system.connections[c].law.leaves()
        return own, leaves

    def _enter(self, c: int, leaves: Any) -> None:
        """Enter the expressions of one connection."""
        elements = self.packed.problem.elements
        own = [e for e, element in enumerate(elements) if element.connection == c]
        if len(own) != len(leaves):
            raise NotOffered
        with symbols_in_any_law():
            for e, leaf in zip(own, leaves, strict=True):
                element = elements[e]
                if type(leaf.law) is not type(element.law) or leaf[1:] != element.leaf[1:]:
                    raise NotOffered
                self._enter_element(e, leaf.law)

    def _enter_element(self, e: int, law: Any) -> None:
        element = self.packed.problem.elements[e]
        unit = next((j for j, unit in enumerate(self.packed.units) if e in unit.elements), -1)
        numeric: Any = element.law
        if is_plain(element):
            for name in ("stiffness", "damping", "preload"):
                self._enter_linear(e, name, getattr(law, name, 0.0), getattr(numeric, name, 0.0))
        elif numeric.rigid_friction is not None:
            if is_symbolic(law.limit):
                if element.modulation or numeric.static_ratio != 1.0:
                    raise NotOffered
                self.limits[e] = law.limit
            self._enter_linear(e, "damping", law.damping, numeric.damping)
        elif numeric.rigid_stop is not None:
            contact = int(self.packed.model.contact_of[unit])
            for name in ("gap", "restitution"):
                self._put(Slot("model", name, contact), getattr(law.rigid_stop, name))
        else:
            self._enter_pieces(unit, law.pieces())

    def _put(self, slot: Slot, expression: Any) -> None:
        if is_symbolic(expression):
            self.direct[slot] = expression

    def _enter_pieces(self, unit: int, pieces: Any) -> None:
        """The rows of the pieces of a unit, and of their guards."""
        described = self.packed.units[unit].described
        if [(p.name, len(p.guards)) for p in pieces] != [(p.name, len(p.guards)) for p in described]:
            raise NotOffered
        first = int(self.packed.model.first_piece[unit])
        for k, piece in enumerate(pieces):
            for i, name in enumerate(PIECE_FIELDS):
                self._put(Slot("pieces", name, first + k), piece.force[i])
            guard = self.packed.model.pieces[first + k].first_guard
            for g, own in enumerate(piece.guards):
                for i, name in enumerate(PIECE_FIELDS):
                    self._put(Slot("guards", name, guard + g), own.value[i])

    def _enter_linear(self, e: int, name: str, quantity: Any, value: float) -> None:
        """A stiffness, damping or preload that is part of matrices, loads and outputs."""
        if not is_symbolic(quantity):
            return
        column = {"stiffness": at.STIFFNESS, "damping": at.DAMPING, "preload": at.PRELOAD}[name]
        self.direct[Slot("fmu", "elements", e * at.ELEMENT_ROW + column)] = quantity
        for slot, factor in self._linear_slots(e, name):
            if factor != 0.0:
                self.shares.setdefault(slot, []).append((factor, quantity, value))

    def _linear_slots(self, e: int, name: str) -> Iterator[tuple[Slot, float]]:
        """The packed numbers that a quantity of a linear element is a part of, with its factor there."""
        packed, problem = self.packed, self.packed.problem
        element = problem.elements[e]
        n, model = problem.n, packed.model
        force = element.force * element.along
        rows = np.repeat(np.arange(n), np.diff(model.row_begin).astype(int))
        if name in ("stiffness", "damping"):
            for p, (i, j) in enumerate(zip(rows.tolist(), model.column.astype(int).tolist(), strict=True)):
                yield Slot("model", name, p), float(force[i] * element.deflection[j])
        o0, o1 = problem.offsets.lines_from(self.sections["own_begin"])
        for k in range(len(o0)):
            constant, slope = {
                "stiffness": (o0[k, e], o1[k, e]), "damping": (o1[k, e], 0.0), "preload": (1.0, 0.0),
            }[name]  # fmt: skip
            for i in range(n):
                yield Slot("fmu", "load_constant", k * n + i), float(-force[i] * constant)
                yield Slot("fmu", "load_slope", k * n + i), float(-force[i] * slope)
        yield from self._wave_slots(e, name, force)
        held = problem.assembly.prescribed
        if name in ("stiffness", "damping") and held.size:
            forms = element.scale * dense(problem.assembly.deflections)[held, element.connection]
            for i in range(n):
                for k, share in enumerate(forms.tolist()):
                    yield Slot("fmu", f"{name}_gain", i * held.size + k), float(-force[i] * share)

    def _wave_slots(self, e: int, name: str, force: Any) -> Iterator[tuple[Slot, float]]:
        if name == "preload":
            return
        problem = self.packed.problem
        kinds, _ = collect_waves(problem, self.packed.units, self.packed.linear)
        offsets = problem.offsets if name == "stiffness" else problem.offsets.rate()
        for kind, amplitude in wave_amplitudes(offsets):
            j = kinds.index(kind)
            for i in range(problem.n):
                yield Slot("model", "load_cos", i * len(kinds) + j), float(-force[i] * amplitude[e].real)
                yield Slot("model", "load_sin", i * len(kinds) + j), float(force[i] * amplitude[e].imag)

    def offer_masses(self) -> None:
        """Offer the inertias of free coordinates whose mass matrix is a diagonal."""
        packed, problem = self.packed, self.packed.problem
        if packed.model.full_mass or problem.system.matrices is not None:
            return
        masses: dict[int, Any] = {}
        for i, c in enumerate(problem.assembly.free.tolist()):
            coordinate = problem.system.coordinates[c]
            if coordinate.inertia != packed.mass[i, i]:
                continue
            name = f"{coordinate.name}.inertia"
            symbol = masses[i] = sp.Symbol(name, positive=True)
            self.parameters.append(OfferedParameter(name, coordinate.inertia, Spec(above=0.0), False, symbol))
        contacts = [unit for unit in packed.units if unit.is_contact]
        count = len(contacts)
        for i, m in masses.items():
            self.direct[Slot("model", "mass", i)] = m
            self.direct[Slot("model", "inverse_mass", i)] = 1 / m
            for b, unit in enumerate(contacts):
                self._put(Slot("model", "inverse_mass_along", i * count + b), float(unit.along[i]) / m)
        for a, one in enumerate(contacts):
            for b, other in enumerate(contacts):
                terms = one.deflection * other.along
                total = sum(
                    float(terms[i]) / masses.get(i, float(packed.mass[i, i])) for i in np.flatnonzero(terms).tolist()
                )
                self._put(Slot("model", "delassus", a * count + b), total)

    def collected(self) -> dict[Slot, Any]:
        """All packed numbers that depend on parameters, as expressions."""
        found = dict(self.direct)
        for slot, parts in self.shares.items():
            found[slot] = self._number(slot) + sum(factor * (quantity - value) for factor, quantity, value in parts)
        for j, unit in enumerate(self.packed.units):
            if not any(e in self.limits for e in unit.elements):
                continue
            laws: list[Any] = [self.packed.problem.elements[e].law for e in unit.elements]
            own = [self.limits.get(e, float(law.limit)) for e, law in zip(unit.elements, laws, strict=True)]
            found[Slot("model", "limit", int(self.packed.model.contact_of[j]))] = sum(own)
            if len(own) > 1:
                for e, limit in zip(unit.elements, own, strict=True):
                    found[Slot("fmu", "elements", e * at.ELEMENT_ROW + at.SHARE)] = limit / sum(own)
        return found

    def _number(self, slot: Slot) -> float:
        """The present value of a number."""
        model = self.packed.model
        if slot.record == "model":
            return float(getattr(model, slot.section)[slot.place])
        if slot.record in ("pieces", "guards"):
            return float(getattr(getattr(model, slot.record)[slot.place], slot.section))
        return float(np.ravel(self.sections[slot.section])[slot.place])


def _program_of(expression: Any, references: dict[Any, int]) -> list[tuple[int, float]]:
    """The operations of an expression; refused beyond the stack of `step_loop.apply_parameters`."""
    found = [*_postfix(sp.sympify(expression), references)]
    pushes = {at.NUMBER: 1, at.PARAMETER: 1, at.ADD: -1, at.MULTIPLY: -1, at.INVERT: 0}
    if max(itertools.accumulate(pushes[operation] for operation, _ in found)) > at.MAX_STACK:
        raise NotOffered
    return found


def _postfix(expression: Any, references: dict[Any, int]) -> Iterator[tuple[int, float]]:
    """The operations of an expression on a stack."""
    if expression.is_number:
        yield at.NUMBER, float(expression)
    elif expression.is_Symbol:
        yield at.PARAMETER, float(references[expression])
    elif expression.is_Add or expression.is_Mul:
        for k, part in enumerate(expression.args):
            yield from _postfix(part, references)
            if k:
                yield (at.ADD if expression.is_Add else at.MULTIPLY), 0.0
    elif expression.is_Pow and expression.exp.is_Integer:
        power = int(expression.exp)
        yield from _postfix(expression.base, references)
        for _ in range(abs(power) - 1):
            yield from _postfix(expression.base, references)
            yield at.MULTIPLY, 0.0
        if power < 0:
            yield at.INVERT, 0.0
    else:
        raise NotOffered
