"""Grade of a fit: its errors in the figures that engineers use, and what it is good for.

A noise test says whether a law explains every sample. A grade says how far off peak force, energy and stiffness are,
which may be small though the law misses the noise.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from slipstick.arrays import Array
from slipstick.units.number_format import format_percent

if TYPE_CHECKING:
    from slipstick.results.fit import LoopFit


PEAK_SAMPLE_SHARE = 0.005  # of the samples: the largest and smallest forces, whose mean is less noisy than one
TIP_RANGE_SHARE = 0.02  # of the range of deflection: samples at its ends give the secant stiffness
UNLOADING_RANGE_SHARE = 0.1  # of the range: part of a branch after its reversal that gives the unloading stiffness
LONG_BRANCH_SHARE = 0.5  # of the range: branches that count
SMALL_STIFFNESS_SHARE = 0.1  # of force range over deflection range: errors are relative to at least this
# largest relative errors of each use
USES: dict[str, dict[str, float]] = {
    "response": {"secant": 0.10, "energy": 0.15},
    "energy": {"energy": 0.10},
    "peak force": {"peak_force": 0.10},
    "small motions": {"unloading": 0.15},
}


class Grade(NamedTuple):
    """Relative errors of a fit, those of the worst loop; NaN where the data do not show the figure.

    peak_force : largest and smallest force, over half the range.   energy : of a cycle, or of the whole record.
    secant : stiffness between the ends of the stroke.   unloading : stiffness after reversals.
    """

    peak_force: float
    energy: float
    secant: float
    unloading: float

    @property
    def good_for(self) -> tuple[str, ...]:
        """Uses whose errors are all within their limits."""
        return tuple(use for use, limits in USES.items() if self._within(limits))

    @property
    def not_good_for(self) -> tuple[str, ...]:
        """Uses with an error beyond its limit."""
        known = {use: limits for use, limits in USES.items() if all(math.isfinite(getattr(self, k)) for k in limits)}
        return tuple(use for use, limits in known.items() if not self._within(limits))

    def _within(self, limits: dict[str, float]) -> bool:
        return all(abs(getattr(self, name)) <= limit for name, limit in limits.items())

    @property
    def words(self) -> str:
        """Errors and uses, in one line."""
        names = {
            "peak_force": "peak force",
            "energy": "energy",
            "secant": "secant stiffness",
            "unloading": "unloading stiffness",
        }
        errors = [
            f"{text} {format_percent(value, sign='+')}"
            for name, text in names.items()
            if math.isfinite(value := getattr(self, name))
        ]
        uses = [
            f"{text} {', '.join(each)}"
            for text, each in (("good for", self.good_for), ("not good for", self.not_good_for))
            if each
        ]
        return f"errors: {', '.join(errors)}; {'; '.join(uses)}"


def grade_of(loops: Sequence[LoopFit]) -> Grade:
    """The grade of a fit, from measured and fitted forces."""
    each = [_loop_errors(loop) for loop in loops]
    return Grade(*(max(values, key=lambda x: -1.0 if math.isnan(x) else abs(x)) for values in zip(*each, strict=True)))


def _loop_errors(loop: LoopFit) -> tuple[float, float, float, float]:
    u, f, fitted = (x[loop.counts] for x in (loop.u, loop.f, loop.fitted))
    width, swing = float(np.ptp(u)) or 1.0, float(np.ptp(f)) or 1.0
    least = SMALL_STIFFNESS_SHARE * swing / width
    energy = loop.energy_error
    if math.isnan(energy):
        work = float(np.trapezoid(f, u))
        noise = loop.noise * loop.amplitude
        energy = (float(np.trapezoid(fitted, u)) - work) / abs(work) if abs(work) > noise else math.nan
    secants = [_secant(u, x, TIP_RANGE_SHARE * width) for x in (f, fitted)]
    unloading = [_unloading_stiffness(u, x, width) for x in (f, fitted)]
    return (
        _peak_error(f, fitted, swing),
        energy,
        (secants[1] - secants[0]) / max(abs(secants[0]), least),
        (unloading[1] - unloading[0]) / max(abs(unloading[0]), least),
    )


def _peak_error(f: Array, fitted: Array, swing: float) -> float:
    """Error of the larger misfit of the two peaks; negative if the fitted peak is too small."""
    few = max(int(PEAK_SAMPLE_SHARE * f.size), 1)
    errors = []
    for sign in (1.0, -1.0):
        measured, own = (float(np.mean(np.sort(sign * x)[-few:])) for x in (f, fitted))
        errors.append((own - measured) / (0.5 * swing))
    return max(errors, key=abs)


def _secant(u: Array, f: Array, margin: float) -> float:
    high, low = u >= u.max() - margin, u <= u.min() + margin
    return float((f[high].mean() - f[low].mean()) / (u[high].mean() - u[low].mean()))


def _unloading_stiffness(u: Array, f: Array, width: float) -> float:
    """Median slope after the reversals that begin long branches; NaN without any."""
    moves = np.sign(np.diff(u))
    moving = np.flatnonzero(moves)
    turns = moving[1:][np.diff(moves[moving]) != 0.0]
    ends = np.append(turns[1:], u.size - 1)
    slopes = []
    for a, b in zip(turns.tolist(), ends.tolist(), strict=True):
        if abs(u[b] - u[a]) < LONG_BRANCH_SHARE * width:
            continue
        part = slice(a, a + 1 + int(np.argmax(np.abs(u[a : b + 1] - u[a]) >= UNLOADING_RANGE_SHARE * width)))
        x = u[part] - u[part].mean()
        if x.size > 1 and x @ x > 0.0:
            slopes.append(float(x @ f[part]) / float(x @ x))
    return float(np.median(slopes)) if slopes else math.nan
