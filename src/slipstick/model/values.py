"""Models whose numbers are SymPy symbols: which there are, and the model with values for them."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

from slipstick.errors import InvalidInput, did_you_mean, shown
from slipstick.laws.base import Law
from slipstick.laws.combine import mapped
from slipstick.model.forms import Form
from slipstick.model.rebuilding import Kind, rebuilt
from slipstick.model.system import finite
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
    given = {}
    for key, value in _pairs(values):
        name = str(getattr(key, "name", key))
        if name not in known:
            raise InvalidInput(f'with_values: no symbol "{name}" in the model{did_you_mean(name, known)}')
        given[name] = finite(f"with_values: {name}", value)

    def put(value: Any) -> Any:
        if not is_symbolic(value):
            return value
        found = value.subs({s: given[s.name] for s in value.free_symbols if s.name in given})
        return found if is_symbolic(found) else finite(f"with_values: {value}", found)

    def put_law(law: Law) -> Law:
        numbers = {f.name: getattr(law, f.name) for f in fields(law)}
        return replace(law, **{name: put(value) for name, value in numbers.items() if is_symbolic(value)})

    return rebuilt(
        system,
        inertia=lambda c: put(c.inertia),
        law=lambda c: mapped(c.law, put_law),
        form=lambda f: Form({name: put(factor) for name, factor in f.terms.items()}),
    )


def _pairs(values: Any) -> Any:
    if not isinstance(values, Mapping):
        raise InvalidInput(f"with_values needs a dict of numbers by symbol, got {shown(values)}")
    return values.items()
