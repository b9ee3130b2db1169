"""Problems of a file with their lines, and the messages about them."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from slipstick.errors import (
    PYTHON_CALLS,
    FileError,
    InvalidInput,
    Message,
    PhraseBook,
    Spelling,
    format_value,
    short_repr,
)

MAX_PROBLEMS = 50  # more are of no use to a reader, and bound the time that hints take

Path = tuple[str | int, ...]  # place of a value in a document: ("connections", "mesh", "half_gap")

_WORD = re.compile(r"[\w-]+")


# keys of files for calls in Python; other calls keep their names
FILE_KEYS = {
    "constant": "constant:",
    "coordinate": "coordinates: {{x: {{inertia: 1 kg}}}}",
    "frequency_response": "frequency_response: {{between: [low, high]}}",
    "limit_cycle": "limit_cycle: {{until: ...}}",
    "named_load": "{{on: x, name: forcing, cosine: ...}}",
    "periodic": "periodic: {{frequency: ...}}",
    "periodic_load": "{{on: x, cosine: {{amplitude: 1 N, order: 1}}}} under loads:",
    "regularised": "law: {}-friction",
}


class FilePhrases(PhraseBook):
    """Messages in terms of keys: ``raise harmonics:``, ``use method: shooting``."""

    def located(self, message: str) -> str:
        """A message behind the line and the path of a file, which name its owner."""
        return self.message(Message.of(message).with_owner(""))

    def setting(self, argument: str, value: Any) -> str:
        if argument in FILE_KEYS:
            return FILE_KEYS[argument].format(value)
        if argument in PYTHON_CALLS:
            return f"{super().setting(argument, value)} in Python"
        return f"{argument}: {self.value(value)}" if value is not None else f"{argument}:"

    def value(self, value: Any) -> str:
        match value:
            case Spelling():
                return value.words
            case str():
                return value
            case tuple() | list():
                return f"[{', '.join(map(self.value, value))}]"
            case dict():
                return f"{{{', '.join(f'{key}: {self.value(each)}' for key, each in value.items())}}}"
        return "..." if value is ... else format_value(value)


FILE = FilePhrases()


class FileProblem(NamedTuple):
    """One thing that is wrong, or worth a warning. ``line`` counts from 1."""

    line: int | None
    path: Path
    text: str


class TooManyProblems(Exception):
    """Stops the reading of a file once `MAX_PROBLEMS` are found."""


class LocatedProblem(InvalidInput):
    """A problem with its place in the file; caught where problems are collected."""

    def __init__(self, path: Path, text: str) -> None:
        super().__init__(text)
        self.path = path


class FileFindings:
    """Collects the problems and warnings of one file; knows the line of every value."""

    def __init__(self, file: str, lines: Mapping[Path, int] | None = None) -> None:
        self.file = file
        self.lines: dict[Path, int] = dict(lines or {})
        self.problems: list[FileProblem] = []
        self.warnings: list[FileProblem] = []
        self.notes: list[FileProblem] = []
        self.unitless: list[Path] = []  # numbers without a unit, where one could be

    def line(self, path: Path) -> int | None:
        """The line of the value at ``path``, or of the nearest thing around it that is in the file."""
        for length in range(len(path), -1, -1):
            if path[:length] in self.lines:
                return self.lines[path[:length]]
        return None

    def problem(self, path: Path, text: str, line: int | None = None) -> None:
        """Note a problem; only the first at one place, because the others follow from it."""
        if any(problem.path == path for problem in self.problems):
            return
        self.problems.append(FileProblem(line or self.line(path), path, text))
        if len(self.problems) >= MAX_PROBLEMS:
            raise TooManyProblems

    def warning(self, path: Path, text: str) -> None:
        """Add a warning: allowed, but rarely intended. Reading the file reports it."""
        self.warnings.append(FileProblem(self.line(path), path, text))

    def note(self, path: Path, text: str) -> None:
        """Add a note: allowed, and perhaps intended. Only a check of the file reports it."""
        self.notes.append(FileProblem(self.line(path), path, text))

    @contextlib.contextmanager
    def catch(self, path: Path) -> Iterator[None]:
        """Turn an InvalidInput raised inside into a problem at ``path``."""
        try:
            yield
        except LocatedProblem as error:
            self.problem(error.path, FILE.message(error.message))
        except InvalidInput as error:
            self.problem(path, FILE.located(error.message))

    def sorted(self) -> list[FileProblem]:
        """The problems in the order of the file."""
        return sorted(self.problems, key=lambda p: (p.line is None, p.line or 0))

    def error(self, problem: FileProblem) -> FileError:
        """A problem as the exception that is raised for it."""
        return FileError(self.file, problem.line, path_text(problem.path), one_line(problem.text))


def path_text(path: Path) -> str:
    """``connections.mesh.coefficients[2]``."""
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        else:
            word = step if _WORD.fullmatch(step) and len(step) <= 60 else short_repr(step)
            text += f".{word}" if text else word
    return text


def one_line(text: str) -> str:
    """``text`` with line breaks and unprintable characters spelt out."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def describe_value(value: Any) -> str:
    """A value of a document in words, for error messages."""
    if value is None:
        return "nothing"
    if isinstance(value, dict):
        return "a mapping" if value else "an empty mapping {}"
    if isinstance(value, list):
        return f"a list of {len(value)}" if value else "an empty list []"
    return short_repr(value)
