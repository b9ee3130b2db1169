"""The force of a connection as SymPy: the law's own equation with symbols that are its alone, such as k_mesh."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple

import sympy as sp
from sympy.core.function import AppliedUndef

from slipstick.laws import symbols as s
from slipstick.laws.base import Law, Leaf
from slipstick.laws.parameters import spec_of
from slipstick.model.system import Connection
from slipstick.signals import TimeFunction

SHARED = {"beta"}  # graphs with the same meaning everywhere


@dataclass
class Terms:
    """What a connection adds: forces, rules (left, right) that they obey, functions of time, values of its symbols."""

    forces: list[Any] = field(default_factory=list)
    rules: list[tuple[Any, Any]] = field(default_factory=list)
    functions: list[tuple[Any, TimeFunction]] = field(default_factory=list)
    values: dict[Any, float] = field(default_factory=dict)


class _Deflection(NamedTuple):
    """u and v of a connection, as sums in the order written."""

    u: Any
    v: Any


def connection_terms(connection: Connection, q: dict[str, Any], word: str) -> Terms:
    """The forces of a connection; q : the coordinates by name, as functions of time; word : index of its symbols."""
    pairs = [(number(factor), q[name]) for name, factor in connection.deflection.terms.items()]
    at = _Deflection(_sum([a * x for a, x in pairs]), _sum([a * x.diff(s.t) for a, x in pairs]))
    terms = connection.law.as_terms()
    found = Terms()
    for i, term in enumerate(terms, start=1):
        suffix = word + (f"_{i}" if len(terms) > 1 else "")
        found.forces.append(_add_term(found, term, suffix, at))
    return found


def number(value: float) -> Any:
    """A float, or a whole number where it is one."""
    return sp.Integer(int(value)) if abs(value) < 1e9 and value == int(value) else sp.Float(value)


def _sum(terms: list[Any]) -> Any:
    return sp.Add(*terms, evaluate=False) if len(terms) > 1 else terms[0]


def _add_term(found: Terms, term: Leaf, suffix: str, at: _Deflection) -> Any:
    """The force of one term of a sum; its rules, functions and values are added to ``found``."""
    share = number(term.force)
    for j, (function, _) in enumerate(term.modulation, start=1):
        factor = sp.Function(f"q_{suffix}" + (f"_{j}" if len(term.modulation) > 1 else ""))(s.t)
        found.functions.append((factor, function))
        share = share * factor
    u, v = number(term.deflection) * at.u, number(term.deflection) * at.v
    written = term.law.equation()
    equations = [_renamed(e, term.law, suffix) for e in (written if isinstance(written, tuple) else (written,))]
    found.values.update(_values(term.law, suffix))
    found.functions += _varying(term.law, suffix)
    if equations[0].lhs == s.f:
        found.rules += [_placed(e, u, v) for e in equations[1:]]
        return share * _placed(equations[0], u, v)[1]
    # a law that is a differential equation in its own force: name its deflection and list it
    own = sp.Symbol(f"u_{suffix}", real=True)
    found.rules += [(own, u), *(_placed(e, own, v) for e in equations)]
    return share * sp.Function(f"f_{suffix}")(own)


def _placed(equation: Any, u: Any, v: Any) -> tuple[Any, Any]:
    """Both sides of an equation with deflection and rate put in."""
    return equation.lhs.subs({s.u: u, s.v: v}), equation.rhs.subs({s.u: u, s.v: v})


def _renamed(equation: Any, law: Law, suffix: str) -> Any:
    """Every symbol and function of the law with the connection's name as an index; u, v, t and f stay."""
    keep = {s.u, s.v, s.t, s.f}
    change = {x: sp.Symbol(_indexed(x.name, suffix), real=True) for x in equation.free_symbols - keep}
    sides = [side.subs(change) for side in (equation.lhs, equation.rhs)]
    stay = SHARED | {type(law).__name__}
    is_own = lambda x: isinstance(x, AppliedUndef) and x.func.__name__ not in stay  # noqa: E731
    rename = lambda x: sp.Function(_indexed(x.func.__name__, suffix))(*x.args)  # noqa: E731
    return s.equation(*(side.replace(is_own, rename) for side in sides))


def _values(law: Law, suffix: str) -> dict[Any, float]:
    """The numbers behind the symbols of a law."""
    found: dict[Any, float] = {}
    for f in fields(law):
        spec, value = spec_of(f), getattr(law, f.name)
        name = spec.symbol or f.name
        if isinstance(value, float) and value != 0.0:  # a zero is not written
            found[sp.Symbol(_indexed(name, suffix), real=True)] = value
        elif spec.kind in ("numbers", "pair") and value is not None:
            found.update({sp.Symbol(_indexed(f"{name}_{i}", suffix), real=True): x for i, x in enumerate(value)})
    return found


def _varying(law: Law, suffix: str) -> list[tuple[Any, TimeFunction]]:
    """Parameters that are functions of time, as written in the law's equation."""
    found = []
    for f in fields(law):
        value = getattr(law, f.name)
        if isinstance(value, TimeFunction):
            found.append((sp.Function(_indexed(spec_of(f).symbol or f.name, suffix))(s.t), value))
    return found


def _indexed(name: str, suffix: str) -> str:
    r"""k, k_0 and \tau_{C1} of the connection "mesh": k_mesh, k_0_mesh, \tau_C1_mesh."""
    return f"{re.sub('[{}]', '', name)}_{suffix}"


def words(names: Iterable[str]) -> dict[str, str]:
    """Connections' names as indices of symbols: letters and digits only, each different."""
    found: dict[str, str] = {}
    for name in names:
        plain = re.sub(r"[^A-Za-z0-9]+", "", name) or "c"
        count = 1
        while (plain if count == 1 else f"{plain}x{count}") in found.values():
            count += 1
        found[name] = plain if count == 1 else f"{plain}x{count}"
    return found
