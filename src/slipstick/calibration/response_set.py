"""Stepped-sine tests as data of a calibration: the branch that was measured, at the measured frequencies."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import numpy as np

from slipstick.arrays import Array, Complex
from slipstick.calibration.data_sets import Block, DataSet, channel_unit
from slipstick.calibration.measured_response import MeasuredResponse
from slipstick.errors import InvalidInput, NotConverged
from slipstick.identification.record import QUANTITIES, split_channel
from slipstick.model.system import System
from slipstick.periodic.balance.stepped_sine import SteppedSine
from slipstick.periodic.response import frequency_response
from slipstick.signals import Cosine


class ResponseSet(DataSet):
    """Amplitudes of a stepped-sine test, compared with periodic orbits under the measured force amplitudes.

    Where a frequency has several orbits, the prediction is the one with the amplitude nearest to the measured one, of
    those that a rising and a falling sweep reach.
    """

    def __init__(self, response: MeasuredResponse, model: System) -> None:
        self.response, self.name = response, response.name
        self.coordinate, quantity = split_channel(response.channel)
        if quantity not in QUANTITIES:
            raise InvalidInput(f'a response is of a coordinate, got the channel "{response.channel}"', owner=self.name)
        for name in (self.coordinate, response.load):
            model.find_coordinate(name)  # refuses other names
        self.order = QUANTITIES[quantity]
        self.sweeps, self.unit = response.sweeps(), channel_unit(model, response.channel)
        self.blocks = tuple(self._blocks())
        self.orbits: dict[str, Array] = {}  # of the last `predict`, by level

    def _blocks(self) -> list[Block]:
        own, unit = self.response, self.unit
        blocks = []
        for label, rows in self.sweeps.items():
            place = (own.frequency[rows] / (2.0 * np.pi), "frequency [Hz]")
            size, shown = np.log(own.amplitude[rows]), np.log(own.amplitude[rows] / own.force[rows])
            blocks.append(Block(f"{self.name}: level {label}, amplitude", size, *place, True, unit=unit, shown=shown))
            if own.phase is not None:
                blocks.append(Block(f"{self.name}: level {label}, phase [rad]", np.unwrap(own.phase[rows]), *place))
        return blocks

    def predict(self, model: Any) -> list[Array]:
        self.orbits = {}
        return self._predict(model, self._best_sweep)

    def predict_beside(self, model: Any) -> list[Array]:
        return self._predict(model, self._beside)

    def _predict(self, model: Any, solve: Callable[[str, SteppedSine], Complex]) -> list[Array]:
        """Blocks from the first harmonics (n,) that ``solve`` finds at each level."""
        own, found = self.response, []
        undriven = model.snapshot()
        undriven.ready = None
        undriven.loads = [load for load in model.loads if not load.function.parts().harmonics]
        for label, rows in self.sweeps.items():
            omega, force = own.frequency[rows], own.force[rows]
            first = solve(label, SteppedSine(undriven, own.load, float(force.mean()), float(omega.mean())))
            if not np.all(np.isfinite(first)):
                first = self._by_curve(undriven, omega, force)
            first = first * (1j * omega) ** self.order
            found.append(np.log(np.abs(first)))
            if own.phase is not None:
                measured = np.unwrap(own.phase[rows])
                shift = np.angle(first) - measured
                found.append(measured + (shift + np.pi) % (2.0 * np.pi) - np.pi)
        return found

    def _best_sweep(self, label: str, driven: SteppedSine) -> Complex:
        """First harmonics of the orbits nearest to the measured amplitudes, of a rising and a falling sweep."""
        own, rows = self.response, self.sweeps[label]
        omega, force = own.frequency[rows], own.force[rows]
        measured = own.amplitude[rows] / omega**self.order
        orbits = [driven.sweep(force, omega, falling) for falling in (False, True)]
        first = [driven.first_harmonics(x, force, omega, self.coordinate) for x in orbits]
        with np.errstate(divide="ignore"):
            far = [np.abs(np.log(np.abs(each) / measured)) for each in first]
        rising = (far[0] <= far[1]) | np.isnan(far[1])
        found = np.where(rising, *first)
        if np.all(np.isfinite(found)):
            self.orbits[label] = np.where(rising[:, None], *orbits)
        return found

    def _beside(self, label: str, driven: SteppedSine) -> Complex:
        """The same by Newton from the orbits of the last `predict`, so that the branch remains."""
        rows, kept = self.sweeps[label], self.orbits.get(label)
        omega, force = self.response.frequency[rows], self.response.force[rows]
        if kept is not None and kept.shape[1] == driven.family.size:
            with contextlib.suppress(NotConverged):
                return driven.first_harmonics(driven.beside(kept, force, omega), force, omega, self.coordinate)
        return driven.first_harmonics(driven.sweep(force, omega), force, omega, self.coordinate)

    def _by_curve(self, undriven: Any, omega: Array, force: Array) -> Complex:
        """First harmonics by continuation, which has more ways to begin."""

        def build(w: float) -> Any:
            driven = undriven.snapshot()
            driven.ready = None
            driven.load(driven[self.response.load], Cosine(float(np.interp(w, omega, force)), order=1))
            return driven

        data = frequency_response(build, at=omega, method="harmonic-balance").data
        if data.sizes["point"] != omega.size:
            raise InvalidInput(f"{data.sizes['point']} of {omega.size} frequencies have an orbit")
        harmonics = data["harmonics"].sel(coordinate=self.coordinate).values[:, 1]
        return np.asarray(harmonics)
