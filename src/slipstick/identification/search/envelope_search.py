"""Start values for an envelope of somebody's own, of which nothing is known but how to call it.

At every sample of a branch the equation of the law holds: the slope of the force is rate * d^exponent, d the distance
of the force from the envelope. So its numbers can be sought without following the law along a loop: many are drawn
within their bounds, the best of them are led to the nearest least squares, and the rate follows from each.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slipstick.errors import InvalidInput
from slipstick.identification.preparing.loop_geometry import LoopGeometry
from slipstick.identification.search.unknowns import bounds_of_spec, parameter_names_of
from slipstick.laws.envelopes import Envelope, Shape
from slipstick.laws.generalised_dahl import GeneralisedDahl, WithEnvelope
from slipstick.laws.parameters import Spec
from slipstick.units.dimensions import NUMBER

if TYPE_CHECKING:
    from slipstick.identification.search.envelope_start_values import RatedStart

Array = NDArray[np.float64]

POINTS_A_BRANCH = 24  # of a branch
SLOPE_WINDOW_POINTS = 15  # of the grid of a branch: its slope is that of parabolas over so many
DRAWN_CANDIDATES = 512  # sets of numbers
FOLLOWED_CANDIDATES = 8  # of them
START_SPREAD_FACTOR = 30.0  # times a value to begin with, or the size of a unit in these loops
LOG_RANGE_FACTOR = 30.0  # ends of bounds that differ by a larger factor are drawn by their logarithm
LOG_LOWER_BOUND_REL = 1e-4  # of the upper bound, where the lower one is zero
EXPONENT_SEARCH_RANGE = (0.3, 3.0)
NO_VALUE_RESIDUAL = 1e6  # of a typical slope: what is left where an envelope has no value


def search_envelope_starts(sought: WithEnvelope, loops: Sequence[LoopGeometry]) -> list[RatedStart]:
    """Laws to begin with; with exponent 1, and with any."""
    from scipy.optimize import least_squares
    from scipy.stats import qmc

    found = []
    for exponent in (SearchRange(1.0, 1.0), SearchRange(*EXPONENT_SEARCH_RANGE, log=True)):
        equation = _BranchEquation(sought, loops, exponent)
        count = len(equation.ranges)
        drawn = qmc.Sobol(count, rng=0).random(DRAWN_CANDIDATES)
        best = drawn[np.argsort([float(np.sum(equation.left(y) ** 2)) for y in drawn])[:FOLLOWED_CANDIDATES]]
        for y in best:
            end = least_squares(equation.left, y, bounds=(-1e-9, 1.0 + 1e-9), max_nfev=60)
            found.append(equation.start(np.clip(end.x, 0.0, 1.0)))
    return [own for own in found if own is not None]


class SearchRange(NamedTuple):
    """Within which a number is sought: low to high, by its logarithm or not."""

    low: float
    high: float
    log: bool = False

    def at(self, share: float) -> float:
        if self.log:
            return float(self.low * (self.high / self.low) ** share)
        return float(self.low + share * (self.high - self.low))


class _BranchEquation:
    """That of the law at points of all branches, as a function of shares of the ranges of its numbers.

    ranges : of the exponent, of the rate (in units of these loops), then of the numbers of the envelope.
    """

    def __init__(self, sought: WithEnvelope, loops: Sequence[LoopGeometry], exponent: SearchRange) -> None:
        self.sought, self.numbers = sought, sought.shape.numbers
        own = parameter_names_of(sought.kind)
        self.loops, self.force = loops, float(np.ptp(np.concatenate((loops[-1].up, loops[-1].down))))
        self.names = [name for name in self.numbers if name not in own]
        of_envelope = [_search_range(sought.shape, name, loops[-1]) for name in self.names]
        self.ranges = [exponent, SearchRange(0.1, 1e3, log=True), *of_envelope]
        self.points = [point for loop in loops for point in _branch_points(loop)]
        self.slopes = np.array([point.slope for point in self.points])

    def law(self, y: Array) -> tuple[float, float, Envelope]:
        """Rate, exponent and envelope."""
        exponent, scale, *rest = (own.at(share) for own, share in zip(self.ranges, y, strict=True))
        rate = scale / self.loops[-1].amplitude * self.force ** (1.0 - exponent)
        values = {"rate": rate, "exponent": exponent, **dict(zip(self.names, rest, strict=True))}
        return rate, exponent, Envelope(self.sought.shape, tuple(values[name] for name in self.numbers))

    def left(self, y: Array) -> Array:
        """(n,) what the equation leaves of the slopes, of a typical one."""
        rate, exponent, envelope = self.law(y)
        d = np.array([_envelope_distance(envelope, point) for point in self.points])
        with np.errstate(over="ignore", invalid="ignore"):
            off = rate * np.sign(d) * np.abs(d) ** exponent - self.slopes
        size = float(np.sqrt(np.mean(self.slopes**2))) or 1.0
        return np.asarray(
            np.clip(np.nan_to_num(off / size, nan=NO_VALUE_RESIDUAL), -NO_VALUE_RESIDUAL, NO_VALUE_RESIDUAL)
        )

    def start(self, y: Array) -> RatedStart | None:
        from slipstick.identification.search.envelope_start_values import RatedStart

        rate, exponent, envelope = self.law(y)
        off = float(np.sqrt(np.mean(self.left(y) ** 2)))
        if not off < NO_VALUE_RESIDUAL:
            return None
        return RatedStart(off, GeneralisedDahl(rate=rate, exponent=exponent, envelope=envelope))


class BranchPoint(NamedTuple):
    """Of a branch: deflection, direction, deflection and force at its reversal; force, and slope of the force."""

    u: float
    s: float
    u_m: float
    f_m: float
    force: float
    slope: float


def _branch_points(loop: LoopGeometry) -> list[BranchPoint]:
    from scipy.signal import savgol_filter

    low, high = loop.tips
    found = []
    for force, s, u_m, f_m in ((loop.up, 1.0, loop.u[0], low), (loop.down, -1.0, loop.u[-1], high)):
        slopes = savgol_filter(force, SLOPE_WINDOW_POINTS, 2, deriv=1, delta=float(loop.u[1] - loop.u[0]))
        for k in np.linspace(2, loop.u.size - 3, POINTS_A_BRANCH).astype(int):
            found.append(BranchPoint(float(loop.u[k]), s, float(u_m), float(f_m), float(force[k]), float(slopes[k])))
    return found


def _envelope_distance(envelope: Envelope, p: BranchPoint) -> float:
    try:
        return float(envelope(p.u, p.s, p.u_m, p.f_m)) - p.s * p.force
    except (ArithmeticError, ValueError):  # it has no value there: no such numbers
        return float("nan")


def _search_range(shape: Shape, name: str, large: LoopGeometry) -> SearchRange:
    """Where a number is sought: its bounds, else around a value that it begins with, else the size of its unit."""
    spec = shape.numbers[name]
    low, high = bounds_of_spec(spec)
    positive = low >= 0.0
    if not np.isfinite(high) or not np.isfinite(low):
        size = shape.hints.get(name) or _size_from_unit(spec, large)
        if not size:
            raise InvalidInput(
                f"identify: nothing is known of {name} of {shape.name}: give its bounds, with_envelope({shape.name}, "
                f"{name}=(low, high)), or a value to begin with, {name}=1.0 in its arguments"
            ).about("law")
        reach = START_SPREAD_FACTOR * abs(size)
        low = low if np.isfinite(low) else -reach
        high = high if np.isfinite(high) else max(reach, low + reach)
    if positive:
        low = max(low, LOG_LOWER_BOUND_REL * high)
    return SearchRange(low, high, log=positive and high > LOG_RANGE_FACTOR * low)


def _size_from_unit(spec: Spec, large: LoopGeometry) -> float:
    """From its unit: what force, deflection and time of a loop make of it; 0 for a plain number."""
    if callable(spec.dimension) or spec.dimension == NUMBER:
        return 0.0
    force, time = float(np.ptp(np.concatenate((large.up, large.down)))), (large.period or 1.0) / (2.0 * np.pi)
    f, u, t = spec.dimension
    return float(force**f * large.amplitude**u * time**t)
