"""Fixed values, bounds and priors as users type them: ``limit=250``, ``limit=0.2kN:0.3kN``, in SI or with units.

Errors name the argument of `identify`; commands and pages replace it by their options and fields.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from slipstick.errors import InvalidInput, short_repr
from slipstick.name_hints import did_you_mean

if TYPE_CHECKING:
    from slipstick.identification.loop import Loop
    from slipstick.model.files.quantities import Quantity
    from slipstick.model.files.unit_kinds import OpenKinds

CONSTRAINT_ARGUMENTS = {"fixed": "fixed", "bounds": "bounds", "prior": "priors"}  # of `identify`, by option


class TypedConstraint(NamedTuple):
    """A constraint on one parameter.   argument : of `identify`.   text : as typed.   values : None for an open end."""

    argument: str
    text: str
    name: str
    values: tuple[Quantity | None, ...]


class Constraints(NamedTuple):
    """Constraints by parameter name, in SI, as arguments of `identify`."""

    fixed: dict[str, float]
    bounds: dict[str, Any]
    priors: dict[str, Any]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.fixed, *self.bounds, *self.priors)))


def parse_constraints(given: Mapping[str, Any]) -> list[TypedConstraint]:
    """Parse the constraints of a command; given : all its options by name."""
    parsed: list[TypedConstraint] = []
    for key, argument in CONSTRAINT_ARGUMENTS.items():
        for text in given[key] or ():
            name, value = split_assignment(argument, text)
            if any(constraint.name == name and constraint.argument == argument for constraint in parsed):
                raise InvalidInput(f"names {name} twice", subject=argument, advice=["give one value"])
            parsed.append(TypedConstraint(argument, text, name, _parse_values(argument, text, value)))
    return parsed


def _parse_values(argument: str, text: str, value: str) -> tuple[Quantity | None, ...]:
    """One number, or two separated by a colon; a unit after the second applies to both."""
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
    """Constraints in SI; the loops say whether they are of forces, moments or stresses."""
    from slipstick.model.files.unit_kinds import OpenKinds
    from slipstick.units.dimensions import ALL_KINDS

    kinds = OpenKinds((loops[0].system,) if loops[0].units.written else ALL_KINDS)
    parsed = Constraints({}, {}, {})
    for constraint in given:
        values = tuple(None if one is None else _value_in_si(constraint, one, laws, kinds) for one in constraint.values)
        if constraint.argument == "fixed":
            assert values[0] is not None
            parsed.fixed[constraint.name] = values[0]
        else:
            (parsed.bounds if constraint.argument == "bounds" else parsed.priors)[constraint.name] = values
    return parsed


def deflection_noise_in_si(text: str | None, loops: Sequence[Loop]) -> float | None:
    """Value of ``--deflection-noise`` in SI."""
    from slipstick.model.files.unit_kinds import OpenKinds
    from slipstick.units.dimensions import DEFLECTION

    if text is None:
        return None
    argument = "deflection_noise"
    quantity = _parse_quantity(argument, "", text)
    try:
        return OpenKinds((loops[0].system,)).take("deflection", quantity, DEFLECTION)
    except InvalidInput as problem:
        raise InvalidInput(problem.message.wrapped(""), subject=argument) from None


def quantity_in_si(argument: str, text: str, units: Sequence[str]) -> float:
    """A value in SI, such as ``2.5 kg``.   units : SI units that it may have; a plain number has the first one."""
    from slipstick.units.parser import parse_unit, to_si

    quantity = _parse_quantity(argument, "", text)
    unit = quantity.unit or units[0]
    if parse_unit(unit).exponents not in {parse_unit(each).exponents for each in units}:
        raise InvalidInput(f"must be in {' or '.join(units)}", subject=argument, value=text)
    return to_si(quantity.number, unit)


def _value_in_si(constraint: TypedConstraint, one: Quantity, laws: Sequence[str], kinds: OpenKinds) -> float:
    from slipstick.identification.law_names import parameter_dimension
    from slipstick.units.parser import to_si

    known = (parameter_dimension(law, constraint.name) for law in laws)
    dimension = next((constraint for constraint in known if constraint is not None), None)
    try:
        return to_si(one.number, one.unit) if dimension is None else kinds.take(constraint.name, one, dimension)
    except InvalidInput as problem:
        raise InvalidInput(problem.message.wrapped(f"{constraint.text}: "), subject=constraint.argument) from None


def split_assignment(argument: str, text: str, known: tuple[str, ...] = ()) -> tuple[str, str]:
    """Split ``name=value``.   argument : the one that errors name."""
    name, sign, value = (part.strip() for part in text.partition("="))
    if not sign or not name or not value:
        raise InvalidInput("must be name=value", subject=argument, value=text)
    if known and name not in known:
        got = f"{short_repr(name)}{did_you_mean(name, known, False)}"
        raise InvalidInput(f"is of {', '.join(known)}", subject=argument, value=name, got=got)
    return name, value
