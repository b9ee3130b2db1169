"""The envelopes of a loop by least squares (tensioner 2.1.3, 3.2.1): straight lines through the ends of its branches.

A branch comes close to its envelope and then runs along it. Its last part gives the line; whether it is there already
is told by how it still bends. A loop of the modified Dahl law settles (a/rate)^(1/exponent) inside its envelope, so the
line lies that far inside, too: `rate_and_exponent` and `rate_from_area` put it back.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slipstick.identification import tolerances as tol
from slipstick.identification.preparing.loop_geometry import BranchSamples, LoopGeometry
from slipstick.identification.rules.rule_base import (
    NUMBER,
    Rule,
    RuleRow,
    cached_by_geometry,
    checked_branch_share,
    fit_polynomial,
    line_rows,
    prepare_for_rule,
    require_steady,
    rule_error,
)

Array = NDArray[np.float64]
Line = tuple[float, float]

MIN_LINE_SAMPLES = 3  # samples of a line


@dataclass(frozen=True)
class Envelopes(Rule):
    """Lines that the branches run along.

    upper, lower : (b, a), (e, d): constant and slope.   share : of each branch, its last part, that gives the lines.
    upper_samples, lower_samples : which those are.   upper_rms, lower_rms : what is left between them and the lines.
    upper_bend, lower_bend : how much a branch still bends near its end: 0 where it runs along a line, 1 where it bends
    evenly all along; not a number where too few samples tell it.
    low, high : ends of the deflection.
    """

    name: str
    upper: Line
    lower: Line
    share: float
    upper_samples: BranchSamples
    lower_samples: BranchSamples
    upper_rms: float
    lower_rms: float
    upper_bend: float
    lower_bend: float
    low: float
    high: float
    geometry: LoopGeometry

    def width(self, u: float) -> float:
        """Between the lines at a deflection."""
        return self.upper[0] - self.lower[0] + (self.upper[1] - self.lower[1]) * u

    @property
    def slope(self) -> float:
        """The mean of both lines."""
        return 0.5 * (self.upper[1] + self.lower[1])

    @property
    def system(self) -> str:
        return self.geometry.system

    def rows(self) -> list[RuleRow]:
        upper = f"(rms {self.upper_rms:.3g} over {self.upper_samples.u.size} samples)"
        lower = f"(rms {self.lower_rms:.3g} over {self.lower_samples.u.size} samples)"
        return [
            *line_rows(self.upper, self.lower, ("", upper, "", lower)),
            RuleRow("upper bend", self.upper_bend, NUMBER),
            RuleRow("lower bend", self.lower_bend, NUMBER),
        ]


def envelopes(loop: Any, *, share: float = tol.DEFAULT_END_SHARE) -> Envelopes:
    """The lines that the branches of a loop run along at their ends.

    loop : a `Loop`.   share : of each branch, its last part.
    """
    return require_reached(
        envelopes_of(prepare_for_rule("rules.envelopes", loop).geometry, checked_branch_share("rules.envelopes", share))
    )


@cached_by_geometry
def envelopes_of(geometry: LoopGeometry, share: float = tol.DEFAULT_END_SHARE) -> Envelopes:
    """The same from branches, whether the envelopes are reached or not."""
    low, high = float(geometry.u[0]), float(geometry.u[-1])
    width = share * (high - low)
    rising, falling = geometry.rising, geometry.falling
    upper_samples = _samples_or(rising.within(high - width, high), rising.last(MIN_LINE_SAMPLES))
    lower_samples = _samples_or(falling.within(low, low + width), falling.mirrored.last(MIN_LINE_SAMPLES).mirrored)
    upper, upper_rms = _fit_line(upper_samples)
    lower, lower_rms = _fit_line(lower_samples)
    bends = _end_bend(rising, low, high, geometry.noise), _end_bend(falling, high, low, geometry.noise)
    return Envelopes(
        geometry.name,
        upper,
        lower,
        share,
        upper_samples,
        lower_samples,
        upper_rms,
        lower_rms,
        *bends,
        low,
        high,
        geometry,
    )


def _samples_or(own: BranchSamples, instead: BranchSamples) -> BranchSamples:
    """Samples, or others where those are too few."""
    return own if own.u.size >= MIN_LINE_SAMPLES else instead


def _fit_line(own: BranchSamples) -> tuple[Line, float]:
    """Constant and slope of the line through samples, and the rms of what is left."""
    middle = float(own.u.mean())
    scale = float(np.ptp(own.u)) or 1.0
    there, rise = fit_polynomial(own, 1, middle, scale)
    slope = float(rise) / scale
    left = there + slope * (own.u - middle) - own.f
    return (float(there) - slope * middle, slope), float(np.sqrt(np.mean(left**2)))


def require_reached(found: Envelopes) -> Envelopes:
    """The same, refused where a branch ends far from its envelope, has too few samples to tell, or is of no loop."""
    require_steady(found.geometry)
    fewest = min(found.upper_samples.u.size, found.lower_samples.u.size)
    if fewest < MIN_LINE_SAMPLES:
        raise rule_error(
            found.geometry, f"a branch has {fewest} samples, an envelope needs {MIN_LINE_SAMPLES}; sample it finer"
        )
    for side, bend in (("upper", found.upper_bend), ("lower", found.lower_bend)):
        if np.isnan(bend):
            raise rule_error(
                found.geometry,
                f"too few samples tell whether the {side} envelope is reached: the first "
                f"{tol.FIRST_SLOPE_SHARE:.0%} of the branch and "
                f"each half of its last {tol.REACHED_END_SHARE:.0%} need {MIN_LINE_SAMPLES}; sample it finer",
            )
        if bend > tol.MAX_END_BEND:
            raise rule_error(
                found.geometry,
                f"the {side} envelope is not reached: near its end the branch still bends {bend:.2f} of an even bend, "
                f"the rule needs {tol.MAX_END_BEND:.2f} or less; measure with a larger amplitude",
            )
    return found


def _end_bend(branch: BranchSamples, begin: float, end: float, noise: float) -> float:
    """How much slope a branch still loses within its end, over what it would lose if it bent evenly all along.

    0 where it runs along a line, 1 where it bends evenly; 0.22 with exponent 1 and 5 % of the way left. Two standard
    deviations are taken off: noise bends no branch. Not a number where one of the parts has too few samples.
    """
    first, before, last = (
        _part_slope(branch, begin, end, noise, part)
        for part in (
            (0.0, tol.FIRST_SLOPE_SHARE),
            (1.0 - tol.REACHED_END_SHARE, 1.0 - 0.5 * tol.REACHED_END_SHARE),
            (1.0 - 0.5 * tol.REACHED_END_SHARE, 1.0),
        )
    )
    if np.isnan((first[0], before[0], last[0])).any():
        return float("nan")
    if not first[0] > last[0]:  # straight, or bent the other way
        return 1.0
    lost = before[0] - last[0] - 2.0 * float(np.hypot(before[1], last[1]))
    return float(np.clip(lost / (first[0] - last[0]) / (0.5 * tol.REACHED_END_SHARE), 0.0, 1.0))


def _part_slope(
    branch: BranchSamples, begin: float, end: float, noise: float, part: tuple[float, float]
) -> tuple[float, float]:
    """Of a part of a branch, and its standard deviation; not numbers where it has too few samples."""
    low, high = sorted(begin + share * (end - begin) for share in part)
    own = branch.within(low, high)
    if own.u.size < MIN_LINE_SAMPLES:
        return float("nan"), float("nan")
    spread = float(np.sqrt(np.sum((own.u - own.u.mean()) ** 2)))
    return _fit_line(own)[0][1], noise / spread if spread > 0.0 else float("inf")
