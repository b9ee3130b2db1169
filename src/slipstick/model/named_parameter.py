"""`NamedParameter`: one number of a model by its name: "bearing.limit", "forcing.amplitude", "x.inertia".

The first word is a connection, a load or a coordinate; the others lead on, through sums, series and lists by their
numbers: "joint.1.limit" is the limit of the second law of a sum or series, "spring.coefficients.3" the cubic
coefficient.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import fields, is_dataclass, replace
from typing import Any, NamedTuple

from slipstick.errors import Advice, InvalidInput, short_repr
from slipstick.laws.base import Law, Leaf
from slipstick.laws.composite import Combination
from slipstick.laws.directions import in_directions, stated_laws
from slipstick.laws.followed_force import followed_force
from slipstick.laws.parameters import Spec, spec_of
from slipstick.model.followed_limit import followers, refresh_followers
from slipstick.model.system import System
from slipstick.name_hints import did_you_mean
from slipstick.signals import NUMBER_TYPES, Sum, TimeFunction
from slipstick.units.dimensions import DEFLECTION, FORCE, INERTIA, NUMBER, TIME, Dimension

FORCING_NAME = "forcing"  # name of the only load that varies in time, if it has none of its own
FREQUENCY, PHASE = "frequency", "phase"  # counted in cycles or turns, which no dimension expresses


class NamedParameter(NamedTuple):
    """value : the present one.   at : a copy of the model with another value.

    dimension : in force, deflection and time; or FREQUENCY, or PHASE.
    """

    value: float
    at: Callable[[float], System]
    dimension: Dimension | str = NUMBER


# the dimension of a number in a list, by its place there; or of a number that is in none, at 0
Dimensions = Callable[[int], Dimension | str]


def parameter_of(system: System, name: str) -> NamedParameter:
    """The number of a model that a name leads to."""
    if not isinstance(name, str) or not name.strip():
        raise InvalidInput(f'a parameter is named such as "bearing.limit", got {short_repr(name)}').about("parameter")
    first, *rest = name.split(".")
    place = _find_part(system, first)
    if rest == ["speed"] and getattr(place.value, "motion", None) is not None:
        rest = ["motion", "rate"]  # of a coordinate that moves at a constant speed
    inner = _find_number(place.value, rest, first, name, lambda _: place.dimension)

    def at(value: float) -> System:
        new = system.snapshot()
        new.ready = None
        place.put(new, inner.put(value))
        return new

    return NamedParameter(inner.value, at, inner.dimension)


def parameter_names(system: System) -> list[str]:
    """The names of all numbers of a model that have one; orders are left out, which cannot be a little larger."""
    owners: dict[str, Any] = {each.name: each for each in system.coordinates}
    owners |= {load.name: load.function for load in system.loads if load.name}
    varying = [load for load in system.loads if load.function.parts().harmonics]
    if len(varying) == 1 and not varying[0].name:
        owners.setdefault(FORCING_NAME, varying[0].function)
    owners |= {each.name: each.law for each in stated_laws(system.connections)}
    return [name for owner, thing in owners.items() if "." not in owner for name in _names_within(thing, owner)]


def bounds_of(system: System, name: str) -> Spec:
    """The bounds of a number of a model by one of its `parameter_names`; those of a finite number where it has none."""
    first, *rest = name.split(".")
    thing = _find_part(system, first).value
    if rest == ["inertia"]:
        return Spec(low=0.0)
    spec = Spec()
    for key in rest:
        if isinstance(thing, Law) and is_dataclass(thing):
            spec = next((spec_of(f) for f in fields(thing) if f.name == key), spec)
        thing = _parts(thing)[key]
    return spec


def _names_within(thing: Any, where: str) -> Iterator[str]:
    if isinstance(thing, NUMBER_TYPES) and not isinstance(thing, bool):
        yield where
        return
    for key, part in _parts(thing).items():
        if key != "order" and not isinstance(part, str):
            yield from _names_within(part, f"{where}.{key}")


class _ModelPart(NamedTuple):
    """A part of a model: its value, how to replace it in a copy of the model, and its dimension."""

    value: Any
    put: Callable[[System, Any], None]
    dimension: Dimension = NUMBER


class _NestedNumber(NamedTuple):
    """A number within something: its value, that thing with another value, and its dimension."""

    value: float
    put: Callable[[float], Any]
    dimension: Dimension | str


def _replace_directions(system: System, name: str, law: Any, members: tuple[int, ...]) -> None:
    """Give a law with several directions to its connections, by their numbers."""
    if followed_force(law) is not None:
        first = system.connections[members[0]]
        system.connections[members[0] : members[-1] + 1] = followers(system, name, first.deflection, law)
        return
    for i, part in zip(members, in_directions(law, len(members)), strict=True):
        system.connections[i] = replace(system.connections[i], law=part)


def _find_part(system: System, name: str) -> _ModelPart:
    for i, connection in enumerate(system.connections):
        if connection.name == name:

            def put_law(new: System, law: Any, i: int = i) -> None:
                new.connections[i] = replace(new.connections[i], law=law)
                refresh_followers(new)

            return _ModelPart(connection.law, put_law)
    for each in stated_laws(system.connections):
        if each.name == name:

            def put_all(new: System, law: Any, members: tuple[int, ...] = each.members) -> None:
                _replace_directions(new, name, law, members)
                refresh_followers(new)

            return _ModelPart(each.law, put_all)
    found = [i for i, load in enumerate(system.loads) if load.name == name]
    if not found and name == FORCING_NAME:
        found = [i for i, load in enumerate(system.loads) if load.function.parts().harmonics]
        if len(found) > 1:
            raise InvalidInput(
                f'model "{system.name}" has {len(found)} loads that vary in time',
                argument="parameter",
                advice=[Advice("name one of them, such as {named_load}")],
            )
    if found:

        def put_load(new: System, function: Any, i: int = found[0]) -> None:
            new.loads[i] = replace(new.loads[i], function=function)

        return _ModelPart(system.loads[found[0]].function, put_load, FORCE)
    for i, coordinate in enumerate(system.coordinates):
        if coordinate.name == name:

            def put_coordinate(new: System, values: Any, i: int = i) -> None:
                new.coordinates[i] = values

            return _ModelPart(coordinate, put_coordinate, DEFLECTION)
    known = [*(c.name for c in system.connections), *(load.name for load in system.loads if load.name)]
    known += [c.name for c in system.coordinates]
    raise InvalidInput(
        f'model "{system.name}" has no connection, load or coordinate "{name}"{did_you_mean(name, known)}'
    ).about("parameter")


def _find_number(thing: Any, names: Sequence[str], where: str, whole: str, dimensions: Dimensions) -> _NestedNumber:
    """The number that a path of names reaches from an object.   where : the part of the path so far."""
    if isinstance(thing, NUMBER_TYPES) and not isinstance(thing, bool):
        if names:
            raise InvalidInput(f'"{where}" is a number already; leave ".{".".join(names)}" out').about("parameter")
        return _NestedNumber(float(thing), lambda value: value, dimensions(0))
    parts = _parts(thing)
    if names and names[0] in parts:
        return _find_in_part(thing, names[0], names[1:], f"{where}.{names[0]}", whole, dimensions)
    if names and _has_terms(thing):  # the only term that has it need not be numbered
        having = [key for key, part in parts.items() if names[0] in _parts(part)]
        if len(having) == 1:
            return _find_in_part(thing, having[0], names, where, whole, dimensions)
        if having:
            raise InvalidInput(
                f'"{whole}" is in {len(having)} terms of "{where}"; say which: '
                + " or ".join(f'"{where}.{key}.{".".join(names)}"' for key in having)
            ).about("parameter")
    known = [key for key, part in parts.items() if not isinstance(part, (str, bool, type(None)))]
    said = f'"{where}" has no "{names[0]}"' if names else f'"{where}" is no number'
    offered = did_you_mean(names[0], known) if names else ""
    if "did you mean" not in offered:
        offered = f"; it has {', '.join(known)}" if known else ""
    raise InvalidInput(f"{said}{offered}").about("parameter")


def _find_in_part(
    thing: Any, key: str, names: Sequence[str], where: str, whole: str, dimensions: Dimensions
) -> _NestedNumber:
    inner = _find_number(_parts(thing)[key], names, where, whole, _dimensions(thing, key, dimensions))
    return inner._replace(put=lambda value: _replace_part(thing, key, inner.put(value)))


def _dimensions(thing: Any, key: str, outer: Dimensions) -> Dimensions:
    """Of a part of a thing, from those of the thing."""
    if isinstance(thing, Leaf):
        return (lambda _: NUMBER) if key == "modulation" else _dimensions(thing.law, key, outer)
    if isinstance(thing, tuple):
        return lambda _: outer(int(key))
    if isinstance(thing, Law) and not _has_terms(thing):
        spec = next(spec_of(f) for f in fields(thing) if f.name == key)
        return lambda i: spec.dimension_of(thing, i)
    if isinstance(thing, TimeFunction):
        own: dict[str, Dimension | str] = {"frequency": FREQUENCY, "phase": PHASE, "order": NUMBER, "times": TIME}
        if key in own:
            return lambda _: own[key]
        if key == "rate":
            return lambda _: _over_time(outer(0))
    if key == "inertia":
        return lambda _: INERTIA
    return lambda _: outer(0)


def _over_time(dimension: Dimension | str) -> Dimension | str:
    return dimension if isinstance(dimension, str) else (dimension[0], dimension[1], dimension[2] - 1)


def _has_terms(thing: Any) -> bool:
    """True for a sum, of laws or functions of time, and for a series."""
    return isinstance(thing, (Combination, Sum)) or (isinstance(thing, Law) and bool(thing.series_parts))


def _parts(thing: Any) -> dict[str, Any]:
    """What a thing is made of, by name or number."""
    if isinstance(thing, Law) and thing.series_parts:
        return {str(i): part for i, part in enumerate(thing.series_parts)}
    if isinstance(thing, (Combination, Sum)):
        return {str(i): term for i, term in enumerate(thing.terms)}
    if isinstance(thing, Leaf):
        return _parts(thing.law) | ({"modulation": thing.modulation[0][0]} if thing.modulation else {})
    if isinstance(thing, tuple):
        return {str(i): each for i, each in enumerate(thing)}
    if is_dataclass(thing):
        return {f.name: getattr(thing, f.name) for f in fields(thing)}
    if hasattr(thing, "inertia"):
        return {"inertia": thing.inertia} if thing.motion is None else {"motion": thing.motion}
    return {}


def _replace_part(thing: Any, key: str, part: Any) -> Any:
    """The thing with another part."""
    if isinstance(thing, Law) and thing.series_parts:
        parts = list(thing.series_parts)
        parts[int(key)] = part
        return thing.with_series_parts(tuple(parts))
    if isinstance(thing, (Combination, Sum)):
        terms: list[Any] = list(thing.terms)
        terms[int(key)] = part
        return type(thing)(terms=tuple(terms))
    if isinstance(thing, Leaf) and key == "modulation":
        return thing._replace(modulation=((part, thing.modulation[0][1]), *thing.modulation[1:]))
    if isinstance(thing, Leaf):
        return thing._replace(law=_replace_part(thing.law, key, part))
    if isinstance(thing, tuple):
        return (*thing[: int(key)], part, *thing[int(key) + 1 :])
    if is_dataclass(thing) and not isinstance(thing, type):
        return replace(thing, **{key: part})
    if key == "inertia" and not 0.0 <= part < math.inf:
        raise InvalidInput(f"inertia must be finite and >= 0, got {part:g}", owner=f'coordinate "{thing.name}"').about(
            "parameter"
        )
    new = copy(thing)
    setattr(new, key, part)
    return new
