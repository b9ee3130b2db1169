"""The next cycle to measure on a rig: without candidates of the user, and to separate two laws.

Two fits with forces f1, f2 along a cycle, and derivatives J2 by the parameters of the second, differ there by what no
parameters of the second absorb within its information I2:

    r = f1 - f2 - J2 x,    x the minimum of |r|^2 / s^2 + x' I2 x

with s their larger residual (Atkinson and Fedorov, Biometrika 62, 1975, with a linearised second law).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import InvalidInput, SlipstickError, short_repr
from slipstick.results.fit import Fit
from slipstick.results.ranking import Ranking
from slipstick.results.recommendation import Separation, SeparationTest
from slipstick.sensitivity.advise import advise_fit, checked_cycles, fit_information, force_slopes

CYCLE_SAMPLES, CYCLES = 200, 2
AMPLITUDES = {"a quarter of": 0.25, "half": 0.5, "twice": 2.0, "four times": 4.0}  # of the largest loop


def usual_cycles(fit: Fit) -> dict[str, Any]:
    """Sine cycles of other amplitudes than the largest measured one, at its frequency."""
    largest = max(fit.loops, key=lambda loop: loop.amplitude)
    u = largest.amplitude * np.sin(2.0 * np.pi * np.arange(CYCLES * CYCLE_SAMPLES + 1) / CYCLE_SAMPLES)
    t = np.arange(u.size) / (CYCLE_SAMPLES * largest.frequency) if np.isfinite(largest.frequency) else None
    middle = 0.5 * float(largest.u.max() + largest.u.min())
    cycles = {f"a cycle of {words} the largest amplitude": middle + share * u for words, share in AMPLITUDES.items()}
    return {name: own if t is None else (t, own) for name, own in cycles.items()}


def separate_fits(fit: Fit, other: Any, candidates: Mapping[str, Any] | None) -> Separation:
    """The candidate deflection along which two laws differ most."""
    if not isinstance(other, Fit):
        raise InvalidInput(f"against must be another fit of the same loops, got {short_repr(other)}").about("against")
    for each in (fit, other):
        if each.model is None or each.law is None:
            raise InvalidInput("the law of this fit is not in its file; identify it again")
    noise = max(fit.noise, fit.residual, other.residual)
    information = fit_information(other)
    tests = []
    for name, (t, u) in checked_cycles(usual_cycles(fit) if candidates is None else candidates).items():
        force, further = (np.asarray(each.law.trace(u, t)) for each in (fit, other))
        slopes = force_slopes(other, u, t) * information.values / noise
        left = _not_absorbed((force - further) / noise, slopes, information.information)
        ratio = float(np.sqrt(np.mean(left**2)))
        tests.append(SeparationTest(name, ratio, ratio * noise))
    tests.sort(key=lambda test: -test.ratio)
    return Separation((fit.kind, other.kind), fit.units.force.unit, fit.units.force.factor, tuple(tests))


def _not_absorbed(difference: Array, slopes: Array, information: Array) -> Array:
    """The part of a difference that no parameters of the second law absorb; all over the noise."""
    x = np.linalg.lstsq(slopes.T @ slopes + information, slopes.T @ difference, rcond=1e-12)[0]
    return np.asarray(difference - slopes @ x)


def next_test_sentence(result: Fit | Ranking) -> str:
    """What to measure next, in one sentence; empty where that is not known."""
    try:
        if isinstance(result, Fit):
            return advise_fit(result, usual_cycles(result)).sentence if result.free else ""
        fits = [row.fit for row in result.table if row.fit is not None]
        return separate_fits(fits[0], fits[1], None).sentence if len(fits) > 1 else ""
    except SlipstickError:  # a law from a file, or outside its valid range at another amplitude
        return ""
