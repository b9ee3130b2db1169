"""Values of the papers' rules beside a fit, with the reason where a rule does not apply.

A law names the report it belongs to by its trait ``paper_rules``; `REPORTS` has them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeVar

from slipstick.errors import InvalidInput
from slipstick.identification.preparing.loop_geometry import LoopGeometry
from slipstick.identification.preparing.prepared_loop import PreparedLoop
from slipstick.identification.rules.area import rate_from_area_of
from slipstick.identification.rules.backbone import Backbone, backbone_of
from slipstick.identification.rules.dahl_shape import rate_and_exponent_of
from slipstick.identification.rules.damping import damping_from_energy_of
from slipstick.identification.rules.masing_corners import masing_geometry_of
from slipstick.identification.rules.overshoot import Overshoot, overshoot_bliman_sorine_of, overshoot_dahl_of
from slipstick.laws.base import Law
from slipstick.results.fit import RuleValue, RuleValues
from slipstick.results.result_notes import Note

Result = TypeVar("Result")

EXPONENT_ONE_TOLERANCE = 0.05  # of the exponent: farther from 1 the backbone is another curve


class RuleReport:
    """What rules gave, and why others did not."""

    def __init__(self) -> None:
        self.values: dict[str, RuleValue] = {}
        self.refusals: list[Note] = []

    def ask(self, rule: str, make: Callable[[], Result]) -> Result | None:
        """The result of a rule; None where it refuses, with its reason kept."""
        try:
            return make()
        except InvalidInput as problem:
            self.refuse(rule, str(problem), problem.command_words)
            return None

    def refuse(self, rule: str, words: str, command: str = "") -> None:
        """Keep why a rule does not apply."""
        self.refusals.append(Note(f"{rule}: {words}", command=f"{rule}: {command or words}"))

    def enter(self, rule: str, law: Law, names: Sequence[str]) -> None:
        """Numbers of a law that a rule gave."""
        for name in names:
            field, _, index = name.partition(".")
            value = getattr(law, field)
            self.values[name] = RuleValue(float(value[int(index)] if index else value), rule)


ENVELOPE_PARAMETERS = ("upper.0", "upper.1", "lower.0", "lower.1")


def report_masing_geometry(book: RuleReport, _: Any, found: Sequence[PreparedLoop]) -> None:
    large = found[-1]
    skeleton = book.ask("masing_geometry", lambda: masing_geometry_of(large.geometry))
    if skeleton is None:
        return
    book.enter("masing_geometry", skeleton.law, ("stiffness", "limit", "parallel_stiffness", "preload"))
    damper = book.ask("damping_from_energy", lambda: damping_from_energy_of(large, skeleton))
    if damper is not None:
        book.values["damping"] = RuleValue(damper.damping, "damping_from_energy")


def report_rate_and_exponent(book: RuleReport, law: Any, found: Sequence[PreparedLoop]) -> None:
    _report_envelope_rule(book, law, "rate_and_exponent", ("rate", "exponent"), rate_and_exponent_of, found)


def report_rate_from_area(book: RuleReport, law: Any, found: Sequence[PreparedLoop]) -> None:
    _report_envelope_rule(book, law, "rate_from_area", ("rate",), rate_from_area_of, found)


def _report_envelope_rule(
    book: RuleReport,
    law: Any,
    rule: str,
    names: Sequence[str],
    of: Callable[[LoopGeometry], Any],
    found: Sequence[PreparedLoop],
) -> None:
    """A rule for laws that run between envelopes, which gives those, too."""
    if len(law.upper) != 2 or len(law.lower) != 2:
        book.refuse(rule, "the rule is for straight envelopes, the law has others")
        return
    own = book.ask(rule, lambda: of(found[-1].geometry))
    if own is not None:
        book.enter(rule, own.law, names)
        book.enter("envelopes", own.law, ENVELOPE_PARAMETERS)


def report_backbone(book: RuleReport, law: Any, found: Sequence[PreparedLoop]) -> None:
    if abs(law.exponent - 1.0) > EXPONENT_ONE_TOLERANCE:
        book.refuse("backbone", f"the rule is for exponent 1, the law has {law.exponent:.3g}")
        return
    own = book.ask("backbone", lambda: backbone_of(_geometries(found), ()))
    if own is not None:
        book.enter("backbone", own.law, ("stiffness", "limit"))


def report_overshoot(book: RuleReport, _: Any, found: Sequence[PreparedLoop]) -> None:
    for rule, of in (("overshoot_dahl", overshoot_dahl_of), ("overshoot_bliman_sorine", overshoot_bliman_sorine_of)):
        own = book.ask(rule, partial(of, found[-1].geometry, {}))
        if own is not None:
            book.enter(rule, own.law, ("stiffness", "limit", "overshoot_limit", "ratio"))
            return


def report_backbone_and_overshoot(book: RuleReport, _: Any, found: Sequence[PreparedLoop]) -> None:
    own = book.ask("backbone", lambda: backbone_of(_geometries(found)))
    if own is None:
        return
    for name in ("stiffness", "limit", "linear", "cubic"):
        book.values[name] = RuleValue(getattr(own, name), "backbone")
    over = book.ask("overshoot_dahl", lambda: _overshoot_with_cubic(own, found[-1].geometry))
    if over is not None:
        book.values["overshoot"] = RuleValue(over.overshoot, "overshoot_dahl")
        book.values["ratio"] = RuleValue(over.curve.ratio, "overshoot_dahl")


def _overshoot_with_cubic(own: Backbone, geometry: LoopGeometry) -> Overshoot:
    """The overshoot of the largest loop, which is measured against its cubic stress."""
    if own.cubic <= 0.0:
        raise InvalidInput(
            f"the overshoot is a share of the cubic stress, and the backbone has a modulus {own.cubic:.3g}"
        )
    return overshoot_dahl_of(geometry, own.moduli)


def _geometries(found: Sequence[PreparedLoop]) -> list[LoopGeometry]:
    return [r.geometry for r in found]


REPORTS: dict[str, Callable[[RuleReport, Any, Sequence[PreparedLoop]], None]] = {
    "masing_geometry": report_masing_geometry,
    "rate_and_exponent": report_rate_and_exponent,
    "rate_from_area": report_rate_from_area,
    "backbone": report_backbone,
    "overshoot": report_overshoot,
    "backbone_and_overshoot": report_backbone_and_overshoot,
}


def rule_values_of(law: Law, found: Sequence[PreparedLoop]) -> RuleValues:
    """Parameters of a fitted law by the papers' rules, from the loops that it was fitted to."""
    report = REPORTS.get(law.identification.paper_rules)
    if report is None:
        return RuleValues()
    book = RuleReport()
    report(book, law, sorted(found, key=lambda r: r.geometry.amplitude))
    return RuleValues(book.values, tuple(book.refusals))
