"""One point of the sweep of a study: its model and settings, their description, and display units of figures."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from slipstick.api import Model
from slipstick.errors import Message, SlipstickError
from slipstick.laws.base import Law
from slipstick.model.files.file_problems import FILE
from slipstick.model.named_parameter import parameter_of
from slipstick.model.named_parameter_unit import parameter_unit
from slipstick.study.kind_registry import KINDS
from slipstick.study.study_kind import UNIT_KEY, Settings
from slipstick.sweeps.digests import digest
from slipstick.units.axes import axis_unit, kind_of_unit
from slipstick.units.scales import Scale, frequency_scale

FREQUENCY = "frequency"  # the axis that is a setting, and no number of the model
SPECIAL_POINT_FIGURES = (
    "folds",
    "period_doublings",
    "neimark_sackers",
    "branch_points",
    "grazings",
)  # where on a curve
FIGURE_UNITS = {"phase": "rad", "lag": "rad", "dissipated": "J", "work_in": "J", "period": "s"}
UNITLESS_FIGURES = ("stick_share", "stable", "largest_multiplier", "events", "points")


@dataclass(frozen=True)
class PointBuilder:
    """From the values of a point to the result of the study there.

    shown : how axes and figures are shown, by name.   units : SI units by name.
    """

    model: Model
    kind: str
    settings: Settings
    shown: dict[str, Scale]
    units: dict[str, str]

    def __call__(self, start: Any = None, **values: Any) -> Any:
        try:
            model, settings = self.at(values)
            if start is not None and self.kind == "periodic":
                settings["start"] = start
            return KINDS[self.kind].run(model, settings, None)
        except SlipstickError as failure:
            raise SlipstickError(self.phrased(failure.message, values)) from None

    def phrased(self, message: Message, values: dict[str, Any]) -> str:
        """A message in the keys and units of the study: ``got -2 N/mm`` where the value of an axis is -2000."""
        parts = message.parts
        for name, value in values.items():
            scale = self.shown.get(name)
            if scale is not None and isinstance(parts.value, float) and parts.value == value:
                parts = parts._replace(got=scale.words(value))
        return FILE.line(parts)

    def check(self, **values: Any) -> None:
        """Raise the errors that a point would raise before it starts."""
        KINDS[self.kind].check(*self.at(values))

    def at(self, values: dict[str, Any]) -> tuple[Model, Settings]:
        """The model and the settings of a point."""
        model, settings = self.model, dict(self.settings)
        for name, value in values.items():
            if name == FREQUENCY:
                settings[FREQUENCY] = value
            elif isinstance(value, Law):
                model = with_law(model, name, value)
            else:
                model = parameter_of(model, name).at(value)  # type: ignore[assignment]
        return model, settings

    def described(self) -> dict[str, str]:
        """The contents of the study by name, for its fingerprint."""
        found = {self.kind: repr({key: value for key, value in self.settings.items() if key != UNIT_KEY})}
        for coordinate in self.model.coordinates:
            words = f"inertia {coordinate.inertia!r}, from {coordinate.displacement!r}, {coordinate.velocity!r}"
            found[f"coordinate {coordinate.name}"] = f"{words}, {coordinate.motion!r}"
        for each in self.model.connections:
            found[f"connection {each.name}"] = f"{each.law!r} along {each.deflection!r}, {each.along!r}"
        for k, load in enumerate(self.model.loads):
            found[f"load {load.name or k}"] = f"{load.function!r} on {load.form!r}"
        found["model"] = digest([repr(self.model.frequency), *_matrices(self.model)])
        return found


def with_law(model: Model, connection: str, law: Law) -> Model:
    """A copy of a model with another law for a connection."""
    from slipstick.model.followed_limit import refresh_followers

    new = model.snapshot()
    new.ready = None
    for i, each in enumerate(new.connections):
        if each.name == connection:
            new.connections[i] = replace(each, law=law)
    refresh_followers(new)
    return new


def figure_scale(model: Model, settings: Settings, name: str) -> Scale:
    """The display unit of a figure, from the units of the model."""
    part, _, quantity = name.rpartition(".")
    if quantity in SPECIAL_POINT_FIGURES and "parameter" in settings:
        return Scale(parameter_unit(model, settings["parameter"]), 1.0)
    if quantity in (FREQUENCY, "peak_frequency", *SPECIAL_POINT_FIGURES):
        return frequency_scale(settings.get(UNIT_KEY, model.units.frequency))
    if quantity in UNITLESS_FIGURES or quantity in FIGURE_UNITS:
        return Scale(FIGURE_UNITS.get(quantity, ""), 1.0)
    if "force" in quantity:
        unit = _unit(model.units.connections, part, [each.name for each in model.connections])
        return Scale(axis_unit(unit).force, 1.0)
    axis = axis_unit(_unit(model.units.coordinates, part, [each.name for each in model.coordinates]))
    return Scale(axis.unit, axis.factor)


def si_unit(scale: Scale) -> str:
    """The unit in SI of a figure that is shown in another."""
    if scale.factor == 1.0:
        return scale.unit
    return {"translation": "m", "rotation": "rad"}.get(kind_of_unit(scale.unit) or "", "rad/s")


def _unit(units: Any, part: str, names: list[str]) -> str:
    """Of the named part, or of the only one."""
    return str(units.get(part or (names[0] if len(names) == 1 else ""), ""))


def _matrices(model: Model) -> list[Any]:
    held = model.matrices
    if held is None:
        return []
    found = [each for each in (held.mass, held.damping, held.stiffness) if each is not None]
    return [_entries(each) if hasattr(each, "tocsr") else each for each in found]


def _entries(sparse: Any) -> list[Any]:
    rows = sparse.tocsr()
    return [rows.shape, rows.indptr, rows.indices, rows.data]
