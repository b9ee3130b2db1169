"""Values of the papers' rules beside a fit, with the reason where a rule does not apply.

A function here for each law collects the values that rules give for its parameters. `law_traits` lists these functions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeVar

from slipstick.errors import InvalidInput
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
from slipstick.results.fit import RuleValue
from slipstick.results.result_notes import Note

Result = TypeVar("Result")


class RuleReport:
    """Values of rules, and the reasons of rules that do not apply."""

    def __init__(self) -> None:
        self.values: dict[str, RuleValue] = {}
        self.refusals: list[Note] = []

    def evaluate(self, rule: str, make: Callable[[], Result]) -> Result | None:
        """Result of a rule; None if it does not apply, with its reason recorded."""
        try:
            return make()
        except InvalidInput as problem:
            self.refuse(rule, str(problem), problem.command_words)
            return None

    def refuse(self, rule: str, words: str, command: str = "") -> None:
        """Record why a rule does not apply."""
        self.refusals.append(Note(f"{rule}: {words}", command=f"{rule}: {command or words}"))

    def enter(self, rule: str, law: Law, names: Sequence[str]) -> None:
        """Record parameters of a law that a rule gives."""
        for name in names:
            field, _, index = name.partition(".")
            value = getattr(law, field)
            self.values[name] = RuleValue(float(value[int(index)] if index else value), rule)


ENVELOPE_PARAMETERS = ("upper.0", "upper.1", "lower.0", "lower.1")


def masing(report: RuleReport, _: Any, prepared: Sequence[PreparedLoop]) -> None:
    large = prepared[-1]
    dry_law = report.evaluate("masing_geometry", lambda: masing_geometry_of(large.geometry))
    if dry_law is None:
        return
    report.enter("masing_geometry", dry_law.law, ("stiffness", "limit", "parallel_stiffness", "preload"))
    damper = report.evaluate("damping_from_energy", lambda: damping_from_energy_of(large, dry_law))
    if damper is not None:
        report.values["damping"] = RuleValue(damper.damping, "damping_from_energy")


def modified_dahl(report: RuleReport, law: Any, prepared: Sequence[PreparedLoop]) -> None:
    _report_envelope_rule(report, law, "rate_and_exponent", ("rate", "exponent"), rate_and_exponent_of, prepared)


def duhem(report: RuleReport, law: Any, prepared: Sequence[PreparedLoop]) -> None:
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


def dynamic_hysteresis(report: RuleReport, law: Any, prepared: Sequence[PreparedLoop]) -> None:
    if abs(law.exponent - 1.0) > tol.EXPONENT_ONE_TOLERANCE:
        report.refuse("backbone", f"the rule is for exponent 1, the law has {law.exponent:.3g}")
        return
    result = report.evaluate("backbone", lambda: backbone_of(_geometries(prepared), ()))
    if result is not None:
        report.enter("backbone", result.law, ("stiffness", "limit"))


def bliman_sorine(report: RuleReport, _: Any, prepared: Sequence[PreparedLoop]) -> None:
    for rule, compute in (
        ("overshoot_dahl", overshoot_dahl_of),
        ("overshoot_bliman_sorine", overshoot_bliman_sorine_of),
    ):
        result = report.evaluate(rule, partial(compute, prepared[-1].geometry, {}))
        if result is not None:
            report.enter(rule, result.law, ("stiffness", "limit", "overshoot_limit", "ratio"))
            return


def fibre(report: RuleReport, _: Any, prepared: Sequence[PreparedLoop]) -> None:
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
