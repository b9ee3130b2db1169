"""Lyapunov exponents along the motion that follows a run, from derivatives of period maps with saltation.

Benettin et al. (1980): an orthonormal frame is carried by the derivative of each period, and orthonormalised again by
QR; the logarithms of the diagonal add up to the exponents.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from slipstick.angle import SPEED_ROUNDING_REL
from slipstick.arrays import Array
from slipstick.errors import InvalidInput, NotConverged, finite_float, short_repr
from slipstick.periodic.shooting.exact_map import ExactMap
from slipstick.periodic.shooting.start_flow import StartFlow
from slipstick.results.lyapunov import Lyapunov
from slipstick.transient.problem import Problem, pose, resume

if TYPE_CHECKING:
    from slipstick.results.run import Run


BATCHES = 12
T_QUANTILE = 2.2009851600916384  # of Student's distribution with 11 degrees of freedom, 97.5 %
SETTLING_REL = 0.1  # of the periods, in which the frame turns into the directions of the exponents
MIN_PERIODS = 4 * BATCHES
BOUNDED_GROWTH = 1.0  # logarithm by which a frame may grow for a while where a mode turns slowly within it
STEP_RADIANS = 0.3  # of the fastest rate in a step: at rest no error bounds it
SPEED_SAMPLES = 257
TOLERANCE = 1e-9  # of the integration


def lyapunov_of(run: Run, count: Any, time: Any) -> Lyapunov:
    """See `slipstick.results.run.Run.lyapunov`."""
    problem = _problem_after(run)
    flow = StartFlow(problem, TOLERANCE)
    span = run.stats.reached - run.stats.start if time is None else finite_float("time", time)
    periods = int(span / flow.time * (1.0 + 1e-12))
    if periods < MIN_PERIODS:
        least = MIN_PERIODS * flow.time
        words = (
            f"must be at least {least:.4g} s, {MIN_PERIODS} periods of the loads (or windows of four natural periods)"
        )
        raise InvalidInput(words, subject="time", value=span, got=f"{span:.4g} s", bound=f">= {least:.4g} s")
    state = flow.state_at_start()
    if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= state.size:
        words = f"count must be a whole number from 1 to {state.size}, the numbers of a state"
        raise InvalidInput(f"{words}, got {short_repr(count)}").about("count")
    growth = frame_growth(_Derivatives(flow, state), periods, count)
    exponents, errors = exponents_of(growth, flow.time)
    return Lyapunov(exponents, errors, periods * flow.time, flow.is_forced)


def _problem_after(run: Run) -> Problem:
    """The problem that continues a run."""
    base = None
    if run.angle is not None:
        inside = [t for t in run.angle.begins if run.stats.start < t < run.stats.reached]
        speeds = run.angle.over([*np.linspace(run.stats.start, run.stats.reached, SPEED_SAMPLES), *inside], 1)
        if np.ptp(speeds) > SPEED_ROUNDING_REL * np.abs(speeds).max():
            raise InvalidInput("the speed of this run varies, so its motion has no exponents; take a constant one")
        base = float(speeds[0])
    end = run.end
    return resume(pose(run.model, end.time, base), end)


class _Derivatives:
    """The derivatives of successive periods, in units of the motion's size.   scales : those of the first period."""

    def __init__(self, flow: StartFlow, state: Array) -> None:
        self.map, self.state, self.size = flow.map(flow.time), state, state.size
        self.scales: Array | None = None
        if not isinstance(self.map, ExactMap):
            self.map.largest_step = STEP_RADIANS / max(self.map.ready.fastest, 1.0 / flow.time)

    def next(self) -> Array:
        """(size, size)"""
        own = self.map
        if isinstance(own, ExactMap):
            passed: Any = own.go(self.state, derivative=True)
        else:
            passed = own.with_derivative(self.state, own.freely(self.state))
        if self.scales is None:
            self.scales = own.scales(passed.flow)
        self.state = passed.state
        if not np.isfinite(passed.state).all() or passed.derivative is None:
            raise NotConverged("the motion after the run grows without bound, so it has no exponents")
        found = passed.derivative if isinstance(own, ExactMap) or passed.monodromy is None else passed.monodromy
        return np.asarray(found * self.scales / self.scales[:, None])


def frame_growth(derivatives: Any, periods: int, count: int) -> Array:
    """(periods, count) logarithms by which an orthonormal frame grows in each period.

    derivatives : ``next()`` gives each (size, size).
    """
    frame = np.linalg.qr(np.random.default_rng(0).standard_normal((derivatives.size, count)))[0]
    out = np.empty((periods, count))
    for k in range(periods):
        frame, triangle = np.linalg.qr(derivatives.next() @ frame)
        with np.errstate(divide="ignore"):
            out[k] = np.log(np.abs(np.diag(triangle)))
    return out


def exponents_of(growth: Array, period: float) -> tuple[Array, Array]:
    """(count,) exponents [1/s] and the half widths of their 95 % intervals, from growth (periods, count).

    The interval is that of the means of batches, and no less than a bounded growth over the time.
    """
    settled = growth[math.ceil(SETTLING_REL * len(growth)) :] / period
    order = np.argsort(-settled.mean(axis=0), kind="stable")
    settled = settled[:, order]
    means = np.array([part.mean(axis=0) for part in np.array_split(settled, BATCHES)])
    with np.errstate(invalid="ignore"):
        spread = T_QUANTILE * means.std(axis=0, ddof=1) / math.sqrt(BATCHES)
    least, found = BOUNDED_GROWTH / (period * len(settled)), settled.mean(axis=0)
    errors = np.where(np.isfinite(found), np.maximum(spread, least), 0.0)
    return found, errors
