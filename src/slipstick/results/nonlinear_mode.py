"""`NonlinearMode`: frequency and damping over amplitude, with the motion and its error at every point."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from slipstick.errors import Advice, Message, arguments_in_words
from slipstick.results import tolerances as tol
from slipstick.results.branch_result import BranchResult
from slipstick.results.mode_points import ModePoint, mode_dataset
from slipstick.results.run import Names
from slipstick.units.number_format import format_percent

if TYPE_CHECKING:
    import xarray
    from matplotlib.figure import Figure

    from slipstick.results.gradient import Gradient


class ModeFindings(NamedTuple):
    """Points and notes of a mode."""

    points: tuple[ModePoint, ...]
    notes: tuple[str, ...] = ()


@dataclass
class ModeStats:
    """How a mode was computed.

    mode : its number.   coordinate : whose first harmonic is the amplitude; empty for the modal amplitude.
    harmonics : number of balanced ones.   sustain : "first" or "all", the sustained harmonics.
    joined : neighbouring points are neighbours on the curve.   ended : why it ended early, in words, or empty.
    seconds : of the solver alone.   norm : "first" or "all", the harmonics of the amplitude.
    """

    mode: int
    coordinate: str = ""
    harmonics: int = 0
    sustain: str = "first"
    joined: bool = True
    ended: str = ""
    seconds: float = 0.0
    norm: str = "first"


class NonlinearMode(BranchResult[ModeFindings, ModeStats]):
    """Result of `Model.nonlinear_mode`. Motions and errors are computed on first access.

    data : xarray.Dataset along "point": amplitude (as requested), modal_amplitude, frequency, damped_frequency
        [rad/s], damping_ratio, energy; frequency_error, damping_error, error; harmonics, shape, peak_to_peak, rms, mean
        by coordinate; dissipated, force_range, stick_share by connection; residual, iterations.
    points : the same as plain arrays.   notes : remarks, in words.
    stats : mode, coordinate, harmonics, sustain, ended, seconds.
    model : a copy from the time of the computation; None for a mode from a file without its model.
    origin : the solver, for derivatives; None for a mode from a file.
    """

    findings_class = ModeFindings
    called = "mode"

    def __init__(
        self,
        found: ModeFindings | Callable[[], ModeFindings],
        model: Any,
        stats: ModeStats,
        names: Names | None = None,
        origin: Any = None,
    ) -> None:
        super().__init__(found, model, stats, names)
        self.origin = origin

    @property
    def points(self) -> tuple[ModePoint, ...]:
        return self.findings.points

    @cached_property
    def data(self) -> xarray.Dataset:
        found = mode_dataset(self.points, self.names, self.stats.coordinate)
        stats = asdict(self.stats)
        # SciPy's writer takes an attribute called "mode" for its own
        found.attrs = {"model": self.names.model, "mode_number": stats.pop("mode"), **stats, "partial": self.partial}
        found.attrs["joined"] = int(self.stats.joined)
        return found

    @arguments_in_words
    def state(self, point: int = -1) -> tuple[dict[str, float], dict[str, float]]:
        """Displacements and velocities by coordinate at the start of a cycle of the decaying motion.

        A run from this state decays along the mode; the coordinate that moves most starts at its maximum.
        """
        own = self.points[self.numbered(point)]
        h = np.arange(own.harmonics.shape[0])[:, None]
        q, c = own.harmonics.real.sum(axis=0), own.harmonics * 1j * h * own.frequency
        v = c.real.sum(axis=0) - own.damping_ratio * own.frequency * (q - own.harmonics[0].real)
        return (
            dict(zip(self.names.coordinates, q.tolist(), strict=True)),
            dict(zip(self.names.coordinates, v.tolist(), strict=True)),
        )

    @arguments_in_words
    def gradient(self, figure: str, by: Sequence[str]) -> Gradient:
        """Derivatives of a figure by parameters of the model, exact to about nine digits.

        figure : "frequency", "damped_frequency", "damping_ratio", "x.rms" of all points; "points.3.frequency" of one.
        by : names of parameters, such as ["joint.limit", "x.inertia"], as of `Model.follow`.

        Points stay at their amplitude.
        """
        from slipstick.sensitivity.gradient import gradient

        return gradient(self, figure, by)

    @arguments_in_words
    def plot(self, curves: Any = None, *, coordinate: str | None = None) -> Figure:
        """Figure of frequency and damping ratio over amplitude, with bands for their errors.

        curves : one or more response curves of `Model.frequency_response`; the figure then shows amplitude over
            frequency with the mode over the curves, and the damping ratio.
        coordinate : whose amplitude is shown with curves; by default the one that moves most.
        """
        from slipstick.plot.mode_plot import plot_nonlinear_mode

        return plot_nonlinear_mode(self, curves, coordinate)

    @property
    def error_words(self) -> str:
        """Largest relative error of the frequency, and largest error of the damping ratio."""
        points = [p for p in self.points if not np.isnan(p.frequency_error)]
        if not points:
            return "errors not known"
        frequency = max(p.frequency_error / p.frequency for p in points)
        damping = max(p.damping_error for p in points)
        unknown = len(self.points) - len(points)
        words = f"frequency within {format_percent(frequency)}, damping ratio within {damping:.2g}"
        return words + (f"; of {unknown} not known" if unknown else "")

    @property
    def doubt(self) -> str:
        """Why the mode is unreliable, in one line: most frequency errors exceed a tenth. Else empty."""
        rough = sum(p.frequency_error > tol.UNRESOLVED_ERROR_REL * p.frequency for p in self.points)
        if rough <= tol.MAX_UNRESOLVED_SHARE * len(self.points):
            return ""
        words = f"{rough} of {len(self.points)} frequencies may be off by more than a tenth"
        return Message(words, advice=[Advice("raise {harmonics}")])

    def __repr__(self) -> str:
        points, stats = self.points, self.stats
        words = [f'NonlinearMode {stats.mode} of "{self.names.model}", {len(points)} point{"s" * (len(points) != 1)}']
        if points:
            for name, values, unit in (
                (f"amplitude of {stats.coordinate}" if stats.coordinate else "amplitude", "amplitude", ""),
                ("frequency", "frequency", " rad/s"),
                ("damping ratio", "damping_ratio", ""),
            ):
                column = [getattr(p, values) for p in points]
                words[0] += f", {name} {min(column):.4g} to {max(column):.4g}{unit}"
        words += [self.error_words, self.partial]
        words += [f"NOT TO BE TRUSTED: {self.doubt}"] if self.doubt else []
        return f"<{'; '.join(filter(None, words))}>"
