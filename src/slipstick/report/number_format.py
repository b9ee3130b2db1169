"""Numbers as tables and comments show them."""

from __future__ import annotations

import math

from slipstick.results.fit import Estimate

LARGEST_PLAIN, SMALLEST_PLAIN = 1e8, 1e-3  # numbers beyond are told with powers of ten


def unit_column(own: Estimate) -> str:
    """As a column shows it."""
    return "-" if own.unit == "1" else own.unit


def interval_text(own: Estimate) -> str:
    """``"799187 to 801405"``, or ``"200, open above"``."""
    if own.fixed:
        return "fixed"
    width, size = own.high - own.low, max(abs(own.low), abs(own.high))
    told = math.isfinite(width) and width > 0.0  # as many digits as tell its ends apart, and one more
    digits = min(max(math.ceil(math.log10(size / width)) + 2, 3), 8) if told else 5
    return own.interval(lambda value: format_number(value, digits))


def format_number(value: float, digits: int = 6) -> str:
    """A number with so many digits, as short as it can be told."""
    text = f"{value:.{digits}g}"
    if "e+" in text and abs(value) < LARGEST_PLAIN:
        return f"{float(text):.0f}"
    if "e+" in text or 0.0 < abs(value) < SMALLEST_PLAIN:
        mantissa, _, power = f"{value:.{digits - 1}e}".partition("e")
        return f"{mantissa.rstrip('0').rstrip('.')}e{int(power)}"
    return text
