"""`JumpMap`: the folds of a response in the plane of frequency and another parameter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from slipstick.results.notebook_view import NotebookView
from slipstick.results.special_curve import SpecialCurve
from slipstick.results.table_result import TableResult

if TYPE_CHECKING:
    import xarray
    from matplotlib.figure import Figure


UNKNOWN = "unknown"


class JumpLimit(NamedTuple):
    """An end of a range without jumps.

    value : of the parameter.   error : estimated.   frequency : [rad/s].   kind : "cusp", "turn" (where a closed branch
    is born), "range" (a fold enters the range of frequencies) or "unknown" (beyond it a fold could not be followed; the
    error is then NaN).
    """

    value: float
    error: float
    frequency: float
    kind: str


@dataclass(frozen=True, eq=False)
class JumpMap(TableResult, NotebookView):
    """Result of `Model.jump_map`.

    parameter, between : what was varied, and its range.   frequencies : (low, high) [rad/s].
    curves : of folds over the parameter, as of `Curve.track`; between two folds a response has several motions.
    jump_free : (low, high) ranges of the parameter without a fold in the range of frequencies, as far as folds were
        looked for: a closed branch between two of the values in ``notes`` is missed.
    unknown : ranges with folds that could not be followed, or with curves that ended early.
    limits : ends of those ranges within ``between``, in order.   notes : remarks, in words.
    """

    parameter: str
    between: tuple[float, float]
    frequencies: tuple[float, float]
    curves: tuple[SpecialCurve, ...]
    jump_free: tuple[tuple[float, float], ...]
    limits: tuple[JumpLimit, ...]
    model: str
    unit: str
    notes: tuple[str, ...] = ()
    unknown: tuple[tuple[float, float], ...] = ()

    @property
    def largest_without_jump(self) -> JumpLimit | None:
        """The largest value below which no fold was found, such as a load.

        None if folds begin at the lowest value or are unknown there, and if there are none. Folds are looked for at a
        few values (``levels``) only: raise their number where a closed branch may lie between two of them.
        """
        low = min(self.between)
        ends = [high for least, high in self.jump_free if least == low]
        return next((own for own in self.limits if own.value in ends), None)

    @cached_property
    def data(self) -> xarray.Dataset:
        """Along "point": frequency, parameter, curve (its number), error."""
        import xarray

        rows = [(k, p) for k, curve in enumerate(self.curves) for p in curve.points]
        columns = {
            "frequency": [p.frequency for _, p in rows],
            "parameter": [p.second for _, p in rows],
            "curve": [k for k, _ in rows],
            "error": [p.error for _, p in rows],
        }
        found = {name: ("point", np.array(own)) for name, own in columns.items()}
        return xarray.Dataset(found, attrs={"parameter": self.parameter, "model": self.model})

    def plot(self) -> Figure:
        """Figure of the regions with several motions, with the limit of each range without jumps."""
        from slipstick.plot.jump_map_plot import plot_jump_map

        return plot_jump_map(self)

    def __repr__(self) -> str:
        count = len(self.curves)
        words = [f'Jump map of "{self.model}": {count} curve{"" if count == 1 else "s"} of folds']
        words += [f"no jump for {self.parameter} {a:.6g} to {b:.6g}{self._unit}" for a, b in self.jump_free]
        words += [f"UNKNOWN for {self.parameter} {a:.6g} to {b:.6g}{self._unit}" for a, b in self.unknown]
        known = (own for own in self.limits if own.kind != UNKNOWN)
        words += [f"{own.kind} at {own.value:.6g} +- {own.error:.1g}{self._unit}" for own in known]
        return "\n".join([f"<{'; '.join(words)}>", *(f"  note: {note}" for note in self.notes)])

    @property
    def _unit(self) -> str:
        return f" {self.unit}" if self.unit else ""


def free_ranges(
    between: tuple[float, float], covered: Sequence[tuple[float, float]]
) -> tuple[tuple[float, float], ...]:
    """The parts of a range that no interval covers."""
    low, high = min(between), max(between)
    found, at = list[tuple[float, float]](), low
    for a, b in sorted(covered):
        if a > at:
            found.append((at, a))
        at = max(at, b)
    return (*found, (at, high)) if at < high else tuple(found)
