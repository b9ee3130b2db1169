"""Golden tables: numbers with their source, compared to the digits that are printed.

``tests/reference/<paper>.csv`` has one line a number: key, printed (our value, as many digits as are certain), unit,
citation, published (what the paper prints, where that differs), note (why).
"""

from __future__ import annotations

import csv
from decimal import Decimal
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).parent / "reference"


class Golden(NamedTuple):
    """One number of a table."""

    key: str
    printed: str
    unit: str
    citation: str
    published: str
    note: str

    @property
    def value(self) -> float:
        return float(self.printed)

    @property
    def tolerance(self) -> float:
        """Half a unit of the last printed digit."""
        exponent = Decimal(self.printed).as_tuple().exponent
        assert isinstance(exponent, int)
        return 0.5 * 10.0**exponent

    def assert_agrees(self, found: float) -> None:
        assert abs(found - self.value) <= self.tolerance, f"{self.key}: {found!r}, printed {self.printed}"


def table(name: str) -> dict[str, Golden]:
    """The numbers of a table by key."""
    with (FOLDER / f"{name}.csv").open(newline="") as file:
        rows = [Golden(**row) for row in csv.DictReader(file)]
    found = {row.key: row for row in rows}
    assert len(found) == len(rows), "a key appears twice"
    assert all(row.citation for row in rows)
    return found
