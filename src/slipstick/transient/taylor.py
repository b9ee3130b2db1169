"""Newmark's steps, each solved by a Taylor series in a homotopy parameter: the clutch paper's (28)-(41), corrected.

The matrix K* is kept as long as the series with it reaches the end of the step, so few are factorised; each step costs
as many solutions as the series has orders. A step is accepted only when its true residual is small: the range (39) of a
series alone says nothing about it. If a series with a new matrix does not reach the end, another continues from there.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from slipstick.errors import InvalidInput, short_repr
from slipstick.laws.taylor_coefficients import series_count, term_address
from slipstick.native import Native, Rows
from slipstick.results.trajectory import Trajectory
from slipstick.transient.implicit import taylor_loop
from slipstick.transient.implicit.layout import Layout
from slipstick.transient.implicit.newmark_scheme import NewmarkScheme
from slipstick.transient.implicit.newton_solver import compiled_march
from slipstick.transient.implicit.records import RecurrenceTerm, SeriesStep, Step
from slipstick.transient.implicit.step_choice import fixed_step_run, step_of
from slipstick.transient.implicit.step_matrix import step_matrix, undetermined_coordinates
from slipstick.transient.problem import Problem
from slipstick.transient.run_request import RunRequest

LOWEST_ORDER, HIGHEST_ORDER = 2, 60
RESIDUAL_TOLERANCE_REL = 1e-11  # of the change over a step: correction by the true residual, at most


def run(problem: Problem, request: RunRequest, *, order: int = 14, kappa: float = 1e-9) -> Trajectory:
    """The solution of `newmark` at the same step, with few factorisations; laws need Taylor coefficients.

    order : p of (38), the highest power of a series.
    kappa : of (39); a series is used as far as its last term stays below kappa times the first.
    """
    check(problem, request, order=order, kappa=kappa)
    return fixed_step_run(problem, request, lambda: SeriesSolver(int(order), float(kappa)))


def check(problem: Problem, request: RunRequest, *, order: int = 14, kappa: float = 1e-9) -> None:
    """Refuse a request that cannot run."""
    if isinstance(order, bool) or not isinstance(order, (int, np.integer)):
        raise InvalidInput(f"order must be a whole number, got {short_repr(order)}", owner="taylor").about("order")
    if not LOWEST_ORDER <= order <= HIGHEST_ORDER:
        raise InvalidInput(f"order must be from {LOWEST_ORDER} to {HIGHEST_ORDER}, got {order}", owner="taylor").about(
            "order"
        )
    if isinstance(kappa, bool) or not isinstance(kappa, (int, float, np.number)) or not 0.0 < kappa < 1.0:
        raise InvalidInput(f"kappa must be between 0 and 1, got {short_repr(kappa)}", owner="taylor").about("kappa")
    step, _ = step_of(problem, request)
    lost = undetermined_coordinates(problem, step, with_laws=False)
    if lost:
        raise InvalidInput(
            f"every coordinate needs inertia, or a linear spring or damper, and coordinate {lost} is held by "
            'other laws alone; add a small inertia, or use method "newmark"',
            owner="taylor",
        )


class SeriesSolver:
    """Solves a step by series of an order, trusted as far as kappa says."""

    method = "taylor"
    tried = "a new matrix, series after series"

    def __init__(self, order: int, kappa: float) -> None:
        self.order, self.kappa = order, kappa
        self.kept: list[Any] = []  # keeps alive the objects behind addresses

    def kernel(self) -> Native:
        return compiled_march(taylor_loop.solve_step, SeriesStep)

    def step(self, layout: Layout, scheme: NewmarkScheme, careful: bool) -> Step:
        lines, n, room = layout.lines, layout.problem.n, self.order + 1
        rows, along = lines.rows[: lines.groups], lines.along[: lines.groups]
        inverse = np.linalg.inv(step_matrix(layout, scheme))
        response = inverse @ along.T
        laws, g = [layout.problem.elements[e].law for e in lines.leaves], lines.groups
        terms = Rows(RecurrenceTerm, len(laws))
        for i, law in enumerate(laws):
            address, kept = term_address(law)
            terms[i].function, terms[i].workspace = int(address), np.zeros(series_count(law) * room + 1)
            self.kept.append(kept)
        groups = ("start_stiffness", "pivots", "scale", "linear_deflection", "phi", "slope_force", "new_stiffness")
        return SeriesStep(
            order=self.order, kappa=self.kappa, tolerance=RESIDUAL_TOLERANCE_REL,
            inverse=np.ascontiguousarray(inverse.T), response=np.ascontiguousarray(response.T),
            compliance=np.ascontiguousarray(rows @ response), terms=terms,
            leaf_deflections=np.zeros(len(laws) * room + 1), leaf_rates=np.zeros(len(laws) * room + 1),
            solution=np.zeros(g * g + 1), factors=np.zeros(g * g + 1), linear_correction=np.zeros(n + 1),
            **{name: np.zeros(room * g + 1) for name in ("x_series", "f_series", "p_series")},
            **{name: np.zeros(g + 1) for name in (*groups, "column", "other", "p_begin")},
        )  # fmt: skip
