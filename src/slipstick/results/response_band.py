"""`ResponseBand`: frequency responses of many laws, and the band of their quantiles."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slipstick.arrays import Array
from slipstick.errors import arguments_in_words
from slipstick.results import tolerances as tol
from slipstick.results.curve import Curve
from slipstick.results.curve_interpolation import interpolate_curve
from slipstick.results.curve_refinement import refine_curve
from slipstick.results.run import Names, SavedResult

if TYPE_CHECKING:
    import xarray
    from matplotlib.figure import Figure


MAX_BAND_FREQUENCIES = 600
BAND_COLUMNS = ("frequency", "low", "median", "high", "several")
NOMINAL_LAW = -1  # number of the nominal law, which was not drawn


class StableSegment(NamedTuple):
    """A part of the curve of one law with the same stability.

    law : its number.   stable : None if unknown.
    frequency : (k,) [rad/s].   amplitude : (k, n) half peak to peak, by coordinate.
    """

    law: int
    stable: bool | None
    frequency: Array
    amplitude: Array


@dataclass(frozen=True, repr=False)
class ResponseBand(SavedResult):
    """Result of `ss.response_band`.

    frequency : (m,) [rad/s].   coverage : share of the laws within the band, at each frequency separately.
    low, median, high : (m, n) quantiles over the laws of the largest amplitude of a law's responses at a frequency that
        are stable or of unknown stability; NaN if some law has none, and everywhere if more than a few laws have no
        curve.
    several : (m,) share of the laws with more than one of these responses; the band is that of the largest.
    parts : curves of all laws and of the nominal one, as lines.   notes : remarks, in words.
    count : laws with a curve.   drawn : all laws.   nominal_lost : the nominal law has no curve.
    warnings : of the fit that the laws were drawn from; they apply to the band too.
    """

    frequency: Array
    low: Array
    median: Array
    high: Array
    several: Array
    parts: tuple[StableSegment, ...]
    count: int
    coverage: float
    names: Names
    model: Any = None
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    drawn: int = 0
    nominal_lost: bool = False

    @property
    def missing(self) -> str:
        """Laws without a curve, in words, if they are more than a few or include the nominal law; else empty."""
        many = too_many_lost(self.count, self.drawn)
        laws = [f"{self.drawn - self.count} of {self.drawn} laws"] * many
        which = " and ".join(laws + ["the nominal law"] * self.nominal_lost)
        return f"{which} {'have' if many else 'has'} no curve" if which else ""

    @property
    def doubt(self) -> str:
        """Why the band is unreliable, in one line; empty if all laws but a few have a curve."""
        many = too_many_lost(self.count, self.drawn)
        return self.missing + (", and the others are no random choice: there is no band" if many else "")

    @cached_property
    def data(self) -> xarray.Dataset:
        """low, median, high by frequency and coordinate; several by frequency."""
        import xarray

        both = ("frequency", "coordinate")
        return xarray.Dataset(
            {
                **{name: (both, getattr(self, name)) for name in ("low", "median", "high")},
                "several": ("frequency", self.several),
            },
            coords={
                "frequency": ("frequency", self.frequency, {"units": "rad/s"}),
                "coordinate": list(self.coordinates),
            },
            attrs={
                "model": self.names.model,
                "coverage": self.coverage,
                "laws": self.count,
                "drawn": self.drawn,
                "nominal_lost": int(self.nominal_lost),
            },
        )

    @property
    def coordinates(self) -> tuple[str, ...]:
        return self.names.coordinates

    @cached_property
    def peaks(self) -> tuple[Array, Array]:
        """(laws, n) frequency [rad/s] and amplitude of the largest response of each law, without unstable ones."""
        where, height = np.full((2, self.count, len(self.coordinates)), np.nan)
        for part in self.parts:
            if part.stable is False or part.law == NOMINAL_LAW:
                continue
            tops = np.argmax(part.amplitude, axis=0)
            own = part.amplitude[tops, np.arange(tops.size)]
            higher = ~(own <= height[part.law])  # also for NaN
            where[part.law, higher], height[part.law, higher] = part.frequency[tops][higher], own[higher]
        return where, height

    @arguments_in_words
    def plot(self, coordinates: Any = None, *, log: bool = False, ax: Any = None) -> Figure:
        """Figure of the band, with the curve of each law as a thin line and the nominal one on top.

        coordinates : names to show; by default those that move most.   log : a logarithmic scale.
        ax : matplotlib axes to draw into, or several, one for each name.
        """
        from slipstick.plot.response_band_plot import plot_band

        return plot_band(self, coordinates, log, ax)

    def __repr__(self) -> str:
        ends = f"{self.frequency[0]:.6g} to {self.frequency[-1]:.6g} rad/s" if self.frequency.size else "no frequency"
        words = f'<Band of {100.0 * self.coverage:g} % over {self.laws} of "{self.names.model}", {ends}'
        doubt = [f"NOT TO BE TRUSTED: {self.doubt}"] if self.doubt else []
        of_fit = [f"warning of the fit: {text}" for text in self.warnings]
        return "; ".join([words, *doubt, *self.notes, *of_fit]) + ">"

    @property
    def laws(self) -> str:
        """Number of laws with a curve: "50 laws", "18 of 50 laws"."""
        return f"{self.count} laws" if self.count == self.drawn else f"{self.count} of {self.drawn} laws"


def too_many_lost(count: int, drawn: int) -> bool:
    """True if more than a few of the drawn laws have no curve."""
    return drawn - count > tol.MAX_LOST_LAWS_SHARE * drawn


def curve_segments(curve: Curve, law: int) -> list[StableSegment]:
    """A curve as lines: interpolated if it was followed, else its separate points."""
    if not curve.stats.joined:
        kept = [(point, point.stable) for point in curve.points]
        return [
            StableSegment(law, stable, np.array([own.frequency]), np.array(own.amplitude)[None, :])
            for own, stable in kept
        ]
    fine = refine_curve(curve, lambda points: np.array([point.amplitude for point in points]))
    table = np.array([[point.p, *point.amplitude] for point in fine.points])
    corners = [s["point"] for s in fine.special]
    found = []
    for stable, part in fine.parts():
        line = interpolate_curve(table[part], [k - int(part[0]) for k in corners])
        found.append(StableSegment(law, stable, line[:, 0], line[:, 1:]))
    return found


def band_frequencies(parts: Sequence[StableSegment]) -> Array:
    """Frequencies of the band, as dense as those of the curves."""
    every = np.unique(np.concatenate([part.frequency for part in parts]))
    if every.size <= MAX_BAND_FREQUENCIES:
        return every
    return np.unique(np.quantile(every, np.linspace(0.0, 1.0, MAX_BAND_FREQUENCIES)))


def band_quantiles(
    parts: Sequence[StableSegment], frequency: Array, laws: int, coverage: float, drawn: int
) -> dict[str, Array]:
    """low, median, high (m, n), and several (m,), by name; drawn : laws, of which some may have no curve."""
    largest, counts = largest_amplitudes(parts, frequency, laws)
    if too_many_lost(laws, drawn):
        largest[:] = np.nan  # laws with a curve are no random choice, so their quantiles are biased
    outside = 0.5 * (1.0 - coverage)
    low, median, high = np.quantile(largest, (outside, 0.5, 1.0 - outside), axis=0)  # one NaN makes all NaN
    return {"low": low, "median": median, "high": high, "several": np.mean(counts > 1, axis=0)}


def largest_amplitudes(parts: Sequence[StableSegment], frequency: Array, laws: int) -> tuple[Array, NDArray[np.intp]]:
    """(laws, m, n) largest amplitude of each law at each frequency, without unstable responses, NaN if it has none; and
    (laws, m) the number of its responses.
    """
    n = parts[0].amplitude.shape[1]
    largest = np.full((laws, frequency.size, n), np.nan)
    counts = np.zeros((laws, frequency.size), dtype=np.intp)
    for part in parts:
        if part.stable is False or part.law == NOMINAL_LAW:
            continue
        for f, a in _monotone_runs(part):
            within = (frequency >= f[0]) & (frequency <= f[-1])
            counts[part.law, within] += 1
            for i in range(n):
                own = largest[part.law, within, i]
                largest[part.law, within, i] = np.fmax(own, np.interp(frequency[within], f, a[:, i]))
    return largest, counts


def laws_without_response(
    parts: Sequence[StableSegment], frequency: Array, laws: int
) -> tuple[list[int], list[tuple[float, float]]]:
    """Laws without a response at some frequency, other than unstable ones, and the ranges of these frequencies."""
    _, counts = largest_amplitudes(parts, frequency, laws)
    none = counts == 0
    empty = np.flatnonzero(none.any(axis=0))
    runs = np.split(empty, np.flatnonzero(np.diff(empty) > 1) + 1) if empty.size else []
    return np.flatnonzero(none.any(axis=1)).tolist(), [(float(frequency[r[0]]), float(frequency[r[-1]])) for r in runs]


def _monotone_runs(part: StableSegment) -> Iterator[tuple[Array, Array]]:
    """Runs of monotone frequency, in ascending order."""
    f = part.frequency
    if f.size == 1:
        yield f, part.amplitude
        return
    turns = np.flatnonzero(np.diff(np.sign(np.diff(f))) != 0.0) + 1
    for a, b in pairwise([0, *turns.tolist(), f.size - 1]):
        run = slice(a, b + 1)
        ordered = slice(None, None, 1 if f[b] > f[a] else -1)
        if b > a and f[a] != f[b]:
            yield f[run][ordered], part.amplitude[run][ordered]


# ---- files


def encode_band(band: ResponseBand) -> xarray.Dataset:
    """A band as a netCDF 3 dataset: quantiles, and all lines."""
    kept = band.data.copy()
    numbers = np.repeat(np.arange(len(band.parts), dtype=np.int32), [part.frequency.size for part in band.parts])
    kept["line"] = ("place", numbers)
    kept["line_frequency"] = ("place", np.concatenate([part.frequency for part in band.parts]))
    kept["line_amplitude"] = (("place", "coordinate"), np.concatenate([part.amplitude for part in band.parts]))
    kept.attrs |= {
        "lines_json": json.dumps([[part.law, part.stable] for part in band.parts]),
        "notes_json": json.dumps(band.notes),
        "warnings_json": json.dumps(band.warnings),
    }
    return kept


def decode_band(dataset: xarray.Dataset, names: Names) -> ResponseBand:
    """Inverse of `encode_band`; the band has no model."""
    numbers = dataset["line"].values
    f, a = (np.array(dataset[f"line_{name}"].values, dtype=float) for name in ("frequency", "amplitude"))
    lines = json.loads(dataset.attrs["lines_json"])
    parts = tuple(StableSegment(law, stable, f[numbers == k], a[numbers == k]) for k, (law, stable) in enumerate(lines))
    columns = {name: np.array(dataset[name].values, dtype=float) for name in BAND_COLUMNS}
    return ResponseBand(
        **columns,
        parts=parts,
        count=int(dataset.attrs["laws"]),
        coverage=float(dataset.attrs["coverage"]),
        names=names,
        notes=tuple(json.loads(dataset.attrs["notes_json"])),
        warnings=tuple(json.loads(dataset.attrs.get("warnings_json", "[]"))),
        drawn=int(dataset.attrs.get("drawn", dataset.attrs["laws"])),
        nominal_lost=bool(dataset.attrs.get("nominal_lost", 0)),
    )
