"""Warnings about a fit: undetermined parameters, misfits and faults of the data."""

from __future__ import annotations

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import Advice, Message
from slipstick.identification import tolerances as tol
from slipstick.identification.intervals.identifiability import Identifiability
from slipstick.identification.intervals.residual_content import residual_content
from slipstick.identification.preparing.noise_level import NoiseSource, repeating_residual_rms
from slipstick.identification.preparing.prepared_loop import PreparedLoop
from slipstick.identification.preparing.record_kind import MIN_EXPLAINED_SHARE, explained_share
from slipstick.identification.reading.unitless import unitless_file_among
from slipstick.identification.search.least_squares import FitProblem, SearchResult
from slipstick.identification.search.problem_setup import DAMPING_FIELDS
from slipstick.laws.base import Law
from slipstick.results.fit import MISFIT_WARNING, Estimate, Estimates, LoopFit
from slipstick.units.number_format import format_percent
from slipstick.units.scales import LoopUnits


def warnings_of(
    problem: FitProblem,
    result: SearchResult,
    estimates: Estimates,
    identifiability: Identifiability,
    loops: tuple[LoopFit, ...],
    prepared: list[PreparedLoop],
) -> tuple[str, ...]:
    """All warnings, the most serious first."""
    words = _unrelated(loops, prepared) + _unitless(prepared)
    words += _not_compared(loops, prepared)
    words += _misfit_warnings(loops)
    if not result.converged:
        more, s = 2 * problem.budget, "s" * (problem.budget > 1)
        budget = "time" if result.timed_out else f"{problem.budget} evaluation{s}"
        words.append(
            Message(
                f"the search did not converge: it ended at its budget of {budget}, with the best values so far",
                advice=[Advice("raise it with {evaluations}, or fix a parameter", evaluations=more)],
            )
        )
    words += _spikes(loops)
    words += [
        f"{r.loop.name}: the deflection sensor was out of range at the reversals, so they are unknown: the parameters "
        "may be far off; measure with a larger range"
        for r in prepared
        if r.is_clipped
    ]
    words += _negative_dampers(problem, estimates, loops)
    words += _lines_without_area(prepared)
    words += _envelopes_not_reached(problem.law(result.x), prepared)
    words += dict.fromkeys(text for r in prepared for text in r.path.warnings_of(problem.law(result.x)))
    words += _held_at_bounds(problem, estimates, loops[0].units)
    words += _undetermined(problem, estimates, loops[0].units)
    words += _at_bounds(problem, result, loops[0].units)
    words += _inseparable(problem, identifiability.correlation)
    words += _correlated_residuals(problem, result, loops, identifiability, prepared)
    words += _repeating_residuals(loops, prepared)
    return tuple(words)


def _unrelated(loops: tuple[LoopFit, ...], prepared: list[PreparedLoop]) -> list[str]:
    """Records whose force does not follow the deflection: no law of this kind fits them."""
    poor = (r.loop for r, own in zip(prepared, loops, strict=True) if not own.within_noise)
    shares = {loop.name: explained_share(loop) for loop in poor}
    return [
        f"{name}: the force hardly follows the deflection ({100.0 * max(share, 0.0):.0f} % of its variance): this is "
        "not the loop of one joint; check the columns, or fit a model of the whole system to its response"
        for name, share in shares.items()
        if share < MIN_EXPLAINED_SHARE
    ]


def _unitless(prepared: list[PreparedLoop]) -> list[str]:
    """Files without units whose values are implausibly large in SI."""
    bare = unitless_file_among([r.loop for r in prepared])
    if bare is None or not bare.guess:
        return []
    units = {"deflection": bare.guess, "force": "kN"}
    way = Advice(f"otherwise write the units into its header, u [{bare.guess}], or give {{units}}", units=units)
    return [Message(bare.words, advice=[way])]


def _not_compared(loops: tuple[LoopFit, ...], prepared: list[PreparedLoop]) -> list[str]:
    """Samples that were excluded before the fit."""
    return [
        f"{loop.name}: only {loop.samples} of {loop.given} samples are compared: {'; '.join(r.exclusions)}"
        for loop, r in zip(loops, prepared, strict=True)
        if loop.samples < loop.given
    ]


