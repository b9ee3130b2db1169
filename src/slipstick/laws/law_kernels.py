"""Compiled kernels of laws, made on first use in a few milliseconds each."""

from __future__ import annotations

import ctypes
import logging
import math
import re
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from slipstick.laws.base import Law
from slipstick.laws.composite import split_memory
from slipstick.laws.kernel_source import (
    KernelSource,
    Reads,
    function_source,
    method_source,
    tangent_source,
    term_source,
    value_source,
)
from slipstick.laws.law_packing import pack_parameters
from slipstick.laws.source_parsing import CannotTranslate
from slipstick.native import CannotCompile, Native, compile_text

log = logging.getLogger("slipstick")

# force = value(parameters, u, v, memory); the memory is updated in place
VALUE_SIGNATURE = ("list", "number", "number", "list")
# force = tangent(parameters, u, v, memory, u_d, v_d, memory_d, force_d)
TANGENT_SIGNATURE = ("list", "number", "number", "list", "number", "number", "list", "list")
# force = term(parameters, k, room, u, v, w)
TERM_SIGNATURE = ("list", "number", "number", "list", "list", "list")

_lock = threading.RLock()  # a kernel is compiled once and never freed: loops hold its address
_kernels: dict[tuple[type, str], tuple[Native, Reads]] = {}


def value_kernel(law: type[Law]) -> Native:
    """The compiled force of a law class."""
    return law.own_kernel("value") or _kernel(law, "value", VALUE_SIGNATURE, value_source)


def tangent_kernel(law: type[Law]) -> Native:
    """The compiled force and derivative of a law class."""
    return law.own_kernel("tangent") or _kernel(law, "tangent", TANGENT_SIGNATURE, tangent_source)


def method_kernel(law: type[Law], name: str, numbers: int) -> Native:
    """A compiled method of ``numbers`` floats and the memory: method(parameters, x, ..., memory).

    A method that returns a memory overwrites the one it was given.
    """
    kinds = ("list",) + ("number",) * numbers + ("list",)
    return _kernel(law, name, kinds, lambda law: method_source(law, name, numbers))


def term_kernel(law: type[Law]) -> Native:
    """The compiled recurrence for a law class's Taylor coefficients (see `slipstick.laws.taylor_coefficients`)."""
    return _kernel(law, "term", TERM_SIGNATURE, term_source)


def _kernel(law: type[Law], entry: str, arguments: tuple[str, ...], source: Callable[[type], KernelSource]) -> Native:
    """The kernel of a law, compiled again if a number outside its source has changed."""
    with _lock:
        found = _kernels.get((law, entry))
        if found is None or any(read() != value for read, value in found[1].items()):
            own = source(law)
            found = _kernels[law, entry] = _compiled(law, own, arguments), own.reads
            _kept_alive.append(found[0])
        return found[0]


def _compiled(law: type[Law], source: KernelSource, arguments: tuple[str, ...]) -> Native:
    # laws of the package keep their integers in range
    unbounded = bool(law._held) or not law.__module__.startswith("slipstick.")
    try:
        return compile_text(source.text, source.entry, arguments, unbounded)
    except CannotCompile as problem:
        words = re.sub(r"\bself_|(?<=\w)(_d)?_[0-9]+\b", lambda m: "self." if m[0] == "self_" else "", str(problem))
        raise CannotTranslate(f"{law.__name__}.{law.compiled}: {words}") from None  # with the names that the user wrote


def function_address(function: Callable[..., float], singles: int | None = None, listed: bool = False) -> int:
    """The address of a user's envelope function h(u, direction, u_m, f_m), compiled.

    singles : count of its further numbers, which compiled code passes as a list after its length; None without any.
    listed : its last argument is a list of all remaining numbers.

    A function that cannot be compiled is called back in Python, with a warning.
    """
    key = (function, singles, listed)
    found = _addresses.get(key)
    if found is None or any(read() != value for read, value in found[1].items()):
        reads: Reads = {}
        try:
            source = function_source(function, singles, listed)
            kinds = ("number",) * 4 + ("list",) * (singles is not None)
            compiled: Any = compile_text(source.text, source.entry, kinds, unbounded=True)
            address, reads = compiled.address, source.reads
        except (
            CannotTranslate,
            CannotCompile,
            TypeError,
            AttributeError,
        ):  # a callable object may lack source
            compiled, address = _callback(function, singles)
        _kept_alive.append(compiled)  # the code lives as long as this object
        found = _addresses[key] = int(address), reads
    return found[0]


def _callback(function: Callable[..., float], singles: int | None) -> tuple[Any, int]:
    """A Python function as a C callback, and its address."""
    name = getattr(function, "__name__", "the envelope")
    log.warning("%s cannot be compiled and runs in Python, some 20 times slower; write it as a plain function", name)
    pointers = () if singles is None else (ctypes.POINTER(ctypes.c_double),)
    compiled = ctypes.CFUNCTYPE(ctypes.c_double, *[ctypes.c_double] * 4, *pointers)(
        _nan_on_error(function, name, singles or 0)
    )
    return compiled, int(ctypes.cast(compiled, ctypes.c_void_p).value or 0)


def _nan_on_error(function: Callable[..., float], name: str, count: int) -> Callable[..., float]:
    """The function with NaN in place of exceptions, which cannot pass through compiled code."""

    def guarded(*given: Any) -> float:
        arguments = (*given[:4], *(given[4][1 + i] for i in range(count)))
        try:
            return float(function(*arguments))
        except Exception as problem:
            log.warning("%s%s: %s", name, arguments, problem)
            return math.nan

    return guarded


_kept_alive: list[Any] = []
_addresses: dict[tuple[Any, int | None, bool], tuple[int, Reads]] = {}


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
            call = tangent_kernel(type(leaf.law)).call
            f = call(pointer(p), d * u, d * v, pointer(m), direction[0], direction[1], pointer(dm), pointer(df))
            slopes.append(df[0])
        force += leaf.force * f
        du += leaf.force * slopes[0]
        dv += leaf.force * slopes[1]
    return float(force), float(du), float(dv)


_FLOAT = ctypes.c_double * 1


def pointer(array: np.ndarray[Any, Any]) -> Any:
    """The address of an array of floats, for a call of a kernel from Python."""
    try:
        return _FLOAT.from_buffer(array)  # type: ignore[arg-type]
    except (TypeError, ValueError, BufferError):  # empty or read-only: slower
        return array.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
