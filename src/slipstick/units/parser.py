"""Units as text: their factor to SI, and their dimension.

A unit is a product of names with powers: ``N/mm``, ``N m s/rad``, ``kg*m^2``, ``1/(N^0.3 m)``. This
module parses the product; pint only looks up single names and never sees an expression. It is imported
at the first name that is not a common one, because that takes most of a second.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Context, Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Any

from slipstick.errors import InvalidInput, short_repr
from slipstick.name_hints import name_hint
from slipstick.signals import hz, rpm
from slipstick.units.common_units import COMMON, Unit
from slipstick.units.number_format import format_exact

MAX_UNIT_LENGTH = 60  # characters
MAX_POWER = 12
EXACT_DIGITS = 19  # enough for every float in every unit

COMMON_UNITS = (
    "N kN mN MN lbf m mm um cm km in ft kg g t lb s ms us min h rad mrad deg rev rpm Hz kHz Pa kPa MPa GPa bar psi "
    "N m, N/m, N/mm, N m/rad, N m/deg, N s/m, kg m^2"
).replace(",", "").split()  # fmt: skip
# written together by most engineers; pint takes Nm for a count of yarn, and has no rev
_JOINED_UNITS = {"Nm": ("N", "m"), "kNm": ("kN", "m"), "mNm": ("mN", "m"), "Nmm": ("N", "mm"), "Ncm": ("N", "cm"),
             "rev": ("revolution",), "lb": ("pound",), "kp": ("kgf",), "kpm": ("kgf", "m"),
             "Ns": ("N", "s"), "kNs": ("kN", "s"), "Nms": ("N", "m", "s")}  # fmt: skip
_DIMENSIONLESS_NAMES = {
    "%",
    "percent",
    "permille",
    "ppm",
}  # units that are numbers; pint would also take pi, dB and bits
_SMALLEST = Fraction(1, 10**60)
_BASE = {"meter": 0, "kilogram": 1, "second": 2, "radian": 3}
_SUPER = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_TOKEN = re.compile(
    r"\s*(?:(?P<power>(?:\^|\*\*)\s*(?:[-+]?\d+(?:\.\d+)?|\(\s*[-+]?\d+(?:\.\d+)?(?:/\d+)?\s*\))|[⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)"
    r"|(?P<name>[^\W\d_]+(?:_[^\W\d_]+)*|[%°])(?P<digit>[234](?!\d))?|(?P<op>[*/()·⋅])|(?P<one>1(?![\d.])))"
)


DIMENSIONLESS = Unit(Fraction(1), (0.0, 0.0, 0.0, 0.0))


def to_si(number: Fraction, unit: str) -> float:
    """The number in SI, rounded once."""
    if unit == "Hz":
        return hz(float(number))
    if unit == "rpm":
        return rpm(float(number))
    try:
        value = float(number * parse_unit(unit).factor)
    except OverflowError:
        raise InvalidInput(f"must be finite in SI units, got {float(number):g} {unit}") from None
    if value == 0.0 and number != 0:
        raise InvalidInput(f"is too small for a number in SI units, got {float(number):g} {unit}")
    return value


@lru_cache(maxsize=2000)
def parse_unit(text: str) -> Unit:
    """Factor and dimension of a unit; raises InvalidInput for an unknown or unreadable one."""
    if not text:
        return DIMENSIONLESS
    if len(text) > MAX_UNIT_LENGTH:
        raise InvalidInput(f"the unit has {len(text)} characters, the limit is {MAX_UNIT_LENGTH}; shorten it")
    return _UnitParser(text).unit()


class _UnitParser:
    """unit: factor {[* or /] factor};  factor: (name | 1 | "(" unit ")") [power]."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = self._tokens()
        self.at = 0

    def _tokens(self) -> list[tuple[str, str]]:
        found: list[tuple[str, str]] = []
        position, text = 0, self.text.rstrip()
        while position < len(text):
            match = _TOKEN.match(text, position)
            if match is None:
                raise self._unreadable(text[position:].strip())
            kind = match.lastgroup or ""
            if match.group("name"):
                found.append(("name", match.group("name")))
                if match.group("digit"):
                    found.append(("power", match.group("digit")))
            else:
                found.append((kind, match.group(kind)))
            position = match.end()
        return found

    def unit(self) -> Unit:
        result = self._product()
        if self.at < len(self.tokens):
            raise self._unreadable(self.tokens[self.at][1])
        return result

    def _next(self) -> tuple[str, str]:
        return self.tokens[self.at] if self.at < len(self.tokens) else ("end", "")

    def _product(self) -> Unit:
        result = self._factor()
        while True:
            kind, text = self._next()
            if kind == "op" and text in "*·⋅/":
                self.at += 1
                result = _times(result, self._factor(), -1 if text == "/" else 1)
            elif kind in ("name", "one") or (kind, text) == ("op", "("):
                result = _times(result, self._factor(), 1)
            else:
                return result

    def _factor(self) -> Unit:
        kind, text = self._next()
        self.at += 1
        if kind == "name":
            result = unit_by_name(text)
        elif kind == "one":
            result = DIMENSIONLESS
        elif (kind, text) == ("op", "("):
            result = self._product()
            if self._next() != ("op", ")"):
                raise self._unreadable("a missing )")
            self.at += 1
        else:
            raise self._unreadable(text or "the end")
        kind, text = self._next()
        if kind != "power":
            return result
        before = self.tokens[self.at - 1][1]
        if before in _JOINED_UNITS:  # is Nm^2 N m^2 or (N m)^2?
            raise InvalidInput(
                f"the unit {short_repr(self.text)} has a power on {before}; put spaces between its parts"
            )
        self.at += 1
        return self._raised(result, text)

    def _raised(self, unit: Unit, text: str) -> Unit:
        power = Fraction(re.sub(r"[\s()]", "", text.translate(_SUPER).lstrip("^*")))
        if abs(power) > MAX_POWER:
            words = f"has the power {float(power):g}, the limit is {MAX_POWER}"
            raise InvalidInput(f"the unit {short_repr(self.text)} {words}")
        return _power(unit, power)

    def _unreadable(self, what: str) -> InvalidInput:
        where = f'cannot be read at "{what[:20]}"'
        return InvalidInput(f"the unit {short_repr(self.text)} {where}; write it like N/mm, N m/rad or kg m^2")


