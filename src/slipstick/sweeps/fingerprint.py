"""Digests of a study by name, which show what has changed.

The digest of a function covers its source without comments and layout, its defaults, its closure, and the user's
functions, classes and constants that it uses by name; that of a class its source, its attributes and what its methods
use; that of a module imported inside a function the whole file. Installed packages count by their version at most.
"""

from __future__ import annotations

import dis
import functools
from collections.abc import Mapping, Sequence
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any, Protocol, runtime_checkable

import numpy as np

from slipstick.sweeps.digests import (
    DIGEST_LENGTH,
    class_methods,
    closure_values,
    digest,
    is_user_code,
    is_user_module,
    module_text,
    source_text,
)
from slipstick.sweeps.digests import unwrapped as _unwrapped
from slipstick.sweeps.plan import Plan

DIGEST_SEPARATOR = " #"  # between words on something and its digest
MAX_MODULE_DEPTH = 4  # dots in the name of a module within modules


@runtime_checkable
class SelfDescribing(Protocol):
    """A callable that describes its own contents."""

    def described(self) -> dict[str, str]:
        """Digests or short texts by name."""
        ...


def plan_digests(plan: Plan) -> dict[str, str]:
    """``over limit``: a digest of its values, how many they are, and between which."""
    found = {}
    for dimension in plan.dimensions:
        for name, column in dimension.columns.items():
            handed = dimension.objects.get(name, column)
            found[f"over {name}"] = f"{_describe_range(column)}{DIGEST_SEPARATOR}{digest([column, handed])}"
    # points are numbered: other dimensions, or another order, are another plan
    words = [f"{d.name} ({', '.join(d.columns)})" for d in plan.dimensions]
    return found | {"dimensions": " x ".join(words)}


def function_digests(function: Any, role: str) -> dict[str, str]:
    """Digests by name, each name beginning with the role: ``build tensioner``, ``build CONSTANT``."""
    if isinstance(function, SelfDescribing):
        return {f"{role} {name}": text for name, text in function.described().items()}
    found = _DigestTable()
    _follow(function, getattr(function, "__name__", type(function).__name__), found)
    return {f"{role} {name}": text for name, text in found.items()}


def combined_digest(parts: Mapping[str, str]) -> str:
    """One digest of all."""
    return digest(sorted(parts.items()))


def describe_changes(before: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    """The differences in words, one line each."""
    changes = []
    for name in {**before, **now}:
        if name not in now:
            changes.append(f"{name} is gone")
        elif name not in before:
            changes.append(f"{name} is new")
        elif before[name] != now[name]:
            changes.append(f"{name} {_describe_difference(before[name], now[name])}")
    return changes


def _describe_difference(before: str, now: str) -> str:
    """``was 3 values from 1 to 2, is 4 values from 1 to 2``; only "has changed" for plain digests."""
    words = [text.split(DIGEST_SEPARATOR)[0] for text in (before, now)]
    if words[0] == words[1] or all(
        len(text) == DIGEST_LENGTH and set(text) <= set("0123456789abcdef") for text in words
    ):
        return "has changed"
    return f"was {words[0]}, is {words[1]}"


class _DigestTable(dict[str, str]):
    """Digests by name, and the objects followed already."""

    def __init__(self) -> None:
        super().__init__()
        self._followed: list[Any] = []

    def is_new(self, thing: Any) -> bool:
        """True the first time it is called with an object."""
        if any(thing is other for other in self._followed):
            return False
        self._followed.append(thing)
        return True

    def put(self, name: str, text: str) -> None:
        """Of two different things with one name, as constants of two modules, the later gets another."""
        while self.get(name, text) != text:
            name += "'"
        self[name] = text


def _follow(thing: Any, name: str, found: _DigestTable) -> None:
    """Put digests of a function and of all that it uses into ``found``."""
    if isinstance(thing, functools.partial):
        found.put(name, digest([thing.args, thing.keywords]))
        _follow(thing.func, getattr(thing.func, "__name__", "function"), found)
    elif isinstance(thing, MethodType):
        _follow(thing.__func__, name, found)
        found.put(f"{name} self", digest(thing.__self__))
    elif isinstance(thing, FunctionType):
        if found.is_new(thing):
            _follow_function(thing, name, found)
    elif isinstance(thing, type):
        if found.is_new(thing):
            found.put(name, digest(thing))
            _follow_methods(thing, found)
    elif not isinstance(thing, ModuleType):
        found.put(name, digest(thing))
        if is_user_code(type(thing)) and found.is_new(type(thing)):
            _follow_methods(type(thing), found)


def _follow_function(function: FunctionType, name: str, found: _DigestTable) -> None:
    code = function.__code__
    found.put(name, digest([source_text(function) or code, function.__defaults__, function.__kwdefaults__ or {}]))
    for held, value in closure_values(function).items():
        _follow_own(value, held, found)
    _follow_names(function, found)


def _follow_methods(kind: type, found: _DigestTable) -> None:
    """Follow the names that methods of a class use; their source is in that of the class."""
    for each in kind.__mro__:
        for held in vars(each).values() if is_user_code(each) else ():
            for method in class_methods(held):
                _follow_names(method, found)


def _follow_names(function: FunctionType, found: _DigestTable) -> None:
    names = _names_in(function.__code__)
    for used in names:
        if used in function.__globals__:
            _follow_own(function.__globals__[used], used, found, names)
    for imported in _imports_in(function.__code__):
        text = module_text(imported)
        if text:
            found.put(f"import {imported}", digest(text))


def _follow_own(thing: Any, name: str, found: _DigestTable, names: Sequence[str] = ()) -> None:
    """Follow the user's code, not installed packages or this one; of a module the names that are used.

    names : that the function uses, attributes of modules among them.
    """
    thing = _unwrapped(thing)
    if isinstance(thing, ModuleType):
        if is_user_module(thing) and name.count(".") < MAX_MODULE_DEPTH:
            for used in names:
                if hasattr(thing, used):
                    _follow_own(getattr(thing, used), f"{name}.{used}", found, names)
        return
    if isinstance(thing, (FunctionType, type)) and not is_user_code(thing):
        return
    if isinstance(thing, BuiltinFunctionType | np.ufunc):
        return
    _follow(thing, name, found)


def _imports_in(code: CodeType) -> list[str]:
    """Modules that a function imports, also in functions inside it."""
    found = [step.argval for step in dis.get_instructions(code) if step.opname == "IMPORT_NAME"]
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            found += _imports_in(constant)
    return found


def _names_in(code: CodeType) -> list[str]:
    """Names that a function may look up, those of functions inside it too."""
    names = list(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            names += _names_in(constant)
    return names


def _describe_range(column: Any) -> str:
    count = f"{len(column)} value{'' if len(column) == 1 else 's'}"
    if isinstance(column, np.ndarray) and column.dtype.kind in "if":
        return f"{count} from {column.min():.6g} to {column.max():.6g}"
    return count
