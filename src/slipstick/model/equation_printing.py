"""How equations are printed: dots or dashes for derivatives in time, short numbers, no (t) after each coordinate."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Any

from sympy import Piecewise, StrictGreaterThan, StrictLessThan, Symbol
from sympy.core.function import AppliedUndef
from sympy.printing.conventions import split_super_sub
from sympy.printing.latex import LatexPrinter, accepted_latex_functions, translate
from sympy.printing.str import StrPrinter

from slipstick.laws.law_symbols import t

MODEL_TERM_ORDER = {"order": "none"}  # terms of a sum in the order of the model
DERIVATIVE_DOTS = {1: r"\dot", 2: r"\ddot"}


def _order_in_time(derivative: Any) -> int:
    """1 or 2 for the first or second derivative in time of a function of time alone; 0 for any other."""
    inner, counts = derivative.expr, derivative.variable_count
    if isinstance(inner, AppliedUndef) and inner.args == (t,) and len(counts) == 1 and counts[0][0] == t:
        return int(counts[0][1]) if int(counts[0][1]) in DERIVATIVE_DOTS else 0
    return 0


def _read_from_the_left(condition: Any) -> Any:
    """a < u as u > a, and a < -u as u < -a: the variable comes first."""
    if not isinstance(condition, StrictLessThan | StrictGreaterThan):
        return condition
    left, right = condition.args
    if left.atoms(AppliedUndef) or not right.atoms(AppliedUndef):
        return condition
    if right.could_extract_minus_sign():
        return type(condition)(-right, -left, evaluate=False)
    return condition.reversed


class TerminalPrinter(StrPrinter):  # type: ignore[misc]
    """One line of text: x'' + k_mesh*luz(x - y, a_mesh).   time : what t is called."""

    def __init__(self, settings: Any = None, time: str = t.name) -> None:
        super().__init__(settings)
        self._time = time

    def _print_Derivative(self, expr: Any) -> str:
        order = _order_in_time(expr)
        if order:
            return str(self._print(expr.expr)) + "'" * order
        variables = "".join(f"/d{self._print(v)}" for v, _ in expr.variable_count)
        return f"d{self._print(expr.expr)}{variables}"

    def _print_Function(self, expr: Any) -> str:
        name = plain_symbol_name(expr.func.__name__)
        if isinstance(expr, AppliedUndef) and (expr.args == (t,) or _is_of_a_symbol(expr, name)):
            return name
        return f"{name}({self.stringify(expr.args, ', ')})"

    def _print_Symbol(self, expr: Any) -> str:
        return plain_symbol_name(self._time if expr == t else expr.name)

    def _print_MatrixSymbol(self, expr: Any) -> str:
        return plain_symbol_name(expr.name)

    def _print_Float(self, expr: Any) -> str:
        return f"{float(expr):.9g}"

    def _print_Relational(self, expr: Any) -> str:
        if expr.rel_op != "==":
            return str(super()._print_Relational(expr))
        return f"{self._print(expr.lhs)} = {self._print(expr.rhs)}"

    def _print_Piecewise(self, expr: Any) -> str:
        cases = [(self._print(value), self._print(_read_from_the_left(c))) for value, c in expr.args[:-1]]
        parts = [f"{value} if {condition}" for value, condition in cases]
        return "; ".join([*parts, f"{self._print(expr.args[-1][0])} otherwise"])

    def _print_Max(self, expr: Any) -> str:
        return f"max({self.stringify(expr.args, ', ')})"

    def _print_Min(self, expr: Any) -> str:
        return f"min({self.stringify(expr.args, ', ')})"


def _is_of_a_symbol(expr: Any, name: str) -> bool:
    """f(u) of a law is written as f; beta is a graph, and keeps its argument."""
    return len(expr.args) == 1 and bool(expr.args[0].is_Symbol) and name != "beta"


class LatexEquationPrinter(LatexPrinter):  # type: ignore[misc]
    r"""LaTeX with \ddot{x} for accelerations.   time : what t is called.
    alike : names that would look like another, such as x1 beside x_1; they are written letter by letter."""

    def __init__(self, settings: Any = None, time: str = t.name, alike: Collection[str] = ()) -> None:
        super().__init__(settings)
        self._time, self._alike = time, alike

    def _print_Symbol(self, expr: Any, style: str = "plain") -> str:
        return self._deal_with_super_sub(self._time) if expr == t else str(super()._print_Symbol(expr, style))

    def _print_Derivative(self, expr: Any) -> str:
        order = _order_in_time(expr)
        if order:
            return f"{DERIVATIVE_DOTS[order]}{{{self._print(expr.expr)}}}"
        return str(super()._print_Derivative(expr))

    def _print_Function(self, expr: Any, exp: Any = None) -> str:
        if isinstance(expr, AppliedUndef) and expr.args == (t,):
            name = self._deal_with_super_sub(expr.func.__name__)
            return str(name) if exp is None else f"{{{name}}}^{{{exp}}}"
        return str(super()._print_Function(expr, exp))

    def _print_Piecewise(self, expr: Any) -> str:
        pairs = [(value, _read_from_the_left(condition)) for value, condition in expr.args]
        return str(super()._print_Piecewise(Piecewise(*pairs, evaluate=False)))

    def _hprint_Function(self, func: str) -> str:
        return rf"\{func}" if func in accepted_latex_functions else self._deal_with_super_sub(func)

    def _deal_with_super_sub(self, string: str, style: str = "plain") -> str:
        """Words upright, Greek letters as symbols, also in an index: k_{0, mesh}, p_{theta_1}."""
        if "{" in string:
            return string
        if string in self._alike:
            return rf"\mathrm{{{string.replace('_', chr(92) + '_')}}}"
        name, _, indices = split_super_sub(string)
        inner = ", ".join(_upright(*split_super_sub(index)[::2]) for index in indices)
        return f"{_upright(name, [])}_{{{inner}}}" if inner else _upright(name, [])

    def _print_Float(self, expr: Any) -> str:
        digits, _, power = f"{float(expr):.9g}".partition("e")
        return digits if not power else rf"{digits} \cdot 10^{{{int(power)}}}"


def ambiguous_names(expressions: Iterable[Any]) -> frozenset[str]:
    """The names in expressions that LaTeX would print like another one."""
    printer, seen = LatexEquationPrinter(), dict[str, set[str]]()
    for expression in expressions:
        functions = (f.func.__name__ for f in expression.atoms(AppliedUndef))
        for name in (*functions, *(symbol.name for symbol in expression.atoms(Symbol))):
            seen.setdefault(printer._deal_with_super_sub(name), set()).add(name)
    return frozenset(name for names in seen.values() if len(names) > 1 for name in names)


def _upright(name: str, indices: list[str]) -> str:
    greek = translate(name)
    word = greek if greek.startswith("\\") or len(name) == 1 else rf"\mathrm{{{name}}}"
    return f"{word}_{{{', '.join(indices)}}}" if indices else word


def plain_symbol_name(name: str) -> str:
    r"""A symbol's name without LaTeX: \alpha_tensioner is alpha_tensioner, \ddot{q} is q''."""
    dotted = re.fullmatch(r"\\(d{1,2})ot\{(\w+)\}", name)
    if dotted:
        return dotted.group(2) + "'" * len(dotted.group(1))
    return re.sub(r"[\\{}]", "", name)
