"""Stepped-sine tests as data of a calibration: the branch that was measured, at the measured frequencies."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from slipstick.arrays import Array, Complex
from slipstick.calibration.data_sets import Block, DataSet, channel_unit
from slipstick.calibration.measured_response import MeasuredResponse
from slipstick.errors import InvalidInput, NotConverged
from slipstick.identification.record import QUANTITIES, split_channel
from slipstick.model.system import System
from slipstick.periodic.balance.balance_points import balance_measures
from slipstick.periodic.balance.harmonic_balance import HarmonicBalance
from slipstick.periodic.continuation.corrector import correct, parameter_plane, scale_of
from slipstick.periodic.response import frequency_response
from slipstick.signals import Cosine

SAME_FORCE = 1e-9  # relative; a sweep with one force amplitude is solved as one model


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

    def _blocks(self) -> list[Block]:
        own, unit = self.response, self.unit
        blocks = []
        for label, rows in self.sweeps.items():
            place = (own.frequency[rows] / (2.0 * np.pi), "frequency [Hz]")
            blocks.append(
                Block(f"{self.name}: level {label}, amplitude", np.log(own.amplitude[rows]), *place, True, unit=unit)
            )
            if own.phase is not None:
                blocks.append(Block(f"{self.name}: level {label}, phase [rad]", np.unwrap(own.phase[rows]), *place))
        return blocks

    def predict(self, model: Any) -> list[Array]:
        own, found = self.response, []
        free = [load for load in model.loads if not load.function.parts().harmonics]
        for rows in self.sweeps.values():
            omega, force = own.frequency[rows], own.force[rows]

            def build(amplitude: float) -> Any:
                driven = model.snapshot()
                driven.ready, driven.loads = None, list(free)
                driven.load(driven[own.load], Cosine(amplitude, order=1))
                return driven

            first = self._harmonics(build, omega, force, own.amplitude[rows])
            found.append(np.log(np.abs(first)))
            if own.phase is not None:
                measured = np.unwrap(own.phase[rows])
                shift = np.angle(first) - measured
                found.append(measured + (shift + np.pi) % (2.0 * np.pi) - np.pi)
        return found

    def _harmonics(self, build: Callable[[float], Any], omega: Array, force: Array, measured: Array) -> Complex:
        """(n,) first harmonics of the channel."""
        if np.ptp(force) > SAME_FORCE * force.max():
            families = [HarmonicBalance(build(f), frequency=w) for f, w in zip(force.tolist(), omega.tolist())]
        else:
            families = [HarmonicBalance(build(float(force[0])), frequency=float(omega.mean()))] * omega.size
        column = [c.name for c in build(1.0).coordinates].index(self.coordinate)
        rising = self._sweep(families, omega, range(omega.size), column)
        falling = self._sweep(families, omega, range(omega.size - 1, -1, -1), column)
        far = [np.abs(np.log(np.abs(own) / measured)) for own in (rising, falling)]
        found = np.where((far[0] <= far[1]) | np.isnan(falling), rising, falling)
        return found if np.all(np.isfinite(found)) else self._by_curve(build, omega, force)

    def _sweep(self, families: list[HarmonicBalance], omega: Array, order: Iterable[int], column: int) -> Complex:
        """First harmonics, each orbit by Newton from that at the frequency before; not a number where that fails."""
        found = np.full(omega.size, np.nan, dtype=complex)
        x: Array | None = None
        for i in order:
            family, w = families[i], float(omega[i])
            for guess in ([] if x is None else [x]) + [family.start(w)]:
                z = np.append(guess, w)
                try:
                    x = correct(family, z, parameter_plane(z, w, scale_of(family, z, w))).x
                    point = balance_measures(family, x, w, forces=False)
                except NotConverged:
                    x = None
                    continue
                found[i] = point.harmonics[family.order, column] * (1j * w) ** self.order
                break
        return found

    def _by_curve(self, build: Callable[[float], Any], omega: Array, force: Array) -> Complex:
        """The same by continuation, which has more ways to begin."""
        data = frequency_response(
            lambda w: build(float(np.interp(w, omega, force))), at=omega, method="harmonic-balance"
        ).data
        if data.sizes["point"] != omega.size:
            raise InvalidInput(f"{data.sizes['point']} of {omega.size} frequencies have an orbit")
        harmonics = data["harmonics"].sel(coordinate=self.coordinate).values[:, 1]
        return np.asarray(harmonics * (1j * omega) ** self.order)
