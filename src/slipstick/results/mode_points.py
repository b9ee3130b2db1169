"""Points of a nonlinear mode as a dataset, and in files."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from slipstick.arrays import Array, Complex
from slipstick.results.curve_points import netcdf3_dataset
from slipstick.results.run import Names
from slipstick.units.axes import data_axis

if TYPE_CHECKING:
    import xarray


# long names and units; {unit} and {force} are those of the model
POINT_VARIABLES = {
    "modal_amplitude": ("root of q' M q of the first harmonic", "kg^(1/2) m"),
    "frequency": ("frequency of the mode", "rad/s"),
    "damping_ratio": ("energy lost in a cycle over 2 omega times the integral of q'' M q' over it", "1"),
    "energy": ("largest kinetic energy in a cycle", "J"),
    "frequency_error": ("estimated error of the frequency", "rad/s"),
    "damping_error": ("estimated error of the damping ratio", "1"),
    "error": ("estimated largest error of a displacement", "{unit}"),
    "residual": ("largest scaled residual left by the solver", "1"),
    "iterations": ("steps of Newton's method", "1"),
}
COORDINATE_VARIABLES = {
    "peak_to_peak": ("peak to peak of the displacement", "{unit}"),
    "rms": ("root mean square of the displacement, with its mean", "{unit}"),
    "mean": ("mean of the displacement", "{unit}"),
}
CONNECTION_VARIABLES = {
    "dissipated": ("energy dissipated in one cycle", "J"),
    "force_range": ("largest less smallest force", "{force}"),
    "stick_share": ("part of the cycle in stick", "1"),
}


@dataclass(frozen=True, eq=False)
class ModePoint:
    """One motion of a nonlinear mode, for a model with n coordinates (all, in its order) and m connections.

    amplitude : as requested: modal [kg^(1/2) m], or of a coordinate's first harmonic [m or rad].
    modal_amplitude : root of q' M q of the first harmonic [kg^(1/2) m].
    frequency : omega [rad/s].   damping_ratio : zeta.   energy : largest kinetic energy in a cycle [J].
    harmonics : (H+1, n) complex c with q(t) = Re sum over h of c_h exp(i h omega t); c_0 is the mean.
    peak_to_peak, rms, mean : (n,) [m or rad].
    dissipated : (m,) [J] in one cycle.   force_range : (m,) [N or N m].   stick_share : (m,), as of an orbit.
    frequency_error [rad/s], damping_error, error [m or rad] : estimates; NaN without one.
    residual : largest scaled residual of the solver.   iterations : of Newton's method.
    """

    amplitude: float
    modal_amplitude: float
    frequency: float
    damping_ratio: float
    energy: float
    harmonics: Complex
    peak_to_peak: Array
    rms: Array
    mean: Array
    dissipated: Array
    force_range: Array
    stick_share: Array
    frequency_error: float
    damping_error: float
    error: float
    residual: float = np.nan
    iterations: int = 0
    notes: tuple[str, ...] = ()


def mode_dataset(points: Sequence[ModePoint], names: Names, coordinate: str) -> xarray.Dataset:
    """Dataset of points, along "point".   coordinate : of the amplitude; empty for the modal one."""
    import xarray

    place, joint = names.data_axes
    own = {"unit": place.unit, "force": joint.force}
    data: dict[str, Any] = {}
    for name, (words, unit) in POINT_VARIABLES.items():
        data[name] = ("point", np.array([getattr(p, name) for p in points]), _attributes(words, unit.format(**own)))
    omega, zeta = data["frequency"][1], data["damping_ratio"][1]
    damped = omega * np.sqrt(np.maximum(1.0 - zeta**2, 0.0))
    data["damped_frequency"] = ("point", damped, _attributes("frequency of a decaying motion", "rad/s"))
    for table, dimension in ((COORDINATE_VARIABLES, "coordinate"), (CONNECTION_VARIABLES, "connection")):
        width = len(getattr(names, f"{dimension}s"))
        for name, (words, unit) in table.items():
            rows = np.array([getattr(p, name) for p in points], dtype=float).reshape(len(points), width)
            data[name] = (("point", dimension), rows, _attributes(words, unit.format(**own)))
    orders = points[0].harmonics.shape[0] if points else 2  # without points: the mean, and the first one for the shape
    harmonics = np.array([p.harmonics for p in points], dtype=complex).reshape(
        len(points), orders, len(names.coordinates)
    )
    words = "c in q(t) = Re sum of c exp(i harmonic omega t); 0 is the mean"
    data["harmonics"] = (("point", "harmonic", "coordinate"), harmonics, _attributes(words, place.unit))
    shape = harmonics[:, 1] / data["modal_amplitude"][1][:, None]
    data["shape"] = (("point", "coordinate"), shape, _attributes("first harmonic, of unit modal mass", "kg^(-1/2)"))
    words, unit = POINT_VARIABLES["modal_amplitude"]
    if coordinate:
        words, unit = f"first harmonic of {coordinate}", data_axis(names.units.coordinates, [coordinate]).unit
    amplitude = ("point", np.array([p.amplitude for p in points]), _attributes(f"amplitude: {words}", unit))
    return xarray.Dataset(
        data,
        coords={
            "amplitude": amplitude,
            "coordinate": np.array(names.coordinates, dtype=np.str_),
            "connection": np.array(names.connections, dtype=np.str_),
        },
    )


def _attributes(words: str, unit: str) -> dict[str, str]:
    return {"long_name": words, "units": unit}


# ---- files


def encode_mode_points(points: Sequence[ModePoint], names: Names, coordinate: str) -> xarray.Dataset:
    """Points as a netCDF 3 dataset."""
    encoded = netcdf3_dataset(mode_dataset(points, names, coordinate), ("harmonics", "shape"))
    encoded.attrs["notes_json"] = json.dumps([p.notes for p in points])
    return encoded


def decode_mode_points(dataset: xarray.Dataset, names: Names) -> tuple[ModePoint, ...]:
    """Inverse of `encode_mode_points`."""
    if "point" not in dataset.sizes:  # without points there are no tables
        return ()
    harmonics = dataset["harmonics_real"].values + 1j * dataset["harmonics_imag"].values
    notes, empty = json.loads(dataset.attrs["notes_json"]), np.zeros(len(names.connections))
    points = []
    for k in range(int(dataset.sizes["point"])):
        values: dict[str, Any] = {"harmonics": harmonics[k], "notes": tuple(notes[k])}
        for name in (*COORDINATE_VARIABLES, *CONNECTION_VARIABLES):
            values[name] = np.array(dataset[name].values[k], dtype=float) if name in dataset else empty
        for field in fields(ModePoint):
            if field.name not in values:
                number = dataset[field.name].values[k].item()
                values[field.name] = int(number) if field.name == "iterations" else float(number)
        points.append(ModePoint(**values))
    return tuple(points)
