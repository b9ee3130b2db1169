"""Parses numbers typed into fields, for all pages.

A lone comma is for the decimals, 0,5, where it can mean nothing else; 1,000 may be one or a thousand.
"""

from __future__ import annotations

import math
import re
from typing import Any

from slipstick.errors import InvalidInput, short_repr

THOUSANDS_COMMA = re.compile(r"(?<![\d,.])[+-]?[1-9]\d{0,2},\d{3}(?![\d,.])")
SEVERAL_SEPARATORS = re.compile(r"\d,\d+[,.]\d")  # 1,000,000 or 1,000.5
DECIMAL_POINT_ADVICE = "write a point for the decimals, and nothing between thousands"


def with_decimal_points(text: str) -> str:
    """A text of numbers and words with its decimal commas as points; refused where one may stand for thousands."""
    if way_out := _ambiguity_advice(text):
        raise InvalidInput(f"this number can be read in two ways, got {short_repr(text)}; {way_out}")
    return re.sub(r"(?<!\w),(?=\d)|(?<=\d),(?=\d)", ".", text)


def parse_number(name: str, text: Any, bound: str = "a number") -> float:
    """The finite number in a text.   name, bound : what it is and must be, for the message."""
    written = "" if text is None else str(text).strip()
    try:
        value = float(with_decimal_points(written))
    except (InvalidInput, ValueError):
        value = math.nan
    if not math.isfinite(value) or "_" in written:
        raise _refusal(name, bound, written)
    return value


def parse_positive(name: str, text: Any) -> float:
    """The number above zero in a text."""
    bound = "a number > 0"
    value = parse_number(name, text, bound)
    if value <= 0.0:
        raise _refusal(name, bound, str(text).strip())
    return value


def _ambiguity_advice(text: str) -> str:
    """What to write instead, where a comma may mean two things; empty where none does."""
    if found := THOUSANDS_COMMA.search(text):
        return f"it may mean {found[0].replace(',', '.')} or {found[0].replace(',', '')}: write one of these"
    return DECIMAL_POINT_ADVICE if SEVERAL_SEPARATORS.search(text) else ""


def _refusal(name: str, bound: str, written: str) -> InvalidInput:
    if not written:
        return InvalidInput(f"{name} is empty; write it like 0.5 or 2e3")
    way_out = _ambiguity_advice(written) or (DECIMAL_POINT_ADVICE if "," in written else "write it like 0.5 or 2e3")
    return InvalidInput(f"{name} must be {bound}, got {short_repr(written)}; {way_out}")
