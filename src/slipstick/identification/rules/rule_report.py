"""Values of the papers' rules beside a fit, with the reason where a rule does not apply.

A law names the report it belongs to by its trait ``paper_rules``; `REPORTS` has them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeVar

from slipstick.errors import InvalidInput, Message
from slipstick.identification import tolerances as tol
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

Result = TypeVar("Result")


class RuleReport:
    """Values of rules, and the reasons of rules that do not apply."""

    def __init__(self) -> None:
        self.values: dict[str, RuleValue] = {}
        self.refusals: list[Message] = []

    def evaluate(self, rule: str, make: Callable[[], Result]) -> Result | None:
        """Result of a rule; None if it does not apply, with its reason recorded."""
        try:
            return make()
        except InvalidInput as problem:
            self.refuse(rule, problem.message)
            return None

    def refuse(self, rule: str, words: str) -> None:
        """Record why a rule does not apply."""
        self.refusals.append(Message.of(words).wrapped(f"{rule}: "))

    def enter(self, rule: str, law: Law, names: Sequence[str]) -> None:
        """Record parameters of a law that a rule gives."""
        for name in names:
            field, _, index = name.partition(".")
            value = getattr(law, field)
            self.values[name] = RuleValue(float(value[int(index)] if index else value), rule)


ENVELOPE_PARAMETERS = ("upper.0", "upper.1", "lower.0", "lower.1")


def report_masing_geometry(report: RuleReport, _: Any, prepared: Sequence[PreparedLoop]) -> None:
    large = prepared[-1]
    dry_law = report.evaluate("masing_geometry", lambda: masing_geometry_of(large.geometry))
    if dry_law is None:
        return
    report.enter("masing_geometry", dry_law.law, ("stiffness", "limit", "parallel_stiffness", "preload"))
    damper = report.evaluate("damping_from_energy", lambda: damping_from_energy_of(large, dry_law))
    if damper is not None:
        report.values["damping"] = RuleValue(damper.damping, "damping_from_energy")


def report_rate_and_exponent(report: RuleReport, law: Any, prepared: Sequence[PreparedLoop]) -> None:
    _report_envelope_rule(report, law, "rate_and_exponent", ("rate", "exponent"), rate_and_exponent_of, prepared)


def report_rate_from_area(report: RuleReport, law: Any, prepared: Sequence[PreparedLoop]) -> None:
    _report_envelope_rule(report, law, "rate_from_area", ("rate",), rate_from_area_of, prepared)


def _report_envelope_rule(
    report: RuleReport,
    law: Any,
    rule: str,
    names: Sequence[str],
    compute: Callable[[LoopGeometry], Any],
    prepared: Sequence[PreparedLoop],
) -> None:
    """Report a rule for laws between envelopes, with its envelopes."""
    if len(law.upper) != 2 or len(law.lower) != 2:
        report.refuse(rule, "the rule is for straight envelopes, the law has others")
        return
    result = report.evaluate(rule, lambda: compute(prepared[-1].geometry))
    if result is not None:
        report.enter(rule, result.law, names)
        report.enter("envelopes", result.law, ENVELOPE_PARAMETERS)


def report_backbone(report: RuleReport, law: Any, prepared: Sequence[PreparedLoop]) -> None:
    if abs(law.exponent - 1.0) > tol.EXPONENT_ONE_TOLERANCE:
        report.refuse("backbone", f"the rule is for exponent 1, the law has {law.exponent:.3g}")
        return
    result = report.evaluate("backbone", lambda: backbone_of(_geometries(prepared), ()))
    if result is not None:
        report.enter("backbone", result.law, ("stiffness", "limit"))


def report_overshoot(report: RuleReport, _: Any, prepared: Sequence[PreparedLoop]) -> None:
    for rule, compute in (
        ("overshoot_dahl", overshoot_dahl_of),
        ("overshoot_bliman_sorine", overshoot_bliman_sorine_of),
    ):
        result = report.evaluate(rule, partial(compute, prepared[-1].geometry, {}))
        if result is not None:
            report.enter(rule, result.law, ("stiffness", "limit", "overshoot_limit", "ratio"))
            return


def report_backbone_and_overshoot(report: RuleReport, _: Any, prepared: Sequence[PreparedLoop]) -> None:
    result = report.evaluate("backbone", lambda: backbone_of(_geometries(prepared)))
    if result is None:
        return
    for name in ("stiffness", "limit", "linear", "cubic"):
        report.values[name] = RuleValue(getattr(result, name), "backbone")
    over = report.evaluate("overshoot_dahl", lambda: _overshoot_with_cubic(result, prepared[-1].geometry))
    if over is not None:
        report.values["overshoot"] = RuleValue(over.overshoot, "overshoot_dahl")
        report.values["ratio"] = RuleValue(over.curve.ratio, "overshoot_dahl")


def _overshoot_with_cubic(result: Backbone, geometry: LoopGeometry) -> Overshoot:
    """Overshoot of the largest loop, as a share of its cubic stress."""
    if result.cubic <= 0.0:
        raise InvalidInput(
            f"the overshoot is a share of the cubic stress, and the backbone has a modulus {result.cubic:.3g}"
        )
    return overshoot_dahl_of(geometry, result.moduli)


def _geometries(prepared: Sequence[PreparedLoop]) -> list[LoopGeometry]:
    return [r.geometry for r in prepared]


REPORTS: dict[str, Callable[[RuleReport, Any, Sequence[PreparedLoop]], None]] = {
    "masing_geometry": report_masing_geometry,
    "rate_and_exponent": report_rate_and_exponent,
    "rate_from_area": report_rate_from_area,
    "backbone": report_backbone,
    "overshoot": report_overshoot,
    "backbone_and_overshoot": report_backbone_and_overshoot,
}


def rule_values_of(law: Law, prepared: Sequence[PreparedLoop]) -> RuleValues:
    """Parameters of a fitted law by the papers' rules, from the loops that it was fitted to."""
    apply_rules = REPORTS.get(law.identification.paper_rules)
    if apply_rules is None:
        return RuleValues()
    report = RuleReport()
    apply_rules(report, law, sorted(prepared, key=lambda r: r.geometry.amplitude))
    return RuleValues(report.values, tuple(report.refusals))
