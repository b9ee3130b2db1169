"""`SavedCurveSolver`: the same requests for a curve from a file, by the model in the file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from slipstick.model.named_parameter import parameter_of
from slipstick.periodic.curve_solver import CurveSolver
from slipstick.periodic.family_factory import FamilyFactory, ParametricModel
from slipstick.results.curve import Curve, CurveOrigin

if TYPE_CHECKING:
    from slipstick.model.system import System
    from slipstick.results.orbit import Orbit, OrbitPoint
    from slipstick.results.special_curve import SpecialCurve


def saved_curve_solver_of(curve: Curve, system: System) -> CurveOrigin | None:
    """What makes a curve's orbits again, from the model it was saved with; None where that is not enough.

    It is not by integration, nor where a function made a model for every value of the parameter.
    """
    return SavedCurveSolver(curve, system) if curve.stats.remade and curve.points else None


@dataclass(frozen=True)
class SavedCurveSolver:
    """The `slipstick.results.curve.CurveOrigin` of a curve from a file; its family is made when it is first asked for.

    system : the model it was saved with.   at : for a curve whose models a function made, that function.
    """

    curve: Curve
    system: System
    at: Callable[[float], System] | None = None

    def orbit(self, point: OrbitPoint) -> Orbit:
        """The orbit at a point of the curve."""
        return self.solver.orbit(point)

    def other_branch(self, special: Mapping[str, Any], points: tuple[OrbitPoint, ...], number: int) -> Curve:
        """The branch that starts at a special point."""
        return self.solver.other_branch(special, points, number)

    def between(self, points: tuple[OrbitPoint, ...], first: int) -> OrbitPoint:
        """The orbit in the middle between a point and the next one; raises `NotConverged`."""
        return self.solver.between(points, first)

    def peak(self, points: tuple[OrbitPoint, ...], index: int, figure: Callable[[OrbitPoint], float]) -> OrbitPoint:
        """The orbit near a point at which a figure is largest; raises `NotConverged`."""
        return self.solver.peak(points, index, figure)

    def track(self, special: Mapping[str, Any], point: OrbitPoint, parameter: Any, between: Any) -> SpecialCurve:
        """A special point at an orbit of the curve over a second parameter."""
        return self.solver.track(special, point, parameter, between)

    @cached_property
    def solver(self) -> CurveSolver:
        """That of the curve as it was computed."""
        stats, snapshot = self.curve.stats, self.system.snapshot()
        begin, subharmonic = self.curve.points[0].p, stats.subharmonic or None
        models = ParametricModel(self.at or (lambda _: snapshot), begin, same=self.at is None)
        if stats.parameter != "frequency":
            models = ParametricModel(parameter_of(snapshot, stats.parameter).at, begin, self.curve.points[0].frequency)
        maker = FamilyFactory(models, stats.method, stats.harmonics or None)
        return CurveSolver(maker, subharmonic, maker.family(subharmonic), stats)
