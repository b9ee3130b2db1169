"""Contents of a model as text, in the units of its file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from slipstick.app.model.law_descriptions import (
    LawDescription,
    describe_function,
    describe_law,
    quantity_text,
    si_unit_of,
)

if TYPE_CHECKING:
    from slipstick.api import Model
    from slipstick.laws.base import Law
    from slipstick.model.system import Connection, Coordinate

SI_NOTE = "numbers without a unit are in SI: m or rad, N or N m, kg or kg m²"
DIMENSIONLESS_NOTE = (
    "as in the paper, nothing has a unit: angles are counted in T_p/K, times in 1/ω_n and torques in T_p"
)
PAD_UNITS = {"deflection": "1/m", "force": "m^2"}  # of the published mount, whose law is of stress and strain


class ConnectionSummary(NamedTuple):
    """A connection.   on : its deflection.   laws : several act together."""

    name: str
    on: str
    laws: tuple[LawDescription, ...]


class ModelContents(NamedTuple):
    """coordinates : name, inertia and start.   loads : form and function of time.   note : on units."""

    coordinates: tuple[tuple[str, str, str], ...] = ()
    connections: tuple[ConnectionSummary, ...] = ()
    loads: tuple[tuple[str, str], ...] = ()
    note: str = ""


def model_contents(model: Model, data: Mapping[str, Any], system: str = "") -> ModelContents:
    """Contents of a model.   data : of its file.   system : its name, if it is a published one."""
    from slipstick.laws.directions import stated_laws
    from slipstick.units.axes import kind_of_unit

    nodes, connections = data.get("coordinates") or {}, data.get("connections") or {}
    if system == "fibre":
        connections = {name: {**node, "scaled": _pad_values(node["scaled"])} for name, node in connections.items()}
    loads = zip(model.loads, data.get("loads") or [], strict=True)
    units = model.units.coordinates
    kinds = {c.name: kind_of_unit(units.get(c.name, "")) for c in model.coordinates}
    return ModelContents(
        tuple(_coordinate(model, c, nodes.get(c.name) or {}, kinds[c.name]) for c in model.coordinates),
        tuple(
            _connection(model, model.connections[i], each.law, connections[each.name])
            for each in stated_laws(model.connections)
            for i in each.members
        ),
        tuple((repr(load.form), _load({kinds[name] for name in load.form.terms}, node)) for load, node in loads),
        DIMENSIONLESS_NOTE if system == "torsional" else SI_NOTE if None in kinds.values() else "",
    )


def _pad_values(scaled: Mapping[str, Any]) -> dict[str, Any]:
    return {key: f"{value} {PAD_UNITS[key]}" for key, value in scaled.items()}


def _coordinate(model: Model, c: Coordinate, node: Mapping[str, Any], kind: str | None) -> tuple[str, str, str]:
    from slipstick.units.dimensions import DEFLECTION, INERTIA, VELOCITY

    inertia = quantity_text(node["inertia"], si_unit_of(INERTIA, kind)) if "inertia" in node else ""
    if model.matrices is not None and c.name in model.matrices.names:
        inertia = f"{inertia} beside the matrices" if c.inertia else "in the matrices"
    if c.motion is not None:
        return c.name, inertia, f"moves: {describe_function(node['motion'], si_unit_of(DEFLECTION, kind))}"
    starts = (("displacement", DEFLECTION), ("velocity", VELOCITY))
    descriptions = [
        f"{key} {quantity_text(node[key], si_unit_of(d, kind))}" for key, d in starts if getattr(c, key) and key in node
    ]
    return c.name, inertia or "none", ", ".join(descriptions) or "at rest"


def _connection(model: Model, c: Connection, law: Law, node: Mapping[str, Any]) -> ConnectionSummary:
    from slipstick.units.axes import kind_of_unit

    kind = kind_of_unit(model.units.connections.get(c.name, ""))
    terms = node.get("sum", [node])
    laws = [leaf.law for leaf in law.as_terms()]
    each = laws if len(laws) == len(terms) else [None] * len(terms)
    around = {key: node[key] for key in ("scaled", "modulated") if "sum" in node and key in node}
    descriptions = tuple(describe_law(term, own, kind, around) for term, own in zip(terms, each, strict=True))
    on = repr(c.deflection)
    return ConnectionSummary(c.name, on if c.is_conjugate else f"{on}, its force along {c.along!r}", descriptions)


def _load(kinds: set[str | None], node: Mapping[str, Any]) -> str:
    """The function of time of a load.   kinds : of its coordinates."""
    from slipstick.units.dimensions import FORCE

    unit = si_unit_of(FORCE, kinds.pop()) if len(kinds) == 1 else ""
    return describe_function({key: own for key, own in node.items() if key not in ("on", "name")}, unit)
