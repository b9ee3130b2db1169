"""Backbone of loops of several amplitudes (fibre 35-37): friction and polynomial from the tips alone.

The tips of a dynamic hysteresis loop with a polynomial beside it lie on

    limit (1 - e^(-2 r g)) + G_1 g + G_3 g^3,     r = stiffness/limit,

which is linear in the limit and the moduli: a search over r alone, with linear least squares inside. It does not
include an overshoot; with one, tips lie at limit_1 (1 - e^(-2 r g)) - limit_2 (1 - e^(-2 ratio r g)) + P(g), and the
values are biased.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import InvalidInput, short_repr
from slipstick.identification import tolerances as tol
from slipstick.identification.loop import Loop
from slipstick.identification.preparing.amplitude_levels import BackbonePoint, backbone_points_of
from slipstick.identification.preparing.loop_geometry import LoopGeometry
from slipstick.identification.preparing.prepared_loop import PreparedLoop
from slipstick.identification.rules.rule_base import FORCE, STIFFNESS, Rule, RuleRow, prepare_for_rule, tip_forces
from slipstick.laws.base import Law
from slipstick.laws.elastic import Polynomial
from slipstick.laws.nonlocal_memory import DynamicHysteresis

DEFAULT_POWERS = (1, 3)
TRIED_RATES = 60  # of which the best is refined


@dataclass(frozen=True)
class Backbone(Rule):
    """stiffness, limit : of the friction (sigma, tau_C).   moduli : by power.
    amplitudes, tips : (n,) half ranges of deflection and force between tips.   middles : (n, 2) their mean values.
    fitted : (n,) the backbone at these amplitudes.   rms : residual.
    """

    name: str
    stiffness: float
    limit: float
    moduli: dict[int, float]
    amplitudes: Array
    tips: Array
    middles: Array
    fitted: Array
    rms: float
    system: str = "translation"

    @property
    def linear(self) -> float:
        return self.moduli.get(1, 0.0)

    @property
    def cubic(self) -> float:
        return self.moduli.get(3, 0.0)

    @property
    def initial_modulus(self) -> float:
        """G_i = G_1 + 2 sigma: the slope after a reversal."""
        return self.linear + 2.0 * self.stiffness

    @property
    def law(self) -> Law:
        friction = DynamicHysteresis(stiffness=self.stiffness, limit=self.limit)
        if not self.moduli:
            return friction
        coefficients = [self.moduli.get(k, 0.0) for k in range(max(self.moduli) + 1)]
        return Polynomial(coefficients=tuple(coefficients)) + friction

    def at(self, amplitude: Array) -> Array:
        """The backbone at amplitudes."""
        x = np.asarray(amplitude, dtype=float)
        own = self.limit * -np.expm1(-2.0 * self.stiffness / self.limit * x)
        return np.asarray(own + sum(g * x**k for k, g in self.moduli.items()), dtype=float)

    def rows(self) -> list[RuleRow]:
        names = {1: "linear", 3: "cubic"}
        return [
            RuleRow("stiffness", self.stiffness, STIFFNESS),
            RuleRow("limit", self.limit, FORCE),
            *(RuleRow(names.get(k, f"of power {k}"), own, (1, -k, 0)) for k, own in self.moduli.items()),
            RuleRow("initial_modulus", self.initial_modulus, STIFFNESS),
            RuleRow("rms", self.rms, FORCE, f"of {self.tips.size} tips"),
        ]


def backbone(loops: Any, *, powers: Sequence[int] = DEFAULT_POWERS) -> Backbone:
    """Friction and polynomial from the tips of loops of several amplitudes.

    loops : `Loop`s with at least as many amplitudes as parameters; one loop may hold all of them, in blocks.
    powers : of the parallel polynomial; () for none.
    """
    where = "rules.backbone"
    given = [loops] if isinstance(loops, Loop) else list(loops) if isinstance(loops, Sequence) else None
    if not given or isinstance(loops, str):
        way = f"; ss.Loop.read_many({short_repr(str(loops))}) reads them" if isinstance(loops, (str, PathLike)) else ""
        raise InvalidInput(f"{where} needs a list of Loops, got {short_repr(loops)}{way}").about("loops")
    solution = [prepare_for_rule(where, loop) for loop in given]
    points = [point for r in solution for point in _points_by_amplitude(r)]
    return _fit_points(
        points, _checked_powers(where, powers), f"{len(given)} loop{'s' * (len(given) != 1)}", given[0].system
    )


def backbone_of(loops: Sequence[LoopGeometry], powers: tuple[int, ...] = DEFAULT_POWERS) -> Backbone:
    """The same from geometries."""
    return _fit_points([_backbone_point(own) for own in loops], powers, f"{len(loops)} loops", loops[0].system)


def _points_by_amplitude(r: PreparedLoop) -> list[BackbonePoint]:
    """A point for each amplitude of a loop, from its blocks if it has several."""
    blocks = backbone_points_of(r.path.u, r.loop.f) if r.geometry.unsteady else []
    return blocks if len(blocks) > 1 else [_backbone_point(r.geometry)]


def _backbone_point(own: LoopGeometry) -> BackbonePoint:
    low, high = tip_forces(own)
    return BackbonePoint(own.amplitude, 0.5 * (high - low), own.middle, 0.5 * (low + high))


def _fit_points(points: Sequence[BackbonePoint], powers: tuple[int, ...], name: str, system: str) -> Backbone:
    """The backbone fitted to points."""
    g, tips, middle, level = np.array(sorted(points)).T
    different = 1 + int(np.count_nonzero(np.diff(g) > tol.SAME_TIP_AMPLITUDE_REL * g[-1]))
    if different < 2 + len(powers):
        raise InvalidInput(
            f"a backbone with {2 + len(powers)} numbers needs as many amplitudes, got {different}; measure others"
        ).about("loops")
    if np.max(tips) <= 0.0:
        raise InvalidInput(f"the tips rise to {np.max(tips):.4g}; a backbone has to rise above zero").about("loops")
    rate = _best_rate(g, tips, powers)
    solution = _linear_fit(rate, g, tips, powers)
    limit, moduli = float(solution[0]), {k: float(m) for k, m in zip(powers, solution[1:], strict=True)}
    if limit <= 0.0:
        raise InvalidInput(f"the backbone stiffens from its start (limit {limit:.4g}): no friction is seen in the tips")
    fitted = _basis(rate, g, powers) @ solution
    rms = float(np.sqrt(np.mean((fitted - tips) ** 2)))
    middles = np.stack((middle, level), axis=1)
    return Backbone(name, limit * rate, limit, moduli, g, tips, middles, fitted, rms, system)


def _checked_powers(where: str, powers: Any) -> tuple[int, ...]:
    given = tuple(powers) if isinstance(powers, Sequence) else None
    if given is None or any(isinstance(k, bool) or not isinstance(k, (int, np.integer)) or k < 1 for k in given):
        raise InvalidInput(
            f"{where}: powers must be whole numbers from 1, such as (1, 3), got {short_repr(powers)}"
        ).about("powers")
    return tuple(sorted({int(k) for k in given}))


def _basis(rate: float, g: Array, powers: tuple[int, ...]) -> Array:
    return np.stack([-np.expm1(-2.0 * rate * g), *(g**k for k in powers)], axis=1)


def _linear_fit(rate: float, g: Array, tips: Array, powers: tuple[int, ...]) -> Array:
    """Limit and moduli at a rate, by least squares."""
    basis = _basis(rate, g, powers)
    size = np.max(np.abs(basis), axis=0)
    solution: Array = np.linalg.lstsq(basis / size, tips, rcond=None)[0] / size
    return solution


def _best_rate(g: Array, tips: Array, powers: tuple[int, ...]) -> float:
    """Best rate stiffness/limit of a wide range, refined by least squares."""
    from scipy.optimize import least_squares

    size = float(np.max(tips))

    def left(x: Array) -> Array:
        rate = float(np.exp(x[0]))
        solution: Array = (_basis(rate, g, powers) @ _linear_fit(rate, g, tips, powers) - tips) / size
        return solution

    tried = np.log(np.geomspace(0.05 / g[-1], 5.0 / g[0], TRIED_RATES))
    begin = min(tried, key=lambda x: float(np.sum(left(np.array([x])) ** 2)))
    result = least_squares(left, [begin], "3-point", xtol=1e-14, ftol=1e-15, gtol=1e-15)
    return float(np.exp(result.x[0]))
