"""Compiled loops over laws, and how they call a law.

A law's kernel is a compiled function behind an address, so loops are compiled once for all laws and
models. Importing this module loads Numba.
"""

from __future__ import annotations

from math import cos, sin
from typing import Any

from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

from slipstick.laws import cache

cache.ensure_writable()

_NUMBER = types.float64
_POINTER = types.CPointer(_NUMBER)

# force = value(parameters, u, v, memory); the memory is updated in place
VALUE = _NUMBER(_POINTER, _NUMBER, _NUMBER, _POINTER)
# force = tangent(parameters, u, v, memory, u_d, v_d, memory_d, force_d)
TANGENT = _NUMBER(_POINTER, _NUMBER, _NUMBER, _POINTER, _NUMBER, _NUMBER, _POINTER, _POINTER)

# h = envelope(u, direction, u_m, f_m)
FUNCTION = _NUMBER(_NUMBER, _NUMBER, _NUMBER, _NUMBER)


def _caller(signature: Any) -> Any:
    """A function that calls a compiled law by its address."""

    def codegen(context: Any, builder: Any, _: Any, arguments: Any) -> Any:
        kinds = [context.get_value_type(a) for a in signature.args]
        pointer = ir.FunctionType(context.get_value_type(signature.return_type), kinds).as_pointer()
        return builder.call(builder.inttoptr(arguments[0], pointer), arguments[1:])

    return codegen, signature.return_type(types.intp, *signature.args)


@intrinsic  # type: ignore[untyped-decorator]
def call_value(typing: Any, address: Any, p: Any, u: Any, v: Any, m: Any) -> Any:
    """The law's kernel at ``address``."""
    codegen, signature = _caller(VALUE)
    return signature, codegen


@intrinsic  # type: ignore[untyped-decorator]
def call_tangent(
    typing: Any, address: Any, p: Any, u: Any, v: Any, m: Any, u_d: Any, v_d: Any, m_d: Any, f_d: Any
) -> Any:
    """The law's derivative kernel at ``address``."""
    codegen, signature = _caller(TANGENT)
    return signature, codegen


@intrinsic  # type: ignore[untyped-decorator]
def call_function(typing: Any, address: Any, u: Any, direction: Any, u_m: Any, f_m: Any) -> Any:
    """A user's envelope function at ``address``."""
    codegen, signature = _caller(FUNCTION)
    return signature, codegen


@intrinsic  # type: ignore[untyped-decorator]
def pointer_at(typing: Any, array: Any, index: Any) -> Any:
    """Where element ``index`` of a float array lies."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        return builder.gep(data, [arguments[1]])

    return _POINTER(array, types.intp), codegen


@intrinsic  # type: ignore[untyped-decorator]
def shift(typing: Any, pointer: Any, count: Any) -> Any:
    """The pointer ``count`` numbers further on."""

    def codegen(context: Any, builder: Any, _: Any, arguments: Any) -> Any:
        return builder.gep(arguments[0], [arguments[1]])

    return _POINTER(_POINTER, types.intp), codegen


@njit(error_model="numpy")  # type: ignore[untyped-decorator]
def function_with_derivative(
    address: int, u: float, u_d: float, s: float, s_d: float, u_m: float, u_md: float, f_m: float, f_md: float
) -> tuple[float, float]:
    """An envelope function and its derivative, by central differences: it is only an address here."""
    value = call_function(address, u, s, u_m, f_m)
    du = 1e-6 * (abs(u) + abs(u_m)) + 1e-12
    df = 1e-6 * (abs(f_m) + abs(value)) + 1e-12
    slope = 0.0
    if u_d != 0.0:
        slope += u_d * (call_function(address, u + du, s, u_m, f_m) - call_function(address, u - du, s, u_m, f_m)) / du
    if u_md != 0.0:
        slope += u_md * (call_function(address, u, s, u_m + du, f_m) - call_function(address, u, s, u_m - du, f_m)) / du
    if f_md != 0.0:
        slope += f_md * (call_function(address, u, s, u_m, f_m + df) - call_function(address, u, s, u_m, f_m - df)) / df
    return value, 0.5 * slope


@njit(cache=True, error_model="numpy")  # type: ignore[untyped-decorator]
def modulation(numbers: Any, at: int, t: float) -> float:
    """The factor q(t) of a leaf; see `Program` for how it is packed."""
    q = 1.0
    count = int(numbers[at])
    at += 1
    for _ in range(count):
        cut = numbers[at] != 0.0
        value = numbers[at + 1]
        harmonics = int(numbers[at + 2])
        at += 3
        for _ in range(harmonics):
            value += numbers[at + 1] * cos(numbers[at] * t) + numbers[at + 2] * sin(numbers[at] * t)
            at += 3
        q *= max(value, 0.0) if cut else value
    return q


@njit(cache=True, error_model="numpy")  # type: ignore[untyped-decorator]
def trace(integers: Any, numbers: Any, u: Any, v: Any, t: Any, memory: Any, force: Any) -> None:
    """Force of a packed law along samples of deflection, rate and time; the memory ends where the samples do."""
    leaves = integers[0]
    for k in range(u.size):
        total = 0.0
        for j in range(leaves):
            b = 1 + 5 * j
            at = integers[b + 4]
            f = call_value(
                integers[b],
                pointer_at(numbers, integers[b + 2]),
                numbers[at] * u[k],
                numbers[at] * v[k],
                pointer_at(memory, integers[b + 3]),
            )
            q = modulation(numbers, at + 2, t[k]) if numbers[at + 2] != 0.0 else 1.0
            total += numbers[at + 1] * q * f
        force[k] = total
