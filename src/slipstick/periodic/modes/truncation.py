"""Nonlinear modes of condensed models: what the modes of the inside that were left out change, to first order.

One step of Newton's method on the equations of the whole model (`Condensation.whole`), from the motion of the
condensed one: unknowns are deflections that carry laws, frequency and damping, and so mean the same in both.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import SlipstickError
from slipstick.periodic.balance.fourier_series import as_series
from slipstick.periodic.balance.harmonic_balance import HarmonicBalance
from slipstick.periodic.continuation.corrector import solve_scaled as solve_matrix
from slipstick.periodic.modes.mode_family import ModeFamily
from slipstick.periodic.modes.mode_motion import LinearMode
from slipstick.periodic.truncation import TRUNCATION_SAFETY
from slipstick.transient.truncation import NOTHING_TRUNCATED

if TYPE_CHECKING:
    from slipstick.periodic.continuation.corrector import CurvePoint
    from slipstick.results.mode_points import ModePoint


class ModeTruncation:
    """Puts into the errors of motions what the condensation of their model has left out.

    family : of the condensed model; of one that is not condensed nothing is changed.
    """

    def __init__(self, family: ModeFamily) -> None:
        self.family = family
        self.how: Any = family.balance.problem.system.condensation

    def told(self, point: ModePoint, at: CurvePoint) -> ModePoint:
        """A motion with what was left out in its errors, or with a note on why that is not known."""
        if self.how is None:
            return point
        if self.how.is_whole:
            return replace(point, notes=(*point.notes, NOTHING_TRUNCATED))
        left = f"truncation: modes of the condensed part from {self.how.next_frequency:.4g} rad/s on are left out"
        try:
            frequency, damping, moved = TRUNCATION_SAFETY * self.figures(at.x, at.p)
        except (SlipstickError, np.linalg.LinAlgError) as problem:
            words = f"{left}, and their effect is not in the errors: {getattr(problem, 'message', problem)}"
            return replace(point, notes=(*point.notes, words))
        return replace(
            point,
            frequency_error=point.frequency_error + frequency,
            damping_error=point.damping_error + damping,
            error=point.error + moved,
            notes=(*point.notes, f"{left}; their effect is in the errors"),
        )

    def figures(self, x: Array, p: float) -> Array:
        """(3,) by how much frequency [rad/s], damping ratio and displacements of a motion would change."""
        family, whole = self.family, self._whole
        motion = whole.motion(x, p)
        equations = whole.at(x, p, motion)
        step = solve_matrix(equations.by_x, -equations.residual, whole.scales(x, p))
        there = whole.free_pairs(motion.z + whole.motion_change(x, p, motion, step))[self._at]
        apart = as_series(np.ascontiguousarray((there - family.free_pairs(family.motion(x, p).z))[self._displaced]))
        moved = np.abs(family.balance.fine_grid.values_of(apart)).max(initial=0.0)
        return np.array([abs(step[-2]) * family.linear.frequency, abs(step[-1]), moved])

    @cached_property
    def _whole(self) -> ModeFamily:
        """The same mode of the whole model."""
        own, linear = self.family, self.family.linear
        system = own.balance.problem.system
        balance = HarmonicBalance(self.how.whole(system), **own.balance.options)
        here, there = own.balance.problem.assembly, balance.problem.assembly
        place = {there.names[j]: i for i, j in enumerate(there.free)}
        names = [here.names[i] for i in here.free]
        self._at = [place[name] for name in names]
        self._displaced = np.array([name not in self.how.mode_names for name in names])
        shape, mean = np.zeros(balance.problem.n, dtype=np.complex128), np.zeros(balance.problem.n)
        shape[self._at], mean[self._at] = linear.shape, linear.mean
        coordinate = None if own.coordinate is None else self._at[own.coordinate]
        whole = LinearMode(linear.frequency, linear.damping_ratio, shape, mean)
        return ModeFamily(balance, whole, coordinate, own.sustain, norm=own.norm)
