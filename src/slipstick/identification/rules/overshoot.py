"""Overshoot of a loop by Dahl's rule (fibre A.1-A.6, corrected) and by that of Bliman and Sorine.

Both rules are for a virgin curve. On a loop, the polynomial is removed first. Then half the force since a reversal over
the deflection since it is a virgin curve: (tau - tau_m)/2 over gamma - gamma_m, with half the initial slope as S. Both
branches are used together.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import Advice, InvalidInput, short_repr
from slipstick.identification import tolerances as tol
from slipstick.identification.preparing.loop_geometry import BranchSamples, LoopGeometry
from slipstick.identification.rules.rule_base import (
    DEFLECTION,
    FORCE,
    NUMBER,
    STIFFNESS,
    Rule,
    RuleRow,
    fit_polynomial,
    prepare_for_rule,
    rule_error,
    tip_forces,
)
from slipstick.identification.rules.two_exponentials import (
    TwoExponentials,
    two_exponentials_bliman_sorine,
    two_exponentials_dahl,
)
from slipstick.laws.nonlocal_memory import BlimanSorine, FibreShear

PEAK_SCAN_MEANS = 200  # bins of the first search for the peak
PEAK_ROUNDS = 4  # refinements of the peak
MIN_CURVE_SAMPLES = 8


@dataclass(frozen=True)
class Overshoot(Rule):
    """Figures of a branch, and the law that follows.

    rule : "dahl" or "bliman-sorine".   slope : S, half of the slope after a reversal.
    peak, peak_at : tau_OS, gamma_OS.   final : tau_inf.   settled_at : gamma_p, or NaN.
    curve : the two exponentials.   moduli : of the removed polynomial, by power.
    branch : (n,) deflection since the reversal and half the force since it, of both branches.
    rms : residual of the curve.   amplitude : of the loop.
    """

    name: str
    rule: str
    slope: float
    peak: float
    peak_at: float
    final: float
    settled_at: float
    curve: TwoExponentials
    moduli: dict[int, float]
    branch: BranchSamples
    rms: float
    amplitude: float
    system: str = "translation"

    @property
    def law(self) -> BlimanSorine:
        """The friction with its overshoot, at this amplitude, without polynomial."""
        return self.curve.law

    @property
    def overshoot(self) -> float:
        """alpha = tau_C2/(G_3 gamma_m^3) of the fibre's law; NaN without a cubic modulus."""
        cubic = self.moduli.get(3, 0.0)
        return self.curve.overshoot_limit / (cubic * self.amplitude**3) if cubic > 0.0 else float("nan")

    @property
    def fibre(self) -> FibreShear:
        """The fibre's law: sigma is the measured half slope (26), tau_C the end (25)."""
        if not self.moduli.get(3, 0.0) > 0.0:
            way = Advice("give {moduli}", moduli={1: ..., 3: ...})
            raise InvalidInput("the fibre's law needs a cubic modulus > 0", argument="moduli", advice=[way])
        return FibreShear(
            stiffness=self.curve.slope, limit=self.curve.final, linear=self.moduli.get(1, 0.0), cubic=self.moduli[3],
            overshoot=self.overshoot, ratio=self.curve.ratio,
        )  # fmt: skip

    def rows(self) -> list[RuleRow]:
        return [
            RuleRow("stiffness", self.curve.stiffness, STIFFNESS),
            RuleRow("limit", self.curve.limit, FORCE),
            RuleRow("overshoot_limit", self.curve.overshoot_limit, FORCE),
            RuleRow("ratio", self.curve.ratio, NUMBER),
            RuleRow("slope", self.slope, STIFFNESS),
            RuleRow("peak", self.peak, FORCE, f"at {self.peak_at:.6g} from the reversal"),
            RuleRow("final", self.final, FORCE),
            RuleRow("settled_at", self.settled_at, DEFLECTION),
            RuleRow("rms", self.rms, FORCE, f"of {self.branch.u.size} samples"),
        ]


