"""A reduction in symbols: its steps with their formulas, and the equations of the reduced model."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

import sympy as sp

from slipstick.laws.law_symbols import equation
from slipstick.model.equation_printing import MODEL_TERM_ORDER, TerminalPrinter
from slipstick.model.equations import Equations, equations
from slipstick.model.system import System
from slipstick.reduction.network import Network
from slipstick.reduction.reduced_model import build_reduced_model
from slipstick.reduction.reduction_steps import DerivedNumber, ReductionState, ReductionStep
from slipstick.symbolic import is_symbolic, is_zero

if TYPE_CHECKING:
    from slipstick.reduction.reduce import Reduction


def steps_in_symbols(taken: ReductionState) -> tuple[ReductionStep, ...]:
    """The steps with their formulas written out; numbers that are zero or unchanged have none."""
    naming = _SymbolNames(taken.network)
    return tuple(
        replace(
            step, formulas={naming.symbol(own).name: own.number.formula for own in step.derived if _is_new_number(own)}
        )
        for step in taken.steps
    )


def _is_new_number(own: DerivedNumber) -> bool:
    return not is_zero(own.number.value) and is_symbolic(own.number.formula) and not own.number.formula.is_Symbol


class _SymbolNames:
    """Symbols of derived numbers that differ from the symbols in the formula."""

    def __init__(self, network: Network) -> None:
        self._symbols = network.symbols
        self._symbols.learn(network.names)
        self._known: dict[tuple[str, str, Any], Any] = {}
        self._used: set[Any] = set()

    def symbol(self, own: DerivedNumber) -> Any:
        key = own.letter, own.of, own.number.formula
        if key not in self._known:
            plain = symbol = self._symbols.of(own.letter, own.of)
            count = 1
            while symbol in self._used or symbol in own.number.formula.free_symbols:
                count += 1
                symbol = sp.Symbol(f"{plain.name}x{count}", real=True)
            self._known[key] = symbol
            self._used.add(symbol)
        return self._known[key]


def file_heading(reduction: Reduction, file: str) -> str:
    """Lines for the top of the file of a reduced model: its origin, the neglected parts, the formulas."""
    neglected = {f.name: getattr(reduction.neglected, f.name) for f in fields(reduction.neglected)}
    gone = "; ".join(f"{word.replace('_', '-')} {', '.join(names)}" for word, names in neglected.items() if names)
    lines = [f"{file}, reduced by slipstick: {gone}."]
    made = {name for step in reduction.steps for name in step.formulas}
    say = TerminalPrinter(MODEL_TERM_ORDER).doprint
    rules = [f"  {say(e.lhs)} = {say(e.rhs)}" for e in reduction.equations.rules if str(e.lhs) in made]
    if rules:
        lines += [
            f"Derived numbers, from those of {file} (k: stiffness, a: half gap, C: damping, F: limit, m: inertia):"
        ]
    return "\n".join([*lines, *rules])


def reduced_equations(taken: ReductionState, primary: System) -> Equations:
    """Equations of the reduced model with a symbol for each derived number, and a formula for each of those."""
    naming, symbols = _SymbolNames(taken.network), taken.primary.symbols
    meaning: dict[Any, DerivedNumber] = {}

    def put(own: DerivedNumber) -> Any:
        if not _is_new_number(own):
            return own.number.formula
        symbol = naming.symbol(own)
        meaning[symbol] = own
        return symbol

    for step in taken.steps:  # in their order: formulas are written one upon the other
        for own in step.derived:
            put(own)
    found = equations(build_reduced_model(taken, primary, put, symbols.law))
    used = set().union(*(e.free_symbols for e in found))
    for symbol, own in reversed(meaning.items()):
        if symbol in used:
            used |= own.number.formula.free_symbols
    formulas = [equation(symbol, own.number.formula) for symbol, own in meaning.items() if symbol in used]
    numbers = {s: own.number.value for s, own in meaning.items() if not is_symbolic(own.number.value)}
    values = {s: float(v) for s, v in {**symbols.values, **found.values, **numbers}.items() if s in used}
    return replace(found, rules=(*formulas, *found.rules), values=values)
