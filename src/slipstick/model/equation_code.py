"""Equations of motion as plain Python, for a solver of ordinary differential equations such as SciPy's."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable, Iterator
from graphlib import TopologicalSorter
from typing import TYPE_CHECKING, Any

import sympy as sp
from sympy.core.function import AppliedUndef
from sympy.printing.pycode import PythonCodePrinter

from slipstick.errors import InvalidInput
from slipstick.laws.law_symbols import Sgn, t, tar

if TYPE_CHECKING:
    from slipstick.model.equations import Equations

HEAD = '''\
"""Equations of motion in SI units: rates(t, state) is for scipy.integrate.solve_ivp; NAMES are those of the state."""

import math

{parameters}


def luz(x, a):
    return x - min(max(x, -a), a)


def sign(x):
    return (x > 0) - (x < 0)


def unless_slipping(load, rate):
    """Rate of a slider's stretch: zero while its load of 1 or -1 pushes it on."""
    return 0.0 if abs(load) >= 1.0 and load * rate > 0.0 else rate


NAMES = {names}


def rates(t, state):
    {unpacked} = state
'''


def python_code(equations: Equations, numbers: dict[Any, float]) -> str:
    """A module with the parameters and the function ``rates(t, state)``.   numbers : of the symbols."""
    code = _EquationCode(equations)
    names = code.state_names()
    text = HEAD.format(
        parameters="\n".join(f"{code.name(symbol)} = {float(value)!r}" for symbol, value in numbers.items()),
        names=repr(tuple(names)),
        unpacked=", ".join(names) + ("," if len(names) == 1 else ""),
    )
    known = {t, *numbers, *code.state_symbols()}
    lines = [f"    {code.name(left)} = {code.text(right)}" for left, right in code.assignments(known)]
    return text + "\n".join([*lines, f"    return [{', '.join(code.rate_names())}]"]) + "\n"


class _EquationCode:
    """Equations with a plain symbol for every function of time and derivative."""

    def __init__(self, equations: Equations) -> None:
        self._names: dict[Any, str] = {}
        self._taken = {"t", "state", "luz", "sign", "unless_slipping", "rates", "math", "NAMES"}
        self._printer = PythonCodePrinter(
            {
                "fully_qualified_modules": True,
                "user_functions": {"luz": "luz", "sign": "sign", "unless_slipping": "unless_slipping"},
            }
        )
        given = {e.lhs: e.rhs for e in equations.given}
        accelerations = {d for e in equations.motion for d in e.lhs.atoms(sp.Derivative) if _order(d) == 2}
        if not all(isinstance(d.expr, AppliedUndef) for d in accelerations) or any(
            e.lhs.atoms(sp.MatrixSymbol) for e in equations.motion
        ):
            raise InvalidInput("equations in matrices have no plain Python form; use m.state_space() or m.simulate()")
        self._moving = [d.expr for d in sorted(accelerations, key=str) if d.expr not in given]
        if len(self._moving) < len(equations.motion):
            raise InvalidInput(
                "a coordinate without inertia has no plain Python form; give it an inertia, or use m.simulate()"
            )
        self._definitions: dict[Any, Any] = dict(given)
        self._memories: dict[Any, Any] = {}
        for rule in equations.rules:
            self._add_rule(rule.lhs, rule.rhs)
        self._motion = [e.lhs - e.rhs for e in equations.motion]

    # ---- reading the equations

    def _add_rule(self, left: Any, right: Any) -> None:
        rates = [d for d in left.atoms(sp.Derivative) if isinstance(d.expr, AppliedUndef)]
        if not rates:
            self._definitions[left] = right
            return
        (rate,) = rates
        (variable, _), *_ = rate.variable_count
        if variable != t:  # df/du: a force over the deflection
            self._memories[rate.expr] = right * self._rate_of(variable)
        elif left == rate:
            self._memories[rate.expr] = right
        else:  # w' + beta(load) = rate of a slider
            (graph,) = (left - rate).atoms(AppliedUndef) - {rate.expr}
            self._memories[rate.expr] = sp.Function("unless_slipping")(graph.args[0], right)

    def _rate_of(self, symbol: Any) -> Any:
        return self._definitions[symbol].diff(t)

    # ---- names

    def name(self, symbol: Any) -> str:
        """A Python name, the same at each call."""
        if symbol not in self._names:
            if isinstance(symbol, sp.Derivative):
                word = self.name(symbol.expr) + ("_rate" if _order(symbol) == 1 else "_acceleration")
            else:
                word = re.sub(r"\W", "", symbol.func.__name__ if isinstance(symbol, AppliedUndef) else str(symbol))
            while word in self._taken or keyword.iskeyword(word):
                word += "_"
            self._taken.add(word)
            self._names[symbol] = word
        return self._names[symbol]

    def state_symbols(self) -> list[Any]:
        """Coordinates, velocities, memories."""
        return [*self._moving, *(q.diff(t) for q in self._moving), *self._memories]

    def state_names(self) -> list[str]:
        return [self.name(symbol) for symbol in self.state_symbols()]

    def rate_names(self) -> list[str]:
        """The rates of the state; of a force over the deflection, that in time."""
        velocities = [self.name(q.diff(t)) for q in self._moving]
        accelerations = [self.name(q.diff(t, 2)) for q in self._moving]
        return [*velocities, *accelerations, *(self.name(_memory_rate(memory)) for memory in self._memories)]

    # ---- lines

    def assignments(self, known: set[Any]) -> list[tuple[Any, Any]]:
        """Symbols with their expressions, each after those that it needs.   known : symbols that need none."""
        found = dict(self._definitions)
        found |= {_memory_rate(memory): rate for memory, rate in self._memories.items()}
        found |= dict(self._accelerations())
        for _ in range(2):  # derivatives of definitions, and of those in turn
            needed = {d for right in found.values() for d in right.atoms(sp.Derivative)}
            for rate in needed - found.keys() - known:
                if rate.expr in found:
                    found[rate] = found[rate.expr].diff(*rate.variables)
        order = TopologicalSorter({left: _needs(right) - known for left, right in found.items()})
        used = list(order.static_order())
        unknown = [symbol for symbol in used if symbol not in found]
        if unknown:
            raise InvalidInput(
                f"{unknown[0]} is not given by a differential equation, so there is no plain Python form; "
                "use m.simulate(), or a law without a memory of reversals and with regularised friction"
            )
        return [(symbol, found[symbol]) for symbol in used]

    def _accelerations(self) -> Iterator[tuple[Any, Any]]:
        unknowns = [q.diff(t, 2) for q in self._moving]
        plain = {a: sp.Dummy() for a in unknowns}
        rows = [row.subs(plain) for row in self._motion]
        mass = sp.Matrix([[row.diff(plain[a]) for a in unknowns] for row in rows])
        rest = sp.Matrix([-row.subs(dict.fromkeys(plain.values(), 0)) for row in rows])
        yield from zip(unknowns, mass.LUsolve(rest), strict=True)

    def text(self, expression: Any) -> str:
        """An expression as Python code."""
        for graph in (Sgn, tar):
            if expression.has(graph):
                raise InvalidInput(
                    "set-valued friction has no plain Python form; use law.regularised(...), or m.simulate()"
                )
        put = {symbol: sp.Symbol(self.name(symbol)) for symbol in _needs(expression) if symbol != t}
        plain = expression.xreplace(put)
        return str(self._printer.doprint(plain))


def _memory_rate(memory: Any) -> Any:
    """The derivative in time of a memory, which may be a force over the deflection."""
    return memory.diff(t) if t in memory.args else sp.Symbol(f"{memory.func.__name__}_rate")


def _order(derivative: Any) -> int:
    return int(derivative.derivative_count)


def _needs(expression: Any) -> set[Any]:
    """Symbols, functions of time and derivatives that an expression reads."""
    derivatives = expression.atoms(sp.Derivative)
    bare = expression.xreplace({d: sp.Dummy() for d in derivatives})
    functions = {f for f in bare.atoms(AppliedUndef) if f.func.__name__ != "unless_slipping"}
    rest = bare.xreplace({f: sp.Dummy() for f in functions})
    symbols: Iterable[Any] = (s for s in rest.free_symbols if not isinstance(s, sp.Dummy))
    return {*derivatives, *functions, *symbols}
