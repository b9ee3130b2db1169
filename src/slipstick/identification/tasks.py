"""What is sought: a task for each start, with what is fixed, bounded, known beforehand, or not told by the data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slipstick.errors import InvalidInput, shown
from slipstick.identification.drive import looks_at_rate
from slipstick.identification.envelope_starts import starts_with_envelope
from slipstick.identification.geometry import Geometry
from slipstick.identification.known_laws import LAWS, known_of, starts_of
from slipstick.identification.naming import kinds_of, starts_by_name
from slipstick.identification.preparing import Ready
from slipstick.identification.search import Prior, Task
from slipstick.identification.unknowns import Unknowns, refused, terms_of
from slipstick.identification.weights import noises_of
from slipstick.laws.base import Law
from slipstick.laws.elastic import Linear
from slipstick.laws.envelopes import Envelope
from slipstick.laws.generalised_dahl import WithEnvelope

Array = NDArray[np.float64]

DAMPERS = ("damping", "viscous")  # fields that no loop without times can tell


def tasks_of(
    found: Sequence[Ready],
    law: type[Law] | Law | WithEnvelope | str,
    fixed: Mapping[str, float],
    bounds: Mapping[str, Sequence[float]],
    priors: Mapping[str, Sequence[float]],
) -> list[Task]:
    """One for each start."""
    geometries = sorted((r.geometry for r in found), key=lambda g: g.amplitude)
    starts, weights = _starts(law, geometries), 1.0 / noises_of(found)
    _refuse_without_times(starts[0], found)
    starts += _along(law, found, weights)
    tasks = []
    for start in starts:
        unknowns = Unknowns.of(start, found[0].loop.system).bounded(bounds)
        held = {unknowns.place(name, "fixed"): _number("fixed", name, value) for name, value in fixed.items()}
        asked = {unknowns.place(name, "bounds") for name in bounds} | {unknowns.place(n, "priors") for n in priors}
        _refuse_twice(unknowns, [unknowns.names[i] for i in held if i in asked], bounds)
        held = {i: value for i, value in _held_anyway(unknowns, found).items() if i not in asked} | held
        unknowns = unknowns.holding(held)
        free = tuple(i for i in range(len(unknowns.each)) if i not in held)
        given = tuple(_prior(unknowns, name, pair) for name, pair in priors.items())
        sizes = _sizes(unknowns, geometries[-1])[list(free)]
        task = Task(unknowns, [r.drive for r in found], free, sizes, weights, given)
        _enough(task)
        tasks.append(task)
    return tasks


def _starts(law: object, geometries: Sequence[Geometry]) -> list[Law]:
    if isinstance(law, Law):
        return [law]
    if isinstance(law, type) and issubclass(law, Law):
        return starts_of(law, geometries)
    if isinstance(law, str):
        return starts_by_name(law, geometries)
    if isinstance(law, WithEnvelope):
        return starts_with_envelope(law, geometries)
    raise InvalidInput(f"identify needs a law or a class of laws such as ss.Masing, got {shown(law)}").about("law")


def _along(law: object, found: Sequence[Ready], weights: Array) -> list[Law]:
    """More starts from the motion itself, for laws that have them."""
    kinds = kinds_of(law) if isinstance(law, str) else (law,) if isinstance(law, type) else ()
    offer = known_of(kinds[-1]).along if kinds else None
    if offer is None or known_of(kinds[-1]) is not LAWS.get(kinds[-1]):  # a subclass is made from branches
        return []
    drives = [r.drive.thinned(r.loop.turning.turns, rates=True) for r in found]
    return offer(drives, weights, kinds[0] if len(kinds) > 1 else None)


def _enough(task: Task) -> None:
    if not task.free:
        raise InvalidInput("identify: every parameter is fixed; leave one free").about("fixed")
    if task.count < len(task.free):
        raise InvalidInput(
            f"identify: {len(task.free)} parameters need at least as many samples, got {task.count}; fix some of them"
        ).about("fixed")


def _refuse_twice(unknowns: Unknowns, names: Sequence[str], bounds: Mapping[str, Sequence[float]]) -> None:
    """A number that is held and sought."""
    for name in names:
        other = (
            "bounds" if unknowns.place(name, "bounds") in {unknowns.place(n, "bounds") for n in bounds} else "priors"
        )
        option = {"bounds": "--bounds", "priors": "--prior"}[other]
        raise refused("fixed", f'holds "{name}", which has {other} too: give one of them').in_commands(
            f"--fixed holds {name}, which has {option} too: give one of them"
        )


def _number(argument: str, name: str, value: Any) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = float("nan")
    if not np.isfinite(number):
        raise refused(argument, f'of "{name}" must be a finite number, got {shown(value)}')
    return number


def _prior(unknowns: Unknowns, name: str, pair: Any) -> Prior:
    place = unknowns.place(name, "priors")
    try:
        mean, deviation = pair
    except (TypeError, ValueError):
        raise refused("priors", f'of "{name}" must be (mean, standard deviation), got {shown(pair)}') from None
    spread = _number("priors", name, deviation)
    if spread <= 0.0:
        raise refused("priors", f'of "{name}": the standard deviation must be > 0, got {spread:g}')
    middle, own = _number("priors", name, mean), unknowns.each[place]
    if not own.low <= middle <= own.high:
        within = f"[{own.low:g}, {own.high:g}]"
        raise refused("priors", f'of "{name}" has the mean {middle:g}, outside its bounds {within}: change one of them')
    return Prior(place, middle, spread)


def _held_anyway(unknowns: Unknowns, found: Sequence[Ready]) -> dict[int, float]:
    """What the data cannot tell, by its place: dampers without times, a spring's beside another, and others twice."""
    timeless, terms = any(r.timeless for r in found), terms_of(unknowns.template)
    damped = {u.term for u in unknowns.each if u.field in DAMPERS and not isinstance(terms[u.term].law, Linear)}
    held = {}
    for i, unknown in enumerate(unknowns.each):
        law = terms[unknown.term].law
        twice = known_of(type(law)).held
        if unknown.field in twice:
            held[i] = twice[unknown.field]
        elif unknown.plain_name in _alone(law):
            held[i] = unknown.value
        elif unknown.field in DAMPERS and (timeless or (damped and isinstance(law, Linear))):
            held[i] = 0.0
    return held


