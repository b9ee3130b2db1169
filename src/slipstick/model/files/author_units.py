"""A document of SI numbers, written in the units of the model's author.

A number is written so that it reads back exactly, with as few digits as that needs: 458.3662361046586 N m/rad is
8 N m/deg again. Where the author's unit would need many more digits than SI does, the number stays in SI:
an author who uses N m/deg for stiffnesses may use N m s/rad for dampings.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from slipstick.laws import LAWS, law_class
from slipstick.laws.parameters import spec_of
from slipstick.model.files.written_units import units_of_document
from slipstick.model.kind_inference import MotionKinds
from slipstick.model.system import System
from slipstick.units.axes import kind_of_unit
from slipstick.units.dimensions import (
    DEFLECTION,
    FORCE,
    INERTIA,
    NUMBER,
    UNIT_SYSTEMS,
    VELOCITY,
    Dimension,
    spell_dimension,
    unit_name,
)
from slipstick.units.parser import EXACT_DIGITS, shortest_exact
from slipstick.units.scales import FREQUENCY_FACTORS

MAX_EXTRA_DIGITS = 4  # digits more than in SI: the author's unit is not the one it was written in
_STARTS: dict[str, Dimension] = {"inertia": INERTIA, "displacement": DEFLECTION, "velocity": VELOCITY}


def document_in_author_units(document: dict[str, Any], model: System) -> dict[str, Any]:
    """The document of a model with the units that the model knows."""
    found = _AuthorUnits(model, MAX_EXTRA_DIGITS).document(document)
    units = model.units.coordinates
    kinds = MotionKinds({name: kind_of_unit(unit) or "" for name, unit in units.items()}, {})
    if units_of_document(found, kinds).coordinates != units:  # other display units would be read from it
        found = _AuthorUnits(model, EXACT_DIGITS).document(document)
    return found


def start_in_author_units(model: System, name: str, value: float, what: str) -> str:
    """A start of a coordinate as the model's file would hold it: "2 deg".   what : "displacement" or "velocity"."""
    found = _AuthorUnits(model, MAX_EXTRA_DIGITS).value(value, _STARTS[what], model.units.coordinates.get(name, ""))
    return found if isinstance(found, str) else f"{value:g}"


class _AuthorUnits:
    """many : how many digits more than in SI a number may have in the author's unit."""

    def __init__(self, model: System, many: int) -> None:
        self.model, self.units, self.many = model, model.units, many

    def document(self, plain: dict[str, Any]) -> dict[str, Any]:
        found = dict(plain)
        if "frequency" in plain:
            found["frequency"] = self.frequency(plain["frequency"])
        shown_in = self.units.coordinates
        found["coordinates"] = {
            name: self.coordinate(own, shown_in.get(name, "")) for name, own in plain.get("coordinates", {}).items()
        }
        found["connections"] = {
            name: self.law(own, self.connection_unit(name)) for name, own in plain.get("connections", {}).items()
        }
        found["loads"] = [
            self.function(own, FORCE, self.shown_in(load.form.terms))
            for own, load in zip(plain.get("loads", []), self.model.loads, strict=True)
        ]
        return {key: value for key, value in found.items() if value not in ({}, [])}

    def connection_unit(self, name: str) -> str:
        """The unit of a connection, or of the first direction of a law with several deflections."""
        known = self.units.connections
        return known.get(name) or next((unit for own, unit in known.items() if own.rpartition(".")[0] == name), "")

    def shown_in(self, terms: Any) -> str:
        """The common unit of the coordinates without a factor; empty where they differ."""
        bare = {self.units.coordinates.get(name, "") for name, factor in terms.items() if abs(factor) == 1.0}
        return bare.pop() if len(bare) == 1 else ""

    def coordinate(self, plain: dict[str, Any], unit: str) -> dict[str, Any]:
        found = {
            key: self.value(value, _STARTS[key], unit) if key in _STARTS else value for key, value in plain.items()
        }
        if "motion" in plain:
            found["motion"] = self.function(plain["motion"], DEFLECTION, unit)
        return found

    def law(self, plain: dict[str, Any], unit: str) -> dict[str, Any]:
        """A law, or a sum of them; a scaled law may be one of stress and stays in SI."""
        if "sum" in plain:
            return {**plain, "sum": [self.law(own, unit) for own in plain["sum"]]}
        if "scaled" in plain or plain.get("law") not in LAWS:
            return plain
        specs = {f.name: spec_of(f) for f in fields(law_class(plain["law"]))}
        found = dict(plain)
        for key, spec in specs.items():
            if key not in plain or callable(spec.dimension):
                continue
            value = plain[key]
            if spec.kind == "laws":
                found[key] = [self.law(own, unit) for own in value]
            elif isinstance(value, dict):
                found[key] = self.function(value, spec.dimension, unit)
            elif isinstance(value, list):
                found[key] = [self.value(own, spec.dimension_of(None, i), unit) for i, own in enumerate(value)]
            else:
                found[key] = self.value(value, spec.dimension, unit)
        return found

    def function(self, plain: dict[str, Any], dimension: Dimension, unit: str) -> dict[str, Any]:
        """A function of time under its key, whose value has this dimension."""
        f, d, t = dimension
        found = dict(plain)
        for key, own in plain.items():
            if key == "sum":
                found[key] = [self.function(each, dimension, unit) for each in own]
            elif key in ("constant", "ramp"):
                found[key] = self.value(own, (f, d, t - 1) if key == "ramp" else dimension, unit)
            elif key in ("cosine", "sine", "fourier", "signal"):
                found[key] = {word: self.part(word, value, dimension, unit) for word, value in own.items()}
        return found

    def part(self, word: str, value: Any, dimension: Dimension, unit: str) -> Any:
        """An argument of a function of time."""
        if word == "frequency":
            return self.frequency(value)
        if word in ("amplitude", "mean"):
            return self.value(value, dimension, unit)
        if word in ("cos", "sin", "values"):
            return [self.value(own, dimension, unit) for own in value]
        return value

    def frequency(self, value: Any) -> Any:
        unit = self.units.frequency
        return self.shortest(value, [unit, "rad/s"]) if unit in FREQUENCY_FACTORS else value

    def value(self, value: Any, dimension: Dimension, unit: str) -> Any:
        """A number with its unit; the plain number where the unit is unknown."""
        kind = kind_of_unit(unit)
        whole = all(own in (-1, 0, 1) for own in dimension)
        if kind is None or not isinstance(value, float) or dimension == NUMBER or not (whole or dimension == INERTIA):
            return value
        if dimension == INERTIA:
            return self.shortest(value, [unit_name(INERTIA, kind)])
        force, _, time = UNIT_SYSTEMS[kind]
        return self.shortest(value, [spell_dimension(dimension, (force, unit, time)), unit_name(dimension, kind)])

    def shortest(self, value: float, units: list[str]) -> Any:
        """In the first of these units, or in SI, which is the last, where that is much shorter."""
        texts = [
            (own, unit) for own, unit in ((shortest_exact(value, unit), unit) for unit in dict.fromkeys(units)) if own
        ]
        if not texts:
            return value
        own, unit = texts[0] if len(texts[0][0]) <= len(texts[-1][0]) + self.many else texts[-1]
        return f"{own} {unit}"
