"""The equation of a Newmark step, made ready for Newton's method in `newton_loop`."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

from slipstick.laws import stack
from slipstick.laws.loops import modulation
from slipstick.native import Native
from slipstick.transient.forcing import READERS
from slipstick.transient.implicit import elimination_loop, march_loop, newton_loop, places, record_loop, step_loop
from slipstick.transient.implicit.layout import Layout, sparse
from slipstick.transient.implicit.linear_part import inverse_of, matrix_of
from slipstick.transient.implicit.scheme import Scheme
from slipstick.transient.kernels import modules_loop


class Newton:
    """full : a new matrix in every iteration; else one is kept as long as it serves.
    condensed : unknowns are the deflections of the groups alone, None: where these are fewer than the coordinates. What
        the linear part leaves open takes all coordinates.
    """

    method = "newmark"
    tried = "a line search, full Newton"

    def __init__(self, full: bool, condensed: bool | None, tolerance: float) -> None:
        self.full, self.condensed, self.tolerance = full, condensed, tolerance

    def kernel(self) -> Native:
        return compiled(newton_loop)

    def entries(self, layout: Layout, scheme: Scheme, careful: bool) -> list[Any]:
        lines, n = layout.lines, layout.problem.n
        rows, along = lines.rows[: lines.groups], lines.along[: lines.groups]
        wanted = lines.groups < n if self.condensed is None else self.condensed
        found = inverse_of(layout, scheme) if wanted else None
        condensed = found is not None
        shift = np.zeros(lines.groups + 1)
        inverse, response = np.zeros((1, 1)), np.zeros((1, 1))
        if found is not None:
            inverse, shift[:-1] = found
            response = inverse @ along.T
            left, where, into = np.eye(lines.groups), np.eye(lines.groups), (rows @ response).T
        else:
            left, where, into = matrix_of(layout, scheme), rows, along
        size = left.shape[0]
        return [
            size, float(condensed), float(self.full or careful), self.tolerance,
            sparse(left), sparse(where), sparse(into), shift,
            np.ascontiguousarray(inverse.T), np.ascontiguousarray(response.T),
            np.zeros(size * size + 1), np.zeros(size + 1), np.zeros(1), *(np.zeros(size + 1) for _ in range(6)),
            np.zeros(n + 1), np.zeros(lines.groups + 1), np.abs(np.diag(left)), np.zeros(size + 1),
        ]  # fmt: skip


def compiled(*solver: ModuleType) -> Native:
    """`march` with the way of solving of some modules, the last of which has `solve_step`; compiled once and kept."""
    modules = (stack, places, step_loop, record_loop, march_loop, elimination_loop, *solver)
    return modules_loop(modules, (modulation, *READERS), "march", ("list", "number", "integer", "integer"))
