"""Numbers that were typed into fields of the page; one reading for all rooms."""

from __future__ import annotations

import math
import re
from typing import Any

from slipstick.errors import InvalidInput, shown


def pointed(text: str) -> str:
    """A text with its decimal commas as points; refused where a comma may stand for thousands, as in 1,250."""
    if doubtful := re.search(r"(?<![\d,.])[1-9]\d{0,2}(?:,\d{3})+(?![\d,])|\d,\d+,\d", text):
        raise InvalidInput(f"{doubtful[0]} may be with decimals or with thousands; write it like 1.25 or 1250")
    return re.sub(r"(?<=\d),(?=\d)", ".", text)


def number(name: str, text: Any, bound: str = "a number") -> float:
    """The finite number in a text.   name, bound : what it is and must be, for the message."""
    written = "" if text is None else str(text).strip()
    try:
        value = float(written)
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
    way_out = "write a point for the decimals" if "," in written else "write it like 0.5 or 2e3"
    return InvalidInput(f"{name} must be {bound}, got {shown(written)}; {way_out}")
