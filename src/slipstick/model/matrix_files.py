"""Reading mass, damping and stiffness matrices from files: .npz, .npy, .mat, Matrix Market, Harwell-Boeing, and those
of finite-element programs (`finite_element_files`).

Nothing in a file is ever executed: pickled objects are refused.
"""

from __future__ import annotations

import os
import re
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from slipstick.errors import InvalidInput
from slipstick.model.finite_element_files import (
    AssembledMatrices,
    LabelledMatrix,
    abaqus,
    assembled,
    calculix,
    dmig,
    harwell_boeing,
)
from slipstick.model.finite_element_files.op4 import read_op4

# the matrix -> the names it may have inside a file, best first
VARIABLE_NAMES = {"mass": ("mass", "M"), "damping": ("damping", "C"), "stiffness": ("stiffness", "K")}
# of Nastran: the letter that a name begins with; K4 is structural damping, which is complex
NASTRAN_NAMES = {"mass": re.compile("M"), "damping": re.compile("B"), "stiffness": re.compile("K(?!4)")}
MATRIX_SUFFIXES = (".npz", ".npy", ".mat", ".mtx", *calculix.SUFFIXES, *dmig.SUFFIXES, ".op4", *harwell_boeing.SUFFIXES)
MATRIX_MARKET = b"%%MatrixMarket"


def is_path(value: Any) -> bool:
    """True for what names a file."""
    return isinstance(value, (str, os.PathLike))


def read_matrix(path: Any, role: str) -> Any:
    """The matrix ``role`` ("mass", "damping", "stiffness") from a file: by its name, or the only square one."""
    file = Path(path)
    found = _read(file)
    if isinstance(found, Mapping):
        return _pick_variable(found, role, file)
    return found


def read_all(path: Any) -> dict[str, Any]:
    """Every one of mass, damping, stiffness that a file or the files of a job hold by name; "names" where they have."""
    file = Path(path)
    labelled = read_labelled({"mass": path})
    if labelled is not None:
        return labelled._asdict()
    found = _read(file)
    if not isinstance(found, Mapping):
        raise InvalidInput(f"{file} holds one matrix; pass stiffness too (mass, damping, stiffness may each be a file)")
    matrices = {role: _named(found, role) for role in VARIABLE_NAMES}
    for role in ("mass", "stiffness"):
        if matrices[role] is None:
            wanted = " or ".join(f'"{name}"' for name in VARIABLE_NAMES[role])
            raise InvalidInput(f"{file} has no {role}: name a variable {wanted} (it holds {_list_variables(found)})")
    return matrices


def read_labelled(given: Mapping[str, Any]) -> AssembledMatrices | None:
    """The matrices of files that name nodes and directions; None if the files are of other kinds.

    given : files by role. A single file stands for all files of its job.
    """
    files = {role: Path(value) for role, value in given.items() if is_path(value)}
    if not files or not all(_has_labels(file) for file in files.values()):
        return None
    first = next(iter(files.values()))
    if len(files) == 1:
        found = _whole_job(first)
        for role in ("mass", "stiffness"):
            if found.get(role) is None:
                raise InvalidInput(f"{first} has no {role}, and no file of the same job beside it has; pass its file")
    else:
        found = {role: _one_role(file, role) for role, file in files.items()}
    return assembled(found, str(first))


def _has_labels(file: Path) -> bool:
    """True for a file whose rows may have nodes and directions."""
    suffix = file.suffix.lower()
    if suffix == ".mtx" and file.is_file():
        with file.open("rb") as opened:
            return not opened.read(len(MATRIX_MARKET)).startswith(MATRIX_MARKET) and file.stat().st_size > 0
    return suffix in (*calculix.SUFFIXES, *dmig.SUFFIXES)


def _whole_job(file: Path) -> dict[str, LabelledMatrix | None]:
    """The matrices by role that a file or its neighbours hold."""
    suffix = file.suffix.lower()
    if suffix == ".mtx":
        return {role: _read(near) for role, near in abaqus.files_of_job(file).items()}
    found = _read(file)
    return found if suffix in calculix.SUFFIXES else {role: _nastran_name(found, role, file) for role in NASTRAN_NAMES}


def _one_role(file: Path, role: str) -> LabelledMatrix | None:
    found = _read(file)
    if isinstance(found, LabelledMatrix):
        return found
    held = found.get(role) if file.suffix.lower() in calculix.SUFFIXES else _nastran_name(found, role, file)
    if held is None:
        raise InvalidInput(f"{file} has no {role} (it holds {_list_variables(found)})")
    return held  # type: ignore[no-any-return]


