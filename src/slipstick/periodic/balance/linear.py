"""The linear side of harmonic balance: what laws are so stiff or so light that part of them belongs to it.

It is found once for a problem, and kept with it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from slipstick.errors import InvalidInput
from slipstick.periodic.balance.compliance import Compliance, LinearPart, Unheld, compliance_of, least_damping, unheld
from slipstick.periodic.balance.lines import Lines, estimates, folded_of
from slipstick.periodic.balance.loads import Loads
from slipstick.transient.problem import Problem

Array = NDArray[np.float64]

KEPT = "harmonic-balance"  # under which it is kept with its problem
LIGHT = 1e-3  # damping ratio below which stiffness and damping are moved from the laws into the linear part
MOVED = 0.2  # damping ratio that is moved
UNBALANCED = 1e-9  # of the largest mean load


class LinearSide(NamedTuple):
    """stiffness, damping : (lines,) moved from the laws into the matrices ``part``; ``compliance`` solves with them."""

    stiffness: Array
    damping: Array
    part: LinearPart
    compliance: Compliance


def plain_part(problem: Problem) -> LinearPart:
    """The linear part with plain springs and dampers, and nothing moved into it."""
    folded = folded_of(problem)
    return LinearPart(problem.mass, folded.damping, folded.stiffness)


def typical_size(problem: Problem, lines: Lines, loads: Loads, base: float) -> float:
    """[m or rad] how far the loads alone would move the coordinates, with every connection at its stiffest."""
    k, _ = estimates(lines)
    acting = loads.at(base)
    stiffness = plain_part(problem).stiffness + (lines.along * k) @ lines.rows
    moved = np.linalg.lstsq(stiffness, np.abs(acting).T, rcond=1e-12)[0] if acting.size else np.zeros(1)
    offsets = np.abs(problem.offsets.cos).max(initial=0.0) + np.abs(problem.offsets.sin).max(initial=0.0)
    size = max(float(np.abs(moved).max(initial=0.0)), float(offsets))
    return size if 0.0 < size < np.inf else 1.0


def linear_of(problem: Problem, lines: Lines, loads: Loads, length: float, order: int) -> LinearSide:
    """The linear part, with stiffness and damping from the laws if it needs them.

    length : [m or rad] typical size of the motion.   order : base periods in a period.
    """
    kept = problem.kept
    if KEPT not in kept:
        kept[KEPT] = _found(problem, lines, loads, length, order)
    found = kept[KEPT]
    assert isinstance(found, LinearSide)
    return found


def _found(problem: Problem, lines: Lines, loads: Loads, length: float, order: int) -> LinearSide:
    part, m, base = plain_part(problem), lines.count, problem.frequency
    assert base is not None
    stiffness, damping = np.zeros(m), np.zeros(m)
    loose = unheld(part.stiffness)
    compliance = compliance_of(part, base / order, loose)
    if m and least_damping(part, compliance) < LIGHT:
        k, c = estimates(lines, length)
        inertia = part.inertia_along(lines.rows, lines.along)
        k = np.where(k > 0.0, k, inertia * base**2)
        stiffness, damping = k, np.maximum(c, 2.0 * MOVED * np.sqrt(k * inertia))
        part = part.stiffened(lines.rows, lines.along, stiffness, damping)
        loose = unheld(part.stiffness)
        compliance = compliance_of(part, base / order, loose)
    _check_balance(loose, loads)
    return LinearSide(stiffness, damping, part, compliance)


def _check_balance(loose: Unheld, loads: Loads) -> None:
    """Refuse mean loads on what nothing holds."""
    mean = loads.powers[0][-1].real
    left = np.abs(loose.sums.T @ mean).max(initial=0.0)
    if left > UNBALANCED * max(float(np.abs(mean).max(initial=0.0)), 1e-300):
        raise InvalidInput(
            f"the mean loads leave {left:.3g} N (or N m) on a motion that nothing holds, so it runs away; "
            "balance them, or hold it by a spring"
        )
