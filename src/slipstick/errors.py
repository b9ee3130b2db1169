"""Exceptions of the package, as one tree, and the messages that they carry.

    SlipstickError                 anything this package refuses or cannot finish; the message is one line
    ├── InvalidInput (ValueError)  a value is outside its bound; raised before anything runs
    │   ├── WrongArguments         (TypeError too) an argument that is unknown, missing, or not named
    │   └── FileError              the same in a file; the message starts with file:line: path:
    ├── MissingFace (TypeError)    a law lacks the face that a method needs
    └── NotConverged               a numerical failure; `.partial` holds what was reached

A message is data: `problem`, `argument`, `value`, `bound` and `advice`. ``str(error)`` is its line for Python. Study
files, commands and pages have a `PhraseBook` each, which turns the same data into their own words.
"""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, dataclass, fields
from functools import wraps
from string import Formatter
from typing import Any, NamedTuple, ParamSpec, Self, TypeVar

from slipstick.name_hints import did_you_mean

_QUANTITY = re.compile(r"[-+]?\.?\d[\d.]*(e[-+]?\d+)?(\s*[^\d\s].*)?", re.IGNORECASE)  # "5", "5 mm", "1e3N/m"

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")
ClassT = TypeVar("ClassT")


# ---- messages


class Spelling(NamedTuple):
    """A value as Python and as files spell it: ``ss.hz(20)`` and ``20 Hz``."""

    code: str
    words: str


LOW_HIGH = Spelling("(low, high)", "[low, high]")


class AnyOf(tuple[Any, ...]):
    """Alternative values, each of which solves the problem."""

    __slots__ = ()


@dataclass(frozen=True, init=False)
class Advice:
    """One way out of a problem.

    text : what to do, with each argument in braces: ``"raise {harmonics}, or use {method}"``.
    values : by argument, those to set; an argument without one is only named.
    """

    text: str
    values: Mapping[str, Any]

    def __init__(self, text: str, **values: Any) -> None:
        object.__setattr__(self, "text", text)
        object.__setattr__(self, "values", values)

    @property
    def arguments(self) -> tuple[str, ...]:
        """The arguments that the text names, in order."""
        return tuple(name for _, name, _, _ in Formatter().parse(self.text) if name)

    def __str__(self) -> str:
        return PYTHON.advice(self)


class MessageParts(NamedTuple):
    """What a message is made of: ``owner: subject problem, got value; advice``.

    owner : the class, method or file that states the problem.   subject : the argument that the line names.
    got : the value as text.   advice : ways out; a plain sentence is the same for every reader.
    """

    problem: str
    owner: str = ""
    subject: str = ""
    value: Any = None
    got: str = ""
    advice: tuple[Advice | str, ...] = ()


class Message(str):
    """One line for a reader of Python, with the `MessageParts` that other phrase books read."""

    __slots__ = ("parts",)
    parts: MessageParts

    def __new__(cls, problem: str, *, advice: Iterable[Advice | str] = (), **parts: Any) -> Self:
        made = MessageParts(problem, advice=tuple(advice), **parts)
        if made.value is not None and not made.got:
            made = made._replace(got=format_value(made.value))
        own = super().__new__(cls, PYTHON.line(made))
        own.parts = made
        return own

    def __reduce__(self) -> tuple[Any, ...]:
        plain = isinstance(self.parts.value, (int, float, str))  # other values may not cross to another process
        return _restore_message, (tuple(self.parts if plain else self.parts._replace(value=None)),)

    @classmethod
    def of(cls, text: str) -> Message:
        """A text as a message; a message as it is."""
        return text if isinstance(text, Message) else Message(text)

    def with_owner(self, owner: str) -> Message:
        """The same message of another owner; of none where a path or a heading names it already."""
        return Message(**self.parts._replace(owner=owner)._asdict())

    @property
    def statement(self) -> str:
        """The line without its advice."""
        return PYTHON.line(self.parts._replace(advice=()))

    def wrapped(self, before: str, after: str = "") -> Message:
        """The statement between two texts; the advice stays at the end."""
        if after:
            return Message(f"{before}{self.statement}{after}", advice=self.parts.advice)
        problem = PYTHON.line(self.parts._replace(got="", advice=()))
        return Message(**self.parts._replace(problem=f"{before}{problem}", owner="", subject="")._asdict())

    @classmethod
    def joined(cls, texts: Iterable[str], separator: str = "; ") -> Message:
        """Several messages as one: all statements, then all advice."""
        each = [cls.of(text) for text in texts]
        ways = (way for message in each for way in message.parts.advice)
        return Message(separator.join(message.statement for message in each), advice=ways)


