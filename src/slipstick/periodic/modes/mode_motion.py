"""`LinearMode`, where a nonlinear mode begins; `ModeMotion`, its series at one amplitude; the budget of evaluations."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from slipstick.arrays import Array, Complex
from slipstick.errors import NotConverged
from slipstick.periodic.modes.decaying_harmonic import DecayingForces
from slipstick.periodic.modes.pair_slopes import PairSlope


@dataclass(frozen=True, eq=False)
class LinearMode:
    """The linear mode a nonlinear one begins with: its frequency [rad/s], damping ratio, and complex shape (n,) of unit
    modal mass, its real and imaginary parts orthogonal; mean : (n,) where the model rests [m or rad]."""

    frequency: float
    damping_ratio: float
    shape: Complex
    mean: Array


class ModeMotion(NamedTuple):
    """z : (H+1, n+1) pairs of the coordinates of the elimination, and sigma behind them.
    answers : (H+1, n+1, m+1) to the forces of the lines, and to what is given.
    forces : (m, H+1) of the lines.
    slopes : (m, width, H+1) of forces less what is moved, by coefficients.   by_rates : (2, m, H+1) of the same by
    omega and zeta.   decaying : what the first harmonics of forces are on a motion that decays.
    pairs : of laws with several deflections."""

    z: Complex
    answers: Complex
    forces: Complex
    slopes: Complex
    by_rates: Complex
    decaying: DecayingForces
    pairs: tuple[PairSlope, ...] = ()

    def force_change(self, series: Array) -> Complex:
        """(m, H+1) the change of forces with deflections, from series (m, width) of their changes."""
        found = np.asarray(np.einsum("lch,lc->lh", self.slopes, series))
        for pair in self.pairs:
            found[pair.line] += series[pair.other] @ pair.slopes
        return found


@dataclass
class EvaluationBudget:
    """left : how many times the equations may still be looked at; a mode that cannot be followed is given up then."""

    left: float = math.inf

    def spend(self) -> None:
        self.left -= 1.0
        if self.spent:
            raise NotConverged("the limit on evaluations for one mode is reached")

    @property
    def spent(self) -> bool:
        return self.left < 0.0
