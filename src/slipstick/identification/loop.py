"""`Loop`: a measured loop of force over deflection, in the order of time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike

from slipstick.arrays import Array
from slipstick.errors import InvalidInput, short_repr
from slipstick.identification.preparing.cycle_figures import CycleFigures, cycle_energy, figures_of_cycle
from slipstick.identification.preparing.delay import remove_lag
from slipstick.identification.preparing.noise_level import NoiseEstimate, estimate_force_noise
from slipstick.identification.preparing.reversals import ReversalDetection, detect_reversals, full_cycles
from slipstick.identification.preparing.signal_conditioning import (
    average_cycles,
    correct_sign,
    remove_drift,
    remove_inertia,
    remove_offset,
    resample_loop,
    smooth_loop,
)
from slipstick.identification.sample_columns import checked_column, checked_times
from slipstick.results.notebook_view import NotebookView
from slipstick.units.dimensions import UNIT_SYSTEMS
from slipstick.units.scales import UNITLESS_LOOP, LoopUnits, Scale

if TYPE_CHECKING:
    from matplotlib.figure import Figure


MIN_LOOP_SAMPLES = 8


class ReadKeywords(TypedDict, total=False):
    """Options of `Loop.read`.

    units : of columns whose header has none, such as {"deflection": "mm"}; SI by default.
    decimal : decimal sign, "." or ","; by default from the numbers. Required where 1,234 may be 1.234 or 1234.
    rate : [Hz] samples per second, instead of a time column; a number, or a text such as "1024 Hz".
    skip_lines : lines at the top that are not read.   skip_incomplete : leave out rows with holes, with a note.
    encoding : of a text file, such as "cp1251"; detected by default.
    normal : column of the normal load, or several that add up; friction is then proportional to it.
    mass : [kg] of a fixture that moves with the deflection, whose inertia force is removed.
    lag : [s] delay of the force, which is removed; "auto" finds it.
    sign : "auto" turns the sign of a force that delivers energy.
    """

    units: dict[str, str] | None
    decimal: str | None
    rate: float | str | None
    skip_lines: int
    skip_incomplete: bool
    encoding: str | None
    normal: str | int | Sequence[str | int] | None
    mass: float | None
    lag: float | str | None
    sign: str | None


@dataclass(frozen=True, eq=False, init=False)
class Loop(NotebookView):
    """Samples of deflection and force, in the order in which they were taken.

    u : (n,) deflection [m, rad, or strain].   f : (n,) force [N, N m, or Pa].   t : (n,) times [s], or None.
    name : its name in messages and legends.   notes : every change that was made to the data, in words.
    frequency : [Hz] test frequency, if it is known from outside the data.
    system : "translation" (m, N), "rotation" (rad, N m) or "stress" (strain, Pa).
    file : name of the file that it was read from; `name` begins with it.
    units : of the columns of that file, for display; SI if the file has none.
    normal : (n,) normal load [N], to which friction is proportional; None if it is constant or unknown.
    """

    u: Array
    f: Array
    t: Array | None
    name: str
    notes: tuple[str, ...] = field(default=())
    frequency: float | None = None
    system: str = "translation"
    file: str = ""
    units: LoopUnits = field(default=UNITLESS_LOOP)
    normal: Array | None = None

    def __init__(
        self,
        u: ArrayLike,
        f: ArrayLike,
        t: ArrayLike | None = None,
        *,
        name: str = "loop",
        notes: Sequence[str] = (),
        frequency: float | None = None,
        system: str = "translation",
        file: str = "",
        units: LoopUnits | None = None,
        normal: ArrayLike | None = None,
    ) -> None:
        if system not in UNIT_SYSTEMS:
            raise InvalidInput(f"system must be one of {', '.join(UNIT_SYSTEMS)}, got {short_repr(system)}", owner=name)
        deflection, force = checked_column("deflection", u, name), checked_column("force", f, name)
        if deflection.size != force.size:
            raise InvalidInput(
                f"deflection and force must have the same number of samples, got {deflection.size} and {force.size}",
                owner=name,
            )
        if deflection.size < MIN_LOOP_SAMPLES:
            raise InvalidInput(f"a loop needs at least {MIN_LOOP_SAMPLES} samples, got {deflection.size}", owner=name)
        times = None if t is None else checked_times(checked_column("time", t, name), deflection.size, name)
        if np.ptp(deflection) == 0.0:
            raise InvalidInput(
                f"the deflection is {deflection[0]:g} at all samples; a loop needs motion: choose another column",
                owner=name,
            )
        load = None if normal is None else _checked_normal(normal, deflection.size, name)
        for key, value in {
            "u": deflection, "f": force, "t": times, "name": str(name), "notes": tuple(notes), "frequency": frequency,
            "system": system, "file": str(file), "units": units or si_units(system), "normal": load,
        }.items():  # fmt: skip
            object.__setattr__(self, key, value)

    @classmethod
    def read(
        cls,
        path: str | Path,
        deflection: str | int | None = None,
        force: str | int | None = None,
        time: str | int | None = None,
        **options: Unpack[ReadKeywords],
    ) -> Loop:
        """The loop of a file: text (also .gz), .xlsx, .mat, .json, .parquet or .tdms; several loops are an error.

        deflection, force, time : column names, or numbers from 0; by default from the header or the order.
        options : those of `ReadKeywords`.
        """
        from slipstick.identification.reading.loop_tables import read_loop, table_options

        return read_loop(path, table_options(deflection=deflection, force=force, time=time, **options))

    @classmethod
    def read_csv(
        cls,
        path: str | Path,
        deflection: str | int | None = None,
        force: str | int | None = None,
        time: str | int | None = None,
        **options: Unpack[ReadKeywords],
    ) -> Loop:
        """The loop of a text file; the same as `read`."""
        return cls.read(path, deflection, force, time, **options)

    @classmethod
    def read_many(
        cls,
        paths: str | Path | Sequence[str | Path],
        deflection: str | int | None = None,
        force: str | int | None = None,
        time: str | int | None = None,
        *,
        by: str | int | Sequence[str | int] | None = None,
        **options: Unpack[ReadKeywords],
    ) -> list[Loop]:
        """All loops of one or more files; columns and options as for `read`.

        paths : file names, or patterns such as "rig*.csv".
        by : column whose values separate the loops, such as "amplitude", or several; a column in Hz sets `frequency`.
            By default, each block of numbers between empty lines is a loop.
        """
        from slipstick.identification.reading.loop_tables import read_many, table_options

        return read_many(paths, table_options(deflection=deflection, force=force, time=time, by=by, **options))

    # ---- changed copies

    def scaled(self, *, deflection: float = 1.0, force: float = 1.0, system: str | None = None) -> Loop:
        """Deflection and force times factors: displacement and load to strain and stress, or mm to m.

        system : the new system of units, if the factors change it, such as "stress".
        """
        factors = {"deflection": deflection, "force": force}
        for what, factor in factors.items():
            if not np.isfinite(factor) or factor == 0.0:
                words, got = "needs a finite factor that is not zero", f"{what}={factor}"
                raise InvalidInput(words, owner=self.name, subject="scaled", value={what: factor}, got=got)
        note = f"deflection times {deflection:g}, force times {force:g}"
        si = si_units(system or self.system)
        units = LoopUnits(
            self.units.deflection if abs(deflection) == 1.0 and system is None else si.deflection,
            self.units.force if abs(force) == 1.0 and system is None else si.force,
            self.units.written,
            tuple(role for role, factor in factors.items() if role in self.units.bare and abs(factor) == 1.0),
        )
        parts = {"u": self.u * deflection, "f": self.f * force, "system": system or self.system, "units": units}
        return self.changed(note, **parts)

    def part(self, samples: slice) -> Loop:
        """A slice of the samples, without the checks of a new loop: a cycle may have few samples."""
        t, normal = (None if x is None else x[samples] for x in (self.t, self.normal))
        kept = {item.name: getattr(self, item.name) for item in fields(self)}
        cycle = object.__new__(Loop)
        for key, value in (kept | {"u": self.u[samples], "f": self.f[samples], "t": t, "normal": normal}).items():
            object.__setattr__(cycle, key, value)
        return cycle

    def changed(self, note: str, **parts: Any) -> Loop:
        """A copy with other samples or attributes, and a note on the change."""
        kept = {
            key: getattr(self, key) for key in ("u", "f", "t", "name", "frequency", "system", "file", "units")
        } | parts
        u, f, t = (kept.pop(key) for key in ("u", "f", "t"))
        if self.normal is not None:
            before, after = (np.linspace(0.0, 1.0, np.size(x)) for x in (self.normal, u))
            kept.setdefault(
                "normal", self.normal if len(before) == len(after) else np.interp(after, before, self.normal)
            )
        return Loop(u, f, t, notes=(*self.notes, note), **kept)

    def without_drift(self) -> Loop:
        """Without the linear drift in deflection and force; an error if the amplitude varies so that it is unknown."""
        return remove_drift(self)

    def without_offset(self) -> Loop:
        """Centred at zero: without the middle of the reversals and the mean force over deflection."""
        return remove_offset(self)

    def without_inertia(self, mass: float) -> Loop:
        """Without the inertia force of a fixture of this mass [kg, or kg m^2] that moves with the deflection."""
        return remove_inertia(self, mass)

    def without_lag(self, lag: float | None = None) -> Loop:
        """With the force moved back by its delay [s] behind the deflection; by default the delay is found."""
        return remove_lag(self, lag)

    def with_correct_sign(self) -> Loop:
        """With the force of the other sign, if its cycles deliver energy."""
        return correct_sign(self)

    def averaged(self, samples: int = 400) -> Loop:
        """One cycle: the mean of all full cycles."""
        return average_cycles(self, samples)

    def smoothed(self, window: int | None = None) -> Loop:
        """Smoothed by a Savitzky-Golay filter of degree 3; window : samples, odd."""
        return smooth_loop(self, window)

    def resampled(self, samples: int) -> Loop:
        """Resampled at equal time steps, by linear interpolation."""
        return resample_loop(self, samples)

    # ---- properties

    @property
    def clock(self) -> Array:
        """(n,) sample times [s], or sample numbers if there are no times."""
        return np.arange(len(self), dtype=float) if self.t is None else self.t

    @cached_property
    def turning(self) -> ReversalDetection:
        """The reversals of the deflection, separated from noise."""
        return detect_reversals(self.u)

    @cached_property
    def cycles(self) -> tuple[Loop, ...]:
        """The full cycles, each from the middle of a rising branch; none with fewer than two reversals."""
        return tuple(self.part(s) for s in self._cycle_parts)

    @cached_property
    def _cycle_parts(self) -> list[slice]:
        return full_cycles(self.u, self.f, self.turning.turns)

    @property
    def cycle_starts(self) -> tuple[int, ...]:
        """The first sample of each full cycle."""
        return tuple(s.start for s in self._cycle_parts)

    @cached_property
    def figures(self) -> tuple[CycleFigures, ...]:
        """Area, secant stiffness, loss factor and equivalent damping of each full cycle."""
        return tuple(figures_of_cycle(cycle) for cycle in self.cycles)

    @cached_property
    def energy(self) -> float:
        """Energy dissipated by a cycle: the median of settled cycles of full amplitude; NaN without any."""
        return cycle_energy(self, self.u, self.f)

    @property
    def amplitude(self) -> float:
        """Half the range of deflection between reversals."""
        return 0.5 * float(np.ptp(self.u[self.turning.turns]))

    @property
    def noise(self) -> float:
        """Standard deviation of the noise of the force; `noise_source` says how it was estimated."""
        return self.noise_estimate.value

    @property
    def noise_source(self) -> str:
        """How the noise was estimated, in words: scatter between cycles, or differences of samples."""
        return self.noise_estimate.how

    @cached_property
    def noise_estimate(self) -> NoiseEstimate:
        """Noise of the force with its source."""
        return estimate_force_noise(self)

    def plot(self, *, width: float | None = None) -> Figure:
        """Figure of force over deflection with the reversals, and of deflection over time.

        width : [cm] of the figure: 8.5 for a column of a paper, 25 for a slide; by default for a screen.
        """
        from slipstick.plot.loop_plot import plot_loop

        return plot_loop(self, width)

    def __len__(self) -> int:
        return int(self.u.size)

    def __repr__(self) -> str:
        words = f"{len(self)} samples, {self._length}, amplitude {self.units.deflection.words(self.amplitude, 4)}"
        return f'Loop("{self.name}", {words})'

    @property
    def _length(self) -> str:
        """Length in cycles, with fractions; in reversals if there are fewer than three."""
        turns = self.clock[self.turning.turns[1:-1]]
        if turns.size < 3:
            return f"{turns.size} reversal{'s' * (turns.size != 1)}"
        period = 2.0 * float(turns[-1] - turns[0]) / (turns.size - 1)
        return f"{(self.clock[-1] - self.clock[0]) / period:.2g} cycles"


def si_units(system: str) -> LoopUnits:
    """SI units of a system of units."""
    force, deflection, _ = UNIT_SYSTEMS[system]
    return LoopUnits(Scale(deflection, 1.0), Scale(force, 1.0))


def _checked_normal(normal: Any, count: int, name: str) -> Array:
    load = checked_column("the normal load", normal, name)
    if load.size != count:
        raise InvalidInput(
            f"the normal load must have {count} samples like the deflection, got {load.size}", owner=name
        )
    if not load.mean() > 0.0:
        words = f"the normal load must be positive on average, got {load.mean():.4g} N; multiply it by -1 if it pulls"
        raise InvalidInput(words, owner=name)
    return load
