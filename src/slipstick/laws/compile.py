"""Compiled kernels of laws: made on first use, kept for every later one."""

from __future__ import annotations

import importlib.util
import logging
import os
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from slipstick.laws import cache as store
from slipstick.laws.base import Law
from slipstick.laws.combine import split_memory
from slipstick.laws.program import pack_parameters
from slipstick.laws.translate import CannotTranslate, Source, tangent_source, value_source

log = logging.getLogger("slipstick")


_values: dict[type, Any] = {}
_tangents: dict[type, Any] = {}


def value_kernel(law: type[Law]) -> Any:
    """The compiled ``value`` of a law class: `.address` for loops, `.ctypes` for a call from Python."""
    if law not in _values:
        _values[law] = _load(law, "value", value_source(law)).value
    return _values[law]


def tangent_kernel(law: type[Law]) -> Any:
    """The compiled ``tangent`` of a law class."""
    if law not in _tangents:
        _tangents[law] = _load(law, "tangent", tangent_source(law)).tangent
    return _tangents[law]


@cache
def function_address(function: Callable[..., float]) -> int:
    """The address of a user's envelope function h(u, direction, u_m, f_m), compiled."""
    from numba import cfunc
    from numba.core.errors import NumbaError

    from slipstick.laws.kernels import FUNCTION

    try:
        compiled = cfunc(FUNCTION, error_model="numpy")(function)
    except (NumbaError, TypeError) as problem:
        first = next((line for line in str(problem).splitlines() if line.strip()), "unknown reason")
        raise CannotTranslate(f"{getattr(function, '__name__', function)} cannot be compiled: {first}") from None
    _kept.append(compiled)  # its code lives as long as this object
    return int(compiled.address)


_kept: list[Any] = []


def _load(law: type[Law], face: str, source: Source) -> ModuleType:
    """Import the generated module of a law; say so if it must be compiled first."""
    from numba.core.errors import NumbaError

    if not is_compiled(source):
        log.warning("compiling %s of %s, once", face, law.__name__)
    try:
        return _import(source)
    except NumbaError as problem:
        _path(source).unlink(missing_ok=True)
        first = next((line for line in str(problem).splitlines() if line.strip()), "unknown reason")
        raise CannotTranslate(f"{law.__name__}.{law.compiled} cannot be compiled: {first}") from None


def is_compiled(source: Source) -> bool:
    """True if a kernel has been compiled before, by any process."""
    return _path(source).exists()


def _path(source: Source) -> Path:
    return store.folder() / f"{source.name}.py"


def _import(source: Source) -> ModuleType:
    """Import a generated module, what it needs first; write it if it is new."""
    if source.name in sys.modules:
        return sys.modules[source.name]
    for needed in source.needs:
        _import(needed)
    path = _path(source)
    if not path.exists():
        _write(path, source.text)
    spec = importlib.util.spec_from_file_location(source.name, path)
    if spec is None or spec.loader is None:
        raise CannotTranslate(f"cannot import {path}; remove that file and try again")
    module = importlib.util.module_from_spec(spec)
    sys.modules[source.name] = module  # Numba's cache finds a function's module by name
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[source.name]
        raise
    return module


def _write(path: Path, source: str) -> None:
    """Write aside and rename, so that no process reads half a file."""
    handle, aside = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
    with os.fdopen(handle, "w") as file:
        file.write(source)
    os.replace(aside, path)


def tangent(law: Law, u: float, v: float, memory: Any) -> tuple[float, float, float]:
    """(force, d force/du, d force/dv) of a law, from the compiled derivatives of its leaves."""
    force = du = dv = 0.0
    for leaf, own in zip(law.leaves(), split_memory(law, memory), strict=True):
        if leaf.modulation:
            raise leaf.law.lacks_time()
        p = pack_parameters(leaf.law)
        d = leaf.deflection
        slopes = []
        for direction in ((d, 0.0), (0.0, d)):
            m = leaf.law.pack_memory(own, 2)
            dm, df = np.zeros_like(m), np.zeros(1)
            f = tangent_kernel(type(leaf.law)).ctypes(
                _at(p), d * u, d * v, _at(m), direction[0], direction[1], _at(dm), _at(df)
            )
            slopes.append(df[0])
        force += leaf.force * f
        du += leaf.force * slopes[0]
        dv += leaf.force * slopes[1]
    return float(force), float(du), float(dv)


def _at(array: np.ndarray[Any, Any]) -> Any:
    import ctypes

    return array.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
