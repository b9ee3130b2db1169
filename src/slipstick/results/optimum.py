"""`Optimum`: parameters of a model with the best value of a figure."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, repr=False, eq=False)
class Optimum:
    """Result of `slipstick.optimise`.

    model : with the best parameters.   values : these by name.   figure, value : what was optimised.
    first : value of the figure at the start.   limits : values of the figures in ``subject_to``.
    active : names of parameters at a bound.   converged : the conditions of an optimum hold.
    message : of the solver, in words.   evaluations : number of computed results.
    result : the run, orbit or curve of the best model.   history : values of the figure, in order.
    """

    model: Any
    values: dict[str, float]
    figure: str
    value: float
    first: float
    limits: dict[str, float]
    active: tuple[str, ...]
    converged: bool
    message: str
    evaluations: int
    result: Any
    history: tuple[float, ...] = field(default=())

    def __repr__(self) -> str:
        state = "" if self.converged else f"; NOT CONVERGED: {self.message}"
        lines = [f"Optimum of {self.figure}: {self.value:.6g} (at the start {self.first:.6g}){state}"]
        width = max(map(len, (*self.values, *self.limits)))
        for name, value in self.values.items():
            lines.append(f"  {name:<{width}}  {value:.6g}{'  at its bound' if name in self.active else ''}")
        lines += [f"  {name:<{width}}  {value:.6g}  (limited)" for name, value in self.limits.items()]
        return "\n".join(lines)
