"""Exceptions of the package, as one tree.

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
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import MISSING, fields
from functools import wraps
from typing import Any, ParamSpec, Self, TypeVar

MAX_LISTED_NAMES = 30  # names that a hint lists
_QUANTITY = re.compile(r"[-+]?\.?\d[\d.]*(e[-+]?\d+)?(\s*[^\d\s].*)?", re.IGNORECASE)  # "5", "5 mm", "1e3N/m"

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")
ClassT = TypeVar("ClassT")


class SlipstickError(Exception):
    """Base of everything slipstick raises on purpose."""


class InvalidInput(SlipstickError, ValueError):
    """A value that cannot be used; nothing has run yet. ``argument`` is the one it is about, where it is one.

    ``sample`` is the one of a series. ``file_words`` and ``command_words`` say the same where they are not empty.
    """

    argument: str | None = None
    sample: int | None = None
    file_words = ""
    command_words = ""

    def in_files(self, words: str) -> Self:
        """The same, with other words for who wrote a file and not Python."""
        self.file_words = words
        return self

    def in_commands(self, words: str) -> Self:
        """The same, with other words for who types a command and not Python."""
        self.command_words = words
        return self

    def at(self, sample: int) -> Self:
        """The same, with the sample of a series that it is about: a file can say on which line that is."""
        self.sample = sample
        return self

    def about(self, argument: str) -> Self:
        """The same, with the argument that it is about: a file that has it on some line can say which."""
        self.argument = argument
        return self


class WrongArguments(InvalidInput, TypeError):
    """Something was called with an argument it does not know, without one it needs, or without naming it."""


class FileError(InvalidInput):
    """Bad input in a file: ``file:line: path: what, value, bound, way out``."""

    def __init__(self, file: str, line: int | None, path: str, problem: str) -> None:
        where = f"{file}:{line}" if line is not None else file
        super().__init__(f"{where}: {path}: {problem}" if path else f"{where}: {problem}")
        self.file, self.line, self.path, self.problem = file, line, path, problem

    def in_commands(self, words: str) -> Self:
        """The same problem in other words; file, line and path stay before them."""
        return super().in_commands(str(self).removesuffix(self.problem) + words)


class MissingFace(SlipstickError, TypeError):
    """A law lacks the face that a method needs; the message names the methods that work."""


class NotConverged(SlipstickError):
    """A numerical failure. ``partial`` holds what was reached before it; ``interrupted``: it was Ctrl-C."""

    def __init__(self, message: str, partial: Any = None, *, interrupted: bool = False) -> None:
        super().__init__(message)
        self.partial, self.interrupted = partial, interrupted


def did_you_mean(word: str, known: Iterable[str], lists: bool = True) -> str:
    """`` (did you mean "limit"?)`` if a known name is close to ``word``, else the list of names if it ``lists``."""
    names = [str(name) for name in known]
    meant = _name_here(str(word), names)
    if meant:
        return f" (did you mean {meant}?)"
    close = difflib.get_close_matches(str(word), names, n=1, cutoff=0.6)
    if close:
        return f' (did you mean "{close[0]}"?)'
    return f" (known: {', '.join(sorted(names))})" if names and lists else ""


def name_hint(word: str, known: Collection[str]) -> str:
    """`` (did you mean ...?)``, or the known names, of which a long list is cut."""
    if not known:
        return ""
    text = did_you_mean(word, known)
    if "did you mean" in text or len(known) <= MAX_LISTED_NAMES:
        return text
    few = ", ".join(list(known)[:5])
    return f" ({len(known)} are known: {few} ...)"


# what things are called elsewhere, in small letters and digits alone; those that are known where it is said are offered
_OTHER_NAMES = {
    "coulomb drycoulomb coulombfriction friction": ("dryfriction",),
    "gap": ("halfgap", "freeplay"),
    "backlash play deadzone deadband clearance": ("freeplay",),
    "spring dashpot damper viscous springdamper": ("linear",),
    "slider elastoplastic jenkinselement elasticslider": ("jenkins",),
    "maxwellslip": ("iwan",),
    "bilinear": ("masing", "jenkins"),
    "hysteresis": ("masing", "dahl", "boucwen"),
    "duffing cubic": ("polynomial",),
    "impact wall bumper onesided unilateral": ("contact",),
    "dt timestep deltat maxstep": ("step", "samples"),
    "tend tfinal tmax tstop tf endtime finaltime duration tspan": ("until",),
    "t0 tstart starttime begin": ("start",),
    "tol rtol reltol atol": ("tolerance",),
    "solver integrator": ("method",),
    "npoints nsamples numsamples teval points": ("samples",),
    "omega freq basefrequency": ("frequency",),
    "m mass": ("inertia",),
    "k": ("stiffness",),
    "c": ("damping",),
    "mu fc coulombforce slidingforce": ("limit",),
    "x0 q0 u0": ("displacement",),
    "v0": ("velocity",),
}
_NAMES_HERE = {name: others for names, others in _OTHER_NAMES.items() for name in names.split()}


def _simplified_name(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _name_here(word: str, names: Iterable[str]) -> str:
    """``"step" or "samples"``: the names here for what is called ``word`` elsewhere."""
    here = {_simplified_name(name): name for name in names}
    found = [f'"{here[other]}"' for other in _NAMES_HERE.get(_simplified_name(word), ()) if other in here]
    return " or ".join([", ".join(found[:-1]), found[-1]] if len(found) > 1 else found)


def short_repr(value: Any, width: int = 60) -> str:
    """A value as it appears in a message: short, on one line."""
    text = repr(value).replace("\n", " ")
    return text if len(text) <= width else text[: width - 3] + "..."


def os_error_reason(error: OSError) -> str:
    """What the system says went wrong, as a part of a message: ``no space left on device``."""
    return (error.strerror or str(error)).lower()


def unit_hint(value: Any) -> str:
    """What to tell who writes "5 mm" in Python; nothing for other values."""
    if not isinstance(value, str) or not _QUANTITY.fullmatch(value.strip()):
        return ""
    return "; units are for files, numbers in Python are in SI (m, rad, kg, N, s) and stand without quotes"


def arguments_in_words(function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """Refuse arguments that a method does not know, or needs, with a hint instead of Python's own words."""
    signature = inspect.signature(function)
    known = [p for p in signature.parameters.values() if p.name != "self"]
    words = ", ".join(f"{p.name}=" if p.kind is p.KEYWORD_ONLY else p.name for p in known)

    @wraps(function)
    def checked(*positional: Arguments.args, **named: Arguments.kwargs) -> Result:
        try:
            return function(*positional, **named)
        except TypeError:
            refuse(positional, named)  # looked at only now: binding takes longer than some of the calls
            raise

    def refuse(positional: tuple[Any, ...], named: dict[str, Any]) -> None:
        try:
            signature.bind(*positional, **named)
        except TypeError as problem:
            unknown = next((name for name in named if name not in signature.parameters), None)
            what = (
                f'no argument "{unknown}"{did_you_mean(unknown, [p.name for p in known])}' if unknown else str(problem)
            )
            raise WrongArguments(f"{function.__name__}: {what}; it takes {words}") from None

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
                    way = f" (use {aliases[name]})" if name in aliases else did_you_mean(name, known)
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
