"""The equations of motion of a model, in SymPy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from string import ascii_letters
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy as sp
from sympy.core.parameters import distribute

from slipstick.laws.law_symbols import equation, number, t
from slipstick.model.connection_equations import (
    ConnectionTerms,
    connection_terms,
    distinct_symbol_name,
    inertia_name,
    load_name,
    symbol_suffixes,
)
from slipstick.model.equation_printing import MODEL_TERM_ORDER, LatexEquationPrinter, TerminalPrinter, ambiguous_names
from slipstick.model.friction_at_rest import ForceBalance, FrictionTerm, RestRule, equations_by_case, rest_rules
from slipstick.model.system import dense
from slipstick.signals import TimeFunction
from slipstick.symbolic import is_symbolic, is_zero

if TYPE_CHECKING:
    from slipstick.model.system import System

MAX_WRITTEN_OUT_COORDINATES = 6  # coordinates; beyond, matrices from elsewhere are written as M, C, K


@dataclass(frozen=True, repr=False)
class Equations:
    """Equations of motion. Iterating gives all of them, as SymPy equalities.

    motion : one for each free coordinate, or one for all in matrices.
    rules : what hysteretic laws obey inside.
    given : loads, prescribed motions and coefficients as functions of time.
    values : the number behind every symbol.
    at_rest : for each dry friction, its force at rest: the singularity s* and its rule.
    structure : motion with all cases of friction written out, slipping and at rest.
    time : what t is called in print; t_time where a coordinate is called t.
    """

    motion: tuple[Any, ...]
    rules: tuple[Any, ...]
    given: tuple[Any, ...]
    values: dict[Any, float]
    balance: ForceBalance | None = field(default=None, repr=False)
    time: str = t.name

    @cached_property
    def at_rest(self) -> tuple[RestRule, ...]:
        return () if self.balance is None else rest_rules(self.balance)

    @cached_property
    def structure(self) -> tuple[Any, ...]:
        return self.motion if self.balance is None else equations_by_case(self.balance)

    @cached_property
    def _alike(self) -> frozenset[str]:
        return ambiguous_names(side for e in self for side in (e.lhs, e.rhs))

    def __iter__(self) -> Iterator[Any]:
        return iter((*self.motion, *self.rules, *self.given))

    def __len__(self) -> int:
        return len(self.motion) + len(self.rules) + len(self.given)

    def latex(self, *, structure: bool = False) -> str:
        """All equations in one aligned environment; ``structure``: the motion with all cases of friction written out,
        instead of the rules at rest."""
        if structure:
            return _aligned([self._latex(e) for e in (*self.structure, *self.rules, *self.given)])
        return _aligned([self._latex(e) for e in self] + self._at_rest_latex())

    def _at_rest_latex(self) -> list[str]:
        """For each contact its rule, under the condition that it is at rest."""
        say = self._latex
        return [
            rf"{say(r.balance)}, \quad {say(r.rule, '=')} \quad \text{{for }} {say(r.when, '=')}" for r in self.at_rest
        ]

    def markdown(self, *, structure: bool = False) -> str:
        """The equations in a math block, under a word each on what they are; ``structure`` as of `latex`."""
        text = []
        motion = self.structure if structure else self.motion
        for title, group in (("Motion", motion), ("Laws", self.rules), ("Given", self.given)):
            if group:
                if "beta" in str(group):
                    title += " (beta is the inverse of the set-valued sign)"
                text.append(f"{title}:\n\n$$\n{_aligned([self._latex(e) for e in group])}\n$$\n")
        if self.at_rest and not structure:
            text.append(f"At rest{self._together()}:\n\n$$\n{_aligned(self._at_rest_latex())}\n$$\n")
        return "\n".join(text)

    def python(self) -> str:
        """A Python module with the function ``rates(t, state)``, for `scipy.integrate.solve_ivp`.

        The state is the displacements, velocities and memories of NAMES; memories start at zero. Set-valued friction
        and laws that remember reversals are refused.
        """
        from slipstick.model.equation_code import python_code

        return python_code(self, self.values)

    def _repr_latex_(self) -> str:
        """A notebook calls this for the last value of a cell."""
        return f"$\\displaystyle\n{self.latex()}\n$"

    def _together(self) -> str:
        """Notes on contacts whose rules depend on each other."""
        tied = [r.contact for r in self.at_rest if r.together]
        return f" ({', '.join(tied)} are solved together where several rest at once)" if tied else ""

    def _latex(self, e: Any, sign: str = "&=") -> str:
        printer = LatexEquationPrinter(MODEL_TERM_ORDER, self.time, self._alike)
        return f"{printer.doprint(e.lhs)} {sign} {printer.doprint(e.rhs)}"

    def __str__(self) -> str:
        say = TerminalPrinter(MODEL_TERM_ORDER, self.time).doprint
        lines = [say(e) for e in self]
        lines += [f"{say(r.rule)}, {say(r.balance)}   while {say(r.when)}" for r in self.at_rest]
        return "\n".join(lines) + (f"\nat rest{self._together()}" if self._together() else "")

    __repr__ = __str__


def _aligned(lines: list[str]) -> str:
    return "\\begin{aligned}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}"


def equations(system: System, *, numbers: bool = False) -> Equations:
    """The equations of motion of a system; ``numbers`` puts values in place of symbols."""
    with distribute(False):  # k (x - y) is not expanded, also with a number for k
        return _equations(system, numbers)


def _equations(system: System, numbers: bool) -> Equations:
    q = {c.name: sp.Function(c.name)(t) for c in system.coordinates}
    index = _symbol_indices(system)
    terms = [connection_terms(c, q, index[c.name]) for c in system.connections]
    values = {symbol: value for term in terms for symbol, value in term.values.items()}
    loads = _load_symbols(system)
    if system.matrices is not None and len(q) > MAX_WRITTEN_OUT_COORDINATES:
        motion, rules = _in_matrices(system, terms, bool(loads))
    else:
        motion, rules = _written_out(system, q, terms, loads, values), []
    if system.frequency is not None:
        values[_base_frequency_symbol(q)] = system.frequency
    rules += [rule for term in terms for rule in term.rules]
    functions = [(q[c.name], c.motion) for c in system.coordinates if c.motion is not None]
    functions += [pair for term in terms for pair in term.functions] + list(loads.values())
    given = [(left, function_of_time(f, q)) for left, f in functions]
    put = {symbol: number(value) for symbol, value in values.items()} if numbers else {}
    balance = None if system.matrices is not None else _force_balance(system, q, terms, loads, put)
    moves, obeyed, known = (_equalities(each, put) for each in (motion, rules, given))
    return Equations(moves, obeyed, known, values, balance, distinct_symbol_name(t.name, "time", q))


def _force_balance(
    system: System,
    q: dict[str, Any],
    terms: list[ConnectionTerms],
    loads: dict[str, tuple[Any, TimeFunction]],
    put: dict[Any, Any],
) -> ForceBalance:
    """What the rules at rest are made from: contacts, inertias, and what acts on each coordinate beside inertia."""
    free = [c.name for c in system.coordinates if c.motion is None]
    inertias = {name: _substituted_side(symbol, put) for name, symbol in _masses(system, {}).items() if name in free}
    acting = {}
    for name in free:
        forces = [
            number(c.along.terms[name]) * force
            for c, term in zip(system.connections, terms, strict=True)
            for force in (term.forces if name in c.along.terms else ())
        ]
        acting[name] = _substituted_side((loads[name][0] if name in loads else sp.S.Zero) - sum(forces, sp.S.Zero), put)
    contacts, index = [], _symbol_indices(system)
    for c, term in zip(system.connections, terms, strict=True):
        factors = {name: number(b) for name, b in c.deflection.terms.items() if name in free}
        for rate, limit in term.contacts if factors else ():
            contacts.append(FrictionTerm(c.name, index[c.name], rate, factors, _substituted_side(limit, put)))
    return ForceBalance(contacts, q, inertias, acting)


def _symbol_indices(system: System) -> dict[str, str]:
    """The index of every connection's symbols."""
    return symbol_suffixes((c.name for c in system.connections), beside=(c.name for c in system.coordinates))


