"""Number formats of tables and comments."""

from __future__ import annotations

import math

from slipstick.results.fit import Estimate

LARGEST_PLAIN, SMALLEST_PLAIN = 1e8, 1e-3  # outside, numbers have powers of ten


def unit_column(estimate: Estimate) -> str:
    """Unit as a table cell."""
    return "-" if estimate.unit == "1" else estimate.unit


def interval_text(estimate: Estimate) -> str:
    """``"799187 to 801405"``, or ``"200, open above"``."""
    if estimate.fixed:
        return "fixed"
    width, size = estimate.high - estimate.low, max(abs(estimate.low), abs(estimate.high))
    is_finite = math.isfinite(width) and width > 0.0  # enough digits to distinguish its ends, and one more
    digits = min(max(math.ceil(math.log10(size / width)) + 2, 3), 8) if is_finite else 5
    return estimate.interval(lambda value: format_number(value, digits))


def format_number(value: float, digits: int = 6) -> str:
    """A number with a count of digits, in its shortest form."""
    text = f"{value:.{digits}g}"
    if "e+" in text and abs(value) < LARGEST_PLAIN:
        return f"{float(text):.0f}"
    if "e+" in text or 0.0 < abs(value) < SMALLEST_PLAIN:
        mantissa, _, power = f"{value:.{digits - 1}e}".partition("e")
        return f"{mantissa.rstrip('0').rstrip('.')}e{int(power)}"
    return text
