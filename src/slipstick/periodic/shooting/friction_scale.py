"""Displacements that the limits of dry friction would cause: the scale for motions that are almost zero."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from slipstick.laws.law_kernels import pointer
from slipstick.periodic.shooting.period_map import mean_limit
from slipstick.transient.exact import friction_scale as to
from slipstick.transient.exact.compiled import kernel
from slipstick.transient.exact.engine import Engine
from slipstick.transient.exact.packed_model import PackedModel, Unit
from slipstick.transient.problem import Problem

Array = NDArray[np.float64]


class FrictionScale:
    """Of the contacts of dry friction of an engine, those that are prescribed left out; at any frequency of its loads.

    numbers : for `slipstick.transient.exact.friction_scale.friction_displacement`.
    """

    def __init__(self, engine: Engine) -> None:
        packed, n, self._lock = engine.packed, engine.packed.problem.n, engine.lock
        contacts = [unit for unit in packed.units if unit.friction and not unit.driven]
        self.contacts = len(contacts)
        self.numbers, self._moved, self._shares = np.zeros(to.YIELDING_HEAD), slice(0), np.zeros(0)
        if contacts:
            limits = np.array([_limit(packed.problem, unit) for unit in contacts])
            self._stiffness, self._mass = stiffest_matrix(packed), packed.mass
            self._forces = np.array([unit.deflection for unit in contacts]).reshape(-1, n) * limits[:, None]
            self._put(n, limits, _shares(packed.problem, limits))
        self.at = pointer(self.numbers)

    def _put(self, n: int, limits: Array, shares: Array) -> None:
        """Put all of it in one array; limits, shares : (contacts,)."""
        sections = {
            to.W_STIFFNESS: self._stiffness, to.W_MASS: self._mass, to.W_FORCES: self._forces, to.W_SHARES: shares,
            to.W_MOVED: limits, to.W_ROOM: np.zeros((n + 1, n)),
        }  # fmt: skip
        parts = [part.ravel() for part in sections.values()]
        begins = (to.YIELDING_HEAD + np.cumsum([0, *(part.size for part in parts)])).tolist()
        self.numbers[[to.W_COORDINATES, to.W_CONTACTS]] = n, limits.size
        self.numbers[list(sections)] = begins[:-1]
        self.numbers = np.concatenate([self.numbers, *parts])
        begin = dict(zip(sections, begins, strict=False))
        self._moved = slice(begin[to.W_MOVED], begin[to.W_MOVED] + limits.size)
        self._shares = shares

    def moved(self, omega: float) -> Array:
        """(contacts,) by how much the limit of each would move what it moves most, in a motion of that frequency."""
        if not self.contacts:
            return np.zeros(0)
        with self._lock:
            if kernel("friction_displacement").call(self.at, omega) >= 0.0:
                return self.numbers[self._moved].copy()
        resisting = self._stiffness + omega**2 * self._mass
        return np.asarray(np.abs(np.linalg.lstsq(resisting, self._forces.T, rcond=None)[0]).max(axis=0))

    def least(self, omega: float) -> float:
        """The least size that displacements are measured by where there is dry friction; else nothing.

        Where slip has just begun the motion is as small as one likes, and forces that are as large as ever cancel in
        it but for rounding: it is measured by a little of what the limits of friction would move. Limits that loads
        do not come near to count no more than these.
        """
        if not self.contacts:
            return 0.0
        with self._lock:
            most = float(kernel("friction_displacement").call(self.at, omega))
        if most < 0.0:
            most = float((self._shares * self.moved(omega)).max())
        return to.NEGLIGIBLE_FRICTION_REL * most


def stiffest_matrix(packed: PackedModel) -> Array:
    """(n, n) stiffness with every spring in its stiffest state; contacts of dry friction left out."""
    found = packed.stiffness
    for unit, pieces in zip(packed.units, packed.pieces, strict=True):
        if not unit.friction:
            most = max(abs(piece.force.u + piece.force.w) for piece in pieces)
            found = found + most * np.outer(unit.deflection, unit.deflection)
    return np.asarray(found)


def _limit(problem: Problem, unit: Unit) -> float:
    """The mean limit of a contact."""
    return sum(mean_limit(problem.elements[e]) for e in unit.elements)


def _shares(problem: Problem, limits: Array) -> Array:
    """(contacts,) the part of each limit that the loads of a problem come up to; all of it where that is not known."""
    forcing, loads = problem.forcing, math.inf
    if problem.offsets.is_zero and not (forcing.signals or forcing.ramp.any()):
        loads = float(sum(np.abs(part).sum() for part in (forcing.constant, forcing.cos, forcing.sin)))
    return np.minimum(1.0, loads / np.maximum(limits, 1e-300))