def overshoot_dahl(loop: Any, *, moduli: Mapping[int, float] | None = None, final: float | None = None) -> Overshoot:
    """Overshoot by Dahl's rule, from the initial slope, the peak and the final value of a branch.

    loop : a `Loop`.   moduli : of the polynomial to remove, by power, as from `backbone`.
    final : the final value, if it is known better than from the branch.
    """
    where = "rules.overshoot_dahl"
    geometry = prepare_for_rule(where, loop).geometry
    return overshoot_dahl_of(geometry, _checked_moduli(where, moduli), final)


def overshoot_bliman_sorine(
    loop: Any,
    *,
    moduli: Mapping[int, float] | None = None,
    final: float | None = None,
    within: float = tol.SETTLED_WITHIN_REL,
) -> Overshoot:
    """Overshoot by the rule of Bliman and Sorine, from the peak, the final value and the settling point of a branch.

    loop, moduli, final : as in `overshoot_dahl`.   within : relative distance from the final value that is settled.
    """
    where = "rules.overshoot_bliman_sorine"
    geometry = prepare_for_rule(where, loop).geometry
    return overshoot_bliman_sorine_of(geometry, _checked_moduli(where, moduli), final, within)


def overshoot_dahl_of(geometry: LoopGeometry, moduli: dict[int, float], final: float | None = None) -> Overshoot:
    """The same from a geometry."""
    branch = _half_branch(geometry, moduli)
    peak, peak_at, end = _measure_overshoot(geometry, branch, final)
    slope = _initial_slope(branch, peak_at)
    curve = two_exponentials_dahl(slope=slope, peak=peak, peak_at=peak_at, final=end)
    return Overshoot(
        geometry.name, "dahl", slope, peak, peak_at, end, float("nan"), curve, moduli, branch, _curve_rms(curve,
        branch),
        geometry.amplitude, geometry.system,
    )  # fmt: skip


def overshoot_bliman_sorine_of(
    geometry: LoopGeometry, moduli: dict[int, float], final: float | None = None, within: float = tol.SETTLED_WITHIN_REL
) -> Overshoot:
    """The same from a geometry."""
    branch = _half_branch(geometry, moduli)
    peak, peak_at, end = _measure_overshoot(geometry, branch, final)
    settled = _settling_place(geometry, branch, peak, peak_at, end, within)
    curve = two_exponentials_bliman_sorine(peak=peak, peak_at=peak_at, final=end, settled_at=settled, within=within)
    return Overshoot(
        geometry.name, "bliman-sorine", curve.slope, peak, peak_at, end, settled, curve, moduli, branch,
        _curve_rms(curve, branch), geometry.amplitude, geometry.system,
    )  # fmt: skip


def _checked_moduli(where: str, moduli: Any) -> dict[int, float]:
    if moduli is None:
        return {}
    try:
        return {int(k): float(g) for k, g in moduli.items()}
    except (AttributeError, TypeError, ValueError):
        raise InvalidInput(
            f"{where}: moduli must be numbers by power, such as {{1: 6e6, 3: 2e9}}, got {short_repr(moduli)}"
        ).about("moduli") from None


def _half_branch(geometry: LoopGeometry, moduli: dict[int, float]) -> BranchSamples:
    """Half the force since the reversals over the deflection since them, without the polynomial."""
    low, high = float(geometry.u[0]), float(geometry.u[-1])
    middle = geometry.middle

    def beside(u: Any) -> Any:
        return sum(g * (u - middle) ** k for k, g in moduli.items()) if moduli else 0.0 * u

    tips = tip_forces(geometry)
    up, down = geometry.rising, geometry.falling
    parts = [
        (up.u - low, 0.5 * ((up.f - beside(up.u)) - (tips[0] - beside(low)))),
        (high - down.u, 0.5 * ((tips[1] - beside(high)) - (down.f - beside(down.u)))),
    ]
    x, y = (np.concatenate([part[i] for part in parts]) for i in (0, 1))
    order = np.argsort(x, kind="stable")
    if x.size < MIN_CURVE_SAMPLES:
        raise rule_error(geometry, f"its branches have {x.size} samples, an overshoot needs {MIN_CURVE_SAMPLES}")
    return BranchSamples(x[order], y[order], np.zeros_like(x))


