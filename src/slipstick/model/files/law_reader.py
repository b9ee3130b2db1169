"""From the keys of a connection to its law, with every unit and bound checked."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path as Folder
from typing import Any, NamedTuple

from slipstick.errors import InvalidInput, warning_message
from slipstick.laws import law_class
from slipstick.laws.base import Law, Leaf
from slipstick.laws.composite import Combination, modulated, scaled
from slipstick.laws.followed_force import FollowedForce
from slipstick.laws.parameters import Spec, check_number, spec_of
from slipstick.model.files import schema
from slipstick.model.files.file_problems import FILE, FileFindings, LocatedProblem, Path
from slipstick.model.files.quantities import Quantity
from slipstick.model.files.schema_check import LawNode
from slipstick.model.files.time_functions import FunctionScope, read_function
from slipstick.model.files.unit_kinds import OpenKinds, allowed_scale_pairs, kinds_text
from slipstick.signals import TimeFunction
from slipstick.units.dimensions import ALL_KINDS, NUMBER, STRESS
from slipstick.units.parser import to_si

Modulation = tuple[tuple[TimeFunction, bool], ...]


class LawOfKinds(NamedTuple):
    """A law and the kinds of motion that its units allow."""

    law: Law
    kinds: frozenset[str]


class LawReader:
    """Reads the laws of one file."""

    def __init__(self, findings: FileFindings, folder: Folder | None) -> None:
        self.findings, self.folder = findings, folder
        self.kinds: Callable[[], OpenKinds] = OpenKinds  # what units may be, to begin with

    def connection(self, node: LawNode, path: Path, own: frozenset[str] = frozenset(ALL_KINDS)) -> LawOfKinds | None:
        """The law of a connection; None if it has problems, which are then in the findings.

        own : the kinds of its deflection. A unit that cannot be one of them is the one to blame, unless the law is
        scaled; stress is reported as a whole.
        """
        if node.keys.scaled is None and own < frozenset(ALL_KINDS):
            why = f"{node.keys.deflection} is {kinds_text(own)} by the units of its coordinates"
            self.kinds = lambda: OpenKinds(own | {STRESS}, own, why)
        if node.law is None:
            return self.sum(node, path)
        term = self.term(node, path)
        if term is None:
            return None
        leaf, kinds = term
        plain = node.keys.scaled is None and not leaf.modulation
        return LawOfKinds(leaf.law if plain else Combination(terms=(leaf,)), kinds)

    def sum(self, node: LawNode, path: Path) -> LawOfKinds | None:
        found = self.terms(node, (*path, "sum"), "a sum acts on one deflection")
        if found is None:
            return None
        with self.findings.catch(path):
            return self.around(Combination(terms=found[0]), node, path, found[1])
        return None

    def terms(self, node: LawNode, path: Path, why: str) -> tuple[tuple[Leaf, ...], frozenset[str]] | None:
        """The laws of a list and the kinds that all of them allow; why : they must agree on one."""
        leaves, kinds = list[Leaf](), frozenset(ALL_KINDS)
        for i, each in node.terms:
            where = (*path, i)
            if each.law is None:
                whole = self.sum(each, where)
                term = None if whole is None else (Leaf(whole.law), whole.kinds)
            else:
                term = self.term(each, where)
            if term is None:
                return None
            leaf, own = term
            if not kinds & own:
                words = f"is {kinds_text(own)}, the laws before it are {kinds_text(kinds)}"
                self.findings.problem(where, f"{words}; {why}, use one kind of unit")
                return None
            leaves.append(leaf)
            kinds &= own
        return tuple(leaves), kinds

    def around(self, whole: Law, node: LawNode, path: Path, kinds: frozenset[str]) -> LawOfKinds:
        """The scaling and modulation of a sum, applied to each of its laws."""
        deflection, force, kinds = self.scale(node.keys.scaled, (*path, "scaled"), kinds)
        if node.keys.scaled is not None:
            whole = scaled(whole, deflection, force)
        for function, cut in reversed(self.modulation(node, path)):
            if cut:
                raise LocatedProblem(
                    (*path, "modulated"), "cut_at_zero has no place on a sum; give it to each of its laws"
                )
            whole = modulated(whole, function)
        return LawOfKinds(whole, kinds)

    def term(self, node: LawNode, path: Path) -> tuple[Leaf, frozenset[str]] | None:
        """One law with its scaling and modulation."""
        kinds = self.kinds() if node.keys.scaled is None else OpenKinds()
        law = self.law(node, path, kinds)
        self.findings.unitless += [(*path, name) for name in kinds.unitless]
        with self.findings.catch(path):
            deflection, force, outer = self.scale(node.keys.scaled, (*path, "scaled"), kinds.left)
            modulation = self.modulation(node, path)
            return (Leaf(law, deflection, force, modulation), outer) if law else None
        return None

    def scale(self, given: Any, path: Path, inner: frozenset[str]) -> tuple[float, float, frozenset[str]]:
        """(deflection, force, kinds of the whole) of ``scaled:``."""
        if given is None:
            return 1.0, 1.0, inner
        values, pairs = [], frozenset((kind, outer) for kind in inner for outer in ALL_KINDS)
        for key in ("deflection", "force"):
            quantity: Quantity | None = getattr(given, key)
            try:
                pairs = allowed_scale_pairs(pairs, key, quantity)
                values.append(1.0 if quantity is None else to_si(quantity.number, quantity.unit))
            except InvalidInput as error:
                raise LocatedProblem((*path, key), error.message) from None
            if values[-1] == 0.0:
                raise LocatedProblem((*path, key), "must not be 0, got 0; leave the line out for 1")
        return values[0], values[1], frozenset(outer for _, outer in pairs)

    def modulation(self, node: LawNode, path: Path) -> Modulation:
        found = []
        for i, each in enumerate(node.keys.modulated or ()):
            where = (*path, "modulated", i) if (*path, "modulated", i) in self.findings.lines else (*path, "modulated")
            function = read_function(each, where, FunctionScope(NUMBER, OpenKinds(), self.folder))
            found.append((function, each.cut_at_zero))
        return tuple(found)

    # ---- one law

    def law(self, node: LawNode, path: Path, kinds: OpenKinds) -> Law | None:
        cls = law_class(str(node.law))
        before, values = len(self.findings.problems), {}
        given = {
            f.name: (spec_of(f), getattr(node.keys, f.name))
            for f in fields(cls)
            if f.name in node.keys.model_fields_set
        }
        for name, (spec, value) in given.items():
            with self.findings.catch((*path, name)):
                if spec.kind == "laws":
                    values[name] = self.parts(node, (*path, name), kinds)
                else:
                    values[name] = self.value(spec, value, (*path, name), kinds)
        if len(self.findings.problems) > before:
            return None
        law = self.made(cls, values, path)
        for name, (spec, value) in given.items():
            if law is not None and callable(spec.dimension) and isinstance(value, Quantity):
                with self.findings.catch((*path, name)):
                    kinds.take(name, value, spec.dimension_of(law))
        return law if len(self.findings.problems) == before else None

    def parts(self, node: LawNode, path: Path, kinds: OpenKinds) -> tuple[Law, ...]:
        """The laws of a series, which leave only their common kinds of motion open; none if one has problems."""
        found = self.terms(node, path, "deflections of a series add up")
        if found is None:
            return ()
        kinds.left &= found[1]
        return tuple(leaf.law if leaf == Leaf(leaf.law) else Combination(terms=(leaf,)) for leaf in found[0])

    def made(self, cls: type[Law], values: dict[str, Any], path: Path) -> Law | None:
        """The law; an error about several parameters gets the line of the one that it names."""
        try:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                law = cls(**values)
        except InvalidInput as error:
            named = error.argument if error.argument in values else None
            self.findings.problem((*path, named) if named else path, _without_name(error, named))
            return None
        for warning in caught:
            self.findings.warning(path, FILE.located(warning_message(warning.message)))
        return law

    def value(self, spec: Spec, given: Any, path: Path, kinds: OpenKinds) -> Any:
        """A parameter in SI, within its bounds."""
        if isinstance(given, schema.FunctionSection):
            return read_function(given, path, FunctionScope(spec.dimension_of(None), kinds, self.folder))
        if isinstance(given, schema.FollowedSection):
            spec, own = Spec(), given.factor
            factor = 1.0 if own is None else _number(spec, own, (*path, "factor"), kinds, 0)
            return FollowedForce(given.force_of) * factor
        if isinstance(given, Quantity):
            return _number(spec, given, path, kinds, 0)
        if isinstance(given, list):
            return tuple(_number(spec, q, (*path, i), kinds, i) for i, q in enumerate(given))
        return given  # a choice or a flag


def _number(spec: Spec, quantity: Quantity, path: Path, kinds: OpenKinds, index: int) -> float:
    name = next(str(step) for step in reversed(path) if isinstance(step, str))
    try:
        if callable(spec.dimension):  # checked with the law; the value of a unit does not depend on it
            value = to_si(quantity.number, quantity.unit)
        else:
            value = kinds.take(name, quantity, spec.dimension_of(None, index))
        return check_number("", name, spec, value)
    except InvalidInput as error:
        written = f" ({quantity.text} in the file)" if quantity.unit and error.bound else ""
        raise LocatedProblem(path, _without_name(error, name) + written) from None


def _without_name(error: InvalidInput, name: str | None) -> str:
    """The message of an error behind a path that ends with the name of the parameter."""
    parts = error.message.parts
    return FILE.line(parts._replace(owner="", subject="" if parts.subject == name else parts.subject))
