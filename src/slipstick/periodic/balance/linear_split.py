"""The linear side of harmonic balance: what laws are so stiff or so light that part of them belongs to it.

It is found once for a problem, and kept with it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import qr

from slipstick.arrays import Array
from slipstick.errors import InvalidInput
from slipstick.periodic.balance.compliance import (
    Compliance,
    LinearPart,
    UnheldMotions,
    compliance_of,
    least_damping,
    unheld_motions,
)
from slipstick.periodic.balance.load_harmonics import LoadHarmonics
from slipstick.periodic.balance.nonlinear_connections import NonlinearConnections, folded_of, stiffest_estimates
from slipstick.periodic.shooting.period_map import loose_directions
from slipstick.transient.problem import Problem

CACHE_KEY = "harmonic-balance"  # under which it is kept with its problem
# damping ratio below which stiffness and damping are moved from the laws into the linear part
LIGHT_DAMPING_RATIO = 1e-3
MOVED_DAMPING_RATIO = 0.2  # damping ratio that is moved
UNBALANCED_LOAD_REL = 1e-9  # of the largest mean load
DRAG_ROUNDING_REL = 1e-12  # of the largest drag on free bodies: less is none
SEEN = 1e-9  # of a motion: less of it in a deflection is rounding


class LinearSplit(NamedTuple):
    """stiffness, damping : (lines,) moved from the laws into the matrices ``part``; ``compliance`` solves with them.

    mean : (lines,) stiffness moved from the mean forces. It is zero for lines that hold the mean of a motion that no
    other force depends on (a free rotation against friction): any mean would do, and the derivatives would be singular.
    drift : (n,) [m/s or rad/s] mean velocity of free bodies, at which viscous drag balances their mean loads.
    """

    stiffness: Array
    mean: Array
    damping: Array
    part: LinearPart
    compliance: Compliance
    drift: Array


def plain_part(problem: Problem) -> LinearPart:
    """The linear part with plain springs and dampers, and nothing moved into it."""
    folded = folded_of(problem)
    return LinearPart(problem.mass, folded.damping, folded.stiffness)


def typical_size(problem: Problem, lines: NonlinearConnections, loads: LoadHarmonics, base: float) -> float:
    """[m or rad] how far the loads alone would move the coordinates, with every connection at its stiffest."""
    k, _ = stiffest_estimates(lines)
    acting = loads.at(base)
    stiffness = plain_part(problem).stiffness + (lines.along * k) @ lines.rows
    moved = np.linalg.lstsq(stiffness, np.abs(acting).T, rcond=1e-12)[0] if acting.size else np.zeros(1)
    offsets = np.abs(problem.offsets.cos).max(initial=0.0) + np.abs(problem.offsets.sin).max(initial=0.0)
    size = max(float(np.abs(moved).max(initial=0.0)), float(offsets))
    return size if 0.0 < size < np.inf else 1.0


def linear_split_of(
    problem: Problem, lines: NonlinearConnections, loads: LoadHarmonics, length: float, order: int
) -> LinearSplit:
    """The linear part, with stiffness and damping from the laws if it needs them.

    length : [m or rad] typical size of the motion.   order : base periods in a period.
    """
    kept = problem.kept
    if CACHE_KEY not in kept:
        kept[CACHE_KEY] = _find_linear_split(problem, lines, loads, length, order)
    found = kept[CACHE_KEY]
    assert isinstance(found, LinearSplit)
    return found


def _find_linear_split(
    problem: Problem, lines: NonlinearConnections, loads: LoadHarmonics, length: float, order: int
) -> LinearSplit:
    part, m, base = plain_part(problem), lines.count, problem.frequency
    assert base is not None
    stiffness, damping = np.zeros(m), np.zeros(m)
    loose = unheld_motions(part.stiffness)
    compliance = compliance_of(part, base / order, loose)
    if m and least_damping(part, compliance) < LIGHT_DAMPING_RATIO:
        k, c = stiffest_estimates(lines, length)
        inertia = part.inertia_along(lines.rows, lines.along)
        k = np.where(k > 0.0, k, inertia * base**2)
        stiffness, damping = k, np.maximum(c, 2.0 * MOVED_DAMPING_RATIO * np.sqrt(k * inertia))
        part = part.stiffened(lines.rows, lines.along, stiffness, damping)
        loose = unheld_motions(part.stiffness)
        compliance = compliance_of(part, base / order, loose)
    drift = _mean_drift(problem, lines, loads.mean)
    _check_balance(loose, loads.mean, plain_part(problem).damping @ drift)
    mean = stiffness.copy()
    mean[_holding(problem, lines)] = 0.0
    return LinearSplit(stiffness, mean, damping, part, compliance, drift)


def _mean_drift(problem: Problem, lines: NonlinearConnections, mean: Array) -> Array:
    """(n,) velocity of free bodies at which linear drag balances their mean loads (n,); zero where it cannot.

    The deflection of a line that the drift would change is held here, as its law would feel the velocity.
    """
    part = plain_part(problem)
    size = np.abs(part.stiffness).max(initial=0.0) or 1.0
    loose = unheld_motions(part.stiffness + size * lines.along @ lines.rows)
    pull = loose.sums.T @ mean
    if not _is_unbalanced(pull, mean):
        return np.zeros(problem.n)
    drag = loose.sums.T @ part.damping @ loose.motions
    return np.asarray(loose.motions @ np.linalg.lstsq(drag, pull, rcond=DRAG_ROUNDING_REL)[0])


def _is_unbalanced(pull: Array, mean: Array) -> bool:
    """True if mean loads (n,) pull at free bodies by more than their rounding."""
    return bool(np.abs(pull).max(initial=0.0) > UNBALANCED_LOAD_REL * max(float(np.abs(mean).max(initial=0.0)), 1e-300))


def _holding(problem: Problem, lines: NonlinearConnections) -> list[int]:
    """Numbers of lines, one for each motion that changes no force, along which their deflections differ."""
    loose = loose_directions(problem)
    if not (lines.count and loose.size):
        return []
    seen = lines.rows @ loose / np.linalg.norm(lines.rows, axis=1)[:, None]
    _, factors, order = qr(seen.T, mode="economic", pivoting=True)
    return [int(order[k]) for k in np.flatnonzero(np.abs(factors.diagonal()) > SEEN)]


def _check_balance(loose: UnheldMotions, mean: Array, drag: Array) -> None:
    """Refuse mean loads (n,) on free bodies beyond the drag (n,) that resists."""
    pull = loose.sums.T @ (mean - drag)
    if _is_unbalanced(pull, mean):
        raise InvalidInput(
            f"the mean loads leave {np.abs(pull).max():.3g} N (or N m) on a motion "
            "that nothing holds, so it runs away; balance them, or hold it by a spring or a damper"
        )