def _measure_overshoot(
    geometry: LoopGeometry, branch: BranchSamples, final: float | None
) -> tuple[float, float, float]:
    """tau_OS, gamma_OS, tau_inf."""
    way = 2.0 * geometry.amplitude
    edges = np.linspace(0.0, way, PEAK_SCAN_MEANS + 1)
    place = np.clip(np.searchsorted(edges, branch.u, side="right") - 1, 0, PEAK_SCAN_MEANS - 1)
    count = np.bincount(place, minlength=PEAK_SCAN_MEANS)
    means = np.where(count > 0, np.bincount(place, branch.f, PEAK_SCAN_MEANS) / np.maximum(count, 1), -np.inf)
    i = int(np.argmax(means))
    peak_at = 0.5 * float(edges[i] + edges[i + 1])
    if tol.MIN_BRANCH_PEAKS * peak_at > way:
        raise rule_error(
            geometry,
            f"no overshoot: a branch is highest {peak_at / way:.0%} on its way; "
            f"the rule needs {1.0 / tol.MIN_BRANCH_PEAKS:.0%} or less",
        )
    peak = float(means[i])
    for _ in range(PEAK_ROUNDS):
        if (
            branch.within(0.0, tol.INITIAL_SLOPE_SHARE * peak_at).u.size < MIN_CURVE_SAMPLES
            or _samples_about_peak(branch, peak_at).u.size < MIN_CURVE_SAMPLES
        ):
            raise rule_error(
                geometry,
                f"an overshoot needs {MIN_CURVE_SAMPLES} samples before its peak and {MIN_CURVE_SAMPLES} about it; "
                "sample it finer",
            )
        peak, peak_at = _fit_peak(branch, peak_at)
    end = _final_value(geometry, branch, peak, peak_at) if final is None else _checked_final(final)
    if peak <= (1.0 + tol.MIN_OVERSHOOT_REL) * end:
        raise rule_error(geometry, f"no overshoot: a branch rises to {peak:.4g} and ends at {end:.4g}")
    return peak, peak_at, end


def _checked_final(final: Any) -> float:
    if isinstance(final, bool) or not isinstance(final, (int, float, np.number)) or not 0.0 < final < np.inf:
        raise InvalidInput(f"final must be a number > 0, got {short_repr(final)}").about("final")
    return float(final)


def _fit_peak(branch: BranchSamples, guess: float) -> tuple[float, float]:
    """The maximum of a quartic through the samples around a guess, over the logarithm of the way."""
    samples = _samples_about_peak(branch, guess)
    x = np.log(samples.u / guess)
    polynomial = np.polynomial.Polynomial(fit_polynomial(samples._replace(u=x), 4, 0.0, 1.0))
    grid = np.linspace(float(x[0]), float(x[-1]), 401)
    top = float(grid[int(np.argmax(polynomial(grid)))])
    slope, bend = polynomial.deriv(), polynomial.deriv(2)
    for _ in range(3):
        if bend(top) < 0.0:
            top = float(np.clip(top - slope(top) / bend(top), x[0], x[-1]))
    return float(polynomial(top)), guess * float(np.exp(top))


def _samples_about_peak(branch: BranchSamples, peak_at: float) -> BranchSamples:
    return branch.within(tol.PEAK_FIT_RANGE[0] * peak_at, tol.PEAK_FIT_RANGE[1] * peak_at)


def _initial_slope(branch: BranchSamples, peak_at: float) -> float:
    """Slope at the reversal, from a quartic through zero and the start of the branch."""
    samples = branch.within(0.0, tol.INITIAL_SLOPE_SHARE * peak_at)
    scale = tol.INITIAL_SLOPE_SHARE * peak_at
    x = samples.u / scale
    basis = np.stack([x, x**2, x**3, x**4], axis=1)
    return float(np.linalg.lstsq(basis, samples.f, rcond=None)[0][0]) / scale


