"""Limit cycles that begin at a Hopf point of a curve of equilibria.

Near the point a cycle is the equilibrium and a small swing in the shape of the critical eigenvalue. The first cycle is
solved for at a given small swing, with the parameter as an unknown; from there the cycles are followed as they grow.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from slipstick.arrays import Array, Complex
from slipstick.errors import NotConverged
from slipstick.native.blas_threads import one_blas_thread
from slipstick.periodic.continuation.corrector import CurvePoint, Plane, correct, scale_of
from slipstick.periodic.continuation.curve_trace import CurveTrace, trace_from
from slipstick.periodic.continuation.step_control import ParameterRange
from slipstick.periodic.cycles.cycle_curve import CycleMaker, cycle_curve, cycle_stats
from slipstick.periodic.cycles.cycle_family import CycleFamily
from slipstick.periodic.cycles.cycle_guess import CycleGuess
from slipstick.periodic.cycles.limit_cycle import chosen_method
from slipstick.periodic.cycles.parametric_problem import ParametricProblem
from slipstick.periodic.equilibria.hopf_tracking import track_hopf
from slipstick.results.curve import Curve
from slipstick.results.equilibrium_curve import EquilibriumPoint
from slipstick.results.special_curve import SpecialCurve
from slipstick.results.trajectory import Samples
from slipstick.transient.problem import Problem

if TYPE_CHECKING:
    from slipstick.periodic.equilibria.equilibrium_family import EquilibriumFamily


FIRST_SWING_REL = (0.05, 0.02, 0.15)  # of the slowest sliding: rates of the first cycle
FIRST_SHARE_AT_REST = 0.02  # of the displacement, where nothing slides
SWING_SAMPLES = 257


@dataclass(frozen=True)
class HopfOrigin:
    """problems : over the parameter.   within : range that was followed.   family : of the equilibria."""

    problems: ParametricProblem
    within: tuple[float, float]
    family: EquilibriumFamily

    def cycles(self, special: Mapping[str, Any], point: EquilibriumPoint) -> Curve:
        """The limit cycles that begin at a Hopf point."""
        problem = self.problems.problem(point.parameter, float(special["frequency"]))
        method, reason = chosen_method(problem, "auto", None)
        maker = CycleMaker(self.problems, method, None)
        with one_blas_thread():
            family, first = self._first_cycle(maker, special, point)
        stats = cycle_stats(maker, reason, np.array(self.within))
        stats.branch = f"the limit cycles from the Hopf point at {point.parameter:.6g}"

        def trace() -> CurveTrace:
            return trace_from(family, first, ParameterRange(*self.within), both=False)

        return cycle_curve(maker, family, stats, trace)

    def track(self, point: EquilibriumPoint, parameter: Any, between: Any) -> SpecialCurve:
        """A Hopf point over a second parameter."""
        return track_hopf(self.problems, self.within, point, parameter, between)

    def _first_cycle(
        self, maker: CycleMaker, special: Mapping[str, Any], point: EquilibriumPoint
    ) -> tuple[CycleFamily, CurvePoint]:
        """The first cycle of the branch, with the tangent along which the swing grows."""
        p, failure = point.parameter, None
        for part in FIRST_SWING_REL:
            guess, rest = _small_swing(self.family, special, point, part)
            family, x = maker.family(p, guess)
            still = x.copy()
            still[:-1] = np.append(rest[: x.size - 1], np.zeros(max(x.size - 1 - rest.size, 0)))
            z = np.append(x, p)
            scale = scale_of(family, z, abs(self.within[1] - self.within[0]))
            way = (x - still) / scale[:-1]
            way[rest.size :] = 0.0
            normal = np.append(way / np.sqrt(way @ way), 0.0)
            try:
                return family, correct(family, z, Plane(normal, z, scale, 0.0))
            except NotConverged as stopped:
                failure = stopped
        assert failure is not None
        raise NotConverged(failure.message.wrapped(f"no limit cycle was found beside the Hopf point at {p:.6g}: "))


def _small_swing(
    family: EquilibriumFamily, special: Mapping[str, Any], point: EquilibriumPoint, part: float
) -> tuple[CycleGuess, Array]:
    """A small swing about an equilibrium as the guess of a cycle, and the state (2n,) of the equilibrium."""
    own, balance = family.solved(point.x, point.parameter)
    problem, omega = own.problem, float(special["frequency"])
    values, shapes = own.eigenvalues(balance)
    k = int(np.argmin(np.abs(values - 1j * omega)))
    shape = shapes[:, k] / shapes[int(np.argmax(np.abs(shapes[:, k]))), k]
    n = problem.n
    shape = shape * _swing_size(problem, own.rates, point, omega, shape, part)
    pivot = int(np.argmax(np.abs(shape)))
    shape = shape * np.exp(-1j * np.angle(shape[pivot]))
    turn = np.exp(2j * np.pi * np.linspace(0.0, 1.0, SWING_SAMPLES))[:, None]
    q, v = point.x[:n] + (turn * shape).real, (1j * omega * turn * shape).real
    time = 2.0 * np.pi / omega * np.linspace(0.0, 1.0, SWING_SAMPLES)
    free, m = problem.assembly.free, len(problem.system.connections)
    moved, rates = np.zeros((2, SWING_SAMPLES, len(problem.assembly.names)))
    moved[:, free], rates[:, free] = q, v
    none = np.zeros((SWING_SAMPLES, m))
    samples = Samples(
        time, moved, rates, none, none + point.force, np.full((SWING_SAMPLES, m), ""), np.zeros_like(moved)
    )
    return CycleGuess(omega, samples, int(free[pivot]), 0.0), np.concatenate([point.x[:n], np.zeros(n)])


def _swing_size(
    problem: Problem, rates: Array, point: EquilibriumPoint, omega: float, shape: Complex, part: float
) -> float:
    """[m or rad] of the largest coordinate in the first cycle, so that what slides goes on sliding."""
    moving = np.abs(problem.deflections @ shape) * omega
    sliding = (rates != 0.0) & (moving > 0.0)
    if sliding.any():
        return part * float((np.abs(rates[sliding]) / moving[sliding]).min())
    return FIRST_SHARE_AT_REST * max(float(np.abs(point.displacement).max(initial=0.0)), 1e-3)