def _alone(law: Law) -> tuple[str, ...]:
    """Numbers that no loop tells beside those of an envelope."""
    held = [own.shape.alone for own in law.parameters().values() if isinstance(own, Envelope)]
    return held[0] if held else ()


def told(r: Ready, task: Task, fixed: Mapping[str, float]) -> Ready:
    """A loop without times, with a note on what was held for that."""
    by_user = {task.unknowns.place(name, "fixed") for name in fixed}
    names = [
        unknown.name
        for i, unknown in enumerate(task.unknowns.each)
        if unknown.field in DAMPERS and i not in task.free and i not in by_user
    ]
    return r.said(f"it has no times, which {' and '.join(names)} would need: held at 0") if names and r.timeless else r


def _refuse_without_times(law: Law, found: Sequence[Ready]) -> None:
    """A law whose memory depends on the rate cannot be driven without times."""
    for r in found:
        if r.timeless and looks_at_rate(law):
            words = f"{shown(type(law).__name__)} depends on the rate, and {r.loop.name} has no times;"
            refusal = InvalidInput(f"identify: {words} give them: Loop(u, f, t)").about("loops")
            raise refusal.in_commands(f"{words} name their column with --time")


def _sizes(unknowns: Unknowns, large: Geometry) -> Array:
    """Of every number, from its unit: what force, deflection and time of the largest loop make of it."""
    force, time = float(np.ptp(np.concatenate((large.up, large.down)))), (large.period or 1.0) / (2.0 * np.pi)
    sizes = []
    for unknown in unknowns.each:
        f, u, t = unknown.dimension
        own = force**f * large.amplitude**u * time**t
        sizes.append(max(abs(unknown.value), 0.1 * own))
    return np.array(sizes)
