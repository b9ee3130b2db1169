"""Estimates of a fit as tables and comments show them."""

from __future__ import annotations

import math

from slipstick.results.fit import Estimate
from slipstick.units.number_format import format_number, separating_digits


def unit_column(estimate: Estimate) -> str:
    """The unit of an estimate; a dash for a plain number."""
    return "-" if estimate.unit == "1" else estimate.unit


def interval_text(estimate: Estimate) -> str:
    """``"799187 to 801405"``, or ``"200, open above"``; one digit more than distinguishes the ends."""
    return "fixed" if estimate.fixed else estimate.interval(lambda value: format_number(value, _digits(estimate)))


def value_text(estimate: Estimate) -> str:
    """The value with the digits of its interval; six if it is fixed."""
    return format_number(estimate.value, 6 if estimate.fixed else _digits(estimate))


def _digits(estimate: Estimate) -> int:
    width = estimate.high - estimate.low
    closed = math.isfinite(width) and width > 0.0
    return min(max(separating_digits(estimate.low, estimate.high) + 2, 3), 8) if closed else 5
