"""Reading study files: everything that is wrong with one is one line, ``file:line: path: what, and what to do``."""

from __future__ import annotations

import logging
import os
import shlex
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from slipstick.errors import FileError, short_repr
from slipstick.model.files.file_problems import FileFindings, TooManyProblems, describe_value
from slipstick.model.files.schema import Document
from slipstick.model.files.schema_check import check_part, refuse_empty, version_is_known
from slipstick.model.files.text_file import read_text, shown_file_name
from slipstick.model.files.yaml_tree import parse_yaml
from slipstick.study.kind_registry import KINDS
from slipstick.study.model_source import study_model
from slipstick.study.plot_options import read_plot_options, read_sweep_plot_options
from slipstick.study.study import Study
from slipstick.study.study_kind import Section, Settings, StudyKind
from slipstick.study.study_schema import Output, study_document
from slipstick.study.sweep_section import StudySweep, SweepShape, read_sweep

DATA_SUFFIXES = (".nc",)
TABLE_SUFFIXES = (*DATA_SUFFIXES, ".csv", ".parquet")  # of a sweep
FIGURE_SUFFIXES = (".png", ".svg", ".pdf")
NO_FILE_WORD = "none"
MODEL_SECTIONS = ("coordinates", "connections", "loads", "matrices")  # sections that no study has
MAX_FILE_NAME_LENGTH = 255  # of a file, everywhere
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class StudyReport:
    """A study read from a file, or its problems in the order of lines, with warnings and notes."""

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
    """All findings about a study file; its contents never raise."""
    name = str(path)
    try:
        name = shown_file_name(path)
        data, findings = parse_yaml(name, read_text(path))
        return _StudyReader(findings, Path(os.fsdecode(path))).report(data)
    except FileError as error:
        return StudyReport(name, None, [error])
    except Exception as error:  # a hole in the checks: still one line for the reader, the rest for the log
        _log.debug("reading %s failed", name, exc_info=True)
        words = f"could not be read ({type(error).__name__}); please report this with the file"
        return StudyReport(name, None, [FileError(name, None, "", words)])


class _StudyReader:
    """Reads one study; problems go to the findings, and reading continues."""

    def __init__(self, findings: FileFindings, path: Path) -> None:
        self.findings, self.path = findings, path

    def report(self, data: Any) -> StudyReport:
        study, others, warnings = None, [], []
        try:
            if self.has_shape(data):
                source = study_model(data, self.findings, self.path)
                others, warnings = source.problems, source.warnings
                study = self.study(data, source.model)
        except TooManyProblems:
            pass
        problems = [self.findings.error(p) for p in self.findings.sorted()] + others
        return StudyReport(self.findings.file, None if problems else study, problems, warnings)

    def has_shape(self, data: Any) -> bool:
        if data is None:
            words = "is empty; `slipstick new NAME --study MODEL.yaml` writes a study to start from"
            self.findings.problem((), words, 1)
            return False
        if not isinstance(data, dict):
            self.findings.problem((), f"a study is a mapping that starts with slipstick: 1, got {describe_value(data)}")
            return False
        if not version_is_known(data, self.findings, "study"):
            return False
        if not data.keys().isdisjoint(MODEL_SECTIONS) and data.keys() <= Document.model_fields.keys():
            file = shlex.quote(self.path.name)
            words = f"is a model, not a study of one; `slipstick new NAME --study {file}` writes a study to run"
            self.findings.problem((), words, 1)
            return False
        refuse_empty(data, (), self.findings)
        return True

    def study(self, data: dict[str, Any], model: Any) -> Study | None:
        # an empty section has been reported; the rest must have the shape of a study
        head = check_part(
            study_document(), {key: value for key, value in data.items() if value is not None}, (), self.findings
        )
        name = head.name if head is not None and head.name is not None else self.path.stem
        part = head.output if head is not None else None
        output = self.output(part, TABLE_SUFFIXES if "sweep" in data else DATA_SUFFIXES)
        kind = self.kind(data)
        drawing: Settings = {}
        if part is not None and part.plot is not None and kind is not None and "sweep" not in data:
            drawing = read_plot_options(part.plot, kind.drawn, model, self.findings)
        settings = None
        if kind is not None and data[kind.name] is not None:
            settings = self.settings(kind, data[kind.name], model)
        if model is None or kind is None or settings is None:
            return None
        sweep = self.sweep(data["sweep"], kind, settings, model) if data.get("sweep") is not None else None
        if part is not None and part.plot is not None and sweep is not None:
            drawing = read_sweep_plot_options(part.plot, sweep.measure, sweep.over.names, model, self.findings)
        return Study(name, model, kind, settings, *output, drawing, self.findings, sweep)

    def kind(self, data: dict[str, Any]) -> StudyKind | None:
        found = [kind for kind in KINDS.values() if kind.name in data]
        if len(found) == 1:
            return found[0]
        if found:
            first, second = found[0].name, found[1].name
            self.findings.problem((second,), f"{first}: and {second}: are both given; one study a file")
        elif data.keys() <= study_document().model_fields.keys():  # else the line with the unknown key says it better
            words = f"has no task; add a section {' or '.join(f'{name}:' for name in KINDS)}"
            self.findings.problem((), f"{words}, such as {next(iter(KINDS.values())).example}", 1)
        return None

    def settings(self, kind: StudyKind, data: Any, model: Any) -> Settings | None:
        part = check_part(kind.shape, data, (kind.name,), self.findings)
        if part is None:
            return None
        section = Section(kind.name, self.findings, model)
        kind.read(part, section)
        return section.settings

    def sweep(self, data: Any, kind: StudyKind, settings: Settings, model: Any) -> StudySweep | None:
        part = check_part(SweepShape, data, ("sweep",), self.findings)
        return None if part is None else read_sweep(part, kind, settings, model, self.findings)

    # ---- output

    def output(self, part: Output | None, kinds: tuple[str, ...]) -> tuple[Path | None, Path | None]:
        data = self.target("data", part.data if part else None, kinds)
        figure = self.target("figure", part.figure if part else None, FIGURE_SUFFIXES)
        return data, figure

    def target(self, key: str, text: str | None, suffixes: tuple[str, ...]) -> Path | None:
        """Path of a result: beside the study, in an existing folder."""
        if text is not None and text.strip().lower() == NO_FILE_WORD:
            return None
        found = self.path.parent / (text or f"{self.path.stem}{suffixes[0]}")
        place = ("output", key)
        if found.suffix.lower() not in suffixes:
            end = f"must end in {' or '.join(suffixes)}, or be {NO_FILE_WORD}"
            self.findings.problem(place, f"{end}, got {short_repr(text)}")
        elif len(os.fsencode(found.name)) > MAX_FILE_NAME_LENGTH:
            self.findings.problem(
                place, f"a file's name has at most {MAX_FILE_NAME_LENGTH} bytes, got {short_repr(found.name)}"
            )
        elif not os.path.isdir(found.parent):
            self.findings.problem(place, f"there is no folder {short_repr(str(found.parent))}; make it first")
        elif os.path.isdir(found):
            self.findings.problem(place, f"{short_repr(str(found))} is a folder; name a file")
        return found
