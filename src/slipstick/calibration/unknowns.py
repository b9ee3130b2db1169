"""The unknown parameters of a calibration: names, start values, bounds, priors and scales.

The search variable of a parameter that must be positive is its logarithm, that of others their value over the start
value. Names are those of `Model.follow` ("joint.limit", "x.inertia"), and "x.displacement" and "x.velocity" for
the motion at the start of a record.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from slipstick.errors import InvalidInput, WrongArguments, finite_float, short_repr
from slipstick.model.named_parameter import parameter_of
from slipstick.model.system import System
from slipstick.name_hints import did_you_mean

START_STATE = ("displacement", "velocity")  # of a coordinate


@dataclass(frozen=True)
class CalibratedParameter:
    """One unknown parameter.

    name : in the model.   start : value in the given model.   logarithmic : the search variable is its logarithm.
    low, high : bounds.   prior : mean and standard deviation, or None.
    unit_scale : value of one unit of the search variable, if not logarithmic.
    """

    name: str
    start: float
    logarithmic: bool
    low: float
    high: float
    prior: tuple[float, float] | None
    unit_scale: float

    def value(self, y: float) -> float:
        """The parameter at a search variable."""
        return float(np.exp(y)) if self.logarithmic else y * self.unit_scale

    def search_variable(self, value: float) -> float:
        """The search variable at a value of the parameter."""
        if self.logarithmic:
            return float(np.log(value)) if value > 0.0 else -np.inf
        return value / self.unit_scale

    def slope(self, y: float) -> float:
        """Derivative of the parameter by its search variable."""
        return self.value(y) if self.logarithmic else self.unit_scale


def unknowns_of(
    model: System, names: Any, bounds: Mapping[str, Sequence[float | None]], priors: Mapping[str, Sequence[float]]
) -> list[CalibratedParameter]:
    """Checked unknowns, in the order given."""
    if isinstance(names, str) or not isinstance(names, Sequence) or not names:
        words = f'unknown must be a list of names, such as ["joint.limit"], got {short_repr(names)}'
        raise InvalidInput(words).about("unknown")
    if len(set(names)) < len(names):
        raise InvalidInput(f"unknown names a parameter twice: {short_repr(list(names))}").about("unknown")
    for kind, own in (("bounds", bounds), ("priors", priors)):
        for name in own:
            if name not in names:
                raise InvalidInput(f"{kind} has {short_repr(name)}, which is not in unknown{did_you_mean(name, names)}")
    return [_unknown(model, name, bounds.get(name), priors.get(name)) for name in names]


def _unknown(model: System, name: str, bound: Any, prior: Any) -> CalibratedParameter:
    start = value_of(model, name)
    low, high = _pair("bounds", name, bound, (-np.inf, np.inf))
    if not low < high:
        raise InvalidInput(f"bounds of {name} must be (low, high) with low < high, got {short_repr(bound)}")
    if not low <= start <= high:
        words = f"{name} is {start:.6g} in the model, its bounds are {low:.6g} to {high:.6g}"
        raise InvalidInput(f"{words}; change the model or the bounds")
    spread = None if prior is None else _pair("priors", name, prior, (0.0, 0.0))
    if spread is not None and not spread[1] > 0.0:
        raise InvalidInput(
            f"priors of {name} must be (mean, deviation) with a deviation above 0, got {short_repr(prior)}"
        )
    state = name.rpartition(".")[2] in START_STATE
    logarithmic = start > 0.0 and not low < 0.0 if bound is not None else start > 0.0 and not state
    return CalibratedParameter(name, start, logarithmic, low, high, spread, abs(start) or 1.0)


def _pair(kind: str, name: str, given: Any, default: tuple[float, float]) -> tuple[float, float]:
    if given is None:
        return default
    if isinstance(given, str) or not isinstance(given, (Sequence, np.ndarray)) or len(given) != 2:
        raise WrongArguments(f"{kind} of {name} must be two numbers, got {short_repr(given)}")
    low, high = (_end(f"{kind} of {name}", each, missing) for each, missing in zip(given, default, strict=True))
    return low, high


def _end(what: str, given: Any, missing: float) -> float:
    """One of two numbers, also infinite; ``missing`` for None."""
    if given is None:
        return missing
    return float(given) if given in (-np.inf, np.inf) else finite_float(what, given)


def value_of(model: System, name: str) -> float:
    """A parameter of the model, or an initial displacement or velocity, by name."""
    owner, _, key = name.rpartition(".") if isinstance(name, str) else ("", "", "")
    if key in START_STATE and any(c.name == owner for c in model.coordinates):
        return float(getattr(model[owner], key))
    return parameter_of(model, name).value


def with_parameters(model: Any, values: Mapping[str, float]) -> Any:
    """A copy of the model with other parameters, by name. Raises `InvalidInput` for values that a law refuses."""
    new = model.snapshot()
    for name, value in values.items():
        owner, _, key = name.rpartition(".")
        if key in START_STATE and any(c.name == owner for c in new.coordinates):
            new = new.snapshot()
            setattr(new[owner], key, value)
            new.ready = None
        else:
            new = parameter_of(new, name).at(value)
    return new
