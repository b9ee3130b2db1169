"""What displacements of the published systems are shown in; a model from a file has its own units."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slipstick.app.model_choice import ModelChoice

if TYPE_CHECKING:
    from slipstick.api import Model

DISPLAY_UNITS = {"m": "mm", "rad": "deg"}
# the equation of the torsional paper is without units: what its numbers are counted in
DIMENSIONLESS_UNITS = {
    "m or rad": "T_p/K",
    "N or N m": "T_p",
    "m/s or rad/s": "ω_n T_p/K",
    "rad/s": "ω_n",
    "s": "1/ω_n",
    "J": "T_p²/K",
}


def with_display_units(model: Model, choice: ModelChoice) -> Model:
    """The model of a choice, which knows what it is to be shown in."""
    if choice.system:
        moves, acts = ({name: DISPLAY_UNITS[unit] for name, unit in each.items()} for each in model.units[:2])
        model.units = model.units._replace(coordinates=moves, connections=acts)
    return model


def display_unit(choice: ModelChoice, unit: str) -> str:
    """A unit as it stands on an axis."""
    return DIMENSIONLESS_UNITS.get(unit, unit) if choice.system == "torsional" else unit
