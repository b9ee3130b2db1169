"""The exception tree.

    SlipstickError                 anything this package refuses or cannot finish; the message is one line
    ├── InvalidInput (ValueError)  a value is outside its bound; raised before anything runs
    │   ├── WrongArguments         (TypeError too) an argument that is unknown, missing, or not named
    │   └── FileError              the same in a file; the message starts with file:line: path:
    ├── MissingFace (TypeError)    a law lacks the face that a method needs
    └── NotConverged               a numerical failure; `.partial` holds what was reached

Every message names the thing, the value, the bound and the way out, so that the reader
knows what to do without opening the source.
"""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


class SlipstickError(Exception):
    """Base of everything slipstick raises on purpose."""


class InvalidInput(SlipstickError, ValueError):
    """A value that cannot be used; nothing has run yet."""


class WrongArguments(InvalidInput, TypeError):
    """Something was called with an argument it does not know, without one it needs, or without naming it."""


class FileError(InvalidInput):
    """Bad input in a file: ``file:line: path: what, value, bound, way out``."""

    def __init__(self, file: str, line: int | None, path: str, problem: str) -> None:
        where = f"{file}:{line}" if line is not None else file
        super().__init__(f"{where}: {path}: {problem}" if path else f"{where}: {problem}")
        self.file, self.line, self.path, self.problem = file, line, path, problem


class MissingFace(SlipstickError, TypeError):
    """A law lacks the face that a method needs; the message names the methods that work."""


class NotConverged(SlipstickError):
    """A numerical failure. ``partial`` holds what was reached before it."""

    def __init__(self, message: str, partial: Any = None) -> None:
        super().__init__(message)
        self.partial = partial

    @property
    def interrupted(self) -> bool:
        """True if it was Ctrl-C that ended it."""
        before = self.__cause__ or self.__context__
        if isinstance(before, NotConverged):
            return before.interrupted
        return isinstance(before, KeyboardInterrupt) or str(self).startswith("interrupted")


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """`` (did you mean "limit"?)`` if a known name is close to ``word``, else the list of names."""
    names = [str(name) for name in known]
    close = difflib.get_close_matches(str(word), names, n=1, cutoff=0.6)
    if close:
        return f' (did you mean "{close[0]}"?)'
    return f" (known: {', '.join(sorted(names))})" if names else ""


def shown(value: Any, width: int = 60) -> str:
    """A value as it appears in a message: short, on one line."""
    text = repr(value).replace("\n", " ")
    return text if len(text) <= width else text[: width - 3] + "..."


def arguments_in_words(function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """Refuse arguments that a method does not know, or needs, with a hint instead of Python's own words."""
    signature = inspect.signature(function)
    known = [p for p in signature.parameters.values() if p.name != "self"]
    words = ", ".join(f"{p.name}=" if p.kind is p.KEYWORD_ONLY else p.name for p in known)

    @wraps(function)
    def checked(*positional: Arguments.args, **named: Arguments.kwargs) -> Result:
        try:
            signature.bind(*positional, **named)
        except TypeError as problem:
            unknown = next((name for name in named if name not in signature.parameters), None)
            what = (
                f'no argument "{unknown}"{did_you_mean(unknown, [p.name for p in known])}' if unknown else str(problem)
            )
            raise WrongArguments(f"{function.__name__}: {what}; it takes {words}") from None
        return function(*positional, **named)

    return checked
