"""SI units for the published systems, for axes, tables and files."""

from __future__ import annotations

from slipstick.api import Model
from slipstick.units.scales import ModelUnits


def with_si_units(model: Model, unit: str, sliding: tuple[str, ...] = ()) -> Model:
    """The model, which knows what its numbers are in.

    unit : "m" or "rad", of displacements and deflections.   sliding : how names begin of those in m whatever it is.
    """
    moves, acts = (
        {each.name: "m" if each.name.startswith(sliding) else unit for each in every}
        for every in (model.coordinates, model.connections)
    )
    model.units = ModelUnits(moves, acts, "rad/s")
    return model
