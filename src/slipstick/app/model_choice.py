"""The model that a tab works with: a published system with its numbers, or the text of a model file.

The page Model sets it (or the page Identify, from an identified law), and the page Respond uses it. It is plain data
that can be sent to worker processes, which build the model.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from slipstick.api import Model
    from slipstick.results.curve import Curve

# of the published systems
SYSTEM_DESCRIPTIONS = {
    "tensioner": "a mass on a belt over a tensioner with hysteresis",
    "gear": "a train of gears with play in shafts and teeth, and friction in its bearings",
    "fibre": "a mass on two samples of entangled fibres in shear",
    "clutch": "a clutch: five rotors, springs of two stages, a spline with play, dry friction",
    "torsional": "an oscillator with dry friction under a periodic normal load",
}


@dataclass(frozen=True)
class ModelChoice:
    """system : a published system, with ``values`` for its keywords; or empty, and ``text`` is a model file.

    name : of the text, for messages.   numbers : by parameter ("slider.limit"), instead of those in the text.
    """

    system: str = "torsional"
    values: Mapping[str, Any] = field(default_factory=dict)
    text: str = ""
    name: str = "model.yaml"
    numbers: Mapping[str, float] = field(default_factory=dict)

    def build(self) -> Model:
        """The model; problems are reported as by `slipstick check`, file:line first."""
        import slipstick as ss

        if self.system:
            system: Model = getattr(ss.systems, self.system)(**self.values)
            return system
        from slipstick.app.model.text_reader import model_from_text
        from slipstick.model.named_parameter import parameter_of

        model = model_from_text(self.text, self.name)
        for name, value in self.numbers.items():
            model = parameter_of(model, name).at(value)  # type: ignore[assignment]
        return model

    @property
    def follows_frequency(self) -> bool:
        """True if a parameter depends on the frequency: the damper of the tensioner, by (31)."""
        return self.system == "tensioner" and self.values.get("law", "masing") == "masing"

    def at(self, frequency: float | None) -> Model:
        """The model at a base frequency [rad/s]; None for its own."""
        if frequency is None or not self.follows_frequency:
            return self.build()
        return replace(self, values={**self.values, "frequency": frequency}).build()

    def response(self, **options: Any) -> Curve:
        """The periodic response over frequency.   options : of `slipstick.frequency_response`."""
        import slipstick as ss

        if self.follows_frequency:
            curve: Curve = ss.frequency_response(self.at, **options)
            return curve
        return self.build().frequency_response(**options)

    def with_display_units(self, model: Model) -> Model:
        """The model of this choice in the units of the page; a model from a text has its own."""
        from slipstick.units.axes import USUAL_DISPLAY_UNITS

        if self.system:
            coordinates, connections = (
                {name: USUAL_DISPLAY_UNITS.get(unit, unit) for name, unit in units.items()} for units in model.units[:2]
            )
            model.units = model.units._replace(coordinates=coordinates, connections=connections)
        return model

    def display_unit(self, unit: str) -> str:
        """A unit as axes show it."""
        from slipstick.systems.system_units import DIMENSIONLESS_SYSTEM, DIMENSIONLESS_UNITS

        return DIMENSIONLESS_UNITS.get(unit, unit) if self.system == DIMENSIONLESS_SYSTEM else unit


@dataclass
class SelectedModel:
    """The model of a tab, in its state."""

    choice: ModelChoice = field(default_factory=ModelChoice)
