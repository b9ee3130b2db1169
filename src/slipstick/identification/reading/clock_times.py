"""Clock times and dates in tables, as seconds from the first one.

Read are ``12:00:01.5``, ``1:00:01 PM``, ``00:01.5`` (minutes and seconds), each after a date or alone, and ISO 8601.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from datetime import date

import numpy as np
from numpy.typing import NDArray

SECONDS_PER_DAY = 86400.0
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
    days: dict[str, float] = {}
    parts = np.array([_day_and_seconds(field, days) for field in fields]).reshape(-1, 2)
    first = next((day for day in parts[:, 0] if math.isfinite(day)), 0.0)
    seconds: NDArray[np.float64] = SECONDS_PER_DAY * (parts[:, 0] - first) + parts[:, 1]
    known = np.flatnonzero(np.isfinite(seconds))
    if not known.size:
        return seconds
    if not days:
        steps = np.diff(seconds[known], prepend=seconds[known[0]])
        seconds[known] += SECONDS_PER_DAY * np.cumsum(steps < -0.5 * SECONDS_PER_DAY)
    return np.asarray(seconds - seconds[known[0]])


def _day_and_seconds(field: str, days: dict[str, float]) -> tuple[float, float]:
    """Day number and seconds of one clock time.   days : day number of each date so far."""
    match = _STAMP.fullmatch(field)
    if match is None:
        return math.nan, math.nan
    if match["minutes"]:
        return 0.0, 60.0 * int(match["minutes"]) + float(match["seconds"].replace(",", "."))
    hour = int(match["hour"])
    if match["half"]:
        hour = hour % 12 + 12 * (match["half"][0] in "Pp")
    second = float(re.sub("[,:]", ".", match["second"] or "0"))
    own = match["date"]
    if own and own not in days:
        days[own] = _day_number(own, days)
    return days[own] if own else 0.0, 3600.0 * hour + 60.0 * int(match["minute"]) + second


def _day_number(text: str, days: dict[str, float]) -> float:
    """Day of an ISO date; of another one, whose order is unknown, the next day."""
    if re.fullmatch(_ISO_DATE, text):
        try:
            return float(date(*map(int, re.split("[-/.]", text))).toordinal())
        except ValueError:
            return math.nan
    return float(len(days))
