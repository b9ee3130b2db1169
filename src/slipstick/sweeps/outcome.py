"""What is known of a point when it is done, and what of it goes where."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from slipstick.errors import InvalidInput, shown

DONE, FAILED = "done", "failed"
WAITING, RUNNING = "waiting", "running"
STATES = (WAITING, RUNNING, DONE, FAILED)
SMALL = 64  # numbers of an array that stay in the ledger; more go to a file of their own


class Outcome(NamedTuple):
    """Of one point.

    state : "done" or "failed".   figures : scalars and short lists by name.   arrays : long ones by name.
    certificate : what the result says about its own error: passed, error, words.   message : why it failed.
    seconds : that it took.   start : a packed orbit for the next point along the plan.
    """

    state: str
    figures: dict[str, Any]
    arrays: dict[str, Any]
    certificate: dict[str, Any]
    message: str
    seconds: float
    start: bytes | None = None

    @classmethod
    def failed(cls, message: str, seconds: float = 0.0) -> Outcome:
        return cls(FAILED, {}, {}, {}, " ".join(message.split()), seconds)


def sorted_out(figures: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Figures as a ledger holds them, and arrays that go to a file."""
    small, large = dict[str, Any](), dict[str, Any]()
    for name, value in figures.items():
        if not isinstance(name, str):
            raise InvalidInput(f"the name of a figure must be a word, got {shown(name)}")
        found = np.asarray(value)
        if found.dtype.kind not in "biufU":
            raise InvalidInput(f"a figure must be a number, a word or an array of numbers, got {name} = {shown(value)}")
        if found.ndim == 0:
            small[name] = found.item()
        elif found.size <= SMALL and found.ndim == 1:
            small[name] = found.tolist()
        else:
            large[name] = found
    return small, large


def certificate_of(result: Any) -> dict[str, Any]:
    """What a run, an orbit or a curve says about its error; nothing of anything else."""
    own = getattr(result, "certificate", None)
    if own is not None and hasattr(own, "verdict"):
        return {"passed": bool(own.passed), "error": _number(own.error), "words": own.verdict}
    if hasattr(result, "error_words") and hasattr(result, "partial"):  # a curve: each point has an error
        partial = str(result.partial)
        return {"passed": not partial, "error": _number(result.error), "words": partial or result.error_words}
    return {}


def _number(value: Any) -> float | None:
    number = float(value)
    return number if math.isfinite(number) else None
