"""Symbols for the numbers of a model, the same as in its equations; made on request of a formula."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

from slipstick.laws.base import Law
from slipstick.laws.composite import map_terms
from slipstick.laws.parameters import spec_of
from slipstick.symbolic import is_symbolic, is_zero

if TYPE_CHECKING:
    from slipstick.model.system import Connection, Coordinate, System


class ModelSymbols:
    """The symbols of a system.   values : the number behind each that was made."""

    def __init__(self, system: System) -> None:
        self._names = tuple(c.name for c in system.connections)
        self._coordinates = tuple(c.name for c in system.coordinates)
        self._words: dict[str, str] = {}
        self._laws: dict[str, Law] = {}
        self.values: dict[Any, float] = {}

    def learn(self, names: tuple[str, ...]) -> None:
        """All connections that there ever were, those of the system first; a name keeps its word as others follow."""
        self._names, self._words = names, {}

    @property
    def words(self) -> dict[str, str]:
        """Names of connections as indices of symbols."""
        from slipstick.model.connection_equations import symbol_suffixes

        self._words = self._words or symbol_suffixes(self._names, beside=self._coordinates)
        return self._words

    def of(self, letter: str, name: str) -> Any:
        """The symbol of a number of a connection, or of another thing of that name."""
        return _real_symbol(f"{letter}_{self.words.get(name, name)}")

    def inertia(self, coordinate: Coordinate) -> Callable[[], Any]:
        def written() -> Any:
            from slipstick.model.connection_equations import inertia_name

            return self._symbol(inertia_name(coordinate.name, self._coordinates), coordinate.inertia)

        return written

    def term(self, connection: Connection, place: int, what: str) -> Callable[[], Any]:
        """The factor or the width of a luz/tar term."""

        def written() -> Any:
            from slipstick.laws.law_symbols import number

            return number(getattr(self.law(connection).luz_tar_terms()[place], what))

        return written

    def law(self, connection: Connection) -> Law:
        """A luz/tar law with symbols for its numbers; zeros and symbols stay."""
        name = connection.name
        if name not in self._laws:
            word, count = self.words[name], len(connection.law.as_terms())
            each = iter([f"{word}_{i}" for i in range(1, count + 1)] if count > 1 else [word])
            self._laws[name] = map_terms(connection.law, lambda law: self._in_symbols(law, next(each)))
        return self._laws[name]

    def _in_symbols(self, law: Law, word: str) -> Law:
        from slipstick.laws.law_symbols import with_index

        wanted = {
            f.name: self._symbol(with_index(spec_of(f).symbol or f.name, word), getattr(law, f.name))
            for f in fields(law)
            if isinstance(getattr(law, f.name), float)
        }
        return replace(law, **wanted)

    def _symbol(self, name: str, value: Any) -> Any:
        if is_symbolic(value) or is_zero(value):
            return value if is_symbolic(value) else 0
        found = _real_symbol(name)
        self.values[found] = float(value)
        return found


def _real_symbol(name: str) -> Any:
    import sympy as sp

    return sp.Symbol(name, real=True)
