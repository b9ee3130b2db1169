"""Values of the papers' rules beside a fit, with the reason where a rule does not apply.

A function here for each law collects the values that rules give for its parameters. `law_traits` lists these functions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeVar

from slipstick.errors import InvalidInput, Message
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

Result = TypeVar("Result")

EXPONENT_ONE_TOLERANCE = 0.05  # of the exponent: farther from 1 the backbone is another curve


class RuleReport:
    """What rules gave, and why others did not."""

    def __init__(self) -> None:
        self.values: dict[str, RuleValue] = {}
        self.refusals: list[Message] = []

    def ask(self, rule: str, make: Callable[[], Result]) -> Result | None:
        """The result of a rule; None where it refuses, with its reason kept."""
        try:
            return make()
        except InvalidInput as problem:
            self.refuse(rule, problem.message)
            return None

    def refuse(self, rule: str, words: str) -> None:
        """Keep why a rule does not apply."""
        self.refusals.append(Message.of(words).wrapped(f"{rule}: "))

    def enter(self, rule: str, law: Law, names: Sequence[str]) -> None:
        """Numbers of a law that a rule gave."""
        for name in names:
            field, _, index = name.partition(".")
            value = getattr(law, field)
            self.values[name] = RuleValue(float(value[int(index)] if index else value), rule)


ENVELOPE_PARAMETERS = ("upper.0", "upper.1", "lower.0", "lower.1")


def masing(book: RuleReport, _: Any, found: Sequence[PreparedLoop]) -> None:
    large = found[-1]
    skeleton = book.ask("masing_geometry", lambda: masing_geometry_of(large.geometry))
    if skeleton is None:
        return
    book.enter("masing_geometry", skeleton.law, ("stiffness", "limit", "parallel_stiffness", "preload"))
    damper = book.ask("damping_from_energy", lambda: damping_from_energy_of(large, skeleton))
    if damper is not None:
        book.values["damping"] = RuleValue(damper.damping, "damping_from_energy")


def modified_dahl(book: RuleReport, law: Any, found: Sequence[PreparedLoop]) -> None:
    _report_envelope_rule(book, law, "rate_and_exponent", ("rate", "exponent"), rate_and_exponent_of, found)


def duhem(book: RuleReport, law: Any, found: Sequence[PreparedLoop]) -> None:
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


def dynamic_hysteresis(book: RuleReport, law: Any, found: Sequence[PreparedLoop]) -> None:
    if abs(law.exponent - 1.0) > EXPONENT_ONE_TOLERANCE:
        book.refuse("backbone", f"the rule is for exponent 1, the law has {law.exponent:.3g}")
        return
    own = book.ask("backbone", lambda: backbone_of(_geometries(found), ()))
    if own is not None:
        book.enter("backbone", own.law, ("stiffness", "limit"))


def bliman_sorine(book: RuleReport, _: Any, found: Sequence[PreparedLoop]) -> None:
    for rule, of in (("overshoot_dahl", overshoot_dahl_of), ("overshoot_bliman_sorine", overshoot_bliman_sorine_of)):
        own = book.ask(rule, partial(of, found[-1].geometry, {}))
        if own is not None:
            book.enter(rule, own.law, ("stiffness", "limit", "overshoot_limit", "ratio"))
            return


def fibre(book: RuleReport, _: Any, found: Sequence[PreparedLoop]) -> None:
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
