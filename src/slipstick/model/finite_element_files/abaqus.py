"""Global matrices of Abaqus: ``*MATRIX OUTPUT`` writes job_STIF2.mtx, job_MASS2.mtx and job_DMPV2.mtx.

In the format MATRIX INPUT a line has node, direction, node, direction and value; in the format COORDINATE row, column
and value. Displacements that are held have a stiffness of 1e36.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from slipstick.errors import InvalidInput
from slipstick.model.finite_element_files.labelled_matrix import LabelledMatrix, label

ROLES = {"STIF": "stiffness", "MASS": "mass", "DMPV": "damping"}
NAME = re.compile(r"(?P<job>.*)_(?P<what>STIF|MASS|DMPV)(?P<step>\d*)", re.IGNORECASE)


def read_abaqus(file: Path) -> LabelledMatrix:
    """One matrix."""
    text = [line for line in file.read_text(encoding="ascii").splitlines() if line.strip() and line.lstrip()[0] != "*"]
    rows = np.loadtxt([line.replace(",", " ") for line in text], ndmin=2)
    if rows.shape[1] == 5:
        whole = rows[:, :4].astype(np.int64)
        return LabelledMatrix(label(whole[:, 0], whole[:, 1]), label(whole[:, 2], whole[:, 3]), rows[:, 4])
    if rows.shape[1] == 3:  # without nodes: row k is a scalar point
        whole = rows[:, :2].astype(np.int64)
        return LabelledMatrix(label(whole[:, 0], 0), label(whole[:, 1], 0), rows[:, 2])
    raise InvalidInput(
        f"{file}: a line has {rows.shape[1]} numbers; write the matrix with FORMAT=MATRIX INPUT or COORDINATE"
    )


def files_of_job(file: Path) -> dict[str, Path]:
    """The files of a job by role, from the name of one of them."""
    found = NAME.fullmatch(file.stem)
    if found is None:
        return {}
    names = {role: f"{found['job']}_{what}{found['step']}{file.suffix}" for what, role in ROLES.items()}
    near = {path.name.upper(): path for path in file.parent.iterdir()}
    return {role: near[name.upper()] for role, name in names.items() if name.upper() in near}