def _spikes(loops: tuple[LoopFit, ...]) -> list[str]:
    """Outliers of the force, which count in the residual but hardly affect the parameters."""
    words = []
    for loop in loops:
        if not loop.outliers:
            continue
        rms = loop.units.force.words(loop.rest_rms, 3)
        words.append(
            f"{loop.name}: the force of {loop.outliers} of {loop.given} samples is far from its neighbours; "
            f"they count in the residual, which is {rms} rms without them, and have little weight in the fit: check "
            "these samples"
        )
    return words


def _misfit_warnings(loops: tuple[LoopFit, ...]) -> list[str]:
    off = [loop for loop in loops if not loop.within_noise]
    if not off:
        return []
    worst = max(off, key=lambda loop: loop.rms / loop.noise)
    force = worst.units.force
    return [
        f"{MISFIT_WARNING}: the residual of {worst.name} is {force.words(worst.rms, 3)} rms "
        f"({format_percent(worst.rms / worst.range)} of its force range), the noise {force.words(worst.noise, 3)}"
        + (f"; {_others(len(off) - 1)} too" if len(off) > 1 else "")
    ]


def _negative_dampers(problem: FitProblem, estimates: Estimates, loops: tuple[LoopFit, ...]) -> list[str]:
    """Negative dampers, and dampers of a misfitting law that may stand for friction of another shape."""
    sizes = {
        problem.unknowns.names[p]: size
        for p, size in zip(problem.free, problem.size, strict=True)
        if problem.unknowns.each[p].field in DAMPING_FIELDS
    }
    dampers = list(sizes)
    shown = {name: estimates[name].shown_in(loops[0].units) for name in dampers}
    rates = [loop.frequency for loop in loops]
    one_frequency = max(rates) <= tol.DAMPING_FREQUENCY_RATIO * min(rates)
    below = [name for name in dampers if estimates[name].value < -tol.ZERO_PARAMETER_REL * sizes[name]]
    words = [_negative_damper_warning(name, shown[name], one_frequency) for name in below]
    determined = [name for name in dampers if estimates[name].low > 0.0]
    if determined and one_frequency and not all(loop.within_noise for loop in loops):
        text = (
            f"{determined[0]} comes from the shape of loops of one frequency only, and the law does not fit them: it "
            "may be friction of another shape"
        )
        way = Advice("add a loop of another frequency, or fix it at 0, with {fixed}", fixed={determined[0]: 0})
        words.append(Message(text, advice=[way]))
    return words


def _negative_damper_warning(name: str, estimate: Estimate, one_frequency: bool) -> str:
    """Warning of a negative damper: the data show it, or they do not exclude zero."""
    text = f"{name} is negative, {estimate.value:.3g}{_unit_suffix(estimate.unit)}"
    if estimate.high < 0.0:
        return Message(
            f"{text}: it feeds energy into motions; the loop is rounder or sharper than the law",
            advice=[Advice("fix it at 0, with {fixed}, or use another law", fixed={name: 0})],
        )
    why = "loops of one frequency hardly determine it" if one_frequency else "the loops do not exclude 0"
    more = ", or add a loop of another frequency" if one_frequency else ""
    return Message(
        f"{text}, and may be 0 (95 %: {estimate.interval('{:.2g}'.format)}): {why}, and it feeds energy into motions",
        advice=[Advice(f"fix it at 0, with {{fixed}}{more}", fixed={name: 0})],
    )


def _others(count: int) -> str:
    return f"{count} other loop{'s' * (count != 1)}"


def _lines_without_area(prepared: list[PreparedLoop]) -> list[str]:
    """Loops without area: no slip is visible."""
    if any(r.encloses_area for r in prepared):
        return []
    which = f"{prepared[0].loop.name} encloses" if len(prepared) == 1 else f"the {len(prepared)} loops enclose"
    return [
        f"{which} no area beyond the noise: no slip is visible, and friction cannot be distinguished from a spring; "
        "measure with a larger amplitude"
    ]


