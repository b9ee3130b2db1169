"""What a result says about its own error."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

LARGEST_ENERGY_RESIDUAL = 1e-2  # of the work done; a stepping method that loses more than this is not trusted


@dataclass(frozen=True, repr=False)
class Certificate:
    """Energy balance and error estimate of a run.

    error : estimated largest error of a displacement [m or rad], over all coordinates and the whole run;
        infinite where the motion is sensitive: perturbations grew so much that no figure is honest.
    errors : the same by coordinate.
    energy_residual : what is missing in the balance, over the work done: work_in = change of kinetic and stored
        energy + dissipation.
    work_in : [J] done by loads and prescribed motions.
    dissipated : [J] by connection. Laws without a stored energy of their own report the work they absorbed.
    stored : [J] change of stored energy by connection;  kinetic : [J] change of kinetic energy.
    passed : the balance holds and the error is a figure.
    notes : what a reader should know, in words.
    """

    error: float
    errors: dict[str, float]
    energy_residual: float
    work_in: float
    dissipated: dict[str, float]
    stored: dict[str, float]
    kinetic: float
    tolerance: float
    notes: tuple[str, ...] = field(default=())

    @property
    def sensitive(self) -> bool:
        """True where perturbations grew so much that the error has no honest figure."""
        return math.isinf(self.error)

    @property
    def passed(self) -> bool:
        return math.isfinite(self.error) and self.energy_residual <= self.tolerance
