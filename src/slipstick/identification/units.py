"""Units in the headers of tables: what a column is multiplied by."""

from __future__ import annotations

from collections.abc import Mapping

from slipstick.errors import InvalidInput
from slipstick.laws.parameters import UNIT_SYSTEMS
from slipstick.model.files.units import read_unit
from slipstick.results.units import LoopUnits, Scale

# exponents of length, mass, time, angle that a column may have
_ALLOWED = {
    "deflection": {(1, 0, 0, 0): "a length", (0, 0, 0, 1): "an angle", (0, 0, 0, 0): "a strain"},
    "force": {(1, 1, -2, 0): "a force", (2, 1, -2, 0): "a moment", (-1, 1, -2, 0): "a stress"},
    "time": {(0, 0, 1, 0): "a time"},
}


# by the exponents of a force, else of a deflection
_SYSTEMS = {
    "force": {(1, 1, -2, 0): "translation", (2, 1, -2, 0): "rotation", (-1, 1, -2, 0): "stress"},
    "deflection": {(1, 0, 0, 0): "translation", (0, 0, 0, 1): "rotation"},
}


def system_of(units: Mapping[str, str]) -> str:
    """The system of units that columns are in, from those that are written; translation where none tells."""
    for role, known in _SYSTEMS.items():
        if units.get(role):
            exponents = tuple(round(e) for e in read_unit(_plain(units[role])).exponents)
            if exponents in known:
                return known[exponents]
    return "translation"


def shown_units(columns: Mapping[str, tuple[float, str]], system: str) -> LoopUnits:
    """What numbers of these loops are shown in; columns : what each is multiplied by to be in SI, and its unit.

    A strain is a plain number however it is written: nobody wants a stiffness per percent.
    """
    force, deflection, _ = UNIT_SYSTEMS[system]
    shown = {"deflection": Scale(deflection, 1.0), "force": Scale(force, 1.0)}
    for role in shown:
        factor, unit = columns[role]
        if unit and not (role == "deflection" and system == "stress"):
            shown[role] = Scale(_plain(unit), 1.0 / factor)
    bare = tuple(role for role in shown if not columns[role][1] and shown[role].unit)
    return LoopUnits(**shown, written=any(columns[role][1] for role in shown), bare=bare)


def refuse_mixed(units: Mapping[str, str]) -> None:
    """Units of deflection and force that no law has together: a moment turns, a stress strains, a force moves."""
    of = {}
    for role in ("deflection", "force"):
        if not units.get(role):
            return
        of[role] = tuple(round(e) for e in read_unit(_plain(units[role])).exponents)
    deflection, force = (next((kind for e, kind in _ALLOWED[role].items() if e == own), "") for role, own in of.items())
    wanted = {"a force": ("a length",), "a moment": ("an angle", "a strain"), "a stress": ("a strain", "an angle")}.get(
        force, ()
    )
    if deflection and wanted and deflection not in wanted:
        said = f"deflection in {units['deflection']} is {deflection}, force in {units['force']} is {force}"
        words = f"{said}, which goes with {wanted[0]}: choose other columns, or say what the numbers are in:"
        raise InvalidInput(f'{words} units={{"deflection": ...}}').in_commands(f"{words} --unit deflection=...")


def _plain(unit: str) -> str:
    return unit.replace("µ", "u").replace("μ", "u")


def factor_of(unit: str, role: str | None) -> float:
    """What a number in a unit is worth in SI; role : "deflection", "force", "time", or None for any."""
    found = read_unit(_plain(unit))
    kinds = _ALLOWED.get(role or "")
    exponents = tuple(round(e) for e in found.exponents)
    if kinds is not None and exponents not in kinds:
        wanted = " or ".join(kinds.values())
        other = next((r for r, k in _ALLOWED.items() if exponents in k and r != role), "")
        hint = f"; are the columns swapped? it is a unit of {other}" if other else ""
        raise InvalidInput(f"must have a unit of {wanted}, got {unit}{hint}")
    return float(found.factor)


def fits(unit: str, role: str) -> bool:
    """True for a unit that a column of this role can have."""
    try:
        factor_of(unit, role)
    except InvalidInput:
        return False
    return True


def is_of_a_loop(unit: str) -> bool:
    """True for a unit that some column of a loop can have."""
    return any(fits(unit, role) for role in _ALLOWED)


def is_plain(unit: str) -> bool:
    """True for a unit of plain numbers, such as that of a strain: %."""
    return not any(round(e) for e in read_unit(_plain(unit)).exponents)
