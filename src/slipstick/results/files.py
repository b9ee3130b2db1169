"""Runs in files: netCDF 3 through SciPy, written aside and renamed, read without trust.

Beside the variables that anybody's netCDF reader shows (states are numbers with their meanings in an attribute) a
file holds what it takes to give back the same `Run`: events, certificate, statistics, and the files of the model.
"""

from __future__ import annotations

import json
import os
import secrets
import tempfile
from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from slipstick.errors import FileError
from slipstick.results.certificate import Certificate
from slipstick.results.run import Names, Run
from slipstick.results.trajectory import Event, Recorded, Samples, Stats
from slipstick.results.units import UNKNOWN, Units

if TYPE_CHECKING:
    import xarray

FORMAT = 1  # of the file; a reader refuses a later one
SUFFIX = ".nc"
MODEL_FILE = "model.yaml"
SLIPSTICK, KIND = "slipstick_format", "slipstick_kind"  # attributes by which a file is known
NAMELESS = "none"  # what an empty state is called in flag_meanings


def write_result(run: Run, path: str | os.PathLike[str]) -> None:
    """Write a run to ``path`` (.nc); the file is the old one or the new one, never half of one."""
    target = Path(os.fsdecode(path))
    name = str(target)
    if target.suffix.lower() != SUFFIX:
        raise FileError(name, None, "", f"a run is saved as {SUFFIX}, got {target.suffix or 'no suffix'}; add {SUFFIX}")
    dataset = _encoded(run)
    aside = None
    try:
        aside = _new_file(target.parent)
        dataset.to_netcdf(aside, engine="scipy", format="NETCDF3_64BIT")
        if target.exists():
            os.chmod(aside, target.stat().st_mode)
        os.replace(aside, target)
        aside = None
    except OSError as error:
        words = (error.strerror or str(error)).lower()
        raise FileError(name, None, "", f"cannot be written: {words}; check the folder and its permissions") from None
    finally:
        if aside is not None:
            os.unlink(aside)


def read_result(path: str | os.PathLike[str]) -> tuple[Run, dict[str, bytes]]:
    """A run without its model, and the files of that (none if it could not be saved)."""
    import xarray

    name = os.fsdecode(path)
    try:
        with xarray.open_dataset(name, engine="scipy", decode_times=False) as opened:
            dataset = opened.load()
    except FileNotFoundError:
        raise FileError(name, None, "", "there is no such file; check the name and the folder") from None
    except Exception as error:  # whatever a damaged or foreign file makes its reader raise
        raise FileError(name, None, "", f"is no readable netCDF file ({type(error).__name__})") from None
    version = dataset.attrs.get(SLIPSTICK)
    if dataset.attrs.get(KIND) != "run" or version is None:
        raise FileError(name, None, "", "is a netCDF file, but not a run that slipstick saved")
    if int(version) > FORMAT:
        raise FileError(name, None, "", f"has format {int(version)}, this slipstick reads up to {FORMAT}; update it")
    try:
        return _decoded(dataset)
    except (KeyError, ValueError, TypeError, IndexError) as error:
        raise FileError(name, None, "", f"is damaged: {type(error).__name__}: {error}") from None


# ---- to a file


def _encoded(run: Run) -> xarray.Dataset:
    """The data of a run with states as numbers, and with all the rest that belongs to it."""
    import xarray

    data = run.data
    kept = data.drop_vars("state")
    if not run.names.connections:  # a dimension of length 0 means another thing in this format
        kept = kept.drop_vars(["deflection", "force", "connection"])
    else:
        codes, states = _numbered(run.samples.state)
        kept["state"] = (("time", "connection"), codes, {**data["state"].attrs, **_flags(states)})
    if len(run.events):
        own = {"long_name": "changes of state"}
        kept["event_time"] = ("event", run.events["time"], {**own, "units": "s"})
        for column in ("connection", "before", "after"):
            codes, words = _numbered(run.events[column])
            kept[f"event_{column}"] = ("event", codes, {**own, **_flags(words)})
    files, trouble = _model_files(run.model)
    for i, (name, content) in enumerate(files.items()):
        kept[f"model_file_{i}"] = (f"bytes_{i}", np.frombuffer(content, dtype=np.int8), {"file": name})
    kept.attrs = {
        SLIPSTICK: FORMAT,
        KIND: "run",
        **data.attrs,
        "certificate": run.certificate.verdict,
        "error": run.certificate.error,
        "energy_residual": run.certificate.energy_residual,
        "coordinates_json": json.dumps(run.names.coordinates),
        "connections_json": json.dumps(run.names.connections),
        "units_json": json.dumps(run.names.units),
        "certificate_json": json.dumps(asdict(run.certificate)),
        "stats_json": json.dumps(asdict(run.stats)),
        "model_yaml": files[MODEL_FILE].decode("utf-8") if MODEL_FILE in files else "",
        "model_trouble": trouble,
    }
    assert isinstance(kept, xarray.Dataset)
    return kept


