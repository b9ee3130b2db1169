"""The verdict of a ranking, in one sentence: which law fits best and why, or that none fits, and by how much."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from slipstick.identification import tolerances as tol
from slipstick.identification.preparing.noise_level import NoiseEstimate, first_to_last_change
from slipstick.identification.preparing.prepared_loop import PreparedLoop
from slipstick.results.ranking import RankedLaw
from slipstick.results.tolerances import DECISIVE_BIC_DIFFERENCE


def describe_noise(prepared: Sequence[PreparedLoop]) -> tuple[float, str]:
    """Noise of the force, and a text with its source."""
    noise = float(np.median([r.loop.noise for r in prepared]))
    return noise, f"the noise of {_format_force(noise, prepared)} ({_common_noise_source(prepared).how})"


def _format_force(value: float, prepared: Sequence[PreparedLoop]) -> str:
    """A force in the unit of the first file."""
    return prepared[0].loop.units.force.words(value, 3)


def _common_noise_source(prepared: Sequence[PreparedLoop]) -> NoiseEstimate:
    """A noise estimate of the most common source."""
    ((how, _),) = Counter(r.loop.noise_source for r in prepared).most_common(1)
    return next(r.loop.noise_estimate for r in prepared if r.loop.noise_source == how)


def ranking_verdict(fitted: Sequence[RankedLaw], prepared: Sequence[PreparedLoop]) -> str:
    """The verdict; fitted : best first."""
    noise, words = describe_noise(prepared)
    best = fitted[0]
    assert best.fit is not None
    if best.fit.within_noise and not any(r.encloses_area for r in prepared):
        which = "the loop encloses" if len(prepared) == 1 else "the loops enclose"
        return (
            f"{which} no area beyond {words}: no slip is visible, so the data cannot distinguish friction laws from "
            'each other or from a spring ("linear"); measure with a larger amplitude'
        )
    if not best.fit.within_noise:
        inside = next((row.name for row in fitted if row.fit is not None and row.fit.within_noise), "")
        text = f"{best.name} has the smallest BIC, but only {inside} and perhaps others fit within {words}"
        return (text if inside else _none_fits(best, noise, words, prepared)) + _better_predictor(fitted, prepared)
    if len(fitted) == 1:
        return f"{best.name} fits within {words}; no other law was compared"
    second = fitted[1]
    assert second.fit is not None
    lead = second.criterion - best.criterion
    if lead < DECISIVE_BIC_DIFFERENCE:
        lead = abs(lead)
        pair = f"{best.name} and {second.name}"
        rms = f"{_format_force(best.fit.residual, prepared)} and {_format_force(second.fit.residual, prepared)} rms"
        return f"the data cannot decide between {pair} (BIC difference {lead:.2g}): residuals {rms}; {words}"
    fewer = len(best.fit.free) < len(second.fit.free)
    reason = (
        f"with {len(best.fit.free)} parameters it fits as well as {second.name} with {len(second.fit.free)}"
        if fewer and second.fit.residual < tol.EQUAL_RESIDUAL_RATIO * best.fit.residual
        else f"residual {_format_force(best.fit.residual, prepared)} rms, that of {second.name} "
        f"{_format_force(second.fit.residual, prepared)}"
    )
    return f"{best.name} fits best: {reason}; within {words}{_better_predictor(fitted, prepared)}"


def _none_fits(best: RankedLaw, noise: float, words: str, prepared: Sequence[PreparedLoop]) -> str:
    """Misfit of the best law, and whether the loop itself changes."""
    assert best.fit is not None
    worst = max(best.fit.loops, key=lambda loop: loop.rms / loop.range)
    noisiest = max(loop.rms / loop.noise for loop in best.fit.loops)
    off = _format_force(best.fit.residual, prepared)
    text = f"none fits within {words}: the best, {best.name}, is off by {off} rms"
    share = f"{100.0 * worst.rms / worst.range:.2g} % of its range of force"
    if len(best.fit.loops) > 1:
        text += f" over all loops, at worst by {share} ({worst.name}) and {noisiest:.3g} times the noise"
    else:
        text += f", {share} and {best.fit.residual / noise:.3g} times the noise"
    if best.fit.grade.good_for:
        text += f"; it is good for {', '.join(best.fit.grade.good_for)}"
    if _common_noise_source(prepared).source.compares_samples:
        text += "; filtered noise does not show between neighbours: measure several cycles of the same motion"
    changing = [first_to_last_change(r.loop) for r in prepared]
    if max(changing) > noise:
        text += f"; the loop itself changes by {_format_force(max(changing), prepared)} rms from first to last cycle"
    return text


def _better_predictor(fitted: Sequence[RankedLaw], prepared: Sequence[PreparedLoop]) -> str:
    """A remark if another law has a clearly smaller held-out error."""
    best = fitted[0]
    other = min(fitted, key=lambda row: row.validation)
    if not other.validation < tol.HELD_OUT_GAIN_RATIO * best.validation:
        return ""
    return (
        f"; but the held-out error of {other.name} is only {_format_force(other.validation, prepared)} rms, that of "
        f"{best.name} {_format_force(best.validation, prepared)}"
    )
