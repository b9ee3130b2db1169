"""Arrays in .npz files beside a model: read without trust, written with a stable layout.

A file is refused before anything in it is unpacked unless it is an archive of plain
numbers or names whose size agrees with its header. Sparse matrices are three arrays,
``mass_rows``, ``mass_columns``, ``mass_values``.
"""

from __future__ import annotations

import io
import logging
import math
import re
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from slipstick.errors import FileError, InvalidInput, short_repr
from slipstick.model.files.headers import fields_of, plain, titles_of
from slipstick.model.files.text_file import read_bytes
from slipstick.model.given_matrices import checked_matrices
from slipstick.model.system import Matrices

MAX_ARRAY_BYTES = 500_000_000  # bytes, packed or unpacked
MAX_ARRAYS = 50

_NAME = re.compile(r"[^\W_][\w .+-]*\.npz")
_TABLE = re.compile(r"[^\W_][\w .+-]*\.csv", re.IGNORECASE)
_log = logging.getLogger(__name__)


def _bytes_of(folder: Path | None, name: str, pattern: re.Pattern[str], kind: str, example: str) -> bytes:
    """A file in the folder of the model; raises InvalidInput with the reason.

    folder : None for a model that came without one: it may name no file.
    """
    if folder is None:
        words = "is a file beside the model, and none is opened from here"
        raise InvalidInput(
            f"{short_repr(name)} {words}; use slipstick check, or ss.open in Python, where both files are"
        )
    if not pattern.fullmatch(name) or len(name) > 200:
        words = f"must be the name of an {kind} file in the same folder, such as {example}, got {short_repr(name)}"
        raise InvalidInput(words)
    try:
        return read_bytes(folder / name, MAX_ARRAY_BYTES, "use sparse matrices")
    except FileError as error:
        raise InvalidInput(f"{name}: {error.problem}") from None


def load_arrays(folder: Path | None, name: str) -> dict[str, Any]:
    """The arrays of an .npz file in the folder of the model; raises InvalidInput with the reason."""
    data = _bytes_of(folder, name, _NAME, ".npz", "beam.npz")
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return _unpacked(archive, name)
    except InvalidInput:
        raise
    except Exception as error:  # a damaged archive can raise anything
        _log.debug("%s could not be unpacked", name, exc_info=True)
        words = f"{name} cannot be read as .npz ({type(error).__name__}); save it with numpy.savez"
        raise InvalidInput(words) from None


def _unpacked(archive: zipfile.ZipFile, name: str) -> dict[str, Any]:
    members = archive.infolist()
    if len(members) > MAX_ARRAYS:
        raise InvalidInput(
            f"{name} holds {len(members)} arrays, the limit is {MAX_ARRAYS}; save only those of the model"
        )
    if sum(m.file_size for m in members) > MAX_ARRAY_BYTES:
        raise InvalidInput(f"{name} unpacks to more than the limit of {MAX_ARRAY_BYTES} bytes; use sparse matrices")
    found = {}
    for member in members:
        key = member.filename.removesuffix(".npy")
        _check_header(archive, member, f"{name}: {key[:60]}")
        with archive.open(member) as stream:
            found[key] = np.lib.format.read_array(stream, allow_pickle=False)
    return found


def _check_header(archive: zipfile.ZipFile, member: zipfile.ZipInfo, where: str) -> None:
    """Refuse objects, and a header that promises more than there is, before memory is allocated."""
    with archive.open(member) as stream:
        version = np.lib.format.read_magic(stream)
        read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, _, dtype = read(stream)
        size = member.file_size - stream.tell()
    if dtype.kind not in "biufU":
        raise InvalidInput(f"{where} must hold real numbers or names, got {dtype}; save plain arrays with numpy.savez")
    if math.prod(shape) * dtype.itemsize != size:
        raise InvalidInput(f"{where} is damaged: its header and its size differ; save it again with numpy.savez")


def matrices_of(held: Mapping[str, Any], name: str) -> Matrices:
    """Checked matrices from the arrays of a file: mass, damping, stiffness and names."""
    names = [str(n) for n in np.ravel(held["names"])] if "names" in held else None
    parts = {key: _matrix(held, key, name) for key in ("mass", "damping", "stiffness")}
    for key in ("mass", "stiffness"):
        if parts[key] is None:
            how = "numpy.savez(file, mass=, damping=, stiffness=, names=)"
            raise InvalidInput(f"{name} has no {key}; save it with {how}")
    try:
        return checked_matrices(parts["mass"], parts["damping"], parts["stiffness"], names)
    except InvalidInput as error:
        raise InvalidInput(f"{name}: {error}") from None


