"""Warnings about a fit: parameters that the data do not determine, and places where the law misfits."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from slipstick.errors import Advice, Message
from slipstick.identification.intervals.identifiability import Identifiability
from slipstick.identification.law_traits import traits_of
from slipstick.identification.preparing.noise_level import NoiseSource, repeating_residual_rms
from slipstick.identification.preparing.prepared_loop import PreparedLoop
from slipstick.identification.reading.unitless import unitless_file_among
from slipstick.identification.search.least_squares import FitProblem, SearchResult
from slipstick.identification.search.problem_setup import DAMPING_FIELDS
from slipstick.laws.base import Law
from slipstick.results.fit import WITHIN_NOISE_RATIO, Estimate, Estimates, LoopFit
from slipstick.units.scales import LoopUnits

Array = NDArray[np.float64]

INSEPARABLE_CORRELATION = 0.98  # correlation above which two numbers are told together, not apart
WIDE_HALF_WIDTH_REL = 0.5  # half width of an interval over the value
# ... over the size of a number, a tenth of what data of such forces and deflections could make it
WIDE_HALF_WIDTH_SIZE_REL = 0.1
SERIAL_CORRELATION_MIN = 0.3  # correlation of neighbouring residuals that is no chance
REPEATING_NOISE_SHARE = 0.3  # of the noise: what repeats and is smaller is not worth a word
ROUNDING_FORCE_REL = 1e-12  # of the range of force: what is left is no more than digits
SAME_FREQUENCY_RATIO = 1.5  # largest over smallest: closer, viscous damping is not told from the change with frequency
ZERO_PARAMETER_REL = 1e-6  # of the size of a number: it is rounding
ENVELOPE_GAP_SHARE = 0.05  # of the distance of the envelopes: what is left of the way to one


def warnings_of(
    task: FitProblem,
    answer: SearchResult,
    estimates: Estimates,
    told: Identifiability,
    loops: tuple[LoopFit, ...],
    found: list[PreparedLoop],
) -> tuple[str, ...]:
    """All of them, the gravest first."""
    words = _unitless(found)
    if not answer.converged:
        more, s = 2 * task.budget, "s" * (task.budget > 1)
        words.append(
            Message(
                f"the search did not converge: it ended at its budget of {task.budget} evaluation{s}, with the best "
                "values so far",
                advice=[Advice("raise it with {evaluations}, or fix a number", evaluations=more)],
            )
        )
    words += _not_compared(loops, found)
    words += _misfit_warnings(loops)
    words += _spikes(loops, found)
    words += [
        f"{r.loop.name}: the sensor of deflection was at its end where the motion turned, and nobody knows where that "
        "was: numbers of the law may be far off; measure with a longer range"
        for r in found
        if r.is_clipped
    ]
    words += _negative_dampers(task, estimates, loops)
    words += _lines_without_area(found)
    words += _envelopes_not_reached(task.law(answer.x), found)
    words += dict.fromkeys(said for r in found for said in r.drive.warnings_of(task.law(answer.x)))
    words += _undetermined(task, estimates, loops[0].units)
    words += _at_bounds(task, answer, loops[0].units)
    words += _inseparable(task, told.correlation)
    words += _correlated_residuals(task, answer, loops, told)
    words += _repeating_residuals(loops, found)
    return tuple(words)


def _unitless(found: list[PreparedLoop]) -> list[str]:
    """Loops of files that say no unit, and are so large in SI that they are hardly meant so."""
    bare = unitless_file_among([r.loop for r in found])
    if bare is None or not bare.guess:
        return []
    units = {"deflection": bare.guess, "force": "kN"}
    way = Advice(f"if it is in others, write them into its header, u [{bare.guess}], or give {{units}}", units=units)
    return [Message(bare.words, advice=[way])]


def _not_compared(loops: tuple[LoopFit, ...], found: list[PreparedLoop]) -> list[str]:
    """Samples that are left out for a reason that was known before any fit."""
    return [
        f"{loop.name}: only {loop.samples} of {loop.given} samples are compared: {'; '.join(r.left_out)}"
        for loop, r in zip(loops, found, strict=True)
        if loop.samples < loop.given
    ]


def _spikes(loops: tuple[LoopFit, ...], found: list[PreparedLoop]) -> list[str]:
    """Samples of force far off their neighbours, which count in the residual and hardly in the numbers."""
    words = []
    for loop, r in zip(loops, found, strict=True):
        if r.spikes is None or not r.spikes.any():
            continue
        calm = (loop.fitted - loop.f)[loop.counts & ~r.spikes]
        rest = loop.units.force.words(float(np.sqrt(np.mean(calm**2))), 3)
        words.append(
            f"{loop.name}: the force of {int(r.spikes.sum())} of {loop.given} samples stands far off its neighbours; "
            f"they count in the residual, which is {rest} rms over the others, and pull little on the numbers: look at "
            "them, and mend the file"
        )
    return words


def _misfit_warnings(loops: tuple[LoopFit, ...]) -> list[str]:
    off = [loop for loop in loops if loop.rms > WITHIN_NOISE_RATIO * loop.noise]
    if not off:
        return []
    worst = max(off, key=lambda loop: loop.rms / loop.noise)
    force = worst.units.force
    return [
        f"the law does not fit within the noise: {worst.name} is off by {force.words(worst.rms, 3)} rms "
        f"({100.0 * worst.rms / worst.range:.2g} % of its range of force), the noise is {force.words(worst.noise, 3)}"
        + (f"; {_others(len(off) - 1)} too" if len(off) > 1 else "")
    ]


def _negative_dampers(task: FitProblem, estimates: Estimates, loops: tuple[LoopFit, ...]) -> list[str]:
    """Dampers that would feed a motion; or that a law which does not fit may only have taken from another friction."""
    sizes = {
        task.unknowns.names[p]: size
        for p, size in zip(task.free, task.size, strict=True)
        if task.unknowns.each[p].field in DAMPING_FIELDS
    }
    dampers = list(sizes)
    shown = {name: estimates[name].shown_in(loops[0].units) for name in dampers}
    rates = [loop.frequency for loop in loops]
    one_frequency = max(rates) <= SAME_FREQUENCY_RATIO * min(rates)
    below = [name for name in dampers if estimates[name].value < -ZERO_PARAMETER_REL * sizes[name]]
    words = [_negative_damper_warning(name, shown[name], one_frequency) for name in below]
    told = [name for name in dampers if estimates[name].low > 0.0]
    if told and one_frequency and any(loop.rms > WITHIN_NOISE_RATIO * loop.noise for loop in loops):
        words.append(
            f"{told[0]} is told by the shape of loops of one frequency only, and the law does not fit it: it may be "
            "friction of another shape; add a loop of another frequency, or fix it at 0"
        )
    return words


def _negative_damper_warning(name: str, own: Estimate, one_frequency: bool) -> str:
    """A damper that feeds a motion: by what the data say, or only because they do not tell it from none."""
    said = f"{name} is negative, {own.value:.3g}{_unit_suffix(own.unit)}"
    if own.high < 0.0:
        way = Advice("fix it at 0, with {fixed}, or take another law", fixed={name: 0})
        words = f"{said}: with it motions grow; the loop is rounder or sharper than the law"
        return Message(words, advice=[way])
    why = "loops of one frequency hardly tell it" if one_frequency else "the loops do not tell it from 0"
    more = ", or add a loop of another frequency" if one_frequency else ""
    return Message(
        f"{said}, and may as well be 0 (95 %: {own.interval('{:.2g}'.format)}): {why}, and with it motions grow",
        advice=[Advice(f"fix it at 0, with {{fixed}}{more}", fixed={name: 0})],
    )


def _others(count: int) -> str:
    return f"{count} other loop{'s' * (count != 1)}"


def _lines_without_area(found: list[PreparedLoop]) -> list[str]:
    """Loops that are lines: nothing in them slips."""
    if any(r.encloses for r in found):
        return []
    which = f"{found[0].loop.name} encloses" if len(found) == 1 else f"the {len(found)} loops enclose"
    return [
        f"{which} no area beyond the noise: nothing is seen to slip, and friction cannot be told from a spring; "
        "measure with a larger amplitude"
    ]


def _undetermined(task: FitProblem, estimates: Estimates, units: LoopUnits) -> list[str]:
    words = []
    for place, size in zip(task.free, task.size, strict=True):
        name = task.unknowns.names[place]
        # what may have either sign may be nothing: it is told if its interval is little beside the data
        slight = WIDE_HALF_WIDTH_SIZE_REL * size if task.unknowns.each[place].low < 0.0 else 0.0
        own = estimates[name]
        half = 0.5 * (own.high - own.low)
        if not np.isfinite(half) or half > max(WIDE_HALF_WIDTH_REL * abs(own.value), slight, 1e-300):
            own = own.shown_in(units)
            words.append(
                f"the data hardly tell {name}: its interval is {_interval(own)}; fix it, or add a loop of another "
                "amplitude"
            )
    return words


def _interval(own: Estimate) -> str:
    """With its unit; of one that is open above, what the data do tell."""
    said = f"{own.interval('{:.3g}'.format)}{_unit_suffix(own.unit) if np.isfinite(own.high) else ''}"
    if np.isfinite(own.high) or not own.low > 0.0:
        return said
    return f"{said}: the data only tell that it is at least {own.low:.3g}{_unit_suffix(own.unit)}"


def _unit_suffix(unit: str) -> str:
    return "" if unit == "1" else f" {unit}"


def _at_bounds(task: FitProblem, answer: SearchResult, units: LoopUnits) -> list[str]:
    low, high = task.bounds()
    words = []
    for i, place in enumerate(task.free):
        unknown = task.unknowns.each[place]
        room = 1e-6 * max(abs(answer.x[i]), 1.0)
        for bound, end in ((low[i], unknown.low), (high[i], unknown.high)):
            if np.isfinite(bound) and abs(answer.x[i] - bound) <= room:
                unit, factor = units.of(unknown.dimension)
                words.append(
                    f"{unknown.name} ends at its bound, {factor * end:g}{_unit_suffix(unit)}; its interval "
                    f"is not to be trusted"
                )
    return words


def _inseparable(task: FitProblem, correlation: Array) -> list[str]:
    words = []
    names = [task.unknowns.names[p] for p in task.free]
    for i in range(len(names)):
        for j in range(i):
            if abs(correlation[i, j]) > INSEPARABLE_CORRELATION:
                words.append(
                    f"{names[j]} and {names[i]} are told together, not apart (correlation {correlation[i, j]:.3f}); "
                    "the loop they make is better known than either"
                )
    return words


def _correlated_residuals(
    task: FitProblem, answer: SearchResult, loops: tuple[LoopFit, ...], told: Identifiability
) -> list[str]:
    """Neighbouring residuals of a loop that are alike: something is left, or the noise is not white."""
    worst, own, offset = 0.0, loops[0], 0
    for drive, loop in zip(task.drives, loops, strict=True):
        count = int(np.count_nonzero(drive.counts))
        r = neighbour_correlation(answer.residuals[offset : offset + count])
        offset += count
        if (
            r > max(SERIAL_CORRELATION_MIN, 4.0 / np.sqrt(count))
            and r > worst
            and loop.rms > ROUNDING_FORCE_REL * loop.range
        ):
            worst, own = r, loop
    if worst == 0.0:
        return []
    said = f"neighbouring residuals of {own.name} are alike (correlation {worst:.2f}): "
    if own.rms > WITHIN_NOISE_RATIO * own.noise:
        return [said + "what is left is not noise, and intervals do not tell how far off a wrong law is"]
    return [
        said + "the noise is not white (filtered, or hum), so intervals are up to "
        f"{float(told.wider.max()):.2g} times as wide as for white noise"
    ]


def _repeating_residuals(loops: tuple[LoopFit, ...], found: list[PreparedLoop]) -> list[str]:
    """Residuals within the noise that come again in every cycle: the law is off by what repeats."""
    words = []
    for r, loop in zip(found, loops, strict=True):
        stepped = r.loop.noise_estimate.source is NoiseSource.STEPS  # steps of a converter repeat themselves
        fits = loop.rms <= WITHIN_NOISE_RATIO * loop.noise and not stepped
        size = repeating_residual_rms(r.loop, loop.fitted - loop.f) if fits else 0.0
        if size > REPEATING_NOISE_SHARE * loop.noise:
            words.append((size / loop.noise, f"{loop.units.force.words(size, 2)} rms of what is left of {loop.name}"))
    if not words:
        return []
    share, said = max(words)
    return [
        f"{said} comes again in every cycle: {100.0 * share:.0f} % of the noise, but the law is off by so much"
        + (f"; {_others(len(words) - 1)} too" if len(words) > 1 else "")
    ]


def neighbour_correlation(x: Array) -> float:
    """The correlation of neighbours."""
    y = x - x.mean()
    size = float(y @ y)
    return float(y[1:] @ y[:-1]) / size if size > 0.0 else 0.0


def _envelopes_not_reached(law: Law, found: list[PreparedLoop]) -> list[str]:
    """Envelopes that no branch comes near: where they are is guessed from how it bends."""
    words = []
    for leaf in law.leaves() if len(law.leaves()) == 1 else ():  # in a sum the other law carries a part
        own = leaf.law
        if not traits_of(type(own)).between_envelopes:
            continue
        sides = {name: np.asarray(getattr(own, name)) for name in ("upper", "lower")}
        large = max(found, key=lambda r: r.geometry.amplitude).geometry
        for name, opposite, branch in (("upper", "lower", -1), ("lower", "upper", 0)):
            u = leaf.deflection * float(large.u[branch])
            line, other = (float(np.polynomial.polynomial.polyval(u, sides[s])) for s in (name, opposite))
            force = float(large.up[-1] if name == "upper" else large.down[0]) / leaf.force
            left = abs(line - force) / max(abs(line - other), 1e-300)
            if left > ENVELOPE_GAP_SHARE:
                words.append(
                    f"the {name} envelope is not reached: the branch ends {100.0 * left:.0f} % of the way before it; "
                    "measure with a larger amplitude"
                )
    return words
