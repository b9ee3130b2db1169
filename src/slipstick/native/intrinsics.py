"""Built-in functions of the language."""

from __future__ import annotations

from typing import Any

from slipstick.native.types import CannotCompile


def view(values: Any, start: int, count: int | None = None) -> Any:
    """Part of a list, or all from an index on; a copy when run in Python."""
    return values[start : None if count is None else start + count]


def local_numbers(count: int) -> Any:
    """Room for ``count`` numbers, a literal, until the function returns; compiled code does not set them to zero."""
    return [0.0] * count


def call_value(address: int, parameters: Any, u: float, v: float, memory: Any) -> float:
    """The compiled force of a law at an address; compiled code only."""
    raise CannotCompile("call_value has a meaning only in compiled code")


def call_function(address: int, *arguments: Any) -> float:
    """The compiled function of numbers and pointers at an address; compiled code only."""
    raise CannotCompile("call_function has a meaning only in compiled code")


def numbers_at(address: int) -> Any:
    """The numbers at an address; compiled code only."""
    raise CannotCompile("numbers_at has a meaning only in compiled code")
