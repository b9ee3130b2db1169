"""Fit problems, one for each start, with fixed values, bounds, priors and held parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slipstick.errors import Advice, InvalidInput, short_repr
from slipstick.identification.law_names import start_laws_by_name
from slipstick.identification.law_traits import LAW_TRAITS, start_laws_of, traits_of
from slipstick.identification.preparing.imposed_path import has_rate_dependent_memory
from slipstick.identification.preparing.loop_geometry import LoopGeometry
from slipstick.identification.preparing.prepared_loop import PreparedLoop
from slipstick.identification.search.envelope_start_values import envelope_start_laws
from slipstick.identification.search.least_squares import FEW, MAX_EVALUATIONS, FitProblem, Prior
from slipstick.identification.search.loop_weights import pooled_noises
from slipstick.identification.search.unknowns import Unknowns, constraint_error, terms_of
from slipstick.laws.base import Law
from slipstick.laws.elastic import Linear
from slipstick.laws.envelopes import Envelope
from slipstick.laws.generalised_dahl import WithEnvelope

Array = NDArray[np.float64]

DAMPING_FIELDS = ("damping", "viscous")  # fields that no loop without times can tell


def fit_problems_of(
    found: Sequence[PreparedLoop],
    law: type[Law] | Law | WithEnvelope | str,
    fixed: Mapping[str, float],
    bounds: Mapping[str, Sequence[float]],
    priors: Mapping[str, Sequence[float]],
    evaluations: int | None = None,
) -> list[FitProblem]:
    """One for each start; that of a law that was given comes first.   evaluations : the budget of a search."""
    geometries = sorted((r.geometry for r in found), key=lambda g: g.amplitude)
    starts, weights = _start_laws(law, geometries), 1.0 / pooled_noises(found)
    _refuse_without_times(starts[0], found)
    starts += _starts_from_motion(starts[0], found, weights)
    budget = MAX_EVALUATIONS if any(r.encloses for r in found) else FEW  # along lines what a law has more is not told
    budget = budget if evaluations is None else _budget(evaluations)
    tasks = []
    for start in starts:
        unknowns = Unknowns.of(start, found[0].loop.system).bounded(bounds)
        held = {unknowns.place(name, "fixed"): _checked_number("fixed", name, value) for name, value in fixed.items()}
        asked = {unknowns.place(name, "bounds") for name in bounds} | {unknowns.place(n, "priors") for n in priors}
        _refuse_fixed_and_bounded(unknowns, [unknowns.names[i] for i in held if i in asked], bounds)
        held = {i: value for i, value in _undeterminable(unknowns, found).items() if i not in asked} | held
        unknowns = unknowns.holding(held)
        free = tuple(i for i in range(len(unknowns.each)) if i not in held)
        given = tuple(_prior(unknowns, name, pair) for name, pair in priors.items())
        sizes = _typical_sizes(unknowns, geometries[-1])[list(free)]
        task = FitProblem(unknowns, [r.drive for r in found], free, sizes, weights, given, budget=budget)
        _refuse_too_few_samples(task)
        tasks.append(task)
    return tasks


def _start_laws(law: object, geometries: Sequence[LoopGeometry]) -> list[Law]:
    if isinstance(law, Law):
        return [law]
    if isinstance(law, type) and issubclass(law, Law):
        return start_laws_of(law, geometries)
    if isinstance(law, str):
        return start_laws_by_name(law, geometries)
    if isinstance(law, WithEnvelope):
        return envelope_start_laws(law, geometries)
    raise InvalidInput(f"identify needs a law or a class of laws such as ss.Masing, got {short_repr(law)}").about("law")


def _starts_from_motion(template: Law, found: Sequence[PreparedLoop], weights: Array) -> list[Law]:
    """More starts from the motion itself, for laws that have them; a template may be far from the best minimum."""
    known = (LAW_TRAITS.get(type(term.law)) for term in terms_of(template))  # a subclass is made from branches
    offer = next((own.along for own in known if own is not None and own.along), None)
    if offer is None:
        return []
    begun = [found] if all(r.judged.sure for r in found) else [found, [r.turned for r in found]]
    drives = [[r.drive.thinned(r.loop.turning.turns, rates=True) for r in own] for own in begun]
    return [law for own in drives for law in offer(own, weights, template)]


def _budget(evaluations: Any) -> int:
    if isinstance(evaluations, bool) or not isinstance(evaluations, int | np.integer) or evaluations < 1:
        raise constraint_error("evaluations", f"must be a whole number >= 1, got {short_repr(evaluations)}")
    return int(evaluations)


def _refuse_too_few_samples(task: FitProblem) -> None:
    if not task.free:
        raise InvalidInput("identify: every parameter is fixed; leave one free").about("fixed")
    if task.count < len(task.free):
        raise InvalidInput(
            f"identify: {len(task.free)} parameters need at least as many samples, got {task.count}; fix some of them"
        ).about("fixed")


def _refuse_fixed_and_bounded(unknowns: Unknowns, names: Sequence[str], bounds: Mapping[str, Sequence[float]]) -> None:
    """A number that is held and sought."""
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


def _undeterminable(unknowns: Unknowns, found: Sequence[PreparedLoop]) -> dict[int, float]:
    """What the data cannot tell, by its place: dampers without times, a spring's beside another, and others twice."""
    without_times, terms = any(r.without_times for r in found), terms_of(unknowns.template)
    damped = {u.term for u in unknowns.each if u.field in DAMPING_FIELDS and not isinstance(terms[u.term].law, Linear)}
    held = {}
    for i, unknown in enumerate(unknowns.each):
        law = terms[unknown.term].law
        twice = traits_of(type(law)).held
        if unknown.field in twice:
            held[i] = twice[unknown.field]
        elif unknown.plain_name in _redundant_envelope_numbers(law):
            held[i] = unknown.value
        elif unknown.field in DAMPING_FIELDS and (without_times or (damped and isinstance(law, Linear))):
            held[i] = 0.0
    return held


