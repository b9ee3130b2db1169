"""Checks of what a ledger holds. A forged ledger may have valid checksums; its contents still need the right types.

Every function raises `ValueError` with the reason.
"""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Mapping
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any

MIN_ROW_SHARE = 0.5  # of the points: a ledger with fewer rows is damaged; it was created with all of them
SPARE_ROWS = 1000  # points that may have no row in any ledger


def refuse_programs(database: sqlite3.Connection) -> None:
    """Refuse views and triggers: they are foreign SQL, since slipstick makes none."""
    found = database.execute("SELECT type, name FROM sqlite_master WHERE type IN ('view', 'trigger')").fetchone()
    if found is not None:
        raise ValueError(f"it has the {found[0]} {found[1]!r}, which no sweep makes")


def check_description(about: Mapping[str, Any], rows: int) -> None:
    """The description of a sweep.   rows : points in the table."""
    total, dimensions = about["total"], about["dimensions"]
    if not (_is_count(total) and isinstance(dimensions, list) and all(map(_is_dimension, dimensions))):
        raise ValueError("its description has no valid number of points or dimensions")
    if math.prod(size for _, size, _ in dimensions) != total:
        raise ValueError(f"its dimensions do not have {total} points")
    if total > rows / MIN_ROW_SHARE + SPARE_ROWS:
        raise ValueError(f"it has rows for {rows} of {total} points")
    texts = isinstance(about["version"], str) and isinstance(about["study"], str) and _is_table(about["parts"], str)
    shown, units, status = (about.get(name, {}) for name in ("shown", "units", "status"))
    known = _is_table(units, (str, type(None))) and _is_table(shown, list) and all(map(_is_shown, shown.values()))
    if not (texts and known and _is_status(status)):
        raise ValueError("its description has values of the wrong type")


def check_values(parameters: Any) -> None:
    """The values of a point by name."""
    if not (_is_table(parameters, object) and all(map(_is_scalar, parameters.values()))):
        raise ValueError("its values are not numbers or words by name")


def check_outcome(figures: Any, certificate: Any, message: Any, seconds: Any, arrays: Any) -> None:
    """The outcome of a point, from a ledger or its journal."""
    if not (_is_table(figures, object) and all(map(_is_figure, figures.values()))):
        raise ValueError("its figures are not numbers or words by name")
    if certificate != {} and not _is_certificate(certificate):
        raise ValueError("its certificate has values of the wrong type")
    if not (message is None or isinstance(message, str)) or not (seconds is None or _is_number(seconds)):
        raise ValueError("its message or its time has the wrong type")
    if not (arrays is None or is_inner_path(arrays)):
        raise ValueError("its arrays are not in a file beside the ledger")


def is_inner_path(name: Any) -> bool:
    """True for a path that does not leave the folder of the ledger."""
    if not isinstance(name, str) or "\0" in name:
        return False
    ways = (PurePosixPath(name), PureWindowsPath(name))
    return not any(way.anchor or ".." in way.parts for way in ways)


def printable(text: str) -> str:
    """A text without control characters, which a terminal would obey."""
    return text if text.isprintable() else "".join(each if each.isprintable() else " " for each in text)


def _is_dimension(held: Any) -> bool:
    if not isinstance(held, list) or len(held) != 3:
        return False
    name, size, columns = held
    return isinstance(name, str) and _is_count(size) and isinstance(columns, list) and _all_words(columns)


def _is_shown(held: list[Any]) -> bool:
    return len(held) == 2 and isinstance(held[0], str) and _is_number(held[1])


def _is_status(held: Any) -> bool:
    if not _is_table(held, object) or not all(_is_number(held.get(name, 0.0)) for name in ("rate", "left")):
        return False
    best, longest = held.get("best"), held.get("longest")
    has_best = isinstance(best, list) and len(best) == 3 and isinstance(best[0], str) and all(map(_is_number, best[1:]))
    has_longest = isinstance(longest, list) and len(longest) == 2 and all(map(_is_number, longest))
    return (best is None or has_best) and (longest is None or has_longest)


def _is_certificate(held: Any) -> bool:
    if not _is_table(held, object) or not held.keys() >= {"passed", "error"}:
        return False
    error = held["error"]
    return isinstance(held["passed"], bool) and (error is None or _is_number(error))


def _is_figure(value: Any) -> bool:
    return all(map(_is_scalar, value)) if isinstance(value, list) else _is_scalar(value)


def _is_scalar(value: Any) -> bool:
    return value is None or isinstance(value, (str, bool)) or _is_number(value)


def _is_number(value: Any) -> bool:
    """True for a number that a float can hold."""
    if isinstance(value, float):
        return True
    try:
        return isinstance(value, int) and not isinstance(value, bool) and math.isfinite(float(value))
    except OverflowError:
        return False


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_table(held: Any, kind: Any) -> bool:
    return isinstance(held, dict) and all(isinstance(value, kind) for value in held.values())


def _all_words(held: list[Any]) -> bool:
    return all(isinstance(each, str) for each in held)
