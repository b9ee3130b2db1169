"""Clock times and dates in tables, as seconds from the first one.

Read are ``12:00:01.5``, ``1:00:01 PM``, ``00:01.5`` (minutes and seconds), each after a date or alone, and ISO 8601.
A column with one time of minutes and seconds has no hours: ``00:01`` between ``00:00.5`` and ``00:01.5`` is a second.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from datetime import date

import numpy as np
from numpy.typing import NDArray

SECONDS_PER_DAY = 86400.0
FIRST_SHORT_YEAR = 1970  # years of two digits are 1970 to 2069
DATE_ORDERS = ("dmy", "mdy")  # of dates whose year is last
_ISO_DATE = r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}"
_STAMP = re.compile(
    rf"(?:(?P<date>{_ISO_DATE}|\d{{1,2}}[-./]\d{{1,2}}[-./]\d{{2,4}})[T\s]+)?"
    r"(?:(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2}(?:[.,:]\d+)?))?"
    r"|(?P<minutes>\d{1,3}):(?P<seconds>\d{2}[.,]\d+))"
    r"\s*(?P<half>[AaPp]\.?[Mm]\.?)?\s*(?:Z|[+-]\d{2}:?\d{2})?"
)


def is_clock_time(field: str) -> bool:
    """True for a clock time, with or without a date."""
    return ":" in field and _STAMP.fullmatch(field) is not None


def clock_seconds(fields: Iterable[str]) -> NDArray[np.float64]:
    """(n,) seconds after the first clock time; NaN for other fields.

    Days are counted from the first one, so that seconds keep their digits. Without dates, a clock that falls by more
    than half a day has passed midnight.
    """
    matches = [_STAMP.fullmatch(field) for field in fields]
    without_hours = any(match is not None and match["minutes"] for match in matches)
    seconds = np.array([_seconds(match, without_hours) for match in matches])
    dates = list(dict.fromkeys(match["date"] for match in matches if match is not None and match["date"]))
    if dates:
        days = _day_numbers(dates)
        own = (days.get(match["date"], math.nan) if match is not None else math.nan for match in matches)
        seconds += SECONDS_PER_DAY * np.fromiter(own, float, len(matches))
    known = np.flatnonzero(np.isfinite(seconds))
    if not known.size:
        return seconds
    if not dates:
        steps = np.diff(seconds[known], prepend=seconds[known[0]])
        seconds[known] += SECONDS_PER_DAY * np.cumsum(steps < -0.5 * SECONDS_PER_DAY)
    return np.asarray(seconds - seconds[known[0]])


def _seconds(match: re.Match[str] | None, without_hours: bool) -> float:
    """Seconds since midnight; NaN without a match.   without_hours : two parts are minutes and seconds."""
    if match is None:
        return math.nan
    if match["minutes"]:
        return 60.0 * int(match["minutes"]) + float(match["seconds"].replace(",", "."))
    if without_hours and match["second"] is None:
        return 60.0 * int(match["hour"]) + int(match["minute"])
    hour = int(match["hour"])
    if match["half"]:
        hour = hour % 12 + 12 * (match["half"][0] in "Pp")
    return 3600.0 * hour + 60.0 * int(match["minute"]) + float(re.sub("[,:]", ".", match["second"] or "0"))


def _day_numbers(dates: Sequence[str]) -> dict[str, float]:
    """Days after the first date, by date; NaN for dates that no calendar has.

    Day and month of ``01/02/2026`` are in the order that suits all dates and spans the fewest days.
    """
    best: dict[str, float] = {}
    for order in DATE_ORDERS:
        ordinals = np.array([_ordinal(text, order) for text in dates])
        first = next((day for day in ordinals if math.isfinite(day)), 0.0)
        own = dict(zip(dates, ordinals - first, strict=True))
        if not best or _disorder(own) < _disorder(best):
            best = own
    return best


def _disorder(days: dict[str, float]) -> tuple[int, float]:
    """How unlikely days are: the number of wrong or falling ones, then their span."""
    own = np.array(list(days.values()))
    return int(np.sum(~(np.diff(own, prepend=own[0] - 1.0) > 0.0))), float(np.nanmax(np.abs(own), initial=0.0))


def _ordinal(text: str, order: str) -> float:
    """Day number of a date; NaN if there is no such day.   order : of a date whose year is last."""
    parts = [int(part) for part in re.split("[-/.]", text)]
    if re.fullmatch(_ISO_DATE, text):
        year, month, day = parts
    else:
        (day, month), year = parts[:2] if order == "dmy" else parts[1::-1], parts[2]
        year += 0 if year > 99 else 2000 if year < FIRST_SHORT_YEAR % 100 else 1900
    try:
        return float(date(year, month, day).toordinal())
    except ValueError:
        return math.nan
