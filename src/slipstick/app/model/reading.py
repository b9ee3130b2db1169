"""A model from a text that came from a browser: nothing it names is opened."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slipstick.app.names import plain_name
from slipstick.errors import FileError

if TYPE_CHECKING:
    from slipstick.api import Model
    from slipstick.model.files import Report


def model_of(text: str, name: str) -> Model:
    """The model in a text; raises `FileError` with the first problem.   name : of its file, for messages."""
    report = report_of(text, name)
    if report.model is None:
        raise report.problems[0]
    return report.model


def report_of(text: str, name: str) -> Report[Model]:
    """The model in a text or all its problems, and what to look at."""
    from slipstick.api import Model
    from slipstick.model.files import Report, examine_alone

    file = plain_name(name)
    try:
        refuse_table(file)
    except FileError as refusal:
        return Report(file, None, [refusal])
    # what is no text at all, half of a pair of surrogates, is told by the reader
    return examine_alone(text.encode("utf-8", "surrogatepass"), file, Model)


def refuse_table(name: str) -> None:
    """Files of numbers are for another page."""
    from slipstick.model.files.read import TABLES

    if name.lower().removesuffix(".gz").endswith(TABLES):
        raise FileError(name, None, "", "is a table, not a model; the page Identify fits a law to a measured loop")
