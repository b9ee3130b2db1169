"""Models whose numbers are SymPy symbols: which there are, and the model with values for them."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

from slipstick.errors import InvalidInput, did_you_mean, shown
from slipstick.laws.base import Law
from slipstick.laws.combine import Combination
from slipstick.model.forms import Form
from slipstick.model.rebuilding import Kind, rebuilt
from slipstick.symbolic import is_symbolic

if TYPE_CHECKING:
    from slipstick.model.system import System


def symbols_of(system: System) -> list[str]:
    """Names of all symbols in a system, in the order met."""
    if "sympy" not in sys.modules:
        return []
    found: dict[str, None] = {}
    for value in _numbers(system):
        if is_symbolic(value):
            found.update(dict.fromkeys(sorted(s.name for s in value.free_symbols)))
    return list(found)


def _numbers(system: System) -> Iterator[Any]:
    for coordinate in system.coordinates:
        yield coordinate.inertia
    for connection in system.connections:
        yield from connection.deflection.terms.values()
        yield from connection.along.terms.values()
        for leaf in connection.law.as_terms():
            yield from (getattr(leaf.law, f.name) for f in fields(leaf.law))
    for load in system.loads:
        yield from load.form.terms.values()


def with_values(system: Kind, values: Mapping[Any, float]) -> Kind:
    """The system with numbers for symbols; ``values`` by symbol or by its name."""
    known = symbols_of(system)
    given = {str(getattr(key, "name", key)): value for key, value in dict(values).items()}
    for name in given:
        if name not in known:
            raise InvalidInput(f'with_values: no symbol "{name}" in the model{did_you_mean(name, known)}')

    def put(value: Any) -> Any:
        if not is_symbolic(value):
            return value
        found = value.subs({s: given[s.name] for s in value.free_symbols if s.name in given})
        return found if is_symbolic(found) else _number(value, found)

    return rebuilt(
        system,
        inertia=lambda c: put(c.inertia),
        law=lambda c: put_law(c.law, put),
        form=lambda f: Form({name: put(factor) for name, factor in f.terms.items()}),
    )


def put_law(law: Law, put: Any) -> Law:
    """A law with ``put`` applied to its numbers that may be symbols; others stay."""
    if isinstance(law, Combination):
        return Combination(terms=tuple(term._replace(law=put_law(term.law, put)) for term in law.terms))
    if not law.takes_symbols:
        return law
    numbers = {f.name: getattr(law, f.name) for f in fields(law)}
    wanted = {name: put(value) for name, value in numbers.items() if isinstance(value, float) or is_symbolic(value)}
    return replace(law, **wanted)


def _number(symbol: Any, value: Any) -> float:
    try:
        return float(value)
    except TypeError:
        raise InvalidInput(f"with_values: {symbol} must become a number, got {shown(value)}") from None
