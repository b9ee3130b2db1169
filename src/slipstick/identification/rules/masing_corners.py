"""Masing law from the geometry of its loop (tensioner 26): corners, slopes on both sides, and tips.

A rising branch sticks from A, the lower tip, to the corner B and slips from there to C, the upper tip. The slope drops
by k at B; the damper adds the same slope on both sides:

    k = p(B-) - p(B+),      alpha = k (u_B - u_A)/2,
    k_0 = (F_C - F_A - 2 alpha)/(u_C - u_A),      F_0 = k_0 u_A - alpha - F_A

and likewise at the corner D of the falling branch; k and alpha are means of both. Least squares fits two lines that
meet at the corner and the damper force c u' to a branch; the best corner has the smallest residual. Two lines alone
are not enough: on the tensioner's loop the damper bends the branch so much that k is 5 to 10 % wrong. Without times the
motion is assumed harmonic, with half an ellipse for u'.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from slipstick.arrays import Array
from slipstick.identification import tolerances as tol
from slipstick.identification.preparing.loop_geometry import BranchSamples, LoopGeometry
from slipstick.identification.rules.rule_base import (
    DEFLECTION,
    FORCE,
    STIFFNESS,
    Rule,
    RuleRow,
    cached_by_geometry,
    fit_polynomial,
    prepare_for_rule,
    require_steady,
    rule_error,
)
from slipstick.laws.masing import Masing

CORNER_CANDIDATES = 30  # scanned positions of a corner
THINNED_BRANCH_SAMPLES = 150  # of a branch during the scan
MAX_CORNER_ROUNDS = 20  # refinements of a corner
MIN_SIDE_SAMPLES = 4  # on each side of a corner


class FittedCorner(NamedTuple):
    """u, force : where slip begins.   before, after : slopes of the lines that meet there.
    damper : c of the force c u'; without times, c times the frequency [rad/s] of a harmonic motion.
    way : deflection from the reversal to the corner.   fitted : (n,) lines and damper at the samples of the branch.
    rms : residual.
    """

    u: float
    force: float
    before: float
    after: float
    damper: float
    way: float
    fitted: Array
    rms: float


@dataclass(frozen=True)
class MasingGeometry(Rule):
    """stiffness, limit, parallel_stiffness, preload : of the law (k, alpha, k_0, -F_0).
    rising, falling : corners B and D.   tips : forces at A and C.   low, high : deflections there.
    dry_energy : dissipated by a cycle without damper, 2 alpha (u_C - u_A - 2 alpha/k).
    """

    name: str
    stiffness: float
    limit: float
    parallel_stiffness: float
    preload: float
    rising: FittedCorner
    falling: FittedCorner
    tips: tuple[float, float]
    low: float
    high: float
    geometry: LoopGeometry

    @property
    def law(self) -> Masing:
        return Masing(
            stiffness=self.stiffness, limit=self.limit, parallel_stiffness=self.parallel_stiffness, preload=self.preload
        )

    @property
    def dry_energy(self) -> float:
        return 2.0 * self.limit * (self.high - self.low - 2.0 * self.limit / self.stiffness)

    @property
    def system(self) -> str:
        return self.geometry.system

    def rows(self) -> list[RuleRow]:
        words = "(slope {:.4g} before, {:.4g} after)"
        return [
            RuleRow("stiffness", self.stiffness, STIFFNESS),
            RuleRow("limit", self.limit, FORCE),
            RuleRow("parallel_stiffness", self.parallel_stiffness, STIFFNESS),
            RuleRow("preload", self.preload, FORCE),
            RuleRow("rising corner", self.rising.u, DEFLECTION, words.format(self.rising.before, self.rising.after)),
            RuleRow(
                "falling corner", self.falling.u, DEFLECTION, words.format(self.falling.before, self.falling.after)
            ),
            RuleRow("lower tip", self.tips[0], FORCE, f"at {self.low:.6g}"),
            RuleRow("upper tip", self.tips[1], FORCE, f"at {self.high:.6g}"),
        ]


def masing_geometry(loop: Any) -> MasingGeometry:
    """Masing law without damper, from corners, slopes and tips of a loop.

    loop : a `Loop`; times give the damper's part of the slopes.
    """
    return masing_geometry_of(prepare_for_rule("rules.masing_geometry", loop).geometry)


@cached_by_geometry
def masing_geometry_of(geometry: LoopGeometry) -> MasingGeometry:
    """The same from a geometry."""
    require_steady(geometry)
    low, high = float(geometry.u[0]), float(geometry.u[-1])
    rising = _find_corner(geometry, geometry.rising, low)
    mirror = _find_corner(geometry, geometry.falling.mirrored, -high)
    falling = mirror._replace(u=-mirror.u, force=-mirror.force, fitted=-mirror.fitted[::-1])
    tips = _tip_force(geometry, low), _tip_force(geometry, high)
    k = 0.5 * (rising.before - rising.after + falling.before - falling.after)
    limit = 0.25 * k * (rising.way + falling.way)
    beside = (tips[1] - tips[0] - 2.0 * limit) / (high - low)
    preload = 0.5 * (tips[0] + tips[1]) - 0.5 * beside * (low + high)  # (26f), at both tips
    return MasingGeometry(geometry.name, k, limit, beside, preload, rising, falling, tips, low, high, geometry)


def _find_corner(geometry: LoopGeometry, branch: BranchSamples, begin: float) -> FittedCorner:
    """Corner of a rising branch: two lines and a damper with the smallest residual."""
    way = float(geometry.u[-1] - geometry.u[0])
    step = max(branch.u.size // THINNED_BRANCH_SAMPLES, 1)
    thin = BranchSamples(branch.u[::step], branch.f[::step], branch.v[::step])
    places = begin + np.linspace(0.02, 0.98, CORNER_CANDIDATES) * way
    tried = [own for place in places if (own := _lines_about(thin, float(place), begin, way)) is not None]
    if not tried:
        raise rule_error(geometry, f"a corner needs {MIN_SIDE_SAMPLES} samples on each side; sample it finer")
    best = min(tried, key=lambda own: own.rms)
    for _ in range(MAX_CORNER_ROUNDS):
        again = _lines_about(branch, best.u, begin, way)
        if again is None:
            break
        moved, best = abs(again.u - best.u), again
        if moved <= tol.CORNER_CONVERGED_REL * way:
            break
    if best.before - best.after <= tol.MIN_CORNER_SLOPE_LOSS * abs(best.before) or not 0.0 < best.way < way:
        raise rule_error(
            geometry,
            f"no corner where slipping begins: the slope goes from {best.before:.4g} to {best.after:.4g} at most; "
            "measure with a larger amplitude",
        )
    return best


def _lines_about(branch: BranchSamples, place: float, begin: float, way: float) -> FittedCorner | None:
    """Lines through the samples before and after a position, and where they meet; None with too few samples."""
    x = (branch.u - place) / way
    before = x < 0.0
    if np.count_nonzero(before) < MIN_SIDE_SAMPLES or np.count_nonzero(~before) < MIN_SIDE_SAMPLES:
        return None
    size = float(np.max(np.abs(branch.v)))
    rate = branch.v if size > 0.0 else np.sqrt(np.maximum((branch.u - begin) * (begin + way - branch.u), 0.0))
    size = size or 0.5 * way
    beside = rate / size
    basis = np.stack((before * 1.0, before * x, ~before * 1.0, ~before * x, beside), axis=1)
    p, q, r, s, c = (float(value) for value in np.linalg.lstsq(basis, branch.f, rcond=None)[0])
    fitted = basis @ np.array([p, q, r, s, c])
    meet = (p - r) / (s - q) if s != q else 0.0
    u = place + way * meet
    rms = float(np.sqrt(np.mean((fitted - branch.f) ** 2)))
    return FittedCorner(u, p + q * meet, q / way, s / way, c / size, u - begin, fitted, rms)


def _tip_force(geometry: LoopGeometry, tip: float) -> float:
    """Force at a tip, from the mean of both branches next to it, in which the damper cancels."""
    width = tol.TIP_RANGE_SHARE * (float(geometry.u[-1]) - float(geometry.u[0]))
    near = [side.within(tip - width, tip + width) for side in (geometry.rising, geometry.falling)]
    if min(own.u.size for own in near) < 2:
        raise rule_error(
            geometry, f"no two samples of each branch within {tol.TIP_RANGE_SHARE:.0%} of a tip; sample it finer"
        )
    low, high = max(own.u[0] for own in near), min(own.u[-1] for own in near)
    grid = np.linspace(low, high, max(own.u.size for own in near))
    mean = 0.5 * (np.interp(grid, near[0].u, near[0].f) + np.interp(grid, near[1].u, near[1].f))
    return float(fit_polynomial(BranchSamples(grid, mean, grid), 1, tip, width)[0])
