"""`trend`: a law fitted at each frequency, and whether its parameters depend on frequency (fibre, Fig. 16).

A straight line over the logarithm of frequency is fitted to each parameter, weighted by its uncertainty. If the values
scatter more than their uncertainties allow, the interval of the slope grows accordingly.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np

from slipstick.errors import InvalidInput, arguments_in_words, short_repr
from slipstick.identification import tolerances as tol
from slipstick.identification.identify import identify, no_progress
from slipstick.identification.loop import Loop
from slipstick.identification.preparing.cycle_figures import loop_frequency
from slipstick.identification.preparing.value_groups import groups_within_factor
from slipstick.laws.base import Law
from slipstick.laws.generalised_dahl import WithEnvelope
from slipstick.results.fit import Estimate, Fit
from slipstick.results.tolerances import CONFIDENCE_LEVEL
from slipstick.results.trend import Trend, TrendLine

Groups = dict[float, list[Loop]]


@arguments_in_words
def trend(
    groups: Any,
    law: type[Law] | Law | WithEnvelope | str,
    fixed: Mapping[str, float] | None = None,
    bounds: Mapping[str, Sequence[float]] | None = None,
    priors: Mapping[str, Sequence[float]] | None = None,
    *,
    deflection_noise: float | None = None,
    evaluations: int | None = None,
    progress: Callable[[str, float], None] | None = None,
) -> Trend:
    """Fit a law at each frequency, and a line through each parameter over frequency.

    groups : loops with known frequencies; or {frequency [Hz]: loops}; or {name of a set of samples: either}.
    law, fixed, bounds, priors, evaluations : as in `identify`.   deflection_noise : [m] of all loops.
    progress : called with the current step, in words, and the share of all work that is done.
    """
    sets = _sample_sets(groups)
    report, done, total = progress or no_progress, 0, sum(len(estimate) for estimate in sets.values())
    options: dict[str, Any] = {"fixed": fixed, "bounds": bounds, "priors": priors}
    options |= {"deflection_noise": deflection_noise, "evaluations": evaluations}
    fits: dict[str, dict[float, Fit]] = {}
    for name, by_frequency in sets.items():
        fits[name] = {}
        start: Any = law
        for hertz, loops in by_frequency.items():
            report(f"{name} {hertz:g} Hz".strip(), done / total)
            fit = identify(loops, start, **options)
            if start is not law and not fit.within_noise:  # the law of the previous frequency may be a poor start
                refit = identify(loops, law, **options)
                fit = refit if refit.residual < fit.residual else fit
            fits[name][hertz] = fit
            start, done = fit.law, done + 1
    report("done", 1.0)
    lines = {name: _trend_lines(by_frequency) for name, by_frequency in fits.items()}
    first = next(iter(next(iter(fits.values())).values()))
    return Trend(law if isinstance(law, str) else first.kind, fits, lines)


# ---- groups


def _sample_sets(groups: Any) -> dict[str, Groups]:
    """Sets of samples by name, with loops by frequency."""
    if isinstance(groups, Mapping) and groups and all(isinstance(key, str) for key in groups):
        return {name: _by_frequency(loops, f'set "{name}"') for name, loops in groups.items()}
    return {"": _by_frequency(groups, "trend")}


def _by_frequency(groups: Any, where: str) -> Groups:
    if isinstance(groups, Mapping):
        by_frequency: Groups = {}
        for key, loops in groups.items():
            if isinstance(key, bool) or not isinstance(key, Real) or not 0.0 < float(key) < float("inf"):
                raise InvalidInput(f"{where}: a frequency must be a finite number > 0 [Hz], got {short_repr(key)}")
            by_frequency[float(key)] = [loops] if isinstance(loops, Loop) else list(loops)
        by_frequency = dict(sorted(by_frequency.items()))
    else:
        by_frequency = _group_by_frequency(groups, where)
    if len(by_frequency) < 2:
        count = len(by_frequency)
        raise InvalidInput(f"{where}: a trend needs loops at two frequencies or more, got {count}").about("groups")
    return by_frequency


def _group_by_frequency(loops: Any, where: str) -> Groups:
    """Loops grouped by their frequencies, given or from their cycles."""
    if not isinstance(loops, Sequence) or not all(isinstance(loop, Loop) for loop in loops):
        words = "a list of Loops, {frequency [Hz]: loops}, or {name of a set: either}"
        raise InvalidInput(f"{where} needs {words}, got {short_repr(loops)}").about("groups")
    hertz = [_frequency(loop, where) for loop in loops]
    groups = groups_within_factor(hertz, tol.SAME_FREQUENCY_FACTOR)
    return {float(f"{np.mean([hertz[i] for i in group]):.4g}"): [loops[i] for i in group] for group in groups}


def _frequency(loop: Loop, where: str) -> float:
    frequency = loop_frequency(loop)
    if not np.isfinite(frequency):
        raise InvalidInput(
            f"{loop.name} has no frequency",
            owner=where,
            argument="groups",
            advice=["give Loop(..., frequency=) or times, or {frequency [Hz]: loops}"],
        )
    return frequency


# ---- lines


def _trend_lines(fits: Mapping[float, Fit]) -> dict[str, TrendLine]:
    """Lines through every parameter fitted at all frequencies, and every derived quantity."""
    all_fits = list(fits.values())
    names = [n for n in all_fits[0].free if all(n in fit.free for fit in all_fits)]
    derived = [n for n in all_fits[0].derived if all(n in fit.derived for fit in all_fits)]
    hertz = list(fits)
    return {name: fit_trend_line(name, hertz, [fit.parameters[name] for fit in all_fits]) for name in names} | {
        name: fit_trend_line(name, hertz, [fit.derived[name] for fit in all_fits]) for name in derived
    }


def fit_trend_line(name: str, hertz: Sequence[float], values: Sequence[Estimate]) -> TrendLine:
    """Weighted straight line through estimates over decades of frequency, without undetermined ones.

    With fewer than two determined estimates, the slope is NaN.
    """
    from scipy.stats import chi2, norm, t

    unit, determined = values[0].unit, [np.isfinite(estimate.deviation) for estimate in values]
    decades = np.log10(np.asarray(hertz, dtype=float)[determined])
    values = [estimate for estimate, is_determined in zip(values, determined, strict=True) if is_determined]
    if len(values) < 2:
        where = float(hertz[determined.index(True)]) if values else float(hertz[0])
        value, deviation = (values[0].value, values[0].deviation) if values else (float("nan"), float("inf"))
        return TrendLine(name, unit, where, value, deviation, float("nan"), float("-inf"), float("inf"), float("nan"))
    middle = float(decades.mean())
    y = np.array([estimate.value for estimate in values])
    spread = np.array(
        [max(estimate.deviation, 1e-12 * abs(estimate.value), tol.AVOID_ZERO_DIVISION) for estimate in values]
    )
    basis = np.stack((np.ones_like(decades), decades - middle), axis=1) / spread[:, None]
    covariance = np.linalg.inv(basis.T @ basis)
    value, slope = covariance @ basis.T @ (y / spread)
    free = len(values) - 2
    squares = float(np.sum((y / spread - basis @ (value, slope)) ** 2))
    scatter, half = 1.0, float(norm.ppf(0.5 + 0.5 * CONFIDENCE_LEVEL))
    if free > 0:
        scatter = float(np.sqrt(squares / free))
        if squares > chi2.ppf(CONFIDENCE_LEVEL, free):  # more scatter than the uncertainties allow
            covariance *= squares / free
            half = float(t.ppf(0.5 + 0.5 * CONFIDENCE_LEVEL, free))
    deviation, slope_deviation = np.sqrt(np.diag(covariance))
    return TrendLine(
        name, unit, float(10.0**middle), float(value), float(deviation), float(slope),
        float(slope - half * slope_deviation), float(slope + half * slope_deviation), scatter,
    )  # fmt: skip
