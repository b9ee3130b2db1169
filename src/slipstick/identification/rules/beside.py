"""The papers' rules beside a fit: which of them give numbers of a law, and why others do not.

A function here for each law enters into a book what rules tell of it; `known_laws` tells which, and `beside` asks it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeVar

from slipstick.errors import InvalidInput
from slipstick.identification.geometry import Geometry
from slipstick.identification.preparing import Ready
from slipstick.identification.rules.area import rate_from_area_of
from slipstick.identification.rules.backbone import Backbone, backbone_of
from slipstick.identification.rules.energy import damping_from_energy_of
from slipstick.identification.rules.masing import masing_geometry_of
from slipstick.identification.rules.overshoot import Overshoot, overshoot_bliman_sorine_of, overshoot_dahl_of
from slipstick.identification.rules.shape import rate_and_exponent_of
from slipstick.laws.base import Law
from slipstick.results.fit import ByRule
from slipstick.results.notes import Note

Result = TypeVar("Result")

NEAR_ONE = 0.05  # of the exponent: farther from 1 the backbone is another curve


class Book:
    """What rules gave, and why others did not."""

    def __init__(self) -> None:
        self.values: dict[str, ByRule] = {}
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
            self.values[name] = ByRule(float(value[int(index)] if index else value), rule)


LINES = ("upper.0", "upper.1", "lower.0", "lower.1")


def masing(book: Book, _: Any, found: Sequence[Ready]) -> None:
    large = found[-1]
    skeleton = book.ask("masing_geometry", lambda: masing_geometry_of(large.geometry))
    if skeleton is None:
        return
    book.enter("masing_geometry", skeleton.law, ("stiffness", "limit", "parallel_stiffness", "preload"))
    damper = book.ask("damping_from_energy", lambda: damping_from_energy_of(large, skeleton))
    if damper is not None:
        book.values["damping"] = ByRule(damper.damping, "damping_from_energy")


def modified_dahl(book: Book, law: Any, found: Sequence[Ready]) -> None:
    _between_envelopes(book, law, "rate_and_exponent", ("rate", "exponent"), rate_and_exponent_of, found)


def duhem(book: Book, law: Any, found: Sequence[Ready]) -> None:
    _between_envelopes(book, law, "rate_from_area", ("rate",), rate_from_area_of, found)


def _between_envelopes(
    book: Book, law: Any, rule: str, names: Sequence[str], of: Callable[[Geometry], Any], found: Sequence[Ready]
) -> None:
    """A rule for laws that run between envelopes, which gives those, too."""
    if len(law.upper) != 2 or len(law.lower) != 2:
        book.refuse(rule, "the rule is for straight envelopes, the law has others")
        return
    own = book.ask(rule, lambda: of(found[-1].geometry))
    if own is not None:
        book.enter(rule, own.law, names)
        book.enter("envelopes", own.law, LINES)


def dynamic_hysteresis(book: Book, law: Any, found: Sequence[Ready]) -> None:
    if abs(law.exponent - 1.0) > NEAR_ONE:
        book.refuse("backbone", f"the rule is for exponent 1, the law has {law.exponent:.3g}")
        return
    own = book.ask("backbone", lambda: backbone_of(_geometries(found), ()))
    if own is not None:
        book.enter("backbone", own.law, ("stiffness", "limit"))


def bliman_sorine(book: Book, _: Any, found: Sequence[Ready]) -> None:
    for rule, of in (("overshoot_dahl", overshoot_dahl_of), ("overshoot_bliman_sorine", overshoot_bliman_sorine_of)):
        own = book.ask(rule, partial(of, found[-1].geometry, {}))
        if own is not None:
            book.enter(rule, own.law, ("stiffness", "limit", "overshoot_limit", "ratio"))
            return


def fibre(book: Book, _: Any, found: Sequence[Ready]) -> None:
    own = book.ask("backbone", lambda: backbone_of(_geometries(found)))
    if own is None:
        return
    for name in ("stiffness", "limit", "linear", "cubic"):
        book.values[name] = ByRule(getattr(own, name), "backbone")
    over = book.ask("overshoot_dahl", lambda: _with_cubic(own, found[-1].geometry))
    if over is not None:
        book.values["overshoot"] = ByRule(over.overshoot, "overshoot_dahl")
        book.values["ratio"] = ByRule(over.curve.ratio, "overshoot_dahl")


def _with_cubic(own: Backbone, geometry: Geometry) -> Overshoot:
    """The overshoot of the largest loop, which is measured against its cubic stress."""
    if own.cubic <= 0.0:
        raise InvalidInput(
            f"the overshoot is a share of the cubic stress, and the backbone has a modulus {own.cubic:.3g}"
        )
    return overshoot_dahl_of(geometry, own.moduli)


def _geometries(found: Sequence[Ready]) -> list[Geometry]:
    return [r.geometry for r in found]
