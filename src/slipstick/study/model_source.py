"""The model of a study: a file beside it, a model in place, or one of the published systems."""

from __future__ import annotations

import inspect
import os
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from slipstick.api import Model
from slipstick.errors import FileError, InvalidInput, short_repr, warning_message
from slipstick.model.files.file_problems import FILE, FileFindings, describe_value
from slipstick.model.files.model_reader import examine, examine_data
from slipstick.model.files.quantities import Quantity
from slipstick.model.files.schema import FORMAT_VERSION
from slipstick.model.files.text_file import read_text, shown_file_name
from slipstick.model.files.unit_kinds import read_frequency
from slipstick.model.files.yaml_tree import parse_yaml
from slipstick.name_hints import name_hint
from slipstick.study.kind_registry import KINDS
from slipstick.study.study_kind import read_number_or_word


@dataclass(frozen=True)
class ModelSource:
    """A model, or None and the problems of the file it should have come from."""

    model: Model | None
    problems: list[FileError] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


NO_MODEL = ModelSource(None)


def study_model(data: dict[str, Any], findings: FileFindings, path: Path) -> ModelSource:
    """The model that a study names; problems of the study go to ``findings``."""
    if "model" in data and "system" in data:
        findings.problem(("system",), "model: and system: are both given; a study has one model")
        return NO_MODEL
    if "system" in data:
        return _system(data["system"], findings)
    if "model" not in data:
        words = "has no model; add model: and the name of a model file, or system: and one of ours"
        findings.problem((), words, 1)
        return NO_MODEL
    given = data["model"]
    if isinstance(given, dict):
        return _inline(given, findings, path)
    if not isinstance(given, str):
        if given is not None:
            findings.problem(
                ("model",), f"must be the name of a model file, or a model in place, got {describe_value(given)}"
            )
        return NO_MODEL
    return _file(given, findings, path)


def is_study(path: str | os.PathLike[str]) -> bool:
    """True if a file has a key that only studies have."""
    try:
        return is_study_text(shown_file_name(path), read_text(path))
    except FileError:
        return False


def is_study_text(name: str, text: str) -> bool:
    """The same for the text of a file."""
    try:
        data, _ = parse_yaml(name, text)
    except FileError:
        return False
    return isinstance(data, dict) and not data.keys().isdisjoint({"model", "system", "output", *KINDS})


def _file(name: str, findings: FileFindings, path: Path) -> ModelSource:
    target = path.parent / name
    if target.suffix.lower() not in (".yaml", ".yml"):
        findings.problem(("model",), f"must be a model file, .yaml, got {short_repr(name)}")
        return NO_MODEL
    if not target.is_file():
        findings.problem(("model",), f"there is no file {short_repr(str(target))}; it is looked for beside the study")
        return NO_MODEL
    if target.resolve() == path.resolve():
        findings.problem(("model",), "is the study; name a model file")
        return NO_MODEL
    if is_study(target):
        findings.problem(("model",), f"{short_repr(str(target))} is a study; name a model file")
        return NO_MODEL
    report = examine(target, Model)
    return ModelSource(report.model, report.problems, report.warnings)


def _inline(data: dict[str, Any], findings: FileFindings, path: Path) -> ModelSource:
    """A model in place: read as a file of its own would be, with the lines of the study."""
    lines = {place[1:]: line for place, line in findings.lines.items() if place[:1] == ("model",)}
    own = FileFindings(findings.file, lines)
    report = examine_data({"slipstick": str(FORMAT_VERSION), **data}, own, path, Model)
    for problem in own.problems:
        findings.problem(("model", *problem.path), problem.text, problem.line)
    return ModelSource(report.model, [], report.warnings)


# ---- systems


def _system(data: Any, findings: FileFindings) -> ModelSource:
    """``system: tensioner``, or a mapping with its name and parameters in SI."""
    from slipstick import systems

    if isinstance(data, str):
        data = {"name": data}
    if not isinstance(data, dict):
        if data is not None:
            findings.problem(
                ("system",), f"must be the name of a system, or name: and parameters, got {describe_value(data)}"
            )
        return NO_MODEL
    name = data.get("name")
    known = [one for one in systems.__all__ if inspect.isfunction(getattr(systems, one))]  # classes build no model
    if name not in known:
        what = "is missing" if name is None else f"unknown system {describe_value(name)}"
        place = ("system", "name") if ("system", "name") in findings.lines else ("system",)
        findings.problem(place, f"{what}{name_hint(str(name), known)}")
        return NO_MODEL
    build = getattr(systems, name)
    parameters = {}
    for key, value in data.items():
        if key != "name":
            with findings.catch(("system", key)):
                parameters[key] = _parameter(build, key, value)
    return _build_system(build, parameters, findings)


def _parameter(build: Callable[..., Model], key: str, value: Any) -> Any:
    """A number or a word; a list where the system takes several, and for parameters of its law."""
    known = inspect.signature(build).parameters
    takes = str(known[key].annotation) if key in known else "Sequence"
    if isinstance(value, list) and "Sequence" in takes:
        return tuple(_one_parameter(key, one) for one in value)
    if isinstance(value, dict) and "Mapping" in takes:
        return {name: _one_parameter(key, one) for name, one in value.items()}
    return _one_parameter(key, value)


def _one_parameter(key: str, value: Any) -> Any:
    quantity = read_number_or_word(value)
    if not isinstance(quantity, Quantity):
        return quantity
    if key == "frequency":
        return read_frequency(quantity)
    if quantity.unit:
        raise InvalidInput(f"parameters of a system are plain numbers in SI, got {quantity.text}; leave the unit out")
    return quantity.value


def _build_system(build: Callable[..., Model], parameters: dict[str, Any], findings: FileFindings) -> ModelSource:
    known = inspect.signature(build).parameters
    takes_more = any(p.kind is p.VAR_KEYWORD for p in known.values())
    for key in parameters:
        if key not in known and not takes_more:
            findings.problem(("system", key), f"unknown parameter{name_hint(key, list(known))}")
    if any(problem.path[:1] == ("system",) for problem in findings.problems):
        return NO_MODEL
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model = build(**parameters)
    except InvalidInput as error:
        named = ("system", error.argument) if error.argument in parameters else ("system",)
        findings.problem(named, FILE.message(error.message))
        return NO_MODEL
    return ModelSource(model, [], [FILE.message(warning_message(w.message)) for w in caught])
