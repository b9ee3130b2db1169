"""`MeasuredResponse`: amplitudes of a stepped-sine test over frequency, by level."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from slipstick.arrays import Array
from slipstick.errors import InvalidInput, short_repr
from slipstick.identification.record import Record, split_channel
from slipstick.identification.sample_columns import checked_column
from slipstick.results.notebook_view import NotebookView

if TYPE_CHECKING:
    from matplotlib.figure import Figure


MIN_POINTS = 3


@dataclass(frozen=True, eq=False, init=False)
class MeasuredResponse(NotebookView):
    """Amplitudes under harmonic forcing, one row a frequency and level.

    frequency : (n,) [rad/s].   amplitude : (n,) of the channel, in SI.   force : (n,) amplitude of the load [N or N m].
    level : (n,) number or text that separates the sweeps; the same for all by default.
    phase : (n,) [rad] of the channel ahead of the load, or None.
    channel : "x", "x.velocity" or "x.acceleration".   load : the coordinate with the load; default that of the channel.

    Under response control the force varies from point to point: it is measured too, so both kinds are alike here.
    """

    frequency: Array
    amplitude: Array
    force: Array
    level: NDArray[Any]
    phase: Array | None
    channel: str
    load: str
    name: str

    def __init__(
        self,
        frequency: ArrayLike,
        amplitude: ArrayLike,
        force: ArrayLike,
        *,
        level: Any = None,
        phase: ArrayLike | None = None,
        channel: str = "x",
        load: str | None = None,
        name: str = "response",
    ) -> None:
        omega, size = checked_column("frequency", frequency, name), checked_column("amplitude", amplitude, name)
        load_size = np.full(omega.shape, force) if np.ndim(force) == 0 else force
        columns = {"amplitude": size, "force": checked_column("force", load_size, name)}
        if phase is not None:
            columns["phase"] = checked_column("phase", phase, name)
        for key, values in columns.items():
            if values.size != omega.size:
                words = f"{key} must have {omega.size} values like the frequency, got {values.size}"
                raise InvalidInput(words, owner=name)
        if not omega.size:
            raise InvalidInput(f"a response needs at least {MIN_POINTS} different frequencies, got 0", owner=name)
        for key, values in {"frequency": omega, "amplitude": size, "force": columns["force"]}.items():
            if not np.all(values > 0.0):
                raise InvalidInput(f"{key} must be above 0, got {values.min():.4g}", owner=name)
        levels = np.zeros(omega.size) if level is None else np.asarray(level)
        if levels.shape != omega.shape:
            raise InvalidInput(f"level must have {omega.size} values, got {short_repr(level)}", owner=name)
        held = {"frequency": omega, "amplitude": size, "force": columns["force"], "level": levels,
                "phase": columns.get("phase"), "channel": str(channel),
                "load": split_channel(str(channel))[0] if load is None else str(load), "name": str(name)}  # fmt: skip
        for key, value in held.items():
            object.__setattr__(self, key, value)
        for label, rows in self.sweeps().items():
            if rows.size < MIN_POINTS or np.any(np.diff(omega[rows]) == 0.0):
                words = f"level {label} must have at least {MIN_POINTS} different frequencies, got {rows.size} rows"
                raise InvalidInput(words, owner=name)

    @classmethod
    def read(
        cls, path: str | Path, frequency: str | int, amplitude: str | int, force: str | int, *,
        level: str | int | None = None, phase: str | int | None = None, channel: str = "x", load: str | None = None,
        **options: Any,
    ) -> MeasuredResponse:  # fmt: skip
        """From a table with one row a frequency.

        frequency, amplitude, force, level, phase : columns, by name or number from 0; units from the header.
        channel, load : what was measured, and where the load acts.   options : as for `Record.read`.
        """
        wanted = {"frequency": frequency, "amplitude": amplitude, "force": force, "level": level, "phase": phase}
        columns = {key: column for key, column in wanted.items() if column is not None}
        table = Record.read(path, columns=columns, rate=1.0, **options).channels
        held: Mapping[str, Any] = {key: table[key] for key in columns}
        return cls(**held, channel=channel, load=load, name=Path(path).name)

    def sweeps(self) -> dict[str, NDArray[np.int64]]:
        """Rows of each level, in the order of frequency."""
        found = {}
        for label in dict.fromkeys(self.level.tolist()):
            rows = np.flatnonzero(self.level == label)
            found[f"{label:g}" if isinstance(label, float) else str(label)] = rows[np.argsort(self.frequency[rows])]
        return found

    def part(self, *levels: Any) -> MeasuredResponse:
        """The rows of some levels, such as those that are fitted; the others remain for a check."""
        keep = np.isin(self.level, np.asarray(levels, dtype=self.level.dtype))
        if not keep.any():
            known = ", ".join(self.sweeps())
            raise InvalidInput(f"no level {', '.join(map(str, levels))}; there are {known}", owner=self.name)
        return MeasuredResponse(
            self.frequency[keep], self.amplitude[keep], self.force[keep], level=self.level[keep],
            phase=None if self.phase is None else self.phase[keep], channel=self.channel, load=self.load,
            name=self.name,
        )  # fmt: skip

    def plot(self) -> Figure:
        """Figure of amplitude over force, by level."""
        from slipstick.plot.calibration_plot import plot_measured_response

        return plot_measured_response(self)

    def __len__(self) -> int:
        return int(self.frequency.size)

    def __repr__(self) -> str:
        low, high = self.frequency.min() / (2.0 * np.pi), self.frequency.max() / (2.0 * np.pi)
        count = len(self.sweeps())
        words = f"{self.channel}, {len(self)} points, {count} level{'s' * (count != 1)}, {low:.5g} to {high:.5g} Hz"
        return f'MeasuredResponse("{self.name}", {words})'
