"""Short digests of values by content, the same in every process."""

from __future__ import annotations

import ast
import functools
import hashlib
import inspect
import sys
import sysconfig
import textwrap
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from types import CodeType, FunctionType, GetSetDescriptorType, MemberDescriptorType, MethodType, ModuleType
from typing import Any

import numpy as np

DIGEST_LENGTH = 16  # hexadecimal digits
PLAIN_TYPES = (bool, int, float, complex, str, bytes, type(None))
SLOT_DESCRIPTORS = (MemberDescriptorType, GetSetDescriptorType)  # descriptors of slots
_INSTALLED = tuple({sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")})


def digest(value: Any, within: tuple[int, ...] = ()) -> str:
    """A short digest of a value by its contents.   within : ids of its containers."""
    seen = hashlib.sha256()
    _update_digest(seen, value, within)
    return seen.hexdigest()[:DIGEST_LENGTH]


def source_text(thing: Any) -> str:
    """The source without comments and layout; empty if unknown, and for a lambda, whose line holds more."""
    if getattr(thing, "__name__", "") == "<lambda>":
        return ""
    # of a decorated function the decorator's; the function inside is among the closure values
    own = thing.__code__ if isinstance(thing, FunctionType) else thing
    try:
        return ast.dump(ast.parse(textwrap.dedent(inspect.getsource(own))))
    except (OSError, TypeError, SyntaxError):
        return ""


def is_user_code(thing: Any) -> bool:
    """True if a function or class is the user's: not of an installed package, and not of this one."""
    module = getattr(thing, "__module__", "") or ""
    if module.split(".")[0] == "slipstick":
        return False
    if module == "__main__":  # a script, whatever runs it, or a prompt
        return True
    try:
        file = inspect.getfile(thing)
    except (TypeError, OSError):
        return False
    return not file.startswith(_INSTALLED)


def is_user_module(module: ModuleType) -> bool:
    """The same of a module."""
    file = getattr(module, "__file__", None)
    return module.__name__.split(".")[0] != "slipstick" and isinstance(file, str) and not file.startswith(_INSTALLED)


def module_text(name: str) -> str:
    """The source of a user's module without comments and layout; empty for others."""
    try:
        found = find_spec(name)
    except (ImportError, ValueError, AttributeError):
        return ""
    file = found.origin if found is not None else None
    if file is None or not file.endswith(".py") or file.startswith(_INSTALLED) or name.split(".")[0] == "slipstick":
        return ""
    try:
        return ast.dump(ast.parse(Path(file).read_bytes()))
    except (OSError, SyntaxError, ValueError):
        return ""


def closure_values(function: FunctionType) -> dict[str, Any]:
    """The closure values of a function by name, without empty cells."""
    found = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
        try:
            found[name] = cell.cell_contents
        except ValueError:
            continue
    return found


def _update_digest(seen: Any, value: Any, within: tuple[int, ...]) -> None:
    """Put a value into a digest.   within : ids of its containers, against endless recursion."""
    if id(value) in within:
        seen.update(b"again")
        return
    inside = (*within, id(value))
    parts = _parts_of_value(value, inside)
    seen.update(f"{type(value).__qualname__}{len(parts)}(".encode())
    for part in parts:
        if isinstance(part, bytes):
            seen.update(part)
        else:
            _update_digest(seen, part, inside)
    seen.update(b")")


def _parts_of_value(value: Any, inside: tuple[int, ...]) -> list[Any]:
    """The parts of a value: bytes, or other values."""
    if isinstance(value, PLAIN_TYPES):
        return [repr(value).encode()]
    if isinstance(value, np.generic):
        return [value.dtype.str.encode(), repr(value.item()).encode()]
    if isinstance(value, np.ndarray):
        if value.dtype.hasobject:
            return [repr(value.shape).encode(), value.ravel().tolist()]
        mask = [np.ma.getmaskarray(value).tobytes()] if isinstance(value, np.ma.MaskedArray) else []
        plain = np.ascontiguousarray(np.asarray(value))
        return [f"{value.dtype.str}{value.shape}".encode(), plain.tobytes(), *mask]
    if isinstance(value, (set, frozenset)):
        return [each.encode() for each in sorted(digest(each, inside) for each in value)]
    if isinstance(value, Mapping):
        return sorted((digest(key, inside), digest(entry, inside)) for key, entry in value.items())
    if isinstance(value, (list, tuple)):
        return list(value)
    return _parts_of_code(value) if _is_code(value) else _parts_of_object(value)


def _is_code(value: Any) -> bool:
    return isinstance(value, (CodeType, FunctionType, MethodType, ModuleType, functools.partial, type))


def _parts_of_code(value: Any) -> list[Any]:
    match value:
        case CodeType():
            return [value.co_code, value.co_names, value.co_varnames, value.co_consts]
        case FunctionType():
            held = [value.__defaults__, value.__kwdefaults__ or {}, closure_values(value)]
            return [source_text(value) or value.__code__, *held]
        case MethodType():
            return [value.__func__, value.__self__]
        case ModuleType():
            return [value.__name__.encode()]
        case functools.partial():
            return [value.func, value.args, value.keywords]
    own = [each for each in value.__mro__ if is_user_code(each)]
    return [value.__qualname__.encode(), *(part for each in own for part in (source_text(each), _attributes(each)))]


def _attributes(kind: type) -> dict[str, Any]:
    """The attributes of a class by name; they may differ from its source, or there is none."""
    found: dict[str, Any] = {}
    for name, held in vars(kind).items():
        behind = class_methods(held)
        if behind:
            found[name] = [each for each in behind if is_user_code(each)]
        elif not name.startswith(("__", "_abc_")) and not isinstance(held, SLOT_DESCRIPTORS):
            found[name] = held
    return found


def class_methods(held: Any) -> list[FunctionType]:
    """The functions behind an attribute of a class: of a method, a property or a cached property."""
    if isinstance(held, property):
        behind = [held.fget, held.fset, held.fdel]
    else:
        behind = [held.func if isinstance(held, functools.cached_property) else getattr(held, "__func__", held)]
    return [each for each in map(unwrapped, behind) if isinstance(each, FunctionType)]


def unwrapped(thing: Any) -> Any:
    """The function behind a cache, a compiler or another decorator."""
    while not isinstance(thing, type) and not (isinstance(thing, FunctionType) and is_user_code(thing)):
        inner = getattr(thing, "__wrapped__", None) or getattr(thing, "py_func", None)
        if inner is None:
            return thing
        thing = inner
    return thing


def _parts_of_object(value: Any) -> list[Any]:
    """The class and the state of an object, without cached properties."""
    kind = type(value)
    name = f"{kind.__module__}.{kind.__qualname__}".encode()
    if kind.__module__.split(".")[0] in sys.stdlib_module_names and " at 0x" not in repr(value):
        return [name, repr(value).encode()]  # paths, dates and the like cache more than their value
    try:
        state = value.__getstate__()
        if state is None:
            state = value.__reduce_ex__(2)[1:3]
    except Exception:  # some things cannot be packed
        state = None if " at 0x" in repr(value) else repr(value)
    if isinstance(state, dict):
        state = {k: v for k, v in state.items() if not isinstance(getattr(kind, k, None), functools.cached_property)}
    code = [kind] if is_user_code(kind) else []
    return [name, *code, state]
