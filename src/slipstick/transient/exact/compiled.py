"""The compiled flow: the functions of all its modules, compiled together on first use."""

from __future__ import annotations

from functools import cache

from slipstick.native import Native
from slipstick.transient.exact import (
    across,
    at_rest,
    contacts,
    corners,
    decide,
    driven,
    even,
    fitting,
    flow,
    guards,
    immobile,
    light_variation,
    measuring,
    modal,
    period,
    places,
    polynomial,
    redundant,
    returning,
    root_exclusion,
    roots,
    sampling,
    series,
    slides,
    sweeping,
    taylor_step,
    trial,
    tuning,
    variation,
    yielding,
)
from slipstick.transient.kernels import modules_loops

_MODULES = (
    places,
    series,
    immobile,
    contacts,
    corners,
    driven,
    at_rest,
    root_exclusion,
    roots,
    modal,
    guards,
    polynomial,
    taylor_step,
    redundant,
    decide,
    fitting,
    trial,
    flow,
    even,
    sampling,
    slides,
    sweeping,
    light_variation,
    variation,
    tuning,
    period,
    returning,
    yielding,
    across,
    measuring,
)
_ENTRIES = {
    "advance": ("list",) * 5,
    "begin": ("list",) * 4,
    "put_state": ("list",) * 3,
    "arrive": ("list", "list", "list", "integer", "list"),
    "derive": ("list",) * 6 + ("integer", "number", "list", "integer", "list", "integer", "list"),
    "come_back": ("list",) * 4,
    "come_across": ("list",) * 6,
    "yields": ("list", "number"),
    "tune": ("list",) * 3,
    "tune_table": ("list",) * 3,
    "sample": ("list", "list", "list", "list", "integer", "list", "integer", "list"),
    "vary": ("list",) * 6 + ("integer", "number", "list", "integer", "list", "integer"),
    "measure": ("list",) * 4
    + ("integer", "number", "list", "integer", "list", "integer", "integer", "integer", "list", "list"),
    "panels": ("list", "list", "list", "list", "integer", "number", "list", "integer"),
}


@cache
def kernel(name: str) -> Native:
    """An entry of the compiled flow."""
    return modules_loops(_MODULES, (), _ENTRIES)[name]
