"""A limit that follows the force of another connection: ``limit=0.3 * m["spring"].force``."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any, NoReturn

from slipstick.errors import InvalidInput, short_repr


@dataclass(frozen=True)
class FollowedForce:
    """A factor times the force of a connection, while its spring presses (spring force times factor > 0).

    It is the limit of `Jenkins` or `DryFriction` in a model, and has no value without one.
    """

    connection: str
    factor: float = 1.0

    def __mul__(self, number: Any) -> FollowedForce:
        try:
            factor = math.nan if isinstance(number, (bool, str, bytes)) else self.factor * float(number)
        except (TypeError, ValueError):
            factor = math.nan
        if not math.isfinite(factor) or factor == 0.0:
            words = f"the force of a connection is multiplied by a number other than 0, got {short_repr(number)}"
            raise InvalidInput(words)
        return FollowedForce(self.connection, factor)

    __rmul__ = __mul__

    def __neg__(self) -> FollowedForce:
        return self * -1.0

    def __truediv__(self, number: float) -> FollowedForce:
        return self * (1.0 / number) if isinstance(number, (int, float)) and number else self * number

    def _no_number(self, *_: Any) -> NoReturn:
        raise InvalidInput(
            f'the force of connection "{self.connection}" has no value outside a run',
            advice=["connect the law to a model: m.connect(x, law)"],
        )

    __float__ = __lt__ = __le__ = __gt__ = __ge__ = __add__ = __radd__ = __sub__ = __rsub__ = __rtruediv__ = _no_number


def followed_force(law: Any) -> FollowedForce | None:
    """The force that the limit of a law follows."""
    values = (getattr(law, f.name) for f in fields(law))
    return next((value for value in values if isinstance(value, FollowedForce)), None)
