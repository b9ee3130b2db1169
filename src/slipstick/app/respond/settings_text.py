"""The settings of a result as text, for its files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slipstick.app.model_choice import ModelChoice
from slipstick.app.respond.jump_map import MapRequest
from slipstick.app.respond.model_parameters import ModelParameter, unranged_parameters
from slipstick.app.respond.run_up import RunBase, RunUp

if TYPE_CHECKING:
    from slipstick.results.curve import Curve
    from slipstick.results.jump_map import JumpMap
    from slipstick.results.run import Run

SettingBase = RunBase | MapRequest  # what was requested beside the model and the range of a curve


def settings_text(choice: ModelChoice, result: Curve | Run | JumpMap, base: SettingBase = None) -> tuple[str, ...]:
    """ "torsional", "mean = 0.4 T_p", ..., "from 0.2 to 2 ω_n".   base : frequency or speed of a run."""
    return _settings_lines(choice, result, base, unranged_parameters(choice))


def changed_settings_text(
    choice: ModelChoice, result: Curve | Run | JumpMap, base: SettingBase = None
) -> tuple[str, ...]:
    """The settings that differ from the usual ones."""
    knobs = [knob for knob in unranged_parameters(choice) if knob.options or knob.value != knob.usual]
    return _settings_lines(choice, result, base, knobs)


def _settings_lines(
    choice: ModelChoice, result: Curve | Run | JumpMap, base: SettingBase, knobs: list[ModelParameter]
) -> tuple[str, ...]:
    model = result.names.model if hasattr(result, "names") else result.model
    name = model if choice.system else f"{model} ({choice.name})"
    return name, *filter(None, map(_parameter_text, knobs)), _range_text(choice, result, base)


def _parameter_text(knob: ModelParameter) -> str:
    if knob.value is None and not knob.word:
        return ""  # it follows from others
    return f"{knob.words} = {knob.word or f'{knob.value:.9g} {knob.unit}'}".rstrip()


def _range_text(choice: ModelChoice, result: Curve | Run | JumpMap, base: SettingBase) -> str:
    from slipstick.results.curve import Curve
    from slipstick.results.run import Run
    from slipstick.units.scales import frequency_scale

    units = result.names.units if isinstance(result, Curve | Run) else choice.build().units
    scale = frequency_scale(units.frequency)
    unit = choice.display_unit(scale.unit)
    if isinstance(base, MapRequest):
        return base.text(unit)
    if isinstance(result, Curve):
        return f"from {scale.factor * result.stats.begin:.9g} to {scale.factor * result.stats.end:.9g} {unit}"
    if isinstance(base, RunUp):
        return base.text(scale, unit, choice.display_unit("s"))
    own = getattr(result, "frequency", base)
    return f"base frequency = {scale.factor * own:.9g} {unit}" if own else "its own frequencies"
