"""Start values for a user's own envelope, which is known only as a function.

At every sample of a branch, the slope of the force is rate * d^exponent, with d the distance of the force from the
envelope. Parameters can therefore be fitted to the slopes, without tracing the law along a loop: many sets are drawn
within their bounds, and least squares refines the best of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import InvalidInput
from slipstick.identification import tolerances as tol
from slipstick.identification.preparing.local_polynomial import local_polynomial
from slipstick.identification.preparing.loop_geometry import LoopGeometry
from slipstick.identification.search.unknowns import bounds_of_spec, parameter_names_of
from slipstick.laws.base import Law
from slipstick.laws.envelopes import Envelope, Shape
from slipstick.laws.generalised_dahl import GeneralisedDahl, WithEnvelope
from slipstick.laws.parameters import Spec
from slipstick.units.dimensions import NUMBER

POINTS_A_BRANCH = 24
SLOPE_WINDOW_POINTS = 15  # grid points of the parabola that gives a slope
DRAWN_CANDIDATES = 512  # parameter sets
FOLLOWED_CANDIDATES = 8  # of them, refined by least squares


def search_envelope_starts(sought: WithEnvelope, loops: Sequence[LoopGeometry]) -> list[RatedStart]:
    """Start laws, with exponent 1 and with a free exponent."""
    from scipy.optimize import least_squares
    from scipy.stats import qmc

    starts = []
    for exponent in (SearchRange(1.0, 1.0), SearchRange(*tol.EXPONENT_SEARCH_RANGE, log=True)):
        equation = _BranchEquation(sought, loops, exponent)
        count = len(equation.ranges)
        drawn = qmc.Sobol(count, rng=0).random(DRAWN_CANDIDATES)
        best = drawn[np.argsort([float(np.sum(equation.residuals(y) ** 2)) for y in drawn])[:FOLLOWED_CANDIDATES]]
        for y in best:
            end = least_squares(equation.residuals, y, bounds=(-1e-9, 1.0 + 1e-9), max_nfev=60)
            starts.append(equation.start(np.clip(end.x, 0.0, 1.0)))
    return [item for item in starts if item is not None]


class SearchRange(NamedTuple):
    """Search range of a parameter, linear or logarithmic."""

    low: float
    high: float
    log: bool = False

    def at(self, share: float) -> float:
        if self.log:
            return float(self.low * (self.high / self.low) ** share)
        return float(self.low + share * (self.high - self.low))


class RatedStart(NamedTuple):
    """residual : rms at the start, for comparison.   law : the start law."""

    residual: float
    law: Law


class _BranchEquation:
    """Slope equation of the law at points of all branches, as a function of positions y in the search ranges, 0 to 1.

    ranges : of the exponent, of the rate (in units of these loops), then of the envelope parameters.
    """

    def __init__(self, sought: WithEnvelope, loops: Sequence[LoopGeometry], exponent: SearchRange) -> None:
        self.sought, self.numbers = sought, sought.shape.numbers
        item = parameter_names_of(sought.kind)
        self.loops, self.force = loops, float(np.ptp(np.concatenate((loops[-1].up, loops[-1].down))))
        self.names = [name for name in self.numbers if name not in item]
        of_envelope = [_search_range(sought.shape, name, loops[-1]) for name in self.names]
        self.ranges = [exponent, SearchRange(0.1, 1e3, log=True), *of_envelope]
        self.points = [point for loop in loops for point in _branch_points(loop)]
        self.slopes = np.array([point.slope for point in self.points])

    def law(self, y: Array) -> tuple[float, float, Envelope]:
        """Rate, exponent and envelope."""
        exponent, scale, *rest = (item.at(share) for item, share in zip(self.ranges, y, strict=True))
        rate = scale / self.loops[-1].amplitude * self.force ** (1.0 - exponent)
        values = {"rate": rate, "exponent": exponent, **dict(zip(self.names, rest, strict=True))}
        return rate, exponent, Envelope(self.sought.shape, tuple(values[name] for name in self.numbers))

    def residuals(self, y: Array) -> Array:
        """(n,) residuals of the slopes, over a typical slope."""
        rate, exponent, envelope = self.law(y)
        d = np.array([_envelope_distance(envelope, point) for point in self.points])
        with np.errstate(over="ignore", invalid="ignore"):
            off = rate * np.sign(d) * np.abs(d) ** exponent - self.slopes
        size = float(np.sqrt(np.mean(self.slopes**2))) or 1.0
        return np.asarray(
            np.clip(np.nan_to_num(off / size, nan=tol.NO_LAW_RESIDUAL), -tol.NO_LAW_RESIDUAL, tol.NO_LAW_RESIDUAL)
        )

    def start(self, y: Array) -> RatedStart | None:
        rate, exponent, envelope = self.law(y)
        off = float(np.sqrt(np.mean(self.residuals(y) ** 2)))
        if not off < tol.NO_LAW_RESIDUAL:
            return None
        return RatedStart(off, GeneralisedDahl(rate=rate, exponent=exponent, envelope=envelope))


class MeasuredPoint(NamedTuple):
    """A point of a branch: deflection, direction, deflection and force of its reversal, force and its slope."""

    u: float
    s: float
    u_m: float
    f_m: float
    force: float
    slope: float


def _branch_points(loop: LoopGeometry) -> list[MeasuredPoint]:
    low, high = loop.tips
    starts = []
    for force, s, u_m, f_m in ((loop.up, 1.0, loop.u[0], low), (loop.down, -1.0, loop.u[-1], high)):
        slopes = local_polynomial(force, SLOPE_WINDOW_POINTS, 2, 1, float(loop.u[1] - loop.u[0]))
        for k in np.linspace(2, loop.u.size - 3, POINTS_A_BRANCH).astype(int):
            starts.append(MeasuredPoint(float(loop.u[k]), s, float(u_m), float(f_m), float(force[k]), float(slopes[k])))
    return starts


def _envelope_distance(envelope: Envelope, p: MeasuredPoint) -> float:
    try:
        return float(envelope(p.u, p.s, p.u_m, p.f_m)) - p.s * p.force
    except (ArithmeticError, ValueError):  # the envelope has no value there
        return float("nan")


def _search_range(shape: Shape, name: str, large: LoopGeometry) -> SearchRange:
    """Search range of a parameter: its bounds, else around its start value, else around its typical size."""
    spec = shape.numbers[name]
    low, high = bounds_of_spec(spec)
    positive = low >= 0.0
    if not np.isfinite(high) or not np.isfinite(low):
        size = shape.hints.get(name) or _size_from_unit(spec, large)
        if not size:
            raise InvalidInput(
                f"identify: {name} of {shape.name} has neither bounds nor a start value: give its bounds, "
                f"with_envelope({shape.name}, {name}=(low, high)), or a start value, {name}=1.0 in its arguments"
            ).about("law")
        reach = tol.START_SPREAD_FACTOR * abs(size)
        low = low if np.isfinite(low) else -reach
        high = high if np.isfinite(high) else max(reach, low + reach)
    if positive:
        low = max(low, tol.LOG_LOWER_BOUND_REL * high)
    return SearchRange(low, high, log=positive and high > tol.LOG_RANGE_FACTOR * low)


def _size_from_unit(spec: Spec, large: LoopGeometry) -> float:
    """Typical size of a parameter, from its unit and the loop; 0 for a dimensionless one."""
    if callable(spec.dimension) or spec.dimension == NUMBER:
        return 0.0
    force, time = float(np.ptp(np.concatenate((large.up, large.down)))), (large.period or 1.0) / (2.0 * np.pi)
    f, u, t = spec.dimension
    return float(force**f * large.amplitude**u * time**t)
