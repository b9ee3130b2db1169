"""The keywords of the published systems with the papers' numbers: their own, and those of their law."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from slipstick.api import Model
from slipstick.systems.clutch import clutch
from slipstick.systems.fibre import SAMPLE_PARAMETERS, fibre
from slipstick.systems.gear import gear
from slipstick.systems.tensioner import MASING_PARAMETERS, MODIFIED_DAHL_PARAMETERS, tensioner
from slipstick.systems.torsional import torsional

BUILDERS: Mapping[str, Callable[..., Model]] = {
    "tensioner": tensioner, "gear": gear, "fibre": fibre, "clutch": clutch, "torsional": torsional,
}  # fmt: skip
_LAW_DEFAULTS: Mapping[tuple[str, str], Mapping[str, Any]] = {
    ("tensioner", "masing"): MASING_PARAMETERS,
    ("tensioner", "modified-dahl"): MODIFIED_DAHL_PARAMETERS,
    ("fibre", ""): SAMPLE_PARAMETERS,
}


def keyword_defaults(system: str, law: str | None = None) -> dict[str, Any]:
    """Default values of a system by keyword, in order; those of its law come last.

    system : a name in `BUILDERS`.   law : its name, of a system with several; the system's own if left out.
    """
    parameters = inspect.signature(BUILDERS[system]).parameters.values()
    found = {one.name: one.default for one in parameters if one.kind is not one.VAR_KEYWORD}
    if "law" in found and law is not None:
        found["law"] = law
    return {**found, **_LAW_DEFAULTS.get((system, found.get("law", "")), {})}
