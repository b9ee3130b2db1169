"""The equations of motion of a model, in SymPy."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy as sp
from sympy.core.parameters import distribute

from slipstick.laws.symbols import equation, number, t
from slipstick.model.assembly import Assembly, assemble
from slipstick.model.law_terms import Terms, connection_terms, words
from slipstick.model.printing import Latex, Terminal
from slipstick.model.system import dense
from slipstick.signals import TimeFunction

if TYPE_CHECKING:
    from slipstick.model.system import System

LARGEST_WRITTEN_OUT = 6  # coordinates; beyond, matrices from elsewhere are written as M, C, K
AS_WRITTEN = {"order": "none"}  # terms of a sum in the order of the model
OMEGA = sp.Symbol(r"\Omega", real=True)  # the base frequency


@dataclass(frozen=True, repr=False)
class Equations:
    """Equations of motion. Iterating gives all of them, as SymPy equalities.

    motion : one for each free coordinate, or one for all in matrices.
    rules : what hysteretic laws obey inside.
    given : loads, prescribed motions and coefficients as functions of time.
    values : the number behind every symbol.
    """

    motion: tuple[Any, ...]
    rules: tuple[Any, ...]
    given: tuple[Any, ...]
    values: dict[Any, float]

    def __iter__(self) -> Iterator[Any]:
        return iter((*self.motion, *self.rules, *self.given))

    def __len__(self) -> int:
        return len(self.motion) + len(self.rules) + len(self.given)

    def latex(self) -> str:
        """All equations in one aligned environment."""
        printer = Latex(AS_WRITTEN)
        lines = [f"{printer.doprint(e.lhs)} &= {printer.doprint(e.rhs)}" for e in self]
        return "\\begin{aligned}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}"

    def markdown(self) -> str:
        """The equations in a math block, under a word each on what they are."""
        printer = Latex(AS_WRITTEN)
        text = []
        for title, group in (("Motion", self.motion), ("Laws", self.rules), ("Given", self.given)):
            if group:
                lines = [f"{printer.doprint(e.lhs)} &= {printer.doprint(e.rhs)}" for e in group]
                if "beta" in str(group):
                    title += " (beta is the inverse of the set-valued sign)"
                text.append(f"{title}:\n\n$$\n\\begin{{aligned}}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}\n$$\n")
        return "\n".join(text)

    def __str__(self) -> str:
        printer = Terminal(AS_WRITTEN)
        return "\n".join(printer.doprint(e) for e in self)

    __repr__ = __str__


def equations(system: System, *, numbers: bool = False) -> Equations:
    """The equations of motion of a system; ``numbers`` puts values in place of symbols."""
    with distribute(False):  # k (x - y) stays as it is written, also with a number for k
        return _equations(system, numbers)


def _equations(system: System, numbers: bool) -> Equations:
    parts = assemble(system)
    q = {name: sp.Function(name)(t) for name in parts.names}
    index = words(c.name for c in system.connections)
    terms = [connection_terms(c, q, index[c.name]) for c in system.connections]
    values = {symbol: value for term in terms for symbol, value in term.values.items()}
    loads = _loads(system)
    if system.matrices is not None and len(parts.names) > LARGEST_WRITTEN_OUT:
        motion, rules = _in_matrices(parts, terms, bool(loads))
    else:
        motion, rules = _written_out(parts, q, terms, loads, values), []
    if system.frequency is not None:
        values[OMEGA] = system.frequency
    rules += [rule for term in terms for rule in term.rules]
    functions = [(q[c.name], c.motion) for c in system.coordinates if c.motion is not None]
    functions += [pair for term in terms for pair in term.functions] + list(loads.values())
    given = [(left, function_of_time(f)) for left, f in functions]
    put = {symbol: number(value) for symbol, value in values.items()} if numbers else {}
    return Equations(_equalities(motion, put), _equalities(rules, put), _equalities(given, put), values)


def _equalities(pairs: list[tuple[Any, Any]], values: dict[Any, Any]) -> tuple[Any, ...]:
    return tuple(equation(_put(left, values), _put(right, values)) for left, right in pairs)


def _put(side: Any, values: dict[Any, Any]) -> Any:
    """One side of an equation, a list of terms added up in their order, with numbers for symbols."""
    if isinstance(side, list):
        terms = [part for term in side for part in sp.Add.make_args(_put(term, values)) if part != 0]
        return sp.Add(*terms, evaluate=False) if len(terms) > 1 else sum(terms, sp.S.Zero)
    return side.subs(values) if values else side


def function_of_time(function: TimeFunction) -> Any:
    """A load or motion as an expression of t; samples of a signal stay a function named signal."""
    constant, ramp, harmonics, signals = function.parts()
    total = number(constant) + number(ramp) * t
    for h in harmonics:
        angle = (number(h.omega) * OMEGA if h.is_order else number(h.omega)) * t
        if h.cos != 0.0 and h.sin != 0.0:
            size, phase = float(np.hypot(h.cos, h.sin)), float(np.arctan2(-h.sin, h.cos))
            total += number(size) * sp.cos(angle + number(phase))
        else:
            total += number(h.cos) * sp.cos(angle) + number(h.sin) * sp.sin(angle)
    for i in range(len(signals)):
        total += sp.Function(f"signal_{i + 1}")(t)
    return total


def _loads(system: System) -> dict[str, tuple[Any, TimeFunction]]:
    """By coordinate: the symbol p_x(t) of its load, and the function of time that it is."""
    total: dict[str, TimeFunction] = {}
    for load in system.loads:
        for name, factor in load.form.terms.items():
            own = _times(load.function, factor)
            total[name] = total[name] + own if name in total else own
    return {name: (sp.Function(f"p_{name}")(t), f) for name, f in total.items() if system[name].motion is None}


def _written_out(
    parts: Assembly,
    q: dict[str, Any],
    terms: list[Terms],
    loads: dict[str, tuple[Any, TimeFunction]],
    values: dict[Any, float],
) -> list[Any]:
    """One equation for each free coordinate."""
    columns = dense(parts.along)
    rows = []
    for i in parts.free:
        name = parts.names[i]
        left = []
        for letter, matrix, order in (("M", parts.mass, 2), ("C", parts.damping, 1), ("K", parts.stiffness, 0)):
            row = dense(matrix[[i]])[0]
            for j in np.flatnonzero(row):
                symbol = sp.Symbol(_entry(parts, letter, int(i), int(j)), real=True)
                values[symbol] = float(row[j])
                left.append(symbol * q[parts.names[j]].diff(t, order))
        for j in np.flatnonzero(columns[i]):
            left += [number(columns[i, j]) * force for force in terms[j].forces]
        rows.append((left, loads[name][0] if name in loads else sp.S.Zero))
    return rows


def _entry(parts: Assembly, letter: str, i: int, j: int) -> str:
    """The symbol of a matrix entry: m_x for an inertia, M_12 for an entry of a given matrix."""
    if parts.system.matrices is None:
        return f"m_{parts.names[i]}"
    return f"{letter}_{i + 1}{j + 1}"


def _in_matrices(parts: Assembly, terms: list[Terms], loaded: bool) -> tuple[list[Any], list[Any]]:
    """One equation for all coordinates, and the force of each connection."""
    n = len(parts.names)
    m, c, k = (sp.MatrixSymbol(letter, n, n) for letter in "MCK")
    q, v, a = (sp.MatrixSymbol(name, n, 1) for name in ("q", r"\dot{q}", r"\ddot{q}"))
    left, forces = m * a + c * v + k * q, []
    index = words(c.name for c in parts.system.connections)
    for connection, term in zip(parts.system.connections, terms, strict=True):
        force = sp.Function(f"f_{index[connection.name]}")(t)
        left += force * sp.MatrixSymbol(f"e_{index[connection.name]}", n, 1)
        forces.append((force, list(term.forces)))
    right = sp.MatrixSymbol("p", n, 1) if loaded else sp.ZeroMatrix(n, 1)
    return [(left, right)], forces


def _times(function: TimeFunction, factor: float) -> TimeFunction:
    return function if factor == 1.0 else _Scaled(function, factor)


@dataclass(frozen=True)
class _Scaled(TimeFunction):
    """A function of time times a number; only its parts are needed here."""

    function: TimeFunction
    factor: float

    def parts(self) -> Any:
        from slipstick.signals import Harmonic, Parts, Signal

        constant, ramp, harmonics, signals = self.function.parts()
        a = self.factor
        scaled = tuple(Harmonic(h.omega, a * h.cos, a * h.sin, h.is_order) for h in harmonics)
        samples = tuple(Signal(each.times, tuple(a * v for v in each.values)) for each in signals)
        return Parts(a * constant, a * ramp, scaled, samples)
