"""What the published systems are counted in: SI, so that axes, tables and files can say so."""

from __future__ import annotations

from slipstick.api import Model
from slipstick.results.units import Units


def in_si(model: Model, unit: str, sliding: tuple[str, ...] = ()) -> Model:
    """The model, which knows what its numbers are in.

    unit : "m" or "rad", of displacements and deflections.   sliding : how names begin of those in m whatever it is.
    """
    moves, acts = (
        {each.name: "m" if each.name.startswith(sliding) else unit for each in every}
        for every in (model.coordinates, model.connections)
    )
    model.units = Units(moves, acts, "rad/s")
    return model
