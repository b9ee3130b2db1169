"""Numbers that know the formula they came from: one run of the rules gives both.

Which rule is taken is decided by values. The formula is written in symbols on request, from the same
sums and products; a reduction that is only run never loads SymPy.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class FormulaNumber:
    """A value, and how it was computed.

    value : a float, or an expression if the model has symbols.
    """

    __slots__ = ("_found", "_write", "value")

    def __init__(self, value: Any, write: Callable[[], Any] | None = None) -> None:
        self.value = value
        self._write, self._found = write, None

    @property
    def formula(self) -> Any:
        """The SymPy expression of the primary model's symbols that this value is."""
        if self._found is None:
            self._found = _plain(self.value) if self._write is None else self._write()
            self._write = None  # its closure is no longer needed
        return self._found

    def __add__(self, other: FormulaNumber) -> FormulaNumber:
        return FormulaNumber(self.value + other.value, lambda: self.formula + other.formula)

    def __mul__(self, other: Any) -> FormulaNumber:
        return FormulaNumber(self.value * _value(other), lambda: self.formula * _formula(other))

    def __truediv__(self, other: Any) -> FormulaNumber:
        return FormulaNumber(self.value / _value(other), lambda: self.formula / _formula(other))

    @property
    def inverse(self) -> FormulaNumber:
        return FormulaNumber(1 / self.value, lambda: 1 / self.formula)

    def called(self, write: Callable[[], Any]) -> FormulaNumber:
        """The same value under a symbol of its own, which shortens later formulas."""
        return FormulaNumber(self.value, write)


ZERO_NUMBER = FormulaNumber(0.0)


def sum_numbers(numbers: list[FormulaNumber]) -> FormulaNumber:
    """The sum of at least one."""
    found = numbers[0]
    for other in numbers[1:]:
        found = found + other
    return found


def _value(other: Any) -> Any:
    return other.value if isinstance(other, FormulaNumber) else other


def _formula(other: Any) -> Any:
    return other.formula if isinstance(other, FormulaNumber) else _plain(other)


def _plain(value: Any) -> Any:
    from slipstick.laws.law_symbols import number

    return number(value)
