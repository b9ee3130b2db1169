"""Limit cycles of harmonic balance: their trivial multiplier, and their error by twice as many harmonics.

The residual of an orbit does not bound the error of a limit cycle, as a shift in time changes no residual. So each is
compared with the cycle of more harmonics, at the same phase.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import Advice, Message, NotConverged
from slipstick.periodic.balance.harmonic_balance import HarmonicBalance
from slipstick.periodic.continuation.corrector import solve_at
from slipstick.periodic.multipliers import is_stable
from slipstick.results.orbit import OrbitPoint
from slipstick.results.tolerances import ERROR_LIMIT_REL
from slipstick.results.trajectory import RecordedTrajectory, Trajectory

if TYPE_CHECKING:
    from slipstick.periodic.cycles.cycle_family import CycleFamily


TRIVIAL_DISTANCE = 0.05  # from 1: the multiplier this near is the trivial one
UNRESOLVED_WORDS = "do not resolve this motion"  # of a note by the residual, which does not hold for limit cycles


def balance_cycle_point(family: CycleFamily, inner: HarmonicBalance, x: Array, p: float) -> OrbitPoint:
    """What a curve stores about a limit cycle of harmonic balance."""
    point = _with_trivial(inner.point(np.ascontiguousarray(x[:-1]), float(x[-1])))
    error = _error(family, inner, x, p)
    notes = [note for note in point.notes if UNRESOLVED_WORDS not in note]
    if not error <= ERROR_LIMIT_REL * float(point.amplitude.max(initial=0.0)):
        words = f"{inner.harmonics} harmonics leave an error of {error:.2g}"
        notes.append(Message(words, advice=[Advice("raise {harmonics}, or use {method}", method="shooting")]))
    return replace(point, error=error, notes=tuple(notes))


def _error(family: CycleFamily, inner: HarmonicBalance, x: Array, p: float) -> float:
    """[m or rad] the distance to the cycle of more harmonics; not a number where that is not found."""
    finer = inner.refined()
    if finer is None or not inner.size:
        return math.nan
    other = family.with_inner(finer.family, p)
    try:
        found = solve_at(other, np.append(finer.lower(x[:-1]), x[-1]), p, abs(p) or 1.0)
    except NotConverged:
        return math.nan
    apart = found.x[:-1] - finer.lower(x[:-1])
    rows = apart.reshape(-1, finer.family.waves.width)  # type: ignore[attr-defined]
    return float(np.abs(rows).sum(axis=1).max() + inner.tolerance * np.abs(x[:-1]).max())


def _with_trivial(point: OrbitPoint) -> OrbitPoint:
    """The same with the multiplier nearest to 1 set to 1, and stability by the others."""
    found = point.multipliers.copy()
    if not found.size or point.stable is None:
        return point
    k = int(np.argmin(np.abs(found - 1.0)))
    if abs(found[k] - 1.0) > TRIVIAL_DISTANCE:
        words = f"no multiplier is near 1 (nearest {found[k]:.4g}), so harmonics are too few for stability"
        return replace(point, stable=None, notes=(*point.notes, words))
    found[k] = 1.0
    return replace(point, multipliers=found[np.argsort(-np.abs(found), kind="stable")], stable=is_stable(found))


def with_balance_error(trajectory: Trajectory, point: OrbitPoint) -> Trajectory:
    """The trajectory of a limit cycle, with the error of its point in the certificate."""
    assert isinstance(trajectory, RecordedTrajectory)
    old = trajectory.certificate()
    errors = {name: point.error if error else 0.0 for name, error in old.errors.items()}
    words = ("error: the distance to the limit cycle of more harmonics",)
    notes = (*point.notes, *(note for note in old.notes if note not in point.notes and UNRESOLVED_WORDS not in note))
    kept = tuple(note for note in notes if not note.startswith("error: "))
    new = replace(old, error=point.error, errors=errors, notes=(*kept, *words))
    return RecordedTrajectory(trajectory.stats, trajectory.samples(), trajectory.events(), new)
