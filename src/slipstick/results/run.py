"""A simulated motion: its data, its events, its certificate."""

from __future__ import annotations

from dataclasses import asdict
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from slipstick.results.certificate import Certificate
from slipstick.results.events import Events
from slipstick.results.trajectory import Samples, Stats, Trajectory

if TYPE_CHECKING:
    import os

    import xarray
    from matplotlib.figure import Figure


class Names(NamedTuple):
    """What the columns of a run belong to."""

    model: str
    coordinates: tuple[str, ...]
    connections: tuple[str, ...]

    @classmethod
    def of(cls, model: Any) -> Names:
        return cls(model.name, tuple(c.name for c in model.coordinates), tuple(c.name for c in model.connections))


class Run:
    """What `Model.simulate` gives. Everything but `stats` is computed when it is first looked at.

    data : xarray.Dataset; displacement, velocity (time, coordinate); deflection, force, state (time, connection).
    events : table with the columns time, connection, before, after.
    certificate : error estimate and energy balance.
    stats : method, reason, steps, events, factorisations, solves, seconds.
    model : as it was when it was simulated; None for a run from a file that could not hold its model.
    """

    def __init__(self, trajectory: Trajectory, model: Any, names: Names | None = None) -> None:
        self.trajectory, self.model = trajectory, model
        self._names = names

    @cached_property
    def names(self) -> Names:
        """The names of the model, its coordinates and its connections."""
        return self._names or Names.of(self.model)

    @property
    def stats(self) -> Stats:
        return self.trajectory.stats

    @cached_property
    def certificate(self) -> Certificate:
        return self.trajectory.certificate()

    def leave_uncertified(self, reason: str) -> None:
        """Put a certificate that says why there is none in the place of one that is not computed yet."""
        self.__dict__.setdefault("certificate", Certificate.none(self.names.coordinates, reason))

    @cached_property
    def samples(self) -> Samples:
        """The samples as plain arrays."""
        return self.trajectory.samples()

    @cached_property
    def events(self) -> Events:
        return Events(self.trajectory.events())

    @cached_property
    def data(self) -> xarray.Dataset:
        return self._dataset()

    def plot(self, coordinates: Any = None, connections: Any = None) -> Figure:
        """A figure: time histories, the states of connections as bands, loops of force over deflection.

        coordinates, connections : names to show; default those that fit.
        """
        from slipstick.plot.run import plot_run

        return plot_run(self, coordinates, connections)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write everything to a netCDF file (.nc) that `slipstick.open` reads, the model included."""
        from slipstick.results.files import write_run

        write_run(self, path)

    def __repr__(self) -> str:
        stats, certificate = self.stats, self.certificate
        count = f"{stats.events} event{'' if stats.events == 1 else 's'}"
        if not certificate.passed:
            return f'<Run of "{self.names.model}" by {stats.method}, {count}; certificate {certificate.verdict}>'
        figures = f"error <= {certificate.error_words}, energy residual {certificate.energy_residual:.2g}"
        return f'<Run of "{self.names.model}" by {stats.method}, {count}; certificate passed: {figures}>'

    def _dataset(self) -> xarray.Dataset:
        import xarray

        s = self.samples
        moved, acting = ("time", "coordinate"), ("time", "connection")
        attributes: dict[str, Any] = {"model": self.names.model, **asdict(self.stats)}  # the certificate may cost more
        return xarray.Dataset(
            {
                "displacement": (moved, s.displacement, {"long_name": "displacement [m or rad]"}),
                "velocity": (moved, s.velocity, {"long_name": "velocity [m/s or rad/s]"}),
                "deflection": (acting, s.deflection, {"long_name": "deflection [m or rad]"}),
                "force": (acting, s.force, {"long_name": "force that resists the deflection [N or N m]"}),
                "state": (acting, s.state, {"long_name": "state of the connection; empty where it has none"}),
            },
            coords={
                "time": ("time", s.time, {"units": "s", "long_name": "time"}),
                "coordinate": np.array(self.names.coordinates, dtype=np.str_),
                "connection": np.array(self.names.connections, dtype=np.str_),
            },
            attrs=attributes,
        )
