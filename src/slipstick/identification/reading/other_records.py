"""Files that hold no loop, recognised by the units of their columns: where to read them instead."""

from __future__ import annotations

from collections.abc import Collection

from slipstick.errors import Advice, FileError, InvalidInput
from slipstick.identification.reading.table_layout import NUMBER, TableLayout
from slipstick.model.files.headers import plain
from slipstick.units.parser import parse_unit

FREQUENCIES = ((0, 0, -1, 0), (0, 0, -1, 1))  # exponents of length, mass, time, angle
ANGLE = (0, 0, 0, 1)
ACCELERATIONS = ((1, 0, -2, 0), (0, 0, -2, 1))
PHASE_NAMES = ("phase", "phi", "phasenwinkel")
OWN_COLUMNS = Advice("or give {deflection} and {force}", deflection=None, force=None)
RESPONSE_WAY = "read it with ss.MeasuredResponse.read and fit a model with ss.calibrate"
DECAY_WAY = "slipstick ringdown finds frequency and damping of a free decay"


def refuse_response(file: str, layout: TableLayout) -> None:
    """Refuse a table of frequencies and phases; its phases are no deflection in rad."""
    kinds = _exponents(layout)
    phases = [i for i, name in enumerate(layout.header) if name.strip().lower() in PHASE_NAMES]
    if set(FREQUENCIES) & set(kinds) and any(kinds[i] in (ANGLE, None, (0, 0, 0, 0)) for i in phases):
        words = "holds amplitudes over frequency, as of a stepped-sine test, and not a loop"
        raise FileError(file, None, "", words, advice=[RESPONSE_WAY, OWN_COLUMNS])


def refuse_accelerations(file: str, layout: TableLayout, left: Collection[int]) -> None:
    """Refuse a table whose columns that may be a deflection are all accelerations."""
    kinds = _exponents(layout)
    if left and all(kinds[i] in ACCELERATIONS for i in left):
        words = "has accelerations, and no deflection for a loop"
        raise FileError(file, None, "", words, advice=[DECAY_WAY, OWN_COLUMNS])


def _exponents(layout: TableLayout) -> list[tuple[int, ...] | None]:
    """The dimension of each column of numbers; None for others, and where no unit is known."""
    found: list[tuple[int, ...] | None] = []
    for unit, kind in zip(layout.units or ("",) * layout.width, layout.kinds, strict=False):
        try:
            known = kind == NUMBER and unit not in ("", "-")
            found.append(tuple(round(e) for e in parse_unit(plain(unit)).exponents) if known else None)
        except InvalidInput:
            found.append(None)
    return found
