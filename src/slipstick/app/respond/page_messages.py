"""Phrase book of the page Respond: what there is to do on the page in the place of an argument of Python."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from slipstick.errors import Advice, InvalidInput, NotConverged, SlipstickError
from slipstick.model.files.file_problems import FilePhrases

TaskParams = ParamSpec("TaskParams")
TaskResult = TypeVar("TaskResult")

RANGE_ADVICE = "follow the curve, or change its range"
RUN_ADVICE = "a run over time shows what the model does"
SHORTER_RUN_ADVICE = "run for a shorter time, or make the laws smoother on the page Model"
MODEL_ADVICE = "change the model on the page Model"
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
    "certificate": "",
    "special": "",
    "condense": MODEL_ADVICE,
    "periodic": RANGE_ADVICE,
    "frequency_response": RANGE_ADVICE,
    "trace": "the page Model draws a law alone",
}


class RespondPhrases(FilePhrases):
    """Messages with the actions of the page; keys of model files are known here as they are."""

    def advice(self, advice: Advice) -> str:
        """The action of the page for the first argument that has one; the advice itself if its keys are of a model."""
        for argument in advice.arguments:
            if argument in ADVICE_BY_ARGUMENT:
                return ADVICE_BY_ARGUMENT[argument]
        return super().advice(advice)


RESPOND = RespondPhrases()


def with_page_messages(task: Callable[TaskParams, TaskResult]) -> Callable[TaskParams, TaskResult]:
    """A task whose errors are phrased for the page; the value that was refused stays with them."""

    @wraps(task)
    def phrased(*given: TaskParams.args, **named: TaskParams.kwargs) -> TaskResult:
        try:
            return task(*given, **named)
        except SlipstickError as error:
            if isinstance(error, NotConverged) and error.interrupted:
                raise
            raise InvalidInput(RESPOND.phrased(error.message)) from error

    return phrased
