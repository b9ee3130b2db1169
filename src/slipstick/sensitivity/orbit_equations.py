"""Derivatives of orbits by parameters: the implicit function theorem on the residual of their family.

With residual R(x, p, theta) = 0, unknowns x, curve parameter p and model parameter theta, a change of theta moves
an orbit by R_x dx = -R_theta dtheta - R_p dp. R_x and R_p are those of the solver, exact (variational equations with
saltation, or differentiated laws). R_theta and the derivative of a figure along (dx, dp, dtheta) are differences of
explicit functions at given unknowns, see `richardson`.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import InvalidInput, NotConverged
from slipstick.periodic.balance.balance_points import balance_measures
from slipstick.periodic.balance.harmonic_balance import HarmonicBalance
from slipstick.periodic.balance.parametric_balance import ParametricBalance
from slipstick.periodic.continuation.family import Family
from slipstick.periodic.family_factory import FamilyFactory
from slipstick.periodic.shooting.adaptive_family import AdaptiveShooting
from slipstick.periodic.shooting.exact_family import Shooting
from slipstick.results.orbit import OrbitPoint
from slipstick.sensitivity.orbit_figures import Figure
from slipstick.sensitivity.parameters import Parameter, is_start_state, shifted
from slipstick.sensitivity.richardson import Derivative, derivative, difference

MAX_FAMILIES = 16  # of shifted models that are kept
RANK_REL = 1e-9  # of the largest singular value: below it an orbit is at a fold or a branch point, or one of many
ADAPTIVE_ERROR = 1e-6  # relative, of derivatives on the adaptive flow: measured up to 4e-7 for three hysteretic laws
NEGLIGIBLE_REL = 1e-5  # of figures of a kind over a parameter: derivatives below it are compared with that
MAX_MOTION_STEPS = 4  # of Newton's method on the derivative of the residual along a motion
MOTION_CHANGE = 1e-4  # relative; after a smaller step the next one would be below rounding
CONSISTENT = 1e-6  # of the right side: what a singular matrix may leave of it
PERIOD_WORDS = ("frequency", "order")  # last words of parameters that change the period


class OrbitDerivative(NamedTuple):
    """How an orbit moves with a parameter: x (size,), and p.   error : relative, of both."""

    x: Array
    p: float
    error: float


class OrbitEquations:
    """The equations of the orbits of one curve, also for models with other parameters.

    maker : of the families.   subharmonic : index.   own : name of the curve's parameter.
    """

    def __init__(self, maker: FamilyFactory, subharmonic: int | None, own: str = "frequency") -> None:
        if maker.method == "integration":
            raise InvalidInput(
                "orbits by integration have no derivatives", advice=['compute them with method="shooting"']
            )
        self.maker, self.subharmonic, self.own = maker, subharmonic, own
        self.base = maker.family(subharmonic)
        self._families: OrderedDict[tuple[str, float], Family] = OrderedDict()

    def check(self, parameters: list[Parameter]) -> None:
        """Refuse parameters by which orbits of this curve have no derivative."""
        for each in parameters:
            if is_start_state(each.name):
                words = f"a periodic motion does not depend on {each.name}"
                raise InvalidInput(words).about("by")
            if each.name == self.own:
                words = f"{each.name} is the curve's own parameter: its derivative is the slope of the curve"
                raise InvalidInput(words).about("by")
            if each.name.rpartition(".")[2] in PERIOD_WORDS:
                words = f"{each.name} changes the period, so orbits have no derivative by it"
                raise InvalidInput(words, advice=["give loads an order, and differentiate a curve over the frequency"])

    def family(self, parameter: Parameter | None, change: float, p: float) -> Family:
        """The family of the model with a parameter that is larger by a change, for use near p."""
        if parameter is None or change == 0.0:
            return self.base
        key = (parameter.name, change)
        if key not in self._families:
            models = self.maker.models
            at, like = models.at, None
            other = models._replace(at=lambda p: shifted(at(p), parameter, change))
            if isinstance(self.base, Shooting):
                other = other._replace(begin=p)
                like = other.problem(p, self.base.map_at(p)[0].problem)
            self._families[key] = self.maker._replace(models=other, posed=like).family(self.subharmonic)
            while len(self._families) > MAX_FAMILIES:
                self._families.popitem(last=False)
        return self._families[key]

    # ---- residual and figures

    def residual(self, parameter: Parameter | None, change: float, x: Array, p: float) -> Array:
        """(r,) the residual of the shifted model at given unknowns."""
        family = self.family(parameter, change, p)
        if isinstance(family, Shooting):
            period_map = family.map_at(p)[0]
            if isinstance(family, AdaptiveShooting):
                period_map.mesh = self.base.map_at(p)[0].mesh  # type: ignore[attr-defined]
            return np.asarray(period_map.missed(x, period_map.go(x)))
        return balance_of(family, p).residual(x, frequency_of(family, p))

    def point(self, parameter: Parameter | None, change: float, x: Array, p: float, forces: bool) -> OrbitPoint:
        """The measures of the motion with given unknowns of the shifted model.   forces : also those of forces."""
        family = self.family(parameter, change, p)
        if isinstance(family, Shooting):
            return family.point(x, p)
        return balance_measures(balance_of(family, p), x, frequency_of(family, p), forces)

    def value(self, figure: Figure, parameter: Parameter | None, change: float, x: Array, p: float) -> Array:
        """(1,) a figure of the motion with given unknowns of the shifted model."""
        return figure.near(self.point(parameter, change, x, p, figure.of_forces))

    def typical(self, figure: Figure, x: Array, p: float) -> float:
        """A size of figures of this kind at an orbit."""
        return figure.typical(self.point(None, 0.0, x, p, figure.of_forces))

    def figure_along(
        self, figure: Figure, motion: OrbitDerivative, x: Array, p: float, parameter: Parameter | None
    ) -> Derivative:
        """The derivative (k,) of a figure along a motion of an orbit, with the parameter."""

        def value(s: float) -> Array:
            return self.value(figure, parameter, s, x + s * motion.x, p + s * motion.p)

        unit = parameter.scale if parameter else abs(p)
        found = derivative(value, value(0.0), unit, size=NEGLIGIBLE_REL * self.typical(figure, x, p) / unit)
        integration = ADAPTIVE_ERROR if isinstance(self.base, AdaptiveShooting) else 0.0
        return found._replace(error=found.error + motion.error + integration)

    # ---- the implicit function theorem

    def linearised(self, x: Array, p: float) -> tuple[Array, Array]:
        """R_x (r, size) and R_p (r,); refused where they do not determine the orbit."""
        if self.base.is_banded(x, p):
            raise NotConverged(
                "a contact never slips here, so the orbit is one of a band, which has no derivative",
                advice=["take a larger load, or another point of the curve"],
            )
        found = self.base.linearise(x, p)
        return found.by_x, found.by_p

    def by_parameter(self, parameter: Parameter, x: Array, p: float) -> Derivative:
        """R_theta (r,)."""

        def value(s: float) -> Array:
            return self.residual(parameter, s, x, p)

        return derivative(value, value(0.0), parameter.scale)

    def scales(self, x: Array, p: float) -> Array:
        """(size,) of the unknowns."""
        return self.base.scales(x, p)

    def motion(self, parameter: Parameter | None, x: Array, p: float, matrix: Array) -> OrbitDerivative:
        """How an orbit moves with a parameter at a fixed parameter of the curve; None: with the frequency."""
        scale = self.scales(x, p)

        def step(right: Array) -> Array:
            return np.append(solve(matrix, right, scale), 0.0)

        first = OrbitDerivative(np.zeros(x.size), 0.0 if parameter else 1.0, 0.0)
        return self._followed(parameter, (x, p), first, step, np.append(scale, 1.0))

    def motion_on_curve(self, parameter: Parameter, x: Array, p: float, matrix: Array, by_p: Array) -> OrbitDerivative:
        """One of the ways in which an orbit may move with a parameter, with the parameter of the curve."""
        scale = np.append(self.scales(x, p), abs(p) or 1.0)
        both = np.column_stack([matrix, by_p])

        def step(right: Array) -> Array:
            return solve(both, right, scale, tall=False)

        return self._followed(parameter, (x, p), OrbitDerivative(np.zeros(x.size), 0.0, 0.0), step, scale)

    def _followed(
        self, parameter: Parameter | None, at: tuple[Array, float], motion: OrbitDerivative,
        step: Callable[[Array], Array], scale: Array,
    ) -> OrbitDerivative:  # fmt: skip
        """The motion along which the residual stays zero, by Newton's method on its derivative.

        At a fixed start a slider that slides is beyond its limit, or short of it, if the limit changes: the residual
        is smooth only along a motion that moves the start as well.
        """
        x, p = at
        unit = parameter.scale if parameter else abs(p)
        size = 0.0

        for count in range(MAX_MOTION_STEPS):

            def left(s: float, own: OrbitDerivative = motion) -> Array:
                return self.residual(parameter, s, x + s * own.x, p + s * own.p)

            if count == 0:
                found = Derivative(difference(left, unit), 1.0)
                size = float(np.abs(found.value).max(initial=0.0))
            else:
                found = derivative(left, left(0.0), unit, size=size)
            change = step(-found.value)
            motion = OrbitDerivative(motion.x + change[:-1], motion.p + float(change[-1]), found.error)
            moved = np.abs(np.append(motion.x, motion.p) / scale).max(initial=0.0)
            if count and np.abs(change / scale).max(initial=0.0) <= MOTION_CHANGE * moved:
                break
        return motion


def balance_of(family: Family, p: float) -> HarmonicBalance:
    """The equations of harmonic balance at a value of the parameter."""
    assert isinstance(family, (HarmonicBalance, ParametricBalance))
    return family.at(p) if isinstance(family, ParametricBalance) else family


def frequency_of(family: Family, p: float) -> float:
    """[rad/s] the base frequency."""
    return family.frequency if isinstance(family, ParametricBalance) and family.frequency is not None else p


def solve(matrix: Array, right: Array, scale: Array, tall: bool = True) -> Array:
    """The solution of least size, in units of a scale; raises `NotConverged` if there is none.

    tall : the matrix has at least as many rows as columns, and all its columns should count.
    """
    if not right.size:
        return np.zeros(scale.size)
    scaled = matrix * scale
    u, s, vt = np.linalg.svd(scaled, full_matrices=False)
    kept = s > RANK_REL * s.max(initial=0.0)
    parts = u.T @ right
    found = vt.T[:, kept] @ (parts[kept] / s[kept])
    left = scaled @ found - right
    if not np.abs(left).max(initial=0.0) <= CONSISTENT * np.abs(right).max(initial=0.0) and tall:
        raise NotConverged("the orbit is at a fold or a branch point, where it has no derivative")
    return np.asarray(found * scale)