def _masses(system: System, values: dict[Any, float]) -> dict[str, Any]:
    """The inertia of each coordinate that has one: a symbol with its value, or the model's own expression."""
    found = {}
    for c in system.coordinates:
        if is_zero(c.inertia):
            continue
        own = sp.Symbol(inertia_name(c.name, [each.name for each in system.coordinates]), real=True)
        found[c.name] = c.inertia if is_symbolic(c.inertia) else own
        if not is_symbolic(c.inertia):
            values[found[c.name]] = c.inertia
    return found


def _equalities(pairs: list[tuple[Any, Any]], values: dict[Any, Any]) -> tuple[Any, ...]:
    return tuple(equation(_substituted_side(left, values), _substituted_side(right, values)) for left, right in pairs)


def _substituted_side(side: Any, values: dict[Any, Any]) -> Any:
    """One side of an equation, a list of terms added up in their order, with numbers for symbols."""
    if isinstance(side, list):
        terms = [part for term in side for part in sp.Add.make_args(_substituted_side(term, values)) if part != 0]
        return sp.Add(*terms, evaluate=False) if len(terms) > 1 else sum(terms, sp.S.Zero)
    return side.subs(values) if values else side


def _base_frequency_symbol(coordinates: Iterable[str]) -> Any:
    """The symbol of the base frequency."""
    return sp.Symbol(distinct_symbol_name(r"\Omega", "load", coordinates), real=True)


