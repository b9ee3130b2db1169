"""Linear forms of coordinates, such as ``x``, ``x - y`` or ``delta - 2 * gamma``; deflections are linear forms."""

from __future__ import annotations

import math
import sys
from collections.abc import KeysView
from typing import Any

from slipstick.errors import InvalidInput, short_repr
from slipstick.model import tolerances as tol
from slipstick.symbolic import is_symbolic, is_zero

CANCELLED_FACTOR_REL = (
    4.0 * sys.float_info.epsilon
)  # of the larger of two factors: rounding left over where they cancel


class Form:
    """A sum of coordinates with factors. Supports +, -, * and / with numbers; equal if its terms are."""

    __array_ufunc__ = None  # a NumPy number on the left leaves the product to us

    def __init__(self, terms: dict[str, float], owners: frozenset[object] = frozenset()) -> None:
        self._terms = {name: factor for name, factor in terms.items() if factor != 0.0}
        self.owners = owners  # the models of its coordinates, to detect coordinates of another model

    @property
    def terms(self) -> dict[str, float]:
        """Factor by coordinate name, in the order written."""
        return dict(self._terms)

    @property
    def names(self) -> KeysView[str]:
        """The coordinates in it, in the order written."""
        return self._terms.keys()

    def factor(self, name: str) -> Any:
        """The factor of a coordinate; 0 where it is not in it."""
        return self._terms.get(name, 0.0)

    def without(self, name: str) -> Form:
        """The form without one of its coordinates."""
        return Form({other: own for other, own in self._terms.items() if other != name}, self.owners)

    def substituted(self, name: str, by: Form) -> Form:
        """The form with a coordinate replaced by a form of others."""
        return self.without(name) + by * self._terms[name] if name in self._terms else self

    def ratio(self, other: Form) -> Any:
        """s with self = s other, or None where the two are not proportional."""
        if not self._terms or self.names != other.names:
            return None
        found = [quotient(own, other._terms[name]) for name, own in self._terms.items()]
        return found[0] if all(nearly_equal(each, found[0]) for each in found) else None

    def __add__(self, other: Any) -> Form:
        if not isinstance(other, Form):
            return self if isinstance(other, (int, float)) and other == 0 else _refuse(other)
        total = self.terms
        for name, factor in other.terms.items():
            own = total.get(name, 0.0)
            both = own + factor
            dust = not is_symbolic(both) and abs(both) <= CANCELLED_FACTOR_REL * max(abs(own), abs(factor))
            total[name] = 0.0 if dust else both
        return Form(total, self.owners | other.owners)

    def __radd__(self, other: Any) -> Form:
        return self.__add__(other)

    def __neg__(self) -> Form:
        return self * -1.0

    def __sub__(self, other: Any) -> Form:
        return self + (-other if isinstance(other, Form) else other)

    def __rsub__(self, other: Any) -> Form:
        return (-self).__add__(other)

    def __mul__(self, factor: Any) -> Form:
        number = _number(factor, "multiplied")
        return Form({name: times(number, own) for name, own in self.terms.items()}, self.owners)

    def __rmul__(self, factor: Any) -> Form:
        return self.__mul__(factor)

    def __truediv__(self, divisor: Any) -> Form:
        number = _number(divisor, "divided")
        if number == 0.0:
            raise InvalidInput(f"a coordinate can be divided by a number other than 0, got {short_repr(divisor)}")
        return Form({name: own / number for name, own in self.terms.items()}, self.owners)

    def __pow__(self, exponent: Any) -> Form:
        words = "a deflection is linear and has no powers; put them into the law, such as Polynomial"
        raise InvalidInput(words, value=exponent)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Form) and self._terms == other._terms

    def __hash__(self) -> int:
        return hash(frozenset(self._terms.items()))

    def __repr__(self) -> str:
        text = ""
        for name, factor in self._terms.items():
            if is_symbolic(factor):
                text += _format_term(factor, name, bool(text))
                continue
            sign = "-" if factor < 0 else "+"
            size = abs(factor)
            piece = name if size == 1.0 else f"{size:.15g}*{name}"
            text += f" {sign} {piece}" if text else (f"-{piece}" if factor < 0 else piece)
        return text or "0"


def times(a: Any, b: Any) -> Any:
    """a b; beside a symbol a whole number is one, so that no 1.0 is written before it."""
    if is_symbolic(a) or is_symbolic(b):
        a, b = (int(x) if isinstance(x, float) and x.is_integer() else x for x in (a, b))
    return a * b


def quotient(a: Any, b: Any) -> Any:
    """a/b; beside a symbol a whole number is one."""
    if is_symbolic(a) or is_symbolic(b):
        a, b = (int(x) if isinstance(x, float) and x.is_integer() else x for x in (a, b))
    return a / b


def nearly_equal(a: Any, b: Any) -> bool:
    """True if two numbers are equal up to rounding; two expressions, if their difference expands to nothing."""
    if is_symbolic(a) or is_symbolic(b):
        return is_zero((a - b).expand())
    return bool(abs(a - b) <= tol.SAME_NUMBER_REL * max(abs(a), abs(b)))


def _format_term(factor: Any, name: str, follows: bool) -> str:
    """A term with a symbol, with its sign before it."""
    negative = factor.could_extract_minus_sign()
    size = -factor if negative else factor
    piece = f"{size}*{name}" if size.is_Mul or size.is_Symbol or size.is_Pow else f"({size})*{name}"
    return (" - " if negative else " + ") + piece if follows else ("-" if negative else "") + piece


def _number(value: Any, verb: str) -> float:
    """A finite factor, or a SymPy expression; anything else does not give a linear deflection."""
    if is_symbolic(value):
        return value  # type: ignore[no-any-return]
    try:
        number = math.nan if isinstance(value, (bool, str, bytes, Form)) else float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise InvalidInput(
            f"a deflection is linear, so a coordinate can be {verb} by a finite number only, got {short_repr(value)}"
        )
    return number


def _refuse(other: Any) -> Form:
    raise InvalidInput(
        f"only coordinates can be added to a deflection, got {short_repr(other)}; put a constant offset into the law"
    )
