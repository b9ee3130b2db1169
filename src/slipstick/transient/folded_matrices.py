"""The linear part of a problem, with plain springs and dampers folded into the matrices.

    M q'' + C q' + K q + sum over the other elements = forcing(t)

`Linear` elements, with their preloads and prescribed motions, then cost nothing extra.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np

from slipstick.arrays import Array
from slipstick.forcing import Forcing
from slipstick.transient.problem import Element, Problem


@dataclass(frozen=True, eq=False)
class FoldedSystem:
    """damping, stiffness : (n, n).   forcing : n rows.   others : numbers of the elements that are not folded in."""

    damping: Array
    stiffness: Array
    forcing: Forcing
    others: tuple[int, ...]


def is_plain(element: Element) -> bool:
    """True for springs and dampers that can be part of the matrices."""
    return element.law.linear_force is not None and not element.modulation


def fold(problem: Problem, chosen: Collection[int] | None = None) -> FoldedSystem:
    """Put plain springs and dampers into the matrices and the forcing: all of them, or the elements that are chosen."""
    damping, stiffness = problem.damping.copy(), problem.stiffness.copy()
    m, n = len(problem.elements), problem.n
    springs, dampers, others = np.zeros((n, m)), np.zeros((n, m)), []
    preload = np.zeros(n)
    for e, element in enumerate(problem.elements):
        linear = element.law.linear_force
        if linear is None or not is_plain(element) or (chosen is not None and e not in chosen):
            others.append(e)
            continue
        column = element.force * element.along
        springs[:, e] = linear.stiffness * column
        dampers[:, e] = linear.damping * column
        preload += linear.preload * column
    stiffness += springs @ problem.deflections
    damping += dampers @ problem.deflections
    forcing = problem.forcing
    if problem.assembly.prescribed.size:
        forcing = forcing.plus(-springs, problem.offsets).plus(-dampers, problem.offsets.rate())
    forcing = replace(forcing, constant=forcing.constant - preload)
    return FoldedSystem(damping, stiffness, forcing, tuple(others))
