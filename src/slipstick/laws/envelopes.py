"""Envelopes h(u, direction, u_m, f_m) for `GeneralisedDahl`: those of the fibre paper, and functions of users.

(u_m, f_m) is the last reversal. h is not the asymptote of the loop: it is the asymptote plus the terms that let a
first-order equation remember its last reversal (10), follow a polynomial (14) and overshoot (21).

An envelope is a function of these four and of numbers of its own. The values of the numbers are data beside the
function, so it is compiled once, and a search can change them.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import Field, dataclass, field, replace
from math import exp, inf, isfinite, nan
from typing import Any

from slipstick.errors import InvalidInput, short_repr
from slipstick.laws.parameters import Spec, check_number, spec_of
from slipstick.name_hints import did_you_mean
from slipstick.units.dimensions import FORCE

ENVELOPE_ARGUMENTS = ("u", "direction", "u_m", "f_m")  # the first arguments of every envelope


@dataclass(frozen=True)
class Shape:
    """An envelope whose numbers have no values yet.

    function : h(u, direction, u_m, f_m, ...), then its numbers.
    numbers : their specs by name.   listed : the last one is a list of all remaining numbers.
    hints : start values of a search, by name.
    alone : numbers of the law or of the envelope that a loop does not determine; a search holds them.
    known_as : replaces the name of the function.
    """

    function: Callable[..., float]
    numbers: Mapping[str, Spec] = field(default_factory=dict, compare=False)
    listed: bool = field(default=False, compare=False)
    hints: Mapping[str, float] = field(default_factory=dict, compare=False)
    alone: tuple[str, ...] = field(default=(), compare=False)
    known_as: str = field(default="", compare=False)

    @property
    def name(self) -> str:
        return self.known_as or getattr(self.function, "__name__", "the envelope")

    @property
    def singles(self) -> int:
        """Count of the numbers that are separate arguments."""
        return len(self.numbers) - self.listed

    def names_of(self, count: int) -> tuple[str, ...]:
        """Names of ``count`` numbers: "limit", and "coefficients.1" within a list."""
        every = list(self.numbers)
        return (*every[: self.singles], *(f"{every[-1]}.{i}" for i in range(count - self.singles)))

    def spec(self, i: int) -> tuple[Spec, int]:
        """The spec of number i, and its index within a list."""
        every = list(self.numbers.values())
        return (every[i], 0) if i < self.singles else (every[-1], i - self.singles)


@dataclass(frozen=True)
class Envelope:
    """A shape with values for its numbers: a function of u, direction, u_m and f_m."""

    shape: Shape
    values: tuple[float, ...] = ()

    def __call__(
        self, u: float, direction: float, u_m: float, f_m: float, numbers: Sequence[float] | None = None
    ) -> float:
        """h. numbers : count and values of its numbers, as compiled code passes them; default: its own."""
        own, k = self.values if numbers is None else numbers[1:], self.shape.singles
        if self.shape.listed:
            return self.shape.function(u, direction, u_m, f_m, *own[:k], own[k:])
        return self.shape.function(u, direction, u_m, f_m, *own)

    @property
    def names(self) -> tuple[str, ...]:
        return self.shape.names_of(len(self.values))

    def with_values(self, values: Mapping[int, float]) -> Envelope:
        """A copy with other values of some numbers, by index."""
        return Envelope(self.shape, tuple(values.get(i, x) for i, x in enumerate(self.values)))

    @property
    def address(self) -> int:
        """Address of the compiled function, which takes its numbers as a list."""
        from slipstick.laws.law_kernels import function_address

        return function_address(self.shape.function, self.shape.singles, self.shape.listed)

    @property
    def __name__(self) -> str:  # for the repr of a law
        inside = ", ".join(f"{name}={value:.6g}" for name, value in zip(self.names, self.values, strict=True))
        return f"{self.shape.name}({inside})" if inside else self.shape.name


def own(function: Callable[..., float], **values: float) -> Envelope:
    """An envelope from a function, with values for its numbers beside u, direction, u_m and f_m."""
    shape = shape_of(function)
    _refuse_other(shape, values)
    missing = [name for name in shape.numbers if name not in values and name not in shape.hints]
    if missing:
        raise InvalidInput(f"{shape.name} needs {', '.join(missing)}; got {', '.join(values) or 'nothing'}")
    given = {**shape.hints, **values}
    return Envelope(shape, tuple(check_number(shape.name, n, shape.numbers[n], given[n]) for n in shape.numbers))


def as_envelope(function: Callable[..., float]) -> Envelope:
    """An envelope, from an envelope or a plain function."""
    if isinstance(function, Envelope):
        return function
    shape = shape_of(function)
    return Envelope(shape, tuple(shape.hints[name] for name in shape.numbers))


def shape_of(function: Callable[..., float], numbers: Mapping[str, Any] | None = None) -> Shape:
    """The shape of a function; numbers : bounds by name, (low, high), or `parameter(FORCE, above=0.0)`."""
    if function in PROVIDED_SHAPES:
        shape = PROVIDED_SHAPES[function]
    else:
        arguments = _arguments(function)[len(ENVELOPE_ARGUMENTS) :]
        hints = {a.name: float(a.default) for a in arguments if a.default is not a.empty}
        shape = Shape(function, {a.name: Spec() for a in arguments}, hints=hints)
    _refuse_other(shape, numbers or {})
    specs = {name: _spec(shape, name, (numbers or {}).get(name)) for name in shape.numbers}
    return replace(shape, numbers=specs)


def _arguments(function: Callable[..., float]) -> list[inspect.Parameter]:
    try:
        found = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):  # some functions written in C have no signature
        return []
    return [a for a in found if a.kind in (a.POSITIONAL_ONLY, a.POSITIONAL_OR_KEYWORD)]


def _refuse_other(shape: Shape, given: Mapping[str, Any]) -> None:
    for name in given:
        if name not in shape.numbers:
            raise InvalidInput(f'{shape.name} has no number "{name}"{did_you_mean(name, list(shape.numbers))}')


def _spec(shape: Shape, name: str, given: Any) -> Spec:
    if given is None:
        return shape.numbers[name]
    if isinstance(given, Field):
        return spec_of(given)
    try:
        low, high = (inf * s if x is None else float(x) for x, s in zip(given, (-1.0, 1.0), strict=True))
    except (TypeError, ValueError):
        low = high = nan
    if not low < high:
        raise InvalidInput(f"{name} must be (low, high) with low < high, got {short_repr(given)}", owner=shape.name)
    # a search uses the logarithm of a number that cannot be negative
    least = low if isfinite(low) and low != 0.0 else None
    return Spec(low=least, above=0.0 if low == 0.0 else None, high=high if isfinite(high) else None)


# ---- envelopes of the fibre paper


def _hysteresis(u: float, s: float, u_m: float, f_m: float, limit: float) -> float:
    return 2.0 * limit + f_m * s


def _full(
    u: float, s: float, u_m: float, f_m: float, rate: float, limit: float, overshoot_limit: float, ratio: float,
    coefficients: Sequence[float],
) -> float:  # fmt: skip
    fall = 1.0 - (1.0 - ratio) * exp(-ratio * rate * abs(u - u_m))
    y = 0.0
    y_m = 0.0
    slope = 0.0
    for i in range(len(coefficients) - 1, -1, -1):
        slope = slope * u + y
        y = y * u + coefficients[i]
        y_m = y_m * u_m + coefficients[i]
    return 2.0 * limit - 2.0 * overshoot_limit * fall + y * s + slope / rate + (f_m - y_m) * s


def _polynomial(
    u: float, s: float, u_m: float, f_m: float, rate: float, limit: float, coefficients: Sequence[float]
) -> float:
    return _full(u, s, u_m, f_m, rate, limit, 0.0, 1.0, coefficients)


def _overshoot(
    u: float, s: float, u_m: float, f_m: float, rate: float, limit: float, overshoot_limit: float, ratio: float
) -> float:
    fall = 1.0 - (1.0 - ratio) * exp(-ratio * rate * abs(u - u_m))
    return 2.0 * limit - 2.0 * overshoot_limit * fall + f_m * s


_RATE, _LIMIT = Spec((0, -1, 0), above=0.0), Spec(FORCE, above=0.0)
_OVER, _RATIO = Spec(FORCE, low=0.0), Spec(low=0.0, high=1.0)
_COEFFICIENTS = Spec(FORCE, step=(0, -1, 0), kind="numbers")
# these envelopes are for exponent 1; the constant of the polynomial cancels in (14)
_ONE, _CONSTANT = ("exponent",), ("coefficients.0",)
_OF_HYSTERESIS = Shape(_hysteresis, {"limit": _LIMIT}, known_as="dynamic_hysteresis")
_OF_POLYNOMIAL = Shape(
    _polynomial,
    {"rate": _RATE, "limit": _LIMIT, "coefficients": _COEFFICIENTS},
    listed=True,
    alone=_ONE + _CONSTANT,
    known_as="with_polynomial",
)
_OF_OVERSHOOT = Shape(
    _overshoot,
    {"rate": _RATE, "limit": _LIMIT, "overshoot_limit": _OVER, "ratio": _RATIO},
    alone=_ONE,
    known_as="bliman_sorine",
)
_OF_FULL = Shape(
    _full,
    {"rate": _RATE, "limit": _LIMIT, "overshoot_limit": _OVER, "ratio": _RATIO, "coefficients": _COEFFICIENTS},
    listed=True,
    alone=_ONE + _CONSTANT,
    known_as="full",
)


def dynamic_hysteresis(limit: float) -> Envelope:
    """(9): 2 tau_C + tau_m s. With rate sigma/tau_C this is `DynamicHysteresis`."""
    return Envelope(_OF_HYSTERESIS, (float(limit),))


def with_polynomial(stiffness: float, limit: float, coefficients: Sequence[float]) -> Envelope:
    """(14): dynamic hysteresis in parallel with a polynomial, coefficients lowest power first."""
    return Envelope(_OF_POLYNOMIAL, (float(stiffness / limit), float(limit), *_floats(coefficients)))


def bliman_sorine(stiffness: float, limit: float, overshoot_limit: float, ratio: float) -> Envelope:
    """(21): with overshoot; stiffness and limit are sigma_1 and tau_C1."""
    return Envelope(_OF_OVERSHOOT, (float(stiffness / limit), float(limit), float(overshoot_limit), float(ratio)))


def full(
    stiffness: float, limit: float, overshoot_limit: float, ratio: float, coefficients: Sequence[float]
) -> Envelope:
    """(23): hysteresis, overshoot and polynomial together; stiffness and limit are sigma_1 and tau_C1."""
    single = (float(stiffness / limit), float(limit), float(overshoot_limit), float(ratio))
    return Envelope(_OF_FULL, (*single, *_floats(coefficients)))


def _floats(coefficients: Sequence[float]) -> tuple[float, ...]:
    return tuple(float(c) for c in coefficients)


PROVIDED_SHAPES: dict[Callable[..., Any], Shape] = {
    dynamic_hysteresis: _OF_HYSTERESIS,
    with_polynomial: _OF_POLYNOMIAL,
    bliman_sorine: _OF_OVERSHOOT,
    full: _OF_FULL,
}
