"""Responses over frequency of many laws, and the band that they fill."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slipstick.results.curve import Curve
from slipstick.results.curve_interpolation import interpolate_curve
from slipstick.results.curve_refinement import refine_curve
from slipstick.results.run import Names

if TYPE_CHECKING:
    import os

    import xarray
    from matplotlib.figure import Figure

Array = NDArray[np.float64]

MAX_BAND_FREQUENCIES = 600  # at which the band is told
BAND_COLUMNS = ("frequency", "low", "median", "high", "several")
NOMINAL_LAW = -1  # the number of the law that is none of those drawn
# of the laws: so many may have no curve; those that have one are no random choice where more are missing
MAX_LOST_LAWS_SHARE = 0.05


class StableSegment(NamedTuple):
    """A part of the curve of one law along which the stability is the same.

    law : its number.   stable : None where that is not known.
    frequency : (k,) [rad/s].   amplitude : (k, n) half peak to peak, by coordinate.
    """

    law: int
    stable: bool | None
    frequency: Array
    amplitude: Array


@dataclass(frozen=True, repr=False)
class ResponseBand:
    """What `ss.response_band` gives.

    frequency : (m,) [rad/s].   coverage : share of the laws that the band holds at each frequency by itself.
    low, median, high : (m, n) quantiles over the laws of the largest amplitude among a law's responses at that
        frequency that are stable, or whose stability is not known; not a number where some law has none, and nowhere
        one where more than a few laws have no curve.
    several : (m,) share of the laws that have more than one of those there; the band is that of the largest.
    parts : curves of all laws and of the nominal one, as lines.   notes : what to know, in words.
    count : of laws that have a curve.   drawn : of all laws.   nominal_lost : the nominal law has none.
    warnings : of the fit that laws were drawn from; they are about the band as much.
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
        """Which laws have no curve, in words, where they are more than a few or the nominal law is among them."""
        many = too_many_lost(self.count, self.drawn)
        laws = [f"{self.drawn - self.count} of {self.drawn} laws"] * many
        which = " and ".join(laws + ["the nominal law"] * self.nominal_lost)
        return f"{which} {'have' if many else 'has'} no curve" if which else ""

    @property
    def doubt(self) -> str:
        """Why it is not to be trusted, in one line; nothing where all laws but a few have a curve."""
        many = too_many_lost(self.count, self.drawn)
        return self.missing + (", and the others are no random choice: nothing is told" if many else "")

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
        """(laws, n) frequency [rad/s] and amplitude of the highest response of each law that is not unstable."""
        where, height = np.full((2, self.count, len(self.coordinates)), np.nan)
        for part in self.parts:
            if part.stable is False or part.law == NOMINAL_LAW:
                continue
            tops = np.argmax(part.amplitude, axis=0)
            own = part.amplitude[tops, np.arange(tops.size)]
            higher = ~(own <= height[part.law])  # also where nothing is known yet
            where[part.law, higher], height[part.law, higher] = part.frequency[tops][higher], own[higher]
        return where, height

    def plot(self, coordinates: Any = None, *, log: bool = False, ax: Any = None) -> Figure:
        """A figure: the band, the curve of each law as a thin line, that of the nominal one above them.

        coordinates : names to show; default those that move most.   log : a logarithmic scale.
        ax : matplotlib axes to draw into, or several, one for each name.
        """
        from slipstick.plot.response_band_plot import plot_band

        return plot_band(self, coordinates, log, ax)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write everything to a netCDF file (.nc) that `slipstick.open` reads, the model included."""
        from slipstick.results.result_files import write_result

        write_result(self, path)

    def __repr__(self) -> str:
        ends = f"{self.frequency[0]:.6g} to {self.frequency[-1]:.6g} rad/s" if self.frequency.size else "no frequency"
        words = f'<Band of {100.0 * self.coverage:g} % over {self.laws} of "{self.names.model}", {ends}'
        doubt = [f"NOT TO BE TRUSTED: {self.doubt}"] if self.doubt else []
        of_fit = [f"warning of the fit: {said}" for said in self.warnings]
        return "; ".join([words, *doubt, *self.notes, *of_fit]) + ">"

    @property
    def laws(self) -> str:
        """How many have a curve, in words: "50 laws", "18 of 50 laws"."""
        return f"{self.count} laws" if self.count == self.drawn else f"{self.count} of {self.drawn} laws"


def too_many_lost(count: int, drawn: int) -> bool:
    """True if more than a few of the laws that were drawn have no curve."""
    return drawn - count > MAX_LOST_LAWS_SHARE * drawn


def curve_segments(curve: Curve, law: int) -> list[StableSegment]:
    """A curve as lines; one that was followed is drawn through as its picture is, just visited points are kept."""
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
    """Where the band is told: as dense as the curves are."""
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
        largest[:] = np.nan  # which laws have a curve is no chance: quantiles over them are those of other laws
    outside = 0.5 * (1.0 - coverage)
    low, median, high = np.quantile(largest, (outside, 0.5, 1.0 - outside), axis=0)  # one without makes all be none
    return {"low": low, "median": median, "high": high, "several": np.mean(counts > 1, axis=0)}


def largest_amplitudes(parts: Sequence[StableSegment], frequency: Array, laws: int) -> tuple[Array, NDArray[np.intp]]:
    """(laws, m, n) the largest amplitude of each law at each frequency, not a number where it has none that is not
    unstable; and (laws, m) how many it has.
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
    """Laws that have no response at some frequency that is not unstable, and the ranges over which there are such."""
    _, counts = largest_amplitudes(parts, frequency, laws)
    none = counts == 0
    empty = np.flatnonzero(none.any(axis=0))
    runs = np.split(empty, np.flatnonzero(np.diff(empty) > 1) + 1) if empty.size else []
    return np.flatnonzero(none.any(axis=1)).tolist(), [(float(frequency[r[0]]), float(frequency[r[-1]])) for r in runs]


def _monotone_runs(part: StableSegment) -> Iterator[tuple[Array, Array]]:
    """Runs along which the frequency grows, or falls; turned so that it grows."""
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
    """A band as netCDF 3 holds it: quantiles, and all lines one after the other."""
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
    """A band without its model."""
    numbers = dataset["line"].values
    f, a = (np.array(dataset[f"line_{name}"].values, dtype=float) for name in ("frequency", "amplitude"))
    told = json.loads(dataset.attrs["lines_json"])
    parts = tuple(StableSegment(law, stable, f[numbers == k], a[numbers == k]) for k, (law, stable) in enumerate(told))
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
