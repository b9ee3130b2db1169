"""Laws as SymPy equations: the symbols they share, and luz, tar and Sgn as SymPy functions.

It is imported only when an equation is needed, because SymPy is slow to load.
"""

from __future__ import annotations

import re
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import sympy as sp
from sympy.core.function import AppliedUndef

from slipstick.laws.parameters import spec_of
from slipstick.signals import TimeFunction
from slipstick.symbolic import is_symbolic

if TYPE_CHECKING:
    from slipstick.laws.base import Law, Leaf

SHARED_GRAPHS = {"beta"}  # graphs with the same meaning everywhere

f, u, v, t = (sp.Symbol(name, real=True) for name in ("f", "u", "v", "t"))
u_m, f_m = sp.Symbol("u_m", real=True), sp.Symbol("f_m", real=True)


class luz(sp.Function):  # type: ignore[misc]
    """luz(x, a) = x beyond the dead zone [-a, a]."""

    nargs = 2

    def _latex(self, printer: Any, exp: Any = None) -> str:
        return _call(r"\operatorname{luz}", self.args, printer, exp)


class tar(sp.Function):  # type: ignore[misc]
    """tar(x, a) = x + a Sgn(x)."""

    nargs = 2

    def _latex(self, printer: Any, exp: Any = None) -> str:
        return _call(r"\operatorname{tar}", self.args, printer, exp)


class Sgn(sp.Function):  # type: ignore[misc]
    """The set-valued sign: [-1, 1] at 0."""

    nargs = 1

    def _latex(self, printer: Any, exp: Any = None) -> str:
        return _call(r"\operatorname{Sgn}", self.args, printer, exp)


def _call(name: str, args: tuple[Any, ...], printer: Any, exp: Any) -> str:
    inner = ", ".join(printer._print(a) for a in args)
    power = f"^{{{exp}}}" if exp is not None else ""
    return rf"{name}{power}\left({inner}\right)"


def positive_part(x: Any) -> Any:
    """max(x, 0)."""
    return sp.Max(x, 0)


def equation(left: Any, right: Any) -> Any:
    """left = right, kept as written."""
    return sp.Eq(left, right, evaluate=False)


def symbol(law: Law, name: str) -> Any:
    """The symbol of a parameter; 0 for an optional term that is absent."""
    spec = next(spec_of(f) for f in fields(law) if f.name == name)
    if getattr(law, name) == 0.0:
        return sp.S.Zero
    return sp.Symbol(spec.symbol or name, real=True)


def indexed(law: Law, name: str) -> list[Any]:
    """One symbol for each number of a list parameter."""
    spec = next(spec_of(f) for f in fields(law) if f.name == name)
    return [sp.Symbol(f"{spec.symbol or name}_{spec.first + i}", real=True) for i in range(len(getattr(law, name)))]


def never_pulling(side: int, force: Any) -> Any:
    """A force on one side that never pulls."""
    return sp.Max(force, 0) if side > 0 else sp.Min(force, 0)


def by_sides(u_: Any, gap: Any, right: Any, left: Any) -> Any:
    """``right`` beyond the gap, ``left`` below it, nothing between."""
    return sp.Piecewise((right, u_ > gap), (left, u_ < -gap), (0, True))


def opaque_equation(law: Law) -> Any:
    """f = Name(u, v, memory), for a law without an equation."""
    memory = [sp.Symbol(name, real=True) for name in law.remembers]
    return equation(f, sp.Function(type(law).__name__)(u, v, *memory))


def sum_equation(terms: tuple[Leaf, ...]) -> Any:
    """The equations of a sum: the symbols of each term carry its number."""
    if len(terms) == 1 and terms[0] == type(terms[0])(terms[0].law):
        return terms[0].law.equation()
    total, rules = sp.S.Zero, []
    for i, term in enumerate(terms, start=1):
        share = number(term.force)
        for j in range(len(term.modulation)):
            share = share * sp.Function(f"q_{i}{j + 1}")(t)
        force, own_rules = term_equations(term, str(i), u, v)
        total += share * force
        rules += [equation(left, right) for left, right in own_rules]
    return (equation(f, total), *rules)


