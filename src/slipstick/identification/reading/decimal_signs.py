"""Numbers in tables: decimal points or commas, and thousands separators.

``1,5`` and ``1,234.5`` have one reading. ``1,234`` has two, 1.234 and 1234. Other numbers of the file decide; if they
do not, the user must.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

DECIMAL_POINT, DECIMAL_COMMA = ".", ","
_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eEdD][-+]?\d+)?")
_CLOCK = re.compile(r"\b(\d{4}-\d{1,2}-\d{1,2}|\d{1,2}[./]\d{1,2}[./]\d{2,4}|\d{1,2}:\d{2}(:\d{2}([.,]\d+)?)?)\b")
_THOUSANDS = re.compile(r"[-+]?\d{1,3}(?:[ '\u2019\u00a0\u202f]\d{3})+(?!\d)")  # 1'234.5 and 1 234.5
_SPACES = "'\u2019 \u00a0\u202f"
# numbers with thousands separators, all of one kind, by decimal comma
_GROUPED = {
    comma: re.compile(rf"[-+]?[1-9]\d{{0,2}}(?P<sign>[\{group}{_SPACES}])\d{{3}}(?:(?P=sign)\d{{3}})*(?:\{point}\d+)?")
    for comma, group, point in ((False, DECIMAL_COMMA, DECIMAL_POINT), (True, DECIMAL_POINT, DECIMAL_COMMA))
}
_TWO_READINGS = re.compile(r"[-+]?[1-9]\d{0,2}(?P<sign>[.,])\d{3}")
_SMALL = re.compile(r"[-+]?[1-9]\d{0,2}")  # integer below 1000
_LARGE = re.compile(r"[-+]?[1-9]\d{3,}")  # integer from 1000, without separators


def is_grouped(field: str, comma: bool) -> bool:
    """True for a number with thousands separators; comma : decimal comma."""
    return _GROUPED[comma].fullmatch(field) is not None


def parse_number(field: str, comma: bool, grouped: bool = False) -> float | None:
    """A field as a number, or None; grouped : thousands separators are allowed."""
    if grouped and is_grouped(field, comma):
        field = re.sub(rf"[{DECIMAL_POINT if comma else DECIMAL_COMMA}{_SPACES}]", "", field)
    text = field.replace(DECIMAL_COMMA, DECIMAL_POINT) if comma else field
    if comma and DECIMAL_POINT in field:
        return None
    if _NUMBER.fullmatch(text):
        return float(text.replace("d", "e").replace("D", "e"))
    return math.nan if text.lower() in ("nan", "inf", "-inf", "+inf", "infinity", "-infinity") else None


def explain_non_number(field: str) -> str:
    """Why a field is not a number, in words."""
    shown = repr(field if len(field) <= 40 else field[:37] + "...")
    if not field:
        return "must be a number, got an empty cell"
    if _CLOCK.match(field[:40]):
        return f"must be a number, got a date or clock time, {shown}"
    if (DECIMAL_POINT in field and DECIMAL_COMMA in field) or _THOUSANDS.match(field[:40]):
        return f"must be a number, got {shown}; write numbers without separators of thousands"
    return f"must be a number, got {shown}"


@dataclass
class _ColumnEvidence:
    """Numbers of one column.   plain : some have one reading.   two : signs of numbers with two readings.
    small, large : some integers are below 1000, or from 1000 without separators.
    """

    plain: bool = False
    two: str = ""
    small: bool = False
    large: bool = False

    def thousands(self, sign: str) -> bool:
        """True if integers below 1000 in the column show that a sign separates thousands."""
        return sign in self.two and self.small and not self.large and not self.plain


def decide_decimal_comma(rows: Iterable[Sequence[str]], comma: bool | None) -> tuple[bool, str]:
    """True for decimal commas, and an ambiguous number if nothing decides, else an empty text.

    comma : decision of most rows; None if they can be read either way.

    A number with one reading decides. Else, a comma before three digits separates thousands if its column has integers
    below 1000, such as ``937``, and not if it has ``1234``. A point before three digits is decimal, unless its column
    has integers below 1000.
    """
    columns: list[_ColumnEvidence] = []
    doubts: dict[str, str] = {}
    for row in rows:
        columns += [_ColumnEvidence() for _ in row[len(columns) :]]
        for field, evidence in zip(row, columns, strict=False):
            readings = [is_readable_number(field, sign) for sign in (False, True)]
            if readings[0] != readings[1]:
                evidence.plain, comma = True, readings[1] if comma is None else comma
            elif two := _TWO_READINGS.fullmatch(field):
                evidence.two += two["sign"] if two["sign"] not in evidence.two else ""
                doubts.setdefault(two["sign"], field)
            else:
                evidence.small, evidence.large = (
                    evidence.small or _matches_fully(_SMALL, field),
                    evidence.large or _matches_fully(_LARGE, field),
                )
    if comma is not None:  # a file with decimal commas may have one column with thousands
        return comma, doubts[DECIMAL_COMMA] if comma and any(
            evidence.thousands(DECIMAL_COMMA) for evidence in columns
        ) else ""
    return _decide_from_whole_numbers(columns, doubts)


def _matches_fully(kind: re.Pattern[str], field: str) -> bool:
    return kind.fullmatch(field) is not None


def is_readable_number(field: str, comma: bool) -> bool:
    """True for a number with this decimal sign."""
    return parse_number(field, comma) is not None or is_grouped(field, comma)


def _decide_from_whole_numbers(columns: Sequence[_ColumnEvidence], doubts: Mapping[str, str]) -> tuple[bool, str]:
    """Decision from the integers in columns of ambiguous numbers."""
    decisions = {
        (sign == DECIMAL_COMMA) == evidence.large
        for evidence in columns
        for sign in evidence.two
        if evidence.small or evidence.large
    }
    doubt = doubts.get(DECIMAL_COMMA) or doubts.get(DECIMAL_POINT, "")
    if len(decisions) == 1:
        comma = decisions.pop()
        # points are seldom thousands separators: integers may be decimals without their zeros
        return comma, doubt if comma and DECIMAL_COMMA not in doubts else ""
    return False, doubt if decisions or DECIMAL_COMMA in doubts else ""
