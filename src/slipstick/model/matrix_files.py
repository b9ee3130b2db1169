"""Reading mass, damping and stiffness matrices from files: .npz, .npy, .mat, Matrix Market.

Nothing in a file is ever executed: pickled objects are refused.
"""

from __future__ import annotations

import os
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from slipstick.errors import InvalidInput

# the matrix -> the names it may have inside a file, best first
VARIABLE_NAMES = {"mass": ("mass", "M"), "damping": ("damping", "C"), "stiffness": ("stiffness", "K")}
MATRIX_SUFFIXES = (".npz", ".npy", ".mat", ".mtx")


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
    """Every one of mass, damping, stiffness that a .npz or .mat file holds by name."""
    file = Path(path)
    found = _read(file)
    if not isinstance(found, Mapping):
        raise InvalidInput(f"{file} holds one matrix; pass stiffness too (mass, damping, stiffness may each be a file)")
    matrices = {role: _named(found, role) for role in VARIABLE_NAMES}
    for role in ("mass", "stiffness"):
        if matrices[role] is None:
            wanted = " or ".join(f'"{name}"' for name in VARIABLE_NAMES[role])
            raise InvalidInput(f"{file} has no {role}: name a variable {wanted} (it holds {_list_variables(found)})")
    return matrices


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
    reader = {".npz": _read_npz, ".npy": _read_npy, ".mat": _read_mat, ".mtx": _read_mtx}[suffix]
    try:
        return reader(file)
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

    return mmread(file)


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
