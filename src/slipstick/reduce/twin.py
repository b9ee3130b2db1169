"""The same model in symbols: a reduction is told in formulas, with the numbers behind them beside."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

import sympy as sp

from slipstick.laws.base import Law
from slipstick.laws.combine import Combination
from slipstick.laws.parameters import spec_of
from slipstick.laws.symbols import equation, with_index
from slipstick.model.equations import Equations, equations
from slipstick.model.law_terms import words
from slipstick.model.rebuilding import rebuilt
from slipstick.model.system import System
from slipstick.reduce.building import model_of
from slipstick.reduce.network import Network, Spring
from slipstick.symbolic import is_symbolic, is_zero

if TYPE_CHECKING:
    from slipstick.reduce.reduction import Reduction


def twin(system: System) -> System:
    """The system with a positive symbol for each inertia and each number of a luz/tar law; symbols stay."""
    index = words(c.name for c in system.connections)
    return rebuilt(
        system,
        inertia=lambda c: _symbol(f"m_{c.name}", c.inertia),
        law=lambda c: _law(c.law, index[c.name]),
    )


def _symbol(name: str, value: Any) -> Any:
    return value if is_symbolic(value) or is_zero(value) or value < 0 else sp.Symbol(name, positive=True)


def _law(law: Law, word: str) -> Law:
    if isinstance(law, Combination):
        many = len(law.terms) > 1
        return Combination(
            terms=tuple(
                term._replace(law=_law(term.law, f"{word}_{i}" if many else word))
                for i, term in enumerate(law.terms, start=1)
            )
        )
    if not law.takes_symbols:
        return law
    wanted = {
        f.name: _symbol(with_index(spec_of(f).symbol or f.name, word), getattr(law, f.name))
        for f in fields(law)
        if isinstance(getattr(law, f.name), float)
    }
    return replace(law, **wanted)


def reduced_equations(reduction: Reduction) -> Equations:
    """Equations of the reduced model with a symbol for each derived number, and a formula for each of those."""
    primary = twin(reduction.primary)
    network = reduction._in_symbols.network
    formulas: list[Any] = []
    named = _with_short_symbols(network, formulas)
    found = equations(model_of(named, primary))
    values = dict(found.values)
    return Equations(found.motion, (*formulas, *found.rules), found.given, values, found.balance)


def _with_short_symbols(network: Network, formulas: list[Any]) -> Network:
    """Merged springs, frictions and inertias under symbols of their own; what they are goes into ``formulas``."""

    def short(letter: str, name: str, value: Any, inverse: bool = False) -> Any:
        plain = 1 / value if inverse else value
        if not is_symbolic(plain) or plain.is_Symbol:
            return value
        own = sp.Symbol(f"{letter}_{name}", positive=True)
        formulas.append(equation(own, plain))
        return 1 / own if inverse else own

    index = words([*(s.name for s in network.springs), *(f.name for f in network.frictions)])
    springs = tuple(
        Spring(s.name, s.form, short("k", index[s.name], s.compliance, True), short("a", index[s.name], s.half_gap))
        for s in network.springs
    )
    frictions = tuple(
        type(f)(f.name, f.form, short("C", index[f.name], f.viscous), short("F", index[f.name], f.limit))
        for f in network.frictions
    )
    inertias = {name: short("m", name, value) for name, value in network.inertias.items()}
    return network.with_(springs=springs, frictions=frictions, inertias=inertias)
