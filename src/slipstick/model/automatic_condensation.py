"""Automatic condensation of large sparse models with few laws, before they are solved.

Harmonic balance and the exact flow use dense matrices of all coordinates, too large for thousands of them. If laws act
on few coordinates, Craig and Bampton's condensation is as good, and its error is stated.
"""

from __future__ import annotations

import weakref
from dataclasses import replace
from typing import Any

from slipstick.errors import InvalidInput
from slipstick.model.craig_bampton import condense
from slipstick.model.system import Matrices, System
from slipstick.model.system_copy import Kind

MIN_COORDINATES = 1000  # a sparse model with fewer is not condensed
MAX_KEPT_SHARE = 0.1  # of the coordinates: those that laws, loads and motions act on
MAX_LOADED = 20  # loaded coordinates that are kept, so that results show them
MODES = 40  # lowest fixed-interface modes


class _LastCondensed:
    """The last large model that was condensed: its parts, and the result."""

    matrices: weakref.ref[Matrices] | None = None
    parts: tuple[Any, ...] = ()
    small: System | None = None


def condensed_if_large(system: Kind) -> Kind:
    """The model, condensed if it is large and sparse and laws act on few of its coordinates."""
    given = system.matrices
    if given is None or not hasattr(given.mass, "tocsr") or len(given.names) < MIN_COORDINATES:
        return system
    starts = [(c.name, c.inertia, c.displacement, c.velocity, c.motion) for c in system.coordinates]
    parts = (system.name, system.frequency, system.units, *starts, *system.connections, *system.loads)
    known = None if _LastCondensed.matrices is None else _LastCondensed.matrices()
    if _LastCondensed.small is None or known is not given or _LastCondensed.parts != parts:
        small = _condensed(system, given)
        if small is None:
            return system
        _LastCondensed.matrices, _LastCondensed.parts, _LastCondensed.small = weakref.ref(given), parts, small
    found = _LastCondensed.small
    assert isinstance(found, type(system))
    return found.snapshot()


def _condensed(system: Kind, given: Matrices) -> Kind | None:
    """The condensed model; None if too many coordinates would be kept, or it cannot be condensed."""
    acted = {name for link in system.connections for form in (link.deflection, link.along) for name in form.terms}
    acted |= {c.name for c in system.coordinates if c.motion is not None}
    loaded = {name for load in system.loads for name in load.form.terms}
    keep = (acted | loaded if len(loaded) <= MAX_LOADED else acted) & set(given.names)
    if len(keep) > MAX_KEPT_SHARE * len(given.names):
        return None
    try:
        small = condense(system, keep, MODES)
    except InvalidInput:  # free to move, or not symmetric: solved without condensation
        return None
    assert small.condensation is not None
    small.name = system.name
    small.condensation = replace(small.condensation, automatic=True)
    return small
