"""Models whose numbers are SymPy symbols: which there are, and the model with values for them."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

from slipstick.errors import InvalidInput, finite_float, short_repr
from slipstick.laws.base import Law
from slipstick.laws.composite import map_terms
from slipstick.model.linear_forms import Form
from slipstick.model.system_copy import Kind, copy_with_numbers
from slipstick.name_hints import did_you_mean
from slipstick.symbolic import is_symbolic

if TYPE_CHECKING:
    from slipstick.model.system import System


def symbols_of(system: System) -> list[str]:
    """Names of all symbols in a system, in order of appearance."""
    if "sympy" not in sys.modules:
        return []
    return list(_symbols(system))


def _symbols(system: System) -> dict[str, Any]:
    """Symbols of a system by name."""
    found: dict[str, Any] = {}
    for value in _system_numbers(system):
        if is_symbolic(value):
            found |= {s.name: s for s in sorted(value.free_symbols, key=lambda s: str(s.name)) if s.name not in found}
    return found


def _system_numbers(system: System) -> Iterator[Any]:
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
    """The system with numbers for symbols; ``values`` by symbol or by its name.

    Values of symbols that a reduction removed are taken and have no effect: one dict does for a whole family.
    """
    symbols = _symbols(system)
    known, given = list(symbols), dict[str, float]()
    for key, value in _symbol_pairs(values):
        name = str(getattr(key, "name", key))
        if name in system.without and name not in known:
            finite_float(name, value, "with_values")
            continue
        if name not in known:
            raise InvalidInput(f'no symbol "{name}" in the model{did_you_mean(name, known)}', owner="with_values")
        given[name] = finite_float(name, value, "with_values")
        _refuse_broken_promise(symbols[name], given[name])

    def put(value: Any) -> Any:
        if not is_symbolic(value):
            return value
        found = value.subs({s: given[s.name] for s in value.free_symbols if s.name in given})
        return found if is_symbolic(found) else finite_float(str(value), found, "with_values")

    def put_law(law: Law) -> Law:
        numbers = {f.name: getattr(law, f.name) for f in fields(law)}
        return replace(law, **{name: put(value) for name, value in numbers.items() if is_symbolic(value)})

    new = copy_with_numbers(
        system,
        inertia=lambda c: put(c.inertia),
        law=lambda c: map_terms(c.law, put_law),
        form=lambda f: Form({name: put(factor) for name, factor in f.terms.items()}),
    )
    new.without = system.without
    return new


def _refuse_broken_promise(symbol: Any, value: float) -> None:
    """Refuse a value outside the assumptions of a symbol: formulas may have been simplified by them."""
    signs = {"positive": value > 0.0, "negative": value < 0.0, "zero": value == 0.0}
    for word, holds in signs.items():
        said = getattr(symbol, f"is_{word}")
        if said is not None and said != holds:
            must = f"{word}={said}"
            raise InvalidInput(
                f"{symbol} was made with {must}, got {value:g}; make the symbol without it, or real=True",
                owner="with_values",
            )


def _symbol_pairs(values: Any) -> Any:
    if not isinstance(values, Mapping):
        raise InvalidInput(f"with_values needs a dict of numbers by symbol, got {short_repr(values)}")
    return values.items()
