"""What a sweep is of, in small digests by name, so that a changed study can say what has changed.

A function counts by its source without comments and layout, with its defaults, what it closes over, and the functions,
classes and constants of somebody's own that it uses by name; installed packages count by their version at most.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any, Protocol, runtime_checkable

import numpy as np

from slipstick.sweeps.digests import SHORT, cells, digest, is_own, is_own_module, source
from slipstick.sweeps.plan import Plan

MARK = " #"  # between words on something and its digest


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
            handed = dimension.objects.get(name, column)
            found[f"over {name}"] = f"{_range(column)}{MARK}{digest([column, handed])}"
    # points are known by their numbers: other dimensions, or another order of them, are another plan
    words = [f"{d.name} ({', '.join(d.columns)})" for d in plan.dimensions]
    return found | {"dimensions": " x ".join(words)}


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


def _follow(thing: Any, name: str, found: dict[str, str]) -> None:
    """Put digests of a function and of what it uses into ``found``."""
    if name in found:  # it was met before; or another of the same name, in another module
        name = f"{getattr(thing, '__module__', '')}.{name}"
        if name in found or not isinstance(thing, (FunctionType, type)):
            return
    if isinstance(thing, functools.partial):
        found[name] = digest([thing.args, thing.keywords])
        _follow(thing.func, getattr(thing.func, "__name__", "function"), found)
    elif isinstance(thing, MethodType):
        _follow(thing.__func__, name, found)
        found[f"{name} self"] = digest(thing.__self__)
    elif isinstance(thing, FunctionType):
        _follow_function(thing, name, found)
    elif isinstance(thing, type):
        found[name] = digest(thing)
    elif isinstance(thing, ModuleType):
        return
    else:
        found[name] = digest(thing)


def _follow_function(function: FunctionType, name: str, found: dict[str, str]) -> None:
    code = function.__code__
    found[name] = digest([source(function) or code, function.__defaults__, function.__kwdefaults__ or {}])
    for held, value in cells(function).items():
        _follow_own(value, held, found)
    names = _names_in(code)
    for used in names:
        if used in function.__globals__:
            _follow_own(function.__globals__[used], used, found, names)


def _follow_own(thing: Any, name: str, found: dict[str, str], names: Sequence[str] = ()) -> None:
    """Follow what is somebody's own: nothing of an installed package or of this one. Of a module, what is used of it.

    names : that the function uses, attributes of modules among them.
    """
    thing = _unwrapped(thing)
    if isinstance(thing, ModuleType):
        if is_own_module(thing):
            for used in names:
                if hasattr(thing, used):
                    _follow_own(getattr(thing, used), f"{name}.{used}", found)
        return
    if isinstance(thing, (FunctionType, type)) and not is_own(thing):
        return
    if isinstance(thing, BuiltinFunctionType | np.ufunc):
        return
    _follow(thing, name, found)


def _unwrapped(thing: Any) -> Any:
    """The function that a cache, a compiler or another decorator stands before."""
    while not isinstance(thing, (FunctionType, type)):
        inner = getattr(thing, "__wrapped__", None) or getattr(thing, "py_func", None)
        if inner is None:
            return thing
        thing = inner
    return thing


def _names_in(code: CodeType) -> list[str]:
    """Names that a function may look up, those of functions inside it too."""
    names = list(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            names += _names_in(constant)
    return names


def _range(column: Any) -> str:
    count = f"{len(column)} value{'' if len(column) == 1 else 's'}"
    if isinstance(column, np.ndarray) and column.dtype.kind in "if":
        return f"{count} from {column.min():.6g} to {column.max():.6g}"
    return count
