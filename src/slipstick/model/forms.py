"""Linear forms of coordinates: ``x``, ``x - y``, ``delta - 2 * gamma``. A deflection is one."""

from __future__ import annotations

import math
from typing import Any

from slipstick.errors import InvalidInput, shown


class Form:
    """A sum of coordinates with factors. Supports +, -, * and / with numbers; equal if its terms are."""

    def __init__(self, terms: dict[str, float]) -> None:
        self._terms = {name: factor for name, factor in terms.items() if factor != 0.0}

    @property
    def terms(self) -> dict[str, float]:
        """Factor by coordinate name, in the order written."""
        return dict(self._terms)

    def __add__(self, other: Any) -> Form:
        if not isinstance(other, Form):
            return self if other == 0 else _refuse(other)
        total = self.terms
        for name, factor in other.terms.items():
            total[name] = total.get(name, 0.0) + factor
        return Form(total)

    def __mul__(self, factor: Any) -> Form:
        if isinstance(factor, bool) or isinstance(factor, Form):
            raise InvalidInput(f"a deflection is linear: a coordinate can be multiplied by a number, not by {shown(factor)}")
        try:
            number = float(factor)
        except (TypeError, ValueError):
            raise InvalidInput(f"a coordinate can be multiplied by a number, not by {shown(factor)}") from None
        if not math.isfinite(number):
            raise InvalidInput(f"factors of a deflection must be finite, got {number}")
        return Form({name: number * own for name, own in self.terms.items()})

    def __neg__(self) -> Form:
        return self * -1.0

    def __sub__(self, other: Any) -> Form:
        return self + (-other if isinstance(other, Form) else other)

    def __rsub__(self, other: Any) -> Form:
        return -self + other

    __radd__ = __add__
    __rmul__ = __mul__

    def __truediv__(self, divisor: Any) -> Form:
        if isinstance(divisor, Form) or divisor == 0:
            raise InvalidInput(f"a coordinate can be divided by a number other than 0, not by {shown(divisor)}")
        return self * (1.0 / divisor)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Form) and self._terms == other._terms

    def __hash__(self) -> int:
        return hash(frozenset(self._terms.items()))

    def __repr__(self) -> str:
        text = ""
        for name, factor in self._terms.items():
            sign = "-" if factor < 0 else "+"
            size = abs(factor)
            piece = name if size == 1.0 else f"{size:.15g}*{name}"
            text += f" {sign} {piece}" if text else (f"-{piece}" if factor < 0 else piece)
        return text or "0"


def _refuse(other: Any) -> Form:
    raise InvalidInput(f"a deflection is a sum of coordinates; cannot add {shown(other)} (a constant offset belongs in the law)")
