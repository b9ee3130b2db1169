"""What identification knows of each law: start values, derived quantities, rules, and parameters to hold.

A subclass is known as the law it comes from, unless it has a force of its own: what is known tells of the other force.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slipstick.errors import InvalidInput
from slipstick.identification.intervals import derived_formulas
from slipstick.identification.intervals.derived_formulas import DerivedFormula
from slipstick.identification.preparing.imposed_path import ImposedPath
from slipstick.identification.preparing.loop_geometry import LoopGeometry
from slipstick.identification.preparing.prepared_loop import PreparedLoop
from slipstick.identification.rules import rule_report as reports
from slipstick.identification.rules.rule_report import RuleReport
from slipstick.identification.search import start_values
from slipstick.identification.search.lugre_start_values import lugre_start_laws
from slipstick.laws.base import Law
from slipstick.laws.boucwen import BoucWen
from slipstick.laws.dahl import Dahl, Duhem, ModifiedDahl
from slipstick.laws.elastic import Contact, Freeplay, Linear, Polynomial
from slipstick.laws.friction import DryFriction
from slipstick.laws.lugre import LuGre
from slipstick.laws.masing import Iwan, Jenkins, Masing
from slipstick.laws.nonlocal_memory import BlimanSorine, DynamicHysteresis, FibreShear
from slipstick.results.fit import RuleValues

Array = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class LawTraits:
    """Of one law.

    starts : laws to begin with, from the geometry of loops sorted by amplitude; None if a start has to be given.
    figures : what follows from its numbers.   rules : enters what the papers' rules tell of a fit; None if nothing.
    held : numbers by field that others can stand for, held at these values unless they are asked for.
    linear : fields that its force is linear in while the same samples slip.
    between_envelopes : it has `upper` and `lower`, which a loop has to come near to tell them.
    along : more laws like a template to begin with, from the motion and its rates.
    not_below : numbers by field that must not be smaller than another one.
    """

    starts: Callable[[Sequence[LoopGeometry]], Iterator[Law]] | None = None
    figures: tuple[DerivedFormula, ...] = ()
    rules: Callable[[RuleReport, Any, Sequence[PreparedLoop]], None] | None = None
    held: Mapping[str, float] = field(default_factory=dict)
    linear: tuple[str, ...] = ()
    between_envelopes: bool = False
    along: Callable[[Sequence[ImposedPath], Array, Law], list[Law]] | None = None
    not_below: Mapping[str, str] = field(default_factory=dict)


NO_TRAITS = LawTraits()
LAW_TRAITS: dict[type[Law], LawTraits] = {
    Jenkins: LawTraits(starts=start_values.jenkins, figures=derived_formulas.JENKINS, linear=("stiffness", "limit")),
    Masing: LawTraits(
        starts=start_values.masing, figures=derived_formulas.MASING, rules=reports.masing, linear=("stiffness", "limit")
    ),
    Iwan: LawTraits(starts=start_values.iwan, figures=derived_formulas.IWAN, linear=("stiffnesses", "limits")),
    Linear: LawTraits(starts=start_values.linear),
    Polynomial: LawTraits(starts=start_values.polynomial),
    DryFriction: LawTraits(starts=start_values.friction, linear=("limit",)),
    Freeplay: LawTraits(starts=start_values.freeplay),
    Contact: LawTraits(starts=start_values.contact),
    Dahl: LawTraits(starts=start_values.dahl, figures=derived_formulas.DAHL),
    ModifiedDahl: LawTraits(
        starts=start_values.modified_dahl,
        figures=derived_formulas.MODIFIED_DAHL,
        rules=reports.modified_dahl,
        between_envelopes=True,
    ),
    Duhem: LawTraits(starts=start_values.duhem, rules=reports.duhem),
    DynamicHysteresis: LawTraits(
        starts=start_values.dynamic_hysteresis, figures=derived_formulas.DAHL, rules=reports.dynamic_hysteresis
    ),
    BlimanSorine: LawTraits(
        starts=start_values.bliman_sorine, figures=derived_formulas.BLIMAN_SORINE, rules=reports.bliman_sorine
    ),
    FibreShear: LawTraits(starts=start_values.fibre, figures=derived_formulas.FIBRE, rules=reports.fibre),
    BoucWen: LawTraits(starts=start_values.bouc_wen, held={"A": 1.0}),
    LuGre: LawTraits(starts=start_values.lugre, along=lugre_start_laws, not_below={"static": "coulomb"}),
}


def traits_of(kind: type[Law]) -> LawTraits:
    """Of a law, or of the one it comes from and has its force of; nothing of any other."""
    for own in kind.__mro__:
        if own in LAW_TRAITS:
            return LAW_TRAITS[own]
        if {"update", "parts", getattr(own, "compiled", "")} & own.__dict__.keys():
            break
    return NO_TRAITS


def start_laws_of(kind: type[Law], loops: Sequence[LoopGeometry]) -> list[Law]:
    """Laws of a kind to begin with; loops : sorted by amplitude."""
    offer = traits_of(kind).starts
    made = _as_subclass(kind, list(offer(loops))) if offer is not None else []
    if not made:
        raise InvalidInput(
            f"identify: no start values are known for {kind.__name__}; give one with values to begin with, "
            f"such as {kind.__name__}(...)"
        ).about("law")
    return made


def _as_subclass(kind: type[Law], offers: Sequence[Law]) -> list[Law]:
    """Starts as laws of a subclass; none where it has numbers of its own without a default."""
    found = []
    for start in offers:
        values = {f.name: getattr(start, f.name) for f in fields(start)}
        if any(f.name not in values and f.default is MISSING and f.default_factory is MISSING for f in fields(kind)):
            return []
        found.append(start if type(start) is kind else kind(**values))
    return found


def rule_values_of(law: Law, found: Sequence[PreparedLoop]) -> RuleValues:
    """Numbers of a fitted law by the papers' rules, from the loops that it was fitted to."""
    report = traits_of(type(law)).rules
    if report is None:
        return RuleValues()
    book = RuleReport()
    report(book, law, sorted(found, key=lambda r: r.geometry.amplitude))
    return RuleValues(book.values, tuple(book.refusals))
