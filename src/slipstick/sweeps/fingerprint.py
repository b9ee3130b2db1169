"""What a sweep is of, in small digests by name, so that a changed study can say what has changed.

A function counts by its source without comments and layout, with its defaults, what it closes over, and the functions,
classes and constants of somebody's own that it uses by name; installed packages count by their version at most.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import inspect
import sysconfig
import textwrap
from collections.abc import Mapping
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any, Protocol, runtime_checkable

import numpy as np

from slipstick.sweeps.plan import Plan

SHORT = 16  # hexadecimal digits of a digest
MARK = " #"  # between words on something and its digest
PLAIN = (bool, int, float, complex, str, bytes, type(None))
_INSTALLED = tuple({sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")})


@runtime_checkable
class Described(Protocol):
    """Something to be called that says itself what it is made of."""

    def described(self) -> dict[str, str]:
        """Digests or short texts by name."""
        ...


def of_plan(plan: Plan) -> dict[str, str]:
    """``over limit``: a digest of its values, how many they are, and between which."""
    found = {}
    for dimension in plan.dimensions:
        for name, column in dimension.columns.items():
            found[f"over {name}"] = f"{_range(column)}{MARK}{digest(column)}"
    return found


def of_function(function: Any, role: str) -> dict[str, str]:
    """Digests by name, each name beginning with the role: ``build tensioner``, ``build CONSTANT``."""
    if isinstance(function, Described):
        return {f"{role} {name}": text for name, text in function.described().items()}
    found: dict[str, str] = {}
    _follow(function, getattr(function, "__name__", type(function).__name__), found)
    return {f"{role} {name}": text for name, text in found.items()}


def together(parts: Mapping[str, str]) -> str:
    """One digest of all."""
    return digest(sorted(parts.items()))


def changes(before: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    """What is different, in words, a line each."""
    told = []
    for name in {**before, **now}:
        if name not in now:
            told.append(f"{name} is gone")
        elif name not in before:
            told.append(f"{name} is new")
        elif before[name] != now[name]:
            told.append(f"{name} {_difference(before[name], now[name])}")
    return told


def _difference(before: str, now: str) -> str:
    """``was 3 values from 1 to 2, is 4 values from 1 to 2``; only that it has changed where words do not tell."""
    words = [text.split(MARK)[0] for text in (before, now)]
    if words[0] == words[1] or all(len(text) == SHORT and set(text) <= set("0123456789abcdef") for text in words):
        return "has changed"
    return f"was {words[0]}, is {words[1]}"


def digest(value: Any) -> str:
    """A short digest of plain values, arrays, and lists and mappings of them."""
    seen = hashlib.sha256()
    _feed(seen, value)
    return seen.hexdigest()[:SHORT]


def _feed(seen: Any, value: Any) -> None:
    if isinstance(value, np.ndarray):
        seen.update(f"{value.dtype.str}{value.shape}".encode() + np.ascontiguousarray(value).tobytes())
    elif isinstance(value, Mapping):
        for key in value:
            _feed(seen, (repr(key), value[key]))
    elif isinstance(value, (list, tuple)):
        seen.update(f"[{len(value)}".encode())
        for each in value:
            _feed(seen, each)
    elif isinstance(value, CodeType):
        _feed(seen, (value.co_code, value.co_names, value.co_varnames, value.co_consts))
    else:
        seen.update(_told(value).encode())


def _told(value: Any) -> str:
    """A value as text that does not change from one process to the next."""
    if isinstance(value, PLAIN):
        return f"{type(value).__name__} {value!r}"
    if isinstance(value, (set, frozenset)):
        return f"set {sorted(map(repr, value))}"
    if " at 0x" in repr(value):  # where it lies in memory says nothing
        return f"{type(value).__module__}.{type(value).__qualname__}"
    return repr(value)


def _follow(thing: Any, name: str, found: dict[str, str]) -> None:
    """Put digests of a function and of what it uses into ``found``."""
    if name in found:
        return
    if isinstance(thing, functools.partial):
        found[name] = digest([thing.args, thing.keywords])
        _follow(thing.func, getattr(thing.func, "__name__", "function"), found)
    elif isinstance(thing, MethodType):
        _follow(thing.__func__, name, found)
        found[f"{name} self"] = digest(_told(thing.__self__))
    elif isinstance(thing, FunctionType):
        _follow_function(thing, name, found)
    elif isinstance(thing, type):
        found[name] = digest(_source(thing) or thing.__qualname__)
    elif callable(thing):
        found[name] = digest([_source(type(thing)) or "", _told(thing)])
    elif isinstance(thing, ModuleType):
        return
    else:
        found[name] = digest(thing)


def _follow_function(function: FunctionType, name: str, found: dict[str, str]) -> None:
    code = function.__code__
    found[name] = digest([_source(function) or code, function.__defaults__, function.__kwdefaults__ or {}])
    for cell_name, cell in zip(code.co_freevars, function.__closure__ or ()):
        _follow_own(cell.cell_contents, cell_name, found)
    for used in _names_in(code):
        if used in function.__globals__:
            _follow_own(function.__globals__[used], used, found)


def _follow_own(thing: Any, name: str, found: dict[str, str]) -> None:
    """Follow what is somebody's own: no module, nothing of an installed package or of this one."""
    if isinstance(thing, ModuleType):
        return
    if isinstance(thing, (FunctionType, type)) and not _is_own(thing):
        return
    if callable(thing) and not isinstance(thing, (FunctionType, type, MethodType, functools.partial)):
        return  # a builtin, a ufunc, an object of a package
    _follow(thing, name, found)


def _is_own(thing: Any) -> bool:
    module = getattr(thing, "__module__", "") or ""
    if module.split(".")[0] == "slipstick":
        return False
    try:
        file = inspect.getfile(thing)
    except (TypeError, OSError):
        return module == "__main__"
    return not file.startswith(_INSTALLED)


def _names_in(code: CodeType) -> list[str]:
    """Names that a function may look up, those of functions inside it too."""
    names = list(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            names += _names_in(constant)
    return names


def _source(thing: Any) -> str:
    """The source without comments and layout; nothing where it cannot be had."""
    try:
        return ast.dump(ast.parse(textwrap.dedent(inspect.getsource(thing))))
    except (OSError, TypeError, SyntaxError):
        return ""


def _range(column: Any) -> str:
    count = f"{len(column)} value{'' if len(column) == 1 else 's'}"
    if isinstance(column, np.ndarray) and column.dtype.kind in "if":
        return f"{count} from {column.min():.6g} to {column.max():.6g}"
    return count
