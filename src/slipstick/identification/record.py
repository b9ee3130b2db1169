"""`Record`: measured histories with the names of a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from slipstick.arrays import Array
from slipstick.errors import InvalidInput, finite_float, short_repr
from slipstick.identification.sample_columns import checked_column, checked_times
from slipstick.name_hints import did_you_mean
from slipstick.results.notebook_view import NotebookView

if TYPE_CHECKING:
    from matplotlib.figure import Figure


QUANTITIES = {"displacement": 0, "velocity": 1, "acceleration": 2}  # time derivatives of a coordinate
FORCE_QUANTITY, DEFLECTION_QUANTITY = "force", "deflection"  # of a connection
MIN_SAMPLES = 8


def split_channel(channel: str) -> tuple[str, str]:
    """Name and quantity of a channel: "x.acceleration" is ("x", "acceleration"), "x" is ("x", "displacement")."""
    name, _, quantity = channel.rpartition(".")
    known = (*QUANTITIES, FORCE_QUANTITY, DEFLECTION_QUANTITY)
    return (name, quantity) if name and quantity in known else (channel, "displacement")


@dataclass(frozen=True, eq=False)
class Record(NotebookView):
    """Measured histories of a model.

    t : (n,) times [s], increasing.
    channels : (n,) samples in SI by name: "x" or "x.displacement", "x.velocity", "x.acceleration" of a coordinate,
        "joint.force" or "joint.deflection" of a connection.
    loads : (n,) forces on coordinates [N or N m] by name.   motions : (n,) prescribed displacements by name.
    name : in messages and legends.   notes : every change that was made to the data, in words.
    """

    t: Array
    channels: Mapping[str, Array]
    loads: Mapping[str, Array] = field(default_factory=dict)
    motions: Mapping[str, Array] = field(default_factory=dict)
    name: str = "record"
    notes: tuple[str, ...] = ()

    def __init__(
        self,
        t: ArrayLike,
        channels: Mapping[str, ArrayLike],
        *,
        loads: Mapping[str, ArrayLike] | None = None,
        motions: Mapping[str, ArrayLike] | None = None,
        name: str = "record",
        notes: Sequence[str] = (),
    ) -> None:
        times = checked_column("time", t, name)
        if times.size < MIN_SAMPLES:
            raise InvalidInput(f"a record needs at least {MIN_SAMPLES} samples, got {times.size}", owner=name)
        checked_times(times, times.size, name)
        if not isinstance(channels, Mapping) or not channels:
            words = f'channels must be given by name, such as {{"x.acceleration": values}}, got {short_repr(channels)}'
            raise InvalidInput(words, owner=name)
        histories = {"channels": channels, "loads": loads or {}, "motions": motions or {}}
        for kind, own in histories.items():
            if not isinstance(own, Mapping):
                words = f'must be given by name, such as {{"x": values}}, got {short_repr(own)}'
                raise InvalidInput(words, owner=name, subject=kind)
            checked = {str(key): checked_column(str(key), values, name) for key, values in own.items()}
            for key, values in checked.items():
                if values.size != times.size:
                    words = f"{key} must have {times.size} samples like the time, got {values.size}"
                    raise InvalidInput(words, owner=name)
            object.__setattr__(self, kind, checked)
        object.__setattr__(self, "t", times)
        object.__setattr__(self, "name", str(name))
        object.__setattr__(self, "notes", tuple(notes))

    @classmethod
    def read(
        cls,
        path: str | Path,
        time: str | int | None = None,
        columns: Mapping[str, str | int] | None = None,
        loads: Mapping[str, str | int] | None = None,
        motions: Mapping[str, str | int] | None = None,
        **options: Any,
    ) -> Record:
        """The record of a file: text (also .gz), .xlsx, .mat, .json, .parquet or .tdms.

        time : column of times, by name or number from 0; default the column named so, or the one that grows evenly.
        columns : column of each channel, such as {"x.acceleration": "acc1"}; default every other column of numbers.
        loads, motions : columns of forces on coordinates and of prescribed motions, by coordinate.
        options : units (by column name), decimal, rate, skip_lines, skip_incomplete, encoding, as for `Loop.read`.
        """
        from slipstick.identification.reading.record_tables import read_record

        return read_record(path, time, {"channels": columns, "loads": loads or {}, "motions": motions or {}}, options)

    # ---- changed copies

    def part(self, start: float | None = None, end: float | None = None) -> Record:
        """The samples from ``start`` to ``end`` [s]."""
        low = -np.inf if start is None else finite_float("start", start, self.name)
        high = np.inf if end is None else finite_float("end", end, self.name)
        inside = (self.t >= low) & (self.t <= high)
        if int(inside.sum()) < MIN_SAMPLES:
            words = f"{low:.4g} to {high:.4g} s holds {int(inside.sum())} samples, at least {MIN_SAMPLES} are needed"
            raise InvalidInput(f"{words}; the record lasts from {self.t[0]:.4g} to {self.t[-1]:.4g} s", owner=self.name)
        return self._changed(f"part from {low:.4g} to {high:.4g} s", self.t[inside], lambda x: x[inside])

    def triggered(self, channel: str, level: float, before: float = 0.0) -> Record:
        """From where a load or channel first exceeds a level in size, with time zero there.

        channel : its name; a load comes before a channel of the same name.   before : [s] kept ahead of it.
        """
        known = {**self.channels, **self.loads}
        if channel not in known:
            raise InvalidInput(f"no channel or load {short_repr(channel)}{did_you_mean(str(channel), known)}")
        size, bound = np.abs(known[channel]), finite_float("level", level, self.name)
        if not size.max() > bound:
            words = (
                f"{channel} never exceeds the level {bound:.4g}; give one below its largest sample, {size.max():.4g}"
            )
            raise InvalidInput(words, owner=self.name)
        begin = float(self.t[int(np.argmax(size > bound))])
        kept = self.part(start=begin - before)
        return kept._changed(f"triggered at {begin:.6g} s", kept.t - begin, lambda x: x)

    def detrended(self) -> Record:
        """Without the straight line through each channel; loads and motions stay."""

        def straightened(x: Array) -> Array:
            return np.asarray(x - np.polynomial.Polynomial.fit(self.t, x, 1)(self.t))

        flat = {key: straightened(x) for key, x in self.channels.items()}
        notes = (*self.notes, "straight line removed from each channel")
        return Record(self.t, flat, loads=self.loads, motions=self.motions, name=self.name, notes=notes)

    def resampled(self, rate: float) -> Record:
        """At equal steps of 1 / rate; a lower rate than the record's is filtered without delay before.

        rate : [Hz].
        """
        wanted = finite_float("rate", rate, self.name)
        span, own = float(self.t[-1] - self.t[0]), float((self.t.size - 1) / (self.t[-1] - self.t[0]))
        count = int(np.floor(span * wanted)) + 1 if wanted > 0.0 else 0
        if count < MIN_SAMPLES:
            words = f"rate must give at least {MIN_SAMPLES} samples in {span:.4g} s, got {wanted:g} Hz"
            raise InvalidInput(words, owner=self.name).about("rate")
        times = self.t[0] + np.arange(count) / wanted
        even = np.linspace(self.t[0], self.t[-1], self.t.size)

        def resample(x: Array) -> Array:
            if wanted >= own:
                return np.asarray(np.interp(times, self.t, x))
            from scipy.signal import butter, sosfiltfilt

            filtered = sosfiltfilt(butter(8, 0.4 * wanted, fs=own, output="sos"), np.interp(even, self.t, x))
            return np.asarray(np.interp(times, even, filtered))

        return self._changed(f"resampled at {wanted:g} Hz", times, resample)

    def _changed(self, note: str, t: Array, change: Any) -> Record:
        parts = [{key: change(x) for key, x in own.items()} for own in (self.channels, self.loads, self.motions)]
        return Record(t, parts[0], loads=parts[1], motions=parts[2], name=self.name, notes=(*self.notes, note))

    def plot(self) -> Figure:
        """Figure of all histories over time, a panel each."""
        from slipstick.plot.record_plot import plot_record

        return plot_record(self)

    def __len__(self) -> int:
        return int(self.t.size)

    def __repr__(self) -> str:
        held = [f"{', '.join(own)}{label}" for own, label in (
            (self.channels, ""), (self.loads, " (loads)"), (self.motions, " (motions)")) if own]  # fmt: skip
        rate = (len(self) - 1) / (self.t[-1] - self.t[0])
        return f'Record("{self.name}", {"; ".join(held)}; {len(self)} samples, {rate:.5g} Hz)'