def function_of_time(function: TimeFunction, coordinates: Iterable[str] = ()) -> Any:
    """A load or motion as an expression of t; samples of a signal stay a function named signal.

    coordinates : names that none of its symbols has.
    """
    constant, ramp, harmonics, signals = function.parts()
    total = number(constant) + number(ramp) * t
    for h in harmonics:
        angle = (number(h.omega) * _base_frequency_symbol(coordinates) if h.is_order else number(h.omega)) * t
        angle += number(h.rate) * t**2 / 2
        if h.cos != 0.0 and h.sin != 0.0:
            size, phase = float(np.hypot(h.cos, h.sin)), float(np.arctan2(-h.sin, h.cos))
            total += number(size) * sp.cos(angle + number(phase))
        else:
            total += number(h.cos) * sp.cos(angle) + number(h.sin) * sp.sin(angle)
    for i in range(len(signals)):
        total += sp.Function(distinct_symbol_name(f"signal_{i + 1}", "given", coordinates))(t)
    return total


def _load_symbols(system: System) -> dict[str, tuple[Any, TimeFunction]]:
    """By coordinate: the symbol p_x(t) of its load, and the function of time that it is."""
    total: dict[str, TimeFunction] = {}
    for load in system.loads:
        for name, factor in load.form.terms.items():
            own = _times(load.function, factor)
            total[name] = total[name] + own if name in total else own
    names = [c.name for c in system.coordinates]
    symbols = {name: sp.Function(load_name(name, names))(t) for name in total}
    return {name: (symbols[name], f) for name, f in total.items() if system[name].motion is None}


def _written_out(
    system: System,
    q: dict[str, Any],
    terms: list[ConnectionTerms],
    loads: dict[str, tuple[Any, TimeFunction]],
    values: dict[Any, float],
) -> list[Any]:
    """One equation for each free coordinate."""
    linear = _inertias(system, q, values) if system.matrices is None else _inertia_entries(system, q, values)
    rows = []
    for c in system.coordinates:
        if c.motion is not None:
            continue
        left = list(linear[c.name])
        for connection, term in zip(system.connections, terms, strict=True):
            if c.name in connection.along.terms:
                left += [number(connection.along.terms[c.name]) * force for force in term.forces]
        rows.append((left, loads[c.name][0] if c.name in loads else sp.S.Zero))
    return rows


def _inertias(system: System, q: dict[str, Any], values: dict[Any, float]) -> dict[str, list[Any]]:
    """By coordinate: its inertia times its acceleration."""
    masses = _masses(system, values)
    return {name: [masses[name] * own.diff(t, 2)] if name in masses else [] for name, own in q.items()}


def _inertia_entries(system: System, q: dict[str, Any], values: dict[Any, float]) -> dict[str, list[Any]]:
    """By coordinate: its own inertia, and its row of the given matrices, each entry with a symbol such as M_12."""
    given = system.matrices
    assert given is not None
    found = _inertias(system, q, values)
    place = {c.name: i for i, c in enumerate(system.coordinates, start=1)}
    for letter, matrix, order in (("M", given.mass, 2), ("C", given.damping, 1), ("K", given.stiffness, 0)):
        for name, row in zip(given.names, dense(matrix), strict=True):
            for j in np.flatnonzero(row):
                entry = f"{letter}_{place[name]}{place[given.names[j]]}"
                symbol = sp.Symbol(distinct_symbol_name(entry, "given", q), real=True)
                values[symbol] = float(row[j])
                found[name].append(symbol * q[given.names[j]].diff(t, order))
    return found


def _in_matrices(system: System, terms: list[ConnectionTerms], loaded: bool) -> tuple[list[Any], list[Any]]:
    """One equation for all coordinates, and the force of each connection."""
    n = len(system.coordinates)
    taken = [c.name for c in system.coordinates]
    m, c, k = (sp.MatrixSymbol(distinct_symbol_name(letter, "given", taken), n, n) for letter in "MCK")
    every = next(letter for letter in ("q", *ascii_letters, "every") if letter not in taken)
    q, v, a = (sp.MatrixSymbol(name, n, 1) for name in (every, rf"\dot{{{every}}}", rf"\ddot{{{every}}}"))
    left, forces = m * a + c * v + k * q, []
    index = _symbol_indices(system)
    for connection, term in zip(system.connections, terms, strict=True):
        force = sp.Function(f"f_{index[connection.name]}")(t)
        left += force * sp.MatrixSymbol(f"e_{index[connection.name]}", n, 1)
        if term.forces != [force]:  # it has a rule of its own already
            forces.append((force, list(term.forces)))
    right = sp.MatrixSymbol(distinct_symbol_name("p", "load", taken), n, 1) if loaded else sp.ZeroMatrix(n, 1)
    return [(left, right)], forces


def _times(function: TimeFunction, factor: float) -> TimeFunction:
    return function if factor == 1.0 else _ScaledFunction(function, factor)


@dataclass(frozen=True)
class _ScaledFunction(TimeFunction):
    """A function of time times a number; only its parts are needed here."""

    function: TimeFunction
    factor: float

    def parts(self) -> Any:
        from slipstick.signals import Parts, Signal

        constant, ramp, harmonics, signals = self.function.parts()
        a = self.factor
        scaled = tuple(h._replace(cos=a * h.cos, sin=a * h.sin) for h in harmonics)
        samples = tuple(Signal(each.times, tuple(a * v for v in each.values)) for each in signals)
        return Parts(a * constant, a * ramp, scaled, samples)
