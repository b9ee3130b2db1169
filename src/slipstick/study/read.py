"""Reading study files: everything that is wrong with one is one line, ``file:line: path: what, and what to do``."""

from __future__ import annotations

import logging
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from slipstick.errors import FileError, InvalidInput, shown
from slipstick.model.files.kinds import TIME, Kinds, frequency
from slipstick.model.files.problems import Findings, TooMany, kind_of
from slipstick.model.files.quantities import Quantity, read_flag, read_quantity
from slipstick.model.files.shape import refuse_empty, shaped, version_is_known
from slipstick.model.files.source import file_name, read_text
from slipstick.model.files.tree import parse
from slipstick.study.schema import KINDS, Document, Output, Transient
from slipstick.study.source import model_of
from slipstick.study.study import Study

FIGURES = (".png", ".svg", ".pdf")
NONE = "none"
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class StudyReport:
    """What was found in a file: a study, or its problems in the order of lines; and what to look at."""

    file: str
    study: Study | None
    problems: list[FileError] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


def read_study(path: str | os.PathLike[str]) -> Study:
    """The study in a YAML file. Raises `FileError` with the first problem."""
    report = examine_study(path)
    if report.problems:
        raise report.problems[0]
    assert report.study is not None
    return report.study


def examine_study(path: str | os.PathLike[str]) -> StudyReport:
    """Everything there is to say about a study file; never raises for what is in it."""
    name = str(path)
    try:
        name = file_name(path)
        data, findings = parse(name, read_text(path))
        return _Reader(findings, Path(os.fsdecode(path))).report(data)
    except FileError as error:
        return StudyReport(name, None, [error])
    except Exception as error:  # a hole in the checks: still one line for the reader, the rest for the log
        _log.debug("reading %s failed", name, exc_info=True)
        words = f"could not be read ({type(error).__name__}); please report this with the file"
        return StudyReport(name, None, [FileError(name, None, "", words)])


class _Reader:
    """Reads one study; every problem goes to the findings, and the rest is still looked at."""

    def __init__(self, findings: Findings, path: Path) -> None:
        self.findings, self.path = findings, path

    def report(self, data: Any) -> StudyReport:
        study, others, warnings = None, [], []
        try:
            if self.has_shape(data):
                source = model_of(data, self.findings, self.path)
                others, warnings = source.problems, source.warnings
                study = self.study(data, source.model)
        except TooMany:
            pass
        problems = [self.findings.error(p) for p in self.findings.sorted()] + others
        return StudyReport(self.findings.file, None if problems else study, problems, warnings)

    def has_shape(self, data: Any) -> bool:
        if data is None:
            words = "is empty; `slipstick new NAME --study MODEL.yaml` writes a study to start from"
            self.findings.problem((), words, 1)
            return False
        if not isinstance(data, dict):
            self.findings.problem((), f"a study is a mapping that starts with slipstick: 1, got {kind_of(data)}")
            return False
        if not version_is_known(data, self.findings, "study"):
            return False
        refuse_empty(data, (), self.findings)
        return True

    def study(self, data: dict[str, Any], model: Any) -> Study | None:
        # a section that is empty has been told; what is left must have the shape of a study
        head = shaped(Document, {key: value for key, value in data.items() if value is not None}, (), self.findings)
        name = head.name if head is not None and head.name is not None else self.path.stem
        output = self.output(head.output if head is not None else None)
        kind = self.kind(data)
        settings = self.transient(data[kind]) if kind is not None and data[kind] is not None else None
        if model is None or kind is None or settings is None:
            return None
        return Study(name, model, kind, settings, *output, self.findings)

    def kind(self, data: dict[str, Any]) -> str | None:
        found = [kind for kind in KINDS if kind in data]
        if len(found) == 1:
            return found[0]
        if found:
            self.findings.problem((found[1],), f"{found[0]}: and {found[1]}: stand side by side; one study a file")
        elif data.keys() <= Document.model_fields.keys():  # else the line with the unknown key says it better
            words = f"says nothing to do; add a section {' or '.join(f'{kind}:' for kind in KINDS)}"
            self.findings.problem((), f"{words}, such as transient: {{until: 5 s}}", 1)
        return None

    # ---- transient

    def transient(self, data: Any) -> dict[str, Any] | None:
        part = shaped(Transient, data, ("transient",), self.findings)
        if part is None:
            return None
        found: dict[str, Any] = {}
        for key in ("until", "start", "step"):
            self.put(found, key, getattr(part, key), lambda q, key=key: Kinds().take(key, q, TIME))
        self.put(found, "frequency", part.frequency, frequency)
        self.put(found, "tolerance", part.tolerance, _plain)
        self.put(found, "method", part.method, str)
        self.put(found, "samples", part.samples, self.samples)
        for name, value in (part.options or {}).items():
            if name in Transient.model_fields:
                words = f"{name} is no option of a method: it stands directly under transient:"
                self.findings.problem(("transient", "options", name), words)
                continue
            with self.findings.catch(("transient", "options", name)):
                found[name] = option(value)
        return found

    def put(self, found: dict[str, Any], key: str, value: Any, read: Any) -> None:
        if value is not None:
            with self.findings.catch(("transient", key)):
                found[key] = read(value)

    def samples(self, value: Any) -> Any:
        if isinstance(value, list):
            times = []
            for i, item in enumerate(value):
                with self.findings.catch(("transient", "samples", i)):
                    times.append(Kinds().take("samples", read_quantity(item), TIME))
            return times
        if isinstance(value, dict):
            raise InvalidInput(f"must be a whole number or a list of times, got {kind_of(value)}")
        count = _plain(read_quantity(value))
        if count != int(count):
            raise InvalidInput(f"must be a whole number, a list of times, or 0, got {value}")
        return int(count)

    # ---- output

    def output(self, part: Output | None) -> tuple[Path | None, Path | None]:
        data = self.target("data", part.data if part else None, (".nc",))
        figure = self.target("figure", part.figure if part else None, FIGURES)
        return data, figure

    def target(self, key: str, text: str | None, suffixes: tuple[str, ...]) -> Path | None:
        """Where a result goes: beside the study, in a folder that is there."""
        if text is not None and text.strip().lower() == NONE:
            return None
        found = self.path.parent / (text or f"{self.path.stem}{suffixes[0]}")
        place = ("output", key)
        if found.suffix.lower() not in suffixes:
            end = f"must end in {' or '.join(suffixes)}, or be {NONE}"
            self.findings.problem(place, f"{end}, got {shown(text)}")
        elif not found.parent.is_dir():
            self.findings.problem(place, f"there is no folder {shown(str(found.parent))}; make it first")
        elif found.is_dir():
            self.findings.problem(place, f"{shown(str(found))} is a folder; name a file")
        elif not os.access(found if found.exists() else found.parent, os.W_OK):
            self.findings.problem(place, f"{shown(str(found))} may not be written; check its permissions")
        return found


def _plain(quantity: Quantity) -> float:
    if quantity.unit:
        raise InvalidInput(f"must be a plain number without unit, got {quantity.text}")
    return quantity.value


def option(value: Any) -> Any:
    """An option of a method: a whole number, a number in SI, true or false, or a word."""
    if isinstance(value, (dict, list)) or value is None:
        raise InvalidInput(f"must be a number, a word, true or false, got {kind_of(value)}")
    try:
        number = read_quantity(value)
    except InvalidInput:
        return read_flag(value) if value.lower() in ("true", "false") else value
    plain = _plain(number)
    return int(number.number) if number.text.lstrip("+-").isdigit() else plain
