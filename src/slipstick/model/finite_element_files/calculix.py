"""Matrices of CalculiX: a step ``*FREQUENCY, SOLVER=MATRIXSTORAGE`` writes job.sti, job.mas and job.dof."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from slipstick.errors import InvalidInput
from slipstick.model.finite_element_files.labelled_matrix import LabelledMatrix, label

SUFFIXES = (".sti", ".mas", ".dof")


def read_calculix(file: Path) -> dict[str, LabelledMatrix | None]:
    """Mass and stiffness from the three files of a job, of which one is named."""
    files = {suffix: file.with_suffix(suffix) for suffix in SUFFIXES}
    for path in files.values():
        if not path.is_file():
            raise InvalidInput(
                f"{path}: there is no such file; *FREQUENCY, SOLVER=MATRIXSTORAGE writes .sti, .mas and .dof"
            )
    labels = _labels(files[".dof"])
    return {"stiffness": _entries(files[".sti"], labels), "mass": _entries(files[".mas"], labels), "damping": None}


def _labels(file: Path) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """The label of each row: lines such as "12.3", node and direction."""
    pairs = [line.strip().split(".") for line in file.read_text(encoding="ascii").splitlines() if line.strip()]
    if any(len(pair) != 2 for pair in pairs):
        raise InvalidInput(f"{file}: each line must be node.direction, such as 12.3")
    return np.array([label(int(node), int(direction)) for node, direction in pairs], dtype=np.int64)


def _entries(file: Path, labels: np.ndarray[tuple[int], np.dtype[np.int64]]) -> LabelledMatrix:
    """Lines with row, column and value; one of two mirrored entries."""
    rows = np.loadtxt(file, ndmin=2)
    if rows.shape[1] != 3:
        raise InvalidInput(f"{file}: each line must have row, column and value, and has {rows.shape[1]} numbers")
    i, j = rows[:, 0].astype(np.int64), rows[:, 1].astype(np.int64)
    if min(i.min(), j.min()) < 1 or max(i.max(), j.max()) > labels.size:
        raise InvalidInput(
            f"{file}: rows and columns reach {max(i.max(), j.max())}, but the .dof file has {labels.size} lines; "
            "take the files of one job"
        )
    return LabelledMatrix(labels[i - 1], labels[j - 1], rows[:, 2], symmetric=True)
