"""Numbers as text for people. Plain ``f"{value:.4g}"`` is fine beside these."""

from __future__ import annotations

import math

LARGEST_PLAIN, SMALLEST_PLAIN = 1e8, 1e-3  # numbers beyond have a power of ten
MAX_DIGITS = 6  # of a value with an error
NO_NUMBER_TEXT = "-"


def format_number(value: float, digits: int = 6) -> str:
    """A number with this many digits: ``799187``, ``12300000``, ``1.5e-9``."""
    text = f"{value:.{digits}g}"
    if "e+" in text and abs(value) < LARGEST_PLAIN:
        return f"{float(text):.0f}"
    if "e+" in text or 0.0 < abs(value) < SMALLEST_PLAIN:
        mantissa, _, power = f"{value:.{digits - 1}e}".partition("e")
        return f"{mantissa.rstrip('0').rstrip('.')}e{int(power)}"
    return text


def format_cell(value: float) -> str:
    """A number in a cell of a table; a dash for NaN and infinity."""
    return format_number(value, 4) if math.isfinite(value) else NO_NUMBER_TEXT


def format_exact(value: float) -> str:
    """A number that reads back exactly, and as a float in every version of YAML: ``1.0e-05``."""
    text = repr(float(value))
    mantissa, mark, exponent = text.partition("e")
    return f"{mantissa if '.' in mantissa else mantissa + '.0'}{mark}{exponent}" if mark else text


def format_percent(share: float, digits: int = 2, sign: str = "") -> str:
    """``"2.5 %"`` of 0.025.   sign : "+" to show it always."""
    return f"{100.0 * share:{sign}.{digits}g} %"


def format_seconds(value: float) -> str:
    """A duration: ``250 us``, ``1.25 ms``, ``3.2 s``."""
    if value < 1e-3:
        return f"{1e6 * value:.0f} us"
    return f"{1e3 * value:.3g} ms" if value < 1.0 else f"{value:.3g} s"


def significant_digits(value: float, error: float) -> int:
    """Digits of a value that its error leaves, 1 to 6; 6 if the error is not known."""
    if not (0.0 < error < math.inf and value):
        return 1 if error == math.inf else MAX_DIGITS
    return min(max(1 + math.floor(math.log10(abs(value) / error)), 1), MAX_DIGITS)


def separating_digits(low: float, high: float) -> int:
    """Digits that distinguish two different numbers."""
    return math.ceil(math.log10(max(abs(low), abs(high)) / abs(high - low)))
