"""Results in netCDF 3 files, written atomically and checked when read.

A file holds variables that any netCDF reader shows (states are numbers with their meanings in an attribute). It also
holds everything needed to restore the same `Run`, `Orbit`, `Curve`, `NonlinearMode`, `Fit`, `Ranking` or `Trend`, and
the files of the model, or of the small models of the laws. A seal, the digest of all bytes with zeros in its place,
detects damaged files. `slipstick.results.netcdf_encoding` has the contents for each kind of result.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from slipstick.errors import FileError
from slipstick.results.atomic_write import replacing_file, target_path
from slipstick.results.calibration import Calibration
from slipstick.results.comparison import Comparison
from slipstick.results.curve import Curve
from slipstick.results.fit import Fit
from slipstick.results.fit_encoding import encode_fit
from slipstick.results.fit_group_encoding import FitGroup, fits_of
from slipstick.results.netcdf_encoding import decode_result, encode_curve, encode_result
from slipstick.results.netcdf_writer import NetcdfVariable, TableSet, write_tables
from slipstick.results.nonlinear_mode import NonlinearMode
from slipstick.results.orbit import Orbit
from slipstick.results.posterior import Posterior
from slipstick.results.quasi_periodic import QuasiPeriodic
from slipstick.results.ranking import Ranking
from slipstick.results.response_band import ResponseBand
from slipstick.results.result_tables import TABLE_WRITERS
from slipstick.results.ringdown import Ringdown
from slipstick.results.run import Names, Run
from slipstick.results.trend import Trend
from slipstick.units.scales import UNKNOWN_UNITS, ModelUnits, Scale

if TYPE_CHECKING:
    import xarray

    from slipstick.results.netcdf_encoding import SavedKind

FILE_FORMAT = 1  # later formats are refused
NETCDF_SUFFIX = ".nc"
MODEL_FILE = "model.yaml"
FORMAT_ATTRIBUTE, KIND_ATTRIBUTE = "slipstick_format", "slipstick_kind"
SEAL_ATTRIBUTE = "slipstick_sha256"  # missing in files of other programs and in older ones
OPEN_SEAL = "0" * 64
REPRODUCTION_KIND = "reproduction"  # a figure of a paper, read by `slipstick.papers`
SWEEP_KIND = "sweep"  # read by `slipstick.results.sweep`
RESULT_KINDS = {
    "run": Run,
    "orbit": Orbit,
    "curve": Curve,
    "nonlinear mode": NonlinearMode,
    "fit": Fit,
    "ranking": Ranking,
    "trend": Trend,
    "response band": ResponseBand,
    "comparison": Comparison,
    "ring-down": Ringdown,
    "calibration": Calibration,
    "posterior": Posterior,
    "quasi-periodic motion": QuasiPeriodic,
}


def write_result(result: SavedKind, path: str | os.PathLike[str]) -> None:
    """Write a result to ``path`` atomically: netCDF (.nc) with its model, or a table for another program."""
    target = target_path(path, "result.nc")
    kind = next(kind for kind, cls in RESULT_KINDS.items() if type(result) is cls)
    suffix = target.suffix.lower()
    if suffix in TABLE_WRITERS:
        with replacing_file(target) as aside:
            TABLE_WRITERS[suffix](result.table_data(), aside)
        return
    if suffix != NETCDF_SUFFIX:
        article = "an" if kind[0] in "aeiou" else "a"
        known = ", ".join((NETCDF_SUFFIX, *TABLE_WRITERS))
        words = f"{article} {kind} is saved as {known}, got {target.suffix or 'no suffix'}; add one of them"
        raise FileError(str(target), None, "", words)
    tables = _tables_with_model(result)
    with replacing_file(target) as aside:
        _write_sealed(tables, kind, aside)


def kind_of_file(path: str | os.PathLike[str]) -> str:
    """Kind of result in a file; empty if it cannot be read."""
    import xarray

    try:
        with xarray.open_dataset(os.fsdecode(path), engine="scipy", decode_times=False) as opened:
            return str(opened.attrs.get(KIND_ATTRIBUTE, ""))
    except Exception:  # damaged and foreign files raise anything; opening them reports it
        return ""


def read_result(path: str | os.PathLike[str]) -> tuple[SavedKind, dict[str, bytes]]:
    """A result without its model, and the files of the model (none if it could not be saved)."""
    dataset = read_dataset(path, tuple(RESULT_KINDS))
    with damaged_file_errors(path):
        result = decode_result(dataset, dataset.attrs[KIND_ATTRIBUTE], _names(dataset))
        repr(result), result.data  # wrong shapes raise here, not on first access
        return result, _files(dataset)


def read_dataset(path: str | os.PathLike[str], kinds: Sequence[str]) -> xarray.Dataset:
    """Dataset of a file of one of these kinds, with checked format and seal."""
    import xarray

    name = os.fsdecode(path)
    try:
        with xarray.open_dataset(name, engine="scipy", decode_times=False) as opened:
            dataset = opened.load()
        content = Path(name).read_bytes()
    except FileNotFoundError:
        raise FileError(name, None, "", "there is no such file; check the name and the folder") from None
    except Exception as error:  # damaged and foreign files raise anything
        raise FileError(name, None, "", f"cannot be read as netCDF ({type(error).__name__})") from None
    version, kind = dataset.attrs.get(FORMAT_ATTRIBUTE), dataset.attrs.get(KIND_ATTRIBUTE)
    if not isinstance(kind, str) or kind not in kinds or not isinstance(version, int | np.integer):
        raise FileError(name, None, "", "is a netCDF file, but not a result that slipstick saved")
    if version > FILE_FORMAT:
        raise FileError(name, None, "", f"has format {version}, this slipstick reads up to {FILE_FORMAT}; update it")
    if SEAL_ATTRIBUTE in dataset.attrs and not _is_sealed(content, dataset.attrs[SEAL_ATTRIBUTE]):
        remedy = f"if that was on purpose, remove the attribute {SEAL_ATTRIBUTE}"
        raise FileError(name, None, "", f"is damaged: the file was changed after it was saved; {remedy}")
    return dataset


def write_dataset(dataset: xarray.Dataset, kind: str, file: Path) -> None:
    """Write a dataset with its kind, format and seal, for `read_dataset`."""
    _write_sealed(TableSet.of(dataset), kind, file)


def _write_sealed(tables: TableSet, kind: str, file: Path) -> None:
    own = {FORMAT_ATTRIBUTE: FILE_FORMAT, KIND_ATTRIBUTE: kind, SEAL_ATTRIBUTE: OPEN_SEAL}
    write_tables(replace(tables, attrs={**own, **tables.attrs}), file)
    _write_seal(file)


@contextmanager
def damaged_file_errors(path: str | os.PathLike[str]) -> Iterator[None]:
    """Context that turns any error into that of a damaged file."""
    try:
        yield
    except Exception as error:
        words = " ".join(str(error).split())
        raise FileError(os.fsdecode(path), None, "", f"is damaged: {type(error).__name__}: {words}") from None


def _write_seal(file: Path) -> None:
    """Write the digest of a file into its place in the file."""
    content = file.read_bytes()
    place = content.find(OPEN_SEAL.encode(), content.find(SEAL_ATTRIBUTE.encode()))
    with file.open("r+b") as stream:
        stream.seek(place)
        stream.write(hashlib.sha256(content).hexdigest().encode())


def _is_sealed(content: bytes, seal: object) -> bool:
    """True if the bytes match their seal."""
    if not isinstance(seal, str) or len(seal) != len(OPEN_SEAL):
        return False
    place = content.find(seal.encode(), content.find(SEAL_ATTRIBUTE.encode()))
    opened = content[:place] + OPEN_SEAL.encode() + content[place + len(OPEN_SEAL) :]
    return place >= 0 and hashlib.sha256(opened).hexdigest() == seal


def _encoded_tables(result: SavedKind) -> TableSet:
    """Tables of a result; those of curves and fits need no xarray, which takes half a second to import."""
    if isinstance(result, Curve):
        return encode_curve(result)
    return encode_fit(result) if isinstance(result, Fit) else TableSet.of(encode_result(result))


def _tables_with_model(result: SavedKind) -> TableSet:
    """Tables of a result with the files of its model."""
    kept = _encoded_tables(result)
    files, trouble = _law_files(result) if isinstance(result, FitGroup) else _model_files(result.model)
    for i, (name, content) in enumerate(files.items()):
        kept.tables[f"model_file_{i}"] = NetcdfVariable(
            (f"bytes_{i}",), np.frombuffer(content, dtype=np.int8), {"file": name}
        )
    kept.attrs |= {
        "coordinates_json": json.dumps(result.names.coordinates),
        "connections_json": json.dumps(result.names.connections),
        "units_json": json.dumps(result.names.units),
        "model_yaml": files[MODEL_FILE].decode("utf-8") if MODEL_FILE in files else "",
        "model_trouble": trouble,
    }
    return kept


def _names(dataset: xarray.Dataset) -> Names:
    attributes = dataset.attrs
    return Names(
        str(attributes["model"]),
        tuple(json.loads(attributes["coordinates_json"])),
        tuple(json.loads(attributes["connections_json"])),
        decode_units(json.loads(attributes["units_json"])) if "units_json" in attributes else UNKNOWN_UNITS,
    )


def decode_units(held: list[Any]) -> ModelUnits:
    """Units from JSON."""
    units = ModelUnits(*held)
    return units if units.parameter is None else units._replace(parameter=Scale(*units.parameter))


def _files(dataset: xarray.Dataset) -> dict[str, bytes]:
    return {
        str(variable.attrs["file"]): variable.values.astype(np.int8).tobytes()
        for key, variable in dataset.data_vars.items()
        if str(key).startswith("model_file_")
    }


def law_file_name(k: int) -> str:
    """File name of the model with the law of fit k."""
    return f"law-{k}.yaml"


def _law_files(group: FitGroup) -> tuple[dict[str, bytes], str]:
    """Files of the small models of all fits, and why some are missing."""
    files, troubles = dict[str, bytes](), []
    for k, fit in enumerate(fits_of(group)):
        own, trouble = _model_files(fit.model)
        files |= {law_file_name(k): own[MODEL_FILE]} if MODEL_FILE in own else {}
        troubles += [trouble] if trouble else []
    return files, "; ".join(troubles)


def _model_files(model: Any) -> tuple[dict[str, bytes], str]:
    """Files of a saved model by name; or none, and the reason."""
    if model is None:
        return {}, "the result had no model"
    with tempfile.TemporaryDirectory() as folder:
        try:
            model.save(Path(folder) / MODEL_FILE)
        except FileError as error:  # a user's own law or function
            return {}, f"{error.path}: {error.problem}"
        return {file.name: file.read_bytes() for file in sorted(Path(folder).iterdir())}, ""
