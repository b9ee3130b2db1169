"""What is known of a law beforehand, as people write it: ``limit=250``, ``limit=0.2kN:0.3kN``, in SI or with units.

Errors name the argument; commands and pages call it by their options and fields.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from slipstick.errors import InvalidInput, did_you_mean, short_repr

if TYPE_CHECKING:
    from slipstick.identification.loop import Loop
    from slipstick.model.files.motion_kinds import OpenKinds
    from slipstick.model.files.quantities import Quantity

CONSTRAINT_ARGUMENTS = {"fixed": "fixed", "bounds": "bounds", "prior": "priors"}  # of `identify`, by option


class TypedConstraint(NamedTuple):
    """One number of a law.   argument : of `identify`.   text : as typed.   values : None for a missing end."""

    argument: str
    text: str
    name: str
    values: tuple[Quantity | None, ...]


class Constraints(NamedTuple):
    """By name, in SI: as `identify` takes them."""

    fixed: dict[str, float]
    bounds: dict[str, tuple[float | None, ...]]
    priors: dict[str, tuple[float | None, ...]]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.fixed, *self.bounds, *self.priors)))


def parse_constraints(given: Mapping[str, Any]) -> list[TypedConstraint]:
    """What was typed, taken apart; given : all options of a command by name, which have the same names in each."""
    found: list[TypedConstraint] = []
    for key, argument in CONSTRAINT_ARGUMENTS.items():
        for text in given[key] or ():
            name, value = split_assignment(argument, text)
            if any(own.name == name and own.argument == argument for own in found):
                raise InvalidInput(f"names {name} twice", subject=argument, advice=["give one value"])
            found.append(TypedConstraint(argument, text, name, _parse_values(argument, text, value)))
    return found


def _parse_values(argument: str, text: str, value: str) -> tuple[Quantity | None, ...]:
    """One number, or two with a colon between them; a unit behind the second is that of both."""
    if argument == "fixed":
        return (_parse_quantity(argument, text, value),)
    parts = [part.strip() for part in value.split(":")]
    ends = "low:high" if argument == "bounds" else "mean:deviation"
    if len(parts) != 2 or not any(parts) or (not all(parts) and argument == "priors"):
        raise InvalidInput(f"must be name={ends}", subject=argument, value=text)
    first, second = (_parse_quantity(argument, text, part) if part else None for part in parts)
    if first is not None and second is not None and not first.unit:
        first = first._replace(unit=second.unit)
    return first, second


def _parse_quantity(argument: str, text: str, value: str) -> Quantity:
    from slipstick.model.files.quantities import read_quantity

    try:
        return read_quantity(value)
    except InvalidInput as problem:
        raise InvalidInput(problem.message.wrapped(f"{text}: " if text else ""), subject=argument) from None


def constraints_in_si(given: Sequence[TypedConstraint], laws: Sequence[str], loops: Sequence[Loop]) -> Constraints:
    """In SI, once the loops tell if they are of forces, moments or stresses."""
    from slipstick.model.files.motion_kinds import ALL_KINDS, OpenKinds

    kinds = OpenKinds((loops[0].system,) if loops[0].units.written else ALL_KINDS)
    found = Constraints({}, {}, {})
    for own in given:
        values = tuple(None if one is None else _value_in_si(own, one, laws, kinds) for one in own.values)
        if own.argument == "fixed":
            assert values[0] is not None
            found.fixed[own.name] = values[0]
        else:
            (found.bounds if own.argument == "bounds" else found.priors)[own.name] = values
    return found


def deflection_noise_in_si(text: str | None, loops: Sequence[Loop]) -> float | None:
    """``--deflection-noise`` in SI."""
    from slipstick.laws.parameters import DEFLECTION
    from slipstick.model.files.motion_kinds import OpenKinds

    if text is None:
        return None
    argument = "deflection_noise"
    quantity = _parse_quantity(argument, "", text)
    try:
        return OpenKinds((loops[0].system,)).take("deflection", quantity, DEFLECTION)
    except InvalidInput as problem:
        raise InvalidInput(problem.message.wrapped(""), subject=argument) from None


def _value_in_si(own: TypedConstraint, one: Quantity, laws: Sequence[str], kinds: OpenKinds) -> float:
    from slipstick.identification.law_names import parameter_dimension
    from slipstick.model.files.unit_parser import to_si

    known = (parameter_dimension(law, own.name) for law in laws)
    dimension = next((own for own in known if own is not None), None)
    try:
        return to_si(one.number, one.unit) if dimension is None else kinds.take(own.name, one, dimension)
    except InvalidInput as problem:
        raise InvalidInput(problem.message.wrapped(f"{own.text}: "), subject=own.argument) from None


def split_assignment(argument: str, text: str, known: tuple[str, ...] = ()) -> tuple[str, str]:
    """Name and value of ``name=value``; argument : what errors name."""
    name, sign, value = (part.strip() for part in text.partition("="))
    if not sign or not name or not value:
        raise InvalidInput("must be name=value", subject=argument, value=text)
    if known and name not in known:
        got = f"{short_repr(name)}{did_you_mean(name, known, False)}"
        raise InvalidInput(f"is of {', '.join(known)}", subject=argument, value=name, got=got)
    return name, value