def _undetermined(problem: FitProblem, estimates: Estimates, units: LoopUnits) -> list[str]:
    """Parameters with wide intervals, in one warning."""
    wide = {}
    for place, size in zip(problem.free, problem.size, strict=True):
        name = problem.unknowns.names[place]
        # a parameter of either sign may be zero: it is determined if its interval is small against its typical size
        small = tol.WIDE_HALF_WIDTH_SIZE_REL * size if problem.unknowns.each[place].low < 0.0 else 0.0
        estimate = estimates[name]
        half = 0.5 * (estimate.high - estimate.low)
        limit = max(tol.WIDE_HALF_WIDTH_REL * abs(estimate.value), small, tol.AVOID_ZERO_DIVISION)
        if not np.isfinite(half) or half > limit:
            wide[name] = _interval(estimate.shown_in(units))
    if not wide:
        return []
    if len(wide) == 1:
        ((name, interval),) = wide.items()
        text = f"{name} is poorly determined: its interval is {interval}"
    else:
        text = f"{', '.join(wide)} are poorly determined: {'; '.join(f'{n} {i}' for n, i in wide.items())}"
    first = next(iter(wide))
    which = "it" if len(wide) == 1 else "one"
    way = Advice(
        f"if you know {which} from elsewhere, {{fixed}}; or add a loop of another amplitude or speed",
        fixed={first: ...},
    )
    return [Message(text, advice=[way])]


def _held_at_bounds(problem: FitProblem, estimates: Estimates, units: LoopUnits) -> list[str]:
    """Parameters that the search drove to a bound of the law, and that are held there."""
    if not problem.held:
        return []
    shown = {name: estimates[name].shown_in(units) for name in problem.held}
    words = [f"{name} at {own.value:.3g}{_unit_suffix(own.unit)}" for name, own in shown.items()]
    return [f"the search ended at bounds of the law, where these are held: {', '.join(words)}; try a simpler law"]


def _interval(estimate: Estimate) -> str:
    """The interval with its unit; if it is open above, also the lower limit."""
    unit = _unit_suffix(estimate.unit)
    text = f"{estimate.interval('{:.3g}'.format)}{unit if np.isfinite(estimate.high) else ''}"
    if np.isfinite(estimate.high) or not estimate.low > 0.0:
        return text
    return f"{text}: the data only show that it is at least {estimate.low:.3g}{unit}"


def _unit_suffix(unit: str) -> str:
    return "" if unit == "1" else f" {unit}"


def _at_bounds(problem: FitProblem, result: SearchResult, units: LoopUnits) -> list[str]:
    low, high = problem.bounds()
    words = []
    for i, place in enumerate(problem.free):
        unknown = problem.unknowns.each[place]
        margin = tol.AT_BOUND_REL * max(abs(result.x[i]), 1.0)
        for bound, end in ((low[i], unknown.low), (high[i], unknown.high)):
            if np.isfinite(bound) and abs(result.x[i] - bound) <= margin:
                unit, factor = units.of(unknown.dimension)
                words.append(
                    f"{unknown.name} ends at its bound, {factor * end:g}{_unit_suffix(unit)}; "
                    "its interval is not reliable: widen the bound, or fix the parameter"
                )
    return words


def _inseparable(problem: FitProblem, correlation: Array) -> list[str]:
    """Pairs of parameters of which the data determine only a combination, in one warning."""
    names = [problem.unknowns.names[p] for p in problem.free]
    pairs = [
        (abs(correlation[i, j]), f"{names[j]} and {names[i]}", correlation[i, j], names[i])
        for i in range(len(names))
        for j in range(i)
        if abs(correlation[i, j]) > tol.INSEPARABLE_CORRELATION
    ]
    if not pairs:
        return []
    _, first, value, name = max(pairs)
    more = [pair for _, pair, _, _ in pairs if pair != first]
    text = f"{first} cannot be determined separately (correlation {value:.3f})"
    text += f", nor {', '.join(more)}" if more else ""
    return [
        Message(
            f"{text}; only their combination is known",
            advice=[Advice("if you know one from elsewhere, {fixed}", fixed={name: ...})],
        )
    ]


