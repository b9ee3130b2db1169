"""Laws by the names that files use, "masing" or "linear+dahl", and where a search for each begins.

A sum is a spring and one law beside it. The spring begins with a line through the loops; what is left of their
branches tells where the other begins.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import Field, fields
from typing import Any

import numpy as np

from slipstick.errors import InvalidInput, did_you_mean
from slipstick.identification.geometry import Geometry
from slipstick.identification.grouping import runs_within
from slipstick.identification.known_laws import LAWS, starts_of
from slipstick.identification.preparing import Ready
from slipstick.identification.rules.envelopes import envelopes_of
from slipstick.identification.starts import iwan
from slipstick.laws import law_class, law_name
from slipstick.laws.base import Law
from slipstick.laws.elastic import Linear, Polynomial
from slipstick.laws.generalised_dahl import GeneralisedDahl
from slipstick.laws.masing import Iwan
from slipstick.laws.parameters import Dimension, spec_of

# what `rank` compares where nobody says: a corner, a spring beside one, and bends of four kinds
USUAL = ("jenkins", "masing", "linear+dahl", "linear+dynamic-hysteresis", "modified-dahl", "bouc-wen")
MANY = "iwan"  # elements have two numbers each: with them where there are samples enough to tell them
SAMPLES = 180  # of all loops, twenty a number
SHEAR = "fibre-shear"  # tells how a loop changes with its amplitude: with them for stresses, or where there are several
AMPLITUDES = 3
ALIKE = 1.05  # amplitudes that differ by a smaller factor are the same
SPRINGS = (Linear, Polynomial)
MOST_ELEMENTS = 30
COUNT = ":"  # iwan:7 has seven elements


def usual_for(loops: Sequence[Ready]) -> tuple[str, ...]:
    """What is compared where nobody says: the usual laws, and others that these loops can tell."""
    amplitudes = runs_within([r.geometry.amplitude for r in loops], ALIKE)
    several = loops[0].loop.system == "stress" or len(amplitudes) >= AMPLITUDES
    enough = sum(len(r.loop) for r in loops) >= SAMPLES
    return USUAL + (MANY,) * enough + (SHEAR,) * several


def starts_by_name(name: str, loops: Sequence[Geometry]) -> list[Law]:
    """Laws to begin with; loops : sorted by amplitude."""
    kinds = kinds_of(name)
    if COUNT in name and kinds == (Iwan,):
        return list(iwan(loops, _elements(name)))
    return starts_of(kinds[0], loops) if len(kinds) == 1 else list(_sums(kinds[0], kinds[1], loops))


def kinds_of(name: str) -> tuple[type[Law], ...]:
    """The law of a name, or the spring and the other of a sum."""
    kinds = [_kind(part.strip()) for part in name.split("+")]
    if len(kinds) == 1:
        return tuple(kinds)
    springs = [kind for kind in kinds if kind in SPRINGS]
    others = [kind for kind in kinds if kind not in SPRINGS]
    if len(springs) != 1 or len(others) != 1:
        raise InvalidInput(
            f"{name}: only the sum of a spring (linear or polynomial) and one other law has values to begin with; "
            "in Python any sum of laws with values is its own start"
        ).about("law")
    return springs[0], others[0]


def has_number(kinds: Sequence[type[Law]], number: str) -> bool:
    """True if a law, or one term of a sum and no other, has a number of this name."""
    return len(_fields(kinds, number)) == 1


def dimension_of(law: str, number: str) -> Dimension | None:
    """Of a number of a law by their names; None if there is none, or it depends on values of others."""
    found = _fields(kinds_of(law), number)
    if not found or callable(spec_of(found[0]).dimension):
        return None
    place = number.rpartition(".")[2]
    return spec_of(found[0]).dimension_of(None, int(place) if place.isdigit() else 0)


def _fields(kinds: Sequence[type[Law]], number: str) -> list[Field[Any]]:
    """The parameters that a name may mean: "limit", "upper.0", "1.limit" of the second term of a sum."""
    first, _, rest = number.partition(".")
    if first.isdigit():
        return _fields(kinds[int(first) : int(first) + 1], rest)
    return [own for kind in kinds for own in fields(kind) if own.name == first]


def _elements(name: str) -> int:
    """How many a name asks for."""
    _, _, count = name.partition(COUNT)
    if not count.strip().isdigit() or not 1 <= int(count) <= MOST_ELEMENTS:
        raise InvalidInput(f"{name}: elements are counted from 1 to {MOST_ELEMENTS}, such as iwan:7").about("law")
    return int(count)


def _kind(name: str) -> type[Law]:
    if COUNT in name:
        first = name.partition(COUNT)[0].strip()
        if first.lower() != "iwan":
            raise InvalidInput(f"{name}: only iwan has elements to count, such as iwan:7").about("law")
        _elements(name)
        name = first
    known = [str(law_name(kind)) for kind, own in LAWS.items() if own.starts is not None]
    try:
        kind = law_class(name)
    except InvalidInput:
        raise InvalidInput(f'unknown law "{name}"{did_you_mean(name, known)}').about("law") from None
    if kind is GeneralisedDahl:
        raise InvalidInput(
            f"{name} has a function, which no file can hold; the laws of its envelopes are dynamic-hysteresis, "
            "polynomial+dynamic-hysteresis, bliman-sorine and polynomial+bliman-sorine; in Python "
            "GeneralisedDahl.with_envelope(function) is identified"
        ).about("law")
    if kind not in LAWS or LAWS[kind].starts is None:
        raise InvalidInput(
            f"{name} has no values to begin with; in Python a law with values is its own start "
            f"(known here: {', '.join(sorted(known))})"
        ).about("law")
    return kind


def _sums(spring: type[Law], other: type[Law], loops: Sequence[Geometry]) -> Iterator[Law]:
    """Each spring with each start of the other law on what it leaves."""
    for elastic in _springs(spring, loops[-1]):
        for beside in starts_of(other, [_without(elastic, own) for own in loops]):
            yield elastic + beside


def _springs(kind: type[Law], large: Geometry) -> Iterator[Law]:
    """Lines along the ends of the branches of the largest loop, half as steep, and along its middle."""
    last, middle = envelopes_of(large).slope, 0.5 * (large.up + large.down)
    force = float(np.mean(middle))
    if kind is Polynomial:
        yield from starts_of(Polynomial, [large])
        yield Polynomial(coefficients=(force - last * large.middle, last, 0.0, 0.0))
        return
    for slope in (last, 0.5 * last, float(np.polyfit(large.u, middle, 1)[0])):
        yield Linear(stiffness=slope, preload=force - slope * large.middle)


def _without(elastic: Law, own: Geometry) -> Geometry:
    return own.without(elastic.trace)
