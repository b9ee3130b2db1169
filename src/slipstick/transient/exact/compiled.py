"""The compiled flow: the functions of all its modules, compiled together on first use."""

from __future__ import annotations

from slipstick.native import Native
from slipstick.transient.exact import (
    contacts,
    decide,
    even,
    flow,
    guards,
    modal,
    places,
    polynomial,
    roots,
    sampling,
    series,
    taylor_step,
    trial,
    variation,
)
from slipstick.transient.kernels import modules_loops

_MODULES = (
    places,
    series,
    contacts,
    decide,
    roots,
    modal,
    guards,
    polynomial,
    taylor_step,
    trial,
    flow,
    even,
    sampling,
    variation,
)
_ENTRIES = {
    "advance": ("list",) * 5,
    "begin": ("list",) * 4,
    "sample": ("list", "list", "list", "list", "integer", "list", "integer", "list"),
    "vary": ("list",) * 6 + ("integer", "number", "list", "integer"),
    "panels": ("list", "list", "list", "list", "integer", "number", "list", "integer"),
}


def kernel(name: str) -> Native:
    """An entry of the compiled flow."""
    return modules_loops(_MODULES, (), _ENTRIES)[name]
