"""A reduction told in symbols: its steps with their formulas, and the equations of the reduced model."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import sympy as sp

from slipstick.laws.symbols import equation
from slipstick.model.equations import Equations, equations
from slipstick.model.law_terms import words
from slipstick.model.system import System
from slipstick.reduce.building import model_of
from slipstick.reduce.network import Network
from slipstick.reduce.steps import Derived, Reduced, Step
from slipstick.symbolic import is_symbolic, is_zero


def steps_in_symbols(taken: Reduced) -> tuple[Step, ...]:
    """The steps with their formulas written out; what is zero, or was there before, needs none."""
    naming = _Naming(taken.network)
    return tuple(replace(step, formulas=_formulas(step.derived, naming)) for step in taken.steps)


def _formulas(derived: Iterable[Derived], naming: _Naming) -> dict[str, Any]:
    return {naming.symbol(own).name: own.number.formula for own in derived if _is_new(own)}


def _is_new(own: Derived) -> bool:
    return not is_zero(own.number.value) and is_symbolic(own.number.formula) and not own.number.formula.is_Symbol


class _Naming:
    """Symbols of derived numbers, none of them one of the primary model's."""

    def __init__(self, network: Network) -> None:
        self._words = words(network.names)
        self._known: dict[tuple[str, str, Any], Any] = {}

    def symbol(self, own: Derived) -> Any:
        key = own.letter, own.of, own.number.formula
        if key not in self._known:
            plain = f"{own.letter}_{self._words.get(own.of, own.of)}"
            taken = {s.name for s in self._known.values()} | {s.name for s in own.number.formula.free_symbols}
            name = next(n for n in (plain, *(f"{plain}x{i}" for i in range(2, len(taken) + 3))) if n not in taken)
            self._known[key] = sp.Symbol(name, real=True)
        return self._known[key]


def reduced_equations(taken: Reduced, primary: System) -> Equations:
    """Equations of the reduced model with a symbol for each derived number, and a formula for each of those."""
    naming = _Naming(taken.network)
    steps_in_symbols(taken)  # formulas are written one upon the other, not all at once from the last
    formulas: list[Any] = []
    symbols = taken.primary.symbols

    def put(own: Derived) -> Any:
        if not _is_new(own):
            return own.number.formula
        symbol = naming.symbol(own)
        formulas.append(equation(symbol, own.number.formula))
        if not is_symbolic(own.number.value):
            symbols.values[symbol] = float(own.number.value)
        return symbol

    found = equations(model_of(taken, primary, put, symbols.law))
    rules = (*formulas, *found.rules)
    used = set().union(*(e.free_symbols for e in (*found.motion, *rules, *found.given)))
    values = {s: value for s, value in {**symbols.values, **found.values}.items() if s in used}
    return Equations(found.motion, rules, found.given, values, found.balance)
