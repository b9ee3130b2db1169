"""Reading model files: one call, and everything that can go wrong is a `FileError`."""

from __future__ import annotations

import logging
import os
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeVar

from slipstick.errors import FileError
from slipstick.model.files.build import LONGEST_NAME, Builder
from slipstick.model.files.display import units_of
from slipstick.model.files.lint import look
from slipstick.model.files.problems import Findings, TooMany
from slipstick.model.files.shape import Parts, check_shape
from slipstick.model.files.source import LARGEST_FILE, as_text, file_name, read_text
from slipstick.model.files.tree import parse
from slipstick.model.system import System

Model = TypeVar("Model", bound=System)
_log = logging.getLogger(__name__)
TABLES = (".csv", ".tsv", ".dat")  # how files of numbers are called


@dataclass(frozen=True)
class Report(Generic[Model]):
    """What was found in a file: a model, or its problems in the order of lines; and what to look at.

    warnings : what laws warn of, and what is rarely meant; on reading too.   notes : what only a check mentions.
    """

    file: str
    model: Model | None
    problems: list[FileError] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def read_model(
    path: str | os.PathLike[str],
    model_class: type[Model] = System,  # type: ignore[assignment]
    *,
    warns: bool = True,
) -> Model:
    """The model in a YAML file. Raises `FileError` with the first problem.

    warns : what only looks odd is a warning; False for a model that was in use when a result was written.
    """
    report = examine(path, model_class)
    if report.problems:
        raise report.problems[0]
    for text in report.warnings if warns else ():
        warnings.warn(text, stacklevel=3)  # where slipstick.open is called
    assert report.model is not None
    return report.model


def examine(path: str | os.PathLike[str], model_class: type[Model] = System) -> Report[Model]:  # type: ignore[assignment]
    """Everything there is to say about a model file; never raises for what is in it."""

    def look() -> Report[Model]:
        name = file_name(path)
        if name.lower().removesuffix(".gz").endswith(TABLES):
            raise FileError(name, None, "", f"is a table, not a model; {_reading(name)}")
        return examine_text(name, read_text(path), Path(os.fsdecode(path)), model_class)

    return _safely(str(path), look)


def examine_alone(data: bytes, name: str, model_class: type[Model] = System) -> Report[Model]:  # type: ignore[assignment]
    """The same for the bytes of a file of that name which came from elsewhere: no file that it names is opened."""

    def look() -> Report[Model]:
        if len(data) > LARGEST_FILE:
            raise FileError(name, None, "", f"has {len(data)} bytes, the limit is {LARGEST_FILE}; shorten its tables")
        content, findings = parse(name, as_text(name, data))
        return examine_data(content, findings, Path(name), model_class, alone=True)

    return _safely(name, look)


def _safely(name: str, look: Callable[[], Report[Model]]) -> Report[Model]:
    """What ``look`` finds; whatever it raises is a problem of the file."""
    try:
        return look()
    except FileError as error:
        return Report(error.file, None, [error])
    except Exception as error:  # a hole in the checks above: still one line for the reader, the rest for the log
        _log.debug("reading %s failed", name, exc_info=True)
        words = f"could not be read ({type(error).__name__}); please report this with the file"
        return Report(name, None, [FileError(name, None, "", words)])


def _reading(name: str) -> str:
    """How a table is read."""
    return f"ss.Loop.read_csv({name!r}) reads a measured loop from it, and slipstick identify fits a law to that"


def examine_text(name: str, text: str, path: Path, model_class: type[Model]) -> Report[Model]:
    """The same for text that is to stand at ``path``."""
    data, findings = parse(name, text)
    return examine_data(data, findings, path, model_class)


def examine_data(
    data: Any, findings: Findings, path: Path, model_class: type[Model], *, alone: bool = False
) -> Report[Model]:
    """The same for the data of a document whose lines are in ``findings``.   alone : no other file is opened."""
    name = findings.file
    model = None
    try:
        parts = check_shape(data, findings)
        if parts.head is not None or isinstance(data, dict):
            builder = _builder(data, parts, findings, None if alone else path.parent)
            model = _built(data, builder, path, model_class)
    except TooMany:
        pass
    if findings.problems:
        return Report(name, None, [findings.error(p) for p in findings.sorted()])
    assert model is not None
    look(model, findings)
    warned, noted = ([str(findings.error(p)) for p in kind] for kind in (findings.warnings, findings.notes))
    return Report(name, model, [], warned, noted)


def _builder(data: dict[str, Any], parts: Parts, findings: Findings, folder: Path | None) -> Builder:
    listed = data.get("coordinates")
    return Builder(parts, listed if isinstance(listed, dict) else (), findings, folder)


def _built(data: dict[str, Any], builder: Builder, path: Path, model_class: type[Model]) -> Model | None:
    problems = builder.findings.problems
    if any(problem.path == ("slipstick",) for problem in problems):
        return None  # another version: nothing else in it can be judged
    if any(len(problem.path) == 1 and '"coordinates"' in problem.text for problem in problems):
        return None  # misspelt: every deflection would be said to have no coordinates
    stem = path.stem
    default = stem if stem.strip() and stem.isprintable() and len(stem) <= LONGEST_NAME else "model"
    model = builder.build(model_class, default)
    model.units = units_of(data, builder.moves, builder.acts)
    return model
