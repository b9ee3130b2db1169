"""Kinds of measurement: what a model predicts for each, and the residuals.

Every kind is a `DataSet`: it predicts the measured values from a model, in blocks of one noise level each (a channel
of a record, the frequencies of a ring-down, the amplitudes of a response). Residuals of amplitudes are differences of
logarithms, so that all levels count alike; others are differences.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slipstick.arrays import Array
from slipstick.calibration.measured_response import MeasuredResponse
from slipstick.errors import InvalidInput, short_repr
from slipstick.identification.loop import Loop
from slipstick.identification.record import FORCE_QUANTITY, QUANTITIES, Record, split_channel
from slipstick.model.modes import modes
from slipstick.model.system import System
from slipstick.name_hints import did_you_mean
from slipstick.periodic.modes.nonlinear_mode import nonlinear_mode
from slipstick.results.ringdown import Ringdown
from slipstick.signals import Signal
from slipstick.transient.simulate import simulate
from slipstick.units.axes import kind_of_unit
from slipstick.units.dimensions import unit_name

MAX_RINGDOWN_POINTS = 25
MODE_FREQUENCY_NOISE, MODE_DAMPING_NOISE = 1e-3, 0.05  # relative: as modal analysis determines them


class Block(NamedTuple):
    """Measured values of one noise level.

    name : in messages.   measured : (n,); natural logarithms if `logarithmic`.
    over, label : (n,) abscissa in figures.
    deviation : standard deviations (n,) up to a common factor, or None if all are alike.
    noise : known noise level; None if it is estimated from the residuals.
    unit : SI unit of the values (of their logarithms' antilogarithm); empty where the model does not say.
    shown : (n,) whose scatter gives the first guess of the noise, where the values themselves were held constant.
    """

    name: str
    measured: Array
    over: Array
    label: str
    logarithmic: bool = False
    deviation: Array | None = None
    noise: float | None = None
    unit: str = ""
    shown: Array | None = None


class DataSet(ABC):
    """A measurement.   name : in messages.   blocks : its values."""

    name: str
    blocks: tuple[Block, ...]

    @abstractmethod
    def predict(self, model: Any) -> list[Array]:
        """The values of each block by the model. Raises `SlipstickError` if the model cannot be solved."""

    def predict_beside(self, model: Any) -> list[Array]:
        """The same by a model with almost the parameters of the last `predict`, for differences."""
        return self.predict(model)


class RecordSet(DataSet):
    """Histories, compared with a simulation under the measured loads and motions."""

    def __init__(self, record: Record, model: System) -> None:
        self.record, self.name = record, record.name
        self.columns = [(split_channel(name), name) for name in record.channels]
        for (owner, quantity), name in self.columns:
            known = [c.name for c in (model.coordinates if quantity in QUANTITIES else model.connections)]
            if owner not in known:
                words = f'channel "{name}" is of {short_repr(owner)}, which the model does not have'
                raise InvalidInput(words + did_you_mean(owner, known), owner=self.name)
        for name in (*record.loads, *record.motions):
            model.find_coordinate(name)  # refuses other names
        self.blocks = tuple(
            Block(f"{self.name}: {name}", values, record.t, "time [s]", unit=channel_unit(model, name))
            for name, values in record.channels.items()
        )

    def predict(self, model: Any) -> list[Array]:
        driven = model.snapshot()
        driven.ready = None
        for name, values in self.record.loads.items():
            driven.load(driven[name], _signal(self.record.t, values))
        for name, values in self.record.motions.items():
            driven[name].motion = _signal(self.record.t, values)
        t = self.record.t
        data = simulate(driven, until=float(t[-1]), start=float(t[0]), samples=t).data
        return [
            data[quantity].sel({"coordinate" if quantity in QUANTITIES else "connection": owner}).values
            for (owner, quantity), _ in self.columns
        ]


def channel_unit(model: System, channel: str) -> str:
    """SI unit of a channel; empty where the model does not say whether it is a length or an angle."""
    owner, quantity = split_channel(channel)
    of = model.units.coordinates if quantity in QUANTITIES else model.units.connections
    kind = kind_of_unit(of.get(owner, ""))
    dimension = (1, 0, 0) if quantity == FORCE_QUANTITY else (0, 1, -QUANTITIES.get(quantity, 0))
    return "" if kind is None else unit_name(dimension, kind)


def _signal(t: Array, values: Array) -> Signal:
    return Signal(tuple(t.tolist()), tuple(values.tolist()))


class RingdownSet(DataSet):
    """Frequency and damping over amplitude, compared with the nonlinear mode nearest in frequency."""

    def __init__(self, decay: Ringdown, model: System) -> None:
        self.name = f"ring-down of {decay.channel}"
        known = [c.name for c in model.coordinates]
        if decay.coordinate not in known:
            words = f'the ring-down is of "{decay.coordinate}", which the model does not have'
            raise InvalidInput(words + did_you_mean(decay.coordinate, known))
        data = decay.data.where(decay.data.edge == 0, drop=True)
        amplitude = data["displacement_amplitude"].values
        rows = _spread_rows(amplitude, MAX_RINGDOWN_POINTS)
        self.coordinate, self.amplitudes, self.near = decay.coordinate, amplitude[rows], decay.near
        picked = data.isel(time=rows)
        reach = {key: 0.5 * (picked[f"{key}_high"] - picked[f"{key}_low"]).values for key in ("frequency", "damping")}
        frequency, damping = picked["frequency"].values, picked["damping"].values
        place = (self.amplitudes, f"amplitude of {self.coordinate} [m or rad]")
        relative = reach["frequency"] / frequency
        self.blocks = (
            Block(f"{self.name}: frequency [rad/s]", np.log(frequency), *place, True, relative),
            Block(f"{self.name}: damping ratio", damping, *place, False, reach["damping"]),
        )

    def predict(self, model: Any) -> list[Array]:
        linear = modes(model)
        number = 1 + int(np.argmin(np.abs(linear.damped_frequency - self.near)))
        order = np.argsort(self.amplitudes)
        mode = nonlinear_mode(model, number, self.amplitudes[order], coordinate=model[self.coordinate])
        found = mode.data
        if found.sizes["point"] != order.size:
            raise InvalidInput(f"the mode has {found.sizes['point']} of {order.size} amplitudes")
        frequency, damping = np.empty(order.size), np.empty(order.size)
        frequency[order], damping[order] = np.log(found["damped_frequency"].values), found["damping_ratio"].values
        return [frequency, damping]


class LoopSet(DataSet):
    """Force over an imposed deflection, compared with the law of a connection."""

    def __init__(self, connection: str, loop: Loop, model: System) -> None:
        self.connection, self.loop, self.name = connection, loop, f"{connection}: {loop.name}"
        model.connection(connection)  # an unknown one raises here
        turns = loop.turning.turns
        self.first = int(turns[1]) if turns.size > 2 else 0  # before the first reversal the memory is unknown
        kept = slice(self.first, None)
        unit = unit_name((1, 0, 0), loop.system)
        self.blocks = (Block(f"{self.name}: force", loop.f[kept], loop.u[kept], "deflection", unit=unit),)

    def predict(self, model: Any) -> list[Array]:
        force = model.connection(self.connection).law.trace(self.loop.u, self.loop.t)
        return [np.asarray(force)[self.first :]]


class ModeSet(DataSet):
    """Damped frequencies and damping ratios of linear modes, by number.

    Their noise cannot be estimated from so few values: it is taken as 0.1 % of frequencies and 5 % of damping ratios.
    """

    def __init__(self, measured: Mapping[int, Sequence[float]], model: System) -> None:
        self.name, self.numbers = "modes", list(measured)
        count = len(modes(model))
        for number, values in measured.items():
            if not 1 <= number <= count or not _two_above_zero(values):
                words = f"mode {number} must be one of 1 to {count}, with two numbers (damped frequency [rad/s], "
                raise InvalidInput(f"{words}damping ratio) above 0, got {short_repr(values)}").about("data")
        table = np.array([measured[number] for number in self.numbers], dtype=float)
        place = (np.array(self.numbers, dtype=float), "mode")
        self.blocks = (
            Block("modes: frequency [rad/s]", np.log(table[:, 0]), *place, True, noise=MODE_FREQUENCY_NOISE),
            Block("modes: damping ratio", table[:, 1], *place, False, np.abs(table[:, 1]), MODE_DAMPING_NOISE),
        )

    def predict(self, model: Any) -> list[Array]:
        found = modes(model)
        rows = np.array(self.numbers) - 1
        return [np.log(found.damped_frequency[rows]), found.damping_ratio[rows]]


def _two_above_zero(values: Any) -> bool:
    try:
        pair = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        return False
    return pair.shape == (2,) and bool(np.all((pair > 0.0) & np.isfinite(pair)))


def data_sets_of(data: Any, model: System) -> list[DataSet]:
    """Data sets of one measurement or a list of them; loops by connection and modes by number as mappings."""
    given = data if isinstance(data, (list, tuple)) else [data]
    sets: list[DataSet] = []
    for each in given:
        if isinstance(each, Record):
            sets.append(RecordSet(each, model))
        elif isinstance(each, Ringdown):
            sets.append(RingdownSet(each, model))
        elif isinstance(each, MeasuredResponse):
            from slipstick.calibration.response_set import ResponseSet

            sets.append(ResponseSet(each, model))
        elif isinstance(each, Mapping) and each:
            sets += _mapped_sets(each, model)
        else:
            words = "data are Record, Ringdown, MeasuredResponse, loops by connection or modes by number"
            raise InvalidInput(f"{words}, got {short_repr(each)}").about("data")
    if not sets:
        raise InvalidInput("data are empty; give at least one measurement").about("data")
    return sets


def _mapped_sets(given: Mapping[Any, Any], model: System) -> list[DataSet]:
    """Sets of {"joint": loop or loops} or {1: (frequency, damping)}."""
    if all(isinstance(key, (int, np.integer)) for key in given):
        return [ModeSet(given, model)]
    sets: list[DataSet] = []
    for connection, loops in given.items():
        for loop in loops if isinstance(loops, (list, tuple)) else [loops]:
            if not isinstance(loop, Loop):
                raise InvalidInput(f"{connection} must have a Loop or a list of them, got {short_repr(loop)}").about(
                    "data"
                )
            sets.append(LoopSet(str(connection), loop, model))
    return sets


def _spread_rows(amplitude: Array, count: int) -> NDArray[np.int64]:
    """Rows that are spread evenly over the logarithm of the amplitude."""
    wanted = np.linspace(np.log(amplitude.max()), np.log(amplitude.min()), count)
    return np.unique(np.abs(np.log(amplitude)[:, None] - wanted).argmin(axis=0))
