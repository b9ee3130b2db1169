"""Rate and exponent of a modified Dahl law with held envelopes (tensioner 2.1.3, 3.2.1).

Neither has a closed form. The envelopes are lines through the ends of the branches; with these held, least squares fits
rate and exponent to the loop. The lines lie (slope/rate)^(1/exponent) inside the envelopes, which is corrected for each
trial.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import InvalidInput
from slipstick.identification import tolerances as tol
from slipstick.identification.preparing.imposed_path import ImposedPath
from slipstick.identification.preparing.loop_geometry import BranchSamples, LoopGeometry
from slipstick.identification.rules.envelope_lines import Envelopes, envelopes_of, require_reached
from slipstick.identification.rules.rule_base import (
    Rule,
    RuleRow,
    cached_by_geometry,
    checked_branch_share,
    line_rows,
    prepare_for_rule,
    rule_error,
)
from slipstick.laws.dahl import ModifiedDahl
from slipstick.units.dimensions import FORCE, NUMBER

START_EXPONENTS = (0.3, 0.6, 1.0, 1.5)
MAX_BRANCH_SAMPLES = 500  # two parameters need no more
MAX_COMPARISONS = 15  # evaluations, without those for derivatives


@dataclass(frozen=True)
class RateAndExponent(Rule):
    """rate, exponent : least-squares values with the envelopes held.   envelopes : the lines.
    upper, lower : the envelopes themselves.   u, measured, predicted : (n,) the compared loops: rising samples by
    deflection, then falling ones.   rms : of their difference.   comparisons : evaluations.
    """

    name: str
    rate: float
    exponent: float
    envelopes: Envelopes
    upper: tuple[float, float]
    lower: tuple[float, float]
    u: Array
    measured: Array
    predicted: Array
    rms: float
    comparisons: int

    @property
    def law(self) -> ModifiedDahl:
        return ModifiedDahl(rate=self.rate, exponent=self.exponent, upper=self.upper, lower=self.lower)

    @property
    def system(self) -> str:
        return self.envelopes.system

    def rows(self) -> list[RuleRow]:
        upper = f"({self.upper[0] - self.envelopes.upper[0]:.4g} outside its line)"
        lower = f"({self.envelopes.lower[0] - self.lower[0]:.4g} outside its line)"
        return [
            RuleRow("rate", self.rate, (round(1.0 - self.exponent, 3), -1, 0)),
            RuleRow("exponent", self.exponent, NUMBER),
            *line_rows(self.upper, self.lower, (upper, "", lower, "")),
            RuleRow("rms", self.rms, FORCE, f"of {self.u.size} samples, after {self.comparisons} comparisons"),
        ]


def rate_and_exponent(loop: Any, *, share: float = tol.DEFAULT_END_SHARE) -> RateAndExponent:
    """Rate and exponent of a modified Dahl law, with its envelopes held.

    loop : a `Loop`.   share : last part of each branch, which gives the envelopes.
    """
    where = "rules.rate_and_exponent"
    return rate_and_exponent_of(prepare_for_rule(where, loop).geometry, checked_branch_share(where, share))


@cached_by_geometry
def rate_and_exponent_of(geometry: LoopGeometry, share: float = tol.DEFAULT_END_SHARE) -> RateAndExponent:
    """The same from a geometry."""
    from scipy.optimize import least_squares

    lines = require_reached(envelopes_of(geometry, share))
    path = _closed_cycle(geometry)
    width = lines.width(0.5 * (lines.low + lines.high))
    if width <= 0.0:
        raise rule_error(geometry, f"the upper envelope lies {-width:.4g} below the lower one; the loop has no width")

    def residuals(x: Array) -> Array:
        try:
            return (path.force(_law_from_unknowns(x, lines)) - path.f) / width
        except InvalidInput:
            return np.full(path.f.size, tol.NO_LAW_RESIDUAL)

    rise = max(geometry.slope_after_reversal(), tol.MIN_START_SLOPE_REL * width / (lines.high - lines.low))
    starts = [np.array([np.log(rise) - mu * np.log(width), mu]) for mu in START_EXPONENTS]
    begin = min(starts, key=lambda x: float(np.sum(residuals(x) ** 2)))
    # forward differences: each exponent needs its own table, which costs more than all samples
    bounds = ((-np.inf, tol.EXPONENT_RANGE[0]), (np.inf, tol.EXPONENT_RANGE[1]))
    result = least_squares(
        residuals, begin, bounds=bounds, x_scale="jac", xtol=1e-8, ftol=1e-10, max_nfev=MAX_COMPARISONS
    )
    law = _law_from_unknowns(result.x, lines)
    predicted = path.force(law)
    return RateAndExponent(
        geometry.name, law.rate, law.exponent, lines, _line_pair(law.upper), _line_pair(law.lower), path.u,
        path.f, predicted,
        float(np.sqrt(np.mean((predicted - path.f) ** 2))), int(result.nfev) + len(starts),
    )  # fmt: skip


def _closed_cycle(geometry: LoopGeometry) -> ImposedPath:
    """Samples of both branches as one settled cycle."""
    rising, falling = _thinned_branch(geometry.rising), _thinned_branch(geometry.falling)
    u = np.concatenate((rising.u, falling.u[::-1]))
    f = np.concatenate((rising.f, falling.f[::-1]))
    corners = np.array([u.max(), u.min()])
    return ImposedPath(u, np.zeros_like(u), f, np.ones(u.size, dtype=bool), corners, slice(0, 0))


def _thinned_branch(branch: BranchSamples) -> BranchSamples:
    """A branch with fewer samples, with both ends."""
    if branch.u.size <= MAX_BRANCH_SAMPLES:
        return branch
    keep = np.linspace(0, branch.u.size - 1, MAX_BRANCH_SAMPLES).astype(np.intp)
    return BranchSamples(branch.u[keep], branch.f[keep], branch.v[keep])


def _law_from_unknowns(x: Array, lines: Envelopes) -> ModifiedDahl:
    """Law of ln(rate) and exponent whose loop runs along the lines."""
    rate, exponent = float(np.exp(x[0])), float(x[1])
    (b, a), (e, d) = lines.upper, lines.lower
    beyond = [float(np.sign(s) * (abs(s) / rate) ** (1.0 / exponent)) for s in (a, d)]
    return ModifiedDahl(rate=rate, exponent=exponent, upper=(b + beyond[0], a), lower=(e - beyond[1], d))


def _line_pair(line: tuple[float, ...]) -> tuple[float, float]:
    return line[0], line[1]