def _correlated_residuals(
    problem: FitProblem, result: SearchResult, loops: tuple[LoopFit, ...], identifiability: Identifiability,
    prepared: list[PreparedLoop],
) -> list[str]:  # fmt: skip
    """Correlated residuals: the law misfits, or the noise is correlated; within the noise it may be either."""
    worst, worst_loop, worst_prepared, offset = 0.0, loops[0], prepared[0], 0
    for path, loop, own in zip(problem.paths, loops, prepared, strict=True):
        count = int(np.count_nonzero(path.counts))
        r = neighbour_correlation(result.residuals[offset : offset + count])
        offset += count
        if (
            r > max(tol.SERIAL_CORRELATION_MIN, tol.SERIAL_CORRELATION_SIGNIFICANCE / np.sqrt(count))
            and r > worst
            and loop.rms > tol.ROUNDING_FORCE_REL * loop.range
        ):
            worst, worst_loop, worst_prepared = r, loop, own
    if worst == 0.0:
        return []
    text = f"neighbouring residuals are correlated ({worst:.2f} in {worst_loop.name}): "
    if not worst_loop.within_noise:
        text += "the law misses a part of the force, which intervals do not include"
        if content := residual_content(worst_prepared, worst_loop).words:
            text += f"; {content}"
        return [Message(text, advice=[Advice("{compare_laws}, and look where the residuals are large")])]
    text += "the noise is filtered or has hum, or the law is slightly wrong; intervals are up to "
    text += f"{float(identifiability.widening.max()):.2g} times as wide as for independent noise"
    way = Advice("if the residuals show a pattern over the deflection, {compare_laws}")
    return [Message(text, advice=[way])]


def _repeating_residuals(loops: tuple[LoopFit, ...], prepared: list[PreparedLoop]) -> list[str]:
    """Residuals within the noise that repeat in every cycle: the law misfits by this part."""
    words = []
    for r, loop in zip(prepared, loops, strict=True):
        stepped = r.loop.noise_estimate.source is NoiseSource.STEPS  # quantisation repeats in every cycle
        fits = loop.within_noise and not stepped
        size = repeating_residual_rms(r.loop, loop.fitted - loop.f) if fits else 0.0
        if size > tol.REPEATING_NOISE_SHARE * loop.noise:
            words.append((size / loop.noise, f"{loop.units.force.words(size, 2)} rms of the residual of {loop.name}"))
    if not words:
        return []
    share, text = max(words)
    return [
        f"{text} repeats in every cycle ({100.0 * share:.0f} % of the noise): the law misses this part; compare others"
        + (f"; {_others(len(words) - 1)} too" if len(words) > 1 else "")
    ]


def neighbour_correlation(x: Array) -> float:
    """Correlation of neighbouring values."""
    y = x - x.mean()
    size = float(y @ y)
    return float(y[1:] @ y[:-1]) / size if size > 0.0 else 0.0


def _envelopes_not_reached(law: Law, prepared: list[PreparedLoop]) -> list[str]:
    """Envelopes that no branch reaches: their position is extrapolated."""
    words = []
    for leaf in law.leaves() if len(law.leaves()) == 1 else ():  # in a sum, the other law carries a part of the force
        if not leaf.law.identification.between_envelopes:
            continue
        sides = {name: np.asarray(getattr(leaf.law, name)) for name in ("upper", "lower")}
        large = max(prepared, key=lambda r: r.geometry.amplitude).geometry
        for name, opposite, branch in (("upper", "lower", -1), ("lower", "upper", 0)):
            u = leaf.deflection * float(large.u[branch])
            line, other = (float(np.polynomial.polynomial.polyval(u, sides[s])) for s in (name, opposite))
            force = float(large.up[-1] if name == "upper" else large.down[0]) / leaf.force
            gap = abs(line - force) / max(abs(line - other), tol.AVOID_ZERO_DIVISION)
            if gap > tol.ENVELOPE_GAP_SHARE:
                words.append(
                    f"the {name} envelope is not reached: the branch ends {100.0 * gap:.0f} % of the distance before "
                    "it; measure with a larger amplitude"
                )
    return words
