"""Reading model files in one call; every problem is a `FileError`."""

from __future__ import annotations

import logging
import math
import os
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeVar

from slipstick.errors import FileError
from slipstick.model.files.file_problems import FileFindings, TooManyProblems
from slipstick.model.files.file_problems import Path as DocumentPath
from slipstick.model.files.model_builder import MAX_NAME_LENGTH, ModelBuilder
from slipstick.model.files.schema_check import CheckedParts, check_document
from slipstick.model.files.text_file import MAX_FILE_BYTES, decode_text, read_text, shown_file_name
from slipstick.model.files.written_units import units_of_document
from slipstick.model.files.yaml_tree import parse_yaml
from slipstick.model.negative_damping import negative_dampers
from slipstick.model.system import System
from slipstick.signals import Sum

Model = TypeVar("Model", bound=System)
_log = logging.getLogger(__name__)
TABLE_SUFFIXES = (".csv", ".tsv", ".dat")  # how files of numbers are called


@dataclass(frozen=True)
class Report(Generic[Model]):
    """A model read from a file, or its problems in the order of lines.

    warnings : of laws, and on what is rarely intended; shown on reading, too.   notes : shown by a check only.
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
    """All findings about a model file; its contents never raise."""

    def look() -> Report[Model]:
        name = shown_file_name(path)
        if name.lower().removesuffix(".gz").endswith(TABLE_SUFFIXES):
            raise FileError(name, None, "", f"is a table, not a model; {_table_hint(name)}")
        return examine_text(name, read_text(path), Path(os.fsdecode(path)), model_class)

    return _report_errors(str(path), look)


def examine_alone(data: bytes, name: str, model_class: type[Model] = System) -> Report[Model]:  # type: ignore[assignment]
    """The same for the bytes of a file of that name which came from elsewhere: no file that it names is opened."""

    def look() -> Report[Model]:
        if len(data) > MAX_FILE_BYTES:
            raise FileError(name, None, "", f"has {len(data)} bytes, the limit is {MAX_FILE_BYTES}; shorten its tables")
        content, findings = parse_yaml(name, decode_text(name, data))
        return examine_data(content, findings, Path(name), model_class, alone=True)

    return _report_errors(name, look)


def _report_errors(name: str, look: Callable[[], Report[Model]]) -> Report[Model]:
    """The report of ``look``; an exception becomes a problem of the file."""
    try:
        return look()
    except FileError as error:
        return Report(error.file, None, [error])
    except Exception as error:  # a gap in the checks above: one line for the user, the rest for the log
        _log.debug("reading %s failed", name, exc_info=True)
        words = f"could not be read ({type(error).__name__}); please report this with the file"
        return Report(name, None, [FileError(name, None, "", words)])


def _table_hint(name: str) -> str:
    """How a table is read."""
    return f"ss.Loop.read_csv({name!r}) reads a measured loop from it, and slipstick identify fits a law to that"


def examine_text(name: str, text: str, path: Path, model_class: type[Model]) -> Report[Model]:
    """The same for text that belongs to ``path``."""
    data, findings = parse_yaml(name, text)
    return examine_data(data, findings, path, model_class)


def examine_data(
    data: Any, findings: FileFindings, path: Path, model_class: type[Model], *, alone: bool = False
) -> Report[Model]:
    """The same for the data of a document whose lines are in ``findings``.   alone : no other file is opened."""
    name = findings.file
    model = None
    try:
        parts = check_document(data, findings)
        if parts.head is not None or isinstance(data, dict):
            builder = _builder(data, parts, findings, None if alone else path.parent)
            model = _build_report(data, builder, path, model_class)
    except TooManyProblems:
        pass
    if findings.problems:
        return Report(name, None, [findings.error(p) for p in findings.sorted()])
    assert model is not None
    _lint_model(model, findings)
    warned, noted = ([str(findings.error(p)) for p in kind] for kind in (findings.warnings, findings.notes))
    return Report(name, model, [], warned, noted)


def _builder(data: dict[str, Any], parts: CheckedParts, findings: FileFindings, folder: Path | None) -> ModelBuilder:
    listed = data.get("coordinates")
    return ModelBuilder(parts, listed if isinstance(listed, dict) else (), findings, folder)


def _build_report(data: dict[str, Any], builder: ModelBuilder, path: Path, model_class: type[Model]) -> Model | None:
    problems = builder.findings.problems
    if any(problem.path == ("slipstick",) for problem in problems):
        return None  # another version: nothing else in it can be judged
    if any(len(problem.path) == 1 and '"coordinates"' in problem.text for problem in problems):
        return None  # misspelt: otherwise every deflection would be reported as unknown
    stem = path.stem
    default = stem if stem.strip() and stem.isprintable() and len(stem) <= MAX_NAME_LENGTH else "model"
    model = builder.build(model_class, default)
    model.units = units_of_document(data, builder.kinds(model))
    return model


# ---- valid, but unusual


def _lint_model(model: System, findings: FileFindings) -> None:
    """Add warnings and notes about a model that was read from a file."""
    for c in negative_dampers(model):
        own: DocumentPath = ("connections", c.name, "damping")
        words = (
            "its damper is below zero: it feeds energy into motions, which grow; make it 0 or more, unless it is meant"
        )
        findings.warning(own if own in findings.lines else own[:2], words)
    _numbers_without_unit(findings)
    _large_phases(model, findings)
    _orders_without_frequency(model, findings)
    _loose_coordinates(model, findings)
    for c in model.connections:
        if not c.is_conjugate:
            words = f"the force acts along {c.along}, not along the deflection {c.deflection}: it may create energy"
            findings.note(("connections", c.name, "along"), words)


def _numbers_without_unit(findings: FileFindings) -> None:
    """One note for all numbers that count in SI because they have no unit."""
    places = list(dict.fromkeys(findings.unitless))
    if places:
        more = len(places) - 1
        others = f", and so do {more} other numbers" if more > 1 else ", and so does another number" if more else ""
        findings.note(
            places[0], f"has no unit and counts in SI (kg, N, m, rad, s){others}; otherwise write a unit: 560 N/mm"
        )


def _large_phases(model: System, findings: FileFindings) -> None:
    """Phases of more than a turn, which are most likely in degrees."""
    for i, load in enumerate(model.loads):
        terms = load.function.terms if isinstance(load.function, Sum) else (load.function,)
        for phase in (getattr(term, "phase", 0.0) for term in terms):
            if abs(phase) > 2.0 * math.pi:
                words = f"has a phase of {phase:g} rad, more than a turn; write {phase:g} deg if degrees are meant"
                findings.note(("loads", i), words)


def _orders_without_frequency(model: System, findings: FileFindings) -> None:
    if model.frequency is not None:
        return
    for i, load in enumerate(model.loads):
        if load.function.has_order:
            findings.note(
                ("loads", i), "has an order, but the model has no frequency; add frequency:, or give it when solving"
            )
            return


def _loose_coordinates(model: System, findings: FileFindings) -> None:
    used = {name for c in model.connections for form in (c.deflection, c.along) for name in form.terms}
    used |= set(model.matrices.names) if model.matrices else set()
    for c in model.coordinates:
        path: DocumentPath = ("coordinates", c.name)
        if c.name not in used and c.motion is not None:
            findings.note(path, "has a motion, but no connection uses it; connect it, or remove it")
        elif c.name not in used:
            words = (
                "no connection holds it: it will float freely" if c.inertia else "it has no inertia and no connection"
            )
            findings.note(path, words)
