"""Self-excited problems over a parameter of a model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from slipstick.arrays import Array
from slipstick.errors import InvalidInput, NotConverged, short_repr
from slipstick.model.named_parameter import parameter_of
from slipstick.model.named_parameter_unit import parameter_unit
from slipstick.model.system import System
from slipstick.periodic.cycles.self_excitation import refuse_time_dependence, self_excited_problem
from slipstick.transient.problem import Problem

UNNAMED_PARAMETER = "parameter"  # what a function makes models over


@dataclass(frozen=True)
class ParametricProblem:
    """Self-excited problems over a parameter of a model.   at : the model at a value.   own : its value as it is."""

    at: Callable[[float], System]
    name: str
    unit: str
    own: float | None

    def problem(self, p: float, frequency: float = 1.0) -> Problem:
        """The problem at a value that a search has led to."""
        try:
            return self_excited_problem(self.at(p), frequency)
        except InvalidInput as refusal:
            raise NotConverged(
                refusal.message.wrapped(f"the search led to {p:.9g}, where there is no model: ")
            ) from None


def parametric_problem(system: System, parameter: Any, values: Array) -> ParametricProblem:
    """Models over a parameter by name, or by a function from a value to a model."""
    if callable(parameter):
        found = ParametricProblem(parameter, UNNAMED_PARAMETER, "", None)
    else:
        own = parameter_of(system.snapshot(), parameter)
        found = ParametricProblem(own.at, parameter, parameter_unit(system, parameter), own.value)
    for value in values.tolist():
        if callable(parameter) and not isinstance(made := parameter(value), System):
            words = f"the function gave {short_repr(made)} at {value:g}, not a model; check its return statement"
            raise InvalidInput(words).about("parameter")
        try:
            refuse_time_dependence(found.at(value))
        except InvalidInput as refusal:
            raise refusal.about("between") if refusal.argument is None else refusal from None
    return found
