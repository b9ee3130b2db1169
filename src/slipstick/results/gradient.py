"""`Gradient`: derivatives of a figure of a result by parameters of its model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import InvalidInput, short_repr
from slipstick.name_hints import did_you_mean


@dataclass(frozen=True, repr=False, eq=False)
class Gradient:
    """Result of ``gradient`` of a run, an orbit, a curve or a nonlinear mode: ``found["joint.limit"]``.

    figure : name of the figure.   value : of the figure; an array (points,) for a column of a curve or a mode.
    parameters : values of the parameters by name.   values : derivatives by name, each as large as ``value``.
    errors : estimated error of each derivative, by name.
    method : how the derivatives were computed, in words.
    """

    figure: str
    value: Any
    parameters: dict[str, float]
    values: dict[str, Any]
    errors: dict[str, float]
    method: str = ""

    def __getitem__(self, name: str) -> Any:
        if name not in self.values:
            hint = did_you_mean(name, self.values) if isinstance(name, str) else ""
            raise InvalidInput(f"the gradient has no {short_repr(name)}{hint}")
        return self.values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.values)

    def __len__(self) -> int:
        return len(self.values)

    @property
    def array(self) -> Array:
        """(parameters,) the derivatives in their order; (parameters, points) for a column."""
        return np.array([self.values[name] for name in self.values])

    @property
    def relative(self) -> dict[str, Any]:
        """Relative change of the figure over relative change of each parameter: p / F dF/dp."""
        with np.errstate(divide="ignore", invalid="ignore"):
            found = {name: own * self.parameters[name] / np.asarray(self.value) for name, own in self.values.items()}
        return {name: float(own) if own.ndim == 0 else own for name, own in found.items()}

    def __repr__(self) -> str:
        width = max(map(len, self.values))
        lines = [f"Gradient of {self.figure} = {_words(self.value)}"]
        lines += [f"  by {name:<{width}}  {_words(own)}" for name, own in self.values.items()]
        return "\n".join(lines)


def _words(value: Any) -> str:
    if np.ndim(value) == 0:
        return f"{value:.6g}"
    return f"{np.size(value)} points, {np.nanmin(value):.4g} to {np.nanmax(value):.4g}"
