"""Long arrays of points: one file a point in a folder beside the ledger, replaced atomically."""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from slipstick.errors import FileError, short_repr
from slipstick.results.atomic_write import replacing_file, write_error
from slipstick.sweeps.ledger_checks import is_inner_path
from slipstick.sweeps.point_outcome import PointOutcome

ARRAYS_SUFFIX = "-arrays"  # after the name of the ledger
FILES_A_FOLDER = 10_000  # in one folder


def write_arrays(ledger: Path, number: int, outcome: PointOutcome) -> str:
    """Write the long arrays of a point; returns the file name relative to the ledger, or empty without arrays."""
    if not outcome.arrays:
        return ""
    folder = ledger.with_name(ledger.name + ARRAYS_SUFFIX) / f"{number // FILES_A_FOLDER:04d}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise write_error(folder, error) from None
    target = folder / f"{number:07d}.npz"
    with replacing_file(target) as aside, aside.open("wb") as file:
        # by number: names of figures may collide with arguments of savez
        names = np.array(list(outcome.arrays), dtype=np.str_)
        np.savez(file, names, *outcome.arrays.values())
    return target.relative_to(ledger.parent).as_posix()


def read_arrays(ledger: Path, name: str) -> dict[str, Any]:
    """The long arrays of a point by name, from a plain file in the folder of the ledger."""
    if not is_inner_path(name) or not (ledger.parent / name).is_file():
        words = "is not a file in the folder of the ledger; compute the sweep anew"
        raise FileError(short_repr(name), None, "", words)
    try:
        with open(ledger.parent / name, "rb") as file, np.load(file, allow_pickle=False) as stored:
            names = stored["arr_0"].tolist()
            return {key: stored[f"arr_{k + 1}"] for k, key in enumerate(names)}
    except (
        OSError,
        ValueError,
        LookupError,
        TypeError,
        EOFError,
        BadZipFile,
        RuntimeError,
        MemoryError,
        zlib.error,
    ) as error:
        raise FileError(
            str(ledger.parent / name), None, "", f"cannot be read: {error}; compute the sweep anew"
        ) from None