def _redundant_envelope_numbers(law: Law) -> tuple[str, ...]:
    """Numbers that no loop tells beside those of an envelope."""
    held = [own.shape.alone for own in law.parameters().values() if isinstance(own, Envelope)]
    return held[0] if held else ()


def note_held_dampers(r: PreparedLoop, task: FitProblem, fixed: Mapping[str, float]) -> PreparedLoop:
    """A loop without times, with a note on what was held for that."""
    by_user = {task.unknowns.place(name, "fixed") for name in fixed}
    names = [
        unknown.name
        for i, unknown in enumerate(task.unknowns.each)
        if unknown.field in DAMPING_FIELDS and i not in task.free and i not in by_user
    ]
    return (
        r.said(f"it has no times, which {' and '.join(names)} would need: held at 0")
        if names and r.without_times
        else r
    )


def _refuse_without_times(law: Law, found: Sequence[PreparedLoop]) -> None:
    """A law whose memory depends on the rate cannot be driven without times."""
    for r in found:
        if r.without_times and has_rate_dependent_memory(law):
            words = f"{short_repr(type(law).__name__)} depends on the rate, and {r.loop.name} has no times"
            raise InvalidInput(words, owner="identify", argument="loops", advice=[Advice("{times}")])


def _typical_sizes(unknowns: Unknowns, large: LoopGeometry) -> Array:
    """Of every number, from its unit: what force, deflection and time of the largest loop make of it."""
    force, time = float(np.ptp(np.concatenate((large.up, large.down)))), (large.period or 1.0) / (2.0 * np.pi)
    sizes = []
    for unknown in unknowns.each:
        f, u, t = unknown.dimension
        own = force**f * large.amplitude**u * time**t
        sizes.append(max(abs(unknown.value), 0.1 * own))
    return np.array(sizes)
