"""Envelopes of a loop by least squares (tensioner 2.1.3, 3.2.1): straight lines through the ends of its branches.

A branch approaches its envelope and then runs along it. Its last part gives the line; its remaining bend shows whether
the envelope is reached. A loop of the modified Dahl law settles (a/rate)^(1/exponent) inside its envelope, and so does
the line; `rate_and_exponent` and `rate_from_area` correct for this.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

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

Line = tuple[float, float]

MIN_LINE_SAMPLES = 3


@dataclass(frozen=True)
class Envelopes(Rule):
    """Lines along the ends of the branches.

    upper, lower : (b, a), (e, d): constant and slope.   share : last part of each branch, which gives the lines.
    upper_samples, lower_samples : of these parts.   upper_rms, lower_rms : residuals of the lines.
    upper_bend, lower_bend : bend of a branch near its end: 0 along a line, 1 for a uniform bend; NaN with too few
    samples.
    low, high : range of the deflection.
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
        """Force between the lines at a deflection."""
        return self.upper[0] - self.lower[0] + (self.upper[1] - self.lower[1]) * u

    @property
    def slope(self) -> float:
        """Mean slope of both lines."""
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
    """Straight envelopes of a loop, from the ends of its branches.

    loop : a `Loop`.   share : last part of each branch that is used.
    """
    return require_reached(
        envelopes_of(prepare_for_rule("rules.envelopes", loop).geometry, checked_branch_share("rules.envelopes", share))
    )


@cached_by_geometry
def envelopes_of(geometry: LoopGeometry, share: float = tol.DEFAULT_END_SHARE) -> Envelopes:
    """The same from a geometry, whether the envelopes are reached or not."""
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


def _samples_or(samples: BranchSamples, instead: BranchSamples) -> BranchSamples:
    """Samples, or others if they are too few."""
    return samples if samples.u.size >= MIN_LINE_SAMPLES else instead


def _fit_line(samples: BranchSamples) -> tuple[Line, float]:
    """Constant and slope of the line through samples, and its rms residual."""
    middle = float(samples.u.mean())
    scale = float(np.ptp(samples.u)) or 1.0
    level, rise = fit_polynomial(samples, 1, middle, scale)
    slope = float(rise) / scale
    residuals = level + slope * (samples.u - middle) - samples.f
    return (float(level) - slope * middle, slope), float(np.sqrt(np.mean(residuals**2)))


def require_reached(lines: Envelopes) -> Envelopes:
    """The envelopes, if both branches reach them; an error otherwise, or with too few samples."""
    require_steady(lines.geometry)
    fewest = min(lines.upper_samples.u.size, lines.lower_samples.u.size)
    if fewest < MIN_LINE_SAMPLES:
        raise rule_error(
            lines.geometry, f"a branch has {fewest} samples, an envelope needs {MIN_LINE_SAMPLES}; sample it finer"
        )
    for side, bend in (("upper", lines.upper_bend), ("lower", lines.lower_bend)):
        if np.isnan(bend):
            raise rule_error(
                lines.geometry,
                f"too few samples to decide whether the {side} envelope is reached: the first "
                f"{tol.FIRST_SLOPE_SHARE:.0%} of the branch and "
                f"each half of its last {tol.REACHED_END_SHARE:.0%} need {MIN_LINE_SAMPLES}; sample it finer",
            )
        if bend > tol.MAX_END_BEND:
            raise rule_error(
                lines.geometry,
                f"the {side} envelope is not reached: near its end the branch still bends {bend:.2f} of an even bend, "
                f"the rule needs {tol.MAX_END_BEND:.2f} or less; measure with a larger amplitude",
            )
    return lines


def _end_bend(branch: BranchSamples, begin: float, end: float, noise: float) -> float:
    """Loss of slope within the end of a branch, over that of a uniform bend.

    0 along a line, 1 for a uniform bend; 0.22 with exponent 1 and 5 % of the distance left. Two standard deviations are
    subtracted for noise. NaN if a part has too few samples.
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
    if not first[0] > last[0]:  # straight, or bent in the other direction
        return 1.0
    lost = before[0] - last[0] - 2.0 * float(np.hypot(before[1], last[1]))
    return float(np.clip(lost / (first[0] - last[0]) / (0.5 * tol.REACHED_END_SHARE), 0.0, 1.0))


def _part_slope(
    branch: BranchSamples, begin: float, end: float, noise: float, part: tuple[float, float]
) -> tuple[float, float]:
    """Slope of a part of a branch, and its standard deviation; NaN with too few samples."""
    low, high = sorted(begin + share * (end - begin) for share in part)
    samples = branch.within(low, high)
    if samples.u.size < MIN_LINE_SAMPLES:
        return float("nan"), float("nan")
    spread = float(np.sqrt(np.sum((samples.u - samples.u.mean()) ** 2)))
    return _fit_line(samples)[0][1], noise / spread if spread > 0.0 else float("inf")
