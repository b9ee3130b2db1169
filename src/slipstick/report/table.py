"""`Table`: a table of texts, for screens, reports and pages."""

from __future__ import annotations

from typing import NamedTuple


class Table(NamedTuple):
    """heads : of columns.   rows : of text.   numbers : count of last columns that are right-aligned."""

    heads: tuple[str, ...]
    rows: list[tuple[str, ...]]
    numbers: int
