"""What slipstick says to who writes Python, for who sees the page: what is so stays, the way out is one of the page.

A message is made of clauses. One that names an argument or a call gives way to what there is to do here instead, if it
is advice: it begins with a verb of advice or with that name, or ends a sentence that has said what is so. Others stay,
whatever the parts of a model are called. Keys of model files, such as ``along:``, are known here as they are.
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
VERBS = "add|ask|begin|choose|give|leave|lower|make|raise|say|shorten|take|try|use|widen"  # of advice
_END = re.compile(r"(; |: |\. |\? )")
_CALLED = r"(?:curve|run|orbit|fit|numpy|m|ss)\.(?=[A-Za-z_]+\()|curve\.(?=special\b)"  # a part may be called m or run
_NAMED = re.compile(rf"\b([a-z_]+)=|\b(law\.trace|{_CALLED})")
_ADVICE = re.compile(rf"(?:or |and )?(?:{VERBS}) ")
_INTERRUPTED = re.compile(r"(^|; |: )interrupted\b")


def advice_on_page(text: str) -> str:
    """``...; raise harmonics=`` tells what to do on the page."""
    from slipstick.study.words import in_file_words

    clauses = _END.split(text)
    kept: list[str] = []
    for k, (clause, end) in enumerate(zip(clauses[::2], [*clauses[1::2], ""], strict=True)):
        is_advice = _ADVICE.match(clause) or (k > 0 and (end in (". ", "") or _NAMED.match(clause)))
        own = _instead(clause) if is_advice else clause
        if own and (own == clause or own not in kept):
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


def as_cancelled(ended: str) -> str:
    """Why a result that was cancelled ended, where the library calls it ``interrupted``."""
    return _INTERRUPTED.sub(r"\1cancelled", ended)


def in_page_words(task: Callable[Given, Found]) -> Callable[Given, Found]:
    """A task that says what it cannot do in the words of the page."""

    @wraps(task)
    def told(*given: Given.args, **named: Given.kwargs) -> Found:
        try:
            return task(*given, **named)
        except SlipstickError as refusal:
            if isinstance(refusal, NotConverged) and refusal.interrupted:
                raise
            raise InvalidInput(advice_on_page(getattr(refusal, "file_words", "") or str(refusal))) from refusal

    return told
