"""What a ranking says, in one sentence: which law fits, by what it won; or that none does, and by how much."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from slipstick.identification.preparing.noise_level import NoiseEstimate, first_to_last_change
from slipstick.identification.preparing.prepared_loop import PreparedLoop
from slipstick.results.ranking import DECISIVE_BIC_DIFFERENCE, RankedLaw
from slipstick.units.number_format import format_percent

EQUAL_RESIDUAL_RATIO = 1.02  # times the residual: as good
HELD_OUT_GAIN_RATIO = 0.8  # times the error on loops left out: so much less is worth saying


def describe_noise(found: Sequence[PreparedLoop]) -> tuple[float, str]:
    """The noise of the force, and the same in words with what it is known from."""
    noise = float(np.median([r.loop.noise for r in found]))
    return noise, f"the noise of {_format_force(noise, found)} ({_common_noise_source(found).how})"


def _format_force(value: float, found: Sequence[PreparedLoop]) -> str:
    """A force with its unit, that of the first file."""
    return found[0].loop.units.force.words(value, 3)


def _common_noise_source(found: Sequence[PreparedLoop]) -> NoiseEstimate:
    """A noise that is known as most are."""
    ((how, _),) = Counter(r.loop.noise_source for r in found).most_common(1)
    return next(r.loop.noise_estimate for r in found if r.loop.noise_source == how)


def ranking_verdict(fitted: Sequence[RankedLaw], found: Sequence[PreparedLoop]) -> str:
    """One sentence; fitted : best first."""
    noise, words = describe_noise(found)
    best = fitted[0]
    assert best.fit is not None
    if best.fit.within_noise and not any(r.encloses for r in found):
        which = "the loop encloses" if len(found) == 1 else "the loops enclose"
        return (
            f"{which} no area beyond {words}: nothing is seen to slip, so that laws of friction cannot be told apart, "
            'nor from a spring ("linear"); measure with a larger amplitude'
        )
    if not best.fit.within_noise:
        inside = next((row.name for row in fitted if row.fit is not None and row.fit.within_noise), "")
        said = f"{best.name} is first by the criterion, though only {inside} and maybe others fit within {words}"
        return (said if inside else _none_fits(best, noise, words, found)) + _better_predictor(fitted, found)
    if len(fitted) == 1:
        return f"{best.name} fits within {words}; it was the only one"
    second = fitted[1]
    assert second.fit is not None
    lead = second.criterion - best.criterion
    if lead < DECISIVE_BIC_DIFFERENCE:
        pair = f"{best.name} and {second.name}"
        leave = f"{_format_force(best.fit.residual, found)} and {_format_force(second.fit.residual, found)} rms"
        return f"the data cannot decide between {pair} (a lead of {lead:.2g}): they leave {leave}; {words}"
    fewer = len(best.fit.free) < len(second.fit.free)
    reason = (
        f"with {len(best.fit.free)} numbers it leaves what {second.name} leaves with {len(second.fit.free)}"
        if fewer and second.fit.residual < EQUAL_RESIDUAL_RATIO * best.fit.residual
        else f"it leaves {_format_force(best.fit.residual, found)} rms, {second.name} "
        f"{_format_force(second.fit.residual, found)}"
    )
    return f"{best.name} fits best: {reason}; within {words}{_better_predictor(fitted, found)}"


def _none_fits(best: RankedLaw, noise: float, words: str, found: Sequence[PreparedLoop]) -> str:
    """By how much the nearest is off, and if the loop itself changes."""
    assert best.fit is not None
    worst = max(best.fit.loops, key=lambda loop: loop.rms / loop.noise)
    off = _format_force(best.fit.residual, found)
    said = f"none fits within {words}: the best, {best.name}, is off by {off} rms"
    share = f"{format_percent(worst.rms / worst.range)} of its range of force"
    if len(best.fit.loops) > 1:
        said += f" over all loops, at worst by {worst.rms / worst.noise:.3g} times the noise and {share} ({worst.name})"
    else:
        said += f", {share} and {best.fit.residual / noise:.3g} times the noise"
    if _common_noise_source(found).source.compares_samples:
        said += "; noise that was filtered does not show in neighbours: several cycles of the same motion would tell"
    changing = [first_to_last_change(r.loop) for r in found]
    if max(changing) > noise:
        said += (
            f"; the loop itself changes, by {_format_force(max(changing), found)} rms from its first cycle to its last"
        )
    return said


def _better_predictor(fitted: Sequence[RankedLaw], found: Sequence[PreparedLoop]) -> str:
    """If another law tells better what was left out."""
    best = fitted[0]
    other = min(fitted, key=lambda row: row.validation)
    if not other.validation < HELD_OUT_GAIN_RATIO * best.validation:
        return ""
    return (
        f"; but {other.name} misses loops that were left out by {_format_force(other.validation, found)} rms only, "
        f"{best.name} by {_format_force(best.validation, found)}"
    )
