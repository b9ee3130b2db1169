"""`PointOutcome`: the result of a sweep point, split into figures, arrays and certificate."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from slipstick.errors import InvalidInput, short_repr

DONE, FAILED = "done", "failed"
WAITING, RUNNING = "waiting", "running"
RESERVED_NAMES = (
    "state",
    "message",
    "seconds",
    "certificate_passed",
    "certificate_error",
)  # columns of every table
POINT_STATES = (WAITING, RUNNING, DONE, FAILED)
MAX_MESSAGE_LENGTH = 2000  # characters of a message
MAX_EXACT_INTEGER = 2**53  # whole numbers up to here are floats
MAX_LEDGER_ARRAY_SIZE = 64  # numbers of an array that stay in the ledger; more go to a file of their own


class PointOutcome(NamedTuple):
    """Of one point.

    state : "done" or "failed".   figures : scalars and short lists by name.   arrays : long ones by name.
    certificate : of the result: passed, error, words.   message : why it failed.
    seconds : that it took.   start : a packed orbit for the next point along the plan.
    lacks : it failed because the result lacks the requested figures.
    """

    state: str
    figures: dict[str, Any]
    arrays: dict[str, Any]
    certificate: dict[str, Any]
    message: str
    seconds: float
    start: bytes | None = None
    lacks: bool = False

    @classmethod
    def failed(cls, message: str, seconds: float = 0.0, *, lacks: bool = False) -> PointOutcome:
        words = " ".join(message.split()).encode("utf-8", "replace").decode("utf-8")
        return cls(FAILED, {}, {}, {}, words[:MAX_MESSAGE_LENGTH], seconds, lacks=lacks)


def split_figures_and_arrays(figures: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Figures as a ledger holds them, and arrays that go to a file."""
    small, large = dict[str, Any](), dict[str, Any]()
    for name, value in figures.items():
        if not isinstance(name, str):
            raise InvalidInput(f"the name of a figure must be a word, got {short_repr(name)}")
        if name in RESERVED_NAMES:
            raise InvalidInput(f"the name {name} is reserved in a sweep; give the figure another name")
        found = _array(value)
        _refuse_rounded(name, value, found)
        if found.dtype.kind not in "biufU":
            raise InvalidInput(
                f"a figure must be a number, a word or an array of numbers, got {name} = {short_repr(value)}"
            )
        if found.dtype.kind == "f":
            found = found.astype(float)  # half and long ones too, which JSON does not know
        if found.ndim == 0:
            small[name] = _text(found.item())
        elif found.size <= MAX_LEDGER_ARRAY_SIZE and found.ndim == 1:
            small[name] = [_text(each) for each in found.tolist()]
        elif found.dtype.kind == "U":
            raise InvalidInput(f"a figure must be one word or numbers, got {name} with {found.size} words")
        else:
            large[name] = found
    return small, large


def _refuse_rounded(name: str, value: Any, found: Any) -> None:
    """Refuse whole numbers that a table of figures, which are floats, would change: 2**53 + 1."""
    large = [value] if isinstance(value, int) else []
    if found.dtype.kind in "iu":
        large = found[(found > MAX_EXACT_INTEGER) | (found < -MAX_EXACT_INTEGER)].tolist()
    if not all(map(_is_float, large)):
        words = f"a figure holds whole numbers up to 2**53 exactly, got {name} = {short_repr(value)}"
        raise InvalidInput(f"{words}; give it as a word, str({name}), or rounded, float({name})")


def _is_float(whole: int) -> bool:
    """True for a whole number that a float holds exactly."""
    try:
        return float(whole) == whole  # Python compares them exactly
    except OverflowError:
        return False


def _array(value: Any) -> Any:
    """A figure as an array; masked values become NaN."""
    if isinstance(value, np.ma.MaskedArray):
        return np.ma.filled(value.astype(float), np.nan)
    if isinstance(value, int) and abs(value) > MAX_EXACT_INTEGER and _is_float(value):
        return np.asarray(float(value))
    return np.asarray(value)


def _text(value: Any) -> Any:
    return value.encode("utf-8", "replace").decode("utf-8") if isinstance(value, str) else value


def certificate_summary(result: Any) -> dict[str, Any]:
    """The certificate of a run, an orbit or a curve as plain data; empty for anything else."""
    own = getattr(result, "certificate", None)
    if own is not None and hasattr(own, "verdict"):
        return {"passed": bool(own.passed), "error": _number(own.error), "words": own.verdict}
    if hasattr(result, "error_words") and hasattr(result, "partial"):  # a curve: each point has an error
        doubt = "; ".join(filter(None, (str(result.partial), str(result.rough))))
        return {"passed": not doubt, "error": _number(result.error), "words": doubt or result.error_words}
    return {}


def _number(value: Any) -> float | None:
    number = float(value)
    return number if math.isfinite(number) else None