def _restore_message(parts: tuple[Any, ...]) -> Message:
    return Message(**MessageParts(*parts)._asdict())


class PhraseBook:
    """Phrases messages for one kind of reader: this one for Python, subclasses for files, commands and pages."""

    def message(self, message: str) -> str:
        """The line of a message; a plain text as it is."""
        return self.line(message.parts) if isinstance(message, Message) else message

    def phrased(self, message: str) -> Message:
        """The message with its advice in words, for a reader that has no phrase book; the value stays data."""
        parts = Message.of(message).parts
        ways = [way if isinstance(way, str) else self.advice(way) for way in parts.advice]
        statement = self.line(parts._replace(got="", advice=()))
        return Message(statement, value=parts.value, got=parts.got, advice=dict.fromkeys(ways))

    def line(self, parts: MessageParts) -> str:
        """``owner: subject problem, got value; advice``; equal advice once."""
        subject = f"{self.argument(parts.subject)} " if parts.subject else ""
        statement = f"{parts.owner}: {subject}{parts.problem}" if parts.owner else f"{subject}{parts.problem}"
        ways = (way if isinstance(way, str) else self.advice(way) for way in parts.advice)
        statement += f", got {parts.got}" if parts.got else ""
        advice = "; ".join(dict.fromkeys(filter(None, ways)))
        if not statement or not advice:
            return statement or advice
        return f"{statement} {advice}" if statement.endswith("?") else f"{statement}; {advice}"

    def argument(self, argument: str) -> str:
        """The name of an argument."""
        return argument

    def advice(self, advice: Advice) -> str:
        """One way out, in words; alternatives each with their argument."""
        words = {}
        for name in advice.arguments:
            value = advice.values.get(name)
            each = value if isinstance(value, AnyOf) else (value,)
            words[name] = " or ".join(self.setting(name, own) for own in each)
        return advice.text.format_map(words)

    def setting(self, argument: str, value: Any) -> str:
        """An argument with its value, or alone: ``method="shooting"``, ``harmonics=``."""
        call = PYTHON_CALLS.get(argument)
        if call is None:
            return f"{argument}={'' if value is None else self.value(value)}"
        if isinstance(value, dict):
            return call.format(", ".join(f"{name}={self.value(each)}" for name, each in value.items()))
        return call.format("" if value is None else self.value(value))

    def value(self, value: Any) -> str:
        """A value as it is typed."""
        match value:
            case Spelling():
                return value.code
            case str():
                return f'"{value}"'
            case tuple():
                return f"({', '.join(map(self.value, value))})"
            case list():
                return f"[{', '.join(map(self.value, value))}]"
            case dict():
                return f"{{{', '.join(f'{self.value(key)}: {self.value(each)}' for key, each in value.items())}}}"
        return "..." if value is ... else format_value(value)


