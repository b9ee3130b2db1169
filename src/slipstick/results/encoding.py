"""What stands in a file for each kind of result, and results from what stands there."""

from __future__ import annotations

import json
from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from slipstick.results.certificate import Certificate
from slipstick.results.comparison import Comparison, comparison_decoded, comparison_encoded
from slipstick.results.curve import Curve, CurveStats, Findings
from slipstick.results.fit import Fit
from slipstick.results.fit_files import fit_decoded, fit_encoded
from slipstick.results.fit_groups import Group, group_decoded, group_encoded
from slipstick.results.mode_points import from_file as mode_from_file
from slipstick.results.mode_points import to_file as mode_to_file
from slipstick.results.nonlinear_mode import ModeFindings, ModeStats, NonlinearMode
from slipstick.results.orbit import Orbit, OrbitPoint
from slipstick.results.points import from_file, to_file
from slipstick.results.response_band import ResponseBand, band_decoded, band_encoded
from slipstick.results.run import Names, Run
from slipstick.results.trajectory import Event, Recorded, Samples, Stats

if TYPE_CHECKING:
    import xarray

PEAK = "peak_"  # before the names of what belongs to located peaks
NAMELESS = "none"  # what an empty state is called in flag_meanings


def encoded(result: Run | Curve | NonlinearMode | Fit | Group | ResponseBand | Comparison) -> xarray.Dataset:
    """A result as netCDF 3 holds it, without names and model."""
    if isinstance(result, Fit):
        return fit_encoded(result)
    if isinstance(result, Group):
        return group_encoded(result)
    if isinstance(result, ResponseBand):
        return band_encoded(result)
    if isinstance(result, Comparison):
        return comparison_encoded(result)
    if isinstance(result, NonlinearMode):
        return _mode_encoded(result)
    if isinstance(result, Curve):
        return _curve_encoded(result)
    kept = _run_encoded(result)
    if isinstance(result, Orbit):
        point = to_file([result.point], result.names)
        kept = kept.merge(point.drop_vars(["coordinate", "connection"], errors="ignore"))
        kept.attrs["notes_json"] = point.attrs["notes_json"]
    return kept


def decoded(
    dataset: xarray.Dataset, kind: str, names: Names
) -> Run | Curve | NonlinearMode | Fit | Group | ResponseBand | Comparison:
    """A result without its model."""
    if kind == "fit":
        return fit_decoded(dataset)
    if kind in ("ranking", "trend"):
        return group_decoded(dataset, kind)
    if kind == "response band":
        return band_decoded(dataset, names)
    if kind == "comparison":
        return comparison_decoded(dataset, names)
    if kind == "nonlinear mode":
        return _mode_decoded(dataset, names)
    if kind == "curve":
        return _curve_decoded(dataset, names)
    recorded = _run_decoded(dataset, names)
    return Orbit(recorded, None, from_file(dataset, names)[0], names) if kind == "orbit" else Run(recorded, None, names)


# ---- curves


def _curve_encoded(curve: Curve) -> xarray.Dataset:
    kept = to_file(curve.points, curve.names, curve.stats.parameter)
    kept.attrs |= {
        **curve.data.attrs,
        "error": curve.error,
        "stats_json": json.dumps(asdict(curve.stats)),
        "special_json": json.dumps(curve.special),
        "curve_notes_json": json.dumps(curve.notes),
    }
    peaks = curve.keep_peaks()
    if peaks:
        tops = to_file([peak.point for peak in peaks.values()], curve.names, curve.stats.parameter)
        own = {
            name: f"{PEAK}{name}" for name in (*tops.variables, *tops.dims) if name not in ("coordinate", "connection")
        }
        kept = kept.merge(tops.rename(own))
        where = [[*key, peak.frequency_error] for key, peak in peaks.items()]
        kept.attrs |= {"peaks_json": json.dumps(where), "peak_notes_json": tops.attrs["notes_json"]}
    return kept


def _peaks_decoded(dataset: xarray.Dataset, names: Names) -> dict[tuple[int, int], tuple[OrbitPoint, float]]:
    """Where peaks of a curve belong, their orbits, and the errors of their places."""
    own = [name for name in dataset.variables if str(name).startswith(PEAK)]
    tops = dataset[own].rename(
        {name: str(name)[len(PEAK) :] for name in (*own, *dataset[own].dims) if str(name).startswith(PEAK)}
    )
    tops.attrs["notes_json"] = dataset.attrs["peak_notes_json"]
    where = json.loads(dataset.attrs["peaks_json"])
    return {(c, k): (point, moved) for (c, k, moved), point in zip(where, from_file(tops, names), strict=True)}


def _curve_decoded(dataset: xarray.Dataset, names: Names) -> Curve:
    attributes = dataset.attrs
    stats = CurveStats(**_known(CurveStats, json.loads(attributes["stats_json"])))
    special, notes = json.loads(attributes["special_json"]), tuple(json.loads(attributes["curve_notes_json"]))
    points = tuple(from_file(dataset, names)) if "point" in dataset.sizes else ()
    curve = Curve(Findings(points, special, notes), None, stats, names)
    if "peaks_json" in attributes:
        curve.put_peaks(_peaks_decoded(dataset, names))
    return curve


# ---- nonlinear modes


def _mode_encoded(mode: NonlinearMode) -> xarray.Dataset:
    kept = mode_to_file(mode.points, mode.names, mode.stats.coordinate)
    kept.attrs |= {
        **mode.data.attrs,
        "stats_json": json.dumps(asdict(mode.stats)),
        "mode_notes_json": json.dumps(mode.notes),
    }
    return kept


def _mode_decoded(dataset: xarray.Dataset, names: Names) -> NonlinearMode:
    stats = ModeStats(**_known(ModeStats, json.loads(dataset.attrs["stats_json"])))
    notes = tuple(json.loads(dataset.attrs["mode_notes_json"]))
    return NonlinearMode(ModeFindings(mode_from_file(dataset, names), notes), None, stats, names)


# ---- runs


def _run_encoded(run: Run) -> xarray.Dataset:
    """The data of a run with states as numbers, and with all the rest that belongs to it."""
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
    kept.attrs = {
        **data.attrs,
        "certificate": run.certificate.verdict,
        "error": run.certificate.error,
        "energy_residual": run.certificate.energy_residual,
        "certificate_json": json.dumps(asdict(run.certificate)),
        "stats_json": json.dumps(asdict(run.stats)),
    }
    return kept


def _numbered(words: NDArray[np.str_]) -> tuple[NDArray[np.int32], list[str]]:
    """Words as numbers from 0, and the words."""
    names, codes = np.unique(words, return_inverse=True)
    return codes.reshape(words.shape).astype(np.int32), [str(name) for name in names]


def _flags(words: list[str]) -> dict[str, Any]:
    """The meanings of numbers, as the CF conventions write them, and once more without loss."""
    readable = " ".join(word.replace(" ", "_") or NAMELESS for word in words)
    return {"flag_values": np.arange(len(words), dtype=np.int32), "flag_meanings": readable, "words": json.dumps(words)}


def _run_decoded(dataset: xarray.Dataset, names: Names) -> Recorded:
    attributes = dataset.attrs
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
    return Recorded(stats, samples, _events(dataset), Certificate(**values))


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
