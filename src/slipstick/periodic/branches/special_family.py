"""`SpecialFamily`: folds, period doublings or Neimark-Sacker points over a second parameter, as a family over that.

One equation is added to those of the orbit: a matrix A that is
singular at the special point is bordered, [A b; c' 0] (v, g) = (0, 1), and g = 0 (Govaerts 2000). At a fold A is the
derivative by x; at a period doubling of a period map D it is D + 1; at a Neimark-Sacker point it is the bialternate
product of D with itself less 1, whose eigenvalues are the products of two multipliers less 1.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import NotConverged
from slipstick.periodic.branches.two_parameter_family import PARAMETER_STEP_REL, TwoParameterFamily
from slipstick.periodic.continuation.family import Family, Linearisation

FOLD, DOUBLING, NEIMARK_SACKER = "fold", "period-doubling", "neimark-sacker"
NULL_STEP = 1e-5  # of the orbit's size: for second derivatives along the null vector
MIN_OVERLAP = 0.2  # of a border with its null vector: below, borders are chosen anew
MAX_COLUMNS = 16  # unknowns that are varied one by one


class _Borders(NamedTuple):
    left: Array
    right: Array


class _NullVectors(NamedTuple):
    """g : zero at a special point.   right, left : (size,) null vectors v and w of the scaled matrix."""

    value: float
    right: Array
    left: Array


class SpecialFamily(TwoParameterFamily[Family]):
    """family_at : the family over p at a value of q.   kind : of the special point at (x, p, q)."""

    finest = 1e-7
    called = "special points"

    def __init__(
        self,
        family_at: Callable[[float], Family],
        kind: str,
        at: tuple[Array, float, float],
        reach_p: float,
        reach_q: float,
    ) -> None:
        x, p, q = at
        self.kind = kind
        super().__init__(family_at, q, reach_p, reach_q)
        own = self.family(q)
        self.unit = own.scales(x, p).copy()
        left, _, right = np.linalg.svd(self._matrix(own, x, p, own.linearise(x, p)))
        self._borders = _Borders(left[:, -1], right[-1])

    def _matrix(self, family: Family, x: Array, p: float, found: Linearisation) -> Array:
        """The scaled matrix that is singular at a special point; (size, size), or (pairs, pairs) of multipliers."""
        if self.kind == FOLD:
            return np.asarray(found.by_x * self.unit)
        rows = family.scales(x, p) / np.sqrt(x.size)  # of the period map's equations
        if self.kind == NEIMARK_SACKER:
            product = bialternate_square(found.by_x * rows + np.eye(x.size))
            return np.asarray(product - np.eye(len(product)))
        return np.asarray(found.by_x * self.unit + np.diag(2.0 * self.unit / rows))

    def _null_vectors(self, matrix: Array) -> _NullVectors:
        """The border's value and null vectors; borders that have turned away from these are renewed."""
        for renew in (True, False):
            n, (left, right) = len(matrix), self._borders
            bordered = np.zeros((n + 1, n + 1))
            bordered[:n, :n], bordered[:n, n], bordered[n, :n] = matrix, left, right
            unit = np.zeros(n + 1)
            unit[n] = 1.0
            try:
                v, w = np.linalg.solve(bordered, unit), np.linalg.solve(bordered.T, unit)
            except np.linalg.LinAlgError:
                raise NotConverged("the bordered equations of the special point are singular") from None
            sizes = float(np.linalg.norm(v[:n])), float(np.linalg.norm(w[:n]))
            if renew and min(1.0 / sizes[0], 1.0 / sizes[1]) < MIN_OVERLAP:
                self._borders = _Borders(np.asarray(w[:n] / sizes[1]), np.asarray(v[:n] / sizes[0]))
                continue
            break
        return _NullVectors(float(v[n]), np.asarray(v[:n], dtype=float), np.asarray(w[:n], dtype=float))

    def linearise(self, x: Array, p: float) -> Linearisation:
        state, first, q, n = x[:-1], float(x[-1]), p, x.size - 1
        own = self.family(q)
        here = self.square_linearisation(own, state, first)
        matrix = self._matrix(own, state, first, here)
        null = self._null_vectors(matrix)
        by_state = self._by_state(own, state, first, null)
        second_p = self._by_first(own, state, first, null.right)
        change = PARAMETER_STEP_REL * max(abs(q), self.reach_q)  # one-sided: each value needs a family of its own
        other = self.family(q + change)
        beside = other.linearise(state, first)
        by_q = (beside.residual - here.residual) / change
        second_q = (self._matrix(other, state, first, beside) - matrix) @ null.right / change
        by_x = np.zeros((n + 1, n + 1))
        by_x[:n, :n], by_x[:n, n] = here.by_x, here.by_p
        by_x[n, :n], by_x[n, n] = by_state, -float(null.left @ second_p)
        return Linearisation(np.append(here.residual, null.value), by_x, np.append(by_q, -float(null.left @ second_q)))

    def _by_state(self, own: Family, x: Array, p: float, null: _NullVectors) -> Array:
        """(size,) the derivative of the border's value by the state.

        Column by column of few unknowns: rows are scaled by the orbit itself, so second derivatives do not commute.
        """
        if x.size > MAX_COLUMNS:
            step = NULL_STEP * self.unit * null.right / np.abs(null.right).max()
            above, below = (own.linearise(x + side * step, p).by_x for side in (1.0, -1.0))
            return np.asarray(-null.left @ (above - below) * np.abs(null.right).max() / (2.0 * NULL_STEP))
        found = np.empty(x.size)
        for k, size in enumerate(self.unit.tolist()):
            step = np.zeros(x.size)
            step[k] = NULL_STEP * size
            matrices = [
                self._matrix(own, x + side * step, p, own.linearise(x + side * step, p)) for side in (1.0, -1.0)
            ]
            found[k] = -float(null.left @ ((matrices[0] - matrices[1]) @ null.right)) / (2.0 * step[k])
        return found

    def _by_first(self, own: Family, x: Array, p: float, right: Array) -> Array:
        change = PARAMETER_STEP_REL * max(abs(p), self.reach_p)
        above, below = (self._matrix(own, x, v, own.linearise(x, v)) for v in (p + change, p - change))
        return np.asarray((above - below) @ right / (2.0 * change))


def bialternate_square(matrix: Array) -> Array:
    """(pairs, pairs) matrix whose eigenvalues are the products of two different eigenvalues (Govaerts 2000)."""
    p, q = np.tril_indices(len(matrix), -1)
    direct = matrix[np.ix_(p, p)] * matrix[np.ix_(q, q)]
    return np.asarray(direct - matrix[np.ix_(p, q)] * matrix[np.ix_(q, p)])
