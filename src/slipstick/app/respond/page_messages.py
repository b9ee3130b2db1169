"""Library messages rewritten for the page Respond, with remedies that the page offers.

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

TaskParams = ParamSpec("TaskParams")
TaskResult = TypeVar("TaskResult")

RANGE_ADVICE = "follow the curve, or change its range"
RUN_ADVICE = "a run over time shows what the model does"
SHORTER_RUN_ADVICE = "run for a shorter time, or make the laws smoother on the page Model"
MODEL_ADVICE = "mend the model on the page Model"
# what to do here in the place of an argument, or of a call; nothing where there is nothing to do
ADVICE_BY_ARGUMENT = {
    "harmonics": "this page chooses the number of harmonics itself, so compare with a run over time",
    "method": RUN_ADVICE,
    "between": RANGE_ADVICE,
    "at": RANGE_ADVICE,
    "start": RANGE_ADVICE,
    "frequency": RANGE_ADVICE,
    "amplitudes": "",
    "subharmonic": "take that load out on the page Model",
    "step": SHORTER_RUN_ADVICE,
    "tolerance": SHORTER_RUN_ADVICE,
    "scheme": SHORTER_RUN_ADVICE,
    "theta": SHORTER_RUN_ADVICE,
    "condensed": SHORTER_RUN_ADVICE,
    "count": "",
    "of": "",
    "units": "",
    "curve.": "",
    "run.": "",
    "orbit.": "",
    "fit.": "",
    "numpy.": MODEL_ADVICE,
    "m.": MODEL_ADVICE,
    "ss.": MODEL_ADVICE,
    "law.trace": "the page Model draws a law alone",
}
ADVICE_VERBS = "add|ask|begin|choose|give|leave|lower|make|raise|say|shorten|take|try|use|widen"  # of advice
_CLAUSE_END = re.compile(r"(; |: |\. |\? )")
_METHOD_CALL = (
    r"(?:curve|run|orbit|fit|numpy|m|ss)\.(?=[A-Za-z_]+\()|curve\.(?=special\b)"  # a part may be called m or run
)
_ARGUMENT_NAME = re.compile(rf"\b([a-z_]+)=|\b(law\.trace|{_METHOD_CALL})")
_ADVICE = re.compile(rf"(?:or |and )?(?:{ADVICE_VERBS}) ")
_INTERRUPTED = re.compile(r"(^|; |: )interrupted\b")


def advice_on_page(text: str) -> str:
    """``...; raise harmonics=`` tells what to do on the page."""
    from slipstick.study.file_messages import file_message

    clauses = _CLAUSE_END.split(text)
    kept: list[str] = []
    for k, (clause, end) in enumerate(zip(clauses[::2], [*clauses[1::2], ""], strict=True)):
        is_advice = _ADVICE.match(clause) or (k > 0 and (end in (". ", "") or _ARGUMENT_NAME.match(clause)))
        own = _page_clause(clause) if is_advice else clause
        if own and (own == clause or own not in kept):
            kept += [own, end]
        elif kept:
            kept[-1] = end
    return file_message("".join(kept[:-1]) or text).strip()


def _page_clause(clause: str) -> str:
    for found in _ARGUMENT_NAME.finditer(clause):
        name = found[1] or found[2]
        if name in ADVICE_BY_ARGUMENT:
            return ADVICE_BY_ARGUMENT[name]
    return clause


def cancellation_text(ended: str) -> str:
    """Why a result that was cancelled ended, where the library calls it ``interrupted``."""
    return _INTERRUPTED.sub(r"\1cancelled", ended)


def with_page_messages(task: Callable[TaskParams, TaskResult]) -> Callable[TaskParams, TaskResult]:
    """A task that says what it cannot do in the words of the page."""

    @wraps(task)
    def told(*given: TaskParams.args, **named: TaskParams.kwargs) -> TaskResult:
        try:
            return task(*given, **named)
        except SlipstickError as refusal:
            if isinstance(refusal, NotConverged) and refusal.interrupted:
                raise
            raise InvalidInput(advice_on_page(getattr(refusal, "file_words", "") or str(refusal))) from refusal

    return told
