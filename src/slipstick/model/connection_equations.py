"""The force of a connection as SymPy: the law's own equation with symbols that are its alone, such as k_mesh."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple

import sympy as sp
from sympy.core.function import AppliedUndef

from slipstick.laws import law_symbols as s
from slipstick.laws.base import Law, Leaf
from slipstick.laws.parameters import spec_of
from slipstick.model.equation_printing import plain_symbol_name
from slipstick.model.system import Connection
from slipstick.signals import TimeFunction
from slipstick.symbolic import is_symbolic

# operations of a force within an equation of motion; a longer one gets a line of its own
MAX_INLINE_OPERATIONS = 15


@dataclass
class ConnectionTerms:
    """What a connection adds: forces, rules (left, right) that they obey, functions of time, values of its symbols.

    contacts : rate and limit of each dry friction in it.
    """

    forces: list[Any] = field(default_factory=list)
    rules: list[tuple[Any, Any]] = field(default_factory=list)
    functions: list[tuple[Any, TimeFunction]] = field(default_factory=list)
    values: dict[Any, float] = field(default_factory=dict)
    contacts: list[tuple[Any, Any]] = field(default_factory=list)


class _Deflection(NamedTuple):
    """u and v of a connection, as sums in the order written."""

    u: Any
    v: Any


def connection_terms(connection: Connection, q: dict[str, Any], word: str) -> ConnectionTerms:
    """The forces of a connection; q : the coordinates by name, as functions of time; word : index of its symbols."""
    pairs = [(s.number(factor), q[name]) for name, factor in connection.deflection.terms.items()]
    at = _Deflection(_sum([a * x for a, x in pairs]), _sum([a * x.diff(s.t) for a, x in pairs]))
    terms = connection.law.as_terms()
    found = ConnectionTerms()
    for i, term in enumerate(terms, start=1):
        suffix = word + (f"_{i}" if len(terms) > 1 else "")
        found.forces.append(_add_term(found, term, suffix, at))
    return found


def _sum(terms: list[Any]) -> Any:
    return sp.Add(*terms, evaluate=False) if len(terms) > 1 else terms[0]


def _add_term(found: ConnectionTerms, term: Leaf, suffix: str, at: _Deflection) -> Any:
    """The force of one term of a sum; its rules, functions and values are added to ``found``."""
    share = s.number(term.force)
    for j, (function, _) in enumerate(term.modulation, start=1):
        factor = sp.Function(f"q_{suffix}" + (f"_{j}" if len(term.modulation) > 1 else ""))(s.t)
        found.functions.append((factor, function))
        share = share * factor
    force, rules = s.term_equations(term, suffix, at.u, at.v)
    put = _symbolic(term.law, suffix)
    if put:
        force, rules = force.subs(put), [(left, right.subs(put)) for left, right in rules]
    found.rules += rules
    found.values.update(_values(term.law, suffix))
    found.functions += _time_varying(term.law, suffix)
    contacts = [(sgn.args[0], share * force.coeff(sgn)) for sgn in force.atoms(s.Sgn)]
    found.contacts += contacts
    if not contacts and (force.has(sp.Piecewise) or sp.count_ops(force) > MAX_INLINE_OPERATIONS):
        return share * _name_long_force(found, term, suffix, at, put)
    return share * force


def _name_long_force(found: ConnectionTerms, term: Leaf, suffix: str, at: _Deflection, put: dict[Any, Any]) -> Any:
    """A name for a force that would make an equation of motion hard to read; what it is becomes a rule, in a deflection
    with a name of its own."""
    own = at
    if not isinstance(at.u, AppliedUndef):
        u = sp.Function(f"u_{suffix}")(s.t)
        own = _Deflection(u, u.diff(s.t))
        found.rules.append((u, at.u))
    name = sp.Function(f"f_{suffix}")(s.t)
    found.rules.append((name, s.term_equations(term, suffix, *own)[0].subs(put)))
    return name


def _values(law: Law, suffix: str) -> dict[Any, float]:
    """The numbers behind the symbols of a law."""
    found: dict[Any, float] = {}
    for i, part in enumerate(law.series_parts, start=1):
        found |= _values(part, f"{i}_{suffix}")
    for f in fields(law):
        spec, value = spec_of(f), getattr(law, f.name)
        name = spec.symbol or f.name
        if isinstance(value, float) and value != 0.0 and spec.kind != "start":  # a zero is not written
            found[sp.Symbol(s.with_index(name, suffix), real=True)] = value
        elif spec.kind in ("numbers", "pair") and value is not None:
            for i, x in enumerate(value, start=spec.first):
                found[sp.Symbol(s.with_index(f"{name}_{i}", suffix), real=True)] = x
    return found


def _symbolic(law: Law, suffix: str) -> dict[Any, Any]:
    """Expressions of the model that replace symbols of the law."""
    found = {}
    for f in fields(law):
        value = getattr(law, f.name)
        if is_symbolic(value):
            found[sp.Symbol(s.with_index(spec_of(f).symbol or f.name, suffix), real=True)] = value
    return found


def _time_varying(law: Law, suffix: str) -> list[tuple[Any, TimeFunction]]:
    """Parameters that are functions of time, as written in the law's equation."""
    found = []
    for f in fields(law):
        value = getattr(law, f.name)
        if isinstance(value, TimeFunction):
            found.append((sp.Function(s.with_index(spec_of(f).symbol or f.name, suffix))(s.t), value))
    return found


def symbol_suffixes(names: Iterable[str], beside: Iterable[str] = ()) -> dict[str, str]:
    """Connections' names as indices of symbols: letters and digits only, each different.

    beside : coordinates, which keep their names; where one is called u_mesh, no symbol has the index mesh.
    """
    taken = {part for name in beside for part in _split_indices(name)[1:]}
    found: dict[str, str] = {}
    for name in names:
        own = word = re.sub(r"[^A-Za-z0-9]+", "", name) or "c"
        count = 1
        while word in taken:
            count += 1
            word = f"{own}x{count}"
        taken.add(word)
        found[name] = word
    return found


def distinct_symbol_name(name: str, word: str, coordinates: Iterable[str]) -> str:
    """A symbol's name that is none of a coordinate's: t_time for t where a coordinate is t.   word : what it is."""
    taken = [_split_indices(own) for own in coordinates]
    while _split_indices(plain_symbol_name(name)) in taken:
        name = f"{name}_{word}"
    return name


def inertia_name(coordinate: str, coordinates: Collection[str]) -> str:
    """Of the symbol of a coordinate's inertia."""
    return _coordinate_symbol(coordinate, "m", "inertia", coordinates)


def load_name(coordinate: str, coordinates: Collection[str]) -> str:
    """Of the symbol of the load on a coordinate."""
    return _coordinate_symbol(coordinate, "p", "load", coordinates)


def _coordinate_symbol(coordinate: str, letter: str, word: str, coordinates: Collection[str]) -> str:
    others = [f"{letter}_{own}" for own in coordinates if own != coordinate]
    return distinct_symbol_name(f"{letter}_{coordinate}", word, [*coordinates, *others])


def _split_indices(name: str) -> list[str]:
    """A letter and its indices; x1 is written as x_1 is."""
    return re.sub(r"^([^\W\d_]+)(?=\d)", r"\1_", name).split("_")
