"""Displacements and velocities of a run at any times, and its Poincare section."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import Advice, InvalidInput, finite_float
from slipstick.results.trajectory import ReadableTrajectory

if TYPE_CHECKING:
    import xarray

    from slipstick.results.run import Run


def states_at(run: Run, times: Array) -> tuple[Array, Array]:
    """(k, coordinates) displacements and velocities at times (k,): of the motion itself, or between its samples."""
    if isinstance(run.trajectory, ReadableTrajectory):
        read = run.trajectory.read(times)
        return read.displacement, read.velocity
    from scipy.interpolate import CubicHermiteSpline

    samples = run.samples
    own, kept = np.unique(samples.time, return_index=True)
    curve = CubicHermiteSpline(own, samples.displacement[kept], samples.velocity[kept])
    return np.asarray(curve(times)), np.asarray(curve(times, 1))


def poincare_section(run: Run, frequency: float | None, phase: float) -> xarray.Dataset:
    """See `slipstick.results.run.Run.section`."""
    import xarray

    stats, phase = run.stats, finite_float("phase", phase)
    if frequency is None:
        if run.angle is None or len(set(run.angle.speed)) != 1 or any(run.angle.acceleration):
            raise InvalidInput(
                "a section needs a frequency, as this run has no constant base frequency",
                advice=[Advice("give {frequency} [rad/s]")],
            ).about("frequency")
        frequency = float(run.angle.speed[0])
    omega = finite_float("frequency", frequency)
    if omega <= 0.0:
        raise InvalidInput("must be positive", subject="frequency", value=omega, got=f"{omega:g}")
    turns = (np.array([stats.start, stats.reached]) * omega - phase) / (2.0 * np.pi)
    times = (phase + 2.0 * np.pi * np.arange(np.ceil(turns[0]), np.floor(turns[1]) + 1.0)) / omega
    q, v = states_at(run, np.clip(times, stats.start, stats.reached))
    return xarray.Dataset(
        {"displacement": (("time", "coordinate"), q), "velocity": (("time", "coordinate"), v)},
        coords={"time": ("time", times, {"units": "s"}), "coordinate": np.array(run.names.coordinates, dtype=np.str_)},
    )
