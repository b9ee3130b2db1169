"""Fit problems, one for each start, with fixed values, bounds, priors and held parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from time import process_time
from typing import Any

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import Advice, InvalidInput, short_repr
from slipstick.identification import tolerances as tol
from slipstick.identification.law_names import start_laws_by_name
from slipstick.identification.preparing.imposed_path import has_rate_dependent_memory
from slipstick.identification.preparing.loop_geometry import LoopGeometry
from slipstick.identification.preparing.prepared_loop import PreparedLoop
from slipstick.identification.search.envelope_start_values import envelope_start_laws
from slipstick.identification.search.least_squares import (
    FEW_EVALUATIONS,
    MAX_EVALUATIONS,
    MAX_FIT_SECONDS,
    FitProblem,
    Prior,
)
from slipstick.identification.search.loop_weights import pooled_noises
from slipstick.identification.search.start_values import has_motion_starts, motion_start_laws, start_laws_of
from slipstick.identification.search.unknowns import Unknowns, constraint_error, terms_of
from slipstick.laws.asymmetric_start import replaced_by_senses
from slipstick.laws.base import Law
from slipstick.laws.composite import terms_in_series
from slipstick.laws.envelopes import Envelope
from slipstick.laws.generalised_dahl import WithEnvelope

DAMPING_FIELDS = ("damping", "viscous")  # parameters that need times
CONSTANT_FORCES = ("preload", "coefficients.0")  # parameters that add a constant force


def fit_problems_of(
    prepared: Sequence[PreparedLoop],
    law: type[Law] | Law | WithEnvelope | str,
    fixed: Mapping[str, float],
    bounds: Mapping[str, Sequence[float]],
    priors: Mapping[str, Sequence[float]],
    evaluations: int | None = None,
) -> list[FitProblem]:
    """One problem for each start, that of a given law first.   evaluations : budget of a search."""
    geometries = sorted((r.geometry for r in prepared), key=lambda g: g.amplitude)
    starts, weights = _start_laws(law, geometries), 1.0 / pooled_noises(prepared)
    _refuse_without_times(starts[0], prepared)
    starts += _starts_from_motion(starts[0], prepared, weights)
    budget = (
        MAX_EVALUATIONS if any(r.encloses_area for r in prepared) else FEW_EVALUATIONS
    )  # lines determine few parameters
    budget = budget if evaluations is None else _budget(evaluations)
    deadline = process_time() + MAX_FIT_SECONDS * max(1.0, budget / MAX_EVALUATIONS)
    problems = []
    for start in starts:
        unknowns = Unknowns.of(start, prepared[0].loop.system)
        unknowns = unknowns.bounded(_search_ranges(unknowns, geometries[-1], bounds)).bounded(bounds)
        held = {unknowns.place(name, "fixed"): _checked_number("fixed", name, value) for name, value in fixed.items()}
        wanted = {unknowns.place(name, "bounds") for name in bounds} | {unknowns.place(n, "priors") for n in priors}
        _refuse_fixed_and_bounded(unknowns, [unknowns.names[i] for i in held if i in wanted], bounds)
        undeterminable = _undeterminable(unknowns, prepared)
        held = {i: value for i, value in undeterminable.items() if i not in wanted} | held
        unknowns = unknowns.holding(held)
        free = tuple(i for i in range(len(unknowns.each)) if i not in held)
        prior_list = tuple(_prior(unknowns, name, pair) for name, pair in priors.items())
        sizes = _typical_sizes(unknowns, geometries[-1])[list(free)]
        paths = [r.path for r in prepared]
        problem = FitProblem(
            unknowns, paths, free, sizes, weights, prior_list, budget=budget, may_extend=evaluations is None,
            deadline=deadline,
        )  # fmt: skip
        _refuse_too_few_samples(problem)
        problems.append(problem)
    return problems


def _search_ranges(
    unknowns: Unknowns, geometry: LoopGeometry, bounds: Mapping[str, Sequence[float]]
) -> dict[str, Sequence[float]]:
    """Bounds of parameters that loops show only within multiples of their typical size.

    They include the start value. An end that a user narrows is that of the user.
    """
    given = unknowns.bounded(bounds).each
    found: dict[str, Sequence[float]] = {}
    for i, (u, size) in enumerate(zip(unknowns.each, _typical_sizes(unknowns, geometry).tolist(), strict=True)):
        ranges = terms_of(unknowns.template)[u.term].law.identification.search_range
        if u.field in ranges:
            low, high = (end * size for end in ranges[u.field])
            low, high = min(low, u.value), max(high, u.value)
            low = given[i].low if given[i].low > u.low else min(low, given[i].high)
            high = given[i].high if given[i].high < u.high else max(high, given[i].low)
            found[u.name] = (low if low < high else given[i].low, high)
    return found


def _start_laws(law: object, geometries: Sequence[LoopGeometry]) -> list[Law]:
    if (isinstance(law, Law) or (isinstance(law, type) and issubclass(law, Law))) and law.directions:
        name = law.__name__ if isinstance(law, type) else type(law).__name__
        raise InvalidInput(f"{name} has several deflections, and a loop has one; fit it by calibrate").about("law")
    if isinstance(law, Law):
        return [law]
    if isinstance(law, type) and issubclass(law, Law):
        return start_laws_of(law, geometries)
    if isinstance(law, str):
        return start_laws_by_name(law, geometries)
    if isinstance(law, WithEnvelope):
        return envelope_start_laws(law, geometries)
    raise InvalidInput(f"identify needs a law or a class of laws such as ss.Masing, got {short_repr(law)}").about("law")


def _starts_from_motion(template: Law, prepared: Sequence[PreparedLoop], weights: Array) -> list[Law]:
    """More starts from the motion itself, for laws that provide them; a template may be far from the best minimum."""
    if not has_motion_starts(template):
        return []
    is_certain = all(r.initial_state.certain for r in prepared)
    variants = [prepared] if is_certain else [prepared, [r.with_other_state for r in prepared]]
    paths = [[r.path.thinned(r.loop.turning.turns, rate_dependent=True) for r in each] for each in variants]
    return [law for each in paths for law in motion_start_laws(each, weights, template)]


def _budget(evaluations: Any) -> int:
    if isinstance(evaluations, bool) or not isinstance(evaluations, int | np.integer) or evaluations < 1:
        raise constraint_error("evaluations", f"must be a whole number >= 1, got {short_repr(evaluations)}")
    return int(evaluations)


def _refuse_too_few_samples(problem: FitProblem) -> None:
    if not problem.free:
        raise InvalidInput("identify: every parameter is fixed; leave one free").about("fixed")
    if problem.count < len(problem.free):
        raise InvalidInput(
            f"identify: {len(problem.free)} parameters need at least as many samples, got {problem.count}; fix some of "
            "them"
        ).about("fixed")


def _refuse_fixed_and_bounded(unknowns: Unknowns, names: Sequence[str], bounds: Mapping[str, Sequence[float]]) -> None:
    """Refuse a parameter that is fixed and also has bounds or a prior."""
    for name in names:
        other = (
            "bounds" if unknowns.place(name, "bounds") in {unknowns.place(n, "bounds") for n in bounds} else "priors"
        )
        raise constraint_error("fixed", f'holds "{name}", which has {other} too: give one of them')


def _checked_number(argument: str, name: str, value: Any) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = float("nan")
    if not np.isfinite(number):
        raise constraint_error(argument, f'of "{name}" must be a finite number, got {short_repr(value)}')
    return number


def _prior(unknowns: Unknowns, name: str, pair: Any) -> Prior:
    place = unknowns.place(name, "priors")
    try:
        mean, deviation = pair
    except (TypeError, ValueError):
        raise constraint_error(
            "priors", f'of "{name}" must be (mean, standard deviation), got {short_repr(pair)}'
        ) from None
    spread = _checked_number("priors", name, deviation)
    if spread <= 0.0:
        raise constraint_error("priors", f'of "{name}": the standard deviation must be > 0, got {spread:g}')
    middle, own = _checked_number("priors", name, mean), unknowns.each[place]
    if not own.low <= middle <= own.high:
        within = f"[{own.low:g}, {own.high:g}]"
        raise constraint_error(
            "priors", f'of "{name}" has the mean {middle:g}, outside its bounds {within}: change one of them'
        )
    return Prior(place, middle, spread)


def _undeterminable(unknowns: Unknowns, prepared: Sequence[PreparedLoop]) -> dict[int, float]:
    """Values of unknowns that the data cannot determine, by index.

    These are dampers without times, dampers in a series that the template does not have, and redundant parameters: a
    linear damper beside another one, or a constant force in an asymmetric law or beside a damper with a force at rest.
    """
    without_times, terms = any(r.without_times for r in prepared), terms_of(unknowns.template)
    in_series = terms_in_series(unknowns.template)
    damped = {u.term for u in unknowns.each if u.field in DAMPING_FIELDS and terms[u.term].law.linear_force is None}
    has_damper = any(term.law.identification.is_damper for term in terms)
    has_force_at_rest = any(term.law.identification.has_force_at_rest for term in terms)
    held = {}
    for i, unknown in enumerate(unknowns.each):
        law = terms[unknown.term].law
        redundant = (*law.identification.held, *replaced_by_senses(law))
        if unknown.field in redundant or unknown.plain_name in _redundant_envelope_numbers(law):
            held[i] = unknown.value
        elif has_force_at_rest and unknown.plain_name in CONSTANT_FORCES:
            held[i] = 0.0
        elif unknown.field in DAMPING_FIELDS:
            absent = unknown.term in in_series and not unknown.value
            replaced = (has_damper and not unknown.value) or (damped and law.linear_force is not None)
            if without_times or absent or replaced:
                held[i] = 0.0
    return held


def _redundant_envelope_numbers(law: Law) -> tuple[str, ...]:
    """Parameters that no loop determines beside those of the envelope."""
    redundant = [value.shape.alone for value in law.parameters().values() if isinstance(value, Envelope)]
    return redundant[0] if redundant else ()


def note_held_dampers(r: PreparedLoop, problem: FitProblem, fixed: Mapping[str, float]) -> PreparedLoop:
    """Add a note to a loop without times on the parameters that are held for this reason."""
    by_user = {problem.unknowns.place(name, "fixed") for name in fixed}
    names = [
        unknown.name
        for i, unknown in enumerate(problem.unknowns.each)
        if unknown.field in DAMPING_FIELDS and i not in problem.free and i not in by_user
    ]
    if not names or not r.without_times:
        return r
    return r.with_note(f"no times are given, so {' and '.join(names)} {'is' if len(names) == 1 else 'are'} held at 0")


def _refuse_without_times(law: Law, prepared: Sequence[PreparedLoop]) -> None:
    """Refuse loops without times for a law that needs the size of the rate."""
    needed = has_rate_dependent_memory(law) or any(leaf.law.identification.needs_times for leaf in law.leaves())
    for r in prepared:
        if r.without_times and needed:
            words = f"{short_repr(type(law).__name__)} depends on the rate, and {r.loop.name} has no times"
            raise InvalidInput(words, owner="identify", argument="loops", advice=[Advice("{times}")])


def _typical_sizes(unknowns: Unknowns, large: LoopGeometry) -> Array:
    """Typical size of every unknown: its start value, or a share of its natural size."""
    sizes = tol.TYPICAL_SIZE_SHARE * natural_sizes(unknowns, large)
    return np.asarray(np.maximum(np.abs(unknowns.values), sizes))


def natural_sizes(unknowns: Unknowns, large: LoopGeometry) -> Array:
    """Size of every unknown that its unit gives, from force, deflection and period of the largest loop."""
    force, time = float(np.ptp(np.concatenate((large.up, large.down)))), (large.period or 1.0) / (2.0 * np.pi)
    powers = [unknown.dimension for unknown in unknowns.each]
    return np.array([force**f * large.amplitude**u * time**t for f, u, t in powers])