def _numbered(words: NDArray[np.str_]) -> tuple[NDArray[np.int32], list[str]]:
    """Words as numbers from 0, and the words."""
    names, codes = np.unique(words, return_inverse=True)
    return codes.reshape(words.shape).astype(np.int32), [str(name) for name in names]


def _flags(words: list[str]) -> dict[str, Any]:
    """The meanings of numbers, as the CF conventions write them, and once more without loss."""
    readable = " ".join(word.replace(" ", "_") or NAMELESS for word in words)
    return {"flag_values": np.arange(len(words), dtype=np.int32), "flag_meanings": readable, "words": json.dumps(words)}


def _model_files(model: Any) -> tuple[dict[str, bytes], str]:
    """What saving the model writes, by name; or nothing, and why."""
    if model is None:
        return {}, "the run had no model"
    with tempfile.TemporaryDirectory() as folder:
        try:
            model.save(Path(folder) / MODEL_FILE)
        except FileError as error:  # a law of the user's own, a Python function
            return {}, f"{error.path}: {error.problem}"
        return {file.name: file.read_bytes() for file in sorted(Path(folder).iterdir())}, ""


def _new_file(folder: Path) -> Path:
    """An empty file with the permissions of any new one; `tempfile` would make it the owner's alone."""
    while True:
        made = folder / f".slipstick-{secrets.token_hex(6)}{SUFFIX}"
        try:
            made.touch(exist_ok=False)
        except FileExistsError:
            continue
        return made


# ---- from a file


def _decoded(dataset: xarray.Dataset) -> tuple[Run, dict[str, bytes]]:
    attributes = dataset.attrs
    names = Names(
        str(attributes["model"]),
        tuple(json.loads(attributes["coordinates_json"])),
        tuple(json.loads(attributes["connections_json"])),
        Units(*json.loads(attributes["units_json"])) if "units_json" in attributes else UNKNOWN,
    )
    empty = np.zeros((dataset.sizes["time"], 0))
    samples = Samples(
        np.array(dataset["time"].values, dtype=float),
        np.array(dataset["displacement"].values, dtype=float),
        np.array(dataset["velocity"].values, dtype=float),
        np.array(dataset["deflection"].values, dtype=float) if names.connections else empty,
        np.array(dataset["force"].values, dtype=float) if names.connections else empty,
        _worded(dataset["state"]) if names.connections else empty.astype(np.str_),
    )
    stats = Stats(**_known(Stats, json.loads(attributes["stats_json"])))
    values = _known(Certificate, json.loads(attributes["certificate_json"]))
    for key in ("notes", "failures"):
        values[key] = tuple(values.get(key, ()))
    recorded = Recorded(stats, samples, _events(dataset), Certificate(**values))
    files = {
        str(variable.attrs["file"]): variable.values.astype(np.int8).tobytes()
        for key, variable in dataset.data_vars.items()
        if str(key).startswith("model_file_")
    }
    return Run(recorded, None, names), files


def _worded(variable: xarray.DataArray) -> NDArray[np.str_]:
    words = np.array(json.loads(variable.attrs["words"]), dtype=np.str_)
    return np.asarray(words[variable.values.astype(int)])


def _events(dataset: xarray.Dataset) -> list[Event]:
    if "event_time" not in dataset:
        return []
    columns = [_worded(dataset[f"event_{name}"]).tolist() for name in ("connection", "before", "after")]
    return [Event(*row) for row in zip(dataset["event_time"].values.tolist(), *columns, strict=True)]


def _known(cls: Any, values: dict[str, Any]) -> dict[str, Any]:
    return {f.name: values[f.name] for f in fields(cls) if f.name in values}
