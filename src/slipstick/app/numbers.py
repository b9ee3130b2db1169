"""Numbers that were typed into fields of the page; one reading for all rooms."""

from __future__ import annotations

import math
import re
from typing import Any

from slipstick.errors import InvalidInput, shown

# a comma for the decimals, and one that may as well group thousands: 1,000 but not 0,500 or 1000,250
COMMA = re.compile(r"[+-]?\d*,\d+([eE][+-]?\d+)?")
GROUPED = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}([eE].*)?")


def number(name: str, text: Any, bound: str = "a number") -> float:
    """The finite number in a text.   name, bound : what it is and must be, for the message.

    A lone comma is taken for the decimals, 0,5, where it can mean nothing else.
    """
    written = "" if text is None else str(text).strip()
    plain = COMMA.fullmatch(written) and not GROUPED.fullmatch(written)
    try:
        value = float(written.replace(",", ".") if plain else written)
    except ValueError:
        value = math.nan
    if not math.isfinite(value) or "_" in written:
        raise _refusal(name, bound, written)
    return value


def positive(name: str, text: Any) -> float:
    """The number above zero in a text."""
    bound = "a number > 0"
    value = number(name, text, bound)
    if value <= 0.0:
        raise _refusal(name, bound, str(text).strip())
    return value


def _refusal(name: str, bound: str, written: str) -> InvalidInput:
    if not written:
        return InvalidInput(f"{name} is empty; write it like 0.5 or 2e3")
    way_out = "write it like 0.5 or 2e3"
    if GROUPED.fullmatch(written):
        way_out = f"it may mean {written.replace(',', '.')} or {written.replace(',', '')}: write one of these"
    elif "," in written:
        way_out = "write a point for the decimals, and nothing between thousands"
    return InvalidInput(f"{name} must be {bound}, got {shown(written)}; {way_out}")
