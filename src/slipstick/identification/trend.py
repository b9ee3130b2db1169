"""`trend`: a law fitted at each frequency by itself, and whether its numbers depend on frequency (fibre, Fig. 16).

Through each number goes a straight line over the logarithm of frequency, by least squares; every value counts by its
own uncertainty. Where values lie farther from the line than these allow, its interval grows by as much.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np

from slipstick.errors import InvalidInput, arguments_in_words, short_repr
from slipstick.identification.identify import identify, no_progress
from slipstick.identification.loop import Loop
from slipstick.identification.preparing.cycle_figures import loop_frequency
from slipstick.identification.preparing.value_groups import groups_within_factor
from slipstick.laws.base import Law
from slipstick.laws.generalised_dahl import WithEnvelope
from slipstick.results.fit import CONFIDENCE_LEVEL, Estimate, Fit
from slipstick.results.trend import Trend, TrendLine

SAME_FREQUENCY_FACTOR = 1.02  # frequencies that differ by a smaller factor are the same
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
    """Fit a law at each frequency and tell which of its numbers depend on it.

    groups : loops, which know their frequencies; or {frequency [Hz]: loops}; or {name of a set of samples: either}.
    law, fixed, bounds, priors, evaluations : as `identify` has them.   deflection_noise : [m] of all loops.
    progress : called with what is being done, in words, and the share of all that is done.
    """
    sets = _sample_sets(groups)
    say, done, total = progress or no_progress, 0, sum(len(own) for own in sets.values())
    asked: dict[str, Any] = {"fixed": fixed, "bounds": bounds, "priors": priors}
    asked |= {"deflection_noise": deflection_noise, "evaluations": evaluations}
    fits: dict[str, dict[float, Fit]] = {}
    for name, own in sets.items():
        fits[name] = {}
        start: Any = law
        for hertz, loops in own.items():
            say(f"{name} {hertz:g} Hz".strip(), done / total)
            fit = identify(loops, start, **asked)
            if start is not law and not fit.within_noise:  # a neighbour's law may be a poor start
                again = identify(loops, law, **asked)
                fit = again if again.residual < fit.residual else fit
            fits[name][hertz] = fit
            start, done = fit.law, done + 1
    say("done", 1.0)
    lines = {name: _trend_lines(own) for name, own in fits.items()}
    first = next(iter(next(iter(fits.values())).values()))
    return Trend(law if isinstance(law, str) else first.kind, fits, lines)


# ---- groups


def _sample_sets(groups: Any) -> dict[str, Groups]:
    """Sets of samples by name, each with its loops by frequency."""
    if isinstance(groups, Mapping) and groups and all(isinstance(key, str) for key in groups):
        return {name: _by_frequency(own, f'set "{name}"') for name, own in groups.items()}
    return {"": _by_frequency(groups, "trend")}


def _by_frequency(given: Any, who: str) -> Groups:
    if isinstance(given, Mapping):
        found: Groups = {}
        for key, own in given.items():
            if isinstance(key, bool) or not isinstance(key, Real) or not 0.0 < float(key) < float("inf"):
                raise InvalidInput(f"{who}: a frequency must be a finite number > 0 [Hz], got {short_repr(key)}")
            found[float(key)] = [own] if isinstance(own, Loop) else list(own)
        found = dict(sorted(found.items()))
    else:
        found = _group_by_frequency(given, who)
    if len(found) < 2:
        raise InvalidInput(f"{who}: a trend needs loops at two frequencies or more, got {len(found)}").about("groups")
    return found


def _group_by_frequency(given: Any, who: str) -> Groups:
    """Loops by the frequencies that they know, or that their cycles have."""
    if not isinstance(given, Sequence) or not all(isinstance(loop, Loop) for loop in given):
        words = "a list of Loops, {frequency [Hz]: loops}, or {name of a set: either}"
        raise InvalidInput(f"{who} needs {words}, got {short_repr(given)}").about("groups")
    hertz = [_frequency(loop, who) for loop in given]
    groups = groups_within_factor(hertz, SAME_FREQUENCY_FACTOR)
    return {float(f"{np.mean([hertz[i] for i in own]):.4g}"): [given[i] for i in own] for own in groups}


def _frequency(loop: Loop, who: str) -> float:
    found = loop_frequency(loop)
    if not np.isfinite(found):
        raise InvalidInput(
            f"{loop.name} has no frequency",
            owner=who,
            argument="groups",
            advice=["give Loop(..., frequency=) or times, or {frequency [Hz]: loops}"],
        )
    return found


# ---- lines


def _trend_lines(fits: Mapping[float, Fit]) -> dict[str, TrendLine]:
    """Through every number that was sought at all frequencies, and every figure derived from them."""
    all_fits = list(fits.values())
    names = [n for n in all_fits[0].free if all(n in fit.free for fit in all_fits)]
    derived = [n for n in all_fits[0].derived if all(n in fit.derived for fit in all_fits)]
    hertz = list(fits)
    return {name: fit_trend_line(name, hertz, [fit.parameters[name] for fit in all_fits]) for name in names} | {
        name: fit_trend_line(name, hertz, [fit.derived[name] for fit in all_fits]) for name in derived
    }


def fit_trend_line(name: str, hertz: Sequence[float], values: Sequence[Estimate]) -> TrendLine:
    """The straight line through estimates over the decades of frequency; those that the data do not tell are left out.

    With fewer than two that are told its growth is not known.
    """
    from scipy.stats import chi2, norm, t

    unit, told = values[0].unit, [np.isfinite(own.deviation) for own in values]
    decades = np.log10(np.asarray(hertz, dtype=float)[told])
    values = [own for own, is_told in zip(values, told, strict=True) if is_told]
    if len(values) < 2:
        where = float(hertz[told.index(True)]) if values else float(hertz[0])
        value, wide = (values[0].value, values[0].deviation) if values else (float("nan"), float("inf"))
        return TrendLine(name, unit, where, value, wide, float("nan"), float("-inf"), float("inf"), float("nan"))
    middle = float(decades.mean())
    y = np.array([own.value for own in values])
    spread = np.array([max(own.deviation, 1e-12 * abs(own.value), 1e-300) for own in values])
    basis = np.stack((np.ones_like(decades), decades - middle), axis=1) / spread[:, None]
    covariance = np.linalg.inv(basis.T @ basis)
    value, slope = covariance @ basis.T @ (y / spread)
    free = len(values) - 2
    squares = float(np.sum((y / spread - basis @ (value, slope)) ** 2))
    scatter, half = 1.0, float(norm.ppf(0.5 + 0.5 * CONFIDENCE_LEVEL))
    if free > 0:
        scatter = float(np.sqrt(squares / free))
        if squares > chi2.ppf(CONFIDENCE_LEVEL, free):  # more than the values' own uncertainties allow
            covariance *= squares / free
            half = float(t.ppf(0.5 + 0.5 * CONFIDENCE_LEVEL, free))
    deviation, wide = np.sqrt(np.diag(covariance))
    return TrendLine(
        name, unit, float(10.0**middle), float(value), float(deviation), float(slope),
        float(slope - half * wide), float(slope + half * wide), scatter,
    )  # fmt: skip
