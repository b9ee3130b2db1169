"""A simulated motion: its data, its events, its certificate."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from slipstick.results.certificate import Certificate
from slipstick.results.trajectory import Stats, Trajectory

if TYPE_CHECKING:
    import xarray


class Run:
    """What `Model.simulate` gives. Everything but `stats` is computed when it is first looked at.

    data : xarray.Dataset; displacement, velocity (time, coordinate); deflection, force, state (time, connection).
    events : table with the columns time, connection, before, after.
    certificate : error estimate and energy balance.
    stats : method, reason, steps, events, factorisations, solves, seconds.
    """

    def __init__(self, trajectory: Trajectory, model: Any) -> None:
        self.trajectory, self.model = trajectory, model

    @property
    def stats(self) -> Stats:
        return self.trajectory.stats

    @cached_property
    def certificate(self) -> Certificate:
        return self.trajectory.certificate()

    @cached_property
    def data(self) -> xarray.Dataset:
        raise NotImplementedError
