"""The linear part of a step's equation, c2 M + c1 C + K: its inverse, and the coordinates that it does not
determine."""

from __future__ import annotations

import numpy as np

from slipstick.arrays import Array
from slipstick.transient.folded_matrices import fold
from slipstick.transient.implicit.layout import Layout, OrderedConnections, ordered_connections
from slipstick.transient.implicit.newmark_scheme import NewmarkScheme
from slipstick.transient.problem import Problem

# condition of the row-scaled matrix, above which it counts as singular
MAX_CONDITION = 1e13
MIN_SHARE_REL = 1e-6  # of the largest share in a null vector: a coordinate with less does not take part


def step_matrix(layout: Layout, scheme: NewmarkScheme) -> Array:
    """(n, n) the linear part."""
    return _matrix(layout.problem, layout.damping, layout.stiffness, scheme)


def inverse_step_matrix(layout: Layout, scheme: NewmarkScheme) -> tuple[Array, Array] | None:
    """The inverse of the linear part, with stiffness of the laws if it is singular without, and that stiffness
    (groups,).

    None if it is singular with it too.
    """
    matrix, shift = step_matrix(layout, scheme), np.zeros(layout.lines.groups)
    if not _is_regular(matrix):
        shift = _start_slopes(layout.problem, layout.lines, scheme)
        matrix = matrix + _of_laws(layout.lines, shift)
    return (np.asarray(np.linalg.inv(matrix), dtype=float), shift) if _is_regular(matrix) else None


def undetermined_coordinates(problem: Problem, step: float, with_laws: bool) -> str:
    """Names of coordinates that the linear part does not determine, with or without the laws' stiffness at the
    start."""
    scheme, lines = NewmarkScheme(step), ordered_connections(problem)
    folded = fold(problem, lines.springs)
    matrix = _matrix(problem, folded.damping, folded.stiffness, scheme)
    if with_laws and not _is_regular(matrix):
        matrix = matrix + _of_laws(lines, _start_slopes(problem, lines, scheme))
    if _is_regular(matrix):
        return ""
    _, values, rows = np.linalg.svd(_scaled(matrix))
    share = np.abs(rows[values * MAX_CONDITION <= values.max(initial=0.0)]).max(axis=0, initial=0.0)
    names = [problem.assembly.names[i] for i in problem.assembly.free]
    lost = [name for name, own in zip(names, share, strict=True) if own > MIN_SHARE_REL * share.max(initial=0.0)]
    return ", ".join(f'"{name}"' for name in lost)


def _matrix(problem: Problem, damping: Array, stiffness: Array, scheme: NewmarkScheme) -> Array:
    return np.asarray(scheme.c2 * problem.mass + scheme.c1 * damping + stiffness)


def _of_laws(lines: OrderedConnections, slopes: Array) -> Array:
    rows, along = lines.rows[: lines.groups], lines.along[: lines.groups]
    return np.asarray(along.T @ (slopes[:, None] * rows))


def _scaled(matrix: Array) -> Array:
    size = np.abs(matrix).max(axis=1, initial=0.0)
    return matrix / np.where(size > 0.0, size, 1.0)[:, None]


def _is_regular(matrix: Array) -> bool:
    return bool(np.linalg.cond(_scaled(matrix)) < MAX_CONDITION) if matrix.size else True


def _start_slopes(problem: Problem, lines: OrderedConnections, scheme: NewmarkScheme) -> Array:
    """(groups,) slope of each group's force along its deflection at the start."""
    u = problem.deflections_at(problem.start, problem.displacement)
    slopes = np.zeros(lines.groups)
    memories = problem.start_memories()
    for e in lines.leaves:
        element = problem.elements[e]
        _, k, c = element.law.tangent(float(u[e]), 0.0, memories[e])
        slopes[lines.connections.index(element.connection)] += element.force * element.scale * (k + scheme.c1 * c)
    return slopes
