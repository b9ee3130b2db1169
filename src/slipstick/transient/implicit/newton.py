"""The equation of a Newmark step, made ready for Newton's method in `newton_loop`."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slipstick.errors import NotConverged
from slipstick.laws.loops import modulation
from slipstick.native import Native
from slipstick.transient.forcing import forcing_at
from slipstick.transient.implicit import elimination_loop, march_loop, newton_loop, record_loop, step_loop
from slipstick.transient.implicit.layout import Layout, sparse
from slipstick.transient.implicit.stepper import Scheme
from slipstick.transient.kernels import modules_loop

Array = NDArray[np.float64]

SINGULAR = 1e13  # a matrix whose equations, each scaled to one, are worse conditioned than this cannot be relied on


class Newton:
    """full : a new matrix in every iteration; else one is kept as long as it serves.
    condensed : unknowns are the deflections of the groups alone, None: where these are fewer than the coordinates.
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
        condensed = lines.groups < n if self.condensed is None else self.condensed
        shift = np.zeros(lines.groups + 1)
        inverse, response = np.zeros((1, 1)), np.zeros((1, 1))
        if condensed:
            inverse, shift[:-1] = inverse_of(layout, scheme)
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


def matrix_of(layout: Layout, scheme: Scheme) -> Array:
    """(n, n) the linear part of a step's equation."""
    return np.asarray(scheme.c2 * layout.problem.mass + scheme.c1 * layout.damping + layout.stiffness)


def inverse_of(layout: Layout, scheme: Scheme) -> tuple[Array, Array]:
    """The inverse of the linear part, with stiffness of the laws in it where it has to be, and that (groups,)."""
    lines, matrix = layout.lines, matrix_of(layout, scheme)
    rows, along = lines.rows[: lines.groups], lines.along[: lines.groups]
    shift = np.zeros(lines.groups)
    if not _is_regular(matrix):
        shift = _start_slopes(layout, scheme)
        matrix = matrix + along.T @ (shift[:, None] * rows)
    if not _is_regular(matrix):
        raise NotConverged(
            "newmark: the matrix of a step is singular without the laws; some coordinate has neither inertia nor a "
            "spring or damper: use condensed=False, or give it a small inertia"
        )
    return np.asarray(np.linalg.inv(matrix), dtype=float), shift


def _is_regular(matrix: Array) -> bool:
    size = np.abs(matrix).max(axis=1, initial=0.0)
    return bool(size.all()) and bool(np.linalg.cond(matrix / size[:, None]) < SINGULAR)


def _start_slopes(layout: Layout, scheme: Scheme) -> Array:
    """(groups,) slope of each group's force along its deflection where the run begins."""
    problem, lines = layout.problem, layout.lines
    u = problem.deflections_at(problem.start, problem.displacement)
    slopes = np.zeros(lines.groups)
    memories = problem.start_memories()
    for e in lines.leaves:
        element = problem.elements[e]
        _, k, c = element.law.tangent(float(u[e]), 0.0, memories[e])
        slopes[lines.connections.index(element.connection)] += element.force * element.scale * (k + scheme.c1 * c)
    return slopes


def compiled(*solver: ModuleType) -> Native:
    """`march` with the way of solving of some modules, the last of which has `solve_step`; compiled once and kept."""
    modules = (step_loop, record_loop, march_loop, elimination_loop, *solver)
    return modules_loop(modules, (modulation, forcing_at), "march", ("list", "number", "integer", "integer"))