def term_equations(term: Leaf, suffix: str, u_: Any, v_: Any) -> tuple[Any, list[tuple[Any, Any]]]:
    """The force of a term at deflection u_ and rate v_, and the rules (left, right) that it obeys."""
    written = term.law.equation()
    equations = [with_own_symbols(e, term.law, suffix) for e in (written if isinstance(written, tuple) else (written,))]
    place, rate = number(term.deflection) * u_, number(term.deflection) * v_
    if equations[0].lhs == f:
        return _placed(equations[0], place, rate)[1], [_placed(e, place, rate) for e in equations[1:]]
    # a law that is a differential equation in its own force: name its deflection and list it
    own = sp.Symbol(f"u_{suffix}", real=True)
    return sp.Function(f"f_{suffix}")(own), [(own, place), *(_placed(e, own, rate) for e in equations)]


def _placed(rule: Any, u_: Any, v_: Any) -> tuple[Any, Any]:
    """Both sides of an equation with deflection and rate inserted."""
    return rule.lhs.subs({u: u_, v: v_}), rule.rhs.subs({u: u_, v: v_})


def with_own_symbols(rule: Any, law: Law, suffix: str) -> Any:
    """An equation with an index on every symbol and function of the law; u, v, t and f stay."""
    change = {x: sp.Symbol(with_index(x.name, suffix), real=True) for x in rule.free_symbols - {u, v, t, f}}
    sides = [side.subs(change) for side in (rule.lhs, rule.rhs)]
    stay = SHARED_GRAPHS | {type(law).__name__}
    is_own = lambda x: isinstance(x, AppliedUndef) and x.func.__name__ not in stay  # noqa: E731
    rename = lambda x: sp.Function(with_index(x.func.__name__, suffix))(*x.args)  # noqa: E731
    return equation(*(side.replace(is_own, rename) for side in sides))


def with_index(name: str, suffix: str) -> str:
    r"""k, k_0 and \tau_{C1} with the index "mesh": k_mesh, k_0_mesh, \tau_C1_mesh."""
    return f"{re.sub('[{}]', '', name)}_{suffix}"


def number(value: Any) -> Any:
    """A SymPy number, an integer if the value is one; an expression unchanged."""
    if is_symbolic(value):
        return value
    return sp.Integer(int(value)) if abs(value) < 1e9 and value == int(value) else sp.Float(value)


def periodic_symbol(law: Law, name: str) -> Any:
    """The symbol of a parameter, as a function of time where it is one."""
    plain = symbol(law, name)
    return sp.Function(str(plain))(t) if isinstance(getattr(law, name), TimeFunction) else plain


direction = sp.Symbol("s", real=True)  # sgn(v), constant on a branch


def branch_equation(slope: Any) -> tuple[Any, ...]:
    """df/du on a branch, and the definition of its direction s."""
    force = sp.Function("f")(u)
    return (sp.Eq(force.diff(u), slope.subs(f, force), evaluate=False), sp.Eq(direction, sp.sign(v), evaluate=False))


def relaxation_equation(rate: Any, exponent: Any, up: Any, down: Any, unit: Any = 1) -> tuple[Any, ...]:
    """df/du = rate sgn(d) |d|^exponent, d = h - s f/unit, with h = up for s = 1 and down for s = -1."""
    force = sp.Function("f")(u)
    h = sp.Symbol("h", real=True)
    gap = h - direction * force / unit
    envelope = sp.Piecewise((up, sp.Gt(direction, 0)), (down, True), evaluate=False)
    slope = rate * sp.sign(gap) * sp.Abs(gap) ** exponent
    return (
        sp.Eq(force.diff(u), slope, evaluate=False),
        sp.Eq(h, envelope, evaluate=False),
        sp.Eq(direction, sp.sign(v), evaluate=False),
    )
