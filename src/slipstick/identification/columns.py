"""Which column of a table is what, and what it is multiplied by."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from slipstick.errors import FileError, InvalidInput, did_you_mean
from slipstick.identification.layout import Layout
from slipstick.identification.rows import Array, Rows
from slipstick.identification.units import factor_of

Column = str | int
BY = "by "  # before the number of a column that tells loops apart

# what columns are called, in small letters, where no name is given; the first that is there
NAMES = {
    "deflection": (
        "u", "x", "deflection", "displacement", "disp", "strain", "gamma", "angle", "rotation", "stroke", "position"
    ),
    "force": ("f", "force", "load", "torque", "moment", "stress", "tau", "restoring force"),
    "time": ("t", "time"),
}  # fmt: skip


def chosen(
    file: str, layout: Layout, rows: Rows, deflection: Column | None, force: Column | None, time: Column | None,
    by: Sequence[Column],
) -> dict[str, int]:  # fmt: skip
    """Which column is what; "by 0", "by 1" among them where they are asked for."""
    asked = {"deflection": deflection, "force": force, "time": time} | {f"{BY}{k}": own for k, own in enumerate(by)}
    numbers = rows.numbers
    found = {role: _column(file, layout, numbers, role, name) for role, name in asked.items() if name is not None}
    for role in NAMES:
        if role not in found and layout.header:
            place = _known(layout.header, NAMES[role])
            if place is not None and place not in found.values():
                found[role] = place
    left = [i for i in range(numbers.shape[1]) if i not in found.values()]
    if "time" not in found and not layout.header and len(left) + len(set(found) & {"deflection", "force"}) > 2:
        rising = [i for i in left if _rises(numbers[:, i], rows.blocks)]
        if rising:
            found["time"] = rising[0]
            left.remove(rising[0])
    for role in ("deflection", "force"):
        if role in found:
            continue
        if layout.header and (len(left) > 1 or not left) and numbers.shape[1] > 2:
            asked_for, names = f"which column is the {role}? give", f"one of {', '.join(layout.header)}"
            refusal = FileError(file, None, "", f"{asked_for} {role}= {names}")
            raise refusal.in_commands(f"{asked_for} --{role} {names}")
        if not left:
            raise FileError(file, None, "", f"has {numbers.shape[1]} columns; deflection and force need two")
        found[role] = left.pop(0)
    if len(set(found.values())) < len(found):
        raise FileError(file, None, "", f"{', '.join(map(_said, found))} must be different columns")
    return found


def _rises(x: Array, blocks: Sequence[int]) -> bool:
    return all(np.all(np.diff(x[a:b]) > 0.0) for a, b in pairwise(blocks))


def _column(file: str, layout: Layout, numbers: Array, role: str, name: Column) -> int:
    count = numbers.shape[1]
    if isinstance(name, int) and not isinstance(name, bool):
        if not 0 <= name < count:
            raise FileError(
                file, None, _said(role), f"column {name} is not there; columns are numbered 0 to {count - 1}"
            )
        return name
    place = _known(layout.header, (str(name),))
    if place is not None:
        return place
    if not layout.header:
        raise FileError(
            file,
            None,
            _said(role),
            f'there is no column "{name}": the file has no header; give its number, 0 to {count - 1}',
        )
    raise FileError(file, None, _said(role), f'there is no column "{name}"{did_you_mean(str(name), layout.header)}')


def _said(role: str) -> str:
    """What a column is for, as users call it."""
    return BY.strip() if role.startswith(BY) else role


def _known(header: Sequence[str], names: Sequence[str]) -> int | None:
    """Where one of several names is in a header: as written, else with letters of any size."""
    small = [own.strip().lower() for own in header]
    for name in names:
        if name in header:
            return list(header).index(name)
        if name.strip().lower() in small:
            return small.index(name.strip().lower())
    return None


def factor_for(file: str, layout: Layout, column: int, role: str, units: dict[str, str]) -> tuple[float, str]:
    """What a column is multiplied by to be in SI, and its unit as written."""
    unit = units.get(role) or (layout.units[column] if layout.units else "")
    if not unit or unit == "-":
        return 1.0, ""
    try:
        return factor_of(unit, role), unit
    except InvalidInput as problem:
        raise FileError(file, None, role, str(problem)) from None
