"""The equation of a Newmark step, made ready for Newton's method in `newton_loop`."""

from __future__ import annotations

import inspect
import re
import threading
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slipstick.errors import NotConverged
from slipstick.laws.loops import modulation
from slipstick.native import Native, compile_functions
from slipstick.transient import newton_loop, stepping_loop
from slipstick.transient.forcing import forcing_at
from slipstick.transient.stepping import Scheme
from slipstick.transient.stepping_layout import Layout, sparse

Array = NDArray[np.float64]

SINGULAR = 1e13  # a matrix whose equations, each scaled to one, are worse conditioned than this cannot be relied on


class Newton:
    """full : a new matrix in every iteration; else one is kept as long as it serves.
    condensed : unknowns are the deflections of the groups alone, None: where these are fewer than the coordinates.
    """

    def __init__(self, full: bool, condensed: bool | None, tolerance: float) -> None:
        self.full, self.condensed, self.tolerance = full, condensed, tolerance

    def kernel(self) -> Native:
        return compiled(newton_loop)

    def entries(self, layout: Layout, scheme: Scheme, careful: bool) -> list[Any]:
        lines, n = layout.lines, layout.problem.n
        rows, along = lines.rows[: lines.groups], lines.along[: lines.groups]
        matrix = scheme.c2 * layout.problem.mass + scheme.c1 * layout.damping + layout.stiffness
        condensed = lines.groups < n if self.condensed is None else self.condensed
        shift = np.zeros(lines.groups + 1)
        inverse, response = np.zeros((1, 1)), np.zeros((1, 1))
        if condensed:
            inverse, shift[:-1] = _inverse(layout, matrix, rows, along, scheme)
            response = inverse @ along.T
            left, where, into = np.eye(lines.groups), np.eye(lines.groups), (rows @ response).T
        else:
            left, where, into = matrix, rows, along
        size = left.shape[0]
        return [
            size, float(condensed), float(self.full or careful), self.tolerance,
            sparse(left), sparse(where), sparse(into), shift,
            np.ascontiguousarray(inverse.T), np.ascontiguousarray(response.T),
            np.zeros(size * size + 1), np.zeros(size + 1), np.zeros(1), *(np.zeros(size + 1) for _ in range(6)),
            np.zeros(n + 1), np.zeros(lines.groups + 1),
        ]  # fmt: skip


def _inverse(layout: Layout, matrix: Array, rows: Array, along: Array, scheme: Scheme) -> tuple[Array, Array]:
    """The inverse of the linear part, with the laws' own stiffness at the start in it where it has to be; that."""
    shift = np.zeros(rows.shape[0])
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
    u = problem.deflections @ problem.displacement + problem.offsets.at(problem.start)
    slopes = np.zeros(lines.groups)
    memories = problem.start_memories()
    for e in lines.leaves:
        element = problem.elements[e]
        _, k, c = element.law.tangent(float(u[e]), 0.0, memories[e])
        slopes[lines.connections.index(element.connection)] += element.force * element.scale * (k + scheme.c1 * c)
    return slopes


_lock = threading.Lock()
_kernels: dict[str, Native] = {}


def compiled(solver: ModuleType) -> Native:
    """`march` with the way of solving of a module; compiled once and kept."""
    with _lock:
        if solver.__name__ not in _kernels:
            text = source(stepping_loop, solver)
            _kernels[solver.__name__] = compile_functions(text, "march", ("list", "number", "integer", "integer"))
        return _kernels[solver.__name__]


def source(*modules: ModuleType) -> str:
    """The functions of some modules as one text, later ones replacing earlier; their constants written out."""
    functions: dict[str, Callable[..., Any]] = {"modulation": modulation, "forcing_at": forcing_at}
    numbers: dict[str, Any] = {}
    for module in modules:
        for name, value in vars(module).items():
            if inspect.isfunction(value) and value.__module__ == module.__name__:
                functions[name] = value
            elif name.isupper() and isinstance(value, (int, float)):
                numbers[name] = value
    text = "\n".join(inspect.getsource(function) for function in functions.values())
    return re.sub(r"\b[A-Z][A-Z0-9_]*\b", lambda word: repr(numbers.get(word[0], word[0])).strip("'"), text)