# what is no argument in Python, but a call or an attribute
PYTHON_CALLS = {
    "array_element": "choose one of its numbers with isel",
    "compare_laws": "compare laws with ss.rank",
    "sweep_part": "choose a part, such as sweep.{}",
    "constant": "ss.Constant",
    "limit_cycle": "m.limit_cycle(start=run)",
    "named_load": 'm.load(x, ..., name="forcing")',
    "certificate": "run.certificate",
    "condense": "m.condense(keep=[...], modes=20)",
    "coordinate": 'm.coordinate("x", inertia=...)',
    "frequency_response": "m.frequency_response(between=...)",
    "periodic": "m.periodic(frequency=...)",
    "periodic_load": "m.load(x, ss.Cosine(1.0, order=1))",
    "regularised": "law.regularised({}, rounding=..., width=...)",
    "remove_drift": "use loop.without_drift()",
    "remove_offset": "use loop.without_offset()",
    "scale": "loop.scaled({})",
    "scaled": "scaled()",
    "sign": "loop.with_correct_sign()",
    "scale_one_loop": "use loop.scaled(deflection=1e-3)",
    "special": "curve.special",
    "swapped_columns": "use Loop(force, deflection), or name the columns of the file",
    "times": "give them: Loop(u, f, t)",
    "trace": "law.trace(u, t)",
}
PYTHON = PhraseBook()


def format_value(value: Any) -> str:
    """A value in a message: numbers to six digits, all else as Python shows it, in short."""
    return f"{value:g}" if isinstance(value, float) else short_repr(value)


# ---- exceptions


class SlipstickError(Exception):
    """Base of everything slipstick raises on purpose.

    problem : what is wrong.   argument : the one it concerns.   bound : what it must satisfy.
    advice : ways out.   parts : ``owner``, ``subject``, ``value`` and ``got`` of `MessageParts`.
    """

    def __init__(
        self,
        problem: str,
        *,
        argument: str | None = None,
        bound: str | None = None,
        advice: Iterable[Advice | str] = (),
        **parts: Any,
    ) -> None:
        known = Message.of(problem).parts._replace(**parts)
        self.message = Message(**known._replace(advice=(*known.advice, *advice))._asdict())
        self.argument, self.bound = argument or known.subject or None, bound

    @property
    def problem(self) -> str:
        return self.message.parts.problem

    @property
    def value(self) -> Any:
        return self.message.parts.value

    @property
    def advice(self) -> tuple[Advice | str, ...]:
        return self.message.parts.advice

    def __str__(self) -> str:
        return str(self.message)


class InvalidInput(SlipstickError, ValueError):
    """A value that cannot be used; nothing has run yet. ``sample`` is the number of the sample in a series."""

    sample: int | None = None

    def at(self, sample: int) -> Self:
        """The same error with the sample of a series that it concerns, so that a file can name the line."""
        self.sample = sample
        return self

    def about(self, argument: str) -> Self:
        """The same error with the argument that it concerns, so that a file can name the line."""
        self.argument = argument
        return self


class WrongArguments(InvalidInput, TypeError):
    """A call with an argument that is unknown, missing or not named."""


class FileError(InvalidInput):
    """Bad input in a file: ``file:line: path: problem, got value; advice``."""

    def __init__(
        self, file: str, line: int | None, path: str, problem: str, *, advice: Iterable[Advice | str] = ()
    ) -> None:
        where = f"{file}:{line}" if line is not None else file
        super().__init__(problem, owner=f"{where}: {path}" if path else where, advice=advice)
        self.file, self.line, self.path = file, line, path


class MissingFace(SlipstickError, TypeError):
    """A law lacks the face that a method needs; the message names the methods that work."""


class NotConverged(SlipstickError):
    """A numerical failure. ``partial`` holds what was reached before it; ``interrupted``: it was Ctrl-C."""

    def __init__(self, problem: str, partial: Any = None, *, interrupted: bool = False, **parts: Any) -> None:
        super().__init__(problem, **parts)
        self.partial, self.interrupted = partial, interrupted


def number_error(owner: str, argument: str, value: Any, bound: str = "") -> InvalidInput:
    """The error of a value that is no number; a quantity with a unit gets the hint that Python takes SI."""
    hint = unit_hint(value).removeprefix("; ")
    bound = f"a number{bound}"
    return InvalidInput(
        f"must be {bound}",
        owner=owner,
        subject=argument,
        value=value,
        got=short_repr(value),
        bound=bound,
        advice=[hint],
    )


