"""Parameters of laws: bounds, dimensions, and the validation of values."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import MISSING, Field, dataclass, field, fields
from typing import Any

import numpy as np

from slipstick.errors import InvalidInput, number_error, short_repr
from slipstick.laws.followed_force import FollowedForce
from slipstick.signals import TimeFunction
from slipstick.symbolic import is_symbolic, may_be
from slipstick.units.dimensions import NUMBER, Dimension


@dataclass(frozen=True)
class Spec:
    """Kind, bounds and dimension of a parameter. The dimension may depend on the law: an exponent changes a unit."""

    dimension: Dimension | Callable[[Any], Dimension] = NUMBER
    step: Dimension = NUMBER  # lists: dimension of element i is dimension + i * step
    low: float | None = None  # value >= low
    above: float | None = None  # value > above
    high: float | None = None  # value <= high
    below: float | None = None  # value < below
    doc: str = ""
    symbol: str = ""
    # number, numbers, pair, choice, flag, function, number-or-periodic, laws; or start: an initial value, on which no
    # later branch depends, so that it is neither compiled nor identified
    kind: str = "number"
    choices: tuple[str, ...] = ()
    optional: bool = False  # None is allowed
    first: int = 0  # lists: the index of the first symbol
    follows: bool = False  # it may follow the force of another connection

    def dimension_of(self, law: Any, index: int = 0) -> Dimension:
        base = self.dimension(law) if callable(self.dimension) else self.dimension
        return (base[0] + index * self.step[0], base[1] + index * self.step[1], base[2] + index * self.step[2])


def parameter(
    dimension: Dimension | Callable[[Any], Dimension] = NUMBER, *, default: Any = MISSING, **options: Any
) -> Any:
    """Declare a parameter of a law: its dimension, bounds (low, above, high, below), doc and symbol."""
    return field(default=default, metadata={"spec": Spec(dimension=dimension, **options)})


def spec_of(f: Field[Any]) -> Spec:
    """The declared spec; that of a finite number for a bare annotation."""
    spec: Spec = f.metadata.get("spec") or Spec()
    return spec


_symbols_in_any_law = ContextVar("_symbols_in_any_law", default=False)


@contextmanager
def symbols_in_any_law() -> Iterator[None]:
    """A context in which all laws take SymPy symbols, to find how their pieces depend on their parameters."""
    token = _symbols_in_any_law.set(True)
    try:
        yield
    finally:
        _symbols_in_any_law.reset(token)


def validate(law: Any) -> None:
    """Convert every parameter to floats and tuples; refuse values out of bounds."""
    for f in fields(law):
        spec = spec_of(f)
        if is_symbolic(getattr(law, f.name)) and not (law.takes_symbols or _symbols_in_any_law.get()):
            raise InvalidInput(
                "must be a number",
                owner=type(law).__name__,
                subject=f.name,
                value=getattr(law, f.name),
                got=str(getattr(law, f.name)),
                advice=["symbols are for laws of the luz/tar algebra: Linear, Freeplay, TwoStage, DryFriction"],
            )
        try:
            value = _clean(type(law).__name__, f.name, spec, getattr(law, f.name))
        except InvalidInput as refusal:
            raise refusal.about(f.name) from None
        object.__setattr__(law, f.name, value)


def _clean(owner: str, name: str, spec: Spec, value: Any) -> Any:
    if value is None and spec.optional:
        return None
    if isinstance(value, FollowedForce):
        if spec.follows:
            return value
        words = "must be a number; the force of a connection may be the limit of Jenkins and DryFriction only"
        raise InvalidInput(words, owner=owner, subject=name)
    match spec.kind:
        case "number" | "start":
            return check_number(owner, name, spec, value)
        case "numbers" | "pair":
            return _check_numbers(owner, name, spec, value)
        case "choice":
            if value not in spec.choices:
                options = " or ".join(f'"{c}"' for c in spec.choices)
                raise _out_of_bounds(owner, name, options, value, short_repr(value))
            return value
        case "flag":
            if not isinstance(value, (bool, np.bool_)):
                raise _out_of_bounds(owner, name, "True or False", value, short_repr(value))
            return bool(value)
        case "function":
            if not callable(value):
                raise _out_of_bounds(owner, name, "a function", value, short_repr(value))
            return value
        case "laws":
            if not isinstance(value, (tuple, list)):
                raise _out_of_bounds(owner, name, "a list of laws", value, short_repr(value))
            return tuple(value)
        case "number-or-periodic":
            return _check_periodic(owner, name, spec, value)
    raise InvalidInput(f"{name} is declared with an unknown kind {spec.kind!r}", owner=owner)


def _out_of_bounds(owner: str, name: str, bound: str, value: Any, got: str = "") -> InvalidInput:
    return InvalidInput(f"must be {bound}", owner=owner, subject=name, value=value, got=got, bound=bound)


def check_number(owner: str, name: str, spec: Spec, value: Any) -> float:
    """``value`` as a float within the bounds of ``spec``; a SymPy expression unchanged, if it can be within them."""
    if is_symbolic(value):
        return _check_symbol(owner, name, spec, value)  # type: ignore[no-any-return]
    if isinstance(value, (bool, str, bytes)) or value is None:
        raise number_error(owner, name, value)
    try:
        number = float(value)
    except OverflowError:  # an integer too large for a float
        number = math.inf
    except (TypeError, ValueError):
        raise number_error(owner, name, value) from None
    if not math.isfinite(number):
        raise _out_of_bounds(owner, name, "finite", number)
    for bound, holds, sign in (
        (spec.low, spec.low is None or number >= spec.low, ">="),
        (spec.above, spec.above is None or number > spec.above, ">"),
        (spec.high, spec.high is None or number <= spec.high, "<="),
        (spec.below, spec.below is None or number < spec.below, "<"),
    ):
        if not holds:
            raise _out_of_bounds(owner, name, f"{sign} {bound:g}", number)
    return number


def _check_symbol(owner: str, name: str, spec: Spec, value: Any) -> Any:
    for sign, bound in ((">=", spec.low), (">", spec.above), ("<=", spec.high), ("<", spec.below)):
        if bound is not None and not may_be(value, sign, bound):
            raise _out_of_bounds(owner, name, f"{sign} {bound:g}", value, str(value))
    return value


def _check_numbers(owner: str, name: str, spec: Spec, value: Any) -> tuple[float, ...]:
    if isinstance(value, (str, bytes)) or not isinstance(value, (Sequence, np.ndarray)):
        raise _out_of_bounds(owner, name, "a list of numbers", value, short_repr(value))
    if spec.kind == "pair" and len(value) != 2:
        raise _out_of_bounds(owner, name, "a pair of numbers", value, f"{len(value)} of them")
    if len(value) == 0 and not spec.optional:
        raise InvalidInput("must have at least one number", owner=owner, subject=name, value=value, got="none")
    return tuple(check_number(owner, f"{name}[{i}]", spec, v) for i, v in enumerate(value))


def _check_periodic(owner: str, name: str, spec: Spec, value: Any) -> Any:
    return value if isinstance(value, TimeFunction) else check_number(owner, name, spec, value)


def checked_factors(positive: Any, negative: Any) -> tuple[float, float]:
    """The factors of `Law.asymmetric`: finite and >= 0, so that friction never gives energy."""
    spec = Spec(low=0.0)
    named = (("positive", positive), ("negative", negative))
    first, second = (check_number("asymmetric", name, spec, value) for name, value in named)
    return first, second
