"""Taylor coefficients of a law, one after the other.

A law with a recurrence writes it once, as ``taylor_term(self, k, room, u, v, w)``: the coefficient k of the force from
the coefficients 0 to k of deflection and rate. What its recurrence needs of lower orders it keeps in w, as
`taylor_rooms` series of ``room`` numbers each. From this come `Law.taylor` on arrays, and a kernel for compiled loops.
"""

from __future__ import annotations

import ctypes
import logging
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from slipstick.arrays import Array
from slipstick.laws.base import Law

log = logging.getLogger("slipstick")


def force_coefficients(law: Any, u: Array, v: Array) -> Array:
    """The coefficients of the force, from those of deflection and rate, by the law's recurrence."""
    x, y, w = u.tolist(), v.tolist(), [0.0] * (series_count(law) * u.size + 1)
    return np.array([law.taylor_term(k, u.size, x, y, w) for k in range(u.size)])


def series_count(law: Law) -> int:
    """Number of series that a law's recurrence keeps."""
    return int(getattr(law, "taylor_rooms", 0))


def term_address(law: Law) -> tuple[int, Any]:
    """Address of a law's recurrence for compiled loops, and the object that owns the code.

    A law that has only `taylor` on arrays is called back in Python.
    """
    if hasattr(law, "taylor_term"):
        from slipstick.laws.law_kernels import term_kernel

        kernel = term_kernel(type(law))
        return kernel.address, kernel
    log.warning("%s has no taylor_term; its series are computed in Python, slowly", type(law).__name__)
    callback = _called_back(law)
    return int(ctypes.cast(callback, ctypes.c_void_p).value or 0), callback


def _called_back(law: Law) -> Any:
    pointer = ctypes.POINTER(ctypes.c_double)

    def term(_: Any, k: float, __: float, u: Any, v: Any, ___: Any) -> float:
        count = int(k) + 1
        try:
            return float(law.taylor(np.array(u[:count]), np.array(v[:count]))[-1])
        except Exception as problem:  # an exception cannot pass through compiled code: NaN marks it
            log.warning("%s.taylor: %s", type(law).__name__, problem)
            return math.nan

    kind: Callable[..., Any] = ctypes.CFUNCTYPE(
        ctypes.c_double, pointer, ctypes.c_double, ctypes.c_double, pointer, pointer, pointer
    )
    return kind(term)
