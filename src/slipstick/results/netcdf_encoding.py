"""Contents of netCDF files for each kind of result, encoded and decoded."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from slipstick.angle import Angle
from slipstick.results.calibration import Calibration, decode_calibration, encode_calibration
from slipstick.results.certificate import Certificate
from slipstick.results.comparison import Comparison, decode_comparison, encode_comparison
from slipstick.results.curve import Curve, CurveFindings, CurveStats
from slipstick.results.curve_points import curve_file_tables, decode_curve_points, encode_curve_points
from slipstick.results.fit import Fit
from slipstick.results.fit_encoding import decode_fit, encode_fit
from slipstick.results.fit_group_encoding import FitGroup, decode_group, encode_group
from slipstick.results.mode_points import decode_mode_points as mode_from_file
from slipstick.results.mode_points import encode_mode_points as mode_to_file
from slipstick.results.netcdf_writer import TableSet
from slipstick.results.nonlinear_mode import ModeFindings, ModeStats, NonlinearMode
from slipstick.results.orbit import Orbit, OrbitPoint
from slipstick.results.posterior import Posterior, decode_posterior, encode_posterior
from slipstick.results.quasi_periodic import QuasiPeriodic, decode_quasi_periodic, encode_quasi_periodic
from slipstick.results.response_band import ResponseBand, decode_band, encode_band
from slipstick.results.ringdown import Ringdown, decode_ringdown, encode_ringdown
from slipstick.results.run import Names, Run
from slipstick.results.run_end import RunEnd
from slipstick.results.trajectory import Event, RecordedTrajectory, Samples, Stats

if TYPE_CHECKING:
    import xarray

    from slipstick.results.curve import Curve

    SavedKind = (
        Run
        | Curve
        | NonlinearMode
        | Fit
        | FitGroup
        | ResponseBand
        | Comparison
        | Ringdown
        | Calibration
        | Posterior
        | QuasiPeriodic
    )  # results with a file of their own

SHARED_TABLES = ("coordinate", "connection")  # tables that all branches share
OTHERS_ATTRIBUTE = "others_json"

PEAK_PREFIX = "peak_"  # of variables of located peaks
EMPTY_STATE_FLAG = "none"  # name of an empty state in flag_meanings


def encode_result(result: SavedKind) -> xarray.Dataset:
    """A result as a netCDF 3 dataset, without names and model."""
    if isinstance(result, Fit):
        return encode_fit(result).dataset()
    if isinstance(result, FitGroup):
        return encode_group(result)
    if isinstance(result, ResponseBand):
        return encode_band(result)
    if isinstance(result, Comparison):
        return encode_comparison(result)
    if isinstance(result, Ringdown):
        return encode_ringdown(result)
    if isinstance(result, Calibration):
        return encode_calibration(result)
    if isinstance(result, Posterior):
        return encode_posterior(result)
    if isinstance(result, QuasiPeriodic):
        return encode_quasi_periodic(result)
    if isinstance(result, NonlinearMode):
        return _encode_mode(result)
    if isinstance(result, Curve):
        return encode_curve(result).dataset()
    kept = _encode_run(result)
    if isinstance(result, Orbit):
        point = encode_curve_points([result.point], result.names)
        kept = kept.merge(point.drop_vars(["coordinate", "connection"], errors="ignore"))
        kept.attrs["notes_json"] = point.attrs["notes_json"]
    return kept


def decode_result(dataset: xarray.Dataset, kind: str, names: Names) -> SavedKind:
    """Inverse of `encode_result`; the result has no model."""
    if kind == "fit":
        return decode_fit(dataset)
    if kind in ("ranking", "trend"):
        return decode_group(dataset, kind)
    if kind == "response band":
        return decode_band(dataset, names)
    if kind == "comparison":
        return decode_comparison(dataset, names)
    if kind == "ring-down":
        return decode_ringdown(dataset)
    if kind == "calibration":
        return decode_calibration(dataset)
    if kind == "posterior":
        return decode_posterior(dataset)
    if kind == "quasi-periodic motion":
        return decode_quasi_periodic(dataset, names)
    if kind == "nonlinear mode":
        return _decode_mode(dataset, names)
    if kind == "curve":
        return _decode_curve(dataset, names)
    recorded = _decode_run(dataset, names)
    return (
        Orbit(recorded, None, decode_curve_points(dataset, names)[0], names)
        if kind == "orbit"
        else Run(recorded, None, names, _decode_angle(dataset))
    )


# ---- curves


def encode_curve(curve: Curve) -> TableSet:
    """A curve as tables of a netCDF 3 file."""
    kept = curve_file_tables(curve.points, curve.names, curve.stats.parameter)
    kept.attrs |= {
        **curve.attributes,
        "error": curve.error,
        "stats_json": json.dumps(asdict(curve.stats)),
        "special_json": json.dumps(curve.special),
        "curve_notes_json": json.dumps(curve.notes),
    }
    peaks = curve.located_peaks()
    if peaks:
        tops = curve_file_tables([peak.point for peak in peaks.values()], curve.names, curve.stats.parameter)
        own = tops.prefixed(PEAK_PREFIX, kept=("coordinate", "connection"))
        kept.tables = own.tables | kept.tables
        kept.coordinates = tuple(dict.fromkeys((*kept.coordinates, *own.coordinates)))
        where = [[*key, peak.frequency_error] for key, peak in peaks.items()]
        kept.attrs |= {"peaks_json": json.dumps(where), "peak_notes_json": tops.attrs["notes_json"]}
    _add_others(kept, [encode_curve(other) for other in curve.others])
    return kept


def _decode_peaks(dataset: xarray.Dataset, names: Names) -> dict[tuple[int, int], tuple[OrbitPoint, float]]:
    """Orbits of located peaks and the errors of their positions, by column and point number."""
    own = [name for name in dataset.variables if str(name).startswith(PEAK_PREFIX)]
    tops = dataset[own].rename(
        {
            name: str(name)[len(PEAK_PREFIX) :]
            for name in (*own, *dataset[own].dims)
            if str(name).startswith(PEAK_PREFIX)
        }
    )
    tops.attrs["notes_json"] = dataset.attrs["peak_notes_json"]
    where = json.loads(dataset.attrs["peaks_json"])
    return {
        (c, k): (point, moved) for (c, k, moved), point in zip(where, decode_curve_points(tops, names), strict=True)
    }


def _decode_curve(dataset: xarray.Dataset, names: Names) -> Curve:
    attributes = dataset.attrs
    stats = CurveStats(**_known_fields(CurveStats, json.loads(attributes["stats_json"])))
    special, notes = json.loads(attributes["special_json"]), tuple(json.loads(attributes["curve_notes_json"]))
    points = tuple(decode_curve_points(dataset, names)) if "point" in dataset.sizes else ()
    curve = Curve(CurveFindings(points, special, notes), None, stats, names)
    if "peaks_json" in attributes:
        curve.restore_peaks(_decode_peaks(dataset, names))
    curve.others = _others_of(dataset, lambda tables: _decode_curve(tables, names))
    return curve


# ---- nonlinear modes


def _encode_mode(mode: NonlinearMode) -> xarray.Dataset:
    kept = mode_to_file(mode.points, mode.names, mode.stats.coordinate)
    kept.attrs |= {
        **mode.data.attrs,
        "stats_json": json.dumps(asdict(mode.stats)),
        "mode_notes_json": json.dumps(mode.notes),
    }
    return kept


def _decode_mode(dataset: xarray.Dataset, names: Names) -> NonlinearMode:
    stats = ModeStats(**_known_fields(ModeStats, json.loads(dataset.attrs["stats_json"])))
    notes = tuple(json.loads(dataset.attrs["mode_notes_json"]))
    return NonlinearMode(ModeFindings(mode_from_file(dataset, names), notes), None, stats, names)


# ---- runs


def _encode_run(run: Run) -> xarray.Dataset:
    """Data of a run with states as numbers, with events, certificate and statistics."""
    data = run.data
    kept = data.drop_vars("state")
    if not run.names.connections:  # in this format, a dimension of length 0 is the unlimited one
        kept = kept.drop_vars(["deflection", "force", "connection"])
    else:
        codes, states = _words_to_numbers(run.samples.state)
        kept["state"] = (("time", "connection"), codes, {**data["state"].attrs, **_flag_attributes(states)})
    if len(run.events):
        own = {"long_name": "changes of state"}
        kept["event_time"] = ("event", run.events["time"], {**own, "units": "s"})
        for column in ("connection", "before", "after"):
            codes, words = _words_to_numbers(run.events[column])
            kept[f"event_{column}"] = ("event", codes, {**own, **_flag_attributes(words)})
    kept.attrs = {
        **data.attrs,
        "certificate": run.certificate.verdict,
        "error": run.certificate.error,
        "energy_residual": run.certificate.energy_residual,
        "certificate_json": json.dumps(asdict(run.certificate)),
        "stats_json": json.dumps(asdict(run.stats)),
    }
    if run.angle is not None:
        kept.attrs["angle_json"] = json.dumps(run.angle)
    end = run.trajectory.end()
    if end is not None:
        kept.attrs["end_json"] = end.encoded()
    return kept


def _decode_angle(dataset: xarray.Dataset) -> Angle | None:
    if "angle_json" not in dataset.attrs:
        return None
    return Angle(*(tuple(float(x) for x in part) for part in json.loads(dataset.attrs["angle_json"])))


def _words_to_numbers(words: NDArray[np.str_]) -> tuple[NDArray[np.int32], list[str]]:
    """Codes from 0, and their words."""
    names, codes = np.unique(words, return_inverse=True)
    return codes.reshape(words.shape).astype(np.int32), [str(name) for name in names]


def _flag_attributes(words: list[str]) -> dict[str, Any]:
    """Meanings of codes by the CF conventions, and again without loss."""
    readable = " ".join(word.replace(" ", "_") or EMPTY_STATE_FLAG for word in words)
    return {"flag_values": np.arange(len(words), dtype=np.int32), "flag_meanings": readable, "words": json.dumps(words)}


def _decode_run(dataset: xarray.Dataset, names: Names) -> RecordedTrajectory:
    attributes = dataset.attrs
    empty = np.zeros((dataset.sizes["time"], 0))
    displacement = np.array(dataset["displacement"].values, dtype=float)
    unknown = np.full_like(displacement, np.nan)  # in files of the first version
    samples = Samples(
        np.array(dataset["time"].values, dtype=float),
        displacement,
        np.array(dataset["velocity"].values, dtype=float),
        np.array(dataset["deflection"].values, dtype=float) if names.connections else empty,
        np.array(dataset["force"].values, dtype=float) if names.connections else empty,
        _numbers_to_words(dataset["state"]) if names.connections else empty.astype(np.str_),
        np.array(dataset["acceleration"].values, dtype=float) if "acceleration" in dataset else unknown,
    )
    stats = Stats(**_known_fields(Stats, json.loads(attributes["stats_json"])))
    values = _known_fields(Certificate, json.loads(attributes["certificate_json"]))
    for key in ("notes", "failures"):
        values[key] = tuple(values.get(key, ()))
    end = RunEnd.decoded(attributes["end_json"]) if "end_json" in attributes else None
    return RecordedTrajectory(stats, samples, _decode_events(dataset), Certificate(**values), end)


def _numbers_to_words(variable: xarray.DataArray) -> NDArray[np.str_]:
    words = np.array(json.loads(variable.attrs["words"]), dtype=np.str_)
    return np.asarray(words[variable.values.astype(int)])


def _decode_events(dataset: xarray.Dataset) -> list[Event]:
    if "event_time" not in dataset:
        return []
    columns = [_numbers_to_words(dataset[f"event_{name}"]).tolist() for name in ("connection", "before", "after")]
    return [Event(*row) for row in zip(dataset["event_time"].values.tolist(), *columns, strict=True)]


def _known_fields(cls: Any, values: dict[str, Any]) -> dict[str, Any]:
    return {f.name: values[f.name] for f in fields(cls) if f.name in values}


def _branch_prefix(number: int) -> str:
    return f"other_{number}_"


def _add_others(kept: TableSet, others: list[TableSet]) -> None:
    """Put the tables of other branches beside those of the first."""
    for k, tables in enumerate(others):
        own = tables.prefixed(_branch_prefix(k), kept=SHARED_TABLES)
        kept.tables = own.tables | kept.tables
        kept.coordinates = tuple(dict.fromkeys((*kept.coordinates, *own.coordinates)))
    if others:
        kept.attrs[OTHERS_ATTRIBUTE] = json.dumps([tables.attrs for tables in others])


def _others_of(dataset: xarray.Dataset, decode: Callable[[xarray.Dataset], Curve]) -> list[Curve]:
    """The other branches in the file of a curve.   decode : a curve from its tables."""
    found = []
    for k, attributes in enumerate(json.loads(dataset.attrs.get(OTHERS_ATTRIBUTE, "[]"))):
        start = _branch_prefix(k)
        own = [name for name in dataset.variables if str(name).startswith(start)]
        tables = dataset[own]
        names = {name: str(name)[len(start) :] for name in (*own, *tables.dims) if str(name).startswith(start)}
        tables = tables.rename(names)
        tables.attrs = attributes
        found.append(decode(tables))
    return found
