"""The equation of a Newmark step, prepared for Newton's method in `newton_loop`."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from slipstick.native import Native, compile_functions
from slipstick.transient.implicit import newton_loop
from slipstick.transient.implicit.layout import Layout, packed_sparse
from slipstick.transient.implicit.march_loop import march, solve_step
from slipstick.transient.implicit.newmark_scheme import NewmarkScheme
from slipstick.transient.implicit.records import NewtonStep, Step
from slipstick.transient.implicit.step_matrix import inverse_step_matrix, step_matrix


class NewtonSolver:
    """full : a new matrix in every iteration; else one is kept while it converges.
    condensed : unknowns are the deflections of the groups alone, None: if these are fewer than the coordinates. A
        singular linear part requires all coordinates.
    """

    method = "newmark"
    tried = "a line search, full Newton"

    def __init__(self, full: bool, condensed: bool | None, tolerance: float) -> None:
        self.full, self.condensed, self.tolerance = full, condensed, tolerance

    def kernel(self) -> Native:
        return compiled_march(newton_loop.solve_step, NewtonStep)

    def step(self, layout: Layout, scheme: NewmarkScheme, careful: bool) -> Step:
        lines, n = layout.lines, layout.problem.n
        rows, along = lines.rows[: lines.groups], lines.along[: lines.groups]
        wanted = lines.groups < n if self.condensed is None else self.condensed
        found = inverse_step_matrix(layout, scheme) if wanted else None
        condensed = found is not None
        shift = np.zeros(lines.groups + 1)
        inverse, response = np.zeros((1, 1)), np.zeros((1, 1))
        if found is not None:
            inverse, shift[:-1] = found
            response = inverse @ along.T
            left, where, into = np.eye(lines.groups), np.eye(lines.groups), (rows @ response).T
        else:
            left, where, into = step_matrix(layout, scheme), rows, along
        size = left.shape[0]
        unknowns = ("pivots", "y", "reduced_right_hand_side", "dy", "y_trial", "dy_trial", "scale", "measure")
        return NewtonStep(
            size=size, condensed=condensed, full_newton=self.full or careful, tolerance=self.tolerance,
            left=packed_sparse(left), deflection_matrix=packed_sparse(where), direction_matrix=packed_sparse(into),
            shift=shift,
            inverse=np.ascontiguousarray(inverse.T), response=np.ascontiguousarray(response.T),
            factors=np.zeros(size * size + 1), linear_correction=np.zeros(n + 1),
            factored_stiffness=np.zeros(lines.groups + 1),
            factored_pairs=np.zeros_like(layout.shared["pair_stiffness"]), diagonal=np.abs(np.diag(left)),
            **{name: np.zeros(size + 1) for name in unknowns},
        )  # fmt: skip


def compiled_march(solver: Callable[..., int], step: type[Step]) -> Native:
    """`march` with the solver of one kind of steps, compiled once and kept."""
    return compile_functions(march, replaced={solve_step: solver, Step: step})["march"]
