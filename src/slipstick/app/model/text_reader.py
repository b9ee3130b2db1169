"""A model from an uploaded text; files that it names are not opened."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slipstick.app.file_names import plain_name
from slipstick.errors import FileError

if TYPE_CHECKING:
    from slipstick.api import Model
    from slipstick.model.files import Report


def model_from_text(text: str, name: str) -> Model:
    """The model in a text; raises `FileError` with the first problem.   name : of its file, for messages."""
    report = examine_model_text(text, name)
    if report.model is None:
        raise report.problems[0]
    return report.model


def examine_model_text(text: str, name: str) -> Report[Model]:
    """The model in a text or all its problems, with warnings and notes."""
    from slipstick.api import Model
    from slipstick.model.files import Report, examine_alone

    file = plain_name(name)
    try:
        reject_table_file(file)
    except FileError as refusal:
        return Report(file, None, [refusal])
    # the reader reports lone surrogates
    return examine_alone(text.encode("utf-8", "surrogatepass"), file, Model)


def reject_table_file(name: str) -> None:
    """Refuse tables, which belong on the page Identify."""
    from slipstick.model.files.model_reader import TABLE_SUFFIXES

    if name.lower().removesuffix(".gz").endswith(TABLE_SUFFIXES):
        raise FileError(name, None, "", "is a table, not a model; the page Identify fits a law to a measured loop")
