"""The primary model with less and less of what was neglected, beside the reduced one: is it justified?

What is negligible is multiplied by 1, 1/10, 1/100 ...: inertias, friction, gaps and the compliance of rigid springs. Of
a node that loses both its inertia and its friction the inertia shrinks with the square, as it has to go first. Where
the differences fall in proportion the limit exists and the reduced model is it; the first line is the error it has for
the numbers of the model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from slipstick.errors import InvalidInput, NotConverged, shown
from slipstick.laws.base import Law
from slipstick.laws.combine import Combination
from slipstick.laws.elastic import Freeplay, Linear, TwoStage
from slipstick.laws.friction import DryFriction
from slipstick.model.rebuilding import rebuilt
from slipstick.model.system import Connection, Coordinate, System
from slipstick.results.comparison import Comparison

if TYPE_CHECKING:
    from slipstick.reduce.reduction import Reduction

SCALES = (1.0, 0.1, 0.01, 0.001)


def compare(
    reduction: Reduction,
    until: float,
    scales: Sequence[float] = SCALES,
    frequency: float | None = None,
    samples: int = 400,
) -> Comparison:
    """Run the primary model at each scale, and the reduced one, from their initial states."""
    from slipstick.transient.simulate import simulate

    chosen = tuple(float(s) for s in scales)
    if not chosen or any(not (0.0 < s <= 1.0) for s in chosen):
        raise InvalidInput(f"compare: scales are numbers from 0 to 1, without 0, got {shown(scales)}").about("scales")
    names = tuple(c.name for c in reduction.model.coordinates)

    def displacement(system: System) -> Any:
        run = simulate(system, until, 0.0, frequency, "auto", None, None, samples, None)
        return run.data["displacement"].sel(coordinate=list(names)).values

    ours = displacement(reduction.model)
    rows, notes = [], []
    for s in chosen:
        try:
            rows.append(np.abs(displacement(scaled(reduction, s)) - ours).max(axis=0))
        except NotConverged as problem:
            rows.append(np.full(len(names), np.nan))
            notes.append(f"at {s:g} the primary model could not be run to its end: {problem}")
    return Comparison(chosen, names, np.array(rows), np.abs(ours).max(axis=0), float(until), tuple(notes))


def scaled(reduction: Reduction, scale: float) -> System:
    """The primary model with ``scale`` times what was neglected."""
    gone = reduction.neglected

    def inertia(c: Coordinate) -> Any:
        power = 2 if c.name in gone["frictionless"] else 1
        return c.inertia * (scale**power if c.name in gone["massless"] else 1.0)

    return rebuilt(reduction.primary, inertia=inertia, law=lambda c: _law(c, gone, scale))


def _law(c: Connection, gone: dict[str, tuple[str, ...]], s: float) -> Law:
    slips = s if any(name in c.deflection.terms for name in gone["frictionless"]) else 1.0
    limit = s if c.name in gone["no_limit"] else 1.0
    gap = s if c.name in gone["no_gap"] else 1.0
    stiff = 1.0 / s if c.name in gone["rigid"] else 1.0

    def changed(law: Law) -> Law:
        match law:
            case Combination():
                return Combination(terms=tuple(term._replace(law=changed(term.law)) for term in law.terms))
            case Linear():
                return replace(law, stiffness=law.stiffness * stiff, damping=law.damping * slips)
            case Freeplay():
                return replace(law, stiffness=law.stiffness * stiff, half_gap=law.half_gap * gap)
            case TwoStage():
                return replace(
                    law, stiffness=law.stiffness * stiff, half_gap=law.half_gap * gap, damping=law.damping * slips
                )
            case DryFriction() if isinstance(law.limit, float):
                return replace(law, limit=law.limit * slips * limit, damping=law.damping * slips)
        return law

    return changed(c.law)
