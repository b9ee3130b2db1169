"""Laws as SymPy equations: the symbols they share, and luz, tar and Sgn as SymPy functions.

Imported only when an equation is asked for; SymPy is slow to load.
"""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

import sympy as sp

from slipstick.laws.parameters import spec_of

if TYPE_CHECKING:
    from slipstick.laws.base import Law, Leaf

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
    """The symbol of a parameter; plain 0 where an optional term is absent."""
    spec = next(spec_of(f) for f in fields(law) if f.name == name)
    if getattr(law, name) == 0.0:
        return sp.S.Zero
    return sp.Symbol(spec.symbol or name, real=True)


def indexed(law: Law, name: str, first: int = 0) -> list[Any]:
    """One symbol for each number of a list parameter, counted from ``first``."""
    spec = next(spec_of(f) for f in fields(law) if f.name == name)
    return [sp.Symbol(f"{spec.symbol or name}_{first + i}", real=True) for i in range(len(getattr(law, name)))]


def pushing(side: int, force: Any) -> Any:
    """A force on one side that never pulls."""
    return sp.Max(force, 0) if side > 0 else sp.Min(force, 0)


def by_sides(u_: Any, gap: Any, right: Any, left: Any) -> Any:
    """``right`` beyond the gap, ``left`` below it, nothing between."""
    return sp.Piecewise((right, u_ > gap), (left, u_ < -gap), (0, True))


def opaque_equation(law: Law) -> Any:
    """f = Name(u, v, memory): all that is known of a law that gives only `update`."""
    memory = [sp.Symbol(name, real=True) for name in law.remembers]
    return equation(f, sp.Function(type(law).__name__)(u, v, *memory))


def sum_equation(terms: tuple[Leaf, ...]) -> Any:
    """The equations of a sum: one force f_i for each term, each with its own inner variables."""
    if len(terms) == 1 and terms[0] == type(terms[0])(terms[0].law):
        return terms[0].law.equation()
    total, rules = sp.S.Zero, []
    for i, term in enumerate(terms, start=1):
        own = sp.Symbol(f"f_{{{i}}}", real=True)
        share = sp.Float(term.force) if term.force != 1.0 else sp.S.One
        for j in range(len(term.modulation)):
            share = share * sp.Function(f"q_{{{i}{j + 1}}}")(t)
        total += share * own
        parts = term.law.equation()
        for part in parts if isinstance(parts, tuple) else (parts,):
            rules.append(part.subs({f: own, u: term.deflection * u, v: term.deflection * v}))
    return (equation(f, total), *rules)


def periodic_symbol(law: Law, name: str) -> Any:
    """The symbol of a parameter, as a function of time where it is one."""
    plain = symbol(law, name)
    return plain if isinstance(getattr(law, name), float) else sp.Function(str(plain))(t)


direction = sp.Symbol("s", real=True)  # sgn(v), constant on a branch


def branch_equation(slope: Any) -> tuple[Any, ...]:
    """df/du on a branch, with the direction it is followed in."""
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
