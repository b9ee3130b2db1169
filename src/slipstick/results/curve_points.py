"""Orbits of a curve as a dataset, and in files."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from slipstick.results.netcdf_writer import NetcdfVariable, TableSet
from slipstick.results.orbit import OrbitPoint
from slipstick.results.run import Names

if TYPE_CHECKING:
    import xarray

# long names; {unit} and {force} are those of the model
COORDINATE_VARIABLES = {
    "amplitude": "half peak to peak of the displacement [{unit}]",
    "rms": "root mean square of the displacement, with its mean [{unit}]",
    "mean": "mean of the displacement [{unit}]",
    "phase": "phase of the base frequency [rad]",
}
CONNECTION_VARIABLES = {
    "force_range": "largest less smallest force [{force}]",
    "dissipated": "energy dissipated in one period [J]",
    "stick_share": "part of the period in stick",
    "lag": "Omega t at which the first stick of a period begins [rad]",
}
ACCELERATION = "acceleration_amplitude"
BAND_VARIABLES = {"mean_low": "lowest", "mean_high": "highest"}  # only if there is a band
POINT_VARIABLES = {
    "error": "estimated largest error of a displacement [{unit}]",
    "residual": "largest scaled residual left by the solver",
    "iterations": "steps of Newton's method",
    "events": "changes of state in one period",
}


def curve_dataset(points: Sequence[OrbitPoint], names: Names, parameter: str = "frequency") -> xarray.Dataset:
    """Dataset of points without their unknowns, along "point"."""
    return _curve_tables(points, names, parameter).dataset()


def _curve_tables(points: Sequence[OrbitPoint], names: Names, parameter: str) -> TableSet:
    n, m = len(names.coordinates), len(names.connections)
    place, joint = names.data_axes
    data: dict[str, Any] = {}
    for name, words in COORDINATE_VARIABLES.items():
        data[name] = (("point", "coordinate"), _rows(points, name, n), {"long_name": words.format(unit=place.unit)})
    data[ACCELERATION] = (
        ("point", "coordinate"),
        _accelerations(points, n),
        {"long_name": f"half peak to peak of the acceleration [{place.acceleration}]"},
    )
    data["peak_to_peak"] = (
        *data["amplitude"][:1],
        2.0 * data["amplitude"][1],
        {"long_name": f"peak to peak [{place.unit}]"},
    )
    if any(p.band is not None for p in points):
        band = _bands(points, n)
        for k, name in enumerate(BAND_VARIABLES):
            words = (
                f"{BAND_VARIABLES[name]} mean of the orbits this is one of, where something never slips [{place.unit}]"
            )
            data[name] = (("point", "coordinate"), band[:, :, k], {"long_name": words})
    words = "c in q(t) = Re sum of c exp(2 pi i harmonic t / period); 0 is the mean"
    data["harmonics"] = (("point", "harmonic", "coordinate"), _harmonics(points, n), {"long_name": words})
    for name, words in CONNECTION_VARIABLES.items():
        data[name] = (("point", "connection"), _rows(points, name, m), {"long_name": words.format(force=joint.force)})
    data["multipliers"] = (("point", "multiplier"), _multipliers(points), {"long_name": "Floquet multipliers"})
    data["stable"] = ("point", _stable(points), {"long_name": "no multiplier outside the unit circle"})
    for name, words in POINT_VARIABLES.items():
        long_name = words.format(unit=place.unit)
        data[name] = ("point", np.array([getattr(p, name) for p in points]), {"long_name": long_name})
    data["period"] = ("point", _column(points, "period"), {"units": "s"})
    if parameter != "frequency":
        data["parameter"] = ("point", _column(points, "p"), {"long_name": parameter})
    coords = {
        "frequency": ("point", _column(points, "frequency"), {"units": "rad/s", "long_name": "base frequency"}),
        "coordinate": ("coordinate", np.array(names.coordinates, dtype=np.str_), {}),
        "connection": ("connection", np.array(names.connections, dtype=np.str_), {}),
        **_order_coordinate(points, data["harmonics"][1].shape[1]),
    }
    tables = {
        name: NetcdfVariable((dims,) if isinstance(dims, str) else dims, values, attrs)
        for name, (dims, values, attrs) in (data | coords).items()
    }
    return TableSet(tables, tuple(coords))


def _order_coordinate(points: Sequence[OrbitPoint], count: int) -> dict[str, Any]:
    """The order of each harmonic, a multiple of the base frequency; none where orbits differ in that."""
    ratios = {round(2.0 * np.pi / (p.period * p.frequency), 9) for p in points if p.period > 0.0 and p.frequency > 0.0}
    if len(ratios) != 1:
        return {}
    words = "multiple of the base frequency"
    return {"order": ("harmonic", ratios.pop() * np.arange(count), {"long_name": words})}


def _column(points: Sequence[OrbitPoint], name: str) -> NDArray[np.float64]:
    return np.array([getattr(p, name) for p in points], dtype=float)


def _rows(points: Sequence[OrbitPoint], name: str, width: int) -> NDArray[np.float64]:
    return np.array([getattr(p, name) for p in points], dtype=float).reshape(len(points), width)


def _accelerations(points: Sequence[OrbitPoint], n: int) -> NDArray[np.float64]:
    """(points, n) acceleration amplitudes; NaN where they are unknown, as in files of earlier versions."""
    rows = [np.full(n, np.nan) if p.acceleration_amplitude is None else p.acceleration_amplitude for p in points]
    return np.array(rows, dtype=float).reshape(len(points), n)


def _bands(points: Sequence[OrbitPoint], n: int) -> NDArray[np.float64]:
    """(points, n, 2) bands of the mean; twice the mean for a unique orbit."""
    rows = [np.column_stack([p.mean, p.mean]) if p.band is None else p.band for p in points]
    return np.array(rows, dtype=float).reshape(len(points), n, 2)


def _harmonics(points: Sequence[OrbitPoint], n: int) -> NDArray[np.complex128]:
    """(points, H+1, n) harmonics; NaN for those that a point does not have."""
    most = max((p.harmonics.shape[0] for p in points), default=0)
    table = np.full((len(points), most, n), np.nan, dtype=complex)
    for k, p in enumerate(points):
        table[k, : p.harmonics.shape[0]] = p.harmonics
    return table


def _multipliers(points: Sequence[OrbitPoint]) -> NDArray[np.complex128]:
    """(points, k) multipliers, the largest first."""
    most = max((p.multipliers.size for p in points), default=0)
    table = np.full((len(points), most), np.nan, dtype=complex)
    for k, p in enumerate(points):
        table[k, : p.multipliers.size] = p.multipliers[np.argsort(-np.abs(p.multipliers), kind="stable")]
    return table


def _stable(points: Sequence[OrbitPoint]) -> NDArray[Any]:
    """True or False; 1, 0 or NaN if some are unknown."""
    known = [p.stable for p in points]
    if None not in known:
        return np.array(known, dtype=bool)
    return np.array([np.nan if s is None else float(s) for s in known])


# ---- files: no complex numbers, no tables without rows or columns


def netcdf3_dataset(dataset: xarray.Dataset, complex_tables: tuple[str, ...]) -> xarray.Dataset:
    """A netCDF 3 dataset: complex tables as two parts, and no empty tables."""
    for name in complex_tables:
        table = dataset[name]
        for part, values in (("real", table.values.real), ("imag", table.values.imag)):
            dataset[f"{name}_{part}"] = (table.dims, values, table.attrs)
    dataset = dataset.drop_vars(complex_tables)
    return dataset.drop_vars([name for name, variable in dataset.variables.items() if 0 in variable.shape])


def curve_file_tables(points: Sequence[OrbitPoint], names: Names, parameter: str = "frequency") -> TableSet:
    """Points with their unknowns, as netCDF 3 has them."""
    encoded = _curve_tables(points, names, parameter)
    tables = {name: own for name, own in encoded.tables.items() if name not in ("peak_to_peak", "parameter")}
    size = max((p.x.size for p in points), default=0)
    unknowns = np.full((len(points), size), np.nan)
    for k, p in enumerate(points):
        unknowns[k, : p.x.size] = p.x
    tables["unknowns"] = NetcdfVariable(("point", "unknown"), unknowns, {"long_name": "unknowns of the solver"})
    tables["solved_for"] = NetcdfVariable(("point",), _column(points, "p"), {"long_name": parameter})
    for name in ("harmonics", "multipliers"):
        dims, values, attrs = tables.pop(name)
        for part, own in (("real", values.real), ("imag", values.imag)):
            tables[f"{name}_{part}"] = NetcdfVariable(dims, own, attrs)
    tables = {name: own for name, own in tables.items() if 0 not in own.values.shape}
    coordinates = tuple(name for name in encoded.coordinates if name in tables)
    return TableSet(tables, coordinates, {"notes_json": json.dumps([p.notes for p in points])})


def encode_curve_points(points: Sequence[OrbitPoint], names: Names) -> xarray.Dataset:
    """The same as a dataset."""
    return curve_file_tables(points, names).dataset()


def decode_curve_points(dataset: xarray.Dataset, names: Names) -> list[OrbitPoint]:
    """Inverse of `encode_curve_points`."""
    count = int(dataset.sizes["point"])
    n, m = len(names.coordinates), len(names.connections)

    def table(name: str, *shape: int) -> NDArray[np.float64]:
        return np.array(dataset[name].values, dtype=float) if name in dataset else np.zeros((count, *shape))

    parts = {name: table(f"{name}_real", 0) + 1j * table(f"{name}_imag", 0) for name in ("harmonics", "multipliers")}
    moved = {name: table(name, n) for name in COORDINATE_VARIABLES}
    acting = {name: table(name, m) for name in CONNECTION_VARIABLES}
    unknowns, stable = table("unknowns", 0), table("stable")
    accelerations = table(ACCELERATION, n) if ACCELERATION in dataset else None
    bands = np.stack([table(name, n) for name in BAND_VARIABLES], axis=-1) if "mean_low" in dataset else None
    notes = json.loads(dataset.attrs["notes_json"])
    points = []
    for k in range(count):
        harmonics, multipliers = parts["harmonics"][k].reshape(-1, n), parts["multipliers"][k]
        points.append(
            OrbitPoint(
                p=float(dataset["solved_for"].values[k]),
                x=unknowns[k][~np.isnan(unknowns[k])],
                frequency=float(dataset["frequency"].values[k]),
                period=float(dataset["period"].values[k]),
                multipliers=multipliers[~np.isnan(multipliers)],
                stable=None if np.isnan(stable[k]) else bool(stable[k]),
                harmonics=harmonics[~np.isnan(harmonics).any(axis=1)],
                **{name: values[k] for name, values in (*moved.items(), *acting.items())},
                error=float(dataset["error"].values[k]),
                residual=float(dataset["residual"].values[k]),
                iterations=int(dataset["iterations"].values[k]),
                events=int(dataset["events"].values[k]),
                notes=tuple(notes[k]),
                acceleration_amplitude=None if accelerations is None else accelerations[k],
                band=None if bands is None or (bands[k][:, 0] == bands[k][:, 1]).all() else bands[k],
            )
        )
    return points
