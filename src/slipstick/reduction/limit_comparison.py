"""Convergence of the primary model to the reduced one as the neglected parts vanish.

The neglected parts are multiplied by 1, 1/10, 1/100 ...: inertias, friction, gaps, compliances of rigid springs. Of
a node that loses both its inertia and its friction the inertia shrinks with the square, as it has to go first. Where
the differences fall in proportion the limit exists and the reduced model is it; the first line is the error it has for
the numbers of the model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from slipstick.errors import InvalidInput, NotConverged, short_repr
from slipstick.laws.base import Law
from slipstick.laws.composite import map_terms
from slipstick.model.system import Connection, Coordinate, System
from slipstick.model.system_copy import copy_with_numbers
from slipstick.results.comparison import Comparison
from slipstick.results.run import Names

if TYPE_CHECKING:
    from slipstick.reduction.neglected_parts import NeglectedParts
    from slipstick.reduction.reduce import Reduction

DEFAULT_SCALES = (1.0, 0.1, 0.01, 0.001)


def compare_with_limit(
    reduction: Reduction,
    until: float,
    scales: Sequence[float] = DEFAULT_SCALES,
    frequency: float | None = None,
    samples: int = 400,
) -> Comparison:
    """Run the primary model at each scale, and the reduced one, from their initial states."""
    from slipstick.transient.simulate import simulate

    chosen = _checked_scales(scales)
    if isinstance(samples, bool) or not isinstance(samples, (int, np.integer)) or samples < 2:
        raise InvalidInput(f"samples must be a whole number >= 2, got {short_repr(samples)}", owner="compare").about(
            "samples"
        )
    names = Names.of(reduction.model)

    def displacement(system: System) -> Any:
        run = simulate(system, until, frequency=frequency, samples=samples)
        return run.data["displacement"].sel(coordinate=list(names.coordinates)).values

    ours = displacement(reduction.model)
    rows, notes = [], []
    for s in chosen:
        try:
            rows.append(np.abs(displacement(scaled_model(reduction, s)) - ours).max(axis=0))
        except NotConverged as problem:
            rows.append(np.full(len(names.coordinates), np.nan))
            notes.append(f"at {s:g} the primary model could not be run to its end: {problem}")
    return Comparison(chosen, names, np.array(rows), np.abs(ours).max(axis=0), float(until), tuple(notes))


def _checked_scales(scales: Any) -> tuple[float, ...]:
    try:
        chosen = tuple(float(s) for s in scales)
    except (TypeError, ValueError):
        chosen = ()
    if not chosen or any(not (0.0 < s <= 1.0) for s in chosen):
        raise InvalidInput(
            f"scales are numbers from 0 to 1, without 0, got {short_repr(scales)}", owner="compare"
        ).about("scales")
    return chosen


def scaled_model(reduction: Reduction, scale: float) -> System:
    """The primary model with ``scale`` times the neglected parts."""
    gone = reduction.neglected
    ours = {item.name for item in reduction.taken.primary.items}

    def inertia(c: Coordinate) -> Any:
        power = 2 if c.name in gone.frictionless else 1
        return c.inertia * (scale**power if c.name in gone.massless else 1.0)

    def law(c: Connection) -> Law:
        return _scaled_law(c, gone, scale) if c.name in ours else c.law

    return copy_with_numbers(reduction.primary, inertia=inertia, law=law)


def _scaled_law(c: Connection, gone: NeglectedParts, s: float) -> Law:
    """A luz/tar law with its parameters scaled by their role."""
    slips = s if any(name in c.deflection.names for name in gone.frictionless) else 1.0
    by = {
        "stiffness": 1.0 / s if c.name in gone.rigid else 1.0,
        "half_gap": s if c.name in gone.no_gap else 1.0,
        "damping": slips,
        "limit": slips * (s if c.name in gone.no_limit else 1.0),
    }

    def changed(law: Law) -> Law:
        return replace(law, **{f.name: getattr(law, f.name) * by[f.name] for f in fields(law) if f.name in by})

    return map_terms(c.law, changed)
