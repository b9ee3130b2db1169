"""The linear part of a problem with its plain springs and dampers folded into the matrices.

    M q'' + C q' + K q + sum over the other elements = forcing(t)

What `Linear` elements do, preloads and prescribed motions included, costs nothing more then.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from slipstick.laws.elastic import Linear
from slipstick.transient.forcing import Forcing
from slipstick.transient.problem import Problem

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Folded:
    """damping, stiffness : (n, n).   forcing : n rows.   others : numbers of the elements that are not folded in."""

    damping: Array
    stiffness: Array
    forcing: Forcing
    others: tuple[int, ...]


def fold(problem: Problem) -> Folded:
    """Put every `Linear` element with a constant factor into the matrices and the forcing."""
    damping, stiffness = problem.damping.copy(), problem.stiffness.copy()
    m, n = len(problem.elements), problem.n
    springs, dampers, others = np.zeros((n, m)), np.zeros((n, m)), []
    preload = np.zeros(n)
    for e, element in enumerate(problem.elements):
        if type(element.law) is not Linear or element.modulation:
            others.append(e)
            continue
        column = element.force * element.along
        springs[:, e] = element.law.stiffness * column
        dampers[:, e] = element.law.damping * column
        preload += element.law.preload * column
    stiffness += springs @ problem.deflections
    damping += dampers @ problem.deflections
    forcing = problem.forcing
    if problem.assembly.prescribed.size:
        forcing = forcing.plus(-springs, problem.offsets).plus(-dampers, problem.offsets.rate())
    forcing = Forcing(
        forcing.constant - preload, forcing.ramp, forcing.omega, forcing.cos, forcing.sin, forcing.signals
    )
    return Folded(damping, stiffness, forcing, tuple(others))