def shortest_exact(value: float, unit: str) -> str:
    """The shortest number that is exactly ``value`` in this unit; empty if none is exact."""
    quotient = Fraction(value) / parse_unit(unit).factor
    return next((text for text in _roundings(quotient) if to_si(Fraction(text), unit) == value), "")


def from_si(value: float, unit: str) -> float:
    """A number in SI in another unit, with the fewest digits that are exact; "" for SI itself."""
    return float(shortest_exact(value, unit) or value / to_si(Fraction(1), unit)) if unit else value


def _roundings(number: Fraction) -> Iterable[str]:
    """The number with 1, 2, ... digits."""
    top, bottom = Decimal(number.numerator), Decimal(number.denominator)
    for digits in range(1, EXACT_DIGITS + 1):
        rounded = Context(prec=digits).divide(top, bottom)
        # a float of 15 digits or fewer is written as itself
        yield format_exact(float(rounded)).removesuffix(".0") if digits <= 15 else f"{rounded.normalize():f}"


def _times(a: Unit, b: Unit, power: int) -> Unit:
    return _combine(a, _power(b, Fraction(power)))


def _combine(a: Unit, b: Unit) -> Unit:
    if (a.per_cycle or b.per_cycle) and DIMENSIONLESS not in (a, b):
        raise InvalidInput("Hz is only allowed alone, as a frequency; within other units write 1/s")
    x, y = a.exponents, b.exponents
    exponents = (x[0] + y[0], x[1] + y[1], x[2] + y[2], x[3] + y[3])
    return Unit(_checked_factor(a.factor * b.factor), exponents, a.per_cycle or b.per_cycle)


def _power(unit: Unit, power: Fraction) -> Unit:
    if unit.per_cycle and power != 1:
        raise InvalidInput("Hz is only allowed alone, as a frequency; within other units write 1/s")
    x, p = unit.exponents, float(power)
    try:
        factor = unit.factor ** int(power) if power.denominator == 1 else Fraction(float(unit.factor) ** p)
    except OverflowError:
        factor = Fraction(0)
    return Unit(_checked_factor(factor), (x[0] * p, x[1] * p, x[2] * p, x[3] * p), unit.per_cycle)


def _checked_factor(factor: Fraction) -> Fraction:
    if not _SMALLEST < factor < 1 / _SMALLEST:
        raise InvalidInput("the unit is below 1e-60 or above 1e60 SI units; use one nearer to SI")
    return factor


@lru_cache(maxsize=1000)
def unit_by_name(name: str) -> Unit:
    """One unit by its name, such as mm."""
    if name in _JOINED_UNITS:
        result = DIMENSIONLESS
        for part in _JOINED_UNITS[name]:
            result = _combine(result, COMMON.get(part) or _from_pint(part))
        return result
    return COMMON.get(name) or _from_pint(name)


def _from_pint(name: str) -> Unit:
    registry = _registry()
    try:
        base = registry.Quantity(1.0, registry.parse_units(name)).to_base_units()
        powers = {str(key): float(power) for key, power in base.unit_items()}
        factor = Fraction(str(float(base.magnitude)))
    except Exception:  # pint has a dozen ways to say that it does not know a name
        raise InvalidInput(f'unknown unit "{name}"{_unit_hint(name)}') from None
    if not set(powers) <= set(_BASE) or factor <= 0 or (not powers and name not in _DIMENSIONLESS_NAMES):
        raise InvalidInput(f'the unit "{name}" is not mechanical; use N, m, kg, s, rad and units made of them')
    exponents = [0.0, 0.0, 0.0, 0.0]
    for key, power in powers.items():
        exponents[_BASE[key]] = power
    if name.endswith(("Hz", "hertz")):
        return Unit(factor * Fraction(str(hz(1.0))), (0.0, 0.0, -1.0, 1.0), per_cycle=True)
    return Unit(factor, (exponents[0], exponents[1], exponents[2], exponents[3]))


def _unit_hint(name: str) -> str:
    same = [unit for unit in COMMON_UNITS if unit.lower() == name.lower()]
    if same:
        return f' (did you mean "{same[0]}"? case matters)'
    return name_hint(name, COMMON_UNITS)


@lru_cache(maxsize=1)
def _registry() -> Any:
    import pint

    return pint.UnitRegistry()