def _nastran_name(found: Mapping[str, Any], role: str, file: Path) -> Any:
    """The matrix whose name begins with the letter of its role."""
    names = [name for name in found if NASTRAN_NAMES[role].match(name.upper())]
    if len(names) > 1:
        raise InvalidInput(f"{file} has several matrices for the {role}: {', '.join(names)}; keep one of them")
    return found[names[0]] if names else None


def _read(file: Path) -> Any:
    """The content: one matrix, or a mapping of variables."""
    suffix = file.suffix.lower()
    if suffix not in MATRIX_SUFFIXES:
        raise InvalidInput(
            f"{file}: matrices are read from {', '.join(MATRIX_SUFFIXES)} files, got {suffix or 'no suffix'}"
        )
    if not file.is_file():
        raise InvalidInput(f"{file}: there is no such file; check the name and the folder")
    if file.stat().st_size == 0:
        raise InvalidInput(f"{file}: the file is empty; save the matrix again")
    try:
        return _reader(suffix)(file)
    except InvalidInput:
        raise
    except Exception as problem:  # a damaged file can raise anything in the readers below; the user gets one line
        if "pickle" in str(problem):
            raise InvalidInput(
                f"{file} holds pickled objects, which are refused for safety; save plain arrays with numpy.savez, "
                "sparse matrices with scipy.sparse.save_npz"
            ) from None
        words = " ".join(str(problem).split())[:120]
        raise InvalidInput(f"{file}: cannot be read as {suffix} ({words or type(problem).__name__})") from None


def _reader(suffix: str) -> Callable[[Path], Any]:
    if suffix in calculix.SUFFIXES:
        return calculix.read_calculix
    if suffix in dmig.SUFFIXES:
        return dmig.read_dmig
    if suffix in harwell_boeing.SUFFIXES:
        return harwell_boeing.read_harwell_boeing
    readers = {".npz": _read_npz, ".npy": _read_npy, ".mat": _read_mat, ".mtx": _read_mtx, ".op4": _read_op4}
    return readers[suffix]


def _read_npz(file: Path) -> Any:
    if not zipfile.is_zipfile(file):
        raise InvalidInput(f"{file} is not a .npz archive; save it with numpy.savez or scipy.sparse.save_npz")
    with np.load(file, allow_pickle=False) as archive:
        if {"format", "shape", "data"} <= set(archive.files):
            from scipy.sparse import load_npz

            return load_npz(file)
        return {name: archive[name] for name in archive.files}


def _read_npy(file: Path) -> Any:
    with file.open("rb") as opened:
        if opened.read(6) != b"\x93NUMPY":
            raise InvalidInput(f"{file} is not a .npy file; save it with numpy.save")
    return np.load(file, allow_pickle=False)


def _read_mat(file: Path) -> Any:
    from scipy.io import loadmat

    try:
        variables = loadmat(file)
    except NotImplementedError:
        raise InvalidInput(f'{file} is a MATLAB 7.3 file (HDF5); save it with save(..., "-v7")') from None
    return {name: value for name, value in variables.items() if not name.startswith("__")}


def _read_mtx(file: Path) -> Any:
    from scipy.io import mmread

    return abaqus.read_abaqus(file) if _has_labels(file) else mmread(file)


def _read_op4(file: Path) -> dict[str, Any]:
    """The matrices by role where their names are those of Nastran."""
    found = read_op4(file)
    roles = {role: _nastran_name(found, role, file) for role in NASTRAN_NAMES}
    return found | {role: matrix for role, matrix in roles.items() if matrix is not None}


def _named(variables: Mapping[str, Any], role: str) -> Any:
    """The variable that is called like the matrix, in any case; None if there is none."""
    for name in VARIABLE_NAMES[role]:
        if name in variables:
            return variables[name]
    folded = {name.casefold(): value for name, value in variables.items()}
    return next((folded[n.casefold()] for n in VARIABLE_NAMES[role] if n.casefold() in folded), None)


def _pick_variable(variables: Mapping[str, Any], role: str, file: Path) -> Any:
    named = _named(variables, role)
    if named is not None:
        return named
    square = [name for name, value in variables.items() if _is_square(value)]
    if len(square) == 1:
        return variables[square[0]]
    wanted = " or ".join(f'"{name}"' for name in VARIABLE_NAMES[role])
    count = f"{len(square)} square variables" if square else "no square variable"
    raise InvalidInput(
        f"{file} has {count} and none named {wanted} for the {role} (it holds {_list_variables(variables)})"
    )


def _is_square(value: Any) -> bool:
    shape: tuple[int, ...] = getattr(value, "shape", ())
    return len(shape) == 2 and shape[0] == shape[1] > 0


def _list_variables(variables: Mapping[str, Any]) -> str:
    names = sorted(variables)
    return ", ".join(names[:6]) + (", ..." if len(names) > 6 else "") if names else "nothing"