def finite_float(name: str, value: Any, owner: str = "") -> float:
    """``value`` as a finite float, or an error about ``name``."""
    if isinstance(value, (bool, str)) or value is None:
        raise number_error(owner, name, value)
    try:
        number = float(value)
    except OverflowError:  # a whole number beyond all floats
        number = math.inf
    except (TypeError, ValueError):
        raise number_error(owner, name, value) from None
    if not math.isfinite(number):
        raise InvalidInput("must be finite", owner=owner, subject=name, value=number, bound="finite")
    return number


def quote_braces(text: str) -> str:
    """A text of a user inside the text of an `Advice`, whose braces are arguments."""
    return text.replace("{", "{{").replace("}", "}}")


def short_repr(value: Any, width: int = 60) -> str:
    """A value as it appears in a message: short, on one line."""
    text = repr(value).replace("\n", " ")
    return text if len(text) <= width else text[: width - 3] + "..."


def warning_message(warning: Warning | str) -> Message:
    """What a warning says, with its advice."""
    return Message.of(warning.args[0] if isinstance(warning, Warning) and warning.args else str(warning))


def os_error_reason(error: OSError) -> str:
    """What the system says went wrong, as a part of a message: ``no space left on device``."""
    return (error.strerror or str(error)).lower()


def unit_hint(value: Any) -> str:
    """The hint for a quantity with a unit, such as "5 mm", in Python; nothing for other values."""
    if not isinstance(value, str) or not _QUANTITY.fullmatch(value.strip()):
        return ""
    return "; write a plain number in SI (m, rad, kg, N, s), without quotes; only files take units"


def arguments_in_words(function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """Refuse arguments that a method does not know, or needs, with a hint instead of Python's own words."""
    signature = inspect.signature(function)
    known = [p for p in signature.parameters.values() if p.name not in ("self", "cls")]
    words = ", ".join(f"{p.name}=" if p.kind is p.KEYWORD_ONLY else p.name for p in known)

    @wraps(function)
    def checked(*positional: Arguments.args, **named: Arguments.kwargs) -> Result:
        try:
            return function(*positional, **named)
        except TypeError:
            refuse(positional, named)  # only after an error: binding takes longer than some of the calls
            raise

    def refuse(positional: tuple[Any, ...], named: dict[str, Any]) -> None:
        try:
            signature.bind(*positional, **named)
        except TypeError as problem:
            unknown = next((name for name in named if name not in signature.parameters), None)
            what = str(problem)
            if unknown:
                what = f'no argument "{unknown}"{did_you_mean(unknown, [p.name for p in known], lists=False)}'
            advice = f"it takes {words}" if words else "it takes no arguments"
            raise WrongArguments(what, owner=function.__name__, advice=[advice]) from None

    return checked


def fields_in_words(aliases: Mapping[str, str]) -> Callable[[type[ClassT]], type[ClassT]]:
    """Refuse arguments that a dataclass does not know, or needs, in one line with the way that works.

    aliases : names that are used elsewhere, and what to write here.
    """

    def changed(made: type[ClassT]) -> type[ClassT]:
        plain, own = made.__init__, fields(made)  # type: ignore[arg-type]
        known = [f.name for f in own]
        words = ", ".join(f"{f.name}=" if f.kw_only else f.name for f in own)
        most = sum(not f.kw_only for f in own)

        @wraps(plain)
        def checked(self: Any, *positional: Any, **named: Any) -> None:
            for name in named:
                if name not in known:
                    way = f" (use {aliases[name]})" if name in aliases else did_you_mean(name, known, lists=False)
                    raise WrongArguments(f'{made.__name__} has no argument "{name}"{way}; it takes {words}')
            given = [*known[: len(positional)], *named]
            missing = [f.name for f in own if f.default is MISSING and f.name not in given]
            if missing or len(set(given)) < len(given) or len(positional) > most:
                wrong = f"needs {', '.join(missing)}" if missing else "was given too many arguments"
                raise WrongArguments(f"{made.__name__} {wrong}; it takes {words}")
            plain(self, *positional, **named)

        made.__init__ = checked  # type: ignore[method-assign]
        return made

    return changed
