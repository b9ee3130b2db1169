"""Parameters of a model by name, and models in which they are a little larger or smaller."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from slipstick.calibration.unknowns import START_STATE, value_of, with_parameters
from slipstick.errors import InvalidInput, NotConverged, short_repr
from slipstick.model.named_parameter import parameter_names

NEGLIGIBLE = 1e-9  # of one: a parameter below has no size of its own


class Parameter(NamedTuple):
    """name, value : in the model.   scale : a change that counts as one of order one."""

    name: str
    value: float
    scale: float


def parameters_of(model: Any, by: Any) -> list[Parameter]:
    """The parameters of a model by name, in the order given; `InvalidInput` for a wrong name."""
    if model is None:
        words = "the file of this result has no model, so there are no derivatives; compute it again"
        raise InvalidInput(words)
    if isinstance(by, str):
        by = [by]
    if not isinstance(by, Sequence) or not by or not all(isinstance(name, str) for name in by):
        example = next(iter(parameter_names(model)), "joint.limit")
        raise InvalidInput(f'by must be a list of names, such as ["{example}"], got {short_repr(by)}').about("by")
    if len(set(by)) < len(by):
        raise InvalidInput(f"by names a parameter twice: {short_repr(list(by))}").about("by")
    values = {name: value_of(model, name) for name in by}
    return [Parameter(name, value, abs(value) if abs(value) > NEGLIGIBLE else 1.0) for name, value in values.items()]


def is_start_state(name: str) -> bool:
    """True for a displacement or a velocity at the start."""
    return name.rpartition(".")[2] in START_STATE


def shifted(model: Any, parameter: Parameter, change: float) -> Any:
    """The model with a larger or smaller parameter; `NotConverged` if there is none."""
    try:
        return with_parameters(model, {parameter.name: parameter.value + change})
    except InvalidInput as refusal:
        words = f"the model exists only on one side of {parameter.name} = {parameter.value:g}, a bound of it"
        raise NotConverged(words) from refusal
