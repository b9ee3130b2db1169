"""One column of a plan: numbers, words or flags in an array that holds them exactly; other values unchanged."""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import Any, NamedTuple

import numpy as np

from slipstick.errors import InvalidInput, short_repr


class ObjectColumn(NamedTuple):
    """What no array holds exactly: laws, or values of several kinds. labels : their reprs, for ledgers and tables."""

    labels: list[str]
    values: list[Any]


def make_column(name: str, values: Any) -> Any:
    """The values of an axis: an array of numbers or flags, a list of words, or `ObjectColumn`."""
    listed = _as_list(name, values)
    if not listed:
        raise _column_error(f"the axis {name} is empty; give at least one value")
    if not any(all(map(is_one, listed)) for is_one in (is_number, _is_flag, _is_word)):
        return _object_column(name, listed)
    if isinstance(listed[0], str):
        return [str(value) for value in listed]
    column = _exact_array(listed)
    if column is None:
        return _object_column(name, listed)
    if not np.all(np.isfinite(column)):
        raise _column_error(f"the axis {name} must be finite numbers, got {short_repr(values)}")
    return column


def column_item(column: Any, i: Any) -> Any:
    """A value of a column as Python has it."""
    value = column[int(i)]
    return value.item() if isinstance(value, np.generic) else value


def is_number(value: Any) -> bool:
    """True for whole numbers and fractions, and no flags."""
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)


def _is_flag(value: Any) -> bool:
    return isinstance(value, (bool, np.bool_))


def _is_word(value: Any) -> bool:
    return isinstance(value, str)


def _as_list(name: str, values: Any) -> list[Any]:
    if isinstance(values, (bool, int, float, str, np.generic)):
        return [values]
    if isinstance(values, (Mapping, Set, bytes)):  # no order, or none that was meant
        raise _column_error(f"the axis {name} must be a list of values, got {short_repr(values)}")
    if hasattr(values, "__array__"):
        values = np.asarray(values)
        if values.ndim != 1:
            raise _column_error(f"the axis {name} must be a flat list, got an array of shape {values.shape}")
    try:
        return list(values)
    except TypeError:
        raise _column_error(f"the axis {name} must be a list of values, got {short_repr(values)}") from None


def _exact_array(listed: list[Any]) -> Any:
    """An array of numbers or flags; None where it would round one: 2**53 + 1 beside a half, or 2**70."""
    column = np.asarray(listed)
    if column.dtype.kind in "uf":
        column = column.astype(float if column.dtype.kind == "f" else np.int64)  # half and long ones too
    if column.dtype.kind not in "bif":
        return None
    # Python compares whole numbers and fractions exactly; the caller reports what is no number
    same = all(a == b or a != a for a, b in zip(column.tolist(), listed))
    return column if same else None


def _object_column(name: str, listed: list[Any]) -> ObjectColumn:
    if any(isinstance(value, (complex, np.complexfloating)) for value in listed):
        raise _column_error(f"the axis {name} must be real numbers, got {short_repr(listed)}")
    if any(isinstance(value, (float, np.floating)) and not np.isfinite(value) for value in listed):
        raise _column_error(f"the axis {name} must be finite numbers, got {short_repr(listed)}")
    labels = [" ".join(repr(value).split()) for value in listed]
    if any(" at 0x" in label for label in labels):
        words = f"the axis {name} has values that look the same in a ledger, {short_repr(listed[0])}"
        raise _column_error(f"{words}; go over names or numbers, and make the objects in build")
    return ObjectColumn(labels, listed)


def _column_error(words: str) -> InvalidInput:
    return InvalidInput(words).about("over")
