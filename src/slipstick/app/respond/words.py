"""What slipstick says to who writes Python, for who sees the page: what is so stays, the way out is one of the page.

A message is made of clauses, and those that speak Python are advice: each gives way to what there is to do here instead
of the argument that it names. Keys of model files, such as ``along:``, are known here as they are.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from slipstick.errors import InvalidInput, NotConverged, SlipstickError

Given = ParamSpec("Given")
Found = TypeVar("Found")

RANGE = "follow the curve, or change its range"
WATCH = "a run over time shows what the model does"
SHORTER = "run for a shorter time, or make the laws smoother on the page Model"
MEND = "mend the model on the page Model"
# what to do here in the place of an argument, or of a call; nothing where there is nothing to do
WAYS = {
    "harmonics": "this page chooses the number of harmonics itself, so compare with a run over time",
    "method": WATCH,
    "between": RANGE,
    "at": RANGE,
    "start": RANGE,
    "frequency": RANGE,
    "amplitudes": "",
    "subharmonic": "take that load out on the page Model",
    "step": SHORTER,
    "tolerance": SHORTER,
    "scheme": SHORTER,
    "theta": SHORTER,
    "condensed": SHORTER,
    "count": "",
    "of": "",
    "units": "",
    "curve.": "",
    "run.": "",
    "orbit.": "",
    "fit.": "",
    "numpy.": MEND,
    "m.": MEND,
    "ss.": MEND,
    "law.trace": "the page Model draws a law alone",
}
_END = re.compile(r"(; |: |\. )")
_NAMED = re.compile(r"\b([a-z_]+)=|\b(law\.trace|(?:curve|run|orbit|fit|numpy|m|ss)\.(?=[a-z_]))")


def on_page(text: str) -> str:
    """``...; raise harmonics=`` tells what to do on the page; ``interrupted`` is what it calls cancelled."""
    from slipstick.study.words import in_file_words

    clauses = _END.split(text.replace("interrupted", "cancelled"))
    kept: list[str] = []
    for clause, end in zip(clauses[::2], [*clauses[1::2], ""], strict=True):
        own = _instead(clause)
        if own and own not in kept:
            kept += [own, end]
        elif kept:
            kept[-1] = end
    return in_file_words("".join(kept[:-1]) or text).strip()


def _instead(clause: str) -> str:
    for found in _NAMED.finditer(clause):
        name = found[1] or found[2]
        if name in WAYS:
            return WAYS[name]
    return clause


def in_page_words(task: Callable[Given, Found]) -> Callable[Given, Found]:
    """A task that says what it cannot do in the words of the page."""

    @wraps(task)
    def told(*given: Given.args, **named: Given.kwargs) -> Found:
        try:
            return task(*given, **named)
        except SlipstickError as refusal:
            if isinstance(refusal, NotConverged) and refusal.interrupted:
                raise
            raise InvalidInput(on_page(getattr(refusal, "file_words", "") or str(refusal))) from refusal

    return told
