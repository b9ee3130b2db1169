"""Tables that are wider than a terminal lose what can be spared, in order, and no more."""

from __future__ import annotations

import pytest

from slipstick.cli.console import drop_wide_columns

HEADS = ("name", "value", "start", "rule")
ROWS = [("stiffness", "12.5", "12.25", "12"), ("limit", "1.8", "1.75", "2")]
# as wide as the longest cell of each, and three between them
WHOLE = 9 + 5 + 5 + 4 + 3 * 3


@pytest.mark.parametrize(
    ("width", "kept", "out"),
    [
        (WHOLE, HEADS, []),
        (WHOLE - 1, ("name", "value", "rule"), ["start"]),
        (WHOLE - 8, ("name", "value", "rule"), ["start"]),
        (WHOLE - 9, ("name", "value"), ["start", "rule"]),
        (5, ("name", "value"), ["start", "rule"]),
    ],
)
def test_columns_are_spared_one_after_the_other(width: int, kept: tuple[str, ...], out: list[str]) -> None:
    heads, rows, numbers, left = drop_wide_columns(HEADS, ROWS, 3, ("start", "rule"), width)
    assert (heads, left, numbers) == (kept, out, 3 - len(out))
    places = [HEADS.index(head) for head in kept]
    assert rows == [tuple(row[i] for i in places) for row in ROWS]
