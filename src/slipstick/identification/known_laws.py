"""What identification knows of each law: where a search begins, figures that follow, the papers' rules, what is held.

A subclass is known as the law it comes from, unless it has a force of its own: what is known tells of the other force.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slipstick.errors import InvalidInput
from slipstick.identification import law_figures, starts
from slipstick.identification.drive import Drive
from slipstick.identification.geometry import Geometry
from slipstick.identification.law_figures import Figure
from slipstick.identification.lugre_starts import lugre_along
from slipstick.identification.preparing import Ready
from slipstick.identification.rules import beside as reports
from slipstick.identification.rules.beside import Book
from slipstick.laws.base import Law
from slipstick.laws.boucwen import BoucWen
from slipstick.laws.dahl import Dahl, Duhem, ModifiedDahl
from slipstick.laws.elastic import Contact, Freeplay, Linear, Polynomial
from slipstick.laws.friction import DryFriction
from slipstick.laws.lugre import LuGre
from slipstick.laws.masing import Iwan, Jenkins, Masing
from slipstick.laws.memory import BlimanSorine, DynamicHysteresis, FibreShear
from slipstick.results.fit import Rules

Array = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Known:
    """Of one law.

    starts : laws to begin with, from the geometry of loops sorted by amplitude; None if a start has to be given.
    figures : what follows from its numbers.   rules : enters what the papers' rules tell of a fit; None if nothing.
    held : numbers by field that others can stand for, held at these values unless they are asked for.
    linear : fields that its force is linear in while the same samples slip.
    between_envelopes : it has `upper` and `lower`, which a loop has to come near to tell them.
    along : more laws to begin with, from the motion and its rates, alone or beside a spring.
    not_below : numbers by field that must not be smaller than another one.
    """

    starts: Callable[[Sequence[Geometry]], Iterator[Law]] | None = None
    figures: tuple[Figure, ...] = ()
    rules: Callable[[Book, Any, Sequence[Ready]], None] | None = None
    held: Mapping[str, float] = field(default_factory=dict)
    linear: tuple[str, ...] = ()
    between_envelopes: bool = False
    along: Callable[[Sequence[Drive], Array, type[Law] | None], list[Law]] | None = None
    not_below: Mapping[str, str] = field(default_factory=dict)


NOTHING = Known()
LAWS: dict[type[Law], Known] = {
    Jenkins: Known(starts=starts.jenkins, figures=law_figures.JENKINS, linear=("stiffness", "limit")),
    Masing: Known(
        starts=starts.masing, figures=law_figures.MASING, rules=reports.masing, linear=("stiffness", "limit")
    ),
    Iwan: Known(starts=starts.iwan, figures=law_figures.IWAN, linear=("stiffnesses", "limits")),
    Linear: Known(starts=starts.linear),
    Polynomial: Known(starts=starts.polynomial),
    DryFriction: Known(starts=starts.friction, linear=("limit",)),
    Freeplay: Known(starts=starts.freeplay),
    Contact: Known(starts=starts.contact),
    Dahl: Known(starts=starts.dahl, figures=law_figures.DAHL),
    ModifiedDahl: Known(
        starts=starts.modified_dahl,
        figures=law_figures.MODIFIED_DAHL,
        rules=reports.modified_dahl,
        between_envelopes=True,
    ),
    Duhem: Known(starts=starts.duhem, rules=reports.duhem),
    DynamicHysteresis: Known(
        starts=starts.dynamic_hysteresis, figures=law_figures.DAHL, rules=reports.dynamic_hysteresis
    ),
    BlimanSorine: Known(starts=starts.bliman_sorine, figures=law_figures.BLIMAN_SORINE, rules=reports.bliman_sorine),
    FibreShear: Known(starts=starts.fibre, figures=law_figures.FIBRE, rules=reports.fibre),
    BoucWen: Known(starts=starts.bouc_wen, held={"A": 1.0}),
    LuGre: Known(starts=starts.lugre, along=lugre_along, not_below={"static": "coulomb"}),
}


def known_of(kind: type[Law]) -> Known:
    """Of a law, or of the one it comes from and has its force of; nothing of any other."""
    for own in kind.__mro__:
        if own in LAWS:
            return LAWS[own]
        if {"update", "parts", getattr(own, "compiled", "")} & own.__dict__.keys():
            break
    return NOTHING


def starts_of(kind: type[Law], loops: Sequence[Geometry]) -> list[Law]:
    """Laws of a kind to begin with; loops : sorted by amplitude."""
    offer = known_of(kind).starts
    made = _made_as(kind, list(offer(loops))) if offer is not None else []
    if not made:
        raise InvalidInput(
            f"identify: no start values are known for {kind.__name__}; give one with values to begin with, "
            f"such as {kind.__name__}(...)"
        ).about("law")
    return made


def _made_as(kind: type[Law], offers: Sequence[Law]) -> list[Law]:
    """Starts as laws of a subclass; none where it has numbers of its own without a default."""
    found = []
    for start in offers:
        values = {f.name: getattr(start, f.name) for f in fields(start)}
        if any(f.name not in values and f.default is MISSING and f.default_factory is MISSING for f in fields(kind)):
            return []
        found.append(start if type(start) is kind else kind(**values))
    return found


def beside(law: Law, found: Sequence[Ready]) -> Rules:
    """Numbers of a fitted law by the papers' rules, from the loops that it was fitted to."""
    report = known_of(type(law)).rules
    if report is None:
        return Rules()
    book = Book()
    report(book, law, sorted(found, key=lambda r: r.geometry.amplitude))
    return Rules(book.values, tuple(book.refusals))
