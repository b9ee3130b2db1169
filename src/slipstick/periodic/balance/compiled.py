"""The loops of harmonic balance, compiled together: what they share is compiled once."""

from __future__ import annotations

from slipstick.laws import stack
from slipstick.native import Native
from slipstick.periodic.balance import (
    assemble_loop,
    corners_loop,
    follow_loop,
    harmonics_loop,
    matrix_loop,
    newton_loop,
    places,
    rows_loop,
    stability_loop,
    stability_places,
    stack_loop,
    switches_loop,
    walk_loop,
)
from slipstick.transient.kernels import modules_loops

MODULES = (
    places,
    stack,
    rows_loop,
    matrix_loop,
    harmonics_loop,
    stack_loop,
    corners_loop,
    follow_loop,
    assemble_loop,
    newton_loop,
    walk_loop,
    stability_places,
    switches_loop,
    stability_loop,
)
ENTRIES: dict[str, tuple[str, ...]] = {
    "follow": ("list",),
    "evaluate_all": ("list", "integer"),
    "walk_along": ("list",),
    "correct_on": ("list",),
    "find_switches": ("list",),
    "period_maps": ("list",),
}


def compiled(entry: str) -> Native:
    """One of the loops; all of them are compiled with the first."""
    return modules_loops(MODULES, (), ENTRIES)[entry]
