"""From YAML text to plain data: dicts, lists, text and None, with the line of every value.

Nothing is constructed: the events of the parser are all that is used. Every scalar stays text; numbers
are read where a number is expected (`quantities`), so a name may be ``2024`` or ``on``. What a model file
never needs is refused: anchors, aliases, merge keys, tags, directives, several documents, deep nesting.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from slipstick.errors import FileError
from slipstick.model.files.file_problems import FileFindings, FileProblem, Path, one_line

MAX_VALUES = 20_000  # keys and values in a file; the parser takes about a second for these
MAX_NESTING = 20  # levels of nesting
MAX_TEXT_LENGTH = 10_000  # characters of a value
MAX_KEY_LENGTH = 100

_NULL = {"", "~", "null", "Null", "NULL"}
_NO_COLON = re.compile(r"\s*(- +)?[\w-]+ *[{\[]")  # a key and a bracket
_log = logging.getLogger(__name__)


def parse_yaml(name: str, text: str) -> tuple[Any, FileFindings]:
    """The data of a YAML text and the findings so far (keys that appear twice), with all lines."""
    findings = FileFindings(name)
    return _Builder(name, findings).document(_events(name, text)), findings


def _events(name: str, text: str) -> Iterator[Any]:
    """The parser's events; whatever it raises becomes a `FileError` with a line."""
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError

    line = 1
    try:
        for event in YAML(typ="safe", pure=True).parse(text):
            line = event.start_mark.line + 1
            yield event
    except MarkedYAMLError as error:
        raise FileError(name, *_yaml_problem(error, line, text)) from None
    except (FileError, GeneratorExit):
        raise
    except Exception as error:  # the parser lets some of its own through, an OverflowError for "\Uffffffff"
        _log.debug("the YAML parser failed on %s", name, exc_info=True)
        raise FileError(name, line, "", f"is not valid YAML near this line ({type(error).__name__})") from None


def _yaml_problem(error: Any, line: int, text: str) -> tuple[int, str, str]:
    """The line, no path, and what is wrong, in words for people who do not know YAML's grammar."""
    problem, context = (one_line(str(text or "")) for text in (error.problem, error.context))
    seen, began = ((mark.line + 1 if mark else line) for mark in (error.problem_mark, error.context_mark))
    if "quoted scalar" in context:
        return began, "", "the quote that opens here is not closed, or has an escape that YAML does not know"
    if "flow" in context:
        return began, "", f"a bracket that opens here is not closed, or a comma is missing (noticed in line {seen})"
    if "simple key" in context:
        return began, "", 'a ":" is missing after the key, or the indentation is off'
    if "'\\t'" in problem:
        return seen, "", "the indentation contains a tab; YAML indents with spaces"
    if "mapping values are not allowed" in problem and _NO_COLON.match(text.split("\n")[seen - 1]):
        return seen, "", 'a ":" is missing after the key, before the bracket'
    if "mapping values are not allowed" in problem:
        return seen, "", 'this line has a second ":", or the indentation is off; quote text that has ": " in it'
    if "cannot start any token" in problem:
        return seen, "", f"is not valid YAML: {problem}; put the value in quotes"
    if "block" in context:
        return seen, "", f"the indentation is off here: it does not fit the block that begins in line {began}"
    return seen, "", f"is not valid YAML: {problem or context}; check brackets, quotes and indentation"


@dataclass
class _Frame:
    """A mapping or list that is still open."""

    data: dict[str, Any] | list[Any]
    path: Path
    key: str | None = None  # of a mapping: the key whose value comes next
    discard: bool = False  # the key stood before: its value is read and dropped

    def next_path(self) -> Path:
        """The place of the next value of this frame."""
        if isinstance(self.data, list):
            return (*self.path, len(self.data))
        return self.path if self.key is None else (*self.path, self.key)

    def put(self, value: Any) -> None:
        if isinstance(self.data, list):
            self.data.append(value)
        else:
            assert self.key is not None  # a value follows its key
            if not self.discard:
                self.data[self.key] = value
            self.key, self.discard = None, False


