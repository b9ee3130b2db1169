"""Where output goes: colour and the full width on a terminal, plain text of 80 columns elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

MOST_ROWS = 50  # of a table; a model from matrices may have thousands of coordinates


def console() -> Console:
    """For results, on stdout."""
    from rich.console import Console

    return Console(highlight=False, emoji=False, markup=False, soft_wrap=False)


def headline(screen: Console, strong: str, plain: str, style: str = "bold") -> None:
    """A line that begins in a style of its own; never wrapped."""
    from rich.text import Text

    screen.print(Text.assemble((strong, style), plain), soft_wrap=True)


def say(line: str) -> None:
    """One line on stdout, as it is: a line of a message is never wrapped, so that tools can read it."""
    print(line)


def complain(line: str) -> None:
    """One line on stderr, as it is."""
    print(line, file=sys.stderr)


def table(heads: tuple[str, ...], rows: Sequence[tuple[str, ...]], numbers: int = 0) -> Table:
    """A plain table; the last ``numbers`` columns stand flush right."""
    from rich import box
    from rich.table import Table

    made = Table(box=box.SIMPLE, show_edge=False, pad_edge=False, header_style="bold")
    for i, head in enumerate(heads):
        made.add_column(head, overflow="fold", justify="right" if i >= len(heads) - numbers else "left")
    for row in rows[:MOST_ROWS]:
        made.add_row(*row)
    if len(rows) > MOST_ROWS:
        made.add_row(f"... and {len(rows) - MOST_ROWS} more", *[""] * (len(heads) - 1))
    return made
