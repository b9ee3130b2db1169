"""Units of the columns of a loop: which system they are of, and in which its numbers are shown."""

from __future__ import annotations

from collections.abc import Mapping

from slipstick.errors import Advice, InvalidInput
from slipstick.laws.parameters import UNIT_SYSTEMS
from slipstick.model.files.headers import COLUMNS, plain
from slipstick.model.files.unit_parser import parse_unit
from slipstick.units.scales import LoopUnits, Scale

# by the exponents of a force, else of a deflection
_SYSTEMS = {
    "force": {(1, 1, -2, 0): "translation", (2, 1, -2, 0): "rotation", (-1, 1, -2, 0): "stress"},
    "deflection": {(1, 0, 0, 0): "translation", (0, 0, 0, 1): "rotation"},
}


def system_of(units: Mapping[str, str]) -> str:
    """The system of units that columns are in, from those that are written; translation where none tells."""
    for role, known in _SYSTEMS.items():
        if units.get(role):
            exponents = tuple(round(e) for e in parse_unit(plain(units[role])).exponents)
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
            shown[role] = Scale(plain(unit), 1.0 / factor)
    bare = tuple(role for role in shown if not columns[role][1] and shown[role].unit)
    return LoopUnits(**shown, written=any(columns[role][1] for role in shown), bare=bare)


def refuse_mixed(units: Mapping[str, str]) -> None:
    """Units of deflection and force that no law has together: a moment turns, a stress strains, a force moves."""
    of = {}
    for role in ("deflection", "force"):
        if not units.get(role):
            return
        of[role] = tuple(round(e) for e in parse_unit(plain(units[role])).exponents)
    deflection, force = (next((kind for e, kind in COLUMNS[role].items() if e == own), "") for role, own in of.items())
    wanted = {"a force": ("a length",), "a moment": ("an angle", "a strain"), "a stress": ("a strain", "an angle")}.get(
        force, ()
    )
    if deflection and wanted and deflection not in wanted:
        said = f"deflection in {units['deflection']} is {deflection}, force in {units['force']} is {force}"
        way = Advice("or say what the numbers are in: {units}", units={"deflection": ...})
        raise InvalidInput(f"{said}, which goes with {wanted[0]}", advice=["choose other columns", way])