class _Builder:
    """Builds the data from events without recursion, and stops as soon as a limit is passed."""

    def __init__(self, name: str, findings: FileFindings) -> None:
        self.name, self.findings = name, findings
        self.stack = [_Frame([], ())]  # the document is the only item of this list
        self.documents = self.count = 0

    def document(self, events: Iterator[Any]) -> Any:
        for event in events:
            self.take(event)
        root = self.stack[0].data
        assert isinstance(root, list)
        return root[0] if root else None

    def take(self, event: Any) -> None:
        """One event: a start, an end, or a scalar."""
        line = event.start_mark.line + 1
        match type(event).__name__:
            case "DocumentStartEvent":
                self.start_document(event, line)
            case "AliasEvent":
                raise self.fail(line, f"*{event.anchor} is an alias; model files have none, write the values out")
            case "MappingEndEvent" | "SequenceEndEvent":
                self.stack.pop()
            case "ScalarEvent":
                self.limits(event, line)
                self.scalar(event, line)
            case "MappingStartEvent" | "SequenceStartEvent":
                self.limits(event, line)
                self.open({} if type(event).__name__ == "MappingStartEvent" else [], line)

    def start_document(self, event: Any, line: int) -> None:
        self.documents += 1
        if self.documents > 1:
            raise FileError(self.name, line, "", 'a second document starts here ("---"); one model a file')
        if event.version not in (None, (1, 2)) or event.tags:
            raise FileError(self.name, line, "", "a model file needs no % line; remove it (it is read as YAML 1.2)")

    def limits(self, event: Any, line: int) -> None:
        """Checks that every value must pass before it is read."""
        self.count += 1
        if event.anchor is not None:
            raise self.fail(line, f"&{event.anchor} is an anchor; model files have none, write the values out")
        if event.tag is not None:
            tag = one_line(str(event.tag)).replace("tag:yaml.org,2002:", "!!")
            raise self.fail(line, f"{tag[:60]} is a tag; model files have none, remove it")
        if self.count > MAX_VALUES:
            words = "long tables belong in an .npz file beside it"
            raise self.fail(line, f"more than {MAX_VALUES} keys and values; {words}")

    def scalar(self, event: Any, line: int) -> None:
        frame, text = self.stack[-1], event.value
        if isinstance(frame.data, dict) and frame.key is None:
            self.key(frame, text, line, event.style is None)
            return
        if len(text) > MAX_TEXT_LENGTH:
            raise self.fail(line, f"the text has {len(text)} characters, the limit is {MAX_TEXT_LENGTH}; shorten it")
        self.findings.lines.setdefault(self.path(), line)
        frame.put(None if event.style is None and text in _NULL else text)

    def key(self, frame: _Frame, text: str, line: int, plain: bool) -> None:
        """plain : without quotes."""
        if len(text) > MAX_KEY_LENGTH:
            raise self.fail(line, f"a key has {len(text)} characters, the limit is {MAX_KEY_LENGTH}; shorten it")
        if plain and _NO_COLON.match(text):
            raise self.fail(line, 'a ":" is missing after the key, before the bracket')
        if text == "<<":
            raise self.fail(line, "<< is a merge key; model files have none, write the values out")
        path = (*frame.path, text)
        frame.key, frame.discard = text, text in frame.data
        if frame.discard:
            first = self.findings.lines[path]
            self.findings.problem(path, f"appears twice (first in line {first}); rename or remove one", line)
        else:
            self.findings.lines[path] = line

    def open(self, data: dict[str, Any] | list[Any], line: int) -> None:
        frame = self.stack[-1]
        if isinstance(frame.data, dict) and frame.key is None:
            raise self.fail(line, f"a key must be a word, got a {'mapping' if isinstance(data, dict) else 'list'}")
        if len(self.stack) > MAX_NESTING:
            raise self.fail(line, f"more than {MAX_NESTING} levels are nested here; a model file needs far fewer")
        path = self.path()
        self.findings.lines.setdefault(path, line)
        frame.put(data)
        self.stack.append(_Frame(data, path))

    def path(self) -> Path:
        """Path of the current value."""
        if len(self.stack) == 1:
            return ()
        return self.stack[-1].next_path()

    def fail(self, line: int, text: str) -> FileError:
        path = self.path()
        return self.findings.error(FileProblem(line, path, text))
