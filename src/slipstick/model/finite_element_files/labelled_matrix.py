"""`LabelledMatrix`: entries of a matrix with the node and direction of their rows and columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slipstick.errors import InvalidInput

DIRECTIONS = {0: "", 1: "_ux", 2: "_uy", 3: "_uz", 4: "_rx", 5: "_ry", 6: "_rz"}
MOST_DIRECTIONS = 1000  # a label is node * MOST_DIRECTIONS + direction
HELD = 1e30  # a stiffness above it stands for a displacement that is held: Abaqus writes 1e36


class LabelledMatrix(NamedTuple):
    """rows, columns : labels (entries,), see `label`.   values : (entries,).

    symmetric : True if one of two mirrored entries is given; None: it is if no entry is given twice.
    """

    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    values: NDArray[np.float64]
    symmetric: bool | None = None


class AssembledMatrices(NamedTuple):
    """names : of the coordinates.   mass, damping, stiffness : sparse, or None."""

    names: list[str]
    mass: Any
    damping: Any
    stiffness: Any


def label(node: Any, direction: Any) -> Any:
    """One number for a node and a direction (1 to 3 displacements, 4 to 6 rotations; 0: a scalar point)."""
    return node * MOST_DIRECTIONS + direction


def coordinate_name(number: int) -> str:
    """The name of a coordinate from its label: node 12 in direction 3 is "n12_uz"."""
    node, direction = divmod(number, MOST_DIRECTIONS)
    return f"n{node}{DIRECTIONS.get(direction, f'_d{direction}')}"


def assembled(matrices: Mapping[str, LabelledMatrix | None], where: str) -> AssembledMatrices:
    """Sparse matrices over all coordinates that any of them has, by node and direction; held ones are left out.

    matrices : by role, "mass", "damping" and "stiffness".   where : names the files, for messages.
    """
    given = {role: matrix for role, matrix in matrices.items() if matrix is not None}
    labels = np.unique(np.concatenate([part for m in given.values() for part in (m.rows, m.columns)]))
    if labels.size == 0:
        raise InvalidInput(f"{where}: the matrices have no entries")
    found = {role: _sparse(matrix, labels) for role, matrix in given.items()}
    held = found["stiffness"].diagonal() > HELD if "stiffness" in found else np.zeros(labels.size, bool)
    kept = np.flatnonzero(~held)
    parts = {role: found[role][kept][:, kept] if role in found else None for role in ("mass", "damping", "stiffness")}
    return AssembledMatrices([coordinate_name(k) for k in labels[kept].tolist()], **parts)


def _sparse(matrix: LabelledMatrix, labels: NDArray[np.int64]) -> Any:
    from scipy.sparse import coo_array

    i, j = np.searchsorted(labels, matrix.rows), np.searchsorted(labels, matrix.columns)
    values = matrix.values
    if _is_half(matrix, i, j, labels.size):
        off = i != j
        i, j, values = np.append(i, j[off]), np.append(j, i[off]), np.append(values, values[off])
    return coo_array((values, (i, j)), shape=(labels.size, labels.size)).tocsr()


def _is_half(matrix: LabelledMatrix, i: Any, j: Any, n: int) -> bool:
    """True if each off-diagonal entry stands for its mirror image too."""
    if matrix.symmetric is not None:
        return matrix.symmetric
    off = i != j
    return not np.isin(i[off] * n + j[off], j[off] * n + i[off]).any()
