"""Which column of a table is what, and what it is multiplied by."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from slipstick.errors import Advice, FileError, InvalidInput, Spelling, did_you_mean
from slipstick.identification.reading.table_layout import TableLayout
from slipstick.identification.reading.table_rows import Array, TableRows
from slipstick.model.files.headers import factor_of, fits, is_of_a_loop, is_plain

Column = str | int
GROUP_ROLE_PREFIX = "by "  # before the number of a column that tells loops apart

# what columns are called, in small letters without accents, where no name is given: in English, German and French.
# The first that is there; a single letter stands alone, other words may be one of several ("Kraft Zelle 2")
ROLE_NAMES = {
    "deflection": (
        "u", "x", "deflection", "displacement", "disp", "strain", "gamma", "angle", "rotation", "stroke", "position",
        "extension", "elongation", "travel", "lvdt",
        "weg", "auslenkung", "verschiebung", "verformung", "dehnung", "gleitung", "scherung", "winkel", "drehwinkel",
        "verdrehung", "hub",
        "deplacement", "course", "deformation", "allongement", "glissement", "cisaillement",
    ),
    "force": (
        "f", "force", "load", "torque", "moment", "stress", "tau", "restoring force",
        "kraft", "last", "drehmoment", "spannung", "schubspannung",
        "effort", "charge", "couple", "contrainte",
    ),
    "time": ("t", "time", "zeit", "temps"),
}  # fmt: skip


def assign_columns(
    file: str, layout: TableLayout, rows: TableRows, deflection: Column | None, force: Column | None,
    time: Column | None,
    by: Sequence[Column],
) -> dict[str, int]:  # fmt: skip
    """Which column is what; "by 0", "by 1" among them where they are asked for."""
    asked = {"deflection": deflection, "force": force, "time": time} | {
        f"{GROUP_ROLE_PREFIX}{k}": own for k, own in enumerate(by)
    }
    numbers = rows.numbers
    found = {
        role: _explicit_column(file, layout, numbers, role, name) for role, name in asked.items() if name is not None
    }
    for role in ROLE_NAMES:
        if role not in found and layout.header:
            place = _column_by_name(layout, role, set(found.values()))
            if place is not None:
                found[role] = place
    for role in ROLE_NAMES:
        if role not in found and layout.units:
            place = _column_by_unit(layout, role, set(found.values()))
            if place is not None:
                found[role] = place
    left = [i for i in range(numbers.shape[1]) if i not in found.values()]
    if "time" not in found and not layout.header and len(left) + len(set(found) & {"deflection", "force"}) > 2:
        rising = [i for i in left if _is_increasing(numbers[:, i], rows.blocks)]
        if rising:
            found["time"] = rising[0]
            left.remove(rising[0])
    for role in ("deflection", "force"):
        if role in found:
            continue
        if layout.header and (len(left) > 1 or not left) and numbers.shape[1] > 2:
            names = f"one of {', '.join(_distinct_names(layout.header))}"
            way = Advice(f"give {{{role}}}", **{role: Spelling(f" {names}", names)})
            raise FileError(file, None, "", f"which column is the {role}?", advice=[way])
        if not left:
            raise FileError(file, None, "", f"has {numbers.shape[1]} columns; deflection and force need two")
        found[role] = left.pop(0)
    if len(set(found.values())) < len(found):
        raise FileError(file, None, "", f"{', '.join(map(_role_label, found))} must be different columns")
    return found


def _is_increasing(x: Array, blocks: Sequence[int]) -> bool:
    return all(np.all(np.diff(x[a:b]) > 0.0) for a, b in pairwise(blocks))


def _explicit_column(file: str, layout: TableLayout, numbers: Array, role: str, name: Column) -> int:
    count = numbers.shape[1]
    if isinstance(name, int) and not isinstance(name, bool):
        if not 0 <= name < count:
            raise FileError(
                file, None, _role_label(role), f"column {name} is not there; columns are numbered 0 to {count - 1}"
            )
        return name
    place = _find_in_header(layout.header, (str(name),))
    if place is not None:
        return place
    if not layout.header:
        raise FileError(
            file,
            None,
            _role_label(role),
            f'there is no column "{name}": the file has no header; give its number, 0 to {count - 1}',
        )
    raise FileError(
        file,
        None,
        _role_label(role),
        f'there is no column "{name}"{did_you_mean(str(name), _distinct_names(layout.header))}',
    )


def _role_label(role: str) -> str:
    """What a column is for, as users call it."""
    return GROUP_ROLE_PREFIX.strip() if role.startswith(GROUP_ROLE_PREFIX) else role


def _distinct_names(header: Sequence[str]) -> list[str]:
    """Names of columns, with their numbers where one name is that of several; numbers alone where there is no name."""
    return [
        str(i) if not name else name if header.count(name) == 1 else f"{name} (column {i})"
        for i, name in enumerate(header)
    ]


def _find_in_header(header: Sequence[str], names: Sequence[str]) -> int | None:
    """Where one of several names is in a header: as written, else with letters of any size."""
    small = [own.strip().lower() for own in header]
    for name in names:
        if name in header:
            return list(header).index(name)
        if name.strip().lower() in small:
            return small.index(name.strip().lower())
    return None


def _column_by_name(layout: TableLayout, role: str, taken: set[int]) -> int | None:
    """The column that is called as such columns are: by its whole name, else by a word of it that no other column has.

    One in a unit that no column can have gives way to others: a Spannung in V, f in Hz.
    """
    free = [i for i in range(len(layout.header)) if i not in taken]
    sound = [i for i in free if _has_known_unit(layout, i)]
    found = _columns_named_like(layout, role, sound)
    return found if found is not None else _columns_named_like(layout, role, free)


def _columns_named_like(layout: TableLayout, role: str, free: Sequence[int]) -> int | None:
    names = {i: _simplified(layout.header[i]) for i in free}
    for name in ROLE_NAMES[role]:
        alike = [i for i in free if names[i] == name]
        if alike:
            return next((i for i in alike if layout.header[i].strip() == name), alike[0])
    known = {name for name in ROLE_NAMES[role] if len(name) > 1}
    with_word = [i for i in free if known & set(re.findall(r"[a-z]+", names[i]))]
    return with_word[0] if len(with_word) == 1 else None


def _column_by_unit(layout: TableLayout, role: str, taken: set[int]) -> int | None:
    """The only column whose unit is one of this role, whatever it is called; a plain number tells nothing."""
    free = [i for i, unit in enumerate(layout.units) if i not in taken and unit not in ("", "-")]
    own = [i for i in free if fits(layout.units[i], role) and not is_plain(layout.units[i])]
    return own[0] if len(own) == 1 else None


def _has_known_unit(layout: TableLayout, column: int) -> bool:
    """True if a column has no unit, or one that some column of a loop can have."""
    unit = layout.units[column] if layout.units else ""
    return not unit or unit == "-" or is_of_a_loop(unit)


def _simplified(name: str) -> str:
    """In small letters, without accents."""
    parts = unicodedata.normalize("NFKD", name.strip().lower())
    return "".join(sign for sign in parts if not unicodedata.combining(sign))


def describe_assignment(layout: TableLayout, columns: Mapping[str, int], units: Mapping[str, tuple[float, str]]) -> str:
    """Which column was taken as what, in which unit, and which are not used."""
    count = max([*columns.values(), len(layout.header) - 1]) + 1
    said = []
    for role, i in columns.items():
        if role in ROLE_NAMES:
            factor, unit = units[role]
            written = f" in {unit}" if unit else ", without a unit: SI"
            said.append(f"{role}: {_column_title(layout, i)}{written}{f', times {factor:g}' if factor != 1.0 else ''}")
    left = [_column_title(layout, i) for i in range(count) if i not in columns.values()]
    return "; ".join([*said, f"not used: {', '.join(left[:5])}{' ...' if len(left) > 5 else ''}"] if left else said)


def _column_title(layout: TableLayout, column: int) -> str:
    name = layout.header[column] if layout.header else ""
    return f'column "{name[:40]}"' if name else f"column {column}"


def column_factor(file: str, layout: TableLayout, column: int, role: str, units: dict[str, str]) -> tuple[float, str]:
    """What a column is multiplied by to be in SI, and its unit as written."""
    unit = units.get(role) or (layout.units[column] if layout.units else "")
    if not unit or unit == "-":
        return 1.0, ""
    try:
        return factor_of(unit, role), unit
    except InvalidInput as problem:
        raise FileError(file, None, role, problem.message) from None
