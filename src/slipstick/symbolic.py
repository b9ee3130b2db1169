"""Tests for numbers that may be SymPy expressions, without an import of SymPy."""

from __future__ import annotations

import sys
from typing import Any


def is_symbolic(value: Any) -> bool:
    """True for a SymPy expression with a symbol in it."""
    sympy = sys.modules.get("sympy")
    return sympy is not None and isinstance(value, sympy.Expr) and bool(value.free_symbols)


def is_zero(value: Any) -> bool:
    """True for a number, or an expression, that is known to be zero."""
    return bool(value == 0) or (is_symbolic(value) and value.is_zero is True)


def may_be(value: Any, sign: str, bound: float) -> bool:
    """False for what is known to break ``value sign bound``; an expression that may hold is allowed."""
    if not is_symbolic(value):
        return bool({">=": value >= bound, ">": value > bound, "<=": value <= bound, "<": value < bound}[sign])
    left = value - bound
    known = {">=": left.is_negative, ">": left.is_nonpositive, "<=": left.is_positive, "<": left.is_nonnegative}
    return known[sign] is not True