def _matrix(held: Mapping[str, Any], key: str, name: str) -> Any:
    if key in held or f"{key}_values" not in held:
        return held.get(key)
    for part in ("rows", "columns"):
        if f"{key}_{part}" not in held:
            raise InvalidInput(f"{name} has {key}_values but no {key}_{part}; a sparse matrix needs all three")
    from scipy.sparse import coo_array, csr_array

    rows, columns, values = (np.ravel(held[f"{key}_{part}"]) for part in ("rows", "columns", "values"))
    try:
        size = int(np.ravel(held["size"])[0]) if "size" in held else len(np.ravel(held["names"]))
        return csr_array(coo_array((values.astype(float), (rows, columns)), shape=(size, size)))
    except (ValueError, TypeError, KeyError, IndexError, OverflowError):
        words = "needs size (or names), and rows and columns from 0 to size - 1"
        raise InvalidInput(f"{name}: {key} is not a sparse matrix; it {words}") from None


def matrix_arrays(matrices: Matrices) -> dict[str, Any]:
    """Arrays of matrices for a file: dense ones as they are, sparse ones as three arrays."""
    arrays: dict[str, Any] = {"names": np.array(matrices.names), "size": np.array([len(matrices.names)])}
    for key in ("mass", "damping", "stiffness"):
        matrix = getattr(matrices, key)
        if hasattr(matrix, "tocoo"):
            entries = matrix.tocoo()
            arrays |= {f"{key}_rows": entries.row, f"{key}_columns": entries.col, f"{key}_values": entries.data}
        else:
            arrays[key] = np.asarray(matrix, dtype=float)
    return arrays


def pack_arrays(arrays: Mapping[str, Any]) -> bytes:
    """The bytes of an .npz file."""
    stream = io.BytesIO()
    np.savez(stream, **arrays)
    return stream.getvalue()


class SignalSamples(NamedTuple):
    """times and values of a signal, and the units that a header has them in; "" for SI."""

    times: tuple[float, ...]
    values: tuple[float, ...]
    units: tuple[str, str] = ("", "")


def read_samples(folder: Path | None, name: str) -> SignalSamples:
    """Those of an .npz file, or of the first two columns of a .csv file."""
    if not name.lower().endswith(".npz"):
        return _csv_columns(_bytes_of(folder, name, _TABLE, ".npz or .csv", "quake.csv"), name)
    held = load_arrays(folder, name)
    lists = []
    for key in ("times", "values"):
        if key not in held:
            raise InvalidInput(f"{name} has no {key}; save it with numpy.savez(file, times=, values=)")
        array = held[key]
        if array.dtype.kind not in "iuf" or array.ndim != 1:
            raise InvalidInput(f"{name}: {key} must be a list of numbers, got {array.dtype} of shape {array.shape}")
        lists.append(tuple(float(x) for x in array))
    return SignalSamples(lists[0], lists[1])


def _csv_columns(data: bytes, name: str) -> SignalSamples:
    """The first two columns of a table with points in its numbers; of rows of words at its top the units are taken."""
    rows: list[tuple[float, float]] = []
    above: list[str] = []
    titles: list[list[str]] = []
    for number, line in enumerate(data.decode("utf-8-sig", "replace").splitlines(), start=1):
        if not line.strip():
            continue
        between = next((own for own in ";\t," if own in line), None)  # None: blanks
        cells = [cell.strip() for cell in line.strip().split(between)]
        try:
            time, value = (float(cell) for cell in cells[:2])
        except ValueError:
            if rows or cells[0][:1].isdigit():
                words = "a time and a value, numbers with a point"
                raise InvalidInput(f"{name}, line {number} must have {words}, got {short_repr(line[:60])}") from None
            above.append(line)
            continue
        if not rows:
            titles = [fields for own in above if (fields := fields_of(own, between, len(cells)))]
        rows.append((time, value))
    if not rows:
        raise InvalidInput(f"{name} has no rows with a time [s] and a value; write them as 0.0, 1.5")
    times, values = zip(*rows, strict=True)
    units = titles_of(titles).units if titles else ("", "")
    return SignalSamples(times, values, (plain(units[0]), plain(units[1])))