def _final_value(geometry: LoopGeometry, branch: BranchSamples, peak: float, peak_at: float) -> float:
    """Final value, extrapolated from the means of the tail's thirds."""
    way = 2.0 * geometry.amplitude
    edges = np.linspace(tol.TAIL_BEGIN_PEAKS * peak_at, way, 4)
    means = []
    for a, b in pairwise(edges):
        samples = branch.within(float(a), float(b))
        if samples.u.size < 2:
            raise rule_error(
                geometry,
                "too few samples after the peak to find the end value of the branch; sample it finer",
            )
        means.append(float(np.trapezoid(samples.f, samples.u) / (samples.u[-1] - samples.u[0])))
    first, second = means[0] - means[1], means[1] - means[2]
    if first <= 0.0 or second <= 0.0 or second >= first:
        return means[2]
    end = means[2] - second * second / (first - second)
    q = second / first
    left = (means[2] - end) * _tail_end_ratio(q)
    if left > tol.MAX_LEFT_OVERSHOOT * max(peak - end, 0.0):
        raise rule_error(
            geometry,
            f"the overshoot has not died out: {left / max(peak - end, tol.AVOID_ZERO_DIVISION):.0%} of it is left at "
            f"the end; the rule needs {tol.MAX_LEFT_OVERSHOOT:.0%}",
            Advice("measure with a larger amplitude, or give {final}"),
        )
    return end


def _tail_end_ratio(q: float) -> float:
    """Value of an exponential at the end of a third over its mean there; q : its factor from third to third."""
    return float(-np.log(q) * q / (1.0 - q))


def _settling_place(
    geometry: LoopGeometry, branch: BranchSamples, peak: float, peak_at: float, end: float, within: float
) -> float:
    """gamma_p: where the falling part of the curve passes (1 + within) times its end."""
    if not 0.0 < within < 1.0:
        raise InvalidInput(f"within must be between 0 and 1, got {short_repr(within)}").about("within")
    level = (1.0 + within) * end
    if peak <= level:
        raise rule_error(
            geometry,
            f"the overshoot is {peak / end - 1.0:.1%}, below the {within:.0%} that tell where it is near its end",
            Advice("give a smaller {within}"),
        )
    beyond = branch.within(peak_at, 2.0 * geometry.amplitude)
    below = np.flatnonzero(np.minimum.accumulate(_neighbour_means(beyond.f)) <= level)
    if not below.size:
        raise rule_error(geometry, f"no branch comes within {within:.0%} of its end; measure with a larger amplitude")
    guess = float(beyond.u[below[0]])
    return _level_crossing(branch, guess, peak_at, level)


def _neighbour_means(f: Array) -> Array:
    """Moving averages; the window grows with the number of samples."""
    width = max(2 * (f.size // 100) + 1, 1)
    padded = np.pad(f, width // 2, mode="edge")
    means: Array = np.convolve(padded, np.full(width, 1.0 / width), mode="valid")
    return means


def _level_crossing(branch: BranchSamples, guess: float, peak_at: float, level: float) -> float:
    """Position where a cubic through the samples around a guess passes a level."""
    half = 0.35 * (guess - peak_at)
    samples = branch.within(guess - half, guess + half)
    if samples.u.size < MIN_CURVE_SAMPLES:
        return guess
    polynomial = fit_polynomial(samples, min(3, samples.u.size - 1), guess, half)
    polynomial[0] -= level
    roots = np.polynomial.Polynomial(polynomial).roots()
    near = [float(r.real) for r in roots if abs(r.imag) < tol.ROUNDING_REL and abs(r.real) <= 1.0]
    return guess + half * min(near, key=abs) if near else guess


def _curve_rms(curve: TwoExponentials, branch: BranchSamples) -> float:
    return float(np.sqrt(np.mean((curve.at(branch.u) - branch.f) ** 2)))
