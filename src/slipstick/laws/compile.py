"""Compiled kernels of laws: made in memory on first use, some milliseconds each."""

from __future__ import annotations

import ctypes
import logging
import math
import threading
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from slipstick.laws.base import Law
from slipstick.laws.combine import split_memory
from slipstick.laws.parsing import CannotTranslate
from slipstick.laws.program import pack_parameters
from slipstick.laws.translate import function_source, method_source, tangent_source, term_source, value_source
from slipstick.native import CannotCompile, Native, compile_functions

log = logging.getLogger("slipstick")

# force = value(parameters, u, v, memory); the memory is updated in place
VALUE = ("list", "number", "number", "list")
# force = tangent(parameters, u, v, memory, u_d, v_d, memory_d, force_d)
TANGENT = ("list", "number", "number", "list", "number", "number", "list", "list")
# force = term(parameters, k, room, u, v, w)
TERM = ("list", "number", "number", "list", "list", "list")

_lock = threading.RLock()  # a kernel is compiled once, and never let go: loops hold its address
_kernels: dict[tuple[type, str], Native] = {}


def value_kernel(law: type[Law]) -> Native:
    """The compiled force of a law class."""
    return _kernel(law, "value", VALUE, value_source)


def tangent_kernel(law: type[Law]) -> Native:
    """The compiled force and derivative of a law class."""
    return _kernel(law, "tangent", TANGENT, tangent_source)


def method_kernel(law: type[Law], name: str, numbers: int) -> Native:
    """A method of so many numbers and the memory, compiled: method(parameters, x, ..., memory).

    One that returns a memory writes it in place of the one it was given.
    """
    kinds = ("list",) + ("number",) * numbers + ("list",)
    return _kernel(law, name, kinds, lambda law: method_source(law, name, numbers))


def term_kernel(law: type[Law]) -> Native:
    """The compiled recurrence for a law class's Taylor coefficients (see `slipstick.laws.series`)."""
    with _lock:
        if (law, "term") not in _kernels:
            text, name = term_source(law)
            _kernels[law, "term"] = _compiled(law, text, name, TERM)
        return _kernels[law, "term"]


def _kernel(law: type[Law], entry: str, arguments: tuple[str, ...], source: Callable[[type], str]) -> Native:
    with _lock:
        if (law, entry) not in _kernels:
            _kernels[law, entry] = _compiled(law, source(law), entry, arguments)
        return _kernels[law, entry]


def _compiled(law: type[Law], text: str, entry: str, arguments: tuple[str, ...]) -> Native:
    try:
        return compile_functions(text, entry, arguments)
    except CannotCompile as problem:
        words = str(problem).replace("self_", "self.")  # as the user wrote it
        raise CannotTranslate(f"{law.__name__}.{law.compiled}: {words}") from None


@cache
def function_address(function: Callable[..., float], singles: int | None = None, listed: bool = False) -> int:
    """The address of a user's envelope function h(u, direction, u_m, f_m), compiled.

    singles : how many numbers it takes beside these, if they come as a list led by its length; None if there is none.
    listed : its last argument is a list of those that are left.

    What the small language does not have Numba compiles, whatever it closes over; what Numba cannot is called back in
    Python.
    """
    try:
        compiled: Any = _in_the_small_language(function, singles, listed)
        address = compiled.address
    except (CannotTranslate, CannotCompile, TypeError, AttributeError):  # an object has not all that a function has
        compiled, address = _by_numba(function, singles)
    _kept.append(compiled)  # the code lives as long as this object
    return int(address)


def _in_the_small_language(function: Callable[..., float], singles: int | None, listed: bool) -> Native:
    text, entry = function_source(function, singles, listed)
    return compile_functions(text, entry, ("number",) * 4 + ("list",) * (singles is not None))


def _by_numba(function: Callable[..., float], singles: int | None) -> tuple[Any, int]:
    from numba import cfunc, njit, types
    from numba.core.errors import NumbaError

    count, number = singles or 0, types.float64
    numbers = () if singles is None else (types.CPointer(number),)
    try:
        inner = njit(error_model="numpy")(function)
        called = _with_numbers(inner, count) if numbers else inner.py_func
        compiled: Any = cfunc(number(*(number,) * 4, *numbers), error_model="numpy")(called)
        return compiled, compiled.address
    except (NumbaError, TypeError, AttributeError):
        name = getattr(function, "__name__", "the envelope")
        log.warning("%s cannot be compiled; it is called in Python, slowly", name)
    guarded = _guarded(function, name, count)
    pointers = (ctypes.POINTER(ctypes.c_double),) * len(numbers)
    compiled = ctypes.CFUNCTYPE(ctypes.c_double, *[ctypes.c_double] * 4, *pointers)(guarded)
    return compiled, int(ctypes.cast(compiled, ctypes.c_void_p).value or 0)


def _with_numbers(inner: Any, count: int) -> Any:
    """A function of four numbers and a list that is led by its length."""
    from numba import carray
    from numba.np.unsafe.ndarray import to_fixed_tuple

    if not count:
        return lambda u, s, u_m, f_m, _: inner(u, s, u_m, f_m)
    whole = count + 1
    return lambda u, s, u_m, f_m, p: inner(u, s, u_m, f_m, *to_fixed_tuple(carray(p, (whole,)), whole)[1:])


def _guarded(function: Callable[..., float], name: str, count: int) -> Callable[..., float]:
    """NaN where a function raises: an exception cannot pass through compiled code; NaN does, and is noticed."""

    def guarded(*given: Any) -> float:
        arguments = (*given[:4], *(given[4][1 + i] for i in range(count)))
        try:
            return float(function(*arguments))
        except Exception as problem:
            log.warning("%s%s: %s", name, arguments, problem)
            return math.nan

    return guarded


_kept: list[Any] = []


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
    """Where an array of floats lies, for a call of a kernel from Python."""
    try:
        return _FLOAT.from_buffer(array)  # type: ignore[arg-type]
    except (TypeError, ValueError, BufferError):  # empty, or not to be written to: the slow way
        return array.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
