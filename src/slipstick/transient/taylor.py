"""Newmark's steps, each solved by a Taylor series in a homotopy parameter: the clutch paper's (28)-(41), corrected.

The matrix K* is kept as long as the series with it reaches the end of the step, so few are factorised; each step costs
as many solutions as the series has orders. A step is accepted only when its true residual is small: the range (39) of a
series alone says nothing about it. Where a series with a new matrix does not reach the end, another goes on from there.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from slipstick.errors import InvalidInput, shown
from slipstick.laws.series import rooms, term_address
from slipstick.native import Native
from slipstick.results.trajectory import Trajectory
from slipstick.transient.implicit import series_loop, taylor_loop, taylor_places
from slipstick.transient.implicit.layout import Layout
from slipstick.transient.implicit.linear_part import matrix_of, open_coordinates
from slipstick.transient.implicit.newton import compiled
from slipstick.transient.implicit.run import step_of, stepped
from slipstick.transient.implicit.scheme import Scheme
from slipstick.transient.options import Request
from slipstick.transient.problem import Problem

Array = NDArray[np.float64]

LOWEST_ORDER, HIGHEST_ORDER = 2, 60
SOLVED_TO = 1e-11  # of the way a step makes: what the true residual may still move


def run(problem: Problem, request: Request, *, order: int = 14, kappa: float = 1e-9) -> Trajectory:
    """The solution of `newmark` at the same step, with few factorisations; laws need Taylor coefficients.

    order : p of (38), the highest power of a series.
    kappa : of (39); a series is used as far as its last term stays below kappa times the first.
    """
    check(problem, request, order=order, kappa=kappa)
    return stepped(problem, request, lambda: Series(int(order), float(kappa)))


def check(problem: Problem, request: Request, *, order: int = 14, kappa: float = 1e-9) -> None:
    """Refuse what cannot be run."""
    if isinstance(order, bool) or not isinstance(order, (int, np.integer)):
        raise InvalidInput(f"taylor: order must be a whole number, got {shown(order)}").about("order")
    if not LOWEST_ORDER <= order <= HIGHEST_ORDER:
        raise InvalidInput(f"taylor: order must be from {LOWEST_ORDER} to {HIGHEST_ORDER}, got {order}").about("order")
    if isinstance(kappa, bool) or not isinstance(kappa, (int, float, np.number)) or not 0.0 < kappa < 1.0:
        raise InvalidInput(f"taylor: kappa must be between 0 and 1, got {shown(kappa)}").about("kappa")
    step, _ = step_of(problem, request)
    lost = open_coordinates(problem, step, with_laws=False)
    if lost:
        raise InvalidInput(
            f"taylor: every coordinate needs inertia, or a linear spring or damper, and coordinate {lost} is held by "
            'other laws alone; add a small inertia, or use method "newmark"'
        )


class Series:
    """Solves a step by series of an order, trusted as far as kappa says."""

    method = "taylor"
    tried = "a new matrix, series after series"

    def __init__(self, order: int, kappa: float) -> None:
        self.order, self.kappa = order, kappa
        self.kept: list[Any] = []  # what lies behind addresses

    def kernel(self) -> Native:
        return compiled(taylor_places, series_loop, taylor_loop)

    def entries(self, layout: Layout, scheme: Scheme, careful: bool) -> list[Any]:
        lines, n, room = layout.lines, layout.problem.n, self.order + 1
        rows, along = lines.rows[: lines.groups], lines.along[: lines.groups]
        inverse = np.linalg.inv(matrix_of(layout, scheme))
        response = inverse @ along.T
        laws = [layout.problem.elements[e].law for e in lines.leaves]
        room_of = [np.zeros(rooms(law) * room + 1) for law in laws]
        addresses = [term_address(law) for law in laws]
        self.kept += [room_of, addresses]
        terms = [x for (address, _), own in zip(addresses, room_of, strict=True) for x in (address, own.ctypes.data)]
        g = lines.groups
        return [
            self.order, self.kappa, SOLVED_TO,
            np.ascontiguousarray(inverse.T), np.ascontiguousarray(response.T), np.ascontiguousarray(rows @ response),
            np.array([*terms, 0.0]), *(np.zeros(len(laws) * room + 1) for _ in range(2)),
            np.zeros(g + 1), np.zeros(1), np.zeros(g * g + 1), np.zeros(g * g + 1), np.zeros(g + 1), np.zeros(g + 1),
            np.zeros(n + 1), np.zeros(g + 1), np.zeros(g + 1),
            *(np.zeros(room * g + 1) for _ in range(3)), *(np.zeros(g + 1) for _ in range(5)),
        ]  # fmt: skip
